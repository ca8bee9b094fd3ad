"""Random SPARQL over literals of all kinds, named graphs, lists that openCypher wrote and blank nodes: the same data in several
states (loaded, written and not merged, merged, half of it in an open transaction, after deletions and `REORGANIZE`) give the same
answers, which are pyoxigraph's.

Where pyoxigraph is known not to do what the specification says, `known` has the reason.

`SPARQL_STATE_SEEDS=from..to` widens the run; every failure prints its seed, state, query and data.
"""

import collections
import decimal
import os
import random

import pytest
import trimorph

pyoxigraph = pytest.importorskip("pyoxigraph")

PREFIXES = "PREFIX : <http://e/>\nPREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
XSD = "http://www.w3.org/2001/XMLSchema#"
SEEDS = range(*(int(n) for n in os.environ.get("SPARQL_STATE_SEEDS", "0..25").split("..")))
QUERIES = int(os.environ.get("SPARQL_STATE_QUERIES", "14"))

# pyoxigraph takes derived types for integers and writes numbers anew, so that `2.0` is `2` and `3.5e0` is `3.5` to it: no two of
# these become the same text.
NUMBERS = ["0", "1", "2", "3", "-1", "1.5", "2.5", "0.5", "3.5e0", "5.5e0", "'4.5'^^xsd:float"]
TEXTS = ["'a'", "'b'", "'ab'", "''", "'a'@en", "'b'@de", "'ab'@en", "'x'^^:own", "'Ä'"]
MOMENTS = [
    "'2011-01-01T00:00:00Z'^^xsd:dateTime",
    "'2011-01-01T12:00:00Z'^^xsd:dateTime",
    "'2011-01-01T05:00:00-05:00'^^xsd:dateTime",
    "'2011-01-01T12:00:00'^^xsd:dateTime",
    "'2012-03-01T00:00:00'^^xsd:dateTime",
    "'2011-01-01'^^xsd:date",
    "'2012-03-01'^^xsd:date",
    "'2012-03-01Z'^^xsd:date",
    "'12:00:00'^^xsd:time",
]
OTHERS = ["true", "false", "'P1D'^^xsd:duration"]


def data(r):
    """Statements of the default graph and of named ones, as (graph or none, statement), and lists: subject to values."""
    nodes = [f":s{i}" for i in range(r.randint(4, 9))] + ["_:b0", "_:b1"]
    out, lists = set(), {}
    regular = r.random() < 0.4
    for node in nodes:
        if node[0] == "_" and r.random() < 0.5:
            continue
        for kind, of in [(":A", 0.6), (":B", 0.3)]:
            if r.random() < of:
                out.add((None, f"{node} a {kind}"))
        for predicate, values, most in [(":v", NUMBERS[:5] if regular else NUMBERS, 1 if regular else 2), (":t", TEXTS[:4] if regular else TEXTS, 1 if regular else 2), (":d", MOMENTS[:3] if regular else MOMENTS, 1), (":x", NUMBERS + TEXTS + MOMENTS + OTHERS, 1)]:
            for _ in range(r.randint(0, most)):
                out.add((None, f"{node} {predicate} {r.choice(values)}"))
        for predicate in (":p", ":q"):
            for _ in range(r.randint(0, 2)):
                out.add((None, f"{node} {predicate} {r.choice(nodes)}"))
        if r.random() < 0.3:
            out.add((None, f"{node} :x {r.choice(nodes)}"))
        if node[0] != "_" and r.random() < 0.4:
            values = r.choice([["1", "2", "3"], ["'a'", "'b'", "'c'"]])
            lists[node] = r.sample(values, r.randint(1, 3))
    if r.random() < 0.6:
        for graph in (":g1", ":g2"):
            for _ in range(r.randint(1, 5)):
                node = r.choice(nodes[:-2])
                out.add((graph, r.choice([f"{node} :p {r.choice(nodes[:-2])}", f"{node} :v {r.choice(NUMBERS)}", f"{node} :t {r.choice(TEXTS)}", f"{node} a :A"])))
    return sorted(out, key=str), lists


def block(statements):
    """Statements as the body of INSERT DATA."""
    parts = [f"GRAPH {graph} {{ {one} }}" if graph else f"{one} ." for graph, one in statements]
    return " ".join(parts)


def insert(run, r, statements, batch):
    """Statements with blank nodes go together: a label is another node in each update."""
    blank = [one for one in statements if "_:" in one[1]]
    rest = [one for one in statements if "_:" not in one[1]]
    r.shuffle(rest)
    groups = [rest[at : at + batch] for at in range(0, len(rest), batch)] + [blank]
    for group in groups:
        if group:
            run(PREFIXES + f"INSERT DATA {{ {block(group)} }}")


