"""What analysts, engineers and cleaners of data ask of SNB (as `snb_export.py` writes it) in shapes that the other suites leave out:
joins by variables that may be unbound, predicates that classes share, paths within and below OPTIONAL, MINUS and EXISTS, groups of
groups, exact and temporal arithmetic, pages far behind, joins by literals and by inequalities, cycles.
"""

from . import snb

PREFIXES = snb.PREFIXES + "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"

QUERIES = {
    "unbound-join": "SELECT (COUNT(*) AS ?n) { ?p a :Person OPTIONAL { ?p :studyAt ?u } ?u :isLocatedIn ?c }",
    "unbound-first-of-two": "SELECT ?c (COUNT(*) AS ?n) { ?p a :Person OPTIONAL { ?p :workAt ?w } OPTIONAL { ?p :studyAt ?u } BIND(COALESCE(?w, ?u) AS ?o) ?o :isLocatedIn ?c } GROUP BY ?c ORDER BY DESC(?n) ?c LIMIT 20",
    "unbound-minus": "SELECT (COUNT(*) AS ?n) { ?p a :Person OPTIONAL { ?p :workAt ?w } MINUS { ?q :studyAt ?w . ?p a :Person } }",
    "unbound-values": 'SELECT ?n ?c { ?x :name ?n ; a ?c } VALUES (?n ?c) { ("Germany" UNDEF) ("Mozart" :Tag) (UNDEF :Continent) }',
    "unbound-two-of-one": "SELECT ?p ?x { ?p a :Person ; :firstName \"Jan\" OPTIONAL { ?p :workAt ?x } OPTIONAL { ?p :studyAt ?x } }",
    "predicates-shared": "SELECT DISTINCT ?p { ?a a :Tag ; ?p ?x . ?b a :Organisation ; ?p ?y }",
    "predicates-shared-exists": "SELECT DISTINCT ?p { ?a a :Post ; ?p ?x FILTER EXISTS { ?b a :Comment ; ?p ?y } }",
    "predicates-of-one-only": "SELECT DISTINCT ?p { ?a a :Post ; ?p ?x FILTER NOT EXISTS { ?b a :Comment ; ?p ?y } }",
    "predicates-of-classes": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o . ?s a ?c FILTER(?c IN (:Tag, :TagClass)) } GROUP BY ?p",
    "predicates-of-several-values": "SELECT ?p (COUNT(*) AS ?n) { { SELECT ?s ?p { ?s a :Person ; ?p ?o } GROUP BY ?s ?p HAVING(COUNT(*) > 1) } } GROUP BY ?p",
    "predicates-functional": "SELECT ?p { ?s ?p ?o } GROUP BY ?p HAVING(COUNT(*) = COUNT(DISTINCT ?s)) ORDER BY ?p",
    "predicates-to-themselves": "SELECT ?p (COUNT(*) AS ?n) { ?a ?p ?b . ?b ?p ?a } GROUP BY ?p",
    "classes-together": "SELECT ?a ?b (COUNT(*) AS ?n) { ?x a ?a, ?b FILTER(STR(?a) < STR(?b)) } GROUP BY ?a ?b",
    "classes-but": "SELECT ?c (COUNT(*) AS ?n) { ?x a ?c FILTER(?c NOT IN (:Message, :Post, :Comment)) } GROUP BY ?c",
    "nobody-points-at": "SELECT ?c (COUNT(*) AS ?n) { ?x a ?c FILTER NOT EXISTS { ?y ?p ?x } } GROUP BY ?c",
    "dangling": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isIRI(?o)) FILTER NOT EXISTS { ?o a ?c } } GROUP BY ?p",
    "mistyped": "SELECT ?p ?t (COUNT(*) AS ?n) { ?s ?p ?o BIND(DATATYPE(?o) AS ?t) FILTER(?t NOT IN (xsd:string, xsd:integer, xsd:dateTime)) } GROUP BY ?p ?t",
    "begins-with": 'SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(STRSTARTS(STR(?s), "http://www.ldbc.eu/snb/TagClass/")) } GROUP BY ?p',
    "path-depths": "SELECT ?depth (COUNT(*) AS ?n) { { SELECT ?c (COUNT(?anc) AS ?depth) { ?c a :Comment ; :replyOf+ ?anc } GROUP BY ?c } } GROUP BY ?depth ORDER BY ?depth",
    "path-threads": "SELECT ?post (COUNT(*) AS ?n) (MAX(?d) AS ?last) { ?c :replyOf* ?post ; :creationDate ?d . ?post a :Post } GROUP BY ?post ORDER BY DESC(?n) ?post LIMIT 10",
    "path-exists": "SELECT ?t (COUNT(*) AS ?n) { ?post a :Post ; :hasTag ?t FILTER EXISTS { ?c :replyOf+ ?post ; :hasTag ?t } } GROUP BY ?t ORDER BY DESC(?n) ?t LIMIT 10",
    "path-minus": 'SELECT (COUNT(*) AS ?n) { ?t a :Tag MINUS { ?t :hasType/:isSubclassOf* ?c . ?c :name "Agent" } }',
    "path-round": "SELECT (COUNT(*) AS ?n) { ?p :knows+ ?p }",
    "path-pairs": "SELECT (COUNT(*) AS ?n) { ?x (:replyOf/:replyOf)+ ?y }",
    "path-nothing-or-one": "SELECT (COUNT(*) AS ?n) { ?x :isSubclassOf? ?y }",
    "groups-three": "SELECT (AVG(?m) AS ?a) (MAX(?m) AS ?b) { { SELECT ?country (AVG(?n) AS ?m) { { SELECT ?p (COUNT(*) AS ?n) { ?x :hasCreator ?p } GROUP BY ?p } ?p :isLocatedIn/:isPartOf ?country } GROUP BY ?country } }",
    "groups-first-three": "SELECT ?c ?p ?l { ?p a :Person ; :isLocatedIn ?c ; :birthday ?l OPTIONAL { ?q a :Person ; :isLocatedIn ?c ; :birthday ?k FILTER(?k > ?l) } } GROUP BY ?c ?p ?l HAVING(COUNT(?q) < 3)",
    "groups-latest": "SELECT ?f ?m ?d { ?f a :Forum ; :containerOf ?m . ?m :creationDate ?d . { SELECT ?f (MAX(?e) AS ?d) { ?f :containerOf ?x . ?x :creationDate ?e } GROUP BY ?f } }",
    "groups-scores": "SELECT ?who (SUM(?w) AS ?score) { { ?m a :Post ; :hasCreator ?who BIND(5 AS ?w) } UNION { ?m a :Comment ; :hasCreator ?who BIND(2 AS ?w) } UNION { ?who :likes ?m BIND(1 AS ?w) } } GROUP BY ?who ORDER BY DESC(?score) ?who LIMIT 25",
    "decimals": "SELECT (SUM(?l * 1.1) AS ?a) (SUM(?l * 1.0e0) AS ?b) (AVG(FLOOR(?l / 7)) AS ?c) (SUM(ROUND(?l * 0.333)) AS ?d) { ?m a :Comment ; :length ?l }",
    "casts": "SELECT (SUM(xsd:integer(?l > 100)) AS ?n) (SUM(xsd:decimal(?l) / 10) AS ?s) (MAX(xsd:double(?l)) AS ?m) { ?m a :Post ; :length ?l }",
    "days-between": 'SELECT (COUNT(*) AS ?n) { ?c a :Comment ; :replyOf ?m ; :creationDate ?a . ?m a :Post ; :creationDate ?b FILTER(?a - ?b > "P200D"^^xsd:dayTimeDuration) }',
    "minutes-later": 'SELECT (COUNT(*) AS ?n) { ?c a :Comment ; :replyOf ?m ; :creationDate ?a . ?m :creationDate ?b FILTER(?a < ?b + "PT10M"^^xsd:dayTimeDuration) }',
    "days-of": "SELECT ?d (COUNT(*) AS ?n) { ?m a :Comment ; :creationDate ?t BIND(xsd:date(?t) AS ?d) } GROUP BY ?d ORDER BY DESC(?n) ?d LIMIT 10",
    "page-far-behind": "SELECT ?m { ?m a :Comment } ORDER BY ?m LIMIT 20 OFFSET 150000",
    "literals-joined": "SELECT ?l (COUNT(DISTINCT ?p) AS ?n) (COUNT(DISTINCT ?m) AS ?k) { ?p a :Person ; :language ?l . ?m a :Post ; :language ?l } GROUP BY ?l",
    "within-an-hour": 'SELECT (COUNT(*) AS ?n) { ?a a :Person ; :creationDate ?x . ?b a :Person ; :creationDate ?y FILTER(?y > ?x && ?y < ?x + "PT1H"^^xsd:dayTimeDuration) }',
    "contained-names": "SELECT (COUNT(*) AS ?n) { ?c a :City ; :name ?n . ?u a :University ; :name ?t FILTER(CONTAINS(?t, ?n)) }",
    "made-of-an-id": 'SELECT ?c (COUNT(*) AS ?n) { ?m a :Comment ; :id ?id ; :length ?l FILTER(?l > 800) BIND(IRI(CONCAT("http://www.ldbc.eu/snb/Comment/", STR(?id))) AS ?x) ?x :browserUsed ?c } GROUP BY ?c',
    "four-in-a-ring": "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c . ?d :knows ?c . ?a :knows ?d FILTER(?b != ?d) }",
    "tags-together": "SELECT ?a ?b (COUNT(*) AS ?n) { ?m a :Post ; :hasTag ?a, ?b FILTER(STR(?a) < STR(?b)) } GROUP BY ?a ?b ORDER BY DESC(?n) ?a ?b LIMIT 10",
    "construct-either": "CONSTRUCT { ?p :works ?w ; :studies ?u } WHERE { ?p a :Person OPTIONAL { ?p :workAt ?w } OPTIONAL { ?p :studyAt ?u } }",
}


def queries(_path):
    """The texts; they have no parameters."""
    return QUERIES
