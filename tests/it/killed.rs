//! A process that is killed in the middle of concurrent commits: what it had acknowledged is there when its
//! database is opened again, and no transaction is there in part.
//!
//! Transaction `i` of a writer makes a pair of nodes with an edge, removes the pair of five before it and
//! sets the writer's counter, in several statements: so what the database holds tells which transactions are
//! in it, and whether each is whole. In openCypher, and by SPARQL Update.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use trimorph::{Config, Connection, Database, Value};
use trimorph_base::Random;

use crate::durable::{Directory, config, rows, run};

/// Writers of one process.
const WRITERS: i64 = 4;
/// Pairs of a writer that are there at a time.
const PAIRS: i64 = 5;
/// Processes that are killed, one after the other, unless the environment says how many.
const KILLS: u64 = 6;
const KILLS_WANTED: &str = "TRIMORPH_KILLS";
/// After so many the next one gets a new directory: logs stay short.
const KILLS_OF_A_DIRECTORY: u64 = 100;
const DIRECTORY: &str = "TRIMORPH_KILLED_DIRECTORY";
const LANGUAGE: &str = "TRIMORPH_KILLED_LANGUAGE";

/// Small segments: many kills fall into the making of one.
fn options() -> Config {
    config().log_segment_bytes(16 << 10)
}

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

/// The same by SPARQL Update; but the relationship says nothing.
fn write_statements(c: &Connection, w: i64, i: i64) -> Result<(), trimorph::Error> {
    let gone = i - PAIRS;
    let texts = [
        format!(
            "DELETE {{ ?c :i ?old }} INSERT {{ ?c a :Counter ; :w {w} ; :i {i} }} \
             WHERE {{ BIND(<http://e/counter/{w}> AS ?c) OPTIONAL {{ ?c :i ?old }} }}"
        ),
        format!("INSERT DATA {{ <http://e/{w}/{i}/0> a :Pair ; :w {w} ; :i {i} ; :side 0 }}"),
        format!("DELETE {{ ?p ?q ?o }} WHERE {{ ?p a :Pair ; :w {w} ; :i {gone} ; ?q ?o }}"),
        format!(
            "INSERT {{ ?p :WITH ?b . ?b a :Pair, :Second ; :w {w} ; :i {i} ; :side 1 }} \
             WHERE {{ ?p a :Pair ; :w {w} ; :i {i} ; :side 0 BIND(<http://e/{w}/{i}/1> AS ?b) }}"
        ),
    ];
    c.begin()?;
    for text in texts {
        if let Err(error) = c.sparql(&text) {
            c.rollback()?;
            return Err(error);
        }
    }
    c.commit()
}

/// The last transaction of each writer that is in the database.
pub(crate) fn check(c: &Connection) -> BTreeMap<i64, i64> {
    check_pairs(c, "r.i")
}

/// The same where `of_edge` is what the relationship of a pair says of its transaction.
fn check_pairs(c: &Connection, of_edge: &str) -> BTreeMap<i64, i64> {
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
    let text = format!(
        "MATCH (a:Pair {{side: 0}})-[r:WITH]->(b:Second {{side: 1}}) RETURN a.w, a.i, {of_edge} AS r, b.w, b.i"
    );
    assert_eq!(rows(c, &text), pairs);
    let all = format!("{} | {}", pairs.len() * 2, pairs.len() * 2);
    let lonely = || {
        let all = rows(c, "MATCH (p:Pair) WHERE NOT (p)--() RETURN p.w, p.i, p.side, labels(p), id(p)");
        let standing = rows(c, "SHOW DATABASE");
        format!("alone: {all:?}, counters {last:?}, {standing:?}")
    };
    let counted = rows(c, "MATCH (p:Pair) OPTIONAL MATCH (p)-[r]-() RETURN count(DISTINCT p), count(r)");
    assert_eq!(counted, [all], "{}", lonely());
    last
}

/// What the writers write in.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    Cypher,
    Sparql,
}

impl Language {
    fn of_child() -> Self {
        if std::env::var(LANGUAGE).is_ok_and(|name| name == "sparql") { Self::Sparql } else { Self::Cypher }
    }

