"""Compares the answers of the systems to one query: the first that answers is the reference.

Order counts where the query decides it, else the rows are a multiset. Numbers are equal by value, floats to 1e-9 relative.
The rows are in the plain form of `../peers/plain.py`.
"""

import json
import math


class Agreement:
    """A check for `Race.query`: None if the rows agree with the first ones seen, else a sentence about the difference."""

    def __init__(self, ordered):
        self.ordered = ordered
        self.first = None

    def __call__(self, rows):
        if self.first is None:
            self.first = rows
            return None
        return difference(rows, self.first, self.ordered)


def counts(results):
    """Of answers with any rows of a number, those with another number than the first become wrong."""
    first = next((f["rows"] for f in results.values() if "rows" in f), None)
    for name, fields in results.items():
        if "cpu" in fields and fields["rows"] != first:
            results[name] = {"error": f"wrong: {fields['rows']} rows, expected {first}"}


def difference(rows, expected, ordered):
    if len(rows) != len(expected):
        return f"{len(rows)} rows, expected {len(expected)}; first {rows[:1]!r}, expected {expected[:1]!r}"
    if not ordered:
        inexact = float_columns(rows) | float_columns(expected)
        rows, expected = in_order(rows, inexact), in_order(expected, inexact)
    for index, (row, wanted) in enumerate(zip(rows, expected)):
        if not same(row, wanted):
            return f"row {index}: got {row!r}, expected {wanted!r}"
    return None


def float_columns(rows):
    return {index for row in rows for index, value in enumerate(row) if isinstance(value, float)}


def in_order(rows, inexact):
    """Sorted by the exact columns first, so that floats that differ in the last digits do not change the order."""

    def key(row):
        exact = [json.dumps(v, sort_keys=True) for i, v in enumerate(row) if i not in inexact]
        return exact, [(0, -math.inf) if row[i] is None else (isinstance(row[i], str), row[i]) for i in sorted(inexact)]

    return sorted(rows, key=key)


def same(actual, expected):
    if isinstance(expected, list) and isinstance(actual, list):
        return len(actual) == len(expected) and all(map(same, actual, expected))
    if isinstance(expected, dict) and isinstance(actual, dict):
        return actual.keys() == expected.keys() and all(same(actual[k], expected[k]) for k in expected)
    if isinstance(expected, bool) or isinstance(actual, bool):
        return actual is expected
    if isinstance(expected, float) or isinstance(actual, float):
        numbers = isinstance(actual, (int, float)) and isinstance(expected, (int, float))
        return numbers and (math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-12) or (actual != actual and expected != expected))
    return actual == expected
