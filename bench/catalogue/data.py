"""A museum's catalogue as RDF: takes a scale and a seed, gives an N-Quads file. Scale 1 is about 1,700,000 statements.

What SNB's statements lack is here, as other people's data have it:

1. Labels in several languages, with and without one; properties that many things lack and that others have several of.
2. One predicate with values of several types: `:created` is a year, a date, an integer or a text; `:height` a decimal, an
   integer, a double, an integer written `"012"`, or a text; `:acquired` has a zone or none; `:note` is a text or an IRI.
3. Trees of classes, places and materials; a graph of influence with cycles; parts of parts.
4. Blank nodes (`:dimension`), lists (`:owners`), named graphs that repeat, contradict and add to the default one,
   statements about statements (RDF 1.2), and things with two classes or none.
"""

import random

BASE = "http://museum.example/"
VOCABULARY = BASE + "vocabulary#"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
KNOWN = {"a": RDF + "type", "label": RDFS + "label", "first": RDF + "first", "rest": RDF + "rest", "reifies": RDF + "reifies",
         "subClassOf": RDFS + "subClassOf", "seeAlso": RDFS + "seeAlso", "sameAs": "http://www.w3.org/2002/07/owl#sameAs",
         "name": "http://xmlns.com/foaf/0.1/name", "broader": "http://www.w3.org/2004/02/skos/core#broader",
         "altLabel": "http://www.w3.org/2004/02/skos/core#altLabel", "modified": "http://purl.org/dc/terms/modified",
         "publisher": "http://purl.org/dc/terms/publisher"}
TREE = {"Object": ["Painting", "Sculpture", "Print", "Photograph", "Textile", "Vessel"], "Painting": ["OilPainting", "Watercolour", "Fresco", "Panel"],
        "Sculpture": ["Bust", "Relief", "Statue"], "Print": ["Etching", "Woodcut", "Lithograph"], "Vessel": ["Vase", "Bowl"], "Vase": ["Amphora"],
        "Agent": ["Person", "Organisation"], "Organisation": ["Museum", "Foundation"], "Place": ["City", "Country", "Region"],
        "Event": ["Exhibition"], "Concept": ["Material"], "Thing": ["Object", "Agent", "Place", "Event", "Concept"]}
ADJECTIVES = ("Blue", "Sleeping", "Young", "Old", "Red", "Broken", "Silent", "Great", "Small", "Winter", "Golden", "Dark")
NOUNS = ("Girl", "Horse", "River", "Table", "Saint", "Harbour", "Garden", "Bridge", "Mother", "Soldier", "Flowers", "Mountain", "Window", "Dancer")
GERMAN = dict(zip(NOUNS, ("Mädchen", "Pferd", "Fluss", "Tisch", "Heiliger", "Hafen", "Garten", "Brücke", "Mutter", "Soldat", "Blumen", "Berg", "Fenster", "Tänzerin")))
FIRST = ("Ada", "Ben", "Chiara", "Dmitri", "Élodie", "Farid", "Greta", "Hiro", "Inés", "Jan", "Kofi", "Lena", "Marek", "Noor", "Olga", "Søren")
LAST = ("Abel", "Brandt", "Costa", "Dubois", "Eriksen", "Fischer", "García", "Hassan", "Ito", "Jansen", "Kowalski", "López", "Müller", "Novak",
        "Okafor", "Petrov", "Rossi", "Schmidt", "Tanaka", "Weber")
SYLLABLES = ("ba", "ka", "lo", "mi", "ra", "sto", "vel", "ton", "burg", "ham", "wick", "ja")


def iri(path):
    return f"<{BASE}{path}>"


def predicate(name):
    return f"<{KNOWN.get(name) or VOCABULARY + name}>"


def text(value, tag=None):
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"' + (f"@{tag}" if tag else "")


def typed(value, kind):
    return f'"{value}"^^<{XSD}{kind}>'


