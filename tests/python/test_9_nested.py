"""Lists, maps, nodes, relationships and paths in Arrow, pandas, Polars and Parquet."""

import datetime

import pytest
import trimorph

pa = pytest.importorskip("pyarrow")

NESTED = """UNWIND range(1, 6) AS i RETURN i,
    CASE WHEN i % 3 > 0 THEN [x IN range(1, i) | CASE WHEN x % 2 = 0 THEN x END] END AS l,
    CASE WHEN i < 5 THEN {a: i, b: [toString(i), null]} ELSE {a: null} END AS m,
    [[i], [], null] AS ll, [] AS e, {} AS em, [{k: date('2020-01-01')}] AS ld"""


def table(conn, text, **parameters):
    result = conn.execute(text, parameters)
    return result.arrow(), result


def test_arrow(conn):
    found, result = table(conn, NESTED)
    found.validate(full=True)
    m = pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))])
    types = [pa.int64(), pa.list_(pa.int64()), m, pa.list_(pa.list_(pa.int64())), pa.list_(pa.string()), pa.map_(pa.string(), pa.string())]
    assert found.schema.types == [*types, pa.list_(pa.struct([("k", pa.date32())]))]
    assert result.types == [
        "INTEGER", "LIST<INTEGER>", "STRUCT<a INTEGER, b LIST<STRING>>", "LIST<LIST<INTEGER>>", "LIST<ANY>", "MAP<STRING, ANY>", "LIST<STRUCT<k DATE>>",
    ]  # fmt: skip
    rows = conn.execute(NESTED).rows_as_dict()
    expected = [{**row, "m": {"b": None, **row["m"]}, "em": []} for row in rows]
    assert found.to_pylist() == expected
    for reader in (conn.execute(NESTED).fetch_record_batch(), pa.RecordBatchReader.from_stream(conn.execute(NESTED))):
        assert reader.read_all() == found


def test_types_before_and_after(conn):
    result = conn.execute("UNWIND [[1], [2]] AS x RETURN x, collect(x) AS c")
    assert result.types == ["LIST", "LIST"]
    stream = result.fetch_record_batch()
    assert result.types == ["LIST<INTEGER>", "LIST<LIST<INTEGER>>"]
    assert stream.read_all().num_rows == 2


def test_notices(conn):
    found, result = table(conn, "RETURN [1, 'a'] AS l, duration('P1M') AS d, {k: [time('12:00Z')]} AS m")
    assert found.to_pylist() == [{"l": ["1", "a"], "d": "P1M", "m": {"k": ["12:00Z"]}}]
    assert [(n.detail, n.message) for n in result.notices] == [
        ("ColumnAsText", 'column "l" has text for its elements: values are of several types'),
        ("ColumnAsText", 'column "d" is text: no Arrow type holds all its DURATION values'),
        ("ColumnAsText", 'column "m" has text for its k.elements: no Arrow type holds all its TIME values'),
    ]


@pytest.mark.parametrize("way", ["arrow", "df", "pl", "fetch_record_batch"])
def test_a_column_of_several_types_says_so(conn, way):
    conn.execute("CREATE (:P {age: 41}), (:P {age: '41'}), (:P {age: null})")
    result = conn.execute("MATCH (p:P) RETURN p.age AS age, p.none AS none, [] AS nothing")
    getattr(result, way)()
    assert [(n.detail, n.message) for n in result.notices if n.detail == "ColumnAsText"] == [("ColumnAsText", 'column "age" is text: values are of several types')]


def test_maps_of_many_keys(conn):
    found, _ = table(conn, "UNWIND $maps AS m RETURN m", maps=[{f"k{i}": i} for i in range(100)])
    assert found.schema.types == [pa.map_(pa.string(), pa.int64())]
    assert found["m"][41].as_py() == [("k41", 41)]
    pytest.importorskip("pandas")
    frame = conn.execute("UNWIND $maps AS m RETURN m", {"maps": [{f"k{i}": i} for i in range(100)]}).df()
    assert frame["m"][41] == {"k41": 41}


GRAPH = "MATCH p = (a:Person)-[k:KNOWS]->(b:Person) RETURN a, k, p, [a, null, b] AS l ORDER BY id(a), id(b), id(k) LIMIT 100"


