"""Ladybug and Kuzu, which share an API. A process holds only one of them."""

import importlib

import ladybug_dialect


class Adapter:
    def __init__(self, name):
        self.module = importlib.import_module(name)

    def open(self, path, threads):
        self.database = self.module.Database(path, buffer_pool_size=8 << 30)
        self.connection = self.module.Connection(self.database, num_threads=threads)
        return self.module.__version__

    def run(self, text):
        return self.connection.execute(text).get_all()

    def load_snb(self, parquet, **_other):
        for statement in ladybug_dialect.statements(parquet):
            self.run(statement)
        self.run("CHECKPOINT")

    def load_graph(self, nodes_parquet, edges_parquet, **_other):
        self.run("CREATE NODE TABLE V(id INT64, PRIMARY KEY(id))")
        self.run("CREATE REL TABLE E(FROM V TO V, ts INT64)")
        self.run(f"COPY V FROM '{nodes_parquet}'")
        self.run(f"COPY E FROM '{edges_parquet}'")
        self.run("CHECKPOINT")

    def prepare(self, text, parameters, fetch="fetchall"):
        prepared = self.connection.prepare(text, parameters)
        method = "get_all" if fetch == "fetchall" else f"get_as_{fetch}"
        return lambda: getattr(self.connection.execute(prepared, parameters), method)()

    def prepare_with(self, text):
        prepared = None

        def ask(parameters):
            nonlocal prepared
            if prepared is None:
                prepared = self.connection.prepare(text, parameters)
            return self.connection.execute(prepared, parameters).get_all()

        return ask

    def close(self):
        self.connection.close()
        self.database.close()