def plain_lists(lists):
    return [(None, f"{node} :m {value}") for node, values in lists.items() for value in values]


def write_lists(run, lists):
    """As openCypher writes them: a list is one property."""
    for node, values in lists.items():
        python = [int(value) if value.isdigit() else value.strip("'") for value in values]
        iri = trimorph.IRI("http://e/" + node[1:])
        run("MERGE (n {`@id`: $iri}) SET n.`http://e/m` = $values", {"iri": iri, "values": python})


def states(r, statements, lists, tmp_path):
    """Connections, or transactions, that all have the same data."""
    everything = statements + plain_lists(lists)
    path = tmp_path / "data.nq"
    quads = pyoxigraph.Store()
    quads.update(PREFIXES + f"INSERT DATA {{ {block(everything)} }}")
    quads.dump(str(path), pyoxigraph.RdfFormat.N_QUADS)
    loaded = trimorph.connect()
    loaded.load_rdf(str(path))
    yield "loaded", loaded

    written = trimorph.connect()
    insert(written.sparql, r, statements, 3)
    write_lists(written.execute, lists)
    yield "written", written
    written.execute("CHECKPOINT")
    yield "merged", written

    half = trimorph.connect()
    cut = len(statements) // 2
    # Blank nodes are the same ones only within an update.
    later = statements[cut:] if not any("_:" in one[1] for one in statements) else []
    insert(half.sparql, r, statements[:cut] if later else statements, 4)
    half.execute("CHECKPOINT")
    with half.transaction() as tx:
        insert(tx.sparql, r, later, 5)
        write_lists(tx.execute, lists)
        yield "in a transaction", tx
        tx.rollback()

    deleted = trimorph.connect()
    extra = [(None, f":s{i} :{p} {o}") for i in range(12) for p, o in [("v", "77"), ("t", "'gone'@en"), ("p", ":gone"), ("m", "'gone'"), ("x", "7.5")]]
    extra += [(":g3", ":s1 :p :s2"), (None, ":gone a :A")]
    insert(deleted.sparql, r, everything + extra, 6)
    deleted.execute("CHECKPOINT")
    deleted.sparql(PREFIXES + f"DELETE DATA {{ {block(extra)} }}")
    yield "deleted", deleted
    deleted.execute("REORGANIZE")
    yield "reorganized", deleted


def number(r):
    return r.choice(NUMBERS)


def literal(r):
    return r.choice(NUMBERS + TEXTS + MOMENTS + OTHERS)


def condition(r, names, depth=0):
    """A condition over some variables."""
    x = r.choice(names)
    y = r.choice(names)
    kind = r.randint(0, 15)
    if kind == 0:
        return f"?{x} {r.choice(['=', '!=', '<', '>', '<=', '>='])} {literal(r)}"
    if kind == 1:
        return f"?{x} {r.choice(['=', '!=', '<', '>'])} ?{y}"
    if kind == 2:
        return f"{r.choice(['isIRI', 'isBlank', 'isLiteral', 'isNumeric'])}(?{x})"
    if kind == 3:
        return f"DATATYPE(?{x}) = {r.choice(['xsd:integer', 'xsd:string', 'xsd:decimal', 'rdf:langString', ':own', 'xsd:dateTime'])}"
    if kind == 4:
        return f"LANG(?{x}) = " + r.choice(["'en'", "''"])
    if kind == 5:
        return f"STRLEN(STR(?{x})) > {r.choice([0, 1, 2, 6, 9])}"
    if kind == 6:
        return f"{r.choice(['', '!'])}BOUND(?{x})"
    if kind == 7 and depth < 2:
        return f"({condition(r, names, depth + 1)} {r.choice(['&&', '||'])} {condition(r, names, depth + 1)})"
    if kind == 8 and depth < 2:
        return f"!({condition(r, names, depth + 1)})"
    if kind == 9:
        return f"?{x} {r.choice(['IN', 'NOT IN'])} ({literal(r)}, {literal(r)})"
    if kind == 10:
        return f"sameTerm(?{x}, {r.choice(['?' + y, literal(r)])})"
    if kind == 11:
        return f"{r.choice(['', 'NOT '])}EXISTS {{ {r.choice(['?a :p ?other', '?a :q ?a', '?a :v ?n FILTER(?n > 1)', '?b :t ?t', '?a a :B', '?a :m 2', '?a ?any ?v', 'GRAPH ?gg { ?a :p ?b }'])} }}"
    if kind == 12:
        return f"?{x} + {number(r)} {r.choice(['>', '<', '='])} {number(r)}"
    if kind == 13:
        return f"COALESCE(?{x} > 1, {r.choice(['true', 'false'])})"
    if kind == 14:
        return f"STRSTARTS(STR(?{x}), " + r.choice(["'a'", "'http://e/s1'", "'2'"]) + ")"
    return f"IF(isNumeric(?{x}), ?{x} > 1, {r.choice(['true', 'false'])})"


