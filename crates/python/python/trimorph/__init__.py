"""Trimorph: one graph, three forms. An embeddable, in-memory-first graph database.

    import trimorph
    db = trimorph.Database("social.tm")                 # or trimorph.Database() in memory
    db.load("social_network/", format="ldbc-snb")
    conn = db.connect()
    for name, friends in conn.execute("MATCH (p:Person)-[:KNOWS]->(q) RETURN p.firstName, count(q)"):
        ...
"""

from ._trimorph import (
    Cancelled,
    Connection,
    Database,
    Date,
    DateTime,
    Duration,
    Error,
    IRI,
    Literal,
    LoadError,
    LoadProgress,
    LoadReport,
    LocalDateTime,
    LocalTime,
    MemoryLimitExceeded,
    Node,
    Notice,
    Path,
    Prepared,
    QueryError,
    QueryResult,
    QueryStats,
    Relationship,
    SpillError,
    StorageError,
    Time,
    Transaction,
    TransactionConflict,
    __version__,
    connect,
    format_literal,
    format_value,
)

__all__ = [
    "Cancelled",
    "Connection",
    "Database",
    "Date",
    "DateTime",
    "Duration",
    "Error",
    "IRI",
    "Literal",
    "LoadError",
    "LoadProgress",
    "LoadReport",
    "LocalDateTime",
    "LocalTime",
    "MemoryLimitExceeded",
    "Node",
    "Notice",
    "Path",
    "Prepared",
    "QueryError",
    "QueryResult",
    "QueryStats",
    "Relationship",
    "SpillError",
    "StorageError",
    "Time",
    "Transaction",
    "TransactionConflict",
    "__version__",
    "connect",
    "format_literal",
    "format_value",
]
