"""Writing and transactions through Python."""

import threading

import pytest
import trimorph


@pytest.fixture
def conn():
    with trimorph.connect() as connection:
        yield connection


def names(conn):
    return [name for (name,) in conn.execute("MATCH (c:City) RETURN c.name ORDER BY c.name")]


def test_a_block_commits(conn):
    with conn.transaction() as tx:
        tx.execute("CREATE (:City {name: $n})", {"n": "Ulm"})
        assert names(tx) == ["Ulm"]
        other = conn.database.connect()
        assert names(other) == []
    assert names(other) == ["Ulm"]


def test_an_exception_rolls_back(conn):
    with pytest.raises(KeyError):
        with conn.transaction() as tx:
            tx.execute("CREATE (:City {name: 'Ulm'})")
            raise KeyError
    assert names(conn) == []
    with pytest.raises(trimorph.QueryError, match="division"):
        with conn.transaction() as tx:
            tx.execute("CREATE (:City {name: 'Ulm'})")
            tx.execute("RETURN 1 / 0").fetchall()
    assert names(conn) == []


def test_begin_commit_rollback(conn):
    conn.begin()
    conn.execute("CREATE (:City {name: 'Ulm'})")
    conn.rollback()
    conn.begin()
    result = conn.execute("CREATE (c:City {name: 'Bonn'}) RETURN c")
    conn.commit()
    ((city,),) = result.fetchall()
    assert dict(city.properties) == {"name": "Bonn"} and list(city.labels) == ["City"]
    assert names(conn) == ["Bonn"]
    for end in (conn.commit, conn.rollback):
        with pytest.raises(trimorph.Error, match="no open transaction"):
            end()
    conn.execute("BEGIN")
    with pytest.raises(trimorph.Error, match="open already"):
        conn.begin()
    conn.execute("CREATE (:City {name: 'Trier'})")
    conn.execute("COMMIT")
    assert names(conn) == ["Bonn", "Trier"]


def test_a_failed_statement_fails_the_transaction(conn):
    conn.begin()
    conn.execute("CREATE (:City {name: 'Ulm'})")
    with pytest.raises(trimorph.QueryError):
        conn.execute("CREATE (:City {name: {}})")
    with pytest.raises(trimorph.Error, match="roll it back"):
        conn.execute("RETURN 1")
    with pytest.raises(trimorph.Error, match="rolled back"):
        conn.commit()
    assert names(conn) == []


def test_the_second_writer_of_a_value_gets_a_conflict(conn):
    conn.execute("CREATE (:City {name: 'Ulm', n: 0})")
    other = conn.database.connect()
    conn.begin()
    conn.execute("MATCH (c:City) SET c.n = 1")
    with pytest.raises(trimorph.TransactionConflict):
        other.execute("MATCH (c:City) SET c.n = 2")
    conn.commit()
    other.execute("MATCH (c:City) SET c.n = c.n + 2")
    assert conn.execute("MATCH (c:City) RETURN c.n").fetchall() == [(3,)]


def test_edges_and_deleted_ends(conn):
    conn.execute("CREATE (:A {i: 1}), (:B {i: 1})")
    other = conn.database.connect()
    conn.begin()
    conn.execute("MATCH (a:A) DELETE a")
    with pytest.raises(trimorph.TransactionConflict):
        other.execute("MATCH (a:A), (b:B) CREATE (a)-[:T]->(b)")
    conn.commit()
    assert conn.execute("MATCH (n) RETURN count(*)").fetchall() == [(1,)]


def test_many_writers(conn):
    conn.execute("CREATE (:Counter {n: 0})")

    def add():
        own = conn.database.connect()
        for _ in range(50):
            while True:
                try:
                    own.execute("MATCH (c:Counter) SET c.n = c.n + 1")
                    break
                except trimorph.TransactionConflict:
                    pass

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert conn.execute("MATCH (c:Counter) RETURN c.n").fetchall() == [(200,)]


def test_a_directory_is_not_written_to_yet(tmp_path):
    with trimorph.connect(tmp_path / "db") as conn:
        with pytest.raises(trimorph.StorageError, match="cannot be written to yet"):
            conn.execute("CREATE (:City)")


def test_levels(conn):
    for level in ("serializable", "read committed"):
        with pytest.raises(trimorph.QueryError, match="not available in this version"):
            conn.transaction(isolation=level)
    with pytest.raises(ValueError, match="no isolation level"):
        conn.transaction(isolation="chaos")


def test_large_writes_go_through_everything(conn):
    rows = [{"id": i, "name": f"name {i}", "score": None if i % 7 == 0 else i / 3} for i in range(20_000)]
    conn.execute("UNWIND $rows AS row CREATE (:P {id: row.id, name: row.name, score: row.score})", {"rows": rows})
    assert conn.execute("MATCH (p:P) RETURN count(*), count(p.score), min(p.name)").fetchall() == [(20_000, 17_142, "name 0")]
    conn.execute("MATCH (p:P) WHERE p.id % 2 = 0 SET p.even = true")
    conn.execute("MATCH (a:P), (b:P) WHERE b.id = a.id + 1 CREATE (a)-[:NEXT {w: a.id}]->(b)")
    assert conn.execute("MATCH (a:P)-[r:NEXT]->(b) WHERE r.w < 10 RETURN count(*), sum(b.id)").fetchall() == [(10, 55)]
    table = conn.execute("MATCH (p:P) RETURN p.id AS id, p.even AS even ORDER BY id").arrow()
    assert table.num_rows == 20_000 and table.column("even").null_count == 10_000
    conn.execute("MATCH (p:P) WHERE p.id >= 100 DETACH DELETE p")
    assert conn.execute("MATCH (p:P)-[:NEXT]->(q) RETURN count(*), max(q.id)").fetchall() == [(99, 99)]
