//! What takes long is asked of rows that an edge leaves, where few nodes have the edge: in both languages,
//! and with the same rows as where it is asked first.

use trimorph::{Config, Connection, Database, RdfOptions};

use super::sparql::sparql;

const NODES: usize = 2_000;

/// What a plan says of that which takes long.
const CALLS: [&str; 3] = ["sparql.", "toupper", "ENDS WITH"];

/// Nodes of one class, of which few have the edge `rare`, and all the edge `usual`.
fn database() -> Database {
    let db = Database::in_memory(Config::default());
    let node = |n: usize| {
        let rare = if n.is_multiple_of(40) { format!(" ; :rare :n{}", n / 40 * 3) } else { String::new() };
        format!(":n{n} a :C ; :name \"Name {n}\" ; :usual :n{}{rare} .", n * 7 % NODES)
    };
    let text: Vec<String> = (0..NODES).map(node).collect();
    let text = format!("PREFIX : <trimorph:> {}", text.join("\n"));
    db.connect().load_rdf_text(text.as_bytes(), &RdfOptions::new().format("turtle")).unwrap();
    db
}

/// The lines of a plan that an edge is followed in, and those of filters that call a function, in order.
fn order(connection: &Connection, text: &str, lang: &str) -> Vec<&'static str> {
    let text = format!("EXPLAIN {text}");
    let result = match lang {
        "sparql" => connection.sparql(&text).unwrap(),
        _ => connection.query(&text, &[]).unwrap(),
    };
    let plan = result.plan();
    let kind = |line: &str| {
        let is_edge = line.contains("Extend");
        let is_long = line.contains("Filter") && CALLS.iter().any(|call| line.contains(call));
        if is_edge { Some("edge") } else { is_long.then_some("filter") }
    };
    plan.lines().filter_map(kind).collect()
}

#[test]
fn behind_an_edge_that_few_have() {
    let db = database();
    let connection = db.connect();
    for condition in ["isIRI(?a)", "STRLEN(STR(?a)) > 12", "REGEX(?n, '7$')", "STRENDS(?n, '0')"] {
        let text = |edge: &str| {
            format!("PREFIX : <trimorph:> SELECT ?a ?b {{ ?a :{edge} ?b ; :name ?n FILTER({condition}) }}")
        };
        let plan = order(&connection, &text("rare"), "sparql");
        assert_eq!(plan.first(), Some(&"filter"), "the top of the plan comes first: {condition} {plan:?}");
        // All nodes have this one: it leaves no fewer.
        let plan = order(&connection, &text("usual"), "sparql");
        assert_eq!(plan.last(), Some(&"filter"), "{condition} {plan:?}");
        // The same rows as of all names that pass.
        let all = format!(
            "PREFIX : <trimorph:> SELECT ?a ?b {{ {{ SELECT ?a {{ ?a :name ?n FILTER({condition}) }} LIMIT 100000 }} ?a :rare ?b }}"
        );
        assert_eq!(sparql(&connection, &text("rare")), sparql(&connection, &all), "{condition}");
    }
    let cypher = "MATCH (a)-[:rare]->(b) WHERE toUpper(a.name) ENDS WITH '0' RETURN a, b";
    assert_eq!(order(&connection, cypher, "cypher").first(), Some(&"filter"));
}
