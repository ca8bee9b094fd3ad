"""Frames in: what is taken, with which types; what is refused, and where it says that this is."""

import datetime as dt
import decimal
import pathlib
import signal
import threading
import time
import uuid

import pytest

import trimorph

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pc = pytest.importorskip("pyarrow.compute", reason="pyarrow is not installed")
pd = pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")
np = pytest.importorskip("numpy", reason="numpy is not installed")


@pytest.fixture
def db():
    with trimorph.Database(threads=2) as database:
        yield database


def ask(db, text, **params):
    return db.connect().execute(text, params).fetchall()


PEOPLE = {"id": [1, 2, 3], "name": ["Ann", None, "Zoë"]}
FRIENDS = {"from": [1, 2], "to": [2, 3], "since": [dt.date(2020, 1, 1), None]}


def forms(columns):
    """The same table in every form that is a frame."""
    table = pa.table(columns)
    names = list(columns)
    yield "columns", columns
    yield "dicts", [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    yield "a generator of dicts", (dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True))
    yield "numpy", {name: np.array(cells, dtype=object) for name, cells in columns.items()}
    yield "pandas", pd.DataFrame(columns)
    yield "pandas with Arrow's types", table.to_pandas(types_mapper=pd.ArrowDtype)
    yield "polars", pl.DataFrame(columns)
    yield "polars, lazy", pl.DataFrame(columns).lazy()
    yield "table", table
    yield "batch", table.to_batches()[0]
    yield "reader", table.to_reader()
    yield "dataset", pa.dataset.dataset(table) if hasattr(pa, "dataset") else table
    yield "sliced", pa.concat_tables([table, table]).slice(len(table))
    yield "result", trimorph.connect().execute("UNWIND $rows AS row RETURN " + ", ".join(f"row.`{name}` AS `{name}`" for name in names), {"rows": [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]})


@pytest.mark.parametrize("form", [name for name, _ in forms(PEOPLE)])
def test_every_form(db, form):
    people, friends = dict(forms(PEOPLE))[form], dict(forms(FRIENDS))[form]
    report = db.load(nodes={"Person": people}, edges={("Person", "KNOWS", "Person"): friends})
    assert (report.format, report.nodes, report.relationships, report.rejected) == ("frames", 3, 2, 0)
    assert report.files == [('nodes["Person"]', "(:Person)", 3), ('edges[("Person", "KNOWS", "Person")]', "[:KNOWS]", 2)]
    assert ask(db, "MATCH (p:Person) RETURN p.id, p.name ORDER BY p.id") == [(1, "Ann"), (2, None), (3, "Zoë")]
    found = ask(db, "MATCH (a:Person)-[k:KNOWS]->(b) RETURN a.id, b.id, k.since, keys(k) ORDER BY a.id")
    assert found == [(1, 2, dt.date(2020, 1, 1), ["since"]), (2, 3, None, [])]


