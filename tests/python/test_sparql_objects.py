"""`?s ?p "x"`: literals as objects of any predicate, with the answers that a look at all statements gives.

A literal that is asked for again and again gets columns filters, which tell where it is not. So each is asked for many times, in
data that are merged, written, in a transaction, rolled back, merged again and opened again.
"""

import random

import pytest
import trimorph

PREFIXES = "PREFIX : <http://e/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
VALUES = (
    [f'"t{i}"' for i in range(12)]
    + [f'"t{i}"@{tag}' for i in range(4) for tag in ("en", "de")]
    + [str(i) for i in range(8)]
    + ["1.0", "2.50", "3e0", "-0.0e0", "0.0e0", "true", "false"]
    + [f'"20{10 + i}-01-01"^^xsd:date' for i in range(4)]
    + [f'"2011-01-0{1 + i}T00:00:00{zone}"^^xsd:dateTime' for i in range(2) for zone in ("", "Z", "+01:00")]
    + ['"P1D"^^xsd:duration', '"x"^^:own', '"01"^^xsd:integer', '"Ä"', '""']
)


def statements(seed, people, classes=5):
    """Turtle: nodes of some classes with properties of one type, of several, lists and statements that are talked about."""
    r = random.Random(seed)
    lines = []
    for i in range(people):
        own = [f"a :C{i % classes}"]
        for predicate, values in [(":t", VALUES[:12]), (":n", VALUES[20:28]), (":d", VALUES[35:39]), (":x", VALUES), (":y", VALUES)]:
            for value in r.sample(values, r.choice([0, 1, 1, 2] if predicate == ":x" else [0, 1])):
                own.append(f"{predicate} {value}")
        lines.append(f":s{seed}_{i} " + " ; ".join(own) + " .")
        if i % 7 == 0:
            lines.append(f":s{seed}_{i} :knows :s{seed}_{(i * 3) % people} {{| :w {r.choice(VALUES[20:28])} |}} .")
    return lines


def asked(conn, value):
    return sorted((str(s), str(p)) for s, p in conn.sparql(PREFIXES + f"SELECT ?s ?p {{ ?s ?p {value} }}").fetchall())


def all_of(conn):
    """Subjects and predicates by object, from a scan."""
    found = {}
    for s, p, o in conn.sparql("SELECT ?s ?p ?o { ?s ?p ?o }").fetchall():
        found.setdefault(repr(o), []).append((str(s), str(p)))
    terms = [conn.sparql(PREFIXES + f"SELECT ?v {{ VALUES ?v {{ {value} }} }}").fetchall()[0][0] for value in VALUES]
    return {value: sorted(found.get(repr(term), [])) for value, term in zip(VALUES, terms)}


def check(conn, times=1):
    expected = all_of(conn)
    for _ in range(times):
        for value in VALUES:
            assert asked(conn, value) == expected[value], value
    return expected


@pytest.mark.parametrize("memory", [None, 48 << 20])
def test_a_literal_is_found_wherever_it_is(tmp_path, memory):
    path, text = tmp_path / "db", tmp_path / "data.ttl"
    text.write_text("PREFIX : <http://e/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n" + "\n".join(statements(0, 400)), encoding="utf-8")
    limit = {"memory_limit": memory} if memory else {}
    with trimorph.Database(path, **limit) as db:
        conn = db.connect()
        conn.load_rdf(str(text))
        # Filters are made meanwhile.
        loaded = check(conn, times=14)
        assert any(loaded.values())
        # Nothing of it is in main.
        conn.sparql(PREFIXES + 'INSERT DATA { :new a :C1 ; :t "only here" ; :x 77, "seven"@fr . :s0_1 :y "also here" }')
        assert asked(conn, '"only here"') == [("<http://e/new>", "<http://e/t>")]
        assert asked(conn, '"also here"') == [("<http://e/s0_1>", "<http://e/y>")]
        assert asked(conn, "77") == asked(conn, '"seven"@fr') == [("<http://e/new>", "<http://e/x>")]
        check(conn)
        conn.begin()
        conn.sparql(PREFIXES + "DELETE { ?s :t ?t } INSERT { ?s :t 'moved' } WHERE { ?s :t ?t ; a :C2 }")
        conn.execute("MATCH (n) WHERE n.`http://e/n` = 3 SET n.`http://e/t` = ['in', 'a list', 4]")
        assert asked(conn, '"moved"') and asked(conn, '"in"') and asked(conn, "4")
        within = check(conn)
        conn.rollback()
        assert asked(conn, '"moved"') == asked(conn, '"in"') == []
        assert check(conn) != within
        conn.sparql(PREFIXES + "DELETE { ?s :y ?t } INSERT { ?s :y 'moved' } WHERE { ?s :y ?t ; a :C3 }")
        conn.execute("MATCH (n:`http://e/C4`) SET n.`http://e/t` = ['in', 'a list', 5]")
        written = check(conn, times=2)
        db.checkpoint()
        assert check(conn, times=14) == written
        conn.load_rdf(str(text))
        again = check(conn, times=2)
        conn.sparql(PREFIXES + 'INSERT DATA { :last :x "last" }')
    with trimorph.Database(path, **limit) as db:
        conn = db.connect()
        assert asked(conn, '"last"') == [("<http://e/last>", "<http://e/x>")]
        assert check(conn, times=14) == again


