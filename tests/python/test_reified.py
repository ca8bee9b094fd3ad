"""Relationships with properties as RDF 1.2 has them: they reify the statements that they are.

What is asked is asked of pyoxigraph as well, over what we export.
"""

import random
import warnings
from collections import Counter

import pytest

import trimorph

RDF = "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX : <trimorph:> "


def graph(seed=1, nodes=30, edges=120, loops=True):
    """A network whose relationships say integers, texts, lists, IRIs and nothing."""
    random_ = random.Random(seed)
    conn = trimorph.Database(":memory:").connect()
    conn.execute("UNWIND range(0, $n - 1) AS i CREATE (:P {i: i, weight: CASE i % 5 WHEN 0 THEN null ELSE i % 3 END})", {"n": nodes})
    conn.execute("MATCH (p:P) WHERE p.i % 4 = 1 SET p.many = ['a', 'b', 'b']")
    made = set()
    while len(made) < edges:
        a, b = random_.randrange(nodes), random_.randrange(nodes)
        if a == b and not loops:
            continue
        made.add((a, b, random_.choice(["KNOWS", "LIKES", "SEES"])))
    for a, b, kind in sorted(made):
        props = {}
        if kind != "SEES":
            if random_.random() < 0.7:
                props["since"] = random_.randrange(2000, 2010)
            if random_.random() < 0.3:
                props["note"] = random_.choice(["x", "yy", "zürich"])
            if kind == "KNOWS" and random_.random() < 0.6:
                props["weight"] = random_.randrange(4)
            if random_.random() < 0.2:
                props["tags"] = random_.sample(["u", "v", "w"], 2)
            if kind == "LIKES" and random_.random() < 0.2:
                props["since"] = "long ago"
        conn.execute(
            f"MATCH (a:P {{i: $a}}), (b:P {{i: $b}}) CREATE (a)-[r:{kind}]->(b) SET r = $props",
            {"a": a, "b": b, "props": props},
        )
    return conn


def rows(result):
    return Counter(tuple(str(term) for term in row) for row in result.fetchall())


