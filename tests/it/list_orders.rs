//! Lists that are collected of sorted rows: sorted by themselves they are what all rows sorted before give,
//! whatever the keys' types, with nulls among keys and elements, on one thread and on two.

use trimorph_base::Random;
use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_store::Snapshot;

use super::ask::{created, sorted_rows_and_plan};
use super::group_limits::{KEYS, graph_with};

/// The rows of a query in order, and whether its lists are told their order.
fn rows(query: &str, snapshot: &Snapshot, options: Options, settings: Settings) -> (Vec<String>, bool) {
    let (rows, plan) = sorted_rows_and_plan(query, snapshot, options, settings);
    let told = plan.lines().any(|line| line.contains("Aggregate") && line.contains(" ORDER BY "));
    (rows, told)
}

/// Nodes of which some have several others.
fn graph(seed: u64, nodes: usize) -> Snapshot {
    graph_with(seed, nodes, "a.n * 2 = b.n OR a.n * 3 = b.n")
}

/// No pass but this one does anything to what is sorted.
fn ordered() -> Options {
    Options::default().without("fold_lists").unwrap().without("group_limit").unwrap()
}

/// Of the keys, those of one short type in all tables that have them.
const SHORT: [&str; 4] = ["some", "b", "at", "nothing"];

/// What is done with `m` in an order, and whether lists are told.
const SHAPES: [(&str, bool); 20] = [
    ("RETURN m.g, collect(m.n)", true),
    ("RETURN m.g, collect(m.some), count(*)", true),
    ("RETURN m.g, m.h, collect(m), collect(m.mixed), sum(m.x), max(m.text)", true),
    ("WITH m.g AS g, collect(m.n) AS c RETURN g, c[0], c[1..], size(c)", true),
    ("WITH m.g AS g, collect(m.n) AS c WHERE size(c) > 2 UNWIND c AS n RETURN g, n", true),
    ("WITH m.g AS g, m AS o, m.text AS t WITH g, collect(o.n) AS c, collect(t) AS ts RETURN g, c, ts", true),
    ("RETURN m.g, collect(m.nothing)", true),
    ("RETURN m.g, collect(1)", true),
    ("RETURN m.g, percentileDisc(m.n, 0.5), collect(m.text + 'x')", false),
    // Other values than these, told apart before they come.
    ("RETURN m.g, collect(DISTINCT m.h)", false),
    ("RETURN m.g, collect(m.list)", true),
    ("RETURN m.g, collect([m.n])", false),
    ("RETURN m.g, collect({n: m.n})", false),
    ("RETURN collect(m.n)", false),
    ("RETURN 1, collect(m.n)", false),
    ("RETURN m.g, count(*)", false),
    ("WITH m LIMIT 50 RETURN m.g, collect(m.n)", false),
    ("RETURN m.n, m.g", false),
    ("WITH m.g AS g, collect(m.n) AS c WITH c, count(*) AS k RETURN c, k", true),
    ("WITH m.g AS g, m.h AS h, collect(m.n) AS c ORDER BY h RETURN g, collect(c)", true),
];

#[test]
fn lists_are_in_the_order_of_rows() {
    let without = Options::default().without("order_lists").unwrap();
    for (seed, nodes) in [(1, 60), (2, 400), (3, 1_200)] {
        let snapshot = graph(seed, nodes);
        let mut random = Random::new(seed);
        for (shape, is_told) in SHAPES {
            for _ in 0..4 {
                let pattern = ["MATCH (m)", "MATCH (m:A)", "MATCH (p:A)-[:T]->(m)"][random.below(3)];
                let (mut keys, mut are_short) = (String::new(), true);
                for _ in 0..1 + random.below(2) {
                    let (key, order) = (*random.pick(&KEYS), ["", " DESC"][random.below(2)]);
                    are_short &= SHORT.contains(&key);
                    keys += &format!("m.{key}{order}, ");
                }
                // The last key leaves nothing open.
                let query = format!("{pattern} WITH m ORDER BY {keys}m.n DESC {shape}");
                let (expected, _) = rows(&query, &snapshot, without, Settings::default());
                for threads in [1, 2] {
                    let settings = Settings { threads, ..Settings::default() };
                    let (found, told) = rows(&query, &snapshot, ordered(), settings);
                    assert_eq!(found, expected, "graph {seed}: {query}");
                    // Elements by which rows were sorted are sorted by themselves.
                    if !shape.contains("nothing") && !shape.contains("m.list") {
                        assert_eq!(told, is_told && are_short, "{query}");
                    }
                }
            }
        }
    }
}

