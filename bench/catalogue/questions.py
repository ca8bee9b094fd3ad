"""Reads the questions: files of SPARQL in `families/`, each question after a line `#: NAME`, or `#: NAME (count)` where any rows of that number are right."""

import dataclasses
import pathlib
import re

PREFIXES = """PREFIX : <http://museum.example/vocabulary#>
PREFIX object: <http://museum.example/object/>
PREFIX person: <http://museum.example/person/>
PREFIX place: <http://museum.example/place/>
PREFIX material: <http://museum.example/material/>
PREFIX organisation: <http://museum.example/organisation/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX dcterms: <http://purl.org/dc/terms/>
"""
HEAD = re.compile(r"^#: (\S+)( \(count\))?\n", re.MULTILINE)


@dataclasses.dataclass
class Question:
    name: str
    text: str
    count_only: bool

    @property
    def family(self):
        return self.name.split("/")[0]

    @property
    def ordered(self):
        """Whether the order of rows is part of the answer: an ORDER BY outside of all braces, which then decides it wholly."""
        return "ORDER BY" in self.text.rsplit("}", 1)[-1]


def read():
    """All questions, by file."""
    found = []
    for path in sorted((pathlib.Path(__file__).parent / "families").glob("*.rq")):
        parts = HEAD.split(path.read_text(encoding="utf-8"))[1:]
        found += [Question(f"{path.stem}/{name}", PREFIXES + text.strip(), bool(count))
                  for name, count, text in zip(parts[::3], parts[1::3], parts[2::3])]
    names = [question.name for question in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two questions are called {sorted(twice)[0]}")
    return found
