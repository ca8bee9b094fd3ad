"""What objects of other libraries stand for as parameters. The extension module asks for those that it does not know itself.

Nothing is imported here that an object was not made by.
"""

import collections
import collections.abc
import dataclasses
import os
import sys

from ._frames import _is_of, _objects, _of_pandas, arrow_of_pandas, of_polars, series_of
from ._present import _instant, _length


def plain(value):
    """("rows", frame) and ("column", frame of one column) of the Arrow PyCapsule protocol, ("plain", object), or None."""
    if isinstance(value, (collections.abc.Set, range, collections.deque, collections.abc.ValuesView)) or _is_of(value, "array", "array"):
        return "plain", list(value)
    if isinstance(value, os.PathLike):
        return "plain", os.fsdecode(value)
    if isinstance(value, collections.abc.Mapping):
        return "plain", dict(value)
    for module, of in (("pandas", _of_pandas_object), ("numpy", _of_numpy), ("polars", _of_polars), ("pyarrow", _of_pyarrow)):
        found = of(value, module)
        if found is not None:
            return found
    if hasattr(value, "__arrow_c_stream__"):
        return "rows", value
    if hasattr(value, "__array__") and hasattr(value, "tolist"):
        return "plain", value.tolist()
    return None


def _of_pandas_object(value, module):
    pandas = sys.modules.get(module)
    if pandas is None:
        return None
    if value is getattr(pandas, "NA", pandas) or value is getattr(pandas, "NaT", pandas):
        return "plain", None
    if _is_of(value, module, "DataFrame"):
        return _rows(_of_pandas(value, "frame")[0])
    value = series_of(value)
    if not _is_of(value, module, "Series"):
        return None
    try:
        import pyarrow
    except ImportError:
        return "plain", _objects(value)
    array = arrow_of_pandas(value)
    return ("plain", _objects(value)) if array is None else ("column", pyarrow.table([array], names=["x"]))


def list_of_numpy(array):
    """What an array has, as objects that the extension module takes."""
    found = _of_numpy(array, "numpy")
    return array.tolist() if found is None else found[1]


def _of_numpy(value, module):
    """What numpy's own `tolist` does not give as what it is."""
    if not (_is_of(value, module, "ndarray") or _is_of(value, module, "generic")):
        return None
    kind = value.dtype.kind
    if kind == "S":
        return "plain", value.tolist()
    if value.dtype.names:
        # Records: a map for each, of its fields by their names.
        return "plain", list(value) if value.ndim else {name: value[name] for name in value.dtype.names}
    if kind == "f" and value.dtype.itemsize > 8:
        # Python has no such numbers, and numpy gives itself.
        return "plain", value.astype("float64").tolist()
    if kind not in "mM":
        return None
    import numpy

    unit = numpy.datetime_data(value.dtype)[0]
    if kind == "m" and unit in "YM":
        return "plain", _each(value.astype("timedelta64[M]"), _months)
    if unit not in ("ns", "ps", "fs", "as"):
        # Python's own dates, times and lengths of time; numpy gives None for NaT, and integers where Python has none.
        native = value.tolist()
        if not _has_int(native):
            return "plain", native
    if kind == "M":
        return "plain", _each(value.astype("datetime64[ns]"), lambda n: _instant(n, 1_000_000_000, False))
    return "plain", _each(value.astype("timedelta64[ns]"), _length)


def _has_int(native):
    if isinstance(native, list):
        return any(map(_has_int, native))
    return isinstance(native, int)


def _each(value, make):
    """Integers as what they count, in lists as deep as the array."""
    import numpy

    def walk(numbers, missing):
        if isinstance(numbers, list):
            return [walk(*pair) for pair in zip(numbers, missing, strict=True)]
        return None if missing else make(numbers)

    return walk(value.astype("int64").tolist(), numpy.isnat(value).tolist())


def _months(count):
    from . import Duration

    return Duration(months=count)


def _of_polars(value, module):
    if _is_of(value, module, "LazyFrame"):
        value = value.collect()
    if _is_of(value, module, "DataFrame"):
        return _rows(of_polars(value)[0])
    if _is_of(value, module, "Series"):
        data, _ = of_polars(value.to_frame("x"))
        return ("plain", data["x"]) if isinstance(data, dict) else ("column", data)
    return None


def _rows(data):
    if not isinstance(data, dict):
        return "rows", data
    names = list(data)
    return "plain", [dict(zip(names, row, strict=True)) for row in zip(*data.values(), strict=True)]


def _of_pyarrow(value, module):
    if _is_of(value, module, "Scalar"):
        return "plain", value.as_py()
    if _is_of(value, module, "Array") or _is_of(value, module, "ChunkedArray"):
        import pyarrow

        return "column", pyarrow.table([value], names=["x"])
    if _is_of(value, module, "RecordBatch"):
        return "rows", value
    return None


def instead(value):
    """What to give in place of a value that is none."""
    if isinstance(value, collections.abc.Iterator):
        return "give list(x)"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return "give dataclasses.asdict(x)"
    if hasattr(value, "__attrs_attrs__"):
        return "give attrs.asdict(x)"
    if hasattr(value, "model_dump"):
        return "give x.model_dump()"
    for module, name, hint in (
        ("enum", "Enum", "give x.value or x.name"),
        ("fractions", "Fraction", "give float(x), or decimal.Decimal(x.numerator) / x.denominator"),
        ("builtins", "complex", "give [x.real, x.imag]"),
        ("pandas", "Period", "give str(x), or x.start_time"),
        ("pandas", "Interval", "give [x.left, x.right]"),
    ):
        if _is_of(value, module, name):
            return hint
    return "give a text, such as str(x), a number, a list or a dict of what it is"
