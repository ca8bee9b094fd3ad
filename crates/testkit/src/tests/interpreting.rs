//! The interpreter against answers worked out by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_algebra::{BoundQuery, LabelExpr, NodeScan, Plan, Vars};
use trimorph_base::{Diagnostic, NodeId, TableId};
use trimorph_functions::Clock;
use trimorph_types::{LogicalType, Value};

use crate::compare::row_text;
use crate::graphs::{EdgeRow, EdgeRows, LoadOptions, Model, NodeRows};
use crate::interpreter::{Graph, TOO_MANY_STEPS, run, run_on};
use crate::queries::bind;

const NOW: Clock = Clock { seconds: 0, nanos: 0 };

/// ```text
/// (1:P {age: 10}) -K-> (2:P {age: 20}) -K-> (3:P:Q) -K-> (1)      2 -K-> 2      1 -K-> 2 again
/// (1) -W-> (4:C {name: 'c'})    (3) -W-> (4)
/// ```
fn triangle() -> Model {
    let table = |labels: &[&str], property: (&str, LogicalType), first: i64, values: Vec<Value>| NodeRows {
        labels: labels.iter().map(|l| (*l).into()).collect(),
        key_space: Some(if property.0 == "name" { "c" } else { "p" }.into()),
        key_property: Some("id".into()),
        keys: (first..).take(values.len()).map(Value::Int).collect(),
        properties: vec![(property.0.into(), property.1)],
        rows: values.into_iter().map(|value| vec![value]).collect(),
    };
    let node = |id: u64| match id {
        1 | 2 => NodeId::new(TableId(0), id - 1),
        3 => NodeId::new(TableId(1), 0),
        _ => NodeId::new(TableId(2), 0),
    };
    let edges = |label: &str, to_space: &str, pairs: &[(u64, u64)]| EdgeRows {
        label: label.into(),
        from_space: "p".into(),
        to_space: to_space.into(),
        properties: vec![("n".into(), LogicalType::Int)],
        rows: pairs
            .iter()
            .enumerate()
            .map(|(n, (from, to))| EdgeRow {
                from: node(*from),
                to: node(*to),
                values: vec![Value::Int(n as i64)],
            })
            .collect(),
    };
    Model {
        nodes: vec![
            table(&["P"], ("age", LogicalType::Int), 1, vec![Value::Int(10), Value::Int(20)]),
            table(&["P", "Q"], ("age", LogicalType::Int), 3, vec![Value::Null]),
            table(&["C"], ("name", LogicalType::String), 4, vec![Value::string("c")]),
        ],
        edges: vec![
            edges("K", "p", &[(1, 2), (2, 3), (3, 1), (2, 2), (1, 2)]),
            edges("W", "c", &[(1, 4), (3, 4)]),
        ],
    }
}

fn answer(text: &str) -> Result<String, Diagnostic> {
    let snapshot = triangle().snapshot(LoadOptions::default()).unwrap();
    let parameters = BTreeMap::from([(Arc::from("two"), Value::Int(2))]);
    let rows = run(&bind(text, snapshot.catalog())?, &snapshot, &parameters, NOW)?;
    let mut rows: Vec<String> = rows.iter().map(|row| row_text(row)).collect();
    if !text.contains("ORDER BY") {
        rows.sort();
    }
    Ok(rows.join(" "))
}

fn check(text: &str, expected: &str) {
    match answer(text) {
        Ok(rows) => assert_eq!(rows, expected, "{text}"),
        Err(error) => panic!("{text}: {error}"),
    }
}

