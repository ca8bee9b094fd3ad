"""What `Database.load` was given as nodes and edges, sorted out: names for messages, and data that the extension module takes.

Data is something of the Arrow PyCapsule protocol, or a dict of lists by column. Other libraries are imported only where
an object of theirs was given, so they are there already; pyarrow for pandas, if it is installed.
"""

import collections.abc
import datetime
import os
import sys

from ._trimorph import LoadError


def sorted_out(nodes, edges, key, source, target):
    """Two lists: (name, data, bytes, labels, key, no property, space) and (name, data, bytes, (from, type, to), source, target)."""
    nodes, edges = _mapping(nodes, "nodes", '{"Person": frame}'), _mapping(edges, "edges", '{("Person", "KNOWS", "Person"): frame}')
    labels = {given: _labels(given) for given in nodes}
    ends = {given: _ends(given) for given in edges}
    keys = _named(key, labels, "key", "nodes")
    sources, targets = _named(source, ends, "source", "edges"), _named(target, ends, "target", "edges")
    out = []
    for given, frame in nodes.items():
        name = f"nodes[{_shown(given)}]"
        out.append((name, *_data(frame, name), labels[given], keys[given], False, None))
    rest = []
    for given, frame in edges.items():
        name = f"edges[{_shown(given)}]"
        rest.append((name, *_data(frame, name), ends[given], sources[given], targets[given]))
    return out, rest


def _shown(given):
    return repr(given).replace("'", '"')


def _mapping(given, what, example):
    if given is None:
        return {}
    if not isinstance(given, collections.abc.Mapping):
        raise TypeError(f"{what} is a dict such as {example}, not {type(given).__name__}")
    return given


def _labels(given):
    labels = [given] if isinstance(given, str) else list(given) if isinstance(given, tuple) else None
    if not labels or not all(isinstance(label, str) and label for label in labels):
        raise TypeError(f'nodes has {given!r} where a label is expected, such as "Person", or a tuple of labels')
    if isinstance(given, str) and ":" in given:
        raise ValueError(f"nodes has {given!r}: several labels are a tuple, {tuple(part for part in given.split(':') if part)!r}")
    return labels


def _ends(given):
    if not isinstance(given, tuple) or len(given) != 3 or not all(isinstance(part, str) and part for part in given):
        raise TypeError(f'edges has {given!r} where a label, a type and a label are expected, such as ("Person", "KNOWS", "Person")')
    return given


def _named(given, frames, what, where):
    """A column for each of the frames: the same for all, or by the frame's own key, or the one label it has."""
    if given is None or isinstance(given, str):
        return dict.fromkeys(frames, given)
    if not isinstance(given, collections.abc.Mapping):
        raise TypeError(f"{what} is a column's name, or a dict of such names by what {where} has, not {type(given).__name__}")
    unknown = [one for one in given if one not in frames]
    if unknown:
        known = ", ".join(map(repr, frames))
        raise ValueError(f"{what} names {unknown[0]!r}, which {where} does not have; it has {known or 'nothing'}")
    for name in given.values():
        if name is not None and not isinstance(name, str):
            raise TypeError(f"{what} has {name!r} where a column's name is expected")
    return {one: given.get(one) for one in frames}


def _is_of(value, module, name):
    """Whether it is an object of a library's class, without importing the library."""
    library = sys.modules.get(module)
    return library is not None and isinstance(value, getattr(library, name, ()))


def _data(frame, name):
    """The data of a frame, and how many bytes it has where that is known."""
    if _is_of(frame, "pandas", "DataFrame"):
        return _of_pandas(frame, name)
    if _is_of(frame, "pandas", "Series") or _is_of(frame, "polars", "Series"):
        raise LoadError(f"{name}: a Series is one column, and no frame\n hint: give series.to_frame()")
    if _is_of(frame, "polars", "LazyFrame"):
        frame = frame.collect()
    if _is_of(frame, "polars", "DataFrame"):
        return of_polars(frame)
    if _is_of(frame, "pyarrow.dataset", "Dataset"):
        frame = frame.scanner()
    if _is_of(frame, "pyarrow.dataset", "Scanner"):
        return frame.to_reader(), None
    if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
        size = getattr(frame, "nbytes", None)
        return frame, size if isinstance(size, int) else None
    if _is_of(frame, "numpy", "ndarray") and frame.dtype.names and frame.ndim == 1:
        frame = {column: frame[column] for column in frame.dtype.names}
    if isinstance(frame, collections.abc.Mapping):
        return {_column(column, name): _cells(cells, column, name) for column, cells in frame.items()}, None
    if isinstance(frame, collections.abc.Iterable) and not isinstance(frame, (str, bytes)):
        return _of_rows(frame, name), None
    if isinstance(frame, (str, os.PathLike)):
        raise LoadError(f"{name}: {type(frame).__name__} is no frame\n hint: for a file, conn.execute(\"COPY Label FROM 'file.csv'\")")
    raise LoadError(
        f"{name}: {type(frame).__name__} is no frame (give what has __arrow_c_stream__, such as a frame of Polars or a table of pyarrow;"
        " a pandas.DataFrame, a list of dicts, or a dict of columns)"
    )


def _column(column, name):
    if not isinstance(column, str):
        raise LoadError(
            f"{name}: a column is named {column!r}, which is {type(column).__name__} and not str"
            "\n hint: name the columns, as with frame.columns = ['id', 'name']"
        )
    return column


