//! Writing in all kinds of statements on a disk that fails at every one of its calls: a list of steps, and
//! what a database in memory makes of those that were acknowledged.
//!
//! 1. The steps are done in order, whatever fails. The database is opened anew after every few, so that each
//!    statement reads its pieces, and a read is what fails.
//! 2. A step that failed changed nothing, as long as the database is open; once it is opened again, one step
//!    that failed may be there, whole.
//! 3. A step that is refused for a reason of the language counts as done: the model refuses it too.
//! 4. All of it with enough memory, and with so little that pieces are dropped and read again within
//!    statements.
//!
//! Every 29th call, and every seventh for one error, unless `TRIMORPH_LIFE_SEEDS` is set
//! (`just faults SEEDS`); with little memory every 101st. `TRIMORPH_LIFE_CALL` begins at a call, to see a
//! failure again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph::{
    CancelToken, Connection, Database, Error, LoadError, LoadOptions, LoadReport, NoProgress, OnConflict,
    QueryResult,
};
use trimorph_vfs::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};

use crate::durable::config;
use crate::live_loads::Files;

const DIR: &str = "trimorph-all-writes-on-a-disk-that-fails";
const ENOUGH: usize = 256 << 20;
/// Some steps do not fit.
const LITTLE: usize = 32 << 10;

#[derive(Clone, Copy, Debug)]
enum Step {
    Cypher(&'static str),
    Sparql(&'static str),
    /// A transaction, that is committed or rolled back. A statement that is refused undoes itself.
    Committed(&'static [&'static str]),
    RolledBack(&'static [&'static str]),
    /// Which files, and what is done about keys that are there.
    Load(usize, OnConflict),
    Merge,
    Checkpoint,
    Reopen,
}

use Step::{Checkpoint, Committed, Cypher, Load, Merge, Reopen, RolledBack, Sparql};