#[test]
fn single_patterns() {
    check("MATCH (n) RETURN n.id", "(1) (2) (3) (4)");
    check("MATCH (n:P) RETURN n.id, n.age", "(1, 10) (2, 20) (3, null)");
    check("MATCH (n:P&!Q) RETURN count(*)", "(2)");
    check("MATCH (a)-[:W]->(b) RETURN a.id, b.name", "(1, 'c') (3, 'c')");
    check("MATCH (a)-[r:K]->(b) RETURN count(*), count(DISTINCT b)", "(5, 3)");
    // A self loop matches once, whatever the direction.
    check("MATCH (a {id: 2})-[r]-(b) RETURN b.id, r.n", "(1, 0) (1, 4) (2, 3) (3, 1)");
    check("MATCH (a)-[r]->(a) RETURN a.id", "(2)");
    check("MATCH (a)<-[r:K|W]-({id: 3}) RETURN a.id", "(1) (4)");
    check("MATCH (n:Nothing) RETURN n", "");
}

#[test]
fn no_edge_twice() {
    check("MATCH (a {id: 1})-[r:K]->(b)<-[s:K]-(a) RETURN r.n, s.n", "(0, 4) (4, 0)");
    check("MATCH (a)-[:K]->(b)-[:K]->(c)-[:K]->(a) RETURN count(*)", "(6)");
    check("MATCH (a {id: 2})-[:K*1..2]->(b) RETURN b.id", "(1) (2) (3) (3)");
    check("MATCH (a {id: 2})-[rs:K*0..1]->(b) RETURN b.id, size(rs)", "(2, 0) (2, 1) (3, 1)");
    check("MATCH (a {id: 1})-[:W]->(c)<-[:W]-(b) RETURN b.id", "(3)");
    check("MATCH (a {id: 1})-[r]->(b) MATCH (a)-[s]->(b) RETURN count(*)", "(5)");
    check("MATCH p = (a {id: 3})-[*]->(b {id: 3}) RETURN length(p)", "(3) (3) (4) (4)");
}

#[test]
fn paths() {
    check(
        "MATCH p = (a {id: 2})<-[:K]-(b {id: 1}) RETURN [n IN nodes(p) | n.id], length(p)",
        "([2, 1], 1) ([2, 1], 1)",
    );
    check(
        "MATCH p = (c:C)<-[:W]-(a)-[:K*2]->(b) WHERE a.id = 3 RETURN [n IN nodes(p) | n.id]",
        "([4, 3, 1, 2]) ([4, 3, 1, 2])",
    );
    check(
        "MATCH p = shortestPath((a {id: 2})-[:K*]->(b {id: 1})) RETURN [n IN nodes(p) | n.id]",
        "([2, 3, 1])",
    );
    check(
        "MATCH p = allShortestPaths((a {id: 1})-[:K*]->(b {id: 3})) RETURN [r IN relationships(p) | r.n]",
        "([0, 1]) ([4, 1])",
    );
}

#[test]
fn optional_and_subqueries() {
    check(
        "MATCH (n) OPTIONAL MATCH (n)-[:W]->(c) RETURN n.id, c.name",
        "(1, 'c') (2, null) (3, 'c') (4, null)",
    );
    check("MATCH (n) WHERE (n)-[:W]->() RETURN n.id", "(1) (3)");
    check("MATCH (n) WHERE NOT EXISTS { (n)-->(m) WHERE m.age > 10 } RETURN n.id", "(3) (4)");
    check("MATCH (n:P) RETURN n.id, size([(n)-[:K]->(m) | m.id])", "(1, 2) (2, 2) (3, 1)");
    check("MATCH (n:P) RETURN n.id, COUNT { (n)-[:K]-(m) }", "(1, 3) (2, 4) (3, 2)");
    check("OPTIONAL MATCH (n:Nothing) OPTIONAL MATCH (n)-->(m) RETURN n, m", "(null, null)");
}