def test_what_relationships_say_is_found():
    db = trimorph.Database()
    conn = db.connect()
    conn.execute("CREATE (a {n: 1}), (b {n: 2}) WITH a, b UNWIND range(1, 300) AS i CREATE (a)-[:R {w: i, t: 't' + (i % 7)}]->(b)")
    db.checkpoint()
    for _ in range(20):
        assert len(asked(conn, '"t3"')) == 43
        assert len(asked(conn, "299")) == 1
        assert asked(conn, "301") == asked(conn, '"t9"') == []
    conn.execute("MATCH ()-[r:R {w: 299}]->() SET r.w = 301, r.t = 't9'")
    assert asked(conn, "299") == []
    assert len(asked(conn, "301")) == len(asked(conn, '"t9"')) == 1


def test_a_property_that_was_a_further_literal_is_one_statement():
    conn = trimorph.Database().connect()
    insert = "INSERT DATA { :a :p 1, 2, 'x', 'y'@en ; :q 5 . :b :p 1, 2 }"
    count = "SELECT (COUNT(*) AS ?n) { :a :p ?v }"
    for change, n in [("n.`http://e/p` = 2", 3), ("n.`http://e/p` = 'x'", 3), ("n += {`http://e/p`: 2}", 3), ("n.`http://e/p` = 7", 4), ("n.`http://e/p` = [1, 2, 'x']", 4)]:
        conn.sparql("DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }")
        conn.sparql(PREFIXES + insert)
        conn.begin()
        conn.execute(f"MATCH (n) WHERE n.`http://e/q` = 5 SET {change}")
        values = [repr(v) for (v,) in conn.sparql(PREFIXES + "SELECT ?v { :a :p ?v }").fetchall()]
        assert len(values) == len(set(values)) == n, (change, values)
        assert conn.sparql(PREFIXES + count).fetchall() == [(n,)], change
        assert len(conn.sparql(PREFIXES + "SELECT ?v { :b :p ?v }").fetchall()) == 2
        conn.rollback()
        assert conn.sparql(PREFIXES + count).fetchall() == [(4,)]