const STEPS: &[Step] = &[
    Load(0, OnConflict::Error),
    Cypher("CREATE CONSTRAINT people FOR (p:Person) REQUIRE p.id IS UNIQUE"),
    Cypher("CREATE INDEX ages FOR (p:Person) ON (p.age)"),
    Cypher(
        "UNWIND range(100, 130) AS i CREATE (:Person:New {id: i, age: i % 7, text: 'text ' + toString(i)})",
    ),
    Sparql("INSERT DATA { <http://a> a :Thing ; :name 'A', 'B'@en ; :near <http://b> . <http://b> :size 4 }"),
    Checkpoint,
    Reopen,
    // Properties and labels, of nodes that main has.
    Cypher("MATCH (p:Person) WHERE p.id % 3 = 0 SET p.age = p.age + 40, p.seen = true"),
    Cypher("MATCH (p:Person {id: 2}) SET p = {id: 2, name: 'Other', list: [1, 'x', null]}"),
    Cypher("MATCH (p:Person) WHERE p.id < 4 SET p += {name: 'Same', age: null}, p:Old"),
    Reopen,
    Cypher("MATCH (p:New) WHERE p.id % 2 = 0 REMOVE p:New, p.text"),
    Cypher(
        "MATCH (p:Old) FOREACH (i IN range(1, 3) | SET p.last = i CREATE (p)-[:HAS {n: i}]->(:Part {n: i}))",
    ),
    Reopen,
    // Keys: a change, one that is refused, one that is made free and taken in one statement.
    Cypher("MATCH (p:Person {id: 5}) SET p.id = 500"),
    Cypher("MATCH (p:Person {id: 6}) SET p.id = 7"),
    Cypher("MATCH (p:Person {id: 8}) DETACH DELETE p CREATE (:Person {id: 8, name: 'Again'})"),
    Reopen,
    Cypher("CREATE CONSTRAINT named FOR (p:Person) REQUIRE p.name IS NOT NULL"),
    Cypher("CREATE CONSTRAINT numbered FOR (p:Part) REQUIRE p.n IS NOT NULL"),
    Cypher("MATCH (p:Part) WHERE p.n = 2 SET p.n = null"),
    Reopen,
    // Edges alone: some go, some are merged, some get properties.
    Cypher("MATCH (:Person)-[r:KNOWS]->() WHERE r.since % 2 = 0 DELETE r"),
    Cypher(
        "MATCH (a:Person), (b:Person) WHERE b.id = a.id + 1 AND a.id < 12 \
         MERGE (a)-[r:KNOWS]->(b) ON CREATE SET r.since = 1 ON MATCH SET r.again = true",
    ),
    Reopen,
    Cypher("MATCH (:Person)-[r:KNOWS]->() SET r.since = 'year ' + toString(r.since)"),
    Merge,
    Cypher(
        "MATCH (a:Person {id: 1}), (b:Person {id: 3}) UNWIND range(1, 40) AS i CREATE (a)-[:KNOWS {since: i}]->(b)",
    ),
    Reopen,
    Sparql("DELETE DATA { <http://a> :name 'A' . <http://b> :size 4 }"),
    Sparql("DELETE { ?s :near ?o } INSERT { ?o :near ?s ; :text 'turned' } WHERE { ?s :near ?o }"),
    Sparql("DELETE { ?p :age ?a } INSERT { ?p :age 99 } WHERE { ?p a :Person ; :age ?a FILTER(?a < 3) }"),
    Reopen,
    Committed(&[
        "MATCH (p:Person {id: 9}) SET p.age = 1",
        "MATCH (p:Person {age: 1}) SET p:Young",
        "CREATE (:Person {id: 9})",
        "MATCH (p:Young)-[r]-() DELETE r",
        "MATCH (p:Young) WHERE p.age = 1 CREATE (p)-[:SELF {x: 1.5}]->(p)",
    ]),
    RolledBack(&[
        "MATCH (p:Person) DETACH DELETE p",
        "UNWIND range(1, 9) AS i CREATE (:Person {id: i, name: 'Nobody'})",
    ]),
    Reopen,
    Load(1, OnConflict::Merge),
    Load(1, OnConflict::Error),
    Checkpoint,
    Reopen,
    Load(2, OnConflict::Skip),
    Cypher("REORGANIZE"),
    Reopen,
    Cypher("DROP INDEX ages"),
    Cypher("DROP CONSTRAINT people"),
    Cypher("CREATE (:Person {id: 1, name: 'Twin', age: 5})"),
    Reopen,
    Cypher(
        "MATCH (p:Person) WITH p ORDER BY p.name WITH p.id AS id, collect(p) AS all WHERE size(all) > 1 UNWIND all[1..] AS p DETACH DELETE p",
    ),
    Cypher("CREATE INDEX ages FOR (p:Person) ON (p.age, p.id)"),
    Merge,
    Checkpoint,
    Reopen,
    Cypher("MATCH (n) WHERE n.id > 100 OR n:Part DETACH DELETE n"),
    Reopen,
    Cypher(
        "MERGE (p:Person {id: 3}) ON MATCH SET p.found = true MERGE (q:Person {id: 3000}) ON CREATE SET q.made = true",
    ),
];

/// What is read of a database, by scans, by edges of both directions, by indexes and by statements.
const READ: &[&str] = &[
    // Who fails within REORGANIZE leaves some nodes' labels in another order.
    "MATCH (n) UNWIND CASE labels(n) WHEN [] THEN [null] ELSE labels(n) END AS l \
     WITH n, l ORDER BY l WITH n, collect(l) AS l RETURN l, properties(n)",
    "MATCH (a)-[r]->(b) RETURN properties(a), type(r), properties(r), properties(b)",
    "MATCH (b)<-[r]-(a) RETURN properties(a), type(r), properties(r), properties(b)",
    "UNWIND range(0, 12) AS i MATCH (p:Person {id: i}) RETURN i, p.name",
    "MATCH (p:Person) WHERE p.age > 20 RETURN p.id, p.age",
    "MATCH (p:Person) RETURN p.id, count{(p)-->()}, count{(p)<--()}",
    "SHOW INDEXES YIELD name",
    "SHOW CONSTRAINTS YIELD name",
];
const STATEMENTS: &str = "SELECT ?s ?p ?o { ?s ?p ?o FILTER(STRSTARTS(STR(?s), 'http')) }";