#[test]
fn projections() {
    check("MATCH (n:P) RETURN sum(n.age), count(n.age), count(*), avg(n.age)", "(30, 2, 3, 15.0)");
    check("MATCH (n:Nothing) RETURN count(*), collect(n), max(n.age)", "(0, [], null)");
    check("MATCH (n:Nothing) RETURN n.age, count(*)", "");
    check("MATCH (n:P) RETURN n.age AS age ORDER BY age DESC", "(null) (20) (10)");
    check("MATCH (n) RETURN n.id ORDER BY n.id SKIP 1 LIMIT $two", "(2) (3)");
    check("MATCH (a)-[:K]->(b) RETURN DISTINCT a.id", "(1) (2) (3)");
    check("UNWIND [1, 1.0, 2, null] AS x RETURN x, count(*)", "(1, 2) (2, 1) (null, 1)");
    check("UNWIND null AS x RETURN x", "");
    check("UNWIND [1, 1, null, 0.0/0.0, 0.0/0.0] AS x RETURN count(DISTINCT x)", "(2)");
    check("RETURN 1 AS x UNION RETURN 1.0 AS x UNION RETURN 2 AS x", "(1) (2)");
    check("RETURN 1 AS x UNION ALL RETURN 1 AS x", "(1) (1)");
    check("UNWIND [3, 1, 2] AS x WITH x ORDER BY x LIMIT 2 RETURN sum(x)", "(3)");
}

#[test]
fn expressions() {
    check(
        "RETURN null = null, null AND false, null OR true, NOT null, 1 < 'a'",
        "(null, false, true, null, null)",
    );
    check(
        "RETURN [x IN [1, 2, 3] WHERE x > 1 | x * 10], [1, 2, 3][1..], [1, 2][-1]",
        "([20, 30], [2, 3], 2)",
    );
    check(
        "RETURN all(x IN [1, null] WHERE x > 0), any(x IN [1, null] WHERE x > 0), none(x IN [] WHERE x), single(x IN [1, 2, null] WHERE x > 1)",
        "(null, true, true, null)",
    );
    check("RETURN reduce(s = 0, x IN [1, 2, 3] | s + x), reduce(s = 0, x IN null | s)", "(6, null)");
    check("RETURN CASE 2 WHEN 1 THEN 'a' WHEN $two THEN 'b' END, CASE WHEN null THEN 1 END", "('b', null)");
    check(
        "MATCH (n {id: 1}) RETURN n {.*, x: 1}, n {.age}, n.nothing",
        "({age: 10, id: 1, x: 1}, {age: 10}, null)",
    );
    check(
        "MATCH (n)-[r:W]->(m) RETURN n:P, n:P&Q, r:W, labels(m), type(r)",
        "(true, false, true, ['C'], 'W') (true, true, true, ['C'], 'W')",
    );
    check(
        "RETURN 3 IN [1, null], 1 IN [1, null], 'abc' STARTS WITH 'ab', 1 STARTS WITH 'a'",
        "(null, true, true, null)",
    );
    check("RETURN date('2020-02-29').month", "(2)");
}

#[test]
fn errors() {
    assert_eq!(answer("RETURN 1 / 0").unwrap_err().detail, "DivisionByZero");
    assert_eq!(answer("RETURN $missing").unwrap_err().detail, "MissingParameter");
    let bound = BoundQuery {
        plan: Plan::NodeScan(NodeScan {
            var: trimorph_algebra::VarId(0),
            labels: LabelExpr::True,
            tables: Vec::new(),
            prune: Vec::new(),
        }),
        columns: Vec::new(),
        vars: Vars::default(),
        parameters: Vec::new(),
        notices: Vec::new(),
        depth: None,
        answer: Default::default(),
    };
    let error = run_on(&bound, &Graph::default(), &BTreeMap::new(), NOW, 10).unwrap_err();
    assert_eq!(error.detail, "PhysicalOperator");
    let snapshot = triangle().snapshot(LoadOptions::default()).unwrap();
    let bound = bind("MATCH (a), (b), (c), (d) RETURN count(*)", snapshot.catalog()).unwrap();
    assert_eq!(
        run_on(&bound, &Graph::read(&snapshot), &BTreeMap::new(), NOW, 50).unwrap_err().detail,
        TOO_MANY_STEPS
    );
}