PATTERNS = [
    ("?a :v ?v", "av"), ("?a :t ?t", "at"), ("?a :d ?d", "ad"), ("?a :m ?m", "am"), ("?a :x ?x", "ax"), ("?b :v ?v", "bv"),
    ("?a :p ?b", "ab"), ("?a :q ?b", "ab"), ("?b :p ?a", "ab"), ("?b :q ?c", "bc"), ("?a a :A", "a"), ("?a a ?k", "ak"), ("?a ?r ?o", "aro"), ("?b ?r ?v", "brv"),
    ("?a :p+ ?b", "ab"), ("?a :p* ?b", "ab"), ("?a (:p/:q) ?b", "ab"), ("?a ^:q ?b", "ab"), ("?a :p? ?b", "ab"), ("?a (:p|^:q)+ ?b", "ab"),
    ("?a :v 1", "a"), ("?a :t 'a'", "a"), ("?a :t 'a'@en", "a"), ("?a ?r 2", "ar"), ("?a ?r 'b'", "ar"), ("?a :m 2", "a"), ("?a :m 'b'", "a"), (":s1 ?r ?o", "ro"), ("?a ?r :s2", "ar"), ("?a :d '2011-01-01T00:00:00Z'^^xsd:dateTime", "a"), ("?a :v 1.5", "a"), ("?a :x ?b", "ab"), ("?b :t ?t", "bt"),
]


def some_patterns(r, most=2):
    chosen = r.sample(PATTERNS, r.randint(1, most))
    return " . ".join(text for text, _ in chosen), list(dict.fromkeys("".join(names for _, names in chosen)))


def group(r, depth=0):
    """A group graph pattern, and the variables that it may bind."""
    text, names = some_patterns(r, 2)
    parts = [text + " ."]
    for _ in range(r.randint(0, 3)):
        kind = r.randint(0, 11)
        if kind <= 1:
            part, own = some_patterns(r, 1)
            parts.append(part + " .")
            names += own
        elif kind <= 3:
            part, own = some_patterns(r, 2)
            filtered = f" FILTER({condition(r, own)})" if r.random() < 0.3 else ""
            parts.append(f"OPTIONAL {{ {part}{filtered} }}")
            names += own
        elif kind == 4:
            (one, first), (other, second) = some_patterns(r, 1), some_patterns(r, 2)
            parts.append(f"{{ {one} }} UNION {{ {other} }}")
            names += first + second
        elif kind == 5:
            part, own = some_patterns(r, 2)
            parts.append(f"MINUS {{ {part} }}")
        elif kind == 6:
            var = r.choice(names)
            values = " ".join(f"({r.choice(['UNDEF', literal(r), ':s1', ':s2'])} {r.choice(['UNDEF', literal(r), ':s0'])})" for _ in range(3))
            other = r.choice([n for n in "avtb" if n != var])
            parts.append(f"VALUES (?{var} ?{other}) {{ {values} }}")
            names += [other]
        elif kind == 7 and f"y{depth}" not in names:
            made = r.choice([f"?{r.choice(names)} + 1", f"STR(?{r.choice(names)})", f"DATATYPE(?{r.choice(names)})", f"IF(BOUND(?{r.choice(names)}), 'yes', 'no')", f"LANG(?{r.choice(names)})", f"COALESCE(?{r.choice(names)}, 0)", f"?{r.choice(names)} * 1.5", f"ABS(?{r.choice(names)})"])
            name = f"y{depth}"
            parts.append(f"BIND({made} AS ?{name})")
            names.append(name)
        elif kind == 8:
            part, own = some_patterns(r, 1)
            parts.append(f"GRAPH {r.choice(['?g', ':g1'])} {{ {part} }}")
            names += own + ["g"] * ("?g" in parts[-1])
        elif kind == 9 and depth == 0:
            part, own = some_patterns(r, 2)
            key = r.choice(own)
            parts.append(f"{{ SELECT ?{key} (COUNT(*) AS ?many) {{ {part} }} GROUP BY ?{key} }}")
            names += [key, "many"]
        elif kind == 10 and depth == 0:
            inner, own = group(r, 1)
            parts.append(f"{{ {inner} }}")
            names += own
        else:
            parts.append(f"FILTER({condition(r, names)})")
        names = list(dict.fromkeys(names))
    return " ".join(parts), names


