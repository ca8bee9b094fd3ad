"""Reading a result: never silently empty, also by the names that Kuzu has; how results and plans are shown."""

import pytest

import trimorph


def whole(name):
    return lambda result: getattr(result, name)()


def by_stream(result):
    import pyarrow

    return pyarrow.table(result)


WAYS = {
    "iteration": list,
    "fetchall": whole("fetchall"),
    "rows_as_dict": whole("rows_as_dict"),
    "get_all": whole("get_all"),
    "serialize": lambda result: result.serialize("csv"),
    "networkx": whole("networkx"),
    "arrow": whole("arrow"),
    "df": whole("df"),
    "pl": whole("pl"),
    "stream": by_stream,
    "reader": lambda result: result.fetch_record_batch().read_all(),
}
NEEDS = {"networkx": "networkx", "arrow": "pyarrow", "df": "pandas", "pl": "polars", "stream": "pyarrow", "reader": "pyarrow"}


@pytest.mark.parametrize("second", WAYS)
@pytest.mark.parametrize("first", WAYS)
def test_read_twice_raises(conn, first, second):
    for way in (first, second):
        if way in NEEDS:
            pytest.importorskip(NEEDS[way], reason=f"{NEEDS[way]} is not installed")
    result = conn.sparql("SELECT ?x { VALUES ?x { 1 2 } }")
    WAYS[first](result)
    with pytest.raises(trimorph.InterfaceError, match="all rows of the result were read: run the query again"):
        WAYS[second](result)
    assert "read to its end" in repr(result) and "read to its end" in result._repr_html_()
    assert result.fetchone() is None and result.fetchmany(3) == [] and not result.has_next()
    nothing = conn.sparql("SELECT ?x { ?x <http://example.org/nothing> ?y }")
    WAYS[first](nothing), WAYS[second](nothing)


def test_rest_of_what_was_fetched(conn):
    result = conn.execute("UNWIND [1, 2, 3] AS x RETURN x")
    assert result.fetchone() == (1,)
    for row in result:
        assert row == (2,)
        break
    assert result.fetchall() == [(3,)]
    result = conn.execute("UNWIND [1, 2, 3] AS x RETURN x")
    assert result.fetchmany(10) == [(1,), (2,), (3,)]
    assert result.fetchall() == [], "whoever fetches some at a time sees the end"


def test_a_connection_of_a_database(conn):
    conn.execute("CREATE (:A)")
    with trimorph.Connection(conn.database) as other:
        assert other.execute("MATCH (a:A) RETURN count(a)").fetchone() == (1,)
    assert conn.execute("RETURN 1").fetchone() == (1,), "what it was made of stays open"
    with pytest.raises(TypeError, match="Database"):
        trimorph.Connection("social.tm")


def test_names_of_kuzu(conn):
    ask = lambda: conn.execute("UNWIND [1, 2, 3] AS x RETURN x, toString(x) AS s")
    result = ask()
    rows = []
    while result.has_next():
        rows.append(result.get_next())
    assert rows == [(1, "1"), (2, "2"), (3, "3")]
    with pytest.raises(trimorph.InterfaceError, match="no more rows"):
        result.get_next()
    result = ask()
    assert result.get_column_names() == ["x", "s"] and result.get_column_data_types()[1] == "STRING"
    assert result.get_n(2) == rows[:2] and result.get_num_tuples() == 3 and result.get_all() == rows[2:]
    assert result.get_num_tuples() == 3
    assert result.get_execution_time() >= 0 and result.get_compiling_time() > 0
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("polars", reason="polars is not installed")
    assert isinstance(ask().get_as_df(), pd.DataFrame)
    assert ask().get_as_pl().shape == (3, 2) and ask().get_as_arrow().num_rows == 3 and ask().get_as_arrow(8).num_rows == 3
    pytest.importorskip("networkx", reason="networkx is not installed")
    conn.execute("CREATE (:A)-[:R]->(:B)")
    text = "MATCH (a)-[r]->(b) RETURN *"
    assert conn.execute(text).get_as_networkx().is_directed() and not conn.execute(text).get_as_networkx(directed=False).is_directed()


def test_wide_characters_are_aligned(conn):
    result = conn.execute("UNWIND ['漢字', 'abc', 'e\\u0301', '👍'] AS x RETURN x, 1 AS y")
    lines = repr(result).splitlines()
    assert lines[2] == "漢字 │ 1" and lines[3] == "abc  │ 1" and lines[4] == "e\u0301    │ 1" and lines[5] == "👍   │ 1"
    long = conn.execute("RETURN '" + "漢" * 100 + "' AS x")
    cell = repr(long).splitlines()[2]
    assert cell == "漢" * 29 + "…"


@pytest.mark.parametrize("word", ["EXPLAIN", "PROFILE", " explain"])
def test_plans_are_shown_as_they_were_drawn(conn, word):
    conn.execute("CREATE (:A {x: '<&>'})-[:R]->(:B)")
    result = conn.execute(f"{word} MATCH (a:A {{x: '<&>'}})-[:R]->(b) RETURN a.x, b")
    shown = repr(result)
    assert len(shown.splitlines()) > 2 and "row" in shown and "│ 1" not in shown
    html = result._repr_html_()
    assert 'class="trimorph-plan"' in html and "<&>" not in html and "&lt;&amp;&gt;" in html and "<script" not in html
    assert shown.splitlines() == [row[0] for row in result.fetchall()]


def test_sparql_in_a_transaction(conn):
    with conn.transaction() as tx:
        tx.sparql("INSERT DATA { <http://e/a> <http://e/p> 1 }")
        assert tx.sparql("SELECT ?x { ?s <p> ?x }", base="http://e/").fetchall() == [(1,)]
        assert tx.execute("MATCH (n) RETURN count(n)").fetchone()[0] >= 0
    conn.begin()
    conn.sparql("INSERT DATA { <http://e/b> <http://e/p> 2 }")
    conn.rollback()
    assert conn.sparql("SELECT ?x { ?s <http://e/p> ?x }").fetchall() == [(1,)]
