//! Lists of which only conditions on their elements, or sums, are looked at: what is folded as elements come
//! is what the lists would say, with nulls, empty lists and different values.

use trimorph_exec::Settings;
use trimorph_optimizer::Options;

use super::ask::{created, sorted_rows_and_plan};

const GRAPH: [&str; 3] = [
    "UNWIND range(0, 11) AS i CREATE (:P {i: i, k: i % 3, s: 'p' + toString(i % 4)})",
    "MATCH (p:P) UNWIND range(1, p.i) AS j CREATE (p)-[:HAS {w: j % 4}]->(:M {n: j, l: CASE WHEN j % 3 = p.k THEN null ELSE j * 7 % 10 END, f: j / 4.0, t: CASE j % 5 WHEN 0 THEN null ELSE 'p' + toString(j % 6) END, any: CASE j % 4 WHEN 0 THEN 'x' WHEN 1 THEN j WHEN 2 THEN null ELSE 1.5 END})",
    "MATCH (p:P) WHERE p.i > 5 CREATE (p)-[:HAS {w: 9}]->(:M:Odd {n: 40, l: 3, f: 0.5, t: 'odd', any: 'x'})",
];

/// What is asked of a list `xs`, and whether it is folded.
const ASKED: &[(&str, bool)] = &[
    ("any(x IN xs WHERE x > 4)", true),
    ("all(x IN xs WHERE x > 1)", true),
    ("none(x IN xs WHERE x > 8)", true),
    ("NOT all(x IN xs WHERE x <> 7)", true),
    ("size([x IN xs WHERE x > 3])", true),
    ("size([x IN xs WHERE x > 3 | x = 4])", true),
    ("size([x IN xs WHERE x IS NULL])", true),
    ("any(x IN xs WHERE null)", true),
    ("4 IN xs", true),
    ("k IN xs", true),
    ("null IN xs", true),
    ("any(x IN xs WHERE x > k)", true),
    ("any(x IN xs WHERE x > 4) AND size(xs) > 2", true),
    ("any(x IN xs WHERE x > 4) OR all(x IN xs WHERE x > 1)", true),
    ("CASE WHEN all(x IN xs WHERE x > 2) THEN size(xs) ELSE -size([x IN xs WHERE x = k]) END", true),
    ("single(x IN xs WHERE x > 4)", false),
    ("any(x IN xs WHERE x > 4) AND xs[0] = 1", false),
    ("any(x IN xs WHERE size(xs) > x)", false),
    ("size([x IN xs WHERE rand() >= 0])", false),
];

const SUMMED: &[(&str, bool)] = &[
    ("reduce(s = 0, x IN xs | s + x)", true),
    ("reduce(s = 10, x IN xs | x + s) + size([x IN xs WHERE x > 3])", true),
    ("reduce(s = 0, x IN xs | s + CASE WHEN x > 3 THEN x ELSE 1 END)", true),
    ("reduce(s = 0, x IN xs | s + CASE WHEN x > 3 THEN x END)", true),
    ("reduce(s = 0, x IN xs | s * 2 + x)", false),
    ("reduce(s = '', x IN xs | s + x)", false),
];

/// Asks with the pass and without.
fn check(query: &str, is_folded: bool, snapshot: &trimorph_store::Snapshot) {
    let ask = |options| sorted_rows_and_plan(query, snapshot, options, Settings::default());
    let (found, plan) = ask(Options::default());
    let (expected, made) = ask(Options::default().without("fold_lists").unwrap());
    assert_eq!(found, expected, "{query}\n{plan}");
    assert!(made.contains("collect("), "{query}\n{made}");
    assert_eq!(!plan.contains("collect("), is_folded, "{query}\n{plan}");
}

#[test]
fn what_is_asked_of_elements_is_asked_as_they_come() {
    let snapshot = created(&GRAPH);
    for rows in ["MATCH (p:P)-[:HAS]->(m)", "MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(m) WHERE m.n > 2"] {
        for element in ["m.l", "m.n", "m.any", "DISTINCT m.l", "CASE WHEN m.n > 3 THEN m.l END"] {
            for (asked, is_folded) in ASKED {
                let lists = format!("{rows} WITH p.i AS i, p.k AS k, collect({element}) AS xs");
                check(&format!("{lists} RETURN i, {asked} AS a"), *is_folded, &snapshot);
                check(
                    &format!(
                        "{lists} WITH xs AS ys, i, k AS j WITH ys AS xs, i, j AS k RETURN i, {asked} AS a ORDER BY a, i"
                    ),
                    *is_folded,
                    &snapshot,
                );
                if !asked.starts_with("size") && !asked.starts_with("CASE") {
                    check(&format!("{lists} WHERE {asked} RETURN i"), *is_folded, &snapshot);
                    check(
                        &format!("{lists} WHERE i > 2 AND {asked} RETURN count(*) AS c, sum(i) AS s"),
                        *is_folded,
                        &snapshot,
                    );
                }
            }
        }
        for element in ["m.n", "CASE WHEN m.n > 3 THEN m.n END", "m.n * 2 - p.k"] {
            for (asked, is_folded) in SUMMED {
                let lists = format!("{rows} WITH p, p.i AS i, collect({element}) AS xs");
                check(&format!("{lists} RETURN i, {asked} AS a"), *is_folded, &snapshot);
            }
        }
    }
}

