"""What people ask of a graph that they explore, over SNB as `snb_export.py` writes it: chains of OPTIONAL, texts by regular
expression, paths with open ends, blocks of 1,000 VALUES, MINUS, groups of groups, orders of mixed types, CONSTRUCT and DESCRIBE,
and everything by predicate and by class.
"""

import re

from . import snb

PREFIXES = snb.PREFIXES + "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"

# Rows of VALUES.
ROWS = 1_000

QUERIES = {
    "optional-chain": "SELECT ?p ?n ?u ?c ?co { ?p a :Person ; :firstName ?n OPTIONAL { ?p :studyAt ?u OPTIONAL { ?u :isLocatedIn ?c OPTIONAL { ?c :isPartOf ?co } } } OPTIONAL { ?p :workAt ?w } }",
    "optional-chain-filter": "SELECT ?f (COUNT(?t) AS ?n) { ?f a :Forum OPTIONAL { ?f :hasTag ?t OPTIONAL { ?t :hasType ?k } FILTER(BOUND(?k)) } } GROUP BY ?f",
    "optional-bound-negation": "SELECT (COUNT(*) AS ?n) { ?p a :Person OPTIONAL { ?p :workAt ?w } FILTER(!BOUND(?w)) }",
    "optional-two-alternatives": 'SELECT ?p (COALESCE(?wn, ?un, "none") AS ?where) { ?p a :Person OPTIONAL { ?p :workAt/:name ?wn } OPTIONAL { ?p :studyAt/:name ?un } }',
    "optional-latest": "SELECT ?p (MAX(?d) AS ?last) { ?p a :Person OPTIONAL { ?m :hasCreator ?p ; :creationDate ?d } } GROUP BY ?p ORDER BY DESC(?last) LIMIT 50",
    "regex-name-case": 'SELECT ?t ?n { ?t a :Tag ; :name ?n FILTER(REGEX(?n, "^the_.*war", "i")) } ORDER BY ?n',
    "regex-group": 'SELECT ?l (COUNT(*) AS ?c) { ?p a :Person ; :lastName ?n BIND(UCASE(SUBSTR(?n,1,1)) AS ?l) FILTER(REGEX(?n, "[aeiou]$")) } GROUP BY ?l ORDER BY ?l',
    "group-concat-tags": 'SELECT ?p (GROUP_CONCAT(DISTINCT ?n; separator=", ") AS ?tags) { ?p a :Person ; :hasInterest/:name ?n } GROUP BY ?p',
    "group-concat-languages": 'SELECT ?l (COUNT(*) AS ?c) { SELECT ?p (GROUP_CONCAT(?x; separator=";") AS ?l) { { SELECT ?p ?x { ?p a :Person ; :language ?x } ORDER BY ?p ?x } } GROUP BY ?p } GROUP BY ?l',
    "path-both-open": "SELECT (COUNT(*) AS ?n) { ?a :isPartOf+ ?b }",
    "path-both-open-star": "SELECT (COUNT(*) AS ?n) { ?a :isSubclassOf* ?b . ?b :name ?x }",
    "path-both-open-reply": "SELECT (COUNT(*) AS ?n) { ?a :replyOf+ ?b . ?b a :Post }",
    "path-alternatives": "SELECT ?x (COUNT(*) AS ?n) { ?p a :Person . ?p (:studyAt|:workAt)/:isLocatedIn/:isPartOf* ?x } GROUP BY ?x ORDER BY DESC(?n) ?x",
    "path-inverse": "SELECT (COUNT(DISTINCT ?q) AS ?n) { person:910 ^:hasCreator/^:replyOf/:hasCreator ?q }",
    "path-negated": "SELECT ?y (COUNT(*) AS ?n) { person:910 !(:knows|:likes) ?y } GROUP BY ?y ORDER BY ?y LIMIT 5",
    "path-negated-open": "SELECT (COUNT(*) AS ?n) { ?x !(:knows|:likes|rdf:type) ?y . ?x a :Person }",
    "path-undirected": "SELECT (COUNT(DISTINCT ?b) AS ?n) { person:910 (:knows|^:knows)/(:knows|^:knows) ?b }",
    "path-type-class": "SELECT ?c (COUNT(*) AS ?n) { ?t a :Tag ; :hasType/:isSubclassOf* ?c } GROUP BY ?c ORDER BY DESC(?n) ?c",
    "values-1000": "SELECT (COUNT(*) AS ?n) { VALUES ?p { {persons} } ?p :knows ?q . ?q :firstName ?f }",
    "values-1000-rows": "SELECT ?p ?f ?l ?b { VALUES ?p { {persons} } ?p :firstName ?f ; :lastName ?l OPTIONAL { ?p :birthday ?b } }",
    "values-1000-filter-in": "SELECT (COUNT(*) AS ?n) { ?m :hasCreator ?p FILTER(?p IN ({persons_in})) }",
    "values-1000-pairs": "SELECT ?k (COUNT(*) AS ?n) { VALUES (?p ?k) { {pairs} } ?p :hasInterest ?t } GROUP BY ?k ORDER BY ?k",
    "values-1000-ids": "SELECT (COUNT(*) AS ?n) { VALUES ?id { {ids} } ?m a :Comment ; :id ?id ; :length ?l }",
    "values-undef": 'SELECT ?f ?l (COUNT(*) AS ?n) { VALUES (?f ?l) { ("Jan" UNDEF) (UNDEF "Khan") ("Jun" "Li") } ?p a :Person ; :firstName ?f ; :lastName ?l } GROUP BY ?f ?l ORDER BY ?f ?l',
    "minus-interest": "SELECT (COUNT(*) AS ?n) { ?p :hasInterest ?t MINUS { ?p :isLocatedIn ?c . ?m :hasCreator ?p ; :hasTag ?t } }",
    "minus-forum": "SELECT ?f { ?f a :Forum MINUS { ?f :containerOf ?m } MINUS { ?f :hasTag ?t } } ORDER BY ?f LIMIT 20",
    "not-exists-nested": "SELECT (COUNT(*) AS ?n) { ?p a :Person FILTER NOT EXISTS { ?p :knows ?q FILTER NOT EXISTS { ?q :workAt ?w } } }",
    "exists-filter-outer": "SELECT (COUNT(*) AS ?n) { ?m a :Post ; :length ?l FILTER(?l > 100) FILTER EXISTS { ?c :replyOf ?m ; :length ?k FILTER(?k > ?l) } }",
    "nested-aggregates": "SELECT ?country (AVG(?n) AS ?avg) (MAX(?n) AS ?max) { ?p :isLocatedIn/:isPartOf ?country { SELECT ?p (COUNT(?m) AS ?n) { ?m :hasCreator ?p ; a :Post } GROUP BY ?p } } GROUP BY ?country ORDER BY DESC(?avg) ?country",
    "nested-above-average": "SELECT (COUNT(*) AS ?c) { { SELECT (AVG(?l) AS ?avg) { ?m a :Post ; :length ?l } } ?x a :Comment ; :length ?y FILTER(?y > ?avg) }",
    "nested-top-per-group": "SELECT ?b ?p ?n { { SELECT ?b (MAX(?c) AS ?n) { { SELECT ?b ?p (COUNT(*) AS ?c) { ?m :hasCreator ?p ; :browserUsed ?b } GROUP BY ?b ?p } } GROUP BY ?b } { SELECT ?b ?p (COUNT(*) AS ?n) { ?m :hasCreator ?p ; :browserUsed ?b } GROUP BY ?b ?p } }",
    "having-order": "SELECT ?t (COUNT(DISTINCT ?p) AS ?n) { ?m :hasTag ?t ; :hasCreator ?p } GROUP BY ?t HAVING(COUNT(DISTINCT ?p) > 100) ORDER BY DESC(?n) ?t",
    "order-mixed": "SELECT ?o { person:910 ?p ?o FILTER(!isBlank(?o)) } ORDER BY ?o LIMIT 30",
    "order-expression": "SELECT ?p ?l { ?p a :Person ; :lastName ?l } ORDER BY STRLEN(?l) DESC(?l) ?p LIMIT 100",
    "order-offset": "SELECT ?m ?d { ?m a :Comment ; :creationDate ?d } ORDER BY DESC(?d) ?m LIMIT 10 OFFSET 10000",
    "order-many": "SELECT ?p ?f ?l { ?p a :Person ; :firstName ?f ; :lastName ?l ; :birthday ?b } ORDER BY ?f ?l DESC(?b) ?p",
    "construct-friends": "CONSTRUCT { ?p :friendName ?n . ?p :lives ?c } WHERE { ?p :knows/:firstName ?n ; :isLocatedIn ?c }",
    "construct-bnode": "CONSTRUCT { [] :of ?p ; :count ?n } WHERE { SELECT ?p (COUNT(*) AS ?n) { ?p a :Person ; :likes ?m } GROUP BY ?p }",
    "construct-where": "CONSTRUCT WHERE { ?f a :Forum ; :hasModerator ?p ; :title ?t }",
    "describe-one": "DESCRIBE person:910",
    "describe-some": "DESCRIBE ?t { ?t a :TagClass }",
    "describe-posts": "DESCRIBE ?m { ?m :hasCreator person:910 }",
    "federated-like": 'SELECT ?n (COUNT(?m) AS ?k) { { SELECT DISTINCT ?p { ?p :workAt ?w . ?w :isLocatedIn ?c . ?c :name "Germany" } } { SELECT ?p ?n { ?p a :Person ; :lastName ?n } } ?m :hasCreator ?p } GROUP BY ?n ORDER BY DESC(?k) ?n LIMIT 10',
    "spo-filter-p": "SELECT ?s ?o { ?s ?p ?o FILTER(?p = :hasModerator) }",
    "spo-filter-p-in": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?p IN (:knows, :studyAt, :name, :length)) } GROUP BY ?p",
    "spo-filter-p-prefix": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(STRSTARTS(STR(?p), STR(:has))) } GROUP BY ?p",
    "spo-filter-p-regex": 'SELECT DISTINCT ?p { ?s ?p ?o FILTER(REGEX(STR(?p), "name", "i")) }',
    "spo-filter-o-literal": 'SELECT ?s ?p { ?s ?p ?o FILTER(isLiteral(?o) && STR(?o) = "Germany") }',
    "spo-filter-o-contains": 'SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isLiteral(?o) && CONTAINS(STR(?o), "Napoleon")) } GROUP BY ?p',
    "spo-limit": "SELECT * { ?s ?p ?o } LIMIT 1000",
    "spo-not-type": "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?p != rdf:type) }",
    "spo-of-class": "SELECT ?p (COUNT(*) AS ?n) (COUNT(DISTINCT ?o) AS ?d) { ?s a :Person ; ?p ?o } GROUP BY ?p",
    "spo-datatypes": "SELECT ?p ?t (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isLiteral(?o)) } GROUP BY ?p (DATATYPE(?o) AS ?t)",
    "class-to-class": "SELECT ?a ?p ?b (COUNT(*) AS ?n) { ?x ?p ?y . ?x a ?a . ?y a ?b } GROUP BY ?a ?p ?b",
    "class-predicates": "SELECT ?c ?p (COUNT(DISTINCT ?s) AS ?n) { ?s a ?c ; ?p ?o } GROUP BY ?c ?p",
    "distinct-predicates": "SELECT DISTINCT ?p { ?s ?p ?o }",
    "distinct-classes": "SELECT DISTINCT ?c { ?s a ?c }",
    "distinct-subjects": "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }",
    "distinct-objects": "SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o }",
    "distinct-subjects-of": "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s :likes ?o }",
    "distinct-subjects-by-predicate": "SELECT ?p (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o } GROUP BY ?p",
    "distinct-objects-by-predicate": "SELECT ?p (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o } GROUP BY ?p",
    "in-degree": "SELECT ?o (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isIRI(?o)) } GROUP BY ?o ORDER BY DESC(?n) ?o LIMIT 10",
    "out-degree": "SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s ORDER BY DESC(?n) ?s LIMIT 10",
    "two-predicates-unknown": "SELECT ?p ?q { person:910 ?p ?x . ?x ?q person:933 }",
    "connections": "SELECT DISTINCT ?p ?x { { person:910 ?p ?x . person:933 ?p ?x } }",
    "shared-literals": "SELECT ?v (COUNT(DISTINCT ?t) AS ?n) { ?x a ?t ; :name ?v } GROUP BY ?v HAVING(COUNT(DISTINCT ?t) > 2) ORDER BY DESC(?n) ?v LIMIT 20",
    "union-of-three": 'SELECT ?k (COUNT(*) AS ?n) { { ?p :knows ?q BIND("k" AS ?k) } UNION { ?p :likes ?m BIND("l" AS ?k) } UNION { ?m :hasCreator ?p BIND("c" AS ?k) } } GROUP BY ?k',
    "union-label": 'SELECT ?x ?l { { ?x a :Tag ; :name ?l } UNION { ?x a :Forum ; :title ?l } FILTER(CONTAINS(?l, "Mozart")) }',
    "bind-if": 'SELECT ?k (COUNT(*) AS ?n) { ?m a :Comment ; :length ?l BIND(IF(?l < 50, "short", IF(?l < 120, "middle", "long")) AS ?k) } GROUP BY ?k',
    "dates-by-month": "SELECT ?y ?m (COUNT(*) AS ?n) { ?c a :Comment ; :creationDate ?d } GROUP BY (YEAR(?d) AS ?y) (MONTH(?d) AS ?m) ORDER BY ?y ?m",
    "dates-compare": "SELECT (COUNT(*) AS ?n) { ?c :replyOf ?p ; :creationDate ?a . ?p :creationDate ?b FILTER(YEAR(?a) > YEAR(?b)) }",
    "strings-join": "SELECT (COUNT(*) AS ?n) { ?p a :Person ; :firstName ?x . ?q a :Person ; :lastName ?x }",
    "strings-starts": 'SELECT ?p { ?p a :Person ; :email ?e FILTER(STRENDS(?e, "@gmx.com") && STRSTARTS(?e, "A")) }',
    "same-place": "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?a :isLocatedIn ?c . ?b :isLocatedIn ?c }",
    "coalesce-numbers": "SELECT (SUM(COALESCE(?l, 0)) AS ?s) (AVG(?l) AS ?a) { ?m a :Message OPTIONAL { ?m :length ?l } }",
    "ask-not": "ASK { ?p a :Person FILTER NOT EXISTS { ?p :isLocatedIn ?c } }",
    "iri-strings": 'SELECT (COUNT(*) AS ?n) { ?s :knows ?o FILTER(STRAFTER(STR(?s), "Person/") < STRAFTER(STR(?o), "Person/")) }',
    "bind-iri": 'SELECT ?n { BIND(IRI(CONCAT("http://www.ldbc.eu/snb/Person/", "910")) AS ?p) ?p :knows/:firstName ?n } ORDER BY ?n',
    "count-star-distinct": "SELECT (COUNT(DISTINCT *) AS ?n) { ?p :knows ?q . ?q :isLocatedIn ?c }",
    "reduced": "SELECT REDUCED ?c { ?m :isLocatedIn ?c ; a :Post }",
}


def some(path, pattern):
    """The first terms of a file of N-Triples that a pattern finds, each once."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            term = re.match(pattern, line)
            if term:
                found[term[1]] = None
                if len(found) == ROWS:
                    break
    return list(found)


def queries(path):
    """The texts; their VALUES are from the file."""
    persons = some(path, r"(<http://www.ldbc.eu/snb/Person/\d+>) ")
    ids = some(path, r"<http://www.ldbc.eu/snb/Comment/\d+> <http://www.ldbc.eu/snb/vocabulary/id> (\S+) \.")
    pairs = " ".join(f"({person} {number % 10})" for number, person in enumerate(persons))
    values = {"persons": " ".join(persons), "persons_in": ", ".join(persons), "pairs": pairs, "ids": " ".join(ids)}
    fill = lambda text: re.sub(r"\{(persons|persons_in|pairs|ids)\}", lambda name: values[name[1]], text)  # noqa: E731
    return {name: fill(text) for name, text in QUERIES.items()}
