//! Labels that nodes got after they were made: patterns find the nodes that have them, and no others,
//! whatever else was written, merged or deleted since; and a scan of a label that few rows have reads those.

use trimorph::{CancelToken, Config, Connection, Database};
use trimorph_base::Random;

use crate::durable::{Directory, config, rows, run};

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

/// The same of what is read from files and from the log: which labels rows differ by is found out anew.
#[test]
fn patterns_find_labels_that_came_before_it_was_opened() {
    for seed in 1..=3 {
        let dir = Directory::new(&format!("label-rows-{seed}"));
        let mut random = Random::new(seed);
        let open = || Database::open(dir.path(), config().background_merges(false).threads(1)).unwrap();
        let mut db = open();
        run(&db.connect(), &[&format!("UNWIND range(0, {}) AS i CREATE (:Base {{i: i}})", NODES - 1)]);
        run(&db.connect(), &["MATCH (a), (b) WHERE b.i = (a.i * 7 + 3) % 5000 CREATE (a)-[:R]->(b)"]);
        for round in 0..9 {
            change(&db.connect(), &mut random, round);
            let what = random.below(3);
            match what {
                0 => {}
                1 => db.checkpoint(&CancelToken::default()).unwrap(),
                _ => drop(db.merge(&CancelToken::default()).unwrap()),
            }
            if random.below(2) == 0 {
                drop(db);
                let reader = Database::open(dir.path(), config().read_only(true).threads(1)).unwrap();
                check(&reader.connect(), &format!("seed {seed} round {round}, {what}, read-only"));
                drop(reader);
                db = open();
            }
            check(&db.connect(), &format!("seed {seed} round {round}, {what}"));
        }
    }
}

/// Rows that differ from their table by one label are not looked at for another one, and constants of plans
/// that were made before are not relied on.
#[test]
fn rows_that_differ_by_one_label_are_asked_for_that_one_only() {
    let dir = Directory::new("label-rows-by-one");
    let mut db = Database::open(dir.path(), config().background_merges(false).threads(1)).unwrap();
    let texts =
        ["UNWIND range(0, 9999) AS i CREATE ({i: i})", "UNWIND range(0, 99) AS i CREATE (:A {i: i}), (:B)"];
    run(&db.connect(), &texts);
    // Those of the table without labels are 10,000.
    let estimate = |db: &Database, label: &str| {
        let plan = rows(&db.connect(), &format!("EXPLAIN MATCH (n:{label}) RETURN n.i")).join("\n");
        let digits = |line: &str| line.chars().take_while(|c| !c.is_alphabetic()).collect::<String>();
        (plan.contains("Filter"), plan.lines().find(|line| line.contains("NodeScan")).map(digits), plan)
    };
    let asks = |db: &Database, label: &str| estimate(db, label).0;
    let count =
        |db: &Database, label: &str| rows(&db.connect(), &format!("MATCH (n:{label}) RETURN count(n.i)"));
    assert!(!asks(&db, "A") && !asks(&db, "B"), "{:?}", estimate(&db, "A"));
    assert_eq!((count(&db, "A"), count(&db, "B")), (vec!["100".to_owned()], vec!["0".to_owned()]));
    run(&db.connect(), &["MATCH (n {i: 7777}) SET n:A"]);
    for opened in 0..3 {
        assert!(
            asks(&db, "A") && !asks(&db, "B"),
            "{opened}: {:?} {:?}",
            estimate(&db, "A"),
            estimate(&db, "B")
        );
        assert_eq!((count(&db, "A"), count(&db, "B")), (vec!["101".to_owned()], vec!["0".to_owned()]));
        if opened == 1 {
            db.checkpoint(&CancelToken::default()).unwrap();
        }
        drop(db);
        db = Database::open(dir.path(), config().background_merges(false).threads(1)).unwrap();
    }
    run(&db.connect(), &["MATCH (n:A {i: 5}) SET n:B", "MATCH (n {i: 6}) WHERE n:A REMOVE n:A"]);
    assert!(asks(&db, "A") && asks(&db, "B"));
    assert_eq!((count(&db, "A"), count(&db, "B")), (vec!["100".to_owned()], vec!["1".to_owned()]));
    run(&db.connect(), &["MATCH (n {i: 7777}) REMOVE n:A", "MATCH (n:B) WHERE n.i = 5 REMOVE n:B"]);
    run(&db.connect(), &["MATCH (n {i: 6}) WHERE size(labels(n)) = 0 SET n:A"]);
    assert_eq!((count(&db, "A"), count(&db, "B")), (vec!["101".to_owned()], vec!["0".to_owned()]));
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
