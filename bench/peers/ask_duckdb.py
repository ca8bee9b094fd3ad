"""DuckDB through its Python module; queries are SQL."""


class Adapter:
    def __init__(self, _name):
        import duckdb

        self.module = duckdb

    def open(self, path, threads):
        self.connection = self.module.connect(path)
        self.connection.execute(f"SET threads={threads}; SET TimeZone='UTC'; SET memory_limit='8GB'")
        return self.module.__version__

    def run(self, text):
        return self.connection.execute(text).fetchall()

    def load_snb(self, schema_sql, **_other):
        self.connection.execute(schema_sql)
        self.connection.execute("CHECKPOINT")

    def load_graph(self, edges_parquet, **_other):
        self.connection.execute(f"CREATE TABLE E AS SELECT * FROM '{edges_parquet}' ORDER BY s")
        self.connection.execute("CHECKPOINT")

    def load_tables(self, schema_sql, **_other):
        self.connection.execute(schema_sql)
        self.connection.execute("CHECKPOINT")

    def load_parquet(self, nodes, edges):
        for label, path in nodes.items():
            self.connection.execute(f"CREATE TABLE {label} AS FROM '{path}'")
            self.connection.execute(f"ALTER TABLE {label} ADD PRIMARY KEY (id)")
        for _, kind, _, path in edges:
            self.connection.execute(f"CREATE TABLE {kind} AS FROM '{path}'")
        self.connection.execute("CHECKPOINT")

    def prepare(self, text, parameters, fetch="fetchall"):
        method = {"arrow": "to_arrow_table"}.get(fetch, fetch)
        if fetch in ("arrow", "pl"):  # a connection that has executed makes an extra copy, or has no such method
            return lambda: getattr(self.connection.sql(text, params=parameters or None), method)()
        return lambda: getattr(self.connection.execute(text, parameters or None), method)()

    def prepare_with(self, text):
        return lambda parameters: self.connection.execute(text, parameters).fetchall()

    def close(self):
        self.connection.close()
