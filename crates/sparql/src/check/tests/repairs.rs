//! What the standard allows, the parser refuses, and we take; and texts that would take the parser ages.

use spargebra::Query;

use crate::{Statement, parse};

#[track_caller]
fn tree(text: &str) -> String {
    match parse(text, None).unwrap_or_else(|error| panic!("{text}: {error}")).statement {
        Statement::Query(query) => query.to_string(),
        Statement::Update(update) => update.to_string(),
    }
}

#[test]
fn names_of_select_behind_it() {
    let found = tree("SELECT (COUNT(*) AS ?n) (?n + 1 AS ?m) (BOUND(?m) AS ?k) { ?s ?p ?o }");
    assert!(found.contains("COALESCE(?n) +"), "{found}");
    tree(
        "SELECT ?p (COUNT(*) AS ?n) (STR(?p) AS ?q) (CONCAT(?q, STR(?n)) AS ?m) { ?s ?p ?o } GROUP BY ?p ORDER BY ?m",
    );
    tree("ASK { { SELECT (SUM(?o) AS ?n) (?n * 2 AS ?m) { ?s ?p ?o } } FILTER(?m > 2) }");
    tree("SELECT ?k (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY (?o AS ?k) ");
    tree("SELECT ?k (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ( ( ?o ) AS ?k) ");
    assert!(parse("SELECT (?n + 1 AS ?m) (COUNT(*) AS ?n) { ?s ?p ?o }", None).is_err());
}

#[test]
fn names_of_select_in_having() {
    let raised = |text: &str| {
        let Statement::Query(query) = parse(text, None).unwrap().statement else { panic!("{text}") };
        let Query::Select { pattern, .. } = *query else { panic!("{text}") };
        format!("{pattern:?}").starts_with("Project { inner: Filter")
    };
    assert!(raised("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p HAVING(?n > 1)"));
    assert!(raised("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p HAVING(?n > 1) VALUES ?p { 1 }"));
    assert!(!raised("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p HAVING(COUNT(*) > 1)"));
}

#[test]
fn spaces_and_prologues() {
    tree("SELECT (CONCAT ('a', 'b') AS ?x) (COALESCE\n(1) AS ?y) (BNODE ( ) AS ?z) (NOW( #c\n) AS ?w) {}");
    let found = tree(
        "PREFIX a: <http://a/> INSERT DATA { a:x a:y 1 } ; PREFIX b: <http://b/> PREFIX a: <http://c/> \
         INSERT DATA { a:x b:y TRUE } ; CLEAR ALL ; PREFIX d: <http://d/> DELETE WHERE { b:x d:y ?z }",
    );
    for part in
        ["<http://a/x> <http://a/y>", "<http://c/x> <http://b/y>", "CLEAR", "<http://b/x> <http://d/y> ?z"]
    {
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn deep_calls_take_no_time() {
    for (open, close) in [
        ("REPLACE(", ", 'a', 'b')"),
        ("SUBSTR(", ", 2)"),
        ("STR(REGEX(", ", 'a'))"),
        ("!(", ")"),
        ("IF(EXISTS { BIND(", " AS ?y) }, 1, 2)"),
    ] {
        let text =
            |inner: &str| format!("SELECT (({}{inner}{}) AS ?r) {{}}", open.repeat(60), close.repeat(60));
        parse(&text("?x"), None).unwrap_or_else(|error| panic!("{open}: {error}"));
        assert!(parse(&text("?x ?"), None).is_err());
    }
}
