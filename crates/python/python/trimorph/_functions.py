"""Functions of Python in, what the engine is told about them out; arrays on their way in and out."""

from __future__ import annotations

import datetime
import decimal
import inspect
import types
import typing

# What names of types in other systems are here.
_ALIASES = {
    "BOOL": "BOOLEAN",
    "LOGICAL": "BOOLEAN",
    **dict.fromkeys(
        ["BIGINT", "INT", "INT8", "INT16", "INT32", "INT64", "SMALLINT", "TINYINT", "UINT8", "UINT16", "UINT32", "LONG"],
        "INTEGER",
    ),
    **dict.fromkeys(["DOUBLE", "FLOAT32", "FLOAT64", "REAL"], "FLOAT"),
    **dict.fromkeys(["VARCHAR", "TEXT", "STR", "UTF8", "LARGE_STRING", "CHAR"], "STRING"),
    "TIMESTAMP": "LOCALDATETIME",
    "INTERVAL": "DURATION",
    "OBJECT": "ANY",
    "DATE32[DAY]": "DATE",
}

_TYPES = {
    bool: "BOOLEAN",
    int: "INTEGER",
    float: "FLOAT",
    str: "STRING",
    decimal.Decimal: "DECIMAL",
    datetime.date: "DATE",
    datetime.timedelta: "DURATION",
    dict: "MAP",
    list: "LIST",
}


def _type_of(given: typing.Any) -> str | None:
    """The engine's name of a type; None for one that it does not know."""
    if isinstance(given, str):
        name = given.strip().upper()
        return _ALIASES.get(name, name)
    if given in _TYPES:
        return _TYPES[given]
    origin, within = typing.get_origin(given), typing.get_args(given)
    if origin is list and within:
        item = _type_of(within[0])
        return f"LIST<{item}?>" if item else "LIST"
    if origin is dict:
        return "MAP"
    if origin is typing.Union or isinstance(given, types.UnionType):
        some = [one for one in within if one is not type(None)]
        return _type_of(some[0]) if len(some) == 1 else None
    if type(given).__module__.startswith(("pyarrow", "duckdb")):
        return _type_of(str(given))
    return None


def _named(given: typing.Any, what: str) -> str:
    name = "ANY" if given in (typing.Any, object, None) else _type_of(given)
    if name is None:
        raise TypeError(f"{what} is a type such as int, str, list[float] or 'INTEGER', not {given!r}")
    return name


def described(
    function: typing.Any, parameters: typing.Any, return_type: typing.Any
) -> tuple[list[str] | None, tuple[int, int], str | None]:
    """Types of parameters, or else how many there are, and the type of what a function returns."""
    if not callable(function):
        raise TypeError(f"a function is something that can be called, not {type(function).__name__}")
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        hints = getattr(function, "__annotations__", {})
    returns = None if return_type is None else _named(return_type, "return_type")
    if returns is None and "return" in hints:
        returns = _type_of(hints["return"])
    if parameters is not None:
        if isinstance(parameters, (str, type)):
            raise TypeError("parameters is a list of types, one for each")
        return [_named(one, f"parameter {at}") for at, one in enumerate(parameters, 1)], (0, 0), returns
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None, (0, 2**32), returns
    least = most = 0
    for one in found:
        if one.kind is one.VAR_POSITIONAL:
            most = 2**32
        elif one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD):
            most += 1
            least += one.default is one.empty
        elif one.kind is one.KEYWORD_ONLY and one.default is one.empty:
            raise TypeError(f"parameter {one.name!r} can be given by keyword only, which a query does not do")
    if least == most and most < 2**32:
        return [_type_of(hints.get(one.name)) or "ANY" for one in found[:most]], (0, 0), returns
    return None, (least, most), returns


def to_array(column: typing.Any) -> typing.Any:
    import pyarrow

    return pyarrow.array(column)


def as_array(answer: typing.Any, rows: int) -> typing.Any:
    """What a function over arrays returned, as one array."""
    import pyarrow

    if not isinstance(answer, (pyarrow.Array, pyarrow.ChunkedArray)):
        if isinstance(answer, (str, bytes)) or not hasattr(answer, "__len__"):
            raise TypeError(f"a function over arrays returns an array of {rows} values, not {type(answer).__name__}")
        has_stream = hasattr(answer, "__arrow_c_stream__") and not hasattr(answer, "__arrow_c_array__")
        answer = pyarrow.chunked_array(answer) if has_stream else pyarrow.array(answer)
    if isinstance(answer, pyarrow.ChunkedArray):
        answer = pyarrow.concat_arrays(answer.chunks) if answer.num_chunks else pyarrow.array([], answer.type)
    if len(answer) != rows:
        raise ValueError(f"it returned {len(answer)} values for {rows} rows")
    return answer
