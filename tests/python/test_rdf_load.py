"""Loads of RDF into an empty database, which build it, against the same statements inserted in a transaction."""

import random

import pytest
import trimorph

XSD = "http://www.w3.org/2001/XMLSchema#"
EVERYTHING = (
    "SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }",
    "SELECT ?s ?c { ?s a ?c }",
    "SELECT ?s ?o { ?s <http://e/p1> ?o }",
    "SELECT ?s { ?s ?p 1 }",
    'SELECT ?s ?p { ?s ?p "text 3" }',
    "SELECT ?s ?p { ?s ?p <http://e/n3> }",
    "SELECT ?s ?o { ?s a <http://e/C1> ; <http://e/p0>+ ?o }",
)


def literal(random):
    number = random.randrange(8)
    return random.choice(
        [
            f'"{number}"^^<{XSD}integer>',
            f'"0{number}"^^<{XSD}integer>',
            f'"{number}"^^<{XSD}int>',
            f'"{number}.5"^^<{XSD}decimal>',
            f'"{number}.0E0"^^<{XSD}double>',
            f'"2020-01-0{number + 1}"^^<{XSD}date>',
            f'"2020-01-0{number + 1}T00:00:00Z"^^<{XSD}dateTime>',
            f'"2020-01-0{number + 1}T00:00:00+01:00"^^<{XSD}dateTime>',
            f'"true"^^<{XSD}boolean>',
            f'"text {number}"',
            f'"text {number}"@en',
            f'"text {number}"@de-at',
            f'"PT{number}S"^^<{XSD}duration>',
            '""',
            '"\\u00e4\\n\\"quoted\\""',
            f'"x"^^<http://e/own{number % 2}>',
        ]
    )


def statements(seed, count):
    """Lines of N-Quads: some subjects with classes, some without, few predicates, all kinds of literals."""
    own = random.Random(seed)
    graphs = own.random() < 0.5
    few = own.choice([[literal], [lambda r: f'"{r.randrange(9)}"^^<{XSD}integer>', lambda r: f'"text {r.randrange(9)}"']])

    def node():
        return own.choice([f"<http://e/n{own.randrange(20)}>", f"_:b{own.randrange(4)}"])

    for _ in range(count):
        subject, kind = node(), own.random()
        if kind < 0.2:
            rest = f"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/C{own.randrange(4)}>"
        elif kind < 0.5:
            rest = f"<http://e/p{own.randrange(4)}> {node()}"
        elif kind < 0.53:
            rest = f"<http://e/p{own.randrange(4)}> <<( {node()} <http://e/p1> {literal(own)} )>>"
        else:
            rest = f"<http://e/p{own.randrange(6)}> {own.choice(few)(own)}"
        graph = f" <http://e/g{own.randrange(3)}>" if graphs and own.random() < 0.2 else ""
        yield f"{subject} {rest}{graph} .\n"


def answers(conn):
    found = []
    for text in EVERYTHING:
        lines = conn.sparql(text).serialize("tsv").decode().split("\n")[1:-1]
        found.append(sorted(lines))
    return found


def without_blanks(text):
    # Blank nodes have other names in each load; what is told of them is compared by the rest of the lines.
    import re

    return re.sub(r"_:[A-Za-z0-9]+x(b\d)", r"_:\1", text)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_built_is_what_is_inserted(seed, tmp_path):
    data = "".join(statements(seed, random.Random(seed).choice([1, 30, 400]))).encode()
    built = trimorph.Database(tmp_path / "db" if seed % 4 == 0 else ":memory:", threads=1 + seed % 2)
    one, other = built.connect(), trimorph.Database().connect()
    count = one.load_rdf(data=data, format="nquads")
    other.begin()
    assert other.load_rdf(data=data, format="nquads") == count
    other.commit()

    def same():
        for text, left, right in zip(EVERYTHING, answers(one), answers(other)):
            assert [without_blanks(x) for x in left] == [without_blanks(x) for x in right], text

    same()
    # What is written afterwards meets what was built.
    more = "".join(statements(seed + 1000, 60)).encode()
    for conn in (one, other):
        conn.load_rdf(data=more, format="nquads")
    same()
    for conn in (one, other):
        conn.sparql("DELETE WHERE { ?s <http://e/p1> ?o }")
    same()
    cypher = "MATCH (n) WHERE n.`@id` IS NOT NULL RETURN count(*), count(n.`http://e/p2`)"
    assert one.execute(cypher).fetchall() == other.execute(cypher).fetchall()
    if seed % 4 == 0:
        built.checkpoint()
        one.close()
        built.close()
        built = trimorph.Database(tmp_path / "db", must_exist=True)
        one = built.connect()
        same()
        assert trimorph.Database.check(tmp_path / "db")


