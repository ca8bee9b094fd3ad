//! Subqueries that are run for each row, against the interpreter: the first rows of an order, groups and
//! different values of each row, whether they become part of the query or not.

use std::collections::BTreeMap;

use trimorph_base::Random;
use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_testkit::graphs::{LoadOptions, RandomGraph, random_graph};
use trimorph_testkit::interpreter::Graph;

use super::ask::{created, sorted_rows_and_plan};
use super::in_lists::agree;

/// Rows with what the subquery gives, where it is known which rows these are: keys that are unique.
const ASKED: &[&str] = &[
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->(b) RETURN b ORDER BY r.n, b.n LIMIT 2 } RETURN a.n AS a, b.n AS b",
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->(b) RETURN b.n AS n, r.n AS k ORDER BY r.n DESC, b.n LIMIT 1 } RETURN a.n AS a, n, k",
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]-(b) WITH b, r ORDER BY b.s, r.n, b.n LIMIT 3 WHERE b.n > 2 RETURN b.n AS n } RETURN a.n AS a, n",
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->(b) RETURN b.s AS s, count(*) AS c } RETURN a.n AS a, s, c",
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->(b) WITH b.s AS s, count(*) AS c, sum(r.n) AS t ORDER BY c DESC, s LIMIT 1 RETURN s, c, t } RETURN a.n AS a, s, c, t",
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->(b) RETURN DISTINCT b.s AS s } RETURN a.n AS a, s",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b)-[:T]->(c) WHERE c.n > a.n RETURN c ORDER BY c.n DESC, b.n LIMIT 2 } RETURN a.n AS a, c.n AS c, count(*) AS k",
    "MATCH (a:A)-[r:T]->(b) CALL (b) { MATCH (b)-[q:T]->(c) RETURN c.n AS c ORDER BY q.n, c.n LIMIT 1 } RETURN a.n AS a, b.n AS b, r.n AS r, c",
    "MATCH (a:A)-[r:T]->(b) CALL (a, b) { MATCH (a)-[:T]->(c) WHERE c.n < b.n RETURN c.s AS s, max(c.n) AS m } RETURN a.n AS a, b.n AS b, r.n AS r, s, m",
    "MATCH (a:A) WHERE a.n % 2 = 0 WITH a, a.s + '!' AS t CALL (a, t) { MATCH (a)-[:T]->(b) WHERE b.s + '!' <> t RETURN b.n AS n ORDER BY b.n LIMIT 2 } RETURN a.n AS a, t, n",
    "MATCH (a:A) WITH a.s AS s, count(*) AS k CALL (s) { MATCH (b:A) WHERE b.s = s RETURN b.n AS n ORDER BY b.n DESC LIMIT 2 } RETURN s, k, n",
    "MATCH (a:A) WITH DISTINCT a.s AS s CALL (s) { MATCH (b:A) WHERE b.s = s RETURN b.n % 3 AS n, count(*) AS c } RETURN s, n, c",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) UNWIND [b.n, b.n + 1, null] AS x RETURN x ORDER BY x DESC LIMIT 2 } RETURN a.n AS a, x",
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->(b) RETURN b ORDER BY b.s, b.n, r.n LIMIT 1 } MATCH (b)-[:T]->(c) RETURN a.n AS a, b.n AS b, count(c) AS k",
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->(b) RETURN b ORDER BY b.n, r.n LIMIT 2 } WITH a, b WHERE b.n > 3 RETURN a.n AS a, b.n AS b",
    "MATCH (a:A) CALL (a) { MATCH (b:A)-[:T]->(c) WHERE c.s = a.s RETURN b.n AS n, c.n AS m ORDER BY b.n, c.n LIMIT 2 } RETURN a.n AS a, n, m",
    "MATCH (a:A) CALL (a) { MATCH (b:A) WHERE b.n < a.n RETURN b.n AS n ORDER BY b.n DESC LIMIT 1 } RETURN a.n AS a, n",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b), (c:A) RETURN c.n AS n ORDER BY c.n, b.n LIMIT 1 } RETURN a.n AS a, n",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN count(*) AS c, max(b.n) AS m } RETURN a.n AS a, c, m",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN b.n AS n ORDER BY n LIMIT 0 } RETURN a.n AS a, n",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN b.n AS n ORDER BY n SKIP 1 LIMIT 1 } RETURN a.n AS a, n",
    "UNWIND [1, 1, 2] AS x MATCH (a:A {n: x}) CALL (a) { MATCH (a)-[:T]->(b) RETURN b.n AS n ORDER BY n LIMIT 1 } RETURN x, n",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN a.n + b.n AS n ORDER BY n LIMIT 1 UNION MATCH (a) RETURN a.n AS n } RETURN a.n AS a, n",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) CALL (b) { MATCH (b)-[:T]->(c) RETURN c.n AS m ORDER BY m LIMIT 1 } RETURN b.n AS n, m ORDER BY n DESC, m LIMIT 2 } RETURN a.n AS a, n, m",
];

