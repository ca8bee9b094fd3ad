"""Results: lazy, in every form, readable after everything else is closed."""

import decimal
import gc
import json
import re
import time
import weakref

import pytest
import trimorph

ROWS = "UNWIND range(1, 5) AS x RETURN x, x * 1.5 AS y, 'r' + toString(x) AS z"
MANY = "UNWIND range(1, 10000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN a, b, c"


def test_fetching(conn):
    result = conn.execute(ROWS)
    assert result.columns == ["x", "y", "z"]
    assert result.types[0] == "INTEGER"
    assert result.fetchone() == (1, 1.5, "r1")
    assert result.fetchmany(2) == [(2, 3.0, "r2"), (3, 4.5, "r3")]
    assert next(result) == (4, 6.0, "r4")
    assert result.fetchmany(0) == []
    assert result.fetchall() == [(5, 7.5, "r5")]
    assert result.fetchone() is None
    assert result.fetchmany(9) == []
    assert conn.execute("UNWIND [1, 2] AS x RETURN x, null AS n").rows_as_dict() == [{"x": 1, "n": None}, {"x": 2, "n": None}]


def test_nothing_is_computed_that_is_not_fetched(conn):
    start = time.perf_counter()
    result = conn.execute(MANY)
    assert result.fetchone() == (1, 1, 1)
    assert len(result.fetchmany(5000)) == 5000
    repr(result)
    assert time.perf_counter() - start < 60


def test_looking_does_not_fetch(conn, capsys):
    result = conn.execute("UNWIND range(1, 30) AS x RETURN x, '<b>\n' AS t")
    assert "(first 20 rows, there are more)" in repr(result)
    result.show(2)
    assert "(first 2 rows, there are more)" in capsys.readouterr().out
    assert "&lt;b&gt;" in result._repr_html_()
    assert [x for x, _ in result] == list(range(1, 31))
    assert "read to its end" in repr(result)
    arrow = conn.execute("UNWIND range(1, 30) AS x RETURN x")
    repr(arrow), arrow.fetchone()
    pytest.importorskip("pyarrow")
    assert arrow.arrow()["x"].to_pylist() == list(range(2, 31))


def test_many_columns_are_shown_from_both_ends(conn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    head, rule, row, foot = repr(conn.execute("RETURN " + ", ".join(f"{i} AS column_{i}" for i in range(60)))).splitlines()
    assert head.split(" │ ") == ["column_0", "column_1", "column_2", "…", "column_58", "column_59"]
    assert row.split() == ["0", "│", "1", "│", "2", "│", "…", "│", "58", "│", "59"]
    assert foot == "(1 row; 5 of 60 columns are shown)" and len(rule) == len(head) <= 60
    assert repr(conn.execute("RETURN $a AS a, $a AS b", {"a": "x" * 70})).splitlines()[2] == " │ ".join(["x" * 27 + "…"] * 2)
    assert repr(conn.execute("RETURN 1 AS a, 2 AS b")).endswith("(1 row)")
    assert "first 20 rows, there are more; 5 of 60" in repr(conn.execute("UNWIND range(1, 30) AS i RETURN " + ", ".join(f"i AS column_{i}" for i in range(60))))


@pytest.mark.parametrize("room", [30, 40, 80])
def test_long_texts_make_room_for_other_columns(conn, monkeypatch, room):
    monkeypatch.setenv("COLUMNS", str(room))
    lines = repr(conn.execute("RETURN $a AS long, 2 AS b, '日本' AS c", {"a": "日" * 70})).splitlines()
    assert max(map(trimorph._trimorph.text_width, lines[:3])) <= room and lines[0].split()[::2] == ["long", "b", "c"]
    assert "…" in lines[2] and lines[-1] == "(1 row)"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("e\u0301" * 30, "e\u0301" * 30),
        ("👨\u200d👩\u200d👧" * 31, None),
        ("red \x1b[31m bell \x07\x00 \x9b \t\r\n", "red \\u{1b}[31m bell \\u{7}\\u{0} \\u{9b} \\t\\r\\n"),
    ],
)
def test_cells_are_as_wide_as_they_look(conn, value, shown):
    cell, after = repr(conn.execute("RETURN $a AS a, 1 AS b", {"a": value})).splitlines()[2].split(" │ ")
    assert after == "1"
    if shown is None:
        assert cell.endswith("…") and "\u200d…" not in cell and len(cell) < len(value)
    else:
        assert cell.rstrip() == shown


