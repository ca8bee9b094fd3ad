//! Counts that need not look at rows, against the interpreter: by labels and types, and of what no row lacks.

use std::collections::BTreeMap;

use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_optimizer::Options;
use trimorph_store::Snapshot;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::graphs::{LoadOptions, RandomGraph, random_graph};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created, sorted_rows_and_plan};

const QUERIES: &[&str] = &[
    "MATCH (n) RETURN labels(n) AS l, count(*) AS n",
    "MATCH (n) RETURN labels(n)[-1] AS l, count(n) AS n",
    "MATCH (n) RETURN size(labels(n)) AS l, count(*) AS n",
    "MATCH ()-[r]->() RETURN type(r) AS t, count(*) AS n",
    "MATCH ()<-[r]-() RETURN type(r) AS t, count(r) AS n, count(*) AS m",
    "MATCH ()-[r]-() RETURN type(r) AS t, count(*) AS n",
    "MATCH (a)-[r]->(b) RETURN labels(a) AS a, type(r) AS t, labels(b) AS b, count(*) AS n",
    "MATCH (a)<-[r]-(b) RETURN labels(a) AS a, labels(b) AS b, count(*) AS n",
    "MATCH (a)-[r]->(a) RETURN type(r) AS t, count(*) AS n",
    "MATCH (a)-[r]->(b)-[s]->(c) RETURN type(r) AS t, type(s) AS u, count(*) AS n",
    "MATCH (a)-[r]->() RETURN type(r) AS t, labels(a) = ['A'] AS a, count(*) AS n",
    "MATCH ()-[r]->() RETURN type(r) + '!' AS t, count(*) AS n ORDER BY n DESC, t",
    "MATCH ()-[r]->() RETURN DISTINCT type(r) AS t",
    "MATCH ()-[r]->() RETURN count(r) AS n",
    "MATCH (a)-[r]->(b) RETURN count(a) AS a, count(b) AS b, count(DISTINCT a) AS d",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN count(a) AS a, count(r) AS r, count(b) AS b, count(*) AS n",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN labels(a) AS l, count(b) AS b",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) WHERE b.n > 3 RETURN labels(a) AS l, count(b) AS b, count(r) AS r",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN a.n AS n, count(b) AS b, min(a.n) AS low, count(DISTINCT a) AS d",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN a.n AS n, count(b) AS b, sum(a.n) AS s",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) WITH a, count(b) AS n OPTIONAL MATCH (a)<-[s]-(c) RETURN n, count(c) AS m",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b)-[s]->(c) RETURN count(s) AS s, max(a.n) AS high",
    "MATCH (a)-->(x) OPTIONAL MATCH (x)-[r]->(b) RETURN a.n AS n, count(b) AS b",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN a.n AS n, count(b.n) AS b",
    "OPTIONAL MATCH (a:None) OPTIONAL MATCH (a)-[r]->(b) RETURN a, count(b) AS b",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN b, count(r) AS n",
    "MATCH (a) WITH a AS x RETURN count(x) AS n",
    "MATCH (a) WITH a.nothing AS x RETURN count(x) AS n",
    "OPTIONAL MATCH (a:None) WITH a AS x RETURN count(x) AS n",
    "MATCH (n:None) RETURN labels(n) AS l, count(*) AS n",
    "MATCH (a)-[r]->(b) WITH a, collect(b) AS l RETURN a.n AS a, size(l) AS n",
    "MATCH (a)-[r]->(b) WITH a, collect(b) AS l, collect(r.w) AS k WHERE size(l) > 1 RETURN a.n AS a, size(l) AS n, k",
    "MATCH (a)-[r]->(b) WITH a, collect(DISTINCT r.w) AS l WITH a AS x, l AS m, size(l) + 1 AS s RETURN x.n AS x, size(m) * s AS n",
    "MATCH (a)-[r]->(b) WITH a, collect(b) AS l WITH a, l AS m, l AS k RETURN a.n AS a, size(m) AS n, size(k) AS o, m IS NULL AS p",
    "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN a.n AS a, size(collect(b)) AS n, size(collect(r.w)) AS w, size(collect(DISTINCT b.n)) AS d",
    "MATCH (a)-[r]->(b) WITH collect(b.none) AS l RETURN size(l) AS n, size([1, 2]) AS m",
    "MATCH (a)-[r]->(b) WITH a, collect(b) AS l ORDER BY size(l) DESC, a.n LIMIT 3 RETURN a.n AS a, size(l) AS n",
    "MATCH (a:None) RETURN size(collect(a)) AS n",
    "MATCH (a)-[r]->(b) WITH type(r) AS t, collect(a.n) AS l WHERE size(l) > 2 RETURN t, l[0] IN l AS x",
    "MATCH (a)-[r]->(b) WITH type(r) AS t, collect(a) AS l UNWIND range(1, size(l)) AS i RETURN t, i",
    "MATCH ()-[r]->() WHERE r.w > 2 RETURN type(r) AS t, count(*) AS n",
    "MATCH ()-[r]->() WHERE r.w IS NOT NULL RETURN type(r) AS t, r.w % 3 AS w, count(*) AS n, count(r.k) AS k, max(r.w) AS m",
    "MATCH (a)-[r]-(b) RETURN type(r) AS t, count(*) AS n, min(r.w) AS low",
    "MATCH (a)-[r]-(b:B) WHERE r.w < 10 RETURN count(*) AS n, min(r.w) AS low, max(a.n) AS high",
    "MATCH (a:A)-[r:T|U]->(b) RETURN a.n AS a, count(r) AS n, max(b.n) AS b",
    "MATCH (a)<-[r:T|U]-(b) WHERE type(r) = 'T' OR r.w = 3 RETURN labels(b) AS l, type(r) AS t, count(*) AS n",
    "MATCH (a)-[r]->(a) RETURN type(r) AS t, min(r.w) AS w, count(a) AS n",
    "MATCH (a)-[r]->(b) RETURN type(r) AS t, sum(r.w) AS s, avg(r.w) AS m",
    "MATCH ()-[r:None|T]->() WHERE r.w > 100 RETURN count(*) AS n, max(r.w) AS m",
    "MATCH ()-[r]->() WHERE r.w > 100 RETURN type(r) AS t, max(r.w) AS m",
    "MATCH ()-[r]->() WHERE r.w > 1 RETURN DISTINCT type(r) AS t",
    "MATCH (a:A) RETURN a.n % 3 AS k, null AS x, 'a' AS y, count(*) AS n",
    "MATCH (a:None) RETURN a.n AS k, 1 AS x, count(*) AS n",
    "MATCH (a:None) RETURN 1 AS x, count(*) AS n",
    "MATCH (a:A) RETURN a.n % 3 AS k, null AS x, count(*) AS n ORDER BY x, k LIMIT 2",
    "MATCH (a:A) WITH a, split(toString(a.n) + '.x.' + toString(a.n % 4), '.') AS p RETURN p[2] AS k, count(*) AS n",
    "MATCH (a:A) WITH split(toString(a.n) + '.x', '.') AS p RETURN toInteger(p[0]) + 1 AS k, max(p[7]) AS m",
    "MATCH (a:A) WITH split(toString(a.n) + '.x', '.') AS p RETURN p[-1] AS k, count(p[0]) AS n",
    "MATCH (a) WITH split(a.nothing, '.') AS p, a.n AS n RETURN p[0] AS k, count(n) AS n",
    "MATCH (a:A) WITH split('a.b', '.') AS p, a RETURN a.n AS n, p[a.n % 2] AS k",
    "MATCH (a:A) WITH split(toString(a.n), '') AS p, a RETURN a.n AS n, p[0] AS k, size(p) AS s",
    "MATCH (a) WITH split(a.s, 'a') AS p WHERE p[0] <> '' RETURN p[0] + '-' + p[1] AS k, count(*) AS n, max(p[-1]) AS m",
    "MATCH (a) WITH toString(a.n) + '.' + toString(a.n % 2) AS t WITH split(t, '.') AS p, t WHERE p[1] = '1' AND p[0] > '1' RETURN p[0] AS k, p[1] AS l, p[2] AS m, t",
    "MATCH (a) WITH a, split(a.s, '1') AS p WHERE p[0] IS NULL OR size(p) > 1 RETURN a.s AS s, p[1] AS k",
    "MATCH (a) RETURN {n: a.n % 3, s: a.nothing} AS k, count(*) AS n",
    "MATCH (a) RETURN [a.n % 3, {l: labels(a), m: [a.n]}] AS k, a.n AS m, count(*) AS n",
    "MATCH (a:None) RETURN {n: a.n} AS k, [] AS l, {} AS m, count(*) AS n",
    "MATCH (a) WITH [a.n % 2 = 0, a.nothing] AS k, max(a.n) AS n RETURN k[0] AS x, k[1] AS y, n, k",
    "MATCH (a) RETURN [] AS k, {} AS l, count(*) AS n",
    "MATCH (a) RETURN DISTINCT {n: a.n % 3, l: labels(a)} AS k",
    "MATCH (a) RETURN DISTINCT [a.n % 2, a.nothing] AS k, a.n % 3 AS m, {} AS e ORDER BY m, k",
    "MATCH (a)-->(b) WITH DISTINCT [a.n, b.n] AS k, {x: {y: a.n % 2}} AS l RETURN k[0] AS x, k[1] AS y, l.x.y AS z",
    "MATCH (a) RETURN count(DISTINCT [a.n % 3, labels(a)]) AS n, count(DISTINCT {n: a.n, m: null}) AS m, count(DISTINCT []) AS e",
    "MATCH (a) RETURN labels(a) AS l, count(DISTINCT [a.n % 3, toFloat(a.n % 2), a.nothing]) AS n, count(DISTINCT [a]) AS m",
    "MATCH (a) WITH CASE WHEN a.n % 3 = 0 THEN {k: a.n % 4} WHEN a.n % 3 = 1 THEN {k: toFloat(a.n % 4), l: [a.n % 2]} END AS k RETURN k, count(*) AS n, count(DISTINCT k) AS d",
    "MATCH (a) WITH a, {n: a.n % 3, s: toString(a.n % 2)} AS k RETURN k, a.n % 2 AS m, count(*) AS n",
    "MATCH (a) WITH a, {n: a.n % 3, m: {s: toString(a.n % 2), l: [a.n % 2, 'x']}} AS k UNWIND [k, null, {n: 1}, {n: 1.0}, {n: a.n % 3, m: {s: '1', l: [1, 'x']}}] AS m RETURN m, count(*) AS n, count(DISTINCT m) AS d",
    "MATCH (a) WITH {n: a.n % 3} AS k, a MATCH (b) WHERE {n: b.n % 5} = k RETURN k, count(*) AS n",
    "UNWIND [{a: 1}, {a: 1.0}, {a: null}, null, {b: 1}, {a: 1, b: 1}, {}, [1, 2], [1.0, 2], [[1], null], [[1.0], null], [], 'x', {a: [1]}, {a: [1.0]}] AS v UNWIND [v, v] AS w RETURN w, count(*) AS n",
    "MATCH (a) WITH collect(DISTINCT [a.n % 3, toString(a.n % 2)]) AS l, collect(DISTINCT {n: a.n % 3}) AS m RETURN size(l) AS l, size(m) AS m",
    "MATCH (a) RETURN {a: 1, b: [null]} AS k, [a.n] AS l, count(*) AS n",
    "MATCH (a) WITH count(*) AS t MATCH (b) WITH t, b.n % 3 AS k, count(*) AS n RETURN k, toFloat(n) / t AS p",
    "MATCH (a) WITH avg(a.n) AS m, max(a.n) AS h MATCH (a)-->(b) WITH a, m, h, avg(b.n) AS own WHERE own > m RETURN a.n AS k, own, h",
    "MATCH (a:None) WITH count(*) AS t MATCH (b) RETURN t, count(*) AS n",
    "MATCH (a) WITH count(*) AS t MATCH (b:None) WITH t, b.n AS k, count(*) AS n RETURN t, k, n",
    "MATCH (a) WITH max(a.n) AS t MATCH (b) WITH t, b.n % 2 AS k, sum(b.n + t) AS s RETURN t, k, s",
    "MATCH (a) WITH max(a.n) AS t MATCH (b) WITH t AS t, b.n % t AS k, count(*) AS n RETURN t, k, n",
    "MATCH (a) WITH collect(a.n) AS l MATCH (b) WITH l AS l, b, count(*) AS n RETURN b.n AS k, n, size(l) AS s",
    "MATCH (a:A) WITH a LIMIT 0 WITH count(a) AS t WHERE t > 0 MATCH (b) WITH t, b.n AS k, count(*) AS n RETURN t, k, n",
    "MATCH (a) WITH a.n % 3 AS k, collect(DISTINCT [a.n % 2, toString(a.n % 5), a.nothing]) AS l UNWIND l AS x RETURN k, x[0] AS a, x[1] AS b, x[2] AS c, count(*) AS n",
    "MATCH (a)-->(b) WITH a, collect(DISTINCT {n: b.n, l: labels(b), e: {}}) AS l UNWIND l AS x RETURN a.n AS k, x.n AS n, x.l AS l, x.e AS e",
    "MATCH (a:None) RETURN collect(DISTINCT [a.n, 1]) AS l",
    "MATCH (a:None) RETURN a.n AS k, collect(DISTINCT {n: a.n}) AS l",
    "MATCH (a) WITH collect(DISTINCT [a.n % 3, 1]) AS l RETURN size(l) AS n",
    "MATCH (a) WITH a ORDER BY a.n % 7, a.n RETURN collect(DISTINCT [a.n % 7])[0..3] AS l",
    "CALL { MATCH (a:A) RETURN a.n AS k, a AS x UNION ALL MATCH (a:B)-->(b) RETURN b.n AS k, b AS x } RETURN k, count(*) AS n, count(x) AS x, max(x.n) AS m",
    "CALL { MATCH (a)-[r]->(b) RETURN a, r.w AS w UNION ALL MATCH (a)<-[r]-(b) RETURN a, r.k AS w } RETURN a.n AS n, count(w) AS c, min(w) AS low, max(w) AS high",
    "CALL { MATCH (a)-->() RETURN a UNION ALL MATCH (a)<--() RETURN a UNION ALL MATCH (a:None) RETURN a } RETURN a, count(*) AS n",
    "CALL { MATCH (a) RETURN a.n AS k UNION ALL MATCH (b:B) RETURN b.n + 0.0 AS k } RETURN k, count(*) AS n, count(k) AS c",
    "CALL { MATCH (a:None) RETURN a.n AS k UNION ALL MATCH (b:None) RETURN b.n AS k } RETURN count(*) AS n, min(k) AS m",
    "CALL { MATCH (a)-->() RETURN a.n AS k UNION ALL MATCH (b:None) RETURN b.n AS k } RETURN count(k) AS n, min(k) AS m",
    "CALL { MATCH (a:None) RETURN a.n AS k UNION ALL MATCH (b:None) RETURN b.n AS k } RETURN k, count(*) AS n",
    "CALL { MATCH (a) RETURN a.n AS k LIMIT 0 UNION ALL MATCH (a)-->(b) WITH DISTINCT b RETURN b.n AS k } RETURN k, count(*) AS n",
    "CALL { MATCH (a)-->() RETURN a.n AS k UNION ALL MATCH (a)<--() RETURN a.n AS k } RETURN k, sum(k) AS s, count(*) AS n",
    "CALL { MATCH (a)-->(b) RETURN a.n AS k, b.n AS v UNION ALL MATCH (a) RETURN a.n AS k, null AS v } RETURN k, count(DISTINCT v) AS d, count(v) AS n",
    "CALL { MATCH (a)-->(b) RETURN a, b.n AS v UNION MATCH (a) RETURN a, a.n AS v } RETURN a.n AS k, count(*) AS n, max(v) AS m",
    "MATCH (c:C) CALL (c) { MATCH (c)-[r]->(b) RETURN r.w AS w UNION ALL MATCH (c)<-[r]-(b) RETURN r.w AS w } RETURN c, count(w) AS n, max(w) AS m",
];

