//! How fast statements write: `cargo run --release -p trimorph --example write_speed [N [WORDS]]`.
//!
//! Small statements one by one, prepared, and batches by `UNWIND`; in memory, one thread. Prints CPU time, of
//! the whole process: what a merge beside it takes is counted. With `WORDS` only small statements whose names
//! have them: under a profiler, twice with different `N`, the difference is what statements take.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement")]

use std::sync::Arc;
use std::time::Instant;

use trimorph::{Config, Connection, Database, Params, Value};

fn params(values: &[(&str, Value)]) -> Arc<Params> {
    Arc::new(values.iter().map(|(k, v)| (Arc::from(*k), v.clone())).collect())
}

/// CPU seconds of the process so far, of the threads that there are.
fn cpu() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let spent = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    spent.sum::<f64>() / 1e9
}

fn small(c: &Connection, what: &str, n: i64, text: &str, of: impl Fn(i64) -> Vec<(&'static str, Value)>) {
    if !std::env::args().nth(2).is_none_or(|words| what.contains(&words)) {
        return;
    }
    let prepared = c.prepare(text).unwrap();
    let (wall, before) = (Instant::now(), cpu());
    for i in 0..n {
        let mut result = c.execute_prepared(&prepared, params(&of(i))).unwrap();
        while result.next_row().unwrap().is_some() {}
    }
    let (spent, wall) = (cpu() - before, wall.elapsed().as_secs_f64());
    println!("{what:<34} {:>9.2} µs CPU {:>9.2} µs wall", spent * 1e6 / n as f64, wall * 1e6 / n as f64);
}

fn batch(c: &Connection, what: &str, n: i64, text: &str, rows: Value) {
    let (wall, before) = (Instant::now(), cpu());
    let mut result = c.execute(text, params(&[("rows", rows)])).unwrap();
    while result.next_row().unwrap().is_some() {}
    let (spent, wall) = (cpu() - before, wall.elapsed().as_secs_f64());
    println!(
        "{what:<34} {:>9.3} µs CPU {:>9.3} µs wall a row",
        spent * 1e6 / n as f64,
        wall * 1e6 / n as f64
    );
}

fn main() {
    let n: i64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let database = Database::in_memory(Config::new().threads(1));
    let c = database.connect();
    let int = |name: &'static str, i: i64| (name, Value::Int(i));
    c.query("CREATE CONSTRAINT FOR (p:P) REQUIRE p.id IS UNIQUE", &[]).unwrap();
    c.query("CREATE (:P {id: -1, name: 'x', age: 1})", &[]).unwrap();
    let few = |n: i64| Value::list((0..n).map(Value::Int).collect());
    c.query("UNWIND $rows AS r CREATE (:P {id: r, name: 'n'})", &[("rows", few(1_000))]).unwrap();
    c.query("UNWIND $rows AS r CREATE (:Q {id: r, name: 'n'})", &[("rows", few(1_000))]).unwrap();
    small(&c, "read nothing", n, "RETURN $id", |i| vec![int("id", i)]);
    small(&c, "insert vertex, no constraint", n, "CREATE (:Q {id: $id, name: $name})", |i| {
        vec![int("id", i), ("name", Value::string(format!("name {i}")))]
    });
    let ends = |i: i64| vec![int("a", i % 1_000), int("b", (i * 7) % 1_000)];
    small(
        &c,
        "insert edge by id()",
        n,
        "MATCH (a:Q), (b:Q) WHERE id(a) = $a AND id(b) = $b CREATE (a)-[:R {w: 1}]->(b)",
        ends,
    );
    small(&c, "update by id()", n, "MATCH (a:Q) WHERE id(a) = $a SET a.id = $a", |i| {
        vec![int("a", i % 1_000)]
    });
    let batch_rows = 100_000.min(n * 5);
    let maps = |from: i64| {
        let map = |i: i64| {
            let entries = [("id", Value::Int(from + i)), ("name", Value::string(format!("n{i}")))];
            Value::map(entries.into_iter().map(|(key, value)| (Arc::from(key), value)).collect())
        };
        Value::list((0..batch_rows).map(map).collect())
    };
    if std::env::args().len() < 3 {
        batch(
            &c,
            "UNWIND create nodes",
            batch_rows,
            "UNWIND $rows AS r CREATE (:B {id: r.id, name: r.name})",
            maps(0),
        );
        batch(&c, "SET on all", batch_rows, "MATCH (b:B) SET b.x = 1", Value::Null);
        batch(&c, "create edges on all", batch_rows, "MATCH (b:B) CREATE (b)-[:S]->(b)", Value::Null);
        batch(&c, "DETACH DELETE all", batch_rows, "MATCH (b:B) DETACH DELETE b", Value::Null);
    }
    small(&c, "insert vertex, unique", n, "CREATE (:P {id: $id, name: $name})", |i| {
        vec![int("id", i + 1_000_000), ("name", Value::string(format!("name {i}")))]
    });
    small(&c, "point read, unique", n, "MATCH (p:P {id: $id}) RETURN p.name", |i| vec![int("id", i % 1_000)]);
    small(&c, "insert edge by keys", n, "MATCH (a:P {id: $a}), (b:P {id: $b}) CREATE (a)-[:R]->(b)", ends);
    small(&c, "update by key", n, "MATCH (p:P {id: $id}) SET p.age = $age", |i| {
        vec![int("id", i % 1_000), int("age", i)]
    });
    let merge = "MERGE (p:P {id: $id}) ON CREATE SET p.age = 1 ON MATCH SET p.age = 2";
    small(&c, "merge on a key, there", n, merge, |i| vec![int("id", i % 1_000)]);
    small(&c, "merge on a key, new", n, merge, |i| vec![int("id", i + 100_000_000)]);
    small(&c, "batch of ten", n, "UNWIND $rows AS r CREATE (:T {id: r})", |i| {
        vec![("rows", Value::list((i..i + 10).map(Value::Int).collect()))]
    });
}