def test_an_error_is_not_the_end_of_the_rows(conn):
    result = conn.execute("UNWIND [1, 2, 0, 4] AS x RETURN 10 / x AS y")
    assert "division by zero" in repr(result)
    for fetch in (result.fetchone, result.fetchall, lambda: list(result), lambda: result.fetchmany(3)):
        with pytest.raises(trimorph.QueryError, match="division by zero"):
            fetch()


def test_a_failed_result_does_not_keep_itself_alive(conn):
    class Canary:
        pass

    def fail():
        canary, result = Canary(), conn.execute("UNWIND [0] AS x RETURN 1 / x")
        try:
            result.fetchall()
        except trimorph.QueryError:
            pass
        return weakref.ref(canary)

    alive = fail()
    gc.collect()
    assert alive() is None


def test_stats_plan_profile(conn):
    result = conn.execute(ROWS)
    assert result.stats.nodes_created == result.stats["relationships_created"] == 0
    assert set(dict(result.stats).values()) == {0}
    assert not result.stats.contains_updates
    made = conn.execute("CREATE (a:A {x: 1})-[:R]->(:B:A) SET a.y = null").stats
    assert (made.nodes_created, made.relationships_created, made.labels_added, made.properties_set) == (2, 1, 3, 1)
    assert made.contains_updates and made["properties_removed"] == 1
    assert str(made) == "created 2 nodes, created 1 relationship, set 1 property, removed 1 property, added 3 labels"
    assert ("nodes_created", 2) in made.items() and str(result.stats) == "nothing changed"
    assert repr(conn.execute("CREATE ()")) == "(created 1 node)" and repr(conn.execute("MATCH (n:No) DELETE n")) == "(nothing changed)"
    assert conn.execute("CREATE ()")._repr_html_() == "<small>created 1 node</small>"
    assert conn.execute("CREATE INDEX FOR (a:A) ON (a.x)").stats.indexes_added == 1
    with pytest.raises(AttributeError):
        made.nodes_invented
    conn.execute("MATCH (n:A) DETACH DELETE n")
    conn.execute("DROP INDEX a_x_index")
    assert "Unwind" in result.plan
    assert result.profile is None
    profiled = conn.execute("PROFILE " + ROWS)
    assert profiled.profile.splitlines()[0].split() == ["rows", "estimate", "own", "total", "share", "operator"]
    assert profiled.profile.splitlines()[1].split()[0] == "5"
    assert json.loads(profiled.plan_as("json"))["plan"]["rows"] == 5
    assert "[" in result.plan_as("codes") and result.plan_as("html").startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match="text, codes, json, html"):
        result.plan_as("yaml")
    assert conn.execute("EXPLAIN (JSON) RETURN 1").plan.startswith('{"profiled": false')
    assert "Unwind" in "".join(line for (line,) in profiled)
    assert "Unwind" in "".join(line for (line,) in conn.execute("EXPLAIN " + ROWS))


def test_prepared(network):
    conn = network.connect()
    (id,) = conn.execute("MATCH (p:Person) RETURN p.id LIMIT 1").fetchone()
    prepared = conn.prepare("MATCH (p:Person {id: $id}) RETURN p.id")
    assert prepared.execute({"id": id}).fetchall() == [(id,)]
    assert prepared.execute({"id": -1}).fetchall() == []
    with pytest.raises(trimorph.QueryError) as raised:
        prepared.execute()
    assert raised.value.kind == "ParameterMissing"
    assert "Person" in prepared.text


