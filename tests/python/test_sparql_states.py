"""Random SPARQL over literals of all kinds, named graphs, lists that openCypher wrote and blank nodes: the same data in several
states (loaded, written and not merged, merged, half of it in an open transaction, after deletions and `REORGANIZE`) give the same
answers, which are pyoxigraph's.

Then some updates are made, of all kinds: after each of them the data and the answers are those of pyoxigraph again.

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
UPDATED = 3

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
        if node[0] != "_" and r.random() < 0.2:
            out.add((None, f"{node} :says <<( {r.choice(nodes[:-2])} {r.choice([':p', ':v'])} {r.choice([':s1', '1', r.choice(TEXTS[:4])])} )>>"))
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
    kind = r.randint(0, 19)
    if kind == 16:
        return f"?{x} {r.choice(['=', '!=', '<', '>', '<=', '>='])} {r.choice(MOMENTS)}"
    if kind == 17:
        return f"{r.choice(['isTRIPLE', '!isTRIPLE'])}(?{x})"
    if kind == 18:
        return f"{r.choice(['YEAR', 'MONTH', 'STRLEN', 'ABS'])}(?{x}) {r.choice(['>', '='])} {r.choice([1, 3, 2011])}"
    if kind == 19:
        return f"?{x} {r.choice(['= ?' + y + ' || ', '!= ?' + y + ' && ', '< ?' + y + ' || '])}{condition(r, names, 2)}"
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
    ("?a (:p|:q)* ?b", "ab"), ("?a ^(:p/:q) ?b", "ab"), ("?a (:p*/:q) ?b", "ab"), ("?a (:p?/:q?) ?b", "ab"), ("?a (^:p)* ?b", "ab"), ("?a !:p ?o", "ao"), ("?a !(:p|:v) ?o", "ao"), ("?a !^:q ?b", "ab"),
    (":s1 :p* ?b", "b"), ("?a (:p|:q)+ :s2", "a"), ("?a :p* :s2", "a"), ("?a :q+ ?a", "a"), ("?a :p? ?a", "a"), ("?a (:p/:q)* ?b", "ab"), ("?a :x* ?o", "ao"), ("?a (:v|:p) ?o", "ao"), ("?a :p/:v ?v", "av"), ("?a :p*/:t ?t", "at"), ("?a (:q/^:q)+ ?b", "ab"), ("?a (:p/:v)? ?o", "ao"),
    ("?a :p ?b . ?b :q* ?a", "ab"), (":s1 :p* :s2 . ?a a :A", "a"), ("?a :q ?b . ?a :p* ?b", "ab"), (":s0 !(:p|a) ?o", "o"), ("?a !(:p) 1", "a"),
    ("?a :says ?z", "az"), ("?a :says <<( ?b ?r ?o )>>", "abro"), ("?a :says <<( ?b :p ?c )>> . ?b :p ?c", "abc"), ("?a :says <<( :s1 :v ?v )>>", "av"),
    ("?a :v 1", "a"), ("?a :t 'a'", "a"), ("?a :t 'a'@en", "a"), ("?a ?r 2", "ar"), ("?a ?r 'b'", "ar"), ("?a :m 2", "a"), ("?a :m 'b'", "a"), (":s1 ?r ?o", "ro"), ("?a ?r :s2", "ar"), ("?a :d '2011-01-01T00:00:00Z'^^xsd:dateTime", "a"), ("?a :v 1.5", "a"), ("?a :x ?b", "ab"), ("?b :t ?t", "bt"),
]


def some_patterns(r, most=2):
    chosen = r.sample(PATTERNS, r.randint(1, most))
    return " . ".join(text for text, _ in chosen), list(dict.fromkeys("".join(names for _, names in chosen)))


def sub_select(r):
    """A sub-query whose order leaves nothing open, or of groups; and its variables."""
    return r.choice([
        (f"SELECT ?a ?v {{ ?a :v ?v FILTER(isIRI(?a)) }} ORDER BY {r.choice(['', 'DESC'])}(STR(?a)) STR(?v) LIMIT {r.randint(0, 4)}", ["a", "v"]),
        (f"SELECT ?a ?b {{ ?a :p ?b FILTER(isIRI(?a) && isIRI(?b)) }} ORDER BY ?b DESC(?a) LIMIT {r.randint(1, 4)} OFFSET {r.randint(0, 3)}", ["a", "b"]),
        (f"SELECT DISTINCT ?b {{ ?a (:p|:q) ?b FILTER(isIRI(?b)) }} ORDER BY DESC(?b) LIMIT {r.randint(1, 3)}", ["b"]),
        ("SELECT ?b (SUM(?v) AS ?w) (MAX(?v) AS ?j) { ?a :p ?b ; :v ?v } GROUP BY ?b", ["b", "w", "j"]),
        (f"SELECT ?w (COUNT(DISTINCT ?a) AS ?j) {{ ?a :t ?t }} GROUP BY (LANG(?t) AS ?w) HAVING(COUNT(*) > {r.randint(0, 2)})", ["w", "j"]),
        ("SELECT ?a (AVG(?v) AS ?w) { ?a :v ?v } GROUP BY ?a HAVING(MIN(?v) > 0)", ["a", "w"]),
        ("SELECT (COUNT(*) AS ?w) { ?a :q ?b }", ["w"]),
        ("SELECT (MIN(?v) AS ?w) (SUM(?v) AS ?j) { ?a :none ?v }", ["w", "j"]),
        ("SELECT ?a (SUM(?v * 2) AS ?w) { ?a a ?k OPTIONAL { ?a :v ?v } } GROUP BY ?a ?k", ["a", "w"]),
        (f"SELECT ?a ?w {{ ?a :v ?v BIND(?v + 1 AS ?w) FILTER(?w > {r.randint(0, 3)}) }}", ["a", "w"]),
    ])


UPDATES = [
    "DELETE {{ ?a :v ?v }} INSERT {{ ?a :w ?v }} WHERE {{ ?a :v ?v FILTER({on_av}) }}",
    "DELETE WHERE {{ ?a :p ?b . ?b a :A }}",
    "DELETE {{ ?a :p ?b }} INSERT {{ ?b :p ?a }} WHERE {{ ?a :p ?b }}",
    "INSERT {{ GRAPH :g1 {{ ?a :p ?b }} }} WHERE {{ ?a :q ?b }}",
    "INSERT {{ GRAPH ?b {{ ?a :v ?v }} }} WHERE {{ ?a :p ?b ; :v ?v FILTER(isIRI(?b)) }}",
    "DELETE {{ GRAPH ?g {{ ?a :p ?b }} }} INSERT {{ ?a :q ?b }} WHERE {{ GRAPH ?g {{ ?a :p ?b }} }}",
    "WITH :g1 DELETE {{ ?a :p ?b }} INSERT {{ ?b :q ?a }} WHERE {{ ?a :p ?b }}",
    "INSERT {{ ?a :t 'new' }} USING :g1 WHERE {{ ?a ?r ?o }}",
    "DELETE {{ ?a a :A }} INSERT {{ ?a a :B }} WHERE {{ ?a a :A {also} }}",
    "DELETE {{ ?a ?r ?o }} WHERE {{ ?a a :B ; ?r ?o }}",
    "DELETE {{ ?a :m 2 . ?a :m 'b' }} WHERE {{ ?a :m ?m }}",
    "INSERT {{ ?a :m 9 . ?a :m 'zz'@en }} WHERE {{ ?a :m ?m }}",
    "INSERT {{ ?a :x ?o }} WHERE {{ ?a ?r ?o FILTER({on_o}) }}",
    "DELETE {{ ?a ?r ?o }} INSERT {{ ?a ?r 7 }} WHERE {{ ?a ?r ?o FILTER(isLiteral(?o) && {on_o}) }}",
    "INSERT {{ _:n :p ?a ; :v ?v }} WHERE {{ ?a :v ?v {also} }}",
    "DELETE {{ ?a :says ?z }} INSERT {{ ?a :said ?z . ?b :says <<( ?a :p ?b )>> }} WHERE {{ ?a :says ?z ; :p ?b }}",
    "INSERT {{ ?a :d ?d2 }} WHERE {{ ?a :d ?d BIND(IF(?d > '2011-06-01'^^xsd:date, '2011-01-01'^^xsd:date, ?d) AS ?d2) }}",
    "INSERT {{ ?a :v ?w }} WHERE {{ ?a :v ?v BIND(?v + 1 AS ?w) {also} }}",
    "DELETE DATA {{ :s1 a :A . :s1 :p :s2 . GRAPH :g1 {{ :s1 :p :s2 }} }}; INSERT DATA {{ :s1 :v 1 , 2 ; :t 'a' . GRAPH :g2 {{ :s1 :v 1 }} }}",
    "INSERT {{ ?a :v2 ?v }} WHERE {{ ?a :v ?v }} ; DELETE {{ ?a :v ?v }} WHERE {{ ?a :v2 ?v }}",
    "CLEAR SILENT GRAPH :g1", "CLEAR NAMED", "DROP SILENT GRAPH :g2", "MOVE SILENT :g1 TO :g2", "COPY SILENT :g2 TO :g1", "ADD DEFAULT TO :g1", "ADD SILENT :g1 TO DEFAULT", "COPY SILENT :g1 TO DEFAULT",
]
CONTENTS = ["SELECT * { ?s ?p ?o }", "SELECT * { GRAPH ?g { ?s ?p ?o } }", "SELECT ?p ?o { :s1 ?p ?o }", "SELECT ?s ?o { ?s :p ?o }", "SELECT ?s { ?s a :B }", "SELECT ?s ?v { ?s :v ?v FILTER(?v > 1) }"]


def update(r):
    """An update that says for certain what becomes of the data."""
    also = r.choice(["", "", "FILTER EXISTS { ?a :p ?any }", "FILTER NOT EXISTS { ?a :q ?any }", "MINUS { ?a :t ?any }", ". ?a :t ?t"])
    return r.choice(UPDATES).format(on_av=condition(r, ["a", "v"]), on_o=condition(r, ["o"]), also=also)


def group(r, depth=0):
    """A group graph pattern, and the variables that it may bind."""
    text, names = some_patterns(r, 2)
    parts = [text + " ."]
    for _ in range(r.randint(0, 3)):
        kind = r.randint(0, 14)
        if kind == 12 and depth == 0:
            inner, own = sub_select(r)
            parts.append(f"{{ {inner} }}")
            names += own
        elif kind == 13 and depth == 0:
            inner, own = group(r, 1)
            parts.append(f"OPTIONAL {{ {inner} }}")
            names += own
        elif kind == 14:
            inner, own = sub_select(r)
            parts.append(r.choice([f"FILTER {r.choice(['', 'NOT '])}EXISTS {{ {{ {inner} }} ?a ?any ?thing }}", f"MINUS {{ {{ {inner} }} }}"]))
        elif kind <= 1:
            part, own = some_patterns(r, 1)
            parts.append(part + " .")
            names += own
        elif kind <= 3:
            part, own = some_patterns(r, 2)
            filtered = f" FILTER({condition(r, own + names)})" if r.random() < 0.4 else ""
            parts.append(f"OPTIONAL {{ {part}{filtered} }}")
            names += own
        elif kind == 4:
            (one, first), (other, second) = some_patterns(r, 1), some_patterns(r, 2)
            parts.append(f"{{ {one} }} UNION {{ {other} }}")
            names += first + second
        elif kind == 5:
            part, own = some_patterns(r, 2)
            part = r.choice([part, part, part, "?i :v ?j", "?i :p ?j . OPTIONAL { ?j :q ?a }", f"{part} FILTER({condition(r, names)})"])
            parts.append(f"MINUS {{ {part} }}")
        elif kind == 6:
            var = r.choice(names)
            values = " ".join(f"({r.choice(['UNDEF', literal(r), ':s1', ':s2'])} {r.choice(['UNDEF', literal(r), ':s0'])})" for _ in range(3))
            other = r.choice([n for n in "avtb" if n != var])
            parts.append(f"VALUES (?{var} ?{other}) {{ {values} }}")
            names += [other]
        elif kind == 7 and f"y{depth}" not in names:
            made = r.choice([f"?{r.choice(names)} + 1", f"STR(?{r.choice(names)})", f"DATATYPE(?{r.choice(names)})", f"IF(BOUND(?{r.choice(names)}), 'yes', 'no')", f"LANG(?{r.choice(names)})", f"COALESCE(?{r.choice(names)}, 0)", f"?{r.choice(names)} * 1.5", f"ABS(?{r.choice(names)})", "1 / 0", f"?{r.choice(names)} / 0", f"xsd:integer(STR(?{r.choice(names)}))", f"IF(?{r.choice(names)} > 1, 'more', 'less')", f"<<( :s1 :p ?{r.choice(names)} )>>", f"SUBJECT(?{r.choice(names)})", f"OBJECT(?{r.choice(names)})", f"?{r.choice(names)} = ?{r.choice(names)}"])
            name = f"y{depth}"
            parts.append(f"BIND({made} AS ?{name})")
            names.append(name)
        elif kind == 8:
            part, own = some_patterns(r, 1)
            parts.append(f"GRAPH {r.choice(['?g', '?g', ':g1', ':none'])} {{ {part} }}")
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
    if isinstance(term, pyoxigraph.Triple):
        return tuple(by_oxigraph(part) for part in (term.subject, term.predicate, term.object))
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

    def cell(term):
        if term is None:
            return ""
        if term["type"] == "triple":
            return tuple(cell(term["value"][part]) for part in ("subject", "predicate", "object"))
        if term["type"] == "bnode":
            return "_:"
        if term["type"] == "uri":
            return f"<{term['value']}>"
        language = term.get("xml:lang")
        string = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString" if language else XSD + "string"
        return value_of(term["value"], term.get("datatype", string), language)

    names = sorted(found["head"]["vars"])
    return collections.Counter(tuple(cell(row.get(name)) for name in names) for row in found["results"]["bindings"])


def expectations(r, store):
    """Queries with their answers, then updates, each with the answers after it."""
    def some(count):
        texts = []
        while len(texts) < count:
            text = query(r)
            try:
                texts.append((text, theirs(store, text)))
            except SyntaxError:
                continue
        return texts

    asked, updates = some(QUERIES), []
    for _ in range(UPDATED):
        text = update(r)
        store.update(PREFIXES + text)
        updates.append((text, [(one, theirs(store, one)) for one in CONTENTS] + some(2)))
    return asked, updates


def differences(conn, asked):
    """What is answered in another way."""
    for text, expected in asked:
        try:
            found = ours(conn, text)
        except Exception as error:  # it is an answer, too
            found = collections.Counter({("ERROR", str(error)[:300]): 1})
        if found != expected:
            yield text, expected, found


def wrong_answers(seed, tmp_path):
    """All (state, text, expected, found), and what the data is."""
    r = random.Random(seed)
    statements, lists = data(r)
    store = pyoxigraph.Store()
    store.update(PREFIXES + f"INSERT DATA {{ {block(statements + plain_lists(lists))} }}")
    asked, updates = expectations(r, store)
    wrong = []
    for state, conn in states(r, statements, lists, tmp_path):
        wrong += [(state, *one) for one in differences(conn, asked)]
        if state not in ("loaded", "merged", "in a transaction", "reorganized"):
            continue
        done = []
        for text, then in updates:
            try:
                conn.sparql(PREFIXES + text)
            except Exception as error:
                wrong.append((state, text, collections.Counter(), collections.Counter({("ERROR", str(error)[:300]): 1})))
                break
            done.append(text)
            found = [(state, "after " + " ; ".join(done) + "\n  " + one, expected, found) for one, expected, found in differences(conn, then)]
            wrong += found
            # What follows would differ for the same reason.
            if found:
                break
    return wrong, f"{block(statements)}\n{lists}"


def report(wrong):
    by_text = collections.defaultdict(list)
    for state, text, expected, found in wrong:
        by_text[text].append((state, expected, found))
    lines = []
    for text, all_states in by_text.items():
        _, expected, found = all_states[0]
        if isinstance(found, bool) or isinstance(expected, bool):
            difference = f"expected {expected}, found {found}"
        else:
            difference = f"missing {dict(expected - found)}\n  more {dict(found - expected)}"
        lines.append(f"{text}\n  {[state for state, *_ in all_states]}\n  {difference}")
    return lines


@pytest.mark.parametrize("seed", SEEDS)
def test_states_agree_with_each_other_and_with_pyoxigraph(seed, tmp_path):
    wrong, contents = wrong_answers(seed, tmp_path)
    if wrong:
        raise AssertionError(f"seed {seed}\n" + "\n".join(report(wrong)) + f"\n{contents}")


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


def test_a_graph_that_is_not_there_gives_nothing():
    """A graph that no statement is in is no graph of the dataset (SPARQL 1.1, 18.6): not even a path of no step is in it."""
    conn = trimorph.connect()
    conn.sparql(PREFIXES + "INSERT DATA { :a :p :b . GRAPH :g { :c :p :a } }")
    for path in (":p*", ":p?", "(:p/:q?)*", "(:q|:p*)", "^(:p*)"):
        assert asked(conn, f"SELECT ?x {{ GRAPH :none {{ ?x {path} :b }} }}") == [], path
        assert ("<http://e/b>",) in asked(conn, f"SELECT ?x {{ GRAPH :g {{ ?x {path} :b }} }}"), path
        assert asked(conn, f"SELECT ?g {{ GRAPH ?g {{ :b {path} :b }} }}") == [("<http://e/g>",)], path
    assert asked(conn, "SELECT ?x { GRAPH :none { ?x :p+/:p* :b } }") == []
