"""Trimorph: one graph, three forms. An embeddable, in-memory-first graph database.

    >>> import trimorph
    >>> db = trimorph.Database()                        # or trimorph.Database("social.tm"), which stays
    >>> db.load(
    ...     nodes={"Person": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]},
    ...     edges={("Person", "KNOWS", "Person"): [{"source": 1, "target": 2}]},
    ... ).relationships
    1
    >>> conn = db.connect()
    >>> for name, friend in conn.execute("MATCH (p:Person)-[:KNOWS]->(q) RETURN p.name, q.name"):
    ...     print(name, "knows", friend)
    Ann knows Bob

Files are loaded by ``db.load("people.csv", "friends.csv")``; frames of pandas, Polars and Arrow as above.
"""

from ._dbapi import (
    BINARY,
    Binary,
    DATETIME,
    DateFromTicks,
    NUMBER,
    ROWID,
    STRING,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    Warning,  # noqa: A004
    apilevel,
    paramstyle,
    threadsafety,
)
from ._default import cypher, default_database, load, sparql, sql
from ._trimorph import (
    BlankNode,
    Cancelled,
    Connection,
    DataError,
    Database,
    DatabaseError,
    Date,
    DateTime,
    Duration,
    Error,
    IRI,
    IntegrityError,
    InterfaceError,
    InternalError,
    Literal,
    LoadError,
    LoadProgress,
    LoadReport,
    LocalDateTime,
    LocalTime,
    MemoryLimitExceeded,
    Node,
    NotSupportedError,
    Notice,
    OperationalError,
    Path,
    Prepared,
    ProgrammingError,
    QueryError,
    QueryResult,
    QueryStats,
    Relationship,
    SpillError,
    StorageError,
    Time,
    Timeout,
    Transaction,
    TransactionConflict,
    __version__,
    connect,
    format_literal,
    format_value,
    guess_mapping,
)

__all__ = [
    "AsyncConnection",
    "BINARY",
    "Binary",
    "BlankNode",
    "Cancelled",
    "Connection",
    "DATETIME",
    "DataError",
    "Database",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "DateTime",
    "Duration",
    "Error",
    "IRI",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "Literal",
    "LoadError",
    "LoadProgress",
    "LoadReport",
    "LocalDateTime",
    "LocalTime",
    "MemoryLimitExceeded",
    "NUMBER",
    "Node",
    "NotSupportedError",
    "Notice",
    "OperationalError",
    "Path",
    "Prepared",
    "ProgrammingError",
    "QueryError",
    "QueryResult",
    "QueryStats",
    "ROWID",
    "Relationship",
    "STRING",
    "SpillError",
    "StorageError",
    "Time",
    "TimeFromTicks",
    "Timeout",
    "Timestamp",
    "TimestampFromTicks",
    "Transaction",
    "TransactionConflict",
    "__version__",
    "apilevel",
    "connect",
    "cypher",
    "default_database",
    "format_literal",
    "format_value",
    "from_networkx",
    "from_scipy",
    "guess_mapping",
    "load",
    "paramstyle",
    "sparql",
    "sql",
    "threadsafety",
]

# Imported when they are asked for: what they need takes longer to import than all the rest.
_LATER = {"AsyncConnection": "_async", "from_networkx": "_networkx", "from_scipy": "_matrices"}


def __getattr__(name):
    if name in _LATER:
        import importlib

        found = getattr(importlib.import_module("." + _LATER[name], __name__), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_LATER})