/// Lists of what is left are collected as elements come, and have what is computed of these, nulls too.
#[test]
fn elements_are_chosen_as_they_come() {
    let snapshot = created(&GRAPH);
    for rows in ["MATCH (p:P)-[:HAS]->(m)", "MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(m) WHERE m.n > 2"] {
        for (list, is_chosen) in [
            ("collect(m) AS xs RETURN p.i, [x IN xs WHERE x.l > 2 | x.n] AS a", true),
            ("collect(m) AS xs RETURN p.i, [x IN xs WHERE x.n > 2 | x.l] AS a, size(xs) AS s", true),
            (
                "collect(m) AS xs WITH p, [x IN xs WHERE x.l > 2 AND x.n > p.k] AS ys WHERE size(ys) > 1 RETURN p.i, [y IN ys | y.n] AS a",
                true,
            ),
            ("collect(m.l) AS xs RETURN p.i, [x IN xs WHERE x > 2 OR x < 1] AS a", true),
            ("collect(m.l) AS xs RETURN p.i, [x IN xs WHERE x IS NULL OR x > 3 | x + 1] AS a", true),
            ("collect(m.l) AS xs RETURN p.i, [x IN xs WHERE true | p.k] AS a", true),
            ("collect({l: m.l, n: m.n}) AS xs RETURN p.i, [x IN xs WHERE x.n > 1 | x.l] AS a", true),
            ("collect(m.n) AS xs RETURN p.i, [x IN xs WHERE x > 2 | [x, p.k]] AS a", true),
            (
                "collect(m.n) AS xs RETURN p.i, [x IN xs WHERE x > 2] AS a, [x IN xs WHERE x < 5 | -x] AS b",
                true,
            ),
            ("collect(m.t) AS xs RETURN p.i, [x IN xs WHERE x CONTAINS '1' | left(x, 1)] AS a", false),
            ("collect(DISTINCT m.l) AS xs RETURN p.i, [x IN xs WHERE x > 2] AS a", false),
            ("collect(m.n) AS xs RETURN p.i, [x IN xs WHERE x > 2] AS a, xs", false),
            ("collect(m.n) AS xs RETURN p.i, [x IN xs | x + 1] AS a", false),
            ("collect(m.n) AS xs RETURN p.i, [x IN xs WHERE rand() >= 0] AS a", false),
        ] {
            let query = format!("{rows} WITH p, {list}");
            let ask = |options| sorted_rows_and_plan(&query, &snapshot, options, Settings::default());
            let (found, plan) = ask(Options::default());
            let (expected, _) = ask(Options::default().without("fold_lists").unwrap());
            assert_eq!(found, expected, "{query}\n{plan}");
            assert_eq!(plan.contains("collect(CASE"), is_chosen, "{query}\n{plan}");
        }
        // Rows in an order stay in it.
        let query = format!(
            "{rows} WITH p, m ORDER BY m.l DESC, m.n WITH p, collect(m) AS xs RETURN p.i, [x IN xs WHERE x.n > 1 | x.n] AS a"
        );
        let ask = |options| sorted_rows_and_plan(&query, &snapshot, options, Settings::default());
        let (expected, _) = ask(Options::default().without("fold_lists").unwrap());
        assert_eq!(ask(Options::default()).0, expected, "{query}");
    }
}

