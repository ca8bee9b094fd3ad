//! What no aggregate takes is not made: properties that most kinds of nodes and relationships lack.

use trimorph_exec::Settings;
use trimorph_optimizer::Options;

use super::ask::{agree_on, created, sorted_rows_and_plan};

const QUERIES: [(&str, bool); 13] = [
    ("MATCH ()-[r]->() RETURN sum(r.w)", true),
    ("MATCH ()-[r]->() RETURN sum(r.w * r.v), max(r.w), count(DISTINCT r.w), collect(2 - r.w)", true),
    ("MATCH (n) RETURN count(n.x), avg(n.x), min(-n.x), percentileDisc(n.x, 0.5)", true),
    // What another property or row decides.
    ("MATCH ()-[r]->() RETURN sum(r.w), max(r.v)", false),
    ("MATCH ()-[r]->() RETURN sum(r.w), count(*)", false),
    ("MATCH (n) RETURN n.y AS y, sum(n.x)", false),
    ("MATCH (n) RETURN sum(coalesce(n.x, 1))", false),
    ("MATCH (n) RETURN count(n.x IS NULL)", false),
    ("MATCH (n) RETURN sum(CASE WHEN n.x > 1 THEN n.x ELSE 5 END)", false),
    ("MATCH (n) RETURN count(n), max(n.x)", false),
    ("MATCH (n:A) RETURN sum(n.x)", false),
    ("MATCH ()-[r:R]->() RETURN sum(r.w)", false),
    ("MATCH ()-[r*1..2]->() RETURN count(r[0].w)", false),
];

#[test]
fn rows_that_no_aggregate_takes_are_not_made() {
    let snapshot = created(&[
        "UNWIND range(1, 12) AS i CREATE (:A {x: i, y: i % 3}), (:B {y: i}), (:C {x: CASE i % 2 WHEN 0 THEN i / 2.0 END})",
        "MATCH (a:A), (b:B) WHERE a.x = b.y CREATE (a)-[:R {w: a.x, v: 2}]->(b), (b)-[:S {v: 3}]->(a), (b)-[:T]->(b)",
    ]);
    let others = [
        "MATCH (n)-->(m) WHERE m.y > 3 RETURN max(n.x)",
        "MATCH (n) WHERE n.x > 99 RETURN count(n.x), sum(n.x)",
        "MATCH (n) RETURN count(n.none), sum(n.none), max(n.none)",
    ];
    let queries = QUERIES.iter().map(|(query, _)| *query).chain(others);
    agree_on(queries.map(str::to_owned), &snapshot);
    for (query, is_asked) in QUERIES {
        let (_, plan) = sorted_rows_and_plan(query, &snapshot, Options::default(), Settings::default());
        let without = Options::default().without("null_arguments").unwrap();
        let (_, before) = sorted_rows_and_plan(query, &snapshot, without, Settings::default());
        assert_eq!(plan != before, is_asked, "{query}\n{plan}");
    }
}
