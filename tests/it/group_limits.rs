//! The first rows of each group of an order: a sort that leaves out rows gives the lists that it gives with
//! all of them, whatever the keys' types, with nulls among keys and elements, on one thread and on two.

use trimorph::{Config, Database};
use trimorph_base::Random;
use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_store::Snapshot;

use super::ask::{created, sorted_rows_and_plan};

/// The rows of a query in order, and whether its sort is told of groups.
fn rows(query: &str, snapshot: &Snapshot, options: Options, settings: Settings) -> (Vec<String>, bool) {
    let (rows, plan) = sorted_rows_and_plan(query, snapshot, options, settings);
    let told = plan.lines().any(|line| line.trim().starts_with("Sort ") && line.contains(" by ["));
    (rows, told)
}

/// Nodes in some groups whose properties have all types, some of them none.
fn graph(seed: u64, nodes: usize) -> Snapshot {
    graph_with(seed, nodes, "a.n * 2 = b.n")
}

/// The same with relationships from `a` to `b` where they meet a condition.
pub(super) fn graph_with(seed: u64, nodes: usize, linked: &str) -> Snapshot {
    let mut random = Random::new(seed);
    let groups = 1 + random.below(nodes / 4);
    let spread = 1 + random.below(300);
    created(&[
        &format!(
            "UNWIND range(1, {nodes}) AS i WITH i, (i * 7919 + {seed}) % {spread} AS x \
             CREATE (:A {{n: i, g: i % {groups}, h: CASE i % 3 WHEN 0 THEN 'x' WHEN 1 THEN 'y' END, x: x, \
             some: CASE WHEN x % 3 > 0 THEN x END, f: CASE x % 5 WHEN 0 THEN 0.0 / 0.0 ELSE x / 4.0 END, \
             day: date('2020-01-01') + duration({{days: x}}), text: 'a long text ' + toString(x), b: x % 2 = 0, \
             mixed: CASE x % 4 WHEN 0 THEN x WHEN 1 THEN toString(x) WHEN 2 THEN x / 2.0 END, \
             at: datetime({{epochSeconds: x}}), list: [x, i], long: duration({{days: x}})}})"
        ),
        // Another table: the same property has another type there.
        "UNWIND range(1, 40) AS i CREATE (:B {n: -i, g: i % 3, x: i / 2.0, f: i, text: 'b', day: 'no date'})",
        &format!("MATCH (a:A), (b:A) WHERE {linked} CREATE (a)-[:T {{w: b.x}}]->(b)"),
    ])
}

/// All passes but the one by which some ends are the least and the greatest.
fn limited() -> Options {
    Options::default().without("fold_lists").unwrap()
}

pub(super) const KEYS: [&str; 11] =
    ["x", "some", "f", "day", "text", "b", "mixed", "at", "list", "long", "nothing"];

/// What is done with `m` in the order of a key, and whether the sort is told.
const SHAPES: [(&str, bool); 28] = [
    ("WITH m.g AS g, collect(m.n)[0..3] AS c RETURN g, c", true),
    ("WITH m.g AS g, collect(m.n)[..2] AS c RETURN g, c", true),
    ("WITH m.g AS g, collect(m.some)[1..3] AS c RETURN g, c", true),
    ("WITH m.g AS g, m.h AS h, collect(m.n)[0] AS c RETURN g, h, c", true),
    ("RETURN m.g, head(collect(m.n)), collect(m.some)[..4]", true),
    ("RETURN m.g, last(collect(m.some)) AS c", true),
    ("RETURN m.g, collect(m)[-2..] AS c", true),
    ("RETURN m.g, collect(m)[-1].n + 1, collect(m.n)[-3..-1]", true),
    ("RETURN collect(m.n)[0..5]", true),
    ("WITH m.g AS g, collect({n: m.n, l: m.list})[0..2] AS c UNWIND c AS d RETURN g, d.n, d.l", true),
    ("WITH m.g AS g, collect(m) AS c WITH g, c[0] AS f, c[1] AS s RETURN g, f.n, s.n", true),
    ("WITH m.g AS g, collect(m) AS c WHERE c[0].n > 3 RETURN g, c[0].n", true),
    ("WITH m.g AS g, collect(m.n) AS c RETURN CASE WHEN g > 1 THEN c[0] ELSE c[2] END", true),
    ("WITH m, m.g + 1 AS up WITH up, collect(m.n)[0..2] AS c RETURN up, c", true),
    ("WITH m.g AS g, collect(m.n)[0..0] AS c RETURN g, c", true),
    // At both ends.
    ("RETURN m.g, collect(m.n)[0], collect(m.x)[-1]", true),
    ("WITH m.g AS g, collect(m.some) AS c RETURN g, head(c), last(c)", true),
    ("WITH m.g AS g, collect(m.n) AS c RETURN g, c[..3], c[-2..], c[1] = c[-1]", true),
    ("RETURN collect(m)[0].n, collect(m.some)[-3..-1]", true),
    // By an aggregation.
    ("WITH m.g AS g, collect(m.n) AS c RETURN sum(c[0]), count(*)", true),
    (
        "WITH m.g AS g, m.h AS h, collect(m.n) AS c RETURN h, max(c[0] + c[1]), percentileDisc(c[2], 0.5)",
        true,
    ),
    ("WITH m.g AS g, collect(m.n) AS c RETURN sum(c[0]), collect(c)[5]", false),
    // Looked at in other ways.
    ("WITH m.g AS g, collect(m.n) AS c RETURN g, c[0..3], size(c)", false),
    ("RETURN m.g, collect(m.n)[0..3], count(*)", false),
    ("RETURN m.g, collect(DISTINCT m.n)[0..3]", false),
    ("WITH m.g AS g, collect(m.n) AS c RETURN g, c[1..]", false),
    ("WITH m.g AS g, collect(m.n) AS c RETURN g, c[0], c", false),
    ("WITH m.g AS g, collect(m.n) AS c RETURN g, [i IN c WHERE i > 3][0]", false),
];

