"""Objects of other libraries as parameters: frames are lists of maps, columns and arrays lists, scalars what they are."""

import array
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import pathlib
import types
import uuid

import pytest

import trimorph

np = pytest.importorskip("numpy", reason="numpy is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pc = pytest.importorskip("pyarrow.compute", reason="pyarrow is not installed")
pd = pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")


def back(conn, value):
    return conn.execute("RETURN $x", {"x": value}).fetchone()[0]


WHEN = dt.datetime(2020, 1, 2, 3, 4, 5, 678000)
NANOS = trimorph.LocalDateTime(2020, 1, 2, 3, 4, 5, 678_000_001)
# All kinds of one length of time.
LENGTHS = [dt.timedelta(hours=25), pd.Timedelta(hours=25), np.timedelta64(25, "h"), np.timedelta64(25 * 3600 * 10**9, "ns"), pa.scalar(dt.timedelta(hours=25))]

SCALARS = [
    (np.int8(-3), -3),
    (np.uint64(7), 7),
    (np.float32(0.5), 0.5),
    (np.bool_(True), True),
    (np.str_("x"), "x"),
    (np.bytes_(b"x"), b"x"),
    (np.datetime64("2020-01-02"), dt.date(2020, 1, 2)),
    (np.datetime64("2020-01-02T03:04:05.678"), WHEN),
    (np.datetime64("2020-01-02T03:04:05.678000000", "ns"), WHEN),
    (np.datetime64("2020-01-02T03:04:05.678000001"), NANOS),
    (np.datetime64("NaT"), None),
    *((given, trimorph.Duration(0, 1, 3600)) for given in LENGTHS),
    (np.timedelta64(90, "m"), trimorph.Duration(0, 0, 5400)),
    (np.timedelta64(1_000_000_001, "ns"), trimorph.Duration(0, 0, 1, 1)),
    (np.timedelta64("NaT"), None),
    (pd.NaT, None),
    (pd.NA, None),
    (pd.Timestamp("2020-01-02T03:04:05.678000001"), NANOS),
    (pd.Timestamp("2020-06-01T12:00", tz="Europe/Berlin"), trimorph.DateTime.parse("2020-06-01T12:00+02:00[Europe/Berlin]")),
    (pd.Timedelta(1, "ns"), trimorph.Duration(0, 0, 0, 1)),
    (pd.Timedelta(days=-1, nanoseconds=5), trimorph.Duration(0, -1, 0, 5)),
    (np.timedelta64(14, "M"), trimorph.Duration(months=14)),
    (np.timedelta64(2, "Y"), trimorph.Duration(months=24)),
    (np.longdouble(1.5), 1.5),
    (pathlib.PurePosixPath("a/b.csv"), "a/b.csv"),
    (enum.IntEnum("Level", {"HIGH": 7}).HIGH, 7),
    (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    (pa.scalar(5), 5),
    (pa.scalar(None), None),
    (pa.scalar(None, pa.int64()), None),
    (np.array([(1, 0.5)], dtype=[("a", "i8"), ("b", "f4")])[0], {"a": 1, "b": 0.5}),
]


@pytest.mark.parametrize(("given", "expected"), SCALARS, ids=[f"{type(g).__name__} {g}" for g, _ in SCALARS])
def test_scalars(conn, given, expected):
    found = back(conn, given)
    assert (found, type(found)) == (expected, type(expected))
    assert back(conn, [given, {"in": given}]) == [expected, {"in": expected}]


# pyarrow would make one type of these, by the first of them.
MIXED = [dt.date(2020, 1, 2), WHEN, WHEN.replace(tzinfo=dt.timezone.utc), dt.time(1, tzinfo=dt.timezone.utc)]

LISTS = [
    ({1}, [1]),
    (frozenset({"a"}), ["a"]),
    (range(2, 8, 2), [2, 4, 6]),
    ({"a": 1}.keys(), ["a"]),
    ({"a": 1}.values(), [1]),
    (collections.deque([1, None]), [1, None]),
    (np.array([1, 2]), [1, 2]),
    (np.array([[1.5, 2], [3, 4]]), [[1.5, 2.0], [3.0, 4.0]]),
    (np.array(["a", "b"]), ["a", "b"]),
    (np.array([b"a"]), [b"a"]),
    (np.array([True]), [True]),
    (np.array([], dtype="int64"), []),
    (np.array(["2020-01-02", "NaT"], dtype="datetime64[D]"), [dt.date(2020, 1, 2), None]),
    (np.array([["2020-01-02T03:04:05.678", "NaT"]], dtype="datetime64[ns]"), [[WHEN, None]]),
    (np.array([1, "NaT"], dtype="timedelta64[h]"), [trimorph.Duration(0, 0, 3600), None]),
    (pd.Series([1, 2, None]), [1.0, 2.0, None]),
    (pd.Series([1, None], dtype="Int64"), [1, None]),
    (pd.Series([1, "x", None]), [1, "x", None]),
    (pd.Series(["a", None], dtype="category"), ["a", None]),
    (pd.Series([WHEN, None]), [WHEN, None]),
    (pd.Series([], dtype="float64"), []),
    (np.array([1.5, 2], dtype="longdouble"), [1.5, 2.0]),
    (np.array([(1, "2020-01-02")], dtype=[("a", "i8"), ("b", "datetime64[ns]")]), [{"a": 1, "b": dt.datetime(2020, 1, 2)}]),
    (array.array("d", [1, 2]), [1.0, 2.0]),
    (pc.run_end_encode(pa.array([9, 9, 1, None, None, 2, 2])).slice(2, 3), [1, None, None]),
    (pd.Index([1, 2]), [1, 2]),
    (pd.Index(["a", None]), ["a", None]),
    (pd.MultiIndex.from_tuples([(1, "a")]), [[1, "a"]]),
    (pd.Categorical(["a", None]), ["a", None]),
    (pd.array(["a", None]), ["a", None]),
    (pd.Series(MIXED), MIXED),
    (pd.Series(["a", b"b"]), ["a", b"b"]),
    (pd.array([1, None]), [1, None]),
    (pl.Series([1, None]), [1, None]),
    (pl.Series([[1], None]), [[1], None]),
    (pl.Series([None, None]), [None, None]),
    (pl.Series([[], None]), [[], None]),
    (pl.Series([{"a": None, "b": [None]}]), [{"a": None, "b": [None]}]),
    (pl.Series([{"a": 1}]), [{"a": 1}]),
    (pl.Series([decimal.Decimal("1.5")]), [decimal.Decimal("1.5")]),
    (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"]),
    (pa.array([1, None]), [1, None]),
    (pa.chunked_array([[1], [None, 2]]), [1, None, 2]),
    (pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())), [{"k": 1}, None]),
    (pa.array([{"a": [{"b": 1}]}, None]), [{"a": [{"b": 1}]}, None]),
]


@pytest.mark.parametrize(("given", "expected"), LISTS, ids=[f"{type(g).__module__}.{type(g).__name__} {i}" for i, (g, _) in enumerate(LISTS)])
def test_lists(conn, given, expected):
    assert back(conn, given) == expected
    assert back(conn, {"nested": given}) == {"nested": expected}


ROWS = [{"id": 1, "name": "Ann", "when": WHEN, "tags": ["x"]}, {"id": 2, "name": None, "when": None, "tags": []}]
FRAMES = {
    "pandas": lambda: pd.DataFrame(ROWS),
    "polars": lambda: pl.DataFrame(ROWS),
    "lazy": lambda: pl.DataFrame(ROWS).lazy(),
    "table": lambda: pa.Table.from_pylist(ROWS),
    "batch": lambda: pa.RecordBatch.from_pylist(ROWS),
    "reader": lambda: pa.Table.from_pylist(ROWS).to_reader(),
    "result": lambda: trimorph.connect().execute("UNWIND $rows AS r RETURN r.id AS id, r.name AS name, r.when AS `when`, r.tags AS tags", {"rows": ROWS}),
}


@pytest.mark.parametrize("form", FRAMES)
def test_frames(conn, form):
    assert back(conn, FRAMES[form]()) == ROWS
    conn.execute("UNWIND $rows AS row CREATE (:P {id: row.id, name: row.name, when: row.when})", {"rows": FRAMES[form]()})
    assert conn.execute("MATCH (p:P) RETURN p.id, p.name, p.when ORDER BY p.id").fetchall() == [(1, "Ann", WHEN), (2, None, None)]


def test_frames_without_rows_or_columns(conn):
    for empty in (pd.DataFrame(), pd.DataFrame({"a": []}), pl.DataFrame(), pl.DataFrame({"a": []}), pa.table({"a": pa.array([], pa.int64())})):
        assert back(conn, empty) == []
    mixed = pd.DataFrame({"a": [1, "x"], "b": [np.nan, 2]})
    assert back(conn, mixed) == [{"a": 1, "b": None}, {"a": "x", "b": 2.0}]
    assert back(conn, types.MappingProxyType({"a": 1})) == {"a": 1}
    named = pd.DataFrame({"a": [1]}, index=pd.Index([7], name="i"))
    assert back(conn, named) == [{"i": 7, "a": 1}]


def test_many_rows(conn):
    count = 100_000
    frame = pl.DataFrame({"a": range(count), "b": [f"b{i}" for i in range(count)]})
    found = conn.execute("UNWIND $rows AS row RETURN count(*), sum(row.a), max(row.b)", {"rows": frame}).fetchone()
    assert found == (count, count * (count - 1) // 2, "b99999")


@dataclasses.dataclass
class Point:
    x: int


class Model:
    def model_dump(self):
        return {"x": 1}


ENDLESS = []
ENDLESS.append(ENDLESS)

REFUSED = [
    (object(), TypeError, r'parameter "x": values of type object are not supported: give a text, such as str\(x\)'),
    ((i for i in range(3)), TypeError, r"generator are not supported: give list\(x\)"),
    (map(str, [1]), TypeError, r"give list\(x\)"),
    (Point(1), TypeError, r"give dataclasses.asdict\(x\)"),
    (Point, TypeError, "give a text"),
    (Model(), TypeError, r"give x.model_dump\(\)"),
    ([enum.Enum("Color", "RED").RED], TypeError, r"at x\[0\]: .* give x.value or x.name"),
    (fractions.Fraction(1, 3), TypeError, r"give float\(x\)"),
    (1 + 2j, TypeError, r"give \[x.real, x.imag\]"),
    (pd.Period("2020-01"), TypeError, r"give str\(x\), or x.start_time"),
    (2**63, OverflowError, r"9223372036854775808 does not fit in 64 bits: give decimal.Decimal\(x\)"),
    (ENDLESS, ValueError, r"at x(\[0\])+\[?0?…: values may be nested 100 levels deep$"),
    ({object()}, TypeError, r'parameter "x" at x\[0\]: values of type object'),
    (pd.DataFrame({"a": [object()]}), TypeError, r"at x\[0\].a: values of type object"),
    (pl.Series([object()], dtype=pl.Object), TypeError, r"at x\[0\]: values of type object"),
    (pl.DataFrame({"a": [object()]}), TypeError, r"at x\[0\].a: values of type object"),
    (np.array([1 + 2j]), TypeError, r"at x\[0\]: values of type complex are not supported"),
    (pd.Series([1], dtype="complex128"), TypeError, "complex"),
    (pd.Series(pd.interval_range(0, 1)), TypeError, r"at x\[0\]: values of type .*Interval"),
    (pa.array([2**64 - 1], pa.uint64()), ValueError, 'parameter "x": row 0: value does not fit'),
    (pa.table({"a": pa.array([2**64 - 1], pa.uint64())}), ValueError, 'column "a": row 0: value does not fit'),
]


@pytest.mark.parametrize(("given", "kind", "text"), REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_refused(conn, given, kind, text):
    with pytest.raises(kind, match=text):
        back(conn, given)


@pytest.mark.parametrize("given", [pa.array(LENGTHS[:1]), pd.Series(LENGTHS[:1]), np.array(LENGTHS[2:3]), np.array(LENGTHS[3:4]), pl.Series(LENGTHS[:1])])
def test_a_length_of_time_is_one_value_as_a_parameter_and_in_a_frame(conn, given):
    conn.database.load(nodes={"T": {"x": given}})
    assert conn.execute("UNWIND $xs AS x MATCH (n:T {x: x}) RETURN n.x, n.x = $x", {"xs": given, "x": LENGTHS[0]}).fetchall() == [(trimorph.Duration(0, 1, 3600), True)]
    assert list(conn.execute("MATCH (n:T) RETURN n.x AS x").df().x) == LENGTHS[1:2]


def test_an_array_without_memory_for_its_values_does_not_take_all_there_is(conn):
    for given in (pa.nulls(1 << 25), pa.RunEndEncodedArray.from_arrays(pa.array([1 << 40]), [1])):
        with pytest.raises(ValueError, match="nulls or values in runs are more than 16777216"):
            conn.execute("UNWIND $x AS x RETURN count(*)", {"x": given})


def test_registered_rows_are_parameters_of_all_that_runs_on_the_connection(conn):
    conn.register("people", pd.DataFrame({"id": [1, 2], "name": ["Ann", None]}))
    query, rows = "UNWIND $people AS row RETURN row.id, row.name", [(1, "Ann"), (2, None)]
    assert conn.execute(query).fetchall() == rows
    assert conn.cypher(query).fetchall() == rows
    assert conn.prepare(query).execute().fetchall() == rows
    assert conn.cursor().execute(query).fetchall() == rows
    with conn.transaction() as tx:
        assert tx.execute(query).fetchall() == rows
    # Beside the parameters of a call, and behind one of the same name.
    assert conn.execute(query + " LIMIT $n", {"n": 1}).fetchall() == rows[:1]
    assert conn.execute(query, {"people": []}).fetchall() == []
    conn.executemany("UNWIND $people AS row WITH row WHERE row.id = $id CREATE (:P {id: row.id})", [{"id": 1}, {"id": 2}])
    assert conn.execute("MATCH (p:P) RETURN count(*)").fetchone() == (2,)


def test_registered_rows_are_those_of_then_and_of_one_connection(conn):
    frame = pd.DataFrame({"id": [1]})
    conn.register("people", frame)
    frame["id"] = 2
    query = "UNWIND $people AS row RETURN row.id"
    assert conn.execute(query).fetchall() == [(1,)]
    open_result = conn.execute(query)
    conn.register("people", pl.DataFrame({"id": [3]}))
    assert (open_result.fetchall(), conn.execute(query).fetchall()) == ([(1,)], [(3,)])
    with pytest.raises(trimorph.QueryError, match=r"\$people. has no value"):
        conn.database.connect().execute(query).fetchall()
    # A variable of SPARQL is none of these.
    assert conn.sparql("SELECT ?people { VALUES ?people { 7 } }").fetchone()[0] == 7
    conn.unregister("people")
    with pytest.raises(trimorph.QueryError, match=r"\$people. has no value"):
        conn.execute(query).fetchall()


def test_what_cannot_be_registered(conn):
    with pytest.raises(TypeError, match=r'parameter "rows" at rows\[0\]'):
        conn.register("rows", [object()])
    with pytest.raises(ValueError, match="has a name"):
        conn.register("", [])
    with pytest.raises(KeyError, match="nothing is"):
        conn.unregister("rows")
    conn.register("a", [1])
    with pytest.raises(KeyError, match="there are a"):
        conn.unregister("rows")
    conn.close()
    with pytest.raises(trimorph.InterfaceError, match="closed"):
        conn.register("a", [1])


def test_maps_that_follow_each_other_have_their_own_keys(conn):
    # The same text may be another object.
    other = bytes([97]).decode()
    rows = [{"a": 1, "b": 2}, {"a": 3}, {"b": 4, "a": 5}, {"b": 6}, {other: 7, "b": 8, "c": 9}, {}, {"a": 1, "c": 2}]
    rows += [{"".join(["k", str(i % 3)]): {"a": i, "".join(["b"]): [{"a": i}, {"b": i}]}} for i in range(6)]
    rows += [{"a": {"a": {"b": 1}}, "b": {"b": {"a": 2}}}, {"a": {"a": {"b": 3}}, "b": {"b": {"a": 4}}}]
    assert back(conn, rows) == rows
    assert [row for (row,) in conn.execute("UNWIND $rows AS row RETURN row", {"rows": rows})] == rows
