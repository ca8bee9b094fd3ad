"""TAG's figures on the delta alone: nothing of it is merged, since all of it is one transaction that is still open.

A Graph500 graph (`suites/rmat.py`) is written by statements into one database, and loaded into the columns of another one. Both are asked
the same, in turns; answers must agree. Source: TAG, figures 5 to 7 and table 4: Get, index scan, page scan.
"""

import statistics

import numpy as np
import pyarrow as pa
from measure import cpu, megabytes, resident
from suites.rmat import rmat

NODES = "UNWIND $rows AS r CREATE (:V {id: r.id, x: r.x})"
EDGES = "UNWIND $rows AS r MATCH (a:V {id: r.s}), (b:V {id: r.t}) CREATE (a)-[:E]->(b)"
# `rows`: a graph of this many edges at a time.
BATCH = 100_000

QUESTIONS = {
    "one hop of 300": "UNWIND $ids AS i MATCH (v:V {id: i})-[:E]->(w) RETURN count(w), sum(id(w) % 1024)",
    "two hops of 10": "UNWIND $few AS i MATCH (v:V {id: i})-[:E]->()-[:E]->(w) RETURN count(w)",
    "two steps, distinct": "MATCH (s:V {id: $start})-[:E*1..2]->(t) RETURN count(DISTINCT t)",
    "scan by pages": "MATCH (v:V) RETURN count(v), sum(v.x)",
    "scan by keys": "UNWIND range(0, $last) AS i MATCH (v:V {id: i}) RETURN count(v), sum(v.x)",
}


def graph(scale):
    sources, targets = rmat(scale, 16, 1)
    count = 1 << scale
    random = np.random.default_rng(2)
    nodes = pa.table({"id": np.arange(count), "x": random.integers(0, 1000, count)})
    return nodes, pa.table({"s": sources, "t": targets})


def run(options, trimorph):
    nodes, edges = graph(options.scale)
    main = trimorph.Database(threads=1, memory_limit="16GB")
    main.load(nodes={"V": nodes}, edges={("V", "E", "V"): edges}, key="id")
    delta = trimorph.Database(threads=1, memory_limit="16GB")
    writer = delta.connect()
    writer.execute("CREATE CONSTRAINT FOR (v:V) REQUIRE v.id IS UNIQUE")
    writer.begin(isolation="snapshot")
    before = resident()
    written = {}
    for name, text, table in (("vertices", NODES, nodes), ("edges", EDGES, edges)):
        seconds, _ = cpu(lambda: [writer.execute(text, {"rows": table.slice(i, BATCH)}) for i in range(0, len(table), BATCH)])
        written[name] = (len(table), seconds)
    for name, (count, seconds) in written.items():
        print(f"insert {name:<12} {count:>9} in batches: {seconds * 1e9 / count:7.0f} ns each")
    print(f"memory of the delta: {megabytes(resident() - before)}, {(resident() - before) / len(edges):.0f} bytes an edge, vertices included")
    random = np.random.default_rng(3)
    connected = np.unique(edges["s"].to_numpy())
    parameters = {
        "ids": random.choice(connected, 300).tolist(),
        "few": random.choice(connected, 10).tolist(),
        "start": int(connected[np.argmax(np.bincount(edges["s"].to_numpy())[connected])]),
        "last": len(nodes) - 1,
    }
    reader = main.connect()
    seconds = {}
    for name, text in QUESTIONS.items():
        used = {key: value for key, value in parameters.items() if f"${key}" in text}
        times = {"main": [], "delta": []}
        for _ in range(options.samples + 1):
            answers = {}
            for where, connection in (("main", reader), ("delta", writer)):
                spent, answers[where] = cpu(lambda: connection.execute(text, used).fetchall())
                times[where].append(spent)
            # Ids differ: the two gave rows in another order.
            if answers["main"][0][0] != answers["delta"][0][0]:
                raise SystemExit(f"{name}: main says {answers['main']}, the delta {answers['delta']}")
        seconds[name] = {where: statistics.median(spent[1:]) for where, spent in times.items()}
        ours = seconds[name]
        print(f"{name:<18} main {ours['main'] * 1e3:9.2f} ms   delta {ours['delta'] * 1e3:9.2f} ms   x {ours['delta'] / ours['main']:.2f}")
    by_page, by_key = seconds["scan by pages"]["delta"], seconds["scan by keys"]["delta"]
    print(f"in the delta a scan by pages is {by_key / by_page:.1f} times as fast as one by keys")
    writer.rollback()