BERLIN = "2020-06-01T12:00+02:00[Europe/Berlin]"
TYPES = [
    (pa.array([True, None, False]), [True, None, False], "BOOLEAN"),
    *((pa.array([1, None, 3], kind), [1, None, 3], "INTEGER") for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    (pa.array([np.float16(1.5), None, np.float16(-2)], pa.float16()), [1.5, None, -2.0], "FLOAT"),
    (pa.array([1.5, None, -2.0], pa.float32()), [1.5, None, -2.0], "FLOAT"),
    (pa.array([1.5, None, 1e300]), [1.5, None, 1e300], "FLOAT"),
    (pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3")]), [decimal.Decimal("1.25"), None, decimal.Decimal("-3")], "DECIMAL"),
    (pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3")], pa.decimal256(50, 2)), [decimal.Decimal("1.25"), None, decimal.Decimal("-3")], "DECIMAL"),
    *((pa.array(["a", None, "ß" * 50], kind), ["a", None, "ß" * 50], "STRING") for kind in (pa.string(), pa.large_string(), pa.string_view())),
    (pa.array(["a", None, "b"]).dictionary_encode(), ["a", None, "b"], "STRING"),
    (pc.run_end_encode(pa.array([9, 9, 1, None, None, 2, 2]), run_end_type=pa.int16())[1:6][1:4], [1, None, None], "INTEGER"),
    (pc.run_end_encode(pa.array(["a", None, "b"]), run_end_type=pa.int64()), ["a", None, "b"], "STRING"),
    (pa.RunEndEncodedArray.from_arrays([1, 2, 3], pa.array(["a", None, "b"]).dictionary_encode()), ["a", None, "b"], "STRING"),
    *((pa.array([b"ab", None, b"cd"], kind), [b"ab", None, b"cd"], None) for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2))),
    *((pa.array([dt.date(2020, 2, 29), None, dt.date(1, 1, 1)], kind), [dt.date(2020, 2, 29), None, dt.date(1, 1, 1)], "DATE") for kind in (pa.date32(), pa.date64())),
    *((pa.array([dt.time(1, 2, 3), None, dt.time(23, 59)], kind), [dt.time(1, 2, 3), None, dt.time(23, 59)], "LOCAL TIME") for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))),
    *((pa.array([dt.datetime(2020, 1, 2, 3), None, dt.datetime(1969, 1, 1)], pa.timestamp(unit)), [dt.datetime(2020, 1, 2, 3), None, dt.datetime(1969, 1, 1)], "LOCAL DATETIME") for unit in ("s", "ms", "us", "ns")),
    # Beyond what nanoseconds hold.
    (pa.array([dt.datetime(9000, 1, 1), None, dt.datetime(1, 1, 1)], pa.timestamp("us")), [dt.datetime(9000, 1, 1), None, dt.datetime(1, 1, 1)], "LOCAL DATETIME"),
    (pa.array([dt.datetime(2020, 6, 1, 10), None, None], pa.timestamp("us", "UTC")), [dt.datetime(2020, 6, 1, 10, tzinfo=dt.timezone.utc), None, None], "DATETIME"),
    (pa.array([dt.datetime(2020, 6, 1, 10), None, None], pa.timestamp("us", "Europe/Berlin")), [trimorph.DateTime.parse(BERLIN), None, None], "DATETIME"),
    *((pa.array([dt.timedelta(days=1, seconds=-1), None, dt.timedelta(0)], pa.duration(unit)), [trimorph.Duration.parse("PT23H59M59S"), None, trimorph.Duration()], "DURATION") for unit in ("s", "ms", "us", "ns")),
    *((pa.array([delta, None, -delta], pa.duration(unit)), [trimorph.Duration(0, 1, 5), None, trimorph.Duration(0, -2, 86_395)], "DURATION") for delta in [dt.timedelta(1, 5)] for unit in ("s", "ms", "us", "ns")),
    (pa.array([(1, 2, 3_000_000_001), None, (0, 0, -1)], pa.month_day_nano_interval()), [trimorph.Duration(1, 2, 3, 1), None, trimorph.Duration(0, 0, -1, 999_999_999)], "DURATION"),
    *((pa.array([[1, None], None, [2, 3]], kind), [[1, None], None, [2, 3]], None) for kind in (pa.list_(pa.int32()), pa.large_list(pa.int64()), pa.list_(pa.int8(), 2))),
    (pa.array([["a"], None, []], pa.list_(pa.string())), [["a"], None, []], None),
    (pa.array([[[1], []], None, [None]], pa.list_(pa.list_(pa.int64()))), [[[1], []], None, [None]], None),
    (pa.nulls(3), [None, None, None], None),
    (pl.Series([None] * 3, dtype=pl.Null), [None] * 3, None),
    (pl.Series([[], None, []]), [[], None, []], None),
]


