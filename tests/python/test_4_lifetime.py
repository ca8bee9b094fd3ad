"""Databases in directories, closing, threads, Ctrl-C."""

import faulthandler
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
import trimorph
from at_work import press_ctrl_c, while_at_work

# Runs for minutes, and looks at its flag all the time.
ENDLESS = "MATCH (a:Person), (b:Person), (c:Person), (d:Person), (e:Person) WHERE a.id + b.id + c.id + d.id + e.id = -1 RETURN count(*)"


def test_directory(tmp_path):
    place = tmp_path / "social.tm"
    with trimorph.Database(place) as database:
        report = database.generate_snb(0.003, 1)
        stats = database.stats()
        assert stats["nodes"] == report.nodes
        assert stats["relationships"] == report.relationships
        assert any(t["labels"] == ["Person"] and t["rows"] for t in stats["node_tables"])
        assert any(t["type"] == "KNOWS" for t in stats["edge_tables"])
        assert sum(stats["components"].values()) == stats["total_bytes"] > 0
        database.checkpoint()
        # The same path is the same database.
        assert trimorph.Database(place).stats()["nodes"] == report.nodes
        other = [sys.executable, "-c", "import sys, trimorph; trimorph.Database(sys.argv[1])", str(place)]
        refused = subprocess.run(other, capture_output=True, text=True)
        assert f"another process (number {os.getpid()}) has this database open" in refused.stderr
    assert trimorph.Database.check(place)["nodes"] == report.nodes
    with trimorph.Database(str(place), read_only=True) as database:
        assert database.connect().execute("MATCH (n) RETURN count(n)").fetchone() == (report.nodes,)
        with pytest.raises(trimorph.StorageError, match="read-only"):
            database.generate_snb(0.001)


def test_backup(tmp_path, network):
    asked = "MATCH (p:Person)-[:KNOWS]->(q) RETURN p.id AS p, count(q) ORDER BY p"
    network.backup(tmp_path / "copy")
    with trimorph.Database(tmp_path / "copy", read_only=True) as copy:
        assert copy.connect().execute(asked).fetchall() == network.connect().execute(asked).fetchall()
    with pytest.raises(trimorph.StorageError, match="not empty"):
        network.backup(tmp_path)


