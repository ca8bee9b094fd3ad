//! Statements that are found once and joined with the rows that ask for them, and the same looked for row by
//! row: a `LIMIT` that nothing reaches may end early, so that nothing is found ahead below it.

use std::fmt::Write as _;

use trimorph::{Config, Connection, Database};
use trimorph_base::Random;

use super::sparql::sparql;

/// Objects besides nodes: terms that differ though they have one value, and classes.
const OBJECTS: &[&str] =
    &["1", "1.0", "1e0", "\"01\"^^xsd:integer", "\"1\"", "\"1\"@en", "true", ":C0", ":nobody"];

fn loaded(random: &mut Random) -> Database {
    let mut turtle = String::from("PREFIX : <trimorph:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n");
    for node in 0..50 {
        writeln!(turtle, ":n{node} a :C{} .", random.below(3)).unwrap();
        for predicate in 0..5 {
            for _ in 0..random.below(4) {
                match random.below(3) {
                    0 => {
                        writeln!(turtle, ":n{node} :p{predicate} {} .", OBJECTS[random.below(OBJECTS.len())])
                    }
                    _ => writeln!(turtle, ":n{node} :p{predicate} :n{} .", random.below(50)),
                }
                .unwrap();
            }
        }
        // Edges that are nothing else: part of the query graph.
        writeln!(turtle, ":n{node} :edge :n{} , :n{} .", random.below(20), random.below(50)).unwrap();
    }
    // What relationships say, and graphs.
    for node in 0..30 {
        writeln!(turtle, ":n{node} :edge :n1 {{| :p0 :n{} ; :p1 1 |}} .", random.below(50)).unwrap();
    }
    let db = Database::in_memory(Config::default());
    let options = trimorph::RdfOptions::new().format("turtle");
    db.connect().load_rdf_text(turtle.as_bytes(), &options).unwrap();
    let both = "INSERT { GRAPH ?g { ?s ?p ?o } } WHERE { VALUES ?g { :g0 :g1 } ?s ?p ?o FILTER(?p = :p1 || ?p = :p2) }";
    db.connect().sparql(both).unwrap();
    db
}

const PATTERNS: &[&str] = &[
    "?x ?p ?y . ?x ?q ?y FILTER(?p != ?q)",
    "?x ?p ?y . ?x ?q ?y",
    "?x ?p ?y . ?y ?r ?z . ?x ?q ?y",
    "GRAPH ?g { ?x ?p ?y . ?x ?q ?y }",
    "GRAPH ?g { ?x ?p ?y } ?x ?q ?y",
    "?x a :C0 . ?y a :C1 FILTER NOT EXISTS { ?x :p1 ?z . ?z :p2 ?y }",
    "?x a :C0 . ?y a :C1 FILTER EXISTS { ?x :p1 ?z . ?z :p2 ?y }",
    "?x a :C0 . ?y a :C1 FILTER EXISTS { ?z :p1 ?x ; :edge ?y }",
    "?x a :C0 . ?y a :C1 FILTER NOT EXISTS { ?x :p1 ?z . ?z :edge ?y }",
    "?x a :C0 . ?y a :C1 FILTER NOT EXISTS { ?z :p1 ?x ; :edge ?y }",
    "?x :p0 ?v . ?y :p1 ?w FILTER EXISTS { ?x :p2 ?z . ?y :p3 ?z }",
    "?x :p0 ?v . ?y :p1 ?w FILTER NOT EXISTS { ?z :p2 ?v ; :p3 ?w }",
    "?x :p0 ?v . ?y :p1 ?w FILTER EXISTS { ?z ?p ?v ; ?q ?w FILTER(?p != ?q) }",
    "?x :p0 ?v . ?y :p1 ?w FILTER EXISTS { ?z :p2 ?v ; :p3 ?w FILTER(?v != ?w) }",
    "?x :p0 ?v . ?y :p1 ?w FILTER EXISTS { ?z :p2 ?v , ?u FILTER(?u = ?w) }",
    "?x :p0 ?v . ?y :p1 ?w FILTER(EXISTS { ?z :p2 ?v ; :p3 ?w } || ?v = ?w)",
    "?x :p0 ?v . ?y :p1 ?w FILTER EXISTS { GRAPH ?g { ?z :p1 ?v ; :p2 ?w } }",
    "?x :p0 ?v OPTIONAL { ?v :p1 ?w } FILTER NOT EXISTS { ?z :p2 ?v ; :p3 ?w }",
    "VALUES ?v { 1 1.0 :n1 :nobody :unknown } ?x a :C0 FILTER EXISTS { ?z :p2 ?v ; :p3 ?x }",
    "?x a :C0 FILTER NOT EXISTS { ?y a :C1 FILTER NOT EXISTS { ?z :p1 ?x ; :p2 ?y } }",
    "?x a :C0 FILTER NOT EXISTS { ?y a :C1 FILTER EXISTS { ?z :p1 ?x ; :edge ?y } }",
    "?x a :C0 . ?y a :C1 FILTER NOT EXISTS { ?x :p1 ?y }",
    "?x :p0 ?v . ?y a :C1 FILTER(EXISTS { ?y :p1 ?v } || EXISTS { ?y :p2 ?v } && !EXISTS { ?y :p1 ?x })",
    "?x :p0 ?v . ?y :p1 ?v . ?x :edge ?y",
    "?x :p0 ?v . ?y :p1 ?v FILTER(?x != ?y)",
    "GRAPH ?g { ?x :p1 ?v . ?y :p2 ?v }",
    "GRAPH ?g { ?x :p1 ?v } ?y :p2 ?v",
    "?x :p0 ?v OPTIONAL { ?y :p1 ?v }",
    "?x :edge ?z . ?y :edge ?z . ?x :p1 ?y",
    "?x :edge ?z . ?y :edge ?z . ?x :p1 ?y . ?y :p2 ?x",
];