/// Whether a statement failed for a reason of the language.
fn is_refused(error: &Error) -> bool {
    matches!(error, Error::Query { .. })
}

fn rows(mut result: QueryResult) -> Result<Vec<String>, Error> {
    let mut out = Vec::new();
    while let Some(row) = result.next_row()? {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out.sort();
    Ok(out)
}

type Told = Vec<Vec<String>>;

fn told(c: &Connection) -> Result<Told, Error> {
    let mut all = Vec::new();
    for text in READ {
        all.push(rows(c.query(text, &[])?)?);
    }
    all.push(rows(c.sparql(STATEMENTS)?)?);
    Ok(all)
}

type Loads = [Vec<PathBuf>; 3];

fn load(db: &Database, paths: &[PathBuf], on_conflict: OnConflict) -> Result<LoadReport, Error> {
    // Small files, read many times.
    let options = LoadOptions { on_conflict, chunk_bytes: 4 << 10, ..db.load_options() };
    db.load(paths, None, &options, &NoProgress)
}

/// Does a step that writes; one that is refused is done.
fn write(db: &Database, step: Step, loads: &Loads) -> Result<(), Error> {
    let c = db.connect();
    let done = |answer: Result<(), Error>| match answer {
        Err(error) if !is_refused(&error) => Err(error),
        _ => Ok(()),
    };
    match step {
        Cypher(text) => done(c.query(text, &[]).map(drop)),
        Sparql(text) => done(c.sparql(text).map(drop)),
        Committed(texts) | RolledBack(texts) => {
            c.begin()?;
            texts.iter().try_for_each(|text| done(c.query(text, &[]).map(drop)))?;
            if matches!(step, Committed(_)) { c.commit() } else { c.rollback() }
        }
        Load(which, on_conflict) => match load(db, &loads[which], on_conflict) {
            Err(Error::Load(LoadError::Rejected { .. })) => Ok(()),
            answer => answer.map(drop),
        },
        Merge | Checkpoint | Reopen => Ok(()),
    }
}

/// What databases in memory make of steps, kept by the steps.
struct Models<'a> {
    loads: &'a Loads,
    told: HashMap<Vec<usize>, Told>,
}

impl Models<'_> {
    fn told(&mut self, steps: &[usize]) -> &Told {
        if !self.told.contains_key(steps) {
            let db = Database::in_memory(config().threads(1));
            for at in steps {
                write(&db, STEPS[*at], self.loads).unwrap_or_else(|e| panic!("{:?}: {e}", STEPS[*at]));
            }
            self.told.insert(steps.to_vec(), told(&db.connect()).unwrap());
        }
        &self.told[steps]
    }
}

/// Fails with the rows that one side has alone.
fn assert_same(there: &Told, expected: &Told, what: &str) {
    let alone = |these: &Told, those: &Told| {
        let of = these.iter().zip(those).map(|(these, those)| {
            these.iter().filter(|row| !those.contains(row)).cloned().collect::<Vec<_>>()
        });
        of.collect::<Told>()
    };
    let (more, less) = (alone(there, expected), alone(expected, there));
    assert!(there == expected, "{what}\nthere alone: {more:?}\nexpected alone: {less:?}");
}

/// A run of the steps.
struct Run<'a, 'b> {
    models: &'a mut Models<'b>,
    fs: Arc<dyn FileSystem>,
    memory: usize,
    what: String,
    /// Steps that were acknowledged, and those that failed since the last that was, in this sitting.
    done: Vec<usize>,
    lost: Vec<usize>,
    /// Pieces that were dropped because memory was short.
    dropped: u64,
}

impl Run<'_, '_> {
    fn open(&self, read_only: bool) -> Result<Database, Error> {
        // Small segments: the log goes through several.
        let options = config().read_only(read_only).threads(1).log_segment_bytes(8 << 10);
        let options = options.memory_limit_bytes(self.memory);
        Database::open_on(Arc::clone(&self.fs), Path::new(DIR), options)
    }

