"""The thirteen shapes: what people ask of a graph in SPARQL, over SNB as `snb_export.py` writes it."""

PREFIXES = """PREFIX : <http://www.ldbc.eu/snb/vocabulary/>
PREFIX person: <http://www.ldbc.eu/snb/Person/>
PREFIX post: <http://www.ldbc.eu/snb/Post/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""

# The person with most friends.
PERSON = "person:910"

QUERIES = {
    "star-lookup": f"SELECT ?f ?l ?b ?c {{ {PERSON} :firstName ?f ; :lastName ?l ; :birthday ?b ; :isLocatedIn ?c }}",
    "star-scan": "SELECT (COUNT(*) AS ?n) { ?m a :Message ; :creationDate ?d ; :length ?l ; :browserUsed ?b ; :hasCreator ?p }",
    "two-hops-count": "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c }",
    "three-hops-from-one": f"SELECT (COUNT(*) AS ?n) {{ {PERSON} :knows/:knows/:knows ?d }}",
    "triangle": "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c . ?a :knows ?c }",
    "tags-aggregate": "SELECT ?t (COUNT(?m) AS ?n) { ?m a :Message ; :hasTag ?t } GROUP BY ?t ORDER BY DESC(?n) ?t LIMIT 10",
    "country-join": """SELECT ?country (COUNT(?m) AS ?n) { ?m a :Message ; :hasCreator ?p . ?p :isLocatedIn ?city . ?city :isPartOf ?country }
        GROUP BY ?country ORDER BY DESC(?n) ?country LIMIT 10""",
    "date-filter": """SELECT (COUNT(*) AS ?n) { ?m a :Message ; :creationDate ?d
        FILTER(?d >= "2011-06-01T00:00:00Z"^^xsd:dateTime && ?d < "2011-07-01T00:00:00Z"^^xsd:dateTime) }""",
    "optional": "SELECT ?p (COUNT(?u) AS ?n) { ?p a :Person OPTIONAL { ?p :studyAt ?u } } GROUP BY ?p",
    "not-exists": "SELECT (COUNT(*) AS ?n) { ?p a :Person FILTER NOT EXISTS { ?p :studyAt ?u } }",
    "knows-plus": f"SELECT (COUNT(*) AS ?n) {{ {PERSON} :knows+ ?b }}",
    "reply-star": "SELECT (COUNT(*) AS ?n) { ?p a :Post ; :length 108 . ?c :replyOf* ?p }",
    "literals": "SELECT ?n { ?t a :Tag ; :name ?n } ORDER BY ?n LIMIT 1000",
    # What the thirteen leave out.
    "object-literal": 'SELECT ?p { ?p :firstName "Jan" }',
    "any-predicate": f"SELECT ?p ?o {{ {PERSON} ?p ?o }}",
    "who-points-here": f"SELECT ?p (COUNT(*) AS ?n) {{ ?s ?p {PERSON} }} GROUP BY ?p",
    "regex": 'SELECT (COUNT(*) AS ?n) { ?m a :Comment ; :content ?c FILTER(REGEX(?c, "Hitler|Napoleon")) }',
    "contains": 'SELECT (COUNT(*) AS ?n) { ?m a :Comment ; :content ?c FILTER(CONTAINS(?c, "Napoleon")) }',
    "year-group": "SELECT ?y (COUNT(*) AS ?n) { ?m a :Post ; :creationDate ?d BIND(YEAR(?d) AS ?y) } GROUP BY ?y ORDER BY ?y",
    "union": f"SELECT DISTINCT ?x {{ {{ {PERSON} :knows ?x }} UNION {{ ?x :knows {PERSON} }} }}",
    "predicates": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n)",
    "classes": "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c ORDER BY DESC(?n)",
    "average": "SELECT ?b (AVG(?l) AS ?a) { ?m a :Post ; :browserUsed ?b ; :length ?l } GROUP BY ?b ORDER BY ?b",
    "subquery": """SELECT ?n ?c { { SELECT ?p (COUNT(*) AS ?c) { ?m :hasCreator ?p } GROUP BY ?p ORDER BY DESC(?c) ?p LIMIT 10 }
        ?p :firstName ?n }""",
    "concat-distinct": "SELECT (STRLEN(GROUP_CONCAT(DISTINCT ?b; separator=',')) AS ?n) { ?p a :Person ; :browserUsed ?b }",
    "minus": f"SELECT (COUNT(*) AS ?n) {{ ?x a :Person MINUS {{ {PERSON} :knows ?x }} }}",
    "values": "SELECT ?l { VALUES ?f { 'Jan' 'Hossein' 'Carlos' } ?p :firstName ?f ; :lastName ?l }",
    "construct": f"CONSTRUCT {{ ?f :friendOf {PERSON} }} WHERE {{ {PERSON} :knows ?f }}",
    "ask": f"ASK {{ {PERSON} :knows ?x . ?x :studyAt ?u }}",
}


def queries(_path):
    """The texts; they have no parameters."""
    return QUERIES