def query(r):
    body, names = group(r)
    listed = " ".join(f"?{n}" for n in sorted(r.sample(names, r.randint(1, min(3, len(names))))))
    kind = r.randint(0, 5)
    if kind == 0:
        return f"SELECT {listed} {{ {body} }}"
    if kind == 1:
        return f"SELECT DISTINCT {listed} {{ {body} }}"
    if kind == 2:
        return f"SELECT * {{ {body} }}"
    if kind == 3:
        return f"ASK {{ {body} }}"
    of = r.choice(names)
    having = r.choice(["", "", " HAVING(COUNT(*) > 1)", f" HAVING(COUNT(DISTINCT ?{of}) < 3)"])
    if kind == 4:
        return f"SELECT {listed} (COUNT(*) AS ?n1) (COUNT(?{of}) AS ?n2) (COUNT(DISTINCT ?{of}) AS ?n3) {{ {body} }} GROUP BY {listed}{having}"
    kind_of = r.choice([f"DATATYPE(?{of})", f"LANG(?{of})", f"isLiteral(?{of})", f"isIRI(?{of})", f"STR(?{of})"])
    return f"SELECT ?key (COUNT(*) AS ?n1) {{ {body} }} GROUP BY ({kind_of} AS ?key)"


def value_of(term, datatype, language):
    """A literal such that equal numbers of one type are equal."""
    try:
        if datatype == XSD + "string" and term[:1].isdigit() and "-" not in term and ":" not in term:
            return float(term), datatype
        if datatype in (XSD + "double", XSD + "float"):
            return float(term), datatype
        if datatype == XSD + "decimal":
            return round(decimal.Decimal(term), 9).normalize(), datatype
    except (ValueError, decimal.InvalidOperation):
        pass
    return term, datatype, language and language.lower()


def by_oxigraph(term):
    if term is None:
        return ""
    if isinstance(term, pyoxigraph.Literal):
        return value_of(term.value, term.datatype.value, term.language)
    return "_:" if isinstance(term, pyoxigraph.BlankNode) else str(term)


def theirs(store, text):
    found = store.query(PREFIXES + text)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return bool(found)
    names = sorted(v.value for v in found.variables)
    return collections.Counter(tuple(by_oxigraph(s[n]) for n in names) for s in found)


def ours(conn, text):
    import json

    found = json.loads(conn.sparql(PREFIXES + text).serialize("json"))
    if "boolean" in found:
        return found["boolean"]

    def cell(row, name):
        term = row.get(name)
        if term is None:
            return ""
        if term["type"] == "bnode":
            return "_:"
        if term["type"] == "uri":
            return f"<{term['value']}>"
        language = term.get("xml:lang")
        string = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString" if language else XSD + "string"
        return value_of(term["value"], term.get("datatype", string), language)

    names = sorted(found["head"]["vars"])
    return collections.Counter(tuple(cell(row, name) for name in names) for row in found["results"]["bindings"])


@pytest.mark.parametrize("seed", SEEDS)
def test_states_agree_with_each_other_and_with_pyoxigraph(seed, tmp_path):
    r = random.Random(seed)
    statements, lists = data(r)
    store = pyoxigraph.Store()
    store.update(PREFIXES + f"INSERT DATA {{ {block(statements + plain_lists(lists))} }}")
    asked = []
    while len(asked) < QUERIES:
        text = query(r)
        try:
            asked.append((text, theirs(store, text)))
        except SyntaxError:
            continue
    wrong = []
    for state, conn in states(r, statements, lists, tmp_path):
        for text, expected in asked:
            found = ours(conn, text)
            if found != expected:
                wrong.append((state, text, expected, found))
    if wrong:
        by_text = collections.defaultdict(list)
        for state, text, expected, found in wrong:
            by_text[text].append((state, expected, found))
        report = []
        for text, all_states in by_text.items():
            state, expected, found = all_states[0]
            difference = f"expected {expected}, found {found}" if isinstance(found, bool) else f"missing {dict(expected - found)}\n  more {dict(found - expected)}"
            report.append(f"{text}\n  {[state for state, *_ in all_states]}\n  {difference}")
        raise AssertionError(f"seed {seed}\n" + "\n".join(report) + f"\n{block(statements)}\n{lists}")


