//! Subqueries that join the rows around with many others by value give what they give where the others are
//! joined whole: keys that are null, repeated, of several types, computed, several at once; all forms of
//! subqueries; little memory; errors and limits.

use std::sync::Arc;

use trimorph_base::MemoryBudget;
use trimorph_exec::{Settings, SpillArea, TemporaryDirectory};
use trimorph_optimizer::Options;
use trimorph_testkit::compare::{Comparison, compare};

use super::ask::{ask, created, failure, sorted_rows_and_plan};

/// Many of `N`, few of `M`, as many of `O`; keys repeat, are null, and in `v` of several types.
const GRAPH: [&str; 4] = [
    "UNWIND range(0, 23999) AS i CREATE (:N {i: i, k: CASE WHEN i % 7 > 0 THEN i % 9001 END, t: 't' + toString(i % 5003), b: i % 3, d: datetime('2020-01-01T00:00:00Z') + duration({hours: i % 8009})})",
    "UNWIND range(0, 299) AS i CREATE (:M {i: i, k: CASE WHEN i % 5 > 0 THEN (i * 37) % 12007 END, t: 't' + toString(i * 17), b: i % 3, d: datetime('2020-01-01T00:00:00Z') + duration({hours: i * 31}), v: CASE i % 4 WHEN 0 THEN i WHEN 1 THEN i * 1.0 WHEN 2 THEN 't' + toString(i) END})",
    "UNWIND range(0, 19999) AS i CREATE (:O {i: i, k: CASE WHEN i % 3 > 0 THEN i % 11003 END, v: CASE i % 3 WHEN 0 THEN i WHEN 1 THEN 0.0 / (i % 2) ELSE 't' + toString(i) END})",
    "MATCH (a:M), (b:M) WHERE b.i = (a.i * 7) % 300 OR b.i = a.i % 10 CREATE (a)-[:R]->(b)",
];

const TEXTS: &[&str] = &[
    "MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k } RETURN m.i",
    "MATCH (m:M) WHERE NOT EXISTS { MATCH (n:N) WHERE n.k = m.k } RETURN m.i",
    "MATCH (m:M) RETURN m.i, EXISTS { MATCH (n:N) WHERE n.k = m.k } AS e",
    "MATCH (m:M) RETURN m.i, COUNT { MATCH (n:N) WHERE n.k = m.k AND n.i > m.i } AS c",
    "MATCH (m:M) RETURN m.i, COLLECT { MATCH (n:N) WHERE n.t = m.t RETURN n.i ORDER BY n.i } AS c",
    "MATCH (m:M) OPTIONAL MATCH (n:N) WHERE n.k = m.k RETURN m.i, n.i",
    "MATCH (m:M) CALL (m) { MATCH (n:N) WHERE n.d = m.d RETURN max(n.i) AS x, count(*) AS c } RETURN m.i, x, c",
    "MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.b = m.b } RETURN m.i",
    "MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.i = m.v } RETURN m.i",
    "MATCH (m:M) WHERE EXISTS { MATCH (o:O) WHERE o.v = m.v } RETURN m.i",
    "MATCH (m:M) RETURN m.i, COUNT { MATCH (o:O) WHERE o.v = m.v } AS c",
    "MATCH (m:M)-[:R]->(b) WHERE EXISTS { MATCH (n:N) WHERE n.k = b.k } RETURN m.i, b.i",
    "MATCH (m:M)-[:R]->(b) WITH b.k AS k, count(*) AS c WHERE EXISTS { MATCH (n:N) WHERE n.k = k } RETURN k, c",
    "MATCH (m:M) WITH m.k AS x, m WHERE NOT EXISTS { MATCH (n:N) WHERE n.k = x AND n.i > 20000 } RETURN m.i, x",
    "UNWIND [1, 1, 2, null, 3.0, 'a', 5] AS k WITH k WHERE EXISTS { MATCH (n:N) WHERE n.k = k } RETURN k, count(*)",
    "MATCH (o:O) WHERE EXISTS { MATCH (n:N) WHERE n.k = o.k } RETURN count(*), sum(o.i)",
    "MATCH (o:O) WHERE EXISTS { MATCH (n:N) WHERE n.k = o.k AND n.i = o.i } RETURN count(*), sum(o.i)",
    "MATCH (o:O) WHERE EXISTS { MATCH (m:M) WHERE m.k = o.k } RETURN o.i",
    "MATCH (o:O) WHERE EXISTS { MATCH (m:O) WHERE m.v = o.v } RETURN count(*), sum(o.i)",
    "MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k } AND EXISTS { MATCH (o:O) WHERE o.k = m.k } RETURN m.i",
    "MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND EXISTS { MATCH (o:O) WHERE o.k = n.k } } RETURN m.i",
    "MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k } OR m.i = 3 RETURN m.i",
    "MATCH (m:M) CALL (m) { MATCH (n:N) WHERE n.k = m.k RETURN n.i AS x UNION MATCH (o:O) WHERE o.k = m.k RETURN o.i AS x } RETURN m.i, x",
    "MATCH (m:M) WITH m ORDER BY m.i LIMIT 140 WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k } RETURN m.i",
    "MATCH (m:M) RETURN m.i, COUNT { MATCH (n:N) WHERE date(n.d) = date(m.d) } AS c",
    // Rows around that are made once for two places.
    "CALL { MATCH (m:M) RETURN m.k AS k, count(*) AS c } WITH k, c WHERE EXISTS { MATCH (n:N) WHERE n.i = k } RETURN k, c UNION ALL CALL { MATCH (m:M) RETURN m.k AS k, count(*) AS c } WITH k, c WHERE NOT EXISTS { MATCH (n:N) WHERE n.i = k } RETURN k, c",
    "MATCH (m:M) OPTIONAL MATCH (b:M {i: m.i + 290}) OPTIONAL MATCH (n:N) WHERE n.k = b.k RETURN m.i, b.i, n.i",
];

