//! Statements that create, against the graphs they should make.

use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_literal};

use crate::graphs::CreatedGraph;

/// Nodes, then edges, as text.
fn shown(statements: &[&str]) -> Result<String, String> {
    let mut graph = CreatedGraph::default();
    for statement in statements {
        graph.execute(statement).map_err(|error| error.primary)?;
    }
    let model = graph.model();
    let mut parts = Vec::new();
    for table in &model.nodes {
        for row in 0..table.rows.len() {
            let properties = format_literal(&Value::map(table.properties_of(row)), &IdsOnly);
            parts.push(format!(
                "{}:{}{properties}",
                format_literal(&table.keys[row], &IdsOnly),
                table.labels.join(":")
            ));
        }
    }
    for edges in &model.edges {
        for edge in &edges.rows {
            let [from, to] = [edge.from, edge.to].map(|id| format_literal(model.key(id), &IdsOnly));
            let properties = format_literal(&Value::map(edges.properties_of(edge)), &IdsOnly);
            parts.push(format!("{from}-{}{properties}->{to}", edges.label));
        }
    }
    Ok(parts.join(" "))
}

#[test]
fn patterns_are_made() {
    let cases: [(&[&str], &str); 9] = [
        (&["CREATE ()"], "0:{}"),
        (&["CREATE (:B:A:B {x: 1, y: null, z: [1, 'a']})"], "0:A:B{x: 1, z: [1, 'a']}"),
        (&["CREATE (a)-[:R {p: 1}]->(b)<-[:R]-(a)"], "0:{} 1:{} 0-R{p: 1}->1 0-R{}->1"),
        (
            &["CREATE (a:A), (b:B), (c:A) CREATE (c)-[:R]->(c), (b)<-[:S]-(a)"],
            "0:A{} 2:A{} 1:B{} 2-R{}->2 0-S{}->1",
        ),
        (&["CREATE (:A {x: 1}), (:A {x: 'one', y: 2.5})"], "0:A{x: 1} 1:A{x: 'one', y: 2.5}"),
        (
            &["UNWIND range(1, 2) AS i CREATE (a {x: i})-[:R {y: i * 10}]->(a)"],
            "0:{x: 1} 1:{x: 2} 0-R{y: 10}->0 1-R{y: 20}->1",
        ),
        (
            &["CREATE (:A {x: 1})", "MATCH (a:A) CREATE (a)-[:R]->(:B {x: a.x + 1})"],
            "0:A{x: 1} 1:B{x: 2} 0-R{}->1",
        ),
        (&["MATCH (a:A) CREATE (:B)"], ""),
        (&["CREATE (a {x: date('2020-02-29')})"], "0:{x: '2020-02-29'}"),
    ];
    for (statements, expected) in cases {
        assert_eq!(shown(statements).as_deref(), Ok(expected), "{statements:?}");
    }
}

#[test]
fn other_statements_are_refused() {
    for (statement, part) in [
        ("MATCH (a) DELETE a", "DELETE cannot stand"),
        ("CREATE (a) SET a.x = 1", "SET cannot stand"),
        ("CREATE (a) WITH a MATCH (b) RETURN b", "WITH cannot stand"),
        ("CREATE (a $map)", "a parameter cannot stand"),
        ("CREATE (a)-[:R]-(b)", ""),
    ] {
        let error = shown(&[statement]).expect_err(statement);
        assert!(error.contains(part), "{statement}: {error}");
    }
}
