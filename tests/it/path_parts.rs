//! Lengths and relationships of paths that are asked of their parts, against the interpreter: single
//! relationships, walks of fixed and of variable length, both, shortest paths, paths that are looked at
//! besides, and those of rows that have none.

use std::collections::BTreeMap;

use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_testkit::interpreter::Graph;

use super::ask::{agree_on, created, sorted_rows_and_plan};
use super::in_lists::agree;

/// Queries, and whether their plans make paths.
const ASKED: &[(&str, bool)] = &[
    ("MATCH p = (a:A)-[:T]->(b) RETURN a.n AS a, b.n AS b, length(p) AS l", false),
    ("MATCH p = (a:A)-[:T*2]->(b) RETURN a.n AS a, length(p) AS l, count(*) AS c", false),
    ("MATCH p = (a:A)-[:T*2]->(b) RETURN max(length(p)) AS l", false),
    ("MATCH p = (a:A)-[:T*1..3]->(b) RETURN a.n AS a, length(p) AS l, count(*) AS c", false),
    ("MATCH p = (a:A)-[:T*0..2]-(b) RETURN a.n AS a, sum(length(p) * 10) AS l", false),
    ("MATCH p = (a:A)-[:T*1..2]->(b)<-[:T]-(c) RETURN a.n AS a, c.n AS c, length(p) AS l", false),
    ("MATCH p = (a:A)-[:T*2]->(b)-[:T*0..1]->(c) RETURN a.n AS a, length(p) + 1 AS l, count(*) AS c", false),
    ("MATCH p = (a:A) RETURN a.n AS a, length(p) AS l", false),
    ("MATCH p = (a:A)-[:T*1..2]->(b) RETURN a.n AS a, b.n AS b, [r IN relationships(p) | r.w] AS l", false),
    (
        "MATCH p = (a:A)-[:T*2]->(b) RETURN a.n AS a, b.n AS b, reduce(s = 0, r IN relationships(p) | s + r.w) AS l",
        false,
    ),
    (
        "MATCH p = (a:A)<-[:T*1..2]-(b) RETURN a.n AS a, b.n AS b, [r IN relationships(p) | r.w] AS l, length(p) AS k",
        false,
    ),
    (
        "MATCH p = shortestPath((a:A)-[:T*]->(b:A)) WHERE a.n < 3 AND a <> b RETURN a.n AS a, b.n AS b, length(p) AS l",
        false,
    ),
    ("MATCH p = (a:A)-[:T*1..2]->(b) WHERE length(p) > 1 RETURN a.n AS a, b.n AS b, length(p) AS l", false),
    (
        "MATCH p = (a:A)-[:T*1..3]->(b) WHERE length(p) IN [1, 3] AND all(r IN relationships(p) WHERE r.w > 12) RETURN a.n AS a, b.n AS b, length(p) AS l",
        false,
    ),
    (
        "MATCH p = (a:A)-[:T*1..3]->(b) WHERE any(r IN relationships(p) WHERE r.w > 50) RETURN a.n AS a, b.n AS b, length(p) AS l",
        false,
    ),
    (
        "MATCH p = shortestPath((a:A)-[:T*]->(b:A)) WHERE a.n < 3 AND a <> b AND length(p) > 1 RETURN a.n AS a, b.n AS b, length(p) AS l",
        false,
    ),
    (
        "MATCH p = (a:A)-[:T*1..2]->(b) UNWIND relationships(p) AS r RETURN r.w AS w, length(p) AS l, count(*) AS c",
        false,
    ),
    ("MATCH p = (a:A)-[:T*1..2]->(b) RETURN [n IN nodes(p) | n.n] AS n, length(p) AS l", false),
    ("MATCH p = (a:A)-[:T*1..2]->(b) WITH p, a RETURN a.n AS a, length(p) AS l, count(*) AS c", true),
    (
        "MATCH p = (a:A)-[:T]->(b)-[:T]->(c) RETURN a.n AS a, size(relationships(p)) AS l, length(p) AS k",
        false,
    ),
    (
        "MATCH p = (a:A)-[:T*2]->(b) RETURN nodes(p)[1].n AS n, nodes(p)[-1].n AS l, head(nodes(p)).n AS h",
        false,
    ),
    (
        "MATCH p = (a:A)-[:T*2]-(b) RETURN [n IN nodes(p) | n.n] AS n, [r IN relationships(p) | r.w] AS w",
        false,
    ),
    ("MATCH p = (a:A)-[:T*0..3]-(b {n: 3}) RETURN [n IN nodes(p) | n.n] AS n", false),
    (
        "MATCH p = (a:A)<-[:T*1..2]-(b)-[:T]->(c)-[:T*2]-(d) RETURN [n IN nodes(p) | n.n] AS n, [r IN relationships(p) | r.w] AS w",
        false,
    ),
    (
        "MATCH p = (a:A {n: 3})-[:T*0..2]->(b)<-[:T*0..1]-(c) RETURN [n IN nodes(p) | n.n] AS n, size(nodes(p)) AS s",
        false,
    ),
    (
        "MATCH p = (a:A)-[:T*2]->(b) WHERE all(n IN nodes(p) WHERE n.n < 7) AND any(r IN relationships(p) WHERE r.w > 20) RETURN a.n AS a, b.n AS b",
        false,
    ),
    (
        "MATCH p = shortestPath((a:A)-[:T*]-(b:A)) WHERE a.n < 4 AND a <> b RETURN a.n AS a, b.n AS b, size(nodes(p)) AS l, last(nodes(p)).n AS n",
        false,
    ),
    ("MATCH p = (a:A)-[:T*2]->(b) RETURN p AS p", true),
    ("MATCH p = (a:A)-[:T*1..2]->(b) UNWIND nodes(p) AS n RETURN n.n AS n, count(*) AS c", false),
    (
        "MATCH p = (a:A)-[:T*2]->(b) UNWIND nodes(p) AS n RETURN n.n AS n, length(p) AS l, count(*) AS c",
        false,
    ),
    (
        "MATCH p = (a:A)-[:T*1..2]->(b) WITH p, a, b ORDER BY length(p) DESC, a.n, b.n, head(relationships(p)).w LIMIT 4 RETURN a.n AS a, b.n AS b, p AS p",
        true,
    ),
    ("MATCH p = (a:A)-[:T]->(b) RETURN p AS p ORDER BY relationships(p)[0].w LIMIT 3", true),
    ("MATCH p = (a:A)-[:T*2]->(b) WHERE a.n < 3 RETURN p AS p ORDER BY p LIMIT 3", true),
    (
        "MATCH (a:A) OPTIONAL MATCH p = (a)-[:T*2]->(b) WHERE b.n > 6 RETURN a.n AS a, [n IN nodes(p) | n.n] AS n, nodes(p)[1].n AS m",
        true,
    ),
    (
        "MATCH (a:A) OPTIONAL MATCH p = (a)-[:T*1..2]->(b) WHERE b.n > 4 RETURN a.n AS a, length(p) AS l, count(*) AS c",
        true,
    ),
];