def test_a_connection_executes_what_it_prepared(conn):
    prepared = conn.prepare("RETURN $x + 1 AS y")
    assert conn.execute(prepared, {"x": 1}).fetchone() == (2,)
    assert conn.execute(prepared, parameters={"x": 2}).fetchone() == (3,)
    assert conn.execute("RETURN $x", parameters={"x": 2}).fetchone() == (2,)
    endless = conn.prepare("UNWIND range(1, 10000000000) AS i WITH i WHERE i < 0 RETURN count(i)")
    with pytest.raises(trimorph.Timeout):
        conn.execute(endless, timeout=0.2).fetchall()
    with pytest.raises(TypeError, match="give one of them"):
        conn.execute(prepared, {"x": 1}, parameters={"x": 1})
    with pytest.raises(ValueError, match="another connection"):
        conn.database.connect().execute(prepared, {"x": 1})
    with pytest.raises(TypeError, match="str"):
        conn.execute(7)


def test_prepared_before_the_data():
    database = trimorph.Database()
    prepared = database.connect().prepare("MATCH (p:Person) RETURN count(p)")
    assert prepared.execute().fetchone() == (0,)
    database.generate_snb(0.003, 1)
    assert prepared.execute().fetchone()[0] > 0


def test_results_outlive_everything():
    database = trimorph.Database()
    database.generate_snb(0.003, 1)
    conn = database.connect()
    expected = conn.execute("MATCH (p:Person) RETURN p.firstName, p").fetchall()
    result = conn.execute("MATCH (p:Person) RETURN p.firstName, p")
    first = result.fetchone()
    conn.close()
    database.close()
    del conn, database
    gc.collect()
    assert [first, *result] == expected


def test_arrow_shares_buffers(network):
    pa = pytest.importorskip("pyarrow")
    conn = network.connect()
    before = pa.total_allocated_bytes()
    table = conn.execute("MATCH (a:Person)-[:KNOWS]->(b)-[:KNOWS]->(c) RETURN a.id AS a, c.firstName AS name, c.birthday AS day").arrow()
    assert pa.total_allocated_bytes() == before, "pyarrow made buffers of its own"
    assert table.schema == pa.schema([("a", pa.int64()), ("name", pa.string()), ("day", pa.date32())])
    rows = conn.execute("MATCH (a:Person)-[:KNOWS]->(b)-[:KNOWS]->(c) RETURN a.id AS a, c.firstName AS name, c.birthday AS day").fetchall()
    assert table.num_rows == len(rows) > 100
    key = lambda r: tuple(map(str, r))  # noqa: E731
    assert sorted(zip(*(c.to_pylist() for c in table.columns), strict=True), key=key) == sorted(rows, key=key)


def addresses(table):
    """Where the buffers of a table are, a list for each chunk."""
    return [[b and b.address for b in chunk.buffers()] for column in table.columns for chunk in column.chunks]


def test_arrow_copies_nothing(network):
    """Two tables made of one result, the second of the same arrays of the engine, lie at the same addresses."""
    pa = pytest.importorskip("pyarrow")
    conn = network.connect()
    text = "MATCH (m:Comment) RETURN m.id AS id, m.length * 0.5 AS half, m.creationDate AS created, m.content AS content"
    arrays = conn.execute(text)._table()
    first, second = pa.table(arrays), pa.table(arrays)
    assert addresses(first) == addresses(second)
    assert first.column(0).num_chunks < first.num_rows / 10_000 + 2
    values = first["id"].chunk(0).to_numpy(zero_copy_only=True)
    assert values.__array_interface__["data"][0] == addresses(first)[0][1]
    # Rows that are not ordered come in any order.
    by_id = lambda rows: sorted(rows, key=lambda row: row["id"])  # noqa: E731
    assert by_id(first.to_pylist()) == by_id(conn.execute(text).rows_as_dict())


