"""An update in SPARQL: takes a draw and what is known of the data, gives a text of every form that the standard has.

Terms and patterns are those of the data, so that something is found, or new. No blank nodes are made in two places that would need a
comparison of graphs: they are compared as if all were one.
"""

from .known import TYPE
from .question import PREFIXES

NEW = ("<http://new/a>", "<http://new/b>", "<http://new/c>")
LITERALS = ('"new"', '"new"@en', "7", "7.5", "true", '"2020-01-01"^^xsd:date', '"2020-01-01T10:00:00Z"^^xsd:dateTime', '"01"^^<http://new/type>', '""')


class Update:
    def __init__(self, draw, known):
        self.draw, self.known = draw, known
        self.graphs = sorted(known.graphs)[:4] + ["<http://new/g>", "<http://new/h>"]

    def predicate(self):
        return self.draw.choice(list(self.known.predicates.values()))

    def named(self, term):
        return not term.startswith(("_:", "<<("))

    def statement(self, there=0.5):
        """One that is there, or of terms that are there, or new."""
        draw, predicate = self.draw, self.predicate()
        pairs = [pair for pair in predicate.samples if self.named(pair[0]) and self.named(pair[1])]
        if not pairs or draw.random() < 0.1:
            return draw.choice(NEW), draw.choice([predicate.name, "<http://new/p>"]), draw.choice([*LITERALS, *NEW])
        subject, value = draw.choice(pairs)
        if draw.random() > there:
            other = draw.random()
            subject = draw.choice([*NEW, draw.choice(pairs)[0]]) if other < 0.5 else subject
            value = draw.choice([*LITERALS, *NEW, draw.choice(pairs)[1]]) if other > 0.4 else value
        if draw.random() < 0.1 and self.known.classes:
            return subject, TYPE, draw.choice([c for c in sorted(self.known.classes) if c] or ["<http://new/Class>"])
        return subject, predicate.name, value

    def data(self, there):
        parts = []
        for _ in range(self.draw.choice([1, 2, 5])):
            text = " ".join(self.statement(there)) + " ."
            parts.append(f"GRAPH {self.draw.choice(self.graphs)} {{ {text} }}" if self.draw.random() < 0.25 else text)
        return " ".join(parts)

    def insert_data(self):
        return f"INSERT DATA {{ {self.data(0.3)} }}"

    def delete_data(self):
        return f"DELETE DATA {{ {self.data(0.8)} }}"

    def pattern(self):
        """A pattern of one or two statements, with the variables ?s, ?o and perhaps ?v."""
        draw, predicate = self.draw, self.predicate()
        subject, value = draw.choice(predicate.samples)
        s = subject if draw.random() < 0.3 and self.named(subject) else "?s"
        o = value if draw.random() < 0.2 and s == "?s" and self.named(value) else "?o"
        first = f"{s} {predicate.name} {o} ."
        more = [p for p in self.known.predicates.values() if p.subjects & predicate.subjects and p is not predicate]
        if more and draw.random() < 0.5:
            first += f" {s} {draw.choice(more).name} ?v ."
        return first

    def delete_where(self):
        pattern = self.pattern()
        if self.draw.random() < 0.2:
            pattern += f" GRAPH {self.draw.choice(self.graphs + ['?g'])} {{ ?s {self.predicate().name} ?w }}"
        return f"DELETE WHERE {{ {pattern} }}"

    def modify(self):
        draw, pattern = self.draw, self.pattern()
        seen = [v for v in ("?s", "?o", "?v") if v in pattern]
        subject = "?s" if "?s" in seen else pattern.split(" ")[0]
        value = draw.choice(seen or ["?o"])
        deleted = draw.choice([pattern, f"{subject} {self.predicate().name} {value} .", pattern.split(" . ")[0].rstrip(" .") + " ."])
        made = draw.choice([f"{subject} <http://new/p> {value} .", f"{subject} {self.predicate().name} {value} .", f"{subject} a <http://new/Class> .",
                            f"{subject} <http://new/n> ?n .", f"[] <http://new/of> {subject} .", f"{subject} {self.predicate().name} \"x\", \"y\"@de .",
                            f"{value} <http://new/back> {subject} ."])
        if draw.random() < 0.25:
            made = f"GRAPH {draw.choice(self.graphs)} {{ {made} }}"
        where = pattern + draw.choice(["", "", f" OPTIONAL {{ {subject} {self.predicate().name} ?x }} FILTER(!BOUND(?x))", f" BIND(STRLEN(STR({value})) AS ?n)",
                                       f' FILTER(STRLEN(STR({value})) > 8)', f" MINUS {{ {subject} {self.predicate().name} ?x }}",
                                       f" FILTER EXISTS {{ {subject} ?p ?x FILTER(isIRI(?x)) }}"])
        heads = draw.choice([f"DELETE {{ {deleted} }} INSERT {{ {made} }}", f"INSERT {{ {made} }}", f"DELETE {{ {deleted} }}"])
        graph = draw.choice(self.graphs)
        given, using = draw.choice([("", "")] * 6 + [(f"WITH {graph} ", ""), ("", f" USING {graph}"), ("", f" USING NAMED {graph}")])
        return f"{given}{heads}{using} WHERE {{ {where} }}"

    def of_graphs(self):
        draw = self.draw
        a, b = f"GRAPH {draw.choice(self.graphs)}", draw.choice([f"GRAPH {draw.choice(self.graphs)}", "DEFAULT"])
        if draw.random() < 0.3:
            a, b = b, a
        return draw.choice([
            f"CLEAR SILENT {draw.choice([a, b, 'NAMED'])}", f"DROP SILENT {draw.choice([a, b, 'NAMED'])}", f"COPY SILENT {bare(a)} TO {bare(b)}",
            f"MOVE SILENT {bare(a)} TO {bare(b)}", f"ADD SILENT {bare(a)} TO {bare(b)}", f"CREATE SILENT GRAPH {draw.choice(self.graphs)}",
            f"INSERT {{ {a if a != 'DEFAULT' else 'GRAPH <http://new/g>'} {{ ?s ?p ?o }} }} WHERE {{ ?s ?p ?o FILTER(?o = {draw.choice(LITERALS[:5])}) }}",
        ])

    def text(self):
        draw = self.draw
        forms = [self.insert_data, self.delete_data, self.delete_where, self.modify, self.modify, self.modify, self.of_graphs]
        return PREFIXES + " ;\n".join(draw.choice(forms)() for _ in range(draw.choice([1, 1, 1, 2, 3])))


def bare(graph):
    """`COPY` and its like take a graph's name, `CLEAR` has a word before it."""
    return graph.removeprefix("GRAPH ")


def update(draw, known):
    return Update(draw, known).text()