#[test]
fn lists_of_what_was_sorted_by_are_sorted_by_it() {
    let without = Options::default().without("order_lists").unwrap();
    for (seed, nodes) in [(4, 60), (5, 400)] {
        let snapshot = graph(seed, nodes);
        for key in KEYS {
            // Of equal numbers, 1 and 1.0, either may be told apart, and come first.
            let is_mixed = matches!(key, "x" | "f" | "mixed");
            for order in ["", " DESC"] {
                for shape in [
                    "RETURN m.g, collect(m.key)",
                    "RETURN m.g, collect(DISTINCT m.key)",
                    "WITH m.g AS g, m.key AS k RETURN g, collect(DISTINCT k), collect(k), count(k)",
                ] {
                    let label = if is_mixed { "A" } else { "A|B" };
                    let query = format!("MATCH (m:{label}) WITH m ORDER BY m.key{order} {shape}");
                    let query = query.replace("key", key);
                    let (expected, _) = rows(&query, &snapshot, without, Settings::default());
                    for threads in [1, 2] {
                        let settings = Settings { threads, ..Settings::default() };
                        let (found, told) = rows(&query, &snapshot, ordered(), settings);
                        assert!(told, "{query}");
                        if key != "mixed" || !query.contains("DISTINCT") {
                            assert_eq!(found, expected, "{query}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn keys_that_a_group_has_one_value_of_are_passed_over() {
    let without = Options::default().without("order_lists").unwrap();
    let snapshot = graph(7, 400);
    for (order, keys) in [
        ("p.n, m.b DESC, m.n", 2),
        ("m.at DESC, p.n, m.n", 2),
        ("p, m.some DESC, m.n", 2),
        ("p.n, p.text", 0),
    ] {
        let query = format!(
            "MATCH (p:A)-[:T]->(m) WITH p, m ORDER BY {order} WITH p, collect(m.n) AS c, count(*) AS k \
             RETURN p.n, {}, k",
            if keys == 0 { "size(c)" } else { "c" }
        );
        let (expected, _) = sorted_rows_and_plan(&query, &snapshot, without, Settings::default());
        let (found, plan) = sorted_rows_and_plan(&query, &snapshot, ordered(), Settings::default());
        assert_eq!(found, expected, "{query}");
        assert!(!plan.contains("Sort"), "{plan}");
        let order =
            plan.split_once(" ORDER BY ").map_or("", |(_, rest)| rest.split(')').next().unwrap_or(""));
        assert_eq!(order.split(',').filter(|key| !key.is_empty()).count(), keys, "{plan}");
    }
}

#[test]
fn long_lists_are_sorted_as_rows_are() {
    let snapshot = created(&[
        "UNWIND range(1, 150000) AS i CREATE (:A {n: i, x: (i * 7919) % 100003, g: CASE WHEN i % 1000 = 0 THEN 1 END})",
    ]);
    let query = "MATCH (m:A) WITH m ORDER BY m.x DESC, m.n WITH m.g AS g, collect(m.n) AS c \
                 WITH g, reduce(h = 0, n IN c | (h * 31 + n) % 1000003) AS h RETURN g, h";
    let without = Options::default().without("order_lists").unwrap();
    let (expected, _) = rows(query, &snapshot, without, Settings::default());
    for threads in [1, 2] {
        let settings = Settings { threads, ..Settings::default() };
        assert_eq!(rows(query, &snapshot, ordered(), settings), (expected.clone(), true));
    }
}

#[test]
fn lists_of_subqueries_are_those_of_each_row() {
    let without = Options::default().without("order_lists").unwrap();
    let snapshot = graph(9, 400);
    for (query, is_told) in [
        (
            "MATCH (p:A) CALL (p) { MATCH (p)-[:T]->(m) WITH m ORDER BY m.at DESC, m.n RETURN collect(m.n) AS c } RETURN p.n, c",
            true,
        ),
        (
            "MATCH (p:A) CALL (p) { MATCH (p)-[:T]->(m) WITH m ORDER BY m.n RETURN collect(m.x) AS c, count(*) AS k } RETURN p.n, c, k",
            true,
        ),
        (
            "MATCH (p:A) WHERE p.n < 50 RETURN p.n, COLLECT { MATCH (p)-[:T]->(m) WITH m ORDER BY m.n DESC RETURN collect(m.n) }[0] AS c",
            true,
        ),
        ("CALL () { MATCH (m:A) WITH m ORDER BY m.at, m.n RETURN collect(m.n) AS c } RETURN c", false),
    ] {
        let (expected, _) = rows(query, &snapshot, without, Settings::default());
        for threads in [1, 2] {
            let settings = Settings { threads, ..Settings::default() };
            assert_eq!(rows(query, &snapshot, ordered(), settings), (expected.clone(), is_told), "{query}");
        }
    }
}
