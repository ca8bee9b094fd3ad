"""Statements are a set, whatever was written before: random small updates of literals, edges, classes and named graphs over few
terms, so that each is inserted and deleted again and again, among merges, `REORGANIZE`, transactions that are rolled back, and
openings of a database anew. After each step all statements, and what is asked of one graph, of several as one (`FROM`), of some
(`FROM NAMED`), by subject, predicate, object and path, are pyoxigraph's.

`SPARQL_SET_SEEDS=from..to` widens the run; a failure prints its seed, what was done, and the query.
"""

import collections
import os
import random
import re

import pytest
import trimorph

pyoxigraph = pytest.importorskip("pyoxigraph")

PREFIXES = "PREFIX : <http://e/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
SEEDS = range(*(int(n) for n in os.environ.get("SPARQL_SET_SEEDS", "0..24").split("..")))
STEPS = 40
SUBJECTS = [":a", ":b", ":c", ":d"]
PREDICATES = [":p", ":p", ":p", ":q", "a"]
NODES = [":a", ":b", ":c", ":K", ":L"]
LITERALS = ["1", "2", "'x'", "'x'@en", "true", "1.5", "'2011-01-01'^^xsd:date"]
GRAPHS = [":g", ":h", ":i"]
QUERIES = [
    "SELECT * { ?s ?p ?o }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * { GRAPH :g { ?s ?p ?o } }",
    "SELECT (COUNT(*) AS ?n) { GRAPH :h { ?s :p ?o } }",
    "SELECT ?p (COUNT(*) AS ?n) FROM :g { ?s ?p ?o } GROUP BY ?p",
    "SELECT * FROM :g FROM :h { ?s ?p ?o }",
    "SELECT ?s ?o FROM :i FROM :g FROM :none FROM :g { ?s :p ?o }",
    "SELECT * FROM :g FROM :h { ?s :p ?o . ?o :p ?x }",
    "SELECT (COUNT(*) AS ?n) FROM :g FROM :h FROM :i { ?s ?p ?o }",
    "SELECT * FROM NAMED :g FROM NAMED :h { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * FROM NAMED :g { ?s ?p ?o }",
    "SELECT ?g (COUNT(*) AS ?n) FROM NAMED :g FROM NAMED :i FROM NAMED :g { GRAPH ?g { ?s :q ?o } } GROUP BY ?g",
    "SELECT * FROM :g FROM NAMED :h { ?s :p ?o . GRAPH ?g { ?s :p ?x } }",
    "SELECT ?g ?o { GRAPH ?g { :a :p ?o } }",
    "SELECT ?g ?s { GRAPH ?g { ?s :p 1 } }",
    "SELECT ?s ?p { GRAPH :g { ?s ?p :b } }",
    "SELECT ?s ?p FROM :h FROM :i { ?s ?p 'x' }",
    "SELECT ?o FROM :h FROM :i { :a ?p ?o }",
    "SELECT ?s ?o { GRAPH :g { ?s :p+ ?o } }",
    "SELECT ?g ?s { GRAPH ?g { ?s :p/:q ?o } }",
    "SELECT ?s ?o FROM :g FROM :h { ?s (:p|:q)+ ?o }",
    "SELECT ?g { GRAPH ?g {} }",
    "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * { VALUES ?g { :g :h :none } GRAPH ?g { ?s ?p ?o } }",
    "SELECT ?g ?s ?o { GRAPH ?g { ?s :p ?o } FILTER(?g IN (:g, :i)) }",
    "SELECT ?s { GRAPH :g { ?s a :K } }",
    "SELECT ?s ?k { ?s a ?k }",
    "SELECT * { GRAPH :g { ?s :p ?o } FILTER NOT EXISTS { GRAPH :h { ?s :p ?o } } }",
    "SELECT * { ?s :p ?o FILTER EXISTS { GRAPH ?g { ?s :p ?o } } }",
    "SELECT * { GRAPH :g { ?s :p ?o OPTIONAL { GRAPH :h { ?s :q ?x } } } }",
    "ASK { GRAPH :i { ?s ?p ?o } }",
    "SELECT ?s ?o { ?s :p ?o FILTER(isLiteral(?o)) }",
]
UPDATES = [
    "INSERT {{ ?s :q ?o }} WHERE {{ ?s :p ?o }}",
    "DELETE {{ ?s :q ?o }} INSERT {{ ?s :p ?o }} WHERE {{ ?s :q ?o }}",
    "DELETE {{ ?s :p ?o }} INSERT {{ ?s :p ?o }} WHERE {{ ?s :p ?o }}",
    "INSERT {{ GRAPH {g} {{ ?s ?p ?o }} }} WHERE {{ ?s ?p ?o }}",
    "INSERT {{ ?s ?p ?o }} WHERE {{ GRAPH {g} {{ ?s ?p ?o }} }}",
    "DELETE {{ GRAPH ?g {{ ?s ?p ?o }} }} WHERE {{ GRAPH ?g {{ ?s ?p ?o }} ?s ?p ?o }}",
    "WITH {g} DELETE {{ ?s :p ?o }} INSERT {{ ?s :q ?o }} WHERE {{ ?s :p ?o }}",
    "DELETE WHERE {{ {s} :p ?o }}", "DELETE WHERE {{ ?s ?p {o} }}", "DELETE WHERE {{ GRAPH {g} {{ ?s :p ?o }} }}",
    "CLEAR SILENT GRAPH {g}", "DROP SILENT GRAPH {g}", "COPY SILENT {g} TO {h}", "MOVE SILENT {g} TO {h}", "ADD SILENT {g} TO {h}", "ADD SILENT {g} TO DEFAULT", "ADD DEFAULT TO {g}", "COPY DEFAULT TO {g}", "COPY SILENT {g} TO DEFAULT",
]