@pytest.mark.parametrize("live", [False, True], ids=["into nothing", "into data"])
@pytest.mark.parametrize(("array", "expected", "kind"), TYPES, ids=[f"{getattr(t[0], 'type', 'polars')} {i}" for i, t in enumerate(TYPES)])
def test_types(db, array, expected, kind, live):
    if live:
        db.load(nodes={"T": [{"id": 100, "x": expected[0]}]})
    if isinstance(array, pl.Series):
        ids = [1, 2, 3]
        db.load(nodes={"T": pl.DataFrame({"id": ids, "x": array})}, edges={("T", "R", "T"): pl.DataFrame({"a": ids, "b": ids, "x": array})})
        assert [row[0] for row in ask(db, "MATCH (t:T) WHERE t.id < 100 RETURN t.x ORDER BY t.id")] == expected
        return
    table = pa.concat_tables([pa.table({"id": [0], "x": array.slice(0, 1)}), pa.table({"id": [1, 2, 3], "x": array})]).slice(1)
    db.load(nodes={"T": table}, edges={("T", "R", "T"): pa.table({"a": [1, 2, 3], "b": [3, 2, 1], "x": array})})
    result = db.connect().execute("MATCH (t:T) WHERE t.id < 100 RETURN t.x ORDER BY t.id")
    assert [row[0] for row in result.fetchall()] == expected
    assert [row[0] for row in ask(db, "MATCH (t:T)-[r:R]->() RETURN r.x ORDER BY t.id")] == expected
    if kind is not None and not live:
        columns = db.stats()["node_tables"][0]["columns"]
        assert [column["type"] for column in columns if column["name"] == "x"] == [kind]


def test_values_of_objects(db):
    rows = [
        {"id": "a", "n": 1, "f": 1, "mixed": 1, "when": dt.datetime(2020, 1, 1), "tags": ["x", 1], "late": None},
        {"id": "b", "n": None, "f": 2.5, "mixed": "x", "when": None, "tags": (), "late": trimorph.Duration(1)},
        {"id": "c", "n": 2**63 - 1, "f": None, "mixed": None, "when": dt.datetime(9999, 1, 1), "new": True},
    ]
    db.load(nodes={"T": rows})
    found = ask(db, "MATCH (t:T) RETURN t.n, t.f, t.mixed, t.when, t.tags, t.late, t.new ORDER BY t.id")
    assert found == [
        (1, 1.0, 1, dt.datetime(2020, 1, 1), ["x", 1], None, None),
        (None, 2.5, "x", None, [], trimorph.Duration(1), None),
        (2**63 - 1, None, None, dt.datetime(9999, 1, 1), None, None, True),
    ]


def test_pandas_as_people_have_it(db):
    frame = pd.DataFrame({"id": [1.0, 2.0, 3.0], "age": [30, None, 41], "mixed": [1, "x", None], "kind": pd.Categorical(["a", "b", "a"])})
    chosen = frame[frame.id != 2.0]  # an index without a name is no column
    db.load(nodes={"P": chosen, "Q": frame.set_index("id")})
    assert ask(db, "MATCH (p:P) RETURN p.id, p.age, p.mixed, p.kind, size(keys(p)) ORDER BY p.id") == [(1, 30.0, 1, "a", 4), (3, 41.0, None, "a", 3)]
    assert ask(db, "MATCH (q:Q) RETURN q.id ORDER BY q.id") == [(1,), (2,), (3,)]
    edges = pd.DataFrame({"p": [1, 3, 3], "q": [2, None, 3]})  # with a missing end, pandas has floats
    report = db.load(edges={("P", "LIKES", "Q"): edges})
    assert (report.relationships, report.without_end) == (2, 1)
    assert ask(db, "MATCH (p:P)-[:LIKES]->(q:Q) RETURN p.id, q.id ORDER BY p.id") == [(1, 2), (3, 3)]


def test_uuids_are_texts(db):
    ids = [uuid.UUID(int=i) for i in range(3)]
    db.load(nodes={"P": pd.DataFrame({"id": ids, "other": [None, *ids[1:]]}), "Q": [{"id": one} for one in ids]}, edges={("P", "R", "Q"): pd.DataFrame({"a": ids, "b": ids})})
    found = ask(db, "MATCH (p:P)-[:R]->(q:Q {id: $id}) RETURN p.id, p.other, q.id", id=ids[1])
    assert found == [(str(ids[1]),) * 3]
    assert ask(db, "MATCH (p:P {id: $id}) RETURN p.other", id=ids[0]) == [(None,)]


