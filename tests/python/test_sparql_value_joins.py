"""Parts of a query that only an equality of values connects: `=`, `sameTerm`, `IN` and equalities of functions, in filters, in
OPTIONAL, EXISTS, NOT EXISTS and MINUS, give what asking each pair gives.

The same condition within COALESCE is asked of pairs: no join knows it. Where pyoxigraph means the same, its solutions are compared, too.
`SPARQL_VALUE_JOIN_SEEDS=from..to` widens the run; every failure prints its seed, query and data.
"""

import collections
import os
import random
import time

import pytest
import trimorph

pyoxigraph = pytest.importorskip("pyoxigraph")

PREFIXES = "PREFIX : <http://e/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
SEEDS = range(*(int(n) for n in os.environ.get("SPARQL_VALUE_JOIN_SEEDS", "0..25").split("..")))
QUERIES = 8
# Each is equal to others of another type or form.
VALUES = [
    "1", "01", "1.0", "1e0", "'1'^^xsd:float", "'1'^^xsd:byte", "'1'", "2", "2.5", "'2.5'^^xsd:double", "'2.50'^^xsd:decimal", "0.1", "'0.1'^^xsd:float", "0.1e0",
    "12345678901234567890", "12345678901234567890.0", "16777217", "'16777216'^^xsd:float", "'NaN'^^xsd:double", "'x'", "'X'", "'x'@en", "'x'@de", "'x'^^xsd:string", "'x'^^:odd", "'y'^^:odd",
    "'bad'^^xsd:integer", "true", "'1'^^xsd:boolean", "false", "'2020-01-01T00:00:00Z'^^xsd:dateTime", "'2020-01-01T01:00:00+01:00'^^xsd:dateTime", "'2020-01-01T00:00:00'^^xsd:dateTime",
    "'2020-01-01'^^xsd:date", "'2020-01-01Z'^^xsd:date", "'PT24H'^^xsd:dayTimeDuration", "'P1D'^^xsd:dayTimeDuration", "'P1D'^^xsd:duration", ":n1", ":n2", "_:b",
]
CONDITIONS = [
    "{x} = {y}", "{x} = {y}", "{x} = {y}", "sameTerm({x}, {y})", "STR({x}) = STR({y})", "LCASE(STR({x})) = LCASE(STR({y}))", "{y} IN ({x}, 'x')", "{x} IN ({y})", "{x} + 0 = {y}",
    "{x} = {y} + 1", "DATATYPE({x}) = DATATYPE({y})", "LANG({x}) = LANG({y})", "LCASE({x}) = {y}", "{x} = {y} || STR({x}) = STR({y})",
]


def data(r):
    pairs = [(f":{kind}{at}", f":{kind}", r.choice(VALUES)) for kind in "pq" for at in range(r.randint(4, 12)) for _ in range(r.randint(1, 2))]
    kinds = [f":{kind}{at} a :{kind.upper()}" for kind in "pq" for at in range(12) if r.random() < 0.4]
    return " . ".join([*(" ".join(pair) for pair in pairs), *kinds])


def query(r):
    condition = r.choice(CONDITIONS).format(x="?x", y="?y")
    left, right = "?a :p ?x .", r.choice(["?b :q ?y .", "?b ?p ?y .", "?b :q ?y . ?b a :Q .", "?b a ?c ; :q ?y ."])
    if r.random() < 0.3:
        left += " ?a a :P ."
    shape = r.choice(
        [
            "SELECT * {{ {left} {right} FILTER({condition}) }}",
            "SELECT * {{ {left} OPTIONAL {{ {right} FILTER({condition}) }} }}",
            "SELECT * {{ {left} FILTER EXISTS {{ {right} FILTER({condition}) }} }}",
            "SELECT * {{ {left} FILTER NOT EXISTS {{ {right} FILTER({condition}) }} }}",
            "SELECT * {{ {left} MINUS {{ ?a :p ?x . {right} FILTER({condition}) }} }}",
            "SELECT ?a (COUNT(?b) AS ?n) {{ {left} {right} FILTER({condition}) }} GROUP BY ?a",
            "SELECT * {{ {left} {{ {right} }} FILTER({condition}) }}",
            "SELECT * {{ {{ {left} }} UNION {{ ?a :q ?x }} {right} FILTER({condition}) }}",
            "SELECT * {{ {left} {{ SELECT ?b ?y {{ {right} }} }} FILTER({condition}) }}",
            "SELECT * {{ {left} BIND(STR(?x) AS ?k) {right} BIND(STR(?y) AS ?l) FILTER(?k = ?l) }}",
        ]
    )
    return shape, {"left": left, "right": right}, condition


def solutions(found, names):
    return collections.Counter(tuple("_:" if str(row[name]).startswith("_:") else str(row[name]) for name in names) for row in found)


def ours(conn, asked, names):
    found = conn.sparql(asked).serialize("json")
    return solutions(pyoxigraph.parse_query_results(found, format=pyoxigraph.QueryResultsFormat.JSON), names)


@pytest.mark.parametrize("seed", SEEDS)
def test_value_joins_give_what_asking_pairs_gives(seed):
    r = random.Random(seed)
    text = data(r)
    conn = trimorph.connect()
    conn.sparql(PREFIXES + "INSERT DATA { " + text + " }")
    store = pyoxigraph.Store()
    store.update(PREFIXES + "INSERT DATA { " + text + " }")
    for _ in range(QUERIES):
        shape, parts, condition = query(r)
        asked = PREFIXES + shape.format(condition=condition, **parts)
        pairs = PREFIXES + shape.replace("?k = ?l", "COALESCE(?k = ?l, false)").format(condition=f"COALESCE({condition}, false)", **parts)
        names = sorted(variable.value for variable in store.query(asked).variables)
        found, expected = ours(conn, asked, names), ours(conn, pairs, names)
        assert found == expected, f"seed {seed}: {asked}\nmissing {expected - found}\nmore {found - expected}\n{text}"


def test_values_of_several_types_are_joined_by_a_key():
    conn = trimorph.connect()
    kinds = ["{}", "{}.0", "{}e0", "'0{}'^^xsd:integer", "'{}'^^xsd:float"]
    many = lambda kind: " . ".join(f":{kind}{n} :{kind} {kinds[(n * 7 + len(kind)) % 5].format(n)}" for n in range(3000))
    conn.sparql(PREFIXES + "INSERT DATA { " + many("p") + " . " + many("qq") + " }")
    texts = ["SELECT (COUNT(*) AS ?n) { ?a :p ?x . ?b :qq ?y FILTER(?x = ?y) }", "SELECT (COUNT(*) AS ?n) { ?a :p ?x FILTER EXISTS { ?b :qq ?y FILTER(?x = ?y) } }",
             "SELECT (COUNT(?b) AS ?n) { ?a :p ?x OPTIONAL { ?b :qq ?y FILTER(?x = ?y) } }"]
    for text in texts:
        started = time.process_time()
        assert conn.sparql(PREFIXES + text).fetchall() == [(3000,)], text
        # Nine million pairs take far longer.
        assert time.process_time() - started < 2, text