/// What is aggregated of all that is found for each row, also where that is nothing.
const AGGREGATED: &[&str] = &[
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN count(*) AS c, max(b.n) AS m, sum(b.n) AS s, avg(b.n) AS v } RETURN a.n AS a, c, m, s, v",
    "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->(b) WHERE b.n > a.n RETURN count(r.n) AS c, count(DISTINCT b.s) AS d, min(b.s) AS t } RETURN a.n AS a, c, d, t",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN sum(1) AS one, count(1) AS ones, count(a) AS some, sum(a.n) AS own, sum(coalesce(b.n, 5)) AS c } RETURN a.n AS a, one, ones, some, own, c",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN size(collect(b.n)) AS l, size(collect(1)) AS k, size(collect(DISTINCT a.n)) AS d, min(b.n) AS s } RETURN a.n AS a, l, k, d, s",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b)-[:T]->(c) WITH count(*) AS c, max(c.n) AS m RETURN c + 1 AS c, m AS m, c = 0 AS none } RETURN a.n AS a, c, m, none",
    "MATCH (a:A) CALL (a) { MATCH (b:A) WHERE b.s = a.s RETURN count(b) AS c, max(b.n + a.n) AS m } RETURN a.n AS a, c, m",
    "MATCH (a:A)-[r:T]->(b) CALL (a, b) { MATCH (a)-[:T]->(c)-[:T]->(b) RETURN count(c) AS c, percentileDisc(c.n, 0.5) AS p } RETURN a.n AS a, b.n AS b, r.n AS r, c, p",
    "MATCH (a:A) WHERE a.n > 20 CALL (a) { MATCH (a)-[:T]->(b) RETURN count(*) AS c } RETURN a.n AS a, c",
    "OPTIONAL MATCH (a:None) CALL (a) { MATCH (a)-[:T]->(b) RETURN count(*) AS c, sum(1) AS s } RETURN a, c, s",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN count(*) AS c } CALL (a, c) { MATCH (a)<-[:T]-(b) WHERE b.n < c RETURN count(*) AS d } RETURN a.n AS a, c, d",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) CALL (b) { MATCH (b)-[:T]->(c) RETURN count(c) AS k } RETURN sum(k) AS t } RETURN a.n AS a, t",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T*1..2]->(b) RETURN count(*) AS c } RETURN a.n AS a, c",
    "UNWIND [1, 1, 2] AS x MATCH (a:A {n: x}) CALL (a) { MATCH (a)-[:T]->(b) RETURN count(*) AS c } RETURN x, c",
    "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(b) RETURN count(CASE WHEN b.n IS NULL THEN 1 WHEN a.n > 3 THEN 2 END) AS c } RETURN a.n AS a, c",
];

#[test]
fn what_is_aggregated_is_that_of_each_row() {
    let snapshot = created(&[
        "UNWIND range(0, 11) AS n CREATE (:A {n: n, s: CASE WHEN n % 5 > 0 THEN 'w' + toString(n % 3) END})",
        "MATCH (a:A), (b:A) WHERE (a.n * 5 + b.n * 3) % 7 < 3 AND a.n <> 4 CREATE (a)-[:T {n: (a.n + 2 * b.n) % 6}]->(b)",
        "MATCH (a:A), (b:A) WHERE a.n + b.n = 9 AND a.n <> 4 CREATE (a)-[:T {n: a.n}]->(b), (a)-[:T]->(b)",
    ]);
    let graph = Graph::read(&snapshot);
    for text in AGGREGATED {
        agree(text, &snapshot, &graph, BTreeMap::new());
    }
    for seed in 0..20 {
        let snapshot = random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
        let graph = Graph::read(&snapshot);
        for text in [
            "MATCH (a) CALL (a) { MATCH (a)-->(b) RETURN count(*) AS c, count(DISTINCT b) AS d, sum(1) AS s } RETURN c, d, s, count(*) AS k",
            "MATCH (a)-->(x) CALL (x) { MATCH (x)--(b) WHERE b <> x RETURN count(b) AS c } RETURN c, count(*) AS k",
        ] {
            agree(text, &snapshot, &graph, BTreeMap::new());
        }
    }
}