/// Elements that are nodes, relationships, texts, maps and lists.
#[test]
fn elements_of_every_type() {
    let snapshot = created(&GRAPH);
    for (query, is_folded) in [
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m) AS ms RETURN p.i, size([m IN ms WHERE m.l > 4 | m.n])",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m) AS ms RETURN p.i, all(m IN ms WHERE m:Odd OR m.n > p.k)",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m) AS ms WHERE any(m IN ms WHERE m.t = p.s) RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P)-[h:HAS]->(m) WITH p, collect(h) AS hs WHERE none(h IN hs WHERE h.w = 2) RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect({l: m.l, n: m.n}) AS ms RETURN p.i, size([x IN ms WHERE x.l > x.n]), reduce(s = 0, x IN ms | s + x.n)",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect({l: m.l}) AS ms RETURN p.i, any(x IN ms WHERE x.none IS NULL), all(x IN ms WHERE x.l > 1)",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect([m.l, m.n]) AS ms RETURN p.i, any(x IN ms WHERE x = [7, 1])",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.t) AS ts WHERE all(t IN ts WHERE size(t) > 1) RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.t) AS ts WHERE p.i > 3 AND all(t IN ts WHERE size(t) > 1) RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.t) AS ts WHERE p.i > 3 AND any(t IN ts WHERE t CONTAINS '1') RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.t) AS ts WHERE any(t IN ts WHERE t CONTAINS '1') RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, count(*) AS c, collect(m.t) AS ts WHERE c > 3 AND all(t IN ts WHERE size(t) > 1) RETURN p.i",
            false,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, count(*) AS c, collect(m.t) AS ts WHERE c > 3 AND any(t IN ts WHERE t CONTAINS '1') RETURN p.i",
            false,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.f) AS fs RETURN p.i, reduce(s = 0, f IN fs | s + f)",
            false,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.any) AS xs RETURN p.i, reduce(s = 0, x IN xs | s + size(toString(x)))",
            true,
        ),
        (
            "MATCH (m:M) WITH collect(m.l) AS ls RETURN any(l IN ls WHERE l > 8), all(l IN ls WHERE l > 8), size([l IN ls WHERE l > 4])",
            true,
        ),
        (
            "MATCH (m:None) WITH collect(m.l) AS ls RETURN any(l IN ls WHERE l > 8), all(l IN ls WHERE l > 8), none(l IN ls WHERE l > 8)",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.l) AS ls RETURN sum(size([l IN ls WHERE l > 4])), count(*)",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.l) AS ls ORDER BY size([l IN ls WHERE l > 4]) DESC, p.i LIMIT 3 RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.l) AS ls ORDER BY p.i LIMIT 3 RETURN p.i, size([l IN ls WHERE l > 4]) AS n",
            true,
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.l) AS ls, collect(m.n) AS ns RETURN p.i, ls, any(n IN ns WHERE n > 3)",
            false,
        ),
    ] {
        check(query, is_folded, &snapshot);
    }
}

/// The first and the last of what the rows were sorted by are the least and the greatest; not where values
/// are of several types, where something else decides, or where another element is looked at.
#[test]
fn ends_of_what_rows_are_sorted_by() {
    let snapshot = created(&GRAPH);
    for (order, element, rest, is_folded) in [
        ("m.n", "m.n", "xs[0] AS a, xs[-1] AS b", true),
        ("m.n DESC", "m.n", "xs[0] AS a, xs[-1] AS b, size(xs) AS c", true),
        ("m.l", "m.l", "head(xs) AS a, last(xs) AS b, any(x IN xs WHERE x > 4) AS c", true),
        ("m.l DESC, m.n", "m.l", "xs[0] AS a, last(xs) AS b", true),
        ("m.t DESC", "m.t", "xs[0] AS a, xs[-1] AS b", true),
        ("m.t", "DISTINCT m.t", "xs[0] AS a, xs[-1] AS b, size(xs) AS c", true),
        ("m.any", "m.any", "xs[0] AS a, xs[-1] AS b", false),
        ("m.f", "m.f", "xs[0] AS a, xs[-1] AS b", false),
        ("m.l, m.n", "m.n", "xs[0] AS a, xs[-1] AS b", false),
        ("m.n", "m.n", "xs[0] AS a, xs[1] AS b", false),
        ("m.n + 0", "m.n", "xs[0] AS a", false),
        ("-m.n", "m.n", "xs[0] AS a", false),
    ] {
        let lists = format!(
            "MATCH (p:P)-[:HAS]->(m) WITH p, m ORDER BY {order} WITH p.i AS i, collect({element}) AS xs"
        );
        check(&format!("{lists} RETURN i, {rest}"), is_folded, &snapshot);
        check(&format!("{lists} WITH i, {rest} RETURN sum(i) AS s, count(a) AS c"), is_folded, &snapshot);
        check(&format!("{lists} WHERE xs[0] IS NOT NULL RETURN i, {rest}"), is_folded, &snapshot);
        let all = format!("MATCH (m:M) WITH m ORDER BY {order} WITH collect({element}) AS xs RETURN {rest}");
        check(&all, is_folded, &snapshot);
    }
}

