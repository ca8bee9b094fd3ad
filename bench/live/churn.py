"""A database of which everything is replaced a hundred times: throughput, memory and disk over time, as a table.

Throughput is by the wall clock and by CPU time of all threads, merges and checkpoints included.

A node has an id, a number and a text, and two relationships. A round deletes a part of the nodes, the oldest, with their relationships, makes
as many, and sets the number of as many others. With `--reader` a transaction that has begun before the first round stays open.

With `--sparql` the same is written by SPARQL Update: `INSERT DATA` of 100 nodes at a time, `DELETE` and `INSERT` by patterns.
"""

import subprocess
import sys
import time

from measure import folder_bytes, megabytes, resident, written

MAKE = (
    "UNWIND range($from, $to - 1) AS i CREATE (n:P {id: i, x: i % 1000, name: 'name of ' + toString(i)}) "
    "WITH n, i MATCH (a:P {id: i - (i * 7) % $back - 1}), (b:P {id: i - (i * 13) % $back - 1}) CREATE (n)-[:R {w: i}]->(a), (b)-[:S]->(n)"
)
FIRST = "UNWIND range(-$back, -1) AS i CREATE (:P {id: i, x: 0, name: 'name of ' + toString(i)})"
GO = "MATCH (n:P) WHERE n.id >= $from AND n.id < $to DETACH DELETE n"
SET = "MATCH (n:P) WHERE n.id >= $from AND n.id < $to SET n.x = n.x + 1"
ALL = "MATCH (n:P) RETURN count(n), sum(n.x), count(DISTINCT n.name)", "MATCH (:P)-[r]->(:P) RETURN count(r), sum(r.w)"
OF = "?n :id ?i FILTER(?i >= {0} && ?i < {1})"
PREFIX = "PREFIX : <trimorph:>\n"


class Cypher:
    """What is written, in openCypher."""

    def __init__(self, connection):
        self.execute = connection.execute
        self.execute("CREATE CONSTRAINT FOR (p:P) REQUIRE p.id IS UNIQUE")

    def first(self, back):
        self.execute(FIRST, {"back": back})

    def make(self, start, end, back):
        return self.execute(MAKE, {"from": start, "to": end, "back": back}).stats.relationships_created

    def go(self, start, end):
        self.execute(GO, {"from": start, "to": end})

    def set(self, start, end):
        self.execute(SET, {"from": start, "to": end})


class Sparql:
    """The same by SPARQL Update. The relationships say nothing of themselves, and it has no constraint but an index."""

    def __init__(self, connection):
        self.sparql = lambda text: connection.sparql(PREFIX + text)
        connection.execute("CREATE INDEX FOR (n) ON (n.id)")

    def first(self, back):
        self.insert([f"<n:{i}> a :P ; :id {i} ; :x 0 ; :name 'name of {i}' ." for i in range(-back, 0)])

    def insert(self, nodes):
        for start in range(0, len(nodes), 100):
            self.sparql("INSERT DATA { " + " ".join(nodes[start : start + 100]) + " }")

    def make(self, start, end, back):
        ends = lambda i: (i - (i * 7) % back - 1, i - (i * 13) % back - 1)  # noqa: E731
        of = lambda i, a, b: f"<n:{i}> a :P ; :id {i} ; :x {i % 1000} ; :name 'name of {i}' ; :R <n:{a}> . <n:{b}> :S <n:{i}> ."  # noqa: E731
        self.insert([of(i, *ends(i)) for i in range(start, end)])
        return 2 * (end - start)

    def go(self, start, end):
        of = OF.format(start, end)
        self.sparql(f"DELETE {{ ?s ?p ?n }} WHERE {{ {of} ?s ?p ?n }} ; DELETE {{ ?n ?p ?o }} WHERE {{ {of} ?n ?p ?o }}")

    def set(self, start, end):
        self.sparql(f"DELETE {{ ?n :x ?x }} INSERT {{ ?n :x ?y }} WHERE {{ {OF.format(start, end)} ?n :x ?x BIND(?x + 1 AS ?y) }}")


FRESH = """
import sys, trimorph
sys.path.insert(0, sys.argv[2])
from measure import resident
import pathlib
database = trimorph.Database(sys.argv[1], threads=1, memory_limit="4GB", read_only=True)
connection = database.connect()
for text in sys.argv[3:]:
    print(connection.execute(text).fetchall())
print(resident())
"""


