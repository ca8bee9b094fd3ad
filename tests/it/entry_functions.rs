//! What is computed of a text property that has a dictionary, once for each entry: as the interpreter has it,
//! for dictionaries smaller and larger than a vector, in projections, keys, arguments and conditions, with
//! nulls, with texts that come of it, and where an entry fails that no row has, or that one has.

use std::collections::BTreeMap;

use trimorph_base::MemoryBudget;
use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_store::Snapshot;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

use super::ask::{ask, created};

const OF_ONE_TEXT: &[&str] = &[
    "split(a.s, '.')[0] + '.x'",
    "split(a.s, '.')",
    "toInteger(split(a.s, '.')[1]) % 7",
    "coalesce(a.s, 'none')",
    "CASE WHEN a.s STARTS WITH '1' THEN 0.5 WHEN a.s IS NULL THEN 1 ELSE 'x' END",
    "toUpper(a.s) + a.s",
    "size(a.s) > 4 AND a.s CONTAINS '7'",
    "{one: 1}['one'] + size(a.s)",
    "{`3.3`: 'three', `5.5`: 'five'}[a.s]",
    "[c IN split(a.s, '.') WHERE c <> '3' | toInteger(c)]",
    "reverse(a.s) = a.s",
    "a.s =~ '.*[5-9]'",
    "[a.s, size(a.s)]",
    "{text: a.s, first: left(a.s, 1)}",
    "a.s",
    "a.s IS NULL",
    "a.s IN ['3.3', '10.5', 'zz']",
    "date('2020-01-01') + duration({days: toInteger(left(a.s, 1))})",
    "null",
];

