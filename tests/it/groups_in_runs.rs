//! Groups by a node whose rows come one after the other, alone and with other keys: the same answers as the
//! interpreter's, whatever the size of vectors and the number of threads, with groups that are longer than a
//! vector and those that are cut.

use std::collections::BTreeMap;

use trimorph_exec::{PhysicalOptions, PhysicalPlan, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::graphs::{LoadOptions, RandomGraph, random_graph};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created};

/// Those whose groups come in runs on the graph below, whatever the order of steps.
const IN_RUNS: &[&str] = &[
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) WITH a, count(r) AS n RETURN a.n AS k, n",
    "MATCH (a:A) OPTIONAL MATCH (a)-[:T]->(b) WITH a, count(b) AS n OPTIONAL MATCH (a)<-[:U]-(c) WITH a, n, count(c) AS m RETURN n, m, count(*) AS k",
    "MATCH (a:A) WITH a, COUNT { (a)-->() } AS n WITH a, n, count(*) AS m RETURN a.n AS k, n, m",
    "MATCH (a) WITH a AS x, a.n % 3 AS k WITH x, k, count(*) AS n, max(x.n) AS m RETURN k, n, m",
    "MATCH (a) UNWIND [1, 2, a.n, null, 2] AS x WITH a, count(x) AS n, count(DISTINCT x) AS d, sum(DISTINCT x) AS s, collect(x) AS l RETURN a.n AS k, n, d, s, l",
    "MATCH (a) UNWIND range(0, a.n % 40) AS x WITH a, count(DISTINCT x % 7) AS d, count(DISTINCT toString(x % 5)) AS t, count(DISTINCT [x % 3, 'a']) AS p, min(x) AS low, max(toString(x)) AS high RETURN a.n AS k, d, t, p, low, high",
    "MATCH (a) UNWIND range(0, a.n % 40) AS x WITH a, avg(x) AS m, stDev(x) AS s, percentileDisc(x, 0.5) AS p, percentileCont(x, 0.25) AS q, collect(DISTINCT x % 4) AS l, min(CASE WHEN x > 100 THEN date('2020-01-01') END) AS none RETURN a.n AS k, m, s, p, q, size(l) AS l, none",
    "MATCH (a) UNWIND CASE WHEN a.n % 2 = 0 THEN [1, 1.0, 'x', null] ELSE [[1], [1.0], {k: 1}, 2.5, 2.5] END AS x WITH a, count(DISTINCT x) AS d, max(x) AS m, min(x) AS w, collect(x) AS l RETURN a.n AS k, d, m, w, size(l) AS l",
    "MATCH (a) UNWIND range(1, 3) AS x WITH a, sum(x * 1.5) AS s, sum(CASE WHEN x = 2 THEN null ELSE x END) AS t, max(date('2020-01-01') + duration({days: x})) AS d WITH a, s, t, d, count(*) AS n RETURN a.n AS k, s, t, d, n LIMIT 100000",
    "MATCH (a) OPTIONAL MATCH (a)-->(b) WITH a, collect(b.n) AS l, count(*) AS n RETURN a.n AS k, size(l) AS l, n",
    "MATCH (a) OPTIONAL MATCH (a)-->(b) WITH a, max(b.n) AS m, count(b) AS n OPTIONAL MATCH (a)<--(c) WHERE c.n > 3 WITH a, m, n, count(DISTINCT c) AS d, min(c.n) AS w RETURN a.n AS k, m, n, d, w",
    "MATCH (a:A) WHERE a.n > 3 OPTIONAL MATCH (a)-[*1..2]->(b) WITH a, count(DISTINCT b) AS d, count(b) AS n RETURN a.n AS k, d, n",
    // Rows that are told apart.
    "MATCH (a)-->(b)-->(c) WITH DISTINCT a, c WITH a, count(*) AS n RETURN a.n AS k, n",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) WITH DISTINCT a, r.w AS w, b.n % 2 AS odd RETURN a.n AS k, w, odd",
    "MATCH (a) UNWIND range(0, abs(a.n) % 40) AS x WITH DISTINCT x % 3 AS r, a, toString(x % 4) AS t WITH a, r, count(t) AS n RETURN a.n AS k, r, n ORDER BY n DESC, k, r LIMIT 100000",
    // Several groups to a run.
    "MATCH (a) UNWIND range(0, abs(a.n) % 40) AS x WITH a, x % 3 AS r, count(*) AS n, sum(x) AS s, collect(x) AS l RETURN a.n AS k, r, n, s, size(l) AS l",
    "MATCH (a) UNWIND range(0, abs(a.n) % 40) AS x WITH toString(x % 4) AS t, a, count(DISTINCT x % 5) AS d, avg(x * 0.5) AS m, max(toString(x)) AS h RETURN a.n AS k, t, d, m, h",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) WITH a, b, r.w AS w, count(*) AS n, min(b.n) AS m RETURN a.n AS k, b.n AS l, w, n, m",
    "MATCH (a) UNWIND [1, 1.0, null, 'x', null, [1], [1.0], 'x'] AS x WITH a, x, count(*) AS n RETURN a.n AS k, count(*) AS groups, sum(n) AS n",
    "MATCH (a) UNWIND range(1, 30) AS x WITH a, x % 7 AS r, count(*) AS n WITH a, count(r) AS c, sum(n) AS s WITH a, c, s, count(*) AS one RETURN a.n AS k, c, s, one",
    "MATCH (a) UNWIND range(1, 30) AS x WITH a, x % 7 AS r, count(*) AS n RETURN a.n AS k, r, n ORDER BY n DESC, k, r LIMIT 900",
    "MATCH (a) UNWIND range(1, 30) AS x WITH a, x % 7 AS r, sum(x) AS s WITH a, r % 2 AS odd, sum(DISTINCT s) AS t, percentileCont(s, 0.5) AS p, stDev(s) AS d RETURN a.n AS k, odd, t, p, d",
];