def test_damage_is_named(tmp_path):
    with trimorph.Database(tmp_path / "db") as database:
        database.generate_snb(0.003, 1)
    big = max((p for p in (tmp_path / "db").rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)
    data = bytearray(big.read_bytes())
    data[len(data) // 2] ^= 1
    big.write_bytes(data)
    with pytest.raises(trimorph.StorageError, match=big.name):
        trimorph.Database.check(tmp_path / "db")
    with pytest.raises(trimorph.StorageError, match="no database"):
        trimorph.Database(tmp_path / "none", read_only=True)


def test_a_lost_manifest_is_said_and_nothing_removed(tmp_path):
    place = tmp_path / "db"
    with trimorph.Database(place) as database:
        report = database.generate_snb(0.003, 1)
    (place / "MANIFEST").rename(tmp_path / "aside")
    before = {p: p.stat().st_mtime_ns for p in place.rglob("*")}
    for open_it in (lambda: trimorph.Database(place), lambda: trimorph.Database.check(place)):
        with pytest.raises(trimorph.StorageError, match="MANIFEST is missing.* from a backup"):
            open_it()
    assert {p: p.stat().st_mtime_ns for p in place.rglob("*")} == before
    (tmp_path / "aside").rename(place / "MANIFEST")
    assert trimorph.Database.check(place)["nodes"] == report.nodes


def test_closing(tmp_path):
    database = trimorph.Database(tmp_path / "db")
    conn, prepared = database.connect(), database.connect().prepare("RETURN 1")
    assert not database.closed
    assert not conn.closed
    database.close()
    database.close()
    assert database.closed
    assert conn.closed
    for call in (lambda: conn.execute("RETURN 1"), prepared.execute, database.connect, database.stats, lambda: conn.prepare("RETURN 1")):
        with pytest.raises(trimorph.Error, match="closed"):
            call()
    trimorph.Database(tmp_path / "db").close()  # the lock was given back although `conn` still exists
    with trimorph.connect(tmp_path / "db", mode="create") as conn:
        assert conn.execute("RETURN 1").fetchone() == (1,)
    trimorph.Database(tmp_path / "db").close()
    with trimorph.Database() as database, database.connect() as conn:
        assert "trimorph" in repr(conn) + repr(database)
    assert conn.closed
    assert database.closed


def test_progress():
    states = []
    report = trimorph.Database().generate_snb(0.01, 7, progress=states.append)
    assert states
    assert {s.phase for s in states} <= {"scanning", "loading", "building", "generating"}
    assert states[-1].rows == report.rows
    assert "rows" in repr(states[0])
    assert "nodes" in repr(report)


def test_what_progress_raises_stops_the_load():
    database = trimorph.Database()

    def stop(_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        database.generate_snb(0.1, 7, progress=stop)
    assert database.stats()["nodes"] == 0
    assert database.generate_snb(0.003, 7, progress=True).nodes > 0


def test_a_query_within_progress():
    """Signal guards nest: the callback runs a query on the thread that loads."""
    database = trimorph.Database()
    seen = []
    database.generate_snb(0.01, 7, progress=lambda _: seen.append(database.connect().execute("RETURN 1").fetchone()))
    assert set(seen) == {(1,)}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interrupt_from_another_thread(network):
    conn = network.connect()
    start = time.perf_counter()
    with pytest.raises(trimorph.Cancelled), while_at_work(conn.interrupt):
        conn.execute(ENDLESS).fetchall()
    assert time.perf_counter() - start < 60
    assert conn.execute("RETURN 1").fetchone() == (1,)


def test_a_query_has_a_time(network, tmp_path):
    conn = network.connect()
    start = time.perf_counter()
    with pytest.raises(trimorph.Timeout, match="longer than its timeout"):
        conn.execute(ENDLESS, timeout=0.2).fetchall()
    assert time.perf_counter() - start < 60
    assert conn.execute("RETURN 1", timeout=60).fetchone() == (1,)
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="timeout is a number of seconds"):
            conn.execute("RETURN 1", timeout=wrong)
    with trimorph.Database(timeout=0.2, checkpoint_interval=None) as limited:
        other = limited.connect()
        with pytest.raises(trimorph.Cancelled):
            other.execute("UNWIND range(1, 10000000000) AS x RETURN count(x % 7)").fetchall()
        with other.transaction(timeout=60) as tx, pytest.raises(trimorph.Timeout):
            tx.execute("UNWIND range(1, 100000000) AS x CREATE (:P {x: x})", timeout=0.1)
        assert other.execute("MATCH (p:P) RETURN count(p)", timeout=60).fetchone() == (0,)


def test_interrupt_stops_only_its_connection(network):
    one, two = network.connect(), network.connect()
    found = []
    other = threading.Thread(target=lambda: found.append(two.execute("UNWIND range(1, 3000000) AS x RETURN count(x)").fetchone()))
    other.start()
    # The other one's work may be taken for that of this one: then it is stopped the next time.
    with pytest.raises(trimorph.Cancelled), while_at_work(one.interrupt, again=1):
        one.execute(ENDLESS).fetchall()
    other.join()
    assert found == [(3000000,)]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c(network):
    conn = network.connect()
    for way in (lambda r: r.fetchall(), lambda r: r.fetchone(), lambda r: r.arrow(), list):
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt), while_at_work(press_ctrl_c):
            way(conn.execute(ENDLESS))
        assert time.perf_counter() - start < 60
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):  # Python's own handler is back
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    assert conn.execute("RETURN 1").fetchone() == (1,)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_with_a_handler_of_ones_own(network):
    conn = network.connect()
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    try:
        with pytest.raises(trimorph.Cancelled), while_at_work(press_ctrl_c):
            conn.execute(ENDLESS).fetchall()
        called = len(calls)
        assert called > 0
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with pytest.raises(trimorph.Cancelled), while_at_work(lambda: (press_ctrl_c(), time.sleep(0.2), conn.interrupt())):
            conn.execute(ENDLESS).fetchall()
        assert len(calls) == called
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_with_a_handler_that_goes_on_to_ours(network, tmp_path):
    """faulthandler keeps the handler that it finds, calls it, and puts it back in the end."""
    conn = network.connect()
    conn.execute("RETURN 1").fetchone()

    def stop():
        conn.execute(ENDLESS).fetchall()

    def spin():
        while True:
            pass

    with open(tmp_path / "where", "w") as where:
        faulthandler.register(signal.SIGINT, file=where, chain=True)
        try:
            with pytest.raises(KeyboardInterrupt), while_at_work(press_ctrl_c):
                stop()
        finally:
            faulthandler.unregister(signal.SIGINT)
    assert "most recent call first" in (tmp_path / "where").read_text()
    for way in (stop, spin):
        with pytest.raises(KeyboardInterrupt), while_at_work(press_ctrl_c):
            way()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for way in (stop, spin):
        with pytest.raises(KeyboardInterrupt), while_at_work(press_ctrl_c):
            way()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_stops_a_load():
    database = trimorph.Database(threads=2)
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt), while_at_work(press_ctrl_c):
        database.generate_snb(3, 7)
    assert time.perf_counter() - start < 60
    assert database.stats()["nodes"] == 0


