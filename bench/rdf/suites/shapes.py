"""Stars over subjects of many shapes, as `shapes_data.py` writes them: the same questions of each kind, to be compared per row found."""

PREFIXES = "PREFIX : <http://example.org/shapes/>\n"

QUERIES = {
    "star-count": "SELECT (COUNT(*) AS ?n) { ?s :p0 ?a ; :p1 ?b ; :p2 ?c }",
    "star-values": "SELECT (SUM(?a) AS ?n) (MAX(STRLEN(?b)) AS ?m) (COUNT(?c) AS ?k) { ?s :p0 ?a ; :p1 ?b ; :p2 ?c }",
    "star-by-value": "SELECT ?s ?b ?c { ?s :p0 17 ; :p1 ?b ; :p2 ?c }",
    "star-optional": "SELECT (COUNT(?d) AS ?n) { ?s :p0 ?a ; :p1 ?b OPTIONAL { ?s :p3 ?d } }",
    "star-further": "SELECT (COUNT(*) AS ?n) { ?s :p4 ?a ; :p5 ?b ; :p3 ?c }",
    "star-lookup": "SELECT ?a ?b ?c { :s0 :p0 ?a ; :p1 ?b ; :p2 ?c }",
    "hop-any": "SELECT (COUNT(*) AS ?n) { ?s :p0 ?a ; :p2 ?t . ?t ?p ?c }",
    "all-of-one": "SELECT ?p ?o { :s0 ?p ?o }",
    "who-points": "SELECT ?s ?p { ?s ?p :s500 }",
    "predicates": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n) LIMIT 10",
    "any-literal": "SELECT (COUNT(*) AS ?n) { ?s ?p 17 }",
    "any-but": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?p != :p0) } GROUP BY ?p ORDER BY DESC(?n) LIMIT 10",
}


def queries(_path):
    """The texts; they have no parameters."""
    return QUERIES