class Logged:
    """Bytes of the log since this was made. Segments are numbered, and become longer with the database: those that went between two looks are
    taken to be as long as the next one that was seen."""

    def __init__(self, path):
        self.folder, self.lengths = path / "log", {}
        self.look()
        self.first = max(self.lengths)

    def look(self):
        for file in self.folder.glob("*.log"):
            try:
                self.lengths[int(file.stem, 16)] = file.stat().st_size
            except FileNotFoundError:
                pass

    def bytes(self):
        self.look()
        total, length = 0, 0
        for number in range(max(self.lengths), self.first, -1):
            length = self.lengths.get(number, length)
            total += length
        return total


def run(options, trimorph):
    size, part = options.nodes, options.nodes // 50
    path = options.work / "churn.tm"
    options.clear(path)
    database = trimorph.Database(str(path), threads=1, durability="relaxed", memory_limit=options.memory, checkpoint_interval=None)
    connection = database.connect()
    to = (Sparql if options.sparql else Cypher)(connection)
    back = part
    to.first(back)
    for start in range(0, size, part):
        to.make(start, start + part, back)
    to.go(-back, 0)
    database.checkpoint()
    connection.execute(ALL[0]).fetchall(), connection.execute(ALL[1]).fetchall()
    began = {"memory": resident(), "disk": folder_bytes(path)}
    print(f"{size} nodes as made: resident {megabytes(began['memory'])}, disk {megabytes(began['disk'])}")
    reader = None
    if options.reader:
        reader = database.connect()
        reader.begin()
        seen = [reader.execute(text).fetchall() for text in ALL]
    rounds = options.times * 50
    print(f"{'times':>6} {'operations/s':>13} {'CPU us each':>12} {'resident':>10} {'disk':>10}")
    started, at, spent, operations, worst = time.perf_counter(), time.perf_counter(), time.process_time(), 0, {"memory": 0, "disk": 0}
    total, wrote, log = 0, written(), Logged(path)
    for number in range(rounds):
        start = size + number * part
        old = start - size
        to.go(old, old + part)
        operations += to.make(start, start + part, size // 2) + 2 * part
        to.set(old + size // 2, old + size // 2 + part)
        operations += part
        log.look()
        if number % 5 == 4:
            worst["memory"], worst["disk"] = max(worst["memory"], resident()), max(worst["disk"], folder_bytes(path))
        if number % max(1, rounds // 20) == rounds // 20 - 1:
            now, cpu = time.perf_counter(), time.process_time()
            each = (cpu - spent) * 1e6 / operations
            print(f"{(number + 1) / 50:6.0f} {operations / (now - at):13.0f} {each:12.2f} {megabytes(resident()):>10} {megabytes(folder_bytes(path)):>10}", flush=True)
            total += operations
            at, spent, operations = now, cpu, 0
    if reader:
        if [reader.execute(text).fetchall() for text in ALL] != seen:
            raise SystemExit("the reader that was open all the time sees something else")
        reader.rollback()
    wall, wrote, log = time.perf_counter() - started, written() - wrote, log.bytes()
    database.checkpoint()
    # What merges freed is kept for a second.
    time.sleep(3)
    answers = [connection.execute(text).fetchall() for text in ALL]
    ended = {"memory": resident(), "disk": folder_bytes(path)}
    backup = options.work / "churn-fresh.tm"
    options.clear(backup)
    database.close()
    trimorph.Database(str(path)).backup(str(backup))
    here = __file__.rsplit("/", 1)[0]
    out = subprocess.run([sys.executable, "-c", FRESH, str(backup), here, *ALL], check=True, capture_output=True, text=True).stdout.splitlines()
    if out[:2] != [str(rows) for rows in answers]:
        raise SystemExit(f"a fresh copy has {out[:2]}, the database {answers}")
    fresh = {"memory": int(out[2]), "disk": folder_bytes(backup)}
    # In whole segments: of a short run it says nothing.
    if log:
        pieces = wrote - log
        print(f"{total} operations: {megabytes(log)} of log, {megabytes(pieces)} of pieces, x {pieces / log:.2f}")
    print(f"replaced {options.times} times in {wall:.0f} s; fresh: resident {megabytes(fresh['memory'])}, disk {megabytes(fresh['disk'])}")
    for what, sizes in (("at rest, after a checkpoint", ended), ("at the worst", worst)):
        print(f"{what}: resident {megabytes(sizes['memory'])}, x {sizes['memory'] / fresh['memory']:.2f}; disk {megabytes(sizes['disk'])}, x {sizes['disk'] / fresh['disk']:.2f}")
