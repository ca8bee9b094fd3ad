"""SNB's 33 daily batches as transactions, while BI queries run beside; then every answer against a fresh load of the result.

A day is a transaction for each kind of update, of at most 1,000 rows. The result is read out table by table, loaded into an empty database as
data frames, and all BI queries are asked of both.
"""

import statistics
import threading
import time

import network
from measure import megabytes, resident
from snb import answers

ROWS = 1_000
NODES = ["Person", "Forum", "Post", "Comment", "Place", "Organisation", "Tag", "TagClass"]


def parts(entity, rows):
    """Rows that one statement can take: no comment whose parent is in the same one."""
    part, new = [], set()
    for row in rows:
        if len(part) == ROWS or entity == "Comment" and row.get("ParentCommentId") in new:
            yield part
            part, new = [], set()
        part.append(row)
        new.add(row.get("id"))
    if part:
        yield part


def write(database, folder, days, told):
    connection = database.connect()
    for day in days:
        for entity, text, rows in network.batch(folder, day):
            for part in parts(entity, rows):
                started = time.perf_counter()
                database.run(lambda tx, text=text, part=part: tx.execute(text, {"rows": part}))
                told["seconds"].append(time.perf_counter() - started)
                told["rows"] += len(part)
        told["days"] += 1
    connection.close()


def read(database, questions, told, stop):
    """Asks until the writer is done. Answers change meanwhile: each is asked twice in one transaction, and must stay."""
    connection = database.connect()
    while not stop.is_set():
        for variant, text, parameters, _ in questions:
            with connection.transaction(isolation="snapshot") as tx:
                first = tx.execute(text, parameters).fetchall()
                again = tx.execute(text, parameters).fetchall()
            told["asked"] += 1
            if first != again:
                told["wrong"].append(f"bi-{variant}: changed within a snapshot")
            if stop.is_set():
                return


def frames(database):
    """All of the graph as tables: nodes by label sets, edges by type and the labels of their ends."""
    connection = database.connect()
    nodes, edges = {}, {}
    for labels, names in connection.execute("MATCH (n) UNWIND keys(n) AS k RETURN labels(n), collect(DISTINCT k)").fetchall():
        label = next(name for name in NODES if name in labels)
        columns = ", ".join(f"n.{name} AS {name}" for name in sorted(set(names) - {"id"}))
        exact = " AND ".join(f"n:{name}" for name in labels)
        text = f"MATCH (n:{label}) WHERE {exact} AND size(labels(n)) = {len(labels)} RETURN n.id AS id, {columns}"
        nodes[tuple(labels)] = connection.execute(text).arrow()
    kinds = "MATCH (a)-[r]->(b) RETURN DISTINCT type(r), [l IN labels(a) WHERE l IN $n][0], [l IN labels(b) WHERE l IN $n][0]"
    for kind, source, target in connection.execute(kinds, {"n": NODES}).fetchall():
        names = connection.execute(f"MATCH (:{source})-[r:{kind}]->(:{target}) UNWIND keys(r) AS k RETURN DISTINCT k").fetchall()
        columns = "".join(f", r.{name} AS {name}" for (name,) in names)
        text = f"MATCH (a:{source})-[r:{kind}]->(b:{target}) RETURN a.id AS s, b.id AS t{columns}"
        edges[source, kind, target] = connection.execute(text).arrow()
    return nodes, edges


def run(options, trimorph):
    folder = network.unpack(options.work)
    questions = network.questions(options.cases)
    path = options.work / "batches.tm"
    options.clear(path)
    database = trimorph.Database(str(path), threads=1, durability="relaxed", memory_limit="4GB")
    database.load(str(answers.SNAPSHOT), format="ldbc-snb")
    days = network.days(folder)[: options.days]
    told = {"seconds": [], "rows": 0, "days": 0, "asked": 0, "wrong": []}
    stop = threading.Event()
    readers = [threading.Thread(target=read, args=(database, questions, told, stop)) for _ in range(options.readers)]
    started = time.perf_counter()
    [reader.start() for reader in readers]
    try:
        write(database, folder, days, told)
    finally:
        stop.set()
        [reader.join() for reader in readers]
    wall = time.perf_counter() - started
    slow = sorted(told["seconds"])
    print(f"{told['days']} days, {told['rows']} rows in {len(slow)} transactions: {wall:.1f} s, {told['rows'] / wall:.0f} rows/s beside "
          f"{told['asked']} BI queries; a transaction {statistics.median(slow) * 1e3:.2f} ms, p99 {slow[len(slow) * 99 // 100] * 1e3:.1f} ms; "
          f"memory {megabytes(resident())}")
    nodes, edges = frames(database)
    fresh = trimorph.Database(threads=1, memory_limit="4GB")
    fresh.load(nodes=nodes, edges=edges, key="id")
    ours, theirs, checked = database.connect(), fresh.connect(), 0
    again = lambda: [check(ours, theirs, question, told) for question in questions]
    checked += len(again())
    database.checkpoint()
    checked += len(again())
    ours.close()
    database.close()
    database = trimorph.Database(str(path), threads=1, read_only=True)
    ours = database.connect()
    checked += len(again())
    for line in told["wrong"]:
        print(f"WRONG {line}")
    print(f"{checked} answers as on a fresh load of the result (as it stood, after a checkpoint, opened anew): {len(told['wrong'])} differ")
    database.close()
    return not told["wrong"]


def check(ours, theirs, question, told):
    variant, text, parameters, _ = question
    found, wanted = (connection.execute(text, parameters).fetchall() for connection in (ours, theirs))
    difference = answers.difference(found, [answers.normal(list(row)) for row in wanted])
    if difference:
        told["wrong"].append(f"bi-{variant}: {difference}")
