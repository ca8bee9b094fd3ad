//! Latency of prepared queries on one thread: `latency PATH [runs]` loads LDBC SNB files and asks for two
//! properties of a person by key, for the friends of a person by key, and for nothing (`RETURN 1`: what any
//! query pays), with keys in random order.
//!
//! Prints the median and the 99th percentile in microseconds, fetching all rows.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use trimorph::{Config, Database, Error, NoProgress, Params, Value};

const QUERIES: [(&str, &str); 3] = [
    ("nothing", "RETURN 1"),
    ("point", "MATCH (p:Person {id: $id}) RETURN p.firstName, p.lastName"),
    ("neighbours", "MATCH (p:Person {id: $id})-[:KNOWS]-(q) RETURN q.id"),
];

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let path = PathBuf::from(args.next().unwrap_or_default());
    let runs: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(50_000);
    let db = Database::in_memory(Config::new().threads(1));
    db.load(&[path], None, &db.load_options(), &NoProgress)?;
    let connection = db.connect();
    let rows = connection.query("MATCH (p:Person) RETURN p.id", &[])?.rows()?;
    let keys: Vec<Arc<Params>> = (rows.into_iter())
        .filter_map(|row| row.into_iter().next())
        .map(|key: Value| Arc::new(Params::from([(Arc::from("id"), key)])))
        .collect();
    // A fixed draw, so that runs compare: large odd steps leave no locality.
    let len = keys.len().max(1);
    let order: Vec<usize> = (0..runs).map(|i| i.wrapping_mul(0x9e37_79b1) % len).collect();
    for (name, text) in QUERIES {
        let prepared = connection.prepare(text)?;
        let mut nanos = Vec::with_capacity(runs);
        let mut found = 0;
        for at in &order {
            let Some(params) = keys.get(*at) else { continue };
            let start = Instant::now();
            let mut result = connection.execute_prepared(&prepared, Arc::clone(params))?;
            while result.next_row()?.is_some() {
                found += 1;
            }
            nanos.push(start.elapsed().as_nanos());
        }
        nanos.sort_unstable();
        let micros = |part: usize| nanos.get(nanos.len() * part / 100).map_or(0.0, |n| *n as f64 / 1e3);
        println!("{name:12} median {:7.2} µs   p99 {:7.2} µs   {found} rows", micros(50), micros(99));
    }
    Ok(())
}
