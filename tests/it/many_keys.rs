//! Many keys looked up together by an index: the same rows, in the same order, as a database without the
//! index finds, whatever the types, in main, in the delta and in both; and a read like any other for who
//! asks at a commit.

use trimorph::{CancelToken, Config, Connection, Database, Error, Value};
use trimorph_base::Random;

fn rows(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let mut out = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|e| panic!("{text}\n{e}")) {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out
}

/// A value as text: of all types that an index may have, many of them equal to others.
fn value(random: &mut Random) -> String {
    let n = random.below(40);
    match random.below(12) {
        0..5 => n.to_string(),
        5 => format!("{n}.0"),
        6 => format!("{n}.5"),
        7 => format!("'t{n}'"),
        8 => format!("date('2020-01-{:02}')", n % 28 + 1),
        9 => {
            let zone = ["Z", "+01:00", "-02:00"][random.below(3)];
            format!("datetime('2020-01-01T{:02}:00:00{zone}')", n % 24)
        }
        10 => format!("[{}, {n}]", n % 3),
        _ => ["true", "false", "null", "0.0 / 0.0"][random.below(4)].to_owned(),
    }
}

fn values(random: &mut Random, count: usize) -> String {
    let values: Vec<String> = (0..count).map(|_| value(random)).collect();
    format!("[{}]", values.join(", "))
}

#[test]
fn keys_found_together_are_those_that_a_scan_finds() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let threads = 1 + random.below(2);
        let with = Database::in_memory(Config::new().threads(threads));
        let without = Database::in_memory(Config::new().threads(threads));
        let (a, b) = (with.connect(), without.connect());
        // Two tables may have the label, and one of them has no such property at first.
        a.query("CREATE INDEX FOR (n:A) ON (n.k)", &[]).unwrap();
        let both = |text: &str| {
            a.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
            b.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
        };
        both("CREATE (:A:B {x: -1})");
        for round in 0..6 {
            let count = random.below(300);
            let given = values(&mut random, count);
            let labels = [":A", ":A:B"][random.below(2)];
            both(&format!(
                "UNWIND range(0, {count} - 1) AS i WITH i, {given} AS v CREATE (n{labels} {{x: i, k: v[i]}})"
            ));
            match random.below(5) {
                0 => {
                    with.merge(&CancelToken::default()).unwrap();
                    without.merge(&CancelToken::default()).unwrap();
                }
                1 => both(&format!("MATCH (n:A) WHERE n.x % 7 = 3 SET n.k = {}", value(&mut random))),
                2 => both("MATCH (n:A) WHERE n.x % 5 = 1 DETACH DELETE n"),
                3 => both("MATCH (n:B) WHERE n.x % 4 = 1 REMOVE n.k"),
                _ => {}
            }
            let count = [1, 7, 8, 100, 3_000][random.below(5)];
            let asked = values(&mut random, count);
            for text in [
                format!(
                    "WITH {asked} AS keys UNWIND range(0, size(keys) - 1) AS i WITH i, keys[i] AS key MATCH (n:A {{k: key}}) RETURN i, n.x, n.k, labels(n)"
                ),
                format!("UNWIND {asked} AS key MATCH (n:A) WHERE n.k = key RETURN count(*), sum(n.x)"),
                format!("WITH {asked} AS keys MATCH (n:A) WHERE n.k IN keys RETURN count(*), sum(n.x)"),
            ] {
                let (mut found, mut wanted) = (rows(&a, &text), rows(&b, &text));
                found.sort();
                wanted.sort();
                assert_eq!(found, wanted, "seed {seed} round {round}\n{text}");
            }
        }
    }
}

/// Keys that were not found are a read: whoever makes one of them meanwhile conflicts.
#[test]
fn keys_that_are_missed_together_are_read() {
    let db = Database::in_memory(Config::new().threads(1));
    let (reader, writer) = (db.connect(), db.connect());
    reader.query("CREATE CONSTRAINT FOR (n:A) REQUIRE n.k IS UNIQUE", &[]).unwrap();
    reader.query("UNWIND range(0, 99) AS i CREATE (:A {k: i * 2})", &[]).unwrap();
    let text = "UNWIND range(0, 99) AS i MATCH (n:A {k: i}) RETURN count(n)";
    for (key, is_read) in [(51, true), (151, false)] {
        reader.begin().unwrap();
        assert_eq!(rows(&reader, text), ["50"]);
        reader.query("CREATE (:Seen {count: 50})", &[]).unwrap();
        writer.query("CREATE (:A {k: $key})", &[("key", Value::Int(key))]).unwrap();
        let done = reader.commit();
        assert_eq!(matches!(done, Err(Error::Conflict(_))), is_read, "{key}: {done:?}");
        writer.query("MATCH (n:A {k: $key}) DELETE n", &[("key", Value::Int(key))]).unwrap();
    }
}
