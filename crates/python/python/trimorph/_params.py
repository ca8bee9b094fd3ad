"""What objects of other libraries stand for as parameters. The extension module asks for those that it does not know itself.

Nothing is imported here that an object was not made by.
"""

import collections
import collections.abc
import sys

from ._frames import _is_of, _objects, _of_pandas, of_polars
from ._present import _instant


def plain(value):
    """("rows", frame) and ("column", frame of one column) of the Arrow PyCapsule protocol, ("plain", object), or None."""
    if isinstance(value, (collections.abc.Set, range, collections.deque, collections.abc.ValuesView)):
        return "plain", list(value)
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
    is_array = _is_of(value, "pandas.api.extensions", "ExtensionArray")
    if is_array or _is_of(value, module, "Index"):
        value = pandas.Series(value)
    if _is_of(value, module, "Series"):
        try:
            import pyarrow

            return "column", pyarrow.table([pyarrow.array(value, from_pandas=True)], names=["x"])
        except ImportError:
            return "plain", _objects(value)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError):
            return "plain", _objects(value)
    return None


def _of_numpy(value, module):
    if not (_is_of(value, module, "ndarray") or _is_of(value, module, "generic")):
        return None
    kind = value.dtype.kind
    if kind == "S":
        return "plain", value.tolist()
    if kind not in "mM":
        return None
    import numpy

    unit = numpy.datetime_data(value.dtype)[0]
    if unit not in ("ns", "ps", "fs", "as"):
        # Python's own dates, times and lengths of time; numpy gives None for NaT, and integers where Python has none.
        native = value.tolist()
        if not _has_int(native):
            return "plain", native
    if kind == "M":
        return "plain", _each(value.astype("datetime64[ns]"), lambda n: _instant(n, 1_000_000_000, False))
    return "plain", _each(value.astype("timedelta64[ns]"), _duration)


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


def _duration(nanos):
    from . import Duration

    seconds, nanos = divmod(nanos, 1_000_000_000)
    return Duration(0, 0, seconds, nanos)


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
