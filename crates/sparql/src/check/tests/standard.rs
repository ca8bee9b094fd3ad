//! What the standard takes and the parser does not, and the other way round.

use spargebra::{Query, Update};

use crate::{Statement, parse};

#[track_caller]
fn query(text: &str) -> Query {
    match parse(text, None).unwrap_or_else(|error| panic!("{text}: {error}")).statement {
        Statement::Query(query) => *query,
        Statement::Update(_) => panic!("{text} is an update"),
    }
}

#[track_caller]
fn update(text: &str) -> Update {
    match parse(text, None).unwrap_or_else(|error| panic!("{text}: {error}")).statement {
        Statement::Query(_) => panic!("{text} is a query"),
        Statement::Update(update) => update,
    }
}

/// That both texts are the same query, but for names that the parser draws.
#[track_caller]
fn same(text: &str, as_parsed: &str) {
    let shown = |text: &str| {
        let text = format!("{:?}", query(text));
        let is_drawn = |word: &&str| word.len() > 20 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let ids = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !is_drawn(word) && !ids(word)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown(text), shown(as_parsed), "{text}");
}

#[track_caller]
fn refused(text: &str, covered: &str) {
    let error = parse(text, None).expect_err(text);
    let span = error.span.unwrap_or_else(|| panic!("no place: {text}: {error}"));
    assert_eq!(&text[span.start as usize..span.end as usize], covered, "{text}: {error}");
}

#[test]
fn local_names_have_points() {
    same(
        "PREFIX e: <http://e/> SELECT * { e:v1.2.3 e:a.b.c.d e:1.2.3 . e:x\\.y.z.%41 ?p e::a.b }",
        "SELECT * { <http://e/v1.2.3> <http://e/a.b.c.d> <http://e/1.2.3> . \
         <http://e/x.y.z.%41> ?p <http://e/:a.b> }",
    );
    update("PREFIX e: <http://e/> INSERT DATA { e:a.b.c e:p 1. } ; DELETE WHERE { ?s e:a.b.c ?o. }");
    same("SELECT * { ?s ?p :a.b.c. ?x ?y :z. }", "SELECT * { ?s ?p <trimorph:a.b.c> . ?x ?y :z }");
}

#[test]
fn signs_stand_at_their_numbers() {
    refused("SELECT * { ?s ?p + 5 }", "+");
    refused("SELECT * { VALUES ?x { - 5 } }", "-");
    query("SELECT (- 5 AS ?x) (- -5 AS ?y) (1 - 5 AS ?z) (1 -5 AS ?w) { ?s ?p -5, +.5e1 }");
    refused("SELECT (- - 5 AS ?x) {}", "-");
}

#[test]
fn columns_are_named_once() {
    same("SELECT ?s ?p ?s { ?s ?p ?o }", "SELECT ?s ?p { ?s ?p ?o }");
    same("SELECT (1 AS ?x) ?x {}", "SELECT (1 AS ?x) {}");
    same("SELECT DISTINCT ?s ?s { ?s ?p ?o } GROUP BY ?s", "SELECT DISTINCT ?s { ?s ?p ?o } GROUP BY ?s");
    query("DESCRIBE ?s ?s { ?s ?p ?o }");
    refused("SELECT ?x (1 AS ?x) {}", "?x");
}

#[test]
fn paths() {
    same("SELECT * { ?s !() ?o }", "SELECT * { ?s (a|!a) ?o }");
    same("SELECT * { ?s :p/! ( )/:q ?o }", "SELECT * { ?s :p/(a|!a)/:q ?o }");
    for (text, covered) in [
        ("SELECT * { ?s ^:p ?o ~ :r }", "~"),
        ("SELECT * { ?s ^:p ?o {| :q 1 |} }", "{"),
        ("SELECT * { ?s (:p) ?o {| :q 1 |} }", "{"),
    ] {
        refused(text, covered);
    }
    query("SELECT * { ?x ^:p ?y . ?s a ?o {| :q/:r ?z |} . ?s ?p ?o ~ . ?s :p ?o ~:r , ?u ~ ?v }");
}

#[test]
fn groups_in_queries_that_do_not_select() {
    same(
        "ASK { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1)",
        "ASK { { SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1) } }",
    );
    same(
        "CONSTRUCT { ?s :n ?s } WHERE { ?s ?p ?o } GROUP BY ?s (STR(?p) AS ?q) LIMIT 2 # end",
        "CONSTRUCT { ?s :n ?s } WHERE { { SELECT ?q ?s { ?s ?p ?o } GROUP BY ?s (STR(?p) AS ?q) LIMIT 2 } }",
    );
    same(
        "CONSTRUCT WHERE { ?s :a.b.c ?o } GROUP BY ?s ?o",
        "CONSTRUCT { ?s :a.b.c ?o } WHERE { { SELECT ?o ?s { ?s :a.b.c ?o } GROUP BY ?s ?o } }",
    );
    same("ASK {} HAVING (COUNT(*) = 1)", "ASK { { SELECT (1 AS ?group) {} HAVING (COUNT(*) = 1) } }");
    query("DESCRIBE ?s FROM <g> WHERE { ?s ?p ?o } GROUP BY ?s ORDER BY COUNT(*) LIMIT 1 VALUES ?s { :a }");
    query("DESCRIBE * { ?s ?p ?o } GROUP BY ?s");
    refused("DESCRIBE ?o { ?s ?p ?o } GROUP BY ?s", "?o");
}

