"""1, 2 and 3 hops over a Graph500 graph, count(*) with and without a predicate on the last edge.

openCypher's relationships of one MATCH differ (`trail`), SQL's joins and the peers' patterns let them repeat (`walk`).
In a graph without self loops the two differ from 3 hops on. Ours is asked both: `walk` as one MATCH per hop, so that the
counts agree with the peers', and `trail` as one MATCH; the limit program answers both.
"""

import limit
import race as races

from . import rmat

SYSTEMS = ["trimorph", "ladybug", "kuzu", "duckdb"]


def ours(hops, filtered, trail):
    steps = [f"(v{i}:V)-[e{i + 1}:E]->(v{i + 1}:V)" for i in range(hops)]
    pattern = "MATCH " + (", ".join(steps) if trail else " MATCH ".join(steps))
    return pattern + (f" WHERE e{hops}.ts > $ts" if filtered else "") + " RETURN count(*)"


def theirs(hops, filtered):
    steps = "(v0:V)" + "".join(f"-[e{i}:E]->(v{i}:V)" for i in range(1, hops + 1))
    return f"MATCH {steps}" + (f" WHERE e{hops}.ts > $ts" if filtered else "") + " RETURN count(*)"


def sql(hops, filtered):
    joins = "".join(f" JOIN E e{i} ON e{i}.s = e{i - 1}.t" for i in range(2, hops + 1))
    return f"SELECT count(*) FROM E e1{joins}" + (f" WHERE e{hops}.ts > $ts" if filtered else "")


def asks(hops, filtered, trail, threshold):
    parameters = {"ts": threshold} if filtered else {}
    texts = {"trimorph": ours(hops, filtered, trail)}
    if not trail:
        texts |= {"ladybug": theirs(hops, filtered), "kuzu": theirs(hops, filtered), "duckdb": sql(hops, filtered)}
    return {name: (text, parameters) for name, text in texts.items()}


def run(race):
    for scale in map(int, race.options.scale or [14, 17]):
        graph = rmat.files(race.work, scale)
        directory, threshold = graph["directory"], graph["median"]
        files = {"nodes_csv": str(directory / "nodes.csv"), "edges_csv": str(directory / "edges.csv"),
                 "nodes_parquet": str(directory / "nodes.parquet"), "edges_parquet": str(directory / "edges.parquet")}
        anchors = limit.khop(race.work, directory, threshold)
        systems = [race.built(name, f"khop{scale}.{name}", "load_graph", **files) for name in race.names(SYSTEMS)]
        systems = [s for s in systems if s]
        results = {}
        for hops in (1, 2, 3):
            for trail in ((False, True) if hops == 3 else (False,)):
                for filtered in (False, True):
                    query = f"{hops}-hop" + ((" trail" if trail else " walk") if hops == 3 else "") + (" filter" if filtered else "")
                    anchor = anchors.get(query)

                    def agrees(rows, anchor=anchor):
                        return None if anchor is None or rows[0][0] == anchor["count"] else f"{rows[0][0]}, expected {anchor['count']}"

                    results[query] = race.query(f"khop{scale}", query, systems, asks(hops, filtered, trail, threshold), agrees)
                    if anchor:
                        results[query]["limit"] = {"cpu": anchor["cpu"]}
                        race.record(suite=f"khop{scale}", system="limit", **anchor)
        for system in systems:
            system.stop()
        names = [s.name for s in systems] + (["limit"] if anchors else [])
        races.query_table(f"khop, scale {scale}: {graph['nodes']:,} vertices, {graph['edges']:,} directed edges", names, results)
