"""What is easier said in Python: tables for people, data frames, graphs of other libraries, a progress line.

The extension module calls these; other libraries are imported only here and only when they are asked for.
"""

import datetime
import functools
import gc
import html as _html
import itertools
import re
import shutil
import sys
import time

from ._trimorph import InterfaceError, text_width

_CELL_MAX = 60
# Columns are not cut below this to make room for others.
_CELL_MIN = 16
# Makes one picture of the two beside it.
_JOINER = "\u200d"
# What would move the cursor, or colour what follows.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def _escaped(found):
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(found[0]) or f"\\u{{{ord(found[0]):x}}}"


def _cut(text, width):
    """The text on one line, as wide at most on a terminal."""
    text = _CONTROL.sub(_escaped, text)
    # Characters that are drawn together, as of families and flags, are narrower than their number.
    if (len(text) if text.isascii() else text_width(text)) <= width:
        return text
    text = text[: max(width - 1, 1)]
    while text and (text[-1] == _JOINER or text_width(text) > max(width - 1, 1)):
        text = text[:-1]
    return text + "…"


def _fill(text, width, right):
    blanks = " " * (width - text_width(text))
    return blanks + text if right else text + blanks


def _peek(result, rows):
    """Texts of the first rows, whether there are more, and the error if the query fails: a repr does not raise."""
    try:
        shown, more = result._peek(rows)
        return shown, more, None
    except Exception as error:  # noqa: BLE001
        return [], False, error