/// How many of them become part of the query.
const GROUPED: usize = 15;

#[test]
fn rows_are_those_of_each_row() {
    let snapshot = created(&[
        "UNWIND range(0, 11) AS n CREATE (:A {n: n, s: CASE WHEN n % 5 > 0 THEN 'w' + toString(n % 3) END})",
        "MATCH (a:A), (b:A) WHERE (a.n * 5 + b.n * 3) % 7 < 3 AND a.n <> 4 CREATE (a)-[:T {n: (a.n + 2 * b.n) % 6}]->(b)",
        "MATCH (a:A), (b:A) WHERE a.n + b.n = 9 CREATE (a)-[:T {n: a.n}]->(b), (a)-[:T]->(b)",
    ]);
    let graph = Graph::read(&snapshot);
    let mut grouped = 0;
    for text in ASKED {
        agree(text, &snapshot, &graph, BTreeMap::new());
        let (_, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
        grouped += usize::from(!plan.contains("Apply"));
    }
    assert_eq!(grouped, GROUPED);
}

#[test]
fn first_rows_of_random_graphs() {
    let mut random = Random::new(3);
    for seed in 0..20 {
        let snapshot = random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
        let graph = Graph::read(&snapshot);
        for _ in 0..6 {
            let (count, descending) = (1 + random.below(4), ["", " DESC"][random.below(2)]);
            let pattern = ["(a)-[r]->(b)", "(a)<-[r]-(b)", "(a)-[r]-(b)"][random.below(3)];
            let key = ["id(b)", "b.p0", "type(r)"][random.below(3)];
            let text = format!(
                "MATCH (a) CALL (a) {{ MATCH {pattern} WITH DISTINCT b, {key} AS k ORDER BY k{descending}, id(b) LIMIT {count} RETURN b }} RETURN id(a) AS a, id(b) AS b"
            );
            agree(&text, &snapshot, &graph, BTreeMap::new());
        }
    }
}

/// More rows than are kept before they are looked through, on threads, in little memory, and with ties.
#[test]
fn first_rows_of_many() {
    let db = trimorph::Database::in_memory(trimorph::Config::new());
    let c = db.connect();
    let run = |text: &str| c.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
    run("UNWIND range(0, 999) AS n CREATE (:G {n: n})");
    run(
        "MATCH (g:G) UNWIND range(0, 149) AS i CREATE (g)-[:T]->(:I {k: (i * 7 + g.n) % 50, i: g.n * 150 + i, s: CASE WHEN i % 3 > 0 THEN i % 5 END, far: CASE i % 50 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 WHEN 2 THEN 9223372036854775806 END})",
    );
    let mut asked = 0;
    let keys = [
        ("k, i", "sum(m.k)"),
        ("k", "sum(m.k)"),
        ("k DESC", "sum(m.k)"),
        ("k DESC, i DESC", "sum(m.i)"),
        ("s", "sum(m.s)"),
        ("s DESC", "count(m.s)"),
        ("none", "count(m.none)"),
        ("far", "count(m.far)"),
        ("far DESC", "count(m.far)"),
    ];
    for (order, sum) in keys {
        let order = order.split(", ").map(|key| format!("m.{key}")).collect::<Vec<_>>().join(", ");
        let called = format!(
            "MATCH (g:G) CALL (g) {{ MATCH (g)-[:T]->(m) RETURN m ORDER BY {order} LIMIT 4 }} RETURN count(*) AS n, {sum} AS s, count(DISTINCT g) AS g"
        );
        let listed = format!(
            "MATCH (g:G)-[:T]->(m) WITH g, m ORDER BY {order} WITH g, collect(m)[0..4] AS ms UNWIND ms AS m RETURN count(*) AS n, {sum} AS s, count(DISTINCT g) AS g"
        );
        let rows = |text: &str| format!("{:?}", run(text).rows().unwrap());
        assert_eq!(rows(&called), rows(&listed), "{order}");
        asked += 1;
    }
    assert_eq!(asked, 9);
}