def _cells(cells, column, name):
    """A column of a dict as objects. What a library keeps of its own in place of a missing value is none."""
    if isinstance(cells, (str, bytes)) or not isinstance(cells, collections.abc.Iterable):
        raise LoadError(f'{name}: column "{column}" is {type(cells).__name__} and not a list')
    from ._params import list_of_numpy

    cells = series_of(cells)
    if _is_of(cells, "pandas", "Series"):
        return _objects(cells)
    if _is_of(cells, "numpy", "ndarray"):
        return list_of_numpy(cells)
    for give in ("to_pylist", "to_list", "tolist"):
        if hasattr(cells, give):
            return getattr(cells, give)()
    return list(cells)


def _of_rows(rows, name):
    """Columns of dicts; what a dict does not have is null."""
    rows = list(rows)
    columns = {}
    for number, row in enumerate(rows):
        if not isinstance(row, collections.abc.Mapping):
            hint = "give pandas.DataFrame(rows, columns=[…]), or dict(zip(names, row)) for each"
            raise LoadError(f"{name}, row {number}: a row is a dict, not {type(row).__name__}\n hint: {hint}")
        columns.update(dict.fromkeys(row))
    return {_column(column, name): [row.get(column) for row in rows] for column in columns}


def _of_pandas(frame, name):
    # An index that has a name is data; one without is only numbers of rows.
    names = frame.index.names
    if all(level is not None for level in names):
        frame = frame.reset_index()
    for column in frame.columns:
        _column(column, name)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise LoadError(f'{name}: it has column "{twice}" twice')
    try:
        import pyarrow
    except ImportError:
        cells = frame.astype(object).where(frame.notna(), None)
        return {column: cells[column].tolist() for column in cells.columns}, None
    arrays = []
    for column in frame.columns:
        array = arrow_of_pandas(frame[column])
        if array is None:
            # Values of different types: the extension module says which of them it cannot take.
            return {c: _objects(frame[c]) for c in frame.columns}, None
        arrays.append(array)
    table = pyarrow.table(arrays, names=list(frame.columns)) if arrays else pyarrow.table({})
    return table, table.nbytes


def of_polars(frame):
    """A frame of Polars: objects of Python as such, which Arrow would have the addresses of; columns of nothing but nulls as texts,
    because the type that Polars gives them has a buffer that Arrow's has not."""
    import polars

    if any(kind == polars.Object for kind in frame.schema.values()):
        return frame.to_dict(as_series=False), None
    casts = {name: _with_texts(kind) for name, kind in frame.schema.items()}
    casts = {name: kind for name, kind in casts.items() if kind != frame.schema[name]}
    return frame.cast(casts) if casts else frame, int(frame.estimated_size())


def _with_texts(kind):
    """The type with texts in place of nulls."""
    import polars

    if kind == polars.Null:
        return polars.String()
    if isinstance(kind, polars.List):
        return polars.List(_with_texts(kind.inner))
    if isinstance(kind, polars.Array):
        return polars.Array(_with_texts(kind.inner), kind.size)
    if isinstance(kind, polars.Struct):
        return polars.Struct([polars.Field(field.name, _with_texts(field.dtype)) for field in kind.fields])
    return kind


def series_of(value):
    """An index or an array of pandas as a Series; anything else as it is."""
    if _is_of(value, "pandas.api.extensions", "ExtensionArray") or _is_of(value, "pandas", "Index"):
        import pandas

        return pandas.Series(value.tolist() if isinstance(value, pandas.MultiIndex) else value)
    return value


def arrow_of_pandas(column):
    """A Series as an array of pyarrow, or None where no type of Arrow has all its values as they are."""
    import pyarrow

    if _is_of(column.dtype, "pandas", "PeriodDtype") or _is_of(column.dtype, "pandas", "IntervalDtype"):
        # Arrow would have numbers and structs for them that mean nothing to anybody else.
        return None
    try:
        array = pyarrow.array(column, from_pandas=True)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError, OverflowError):
        return None
    if column.dtype == object and not _keeps(array.type, column):
        return None
    # Of uuid.UUID; they are texts everywhere else.
    return pyarrow.array([None if cell is None else str(cell) for cell in array.to_pylist()], pyarrow.string()) if array.type == _uuid() else array


def _keeps(kind, objects):
    """Whether pyarrow has Python's objects as they are in an array of the type that it chose by the first of them: it makes dates of
    date-times, moves them to the first one's zone, forgets offsets of times and nanoseconds, and has texts as bytes."""
    import pyarrow

    if pyarrow.types.is_nested(kind):
        inner = [kind.field(i).type for i in range(kind.num_fields)]
        return not any(map(_is_moving, inner)) and all(_keeps(part, ()) for part in inner)
    if not _is_moving(kind):
        return True
    kinds = {type(cell) for cell, missing in zip(objects, objects.isna(), strict=True) if not missing}
    if pyarrow.types.is_binary(kind):
        return kinds <= {bytes}
    if pyarrow.types.is_date(kind):
        return kinds <= {datetime.date}
    if not kinds <= {datetime.datetime, datetime.time}:
        return False
    zones = {cell.tzinfo for cell, missing in zip(objects, objects.isna(), strict=True) if not missing}
    return zones <= {None} or (pyarrow.types.is_timestamp(kind) and len(zones) == 1)


def _is_moving(kind):
    """Whether arrays of the type may have other values than the objects they were made of."""
    import pyarrow

    of = pyarrow.types
    return of.is_timestamp(kind) or of.is_date(kind) or of.is_time(kind) or of.is_binary(kind)


def _uuid():
    """Arrow's type of UUIDs, where pyarrow has it."""
    import pyarrow

    return getattr(pyarrow, "uuid", lambda: None)()


def _objects(column):
    return [None if missing else cell for cell, missing in zip(column.tolist(), column.isna().tolist(), strict=True)]