    /// What is there is what was acknowledged. Nothing is said if the disk fails while it is read.
    fn compare(&mut self, db: &Database, place: &str) {
        if let Ok(there) = told(&db.connect()) {
            let what = format!("{}, {place}, lost {:?}", self.what, self.lost);
            assert_same(&there, self.models.told(&self.done), &what);
        }
    }

    /// What is there after opening is what was acknowledged, perhaps with one step that failed. False if the
    /// disk fails while it is read. Nothing is read where nothing failed: who writes next is to read.
    fn find(&mut self, db: &Database, place: &str) -> bool {
        if self.lost.is_empty() {
            return true;
        }
        let Ok(there) = told(&db.connect()) else { return false };
        if &there != self.models.told(&self.done) {
            // What was refused since then was refused without it.
            let with = |lost: &usize| self.done.iter().copied().chain([*lost]).collect::<Vec<_>>();
            let with: Vec<_> = self.lost.iter().map(with).collect();
            match with.into_iter().find(|steps| &there == self.models.told(steps)) {
                Some(steps) => self.done = steps,
                None => {
                    let what = format!("{}, {place}, lost {:?}", self.what, self.lost);
                    assert_same(&there, self.models.told(&self.done), &what);
                }
            }
        }
        self.lost.clear();
        true
    }

    fn go(&mut self) {
        let cancel = CancelToken::default();
        let mut db = None;
        for (at, step) in STEPS.iter().enumerate() {
            let place = format!("step {at}, {step:?}");
            if db.is_none() {
                db = self.open(false).ok();
                if let Some(opened) = &db
                    && !self.find(opened, &place)
                {
                    db = None;
                }
            }
            let Some(open) = &db else { continue };
            match step {
                // One that fails changes nothing, whatever it was at.
                Merge => drop(open.merge(&cancel)),
                Checkpoint => drop(open.checkpoint(&cancel)),
                Reopen => {
                    self.dropped += open.stats().pieces_dropped;
                    db = None;
                }
                _ => match write(open, *step, self.models.loads) {
                    Ok(()) => {
                        let before = self.models.told(&self.done).clone();
                        self.done.push(at);
                        // Something was written behind what failed: that was undone for good.
                        if self.models.told(&self.done) != &before {
                            self.lost.clear();
                        }
                    }
                    Err(_) => {
                        self.lost.push(at);
                        self.compare(open, &place);
                    }
                },
            }
        }
    }

    /// Looks at what is left on `fs`, and goes on with it.
    fn verify(&mut self, fs: Arc<dyn FileSystem>, what: &str) {
        let before = std::mem::replace(&mut self.fs, fs);
        let memory = std::mem::replace(&mut self.memory, ENOUGH);
        let kept = (self.done.clone(), self.lost.clone());
        let what = format!("{}, {what}", self.what);
        let db = self.open(false).unwrap_or_else(|e| panic!("{what}: {e}"));
        let there = told(&db.connect()).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(self.find(&db, &what));
        assert_same(&there, self.models.told(&self.done), &what);
        let text = "CREATE (:Last {id: 1})-[:LAST]->(:Last {id: 2})";
        db.connect().query(text, &[]).unwrap_or_else(|e| panic!("{what}: {e}"));
        drop(db);
        let db = self.open(true).unwrap_or_else(|e| panic!("{what}: {e}"));
        let c = db.connect();
        assert_eq!(rows(c.query("MATCH (n:Last)-->() RETURN n.id", &[]).unwrap()).unwrap(), ["1"], "{what}");
        assert_eq!(told(&c).unwrap()[0].len(), there[0].len() + 2, "{what}");
        (self.fs, self.memory, (self.done, self.lost)) = (before, memory, kept);
    }
}

