//! Expressions that an operator computes once for several others, against the interpreter: what is shared is
//! the same, and no error comes of what was not asked.

use std::collections::BTreeMap;

use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created};

const QUERIES: &[&str] = &[
    "MATCH (a:A) RETURN max(size(a.s)) AS m, sum(size(a.s)) AS s, count(a.s) AS n",
    "MATCH (a:A) RETURN sum(CASE WHEN a.s IS NULL THEN 1 ELSE 0 END) AS m, sum(CASE WHEN a.s = 'x2' THEN 1 END) AS s, count(a.s IS NOT NULL) AS n, max(size(a.s)) AS l",
    "MATCH (a:A) RETURN a.s IS NULL AS x, a.s IS NOT NULL AS y, a.s AS s, a.s + '!' AS t, size(a.s) AS n, size(a.s) + 1 AS m",
    "MATCH (a:A) RETURN a.nothing IS NULL AS x, sum(CASE WHEN a.nothing IS NULL THEN 1 ELSE 0 END) AS n, count(a.z IS NULL) AS z",
    "MATCH (a:A) RETURN split(a.s, 'x')[0] AS x, split(a.s, 'x')[1] AS y, split(a.s, 'x')[7] AS z, split(a.s, 'x') AS l",
    "MATCH (a:A) WHERE split(a.s, '1')[0] = 'x' RETURN split(a.s, '1')[0] + split(a.s, '1')[1] AS x, split(a.s, '1')[-1] AS y, count(*) AS n",
    "MATCH (a:A) WITH collect(a.n) AS ns RETURN reduce(s = 0, i IN range(0, size(ns) - 1) | s + (i + 1) * ns[i]) AS w, [i IN range(1, size(ns) - 1) WHERE ns[i] > ns[i - 1] | ns[i] - ns[i - 1]] AS d",
    "MATCH (a:A) WITH collect({n: a.n, s: a.s}) AS rows, a.z AS z RETURN z, [i IN range(0, size(rows) - 1) | rows[i].n * rows[size(rows) - 1 - i].n] AS p, any(i IN range(0, size(rows) - 1) WHERE rows[i].n IN [r IN rows | r.n + 4]) AS b",
    "MATCH (a:A) WITH a.z AS z, collect(a.n) AS ns MATCH (b:A) WHERE b.z = z RETURN z, b.n AS n, [i IN range(0, size(ns) - 1) WHERE ns[i] < b.n | ns[i] + z] AS l",
    "MATCH (a:A) RETURN a.n * 2 + 1 AS x, a.n * 2 - 1 AS y, a.n * 2 AS z, a.n AS n",
    "MATCH (a:A) WHERE a.n * 2 > 10 AND a.n * 2 < 30 RETURN a.n AS n",
    "MATCH (a:A) WHERE a.n > 3 AND toUpper(a.s) > 'B' AND toUpper(a.s) < 'Y' RETURN a.n AS n, toUpper(a.s) AS s",
    "MATCH (a:A) WHERE toUpper(a.s) = 'X1' OR toUpper(a.s) = 'X2' OR a.n % 7 = 0 RETURN a.n AS n",
    "MATCH (a:A) RETURN CASE WHEN a.z <> 0 THEN 10 / a.z ELSE 0 END AS x, CASE WHEN a.z <> 0 THEN 10 / a.z END AS y",
    "MATCH (a:A) WHERE a.n * 3 > 9 OR a.n * 3 = 3 RETURN a.n AS n, a.n * 3 = 3 OR a.n * 3 > 9 AS b",
    "MATCH (a:A) RETURN coalesce(a.nothing, a.s) AS x, coalesce(a.nothing, a.s) + '!' AS y, a.nothing AS z",
    "MATCH (a:A) RETURN [x IN [1, 2] | x + a.n] AS l, [x IN [1, 2] WHERE x + a.n > 3 | x + a.n] AS m",
    "MATCH (a:A) RETURN any(x IN [1, 2] WHERE x * a.n > 5) AS l, reduce(s = 0, x IN [1, 2] | s + x * a.n) AS m",
    "MATCH (a:A)-[r:R]->(b:A) RETURN r.w + b.n AS x, r.w + b.n + 1 AS y, a.n + b.n AS z, r.w AS w",
    "MATCH (a:A)-[r:R]->(b:A) WITH a.n % 3 AS k, sum(r.w * b.n) AS s, max(r.w * b.n) AS m RETURN k, s, m, s + m AS t",
    "MATCH (a:A) RETURN 1 + 2 AS x, 1 + 2 + a.n AS y, a.n + 1.0 AS f, a.n + 1 AS i",
    "MATCH (a:A) WITH a, a.n + 1 AS m WHERE m > 3 AND m < 9 RETURN m * m AS q, m * m + m AS r",
    "MATCH (a:A) RETURN date({year: 2020, month: 1, day: 1 + coalesce(a.n, 0) % 5}).day AS d, date({year: 2020, month: 1, day: 1 + coalesce(a.n, 0) % 5}).month AS m",
    "MATCH (a:A) OPTIONAL MATCH (a)-[r:R]->(b) RETURN r.w AS w, r.w + 1 AS v, b.n AS n, b.n + 1 AS m",
];