def test_decimals(conn):
    pa = pytest.importorskip("pyarrow")
    D = decimal.Decimal  # noqa: N806

    def table(*values):
        return conn.execute("UNWIND $values AS x RETURN x", {"values": values}).arrow()

    assert table(D("1.5"), None, D("-22.25")).schema.types == [pa.decimal128(38, 2)]
    assert table(D("1.5"), None, D("-22.25"), 3)["x"].to_pylist() == [D("1.50"), None, D("-22.25"), D("3.00")]
    # What no one scale fits is text, and so are decimals among floats.
    assert table(D("9" * 38), D("0.5"))["x"].to_pylist() == ["9" * 38, "0.5"]
    assert table(D("0.5"), 0.25)["x"].to_pylist() == ["0.5", "0.25"]
    # A stream does not know the longest one and leaves room.
    result = conn.execute("UNWIND $values AS x RETURN x", {"values": [D("1.5"), D("0.125")]})
    stream = result.fetch_record_batch()
    assert stream.schema.types == [pa.decimal128(38, 18)]
    assert stream.read_all()["x"].to_pylist() == [D("1.5"), D("0.125")]


@pytest.mark.parametrize(("library", "frame", "cells"), [("pandas", "df", list), ("polars", "pl", lambda column: column.to_list())])
def test_decimals_in_frames(conn, library, frame, cells):
    pytest.importorskip(library)
    values = [decimal.Decimal("1.5"), decimal.Decimal("0.125")]
    result = conn.execute("UNWIND $values AS x RETURN x", {"values": values})
    assert cells(getattr(result, frame)()["x"]) == values