def test_labels_keys_and_ends(db):
    report = db.load(
        nodes={("Person", "Actor"): [{"name": "Ann"}], "Person": [{"name": "Bob"}], "Film": [{"title": "Up", "year": 2009}], "Note": [{"text": "no key"}]},
        edges={
            ("Actor", "IN", "Film"): [{"role": "lead", "what": "Up", "who": "Ann"}],
            ("Person", "SAW", "Film"): [{"stars": 5, "source": "Bob", "target": "Up"}],
        },
        key={("Person", "Actor"): "name", "Person": "name", "Film": "title"},
        source={("Actor", "IN", "Film"): "who"},
        target={("Actor", "IN", "Film"): "what"},
    )
    assert (report.nodes, report.relationships) == (4, 2)
    assert ask(db, "MATCH (a:Actor)-[i:IN]->(f:Film) RETURN a.name, labels(a), i.role, keys(i), f.year") == [("Ann", ["Person", "Actor"], "lead", ["role"], 2009)]
    assert ask(db, "MATCH (p)-[s:SAW]->(f) RETURN p.name, s.stars, keys(s)") == [("Bob", 5, ["stars"])]
    assert ask(db, "MATCH (n:Note) RETURN n.text") == [("no key",)]


def test_live_beside_data(db):
    conn = db.connect()
    conn.execute("CREATE (:Person {id: 1, name: 'Ann'})")
    db.load(nodes={"Person": [{"id": 2}]}, edges={("Person", "KNOWS", "Person"): [(dict(a=1, b=2))]})
    assert ask(db, "MATCH (a)-[:KNOWS]->(b) RETURN a.name, b.id") == [("Ann", 2)]
    with pytest.raises(trimorph.LoadError, match=r'nodes\["Person"\], row 1: .*key 2'):
        db.load(nodes={"Person": pl.DataFrame({"id": [3, 2], "name": ["Cy", "Di"]})})
    db.load(nodes={"Person": pl.DataFrame({"id": [3, 2], "name": ["Cy", "Di"]})}, on_conflict="skip")
    assert ask(db, "MATCH (p:Person) RETURN p.id, p.name ORDER BY p.id") == [(1, "Ann"), (2, None), (3, "Cy")]
    db.load(nodes={"Person": pl.DataFrame({"id": [3, 2], "name": [None, "Di"]})}, on_conflict="merge")
    assert ask(db, "MATCH (p:Person) RETURN p.id, p.name ORDER BY p.id") == [(1, "Ann"), (2, "Di"), (3, "Cy")]


def test_a_result_of_the_same_database(db):
    db.load(nodes={"A": pl.DataFrame({"id": range(100_000)})})
    result = db.connect().execute("MATCH (a:A) RETURN a.id AS id, 2 * a.id AS twice")
    assert db.load(nodes={"B": result}).nodes == 100_000
    assert ask(db, "MATCH (b:B) RETURN count(*), sum(b.twice)") == [(100_000, 99_999 * 100_000)]


def test_kept(tmp_path):
    with trimorph.Database(tmp_path / "d.tm") as database:
        database.load(nodes={"Person": pd.DataFrame(PEOPLE)})
        database.load(edges={("Person", "KNOWS", "Person"): pd.DataFrame(FRIENDS)})
    with trimorph.Database(tmp_path / "d.tm") as database:
        assert ask(database, "MATCH (a)-[:KNOWS]->(b) RETURN a.id, b.name ORDER BY a.id") == [(1, None), (2, "Zoë")]