/// Queries whose bodies ask for the nodes of a walk, which are listed once a row.
const WITHIN_BODIES: [&str; 9] = [
    "MATCH p = (a:A)-[:T*1..3]->(b) WHERE all(i IN range(0, length(p) - 1) WHERE nodes(p)[i].n <= nodes(p)[i + 1].n) RETURN a.n, b.n, length(p)",
    "MATCH p = (a:A)-[:T*3]->(b) WHERE a.n > 1 AND all(i IN range(0, 2) WHERE nodes(p)[i].n <> nodes(p)[i + 1].n) AND b.n < 7 RETURN a.n, b.n",
    "MATCH p = (a:A)-[:T*2..3]-(b) WHERE b.n = 4 AND any(i IN range(1, length(p) - 1) WHERE nodes(p)[i].n > nodes(p)[0].n) RETURN a.n, count(*)",
    "MATCH p = (a:A)-[:T*1..2]->(b) RETURN [i IN range(0, length(p)) | nodes(p)[i].n] AS x, reduce(s = 0, i IN range(0, length(p)) | s + nodes(p)[i].n) AS s",
    "MATCH p = (a:A)-[:T*1..2]->(b)-[:T]->(c) WHERE none(n IN nodes(p) WHERE n.n = nodes(p)[-1].n AND n.n > 2) RETURN a.n, c.n",
    "MATCH p = (a:A)-[:T*0..2]->(b) UNWIND [i IN range(0, length(p)) WHERE nodes(p)[i].n > 3 | i] AS i RETURN a.n, i, count(*)",
    "MATCH p = (a:A)-[:T*1..2]->(b) RETURN sum(size([i IN range(0, length(p)) WHERE nodes(p)[i].n > 3])) AS s, [i IN [0] | nodes(p)[i].n] AS k",
    "MATCH p = (a:A)-[:T*1..2]->(b) RETURN a.n AS a, b.n AS b ORDER BY size([i IN range(0, length(p)) WHERE nodes(p)[i].n > 3]) DESC, a, b, length(p) LIMIT 5",
    "MATCH (a:A) OPTIONAL MATCH p = (a)-[:T*2]->(b) WHERE all(i IN [0, 1] WHERE nodes(p)[i].n > nodes(p)[i + 1].n) RETURN a.n, b.n",
];

#[test]
fn parts_are_what_the_path_says() {
    let snapshot = created(&[
        "UNWIND range(0, 8) AS n CREATE (:A {n: n})",
        "MATCH (a:A), (b:A) WHERE (a.n * 2 + b.n) % 5 = 1 CREATE (a)-[:T {w: a.n * 10 + b.n}]->(b)",
        "MATCH (a:A {n: 3}) CREATE (a)-[:T {w: 1}]->(a)",
    ]);
    assert!(agree_on(WITHIN_BODIES.map(str::to_owned), &snapshot) > 20);
    let listed = sorted_rows_and_plan(WITHIN_BODIES[0], &snapshot, Options::default(), Settings::default());
    assert_eq!(listed.1.matches("nodes(").count(), 1, "{}", listed.1);
    let graph = Graph::read(&snapshot);
    let mut wrong = Vec::new();
    for (text, makes) in ASKED {
        agree(text, &snapshot, &graph, BTreeMap::new());
        let (_, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
        if plan.contains("Compute p = ") != *makes {
            wrong.push(format!("{text}\n{plan}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
