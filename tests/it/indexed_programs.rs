//! Random programs on two databases, of which one has indexes: what is looked for by value, or asked for in
//! the order of values, is the same, while indexes come and go, beside transactions, merges and reopenings.

use trimorph::{CancelToken, Config, Connection, Database, Error};
use trimorph_base::Random;

/// Rows as text, in their order; sorted where the query has none.
fn rows(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let mut out = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|e| panic!("{text}\n{e}")) {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    if !text.contains("ORDER BY") {
        out.sort();
    }
    out
}

const QUERIES: &[&str] = &[
    "MATCH (n:A) WHERE n.p = 7 RETURN n.k",
    "MATCH (n:A) WHERE n.p = 'ab7' RETURN n.k, n.q",
    "MATCH (n:A) WHERE n.p IN [3, 7.0, 'b1', null, date('2001-01-05')] RETURN n.k",
    "MATCH (n:A) WHERE n.p > 4 AND n.p <= 9.5 RETURN n.k, n.p",
    "MATCH (n:A) WHERE n.p >= 'ab2' AND n.p < 'b' RETURN n.k, n.p",
    "MATCH (n:A) WHERE n.p STARTS WITH 'ab' RETURN n.k, n.p",
    "MATCH (n:A) WHERE n.p < date('2001-01-08') RETURN n.k",
    "MATCH (n:X) WHERE n.p = 7 RETURN n.k",
    "UNWIND [1, 7, 'ab3'] AS x MATCH (n:A {p: x}) RETURN x, n.k",
    "MATCH (a:B), (n:A) WHERE a.p = n.p RETURN a.k, n.k",
    "MATCH (n:A) RETURN n.p AS p ORDER BY p LIMIT 9",
    "MATCH (n:A) RETURN n.p AS p ORDER BY p DESC LIMIT 9",
    "MATCH (n:A) WHERE n.p IS NOT NULL RETURN n.p AS p ORDER BY p DESC SKIP 2 LIMIT 9",
    "MATCH (n:A) WHERE n.p > 3 RETURN n.p AS p ORDER BY p LIMIT 9",
    "MATCH (n:A) WHERE n.p > 'ab' RETURN n.p AS p ORDER BY p DESC LIMIT 9",
    "MATCH (n:A) WHERE n.q = 1 RETURN n.p AS p, n.k AS k ORDER BY p, k LIMIT 9",
    "MATCH (n:X) RETURN n.p AS p, n.k AS k ORDER BY p DESC, k LIMIT 9",
    "MATCH (n) RETURN n.p AS p, n.k AS k ORDER BY p DESC, k LIMIT 9",
];

fn value(random: &mut Random) -> String {
    match random.below(8) {
        0 => "null".to_owned(),
        1 => format!("{}.5", random.below(12)),
        2 => format!("'ab{}'", random.below(12)),
        3 => format!("'b{}'", random.below(4)),
        4 => format!("date('2001-01-{:02}')", random.below(20) + 1),
        _ => random.below(20).to_string(),
    }
}

/// A statement that does the same in any database with the same nodes: they are named by keys.
fn statement(random: &mut Random, keys: &mut usize) -> String {
    let old = random.below((*keys).max(1));
    match random.below(9) {
        0..3 => {
            let labels = ["A", "A:X", "B"][random.below(3)];
            let (count, first) = (random.below(40) + 1, *keys);
            *keys += count;
            let value = value(random);
            format!(
                "UNWIND range({first}, {}) AS k CREATE (:{labels} {{k: k, p: CASE k % 3 WHEN 0 THEN {value} WHEN 1 THEN k % 50 END, q: k % 5}})",
                first + count - 1
            )
        }
        3 | 4 => format!("MATCH (n {{k: {old}}}) SET n.p = {}", value(random)),
        5 => format!("MATCH (n) WHERE n.k > {old} AND n.k < {} SET n.p = {}", old + 9, value(random)),
        6 => format!("MATCH (n {{k: {old}}}) REMOVE n.p"),
        7 => format!("MATCH (n {{k: {old}}}) DELETE n"),
        _ if random.chance(50) => format!("MATCH (n:B {{k: {old}}}) SET n:A"),
        _ => format!("MATCH (n {{k: {old}}}) REMOVE n:X"),
    }
}

fn run(connection: &Connection, text: &str) -> Result<(), Error> {
    let mut result = connection.query(text, &[])?;
    while result.next_row()?.is_some() {}
    Ok(())
}

/// Asks both all queries.
fn compare(indexed: &Connection, plain: &Connection, what: &str) {
    for query in QUERIES {
        assert_eq!(rows(indexed, query), rows(plain, query), "{what}: {query}");
    }
}

fn program(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let dir = std::env::temp_dir().join(format!("trimorph-indexed-{}-{seed}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    let plain = Database::in_memory(Config::default());
    let p = plain.connect();
    let mut database = Database::open(&dir, Config::default()).unwrap();
    let mut keys = 0;
    for step in 0..steps {
        let what = format!("seed {seed} step {step}");
        let c = database.connect();
        match random.below(12) {
            0 => drop(database.merge(&CancelToken::default()).unwrap()),
            1 => {
                drop(c);
                database.close().unwrap();
                database = Database::open(&dir, Config::default()).unwrap();
            }
            2 => run(&c, "DROP INDEX one IF EXISTS").unwrap(),
            3 | 4 => {
                run(&c, "CREATE INDEX one IF NOT EXISTS FOR (n:A) ON (n.p)").unwrap();
                run(&c, "CREATE INDEX two IF NOT EXISTS FOR (n:B) ON (n.p, n.q)").unwrap();
            }
            5 => {
                c.begin().unwrap();
                p.begin().unwrap();
                for _ in 0..3 {
                    let text = statement(&mut random, &mut keys);
                    run(&c, &text).unwrap_or_else(|e| panic!("{what}: {text}\n{e}"));
                    run(&p, &text).unwrap_or_else(|e| panic!("{what}: {text}\n{e}"));
                }
                compare(&c, &p, &format!("{what}, own writes"));
                if random.chance(50) {
                    c.rollback().unwrap();
                    p.rollback().unwrap();
                } else {
                    c.commit().unwrap();
                    p.commit().unwrap();
                }
            }
            _ => {
                let text = statement(&mut random, &mut keys);
                run(&c, &text).unwrap_or_else(|e| panic!("{what}: {text}\n{e}"));
                run(&p, &text).unwrap_or_else(|e| panic!("{what}: {text}\n{e}"));
            }
        }
        // An older reader keeps what it saw.
        let old = (database.connect(), plain.connect());
        old.0.begin().unwrap();
        old.1.begin().unwrap();
        compare(&old.0, &old.1, &what);
        if random.chance(25) {
            let text = statement(&mut random, &mut keys);
            run(&database.connect(), &text).unwrap_or_else(|e| panic!("{what}: {text}\n{e}"));
            run(&p, &text).unwrap_or_else(|e| panic!("{what}: {text}\n{e}"));
            database.merge(&CancelToken::default()).unwrap();
            compare(&old.0, &old.1, &format!("{what}, after a merge"));
        }
        old.0.rollback().unwrap();
        old.1.rollback().unwrap();
        compare(&database.connect(), &p, &format!("{what}, outside"));
    }
    database.close().unwrap();
    Database::check(&dir).unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn indexes_change_no_answer() {
    for seed in 1..7 {
        println!("seed {seed}");
        program(seed, 30);
    }
}
