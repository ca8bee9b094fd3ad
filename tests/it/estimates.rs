//! EXPLAIN and PROFILE show the estimates that the plan was chosen by: those of the parameters it is asked
//! with, from samples of the data.

use std::sync::Arc;

use trimorph::{CancelToken, Config, Connection, Database, Value};

/// The plan of a query with parameters, line by line.
fn plan(connection: &Connection, text: &str, params: &[(&str, Value)]) -> Vec<String> {
    let params = params.iter().map(|(name, value)| (Arc::from(*name), value.clone())).collect();
    let mut result = connection.execute(text, Arc::new(params)).unwrap();
    let mut lines = Vec::new();
    while let Some(row) = result.next_row().unwrap() {
        lines.push(result.format(&row[0]));
    }
    lines
}

/// The estimate of each line.
fn estimates(plan: &[String]) -> Vec<&str> {
    plan.iter().map(|line| line.split_once('~').unwrap().1.split_once(" rows").unwrap().0).collect()
}

fn network() -> Database {
    let db = Database::in_memory(Config::new().threads(1));
    db.generate_snb(0.01, 7).unwrap();
    db
}

/// The `part`-th id of all persons, in order.
fn id_at(connection: &Connection, part: f64) -> Value {
    let mut rows =
        connection.query("MATCH (p:Person) RETURN p.id ORDER BY p.id", &[]).unwrap().rows().unwrap();
    let place = rows.len() as f64 * part;
    rows.swap_remove(place as usize).swap_remove(0)
}

#[test]
fn estimates_are_those_of_the_parameters() {
    let db = network();
    let connection = db.connect();
    let (low, high) = (id_at(&connection, 0.1), id_at(&connection, 0.9));
    let text = "EXPLAIN (CODES) MATCH (p:Person)-[:KNOWS]->(q) WHERE p.id < $id RETURN q";
    let with = |id: &Value| plan(&connection, text, &[("id", id.clone())]);
    let (few, many) = (with(&low), with(&high));
    for (given, id) in [(&few, &low), (&many, &high)] {
        let Value::Int(id) = id else { panic!("{id:?}") };
        let written = plan(&connection, &text.replace("$id", &id.to_string()), &[]);
        assert_eq!(estimates(given), estimates(&written), "{id}");
    }
    // As many persons pass as have smaller ids: a tenth, and nine tenths.
    let filtered = |plan: &[String]| {
        let line = plan.iter().position(|line| line.trim_start().starts_with("Filter")).unwrap();
        estimates(plan)[line].parse::<f64>().unwrap() / estimates(plan)[line + 1].parse::<f64>().unwrap()
    };
    assert!((0.05..0.15).contains(&filtered(&few)), "{few:?}");
    assert!((0.85..0.95).contains(&filtered(&many)), "{many:?}");
}

/// Of texts, of values that differ from one, and of short lists, about as many pass as there are.
#[test]
fn conditions_are_tried_on_a_sample() {
    let db = Database::in_memory(Config::new().threads(1));
    let connection = db.connect();
    let rare = "CASE i % 50 WHEN 0 THEN 'café' ELSE 'bread ' + i END";
    let nodes = format!(
        "UNWIND range(0, 4999) AS i CREATE (:Shop {{id: i, name: {rare}, kind: i % 4, day: date('2024-01-01') + duration({{days: i}})}})"
    );
    connection.query(&nodes, &[]).unwrap();
    let edges =
        "MATCH (a:Shop), (b:Shop {id: a.id / 2}) CREATE (a)-[:NEAR {note: a.name, kind: a.kind}]->(b)";
    connection.query(edges, &[]).unwrap();
    let (node, edge) = ("MATCH (x:Shop)", "MATCH (:Shop)-[x:NEAR]->(:Shop)");
    let estimate = |pattern: &str, condition: &str| {
        let plan = plan(&connection, &format!("EXPLAIN (CODES) {pattern} WHERE {condition} RETURN x"), &[]);
        let line = plan.iter().position(|line| line.trim_start().starts_with("Filter")).unwrap();
        estimates(&plan)[line].parse::<f64>().unwrap()
    };
    // As they were written, and merged; of relationships only then.
    for is_merged in [false, true] {
        for (pattern, condition, low, high) in [
            (node, "x.name STARTS WITH 'bread'", 4600.0, 5000.0),
            (node, "x.name CONTAINS 'af'", 20.0, 250.0),
            (node, "x.name ENDS WITH 'é'", 20.0, 250.0),
            (node, "x.name CONTAINS 'cake'", 0.0, 25.0),
            (node, "x.id >= 2000 AND x.id < 2100", 1.0, 250.0),
            (node, "x.id > 1000 AND 1500 >= x.id", 250.0, 800.0),
            (node, "x.id >= 2000 AND x.id > 3000 AND x.id < 4000", 700.0, 1300.0),
            (node, "x.day >= date('2024-01-11')", 4700.0, 5000.0),
            (
                node,
                "x.day >= date('2024-01-01') + duration('P4000D') AND x.day < date('2035-12-12')",
                200.0,
                600.0,
            ),
            (node, "x.kind <> 3", 3500.0, 4000.0),
            (node, "x.kind IN [0, 1, 2]", 3500.0, 4000.0),
            (edge, "x.note STARTS WITH 'bread'", 4600.0, 5000.0),
            (edge, "x.note CONTAINS 'cake'", 0.0, 25.0),
            (edge, "x.kind <> 3", 3500.0, 4000.0),
        ] {
            if pattern == edge && !is_merged {
                continue;
            }
            let rows = estimate(pattern, condition);
            assert!((low..=high).contains(&rows), "{pattern} {condition}: {rows}");
        }
        db.checkpoint(&CancelToken::default()).unwrap();
    }
}

