"""k hops over KNOWS of SNB, undirected: each stored relationship is walked from both ends.

`walk` lets a relationship repeat, as Ladybug and Kuzu do; `trail` is openCypher's rule, which differs from 2 hops on. SQL says
it without relationship ids: between two persons there is one KNOWS, so a step repeats the last one if it goes back.
"""

import datetime as dt

import race as races

from . import snb

SYSTEMS = ["trimorph", "ladybug", "kuzu", "duckdb"]
SINCE = dt.datetime(2012, 1, 1)


def asks(hops, filtered, trail):
    where = f" WHERE k{hops}.creationDate > $since" if filtered else ""
    steps = [f"(p{i}:Person)-[k{i + 1}:KNOWS]-(p{i + 1}:Person)" for i in range(hops)]
    texts = {"trimorph": "MATCH " + (", " if trail else " MATCH ").join(steps) + where + " RETURN count(*)"}
    joins = "".join(f" JOIN Knows k{i} ON k{i}.Person1Id = k{i - 1}.Person2Id"
                    + (f" AND k{i}.Person2Id <> k{i - 1}.Person1Id" if trail else "") for i in range(2, hops + 1))
    texts["duckdb"] = f"SELECT count(*) FROM Knows k1{joins}{where}"
    if not trail:
        chain = "(p0:Person)" + "".join(f"-[k{i}:KNOWS]-(p{i}:Person)" for i in range(1, hops + 1))
        texts["ladybug"] = texts["kuzu"] = f"MATCH {chain}{where} RETURN count(*)"
    # Ours stores zoned instants, the peers plain timestamps in UTC.
    return {name: (text, {"since": SINCE.replace(tzinfo=dt.timezone.utc) if name == "trimorph" else SINCE} if filtered else {})
            for name, text in texts.items()}


def run(race):
    systems = snb.systems(race, SYSTEMS)
    results = {}
    for hops in (1, 2, 3):
        for trail in (False, True) if hops > 1 else (False,):
            for filtered in (False, True):
                query = f"{hops}-hop" + ((" trail" if trail else " walk") if hops > 1 else "") + (" filter" if filtered else "")
                results[query] = race.query("snb-k", query, systems, asks(hops, filtered, trail))
                counts = {n: f["answer"][0][0] for n, f in results[query].items() if f.get("answer")}
                if len(set(counts.values())) > 1:
                    print(f"  {query}: counts differ: {counts}")
    for system in systems:
        system.stop()
    races.query_table("snb-k, KNOWS of SNB 0.1", [s.name for s in systems], results)