def test_nothing(db):
    for empty in ([], {}, pd.DataFrame(), pl.DataFrame(), pa.table({"id": pa.array([], pa.int64())})):
        assert db.load(nodes={"E": empty}, edges={("E", "R", "E"): []}).rows == 0
    assert db.load(nodes={}, edges={}).rows == 0
    assert ask(db, "MATCH (n) RETURN count(n)") == [(0,)]


class Stranger:
    pass


REFUSED = [
    ({"P": Stranger()}, {}, trimorph.LoadError, r'nodes\["P"\]: Stranger is no frame'),
    ({"P": "people.csv"}, {}, trimorph.LoadError, r"""nodes\["P"\]: str is no frame\n hint: .*COPY Label FROM 'file.csv'"""),
    ({"P": pathlib.Path("people.csv")}, {}, trimorph.LoadError, r"is no frame\n hint: .*COPY Label FROM"),
    ({"P": pl.Series("x", [1])}, {}, trimorph.LoadError, r'nodes\["P"\]: a Series is one column'),
    ({"P": pd.Series([1])}, {}, trimorph.LoadError, r'nodes\["P"\]: a Series is one column'),
    ({"P": pd.DataFrame({"id": [1], "p": pd.period_range("2020-01", periods=1, freq="M")})}, {}, trimorph.LoadError, r'row 0: column "p": values of type .*Period'),
    ({"P": pd.DataFrame([[1, 2]])}, {}, trimorph.LoadError, r"a column is named 0, which is int and not str\n hint: name the columns"),
    ({"P": [(1, "Ann")]}, {}, trimorph.LoadError, r"row 0: a row is a dict, not tuple\n hint: .*zip"),
    ({"P": list(np.array([(1, "Ann")], dtype=[("id", "i8"), ("name", "U3")]))}, {}, trimorph.LoadError, r"row 0: a row is a dict, not void\n hint: give pandas.DataFrame"),
    ({"P": pl.DataFrame({"id": [1], "x": [Stranger()]})}, {}, trimorph.LoadError, r'row 0: column "x": values of type'),
    ({"P": [{"id": 1}, 5]}, {}, trimorph.LoadError, r'nodes\["P"\], row 1: a row is a dict, not int'),
    ({"P": [{1: 2}]}, {}, trimorph.LoadError, r'nodes\["P"\]: a column is named 1'),
    ({"P": {"id": [1], "x": [1, 2]}}, {}, trimorph.LoadError, r'column "x" has 2 rows, others have 1'),
    ({"P": {"id": "abc"}}, {}, trimorph.LoadError, r'column "id" is str and not a list'),
    ({"P": [{"id": 1}, {"id": 1}]}, {}, trimorph.LoadError, r'nodes\["P"\], row 1: duplicate key 1'),
    ({"P": pl.DataFrame({"id": [1, 2, None]})}, {}, trimorph.LoadError, r'nodes\["P"\], row 2: column "id" must not be null'),
    ({"P": [{"id": 1.5}]}, {}, trimorph.LoadError, r'row 0: column "id": 1.5 is not an integer'),
    ({"P": pl.DataFrame({"id": [1.0, 1.5]})}, {}, trimorph.LoadError, r'row 1: column "id": 1.5 is not an integer'),
    ({"P": [{"id": dt.date(2020, 1, 1)}]}, {}, trimorph.LoadError, r'key "id" is DATE; keys are INTEGER or STRING'),
    ({"P": [{"id": 1, "x": {"a": 1}}]}, {}, trimorph.LoadError, r'row 0: column "x": a property cannot hold a MAP \(give its parts as columns\)'),
    ({"P": [{"id": 1}, {"id": 2, "x": Stranger()}]}, {}, trimorph.LoadError, r'nodes\["P"\], row 1: column "x": values of type .*Stranger are not supported'),
    ({"P": pa.table({"id": [1], "x": [{"a": 1}]})}, {}, trimorph.LoadError, r'column "x" has type Struct.*leave it out'),
    ({"P": pa.table({"id": [1, 2], "x": pa.array([1, 2**64 - 1], pa.uint64())})}, {}, trimorph.LoadError, r'nodes\["P"\], row 1: column "x": value does not fit'),
    ({"P": pa.table({"id": [1], "x": pa.array([dt.datetime(2020, 1, 1)], pa.timestamp("us", "Mars/Base"))})}, {}, trimorph.LoadError, r'column "x": zone "Mars/Base" is not known'),
    ({"P": pa.table([pa.array([1]), pa.array([2])], names=["id", "id"])}, {}, trimorph.LoadError, r'it has column "id" twice'),
    ({"P": [{"id": 1}]}, {("P", "R", "P"): [{"x": 1}]}, trimorph.LoadError, r"it has 1 columns; a frame of relationships has one for each end"),
    ({"P": [{"id": 1}]}, {("P", "R", "P"): pl.DataFrame({"a": [1, 1], "b": [1, 7]})}, trimorph.LoadError, r'edges\[\("P", "R", "P"\)\], row 1: .*target 7'),
    ({"P": [{"id": 1}]}, {("P", "R", "P"): [{"a": "1", "b": "1"}]}, trimorph.LoadError, r'column "a" is STRING, the keys it refers to are INTEGER \(give both one type'),
    ({"Person": [{"id": 1}]}, {("Persn", "R", "Person"): [{"a": 1, "b": 1}]}, trimorph.LoadError, r'no nodes with label "Persn" have a key \(did you mean "Person"\?\)'),
    ({"P": [{"name": 1}]}, {("P", "R", "P"): [{"a": 1, "b": 1}]}, trimorph.LoadError, r"name their key column with key="),
    ([1], {}, TypeError, r'nodes is a dict such as \{"Person": frame\}, not list'),
    ({1: []}, {}, TypeError, r"1 where a label is expected"),
    ({"A:B": []}, {}, ValueError, r"several labels are a tuple, \('A', 'B'\)"),
    ({}, {"KNOWS": []}, TypeError, r"'KNOWS' where a label, a type and a label are expected"),
]


