"""Reads the shared parameters and answers of SNB BI; typed parameters in, exact comparison out.

Used by `check.py` (ours), `check_peers.py` (DuckDB's SQL and, rewritten, Ladybug) and `../run.py`.
"""

import datetime as dt
import decimal
import json
import math
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
DATA = REPOSITORY.parent / "shared" / "data" / "snb-sf0.1"
SNAPSHOT = DATA / "composite-merged-fk" / "initial_snapshot"
# In the order people read them. 15, 19 and 20 need weighted shortest paths and come later.
QUERIES = [str(n) for n in range(1, 15)] + ["16", "17", "18"]
UTC = dt.timezone.utc


def query_of(variant):
    """`8b` -> `8`: all variants of a query share one text."""
    return variant.rstrip("ab")


def typed(parameters):
    """`{"date:DATE": "2010-07-09"}` -> `{"date": datetime.date(2010, 7, 9)}`."""
    result = {}
    for key, text in parameters.items():
        name, kind = key.split(":")
        match kind:
            case "ID" | "INT" | "LONG":
                value = int(text)
            case "DATE":
                value = dt.date.fromisoformat(text)
            case "DATETIME":
                value = dt.datetime.fromisoformat(text)
            case "STRING":
                value = text
            case "STRING[]":
                value = text.split(";")
            case _:
                raise ValueError(f"parameter {key!r}: unknown type")
        result[name] = value
    return result


def cases(queries=None, per_variant=None):
    """Yields (variant, parameters, expected rows); the rows' shape is the answer file's."""
    counts = {}
    for name in ("answers-bi.jsonl", "answers-bi-extra.jsonl"):
        with open(DATA / name, encoding="utf-8") as lines:
            for line in lines:
                case = json.loads(line)
                variant = case["q"]
                if query_of(variant) not in QUERIES or (queries and query_of(variant) not in queries):
                    continue
                key = (name, variant)
                counts[key] = counts.get(key, 0) + 1
                if per_variant and counts[key] > per_variant:
                    continue
                yield variant, typed(case["params"]), case["rows"]


def normal(value):
    """Instants of every kind become aware UTC datetimes, whole decimals ints, tuples lists."""
    if hasattr(value, "to_native"):
        value = value.to_native()
    if isinstance(value, decimal.Decimal) and value == int(value):
        return int(value)
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, (list, tuple)):
        return [normal(v) for v in value]
    return value


def expect(value):
    """The answer file writes instants as text such as `2010-11-04 00:45:44.931000+00:00`."""
    if isinstance(value, str) and len(value) >= 25 and value[4] == "-" and value[10] == " " and value.endswith("+00:00"):
        return dt.datetime.fromisoformat(value)
    return value


def single(value):
    """The nearest 32-bit float."""
    return struct.unpack("f", struct.pack("f", value))[0]


def same(actual, expected):
    """Exact, but floats to 1e-9 relative; a float never equals an int and a bool never a number.

    BI 13's scores were computed in 32-bit floats: an expected value that is exactly a 32-bit float also equals what rounds to it.
    """
    if isinstance(expected, float):
        if not isinstance(actual, float):
            return False
        return math.isclose(actual, expected, rel_tol=1e-9, abs_tol=0.0) or single(actual) == expected
    if isinstance(expected, list):
        return isinstance(actual, list) and len(actual) == len(expected) and all(map(same, actual, expected))
    return type(actual) is type(expected) and actual == expected


def difference(rows, expected):
    """None if the rows agree in value and order, else a sentence about the first difference."""
    rows = [normal(list(row)) for row in rows]
    expected = [[expect(v) for v in row] for row in expected]
    for index, (row, wanted) in enumerate(zip(rows, expected)):
        if not same(row, wanted):
            return f"row {index}: got {row!r}, expected {wanted!r}"
    if len(rows) != len(expected):
        return f"{len(rows)} rows, expected {len(expected)}"
    return None


def text(query):
    """Our openCypher text of a query."""
    return (HERE / f"bi-{query}.cypher").read_text(encoding="utf-8")


def sql(query):
    """DuckDB's text of a query."""
    return (HERE / "duckdb" / f"bi-{query}.sql").read_text(encoding="utf-8")


def difference_in_json(rows, expected):
    """`difference` for rows that travelled as JSON, where instants and decimals became text."""
    return difference([[from_json(v, w) for v, w in zip(row, wanted)] if len(row) == len(wanted) else row
                       for row, wanted in zip(rows, expected)] + rows[len(expected):], expected)


def from_json(value, wanted):
    """The value that JSON turned into text, judged by the value expected there."""
    if isinstance(value, str) and isinstance(expect(wanted), dt.datetime):
        return dt.datetime.fromisoformat(value)
    if isinstance(value, str) and isinstance(wanted, int):
        return decimal.Decimal(value)
    return value