def test_the_gil_is_released(network):
    """Another thread has its turns while a query is at work; else it would not come to stop it."""
    conn = network.connect()

    def stop():
        for _ in range(30):
            time.sleep(0.001)
        conn.interrupt()

    with pytest.raises(trimorph.Cancelled), while_at_work(stop):
        conn.execute(ENDLESS).fetchall()


def test_many_threads(network):
    ids = [i for (i,) in network.connect().execute("MATCH (p:Person) RETURN p.id")]
    shared = network.connect().execute("UNWIND range(1, 20000) AS x RETURN x")
    prepared = network.connect().prepare("MATCH (p:Person {id: $id}) RETURN p.id, p")
    taken, errors = [], []

    def work(seed):
        try:
            conn = network.connect()
            for k in range(300):
                id = ids[(seed * 31 + k) % len(ids)]
                assert prepared.execute({"id": id}).fetchone()[0] == id
                assert conn.execute("MATCH (p:Person {id: $id})-[:KNOWS]-(q) RETURN count(q)", {"id": id}).fetchone()
            while rows := shared.fetchmany(7):
                taken.extend(rows)
                str(shared.plan), shared._peek(1)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not errors
    assert sorted(x for (x,) in taken) == list(range(1, 20001))


def test_closing_while_others_work(network):
    database = trimorph.Database()
    database.generate_snb(0.003, 1)
    errors = []

    def work():
        try:
            while True:
                database.connect().execute("MATCH (p:Person) RETURN p").fetchall()
        except trimorph.Error as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    time.sleep(0.2)
    database.close()
    [t.join() for t in threads]
    assert len(errors) == 4
    assert all("closed" in e for e in errors)


def test_exit_with_everything_open():
    code = "import trimorph; d = trimorph.Database(); d.generate_snb(0.003, 1); r = d.connect().execute('MATCH (n) RETURN n'); r.fetchone()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_stubs_name_everything():
    import ast

    stub = pathlib.Path(trimorph.__file__).with_name("_trimorph.pyi")
    assert stub.with_name("py.typed").exists()
    named = {n.name for n in ast.parse(stub.read_text()).body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    of_the_module = {name for name in trimorph.__all__ if hasattr(trimorph._trimorph, name)}
    assert len(of_the_module) > 40 and of_the_module - {"__version__"} <= named


def test_stubs_name_every_attribute_of_a_class():
    import ast

    stub = pathlib.Path(trimorph.__file__).with_name("_trimorph.pyi")
    classes = {n.name: n for n in ast.parse(stub.read_text()).body if isinstance(n, ast.ClassDef)}

    def declared(name):
        names, bases = set(), []
        if name in classes:
            bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
            for node in classes[name].body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    names.add(node.name)
                elif isinstance(node, ast.AnnAssign):
                    names.add(node.target.id)
                elif isinstance(node, ast.Assign):
                    names |= {target.id for target in node.targets}
        return names.union(*map(declared, bases))

    missing = {}
    for name in classes:
        runtime = getattr(trimorph._trimorph, name, None)
        if isinstance(runtime, type) and not issubclass(runtime, BaseException):
            missing[name] = {attribute for attribute in vars(runtime) if not attribute.startswith("_")} - declared(name)
    assert len(missing) > 20 and not any(missing.values()), missing


@pytest.mark.skipif(not os.path.exists("/proc/self/statm") or "CS_GNU_LIBC_VERSION" not in os.confstr_names, reason="needs Linux with glibc")
def test_a_load_gives_back_what_it_needed():
    """In a process of its own: what stays resident is little more than what the database says it holds."""
    script = """
import os, time, trimorph
def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
database, before = trimorph.Database(threads=2), resident()
database.generate_snb(0.2, 1)
stored = database.stats()["total_bytes"]
# Threads that helped give back what they hold when they go, which may take a while on a busy machine.
for _ in range(100):
    if resident() - before < stored * 1.25 + 30e6:
        break
    time.sleep(0.1)
print(resident() - before, stored)
"""
    grown, stored = map(int, subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split())
    print(f"{grown / 1e6:.0f} MB for {stored / 1e6:.0f} MB")
    assert grown < stored * 1.25 + 30e6
