"""Queries whose plans rely on what the schema says, asked again and again while updates, merges, transactions and `REORGANIZE`
change it: the answers against pyoxigraph's after each step.

`SPARQL_SEEDS=from..to` widens the run.
"""

import collections
import os
import random

import pytest
import trimorph

pyoxigraph = pytest.importorskip("pyoxigraph")

PREFIX = "PREFIX : <http://e/> "
SEEDS = range(*(int(n) for n in os.environ.get("SPARQL_SEEDS", "0..20").split("..")))
QUERIES = [
    "SELECT ?s ?t { ?s :t ?t }",
    "SELECT ?s ?t ?w { ?s :t ?t ; :w ?w FILTER(?w > 1) }",
    "SELECT ?s { ?s :t 'a'@en }",
    "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p",
    "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c",
    "SELECT ?s ?p ?o { ?s ?p ?o FILTER(?p = :t) }",
    "SELECT ?a ?b { { ?a :k ?b } UNION { ?b :k ?a } }",
    "SELECT ?a ?b ?t { ?b :t ?t . { ?a :k ?b } UNION { ?b :k ?a } }",
    "SELECT ?s ?c ?t { ?s a ?c . ?s :t ?t }",
    "SELECT ?x ?p { ?x ?p :n1 . ?x :w ?w }",
    "SELECT ?s ?o { ?s :w ?w OPTIONAL { ?x :k ?o FILTER(?x = ?s) } }",
]


def literal(r):
    """Most are of a language or a type of somebody's; then a text, a number or a node comes among them."""
    return r.choice(["'a'@en", "'b'@de", "'c'^^:d"] if r.random() < 0.85 else ["'plain'", "5", ":n2"])


def update(r):
    n, m, kind = f":n{r.randrange(6)}", f":n{r.randrange(6)}", r.random()
    if kind < 0.4:
        return f"INSERT DATA {{ {n} :t {literal(r)} }}"
    if kind < 0.55:
        return f"INSERT DATA {{ {n} :w {r.randrange(4)} ; a :C{r.randrange(3)} }}"
    if kind < 0.75:
        return f"INSERT DATA {{ {n} :k {m if m != n or r.random() < 0.2 else ':n9'} }}"
    return f"DELETE WHERE {{ {n} {r.choice([':t', ':k', '?p'])} ?x }}"


def answer(rows, text):
    return collections.Counter(tuple(text(value) for value in row) for row in rows)


def ours(value):
    return str(value.lexical if isinstance(value, trimorph.Literal) else getattr(value, "value", value))


def theirs(value):
    return str(value if value is None else value.value)


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_follow_what_is_written(seed):
    r = random.Random(seed)
    conn, store = trimorph.connect(), pyoxigraph.Store()
    for _ in range(25):
        text = PREFIX + update(r)
        conn.sparql(text)
        store.update(text)
        if conn.in_transaction:
            if r.random() < 0.3:
                conn.execute("COMMIT")
        else:
            conn.execute(r.choices(["RETURN 1", "CHECKPOINT", "REORGANIZE", "BEGIN"], [75, 10, 5, 10])[0])
        for query in QUERIES:
            found = store.query(PREFIX + query)
            names = [variable.value for variable in found.variables]
            expected = answer(([row[name] for name in names] for row in found), theirs)
            assert answer(conn.sparql(PREFIX + query).fetchall(), ours) == expected, f"seed {seed}, after {text}: {query}"
