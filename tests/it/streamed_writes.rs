//! Clauses that write while their rows are read, a part at a time: what they leave is what they would if all
//! rows were there first. The clauses here have more rows than are written at a time.

use std::sync::Arc;

use trimorph::{CancelToken, Config, Connection, Database, Error, Params, Value};

use crate::durable::rows;

/// Several parts, and two where edges are made.
const ALL: usize = 140_000;

fn check(connection: &Connection, text: &str, wanted: &str) {
    assert_eq!(rows(connection, text), [wanted], "{text}");
}

fn fails(connection: &Connection, text: &str) -> Error {
    match connection.query(text, &[]) {
        Ok(_) => panic!("{text} does not fail"),
        Err(error) => error,
    }
}

fn numbers(label: &str) -> Connection {
    let c = Database::in_memory(Config::default()).connect();
    rows(&c, &format!("UNWIND range(1, {ALL}) AS i CREATE (:{label} {{n: i}})"));
    c
}

/// What a clause reads is what there was before it.
#[test]
fn nothing_of_what_is_written_meanwhile_is_read() {
    let c = numbers("A");
    check(&c, "MATCH (a:A) CREATE (b:A {n: -a.n}) RETURN count(*), sum(a.n + b.n)", &format!("{ALL} | 0"));
    check(
        &c,
        "MATCH (a:A) RETURN count(*), count(DISTINCT a.n), sum(a.n)",
        &format!("{0} | {0} | 0", 2 * ALL),
    );
    rows(&c, "MATCH (a:A) WHERE a.n > 0 CREATE (a)-[:E {x: a.n}]->(:B {n: a.n})");
    rows(&c, "MATCH (a)-[e:E]->(b) CREATE (b)-[:E {x: -e.x}]->(a)");
    check(&c, "MATCH ()-[e:E]->() RETURN count(e), sum(e.x)", &format!("{} | 0", 2 * ALL));
    check(
        &c,
        "MATCH (a:A)-[e:E]->(b:B)-[f:E]->(a) WHERE e.x = -f.x AND e.x = b.n RETURN count(*)",
        &ALL.to_string(),
    );
    // Who has the label is not looked for again, and no node is written twice.
    rows(&c, "MATCH (a:A) WHERE NOT a:C SET a:C, a.m = a.n");
    check(&c, "MATCH (a:C) RETURN count(a), count(a.m), sum(a.m)", &format!("{0} | {0} | 0", 2 * ALL));
    check(&c, "MATCH (a:A) WHERE a.n > 0 REMOVE a:C RETURN count(a)", &ALL.to_string());
    check(&c, "MATCH (a:C) RETURN count(a), max(a.n)", &format!("{ALL} | -1"));
    // Of rows that set the same the last one counts.
    check(
        &c,
        "MATCH (k:A {n: 1}) UNWIND range(1, 50000) AS i SET k.v = i RETURN count(*), max(k.v)",
        "50000 | 50000",
    );
    check(&c, "UNWIND [] AS i CREATE (n:R {v: i}) RETURN count(n)", "0");
}

/// Constraints are asked when all of a clause is there, and find values of rows that are far apart.
#[test]
fn constraints_are_asked_when_all_is_written() {
    let c = numbers("A");
    rows(&c, "CREATE CONSTRAINT one FOR (a:A) REQUIRE a.n IS UNIQUE");
    // Each gets what the next one has.
    rows(&c, "MATCH (a:A) WITH a, a.n + 1 AS next SET a.n = next");
    check(
        &c,
        "MATCH (a:A) RETURN min(a.n), max(a.n), count(DISTINCT a.n)",
        &format!("2 | {} | {ALL}", ALL + 1),
    );
    let error = fails(&c, &format!("UNWIND range(1, {ALL}) AS i CREATE (:A {{n: -(i % {})}})", ALL - 1));
    assert!(error.to_string().contains("constraint \"one\""), "{error}");
    let error = fails(&c, "MATCH (a:A) WITH a, a.n % 120000 AS next SET a.n = next");
    assert!(error.to_string().contains("constraint \"one\""), "{error}");
    check(&c, "MATCH (a:A) RETURN min(a.n), count(*)", &format!("2 | {ALL}"));
    // A label that no constraint is about comes without a look at values; one that some is about does not.
    rows(&c, "MATCH (a:A) SET a:Other");
    rows(&c, &format!("UNWIND range(1, {ALL}) AS i CREATE (:Same {{n: i}})"));
    let error = fails(&c, "MATCH (s:Same) SET s:A");
    assert!(error.to_string().contains("constraint \"one\""), "{error}");
    check(&c, "MATCH (a:A) RETURN count(*), count(CASE WHEN a:Other THEN 1 END)", &format!("{ALL} | {ALL}"));
}