class Catalogue:
    def __init__(self, file, scale, seed):
        self.file, self.draw, self.blank = file, random.Random(seed), 0
        self.sizes = {"object": int(60_000 * scale), "person": int(12_000 * scale), "place": int(3_000 * scale),
                      "organisation": int(800 * scale), "exhibition": int(1_500 * scale), "material": int(400 * scale)}
        self.sizes = {name: max(size, 60) for name, size in self.sizes.items()}
        self.leaves = [name for parent in ("Painting", "Sculpture", "Print", "Vessel", "Vase") for name in TREE[parent] if name not in TREE]
        self.leaves += ["Photograph", "Textile"]

    def say(self, subject, name, value, graph=None):
        self.file.write(f"{subject} {predicate(name)} {value} {graph + ' ' if graph else ''}.\n")

    def node(self):
        self.blank += 1
        return f"_:b{self.blank}"

    def some(self, kind, power=1.0):
        """One of a kind; a power above 1 makes the first ones frequent."""
        return iri(f"{kind}/{int(self.sizes[kind] * self.draw.random() ** power)}")

    def often(self, share):
        return self.draw.random() < share

    def kind(self, name):
        return f"<{VOCABULARY}{name}>"

    def stamp(self, zone):
        d = self.draw
        day = f"{d.randint(1950, 2023)}-{d.randint(1, 12):02}-{d.randint(1, 28):02}T{d.randint(0, 23):02}:{d.randint(0, 59):02}:{d.randint(0, 59):02}"
        return typed(day + zone, "dateTime")

    def day(self, first, last):
        d = self.draw
        return f"{d.randint(first, last):04}-{d.randint(1, 12):02}-{d.randint(1, 28):02}"

    def write(self):
        for parent, children in TREE.items():
            for child in children:
                self.say(self.kind(child), "subClassOf", self.kind(parent))
            self.say(self.kind(parent), "label", text(parent, "en"))
        for kind in ("material", "place", "organisation", "person", "object", "exhibition"):
            make = getattr(self, kind)
            for number in range(self.sizes[kind]):
                make(iri(f"{kind}/{number}"), number)
        self.sources()

    def material(self, me, number):
        self.say(me, "a", self.kind("Material"))
        self.say(me, "label", text(f"material {number}", "en"))
        if number:
            self.say(me, "broader", iri(f"material/{number // 3 if number < 200 else self.draw.randrange(number)}"))

    def place(self, me, number):
        kind = "Country" if number < 40 else "Region" if number < 300 else "City"
        self.say(me, "a", self.kind(kind))
        name = "".join(self.draw.choice(SYLLABLES) for _ in range(3)).capitalize()
        for tag in ("en", "de", "fr", "it", "nl"):
            if self.often(0.6):
                self.say(me, "label", text(name + ("" if self.often(0.5) else "a"), tag))
        if self.often(0.2):
            self.say(me, "label", text(name))
        if number >= 40:
            self.say(me, "within", iri(f"place/{number % 40 if number < 300 else 40 + number % 260}"))
        if self.often(0.8):
            population = int(10 ** self.draw.uniform(2, 7.3))
            self.say(me, "population", typed(population, "integer") if self.often(0.9) else typed(f"{population}e0", "double"))
        self.say(me, "latitude", typed(f"{self.draw.uniform(-60, 70):.4f}", "decimal"))
        self.say(me, "longitude", typed(f"{self.draw.uniform(-180, 180):.4f}", "decimal"))

    def organisation(self, me, number):
        self.say(me, "a", self.kind("Museum" if number % 3 else "Foundation"))
        self.say(me, "name", text(f"{self.draw.choice(LAST)} {'Museum' if number % 3 else 'Foundation'} {number}"))
        self.say(me, "at", self.some("place"))
        if self.often(0.3):
            self.say(me, "founded", typed(self.draw.randint(1750, 2010), "gYear"))

    def person(self, me, number):
        d = self.draw
        self.say(me, "a", self.kind("Person"))
        first, last = d.choice(FIRST), d.choice(LAST)
        self.say(me, "name", text(f"{first} {last}" + (f" {number}" if self.often(0.5) else "")))
        for tag in ("en", "de", "fr"):
            if self.often(0.25):
                self.say(me, "label", text(f"{first} {last}", tag))
        born = d.randint(1400, 1990)
        if self.often(0.9):
            self.say(me, "birth", typed(self.day(born, born), "date") if self.often(0.6) else typed(born, "gYear"))
        if self.often(0.6):
            self.say(me, "death", typed(self.day(born + 20, born + 90), "date"))
        self.say(me, "gender", text(d.choice(("female", "male", "male", "unknown"))))
        self.say(me, "bornIn", self.some("place"))
        if number and self.often(0.5):
            self.say(me, "taughtBy", iri(f"person/{d.randrange(number)}"))
        for _ in range(d.choice((0, 0, 1, 2, 3))):
            self.say(me, "influencedBy", self.some("person", 3.0))
        if self.often(0.3):
            self.say(me, "memberOf", self.some("organisation", 2.0))
        if self.often(0.4):
            self.say(me, "sameAs", f"<http://other.example/agent/{number * 17}>")

    def label(self, me):
        d = self.draw
        adjective, noun = d.choice(ADJECTIVES), d.choice(NOUNS)
        if self.often(0.85):
            self.say(me, "label", text(f"{adjective} {noun}", "en"))
        if self.often(0.5):
            self.say(me, "label", text(f"{GERMAN[noun]} {d.randint(1, 30)}", d.choice(("de", "de", "de-AT"))))
        if self.often(0.3):
            self.say(me, "label", text(f"Le {noun}", "fr"))
        if self.often(0.05):
            self.say(me, "label", text(f"{noun} (untitled)"))
        for _ in range(d.choice((0, 0, 0, 1, 2, 4))):
            self.say(me, "altLabel", text(f"{d.choice(NOUNS)} no. {d.randint(1, 9999)}", d.choice(("en", "de", "fr", None))))

    def height(self):
        d, millimetres = self.draw, self.draw.randint(50, 40_000)
        kind = d.random()
        if kind < 0.6:
            return typed(f"{millimetres / 10:.1f}", "decimal")
        if kind < 0.8:
            return typed(millimetres // 10, "integer")
        if kind < 0.9:
            return typed(f"{millimetres / 10}", "double")
        return typed(f"0{millimetres // 10}", "integer") if kind < 0.95 else text("unknown")

    def created(self):
        d, kind, year = self.draw, self.draw.random(), self.draw.randint(1400, 2000)
        if kind < 0.4:
            return typed(year, "gYear")
        if kind < 0.6:
            return typed(self.day(year, year), "date")
        return typed(year, "integer") if kind < 0.8 else text(f"c. {year}")

    def object(self, me, number):
        d = self.draw
        if self.often(0.99):
            self.say(me, "a", self.kind(d.choice(self.leaves)))
            if self.often(0.1):
                self.say(me, "a", self.kind(d.choice(self.leaves)))
        self.label(me)
        self.say(me, "inventory", text(f"INV.{d.randint(1800, 2023)}-{number:06}{d.choice('ABC')}"))
        if self.often(0.95):
            self.say(me, "created", self.created())
        if self.often(0.9):
            self.say(me, "height", self.height())
        if self.often(0.9):
            self.say(me, "width", typed(f"{d.randint(5, 4000)}.{d.randint(1, 9)}", "decimal"))
        if self.often(0.4):
            value = d.lognormvariate(9, 2)
            self.say(me, "value", typed(f"{value:.2f}", "decimal") if self.often(0.7) else typed(int(value), "integer"))
        self.say(me, "modified", self.stamp("Z"))
        if self.often(0.8):
            self.say(me, "acquired", self.stamp(d.choice(("", "Z", "+02:00"))))
        if self.often(0.7):
            self.say(me, "onDisplay", typed(d.choice(("true", "false", "false")), "boolean"))
        for _ in range(d.choice((0, 1, 1, 1, 2, 3))):
            self.say(me, "creator", self.some("person", 1.5))
        for _ in range(d.choice((1, 1, 2, 3))):
            self.say(me, "material", self.some("material", 2.0))
        for _ in range(d.choice((0, 0, 1, 2, 5))):
            self.say(me, "depicts", self.some(d.choice(("person", "place", "material")), 1.2))
        self.say(me, "heldBy", self.some("organisation", 2.0))
        if number and self.often(0.15):
            self.say(me, "partOf", iri(f"object/{d.randrange(number)}"))
        for _ in range(d.choice((0, 0, 0, 1, 2))):
            self.say(me, "relatedTo", self.some("object"))
        if self.often(0.3):
            dimension = self.node()
            self.say(me, "dimension", dimension)
            self.say(dimension, "unit", text(d.choice(("cm", "mm", "in"))))
            self.say(dimension, "amount", typed(f"{d.uniform(1, 500):.1f}", "decimal"))
        if self.often(0.1):
            self.owners(me)
        if self.often(0.2):
            self.say(me, "note", text(f"see file {d.randint(1, 5000)}\nrestored {d.randint(1900, 2020)}") if self.often(0.7) else self.some("object"))
        if self.often(0.3):
            self.say(me, "seeAlso", f"<http://images.example/{number}.jpg>")

    def owners(self, me):
        cells = [self.node() for _ in range(self.draw.randint(1, 6))]
        self.say(me, "owners", cells[0])
        for cell, rest in zip(cells, cells[1:] + [f"<{RDF}nil>"]):
            self.say(cell, "first", self.some("person"))
            self.say(cell, "rest", rest)

    def exhibition(self, me, number):
        self.say(me, "a", self.kind("Exhibition"))
        self.say(me, "label", text(f"Exhibition {number}", "en"))
        year = self.draw.randint(1980, 2023)
        self.say(me, "start", typed(f"{year}-{self.draw.randint(1, 6):02}-01", "date"))
        if self.often(0.9):
            self.say(me, "end", typed(f"{year}-{self.draw.randint(7, 12):02}-28", "date"))
        self.say(me, "at", self.some("organisation"))
        for _ in range(self.draw.randint(10, 80)):
            self.say(me, "shows", self.some("object", 1.3))

    def sources(self):
        """Graphs of twenty sources, of very different sizes, what is known about them, and who said what."""
        d = self.draw
        for number in range(20):
            graph = iri(f"source/{number}")
            self.say(graph, "publisher", self.some("organisation"))
            self.say(graph, "modified", self.stamp("Z"))
            for _ in range(self.sizes["object"] // (2 * (number + 1))):
                thing, kind = self.some("object"), d.random()
                if kind < 0.5:
                    self.say(thing, "creator", self.some("person", 1.5), graph)
                elif kind < 0.8:
                    self.say(thing, "label", text(f"{d.choice(ADJECTIVES)} {d.choice(NOUNS)}", "en"), graph)
                else:
                    self.say(thing, "height", self.height(), graph)
        for _ in range(self.sizes["object"] // 4):
            claim = self.node()
            said = f"<<( {self.some('object')} {predicate('creator')} {self.some('person', 1.5)} )>>"
            self.say(claim, "reifies", said)
            self.say(claim, "certainty", typed(f"{d.random():.2f}", "decimal"))
            self.say(claim, "statedBy", self.some("organisation"))


def file(work, scale, seed=42):
    """Writes the file unless it is there; gives its path."""
    path = work / f"catalogue-{scale:g}.nq"
    if not path.exists():
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8") as out:
            Catalogue(out, scale, seed).write()
        part.rename(path)
    return path
