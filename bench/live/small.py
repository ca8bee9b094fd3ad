"""Small statements through Python beside sqlite3, in memory: CPU time of the process for each, in turns.

Parameters are given, results are read. Tables of sqlite3 have the indexes that an edge needs in both directions; it keeps prepared statements by their
texts, as we do.
"""

import resource
import sqlite3
import statistics

STATEMENTS = 20_000
KEYS = 1_000


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ours(trimorph):
    connection = trimorph.Database().connect()
    connection.execute("CREATE CONSTRAINT FOR (p:P) REQUIRE p.id IS UNIQUE")
    connection.execute("UNWIND range(0, $n - 1) AS i CREATE (:P {id: i, name: 'n', age: 1}), (:V {id: i, name: 'n'})", {"n": KEYS})
    run = connection.execute
    edge = "MATCH (a:P {id: $a}), (b:P {id: $b}) CREATE (a)-[:R]->(b)"
    return {
        "insert": lambda i: run("CREATE (:V {id: $id, name: $name})", {"id": i, "name": "name"}),
        "insert, unique": lambda i: run("CREATE (:P {id: $id, name: $name})", {"id": i + KEYS, "name": "name"}),
        "point read": lambda i: run("MATCH (p:P {id: $id}) RETURN p.name", {"id": i % KEYS}).fetchall(),
        "update by key": lambda i: run("MATCH (p:P {id: $id}) SET p.age = $age", {"id": i % KEYS, "age": i}),
        "edge by keys": lambda i: run(edge, {"a": i % KEYS, "b": i * 7 % KEYS}),
        "merge by key": lambda i: run("MERGE (p:P {id: $id}) ON MATCH SET p.age = $age", {"id": i % KEYS, "age": i}),
        "ten inserts": lambda i: run("UNWIND $rows AS r CREATE (:T {id: r})", {"rows": list(range(10))}),
    }


def theirs():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    run = connection.execute
    run("CREATE TABLE v (id INTEGER, name TEXT)")
    run("CREATE TABLE t (id INTEGER)")
    run("CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")
    run("CREATE TABLE e (a INTEGER, b INTEGER)")
    run("CREATE INDEX e_a ON e (a)")
    run("CREATE INDEX e_b ON e (b)")
    connection.executemany("INSERT INTO p VALUES (?, 'n', 1)", [(i,) for i in range(KEYS)])
    merge = "INSERT INTO p VALUES (?, 'n', ?) ON CONFLICT (id) DO UPDATE SET age = excluded.age"
    edge = "INSERT INTO e SELECT x.id, y.id FROM p x, p y WHERE x.id = ? AND y.id = ?"
    ten = "INSERT INTO t VALUES " + ", ".join(["(?)"] * 10)
    return {
        "insert": lambda i: run("INSERT INTO v VALUES (?, ?)", (i, "name")),
        "insert, unique": lambda i: run("INSERT INTO p VALUES (?, ?, 1)", (i + KEYS, "name")),
        "point read": lambda i: run("SELECT name FROM p WHERE id = ?", (i % KEYS,)).fetchall(),
        "update by key": lambda i: run("UPDATE p SET age = ? WHERE id = ?", (i, i % KEYS)),
        "edge by keys": lambda i: run(edge, (i % KEYS, i * 7 % KEYS)),
        "merge by key": lambda i: run(merge, (i % KEYS, i)),
        "ten inserts": lambda i: run(ten, list(range(10))),
    }


def microseconds(statement, round):
    before = cpu()
    for i in range(round * STATEMENTS, (round + 1) * STATEMENTS):
        statement(i)
    return (cpu() - before) * 1e6 / STATEMENTS


def run(options, trimorph):
    sides = ours(trimorph), theirs()
    for what in sides[0]:
        spent = [[microseconds(side[what], round) for side in sides] for round in range(options.samples)]
        one, other = (statistics.median(column) for column in zip(*spent))
        print(f"{what:<16} {one:6.2f} us, sqlite3 {other:6.2f} us: x {one / other:.2f}", flush=True)
