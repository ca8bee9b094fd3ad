"""Oxigraph through pyoxigraph, its store in memory: there it takes less time than from its files. What it "has on disk" is the path of the RDF."""

import pathlib

import pyoxigraph


class Adapter:
    def __init__(self, _name):
        self.store = None

    def open(self, path, _threads):
        self.place = pathlib.Path(path)
        self.store = pyoxigraph.Store()
        if self.place.exists():
            self.fill(self.place.read_text(encoding="utf-8"))
        return pyoxigraph.__version__

    def fill(self, path):
        with open(path, "rb") as file:
            self.store.bulk_load(file, format=pyoxigraph.RdfFormat.from_extension(path.rsplit(".", 1)[-1]))

    def load_rdf(self, file):
        self.fill(file)
        self.place.write_text(file, encoding="utf-8")

    def prepare(self, text, _parameters, lang="sparql"):
        return lambda: self.rows(self.store.query(text))

    def rows(self, result):
        if isinstance(result, pyoxigraph.QueryBoolean):
            return [(bool(result),)]
        return [tuple(row) for row in result]

    def close(self):
        self.store = None
