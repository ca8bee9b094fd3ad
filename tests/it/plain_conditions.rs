//! Conditions that are put in plain words before they are planned, against the interpreter: negations of all
//! that can be negated, alternatives with something in common, over values of all types, nulls and NaN.

use std::collections::BTreeMap;

use trimorph_base::Random;
use trimorph_testkit::interpreter::Graph;

use super::ask::created;
use super::in_lists::agree;

/// Conditions on nodes `a` and `b`; some are never true, some null.
const ASKED: &[&str] = &[
    "a.n = b.n",
    "a.n <> b.n",
    "a.n = 3",
    "a.n = 4",
    "a.s <> 'w3'",
    "b.s = 'w2'",
    "a.v = b.v",
    "a.v <> b.v",
    "a.v = 1",
    "a.v < b.v",
    "a.f < b.f",
    "NOT a.f >= 0.5",
    "NOT a.n > 3",
    "NOT 4 <= a.n",
    "NOT a.n < 0.0 / 0.0",
    "NOT a.sometimes < 2.5",
    "NOT a.s < 'w2'",
    "NOT a.s CONTAINS '3'",
    "NOT a.s STARTS WITH 'w'",
    "NOT a.v < 2",
    "NOT a.v > 'a'",
    "a.f = a.f",
    "a.none = 1",
    "a.sometimes IS NULL",
    "b.sometimes IS NOT NULL",
    "a.sometimes = b.sometimes",
    "a.s STARTS WITH 'w'",
    "b.n IN [1, 2, null]",
    "a.b",
    "a:Odd",
    "null",
    "true",
];

fn condition(random: &mut Random, depth: usize) -> String {
    let draw = if depth == 0 { 9 } else { random.below(9) };
    let mut some = |many: usize, word: &str| {
        let parts: Vec<String> = (0..many).map(|_| condition(random, depth - 1)).collect();
        parts.join(word)
    };
    match draw {
        0 | 1 => format!("NOT ({})", some(1, "")),
        2 => format!("({})", some(2, " AND ")),
        3 => format!("({})", some(3, " OR ")),
        4 => format!("NOT ({})", some(3, " OR ")),
        5 => format!("({})", some(2, " XOR ")),
        6 | 7 => {
            let common = some(1, "");
            let (left, right, more) = (some(1, ""), some(1, ""), some(2, " AND "));
            let alternatives = [
                format!("({common} AND {left}) OR ({common} AND {right})"),
                format!("({left} AND {common}) OR ({right} AND {more} AND {common})"),
                format!("({common} AND {left}) OR {common}"),
            ];
            format!("({})", alternatives[random.below(3)])
        }
        _ => ASKED[random.below(ASKED.len())].to_owned(),
    }
}

#[test]
fn conditions_agree_with_the_interpreter() {
    let snapshot = created(&[
        "UNWIND range(0, 23) AS n CREATE (:A {n: n % 7, s: 'w' + toString(n % 5), f: CASE n % 4 WHEN 0 THEN 0.0 / 0.0 ELSE n / 8.0 END, b: n % 2 = 0, sometimes: CASE WHEN n % 3 > 0 THEN n % 4 END, v: CASE n % 6 WHEN 0 THEN 1 WHEN 1 THEN 1.0 WHEN 2 THEN 'x' WHEN 3 THEN [1, null] WHEN 4 THEN 0.0 / 0.0 END})",
        "UNWIND range(0, 5) AS n CREATE (:A:Odd {n: n, s: 'w3', v: n})",
        "UNWIND range(0, 17) AS n CREATE (:B {n: n % 5, s: 'w' + toString(n % 3), f: n / 4.0, sometimes: CASE WHEN n % 2 > 0 THEN n % 3 END, v: CASE n % 4 WHEN 0 THEN 1 WHEN 1 THEN 'x' WHEN 2 THEN [1, null] END})",
    ]);
    let graph = Graph::read(&snapshot);
    let mut random = Random::new(7);
    for round in 0..400 {
        let asked = condition(&mut random, 3);
        let text = match round % 4 {
            0 => format!("MATCH (a:A), (b:B) WHERE {asked} RETURN count(*) AS n, sum(a.n + 10 * b.n) AS s"),
            1 => format!("MATCH (a:A), (b:B) WITH a, b, a.n AS k WHERE {asked} RETURN count(k) AS n"),
            2 => format!("MATCH (a:A) RETURN sum(COUNT {{ MATCH (b:B) WHERE {asked} }}) AS n"),
            _ => format!("MATCH (a:A), (b:B) RETURN {asked} AS x, count(*) AS n"),
        };
        agree(&text, &snapshot, &graph, BTreeMap::new());
    }
}

/// What a negation hides is a join, a key, a range; what all alternatives ask is one, too.
#[test]
fn what_is_plain_is_planned_by() {
    let database = trimorph::Database::in_memory(trimorph::Config::new().threads(1));
    let c = database.connect();
    let run = |text: &str| c.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
    run("UNWIND range(1, 2000) AS i CREATE (:A {k: i, g: i % 2}), (:B {k: i, g: i % 3})");
    run("CREATE INDEX FOR (a:A) ON (a.k)");
    let plan = |asked: &str| run(&format!("EXPLAIN MATCH (a:A), (b:B) WHERE {asked} RETURN count(*)")).plan();
    for asked in [
        "NOT (a.k <> b.k OR a.g <> b.g)",
        "NOT (NOT a.k = b.k)",
        "(a.k = b.k AND a.g = 1) OR (a.k = b.k AND b.g = 2)",
        "(a.g = 1 AND a.k = b.k) OR (b.g = 2 AND a.g = 0 AND a.k = b.k)",
    ] {
        let plan = plan(asked);
        assert!(plan.contains("HashJoin") && !plan.contains("CrossProduct"), "{asked}\n{plan}");
    }
    for asked in ["NOT a.k <> 7", "(a.k = 7 AND a.g = 1) OR (a.k = 7 AND a.g = 0)"] {
        let plan = plan(asked);
        assert!(plan.contains("KeyLookup"), "{asked}\n{plan}");
    }
    let plan = plan("NOT (a.k = 7 OR a.k = 8 OR a.k = 9)");
    assert!(plan.contains(" IN ["), "{plan}");
}