QUERIES = [
    "SELECT ?a ?b ?y { ?a :KNOWS ?b {| :since ?y |} }",
    "SELECT ?a ?b ?y { ?a :LIKES ?b {| :since ?y |} }",
    "SELECT ?i ?j ?y { ?a :KNOWS ?b {| :since ?y |} . ?a :i ?i . ?b :i ?j FILTER(?y > 2004) }",
    "SELECT ?a ?b ?y ?t { ?a :KNOWS ?b {| :since ?y ; :tags ?t |} }",
    "SELECT ?a ?b { ?a :KNOWS ?b ~ ?r . ?r :note 'x' }",
    "SELECT ?a ?b ?y { ?a :KNOWS ?b OPTIONAL { ?r rdf:reifies <<( ?a :KNOWS ?b )>> ; :since ?y } }",
    "SELECT ?a ?b { ?a :KNOWS ?b FILTER NOT EXISTS { ?a :KNOWS ?b {| :since ?y |} } }",
    "SELECT ?a ?b { ?r rdf:reifies <<( ?a :KNOWS ?b )>> }",
    "SELECT ?a ?p ?b { ?r rdf:reifies <<( ?a ?p ?b )>> }",
    "SELECT ?a ?p ?b { ?r rdf:reifies <<( ?a ?p ?b )>> ; :since 2003 }",
    "SELECT ?t ?q ?o { ?r rdf:reifies ?t . ?r ?q ?o }",
    "SELECT ?s ?y { ?s :since ?y }",
    "SELECT ?s { ?s :since 2005 }",
    "SELECT ?s ?p { ?s ?p 'x' }",
    "SELECT ?p (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?m) { ?s ?p ?o } GROUP BY ?p",
    "SELECT ?y (COUNT(?b) AS ?n) { ?a :KNOWS ?b {| :since ?y |} } GROUP BY ?y",
    "SELECT ?a ?c ?y ?z { ?a :KNOWS ?b {| :since ?y |} . ?b :KNOWS ?c {| :since ?z |} FILTER(?y < ?z) }",
    "SELECT ?b ?t { { ?a :KNOWS ?b {| :tags ?t |} } UNION { ?a :LIKES ?b {| :note ?t |} } }",
    "SELECT ?a ?b ?n { { SELECT ?a ?b { ?a :KNOWS ?b } } ?r rdf:reifies <<( ?a :KNOWS ?b )>> ; :note ?n }",
    "SELECT ?x ?y { ?x :i ?i . ?x :KNOWS ?b {| :since ?y |} FILTER(?i < 5) }",
    "SELECT (COUNT(*) AS ?n) { ?a :KNOWS ?b . ?r rdf:reifies <<( ?a :KNOWS ?b )>> }",
    "SELECT ?r { ?r a ?c }",
    "SELECT ?y { VALUES ?y { 2001 2002 } ?a :KNOWS ?b {| :since ?y |} }",
    # Numbers of statements.
    "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    "SELECT (COUNT(?o) AS ?n) (COUNT(*) AS ?m) { ?s ?p ?o }",
    "SELECT ?p (COUNT(?s) AS ?n) { ?s ?p ?o } GROUP BY ?p HAVING (COUNT(?s) > 3)",
    "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c",
    "SELECT (COUNT(*) AS ?n) { ?s a ?c }",
    "SELECT (COUNT(*) AS ?n) { ?s :tags ?t }",
    "SELECT (COUNT(*) AS ?n) { ?s :many ?t }",
    "SELECT (COUNT(*) AS ?n) { ?s ?p ?p }",
    "SELECT ?p (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o } GROUP BY ?p",
    "SELECT (COUNT(*) AS ?n) { ?s :nothing ?o }",
    "SELECT DISTINCT ?p { ?s ?p ?o }",
    # Of one edge either way.
    "SELECT ?a ?b ?y { { ?a :KNOWS ?b {| :since ?y |} } UNION { ?b :KNOWS ?a {| :since ?y |} } }",
    "SELECT ?a ?b ?y ?w { { ?a :KNOWS ?b {| :since ?y ; :weight ?w |} } UNION { ?b :KNOWS ?a {| :since ?y ; :weight ?w |} } ?a :i ?i FILTER(?i < 9 && ?y > 2003) }",
    "SELECT ?r ?b { { ?r rdf:reifies <<( ?a :KNOWS ?b )>> ; :note ?n } UNION { ?r rdf:reifies <<( ?b :KNOWS ?a )>> ; :note ?n } }",
    "SELECT ?a ?b { { ?a :KNOWS ?b {| :since ?y |} } UNION { ?b :KNOWS ?a {| :weight ?y |} } }",
    "SELECT ?a ?b { { ?a :KNOWS ?b } UNION { ?b :KNOWS ?a } }",
    # Of nodes and relationships alike, of relationships only, of nodes only.
    "SELECT ?s ?w { ?s :weight ?w }",
    "SELECT (COUNT(*) AS ?n) (SUM(?w) AS ?t) { ?s :weight ?w }",
    "SELECT ?w (COUNT(?s) AS ?n) { ?s :weight ?w FILTER(?w > 0) } GROUP BY ?w",
    "SELECT ?s ?n { ?s :note ?n }",
    "SELECT ?s ?w ?n { ?s :weight ?w ; :note ?n }",
    "SELECT ?s ?w ?i { ?s :weight ?w ; :i ?i }",
    "SELECT ?s ?w ?b { ?s :weight ?w ; :KNOWS ?b }",
    "SELECT ?s ?x { ?s :weight ?w . ?x :weight ?w ; :i 3 }",
    "SELECT ?s ?x { ?s :weight ?w ; :note ?n . ?x :weight ?w ; :note ?n }",
    "SELECT ?s { ?s :weight 2 FILTER NOT EXISTS { ?s :note ?n } }",
    "SELECT ?s ?n { ?s :weight ?w OPTIONAL { ?s :note ?n } }",
    "SELECT ?s ?p ?o { ?s :weight 1 . ?s ?p ?o }",
    "SELECT ?a ?w ?v { ?a :KNOWS ?b {| :weight ?w |} . ?b :weight ?v FILTER(?v = ?w) }",
    "SELECT ?s ?w { VALUES ?w { 0 3 } ?s :weight ?w }",
    "SELECT ?w { { SELECT ?w { ?s :weight ?w } ORDER BY ?w LIMIT 5 } }",
    "SELECT ?s ?t { ?s :weight ?w . ?s rdf:reifies ?t }",
    "SELECT ?s (isIRI(?r) AS ?i) (isTriple(?t) AS ?j) (SUBJECT(?t) AS ?s) { ?r rdf:reifies ?t ; :note 'yy' }",
]


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("written", [False, True])
def test_relationships_reify_as_others_see_them(tmp_path, written, loops):
    pyoxigraph = pytest.importorskip("pyoxigraph")
    conn = graph(seed=2 if written else 1, loops=loops)
    if written:
        # Statements about statements that are no relationships, about one that is, and about none.
        conn.sparql(
            RDF + "INSERT { ?a :KNOWS ?b ~ :said {| :since 1999 |} } WHERE { ?a :i 3 . ?a :KNOWS ?b } ;"
            "INSERT DATA { :e1 :KNOWS :e2 {| :note 'x' ; :tags 'u' |} . :r rdf:reifies <<( :e1 :LIKES :e2 )>> ; :since 2003 }"
        )
    path = tmp_path / "all.nt"
    conn.export_rdf(str(path))
    store = pyoxigraph.Store()
    store.load(path=str(path))
    for text in QUERIES:
        text = text.replace("(SUBJECT(?t) AS ?s)", "(SUBJECT(?t) AS ?u)").replace("SELECT ?s (isIRI", "SELECT ?r (isIRI")
        answer = store.query(RDF + text)
        variables = [v.value for v in answer.variables]

        def term(value):
            if value is None:
                return "None"
            if isinstance(value, pyoxigraph.Literal):
                return value.value
            return f"_:{value.value}" if isinstance(value, pyoxigraph.BlankNode) else plain(str(value))

        expected = Counter(tuple(term(row[v]) for v in variables) for row in answer)
        ours = Counter(
            tuple(
                "None" if value is None
                else f"_:{value.value}" if isinstance(value, trimorph.BlankNode)
                else str(value).lower() if isinstance(value, bool)
                else plain(getattr(value, "value", str(value)))
                for value in row
            )
            for row in conn.sparql(RDF + text).fetchall()
        )  # fmt: skip
        if any("_:" in cell for row in [*ours, *expected] for cell in row):
            ours, expected = ([Counter(len(row) for row in all_.elements())] for all_ in (ours, expected))
        assert ours == expected, text