/// An error of one element is one of its group, also where it is folded; what another condition keeps from
/// being asked is not asked.
#[test]
fn conditions_that_fail() {
    let snapshot = created(&GRAPH);
    let lists = "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m.n) AS ns";
    for (query, fails) in [
        (format!("{lists} WHERE any(n IN ns WHERE 1 / (n - 3) > 0) RETURN p.i"), true),
        (format!("{lists} WHERE NOT 3 IN ns AND any(n IN ns WHERE 1 / (n - 3) > 0) RETURN p.i"), false),
        (
            format!("{lists} WHERE p.i < 3 WITH p, ns WHERE all(n IN ns WHERE 1 / (n - 3) < 0) RETURN p.i"),
            false,
        ),
        (format!("{lists} RETURN CASE WHEN p.i < 3 THEN size([n IN ns WHERE 1 / (n - 3) < 0]) END"), false),
    ] {
        for options in [Options::default(), Options::default().without("fold_lists").unwrap()] {
            let bound = trimorph_testkit::queries::bind(&query, snapshot.catalog()).unwrap();
            let planned = trimorph_optimizer::optimize(bound, snapshot.catalog(), None, options).unwrap();
            let execution = trimorph_exec::Execution::start(&planned, snapshot.clone(), Settings::default());
            let failed = execution.and_then(|mut execution| {
                while execution.next(|_, _, _| ())?.is_some() {}
                Ok(())
            });
            assert_eq!(failed.is_err(), fails, "{query}");
        }
    }
}

/// What all aggregates ask of a row is asked before rows are grouped, where groups of none are left out.
#[test]
fn groups_of_none_need_no_rows() {
    let snapshot = created(&GRAPH);
    let of = "MATCH (p:P)-[:HAS]->(m) WITH p, collect(m) AS ms WITH p, [m IN ms WHERE m.l > 3 | m.n] AS ns";
    let chosen = |asked: &str| format!("{of} WHERE {asked} RETURN p.i AS i, size(ns) AS c");
    let counted = |aggregates: &str, asked: &str| {
        format!(
            "MATCH (p:P)-[:HAS]->(m) WHERE m.n > 0 WITH p.k AS k, p.s AS s, {aggregates} WHERE {asked} RETURN *"
        )
    };
    let n = "count(CASE WHEN m.l > 6 THEN 1 END) AS n";
    for (query, is_before) in [
        (chosen("size(ns) > 0"), true),
        (chosen("size(ns) >= 1 AND p.i < 9"), true),
        (chosen("0 < size(ns)"), true),
        (chosen("size(ns) = 2"), true),
        (chosen("size(ns) <> 0"), true),
        (chosen("size(ns) >= 0"), false),
        (chosen("size(ns) < 2"), false),
        (chosen("size(ns) <> 1"), false),
        (chosen("size(ns) > 0 OR p.i = 1"), false),
        (counted(n, "n > 1"), true),
        (counted(n, "n < 2"), false),
        (counted("sum(CASE WHEN m.l > 6 THEN m.n ELSE 0 END) AS n", "n > 5"), true),
        (counted("sum(CASE WHEN m.l > 6 THEN m.n ELSE 1 END) AS n", "n > 5"), false),
        (counted("max(CASE WHEN m.l > 6 THEN m.n END) AS n", "n IS NOT NULL"), true),
        (counted("avg(CASE WHEN m.l > 6 THEN m.n END) AS n", "n < 9.5"), true),
        (counted(&format!("{n}, min(CASE WHEN m.l > 6 THEN m.f END) AS f"), "n > 1 AND f < 3"), true),
        (counted(&format!("{n}, min(CASE WHEN m.l > 5 THEN m.f END) AS f"), "n > 1 AND f < 3"), false),
        (counted(&format!("{n}, count(*) AS c"), "n > 1"), false),
        ("MATCH (m:M) WITH count(CASE WHEN m.l > 6 THEN 1 END) AS n WHERE n > 1 RETURN n".to_owned(), false),
    ] {
        let ask = |options| sorted_rows_and_plan(&query, &snapshot, options, Settings::default());
        let (found, plan) = ask(Options::default());
        let (expected, whole) = ask(Options::default().without("empty_groups").unwrap());
        assert_eq!(found, expected, "{query}\n{plan}");
        assert!(!found.is_empty(), "{query}");
        assert_eq!(plan != whole, is_before, "{query}\n{plan}\n{whole}");
    }
    // What can fail is asked of the rows that it was asked of.
    let query = "MATCH (p:P)-[:HAS]->(m) WHERE m.n <> 3 WITH p, count(CASE WHEN 6 / (m.n - 3) > 1 THEN m.n END) AS n WHERE n > 0 RETURN p.i, n";
    let ask = |options| sorted_rows_and_plan(query, &snapshot, options, Settings::default());
    assert_eq!(ask(Options::default()).0, ask(Options::default().without("empty_groups").unwrap()).0);
}
