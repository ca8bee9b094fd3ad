//! A process that is killed in the middle of concurrent commits: what it had acknowledged is there when its
//! database is opened again, and no transaction is there in part.
//!
//! Transaction `i` of a writer makes a pair of nodes with an edge, removes the pair of five before it and
//! sets the writer's counter, in several statements: so what the database holds tells which transactions are
//! in it, and whether each is whole.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use trimorph::{Connection, Database, Value};
use trimorph_base::Random;

use crate::durable::{Directory, config, open, rows, run};

/// Writers of one process.
const WRITERS: i64 = 4;
/// Pairs of a writer that are there at a time.
const PAIRS: i64 = 5;
/// Processes that are killed, one after the other.
const KILLS: u64 = 6;
const DIRECTORY: &str = "TRIMORPH_KILLED_DIRECTORY";

/// Transaction `i` of writer `w`.
pub(crate) fn write_one(c: &Connection, w: i64, i: i64) -> Result<(), trimorph::Error> {
    let params = [("w", Value::Int(w)), ("i", Value::Int(i)), ("gone", Value::Int(i - PAIRS))];
    let texts = [
        "MERGE (c:Counter {w: $w}) SET c.i = $i",
        "CREATE (:Pair {w: $w, i: $i, side: 0})",
        "MATCH (p:Pair {w: $w, i: $gone}) DETACH DELETE p",
        "MATCH (p:Pair {w: $w, i: $i, side: 0}) CREATE (p)-[:WITH {i: $i}]->(:Pair:Second {w: $w, i: $i, side: 1})",
    ];
    c.begin()?;
    for text in texts {
        if let Err(error) = c.query(text, &params) {
            c.rollback()?;
            return Err(error);
        }
    }
    c.commit()
}

/// The last transaction of each writer that is in the database.
pub(crate) fn check(c: &Connection) -> BTreeMap<i64, i64> {
    let number = |text: &str| text.parse::<i64>().unwrap();
    let mut last = BTreeMap::new();
    let mut pairs = Vec::new();
    for row in rows(c, "MATCH (c:Counter) RETURN c.w, c.i") {
        let (w, i) = row.split_once(" | ").unwrap();
        assert!(last.insert(number(w), number(i)).is_none(), "two counters of {w}");
        let first = (number(i) - PAIRS + 1).max(0);
        pairs.extend((first..=number(i)).map(|i| format!("{w} | {i} | {i} | {w} | {i}")));
    }
    pairs.sort();
    let text = "MATCH (a:Pair {side: 0})-[r:WITH]->(b:Second {side: 1}) RETURN a.w, a.i, r.i, b.w, b.i";
    assert_eq!(rows(c, text), pairs);
    let all = format!("{} | {}", pairs.len() * 2, pairs.len() * 2);
    assert_eq!(rows(c, "MATCH (p:Pair) OPTIONAL MATCH (p)-[r]-() RETURN count(DISTINCT p), count(r)"), [all]);
    last
}

#[test]
#[ignore = "the process that is killed, which the test below starts"]
fn the_child() {
    let dir = std::env::var(DIRECTORY).unwrap();
    let db = Database::open(Path::new(&dir), config()).unwrap();
    let last = check(&db.connect());
    std::thread::scope(|scope| {
        for w in 0..WRITERS {
            let (c, from) = (db.connect(), last.get(&w).map_or(0, |i| i + 1));
            scope.spawn(move || {
                for i in from.. {
                    while let Err(error) = write_one(&c, w, i) {
                        assert!(matches!(error, trimorph::Error::Conflict(_)), "{error}");
                    }
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "committed {w} {i}").and_then(|()| out.flush()).unwrap();
                }
            });
        }
    });
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    let dir = Directory::new("killed");
    let mut draw = Random::new(10);
    let mut acknowledged: BTreeMap<i64, i64> = BTreeMap::new();
    for kill in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::the_child", "--ignored", "--nocapture"])
            .env(DIRECTORY, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let wanted = 1 + draw.below(200);
        let mut seen = 0;
        let out = BufReader::new(child.stdout.take().unwrap());
        for line in out.lines() {
            let line = line.unwrap();
            let mut words = line.split(' ');
            if words.next() == Some("committed") && line.matches(' ').count() == 2 {
                let mut number = || words.next().unwrap().parse::<i64>().ok();
                if let (Some(w), Some(i)) = (number(), number()) {
                    acknowledged.insert(w, i);
                    seen += 1;
                }
            }
            if seen == wanted {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(seen >= wanted, "the child ended by itself after {seen} commits");
        let db = open(&dir);
        let last = check(&db.connect());
        for (w, i) in &acknowledged {
            let there = last.get(w).copied().unwrap_or(-1);
            assert!(
                there == *i || there == i + 1,
                "kill {kill}, writer {w}: {i} acknowledged, {there} there"
            );
        }
        // The database goes on; the next child begins where this one ends.
        run(&db.connect(), &["MATCH (c:Counter) SET c.seen = true"]);
    }
}
