//! Conditions on pairs of rows, of two lists of one node and of the sides of a join: what they read of either
//! is read before pairs are made, and says the same.

use trimorph_exec::Settings;
use trimorph_optimizer::{HashJoins, Options};

use super::ask::{agree_on, created, sorted_rows_and_plan};

/// Values of several types, and none; nodes of two labels; several relationships between two nodes.
const GRAPH: [&str; 4] = [
    "UNWIND range(0, 5) AS i CREATE (:P {i: i, s: 's' + toString(i % 3)})",
    "UNWIND range(0, 11) AS i CREATE (:M {i: i, t: CASE i % 4 WHEN 0 THEN null ELSE 't' + toString(i % 3) END, v: CASE i % 5 WHEN 0 THEN 'x' WHEN 1 THEN i WHEN 2 THEN null ELSE i / 2.0 END})",
    "UNWIND range(0, 2) AS i CREATE (:O {i: i, t: 't1'})",
    "UNWIND range(0, 40) AS j MATCH (p:P {i: j % 6}) MATCH (m {i: j % 7}) WHERE NOT m:P CREATE (p)-[:L {w: j % 4, d: date('2020-01-01') + duration({days: j % 9})}]->(m)",
];
const MORE: [&str; 2] = [
    "MATCH (a:P), (b:P) WHERE a.i < b.i AND (a.i + b.i) % 3 <> 1 CREATE (a)-[:K {w: (a.i + b.i) % 4}]->(b)",
    "MATCH (a:P {i: 1}), (b:P {i: 4}) CREATE (a)-[:K]->(b)",
];

const TEXTS: [&str; 16] = [
    "MATCH (p:P)-[a:L]->(m), (p)-[b:L]->(n) WHERE m.i < n.i AND a.w = b.w RETURN p.i, m.i, n.i, a.w",
    "MATCH (p:P)-[a:L]->(m), (p)-[b:L]->(n) WHERE m.t = n.t OR m.v < n.v RETURN p.i, m.i, n.i",
    "MATCH (p:P)-[a:L]->(m), (p)-[b:L]->(n) WHERE abs(duration.inDays(a.d, b.d).days) < 2 AND m.i < n.i RETURN p.i, count(*)",
    "MATCH (a:P)-[k:K]-(b:P) WITH a, b, k MATCH (a)-[l:L]->(m) WHERE l.w > k.w RETURN a.i, b.i, count(m)",
    "MATCH (a:P)-[k:K]-(b:P) WITH a, b, k.w AS w MATCH (a)-[l:L]->(m) WHERE l.w > w AND m.none IS NULL RETURN a.i, b.i, count(m)",
    "MATCH (p:P) OPTIONAL MATCH (p)-[:L]->(m) OPTIONAL MATCH (p)-[:K]->(q) WITH p, m, q WHERE m.i > q.i OR q IS NULL RETURN p.i, m.i, q.i",
    "MATCH (p:P)-[:L]->(m), (p)-[:L]->(n), (p)-[:L]->(o) WHERE m.i < n.i AND n.i < o.i AND m.t = o.t RETURN p.i, m.i, n.i, o.i",
    "MATCH (p:P)-[:L]->(m), (p)-[:K]-(q) WHERE any(x IN [1, 2] WHERE x + m.i = q.i) RETURN p.i, m.i, q.i",
    "MATCH (p:P)-[:L]->(m), (p)-[:K]-(q) WHERE m.i + q.i > 5 AND p.i < q.i AND q.s <> m.t RETURN p.i, sum(m.i * q.i)",
    "MATCH (p:P)-[:L]->(m), (p)-[:K]-(q) WHERE NOT (q)-[:L]->(m) AND m.i <> q.i RETURN p.i, m.i, q.i",
    "MATCH (m)<-[:L]-(p)-[:L]->(n) WHERE m.t = n.t AND m.i < n.i RETURN m.i, n.i, sum(p.i)",
    "MATCH (a:M), (b:M), (p:P)-[:L]->(a), (q:P)-[:L]->(b) WHERE a.t = b.t AND a.i < b.i AND p.s <> q.s RETURN p.i, q.i, count(*)",
    "MATCH (a:M), (b:M) WHERE a.t = b.t AND a.v < b.v RETURN a.i, b.i",
    "MATCH (a:M), (b:O) WHERE a.t = b.t AND (a.i < b.i OR a.v IS NULL) RETURN a.i, b.i",
    "MATCH (a:P)-[k:K]->(b:P), (c:P)-[l:K]->(d:P) WHERE a.s = c.s AND k.w < l.w AND a.i <> c.i RETURN a.i, b.i, c.i, d.i",
    "MATCH (p:P)-[a:L]->(m) MATCH (p)-[b:L]->(n) WHERE a.w + b.w = 3 AND m.v = n.v RETURN p.i, count(*)",
];

#[test]
fn what_pairs_are_asked_is_read_before() {
    let statements: Vec<&str> = GRAPH.into_iter().chain(MORE).collect();
    let snapshot = created(&statements);
    let rows = agree_on(TEXTS.into_iter().map(str::to_owned), &snapshot);
    assert!(rows > 1_000, "{rows}");
}