/// Keys of loaded nodes change hands within a clause.
#[test]
fn keys_of_loaded_nodes_move_by_one() {
    let files = crate::live_loads::Files::new("streamed-keys");
    let nodes: String = (0..40_000).map(|i| format!("{i},K\n")).collect();
    let path = files.put("nodes.csv", &format!("id:ID(K){{id-type: int}},:LABEL\n{nodes}"));
    let db = Database::in_memory(Config::default());
    crate::live_loads::load(&db, &[path], trimorph::OnConflict::Error).unwrap();
    let c = db.connect();
    rows(&c, "MATCH (k:K) WITH k, k.id + 1 AS next SET k.id = next");
    check(&c, "MATCH (k:K) RETURN min(k.id), max(k.id), count(DISTINCT k.id)", "1 | 40000 | 40000");
}

/// A row that cannot be computed comes after many that were written: nothing of them stays, and what its
/// transaction did before does.
#[test]
fn a_clause_that_fails_late_leaves_nothing() {
    let c = numbers("A");
    let text = format!("UNWIND range(1, {ALL}) AS i CREATE (:F {{v: 10 / ({} - i)}})", ALL - 5);
    fails(&c, &text);
    check(&c, "MATCH (f:F) RETURN count(f)", "0");
    c.begin().unwrap();
    rows(&c, "CREATE (:F {v: 1})");
    fails(&c, &text);
    fails(&c, &format!("MATCH (a:A) SET a.m = 1 / (a.n - {ALL})"));
    check(&c, "MATCH (f:F) RETURN count(f)", "1");
    c.commit().unwrap();
    check(&c, "MATCH (n) RETURN count(n), count(n.m), count(n.v)", &format!("{} | 0 | 1", ALL + 1));
}

/// Relationships that rows have from the clause before have their values, whatever their types, those that a
/// transaction has written and those that main has; who has none has none.
#[test]
fn relationships_that_rows_keep_have_their_values() {
    let db = Database::in_memory(Config::default());
    let c = db.connect();
    rows(
        &c,
        "UNWIND range(1, 300) AS i CREATE (a:A {n: i}) WITH a, i WHERE i % 3 > 0 \
         CREATE (a)-[:E {x: i}]->(a), (a)-[:F]->(a), (a)-[:G {x: 'text ' + toString(i), y: i * 0.5}]->(a)",
    );
    for is_merged in [false, true] {
        if is_merged {
            db.merge(&CancelToken::default()).unwrap();
        }
        rows(&c, "MATCH (a:A) OPTIONAL MATCH (a)-[e]->() SET e.z = coalesce(toString(e.x), 'none') + 'z'");
        check(
            &c,
            "MATCH ()-[e]->() RETURN count(e.z), count(DISTINCT e.z), \
             sum(CASE WHEN e.z = coalesce(toString(e.x), 'none') + 'z' THEN 1 ELSE 0 END)",
            "600 | 401 | 600",
        );
        rows(&c, "MATCH ()-[e:E]->() SET e.x = -e.x");
        rows(&c, "MATCH ()-[e:E|G]->() SET e.y = e.y + 1, e.w = [e.x]");
        let sum = if is_merged { 30_000 } else { -30_000 };
        check(&c, "MATCH ()-[e:E]->() RETURN sum(e.x), count(e.y), count(e.w)", &format!("{sum} | 0 | 200"));
    }
    check(&c, "MATCH ()-[e:G]->() RETURN sum(e.y), count(e.w)", "15400.0 | 200");
    // Who is gone is told, also in the middle of others.
    let error = fails(&c, "MATCH (a)-[e:E]->() WITH a, e ORDER BY a.n DELETE e WITH a, e SET a.last = e.x");
    assert!(error.to_string().contains("deleted"), "{error}");
    check(&c, "MATCH ()-[e:E]->() RETURN count(e)", "200");
}

/// Who keeps the results of writes, as of a list of batches, does not keep the batches.
#[test]
fn results_of_writes_do_not_keep_what_was_written() {
    let c = Database::in_memory(Config::default()).connect();
    let rows = Value::list((0..9).map(Value::Int).collect());
    let params = Arc::new(Params::from([("rows".into(), rows)]));
    for text in ["UNWIND $rows AS i CREATE (:A {n: i})", "UNWIND $rows AS i MATCH (a:A {n: i}) SET a.m = i"] {
        let result = c.execute(text, Arc::clone(&params)).unwrap();
        assert_eq!(result.side_effects().properties_set, 9);
        assert_eq!(Arc::strong_count(&params), 1, "{text}");
        assert_eq!(result.notices().len(), 0);
    }
}
