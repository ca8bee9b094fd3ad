//! Measures what durability costs: commits of one and of many clients beside a bare write and sync, and the
//! opening of a log.
//!
//! ```text
//! durable commits DIR              microseconds a commit: bare, one client, 32 clients
//! durable recovery DIR MILLIONS    a log of so many operations, half of them in batches: opening and memory
//! ```
#![allow(clippy::print_stdout, reason = "an example")]

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use trimorph::{Config, Connection, Database, Durability, Value};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["commits", dir] => commits(Path::new(dir)),
        ["recovery", dir, millions] => recovery(Path::new(dir), millions.parse()?),
        ["open", dir] => open_only(Path::new(dir)),
        _ => Err("durable commits DIR | durable recovery DIR MILLIONS".into()),
    }
}

fn create(c: &Connection, i: i64) -> Result<(), trimorph::Error> {
    let params = [("i", Value::Int(i))];
    c.query("CREATE (:Event {id: $i, what: 'something happened', at: 1.5})", &params).map(drop)
}

fn commits(dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(dir)?;
    let file = File::create(dir.join("bare"))?;
    (&file).write_all(&vec![0; 16 << 20])?;
    file.sync_all()?;
    let bare = || -> Result<f64, Failure> {
        let start = Instant::now();
        for i in 0..500 {
            file.write_all_at(&[1; 192], i * 192)?;
            file.sync_data()?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6 / 500.0)
    };
    let db = Database::open(dir.join("db"), Config::default())?;
    let one = || -> Result<f64, Failure> {
        let c = db.connect();
        let start = Instant::now();
        (0..500).try_for_each(|i| create(&c, i))?;
        Ok(start.elapsed().as_secs_f64() * 1e6 / 500.0)
    };
    let many = || -> Result<f64, Failure> {
        let start = Instant::now();
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..32)
                .map(|client| {
                    let c = db.connect();
                    scope.spawn(move || (0..200).try_for_each(|i| create(&c, client * 1_000 + i)))
                })
                .collect();
            clients.into_iter().try_for_each(|client| client.join().unwrap_or(Ok(())))
        })?;
        Ok(start.elapsed().as_secs_f64() * 1e6 / 6_400.0)
    };
    one()?;
    for _ in 0..3 {
        let (bare, one, many) = (bare()?, one()?, many()?);
        println!(
            "bare {bare:.0} us, one client {one:.0} us (x {:.2}), 32 clients {many:.1} us a commit (x {:.1})",
            one / bare,
            one / many
        );
    }
    Ok(())
}

/// Peak and present memory of this process, in megabytes.
fn memory() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1_024
    };
    (of("VmHWM"), of("VmRSS"))
}

fn recovery(dir: &Path, millions: i64) -> Result<(), Failure> {
    let durability = Durability::Relaxed { interval: Duration::from_millis(100) };
    let db = Database::open(dir, Config::new().durability(durability))?;
    let c = db.connect();
    let (batch, million) = (1_000, 1_000_000);
    let start = Instant::now();
    // Half of the operations in batches: of five, two are nodes, two edges and one a value.
    for i in 0..millions * million / 10 / batch {
        let text = "UNWIND range($from, $from + 999) AS i \
                    CREATE (a:P {id: 2 * i, name: 'name ' + toString(i), x: i * 0.5})-[:E]->(b:P {id: 2 * i + 1}), \
                    (b)-[:F {w: i}]->(a) SET b.x = i";
        c.query(text, &[("from", Value::Int(i * batch))])?;
    }
    println!("batches written in {:.1?}", start.elapsed());
    // The other half one by one: commits of three, a node, an edge and a node.
    for i in 0..millions * million / 6 {
        c.query(
            "CREATE (:Q {id: $i, name: 'one by one'})-[:G]->(:Q {id: -$i, name: 'other'})",
            &[("i", Value::Int(i))],
        )?;
    }
    let bytes: u64 =
        std::fs::read_dir(dir.join("log"))?.filter_map(|e| Some(e.ok()?.metadata().ok()?.len())).sum();
    println!("written in {:.1?}, log {} MB, memory {:?} MB", start.elapsed(), bytes >> 20, memory());
    drop(c);
    db.close()?;
    let exe = std::env::current_exe()?;
    std::process::Command::new(exe).arg("open").arg(dir).status()?;
    Ok(())
}

fn open_only(dir: &Path) -> Result<(), Failure> {
    let start = Instant::now();
    let db = Database::open(dir, Config::default())?;
    println!("opened in {:.1?}, peak and present memory {:?} MB", start.elapsed(), memory());
    let c = db.connect();
    for text in ["MATCH (n) RETURN count(*)", "MATCH ()-[r]->() RETURN count(r)"] {
        let mut result = c.query(text, &[])?;
        println!("{text}: {:?}", result.next_row()?);
    }
    Ok(())
}
