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
        ["write", dir, millions] => write(Path::new(dir), millions.parse()?),
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

/// CPU seconds of the process so far, of threads that have ended, too.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = text.rsplit(')').next().unwrap_or_default();
    let ticks = |at: usize| rest.split_whitespace().nth(at).and_then(|t| t.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

/// Segments so long that no checkpoint is made of them: all that is written is in the log.
fn config() -> Config {
    let durability = Durability::Relaxed { interval: Duration::from_millis(100) };
    Config::new().durability(durability).log_segment_bytes(1 << 30).checkpoint_interval(None)
}

const MAKE: &str = "UNWIND range($from, $from + 999) AS i \
                    CREATE (a:P {id: 2 * i, name: 'name ' + toString(i), x: i * 0.5})-[:E]->(b:P {id: 2 * i + 1}), \
                    (b)-[:F {w: i}]->(a) SET b.x = i";
const CHANGE: &str = "UNWIND range($from, $from + 999) AS i MATCH (b:P {id: 2 * i + 1}) SET b.x = -i";
const DELETE: &str = "UNWIND range($from, $from + 999) AS i MATCH (a:P {id: 2 * i}) DETACH DELETE a";

/// Half of the operations in batches of thousands, of five two nodes, two edges and a value; now and then
/// values are set anew and nodes go with their edges. The other half one by one.
fn write(dir: &Path, millions: i64) -> Result<(), Failure> {
    let db = Database::open(dir, config())?;
    let c = db.connect();
    c.query("CREATE CONSTRAINT FOR (p:P) REQUIRE p.id IS UNIQUE", &[])?;
    c.query("CREATE INDEX FOR (p:P) ON (p.x)", &[])?;
    c.query("CREATE INDEX FOR (q:Q) ON (q.id)", &[])?;
    let (million, start) = (1_000_000, Instant::now());
    let (mut operations, mut batch) = (0, 0);
    while operations < millions * million / 2 {
        c.query(MAKE, &[("from", Value::Int(batch * 1_000))])?;
        operations += 5_000;
        if batch % 4 == 3 {
            let from = Value::Int((batch - 3) * 1_000);
            c.query(CHANGE, &[("from", from.clone())])?;
            c.query(DELETE, &[("from", from)])?;
            operations += 1_000 + 3_000;
        }
        batch += 1;
    }
    println!("{operations} operations in batches written in {:.1?}", start.elapsed());
    let mut one = 0;
    while operations < millions * million {
        let i = [("i", Value::Int(one))];
        c.query("CREATE (:Q {id: $i, name: 'one by one'})-[:G]->(:Q {id: -$i, name: 'other'})", &i)?;
        operations += 3;
        if one % 4 == 3 {
            c.query("MATCH (q:Q {id: $i}) SET q.name = 'changed'", &i)?;
            c.query("MATCH (:Q {id: $i})-[r:G]->() DELETE r", &i)?;
            operations += 2;
        }
        one += 1;
    }
    std::thread::sleep(Duration::from_millis(500));
    let bytes: u64 =
        std::fs::read_dir(dir.join("log"))?.filter_map(|e| Some(e.ok()?.metadata().ok()?.len())).sum();
    println!(
        "{operations} written in {:.1?}, log {} MB, memory {:?} MB",
        start.elapsed(),
        bytes >> 20,
        memory()
    );
    tell(&c)?;
    // As a crash of the process ends it: nothing is closed.
    std::process::exit(0)
}

fn recovery(dir: &Path, millions: i64) -> Result<(), Failure> {
    let exe = std::env::current_exe()?;
    std::process::Command::new(&exe).arg("write").arg(dir).arg(millions.to_string()).status()?;
    std::process::Command::new(exe).arg("open").arg(dir).status()?;
    Ok(())
}

fn open_only(dir: &Path) -> Result<(), Failure> {
    let start = Instant::now();
    let db = Database::open(dir, config())?;
    let (wall, cpu) = (start.elapsed(), cpu());
    println!("opened in {wall:.1?}, {cpu:.1} s of CPU, peak and present memory {:?} MB", memory());
    let c = db.connect();
    tell(&c)?;
    println!("peak and present memory {:?} MB", memory());
    // What the log says stays there for another look.
    std::process::exit(0)
}

fn tell(c: &Connection) -> Result<(), Failure> {
    for text in [
        "MATCH (n) RETURN count(*)",
        "MATCH ()-[r]->() RETURN count(r), sum(r.w)",
        "MATCH (n:P) WHERE n.x < 0 RETURN count(n)",
    ] {
        let start = Instant::now();
        let mut result = c.query(text, &[])?;
        println!("{text}: {:?} in {:.1?}", result.next_row()?, start.elapsed());
    }
    Ok(())
}