#[test]
fn lists_of_the_first_are_those_of_all() {
    let without = Options::default().without("group_limit").unwrap();
    for (seed, nodes) in [(1, 60), (2, 400), (3, 1_200)] {
        let snapshot = graph(seed, nodes);
        let mut random = Random::new(seed);
        for (shape, is_told) in SHAPES {
            for _ in 0..4 {
                let pattern = ["MATCH (m)", "MATCH (m:A)", "MATCH (p:A)-[:T]->(m)"][random.below(3)];
                let key = KEYS[random.below(KEYS.len())];
                let order = ["", " DESC"][random.below(2)];
                // The second key leaves nothing open.
                let query = format!("{pattern} WITH m ORDER BY m.{key}{order}, m.n DESC {shape}");
                let (expected, _) = rows(&query, &snapshot, without, Settings::default());
                for threads in [1, 2] {
                    let settings = Settings { threads, ..Settings::default() };
                    let (found, told) = rows(&query, &snapshot, limited(), settings);
                    assert_eq!(found, expected, "graph {seed}: {query}");
                    assert_eq!(told, is_told, "{query}");
                }
            }
        }
    }
}

#[test]
fn limits_and_computed_orders_stay() {
    let snapshot = graph(5, 400);
    let without = Options::default().without("group_limit").unwrap();
    for query in [
        // A limit is of all rows.
        "MATCH (m:A) WITH m ORDER BY m.x, m.n LIMIT 50 RETURN m.g, collect(m.n)[0..2]",
        "MATCH (m:A) WITH m ORDER BY m.x, m.n SKIP 10 RETURN m.g, collect(m.n)[0..2]",
        "MATCH (m:A) WITH m ORDER BY m.x % 7 DESC, m.n RETURN m.g, collect(m.n)[0..2]",
        "MATCH (m:A) WITH m.g AS g, m.x * 2 AS y, m.n AS n ORDER BY y, n WITH g, collect([y, n])[0..2] AS c RETURN g, c",
        "MATCH (m:A) WITH DISTINCT m.g AS g, m.x AS x ORDER BY x DESC RETURN g, collect(x)[0..2]",
        "MATCH (p:A) OPTIONAL MATCH (p)-[t:T]->(m) WITH p, t, m ORDER BY t.w DESC, m.n RETURN p.n, collect(m.n)[0..1]",
        "MATCH (p:A) CALL (p) { MATCH (p)-[:T]->(m) WITH m ORDER BY m.x RETURN collect(m.n)[0..2] AS c } RETURN p.n, c",
    ] {
        let (expected, _) = rows(query, &snapshot, without, Settings::default());
        for threads in [1, 2] {
            let settings = Settings { threads, ..Settings::default() };
            assert_eq!(rows(query, &snapshot, Options::default(), settings).0, expected, "{query}");
        }
    }
}