def test_decimals_and_iris_of_files(tmp_path):
    """In from CSV, out as Arrow, to Parquet, in again."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "shop.csv").write_text("id:ID,price:decimal,home:iri,:LABEL\na,12.50,urn:a,Shop\nb,0.125,,Shop\nc,,urn:c,Shop\n")
    (tmp_path / "shop.json").write_text('{"nodes": [{"file": "shop.parquet", "labels": ["Shop"], "key": "id", "columns": {"home": "iri"}}]}')
    text = "MATCH (s:Shop) RETURN s.id AS id, s.price AS price, s.home AS home, s.price * 2 AS twice ORDER BY id"
    expected = [
        ("a", decimal.Decimal("12.5"), trimorph.IRI("urn:a"), decimal.Decimal(25)),
        ("b", decimal.Decimal("0.125"), None, decimal.Decimal("0.25")),
        ("c", None, trimorph.IRI("urn:c"), None),
    ]
    for file in ("shop.csv", "shop.json"):
        database = trimorph.Database()
        database.load(tmp_path / file)
        conn = database.connect()
        assert conn.execute(text).fetchall() == expected
        table = conn.execute(text).arrow()
        assert table.schema.types == [pa.string(), pa.decimal128(38, 3), pa.string(), pa.decimal128(38, 2)]
        parquet.write_table(table.select(["id", "price"]).append_column("home", pa.array(["urn:a", None, "urn:c"])), tmp_path / "shop.parquet")
    (tmp_path / "bad.csv").write_text("id:ID,price:decimal\na,1\nb,1e3\n")
    with pytest.raises(trimorph.LoadError, match=r'bad.csv:3: column "price:decimal": "1e3" is not a valid DECIMAL'):
        trimorph.Database().load(tmp_path / "bad.csv")


def test_arrow_outlives_the_database():
    pytest.importorskip("pyarrow")
    database = trimorph.Database()
    database.generate_snb(0.003, 1)
    table = database.connect().execute("MATCH (p:Person) RETURN p.id, p.firstName").arrow()
    copy = table.to_pylist()
    database.close()
    del database
    gc.collect()
    assert table.to_pylist() == copy


def test_arrow_types(conn):
    pa = pytest.importorskip("pyarrow")
    table = conn.execute("UNWIND [1, null, 3] AS x RETURN x, x * 0.5 AS f, x = 1 AS b, toString(x) AS s, [x] AS l, date('2020-01-01') AS d").arrow()
    assert table.schema.types == [pa.int64(), pa.float64(), pa.bool_(), pa.string(), pa.list_(pa.int64()), pa.date32()]
    assert table["x"].to_pylist() == [1, None, 3]
    assert table["l"].to_pylist() == [[1], [None], [3]]
    empty = conn.execute("UNWIND [] AS x RETURN x, 1 AS y").arrow()
    assert (empty.num_rows, empty.column_names) == (0, ["x", "y"])
    result = conn.execute("UNWIND [1] AS x RETURN x")
    assert pa.RecordBatchReader.from_stream(result).read_all().num_rows == 1
    assert result.fetchone() is None


def test_arrow_raises_what_the_query_raises(conn):
    pytest.importorskip("pyarrow")
    result = conn.execute("UNWIND [1, 0] AS x RETURN 1 / x")
    for _ in range(2):
        with pytest.raises(trimorph.QueryError, match="division by zero"):
            result.arrow()


def test_df(conn):
    pytest.importorskip("pandas")
    frame = conn.execute(ROWS).df()
    assert list(frame.columns) == ["x", "y", "z"]
    assert frame["y"].sum() == 22.5


def test_pl(conn):
    pytest.importorskip("polars")
    frame = conn.execute(ROWS).pl()
    assert frame.columns == ["x", "y", "z"]
    assert frame["y"].sum() == 22.5


def test_networkx(network):
    pytest.importorskip("networkx")
    conn = network.connect()
    graph = conn.execute("MATCH (a:Person)-[k:KNOWS]->(b) RETURN a, k, b").networkx()
    assert graph.number_of_edges() == conn.execute("MATCH (:Person)-[k:KNOWS]->() RETURN count(k)").fetchone()[0]
    node, data = next(iter(graph.nodes(data=True)))
    assert data["labels"] == ("Person",)
    assert data["firstName"]
    assert next(iter(graph.edges(data="type")))[2] == "KNOWS"
    paths = conn.execute("MATCH p = (:Person)-[:KNOWS]->() RETURN [p], {q: p} LIMIT 10").networkx()
    assert paths.number_of_edges() == 10


def test_a_query_is_planned_with_its_parameters(network):
    """EXPLAIN shows the estimates of the value given, as it does where the value stands in the text."""
    conn = network.connect()
    ids = [id for (id,) in conn.execute("MATCH (p:Person) RETURN p.id ORDER BY p.id")]
    text = "EXPLAIN (CODES) MATCH (p:Person)-[:KNOWS]->(q) WHERE p.id < $id RETURN q"
    numbers = []
    for value in (ids[len(ids) // 10], ids[-1]):
        given = conn.execute(text, {"id": value}).fetchall()
        written = conn.execute(text.replace("$id", str(value))).fetchall()
        of_given, of_written = (re.findall(r"~\S+ rows", str(plan)) for plan in (given, written))
        assert of_given == of_written
        numbers.append(of_given)
    assert numbers[0] != numbers[1]


def test_the_garbage_collector_waits_while_rows_are_made():
    conn = trimorph.Database(":memory:").connect()
    conn.execute("UNWIND range(1, 20000) AS i CREATE (:N {i: i, l: [i]})")
    began = []
    gc.callbacks.append(lambda phase, info: began.append(info["generation"]) if phase == "start" else None)
    try:
        rows = conn.execute("MATCH (n:N) RETURN n").fetchall()
    finally:
        gc.callbacks.pop()
    assert len(rows) == 20000 and gc.isenabled()
    # Twenty thousand nodes with a dict and a list each would be 80 and more.
    assert len(began) < 40
    gc.disable()
    try:
        assert len(conn.execute("MATCH (n:N) RETURN n").fetchall()) == 20000
        assert not gc.isenabled()
    finally:
        gc.enable()
    with pytest.raises(trimorph.Error):
        conn.execute("MATCH (n:N) RETURN n, CASE WHEN n.i = 19999 THEN 1 / 0 END").fetchall()
    assert gc.isenabled()


def test_a_closed_result_lets_go_and_says_so(conn):
    with conn.execute("UNWIND range(1, 100000) AS x RETURN x") as result:
        assert result.fetchone() == (1,)
    for read in (result.fetchone, result.fetchall, result.arrow, lambda: next(iter(result)), lambda: result.get_next(), lambda: list(result.fetch_record_batch())):
        with pytest.raises(trimorph.InterfaceError, match="the result is closed"):
            read()
    result.close()
    assert result.columns == ["x"]
    whole = conn.execute("RETURN 1 AS x")
    assert whole.fetchall() == [(1,)]
    whole.close()
    with pytest.raises(trimorph.InterfaceError, match="closed"):
        whole.fetchall()
