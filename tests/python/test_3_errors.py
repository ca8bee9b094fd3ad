"""Errors: their classes, attributes and words."""

import pickle

import pytest
import trimorph


def test_tree():
    for name in ("QueryError", "TransactionConflict", "LoadError", "StorageError", "MemoryLimitExceeded", "Cancelled", "Timeout"):
        assert issubclass(getattr(trimorph, name), trimorph.Error)


def test_place_and_hint(conn):
    with pytest.raises(trimorph.QueryError) as raised:
        conn.execute("MATCH (name)\nWITH name\nRETURN  nmae")
    error = raised.value
    assert (error.kind, error.phase, error.detail) == ("SyntaxError", "compile", "UndefinedVariable")
    assert (error.line, error.column) == (3, 9)
    assert str(error).splitlines()[1:3] == [" 3 | RETURN  nmae", "   |         ^^^^ line 3, column 9"]
    assert "name" in error.hint
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.line) == (type(error), str(error), 3)


def test_notices(network):
    conn = network.connect()
    for _ in range(2):
        result = conn.execute("MATCH (n:Persn)\nRETURN n.nmae AS x")
        label, key = result.notices
        assert (label.detail, label.message, label.line, label.column) == ("UnknownLabel", 'no node has the label "Persn"', 1, 10)
        assert label.hint == 'did you mean "Person"?'
        assert (key.detail, key.line, key.column) == ("UnknownProperty", 2, 10)
        assert str(label).splitlines()[1:3] == [" 1 | MATCH (n:Persn)", "   |          ^^^^^ line 1, column 10"]
        assert "Persn" in repr(label)
        assert result.fetchall() == []
    assert conn.execute("MATCH (n:Person) RETURN count(n.firstName)").notices == []
    (empty,) = trimorph.connect().execute("MATCH (n:Persn) RETURN n").notices
    assert (empty.detail, empty.message) == ("EmptyDatabase", "the database is empty")
    (never,) = conn.execute("MATCH (p:Person) WHERE p.id = $id RETURN p", {"id": "7"}).notices
    assert never.detail == "NeverTrue" and "toInteger($id)" in never.hint
    assert len(conn.prepare("MATCH (n:Persn) RETURN n").execute().notices) == 1
    (shadowed,) = conn.execute("MATCH (p:Person) CALL { MATCH (p) RETURN count(*) AS n } RETURN n").notices
    assert (shadowed.detail, shadowed.column) == ("ShadowedVariable", 32) and "CALL (p)" in shadowed.hint
    for text in ("CALL (p) { MATCH (p) RETURN 1 AS n }", "CALL { WITH p MATCH (p) RETURN 1 AS n }", "CALL { MATCH (q) RETURN 1 AS n LIMIT 1 }"):
        assert conn.execute("MATCH (p:Person) " + text + " RETURN n").notices == []
    (durations,) = conn.execute("RETURN duration('PT1H') < duration('P1D') AS x").notices
    assert (durations.detail, durations.column) == ("NeverTrue", 25)
    assert conn.execute("RETURN duration('PT1H') = duration('P1D') AS x").notices == []


def test_runtime(conn):
    with pytest.raises(trimorph.QueryError) as raised:
        conn.execute("UNWIND [0] AS x RETURN 1 / x").fetchall()
    assert (raised.value.kind, raised.value.phase, raised.value.line) == ("ArithmeticError", "runtime", 1)


def test_parameter_missing(conn):
    with pytest.raises(trimorph.QueryError) as raised:
        conn.execute("RETURN $who")
    assert raised.value.kind == "ParameterMissing"
    assert "who" in str(raised.value)


@pytest.mark.parametrize("text", ["", " ", ";", "RETURN", "RETURN 'a", "\0", "é😀", "RETURN " + "(" * 100_000, "PROFILE", "RETURN 1 RETURN 2"])
def test_nonsense_is_a_query_error(conn, text):
    with pytest.raises(trimorph.QueryError):
        conn.execute(text).fetchall()


def test_what_is_not_there_yet(conn):
    for attempt in (lambda: conn.sql("SELECT 1"),
                    lambda: conn.execute("SELECT 1", lang="sql"), lambda: conn.prepare("SELECT 1", lang="sql")):  # fmt: skip
        with pytest.raises(trimorph.QueryError, match="not available in this version") as raised:
            attempt()
        assert raised.value.kind == "Unsupported"
    with pytest.raises(ValueError, match="no language"):
        conn.execute("g.V()", lang="gremlin")


def test_memory_limit():
    with trimorph.connect(memory_limit="4 MiB", threads=1) as conn:
        with pytest.raises(trimorph.MemoryLimitExceeded, match="memory limit"):
            conn.execute("UNWIND range(1, 300) AS a UNWIND range(1, 10000) AS b WITH a, b ORDER BY b, a RETURN collect(a + b)").fetchall()
        assert conn.execute("RETURN 1").fetchone() == (1,)


@pytest.mark.parametrize("limit", ["", "8 XB", "GB", "-1", -1, 1.5, "1e3GB", True and [] or {}])
def test_bad_memory_limit(limit):
    with pytest.raises(ValueError, match="memory_limit"):
        trimorph.Database(memory_limit=limit)


def test_bad_options(network):
    with pytest.raises(ValueError, match="threads"):
        trimorph.Database(threads=0)
    with pytest.raises(ValueError, match="neo4j-csv"):
        trimorph.Database().load("x", format="tsv")
    with pytest.raises(TypeError, match="at least one path"):
        trimorph.Database().load()
    with pytest.raises(TypeError, match="progress"):
        trimorph.Database().load("x", progress=5)
    with pytest.raises(ValueError, match="scale"):
        trimorph.Database().generate_snb(float("nan"))
    with pytest.raises(trimorph.LoadError, match="/nowhere"):
        trimorph.Database().load("/nowhere")
    with pytest.raises(trimorph.LoadError, match="is in the database already"):
        network.generate_snb(0.001)
    with pytest.raises(ValueError, match="on_conflict is one of error, skip, merge"):
        trimorph.Database().load("x", on_conflict="replace")