#[test]
fn others_are_reduced_to_what_rows_need() {
    let snapshot = created(&GRAPH);
    let whole = Options::default().without("reduce_joins").unwrap();
    let mut reduced = 0;
    for text in TEXTS {
        let (expected, plan) = sorted_rows_and_plan(text, &snapshot, whole, Settings::default());
        for (vector_size, threads) in [(2_048, 1), (61, 2)] {
            let settings = Settings { vector_size, threads, ..Settings::default() };
            let (found, other) = sorted_rows_and_plan(text, &snapshot, Options::default(), settings);
            assert_eq!(found, expected, "{text}\n{other}");
            reduced += usize::from(plan != other);
        }
        assert!(!expected.is_empty(), "{text}");
    }
    // Of two keys, of rows that a match within made, and of computed keys too.
    assert!(reduced >= 2 * (TEXTS.len() - 4), "{reduced} of {}", 2 * TEXTS.len());
}

/// Whether one of those with the same key differs is asked of the least and the greatest of them.
#[test]
fn who_differs_is_found_without_pairs() {
    let snapshot = created(&[
        "UNWIND range(0, 1999) AS i CREATE (:N {i: i, k: CASE WHEN i % 7 > 0 THEN i % 501 END, c: i % 4, s: CASE i % 5 WHEN 0 THEN null WHEN 1 THEN 'a' ELSE 's' + toString(i % 4) END, d: date('2020-01-01') + duration({days: i % 40}), f: [0.0 / 0, 1.5, toFloat(i % 3)][i % 3], v: CASE i % 3 WHEN 0 THEN i % 2 WHEN 1 THEN 'x' END})",
        "UNWIND range(0, 299) AS i CREATE (:M {i: i, k: CASE WHEN i % 5 > 0 THEN i * 2 END, b: CASE i % 4 WHEN 0 THEN null WHEN 1 THEN i % 3 WHEN 2 THEN 1.0 ELSE 'a' END, s: ['a', 's1', null, 'b'][i % 4], d: date('2020-01-01') + duration({days: i % 40})})",
    ]);
    let without = Options::default().without("exists_extremes").unwrap();
    for (text, is_grouped) in [
        ("MATCH (m:N) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n <> m } RETURN m.i", true),
        ("MATCH (m:N) WHERE NOT EXISTS { MATCH (n:N) WHERE n.k = m.k AND m <> n } RETURN m.i", true),
        ("MATCH (m:N) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND id(n) <> id(m) } RETURN m.i", true),
        (
            "MATCH (m:N) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.i <> m.i AND n <> m } RETURN m.i",
            true,
        ),
        (
            "MATCH (m:N) WHERE NOT EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.c <> m.c AND n <> m } RETURN m.i",
            true,
        ),
        ("MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.c <> m.b } RETURN m.i", true),
        ("MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND m.s <> n.s } RETURN m.i", true),
        ("MATCH (m:M) WHERE NOT EXISTS { MATCH (n:N) WHERE n.k = m.k AND m.s <> n.s } RETURN m.i", true),
        (
            "MATCH (m:M) WHERE NOT EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.d <> m.d AND m.i > 7 } RETURN m.i",
            true,
        ),
        ("MATCH (m:M) RETURN m.i, EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.d <> m.d } AS e", true),
        (
            "MATCH (m:M) OPTIONAL MATCH (o:M {i: m.i + 9}) WITH m, o WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n <> o } RETURN m.i",
            true,
        ),
        // NaN differs from itself, types that mix have no order, one comparison does not follow from another.
        ("MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.f <> m.b } RETURN m.i", false),
        ("MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.v <> m.b } RETURN m.i", false),
        (
            "MATCH (m:N) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.d > m.d AND n.c <> m.c } RETURN m.i",
            false,
        ),
        (
            "MATCH (m:N) WHERE EXISTS { MATCH (n:N) WHERE n.k = m.k AND n.c >= m.c AND n <> m } RETURN m.i",
            false,
        ),
    ] {
        let (expected, plan) = sorted_rows_and_plan(text, &snapshot, without, Settings::default());
        let (found, other) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
        assert_eq!(found, expected, "{text}\n{other}");
        assert_eq!(plan != other, is_grouped, "{text}\n{other}");
        assert!(!expected.is_empty(), "{text}");
    }
}