def load(tmp_path, text):
    path = tmp_path / "data.ttl"
    path.write_text(PREFIXES.replace("PREFIX", "@prefix").replace(">\n", "> .\n") + text)
    conn = trimorph.connect()
    conn.load_rdf(str(path))
    return conn


def asked(conn, text):
    return sorted(tuple(str(cell) for cell in row) for row in conn.sparql(PREFIXES + text).fetchall())


@pytest.mark.parametrize("other", ["'P1D'^^xsd:duration", "1.5", "'12:00:00Z'^^xsd:time"])
def test_a_text_among_values_that_columns_keep_as_they_are_is_found(tmp_path, other):
    """A column of durations keeps values side by side: its type says nothing of them."""
    conn = load(tmp_path, f":a :x 'b', :c . :d :x {other} . :e :x '2011-01-01T05:00:00-05:00'^^xsd:dateTime . :f :x {other} .")
    wanted = [(str(trimorph.IRI("http://e/a")),)]
    assert asked(conn, "SELECT ?s { ?s :x 'b' }") == wanted
    assert asked(conn, "SELECT ?s { ?s ?p 'b' }") == wanted
    assert asked(conn, f"SELECT ?s {{ ?s ?p {other} }}") == [(str(trimorph.IRI("http://e/d")),), (str(trimorph.IRI("http://e/f")),)]


def test_a_walk_of_single_relationships_reaches_each_node_once(tmp_path):
    conn = load(tmp_path, ":a :p :a ; a :A . :b :p :c ; a :A . :c :p :b ; a :A . :d :p :a ; a :A .")
    once = [("a", "a"), ("b", "b"), ("b", "c"), ("c", "b"), ("c", "c"), ("d", "a"), ("d", "d")]
    for path, wanted in [(":p?", once), (":p*", once), (":p+", [pair for pair in once if pair != ("d", "d")])]:
        found = conn.sparql(PREFIXES + f"SELECT ?a ?b {{ ?a a :A . ?a {path} ?b }}").fetchall()
        assert sorted((a.value[-1], b.value[-1]) for a, b in found) == wanted, path
    # Two steps at most come back to where they began.
    text = "MATCH (a:`http://e/A`) MATCH (a)-[:`http://e/p`*0..2]->(b) RETURN DISTINCT a.`@id`, b.`@id`"
    assert len(conn.execute(text).fetchall()) == 7


def test_scans_of_all_statements_take_columns_in_parts():
    """Some thousand nodes: runs of rows with holes, long lists, and rows in front that are kept."""
    conn = trimorph.connect()
    conn.execute("UNWIND range(1, 5000) AS i CREATE (:N {i: i, f: CASE WHEN i % 3 = 0 THEN i / 2.0 END, t: 't' + (i % 7), d: datetime({epochSeconds: i})})")
    conn.execute("MATCH (n:N) WHERE n.i % 500 = 1 MATCH (m:N) WHERE m.i <= n.i CREATE (n)-[:TO]->(m)")
    conn.execute("MATCH (n:N) WHERE n.i % 11 = 0 AND n.i > 4600 DETACH DELETE n")
    count = 5000 - len([i for i in range(4601, 5001) if i % 11 == 0])
    edges = sum(n - len([i for i in range(4601, n + 1) if i % 11 == 0]) for n in range(1, 5001, 500))
    floats = len([i for i in range(3, 5001, 3) if not (i % 11 == 0 and i > 4600)])
    kinds = {"integer": count, "double": floats, "string": count, "dateTime": count}
    for merged in (False, True):
        if merged:
            conn.execute("CHECKPOINT")
        found = conn.sparql("SELECT ?d (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY (DATATYPE(?o) AS ?d)").fetchall()
        by_kind = {kind.value.rsplit("#")[-1] if kind else None: n for kind, n in found}
        assert by_kind == {**kinds, None: edges + count}
        assert conn.sparql("SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isLiteral(?o)) }").fetchall() == [(sum(kinds.values()),)]
        assert conn.sparql("SELECT (COUNT(*) AS ?n) { VALUES ?x { 1 2 } ?s ?p ?o FILTER(isNumeric(?o) && ?x = 2) }").fetchall() == [(count + floats,)]
        assert conn.sparql("SELECT (SUM(STRLEN(STR(?o))) AS ?n) { ?s <trimorph:t> ?o . ?s ?p ?x FILTER(?x = ?o) }").fetchall() == [(2 * count,)]
        assert len(conn.sparql("SELECT ?s ?o { ?s ?p ?o FILTER(isIRI(?o)) } LIMIT 1500").fetchall()) == 1500