@pytest.mark.parametrize("change", ["REMOVE n.`http://e/p`", "SET n.`http://e/p` = null", "SET n = {`http://e/q`: 5, `@id`: n.`@id`}", "SET n += {`http://e/p`: null}"])
@pytest.mark.parametrize("merged", [False, True])
def test_a_property_that_is_removed_leaves_no_literal(change, merged):
    db = trimorph.Database()
    conn = db.connect()
    conn.sparql(PREFIXES + "INSERT DATA { :a :p 1, 2, 'x', 'y'@en ; :q 5 ; :r :b . :b :p 1, 2 . GRAPH :g { :a :p 1, 9 } }")
    if merged:
        db.checkpoint()
    conn.begin()
    assert conn.execute(f"MATCH (n) WHERE n.`http://e/q` = 5 {change} RETURN n.`http://e/p`").fetchall() == [(None,)]
    assert conn.sparql(PREFIXES + "SELECT ?v { :a :p ?v }").fetchall() == []
    conn.rollback()
    assert len(conn.sparql(PREFIXES + "SELECT ?v { :a :p ?v }").fetchall()) == 4
    conn.execute(f"MATCH (n) WHERE n.`http://e/q` = 5 {change}")
    assert conn.execute("MATCH (n) WHERE n.`http://e/q` = 5 RETURN n.`http://e/p`, n.`@id`").fetchall() == [(None, trimorph.IRI("http://e/a"))]
    assert conn.sparql(PREFIXES + "SELECT ?v { :a :p ?v }").fetchall() == []
    # The others', those in graphs and relationships stay; nodes of literals that nobody states go.
    assert sorted(conn.sparql(PREFIXES + "SELECT ?v { :b :p ?v }").fetchall()) == [(1,), (2,)]
    assert sorted(conn.sparql(PREFIXES + "SELECT ?v { GRAPH :g { :a :p ?v } }").fetchall()) == [(1,), (9,)]
    assert conn.sparql(PREFIXES + "ASK { :a :r :b }").fetchall() == [(True,)]
    assert conn.execute("MATCH (l:`@literal`) RETURN count(l)").fetchall() == [(3,)]
    # What comes then is the property.
    conn.sparql(PREFIXES + "INSERT DATA { :a :p 'new' }")
    assert conn.execute("MATCH (n) WHERE n.`http://e/q` = 5 RETURN n.`http://e/p`").fetchall() == [("new",)]


def test_where_sparql_deletes_the_property_the_next_literal_becomes_it():
    conn = trimorph.Database().connect()
    ask = "MATCH (n) WHERE n.`http://e/q` = 5 RETURN n.`http://e/p`"
    conn.sparql(PREFIXES + "INSERT DATA { :a :p 1 ; :q 5 } ; INSERT DATA { :a :p 2 } ; INSERT DATA { :a :p 'x' } ; INSERT DATA { :a :p 'said' {| :by :b |} }")
    for gone, left, first in [("1", [2, "said", "x"], 2), ("2", ["said", "x"], "x"), ("'x'", ["said"], None)]:
        conn.sparql(PREFIXES + f"DELETE DATA {{ :a :p {gone} }}")
        assert sorted((v for (v,) in conn.sparql(PREFIXES + "SELECT ?v { :a :p ?v }").fetchall()), key=str) == left
        if first is not None:
            assert conn.execute(ask).fetchall() == [(first,)]
    # Several at once, and replaced in one update.
    conn.sparql(PREFIXES + "INSERT DATA { :c :p 1 ; :q 6 } ; INSERT DATA { :c :p 2, 3 } ; DELETE DATA { :c :p 1, 2 }")
    assert conn.execute(ask.replace("5", "6")).fetchall() == [(3,)]
    conn.sparql(PREFIXES + "DELETE { :c :p ?v } INSERT { :c :p ?w } WHERE { :c :p ?v BIND(?v + 10 AS ?w) }")
    assert conn.execute(ask.replace("5", "6")).fetchall() == [(13,)]
    assert conn.sparql(PREFIXES + "SELECT ?v { :c :p ?v }").fetchall() == [(13,)]


def test_a_moment_of_a_named_zone_is_the_literal_that_is_shown():
    db = trimorph.Database()
    conn = db.connect()
    conn.execute("UNWIND range(1, 300) AS i CREATE (a:X {i: i, t: datetime('2020-06-01T00:00:00+01:00[Europe/London]') + duration({days: i % 3})})-[:R {t: a.t}]->(a)")
    first, other = '"2020-06-01T00:00:00+01:00"^^xsd:dateTime', '"2020-05-31T23:00:00Z"^^xsd:dateTime'
    for _ in range(2):
        for _ in range(12):
            assert len(asked(conn, first)) == 200
            assert asked(conn, other) == []
            assert len(conn.sparql(PREFIXES + f"SELECT ?s {{ ?s <trimorph:t> {first} }}").fetchall()) == 200
        db.checkpoint()