def test_a_load_that_fails_leaves_nothing(conn, tmp_path):
    good = '<http://e/a> <http://e/p> "x" .\n' * 10
    path = tmp_path / "x.nt"
    path.write_text(good + "<http://e/a> <http://e/p> .\n" + good)
    with pytest.raises(trimorph.LoadError, match="x.nt.*line 11|11"):
        conn.load_rdf(path)
    assert conn.sparql("SELECT * { ?s ?p ?o }").fetchall() == []
    with pytest.warns(UserWarning, match="1 thing that is no statement was left out; the first: .*line 11"):
        assert conn.load_rdf(path, skip_bad=True) == 20
    assert conn.sparql("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").fetchall() == [(1,)]


def test_many_sets_of_classes_and_predicates(conn):
    # More sets of classes than get tables of their own; thousands of predicates that few have.
    classes = [f"<http://e/{i}> a <http://e/C{c}> ." for i in range(600) for c in range(10) if i >> c & 1]
    conn.load_rdf(data="\n".join(classes).encode())
    assert conn.sparql("SELECT (COUNT(*) AS ?n) { ?s a <http://e/C3> }").fetchall() == [(sum(i >> 3 & 1 for i in range(600)),)]
    other = trimorph.Database().connect()
    lines = [f'<http://e/{i}> <http://e/p{i % 1500}> "{i}" ; <http://e/q{i % 700}> <http://e/{i + 1}> .' for i in range(6000)]
    assert other.load_rdf(data="\n".join(lines).encode()) == 12_000
    assert other.sparql("SELECT ?s { ?s <http://e/p7> ?o } ORDER BY ?s").fetchall() == [
        (trimorph.IRI(f"http://e/{i}"),) for i in sorted((7, 1507, 3007, 4507), key=str)
    ]
    assert other.sparql("SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?p) AS ?m) { ?s ?p ?o }").fetchall() == [(12_000, 2_200)]
    assert other.database.stats()["total_bytes"] < 6_000_000


def test_a_load_is_bounded_by_memory(tmp_path):
    path = tmp_path / "x.nt"
    with open(path, "w") as file:
        for i in range(60_000):
            file.write(f'<http://e/{i}> <http://e/p> "{i} {"x" * 200}" .\n')
    small = trimorph.Database(memory_limit="8MB")
    with pytest.raises(trimorph.Error, match="memory"):
        small.connect().load_rdf(path)
    assert small.connect().sparql("SELECT * { ?s ?p ?o } LIMIT 1").fetchall() == []


def test_literals_are_found_by_an_index(tmp_path):
    lines = []
    for i in range(3000):
        lines += [f'<http://e/{i}> <http://e/name> "name {i // 2}" .', f'<http://e/{i}> <http://e/few> "{i % 5}" .']
        lines += [f'<http://e/{i}> <http://o/name> "{i}"^^<{XSD}integer> .'] * (i % 3 > 0)
    lines += ['<http://e/7> <http://e/name> "another"@en .', '<http://e/x> <http://e/name> "name 3"@en .']
    names = ["name_index", "name_index_2"]
    for indexes in (True, False):
        database = trimorph.Database(tmp_path / str(indexes))
        conn = database.connect()
        conn.load_rdf(data="\n".join(lines).encode(), format="ntriples", indexes=indexes)
        for _ in range(2):
            assert [row[0] for row in conn.execute("SHOW INDEXES").fetchall()] == (names if indexes else [])
            iri = trimorph.IRI
            assert conn.sparql('SELECT ?s { ?s <http://e/name> "name 3" } ORDER BY ?s').fetchall() == [(iri("http://e/6"),), (iri("http://e/7"),)]
            assert conn.sparql("SELECT ?s { ?s <http://o/name> ?n FILTER(?n > 40 && ?n <= 43) } ORDER BY ?s").fetchall() == [(iri("http://e/41"),), (iri("http://e/43"),)]
            assert len(conn.sparql('SELECT ?s { ?s <http://e/name> ?n FILTER(STRSTARTS(?n, "name 100")) }').fetchall()) == 22
            assert conn.sparql('SELECT ?s { ?s <http://e/name> "another"@en }').fetchall() == [(iri("http://e/7"),)]
            conn.sparql('DELETE DATA { <http://e/6> <http://e/name> "name 3" }; INSERT DATA { <http://e/new> <http://e/name> "name 3" }')
            assert conn.sparql('SELECT ?s { ?s <http://e/name> "name 3" } ORDER BY ?s').fetchall() == [(iri("http://e/7"),), (iri("http://e/new"),)]
            conn.sparql('INSERT DATA { <http://e/6> <http://e/name> "name 3" }; DELETE DATA { <http://e/new> <http://e/name> "name 3" }')
            database.close()
            database = trimorph.Database(tmp_path / str(indexes))
            conn = database.connect()
        database.close()
