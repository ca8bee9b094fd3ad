"""What is in a file of N-Triples or N-Quads: takes its lines, gives classes, predicates between them, how many, and terms of each.

Questions are drawn from it, so that they find something. Samples are the same each time for one file.
"""

import collections
import random
import re

TERM = r'<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?'
LINE = re.compile(rf"({TERM}) (<[^>]*>) (<<\(.*\)>>|{TERM}) (?:({TERM}) )?\.")
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TYPE, REIFIES = f"<{RDF}type>", f"<{RDF}reifies>"
XSD = "http://www.w3.org/2001/XMLSchema#"
# Terms that are kept of each predicate.
SAMPLES = 60


def kind(term):
    """`iri`, `blank`, `triple`, `@` and a language, or the datatype's name (the whole IRI, if it is not one of XSD's)."""
    if term.startswith("<<("):
        return "triple"
    if term[0] != '"':
        return "iri" if term[0] == "<" else "blank"
    tail = term[term.rindex('"') + 1 :]
    if tail.startswith("@"):
        return tail.lower()
    return tail[3:-1].removeprefix(XSD) if tail else "string"


class Predicate:
    """One predicate in the default graph, or in all named ones."""

    def __init__(self, name):
        self.name, self.count, self.samples = name, 0, []
        self.subjects, self.objects = set(), set()
        # How many by class of the subject, by class of the object, by kind of the object.
        self.sources, self.targets, self.kinds = collections.Counter(), collections.Counter(), collections.Counter()

    def take(self, draw, subject, value, classes):
        self.count += 1
        self.subjects.add(hash(subject))
        self.objects.add(hash(value))
        self.sources.update(classes.get(subject, ("",)))
        self.kinds[kind(value)] += 1
        if value[0] != '"':
            self.targets.update(classes.get(value, ("",)))
        if len(self.samples) < SAMPLES:
            self.samples.append((subject, value))
        elif draw.random() * self.count < SAMPLES:
            self.samples[draw.randrange(SAMPLES)] = (subject, value)

    def fan(self, forwards):
        return self.count / max(len(self.subjects if forwards else self.objects), 1)

    @property
    def leads(self):
        """Whether most of its objects are no literals."""
        return 2 * (self.kinds["iri"] + self.kinds["blank"]) > self.count


class Known:
    def __init__(self, path):
        draw, typed = random.Random(0), {}
        self.classes, self.predicates, self.graphs, self.in_graphs = collections.Counter(), {}, collections.Counter(), {}
        for subject, predicate, value, graph in statements(path):
            if predicate == TYPE and not graph:
                typed.setdefault(subject, []).append(value)
                self.classes[value] += 1
        for subject, predicate, value, graph in statements(path):
            of = self.in_graphs if graph else self.predicates
            self.graphs.update([graph] if graph else [])
            if predicate != TYPE:
                of.setdefault(predicate, Predicate(predicate)).take(draw, subject, value, typed)
        if not self.classes or any(p.sources[""] > 100 for p in self.predicates.values()):
            self.classes[""] = sum(p.sources[""] for p in self.predicates.values())

    def steps(self, of_class):
        """The predicates from and to nodes of a class, as (predicate, forwards)."""
        found = [(p, True) for p in self.predicates.values() if p.sources[of_class]]
        return found + [(p, False) for p in self.predicates.values() if p.targets[of_class]]


def statements(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = LINE.match(line)
            if found:
                yield found.groups()
