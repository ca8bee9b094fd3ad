"""Trimorph through its Python module."""


class Adapter:
    def __init__(self, _name):
        import trimorph

        self.module = trimorph

    def open(self, path, threads):
        self.database = self.module.Database(path, threads=threads)
        self.connection = self.database.connect()
        return getattr(self.module, "__version__", "?")

    def run(self, text):
        return self.connection.execute(text).fetchall()

    def load_snb(self, snapshot=None, scale=None, **_other):
        if scale is None:
            self.database.load(snapshot, format="ldbc-snb")
        else:
            self.database.generate_snb(scale)
        self.database.checkpoint()
        self.connection = self.database.connect()

    def load_graph(self, nodes_csv, edges_csv, **_other):
        self.database.load(nodes_csv, edges_csv, format="neo4j-csv")
        self.database.checkpoint()
        self.connection = self.database.connect()

    def load_tables(self, csv, **_other):
        self.database.load(*csv, format="neo4j-csv")
        self.database.checkpoint()
        self.connection = self.database.connect()

    def load_parquet(self, nodes, edges):
        import pyarrow.parquet as pq

        self.database.load(nodes={label: pq.read_table(path) for label, path in nodes.items()},
                           edges={(source, kind, target): pq.read_table(path) for source, kind, target, path in edges})
        self.database.checkpoint()
        self.connection = self.database.connect()

    def load_rdf(self, file):
        self.connection.load_rdf(file)
        self.database.checkpoint()
        self.connection = self.database.connect()

    def prepare(self, text, parameters, fetch="fetchall", lang="cypher"):
        prepared = self.connection.prepare(text, lang=lang)
        return lambda: getattr(prepared.execute(parameters), fetch)()

    def prepare_with(self, text):
        prepared = self.connection.prepare(text)
        return lambda parameters: prepared.execute(parameters).fetchall()

    def close(self):
        self.database.close()
