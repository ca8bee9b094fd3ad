"""Writing and transactions through Python."""

import subprocess
import sys
import threading
import time

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


def test_nothing_is_asked_outside(conn):
    """What a transaction that is not open were asked would commit by itself."""
    tx = conn.transaction()
    with pytest.raises(trimorph.Error, match="not open"):
        tx.execute("CREATE (:City {name: 'Ulm'})")
    with tx:
        tx.execute("CREATE (:City {name: 'Bonn'})")
        tx.rollback()
        with pytest.raises(trimorph.Error, match="not open"):
            tx.execute("CREATE (:City {name: 'Ulm'})")
        with pytest.raises(trimorph.Error, match="not open"):
            tx.sparql("INSERT DATA { [] a <urn:City> }")
    assert names(conn) == []


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


def test_a_failed_statement_undoes_itself_only(conn):
    conn.begin()
    conn.execute("CREATE (:City {name: 'Ulm'})")
    with pytest.raises(trimorph.QueryError):
        conn.execute("CREATE (:City {name: 'Bonn'}) WITH 1 AS one RETURN one / 0")
    assert names(conn) == ["Ulm"]
    conn.commit()
    assert names(conn) == ["Ulm"]


def test_a_conflict_ends_the_transaction(conn):
    conn.execute("CREATE (:City {name: 'Ulm', n: 0})")
    other = conn.database.connect()
    other.begin()
    other.execute("RETURN 1")
    conn.execute("MATCH (c:City) SET c.n = 1")
    with pytest.raises(trimorph.TransactionConflict):
        other.execute("MATCH (c:City) SET c.n = 2")
    with pytest.raises(trimorph.Error, match="roll it back"):
        other.execute("RETURN 1")
    with pytest.raises(trimorph.Error, match="cannot be committed"):
        other.commit()
    other.execute("MATCH (c:City) SET c.n = c.n + 2")
    assert conn.execute("MATCH (c:City) RETURN c.n").fetchall() == [(3,)]


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


def test_what_is_written_to_a_directory_lasts(tmp_path):
    with pytest.raises(trimorph.StorageError, match="no database at"):
        trimorph.connect(tmp_path / "db", must_exist=True)
    for i, durability in enumerate(("durable", "relaxed")):
        with trimorph.connect(tmp_path / "db", mode="create", durability=durability) as conn:
            conn.execute("CREATE (:City {n: $n})-[:IN]->(:Land)", {"n": i})
            with conn.transaction() as tx:
                tx.execute("MATCH (c:City {n: $n}) SET c.name = 'Ulm', c:Old", {"n": i})
            conn.begin()
            conn.execute("CREATE (:Never)")
    with trimorph.connect(tmp_path / "db", read_only=True) as conn:
        found = conn.execute("MATCH (c:Old)-[:IN]->(l) RETURN c.n, c.name, labels(l) ORDER BY c.n").fetchall()
        assert found == [(0, "Ulm", ["Land"]), (1, "Ulm", ["Land"])]
        assert conn.execute("MATCH (n) RETURN count(*)").fetchone() == (4,)
        with pytest.raises(trimorph.StorageError, match="read-only"):
            conn.execute("CREATE (:City)")
    with trimorph.connect(tmp_path / "db", mode="create", durability="memory") as conn:
        conn.execute("CREATE (:Kept)")  # by the checkpoint that closing makes
    with trimorph.connect(tmp_path / "db", mode="create") as conn:
        assert conn.execute("MATCH (n) RETURN count(*)").fetchone() == (5,)
        conn.execute("MATCH (k:Kept) DELETE k")
        conn.database.checkpoint()
        conn.execute("CHECKPOINT")
    trimorph.Database.check(tmp_path / "db")
    for wrong in ({"durability": "safe"}, {"durability": "relaxed", "relaxed_interval": 0}):
        with pytest.raises(ValueError, match="durability|interval"):
            trimorph.connect(tmp_path / "db", mode="create", **wrong)