def plain(text):
    """Terms within triple terms as one of the two writes them."""
    for old, new in (("<<( ", ""), (" )>>", ""), ("<", ""), (">", "")):
        text = text.replace(old, new)
    return text


def test_an_export_comes_back_as_it_was(tmp_path):
    conn = graph(seed=3)
    # Parallel relationships are each one.
    conn.execute("MATCH (a:P {i: 1}), (b:P {i: 2}) CREATE (a)-[:KNOWS {since: 1}]->(b), (a)-[:KNOWS {since: 2}]->(b)")
    conn.execute("MATCH (a:P {i: 1}), (b:P {i: 2}) CREATE (a)-[:OWNS {at: date('2020-01-02'), w: 1.5, big: [1, 2]}]->(b)")
    path = tmp_path / "all.nt"
    conn.export_rdf(str(path))
    shown = "MATCH (a:P)-[r]->(b:P) RETURN a.i, b.i, type(r), r.since, r.note, r.tags, r.at, r.w, r.big"

    def answer(c):
        lists = lambda value: sorted(value) if isinstance(value, list) else value  # noqa: E731
        return Counter(repr([lists(cell) for cell in row]) for row in c.execute(shown).fetchall())

    built = trimorph.Database(":memory:").connect()
    built.load_rdf(str(path))
    assert answer(built) == answer(conn)
    assert built.execute("MATCH (n) RETURN count(n)").fetchall() == [(30,)]
    # And once more: nothing is lost on the way.
    again = tmp_path / "again.nt"
    built.export_rdf(str(again))
    twice = trimorph.Database(":memory:").connect()
    twice.load_rdf(str(again))
    assert answer(twice) == answer(conn)
    # Where a statement is not there, a number says nothing, or something tells of one, they stay nodes.
    for more in (
        "<trimorph:relationship/7> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <http://a> <http://b> <http://c> )>> .",
        "<trimorph:relationship/7> <trimorph:since> \"1\" .",
    ):  # fmt: skip
        other = trimorph.Database(":memory:").connect()
        other.load_rdf(data=(path.read_text() + more).encode(), format="ntriples")
        found = other.sparql("SELECT ?p ?o { <trimorph:relationship/7> ?p ?o }").fetchall()
        assert len(found) == 1, found
        assert other.sparql("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").fetchall() == [
            (len(set(path.read_text().splitlines())) + 1,)
        ]