#[test]
fn what_is_shared_is_the_same() {
    let snapshot = created(&[
        "UNWIND range(1, 40) AS n CREATE (:A {n: n, s: 'x' + toString(n), z: n % 4})",
        "CREATE (:A {n: 1}), (:A {s: 'é', z: 0, n: 3}), (:A {z: 1})",
        "MATCH (a:A), (b:A) WHERE a.n = b.n + 1 CREATE (a)-[:R {w: a.n * 3}]->(b)",
        "MATCH (a:A), (b:A) WHERE a.n = b.n + 5 CREATE (a)-[:R]->(b)",
    ]);
    let graph = Graph::read(&snapshot);
    let now = Clock { seconds: 0, nanos: 0 };
    for text in QUERIES {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 20_000_000).unwrap();
        let found = ask(text, &snapshot, Settings::default()).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
        compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
    }
}

/// Two draws are two numbers.
#[test]
fn what_differs_each_time_is_not_shared() {
    let snapshot = created(&["UNWIND range(1, 50) AS n CREATE (:A {n: n})"]);
    let found = ask("MATCH (a:A) RETURN rand() + a.n = rand() + a.n AS same", &snapshot, Settings::default());
    let rows = format!("{:?}", found.unwrap());
    assert!(!rows.contains("Bool(true)"), "{rows}");
}

/// Texts of which no dictionary is made are taken out once for all conditions that need them; what is asked
/// of them as they lie is asked before.
#[test]
fn texts_are_taken_out_once() {
    let db = trimorph::Database::in_memory(trimorph::Config::new().threads(1));
    let connection = db.connect();
    let nodes = "UNWIND range(0, 99999) AS i CREATE (:M {i: i, t: CASE i % 7 WHEN 0 THEN null ELSE 'text ' + i + ' of ' + i % 13 END, k: 'k' + i % 9})";
    connection.query(nodes, &[]).unwrap();
    connection.query("CHECKPOINT", &[]).unwrap();
    let text = |i: i64| (i % 7 != 0).then(|| format!("text {i} of {}", i % 13));
    type Passes = fn(&str) -> bool;
    let cases: [(&str, Passes, bool); 4] = [
        ("NOT m.t CONTAINS '77' AND NOT m.t ENDS WITH '2'", |t| !t.contains("77") && !t.ends_with('2'), true),
        (
            "m.t STARTS WITH 'text 1' AND m.t ENDS WITH '3' AND m.t =~ '.*5.*'",
            |t| t.starts_with("text 1") && t.ends_with('3') && t.contains('5'),
            true,
        ),
        (
            "NOT (m.t CONTAINS '1' OR m.t ENDS WITH '2') AND NOT m.t STARTS WITH 'text 5'",
            |t| !(t.contains('1') || t.ends_with('2') || t.starts_with("text 5")),
            true,
        ),
        ("m.t CONTAINS '77' AND m.t CONTAINS '1'", |t| t.contains("77") && t.contains('1'), false),
    ];
    for (condition, passes, is_shared) in cases {
        let text_of = format!("MATCH (m:M) WHERE {condition} RETURN count(*), sum(m.i)");
        let mut rows = connection.query(&text_of, &[]).unwrap().rows().unwrap();
        let passing = (0..100_000).filter(|i| text(*i).is_some_and(|t| passes(&t)));
        let (count, sum) = passing.fold((0, 0), |(count, sum), i| (count + 1, sum + i));
        let shown = format!("{:?}", rows.swap_remove(0));
        assert_eq!(shown, format!("[Int({count}), Int({sum})]"), "{condition}");
        let plan = connection.query(&format!("EXPLAIN (CODES) {text_of}"), &[]).unwrap().rows().unwrap();
        let plan = format!("{plan:?}");
        assert_eq!(plan.contains("= m.t"), is_shared, "{plan}");
    }
    // Of a dictionary each entry is asked once, and nothing is taken out.
    let text_of =
        "EXPLAIN (CODES) MATCH (m:M) WHERE NOT m.k CONTAINS '7' AND NOT m.k ENDS WITH '2' RETURN m.i";
    let plan = connection.query(text_of, &[]).unwrap().rows().unwrap();
    assert!(!format!("{plan:?}").contains("= m.k"), "{plan:?}");
}