    fn name(self) -> &'static str {
        if self == Self::Sparql { "sparql" } else { "cypher" }
    }

    fn write_one(self, c: &Connection, w: i64, i: i64) -> Result<(), trimorph::Error> {
        if self == Self::Sparql { write_statements(c, w, i) } else { write_one(c, w, i) }
    }

    fn check(self, c: &Connection) -> BTreeMap<i64, i64> {
        check_pairs(c, if self == Self::Sparql { "a.i" } else { "r.i" })
    }
}

#[test]
#[ignore = "the process that is killed, which the test below starts"]
fn the_child() {
    let dir = std::env::var(DIRECTORY).unwrap();
    let db = Database::open(Path::new(&dir), options()).unwrap();
    let language = Language::of_child();
    let last = language.check(&db.connect());
    std::thread::scope(|scope| {
        for w in 0..WRITERS {
            let (c, from) = (db.connect(), last.get(&w).map_or(0, |i| i + 1));
            scope.spawn(move || {
                for i in from.. {
                    while let Err(error) = language.write_one(&c, w, i) {
                        assert!(matches!(error, trimorph::Error::Conflict(_)), "{error}");
                    }
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "committed {w} {i}").and_then(|()| out.flush()).unwrap();
                }
            });
        }
    });
}

/// Starts a process on a directory, kills it, and gives the commits that it had acknowledged. It is killed
/// after `wanted` commits, or after `millis`, whatever it is at then: also opening.
fn kill_one(dir: &Path, language: Language, wanted: usize, millis: Option<u64>) -> Vec<(i64, i64)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::the_child", "--ignored", "--nocapture"])
        .env(DIRECTORY, dir)
        .env(LANGUAGE, language.name())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut seen = Vec::new();
    if let Some(millis) = millis {
        std::thread::sleep(std::time::Duration::from_millis(millis));
        child.kill().unwrap();
    }
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        if let ["committed", w, i] = words[..]
            && let (Ok(w), Ok(i)) = (w.parse(), i.parse())
        {
            seen.push((w, i));
        }
        if seen.len() == wanted {
            child.kill().unwrap();
        }
    }
    let code = child.wait().unwrap().code();
    assert_eq!(code, None, "the child ended by itself after {} commits", seen.len());
    seen
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    kill_again_and_again(Language::Cypher);
}

#[test]
fn what_was_acknowledged_in_sparql_is_there_after_a_kill() {
    kill_again_and_again(Language::Sparql);
}

fn kill_again_and_again(language: Language) {
    let campaign: Option<u64> = std::env::var(KILLS_WANTED).ok().and_then(|text| text.parse().ok());
    let mut draw = Random::new(10);
    let name = format!("killed-{}", language.name());
    let mut dir = Directory::new(&name);
    let mut acknowledged: BTreeMap<i64, i64> = BTreeMap::new();
    // Kills before the first commit, and after it.
    let (mut early, mut late, mut commits) = (0, 0, 0);
    for kill in 0..campaign.unwrap_or(KILLS) {
        if kill % KILLS_OF_A_DIRECTORY == KILLS_OF_A_DIRECTORY - 1 {
            acknowledged.clear();
            drop(std::mem::replace(&mut dir, Directory::new(&format!("{name}-{kill}"))));
            println!("{kill} kills: {early} before a first commit, {late} after; {commits} commits");
        }
        let millis = (campaign.is_some() && draw.below(2) == 0).then(|| draw.below(120) as u64);
        let seen = kill_one(dir.path(), language, 1 + draw.below(200), millis);
        commits += seen.len();
        *if seen.is_empty() { &mut early } else { &mut late } += 1;
        acknowledged.extend(seen);
        if !dir.path().exists() {
            continue;
        }
        let db = Database::open(dir.path(), options()).unwrap();
        let last = language.check(&db.connect());
        for w in 0..WRITERS {
            let (done, there) = (acknowledged.get(&w).copied(), last.get(&w).copied());
            let (done, there) = (done.unwrap_or(-1), there.unwrap_or(-1));
            // What was not acknowledged may be there; nobody will ask whether it was.
            assert!(
                there == done || there == done + 1,
                "kill {kill}, {w}: {done} acknowledged, {there} there"
            );
            if there >= 0 {
                acknowledged.insert(w, there);
            }
        }
        // The database goes on; the next child begins where this one ends.
        run(&db.connect(), &["MATCH (c:Counter) SET c.seen = true"]);
    }
    println!("{early} kills before a first commit, {late} after; {commits} commits");
}
