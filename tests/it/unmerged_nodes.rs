//! Properties and labels of nodes that were written here and there and are not merged, read and compared many
//! at a time with those of main: a database that is merged now and then against one that is not.

use trimorph::{CancelToken, Config, Connection, Database};
use trimorph_base::Random;

use crate::durable::rows;

/// More than two zones of 1,024 rows.
const NODES: usize = 2_500;
const PROPERTIES: [&str; 5] = ["i", "t", "d", "z", "few"];

/// A value of a property as main has it, or now and then, if `mixed`, of another type.
fn value(random: &mut Random, property: &str, mixed: bool) -> String {
    let property = if mixed && random.below(3) == 0 { PROPERTIES[random.below(5)] } else { property };
    match (property, random.below(if mixed { 14 } else { 8 })) {
        (_, 0) => "null".to_owned(),
        (_, 9) => format!("{}.5", random.below(900)),
        (_, 10) => format!("[{}]", random.below(9)),
        (_, 11) => "datetime('2011-03-01T00:30:00+01:00')".to_owned(),
        ("i", _) => random.below(1_000).to_string(),
        ("t", _) => format!("'text of {}'", random.below(1_000)),
        ("d", _) => format!("date('2011-{:02}-{:02}')", 1 + random.below(12), 1 + random.below(28)),
        ("z", _) => {
            format!("datetime('2011-{:02}-{:02}T00:00:00Z')", 1 + random.below(12), 1 + random.below(28))
        }
        _ => format!("'{}'", ["red", "green", "blue"][random.below(3)]),
    }
}

/// A statement that does the same wherever it is asked.
fn statement(random: &mut Random, mixed: bool) -> String {
    let property = PROPERTIES[random.below(5)];
    let (x, step, at) = (value(random, property, mixed), 5 + random.below(400), random.below(NODES));
    let some = format!("n.k % {step} = {}", at % step);
    match random.below(12) {
        0 => format!("MATCH (n:A) WHERE {some} REMOVE n.{property}"),
        1 => format!("MATCH (n:A) WHERE n.k % 300 = {} DETACH DELETE n", at % 300),
        2 | 3 => {
            let rest = [("i", "i: j"), ("t", "t: 'text of ' + j")];
            let rest: Vec<&str> =
                rest.iter().filter(|(own, _)| *own != property).map(|(_, given)| *given).collect();
            let (count, rest) = (1 + random.below(60), rest.join(", "));
            format!("UNWIND range(1, {count}) AS j CREATE (:A {{k: {at}, {rest}, {property}: {x}}})")
        }
        4 => format!("MATCH (n:A) WHERE {some} SET n:B"),
        5 => format!("MATCH (n:A:B) WHERE {some} SET n:C REMOVE n:A, n:B"),
        6 => format!("MATCH (n:C) WHERE {some} SET n:A"),
        7 => format!("MATCH (n:A {{k: {at}}}) SET n.new = {x}"),
        8 => format!("MATCH (a:A), (b:A {{k: {at}}}) WHERE a.k % {step} = 1 CREATE (a)-[:R]->(b)"),
        _ => format!("MATCH (n:A) WHERE {some} SET n.{property} = {x}"),
    }
}

const QUESTIONS: [&str; 24] = [
    "MATCH (n:A) RETURN n.k, n.i, n.t, n.d, n.z, n.few, n.new",
    "MATCH (n:A) WHERE n.i > 700 RETURN count(*), sum(n.k)",
    "MATCH (n:A) WHERE n.i > 700 RETURN n.k, n.t",
    "MATCH (n:A) WHERE n.i IN [1, 5, 77, 500, 900] RETURN n.k, n.i",
    "MATCH (n:A) WHERE n.i = 77 RETURN n.k, n.t",
    "MATCH (n:A) WHERE n.t = 'text of 55' RETURN n.k",
    "MATCH (n:A) WHERE n.t STARTS WITH 'text of 5' RETURN n.k, n.t",
    "MATCH (n:A) WHERE n.t CONTAINS '77' RETURN n.k, n.t",
    "MATCH (n:A) WHERE n.t >= 'text of 9' RETURN count(*)",
    "MATCH (n:A) WHERE n.few = 'red' RETURN n.k",
    "MATCH (n:A) WHERE n.few IN ['red', 'blue'] AND n.i < 100 RETURN n.k",
    "MATCH (n:A) WHERE NOT n.few = 'red' RETURN count(*)",
    "MATCH (n:A) WHERE n.d < date('2011-03-01') RETURN n.k, n.d",
    "MATCH (n:A) WHERE n.z >= datetime('2011-03-01T00:00:00Z') AND n.z < datetime('2011-05-01T00:00:00Z') RETURN n.k",
    "MATCH (n:A) WHERE n.i IS NULL RETURN count(*), sum(n.k)",
    "MATCH (n:A) WHERE n.t IS NOT NULL AND n.new IS NULL RETURN count(*), sum(n.k)",
    "MATCH (n:A) RETURN count(n.few), count(n.i), count(n.new), count(*)",
    "MATCH (n:A) RETURN n.few, count(*), sum(n.k)",
    "MATCH (n) RETURN labels(n) AS l, count(*), sum(n.k)",
    "MATCH (n:B) RETURN n.k, n.i",
    "MATCH (n:C) WHERE n.i < 500 RETURN count(*), sum(n.k)",
    "MATCH (n:!A) RETURN n.k",
    "MATCH (a:A)-[:R]->(b) WHERE b.i > 300 RETURN a.k, b.k, b.t, b.z",
    "MATCH (a:A)-[:R]->(b:A) WHERE a.few = 'green' AND a.t IS NOT NULL RETURN a.k, a.t, b.few",
];

fn ask(connection: &Connection) -> Vec<Vec<String>> {
    QUESTIONS.iter().map(|question| rows(connection, question)).collect()
}

#[test]
fn many_at_a_time_beside_those_of_main() {
    for (seed, mixed) in [(1, false), (2, true), (3, false), (4, true)] {
        let mut random = Random::new(seed);
        let config = Config::new().background_merges(false).threads(1 + seed as usize % 2);
        let databases = [(); 2].map(|()| Database::in_memory(config.clone()));
        let connections = databases.each_ref().map(Database::connect);
        let run = |text: &str| {
            for connection in &connections {
                connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
            }
        };
        run(&format!(
            "UNWIND range(0, {}) AS k CREATE (:A {{k: k, i: k * 7 % 1000, t: 'text of ' + (k * 13 % 1000), \
             d: date('2011-01-01') + duration({{days: k % 360}}), few: ['red', 'green', 'blue'][k % 3], \
             z: datetime('2011-01-01T00:00:00Z') + duration({{days: k % 360}})}})",
            NODES - 1
        ));
        run("MATCH (a:A), (b:A) WHERE b.k = (a.k * 17 + 3) % 2500 CREATE (a)-[:R]->(b)");
        for database in &databases {
            database.merge(&CancelToken::default()).unwrap();
        }
        for round in 0..36 {
            run(&statement(&mut random, mixed));
            if round % 3 == 2 {
                databases[0].merge(&CancelToken::default()).unwrap();
                let [merged, never] = connections.each_ref().map(ask);
                for (at, (merged, never)) in merged.iter().zip(&never).enumerate() {
                    assert_eq!(merged, never, "seed {seed}, round {round}: {}", QUESTIONS[at]);
                }
            }
        }
    }
}