def plain(value):
    """As Arrow has it, without the properties that a node does not have."""
    if isinstance(value, trimorph.Node):
        return {"id": value.id, "labels": list(value.labels), "properties": {k: plain(v) for k, v in value.properties.items()}}
    if isinstance(value, trimorph.Relationship):
        properties = {k: plain(v) for k, v in value.properties.items()}
        return {"id": value.id, "type": value.type, "start": value.start, "end": value.end, "properties": properties}
    if isinstance(value, trimorph.Path):
        return {"nodes": [plain(n) for n in value.nodes], "relationships": [plain(r) for r in value.relationships]}
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, (list, tuple)) or type(value).__name__ == "ndarray":
        return [plain(v) for v in value]
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).isoformat()
    return value


def test_graph(network):
    conn = network.connect()
    found, result = table(conn, GRAPH)
    found.validate(full=True)
    assert result.types == ["NODE", "RELATIONSHIP", "PATH", "LIST<NODE>"]
    rows = [[plain(cell) for cell in row] for row in conn.execute(GRAPH)]
    assert len(rows) == 100
    assert [[plain(cell) for cell in row.values()] for row in found.to_pylist()] == rows
    names = [f.name for f in found.schema.field("a").type]
    assert names == ["id", "labels", "properties"]


def test_graph_in_frames(network):
    conn = network.connect()
    rows = [[plain(cell) for cell in row] for row in conn.execute(GRAPH)]
    pytest.importorskip("pandas")
    frame = conn.execute(GRAPH).df()
    assert [[plain(cell) for cell in row] for row in frame.itertuples(index=False)] == rows
    pytest.importorskip("polars")
    frame = conn.execute(GRAPH).pl()
    assert [[plain(cell) for cell in row] for row in frame.iter_rows()] == rows
    assert frame.select(name=frame["a"].struct.field("properties").struct.field("firstName"))["name"][0] == rows[0][0]["properties"]["firstName"]


@pytest.mark.parametrize(("library", "frame", "cells"), [("pandas", "df", list), ("polars", "pl", lambda column: column.to_list())])
def test_frames(conn, library, frame, cells):
    pytest.importorskip(library)
    made = getattr(conn.execute(NESTED), frame)()
    assert [plain(x) for x in cells(made["ll"])] == [[[i], [], None] for i in range(1, 7)]
    assert [plain(x) for x in cells(made["m"])] == [{"a": i, "b": [str(i), None]} for i in range(1, 5)] + [{}, {}]
    assert [None if x is None else len(x) for x in cells(made["l"])] == [1, 2, None, 4, 5, None]


def test_frames_with_far_dates(conn):
    """What Python's own types do not hold, within lists and maps."""
    pytest.importorskip("pandas")
    text = "UNWIND [[date('+12345-01-01'), null], null, [date('2020-01-01')]] AS l RETURN l, {d: l, t: [localtime('12:00:00.000000001')]} AS m"
    frame = conn.execute(text).df()
    rows = conn.execute(text).fetchall()
    assert list(zip(frame["l"], frame["m"], strict=True)) == rows
    assert isinstance(frame["l"][0][0], trimorph.Date)