def test_without_triple_terms(tmp_path):
    conn = graph(seed=4)
    path = tmp_path / "plain.nt"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        count = conn.export_rdf(str(path), triple_terms=False)
    assert "RDF 1.2" in str(told[0].message)
    text = path.read_text()
    assert "<<(" not in text and "relationship/" not in text and text.count("\n") == count


def test_what_relationships_say_is_updated():
    conn = trimorph.Database(":memory:").connect()
    conn.execute("CREATE (:P {i: 1})-[:KNOWS {since: 2000, note: 'x'}]->(:P {i: 2})-[:KNOWS {since: 2001}]->(:P {i: 3})")
    edges = lambda: conn.execute("MATCH (a)-[r:KNOWS]->() RETURN a.i, properties(r) ORDER BY a.i").fetchall()  # noqa: E731
    conn.sparql(RDF + "DELETE { ?r :since ?y } INSERT { ?r :since ?z } WHERE { ?a :KNOWS ?b ~ ?r . ?r :since ?y BIND(?y + 10 AS ?z) }")
    assert edges() == [(1, {"since": 2010, "note": "x"}), (2, {"since": 2011})]
    (iri,) = conn.sparql("SELECT ?r { ?r :note 'x' }").fetchone()
    conn.sparql(f"INSERT DATA {{ <{iri.value}> :since 5 ; :source <http://doc> }}")
    assert edges()[0] == (1, {"since": [2010, 5], "note": "x", "source": trimorph.IRI("http://doc")})
    assert conn.sparql("SELECT ?s { ?s :source <http://doc> }").fetchall() == [(iri,)]
    conn.sparql(f"DELETE DATA {{ <{iri.value}> :since 2010 ; :since 5 ; :since 6 }}")
    assert edges()[0][1] == {"note": "x", "source": trimorph.IRI("http://doc")}
    for wrong in (
        f"INSERT DATA {{ <{iri.value}> rdf:reifies <<( :a :b :c )>> }}",
        f"INSERT DATA {{ GRAPH :g {{ <{iri.value}> :since 1 }} }}",
    ):
        with pytest.raises(trimorph.Error, match="relationship"):
            conn.sparql(RDF + wrong)
    conn.sparql(RDF + f"DELETE WHERE {{ <{iri.value}> rdf:reifies ?t }}")
    assert edges() == [(1, {}), (2, {"since": 2011})]
    # With the statement goes what it says; in one transaction with openCypher.
    with conn.transaction() as tx:
        tx.execute("MATCH (a {i: 1})-[r:KNOWS]->() SET r.since = 7")
        assert tx.sparql("SELECT ?y { ?a :i 1 . ?a :KNOWS ?b {| :since ?y |} }").fetchall() == [(7,)]
        tx.sparql("DELETE { ?a :KNOWS ?b } WHERE { ?a :KNOWS ?b {| :since 7 |} }")
    assert edges() == [(2, {"since": 2011})]


def test_plans_follow_what_is_written():
    """Plans that took a type, or that nobody else reifies, for certain are made again."""
    conn = trimorph.Database(":memory:").connect()
    conn.execute("CREATE (:P {i: 1})-[:KNOWS {since: 2000}]->(:P {i: 2})")
    text = "SELECT ?y { ?a :KNOWS ?b {| :since ?y |} }"
    assert conn.sparql(text).fetchall() == [(2000,)]
    conn.execute("MATCH (a {i: 2}), (b {i: 1}) CREATE (a)-[:KNOWS {since: 'x'}]->(b)")
    assert Counter(conn.sparql(text).fetchall()) == Counter([(2000,), ("x",)])
    conn.sparql(RDF + "INSERT { ?a :KNOWS ?b ~ :me {| :since 3 |} } WHERE { ?a :i 1 . ?b :i 2 }")
    assert Counter(conn.sparql(text).fetchall()) == Counter([(2000,), ("x",), (3,)])
    conn.execute("MATCH (a {i: 1}) SET a.since = 9")
    assert len(conn.sparql("SELECT ?s ?y { ?s :since ?y }").fetchall()) == 4
