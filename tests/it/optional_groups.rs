//! Aggregates over an `OPTIONAL MATCH`, against the interpreter: groups of nodes with matches, without, and
//! of both; of nulls, of what matches find and of what was there before.

use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_store::Snapshot;

use super::ask::{agree_on, created, sorted_rows_and_plan};

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(1, 9) AS n CREATE (:A {n: n, g: CASE WHEN n % 4 > 0 THEN n % 4 END})",
        "MATCH (a:A) WHERE a.n % 3 > 0 UNWIND range(1, 3 * a.n) AS i CREATE (a)-[:T {w: i % 5}]->(:B {n: i, x: CASE i % 3 WHEN 0 THEN i WHEN 1 THEN i / 2.0 END, t: toString(i % 7)})",
        "MATCH (b:B) WHERE b.n % 4 = 0 CREATE (b)-[:U]->(:C {n: b.n})",
    ])
}

const SOURCES: [&str; 5] = [
    "MATCH (a:A) OPTIONAL MATCH (a)-[r:T]->(b:B)",
    "MATCH (a:A) WHERE a.n > 2 OPTIONAL MATCH (a)-[r:T]->(b:B) WHERE b.n > a.n",
    "MATCH (a:A) OPTIONAL MATCH (a)-[r:T]->(b:B)-[:U]->(c:C)",
    "MATCH (a:A) OPTIONAL MATCH (b:B)<-[r:T {w: 1}]-(a)",
    "MATCH (a:A) WHERE a.n > 100 OPTIONAL MATCH (a)-[r:T]->(b:B)",
];

const ENDS: [&str; 14] = [
    "RETURN a.n AS k, count(*) AS n, max(b.n) AS m",
    "RETURN a.n AS k, count(b) AS n, sum(b.n) AS s, avg(b.n) AS v",
    "RETURN a.g AS k, count(*) AS n, count(b) AS c, min(b.x) AS x, sum(b.x) AS s",
    "RETURN a AS k, sum(b.n * 2 + r.w) AS s, max(b.t) AS t",
    "RETURN count(*) AS n, sum(b.n) AS s, avg(b.x) AS v, min(r.w) AS w",
    "RETURN a.g AS k, count(DISTINCT b.t) AS c, sum(DISTINCT b.n) AS s, max(a.n) AS m",
    "RETURN b.t AS k, a.g AS g, count(*) AS n, max(b.n) AS m",
    "RETURN a.n % 2 AS k, avg(b.n) AS v, count(r) AS c, count(a.g) AS h",
    "WITH a, count(b) AS c, max(b.n) AS m RETURN a.n AS n, c, m, a.g AS g",
    "RETURN a.n AS k, max(coalesce(b.n, 0)) AS m, count(*) AS n",
    // These are not merged.
    "RETURN a.n AS k, sum(coalesce(b.n, 1)) AS s, count(*) AS n",
    "RETURN a.n AS k, collect(b.n) AS l, count(*) AS n",
    "RETURN a.n AS k, stDev(b.n) AS d, max(b.n) AS m",
    "RETURN a.n AS k, sum(a.n) AS s, max(b.n) AS m",
];

#[test]
fn groups_of_optional_matches_are_those_of_all_rows() {
    let snapshot = graph();
    let texts = SOURCES.iter().flat_map(|s| ENDS.iter().map(move |end| format!("{s} {end}")));
    let rows = agree_on(texts, &snapshot);
    assert!(rows > 1_000, "{rows}");
}

#[test]
fn what_matches_is_grouped_apart() {
    let snapshot = graph();
    for (source, end, is_apart) in
        [(0, 0, true), (1, 4, true), (3, 6, true), (2, 0, false), (0, 10, false), (0, 13, false)]
    {
        let text = format!("{} {}", SOURCES[source], ENDS[end]);
        let (_, plan) = sorted_rows_and_plan(&text, &snapshot, Options::default(), Settings::default());
        assert_eq!(plan.contains("Union"), is_apart, "{text}\n{plan}");
    }
}
