"""The part of the Neo4j driver that the isolation suites use, over `import trimorph` in this process.

`install(engine, database)` makes `import neo4j` find it. A session is a connection, a transaction one of the
connection's; the level is asked for by the metadata of BEGIN, as over Bolt.
"""

import sys
import types


class DriverError(Exception):
    """What is wrong with the driver."""


class Neo4jError(Exception):
    """What the engine refused; `code` is the name of its class."""

    def __init__(self, error):
        super().__init__(str(error))
        self.code = type(error).__name__


class Result:
    """The rows of a query, as dictionaries."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)

    def single(self):
        return self.rows[0] if self.rows else None

    def consume(self):
        return None


class Transaction:
    """An open transaction of a connection."""

    def __init__(self, engine, connection, metadata, instead):
        self.engine, self.connection, self.is_open, self.instead = engine, connection, True, instead
        self.call(lambda: connection.begin(isolation=(metadata or {}).get("isolation")))

    def call(self, work):
        try:
            return work()
        except self.engine.Error as error:
            raise Neo4jError(error) from error

    def run(self, query, parameters=None, **more):
        parameters = {**(parameters or {}), **more}
        return self.call(lambda: Result(self.rows(query, parameters)))

    def rows(self, query, parameters):
        rows = self.instead(self.connection, query, parameters) if self.instead else None
        if rows is None:
            result = self.connection.execute(query, parameters)
            rows = [dict(zip(result.columns, row)) for row in result.fetchall()]
        return rows

    def end(self, work):
        if self.is_open:
            self.is_open = False
            self.call(work)

    def commit(self):
        self.end(self.connection.commit)

    def rollback(self):
        self.end(self.connection.rollback)

    close = rollback


class Session:
    """A connection."""

    def __init__(self, engine, connection, instead):
        self.engine, self.connection, self.instead = engine, connection, instead

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def begin_transaction(self, metadata=None):
        return Transaction(self.engine, self.connection, metadata, self.instead)

    def close(self):
        self.connection.close()


class Driver:
    """A database."""

    def __init__(self, engine, database, instead):
        self.engine, self.database, self.instead = engine, database, instead

    def session(self, **_):
        return Session(self.engine, self.database.connect(), self.instead)

    def get_server_info(self):
        return types.SimpleNamespace(agent="trimorph, in process")


def install(engine, database, instead=None):
    """From now on `import neo4j` gives a driver of `database`. `instead` runs what is to be run in another language: it gives rows, or
    None for a text that stays."""
    module, exceptions = types.ModuleType("neo4j"), types.ModuleType("neo4j.exceptions")
    exceptions.Neo4jError, exceptions.DriverError = Neo4jError, DriverError
    module.exceptions = exceptions
    module.GraphDatabase = types.SimpleNamespace(driver=lambda *_, **__: Driver(engine, database, instead))
    sys.modules["neo4j"], sys.modules["neo4j.exceptions"] = module, exceptions
