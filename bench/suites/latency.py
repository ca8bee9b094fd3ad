"""One statement, one row or a few, through Python: a person by id, and the friends of a person by id. Prepared where possible."""

import random
import statistics

import race as races

from . import snb

SYSTEMS = ["trimorph", "ladybug", "sqlite"]
CALLS = 2000
CYPHER = {"point": "MATCH (p:Person {id: $id}) RETURN p.firstName, p.lastName",
          "1-hop": "MATCH (p:Person {id: $id})-[:KNOWS]-(f:Person) RETURN f.id"}
SQL = {"point": "SELECT firstName, lastName FROM person WHERE id = $id",
       "1-hop": "SELECT b FROM knows WHERE a = $id"}


def run(race):
    systems = snb.systems(race, SYSTEMS)
    if not systems:
        return
    import pyarrow.parquet as pq

    ids = pq.read_table(race.work / "snb-parquet" / "Person.parquet", columns=["id"])["id"].to_pylist()
    pick = random.Random(7)
    rows = []
    for query in CYPHER:
        walls, cpus, counts = {}, {}, {}
        for _ in range(race.options.repetitions):
            chosen = [{"id": pick.choice(ids)} for _ in range(CALLS)]
            for system in list(systems):
                text = (SQL if system.name == "sqlite" else CYPHER)[query]
                try:
                    took = system.request("each", text=text, parameter_rows=chosen, seconds=300)
                except races.Failed as error:
                    print(f"  {query} {system.name}: {str(error)[:200]}")
                    systems.remove(system)
                    continue
                walls.setdefault(system.name, []).extend(took["walls"])
                cpus.setdefault(system.name, []).append(took["cpu"] / CALLS)
                counts.setdefault(system.name, []).append(took["count"])
        if len({tuple(c) for c in counts.values()}) > 1:
            print(f"  {query}: row counts differ: {counts}")
        for name, samples in walls.items():
            samples.sort()
            fields = {"wall_median": statistics.median(samples), "wall_p99": samples[len(samples) * 99 // 100],
                      "cpu": statistics.median(cpus[name])}
            race.record(suite="latency", query=query, system=name, **fields)
            rows.append([query, name, *(f"{v * 1e6:.1f}" for v in fields.values())])
    for system in systems:
        system.stop()
    races.table("latency, microseconds per call", ["query", "system", "wall median", "wall p99", "CPU mean"], rows)