#[test]
fn found_once_or_row_by_row() {
    for seed in 0..2 {
        let db = loaded(&mut Random::new(seed));
        let connection = db.connect();
        for pattern in PATTERNS {
            let text = format!("SELECT * {{ {pattern} }}");
            let expected = sparql(&connection, &format!("{text} LIMIT 1000000"));
            assert_eq!(sparql(&connection, &text), expected, "{text}, seed {seed}");
        }
    }
}

fn plan(connection: &Connection, text: &str) -> String {
    connection.sparql(&format!("EXPLAIN {text}")).unwrap().plan()
}

/// Who asks many rows joins; who asks few, or may stop, looks each up.
#[test]
fn many_rows_are_joined() {
    let db = loaded(&mut Random::new(1));
    let connection = db.connect();
    let joined = [
        "SELECT * { ?x ?p ?y . ?x ?q ?y FILTER(?p != ?q) }",
        "SELECT * { ?x a :C0 . ?y a :C1 FILTER NOT EXISTS { ?z :p1 ?x ; :p2 ?y } }",
        "SELECT * { ?x :edge ?z . ?y :edge ?w FILTER NOT EXISTS { ?x :p1 ?y } }",
        "SELECT * { ?x :p0 ?v . ?y :p1 ?v }",
        "SELECT * { ?x :edge ?u . ?y :edge ?w FILTER NOT EXISTS { ?x :p1 ?z . ?z :edge ?y } }",
    ];
    for text in joined {
        assert!(plan(&connection, text).contains("HashJoin"), "{text}\n{}", plan(&connection, text));
    }
    let looked_up = [
        "SELECT * { ?x ?p ?y . ?x ?q ?y FILTER(?p != ?q) } LIMIT 3",
        "SELECT * { ?x ?p ?y . ?y ?q ?x }",
        "SELECT * { BIND(:n1 AS ?x) ?x ?p ?y . ?x ?q ?y }",
        // All pairs of subjects of one object would be found.
        "SELECT * { ?x a :C0 . ?y a :C1 FILTER NOT EXISTS { ?x :p1 ?z . ?y :p2 ?z } }",
    ];
    for text in looked_up {
        assert!(!plan(&connection, text).contains("HashJoin"), "{text}\n{}", plan(&connection, text));
    }
    // Two nodes that lead to one are not paired before it is asked which of them statements join.
    let text = "SELECT * { ?x :edge ?z . ?y :edge ?z . ?x :p1 ?y }";
    let steps = plan(&connection, text);
    let places = ["Statements", "Extend"].map(|step| steps.rfind(step).unwrap_or(0));
    assert!(places[0] > places[1], "{steps}");
}