/// Those by what follows from the node, of which several may have the same.
const OF_NODES: &[&str] = &[
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN a.n AS k, count(b) AS n, sum(b.n) AS s, min(b.n) AS l, max(r.w) AS h",
    "MATCH (a) UNWIND range(1, 3) AS x RETURN a.n % 7 AS k, count(*) AS n, sum(x * a.n) AS s, avg(x) AS m",
    "MATCH (a) UNWIND range(0, abs(a.n) % 40) AS x RETURN a.n AS k, a.n > 5 AS big, labels(a) AS l, count(x) AS n, sum(x * 0.5) AS s, max(toString(x)) AS h",
    "MATCH (a:A) UNWIND [1, null, 2.5] AS x RETURN abs(a.n) AS k, sum(x) AS s, avg(x) AS m, count(x) AS c, count(*) AS n, min(x) AS l",
    "MATCH (a:A) UNWIND [1, 2] AS x WITH a.n % 2 AS odd, toString(a.n % 5) AS t, sum(x) AS s WHERE s > 2 RETURN odd, t, s",
];

/// Those by what follows from a node that many rows have, whose rows come in any order.
const BY_NODE: &[&str] = &[
    "MATCH (a)-->(b) RETURN b.n AS k, count(*) AS n, min(a.n) AS m",
    "MATCH (a)-->(b) RETURN b.n AS k, b.n % 2 = 0 AS even, labels(b) AS l, count(*) AS n, size(tail(collect(DISTINCT a.n % 2))) AS c, max(a.n) AS m",
    "MATCH (a) OPTIONAL MATCH (a)-[:T]->(b) RETURN b.n AS k, b.n + 1 AS next, 'x' AS x, count(*) AS n, sum(a.n) AS s",
    "MATCH (a)-->(b)-->(c) RETURN b, toString(c.n) AS t, percentileDisc(a.n, 0.5) AS p, count(DISTINCT a) AS d",
    "MATCH (a)-->(b)-->(c) RETURN c.n % 5 AS k, c.n AS n, percentileCont(a.n, 0.5) AS p, max(b.n) AS d",
    "UNWIND range(1, 5) AS i MATCH (a) RETURN a.n AS k, toString(a.n) AS t, abs(a.n) / 2 AS h, count(i) AS n, sum(i) AS s",
    "MATCH (a)-->(b)-->(c) WITH b.n % 7 AS k, b.n AS n RETURN k, percentileDisc(n, 0.5) AS p, percentileCont(n, 0.25) AS q, count(*) AS c",
    "MATCH (a) OPTIONAL MATCH (a)-[:U]->(b) RETURN a.n % 3 AS k, percentileDisc(b.n, 0.5) AS p, percentileCont(b.n * 0.5, 0.9) AS q",
    "UNWIND range(1, 5) AS i MATCH (a) WITH a.n AS k, [a.n, i % 2] AS l, count(*) AS n RETURN k, l, n",
];