class Terms:
    """Few terms, drawn for a run, so that the same statements come and go."""

    def __init__(self, r):
        self.subjects, self.objects = r.sample(SUBJECTS, 2), r.sample(NODES, r.randint(1, 2)) + r.sample(LITERALS, r.randint(2, 3))

    def statement(self, r):
        subject, predicate = r.choice(self.subjects), r.choice(PREDICATES)
        return f"{subject} {predicate} {r.choice([':K', ':L'] if predicate == 'a' else self.objects)}"


def some(r, terms):
    parts = [terms.statement(r) for _ in range(r.randint(1, 4))]
    return " ".join(f"GRAPH {r.choice(GRAPHS)} {{ {part} }}" if r.random() < 0.4 else part + " ." for part in parts)


def update(r, terms):
    kind = r.random()
    if kind < 0.45:
        return f"INSERT DATA {{ {some(r, terms)} }}"
    if kind < 0.8:
        return f"DELETE DATA {{ {some(r, terms)} }}"
    return r.choice(UPDATES).format(s=r.choice(terms.subjects), o=r.choice(terms.objects), g=r.choice(GRAPHS), h=r.choice(GRAPHS))


def text(term):
    if isinstance(term, pyoxigraph.Literal):
        return (term.value, term.datatype.value, term.language)
    return str(term)


def theirs(store, query):
    found = store.query(PREFIXES + query)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return bool(found)
    names = sorted(v.value for v in found.variables)
    return collections.Counter(tuple(text(row[name]) for name in names) for row in found)


def ours(conn, query):
    found = pyoxigraph.parse_query_results(conn.sparql(PREFIXES + query).serialize("json"), format=pyoxigraph.QueryResultsFormat.JSON)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return bool(found)
    names = sorted(v.value for v in found.variables)
    return collections.Counter(tuple(text(row[name]) for name in names) for row in found)


def expected(store, query):
    """What the standard says of several graphs as one: a statement that is in two of them is one, and a graph that is named twice is
    one (SPARQL 1.1, 13.2). pyoxigraph gives both twice, so it is asked of the merged graph, and of each name once."""
    head, body = query.split("{", 1)
    named = list(dict.fromkeys(re.findall(r"FROM NAMED (\S+)", head)))
    graphs = {pyoxigraph.NamedNode(name.replace(":", "http://e/")) for name in re.findall(r"FROM (:\S+)", head)}
    if len(graphs) > 1:
        merged = pyoxigraph.Store()
        merged.extend(quad for quad in store if not isinstance(quad.graph_name, pyoxigraph.DefaultGraph))
        merged.extend(pyoxigraph.Quad(quad.subject, quad.predicate, quad.object) for quad in store if quad.graph_name in graphs)
        return theirs(merged, head.split("FROM")[0] + "{" + body)
    if named:
        head = re.sub(r"FROM NAMED \S+ ", "", head) + "".join(f"FROM NAMED {name} " for name in named)
    return theirs(store, head + "{" + body)


class Run:
    def __init__(self, seed, path):
        self.r, self.done = random.Random(seed), []
        self.terms = Terms(self.r)
        # Opening takes most of the time.
        self.path = str(path) if seed % 3 == 0 else None
        self.database = trimorph.Database(self.path) if self.path else trimorph.Database()
        self.conn, self.store = self.database.connect(), pyoxigraph.Store()

    def step(self):
        kind = self.r.random()
        if kind < 0.1:
            self.done.append("CHECKPOINT")
            self.conn.execute("CHECKPOINT")
        elif kind < 0.14:
            self.done.append("REORGANIZE")
            self.conn.execute("REORGANIZE")
        elif kind < 0.18 and self.path:
            self.done.append("(opened again)")
            self.conn.close()
            self.database.close()
            self.database = trimorph.Database(self.path)
            self.conn = self.database.connect()
        elif kind < 0.28:
            self.done.append("BEGIN")
            copy = pyoxigraph.Store()
            copy.extend(self.store)
            with self.conn.transaction() as tx:
                for _ in range(self.r.randint(1, 3)):
                    self.update(tx, copy)
                self.check(tx, copy)
                self.done.append("ROLLBACK")
                tx.rollback()
        else:
            self.update(self.conn, self.store)
        self.check(self.conn, self.store)

    def update(self, conn, store):
        one = update(self.r, self.terms)
        self.done.append(one)
        conn.sparql(PREFIXES + one)
        store.update(PREFIXES + one)

    def check(self, conn, store):
        for query in QUERIES[:2] + self.r.sample(QUERIES[2:], 6):
            found, wanted = ours(conn, query), expected(store, query)
            if "GRAPH ?g {}" in query:
                # pyoxigraph remembers graphs that became empty; for us they are none.
                wanted = collections.Counter((text(name),) for name in {quad.graph_name for quad in store if not isinstance(quad.graph_name, pyoxigraph.DefaultGraph)})
            difference = (found, wanted) if isinstance(found, bool) else (f"more {dict(found - wanted)}", f"missing {dict(wanted - found)}")
            assert found == wanted, "\n".join([*self.done, query, *map(str, difference)])


@pytest.mark.parametrize("seed", SEEDS)
def test_statements_are_a_set_whatever_was_written_before(seed, tmp_path):
    run = Run(seed, tmp_path / "db")
    try:
        for _ in range(STEPS):
            run.step()
    finally:
        run.conn.close()
        run.database.close()
