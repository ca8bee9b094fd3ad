"""DB-API 2.0 (PEP 249) over a connection: `conn.cursor()`, and what the module has to say about it.

Parameters are a dict for `$name`, or a sequence for `?`. Statements are committed one by one unless a transaction was begun.
"""

import collections.abc
import datetime
import decimal
import time

from ._trimorph import Date, DateTime, Duration, InterfaceError, LocalDateTime, LocalTime, ProgrammingError, Time

apilevel = "2.0"
threadsafety = 1  # threads may share the module, and have a connection each
paramstyle = "qmark"


class Warning(Exception):  # noqa: A001
    """What DB-API 2.0 wants to have; never raised."""


class _Kind(frozenset):
    """A type object of DB-API 2.0: equal to each type that it stands for."""

    def __eq__(self, other):
        return other in self if isinstance(other, type) else frozenset.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = frozenset.__hash__


STRING = _Kind({str})
BINARY = _Kind({bytes})
NUMBER = _Kind({int, float, decimal.Decimal, bool})
DATETIME = _Kind({datetime.date, datetime.time, datetime.datetime, Date, Time, LocalTime, LocalDateTime, DateTime, Duration})
ROWID = _Kind()

Binary = bytes
Timestamp = datetime.datetime


def DateFromTicks(ticks):  # noqa: N802
    return datetime.date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks):  # noqa: N802
    return datetime.time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks):  # noqa: N802
    return datetime.datetime(*time.localtime(ticks)[:6])


_CODES = {
    "BOOLEAN": bool,
    "INTEGER": int,
    "FLOAT": float,
    "DECIMAL": decimal.Decimal,
    "STRING": str,
    "BYTES": bytes,
    "DATE": datetime.date,
    "LOCAL TIME": datetime.time,
    "LOCAL DATETIME": datetime.datetime,
}


def _type_code(name):
    return _CODES.get(name, list if name.startswith("LIST") else dict if name.startswith(("MAP", "STRUCT")) else None)


_CLOSERS = {"'": "'", '"': '"', "`": "`"}


def _named(text, given):
    """The text with `$p0`, `$p1`, … where it had `?` outside of strings, names in backticks and comments."""
    out, at, count, end = [], 0, 0, len(text)
    while at < end:
        char = text[at]
        if char in _CLOSERS:
            stop = at + 1
            while stop < end and text[stop] != char:
                stop += 2 if text[stop] == "\\" and char != "`" else 1
            stop += 1
        elif text.startswith("//", at):
            stop = text.find("\n", at)
            stop = end if stop < 0 else stop
        elif text.startswith("/*", at):
            stop = text.find("*/", at + 2)
            stop = end if stop < 0 else stop + 2
        elif char == "?":
            out.append(f"$`?{count}`")
            count, at = count + 1, at + 1
            continue
        else:
            stop = at + 1
        out.append(text[at:stop])
        at = stop
    if count != len(given):
        raise ProgrammingError(f"the query has {count} places for parameters (?), and {len(given)} values were given")
    return "".join(out), {f"?{i}": value for i, value in enumerate(given)}


def _placed(text, given):
    """The same for values of any kind, of which only sequences have a place each."""
    if isinstance(given, (str, bytes)) or not isinstance(given, collections.abc.Sequence):
        raise ProgrammingError(f"parameters are a dict for $name or a sequence for ?, not {type(given).__name__}")
    return _named(text, given)


def each(connection, run, seq_of_parameters):
    """Runs with each of the parameters; all of them or none, unless a transaction was begun before."""
    if isinstance(seq_of_parameters, (str, bytes, collections.abc.Mapping)):
        raise ProgrammingError(f"parameters are a sequence with those of each run, not {type(seq_of_parameters).__name__}")
    begun = not connection.in_transaction
    if begun:
        connection.begin()
    try:
        for parameters in seq_of_parameters:
            run(parameters)
        if begun:
            connection.commit()
    except BaseException:
        if begun and connection.in_transaction:
            connection.rollback()
        raise


def execute_many(connection, text, seq_of_parameters):
    """`executemany` of a connection."""

    def run(parameters):
        given = text
        if not isinstance(parameters, collections.abc.Mapping):
            given, parameters = _placed(text, parameters)
        connection.execute(given, parameters)

    each(connection, run, seq_of_parameters)


class Cursor:
    """Rows of one query after the other, as DB-API 2.0 has it."""

    def __init__(self, connection, lang="cypher"):
        self.connection = connection
        self.arraysize = 1
        self.lastrowid = None
        self._lang, self._result, self._description, self._closed = lang, None, None, False

    @property
    def description(self):
        """A tuple for each column: its name, its type where that is known, and None five times; None without columns."""
        return self._description

    @property
    def rowcount(self):
        """-1: rows are computed as they are fetched."""
        return -1

    def execute(self, operation, parameters=None):
        """Runs a query; gives the cursor, which has its rows."""
        self._open()
        self._result = self._description = None
        if parameters is not None and not isinstance(parameters, collections.abc.Mapping):
            operation, parameters = _placed(operation, parameters)
        result = self.connection.execute(operation, parameters or None, self._lang)
        self._result = result
        if result.columns:
            codes = map(_type_code, result.types)
            columns = zip(result.columns, codes, strict=True)
            self._description = [(name, code, None, None, None, None, None) for name, code in columns]
        return self

    def executemany(self, operation, seq_of_parameters):
        """Runs a query with each of the parameters; all of them or none, unless a transaction was begun before."""
        self._open()
        each(self.connection, lambda parameters: self.execute(operation, parameters), seq_of_parameters)
        self._result = self._description = None
        return self

    def fetchone(self):
        return self._rows().fetchone()

    def fetchmany(self, size=None):
        return self._rows().fetchmany(self.arraysize if size is None else size)

    def fetchall(self):
        return self._rows()._rest()

    def fetch_arrow_table(self):
        """The rows that were not fetched yet as a pyarrow.Table."""
        return self._rows().arrow()

    def df(self):
        """The same as a pandas.DataFrame."""
        return self._rows().df()

    def pl(self):
        """The same as a polars.DataFrame."""
        return self._rows().pl()

    def __iter__(self):
        return self

    def __next__(self):
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def close(self):
        self._closed, self._result, self._description = True, None, None

    def setinputsizes(self, sizes):
        """Nothing: values say what they are."""

    def setoutputsize(self, size, column=None):
        """Nothing: values come whole."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _open(self):
        if self._closed:
            raise InterfaceError("the cursor is closed")

    def _rows(self):
        self._open()
        if self._result is None or self._description is None:
            raise InterfaceError("there are no rows to fetch: no query was executed, or it has no columns")
        return self._result
