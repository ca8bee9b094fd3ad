//! Values of relationships that were written and are not merged, read many at a time beside those of main: a
//! database that is merged when half of them are there against one that never is.

use trimorph::{CancelToken, Connection, Database};
use trimorph_base::Random;

use crate::durable::{config, rows};

const NODES: usize = 400;

/// A value of `R.x`; now and then of another type.
fn value(random: &mut Random, mixed: bool) -> String {
    match random.below(if mixed { 9 } else { 5 }) {
        0 => "null".to_owned(),
        5 => format!("{}.5", random.below(90)),
        6 => format!("'text {}'", random.below(9)),
        7 => format!("[{}]", random.below(9)),
        8 => format!("date('2011-01-{:02}')", 1 + random.below(28)),
        _ => random.below(1_000).to_string(),
    }
}

/// Relationships from some nodes, many of them from the first, to any.
fn creates(random: &mut Random, mixed: bool) -> String {
    let rows: Vec<String> = (0..1 + random.below(200))
        .map(|_| {
            let from = if random.chance(20) { 0 } else { random.below(NODES) };
            format!("{{a: {from}, b: {}, x: {}}}", random.below(NODES), value(random, mixed))
        })
        .collect();
    format!(
        "UNWIND [{}] AS r MATCH (a:A {{k: r.a}}), (b:A {{k: r.b}}) CREATE (a)-[:R {{x: r.x, s: toString(r.b)}}]->(b)",
        rows.join(", ")
    )
}

/// A statement that does the same wherever it is asked.
fn statement(random: &mut Random, mixed: bool) -> String {
    let (k, x) = (random.below(NODES), value(random, mixed));
    match random.below(12) {
        0..6 => creates(random, mixed),
        6 => format!("MATCH (a:A {{k: {k}}})-[r:R]->() SET r.x = {x}"),
        7 => format!("MATCH (:A)-[r:R]->(b:A {{k: {k}}}) REMOVE r.x"),
        8 => format!("MATCH (a:A)-[r:R]->(b) WHERE b.k % 97 = {} SET r.s = 'new ' + b.k", k % 97),
        9 => format!("MATCH (a:A {{k: {k}}})-[r:R]->() DELETE r"),
        10 => format!("MATCH (a:A {{k: 0}})-[r:R]->(b) WHERE b.k % 31 = {} DELETE r", k % 31),
        _ => format!("MATCH (a:A {{k: 0}})-[r:R]->(b) WHERE b.k % 53 = {} SET r.x = {x}", k % 53),
    }
}

const QUESTIONS: [&str; 7] = [
    "MATCH (a)-[r:R]->(b) RETURN a.k, b.k, r.x, r.s",
    "MATCH (b)<-[r:R]-(a) WHERE b.k < 200 RETURN a.k, b.k, r.x, r.s",
    "MATCH (a)-[r:R]->(b) WHERE r.x > 500 RETURN a.k, b.k, r.x",
    "MATCH (a)-[r:R]->(b) WHERE r.x >= b.k RETURN a.k, b.k, r.s",
    "MATCH (a {k: 0})-[r:R]->(b) RETURN b.k, r.x, r.s",
    "MATCH (a)-[r:R]->(b)-[q:R]->(c) WHERE a.k < 20 AND r.x < q.x RETURN a.k, b.k, c.k, r.x, q.x",
    "MATCH (a)-[r:R]->() RETURN a.k, count(r.x), collect(r.s)[0] IS NULL, count(*)",
];

fn ask(connection: &Connection) -> Vec<Vec<String>> {
    QUESTIONS.iter().map(|question| rows(connection, question)).collect()
}

#[test]
fn many_at_a_time_beside_those_of_main() {
    for (seed, mixed) in [(1, false), (2, true), (3, false), (4, true)] {
        let mut random = Random::new(seed);
        let databases = [(); 2].map(|()| Database::in_memory(config()));
        let connections = databases.each_ref().map(Database::connect);
        let run = |text: &str| {
            for connection in &connections {
                connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
            }
        };
        run(&format!("UNWIND range(0, {}) AS k CREATE (:A {{k: k}})", NODES - 1));
        for round in 0..40 {
            run(&statement(&mut random, mixed));
            if round % 13 == 12 {
                databases[0].merge(&CancelToken::default()).unwrap();
            }
            if round % 4 == 3 {
                let [merged, never] = connections.each_ref().map(ask);
                for (at, (merged, never)) in merged.iter().zip(&never).enumerate() {
                    assert!(!never.is_empty(), "seed {seed}, round {round}: question {at}");
                    assert_eq!(merged, never, "seed {seed}, round {round}: {}", QUESTIONS[at]);
                }
            }
        }
    }
}