#[test]
fn keys_by_which_rows_of_a_group_do_not_differ_come_first() {
    let without = Options::default().without("group_limit").unwrap();
    for (seed, nodes) in [(11, 60), (12, 400), (13, 1_200)] {
        let snapshot = graph(seed, nodes);
        for order in [
            "p.n, m.x DESC, m.n",
            "p.n DESC, m.x",
            "p.x % 3, p.text DESC, p.n, m.some, m.n",
            "p, m.mixed DESC, m.n",
            "1, p.n, m.at, m.n DESC",
            // Of values that are equal others are computed.
            "p.n, p.n",
        ] {
            let bound = if order == "p, m.mixed DESC, m.n" { "p, m" } else { "p, m, p.f AS f" };
            for (groups, list) in [
                ("p", "collect(m.n)[0..2]"),
                ("p", "collect(m.some)[-2..]"),
                ("p, m.g AS g", "collect(m.n)[1]"),
            ] {
                let text = "MATCH (p:A)-[:T]->(m)";
                let query =
                    format!("{text} WITH {bound} ORDER BY {order} WITH {groups}, {list} AS c RETURN p.n, c");
                let (expected, _) = rows(&query, &snapshot, without, Settings::default());
                for threads in [1, 2] {
                    let settings = Settings { threads, ..Settings::default() };
                    assert_eq!(rows(&query, &snapshot, limited(), settings).0, expected, "{query}");
                }
            }
        }
        // 1 and 1.0 are of one group, their texts are not the same.
        let query = "UNWIND [[1, 3], [1.0, 1], [1, 2], [1.0, 4]] AS r WITH r[0] AS g, r[1] AS n \
                     ORDER BY toString(g), n WITH g, collect(n)[0..2] AS c RETURN c";
        let (expected, _) = rows(query, &snapshot, without, Settings::default());
        assert_eq!(rows(query, &snapshot, limited(), Settings::default()).0, expected);
    }
    // Rows are left out by the key that they differ by.
    let db = Database::in_memory(Config::new().threads(1));
    let connection = db.connect();
    let made = "CREATE (a:A {n: 1}) WITH a UNWIND range(1, 5000) AS i CREATE (a)-[:T]->(:M {n: i})";
    connection.query(made, &[]).unwrap();
    let text =
        "PROFILE MATCH (p:A)-[:T]->(m:M) WITH p, m ORDER BY p.n, m.n WITH p, collect(m.n)[0] AS c RETURN c";
    let mut result = connection.query(text, &[]).unwrap();
    while result.next_row().unwrap().is_some() {}
    let profile = result.plan();
    let sorted = profile.lines().find(|line| line.contains("Sort p.n, m.n, first 1 by [p]"));
    assert!(sorted.is_some_and(|line| !line.trim_start().starts_with("5,000 ")), "{profile}");
}

/// What is done beside the ends of the lists of `p`, in an order, and whether the sort is told.
const BESIDE: [(&str, bool); 15] = [
    ("WITH p, collect(m.n) AS c RETURN p.n, c[0], size(c)", true),
    ("WITH p, collect(m.some) AS c, collect(m) AS d RETURN p.n, head(c), size(c), size(d), d[-1].n", true),
    ("RETURN p, collect(m.some)[..3], count(*), sum(m.x), max(m.some)", true),
    ("WITH p, collect(m) AS c, count(DISTINCT m.h) AS k RETURN p.n, c[1].n, k", true),
    ("WITH p, collect(m.n) AS c WHERE size(c) > 1 RETURN p.n, c[-1]", true),
    (
        "WITH p, collect(m.n) AS c WITH p AS q, c AS d, c[0] AS f WHERE size(d) > f % 3 RETURN q.n, f, size(d)",
        true,
    ),
    ("WITH p, m.x AS x WITH p, collect(x) AS c, avg(x) AS mean RETURN p.n, c[0], mean, size(c) * 2", true),
    ("RETURN collect(m.n)[0], count(*), avg(m.x)", true),
    ("WITH p, collect(m.n) AS c RETURN CASE WHEN size(c) = 1 THEN c[0] ELSE -size(c) END", true),
    ("WITH p, collect(m.n) AS c, avg(m.x) AS mean RETURN count(p), sum(c[0] * size(c)), max(mean)", true),
    // Groups that may be null, what needs the order, lists as wholes.
    ("WITH m.h AS h, collect(m.n) AS c RETURN h, c[0], size(c)", false),
    ("RETURN p.n, collect(m.n)[0], collect(DISTINCT m.n)", false),
    ("WITH p, collect(m.n) AS c RETURN p.n, size(c), [x IN c WHERE x > 3][0]", false),
    ("WITH p, collect(m.n) AS c RETURN p.n, size(c)", false),
    ("WITH p, collect(m.n) AS c WITH p, c AS d, size(c) AS s ORDER BY s RETURN p.n, d[0], s", false),
];

#[test]
fn what_needs_all_rows_has_them() {
    let snapshot = graph(7, 300);
    let without = Options::default().without("group_limit").unwrap();
    let mut random = Random::new(7);
    let patterns =
        ["MATCH (p:A)-[:T]->(m)", "MATCH (p:A) MATCH (p)-[:T]->(m:A) WHERE m.x > 3", "MATCH (m:A)-[:T]->(p)"];
    let sources = patterns.into_iter().map(|pattern| (pattern, true)).chain([
        ("MATCH (p:A) OPTIONAL MATCH (p)-[:T]->(m)", false),
        ("MATCH (p:A)-[:T]->(m) WITH p, m ORDER BY m.n LIMIT 100", false),
        ("OPTIONAL MATCH (p:A) WHERE p.n < 30 OPTIONAL MATCH (p)-[:T]->(m)", false),
    ]);
    for (source, is_certain) in sources {
        for (shape, is_told) in BESIDE {
            let key = KEYS[random.below(KEYS.len())];
            let query = format!("{source} WITH p, m ORDER BY m.{key} DESC, m.n {shape}");
            let (expected, _) = rows(&query, &snapshot, without, Settings::default());
            for threads in [1, 2] {
                let settings = Settings { threads, ..Settings::default() };
                let (found, told) = rows(&query, &snapshot, limited(), settings);
                assert_eq!(found, expected, "{query}");
                assert_eq!(told, is_told && is_certain, "{query}");
            }
        }
    }
}