def _outer(widths, room):
    """Places of the columns that are shown, where the gap between them is, and their widths: the widest are cut first, then the
    columns in the middle are left out, as in tables of the command line."""
    between = len(" │ ")
    least = [min(width, _CELL_MIN) for width in widths]
    if sum(least) + between * (len(widths) - 1) <= room:
        places, gap = list(range(len(widths))), None
    else:
        first, last, used = [], [], len("…")
        for step in range(len(widths)):
            side, place = (last, len(widths) - 1 - step // 2) if step % 2 else (first, step // 2)
            used += least[place] + between
            if used > room:
                break
            side.append(place)
        # The first column is there in any case.
        places, gap = (first or [0]) + last[::-1], len(first) or 1
    left = room - between * (len(places) - 1) - (0 if gap is None else between + len("…"))
    return places, gap, _narrowed([widths[place] for place in places], left)


def _narrowed(widths, room):
    """The widths, the widest of them cut to one that leaves room for all."""
    most = max(widths, default=0)
    while most > 1 and sum(min(width, most) for width in widths) > room:
        most -= 1
    return [min(width, most) for width in widths]


def table(result, rows):
    """A table of the first rows, as wide as the terminal: of many columns the first and the last."""
    drawn = _drawn(result)
    if drawn is not None:
        return drawn
    shown, more, error = _peek(result, rows)
    columns = [_cut(name, _CELL_MAX) for name in result.columns]
    if isinstance(error, InterfaceError):
        return f"<trimorph.QueryResult [{', '.join(columns)}], read to its end>"
    if error is not None:
        return f"<trimorph.QueryResult [{', '.join(columns)}]: {error}>"
    if not columns:
        return f"({result.stats})"
    cells = [[_cut(text, _CELL_MAX) for text in row] for row in shown]
    numeric = [kind in ("INTEGER", "FLOAT", "DECIMAL") for kind in result.types]
    widths = [max(text_width(row[i]) for row in [columns, *cells]) for i in range(len(columns))]
    room = max(shutil.get_terminal_size((120, 24)).columns, 20)

    places, gap, widths = _outer(widths, room)

    def line(parts, between=" │ ", hidden="…"):
        if gap is not None:
            parts.insert(gap, hidden)
        return between.join(parts).rstrip()

    def cells_of(row, head=False):
        return [_fill(_cut(row[i], w), w, numeric[i] and not head) for i, w in zip(places, widths, strict=True)]

    lines = [line(cells_of(columns, head=True)), line(["─" * w for w in widths], "─┼─", "─"), *(line(cells_of(row)) for row in cells)]
    shown = "" if gap is None else f"; {len(places)} of {len(columns)} columns are shown"
    lines.append(f"(first {len(cells)} rows, there are more{shown})" if more else f"({len(cells)} row{'s' * (len(cells) != 1)}{shown})")
    return "\n".join(lines)


def _drawn(result):
    """The lines of a plan, as they were drawn; None for other results."""
    try:
        return result._drawn()
    except Exception:  # noqa: BLE001
        return None


def html(result, rows):
    """The same for notebooks."""
    plan = result._plan_html()
    if plan is not None:
        return plan
    shown, more, error = _peek(result, rows)
    if isinstance(error, InterfaceError):
        return f"<pre>{_html.escape(table(result, rows))}</pre>"
    if error is not None:
        return f"<pre>{_html.escape(str(error))}</pre>"
    if not result.columns:
        return f"<small>{_html.escape(str(result.stats))}</small>"
    head = "".join(f"<th>{_html.escape(name)}</th>" for name in result.columns)
    body = "".join("<tr>" + "".join(f"<td>{_html.escape(_cut(t, 200))}</td>" for t in row) + "</tr>" for row in shown)
    foot = f"first {len(shown)} rows, there are more" if more else f"{len(shown)} row{'s' * (len(shown) != 1)}"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><small>{foot}</small>"


def show(result, rows):
    print(table(result, rows))


def _nullable(name):
    """Arrow's types to pandas' own that know null, in the words of pandas' readers."""
    import pandas
    import pyarrow

    kinds = {
        pyarrow.int64(): pandas.Int64Dtype(),
        pyarrow.float64(): pandas.Float64Dtype(),
        pyarrow.bool_(): pandas.BooleanDtype(),
        pyarrow.string(): pandas.StringDtype(),
    }
    match name:
        case None:
            return {}.get
        case "numpy_nullable":
            return kinds.get
        case "pyarrow":
            return pandas.ArrowDtype
        case _:
            raise ValueError(f'dtype_backend is "numpy_nullable" or "pyarrow", not {name!r}')


def _is_beyond_floats(column):
    """Whether pandas' usual form of integers beside null, which is a float, would lose digits."""
    import pyarrow
    import pyarrow.compute

    if column.type != pyarrow.int64() or not column.null_count:
        return False
    ends = pyarrow.compute.min_max(column).as_py()
    return any(abs(end or 0) > 2**53 for end in ends.values())


def without_collection(function):
    """The function while the garbage collector waits: all objects that it makes are in use, and it would look through them again and again."""

    @functools.wraps(function)
    def calls(*args, **kwargs):
        if not gc.isenabled():
            return function(*args, **kwargs)
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            gc.enable()

    return calls


@without_collection
def df(result, dtype_backend=None):
    """A pandas.DataFrame. Nodes, relationships, paths and maps are dicts, lists numpy arrays, as pyarrow makes them. Dates, times and
    instants that Python's own types do not hold are in columns of objects, as in rows."""
    import pandas

    try:
        import pyarrow
    except ImportError:
        if dtype_backend is not None:
            raise
        return pandas.DataFrame.from_records(result.fetchall(), columns=result.columns)
    kinds = _nullable(dtype_backend)
    table = result.arrow()
    if dtype_backend == "pyarrow":
        return table.to_pandas(types_mapper=kinds)
    frame, whole = {}, [i for i, column in enumerate(table.columns) if not pyarrow.types.is_nested(column.type)]
    for i, column in enumerate(table.columns):
        objects = _objects(column)
        if objects is not None:
            frame[i] = pandas.Series(objects, dtype=object)
            whole = [k for k in whole if k != i]
        elif dtype_backend is None and _is_beyond_floats(column):
            frame[i] = column.to_pandas(types_mapper={pyarrow.int64(): pandas.Int64Dtype()}.get)
            whole = [k for k in whole if k != i]
        elif pyarrow.types.is_nested(column.type):
            # pyarrow makes integers of nanoseconds within others, and Python's instants of microseconds.
            frame[i] = column.cast(_in_micros(column.type)).to_pandas(maps_as_pydicts="strict", timestamp_as_object=True)
    if not frame:
        return table.to_pandas(types_mapper=kinds)
    made = table.select(whole).to_pandas(types_mapper=kinds)
    for i, column in frame.items():
        column.index = made.index
        made.insert(i, table.column_names[i], column, allow_duplicates=True)
    return made


_DAY, _CYCLE_DAYS, _CYCLE_YEARS = 86_400, 146_097, 400


def _objects(column, within=False):
    """Python's and Trimorph's objects for a column of times that pyarrow or pandas would fail on, perhaps only within others; None
    for any other."""
    import pyarrow
    import pyarrow.compute

    kind = column.type
    if pyarrow.types.is_nested(kind):
        parts = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
        return [cell for part in parts for cell in _cells(part)] if any(map(_is_beyond, parts)) else None
    if pyarrow.types.is_time64(kind):
        try:
            column.cast(pyarrow.time64("us"))
            return None
        except pyarrow.ArrowInvalid:
            numbers, make = column.cast(pyarrow.int64()), _time
    elif pyarrow.types.is_date32(kind):
        numbers, make = column.cast(pyarrow.int32()), _date
        first, last = _EPOCH_MIN // _DAY, _EPOCH_MAX // _DAY
    elif pyarrow.types.is_duration(kind) and kind.unit == "ns":
        numbers, make = column.cast(pyarrow.int64()).to_pylist(), _length
        if not within or all(n is None or n % 1_000 == 0 for n in numbers):
            return None
        return [None if n is None else make(n) for n in numbers]
    elif pyarrow.types.is_timestamp(kind) and kind.unit == "ns":
        if not within or pyarrow.compute.all(pyarrow.compute.equal(pyarrow.compute.nanosecond(column), 0)).as_py() is not False:
            return None
        numbers, make = column.cast(pyarrow.int64()), functools.partial(_instant, unit=1_000_000_000, zoned=kind.tz is not None)
        return [None if n is None else make(n) for n in numbers.to_pylist()]
    elif pyarrow.types.is_timestamp(kind):
        unit = {"s": 1, "ms": 1_000, "us": 1_000_000}[kind.unit]
        numbers, make = column.cast(pyarrow.int64()), functools.partial(_instant, unit=unit, zoned=kind.tz is not None)
        first, last = _EPOCH_MIN * unit, (_EPOCH_MAX + 1) * unit - 1
    else:
        return None
    if not pyarrow.types.is_time64(kind):
        ends = pyarrow.compute.min_max(numbers).as_py()
        if ends["min"] is None or (first <= ends["min"] and ends["max"] <= last):
            return None
    return [None if n is None else make(n) for n in numbers.to_pylist()]


def _in_micros(kind):
    """The type with microseconds in place of nanoseconds."""
    import pyarrow

    if pyarrow.types.is_timestamp(kind) and kind.unit == "ns":
        return pyarrow.timestamp("us", kind.tz)
    if pyarrow.types.is_duration(kind) and kind.unit == "ns":
        return pyarrow.duration("us")
    if pyarrow.types.is_map(kind):
        return pyarrow.map_(kind.key_type, _in_micros(kind.item_type))
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(kind.value_field.with_type(_in_micros(kind.value_type)))
    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([kind.field(i).with_type(_in_micros(kind.field(i).type)) for i in range(kind.num_fields)])
    return kind


def _inner(array):
    """The arrays that an array of lists, maps or structs is made of."""
    import pyarrow

    if pyarrow.types.is_map(array.type):
        return [array.keys, array.items]
    return array.flatten() if pyarrow.types.is_struct(array.type) else [array.flatten()]


def _is_beyond(array):
    """Whether something within it is what _objects makes objects of."""
    import pyarrow

    return any(_is_beyond(part) if pyarrow.types.is_nested(part.type) else _objects(part, within=True) is not None for part in _inner(array))


def _cells(array):
    """All cells of an array as Python's and Trimorph's objects."""
    import pyarrow

    kind = array.type
    if not pyarrow.types.is_nested(kind):
        objects = _objects(array, within=True)
        return array.to_pylist() if objects is None else objects
    parts = [_cells(part) for part in _inner(array)]
    is_there = array.is_valid().to_pylist()
    if pyarrow.types.is_struct(kind):
        names = [kind.field(i).name for i in range(kind.num_fields)]
        rows = zip(*parts, strict=True) if parts else [()] * len(array)
        return [dict(zip(names, row, strict=True)) if there else None for row, there in zip(rows, is_there, strict=True)]
    values, make = (iter(parts[0]), list) if len(parts) == 1 else (zip(*parts, strict=True), dict)
    lengths = array.offsets.to_pylist()
    counts = [last - first for first, last in zip(lengths, lengths[1:], strict=False)]
    return [make(itertools.islice(values, n)) if there else None for n, there in zip(counts, is_there, strict=True)]


_EPOCH_MIN, _EPOCH_MAX = -62_135_596_800, 253_402_300_799  # seconds of the years 1 to 9999


def _calendar(days):
    cycle, day = divmod(days + 719_162, _CYCLE_DAYS)
    near = datetime.date.fromordinal(day + 1)
    return near.year + _CYCLE_YEARS * cycle, near.month, near.day


def _clock(nanos):
    seconds, nanos = divmod(nanos, 1_000_000_000)
    return seconds // 3600, seconds // 60 % 60, seconds % 60, nanos


def _date(days):
    from . import Date

    year, month, day = _calendar(days)
    return datetime.date(year, month, day) if 1 <= year <= 9999 else Date(year, month, day)


def _time(nanos):
    from . import LocalTime

    hour, minute, second, below = _clock(nanos)
    if below % 1_000:
        return LocalTime(hour, minute, second, below)
    return datetime.time(hour, minute, second, below // 1_000)


def _length(nanos):
    from . import Duration

    seconds, nanos = divmod(nanos, 1_000_000_000)
    return Duration(0, *divmod(seconds, _DAY), nanos)


def _instant(count, unit, zoned):
    from . import DateTime, LocalDateTime

    seconds, below = divmod(count, unit)
    days, second = divmod(seconds, _DAY)
    nanos = below * (1_000_000_000 // unit)
    year, month, day = _calendar(days)
    clock = _clock(second * 1_000_000_000 + nanos)
    if 1 <= year <= 9999 and nanos % 1_000 == 0:
        zone = datetime.timezone.utc if zoned else None
        return datetime.datetime(year, month, day, *clock[:3], nanos // 1_000, zone)
    return (DateTime if zoned else LocalDateTime)(year, month, day, *clock)


def pl(result):
    """A polars.DataFrame over the engine's buffers. It holds all rows anyway, so they are computed first: that knows the type of
    each column for certain, and raises Trimorph's errors and not those of a stream."""
    import polars

    return polars.DataFrame(result._table())


def rdflib(result):
    """An rdflib.Graph of statements."""
    import rdflib

    if result.form != "statements":
        raise InterfaceError(f"rdflib() is for the statements of CONSTRUCT and DESCRIBE; this result has {result.form}")
    return rdflib.Graph().parse(data=result.serialize("ntriples"), format="nt")


def record_batches(batches):
    """A pyarrow.RecordBatchReader that asks for a batch when it is read, and raises what that raises."""
    import pyarrow

    return pyarrow.RecordBatchReader.from_batches(pyarrow.schema(batches), map(pyarrow.record_batch, batches))


class ProgressLine:
    """One line on stderr that overwrites itself; on something that is no terminal, a line per phase."""

    def __init__(self):
        self.out = sys.stderr
        self.live = bool(getattr(self.out, "isatty", bool)())
        self.phase, self.width, self.began = None, 0, time.monotonic()

    def __call__(self, state):
        new_phase = state.phase != self.phase
        self.phase = state.phase
        if not self.live:
            if new_phase:
                print(f"{state.phase} …", file=self.out)
            return
        percent = "" if state.percent is None else f" {state.percent:3.0f} %"
        left = "" if state.seconds_left is None else f", {state.seconds_left:.0f} s left"
        refused = f", {state.rejected:,} refused" if state.rejected else ""
        text = f"{state.phase}{percent}  {state.rows:,} rows, {state.rows_per_second:,.0f} rows/s{refused}{left}"
        self.out.write("\r" + text.ljust(self.width))
        self.out.flush()
        self.width = len(text)

    def done(self):
        if self.live and self.phase is not None:
            self.out.write("\r" + " " * self.width + "\r")
            self.out.flush()