def test_parquet_round_trip(network, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    conn = network.connect()
    for text in (GRAPH, NESTED):
        found, _ = table(conn, text)
        parquet.write_table(found, tmp_path / "x.parquet")
        assert parquet.read_table(tmp_path / "x.parquet").to_pylist() == found.to_pylist()


def test_duckdb(network):
    duckdb = pytest.importorskip("duckdb")
    people = network.connect().execute("MATCH (p:Person) RETURN p, [p.firstName, p.lastName] AS names")  # noqa: F841
    (count, names) = duckdb.sql("SELECT count(p.properties.firstName), sum(len(names)) FROM people").fetchall()[0]
    assert names == 2 * count > 0


def test_frames_with_instants(conn):
    """pyarrow would make integers of the instants within lists and maps."""
    pytest.importorskip("pandas")
    text = "UNWIND range(1, 2) AS i RETURN i, [datetime('2020-01-01T12:00Z')] AS l, {t: localdatetime('2020-01-01T12:00:00' + $fine)} AS m, datetime('2020-01-01T12:00Z') AS t"
    for fine in ("", ".000000001"):
        frame = conn.execute(text, {"fine": fine}).df()
        rows = conn.execute(text, {"fine": fine}).fetchall()
        assert [(i, list(cells), m) for i, cells, m in zip(frame["i"], frame["l"], frame["m"], strict=True)] == [row[:3] for row in rows]
        assert list(frame.columns) == ["i", "l", "m", "t"]
        assert str(frame["t"].dtype) == "datetime64[ns, UTC]"


def check_entities(conn):
    """What nodes and relationships of a result have is what a query says of each of them."""
    text = """MATCH (n) OPTIONAL MATCH p = (n)-[r]->(m)
              RETURN n, properties(n), labels(n), r, properties(r), type(r), m, properties(m), [m, r, [n]], {x: m, y: [r]}, p
              ORDER BY id(n), id(m)"""
    rows = conn.execute(text).fetchall()
    assert len(rows) > 300
    for n, properties, labels, r, of_r, kind, m, of_m, items, entries, path in rows:
        assert (n.properties, list(n.labels)) == (properties, labels)
        assert items[2][0].properties == properties
        if r is None:
            assert (m, of_m, items[:2], entries, path) == (None, None, [None, None], {"x": None, "y": [None]}, None)
            continue
        assert (r.properties, r.type, m.properties) == (of_r, kind, of_m)
        assert (items[0].properties, items[1].properties) == (of_m, of_r)
        assert (entries["x"].properties, entries["y"][0].properties) == (of_m, of_r)
        assert [x.properties for x in path.nodes] == [properties, of_m]
        assert [x.properties for x in path.relationships] == [of_r]
        # Copies: what is done with one is not seen in another.
        n.properties["mine"] = 1
        assert "mine" not in items[2][0].properties
    # One after the other, and few.
    known = {one.id: one.properties for (one,) in conn.execute("MATCH (n) RETURN n")}
    for (one,) in conn.execute("MATCH (n) RETURN n ORDER BY id(n) SKIP 100 LIMIT 5"):
        assert one.properties == known[one.id]


def test_entities_of_rows_are_read_together():
    db = trimorph.Database(":memory:")
    conn = db.connect()
    conn.execute(
        "UNWIND range(1, 300) AS i CREATE (:A {n: i, s: CASE i % 3 WHEN 0 THEN null ELSE 'text ' + toString(i) END,"
        " d: date('2020-01-01') + duration({days: i}), l: CASE i % 4 WHEN 0 THEN [i, i] END, m: CASE i % 5 WHEN 0 THEN i WHEN 1 THEN 'x' END})"
    )
    conn.execute("UNWIND range(1, 40) AS i CREATE (:B {n: i, w: i / 2.0})")
    conn.execute("MATCH (a:A), (b:B) WHERE a.n % 40 = b.n CREATE (a)-[:R {x: a.n}]->(b), (b)-[:S]->(a)")
    check_entities(conn)
    db.checkpoint()
    check_entities(conn)
    conn.execute("MATCH (a:A) WHERE a.n % 7 = 0 SET a:C, a.s = 'new', a.z = [true] REMOVE a.d")
    conn.execute("MATCH (:A)-[r:R]->() WHERE r.x % 2 = 0 SET r.x = null, r.y = datetime('2020-01-01T00:00:00Z')")
    check_entities(conn)
    with conn.transaction() as transaction:
        transaction.execute("UNWIND range(1, 30) AS i CREATE (:D {q: i})-[:T {t: i}]->(:A {n: -i})")
        transaction.execute("MATCH (a:A) WHERE a.n % 11 = 0 DETACH DELETE a")
        check_entities(transaction)
        transaction.rollback()
    check_entities(conn)

def test_lengths_of_time_within_others_are_none_of_numbers(conn):
    pytest.importorskip("pandas")
    day = datetime.timedelta(days=1)
    frame = conn.execute("RETURN {d: duration('P1D'), l: [duration('P1D')]} AS m, [{d: duration('P1D')}, null] AS l").df()
    assert frame["m"][0]["d"] == day and list(frame["m"][0]["l"]) == [day]
    assert list(frame["l"][0]) == [{"d": day}, None]
    short = trimorph.Duration(nanos=1)
    frame = conn.execute("RETURN {d: duration({nanoseconds: 1}), l: [duration('P1D')]} AS m").df()
    assert frame["m"][0]["d"] == short and frame["m"][0]["l"] == [day]