def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path):
    child = """
import sys, trimorph
conn = trimorph.connect(sys.argv[1], mode="create")
for i in range(1_000_000):
    conn.execute("CREATE (:Pair {i: $i, side: 0})-[:WITH]->(:Pair {i: $i, side: 1})", {"i": i})
    print(i, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", child, str(tmp_path / "db")], stdout=subprocess.PIPE, text=True)
    seen = [int(process.stdout.readline()) for _ in range(20)]
    process.kill()
    seen += [int(line) for line in process.stdout if line.endswith("\n")]
    process.wait()
    with trimorph.connect(tmp_path / "db", must_exist=True) as conn:
        ids = [i for (i,) in conn.execute("MATCH (a:Pair {side: 0})-[:WITH]->(b {side: 1}) WHERE a.i = b.i RETURN a.i ORDER BY a.i").fetchall()]
        assert ids[: len(seen)] == seen and len(ids) <= len(seen) + 1
        assert conn.execute("MATCH (n) RETURN count(*)").fetchone() == (2 * len(ids),)


def test_levels(conn):
    conn.execute("CREATE (:A {on: true}), (:A {on: true})")
    for level, both in (("serializable", False), ("snapshot", True), ("read committed", True)):
        conn.execute("MATCH (a:A) SET a.on = true")
        transactions = [conn.database.connect() for _ in range(2)]
        for i, tx in enumerate(transactions):
            tx.begin(isolation=level)
            assert tx.execute("MATCH (a:A) WHERE a.on RETURN count(*)").fetchall() == [(2,)]
            tx.execute("MATCH (a:A) WITH a ORDER BY id(a) SKIP $i LIMIT 1 SET a.on = false", {"i": i})
        transactions[0].commit()
        if both:
            transactions[1].commit()
        else:
            with pytest.raises(trimorph.TransactionConflict, match='property "on"'):
                transactions[1].commit()
    with pytest.raises(ValueError, match="no isolation level"):
        conn.transaction(isolation="chaos")
    with pytest.raises(ValueError, match="timeout"):
        conn.begin(timeout=-1)


def test_run_tries_again(conn):
    conn.execute("CREATE (:Counter {n: 0})")

    def add(tx):
        ((n,),) = tx.execute("MATCH (c:Counter) RETURN c.n").fetchall()
        tx.execute("MATCH (c:Counter) SET c.n = $n", {"n": n + 1})
        return n

    def many():
        for _ in range(25):
            conn.database.run(add)

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert conn.execute("MATCH (c:Counter) RETURN c.n").fetchall() == [(100,)]
    assert conn.database.run(add, isolation="snapshot", timeout=60) == 100
    with pytest.raises(KeyError):
        conn.database.run(lambda tx: tx.execute("CREATE (:Gone)") and {}["x"])
    assert conn.execute("MATCH (g:Gone) RETURN count(*)").fetchall() == [(0,)]


def test_transactions_are_listed_and_ended(conn):
    other = conn.database.connect()
    other.begin(isolation="snapshot")
    other.execute("CREATE (:Gone)")
    ((number, isolation, _, status, statement, _),) = conn.execute("SHOW TRANSACTIONS").fetchall()
    assert (isolation, status, statement) == ("snapshot", "idle", "CREATE (:Gone)")
    assert conn.execute(f"TERMINATE TRANSACTION {number}").fetchall() == [(number, "terminated")]
    with pytest.raises(trimorph.Error, match="terminated"):
        other.execute("RETURN 1")
    other.rollback()


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


WRITER = """
import sys, trimorph
conn = trimorph.connect(sys.argv[1], mode="create")
for line in sys.stdin:
    conn.execute(line)
    print("done", flush=True)
