"""A database as rdflib's store: what rdflib's own store in memory does, ours does."""

import importlib.metadata
import random

import pytest

rdflib = pytest.importorskip("rdflib")

import rdflib.compare  # noqa: E402

import trimorph  # noqa: E402
from trimorph.rdflib_store import TrimorphStore  # noqa: E402

E = rdflib.Namespace("http://e/")
G, H = rdflib.URIRef("http://g/1"), rdflib.URIRef("http://g/2")
TERMS = [E.a, E.b, E.c, rdflib.BNode("x"), rdflib.BNode("y")]
OBJECTS = [
    *TERMS,
    rdflib.Literal("a"),
    rdflib.Literal("a", lang="de"),
    rdflib.Literal(1),
    rdflib.Literal("01", datatype=rdflib.XSD.integer),
    rdflib.Literal(1.5),
    rdflib.Literal("2020-01-01", datatype=rdflib.XSD.date),
    rdflib.Literal('a "quoted"\ntext \\ é'),
    rdflib.Literal("x", datatype=E.odd),
]


def quads(dataset):
    return sorted((s.n3(), p.n3(), o.n3(), str(getattr(g, "identifier", g))) for s, p, o, g in dataset.quads((None, None, None, None)))


@pytest.mark.parametrize("seed", range(6))
def test_as_the_store_in_memory(seed):
    draw = random.Random(seed)
    ours, theirs = rdflib.Dataset(store=TrimorphStore()), rdflib.Dataset()
    pattern = lambda: tuple(draw.choice([None, term]) for term in (draw.choice(TERMS), draw.choice([E.p, E.q, rdflib.RDF.type]), draw.choice(OBJECTS)))  # noqa: E731
    for _ in range(150):
        graph = draw.choice([None, G, H])
        of = lambda dataset: dataset.default_graph if graph is None else dataset.graph(graph)  # noqa: E731, B023
        match draw.randrange(6):
            case 0 | 1 | 2:
                triple = (draw.choice(TERMS), draw.choice([E.p, E.q, rdflib.RDF.type]), draw.choice(OBJECTS))
                of(ours).add(triple), of(theirs).add(triple)
            case 3:
                wanted = pattern()
                if draw.randrange(3):
                    wanted = (draw.choice(TERMS), *wanted[1:])
                of(ours).remove(wanted), of(theirs).remove(wanted)
            case 4:
                wanted = pattern()
                assert set(of(ours).triples(wanted)) == set(of(theirs).triples(wanted)), wanted
            case 5:
                assert len(of(ours)) == len(of(theirs))
    assert quads(ours) == quads(theirs)
    text = "SELECT ?s ?o { ?s <http://e/p> ?o }"
    assert sorted(map(repr, ours.query(text))) == sorted(map(repr, theirs.query(text)))
    assert {str(g.identifier) for g in ours.contexts() if len(g)} == {str(g.identifier) for g in theirs.contexts() if len(g)}


def test_parse_query_update_serialize(tmp_path):
    # By its name where the package is installed, not only on the path.
    installed = importlib.metadata.entry_points(group="rdf.plugins.store", name="Trimorph")
    graph = rdflib.Graph(store="Trimorph" if installed else TrimorphStore())
    graph.bind("e", E)
    graph.parse(data="@prefix e: <http://e/> . e:a a e:P ; e:name 'Ann', 'Anna'@de ; e:knows [ e:name 'Bob' ] .", format="turtle")
    assert len(graph) == 5
    assert [str(row.n) for row in graph.query("SELECT ?n { ?a e:knows/e:name ?n }")] == ["Bob"]
    assert graph.query("ASK { ?a e:name 'Ann' }").askAnswer
    assert len(graph.query("CONSTRUCT { ?b e:of ?a } WHERE { ?a e:knows ?b }").graph) == 1
    found = graph.query("SELECT ?s { ?s e:name ?n }", initBindings={"n": rdflib.Literal("Ann")})
    assert [row.s for row in found] == [E.a]
    graph.update("INSERT DATA { e:b e:name 'Cid' }")
    graph.update("DELETE { ?s e:name ?n } WHERE { ?s e:name ?n }", initBindings={"n": rdflib.Literal("Cid")})
    assert rdflib.compare.isomorphic(rdflib.Graph().parse(data=graph.serialize(format="nt"), format="nt"), graph)
    assert (E.a, rdflib.RDF.type, E.P) in graph and (E.a, None, rdflib.Literal("Bob")) not in graph
    # Over a named graph rdflib's own engine asks.
    dataset = rdflib.Dataset(store=graph.store)
    dataset.graph(G).add((E.a, E.name, rdflib.Literal("in g")))
    assert [str(row.n) for row in dataset.graph(G).query("SELECT ?n { ?a <http://e/name> ?n }")] == ["in g"]
    assert "1" in {str(row.c) for row in dataset.query("SELECT (COUNT(*) AS ?c) { GRAPH <http://g/1> { ?s ?p ?o } }")}


def test_transactions_and_files(tmp_path):
    path = str(tmp_path / "db")
    store = TrimorphStore(auto_commit=False)
    assert store.open(path) == rdflib.store.NO_STORE
    store.open(path, create=True)
    graph = rdflib.Graph(store=store)
    graph.add((E.a, E.p, E.b))
    graph.commit()
    graph.add((E.a, E.p, E.c))
    assert len(graph) == 2
    graph.rollback()
    assert len(graph) == 1
    store.close()
    again = TrimorphStore()
    assert again.open({"path": path, "read_only": True}) == rdflib.store.VALID_STORE
    assert list(rdflib.Graph(store=again)) == [(E.a, E.p, E.b)]
    with pytest.raises(trimorph.Error):
        rdflib.Graph(store=again).add((E.a, E.p, E.c))
    again.close()


def test_the_same_data_in_both_languages():
    conn = trimorph.Database(":memory:").connect()
    conn.execute("CREATE (:P {name: 'Ann'})-[:KNOWS {since: 2020}]->(:P {name: 'Bob'})")
    graph = rdflib.Graph(store=TrimorphStore(conn))
    t = rdflib.Namespace("trimorph:")
    assert {str(o) for o in graph.objects(None, t.name)} == {"Ann", "Bob"}
    graph.add((E.c, rdflib.RDF.type, t.P))
    assert conn.execute("MATCH (p:P) RETURN count(p)").fetchall() == [(3,)]
    with pytest.raises(TypeError, match="no term"):
        graph.store.add((E.a, E.p, rdflib.Variable("x")), None)