@pytest.mark.parametrize("live", [False, True], ids=["into nothing", "into data"])
@pytest.mark.parametrize(("nodes", "edges", "kind", "text"), REFUSED, ids=[r[3][:30] for r in REFUSED])
def test_refused_and_nothing_has_changed(db, nodes, edges, kind, text, live):
    before = 0
    if live:
        db.load(nodes={"Other": [{"id": 1}]})
        before = 1
    with pytest.raises(kind, match=text):
        db.load(nodes=nodes, edges=edges)
    assert ask(db, "MATCH (n) RETURN count(n)") == [(before,)]


def test_wrong_calls(db):
    frame = pd.DataFrame(PEOPLE)
    with pytest.raises(TypeError, match="frames are given as nodes= and edges="):
        db.load(frame)
    with pytest.raises(TypeError, match="either paths or frames"):
        db.load("x.csv", nodes={"P": frame})
    with pytest.raises(TypeError, match="are about frames"):
        db.load("x.csv", key="id")
    with pytest.raises(trimorph.LoadError, match='it has no column "nmae" .did you mean "name"'):
        db.load(nodes={"P": frame}, key="nmae")
    with pytest.raises(ValueError, match="key names 'Q', which nodes does not have; it has 'P'"):
        db.load(nodes={"P": frame}, key={"Q": "id"})


def test_bad_rows_are_left_out_and_written(db, tmp_path):
    rows = [{"id": 1}, {"id": None}, {"id": 3}, {"id": 3}]
    report = db.load(nodes={"P": rows}, edges={("P", "R", "P"): [{"a": 1, "b": 3}, {"a": 1, "b": 77}]}, skip_bad_rows=True, rejects=tmp_path / "r.csv")
    assert report.rejected == 3
    assert ask(db, "MATCH (a:P)-[:R]->(b) RETURN a.id, b.id") == [(1, 3)]
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert len(lines) == 4 and '""P""' in lines[1] and lines[1].endswith("row 1")