fn agree(text: &str, snapshot: &Snapshot, graph: &Graph) {
    let bound = bind(text, snapshot.catalog()).unwrap_or_else(|d| panic!("{text}: {d}"));
    let now = Clock { seconds: 0, nanos: 0 };
    let expected = run_on(&bound, graph, &BTreeMap::new(), now, 50_000_000);
    for (vector_size, threads) in [(2_048, 1), (100, 1), (300, 3)] {
        let settings = Settings { vector_size, threads, patient: threads == 1, ..Settings::default() };
        match (&expected, ask(text, snapshot, settings)) {
            (Ok(expected), Ok(found)) => {
                compare(expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
            }
            (Err(_), Err(_)) => {}
            (expected, found) => panic!("{text}: {} and {}", expected.is_ok(), found.is_ok()),
        }
    }
}

#[test]
fn functions_of_entries_are_those_of_rows() {
    let snapshot = created(&[
        // 1,400 addresses, an empty text for every thirteenth, null for every tenth.
        "UNWIND range(1, 5000) AS n CREATE (:A {n: n, s: CASE WHEN n % 10 = 0 THEN null WHEN n % 13 = 0 THEN '' ELSE toString(n % 20) + '.' + toString(n % 70) END})",
        "UNWIND range(1, 2500) AS n CREATE (:B {n: n, s: toString(n % 9) + '.' + toString(n % 3)})",
        // Not a text everywhere, and never one.
        "UNWIND range(1, 500) AS n CREATE (:C {n: n, s: CASE n % 3 WHEN 0 THEN toString(n % 5) ELSE 'word' END}), (:D {n: n, t: 1})",
        "MATCH (a:A), (b:B) WHERE a.n % 50 = b.n AND a.n < 900 CREATE (a)-[:R]->(b)",
    ]);
    let graph = Graph::read(&snapshot);
    for ex in OF_ONE_TEXT {
        for text in [
            format!("MATCH (a:A) RETURN a.n AS n, {ex} AS x"),
            format!("MATCH (a:A) WHERE a.n % 3 = 1 RETURN {ex} AS x, count(*) AS k, min(a.n) AS m"),
            format!("MATCH (a) WITH {ex} AS x, a.n % 2 AS p, count(*) AS k RETURN x, p, k"),
            format!(
                "MATCH (a:B) RETURN count(DISTINCT {ex}) AS d, count({ex}) AS c, size(tail(collect({ex}))) AS l"
            ),
            format!("MATCH (a:A)-[:R]->(b) RETURN b.n AS n, {ex} AS x, count(*) AS k"),
            format!("MATCH (b:B)<-[:R]-(a) RETURN {ex} AS x, count(b) AS k"),
            format!("MATCH (a:A) WHERE ({ex}) = ({ex}) AND a.n % 2 = 0 RETURN count(*) AS k"),
        ] {
            agree(&text, &snapshot, &graph);
        }
    }
    for text in [
        // Nobody who is asked has an empty text.
        "MATCH (a:A) WHERE a.n % 13 <> 0 RETURN 100 / size(a.s) AS x, count(*) AS k",
        "MATCH (a:A) WHERE a.n % 13 <> 0 AND 100 / size(a.s) > 20 RETURN count(*) AS k",
        "MATCH (a:A) WHERE a.n % 13 = 1 RETURN a.n AS n, 100 / size(a.s) AS x",
        // Some have.
        "MATCH (a:A) RETURN 100 / size(a.s) AS x, count(*) AS k",
        "MATCH (a:A) WHERE 100 / size(a.s) > 20 RETURN count(*) AS k",
        "MATCH (a:A) WHERE a.n < 12 RETURN max(100 / size(a.s)) AS x",
    ] {
        agree(text, &snapshot, &graph);
    }
}

/// Results that are larger than the query may hold at a time are made row by row.
#[test]
fn large_results_are_not_kept() {
    let snapshot = created(&["UNWIND range(1, 6000) AS n CREATE (:A {n: n, s: toString(n % 1500)})"]);
    let long = "x".repeat(4_000);
    for (text, expected) in [
        (format!("MATCH (a:A) RETURN sum(size(replace(a.s, '1', '{long}'))) AS s"), None),
        (
            format!("MATCH (a:A) RETURN sum(size([c IN range(1, 500) | a.s + '{long}'])) AS s"),
            Some(3_000_000),
        ),
    ] {
        let small =
            Settings { budget: MemoryBudget::new(4 << 20, None), vector_size: 256, ..Settings::default() };
        let found = ask(&text, &snapshot, small);
        let all = ask(&text, &snapshot, Settings::default()).unwrap();
        match found {
            Ok(found) => {
                compare(&all, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"))
            }
            Err(error) => panic!("{text}: {error}"),
        }
        if let Some(expected) = expected {
            assert!(matches!(all[0][0], Value::Int(n) if n == expected));
        }
    }
}

/// Lists of properties against written ones, where many rows have the same list: equal, not equal and with
/// nulls, as elements, and taken apart.
#[test]
fn lists_that_come_again_are_what_they_are() {
    let snapshot = created(&[
        "UNWIND range(1, 3000) AS n CREATE (:A {n: n, l: CASE n % 7 WHEN 0 THEN null WHEN 1 THEN [] WHEN 2 THEN ['x'] WHEN 3 THEN ['x', 'yy'] ELSE ['z' + toString(n % 900)] END, k: [n % 3, n % 5], b: [n % 2 = 0]})",
        "UNWIND range(1, 200) AS n CREATE (:B {n: n, l: CASE n % 3 WHEN 0 THEN ['x', 'yy'] WHEN 1 THEN ['x'] END, k: [n % 3, 1.5], b: []})",
    ]);
    let graph = Graph::read(&snapshot);
    for ex in [
        "a.l = ['x']",
        "a.l <> ['x', 'yy']",
        "['x'] = a.l",
        "a.l = []",
        "a.l = ['x', null]",
        "a.l = ['x', 1]",
        "a.l = [[]]",
        "a.k = [1, 2]",
        "a.k <> [1.0, 2]",
        "a.k = [1]",
        "a.b = [true]",
        "a.l",
        "size(a.l)",
        "'x' IN a.l",
        "a.l[0]",
        "a.l + a.k",
        "[c IN a.l | c + '!']",
        "head(a.k) + size(a.b)",
    ] {
        for text in [
            format!("MATCH (a:A) RETURN {ex} AS x, count(*) AS k"),
            format!("MATCH (a) WHERE a.n % 2 = 1 RETURN a.n AS n, {ex} AS x"),
            format!("MATCH (a:A) WHERE ({ex}) = ({ex}) UNWIND a.l AS e RETURN e, count(*) AS k"),
        ] {
            agree(&text, &snapshot, &graph);
        }
    }
}
