"""A library of papers as SP2Bench has it, as N-Triples: `python bench/rdf/suites/sp2b_data.py PAPERS OUT.nt [--seed N]`.

Journals with articles, proceedings with papers, year after year and ever more of them; authors are blank nodes with a name, few
of whom write most; a tenth of the papers cite others, by an `rdf:Bag`. Paul Erdoes is an IRI, writes ten papers a year and edits
two proceedings, from 1940 to 1996. The shapes are the paper's (Schmidt et al., ICDE 2009), its exact curves are not. 20,000
papers give some 290,000 statements. The same arguments make the same file.
"""

from statements import Statements, main

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
DC = "http://purl.org/dc/elements/1.1/"
TERMS = "http://purl.org/dc/terms/"
FOAF = "http://xmlns.com/foaf/0.1/"
SWRC = "http://swrc.ontoware.org/ontology#"
BENCH = "http://localhost/vocabulary/bench/"
PLACE = "http://localhost/publications/"
ERDOES = "<http://localhost/persons/Paul_Erdoes>"
CLASSES = ["Journal", "Article", "Proceedings", "Inproceedings", "Incollection", "Book", "PhDThesis", "MastersThesis", "Www"]
FIRST, LAST = 1936, 2009


class Library(Statements):
    def __init__(self, papers, seed, out):
        super().__init__(seed, out, letters="abcdefghilmnoprstuw", lengths=(4, 11), words=3000)
        self.papers = papers
        self.authors, self.written, self.bags = [], [], 0

    def author(self):
        """One who has written, the more likely the more they have, or somebody new."""
        if self.authors and self.random.random() < 0.7:
            return self.random.choice(self.authors)
        own = f"_:author{len(self.authors)}"
        if own not in self.authors[-1:]:
            self.say(own, RDF + "type", f"<{FOAF}Person>")
            self.say(own, FOAF + "name", '"' + " ".join(word.capitalize() for word in self.random.choices(self.words, k=2)) + '"')
        self.authors.append(own)
        return own

    def document(self, own, kind, year, words=(4, 9)):
        self.say(own, RDF + "type", f"<{BENCH}{kind}>")
        self.say(own, TERMS + "issued", f'"{year}"^^<{XSD}integer>')
        if words:
            self.say(own, DC + "title", self.text(*words))

    def paper(self, own, kind, year, creators):
        self.document(own, kind, year)
        for creator in creators:
            self.say(own, DC + "creator", creator)
        for predicate, share, value in [
            (RDFS + "seeAlso", 0.97 if kind == "Inproceedings" else 0.65, f'"http://www.{self.random.choice(self.words)}.tld/{self.random.choice(self.words)}"'),
            (FOAF + "homepage", 0.98, f'"http://www.{self.random.choice(self.words)}.tld/{len(self.written)}"'),
            (SWRC + "pages", 0.93, f'"{self.random.randint(1, 200)}"^^<{XSD}integer>'),
            (SWRC + "month", 0.006, f'"{self.random.randint(1, 12)}"^^<{XSD}integer>'),
        ]:
            if self.random.random() < share:
                self.say(own, predicate, value)
        if self.random.random() < 0.01:
            self.say(own, BENCH + "abstract", self.text(130, 170))
        if self.written and self.random.random() < 0.1:
            self.bags += 1
            bag = f"_:references{self.bags}"
            self.say(bag, RDF + "type", f"<{RDF}Bag>")
            for at in range(1, self.random.randint(2, 25)):
                self.say(bag, f"{RDF}_{at}", self.random.choice(self.written))
            self.say(own, TERMS + "references", bag)
        self.written.append(own)

    def creators(self):
        return list(dict.fromkeys(self.author() for _ in range(self.random.choice([1, 1, 2, 2, 2, 3, 3, 4, 6]))))

    def year(self, year, count):
        journals = max(1, count // 50)
        for at in range(1, journals + 1):
            journal = f"<{PLACE}journals/Journal{at}/{year}>"
            self.document(journal, "Journal", year, None)
            self.say(journal, DC + "title", f'"Journal {at} ({year})"')
            self.say(journal, SWRC + "number", f'"{at}"^^<{XSD}integer>')
        for at in range(1, count // 2 + 1):
            article = f"<{PLACE}articles/{year}/Article{at}>"
            creators = self.creators() + ([ERDOES] if 1940 <= year <= 1996 and at <= 5 else [])
            self.paper(article, "Article", year, creators)
            self.say(article, SWRC + "journal", f"<{PLACE}journals/Journal{self.random.randint(1, journals)}/{year}>")
        meetings = max(1, count // 60)
        for at in range(1, meetings + 1):
            meeting = f"<{PLACE}procs/Proceeding{at}/{year}>"
            self.document(meeting, "Proceedings", year)
            self.say(meeting, BENCH + "booktitle", f'"Conference {at} {year}"')
            self.say(meeting, SWRC + "isbn", f'"{self.random.getrandbits(40)}"')
            for editor in self.creators() + ([ERDOES] if 1940 <= year <= 1996 and at <= 2 else []):
                self.say(meeting, SWRC + "editor", editor)
        for at in range(1, count - count // 2 + 1):
            own = f"<{PLACE}inprocs/{year}/Inproceeding{at}>"
            self.paper(own, "Inproceedings", year, self.creators() + ([ERDOES] if 1940 <= year <= 1996 and at <= 5 else []))
            meeting = self.random.randint(1, meetings)
            self.say(own, BENCH + "booktitle", f'"Conference {meeting} {year}"')
            self.say(own, TERMS + "partOf", f"<{PLACE}procs/Proceeding{meeting}/{year}>")

    def write(self):
        for kind in CLASSES:
            self.say(f"<{BENCH}{kind}>", RDFS + "subClassOf", f"<{FOAF}Document>")
        self.say(ERDOES, RDF + "type", f"<{FOAF}Person>")
        self.say(ERDOES, FOAF + "name", '"Paul Erdoes"')
        weights = [1.07 ** (year - FIRST) for year in range(FIRST, LAST)]
        for year, weight in zip(range(FIRST, LAST), weights):
            self.year(year, max(4, round(self.papers * weight / sum(weights))))


if __name__ == "__main__":
    main(__doc__, "papers", Library)
