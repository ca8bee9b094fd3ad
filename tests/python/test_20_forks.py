"""Processes that are forked while a database is open: the child never touches the parent's files."""

import os
import subprocess
import sys

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