def test_readers_that_fail(db):
    def batches():
        yield pa.record_batch({"id": [10]})
        raise RuntimeError("boom")

    with pytest.raises(trimorph.LoadError, match=r'nodes\["G"\]: .*boom'):
        db.load(nodes={"G": pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), batches())})
    text = pa.StringArray.from_buffers(2, pa.py_buffer(np.array([0, 1, 2], dtype=np.int32)), pa.py_buffer(b"\xff\xfe"))
    with pytest.raises(trimorph.LoadError, match='column "t" is broken: .*utf-8'):
        db.load(nodes={"U": pa.table({"id": [1, 2], "t": text})})
    offsets = pa.StringArray.from_buffers(2, pa.py_buffer(np.array([0, 100, 2], dtype=np.int32)), pa.py_buffer(b"ab"))
    with pytest.raises(trimorph.LoadError, match='column "t" is broken'):
        db.load(nodes={"U": pa.table({"id": [1, 2], "t": offsets})})

    class Liar:
        def __arrow_c_stream__(self, requested_schema=None):
            return 7

    with pytest.raises(trimorph.LoadError, match=r'nodes\["L"\]: '):
        db.load(nodes={"L": Liar()})
    reader = pa.table({"id": [1]}).to_reader()
    db.load(nodes={"R": reader})
    assert db.load(nodes={"S": reader}).nodes == 0, "a reader is read once"


def test_progress_and_interrupt(db):
    states = []
    db.load(nodes={"N": pl.DataFrame({"id": range(300_000)})}, progress=states.append)
    assert states[-1].phase == "building" and states[-1].percent == 100.0 and states[-1].rows == 300_000

    def endless():
        for i in range(10_000):
            yield pa.record_batch({"id": list(range(i * 1000, (i + 1) * 1000))})
            time.sleep(0.01)

    reader = pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), endless())
    timer = threading.Timer(0.5, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        db.load(nodes={"M": reader})
    timer.join()
    assert ask(db, "MATCH (m:M) RETURN count(m)") == [(0,)]
    assert db.load(nodes={"M": [{"id": 1}]}).nodes == 1


def test_small_memory():
    with trimorph.Database(threads=2, memory_limit="16MB") as small:
        with pytest.raises(trimorph.MemoryLimitExceeded):
            small.load(nodes={"N": pl.DataFrame({"id": range(2_000_000), "text": ["x" * 50] * 2_000_000})})
        assert ask(small, "MATCH (n) RETURN count(n)") == [(0,)]


def test_large(db):
    count = 200_000
    ids = np.arange(count)
    nodes = pd.DataFrame({"id": ids, "x": ids / 2, "name": [f"n{i}" for i in range(count)]})
    edges = pl.DataFrame({"a": ids, "b": (ids * 7919) % count, "w": ids * 0.5})
    report = db.load(nodes={"N": nodes}, edges={("N", "E", "N"): edges})
    assert report.values == 6 * count
    assert ask(db, "MATCH (a:N)-[e:E]->(b) RETURN count(*), sum(e.w), sum(b.id), max(b.name)") == [(count, sum(ids) / 2, sum(ids), "n99999")]


def test_a_report_has_the_types_of_columns(db):
    people = pa.table({"id": [1, 2], "name": ["Ann", None], "born": pa.array([None, dt.date(2020, 1, 1)]), "none": pa.nulls(2)})
    report = db.load(nodes={"P": people}, edges={("P", "K", "P"): [{"source": 1, "target": 2, "w": 0.5, "x": 1}, {"source": 2, "target": 1, "x": "a"}]})
    nodes, edges = report.columns
    assert nodes == [("id", "INTEGER", None), ("name", "STRING", None), ("born", "DATE", None)]
    assert edges == [("source", "INTEGER", None), ("target", "INTEGER", None), ("w", "FLOAT", None), ("x", "ANY", None)]


TOKYO = dt.timezone(dt.timedelta(hours=9))
# Objects of which pyarrow makes one type, by the first of them: it cuts, moves or forgets parts of the others.
OBJECTS = [
    [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5)],
    [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=TOKYO)],
    [dt.datetime(2020, 1, 1, tzinfo=TOKYO), dt.datetime(2020, 1, 1)],
    [dt.datetime(2020, 1, 1, tzinfo=TOKYO), dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc)],
    [dt.time(1, tzinfo=TOKYO), dt.time(2)],
    [dt.time(1, tzinfo=TOKYO), None],
    [b"a", "b"],
    [["a"], [b"b"]],
    [[dt.date(2020, 1, 1)], [dt.datetime(2020, 1, 1, 5)]],
    [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2)],
    [dt.datetime(2020, 1, 1, tzinfo=TOKYO), None],
    [dt.date(2020, 1, 1), None],
    [b"a", None],
    [dt.time(1), None],
]


