//! Who asks whether there is a statement, or wants a few, waits for few; and triple patterns that a condition
//! or `VALUES` stands between are planned as those that stand together.

use trimorph::{Config, Connection, Database, RdfOptions};

use super::sparql::sparql;

const NODES: usize = 5_000;

fn database() -> Database {
    let db = Database::in_memory(Config::default());
    let node = |n: usize| {
        let value = if n.is_multiple_of(2) { format!("{n}") } else { format!("\"{n}\"") };
        format!(":n{n} a :C ; :mixed {value} ; :next :n{} ; :name \"Name {}\"@en .", n * 7 % NODES, n % 50)
    };
    let text: Vec<String> = (0..NODES).map(node).collect();
    let text = format!("PREFIX : <trimorph:> {}", text.join("\n"));
    db.connect().load_rdf_text(text.as_bytes(), &RdfOptions::new().format("turtle")).unwrap();
    db
}

fn plan(connection: &Connection, how: &str, text: &str) -> String {
    let mut result = connection.sparql(&format!("{how} PREFIX : <trimorph:> {text}")).unwrap();
    while result.next_row().unwrap().is_some() {}
    result.plan()
}

/// The rows that the operators of a profile have made which read statements: the number before each of them.
fn statements_made(profile: &str) -> Vec<u64> {
    let lines = profile.lines().filter(|line| line.contains("Statements "));
    let number = |line: &str| {
        let digits: String = line.trim_start().chars().take_while(|c| *c != ' ' && *c != '~').collect();
        digits.replace(',', "").parse().ok()
    };
    lines.filter_map(number).collect()
}

#[test]
fn few_are_made_where_few_are_wanted() {
    let db = database();
    let connection = db.connect();
    for text in [
        "ASK { ?s ?p ?o . ?o ?q ?z }",
        "ASK { ?s a :C ; ?p ?o . ?s ?q ?o }",
        "SELECT * { ?s ?p ?o } LIMIT 3",
        "SELECT * { ?s :mixed ?o } LIMIT 3",
        "SELECT * { ?s ?p ?o FILTER EXISTS { ?s ?q ?o } } LIMIT 5",
    ] {
        let profile = plan(&connection, "PROFILE", text);
        let made = statements_made(&profile);
        assert!(!made.is_empty() && made.iter().all(|rows| *rows <= 200), "{text} {made:?}\n{profile}");
    }
    // All are made where all are wanted, each once, however many are handed out at first.
    let count = |text: &str| sparql(&connection, &format!("PREFIX : <trimorph:> {text}"));
    assert_eq!(count("SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?o) AS ?k) { ?s :mixed ?o }"), ["5000 5000"]);
    assert_eq!(count("SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(STR(?p) != 'x') }"), ["20000"]);
    assert_eq!(count("SELECT (COUNT(?o) AS ?n) { ?s a :C ; ?p ?o FILTER(STR(?o) != 'x') }"), ["20000"]);
}

#[test]
fn what_stands_between_does_not_part_patterns() {
    let db = database();
    let connection = db.connect();
    for (apart, together) in [
        (
            "SELECT * { ?s ?p ?o FILTER(?p != :name) ?s :mixed 40 }",
            "SELECT * { ?s ?p ?o . ?s :mixed 40 FILTER(?p != :name) }",
        ),
        (
            "SELECT * { VALUES ?k { 1 2 } ?s ?p ?o FILTER(?p != :next) ?s :name 'Name 7'@en ; :mixed 7 }",
            "SELECT * { VALUES ?k { 1 2 } ?s ?p ?o . ?s :name 'Name 7'@en ; :mixed 7 FILTER(?p != :next) }",
        ),
        ("SELECT * { ?s ?p ?o { ?s :mixed 40 } }", "SELECT * { ?s ?p ?o . ?s :mixed 40 }"),
    ] {
        assert_eq!(plan(&connection, "EXPLAIN", apart), plan(&connection, "EXPLAIN", together), "{apart}");
        let rows = |text: &str| sparql(&connection, &format!("PREFIX : <trimorph:> {text}"));
        assert_eq!(rows(apart), rows(together), "{apart}");
    }
}
