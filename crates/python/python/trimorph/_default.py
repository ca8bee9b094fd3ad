"""The database that is there without being opened: in memory, for the whole process, with a connection for each thread."""

import threading

from ._trimorph import Database

_lock, _local = threading.Lock(), threading.local()
_database = None


def default_database():
    """The database of `trimorph.cypher` and `trimorph.sparql`: in memory, made at the first call, gone with the process."""
    global _database
    with _lock:
        if _database is None or _database.closed:
            _database = Database()
        return _database


def _connection():
    database = default_database()
    if getattr(_local, "database", None) is not database:
        _local.database, _local.connection = database, database.connect()
    return _local.connection


def cypher(text, params=None, timeout=None):
    """Runs an openCypher query on the default database: `trimorph.cypher("RETURN 1 AS one").show()`."""
    return _connection().cypher(text, params, timeout)


def sparql(text, params=None, base=None, timeout=None):
    """Runs a SPARQL query or update on the default database."""
    return _connection().sparql(text, params, base, timeout)


def sql(text, params=None):
    """Runs a SQL query on the default database."""
    return _connection().sql(text, params)


def load(*paths, **options):
    """Loads files or frames into the default database, as `Database.load` does."""
    return default_database().load(*paths, **options)