fn agree(snapshot: &Snapshot) {
    let graph = Graph::read(snapshot);
    let now = Clock { seconds: 0, nanos: 0 };
    for text in QUERIES {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 20_000_000).unwrap();
        let found = ask(text, snapshot, Settings::default()).unwrap();
        compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
    }
}

#[test]
fn counts_agree_with_the_interpreter() {
    agree(&created(&[
        "UNWIND range(1, 30) AS n CREATE (:A {n: n})-[:T {w: n % 7}]->(:A:B {n: n}), (:C)-[:U {w: n, k: 1}]->(:A)",
        "MATCH (a:A), (b:B) WHERE a.n = b.n + 1 CREATE (a)-[:T]->(b), (b)-[:U]->(a)",
        "MATCH (c:C) CREATE (c)-[:T]->(c)",
        "CREATE ({n: 1})",
    ]));
    for seed in 0..12 {
        agree(&random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap());
    }
}

#[test]
fn lists_of_which_the_size_is_asked_are_counted() {
    let snapshot = created(&["UNWIND range(1, 9) AS n CREATE (:A {n: n})-[:T]->(:B {n: n % 3})"]);
    for (text, is_made) in [
        ("MATCH (a:A)-[:T]->(b) WITH b.n AS k, collect(a) AS l RETURN k, size(l)", false),
        (
            "MATCH (a:A)-[:T]->(b) WITH b.n AS k, collect(a) AS l WITH k, l AS m WHERE size(m) > 2 RETURN k",
            false,
        ),
        ("MATCH (a:A)-[:T]->(b) WITH b.n AS k, collect(a) AS l RETURN k, size(l), l", true),
        ("MATCH (a:A)-[:T]->(b) WITH b.n AS k, collect(a) AS l RETURN k, size(l), l[0].n", true),
        ("MATCH (a:A)-[:T]->(b) WITH b.n AS k, collect(DISTINCT [a.n, b.n]) AS l RETURN k, size(l)", true),
    ] {
        let (_, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
        assert_eq!(plan.contains("collect("), is_made, "{text}\n{plan}");
    }
}
