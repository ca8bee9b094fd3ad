//! Labels that nodes got after they were made: patterns find the nodes that have them, and no others,
//! whatever else was written, merged or deleted since; and a scan of a label that few rows have reads those.

use trimorph::{CancelToken, Config, Connection, Database};
use trimorph_base::Random;

use crate::durable::{rows, run};

const NODES: usize = 5_000;
const LABELS: [&str; 5] = ["A", "B", "C", "Rare", "Never"];

/// Each pattern finds what asking each node for its labels finds.
fn check(c: &Connection, what: &str) {
    let has = |label: &str| format!("any(l IN labels(n) WHERE l = '{label}')");
    let mut asked: Vec<(String, String)> = LABELS.map(|l| (format!(":{l}"), has(l))).into();
    asked.push((":A&B".into(), format!("{} AND {}", has("A"), has("B"))));
    asked.push((":A|Rare".into(), format!("{} OR {}", has("A"), has("Rare"))));
    asked.push((":!A".into(), format!("NOT {}", has("A"))));
    asked.push((":Base&!C".into(), format!("{} AND NOT {}", has("Base"), has("C"))));
    for (pattern, condition) in asked {
        let given = "RETURN count(n), sum(n.i), count(n.x), min(n.i), max(n.i)";
        let by_row = rows(c, &format!("MATCH (n) WHERE {condition} {given}"));
        assert_eq!(rows(c, &format!("MATCH (n{pattern}) {given}")), by_row, "{what}: {pattern}");
        // From the other end of relationships they come in no order.
        let along = "RETURN count(*), sum(n.i)";
        let by_row = rows(c, &format!("MATCH (m:Base)-[:R]->(n) WHERE {condition} {along}"));
        assert_eq!(
            rows(c, &format!("MATCH (m:Base)-[:R]->(n{pattern}) {along}")),
            by_row,
            "{what}: {pattern}"
        );
        let first = format!("MATCH (n{pattern}) RETURN n.i ORDER BY n.i DESC LIMIT 7");
        let by_row = rows(c, &format!("MATCH (n) WHERE {condition} RETURN n.i ORDER BY n.i DESC LIMIT 7"));
        assert_eq!(rows(c, &first), by_row, "{what}: {pattern}");
    }
    // Counted by their sets, too.
    let by_row = rows(c, "MATCH (n) UNWIND labels(n) AS l RETURN l, count(*)");
    let text = "SELECT (STRAFTER(STR(?c), 'trimorph:') AS ?l) (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c";
    let mut counted = c.sparql(text).unwrap();
    let mut by_set = Vec::new();
    while let Some(row) = counted.next_row().unwrap() {
        by_set.push(row.iter().map(|value| counted.format(value)).collect::<Vec<_>>().join(" | "));
    }
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(sorted(by_set), sorted(by_row), "{what}");
}

fn change(c: &Connection, random: &mut Random, round: usize) {
    let (step, at) = (2 + random.below(60), random.below(1_000));
    let some = format!("n.i % {step} = {}", at % step);
    let label = LABELS[random.below(3)];
    let text = match round % 5 {
        0 => format!("MATCH (n) WHERE {some} SET n:{label}"),
        1 => format!("MATCH (n) WHERE n.i % 500 = {} SET n:Rare", at % 500),
        2 => format!("MATCH (n) WHERE {some} REMOVE n:{label}"),
        3 => format!("MATCH (n) WHERE {some} AND n.i > {at} AND n.i < {} DETACH DELETE n", at + 200),
        _ => format!(
            "UNWIND range({}, {}) AS i CREATE (:Base {{i: i, x: 1}})",
            10_000 * round,
            10_000 * round + at
        ),
    };
    run(c, &[&text]);
}

#[test]
fn patterns_find_labels_that_came_later() {
    for seed in 1..=3 {
        let mut random = Random::new(seed);
        let config = Config::new().background_merges(false).threads(1 + seed as usize % 2);
        let db = Database::in_memory(config);
        let c = db.connect();
        run(&c, &[&format!("UNWIND range(0, {}) AS i CREATE (:Base {{i: i}})", NODES - 1)]);
        run(&c, &["MATCH (a), (b) WHERE b.i = (a.i * 7 + 3) % 5000 CREATE (a)-[:R]->(b)"]);
        for round in 0..12 {
            change(&c, &mut random, round);
            check(&c, &format!("seed {seed} round {round}"));
            if random.below(2) == 0 {
                db.merge(&CancelToken::default()).unwrap();
                check(&c, &format!("seed {seed} round {round}, merged"));
            }
        }
        run(&c, &["BEGIN ISOLATION LEVEL SERIALIZABLE"]);
        check(&c, &format!("seed {seed}, notes what it reads"));
        run(&c, &["ROLLBACK"]);
    }
}

#[test]
fn a_scan_of_a_rare_label_reads_its_rows() {
    let db = Database::in_memory(Config::new().background_merges(false).threads(1));
    let c = db.connect();
    run(
        &c,
        &["UNWIND range(0, 39999) AS i CREATE (:Base {i: i})", "MATCH (n) WHERE n.i % 1000 = 7 SET n:Rare"],
    );
    for _ in 0..2 {
        db.merge(&CancelToken::default()).unwrap();
    }
    // What was asked before pays for it.
    for _ in 0..2 {
        assert_eq!(rows(&c, "MATCH (n:Rare) RETURN count(n.i), sum(n.i)"), ["40 | 780280"]);
    }
    let profile = rows(&c, "PROFILE (CODES) MATCH (n:Rare) RETURN count(n.i)").join("\n");
    let scan = profile.lines().find(|line| line.contains("NodeScan")).unwrap();
    assert!(!scan.contains("40000") && !scan.contains("40,000"), "{profile}");
}
