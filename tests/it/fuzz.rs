//! Mutated queries against a small database: every answer is rows or a typed error, never a panic. Runs short
//! with a fixed seed here; `FUZZ=n` widens it (`FUZZ_SEED=s` starts elsewhere).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use trimorph::{Config, Database, Value};
use trimorph_testkit::Random;

/// Texts that mutations start from; the SNB texts of `bench/` join them.
const SEEDS: &[&str] = &[
    "MATCH (p:Person)-[k:KNOWS]->(q:Person) WHERE k.creationDate > datetime('2011-01-01') RETURN p.firstName, count(q) AS n ORDER BY n DESC LIMIT 3",
    "MATCH (a:Person {id: $id})-[:KNOWS*1..3]-(b) RETURN DISTINCT b.id, b.firstName SKIP 1 LIMIT 5",
    "MATCH p = shortestPath((a:Person)-[:KNOWS*]-(b:Person)) WHERE a.id < 100 AND b.id > 900 RETURN length(p), nodes(p), relationships(p)",
    "UNWIND range(1, 10) AS x WITH x, x % 3 AS k WHERE x <> 4 RETURN k, collect(x), sum(x), avg(x), stDev(x), percentileCont(x, 0.5)",
    "MATCH (m:Message) OPTIONAL MATCH (m)<-[:REPLY_OF]-(c) WITH m, count(c) AS replies RETURN replies, count(*) ORDER BY replies",
    "MATCH (t:Tag) WHERE t.name STARTS WITH 'A' OR t.name =~ '.*x$' OR exists((t)<-[:HAS_TAG]-()) RETURN t {.name, n: size((t)<-[:HAS_TAG]-())}",
    "RETURN [x IN [1, 2, 3] WHERE x > 1 | x ^ 2], all(x IN [] WHERE x), reduce(a = 0, x IN [1, 2] | a + x), CASE 1 WHEN 2 THEN 'a' ELSE date() END",
    "RETURN duration.between(date('2010-01-01'), localdatetime('2011-02-03T04:05:06')), datetime({year: 2010, timezone: 'Europe/Stockholm'})",
    "EXPLAIN MATCH (a)-[r1]->(b)-[:KNOWS*9223372036854775807..]->(c)-[*0..0]-(a) RETURN count(*)",
    "MATCH (a)-[r1]->(b)-[r2]->(c)-[r3]->(a) RETURN count(*) UNION ALL MATCH (n) RETURN count(n)",
    "MATCH (f:Forum)-[:HAS_MEMBER]->(p) WITH f, count(p) AS n ORDER BY n DESC LIMIT 2 MATCH (f)-[:CONTAINER_OF]->(post) RETURN f.title, post.content[0..5], n",
    "EXPLAIN MATCH (a:Person), (b:Person) WHERE a.id = b.id + 1 RETURN [(a)-[:KNOWS]-(x) | x.firstName], b.email[0]",
    "PROFILE MATCH (a:Person) WHERE NOT (a)-[:KNOWS]-(:Person {gender: 'male'}) RETURN id(a), labels(a), keys(a), properties(a)",
];

const WORDS: &[&str] = &[
    "MATCH",
    "OPTIONAL",
    "WHERE",
    "WITH",
    "RETURN",
    "DISTINCT",
    "UNWIND",
    "AS",
    "ORDER BY",
    "LIMIT",
    "SKIP",
    "UNION",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "->",
    "<-",
    "-",
    "*",
    "..",
    "|",
    ":",
    ",",
    ".",
    "null",
    "true",
    "1e309",
    "9223372036854775807",
    "-1",
    "0",
    "0.0",
    "''",
    "$id",
    "$x",
    "count(*)",
    "collect(",
    "sum(",
    "p",
    "a",
    "b",
    "+",
    "/",
    "%",
    "^",
    "=",
    "<>",
    "IN",
    "IS NULL",
    "NOT",
    "AND",
    "OR",
    "XOR",
    "é",
    "\u{1F600}",
    "`",
    "'",
    "\"",
    "\\",
    "//",
    "/*",
    "range(0, 100000000)",
    "datetime()",
    "duration('P1Y')",
    "size(",
    "EXISTS {",
    "CASE",
    "END",
    ":Person",
    ":KNOWS",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        let at = boundary(&text, random.below(text.len() + 1));
        let end = boundary(&text, (at + random.below(12)).min(text.len()));
        match random.below(5) {
            0 => text.replace_range(at..end, ""),
            1 => text.insert_str(at, WORDS[random.below(WORDS.len())]),
            2 => text.replace_range(at..end, WORDS[random.below(WORDS.len())]),
            3 => {
                let from = boundary(other, random.below(other.len()));
                let to = boundary(other, (from + random.below(60)).min(other.len()));
                text.insert_str(at, &other[from..to]);
            }
            _ => {
                let part = text[at..end].to_owned();
                text.insert_str(end, &part);
            }
        }
    }
    text
}

/// Runs one text for at most a second; `Err` is a panic.
fn survives(db: &Database, text: &str) -> Result<(), ()> {
    let connection = db.connect();
    let params = [("id".to_owned(), Value::Int(14)), ("tag".to_owned(), Value::string("x"))];
    let params = Arc::new(params.into_iter().map(|(k, v)| (Arc::from(k), v)).collect());
    catch_unwind(AssertUnwindSafe(|| {
        std::thread::scope(|scope| {
            let (done, wait) = std::sync::mpsc::channel::<()>();
            let watched = &connection;
            scope.spawn(move || {
                if wait.recv_timeout(Duration::from_secs(1)).is_err() {
                    watched.interrupt();
                }
            });
            if let Ok(mut result) = connection.execute(text, params) {
                let mut rows = 0;
                while let Ok(Some(row)) = result.next_row() {
                    rows += 1;
                    let _: Vec<String> = row.iter().map(|v| result.format(v)).collect();
                    if rows > 1000 {
                        break;
                    }
                }
            }
            let _ = done.send(());
        });
    }))
    .map_err(|_| ())
}

#[test]
fn mutated_queries_never_panic() {
    let n: usize = std::env::var("FUZZ").map_or(1500, |n| n.parse().unwrap());
    let seed: u64 = std::env::var("FUZZ_SEED").map_or(0x9e37_79b9_7f4a_7c15, |s| s.parse().unwrap());
    println!("{n} mutations from seed {seed}");
    let config = Config::new().memory_limit_bytes(256 << 20).threads(1);
    let db = Database::in_memory(config);
    db.generate_snb(0.003, 1).unwrap();
    let mut texts: Vec<String> = SEEDS.iter().map(ToString::to_string).collect();
    if let Ok(folder) = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/snb")) {
        let mut files: Vec<_> = folder
            .filter_map(|f| Some(f.ok()?.path()))
            .filter(|p| p.extension().is_some_and(|e| e == "cypher"))
            .collect();
        files.sort();
        texts.extend(files.iter().map(|f| std::fs::read_to_string(f).unwrap()));
    }
    let mut random = Random::new(seed);
    let mut slowest = (Duration::ZERO, String::new());
    for i in 0..n {
        let text = mutate(&texts[random.below(texts.len())], &texts[random.below(texts.len())], &mut random);
        let start = Instant::now();
        assert!(survives(&db, &text).is_ok(), "mutation {i} from seed {seed} panicked:\n{text}");
        if start.elapsed() > slowest.0 {
            slowest = (start.elapsed(), text);
        }
    }
    println!("slowest: {:?}\n{}", slowest.0, slowest.1);
    assert!(slowest.0 < Duration::from_secs(60), "a query did not stop when asked:\n{}", slowest.1);
}