/// Which end a pattern starts at depends on the values, each time the plan is asked for.
#[test]
fn the_plan_shown_is_that_of_the_parameters() {
    let db = network();
    let connection = db.connect();
    let (low, high) = (id_at(&connection, 0.02), id_at(&connection, 0.98));
    let text = "EXPLAIN (CODES) MATCH (p:Person)-[:KNOWS]->(q:Person) WHERE p.id < $p AND q.id < $q RETURN p.id, q.id";
    for (p, q, start) in [(&low, &high, "(p:"), (&high, &low, "(q:"), (&low, &high, "(p:")] {
        let lines = plan(&connection, text, &[("p", p.clone()), ("q", q.clone())]);
        assert!(lines.last().unwrap().contains(start), "{start}: {lines:#?}");
    }
}

/// A kept plan shows the estimates of the values that it runs with.
#[test]
fn a_profile_is_estimated_for_its_own_run() {
    let db = network();
    let connection = db.connect();
    let text = "PROFILE (CODES) MATCH (p:Person) WHERE p.id < $id RETURN p.id";
    let [few, many] = [0.1, 0.9].map(|part| plan(&connection, text, &[("id", id_at(&connection, part))]));
    assert_ne!(estimates(&few), estimates(&many), "{few:#?}");
}

/// Where a path begins depends on what is asked of its relationships, of which a sample tells how many pass.
#[test]
fn a_path_begins_where_few_relationships_pass() {
    let db = Database::in_memory(Config::new().threads(1));
    let connection = db.connect();
    let create = "CREATE CONSTRAINT FOR (v:V) REQUIRE v.id IS UNIQUE;
        UNWIND range(1, 2000) AS i CREATE (:V {id: i});
        MATCH (a:V) UNWIND range(1, 10) AS k MATCH (b:V {id: (a.id * 7 + k) % 2000 + 1})
        CREATE (a)-[:E {w: a.id * 10 + k, half: a.id * 5.0, odd: a.id % 500 = 1, kind: CASE WHEN a.id % 500 = 0 THEN 'rare' ELSE 'usual' END}]->(b)";
    create.split(';').for_each(|text| drop(connection.query(text, &[]).unwrap()));
    db.merge(&CancelToken::default()).unwrap();
    for (asked, part) in [
        ("w > 19900", 0.0055),
        ("half <= 50", 0.005),
        ("kind = 'rare'", 0.004),
        ("w > $low", 0.0055),
        ("odd", 0.004),
        ("w > 100 AND E.half > 9950", 0.005),
    ] {
        for (edge, starts) in [("s", ["(a:", "(b:"]), ("t", ["(b:", "(c:"])] {
            let condition = format!("{edge}.{}", asked.replace("E.", &format!("{edge}.")));
            let text = format!(
                "EXPLAIN (CODES) MATCH (a:V)-[s:E]->(b:V)-[t:E]->(c:V) WHERE {condition} RETURN a.id, c.id"
            );
            let lines = plan(&connection, &text, &[("low", Value::Int(19_900))]);
            let scan = lines.last().unwrap();
            assert!(starts.iter().any(|start| scan.contains(start)), "{condition}: {lines:#?}");
            let at = lines.iter().rposition(|line| line.trim_start().starts_with("Filter")).unwrap();
            let passing = estimates(&lines)[at].parse::<f64>().unwrap() / 20_000.0;
            assert!((part * 0.4..part * 2.5).contains(&passing), "{condition}, {passing}: {lines:#?}");
        }
    }
}

