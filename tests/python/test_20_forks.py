"""Processes that are forked while a database is open: the child never touches the parent's files."""

import os
import select
import signal
import subprocess
import sys
import threading
import time

import pytest

import trimorph

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

# A parent that writes, a child that does something, a parent that goes on and dies without closing.
PARENT = """
import os, signal, sys
import trimorph

path, child = sys.argv[1:]
db = trimorph.Database(path)
c = db.connect()
c.execute("UNWIND range(0, 9) AS i CREATE (:A {i: i})").fetchall()
open_one = db.connect()
open_one.begin()
open_one.execute("CREATE (:A {i: -1})")
if os.fork() == 0:
    refused = 0
    try:
        exec(child)
    except trimorph.StorageError as error:
        assert "forked" in str(error) or "another process" in str(error), error
        refused = 1
    # As a program ends: everything is let go of.
    sys.exit(refused)
_, status = os.wait()
print(os.waitstatus_to_exitcode(status))
open_one.rollback()
for i in range(10, 20):
    c.execute("CREATE (:A {i: $i})", {"i": i})
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""

CHILDREN = {
    "ends": ("pass", 0),
    "reads": ("assert c.execute('MATCH (a:A) RETURN count(a)').fetchall() == [(10,)]", 0),
    "writes": ("c.execute('CREATE (:A {i: 100})')", 1),
    "commits": ("open_one.commit()", 1),
    "rolls back": ("open_one.rollback()", 0),
    "declares": ("c.execute('CREATE INDEX FOR (a:A) ON (a.i)')", 1),
    "checkpoints": ("c.execute('CHECKPOINT')", 1),
    "loads": ("db.load(nodes={'A': {'i': [1]}})", 1),
    "closes": ("db.close()", 0),
    "opens": ("trimorph.Database(path)", 1),
    "reads by itself": (
        # Who opens it sees all that was committed before.
        "own = trimorph.Database(path, read_only=True)\n"
        "assert own.connect().execute('MATCH (a:A) RETURN count(a)').fetchall() == [(10,)]\n"
        "own.close()",
        0,
    ),
    "makes its own": ("trimorph.Database(path + '-own').connect().execute('CREATE (:B)')", 0),
}


@pytest.mark.parametrize("child", CHILDREN)
def test_a_child_leaves_the_parents_files_alone(tmp_path, child):
    text, status = CHILDREN[child]
    path = str(tmp_path / "db")
    run = subprocess.run([sys.executable, "-c", PARENT, path, text], capture_output=True, text=True, timeout=120)
    assert run.stdout.split() == [str(status)], run.stderr
    assert "panic" not in run.stderr.lower()
    with trimorph.Database(path) as db:
        rows = db.connect().execute("MATCH (a:A) RETURN count(a), max(a.i)").fetchall()
    assert rows == [(20, 19)]
    if child == "makes its own":
        with trimorph.Database(path + "-own") as own:
            assert own.connect().execute("MATCH (b:B) RETURN count(b)").fetchall() == [(1,)]


def test_a_child_has_its_own_copy_of_a_database_in_memory():
    text = """
import os, trimorph
db = trimorph.Database(threads=2)
c = db.connect()
c.execute("UNWIND range(1, 100000) AS i CREATE (:A {i: i % 7})").fetchall()
question = "MATCH (a:A) RETURN a.i, count(*) ORDER BY a.i LIMIT 1"
before = c.execute(question).fetchall()
if os.fork() == 0:
    assert c.execute(question).fetchall() == before
    c.execute("CREATE (:A {i: 0})")
    assert c.execute(question).fetchall()[0][1] == before[0][1] + 1
    db.close()
    raise SystemExit(0)
_, status = os.wait()
assert status == 0 and c.execute(question).fetchall() == before
"""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("busy", ["writes", "asks"])
def test_a_child_never_waits_for_what_a_thread_of_its_parent_held(tmp_path, busy):
    db = trimorph.Database(str(tmp_path / "db"), durability="relaxed")
    c = db.connect()
    c.execute("UNWIND range(1, 20000) AS i CREATE (:F {i: i})")
    stop, texts = threading.Event(), {
        "writes": "UNWIND range(1, 20) AS i CREATE (:G {i: i})",
        "asks": "MATCH (f:F) WHERE f.i % 7 = 0 RETURN count(f), max(f.i)",
    }

    def work():
        own = db.connect()
        while not stop.is_set():
            own.execute(texts[busy]).fetchall()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        # One in a hundred hung.
        for _ in range(150):
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                said = b""
                try:
                    if c.execute("MATCH (f:F) RETURN count(f)").fetchall() == [(20000,)]:
                        said = b"reads"
                    db.connect().execute("CREATE (:F)")
                except trimorph.StorageError as error:
                    said += b" is refused" if "forked" in str(error) else b" fails"
                finally:
                    os.write(write, said)
                    os._exit(0)
            os.close(write)
            answers = select.select([read], [], [], 60)[0]
            said = os.read(read, 100) if answers else b"hangs"
            if not answers:
                os.kill(child, signal.SIGKILL)
            os.close(read)
            os.waitpid(child, 0)
            assert said in (b"reads is refused", b" is refused"), said
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    db.close()


def test_a_child_of_a_long_statement_is_told(tmp_path):
    with trimorph.Database(str(tmp_path / "db")) as db:
        c, other = db.connect(), db.connect()
        c.execute("CREATE (:A)")
        begun = threading.Event()

        def work():
            begun.set()
            try:
                other.execute("UNWIND range(1, 1000000000) AS i RETURN max(i % 7)").fetchall()
            except trimorph.Cancelled:
                pass

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        # The thread may not be there yet: then the child reads.
        for _ in range(50):
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    c.execute("MATCH (a:A) RETURN a").fetchall()
                    said = b"reads"
                except trimorph.StorageError as error:
                    said = str(error).encode()
                os.write(write, said)
                os._exit(0)
            os.close(write)
            said = os.read(read, 1000)
            os.close(read)
            os.waitpid(child, 0)
            if said != b"reads":
                break
            time.sleep(0.02)
        other.interrupt()
        thread.join()
        assert b"while another thread was at work" in said
        assert c.execute("MATCH (a:A) RETURN count(a)").fetchall() == [(1,)]


def test_a_child_ends_a_transaction_that_has_just_begun():
    # A thread looks after open transactions, at once when one begins: it must not hold their table meanwhile.
    text = """
import os, trimorph
db = trimorph.Database(threads=1)
first = db.connect()
first.begin()
for _ in range(500):
    c = db.connect()
    c.begin()
    if os.fork() == 0:
        c.rollback()
        os._exit(0)
    assert os.wait()[1] == 0
    c.rollback()
"""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