/// Others, some of which do by their plans.
const OTHERS: &[&str] = &[
    "MATCH (a)-->(b) WITH a, count(*) AS n, collect(b.n) AS l RETURN a.n AS k, n, size(l) AS l",
    "MATCH (a)-->(b)-->(c) WITH a, count(DISTINCT c) AS d, count(DISTINCT b) AS e, max(c.n) AS m RETURN a.n AS k, d, e, m",
    "MATCH (a)-->(b) WITH b, count(DISTINCT a) AS d, min(a.n) AS m RETURN b.n AS k, d, m",
    "MATCH (a)-[r]-(b) WITH a, type(r) AS t, count(*) AS n RETURN a.n AS k, t, n",
    "MATCH (a)-->(b) WITH a, b, count(*) AS n RETURN a.n AS k, b.n AS l, n",
    "MATCH (a)-->(b) WHERE EXISTS { (b)-->() } WITH a, count(b) AS n WHERE n > 1 RETURN count(*) AS k, max(n) AS n",
    "MATCH (a) WITH a, [(a)-->(b) | b.n] AS l WITH a, l, count(*) AS n RETURN a.n AS k, size(l) AS l, n",
    "MATCH (a) OPTIONAL MATCH (a)-->(b) OPTIONAL MATCH (b)-->(c) WITH b, count(c) AS n WITH b, n, count(*) AS m RETURN b.n AS k, n, m",
    // Rows without a match come behind those that have one, of whatever row of the outer apply.
    "MATCH (a) CALL (a) { OPTIONAL MATCH (a)-->(b) OPTIONAL MATCH (b)-->(c) WHERE c.n > 5 RETURN b, c } WITH a, count(b) AS n, count(c) AS m RETURN a.n AS k, n, m",
    "MATCH (a:None) WITH a, count(*) AS n RETURN a, n",
    "MATCH (b)-->(a) WITH a, count(*) AS n UNWIND [1, 2, 3] AS x MATCH (a)-->(c) WITH a, count(*) AS m, count(DISTINCT c) AS d RETURN a.n AS k, m, d",
    "MATCH (b)-->(a) WITH a, count(*) AS n OPTIONAL MATCH (a)<--(x) MATCH (a)-->(c)-->(d) WITH a, count(*) AS m, count(DISTINCT d) AS d RETURN a.n AS k, m, d",
    "MATCH (b)-->(a) WITH a, count(*) AS n MATCH (a)-->(c) WITH a, n, count(*) AS m, count(DISTINCT c) AS d RETURN a.n AS k, n, m, d",
    "MATCH (a)-->(b) OPTIONAL MATCH (a)-[:U]->(c) WHERE c.n = b.n WITH a, count(c) AS n, count(*) AS m RETURN a.n AS k, n, m",
    "MATCH (a) UNWIND [1, 2] AS x OPTIONAL MATCH (a)-->(c) WHERE c.n % 2 = x WITH a, count(c) AS n, count(*) AS m RETURN a.n AS k, n, m",
    "MATCH (a)-[*1..2]->(b) WITH a, count(DISTINCT b) AS d, count(*) AS n RETURN a.n AS k, d, n",
];

fn agree(snapshot: &Snapshot) {
    let graph = Graph::read(snapshot);
    for text in IN_RUNS.iter().chain(OF_NODES).chain(BY_NODE).chain(OTHERS) {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let now = Clock { seconds: 0, nanos: 0 };
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 200_000_000).unwrap();
        for (vector_size, threads) in [(2_048, 1), (3, 1), (17, 3)] {
            let settings = Settings { vector_size, threads, patient: threads == 1, ..Settings::default() };
            let found = ask(text, snapshot, settings).unwrap();
            let how = format!("{text}\nvectors of {vector_size}, {threads} threads");
            compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{how}\n{d}"));
        }
    }
}

#[test]
fn groups_in_runs_agree_with_the_interpreter() {
    let snapshot = created(&[
        "UNWIND range(1, 60) AS n CREATE (:A {n: n})-[:T {w: n % 7}]->(:A:B {n: -n})",
        "MATCH (a:A), (b:B) WHERE a.n % 10 = 0 AND b.n % 3 = 0 CREATE (a)-[:T]->(b), (b)-[:U]->(a)",
        "MATCH (a:A {n: 7}), (b:A) CREATE (a)-[:T]->(b), (b)-[:T]->(a)",
        "CREATE ({n: 1})",
    ]);
    agree(&snapshot);
    for text in IN_RUNS {
        let planned =
            optimize(bind(text, snapshot.catalog()).unwrap(), snapshot.catalog(), None, Options::default());
        let plan =
            PhysicalPlan::of_snapshot(&planned.unwrap(), &snapshot, PhysicalOptions::default()).unwrap();
        let in_runs = plan.forms().values().any(|form| form.operators.contains(&"aggregate in runs"));
        assert!(in_runs, "{text}: not in runs");
    }
    for seed in 0..12 {
        agree(&random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap());
    }
}