@pytest.mark.parametrize("cells", OBJECTS, ids=range(len(OBJECTS)))
def test_objects_of_pandas_are_what_they_are(db, cells):
    frame = pd.DataFrame({"id": [1, 2], "v": pd.Series(cells, dtype=object)})
    db.load(nodes={"P": frame})
    assert [v for (v,) in ask(db, "MATCH (p:P) RETURN p.v ORDER BY p.id")] == cells
    assert [v for (v,) in ask(db, "UNWIND $rows AS row RETURN row.v ORDER BY row.id", rows=frame)] == cells


def test_nanoseconds_among_objects(db):
    cells = [dt.datetime(2020, 1, 1), pd.Timestamp("2020-01-01T00:00:00.000000001")]
    db.load(nodes={"P": pd.DataFrame({"id": [1, 2], "v": pd.Series(cells, dtype=object)})})
    assert ask(db, "MATCH (p:P) RETURN p.v.nanosecond ORDER BY p.id") == [(0,), (1,)]


def test_integers_that_do_not_fit_are_named(db):
    with pytest.raises(trimorph.LoadError, match=r'nodes\["P"\], row 1: column "v": the integer 1180591620717411303424 does not fit'):
        db.load(nodes={"P": pd.DataFrame({"id": [1, 2], "v": [1, 2**70]})})


WHEN = dt.datetime(2020, 1, 2, 3)
COLUMNS = {
    "datetime64": (np.array([WHEN, "NaT"], dtype="datetime64[ns]"), [WHEN, None]),
    "timedelta64": (np.array([1, "NaT"], dtype="timedelta64[h]"), [trimorph.Duration(seconds=3600), None]),
    "bytes": (np.array([b"a", b"b"]), [b"a", b"b"]),
    "two dimensions": (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), [1, None]),
    "series": (pd.Series(["a", None]), ["a", None]),
    "category": (pd.Series(["a", None], dtype="category"), ["a", None]),
    "index": (pd.Index(["a", None]), ["a", None]),
    "array of pandas": (pd.array([1, None]), [1, None]),
    "polars": (pl.Series([1, None]), [1, None]),
    "pyarrow": (pa.array([1, None]), [1, None]),
    "chunks": (pa.chunked_array([[1], [None]]), [1, None]),
    "range": (range(2), [0, 1]),
}


@pytest.mark.parametrize("form", COLUMNS)
def test_columns_of_a_dict(db, form):
    cells, expected = COLUMNS[form]
    db.load(nodes={"P": {"id": np.array([1, 2]), "v": cells}})
    assert [v for (v,) in ask(db, "MATCH (p:P) RETURN p.v ORDER BY p.id")] == expected


def test_records_of_numpy(db):
    db.load(nodes={"P": np.array([(1, 0.5, WHEN)], dtype=[("id", "i8"), ("x", "f4"), ("t", "datetime64[us]")])})
    assert ask(db, "MATCH (p:P) RETURN p.id, p.x, p.t") == [(1, 0.5, WHEN)]
    with pytest.raises(trimorph.LoadError, match=r"a row is a dict, not ndarray\n hint: give pandas.DataFrame"):
        db.load(nodes={"P": np.array([[1, 2]])})