/// Keys that memory has no room for go to files, and rows of one key are one row there too.
#[test]
fn keys_go_to_files() {
    let snapshot = created(&GRAPH);
    let mut written = 0;
    for text in [
        "MATCH (o:O) WHERE EXISTS { MATCH (n:N) WHERE n.k = o.k } RETURN count(*), sum(o.i)",
        "MATCH (o:O) WHERE EXISTS { MATCH (n:N) WHERE n.k = o.k AND n.i = o.i } RETURN count(*), sum(o.i)",
    ] {
        let expected = ask(text, &snapshot, Settings::default()).unwrap();
        for (threads, limit) in [(1, 600_000), (1, 420_000), (2, 1_000_000)] {
            let directory = TemporaryDirectory(std::env::temp_dir());
            let area = Arc::new(SpillArea::new(Box::new(directory), u64::MAX));
            let (budget, spill) = (MemoryBudget::new(limit, None), Some(Arc::clone(&area)));
            let settings = Settings { budget: budget.clone(), threads, spill, ..Settings::default() };
            let found = ask(text, &snapshot, settings).unwrap_or_else(|error| panic!("{text}: {error}"));
            compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}: {d}"));
            written += area.written_bytes();
            assert_eq!((budget.used_bytes(), area.used_bytes()), (0, 0), "{text}");
        }
    }
    assert!(written > 0);
}

/// What may fail of rows around, or is drawn, is not computed ahead.
#[test]
fn rows_around_that_may_fail_are_left_alone() {
    let snapshot = created(&GRAPH);
    for text in [
        "MATCH (m:M) WITH m, 600 / (m.i + 1) AS x WHERE EXISTS { MATCH (n:N) WHERE n.k = x } RETURN m.i",
        "MATCH (m:M) WHERE EXISTS { MATCH (n:N) WHERE n.k = 600 / (m.i + 1) } RETURN m.i",
        "MATCH (m:M) WITH m, toInteger(rand() * 3) AS x WHERE EXISTS { MATCH (n:N) WHERE n.k = x } RETURN count(*) > 0 AS c",
    ] {
        let (rows, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
        assert!(!plan.contains("Spool"), "{text}\n{plan}");
        assert!(!rows.is_empty(), "{text}");
    }
    let text = "MATCH (m:M) WITH m, 1 / (299 - m.i) AS x WHERE EXISTS { MATCH (n:N) WHERE n.k = x } RETURN x";
    assert!(failure(text, &snapshot, Settings::default()).contains("division by zero"));
}