/// A merge of what others have committed takes nothing of an open transaction: its plans are still made for
/// what it has written.
#[test]
fn a_merge_leaves_an_open_transaction_its_estimates() {
    let db = Database::in_memory(Config::new().threads(1));
    let (writer, other) = (db.connect(), db.connect());
    writer.query("CREATE CONSTRAINT FOR (v:V) REQUIRE v.id IS UNIQUE", &[]).unwrap();
    writer.begin().unwrap();
    writer.query("UNWIND range(1, 5000) AS i CREATE (:V {id: i})", &[]).unwrap();
    writer
        .query("MATCH (a:V) UNWIND range(1, 4) AS k MATCH (b:V {id: (a.id * k) % 5000 + 1}) CREATE (a)-[:E]->(b)", &[])
        .unwrap();
    let text = "EXPLAIN (CODES) UNWIND $ids AS i MATCH (v:V {id: i})-[:E]->(w) RETURN count(w)";
    let ids = Value::list((0..300).map(Value::Int).collect());
    let before = plan(&writer, text, &[("ids", ids.clone())]);
    other.query("CREATE (:Other {x: 1})", &[]).unwrap();
    db.merge(&trimorph::CancelToken::default()).unwrap();
    let after = plan(&writer, text, &[("ids", ids)]);
    assert_eq!(before, after);
    assert!(after.iter().any(|line| line.contains("Lookup")), "{after:#?}");
    writer.rollback().unwrap();
}

/// Which properties nodes have together is known of nodes that got them after they came, and of those that
/// are not merged; the first that came does not stand for all.
#[test]
fn properties_are_counted_together() {
    let conditions =
        [("n.a", 0.1), ("n.c", 0.9), ("n.a, n.b", 0.1), ("n.a, n.c", 0.0), ("n.i, n.a, n.b", 0.1)];
    let check = |c: &Connection, what: &str| {
        for (properties, part) in conditions {
            let has = properties.split(", ").map(|p| format!("{p} IS NOT NULL")).collect::<Vec<_>>();
            let text = format!("EXPLAIN (CODES) MATCH (n:N) WHERE {} RETURN n.i", has.join(" AND "));
            let lines = plan(c, &text, &[]);
            let at = lines.iter().position(|line| line.trim_start().starts_with("Filter")).unwrap();
            let estimate = estimates(&lines)[at].parse::<f64>().unwrap() / 10_000.0;
            assert!((estimate - part).abs() < 0.05, "{what}, {properties}: {lines:#?}");
        }
    };
    let run =
        |c: &Connection, texts: &[&str]| texts.iter().for_each(|text| drop(c.query(text, &[]).unwrap()));
    let config = Config::new().threads(1).background_merges(false);
    let db = Database::in_memory(config.clone());
    let c = db.connect();
    run(&c, &["UNWIND range(0, 9999) AS i CREATE (:N {i: i})"]);
    db.merge(&CancelToken::default()).unwrap();
    run(
        &c,
        &[
            "MATCH (n:N) WHERE n.i % 10 = 0 SET n.a = n.i, n.b = n.i",
            "MATCH (n:N) WHERE n.i % 10 > 0 SET n.c = n.i",
        ],
    );
    db.merge(&CancelToken::default()).unwrap();
    check(&c, "merged");
    // A few that come later are what they are, and change nothing of the rest.
    run(&c, &["UNWIND range(0, 99) AS i CREATE (:N {a: i, c: i})"]);
    db.merge(&CancelToken::default()).unwrap();
    check(&c, "merged again");

    // Who counts while a statement runs sees none of its rows, and counts again once as much was written.
    let db = Database::in_memory(config);
    let c = db.connect();
    run(
        &c,
        &[
            "UNWIND range(0, 9999) AS i CREATE (n:N {i: i}) SET n += CASE i % 10 WHEN 0 THEN {a: i, b: i} ELSE {c: i} END",
            "MATCH (n:N) SET n.i = n.i + 1",
            "MATCH (n:N) SET n.i = n.i + 1",
        ],
    );
    check(&c, "written");
}
