//! Parts of patterns that have nothing in common but values, against the interpreter: every type, nulls,
//! values that do not equal themselves, several keys, and every place where a pattern may stand.

use std::collections::BTreeMap;

use trimorph_exec::{Execution, PhysicalOptions, PhysicalPlan, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::{HashJoins, Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::broken::Falsehood;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

use super::ask::created;

const NOW: Clock = Clock { seconds: 1_700_000_000, nanos: 0 };
const STEPS_MAX: u64 = 20_000_000;

/// Values that equal each other in other types, and some that equal nothing.
fn graph() -> Snapshot {
    created(&[
        "UNWIND range(0, 39) AS n CREATE (:A {n: n, k: n % 7, f: n / 2.0, s: 'w' + toString(n % 5), d: date('2020-01-01') + duration({days: n % 9})})",
        "UNWIND range(0, 29) AS n CREATE (:B {n: n, k: n % 4, f: toFloat(n), s: 'w' + toString(n % 8), d: date('2020-01-03') + duration({days: n % 6})})",
        "UNWIND [1, 1.0, 0.0 / 0.0, -0.0, 0, 'x', true, [1, 2], [1.0, 2.0], [1, null], 9007199254740993, 9007199254740992.0, date('2020-01-05'), localdatetime('2020-01-05T00:00:00'), datetime('2020-01-05T00:00:00Z'), datetime('2020-01-05T01:00:00+01:00'), duration('P1D')] AS v CREATE (:M {v: v})",
        "UNWIND [1, 2, 3] AS n CREATE (:M {w: n})",
        "UNWIND ['', 'w', 'w1', 'w1', 'w1x', 'w12', 'é', 'éa', 'W1', null, 3, true] AS t CREATE (:P {t: t})",
        "UNWIND ['', 'w1', 'w1x', 'w2y', 'w2y', 'éab', 'z', null] AS t CREATE (:Q {t: t, n: coalesce(size(t), 9)})",
        "UNWIND range(0, 5) AS n CREATE (:C {k: n})-[:R {k: n % 3}]->(:D {s: 'w' + toString(n)})",
    ])
}

const QUERIES: &[&str] = &[
    "MATCH (a:A), (b:B) WHERE a.k = b.k RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE a.k = b.k RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.s = b.s AND a.k = b.k RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.s = b.s AND a.k = b.k AND a.d = b.d RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.n = b.f RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.f = b.f RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.d.day = b.d.day AND a.n < b.n RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.s + '!' = b.s + '!' RETURN count(*) AS n",
    "MATCH (a:A), (b:A) WHERE a.d = b.d AND a.n < b.n RETURN count(*) AS n",
    "MATCH (a:A), (b:A) WHERE a = b RETURN count(*) AS n",
    "MATCH (a:M), (b:M) WHERE a.v = b.v RETURN a.v AS x, b.v AS y",
    "MATCH (a:M), (b:M) WHERE a.v = b.v RETURN count(*) AS n",
    "MATCH (a:M), (b:M) WHERE a.v = b.w RETURN a.v AS x, b.w AS y",
    "MATCH (a:M), (b:A) WHERE a.v = b.n RETURN a.v AS x, b.n AS y",
    "MATCH (a:M), (b:A) WHERE [a.v] = [b.n] RETURN a.v AS x, b.n AS y",
    "MATCH (a:M), (b:M) WHERE a.nothing = b.v RETURN count(*) AS n",
    "MATCH (a:A), (b:B), (c:C) WHERE a.k = b.k AND c.k = b.n RETURN a.n AS x, b.n AS y, c.k AS z",
    "MATCH (a:A), (b:B), (c:C) WHERE a.k = c.k AND a.s = b.s RETURN count(*) AS n",
    "MATCH (c:C)-[r:R]->(d:D), (b:B) WHERE d.s = b.s AND r.k = b.k RETURN c.k AS x, b.n AS y",
    "MATCH (c:C)-[r:R]->(d:D), (x:C)-[q:R]->(y:D) WHERE r.k = q.k RETURN c.k AS a, x.k AS b",
    "MATCH (a:A) WITH a.s AS s, count(*) AS n WHERE n > 3 MATCH (b:B) WHERE b.s = s RETURN s, n, b.n AS y",
    "MATCH (a:A) WITH a.k AS k, a ORDER BY a.n LIMIT 3 MATCH (b:B) WHERE b.k = k RETURN a.n AS x, b.n AS y",
    "UNWIND ['w1', 'w3', null, 'none'] AS s MATCH (b:B) WHERE b.s = s RETURN s, b.n AS y",
    "UNWIND [1, 1.0, null, 'w1'] AS v MATCH (b:B) WHERE b.k = v RETURN v, b.n AS y",
    "MATCH (a:A) OPTIONAL MATCH (b:B) WHERE b.k = a.k AND b.n > a.n RETURN a.n AS x, b.n AS y",
    "MATCH (a:A) OPTIONAL MATCH (b:B) WHERE b.s = a.s RETURN a.n AS x, count(b) AS y",
    "MATCH (a:M) OPTIONAL MATCH (b:M) WHERE b.v = a.v RETURN a.v AS x, count(b) AS y",
    "MATCH (a:A) WHERE EXISTS { MATCH (b:B) WHERE b.s = a.s AND b.n <> a.n } RETURN a.n AS x",
    "MATCH (a:A) WHERE NOT EXISTS { MATCH (b:B) WHERE b.s = a.s AND b.d = a.d } RETURN a.n AS x",
    "MATCH (a:M) WHERE NOT EXISTS { MATCH (b:A) WHERE b.n = a.v } RETURN a.v AS x",
    "MATCH (a:A) RETURN a.n AS x, COUNT { MATCH (b:B) WHERE b.k = a.k } AS y",
    "MATCH (a:A) RETURN a.n AS x, size(COLLECT { MATCH (b:B) WHERE b.k = a.k RETURN b.n }) AS y",
    "MATCH (a:A) CALL (a) { MATCH (b:B) WHERE b.s = a.s RETURN max(b.n) AS m } RETURN a.n AS x, m",
    "MATCH (a:A) CALL (a) { MATCH (b:B), (c:C) WHERE b.s = a.s AND c.k = b.k RETURN b.n AS y, c.k AS z } RETURN a.n AS x, y, z",
    "MATCH (q:Q), (a:A) WHERE q.t STARTS WITH a.s RETURN q.t AS x, a.n AS y",
    "MATCH (a:A), (q:Q) WHERE a.s STARTS WITH q.t RETURN count(*) AS n",
    "MATCH (q:Q), (r:Q) WHERE q.t STARTS WITH r.t RETURN q.t AS x, r.t AS y",
    "MATCH (p:P), (q:Q) WHERE p.t STARTS WITH q.t RETURN p.t AS x, q.t AS y",
    "MATCH (p:P), (q:Q) WHERE q.t STARTS WITH p.t AND q.n > 2 RETURN p.t AS x, q.t AS y",
    "MATCH (p:P), (q:P) WHERE p.t STARTS WITH q.t AND p.t > q.t RETURN p.t AS x, q.t AS y",
    "MATCH (q:Q), (b:B) WHERE q.t STARTS WITH 'w' + toString(b.k) AND q.n < b.n RETURN q.t AS x, b.n AS y",
    "MATCH (q:Q), (b:B) WHERE q.n STARTS WITH b.s RETURN count(*) AS n",
    "MATCH (a:A) WHERE NOT EXISTS { MATCH (q:Q) WHERE q.t STARTS WITH a.s } RETURN a.n AS x",
    "MATCH (q:Q) WHERE NOT EXISTS { MATCH (a:A) WHERE q.t STARTS WITH a.s } RETURN q.t AS x",
    "MATCH (q:Q) WHERE EXISTS { MATCH (p:P) WHERE q.t STARTS WITH p.t + 'x' } RETURN q.t AS x",
    "MATCH (q:Q) OPTIONAL MATCH (p:P) WHERE q.t STARTS WITH p.t RETURN q.t AS x, count(p) AS n",
    "MATCH (a:A) RETURN a.n AS x, COUNT { MATCH (q:Q) WHERE q.t STARTS WITH a.s } AS y",
    "UNWIND ['w1', 'w2', '', null, 3] AS t MATCH (q:Q) WHERE q.t STARTS WITH t RETURN t, q.t AS x",
    "UNWIND range(0, 30) + ['w1', 'w2', '', null] AS t MATCH (q:Q) WHERE q.t STARTS WITH t RETURN t, q.t AS x",
    "MATCH (q:Q), (a:A) WHERE q.t CONTAINS a.s RETURN q.t AS x, a.n AS y",
    "MATCH (q:Q), (p:P) WHERE q.t CONTAINS p.t OR toUpper(q.t) = p.t RETURN q.t AS x, p.t AS y",
    "MATCH (q:Q), (a:A) WHERE toUpper(q.t) ENDS WITH toUpper(a.s) + 'X' RETURN q.t AS x, a.n AS y",
    "MATCH (q:Q), (b:B) WHERE q.t + b.s CONTAINS 'w1w' AND size(q.t) <> b.k RETURN q.t AS x, b.n AS y",
    "MATCH (q:Q) OPTIONAL MATCH (a:A) WHERE trim(a.s) CONTAINS q.t RETURN q.t AS x, count(a) AS n",
    "MATCH (a:A) WITH max(a.n) AS m MATCH (c:C)-[r:R]->(d:D) WHERE c.k > m - 37 RETURN c.k AS k, d.s AS s",
    "MATCH (a:A) WITH avg(a.k) AS m, min(a.s) AS s MATCH (c:C)-[r:R]->(d:D) WHERE c.k < m AND d.s > s AND r.k < m RETURN m, c.k AS k",
    "MATCH (a:A) WITH max(a.d) AS last MATCH (b:B) WHERE b.d > last - duration({days: 3}) RETURN b.n AS n, last",
    "MATCH (a:A) WHERE a.n > 100 WITH max(a.n) AS m MATCH (c:C)-[r:R]->(d:D) WHERE c.k < m RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE a.n < b.n RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE a.n < b.n RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.f < b.n RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.n <= b.f AND b.f < a.n + 3 RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.n - 2 < b.n AND b.n <= a.n + 2 RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE b.n > a.n AND b.n > a.k AND b.n < 20 AND b.n < a.n * 2 RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.d < b.d AND b.d <= a.d + duration({days: 2}) RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.s > b.s RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE a.s >= b.s AND a.k = b.k RETURN count(*) AS n",
    "MATCH (a:M), (b:M) WHERE a.v < b.v RETURN a.v AS x, b.v AS y",
    "MATCH (a:M), (b:M) WHERE a.v <= b.v RETURN count(*) AS n",
    "MATCH (a:M), (b:A) WHERE a.v <= b.n AND b.n < 9 RETURN a.v AS x, b.n AS y",
    "MATCH (a:A), (b:M) WHERE a.f >= b.v RETURN a.f AS x, b.v AS y",
    "MATCH (a:M), (b:A) WHERE a.v > b.d RETURN a.v AS x, b.d AS y",
    "MATCH (a:M), (b:M) WHERE a.nothing < b.v RETURN count(*) AS n",
    "MATCH (a:A) WITH a.k AS k, max(a.n) AS m MATCH (b:B) WHERE b.n < m AND b.n >= m - 12 RETURN k, b.n AS y",
    "MATCH (a:A) OPTIONAL MATCH (b:B) WHERE b.n > a.n + 20 RETURN a.n AS x, b.n AS y",
    "MATCH (a:A) WHERE EXISTS { MATCH (b:B) WHERE b.n > a.n AND b.n < a.n + 4 AND b.k = 1 } RETURN a.n AS x",
    "MATCH (a:A) WHERE NOT EXISTS { MATCH (b:B) WHERE b.d > a.d } RETURN a.n AS x",
    "MATCH (a:A) RETURN a.n AS x, COUNT { MATCH (b:B) WHERE b.n <= a.n } AS y",
    "MATCH (a:A), (b:B), (c:C) WHERE a.n < b.n AND c.k = a.k RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE a.n < b.n RETURN a.k AS k, count(*) AS n, sum(b.n) AS s",
    "MATCH (a:A), (b:B) WHERE a.k = b.k OR a.s = b.s RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE a.k = b.k AND a.k + b.k = 4 RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.k + b.k = 4 RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE a.s = 'w1' AND b.s = 'w1' RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE coalesce(a.nothing, a.k) = b.k RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE toString(a.k) = toString(b.k) AND a.d = b.d RETURN count(*) AS n, min(a.n) AS x",
    "MATCH (a:A), (b:B) WHERE a.k = b.k RETURN a.k AS k, count(*) AS n, sum(b.n) AS s",
    "MATCH (a:A), (b:B) WHERE a.k = b.k RETURN DISTINCT a.k AS k, b.k AS l",
    "MATCH (a:A {n: 3}), (b:B) WHERE a.k = b.k RETURN b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.k = b.k AND b.n < 2 RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.s = b.s AND b.n < 2 RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.d = b.d AND a.n = 4 RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.n = b.f AND b.k = 1 RETURN a.n AS x, b.n AS y",
    "MATCH (a:M), (b:A) WHERE a.v = b.n AND b.k = 1 RETURN a.v AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.s = b.s AND a.k = b.k AND a.n < 4 RETURN a.n AS x, b.n AS y",
    "MATCH (c:C)-[r:R]->(d:D), (b:B) WHERE d.s = b.s AND b.n = 3 RETURN c.k AS x, b.n AS y",
    "MATCH (c:C)-[r:R]->(d:D), (b:B) WHERE r.k = b.k AND b.n = 2 RETURN c.k AS x, d.s AS y",
    "MATCH (c:C)-[r:R]->(d:D), (b:B) WHERE c.k = b.k AND b.n = 2 RETURN r.k AS x, d.s AS y",
    "MATCH (a:A) WITH a, 10 / (a.n - 50) AS q MATCH (b:B) WHERE b.k = a.k AND b.n = 1 RETURN a.n AS x, q",
    "UNWIND [1, 2] AS i MATCH (a:A), (b:B) WHERE a.k = b.k AND b.n = i RETURN i, a.n AS x",
    "MATCH (c:C) CALL (c) { MATCH (a:A), (b:B) WHERE a.k = b.k AND b.n = 2 RETURN count(*) AS n } RETURN c.k AS k, n",
    "MATCH (a:A), (b:B), (c:C) WHERE a.k = b.k AND b.n = c.k AND c.k = 2 RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:B) WHERE a.k = b.k OR a.s = b.s RETURN a.n AS x, b.n AS y",
    "MATCH (a:M), (b:M) WHERE a.v = b.v OR a.w = b.w RETURN a.v AS x, b.v AS y, b.w AS z",
    "MATCH (a:M), (b:M) WHERE a.v = b.w OR a.v = b.v OR a.w = b.v RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE (a.k = b.k AND a.n < b.n) OR (a.s = b.s AND b.n > 7) OR a.f = b.f RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:A) WHERE (a.s = b.s OR a.d = b.d) AND a.n < b.n RETURN count(*) AS n",
    "MATCH (a:A), (b:B) WHERE a.k = b.k OR a.n = 3 RETURN count(*) AS n",
    "MATCH (c:C)-[r:R]->(d:D), (b:B) WHERE d.s = b.s OR r.k = b.k RETURN c.k AS x, r.k AS y, b.n AS z",
    "MATCH (a:A) WITH a.k AS k, max(a.n) AS m MATCH (b:B) WHERE b.n = m OR b.k = k RETURN k, m, b.n AS y",
    "MATCH (a:A) OPTIONAL MATCH (b:B) WHERE b.k = a.n OR b.n = a.n RETURN a.n AS x, b.n AS y",
    "MATCH (a:A) WITH a.s AS s, count(*) AS n MATCH (b:B) WITH s, n, trim(b.s) AS t WHERE t = s RETURN s, n, count(*) AS c",
    "MATCH (a:A), (b:B) WITH a.k + 1 AS x, b.k * 2 AS y, a, b WHERE x = y RETURN a.n AS u, b.n AS v",
    "MATCH (a:A) WITH a.k AS k MATCH (b:B) WITH k, toString(b.k) + 'z' AS t, toString(k) + 'z' AS u WHERE t = u RETURN k, t",
];

fn rows(text: &str, snapshot: &Snapshot, settings: Settings, options: Options) -> Vec<Vec<Value>> {
    let bound = bind(text, snapshot.catalog()).unwrap();
    let planned = optimize(bound, snapshot.catalog(), None, options).unwrap();
    let mut execution = Execution::start(&planned, snapshot.clone(), settings).unwrap();
    let mut rows = Vec::new();
    while let Some(mut batch) = execution
        .next(|columns, positions, cx| {
            let cell =
                |c: &&trimorph_vector::Vector<'_>, p: u32| c.value(p as usize, &|id| cx.edge_value(id));
            positions.iter().map(|p| columns.iter().map(|c| cell(c, *p)).collect()).collect::<Vec<_>>()
        })
        .unwrap()
    {
        rows.append(&mut batch);
    }
    rows
}

fn agree(snapshot: &Snapshot, expected: &[Vec<Vec<Value>>]) {
    for (text, expected) in QUERIES.iter().zip(expected) {
        for (k, vector_size) in [2, 64, 1024].into_iter().enumerate() {
            let settings = Settings { clock: NOW, vector_size, threads: 1 + k % 2, ..Settings::default() };
            let options = Options { reorder: k != 1, check: true, ..Options::default() };
            let found = rows(text, snapshot, settings, options);
            compare(expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
        }
    }
}

#[test]
fn joins_on_values_agree_with_the_interpreter() {
    let snapshot = graph();
    let graph = Graph::read(&snapshot);
    let expected: Vec<Vec<Vec<Value>>> = (QUERIES.iter())
        .map(|text| {
            let bound = bind(text, snapshot.catalog()).unwrap();
            run_on(&bound, &graph, &BTreeMap::new(), NOW, STEPS_MAX).unwrap()
        })
        .collect();
    agree(&snapshot, &expected);
    // What is kept and what is asked follows from estimates: answers do not.
    for falsehood in Falsehood::ALL {
        agree(&falsehood.of(&snapshot), &expected);
    }
}

#[test]
fn equal_values_are_hash_joined() {
    let snapshot = graph();
    // No equality or bound, or beside one row or few.
    const PRODUCTS: [&str; 7] = [
        " OR ",
        "a.k + b.k = 4 R",
        " CONTAINS ",
        " ENDS WITH ",
        "WITH max(",
        "WITH avg(",
        "UNWIND ['w1', 'w2'",
    ];
    for text in QUERIES.iter().filter(|text| !PRODUCTS.iter().any(|part| text.contains(part))) {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
        let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
        let product = plan.contains("CrossProduct");
        // A subquery's rows begin with those of the clause around it.
        let is_within = text.contains("CALL (c)");
        assert!(!product || is_within || text.contains("s = 'w1'"), "{text}\n{plan}");
        assert!(
            !text.contains("a.n < b.n") || plan.contains("RangeJoin") || plan.contains("HashJoin"),
            "{plan}"
        );
    }
}

/// One of several equalities, over as many rows as make a product too large.
#[test]
fn alternatives_have_joins_of_their_own() {
    let snapshot = created(&[
        "UNWIND range(0, 399) AS n CREATE (:P {n: n, mail: 'm' + toString(n % 150), phone: n % 170})",
        "UNWIND range(0, 299) AS n CREATE (:Q {n: n, mail: 'm' + toString(n % 90), phone: toFloat(n % 210)})",
        "CREATE (:P {n: 1000}), (:P {n: 1001, mail: 'm1', phone: 0.0 / 0.0}), (:Q {n: 1000, phone: 1}), (:Q {n: 1001})",
    ]);
    let graph = Graph::read(&snapshot);
    let cases = [
        ("MATCH (p:P), (q:Q) WHERE p.mail = q.mail OR p.phone = q.phone RETURN p.n AS x, q.n AS y", 2),
        (
            "MATCH (p:P), (q:Q) WHERE (p.mail = q.mail OR p.phone = q.phone) AND p.n < q.n RETURN count(*) AS n",
            2,
        ),
        (
            "MATCH (p:P), (q:Q) WHERE p.mail = q.mail AND p.n > 5 OR p.phone = q.phone AND p.n < q.n OR p.n = q.n RETURN p.n AS x, q.n AS y",
            3,
        ),
        (
            "MATCH (p:P) WITH p.mail AS m, count(*) AS c MATCH (q:Q) WHERE q.mail = m OR q.n = c RETURN m, c, q.n AS y",
            2,
        ),
        // One of them joins nothing.
        ("MATCH (p:P), (q:Q) WHERE p.mail = q.mail OR p.n = 3 RETURN count(*) AS n", 0),
    ];
    for (text, joins) in cases {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let expected = run_on(&bound, &graph, &BTreeMap::new(), NOW, 100 * STEPS_MAX).unwrap();
        let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
        let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
        assert_eq!(plan.matches("HashJoin").count(), joins, "{text}\n{plan}");
        assert_eq!(plan.contains("CrossProduct"), joins == 0, "{text}\n{plan}");
        for (vector_size, threads) in [(2_048, 1), (16, 1), (64, 2)] {
            let settings = Settings { clock: NOW, vector_size, threads, ..Settings::default() };
            let found = rows(text, &snapshot, settings, Options { check: true, ..Options::default() });
            compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
        }
    }
}

/// A value that must be in a list equals one of the elements, however often that is there.
#[test]
fn members_of_lists_are_joined() {
    let snapshot = created(&[
        "UNWIND range(0, 199) AS n CREATE (:P {n: n, s: 'w' + toString(n % 40), v: CASE n % 5 WHEN 0 THEN n / 10.0 WHEN 1 THEN null ELSE n % 30 END})",
        "UNWIND range(0, 149) AS n CREATE (:Q {n: n, k: n % 6, s: 'w' + toString(n % 9), t: 'w' + toString(n % 50) + ';w' + toString(n % 7) + ';w3', words: ['w' + toString(n % 60), 'w' + toString(n % 8), 'w' + toString(n % 8)], m: n % 25, f: toFloat(n % 25), h: CASE n % 2 WHEN 0 THEN n / 20.0 ELSE 0.0 / 0.0 END, values: [n % 25, n / 20.0]})",
        "CREATE (:Q {n: 500, words: [], values: []}), (:Q {n: 501}), (:P {n: 502}), (:P {n: 503, s: 'x', v: 0.0 / 0.0}), (:P {n: 504, v: 'w1'})",
        "MATCH (p:P), (q:Q) WHERE p.n = q.n AND p.n < 20 CREATE (p)-[:R {tags: [p.s, 'w' + toString(q.n)]}]->(q)",
    ]);
    let graph = Graph::read(&snapshot);
    let cases = [
        ("MATCH (p:P), (q:Q) WHERE p.s IN q.words RETURN p.n AS x, q.n AS y", 1),
        ("MATCH (p:P), (q:Q) WHERE p.v IN [q.m, q.f, q.h] RETURN p.n AS x, q.n AS y", 1),
        ("MATCH (p:P), (q:Q) WHERE toUpper(p.s) IN [toUpper(q.s), 'W3', q.k] RETURN p.n AS x, q.n AS y", 1),
        ("MATCH (p:P), (q:Q) WHERE p.s IN split(q.t, ';') AND p.n < q.n RETURN p.n AS x, q.n AS y", 1),
        ("MATCH (p:P), (q:Q) WHERE p.s IN q.words + q.s RETURN count(*) AS n", 1),
        ("MATCH (p:P), (q:Q) WHERE any(w IN q.words WHERE w = p.s) RETURN count(*) AS n", 1),
        ("MATCH (p:P), (q:Q) WHERE p.s IN q.words OR p.n = q.n RETURN p.n AS x, q.n AS y", 2),
        ("MATCH (p:P), (q:Q) WHERE p.s IN q.words OR p.v IN [q.h, q.m] RETURN p.n AS x, q.n AS y", 2),
        (
            "MATCH (p:P), (q:Q) WHERE (p.s IN q.words AND p.n < 9) OR p.v IN [q.f, q.m] RETURN count(*) AS n, sum(q.n) AS s",
            2,
        ),
        ("MATCH (q:Q) UNWIND q.words AS w MATCH (p:P) WHERE w IN [p.s, p.v] RETURN q.n AS x, w, p.n AS y", 1),
        ("MATCH (q:Q) WITH q.k AS k, collect(q.s) AS all MATCH (p:P) WHERE p.s IN all RETURN k, p.n AS y", 1),
        ("MATCH (q:Q) OPTIONAL MATCH (p:P) WHERE p.s IN q.words RETURN q.n AS x, p.n AS y", 1),
        ("MATCH (p:P) OPTIONAL MATCH (q:Q) WHERE p.s IN q.words AND q.n > 140 RETURN p.n AS x, q.n AS y", 1),
        ("MATCH (a:P)-[r:R]->(), (p:P) WHERE p.s IN r.tags RETURN a.n AS x, p.n AS y", 1),
        // Of no side alone, not in it, or of what may be no list: of lists of mixed values nobody knows.
        ("MATCH (p:P), (q:Q) WHERE p.v IN q.values RETURN count(*) AS n", 0),
        ("MATCH (p:P), (q:Q) WHERE NOT p.s IN q.words RETURN count(*) AS n", 0),
        ("MATCH (p:P), (q:Q) WHERE p.s IN q.words + p.v RETURN count(*) AS n", 0),
        ("MATCH (p:P), (q:Q) WHERE p.s IN q.words OR p.n > 190 RETURN count(*) AS n", 0),
        ("MATCH (p:P), (q:Q) WHERE p.n IN CASE q.k WHEN 1 THEN [1] ELSE [2] END RETURN count(*) AS n", 0),
    ];
    for (text, joins) in cases {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let expected = run_on(&bound, &graph, &BTreeMap::new(), NOW, 100 * STEPS_MAX).unwrap();
        assert!(!expected.is_empty(), "{text}");
        let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
        let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
        assert_eq!(plan.matches("HashJoin").count(), joins, "{text}\n{plan}");
        for (vector_size, threads) in [(2_048, 1), (16, 1), (64, 2)] {
            let settings = Settings { clock: NOW, vector_size, threads, ..Settings::default() };
            let found = rows(text, &snapshot, settings, Options { check: true, ..Options::default() });
            compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
        }
    }
    // One row, or few, are compared with each list.
    let text = "MATCH (p:P {n: 7}), (q:Q) WHERE p.s IN q.words RETURN q.n AS y";
    let planned =
        optimize(bind(text, snapshot.catalog()).unwrap(), snapshot.catalog(), None, Options::default());
    let planned = planned.unwrap();
    let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
    assert!(!plan.contains("HashJoin"), "{plan}");
}

/// Many rows on one side, few on the other: what cannot be joined is left out where it is scanned.
#[test]
fn keys_are_passed_down_to_where_they_can_be_asked() {
    let snapshot = created(&[
        "UNWIND range(0, 29999) AS n CREATE (:P {n: n, k: n % 1000, s: 'w' + toString(n % 700), d: date('2020-01-01') + duration({days: n % 400})})",
        "UNWIND range(0, 9) AS n CREATE (:Q {k: n * 7, s: 'w' + toString(n), d: date('2020-01-01') + duration({days: n}), none: 'x'})",
    ]);
    let cases = [
        ("MATCH (p:P), (q:Q) WHERE p.k = q.k RETURN count(*) AS n", 300),
        ("MATCH (p:P), (q:Q) WHERE p.s = q.s RETURN count(*) AS n", 430),
        ("MATCH (p:P), (q:Q) WHERE p.d = q.d RETURN count(*) AS n", 750),
        ("MATCH (p:P), (q:Q) WHERE p.k = q.k AND p.n > 20000 RETURN count(*) AS n", 99),
        ("MATCH (p:P), (q:Q) WHERE p.k = q.k AND p.s = q.s RETURN count(*) AS n", 5),
        ("MATCH (p:P), (q:Q) WHERE p.k = q.none RETURN count(*) AS n", 0),
    ];
    for (text, count) in cases {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
        let physical = PhysicalPlan::of_snapshot(&planned, &snapshot, PhysicalOptions::default()).unwrap();
        let forms = physical.forms();
        let asked = forms.values().filter(|form| form.operators.contains(&"keys of a join")).count();
        assert_eq!(asked, 1, "{text}: {forms:?}");
        for threads in [1, 2] {
            let settings = Settings { clock: NOW, threads, profile: true, ..Settings::default() };
            let mut execution = Execution::run(&physical, snapshot.clone(), settings).unwrap();
            let mut found = Vec::new();
            while let Some(rows) = execution
                .next(|columns, positions, cx| {
                    let cell = |p: &u32| columns[0].value(*p as usize, &|id| cx.edge_value(id));
                    positions.iter().map(cell).collect::<Vec<_>>()
                })
                .unwrap()
            {
                found.extend(rows);
            }
            assert!(matches!(&found[..], [Value::Int(n)] if *n == count), "{text}: {found:?}");
            let asked = execution.profile().values().map(|line| line.asked).max().unwrap();
            // Where keys are of another type nothing is asked, and all go on to the join.
            let wanted = if text.contains("none") { 0..=0 } else { 1..=3_000 };
            assert!(wanted.contains(&asked.1) && asked.0 >= asked.1, "{text}: {asked:?}");
        }
    }
}

/// Values computed of two nodes, or relationships, that hang together otherwise: those that cannot fail are
/// keys of the join, beside what the sides have in common.
#[test]
fn what_cannot_fail_is_a_key_beside_a_node() {
    let snapshot = created(&[
        "UNWIND range(0, 7) AS h CREATE (:H {h: h})",
        "UNWIND range(0, 199) AS n CREATE (:P {n: n, k: n % 23, m: n * 7 % 11, s: 'Word ' + toString(n % 13), \
         d: date('2019-12-25') + duration({days: n % 17}), at: datetime('2020-01-01T00:00:00Z') + duration({hours: n * 5 % 97}), \
         l: localdatetime('2020-01-01T00:00:00') + duration({minutes: n * 77 % 9001}), o: CASE WHEN n % 3 > 0 THEN n % 5 END, \
         x: CASE n % 4 WHEN 0 THEN toString(n % 9) ELSE n % 9 END})",
        "MATCH (h:H), (p:P) WHERE p.n % 8 = h.h CREATE (h)-[:T {at: datetime('2020-01-01T00:00:00Z') + duration({days: p.n % 7}), k: p.n % 4}]->(p)",
        "MATCH (h:H {h: 0}), (p:P) WHERE p.n % 8 = 1 CREATE (h)-[:T {k: p.n}]->(p)",
    ]);
    let graph = Graph::read(&snapshot);
    // An expression of `a`; and whether it is a key.
    let cases = [
        ("a.k", true),
        ("a.o", true),
        ("a.x", true),
        ("a.nothing", true),
        ("r.k", true),
        ("r.at", true),
        ("date(r.at)", true),
        ("r.k % 3", true),
        ("date(a.at)", true),
        ("date(a.d)", true),
        ("date(a.l)", true),
        ("date.truncate('week', a.at)", true),
        ("date.truncate('month', date(a.at))", true),
        ("localdatetime.truncate('hour', a.l)", true),
        ("datetime.truncate('day', a.at)", true),
        ("date(a.at) + duration({days: 2})", true),
        ("a.at - duration({months: 1, hours: 3})", true),
        ("a.d.month", true),
        ("a.l.hour + a.l.minute", true),
        ("date(a.l).dayOfWeek", true),
        ("a.k % 7", true),
        ("a.m / 3", true),
        ("a.k % 7 * 2 - 1", true),
        ("toLower(a.s)", true),
        ("substring(a.s, 5)", true),
        ("substring(a.s, 3, 3)", true),
        ("left(trim(a.s), 6) + '!'", true),
        ("right(a.s, 1)", true),
        ("size(a.s)", true),
        ("toString(a.d)", true),
        ("coalesce(a.o, a.m)", true),
        // Of integers, which decimals have room for.
        ("a.k + 1", true),
        ("a.k * 3 - 2 * a.m", true),
        // They may fail: of rows that no other side meets, or of values of another type.
        ("a.k * a.m - 2 * a.k", false),
        ("-a.k", false),
        ("100 / (a.k + 1)", false),
        ("toString(a.x)", false),
        ("a.d + duration({days: 1})", false),
        ("substring(a.s, a.o)", false),
        ("date(toString(a.d))", false),
    ];
    let options = Options { check: true, hash_join: HashJoins::Always, ..Options::default() };
    // A value of the rows there are, beside a node that they have.
    let of_rows = [
        "MATCH (h:H)-[:T]->(a:P) WITH h, date(a.at) AS d, max(a.n) AS m MATCH (h)-[:T]->(b:P) WHERE date(b.at) = d AND b.n < m RETURN h.h AS h, d, b.n AS y",
        "MATCH (h:H)-[:T]->(a:P) WITH h, a.k % 5 AS k, count(*) AS c MATCH (h)-[q:T]->(b:P) WHERE q.k = k AND b.k % 5 = k RETURN h.h AS h, k, c, b.n AS y",
        "MATCH (h:H)-[:T]->(a:P) OPTIONAL MATCH (h)-[:T]->(b:P) WHERE date(b.at) = date(a.at) AND b.n > a.n RETURN a.n AS x, count(b) AS c, min(b.n) AS y",
        "MATCH (h:H)-[r:T]->(a:P) WHERE EXISTS { MATCH (h)-[q:T]->(b:P) WHERE b.k = a.k AND q.k = r.k AND b.n > a.n } RETURN a.n AS x",
        "MATCH (h:H)-[:T]->(a:P) WHERE NOT EXISTS { MATCH (h)-[:T]->(b:P) WHERE b.m % 4 = a.m % 4 AND b.n > a.n } RETURN a.n AS x",
        "MATCH (h:H)-[:T]->(a:P) RETURN a.n AS x, COUNT { MATCH (h)-[:T]->(b:P) WHERE b.s = a.s AND b.n < a.n } AS c",
    ];
    let pairs = cases.map(|(key, is_key)| {
        let other = key.replace("a.", "b.").replace("r.", "q.");
        let text = format!(
            "MATCH (h:H)-[r:T]->(a:P), (h)-[q:T]->(b:P) WHERE {key} = {other} AND a.n < b.n RETURN h.h AS h, a.n AS x, b.n AS y"
        );
        (text, is_key)
    });
    for (text, is_key) in pairs.into_iter().chain(of_rows.map(|text| (text.to_owned(), true))) {
        let bound = bind(&text, snapshot.catalog()).unwrap();
        let planned = optimize(bound, snapshot.catalog(), None, options).unwrap();
        let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
        assert_eq!(plan.contains("HashJoin on h, key 1"), is_key, "{text}\n{plan}");
        let bound = bind(&text, snapshot.catalog());
        let expected = bound.and_then(|bound| run_on(&bound, &graph, &BTreeMap::new(), NOW, STEPS_MAX));
        let Ok(expected) = expected else { continue };
        for (vector_size, threads) in [(2_048, 1), (16, 2)] {
            let settings = Settings { clock: NOW, vector_size, threads, ..Settings::default() };
            for options in [options, Options { check: true, ..Options::default() }] {
                let found = rows(&text, &snapshot, settings.clone(), options);
                compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
            }
        }
    }
}