#[test]
fn what_groups_do_not_have_is_a_sample() {
    same(
        "SELECT ?s { ?s :p ?o } GROUP BY ?s HAVING (?o > 2) ORDER BY ?o DESC(STR(?o))",
        "SELECT ?s { ?s :p ?o } GROUP BY ?s HAVING (SAMPLE(?o) > 2) ORDER BY SAMPLE(?o) DESC(STR(SAMPLE(?o)))",
    );
    let alias = query("SELECT ?s (COUNT(*) AS ?o) { ?s :p ?o } GROUP BY ?s ORDER BY ?o ?s");
    assert!(!format!("{alias:?}").contains("Sample"));
    // The parser forgets the name.
    same(
        "SELECT (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY (?o AS ?k) ORDER BY ?k",
        "SELECT (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY (COALESCE(?o) AS ?k) ORDER BY ?k",
    );
    refused("SELECT (COALESCE(?o, 1) AS ?n) { ?s :p ?o } GROUP BY ?s", "?o");
    refused("SELECT (BOUND(?o) AS ?n) { ?s :p ?o } GROUP BY ?s", "?o");
    query("SELECT (COALESCE(?nowhere, ?s, SAMPLE(?o)) AS ?n) { ?s :p ?o } GROUP BY ?s");
}

#[test]
fn aggregates_stand_where_groups_are_there() {
    for (text, covered) in [
        ("SELECT (COUNT(COUNT(?x)) AS ?c) {}", "COUNT"),
        ("SELECT (SUM(?x + MAX(?y)) AS ?c) {}", "MAX"),
        ("SELECT (1 AS ?c) { FILTER(COUNT(?x) > 1) }", "COUNT"),
        ("SELECT (1 AS ?c) { BIND(SUM(?x) AS ?y) }", "SUM"),
        ("SELECT (1 AS ?c) { ?s ?p ?o } GROUP BY COUNT(?s)", "COUNT"),
        ("SELECT (1 AS ?c) { ?s ?p ?o } GROUP BY (MIN(?s) AS ?m)", "MIN"),
        ("SELECT (EXISTS { FILTER(AVG(?x) > 1) } AS ?c) {}", "AVG"),
        ("INSERT { :a :b ?c } WHERE { FILTER(COUNT(?c) > 1) }", "COUNT"),
    ] {
        refused(text, covered);
    }
    query("SELECT (SUM(EXISTS { { SELECT (MAX(?y) AS ?m) {} } }) AS ?c) { ?s ?p ?x } HAVING (COUNT(*) > 1)");
}

#[test]
fn blank_nodes_belong_to_one_basic_graph_pattern() {
    refused("SELECT * { _:a :p ?x BIND(1 AS ?z) _:a :q ?y }", "_:a");
    refused("SELECT * { _:a :p ?x VALUES ?z { 1 } _:a :q ?y }", "_:a");
    refused("SELECT * { _:a :p ?x FILTER EXISTS { _:a :q ?y } }", "_:a");
    refused("INSERT {} WHERE { _:a :p 1 } ; INSERT {} WHERE { _:a :p 2 }", "_:a");
    update("INSERT { _:a :p 1 } WHERE {} ; INSERT { _:a :p 1 } WHERE {} ; INSERT DATA { _:a :p 1 }");
    // A filter ends none.
    same(
        "SELECT * { _:a :p ?x FILTER NOT EXISTS { ?x :a.b.c ?y FILTER(?x > 1) } _:a :q ?z . FILTER(?z > 1) }",
        "SELECT * { _:a :p ?x FILTER(true) _:a :q ?z . FILTER(?z > 1) \
         FILTER NOT EXISTS { ?x :a.b.c ?y FILTER(?x > 1) } }",
    );
    query(
        "SELECT * { _:a :p ?x . FILTER(?x > 1 && EXISTS { _:b :p ?x FILTER EXISTS { ?x :q 1 } _:b :r 2 }) _:a :q 3 }",
    );
}

#[test]
fn updates() {
    refused(";", ";");
    refused("INSERT DATA { :a :b :c :d :e :f }", ":d");
    refused("DELETE WHERE { ?a :b ?c ?d :e ?f }", "?d");
    refused("INSERT DATA { GRAPH :g { :a :b :c } :d :e :f :g :h :i }", ":g");
    refused("INSERT DATA { GRAPH ?g { } }", "?g");
    update("INSERT DATA { :a :b :c . GRAPH :g { :d :e :f } :x :y :z . GRAPH :h {} . :u :v :w }");
    update("");
    update("PREFIX e: <http://e/> CLEAR ALL ;");
}

#[test]
fn triple_terms_of_expressions() {
    refused("SELECT (<<( \"x\" :b :c )>> AS ?t) {}", "\"x\"");
    refused("SELECT (<<( <<( :a :b :c )>> :b :c )>> AS ?t) {}", "<");
    query("SELECT (<<( ?a a <<( :a ?b 1 )>> )>> AS ?t) { VALUES ?a { <<( :a a \"x\"@en--ltr )>> } }");
}
