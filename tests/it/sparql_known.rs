//! SPARQL where much is given: both ends of a statement, or names that may be those of graphs. What is left
//! out unread gives the same as if it were read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use trimorph::{CancelToken, Config, Connection, Database, RdfOptions};
use trimorph_base::Random;

use super::sparql::sparql;

fn loaded(format: &str, text: &str) -> (Database, Connection) {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    connection.load_rdf_text(text.as_bytes(), &RdfOptions::new().format(format)).unwrap();
    (db, connection)
}

/// Objects of all types that columns have, each in two forms where there are two, nodes and classes.
const OBJECTS: &[&str] = &[
    "1",
    "\"01\"^^xsd:integer",
    "1.5",
    "1.50",
    "2.0",
    "2",
    "1.0e0",
    "1e0",
    "true",
    "\"1\"^^xsd:boolean",
    "\"a\"",
    "\"b\"",
    "\"a\"@en",
    "\"a\"@de",
    "\"2020-01-01\"^^xsd:date",
    "\"2020-01-01Z\"^^xsd:date",
    "\"2020-01-01T00:00:00\"^^xsd:dateTime",
    "\"2020-01-01T00:00:00Z\"^^xsd:dateTime",
    "\"2020-01-01T01:00:00+01:00\"^^xsd:dateTime",
    "\"PT1H\"^^xsd:dayTimeDuration",
    "\"10:00:00\"^^xsd:time",
    "\"x\"^^:own",
    ":n0",
    ":n1",
    ":C0",
];

/// The predicates between each subject and object, two at a time, and what says the same by itself: pairs of
/// statements that have both.
#[test]
fn predicates_of_one_pair() {
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let mut turtle =
            String::from("PREFIX : <trimorph:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n");
        for node in 0..60 {
            let class = random.below(3);
            writeln!(turtle, ":n{node} a :C{class} .").unwrap();
            for predicate in 0..8 {
                // A predicate has objects of one type as a rule, so that columns are of types.
                for _ in 0..random.below(3) {
                    let object = match random.below(4) {
                        0 => random.below(OBJECTS.len()),
                        _ => (predicate * 3 + random.below(3)) % OBJECTS.len(),
                    };
                    writeln!(turtle, ":n{node} :p{predicate} {} .", OBJECTS[object]).unwrap();
                }
            }
        }
        let (_db, connection) = loaded("turtle", &turtle);
        let also = ["INSERT DATA { :n1 :p0 1 ; :p1 1 ; :p9 :n1 , 1 . :n0 a :C0 ; :type :C0 }", ""];
        for update in also {
            let mut between: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for line in
                sparql(&connection, "SELECT ?p ?s ?o (LANG(?o) AS ?l) (DATATYPE(?o) AS ?d) { ?s ?p ?o }")
            {
                let (predicate, pair) = line.split_once(' ').unwrap();
                between.entry(pair.into()).or_default().push(predicate.into());
            }
            let mut expected: Vec<String> = Vec::new();
            for predicates in between.values() {
                for one in predicates {
                    let others = predicates.iter().filter(|other| *other != one);
                    expected.extend(others.map(|other| format!("{one} {other}")));
                }
            }
            expected.sort();
            let found = sparql(&connection, "SELECT ?p ?q { ?s ?p ?o . ?s ?q ?o FILTER(?p != ?q) }");
            assert_eq!(found, expected, "seed {seed}");
            if !update.is_empty() {
                sparql(&connection, update);
            }
        }
    }
}

fn quads() -> String {
    let mut trig = String::from("PREFIX : <trimorph:>\n");
    for node in 0..200 {
        writeln!(trig, ":n{node} :at {} ; :next :n{} .", node % 7, (node + 1) % 200).unwrap();
        writeln!(trig, ":g{} {{ :n{node} :at {node} ; :next :n{} }}", node % 5, node / 2).unwrap();
    }
    for graph in 0..5 {
        writeln!(trig, ":g{graph} :at {graph} .").unwrap();
    }
    trig
}

/// Each node may be the name of a graph; few are. Merges and updates change which ones.
#[test]
fn graphs_that_rows_name() {
    let (db, connection) = loaded("trig", &quads());
    let check = |graphs: &[(&str, usize)]| {
        let names: Vec<String> = graphs.iter().map(|(name, _)| format!("<trimorph:{name}>")).collect();
        assert_eq!(sparql(&connection, "SELECT ?g { GRAPH ?g {} }"), names);
        assert_eq!(sparql(&connection, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }"), names);
        assert_eq!(sparql(&connection, "SELECT ?g { ?g :at ?x GRAPH ?g {} }"), names);
        let counts: Vec<String> = graphs.iter().map(|(name, n)| format!("<trimorph:{name}> {n}")).collect();
        for text in [
            "SELECT ?g (COUNT(?o) AS ?n) { ?g :at ?x GRAPH ?g { ?s :at ?o } } GROUP BY ?g",
            "SELECT ?g (COUNT(?o) AS ?n) { ?g :at ?x GRAPH ?g { ?s ?p ?o FILTER(?p = :at) } } GROUP BY ?g",
            "SELECT ?g (COUNT(?o) AS ?n) { GRAPH ?g { ?s :at ?o } } GROUP BY ?g",
        ] {
            assert_eq!(sparql(&connection, text), counts, "{text}");
        }
    };
    check(&[("g0", 40), ("g1", 40), ("g2", 40), ("g3", 40), ("g4", 40)]);
    sparql(&connection, "INSERT DATA { GRAPH :n3 { :a :at 1 } GRAPH :g0 { :a :at 1 } }");
    check(&[("g0", 41), ("g1", 40), ("g2", 40), ("g3", 40), ("g4", 40), ("n3", 1)]);
    db.merge(&CancelToken::default()).unwrap();
    check(&[("g0", 41), ("g1", 40), ("g2", 40), ("g3", 40), ("g4", 40), ("n3", 1)]);
    sparql(&connection, "CLEAR GRAPH :g1");
    check(&[("g0", 41), ("g2", 40), ("g3", 40), ("g4", 40), ("n3", 1)]);
    db.merge(&CancelToken::default()).unwrap();
    check(&[("g0", 41), ("g2", 40), ("g3", 40), ("g4", 40), ("n3", 1)]);
}
