"""Relationships that pass a condition, counted by the nodes at either end, are those that are there: in the delta, merged, deleted,
changed, written by the transaction that asks and rolled back."""

import random

import pytest

import trimorph


@pytest.mark.parametrize("threads", [1, 2])
def test_counts_follow_what_is_written(threads):
    draw = random.Random(5)
    db = trimorph.Database(":memory:", threads=threads)
    conn = db.connect()
    conn.execute("CREATE CONSTRAINT FOR (v:V) REQUIRE v.id IS UNIQUE")
    conn.execute("UNWIND range(0, 99) AS i CREATE (:V {id: i})")
    edges, keys = {}, iter(range(1_000_000))

    def add(count):
        rows = []
        for _ in range(count):
            weight = draw.choice([None, draw.random(), draw.randrange(5)])
            rows.append({"k": next(keys), "a": draw.randrange(100), "b": draw.randrange(100), "w": weight})
        edges.update((row["k"], row) for row in rows)
        conn.execute("UNWIND $rows AS r MATCH (a:V {id: r.a}), (b:V {id: r.b}) CREATE (a)-[:E {k: r.k, w: r.w}]->(b)", {"rows": rows})

    def check():
        heavy = [e for e in edges.values() if e["w"] is not None and e["w"] > 0.5]
        into, out_of, heavy_into = {}, {}, {}
        for e in edges.values():
            into[e["b"]], out_of[e["a"]] = into.get(e["b"], 0) + 1, out_of.get(e["a"], 0) + 1
        for e in heavy:
            heavy_into[e["b"]] = heavy_into.get(e["b"], 0) + 1
        rows = conn.execute("MATCH (b:V)<-[t:E]-() WHERE t.w > 0.5 RETURN b.id, count(t)").fetchall()
        assert dict(rows) == heavy_into
        ask = lambda text: conn.execute(text).fetchall()[0][0]
        two = ask("MATCH (x:V)<-[r:E]-() MATCH (x)-[t:E]->(y:V) WHERE t.w > 0.5 MATCH (y)-[s:E]->(z) RETURN count(*)")
        assert two == sum(into.get(e["a"], 0) * out_of.get(e["b"], 0) for e in heavy)
        chains = {}
        for e in heavy:
            chains[e["b"]] = chains.get(e["b"], 0) + heavy_into.get(e["a"], 0) - (e["a"] == e["b"])
        three = ask("MATCH (x:V)<-[t:E]-(:V) WHERE t.w > 0.5 RETURN sum(COUNT { (x)<-[s:E]-(:V)<-[r:E]-() WHERE s.w > 0.5 AND r.w > 0.5 })")
        assert three == sum(chains.get(e["b"], 0) for e in heavy)

        # In both directions, where a relationship from a node to itself is one.
        ends = [(x, e) for e in heavy for x in {(e["a"], e["b"]), (e["b"], e["a"])}]
        at, degree = {}, {}
        for (a, _), _ in ends:
            at[a] = at.get(a, 0) + 1
        for e in edges.values():
            for x in {e["a"], e["b"]}:
                degree[x] = degree.get(x, 0) + 1
        assert ask("MATCH (:V)-[t:E]-(:V) WHERE t.w > 0.5 RETURN count(*)") == len(ends)
        rows = conn.execute("MATCH (x:V)-[t:E]-(y:V) WHERE t.w > 0.5 RETURN x.id, y.id, t.k").fetchall()
        assert sorted(rows) == sorted((a, b, e["k"]) for (a, b), e in ends)
        rows = conn.execute("MATCH (x:V) WITH x, COUNT { (x)-[t:E]-() WHERE t.w > 0.5 } AS n WHERE n > 0 RETURN x.id, n").fetchall()
        assert dict(rows) == at
        assert ask("MATCH (x:V) WHERE NOT EXISTS { (x)-[t:E]-() WHERE t.w > 0.5 } RETURN count(*)") == 100 - len(at)
        rows = conn.execute("MATCH (x:V)-[t:E]-(y) WHERE x.id % 2 = 0 AND y.id > 20 AND t.w > 0.5 AND x.id < t.k RETURN x.id, t.k").fetchall()
        assert sorted(rows) == sorted((a, e["k"]) for (a, b), e in ends if a % 2 == 0 and b > 20 and a < e["k"])
        # What hangs at the other end of it is another relationship.
        weighed = ask("MATCH (x:V) RETURN sum(COUNT { (x)-[t:E]-(:V)-[r:E]-() WHERE t.w > 0.5 })")
        assert weighed == sum(degree[b] - 1 for (_, b), _ in ends)

    add(600)
    check()
    db.checkpoint()
    check()
    add(100)
    check()
    for key in draw.sample(sorted(edges), 100):
        conn.execute("MATCH ()-[t:E {k: $k}]->() DELETE t", {"k": key})
        del edges[key]
    check()
    for key in draw.sample(sorted(edges), 100):
        conn.execute("MATCH ()-[t:E {k: $k}]->() SET t.w = 0.9", {"k": key})
        edges[key]["w"] = 0.9
    check()
    before = dict(edges)
    conn.execute("BEGIN")
    add(50)
    check()
    conn.execute("ROLLBACK")
    edges.clear()
    edges.update(before)
    check()