"""


def test_another_process_is_followed(tmp_path):
    place = str(tmp_path / "db")
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:

        def write(text):
            writer.stdin.write(text + "\n")
            writer.stdin.flush()
            assert writer.stdout.readline() == "done\n"

        def until(wanted):
            for _ in range(12_000):
                if names(conn) == wanted:
                    return
                time.sleep(0.01)
            assert names(conn) == wanted, reader.stats()["following"]

        def asked(ask, wanted):
            """Who asks sees it, unless the writer has not said that it lasts for the second that it is waited for."""
            for _ in range(120):
                began = time.monotonic()
                ask()
                if names(conn) == wanted:
                    return
                assert time.monotonic() - began >= 1
            assert names(conn) == wanted, reader.stats()["following"]

        write("CREATE (:City {name: 'Ulm'})")
        # Who opens it, or asks, sees all that was acknowledged before.
        for _ in range(5):
            write("CREATE (:City {name: 'Wien'})")
            began = time.monotonic()
            with trimorph.Database(place, read_only=True, follow_interval=None) as reader:
                conn = reader.connect()
                if time.monotonic() - began < 1:
                    assert names(conn) == ["Ulm", "Wien"]
                asked(reader.refresh, ["Ulm", "Wien"])
                write("MATCH (c:City {name: 'Wien'}) DELETE c")
                asked(reader.refresh, ["Ulm"])
        with trimorph.Database(place, read_only=True, follow_interval=0.01) as reader:
            conn = reader.connect()
            until(["Ulm"])
            first = reader.refresh()
            with conn.transaction() as tx:
                assert names(tx) == ["Ulm"]
                write("CREATE (:City {name: 'Rom'})")
                write("CHECKPOINT")
                time.sleep(0.1)
                assert names(tx) == ["Ulm"]
            until(["Rom", "Ulm"])
            assert reader.refresh() > first
            write("MATCH (c:City {name: 'Ulm'}) DELETE c")
            until(["Rom"])
            following = reader.stats()["following"]
            assert following["error"] is None and following["last_commit"] == reader.refresh()
            assert abs(following["last_commit_at"] - time.time()) < 60
            with pytest.raises(trimorph.Error, match="read-only"):
                conn.execute("CREATE (:City)")
            ((name, access, status, *_),) = conn.execute("SHOW DATABASE").fetchall()
            assert (name, access, status) == (str((tmp_path / "db").resolve()), "read-only", "following")
            writer.kill()
            writer.wait()
            until(["Rom"])
            with trimorph.connect(place) as again:
                again.execute("CREATE (:City {name: 'Bonn'})")
                until(["Bonn", "Rom"])
    with pytest.raises(ValueError, match="follow_interval"):
        trimorph.Database(place, read_only=True, follow_interval=-1)


def test_extremes_and_sets_of_nodes_see_what_was_written(conn):
    """`min` and `max` pass over zones, EXISTS of many rows asks a set found once: neither may miss what no merge has seen."""
    conn.execute(
        "UNWIND range(0, 9999) AS i CREATE (:A {i: i, x: CASE WHEN i % 7 > 0 THEN i END})-[:R {w: i}]->(:B {k: i})"
    )
    conn.execute("CHECKPOINT")

    def extremes():
        (row,) = conn.execute("MATCH (a:A) RETURN min(a.x), max(a.x)").fetchall()
        return row

    def without(least):
        query = "MATCH (a:A) WHERE NOT EXISTS { (a)-[:R]->(b:B) WHERE b.k >= $least } RETURN count(a)"
        return conn.execute(query, {"least": least}).fetchall()[0][0]

    assert (extremes(), without(9990)) == ((1, 9999), 9990)
    conn.execute("BEGIN")
    conn.execute("MATCH (a:A) WHERE a.i > 9997 DETACH DELETE a")
    conn.execute("MATCH (a:A {i: 9}) SET a.x = -4")
    assert extremes() == (-4, 9997)
    conn.execute("CREATE (:A {i: 10001, x: 15000})")
    assert (extremes(), without(0), without(9990)) == ((-4, 15000), 1, 9991)
    conn.execute("MATCH ()-[r:R {w: 17}]->() SET r.w = 30000")
    assert conn.execute("MATCH ()-[r:R]->() RETURN max(r.w)").fetchall() == [(30000,)]
    conn.execute("MATCH (a:A {i: 10}) SET a.x = 'a text'")
    assert extremes() == ("a text", 15000)
    conn.execute("ROLLBACK")
    assert (extremes(), without(9990)) == ((1, 9999), 9990)


def test_a_counter_that_eight_threads_read_and_write_counts_all_and_refuses_nobody():
    db = trimorph.Database()
    db.connect().execute("CREATE (:Counter {n: 0})")

    def add(tx):
        n = tx.execute("MATCH (c:Counter) RETURN c.n").fetchone()[0]
        tx.execute("MATCH (c:Counter) SET c.n = $n", {"n": n + 1})

    failed = []

    def work():
        for _ in range(250):
            try:
                db.run(add)
            except trimorph.TransactionConflict as error:
                failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert db.connect().execute("MATCH (c:Counter) RETURN c.n").fetchall() == [(2000,)]
