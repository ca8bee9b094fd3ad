//! Paths of no steps, from terms that the query has found before: whether a term is one of the graph is asked
//! or known, the rows are the same. Where the pattern that found it is a sub-query with a `LIMIT` that
//! nothing reaches, nothing is known of what it gives.

use trimorph::{Config, Connection, Database, RdfOptions};

use super::sparql::sparql;

const DATA: &str = r#"PREFIX : <trimorph:>
:a a :C ; :b :c, :d ; :name "lit", "x" . :c :b :a ; :name "x"@en . :d :n 5 ; :b _:x . _:x :b :e .
GRAPH :g { :a :b :f . :f :b :g1 ; :name "in g", 5 . :e :b :e }
GRAPH :h { :h1 :b :a ; :name "lit" . :a :b :h1 }
"#;

/// What finds `?a`, perhaps, and perhaps somewhere else than where the path is asked.
const BEFORE: &[&str] = &[
    "?a :b ?x",
    "?x :b ?a",
    "?x :name ?a",
    "?x :n ?a",
    "?x ?p ?a",
    "?a ?p ?x FILTER(?p != :b)",
    "?a a :C",
    "?a a :C ; :b ?x . ?x :n ?y",
    "?x (:b/:b)* ?a",
    "?a :b* ?x . ?x :n ?y",
    "?x :b? ?y . ?y :b ?a",
    "VALUES ?a { :a :f :none 'x' 'none' 5 }",
    "BIND('none' AS ?a)",
    "?x :name ?n BIND(CONCAT(?n, '') AS ?a)",
    "OPTIONAL { ?x :name ?a }",
    "{ ?x :name ?a } UNION { BIND(:none AS ?a) }",
    "GRAPH :g { ?x :name ?a }",
    "GRAPH :g { ?x ?p ?a }",
    "GRAPH ?g { ?x ?p ?a }",
    "GRAPH ?k { ?x ?p ?a }",
    "GRAPH :h { ?x :b* ?a }",
    "?x :name ?a MINUS { ?x :n ?a }",
];

/// Where the path leads.
const PATHS: &[&str] = &[
    "?a :b* ?z",
    "?z :b* ?a",
    "?a (:b/:b)* ?z",
    "?z (:b|:name)? ?a",
    "?a (^:b)* ?z",
    "?a :none* ?z",
    "?a :b* ?a",
];

fn compare(connection: &Connection, graphs: &[&str]) {
    for before in BEFORE {
        let hidden = format!("{{ SELECT * {{ {before} }} LIMIT 100000 }}");
        for path in PATHS {
            for around in graphs {
                let ask = |first: &str| {
                    let text = format!("SELECT ?a ?z ?g {{ {first} {around} {{ {path} }} }}");
                    sparql(connection, &format!("PREFIX : <trimorph:> {text}"))
                };
                assert_eq!(ask(before), ask(&hidden), "{before} . {around} {{ {path} }}");
                // The other way about, and both in the same graph.
                let both = |first: &str| {
                    let text = format!("SELECT ?a ?z ?g {{ {around} {{ {path} . {first} }} }}");
                    sparql(connection, &format!("PREFIX : <trimorph:> {text}"))
                };
                // These take what stands before them.
                if !before.contains("BIND") && !before.starts_with("OPTIONAL") {
                    assert_eq!(both(before), both(&hidden), "{around} {{ {path} . {before} }}");
                }
            }
        }
    }
}

#[test]
fn asked_or_known() {
    let db = Database::in_memory(Config::default());
    let loaded = db.connect();
    loaded.load_rdf_text(DATA.as_bytes(), &RdfOptions::new().format("trig")).unwrap();
    compare(&loaded, &["", "GRAPH :g", "GRAPH ?g", "GRAPH :h"]);

    let db = Database::in_memory(Config::default());
    let inserted = db.connect();
    let (prefix, statements) = DATA.split_once('\n').unwrap();
    sparql(&inserted, &format!("{prefix} INSERT DATA {{ {statements} }}"));
    compare(&inserted, &["", "GRAPH :g"]);
}

/// Terms that no statement has are in no graph, whether or not the query has found others in it.
#[test]
fn terms_of_no_graph() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    sparql(
        &connection,
        "PREFIX : <trimorph:> INSERT DATA { :a :b :c ; :name 'x' . GRAPH :g { :f :name 'y' } }",
    );
    let ask = |text: &str| sparql(&connection, &format!("PREFIX : <trimorph:> SELECT ?a {{ {text} }}"));
    assert_eq!(ask("VALUES ?a { :a :none 'x' 'y' :f } ?a :b* ?z"), ["<trimorph:a>", "<trimorph:a>", "x"]);
    assert_eq!(ask("GRAPH :g { ?s :name ?a } ?a :b* ?z"), [""; 0]);
    assert_eq!(ask("GRAPH :g { ?s :name ?a . ?a :b* ?z }"), ["y"]);
    assert_eq!(ask("?s :name ?a . ?a :b* ?z"), ["x"]);
}
