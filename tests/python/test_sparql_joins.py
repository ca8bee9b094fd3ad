"""Joins of random parts: triple patterns that have nothing in common but through `GRAPH`, `UNION`, paths, `VALUES`, sub-queries and
groups, in any order, give pyoxigraph's solutions.

`SPARQL_JOIN_SEEDS=from..to` widens the run; every failure prints its seed, query and data.
"""

import collections
import os
import random

import pytest
import trimorph

pyoxigraph = pytest.importorskip("pyoxigraph")

PREFIXES = "PREFIX : <http://e/>\n"
SEEDS = range(*(int(n) for n in os.environ.get("SPARQL_JOIN_SEEDS", "0..30").split("..")))
QUERIES = 8
VARIABLES = ["?a", "?b", "?c", "?d"]


def node(r):
    return f":n{r.randrange(6)}"


def data(r):
    plain, named = [f":n{i} a {r.choice([':A', ':B'])}" for i in range(6) if r.random() < 0.6], []
    for _ in range(r.randint(5, 25)):
        statement = f"{node(r)} {r.choice([':p', ':q', ':r'])} {r.choice([node(r), node(r), str(r.randrange(3))])}"
        if r.random() < 0.5:
            plain.append(statement)
        else:
            named.append(f"GRAPH {r.choice([':g1', ':g2'])} {{ {statement} }}")
    return " . ".join(plain) + " . " * bool(plain) + " ".join(named)


def triple(r):
    one = r.choice(VARIABLES)
    return r.choice([f"{one} a {r.choice([':A', ':B'])} .", f"{one} {r.choice([':p', ':q', ':r'])} {r.choice([*VARIABLES, node(r)])} .", f"{node(r)} :p {one} ."])


def other(r):
    a, b = r.sample(VARIABLES, 2)
    return r.choice(
        [
            f"GRAPH {r.choice(['?g', ':g1'])} {{ {a} {r.choice([':p', ':q', '?x'])} {b} }}",
            f"GRAPH ?g {{ {a} :p {b} }}",
            f"{{ {a} :p {b} }} UNION {{ {b} :q {a} }}",
            f"{{ {a} :p {b} FILTER({a} != {node(r)}) }}",
            f"{{ {a} :p {b} OPTIONAL {{ {b} :q ?z }} }}",
            f"VALUES ({a} {b}) {{ ({node(r)} {node(r)}) ({node(r)} UNDEF) }}",
            f"{{ SELECT {a} {b} {{ {a} :r {b} }} }}",
            f"{a} :p* {b} .",
        ]
    )


def solutions(found, names):
    return collections.Counter(tuple(str(row[name]) for name in names) for row in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_joins_are_those_of_pyoxigraph(seed):
    r = random.Random(seed)
    text = data(r)
    conn, store = trimorph.connect(), pyoxigraph.Store()
    conn.sparql(PREFIXES + "INSERT DATA { " + text + " }")
    store.update(PREFIXES + "INSERT DATA { " + text + " }")
    for _ in range(QUERIES):
        parts = [triple(r) for _ in range(r.randint(1, 3))] + [other(r) for _ in range(r.randint(1, 3))]
        r.shuffle(parts)
        asked = PREFIXES + "SELECT * { " + " ".join(parts) + " }"
        expected = store.query(asked)
        names = sorted(variable.value for variable in expected.variables)
        expected = solutions(expected, names)
        found = conn.sparql(asked).serialize("json")
        found = solutions(pyoxigraph.parse_query_results(found, format=pyoxigraph.QueryResultsFormat.JSON), names)
        assert found == expected, f"seed {seed}: {asked}\nmissing {expected - found}\nmore {found - expected}\n{text}"