#[test]
fn what_joined_rows_are_asked_is_read_before() {
    let snapshot = created(&[
        "UNWIND range(0, 59) AS i CREATE (:P {i: i})",
        "UNWIND range(0, 999) AS i CREATE (:M {i: i, t: CASE i % 4 WHEN 0 THEN null ELSE i % 31 END})",
        "MATCH (p:P), (m:M) WHERE (m.i + p.i) % 17 = 0 CREATE (p)-[:L {w: (m.i * p.i) % 101}]->(m)",
    ]);
    let late = Options::default().without("join_reads").unwrap();
    let mut differ = 0;
    for (condition, threads) in [
        ("m.i < n.i AND a.w + b.w = 100", 1),
        ("m.i < n.i AND abs(a.w - b.w) < 2 AND m.t > n.t", 2),
        ("m.t + n.t = 30", 1),
    ] {
        let joined = format!(
            "MATCH (p:P)-[a:L]->(m:M), (p)-[b:L]->(n:M) WHERE p.i < 10 AND {condition} RETURN p.i, count(*), sum(m.i * n.i), min(a.w)"
        );
        let settings = || Settings { threads, ..Settings::default() };
        let (found, early) = sorted_rows_and_plan(&joined, &snapshot, Options::default(), settings());
        let (expected, plan) = sorted_rows_and_plan(&joined, &snapshot, late, settings());
        assert_eq!(found, expected, "{joined}");
        differ += usize::from(early != plan);
    }
    assert!(differ > 1, "{differ}");
}

/// Two long lists of one node stay lists, and the pairs of their members are asked without a join; so do
/// some limits beside many rows.
#[test]
fn pairs_of_long_lists_are_not_joined() {
    let snapshot = created(&[
        "UNWIND range(0, 3) AS i CREATE (:P {i: i})",
        "UNWIND range(0, 639) AS i CREATE (:M {i: i, d: datetime('2020-01-01') + duration({seconds: i * i % 977})})",
        "MATCH (p:P), (m:M) WHERE m.i % 4 = p.i OR m.i % 64 = 0 CREATE (p)-[:L {d: m.d}]->(m)",
    ]);
    let text = "MATCH (p:P)-[a:L]->(m), (p)-[b:L]->(n) WHERE m.i < n.i AND abs(duration.inSeconds(a.d, b.d).seconds) < 9 RETURN p.i, count(*)";
    let (rows, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
    assert!(!plan.contains("HashJoin"), "{plan}");
    let joined = Options { hash_join: HashJoins::Always, ..Options::default() };
    let (expected, plan) = sorted_rows_and_plan(text, &snapshot, joined, Settings::default());
    assert!(plan.contains("HashJoin"), "{plan}");
    assert_eq!(rows, expected);
    assert_eq!(rows.len(), 4);
    for text in [
        "UNWIND [3, 30, 300] AS k MATCH (m:M) WHERE m.i > k AND m.d.second < k RETURN k, count(*)",
        "UNWIND [3, null, 3, 7.5] AS k MATCH (p:P)-[:L]->(m) WHERE m.i > k RETURN k, p.i, count(*)",
    ] {
        let (rows, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
        assert!(plan.contains("CrossProduct"), "{plan}");
        let late = Options::default().without("join_reads").unwrap();
        assert_eq!(rows, sorted_rows_and_plan(text, &snapshot, late, Settings::default()).0, "{text}");
    }
}

/// Components of differences of moments are those of the differences as values.
#[test]
fn components_of_differences_are_those_of_durations() {
    let snapshot = created(&[
        "UNWIND [0, 1, 999999999, 1000000000, 1000000001, 86399999999999, 86400000000000, 172800000000001] AS n UNWIND [1, -1] AS sign CREATE (:T {a: datetime('1970-01-02T03:04:05.000000006Z') + duration({nanoseconds: n * sign}), b: date('1970-03-01') + duration({days: n * sign % 97})})",
        "CREATE (:T {a: datetime('2200-01-01')}), (:T {b: date('1677-09-22')}), (:T {a: datetime('1677-09-22'), b: date('9999-12-31')})",
    ]);
    for key in ["a", "b"] {
        let names =
            ["hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds", "days", "weeks"];
        for (function, name) in ["inSeconds", "inDays"].into_iter().flat_map(|f| names.map(|n| (f, n))) {
            let pairs = format!("MATCH (x:T), (y:T) WITH x.{key} AS x, y.{key} AS y");
            let asked = format!("{pairs} RETURN x, y, duration.{function}(x, y).{name} AS n");
            let kept =
                format!("{pairs} WITH x, y, [duration.{function}(x, y)] AS d RETURN x, y, d[0].{name} AS n");
            let [asked, kept] = [asked, kept].map(|text| {
                sorted_rows_and_plan(&text, &snapshot, Options::default(), Settings::default()).0
            });
            assert_eq!(asked, kept, "{function} {name} of {key}");
        }
    }
}
