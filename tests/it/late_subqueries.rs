//! What a top-k's order does not need is computed of the rows that it keeps: subqueries that give a value,
//! what is made of them, and what goes through lists. And both ends of an edge are looked up.

use trimorph::{Config, Database};
use trimorph_exec::Settings;
use trimorph_optimizer::Options;

use super::ask::{created, sorted_rows_and_plan};

const GRAPH: [&str; 2] = [
    "UNWIND range(0, 599) AS i CREATE (:P {i: i, n: 'n' + toString(i * 37 % 101), l: range(0, i % 7)})",
    "MATCH (p:P), (q:P) WHERE q.i = (p.i * 3 + 1) % 600 OR q.i = p.i % 12 CREATE (p)-[:K {w: p.i % 5}]->(q)",
];

/// Each query, and whether its subquery waits.
const TEXTS: &[(&str, bool)] = &[
    ("MATCH (p:P) RETURN p.i AS i, COUNT { (p)-[:K]->(q) WHERE q.i > 7 } AS n ORDER BY p.n, i LIMIT 9", true),
    (
        "MATCH (p:P) RETURN p.i AS i, COLLECT { MATCH (p)-[:K]->(q) RETURN q.i ORDER BY q.i } AS n ORDER BY p.n DESC, i LIMIT 9",
        true,
    ),
    (
        "MATCH (p:P) RETURN p.i AS i, EXISTS { (p)<-[:K {w: 2}]-() } AS e, size([(p)-[:K]->(q) WHERE q.i % 2 = 0 | q.i]) + 1 AS s ORDER BY p.n, i SKIP 5 LIMIT 9",
        true,
    ),
    (
        "MATCH (p:P) WITH p, p.n AS n, COUNT { (p)-[:K]->(q) WHERE q.i > 3 } AS k ORDER BY n, p.i LIMIT 7 RETURN p.i, n, k, k * 2 AS d",
        true,
    ),
    (
        "MATCH (p:P) WITH p.n AS n, p.i AS i, [x IN p.l WHERE x % 2 = 1 | x * p.i] AS l, reduce(t = 0, x IN p.l | t + x) AS t ORDER BY n, i LIMIT 8 RETURN n, i, l, t",
        true,
    ),
    (
        "MATCH (p:P) CALL (p) { MATCH (p)-[:K]->(q) RETURN sum(q.i) AS s, count(*) AS c } RETURN p.i AS i, s, c ORDER BY p.n, i LIMIT 11",
        true,
    ),
    // The order needs it, or what waits would be asked of as many rows.
    (
        "MATCH (p:P) RETURN p.i AS i, COUNT { (p)-[:K]->(q) WHERE q.i > 7 } AS n ORDER BY n DESC, i LIMIT 9",
        false,
    ),
    (
        "MATCH (p:P) WITH p, COUNT { (p)<-[:K]-(q) WHERE q.i > 7 } AS n WITH p, n, n % 3 AS r ORDER BY r DESC, p.i LIMIT 9 RETURN p.i, n, r",
        false,
    ),
    ("MATCH (p:P) RETURN p.i AS i, COUNT { (p)-[:K]->(q) WHERE q.i > 7 } AS n ORDER BY p.n, i", false),
    (
        "MATCH (p:P) RETURN p.i AS i, COUNT { (p)-[:K]->(q) WHERE q.i > 7 } AS n ORDER BY p.n, i LIMIT 100000",
        false,
    ),
    // Not one row for each.
    (
        "MATCH (p:P) CALL (p) { MATCH (p)-[:K]->(q) RETURN q.i AS s LIMIT 1 } RETURN p.i AS i, s ORDER BY p.n, i LIMIT 11",
        false,
    ),
    // The lower one is needed by the upper one, which the order needs.
    (
        "MATCH (p:P) WITH p, COUNT { (p)<-[:K]-(q) WHERE q.i > 7 } AS n WITH p, n, COUNT { (p)-[:K]->(q) WHERE q.i > n } AS m ORDER BY m DESC, p.i LIMIT 9 RETURN p.i, n, m",
        false,
    ),
];

#[test]
fn what_the_order_does_not_need_waits() {
    let snapshot = created(&GRAPH);
    let without = Options::default().without("late_projection").unwrap();
    let without = without.without("late_subqueries").unwrap();
    for (text, waits) in TEXTS {
        let (expected, _) = sorted_rows_and_plan(text, &snapshot, without, Settings::default());
        for (vector_size, threads) in [(2_048, 1), (61, 2)] {
            let settings = Settings { vector_size, threads, ..Settings::default() };
            let (found, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), settings);
            assert_eq!(found, expected, "{text}\n{plan}");
            let sort = plan.find("Sort").or_else(|| plan.find("Top")).unwrap_or_else(|| panic!("{plan}"));
            let late = ["Apply", "ExtendCount", "reduce"].iter().filter_map(|of| plan.find(of)).min();
            assert_eq!(late.is_some_and(|late| late < sort), *waits, "{text}\n{plan}");
        }
        assert!(!expected.is_empty(), "{text}");
    }
}

/// Pairs of keys, of which few are joined: neither all relationships of the one end nor of the other are
/// made.
#[test]
fn both_ends_of_an_edge_are_looked_up() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let ask = |text: &str| connection.query(text, &[]).unwrap();
    ask("CREATE CONSTRAINT FOR (p:P) REQUIRE p.i IS UNIQUE");
    ask("UNWIND range(0, 299) AS i CREATE (:P {i: i})");
    ask("MATCH (p:P), (q:P) WHERE (p.i * 7 + q.i * 5) % 9 = 0 CREATE (p)-[:K {w: p.i + q.i}]->(q)");
    ask("MATCH (p:P {i: 3}), (q:P {i: 12}) CREATE (p)-[:K {w: 1}]->(q), (p)-[:K {w: 2}]->(p)");
    let pairs = "UNWIND range(0, 999) AS n WITH [n % 300, n * 7 % 310] AS p";
    let one = format!(
        "{pairs} MATCH (a:P {{i: p[0]}})-[k:K]-(b:P {{i: p[1]}}) RETURN p[0] AS x, p[1] AS y, k.w AS w ORDER BY x, y, w"
    );
    let two = format!(
        "{pairs} MATCH (a:P {{i: p[0]}})-[k:K]-(b) WHERE b.i + 0 = p[1] RETURN p[0] AS x, p[1] AS y, k.w AS w ORDER BY x, y, w"
    );
    let plan = ask(&format!("EXPLAIN {one}")).plan();
    assert!(plan.contains("ExtendInto") && plan.matches("KeyLookup").count() == 2, "{plan}");
    let rows = |text: &str| format!("{:?}", ask(text).rows().unwrap());
    let (found, expected) = (rows(&one), rows(&two));
    assert!(expected.len() > 1_000 && found == expected, "{found}\n{expected}");
    // A loop, parallel relationships, a key that is not there, null.
    for (a, b) in [("3", "3"), ("3", "12"), ("3", "999"), ("3", "null")] {
        let text = format!("MATCH (a:P {{i: {a}}})-[k:K]-(b:P {{i: {b}}}) RETURN count(k) AS n");
        let all =
            format!("MATCH (a:P)-[k:K]-(b:P) WHERE a.i + 0 = {a} AND b.i + 0 = {b} RETURN count(k) AS n");
        assert_eq!(rows(&text), rows(&all), "{text}");
    }
}
