//! Statements about nodes of very many shapes, loaded into an empty database: sets of classes that are too
//! many for tables of their own, and terms without a class whose predicates are many. What is loaded answers
//! as what was inserted, when it was opened again and written to, too.

use std::fmt::Write as _;

use trimorph::{CancelToken, Connection, Database, RdfOptions};

use crate::durable::{Directory, open};

/// Sets of classes, more than get tables.
const SETS: usize = 300;
/// Nodes without a class, more than are looked at in one go, and their predicates.
const PLAIN: usize = 1_300;
const PREDICATES: usize = 60;

fn value(i: usize) -> String {
    match i % 5 {
        0 => format!("{}", i % 40),
        1 => format!("\"text {}\"", i % 40),
        2 => format!("\"20{:02}-01-01\"^^<http://www.w3.org/2001/XMLSchema#date>", i % 40),
        3 => format!("{}.5e0", i % 40),
        _ => format!("<http://plain/{}>", (i * 7) % PLAIN),
    }
}

/// Statements, one a line.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for i in 0..SETS * 3 {
        let (own, set) = (format!("<http://node/{i}>"), i % SETS);
        lines.push(format!("{own} a <http://class/{set}>"));
        if set % 3 == 0 {
            lines.push(format!("{own} a <http://class/third>"));
        }
        lines.push(format!("{own} <http://name> \"{i}\""));
        lines.push(format!("{own} <http://own/{set}> {}", value(i)));
        lines.push(format!("{own} <http://next> <http://node/{}>", (i + 1) % (SETS * 3)));
    }
    for i in 0..PLAIN {
        for part in 0..3 {
            lines.push(format!(
                "<http://plain/{i}> <http://p/{}> {}",
                (i * part) % PREDICATES,
                value(i + part)
            ));
        }
    }
    lines
}

fn rows(connection: &Connection, text: &str) -> Vec<String> {
    let asked = match text.starts_with("MATCH") {
        true => connection.query(text, &[]),
        false => connection.sparql(text),
    };
    let mut result = asked.unwrap_or_else(|error| panic!("{text}\n{error}"));
    let mut rows = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|error| panic!("{text}\n{error}")) {
        rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" "));
    }
    rows.sort();
    rows
}

fn questions() -> Vec<String> {
    let mut all: Vec<String> = [
        "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c",
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p",
        "SELECT (COUNT(*) AS ?n) { ?s a <http://class/third> ; <http://next> ?t . ?t <http://name> ?n }",
        "SELECT ?s ?p { ?s ?p 35 }",
        "SELECT ?s ?p { ?s ?p \"text 31\" }",
        "SELECT ?s ?p { ?s ?p 13.5e0 }",
        "SELECT ?s ?p { ?s ?p \"2017-01-01\"^^<http://www.w3.org/2001/XMLSchema#date> }",
        "SELECT ?s ?p { ?s ?p <http://plain/63> }",
        "SELECT ?p ?o { <http://plain/1200> ?p ?o }",
        "SELECT ?p ?o { <http://node/899> ?p ?o }",
        "SELECT ?s ?o { ?s <http://p/7> ?o }",
        "SELECT ?s { ?s <http://name> ?n FILTER NOT EXISTS { ?s a <http://class/third> } }",
        "MATCH (n) RETURN size(labels(n)) AS k, count(*)",
        "MATCH (n:`http://class/third`) RETURN count(*)",
        "MATCH (n)-[r]->(m) RETURN type(r), count(*)",
    ]
    .map(str::to_owned)
    .into();
    for set in [0, 1, 248, 249, 250, SETS - 1] {
        all.push(format!("SELECT ?s ?n {{ ?s a <http://class/{set}> ; <http://name> ?n }}"));
        all.push(format!("MATCH (n:`http://class/{set}`) RETURN n.`@id`, n.`http://name`, labels(n)"));
    }
    all
}

fn same(loaded: &Database, inserted: &Database, at: &str) {
    for question in questions() {
        let expected = rows(&inserted.connect(), &question);
        assert!(!expected.is_empty(), "{question}");
        assert_eq!(rows(&loaded.connect(), &question), expected, "{at}: {question}");
    }
}

#[test]
fn loaded_shapes_answer_as_inserted_ones() {
    let dir = Directory::new("loaded-shapes");
    let loaded = open(&dir);
    let lines = lines();
    let mut text = String::new();
    lines.iter().for_each(|line| writeln!(text, "{line} .").unwrap());
    let options = RdfOptions::new().format("turtle");
    loaded.connect().load_rdf_text(text.as_bytes(), &options).unwrap();
    // Built, not inserted: there is nothing to merge, and the rarest sets have no tables.
    let stats = loaded.stats();
    assert!(stats.node_tables.iter().map(|table| table.rows).sum::<u64>() >= (SETS * 3 + PLAIN) as u64);
    assert!(stats.node_tables.len() <= 251, "{} tables", stats.node_tables.len());
    let inserted = Database::in_memory(crate::durable::config());
    for some in lines.chunks(500) {
        inserted.connect().sparql(&format!("INSERT DATA {{ {} }}", some.join(" .\n"))).unwrap();
    }
    same(&loaded, &inserted, "loaded");
    drop(loaded);
    let loaded = open(&dir);
    same(&loaded, &inserted, "opened");
    for database in [&loaded, &inserted] {
        let connection = database.connect();
        for text in [
            "DELETE WHERE { <http://plain/1200> ?p ?o }",
            "DELETE DATA { <http://node/899> a <http://class/299> }",
            "INSERT DATA { <http://node/898> a <http://class/third> . <http://plain/3> <http://p/7> 35 ; a <http://class/1> }",
            "INSERT DATA { <http://new> a <http://class/299> ; <http://name> \"new\" ; <http://own/1> 35 }",
        ] {
            connection.sparql(text).unwrap();
        }
    }
    same_but(&loaded, &inserted, "written");
    loaded.merge(&CancelToken::default()).unwrap();
    same_but(&loaded, &inserted, "merged");
    drop(loaded);
    same_but(&open(&dir), &inserted, "merged and opened");
}

/// As [`same`], without the node that has nothing any more.
fn same_but(loaded: &Database, inserted: &Database, at: &str) {
    assert!(rows(&loaded.connect(), "SELECT ?p ?o { <http://plain/1200> ?p ?o }").is_empty());
    for question in questions().iter().filter(|question| !question.contains("plain/1200")) {
        let expected = rows(&inserted.connect(), question);
        assert_eq!(rows(&loaded.connect(), question), expected, "{at}: {question}");
    }
}