fn files(files: &Files) -> Loads {
    let people = |from: i64, to: i64, name: &str| {
        let row = |i: i64| format!("{i},{name} {i},{},Person\n", i * 7 % 50);
        let rows: String = (from..to).map(row).collect();
        files.put(
            &format!("people-{from}.csv"),
            &format!("id:ID(Person){{id-type: int}},name,age:int,:LABEL\n{rows}"),
        )
    };
    let knows = |from: i64, to: i64| {
        let row = |i: i64| format!("{i},{},KNOWS,{}\n", from + (i * 5 + 3) % (to - from), 1990 + i % 9);
        let rows: String = (from..to).map(row).collect();
        let head = ":START_ID(Person),:END_ID(Person),:TYPE,since:int\n";
        files.put(&format!("knows-{from}.csv"), &format!("{head}{rows}"))
    };
    [
        vec![people(0, 60, "Person"), knows(0, 60)],
        vec![people(50, 70, "Loaded"), knows(50, 70)],
        vec![people(65, 90, "Skipped"), knows(65, 90)],
    ]
}

/// Runs the steps with `fault` at each call, and looks at what is left.
fn at_every_call(fault: Fault, memory: usize) {
    let folder = Files::new("all-writes");
    let loads = files(&folder);
    let mut models = Models { loads: &loads, told: HashMap::new() };
    let disk = || Arc::new(FaultyFileSystem::with_files(&MemoryFileSystem::default()).unwrap());
    let quiet = disk();
    let writes = STEPS.iter().enumerate().filter(|(_, step)| !matches!(step, Merge | Checkpoint | Reopen));
    let all: Vec<usize> = writes.map(|(at, _)| at).collect();
    let run = |models: &mut Models<'_>, fs: &Arc<FaultyFileSystem>, what: &str, verify: &dyn Fn(&mut Run)| {
        let fs: Arc<dyn FileSystem> = Arc::clone(fs) as _;
        let (what, done, lost) = (what.to_owned(), Vec::new(), Vec::new());
        let mut run = Run { models, fs, memory, what, done, lost, dropped: 0 };
        run.go();
        verify(&mut run);
    };
    run(&mut models, &quiet, "no fault", &|run| {
        let is_little = memory < ENOUGH;
        let (done, dropped) = (run.done.len(), run.dropped);
        println!("{done} of {} steps, {dropped} pieces dropped", all.len());
        assert!(run.done == all || is_little && done > all.len() * 9 / 10, "{:?}", run.done);
        assert_eq!(dropped > 0, is_little);
    });
    let calls = quiet.calls();
    println!("{fault:?} at each of {calls} calls");
    assert!(calls > 400, "{calls}");
    let wanted = std::env::var("TRIMORPH_LIFE_SEEDS").ok().and_then(|text| text.parse::<u64>().ok());
    let usual = match fault {
        _ if memory < ENOUGH => 101,
        Fault::Error => 7,
        _ => 29,
    };
    let (seeds, step) = wanted.map_or((1, usual), |seeds| (seeds, 1));
    let first = std::env::var("TRIMORPH_LIFE_CALL").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    for call in (first..calls).step_by(step) {
        if call % 100 == 0 {
            println!("call {call}");
        }
        let fs = disk();
        fs.fail_at(call, fault);
        let what = format!("{fault:?} at call {call} of {calls}");
        run(&mut models, &fs, &what, &|run| {
            // What was lost, for all that reads as written: after a crash, and after a sync that failed.
            if fault != Fault::Full {
                for seed in 0..seeds {
                    let seed = seed * 1_000 + call;
                    run.verify(Arc::new(fs.after_crash(seed).unwrap()), &format!("seed {seed}"));
                }
            }
            if fault != Fault::Crash {
                // There is room again.
                fs.fail_at(u64::MAX, Fault::Error);
                run.verify(Arc::clone(&fs) as _, "going on");
            }
        });
    }
}

#[test]
fn a_crash_at_any_call() {
    at_every_call(Fault::Crash, ENOUGH);
}

#[test]
fn a_crash_with_little_memory() {
    at_every_call(Fault::Crash, LITTLE);
}

#[test]
fn an_error_at_any_call() {
    at_every_call(Fault::Error, ENOUGH);
}

#[test]
fn an_error_with_little_memory() {
    at_every_call(Fault::Error, LITTLE);
}

#[test]
fn no_room_from_any_call_on() {
    at_every_call(Fault::Full, ENOUGH);
}

#[test]
fn no_room_and_little_memory() {
    at_every_call(Fault::Full, LITTLE);
}
