"""What is easier said in Python: tables for people, data frames, graphs of other libraries, a progress line.

The extension module calls these; other libraries are imported only here and only when they are asked for.
"""

import datetime
import functools
import html as _html
import shutil
import sys
import time

_CELL_MAX = 60


def _cut(text, width):
    text = text.replace("\n", "\\n")
    return text if len(text) <= width else text[: max(width - 1, 1)] + "…"


def _peek(result, rows):
    """Texts of the first rows, whether there are more, and the error if the query fails: a repr does not raise."""
    try:
        shown, more = result._peek(rows)
        return shown, more, None
    except Exception as error:  # noqa: BLE001
        return [], False, error


def table(result, rows):
    """A table of the first rows, as wide as the terminal."""
    shown, more, error = _peek(result, rows)
    columns = [_cut(name, _CELL_MAX) for name in result.columns]
    if error is not None:
        return f"<trimorph.QueryResult [{', '.join(columns)}]: {error}>"
    if not columns:
        return "<trimorph.QueryResult without columns>"
    cells = [[_cut(text, _CELL_MAX) for text in row] for row in shown]
    numeric = [kind in ("INTEGER", "FLOAT", "DECIMAL") for kind in result.types]
    widths = [max(len(row[i]) for row in [columns, *cells]) for i in range(len(columns))]
    room = max(shutil.get_terminal_size((120, 24)).columns, 40)

    def line(row, head=False):
        parts = (text.rjust(w) if n and not head else text.ljust(w) for text, w, n in zip(row, widths, numeric, strict=True))
        return _cut(" │ ".join(parts).rstrip(), room)

    lines = [line(columns, head=True), _cut("─┼─".join("─" * w for w in widths), room), *map(line, cells)]
    lines.append(f"(first {len(cells)} rows, there are more)" if more else f"({len(cells)} row{'s' * (len(cells) != 1)})")
    return "\n".join(lines)


def html(result, rows):
    """The same for notebooks."""
    shown, more, error = _peek(result, rows)
    if error is not None:
        return f"<pre>{_html.escape(str(error))}</pre>"
    head = "".join(f"<th>{_html.escape(name)}</th>" for name in result.columns)
    body = "".join("<tr>" + "".join(f"<td>{_html.escape(_cut(t, 200))}</td>" for t in row) + "</tr>" for row in shown)
    foot = f"first {len(shown)} rows, there are more" if more else f"{len(shown)} row{'s' * (len(shown) != 1)}"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><small>{foot}</small>"


def show(result, rows):
    print(table(result, rows))


def df(result):
    """A pandas.DataFrame. Dates, times and instants that Python's own types do not hold are in columns of objects, as in rows."""
    import pandas

    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return pandas.DataFrame.from_records(result.fetchall(), columns=result.columns)
    table = result.arrow()
    beyond = {i: objects for i, column in enumerate(table.columns) if (objects := _objects(column)) is not None}
    if not beyond:
        return table.to_pandas()
    frame = table.select([i for i in range(table.num_columns) if i not in beyond]).to_pandas()
    for i, objects in beyond.items():
        frame.insert(i, table.column_names[i], pandas.Series(objects, dtype=object, index=frame.index))
    return frame


_DAY, _CYCLE_DAYS, _CYCLE_YEARS = 86_400, 146_097, 400


def _objects(column):
    """Python's and Trimorph's objects for a column of times that pyarrow or pandas would fail on; None for any other."""
    import pyarrow
    import pyarrow.compute

    kind = column.type
    if pyarrow.types.is_time64(kind):
        try:
            column.cast(pyarrow.time64("us"))
            return None
        except pyarrow.ArrowInvalid:
            numbers, make = column.cast(pyarrow.int64()), _time
    elif pyarrow.types.is_date32(kind):
        numbers, make = column.cast(pyarrow.int32()), _date
        first, last = _EPOCH_MIN // _DAY, _EPOCH_MAX // _DAY
    elif pyarrow.types.is_timestamp(kind) and kind.unit != "ns":
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


def record_batches(batches):
    """A pyarrow.RecordBatchReader that asks for a batch when it is read, and raises what that raises."""
    import pyarrow

    return pyarrow.RecordBatchReader.from_batches(pyarrow.schema(batches), map(pyarrow.record_batch, batches))


def networkx(result):
    """A MultiDiGraph of all nodes and relationships in the rows: node keys and edge keys are ids, attributes are properties,
    beside `labels` of a node and `type` of a relationship."""
    import networkx as nx

    from . import Node, Path, Relationship

    graph = nx.MultiDiGraph()

    def add(value):
        if isinstance(value, Node):
            graph.add_node(value.id, **{**value.properties, "labels": value.labels})
        elif isinstance(value, Relationship):
            graph.add_edge(value.start, value.end, key=value.id)
            graph.edges[value.start, value.end, value.id].update({**value.properties, "type": value.type})
        elif isinstance(value, Path):
            for part in (*value.nodes, *value.relationships):
                add(part)
        elif isinstance(value, (list, tuple)):
            for part in value:
                add(part)
        elif isinstance(value, dict):
            for part in value.values():
                add(part)

    for row in result:
        add(row)
    return graph


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
