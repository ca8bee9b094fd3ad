//! A crowd: threads that ask one database for all that it does, at once and in any order. Nobody waits for
//! ever: a step that takes too long ends the process, which says where each thread stands. Nobody sees what
//! is not: what was acknowledged is there in the end, what failed is not, and each reader sees sums that
//! hold.
//!
//! 1. Each thread draws its steps from a seed: transactions of every kind that commit, are rolled back, run
//!    into their timeout, are left open or terminated; definitions, merges, checkpoints, loads, long readers.
//! 2. In the end the graph is asked against what the threads remember; so it is after a merge, and after it
//!    was closed and opened again. Beside a directory another process follows.
//!
//! `just crowd SECONDS SEED THREADS` runs as many rounds as there is time for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use trimorph::{
    CancelToken, Config, Connection, Database, Error, Isolation, OnConflict, TransactionOptions, Value,
};
use trimorph_base::Random;

use crate::durable::{Directory, config};
use crate::live_loads::{Files, load};

const SECONDS: &str = "TRIMORPH_CROWD_SECONDS";
const SEED: &str = "TRIMORPH_CROWD_SEED";
const THREADS: &str = "TRIMORPH_CROWD_THREADS";
/// The directory that another process is to follow.
const FOLLOWED: &str = "TRIMORPH_CROWD_FOLLOWED";
/// Steps of each thread in a round: of a round in CI, and of one of many.
const STEPS: usize = 40;
const STEPS_OF_MANY: usize = 250;
/// A step that takes longer is taken for one that never ends. Builds that are slow, on cores that others use,
/// take seconds for the longest.
const LONGEST: Duration = Duration::from_secs(300);

const ACCOUNTS: i64 = 8;
const SUM: i64 = ACCOUNTS * 100;
const LISTS: i64 = 3;
const HUBS: i64 = 3;
const LEAVES: i64 = 200;
const KEYS: i64 = 40;

fn wanted(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What a thread is at, since when, and how many steps it began.
type At = (&'static str, Instant, u64);

/// Where threads stand; none when one is done.
struct Board {
    threads: Vec<Mutex<Option<At>>>,
}

impl Board {
    fn new(threads: usize) -> Self {
        Self { threads: (0..threads).map(|_| Mutex::new(Some(("begins", Instant::now(), 0)))).collect() }
    }

    fn at(&self, thread: usize, step: &'static str) {
        let mut own = self.threads[thread].lock().unwrap();
        let count = own.map_or(0, |(.., count)| count) + 1;
        *own = Some((step, Instant::now(), count));
    }

    fn done(&self, thread: usize) {
        *self.threads[thread].lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Looks until all are done; ends the process where one takes too long.
    fn watch(&self, round: &str) {
        loop {
            let now: Vec<_> = self.threads.iter().map(|own| *own.lock().unwrap()).collect();
            if now.iter().all(Option::is_none) {
                return;
            }
            if now.iter().flatten().any(|(_, since, _)| since.elapsed() > LONGEST) {
                eprintln!("{round}: somebody waits");
                for (thread, at) in now.iter().enumerate() {
                    match at {
                        None => eprintln!("thread {thread}: done"),
                        Some((step, since, count)) => {
                            let seconds = since.elapsed().as_secs();
                            eprintln!("thread {thread}: step {count}, \"{step}\" for {seconds} s");
                        }
                    }
                }
                std::process::exit(101);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A thread is done, also when it panics.
struct OnBoard<'c>(&'c Board, usize);

impl Drop for OnBoard<'_> {
    fn drop(&mut self) {
        self.0.done(self.1);
    }
}

/// What was acknowledged, and not taken back.
#[derive(Default)]
struct Made {
    appended: BTreeSet<i64>,
    edges: BTreeMap<i64, i64>,
    things: BTreeSet<i64>,
    keys: BTreeSet<i64>,
    declared: i64,
    loaded: i64,
}

impl Made {
    fn take_over(&mut self, other: Self) {
        self.appended.extend(other.appended);
        self.edges.extend(other.edges);
        self.things.extend(other.things);
        self.keys.extend(other.keys);
        self.declared += other.declared;
        self.loaded += other.loaded;
    }
}

fn int(c: &Connection, text: &str) -> Result<i64, Error> {
    Ok(c.query(text, &[])?.one::<(i64,)>()?.0)
}

/// The integers of a column, ascending.
fn ints(c: &Connection, text: &str) -> Vec<i64> {
    let mut rows = c.query(text, &[]).unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut found = Vec::new();
    while let Some(row) = rows.next_row().unwrap_or_else(|e| panic!("{text}: {e}")) {
        let [Value::Int(number)] = row[..] else { panic!("{text}: {row:?}") };
        found.push(number);
    }
    found.sort_unstable();
    found
}

/// Whether something may fail with this in a crowd.
fn is_expected(error: &Error) -> bool {
    match error {
        Error::Conflict(_)
        | Error::Transaction(_)
        | Error::Cancelled
        | Error::Timeout
        | Error::Memory(_)
        | Error::Spill(_) => true,
        // Somebody makes, and drops, constraints.
        Error::Query { diagnostic, .. } => diagnostic.to_string().contains("onstraint"),
        Error::Storage(text) => text.contains("onstraint") || text.contains("bulk load is at work"),
        Error::Load(error) => error.to_string().contains("memory"),
        _ => false,
    }
}

/// Whether it was done.
fn done<T>(result: Result<T, Error>, what: &str) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(is_expected(&error), "{what}: {error} ({error:?})");
            None
        }
    }
}

/// The database, and what all threads need.
struct Crowd<'c> {
    db: &'c Database,
    dir: Option<&'c Path>,
    config: &'c Config,
    board: &'c Board,
    files: &'c Files,
    /// The next number that nobody has.
    next: &'c AtomicI64,
}

/// One of the crowd.
struct One<'c> {
    crowd: &'c Crowd<'c>,
    thread: usize,
    random: Random,
    c: Connection,
    /// Connections that have a transaction open.
    left: Vec<Connection>,
    made: Made,
}

type Params<'p> = &'p [(&'p str, Value)];

impl One<'_> {
    fn at(&self, step: &'static str) {
        self.crowd.board.at(self.thread, step);
    }

    fn fresh(&self) -> i64 {
        self.crowd.next.fetch_add(1, Ordering::Relaxed)
    }

    fn options(&mut self) -> TransactionOptions {
        let isolation =
            [Isolation::ReadCommitted, Isolation::Snapshot, Isolation::Serializable][self.random.below(3)];
        let timeout = self.random.chance(10).then(|| Duration::from_millis(self.random.below(40) as u64));
        TransactionOptions { isolation: Some(isolation), timeout, read_only: false }
    }

    /// Runs statements in one of the ways that there are; whether they are there now.
    fn write(&mut self, what: &'static str, text: &str, params: Params<'_>) -> bool {
        // What is returned is read, too: it may not say that nothing was done where all was.
        let text = if self.random.chance(30) { format!("{text} RETURN 1 AS one") } else { text.to_owned() };
        let run = |c: &Connection| c.query(&text, params)?.rows().map(drop);
        match self.random.below(7) {
            0 | 1 => {
                self.at(what);
                done(run(&self.c), what).is_some()
            }
            2 => {
                let options = self.options();
                self.at("transact");
                done(self.c.transact(options, run), what).is_some()
            }
            3 => {
                let time = Duration::from_micros(self.random.below(20_000) as u64);
                self.at("a write with a timeout");
                let rows = self.c.query_within(&text, params, time).and_then(|rows| rows.rows());
                done(rows, what).is_some()
            }
            4 => {
                self.at("a write that is interrupted");
                let wait = Duration::from_micros(self.random.below(5_000) as u64);
                let c = &self.c;
                std::thread::scope(|scope| {
                    scope.spawn(move || {
                        std::thread::sleep(wait);
                        c.interrupt();
                    });
                    done(run(c), what).is_some()
                })
            }
            way => {
                let options = self.options();
                self.at("begin");
                if done(self.c.begin_with(options), what).is_none() {
                    return false;
                }
                self.at(what);
                let is_done = done(run(&self.c), what).is_some();
                if self.random.chance(20) {
                    self.at("a look within a transaction");
                    let _ = done(int(&self.c, "MATCH (a:Account) RETURN sum(a.sum)"), what);
                }
                if is_done && way == 5 {
                    self.at("commit");
                    return done(self.c.commit(), what).is_some();
                }
                self.at("roll back");
                let _ = done(self.c.rollback(), what);
                false
            }
        }
    }

    fn transfer(&mut self) {
        let (i, j) = (self.random.below(ACCOUNTS as usize), self.random.below(ACCOUNTS as usize - 1));
        let j = if j >= i { j + 1 } else { j };
        let params =
            [("i", (i as i64).into()), ("j", (j as i64).into()), ("v", self.random.between(1, 9).into())];
        let text =
            "MATCH (a:Account {id: $i}), (b:Account {id: $j}) SET a.sum = a.sum - $v, b.sum = b.sum + $v";
        self.write("transfer", text, &params);
    }

    fn append(&mut self) {
        let (list, n) = (self.random.below(LISTS as usize) as i64, self.fresh());
        let params = [("i", list.into()), ("n", n.into())];
        if self.write("append", "MATCH (l:List {id: $i}) SET l.items = l.items + $n", &params) {
            self.made.appended.insert(n);
        }
    }

    fn relate(&mut self) {
        let w = self.fresh();
        let params = [
            ("h", (self.random.below(HUBS as usize) as i64).into()),
            ("l", (self.random.below(LEAVES as usize) as i64).into()),
            ("w", w.into()),
        ];
        let text = "MATCH (h:Hub {id: $h}), (l:Leaf {id: $l}) CREATE (h)-[:E {w: $w, v: 0}]->(l)";
        if self.write("relate", text, &params) {
            self.made.edges.insert(w, 0);
        }
    }

    fn change_an_edge(&mut self) {
        let edges: Vec<i64> = self.made.edges.keys().copied().collect();
        if edges.is_empty() {
            return;
        }
        let (w, v) = (*self.random.pick(&edges), self.fresh());
        let params = [("w", w.into()), ("v", v.into())];
        if self.random.chance(50) {
            if self.write("cut", "MATCH (:Hub)-[r:E {w: $w}]->(:Leaf) DELETE r", &params) {
                self.made.edges.remove(&w);
            }
        } else if self.write("set of an edge", "MATCH (:Leaf)<-[r:E {w: $w}]-() SET r.v = $v", &params) {
            self.made.edges.insert(w, v);
        }
    }

    fn thing(&mut self) {
        let things: Vec<i64> = self.made.things.iter().copied().collect();
        if !things.is_empty() && self.random.chance(40) {
            let n = *self.random.pick(&things);
            if self.write("delete a thing", "MATCH (t:Thing {n: $n}) DETACH DELETE t", &[("n", n.into())]) {
                self.made.things.remove(&n);
            }
            return;
        }
        let n = self.fresh();
        let value = match self.random.below(3) {
            0 => Value::Int(n),
            1 => Value::string(format!("text {n}")),
            _ => Value::Float(n as f64 / 2.0),
        };
        let params = [("n", n.into()), ("v", value), ("h", (n % HUBS).into())];
        let text = "MATCH (h:Hub {id: $h}) CREATE (t:Thing {n: $n, v: $v})-[:OF]->(h), (h)-[:HAS]->(t)";
        if self.write("make a thing", text, &params) {
            self.made.things.insert(n);
        }
    }

    fn merge_key(&mut self) {
        let k = self.random.below(KEYS as usize) as i64;
        let text = "MERGE (k:Key {k: $k}) ON CREATE SET k.seen = 1 ON MATCH SET k.seen = k.seen + 1";
        if self.write("MERGE of a key", text, &[("k", k.into())]) {
            self.made.keys.insert(k);
        }
    }

    fn label(&mut self) {
        let (label, word) = (self.random.below(300), if self.random.chance(60) { "SET" } else { "REMOVE" });
        let text = format!("MATCH (l:Leaf {{id: $l}}) {word} l:L{label}");
        let leaf = self.random.below(LEAVES as usize) as i64;
        self.write("label", &text, &[("l", leaf.into())]);
    }

    fn declare(&mut self) {
        let (label, property) = (self.random.below(60), self.random.below(60));
        let text = format!("CREATE (d:Declared:D{label} {{p{property}: 1}}) CREATE (d)-[:T{label}]->(d)");
        if self.write("declare", &text, &[]) {
            self.made.declared += 1;
        }
    }

    fn define(&mut self) {
        let texts = [
            "CREATE INDEX leaves IF NOT EXISTS FOR (l:Leaf) ON (l.id)",
            "DROP INDEX leaves IF EXISTS",
            "CREATE INDEX edges IF NOT EXISTS FOR ()-[e:E]-() ON (e.w)",
            "DROP INDEX edges IF EXISTS",
            "CREATE INDEX things IF NOT EXISTS FOR (t:Thing) ON (t.v)",
            "DROP INDEX things IF EXISTS",
            "CREATE CONSTRAINT accounts IF NOT EXISTS FOR (a:Account) REQUIRE a.id IS UNIQUE",
            "DROP CONSTRAINT accounts IF EXISTS",
            "CREATE CONSTRAINT numbered IF NOT EXISTS FOR (t:Thing) REQUIRE t.n IS NOT NULL",
            "DROP CONSTRAINT numbered IF EXISTS",
        ];
        let text = texts[self.random.below(texts.len())];
        self.at("define");
        let _ = done(self.c.query(text, &[]), text);
    }

    fn load(&mut self) {
        let first = self.crowd.next.fetch_add(30, Ordering::Relaxed);
        let nodes: String = (first..first + 30).map(|id| format!("{id},{},Loaded\n", id % 7)).collect();
        let edges: String = (first + 1..first + 30).map(|id| format!("{id},{first},NEXT\n")).collect();
        let put = |name: &str, head: &str, rows: &str| {
            self.crowd.files.put(&format!("{first}-{name}.csv"), &format!("{head}\n{rows}"))
        };
        let paths = [
            put("nodes", "id:ID(Loaded){id-type: int},v:int,:LABEL", &nodes),
            put("edges", ":START_ID(Loaded),:END_ID(Loaded),:TYPE", &edges),
        ];
        self.at("load");
        if done(load(self.crowd.db, &paths, OnConflict::Error), "load").is_some() {
            self.made.loaded += 30;
        }
    }

    fn maintain(&mut self) {
        let cancel = CancelToken::default();
        let db = self.crowd.db;
        match self.random.below(6) {
            0 => {
                self.at("checkpoint");
                let _ = done(db.checkpoint(&cancel), "checkpoint");
            }
            1 => {
                self.at("merge");
                let _ = done(db.merge(&cancel), "merge");
            }
            2 => {
                self.at("reorganize");
                let _ = done(self.c.query("REORGANIZE", &[]), "reorganize");
            }
            3 => {
                self.at("figures");
                assert!(db.stats().nodes() < 1 << 20);
                let _ = done(self.c.query("SHOW TRANSACTIONS", &[]), "figures");
            }
            4 => self.define(),
            _ => match self.crowd.dir {
                Some(dir) => {
                    self.at("open again");
                    let again = Database::open(dir, self.crowd.config.clone()).unwrap();
                    assert_eq!(int(&again.connect(), "MATCH (a:Account) RETURN sum(a.sum)").unwrap(), SUM);
                }
                None => {
                    self.at("backup");
                    let dir = Directory::new(&format!("crowd-backup-{}", self.fresh()));
                    let _ = done(db.backup(dir.path()), "backup");
                }
            },
        }
    }

    fn read(&mut self) {
        let c = self.crowd.db.connect();
        self.at("sum");
        if let Some(sum) = done(int(&c, "MATCH (a:Account) RETURN sum(a.sum)"), "sum") {
            assert_eq!(sum, SUM);
        }
        let isolation = [Isolation::Snapshot, Isolation::Serializable][self.random.below(2)];
        let options = TransactionOptions { isolation: Some(isolation), timeout: None, read_only: false };
        let look = |c: &Connection| -> Result<[i64; 4], Error> {
            Ok([
                int(c, "MATCH (a:Account) RETURN sum(a.sum)")?,
                int(c, "MATCH (:Hub)-[e:E]->() RETURN count(e)")?,
                int(c, "MATCH (l:Leaf)<-[e:E]-() RETURN count(e.w)")?,
                int(c, "MATCH (t:Thing)-[:OF]->(h)-[:HAS]->(t) RETURN count(*) - COUNT { (:Thing) }")?,
            ])
        };
        self.at("looks of one transaction");
        if let Some([sum, out, into, things]) = done(c.transact(options, look), "looks") {
            assert_eq!((sum, out, things), (SUM, into, 0));
        }
    }

    fn read_long(&mut self) {
        self.at("a long reader");
        let c = self.crowd.db.connect();
        let rows = done(c.query("MATCH (l:Leaf) RETURN l.id, l", &[]), "a long reader");
        let Some(mut rows) = rows else { return };
        let mut count = i64::from(done(rows.next_row().map(|row| row.is_some()), "read").unwrap_or_default());
        self.step();
        self.at("a long reader goes on");
        while let Some(true) = done(rows.next_row().map(|row| row.is_some()), "read") {
            count += 1;
        }
        assert!(count == LEAVES || self.crowd.config.memory_limit_bytes < 1 << 28, "{count}");
    }

    fn stop(&mut self) {
        let long = "UNWIND range(1, 100000000) AS i WITH i WHERE i % 7 = 8 RETURN count(*)";
        self.at("a query with a timeout");
        let short = Duration::from_micros(self.random.below(3_000) as u64);
        let stopped = self.c.query_within(long, &[], short).and_then(|rows| rows.one::<(i64,)>());
        assert!(done(stopped, "a query with a timeout").is_none());
    }

    fn leave(&mut self) {
        self.at("leave a transaction open");
        if self.left.len() > 1 {
            self.left.remove(self.random.below(2));
        }
        let (c, options) = (self.crowd.db.connect(), self.options());
        if done(c.begin_with(options), "begin").is_some() {
            let i = self.random.below(ACCOUNTS as usize) as i64;
            let text = "MATCH (a:Account {id: $i}) SET a.sum = 7 CREATE (:Key {k: -$i})";
            let _ = done(c.query(text, &[("i", i.into())]), "leave");
            self.left.push(c);
        }
    }

    fn terminate(&mut self) {
        self.at("terminate");
        for open in self.c.transactions() {
            if self.random.chance(30) {
                self.c.terminate(open.number);
            }
        }
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..15 => self.transfer(),
            15..30 => self.append(),
            30..42 => self.relate(),
            42..52 => self.change_an_edge(),
            52..62 => self.thing(),
            62..70 => self.merge_key(),
            70..74 => self.label(),
            74..78 => self.declare(),
            78..84 => self.maintain(),
            84..86 => self.load(),
            86..91 => self.read(),
            91..93 => self.read_long(),
            93..95 => self.stop(),
            95..98 => self.leave(),
            _ => self.terminate(),
        }
    }
}

/// Asks the graph against what was made.
fn check(db: &Database, made: &Made, round: &str) {
    let c = db.connect();
    let set = |all: &BTreeSet<i64>| all.iter().copied().collect::<Vec<i64>>();
    assert_eq!(ints(&c, "MATCH (a:Account) RETURN sum(a.sum)"), [SUM], "{round}");
    let items = ints(&c, "MATCH (l:List) UNWIND l.items AS i RETURN i");
    assert_eq!(items, set(&made.appended), "{round}: appended");
    let edges: Vec<i64> = made.edges.keys().copied().collect();
    let values = {
        let mut values: Vec<i64> = made.edges.values().copied().collect();
        values.sort_unstable();
        values
    };
    assert_eq!(ints(&c, "MATCH (:Hub)-[e:E]->(:Leaf) RETURN e.w"), edges, "{round}: forward");
    assert_eq!(ints(&c, "MATCH (l:Leaf)<-[e:E]-() RETURN e.w"), edges, "{round}: backward");
    assert_eq!(ints(&c, "MATCH ()-[e:E]->() RETURN e.v"), values, "{round}: values");
    let degrees = "MATCH (h:Hub) RETURN COUNT { (h)-[:E]->() } AS d";
    assert_eq!(ints(&c, degrees).iter().sum::<i64>(), edges.len() as i64, "{round}: degrees");
    assert_eq!(ints(&c, "MATCH (t:Thing) RETURN t.n"), set(&made.things), "{round}: things");
    let both = "MATCH (t:Thing)-[:OF]->(h:Hub)-[:HAS]->(t) RETURN t.n";
    assert_eq!(ints(&c, both), set(&made.things), "{round}: things by their edges");
    assert_eq!(ints(&c, "MATCH (k:Key) RETURN k.k"), set(&made.keys), "{round}: keys");
    assert_eq!(ints(&c, "MATCH (d:Declared)-->(d) RETURN count(*)"), [made.declared], "{round}: declared");
    assert_eq!(ints(&c, "MATCH (l:Loaded) RETURN count(*)"), [made.loaded], "{round}: loaded");
    let next = "MATCH (:Loaded)-[r:NEXT]->(:Loaded) RETURN count(r)";
    assert_eq!(ints(&c, next), [made.loaded / 30 * 29], "{round}: relationships that were loaded");
    assert_eq!(ints(&c, "MATCH (l:Leaf) RETURN count(*)"), [LEAVES], "{round}");
    assert!(c.transactions().is_empty(), "{round}");
}

fn set_up(db: &Database) {
    let c = db.connect();
    for text in [
        "UNWIND range(0, 7) AS i CREATE (:Account {id: i, sum: 100})",
        "UNWIND range(0, 2) AS i CREATE (:List {id: i, items: []}), (:Hub {id: i})",
        "UNWIND range(0, 199) AS i CREATE (:Leaf {id: i, text: 'leaf ' + toString(i)})",
        "CREATE CONSTRAINT keys FOR (k:Key) REQUIRE k.k IS UNIQUE",
    ] {
        c.query(text, &[]).unwrap();
    }
}

/// Where the database is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Memory,
    /// In memory, of which there is little.
    Narrow,
    Directory,
}

/// Another process that follows a directory until it ends.
struct Follower(Child);

impl Follower {
    fn start(dir: &Path) -> Self {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        command.args(["--exact", "crowd::the_follower", "--nocapture", "--ignored"]).env(FOLLOWED, dir);
        Self(command.stdout(std::process::Stdio::null()).spawn().unwrap())
    }

    /// Whether it has seen nothing that is not; it ends once there is a file that says so.
    fn ends(mut self, dir: &Path) {
        std::fs::write(dir.with_extension("over"), "").unwrap();
        let begun = Instant::now();
        while begun.elapsed() < LONGEST {
            if let Some(status) = self.0.try_wait().unwrap() {
                let _ = std::fs::remove_file(dir.with_extension("over"));
                assert!(status.success(), "who follows");
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("who follows does not end");
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the other process does.
#[test]
#[ignore = "run by another test"]
fn the_follower() {
    let Some(dir) = std::env::var_os(FOLLOWED) else { return };
    let dir = Path::new(&dir);
    let to_read = config().read_only(true).follow_interval(Some(Duration::from_millis(5)));
    let db = Database::open(dir, to_read).unwrap();
    let c = db.connect();
    let (mut looks, parent) = (0, std::os::unix::process::parent_id());
    let is_over = || dir.with_extension("over").exists() || std::os::unix::process::parent_id() != parent;
    while looks < 3 || !is_over() {
        let rows = "MATCH (a:Account) RETURN sum(a.sum), count(*)";
        let found: (i64, i64) = c.query(rows, &[]).unwrap().one().unwrap();
        assert!(found == (SUM, ACCOUNTS) || found.1 == 0, "{found:?}");
        let _ = db.refresh();
        looks += 1;
    }
}

/// One database, and its crowd.
fn round(place: Place, seed: u64, threads: usize, steps: usize) {
    let round = format!("{place:?}, {threads} threads, seed {seed}");
    let config = config()
        .memory_limit_bytes(if place == Place::Narrow { 48 << 20 } else { 512 << 20 })
        .idle_timeout(Some(Duration::from_millis(100)))
        .checkpoint_interval(Some(Duration::from_millis(200)))
        .log_segment_bytes(1 << 18);
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let dir = Directory::new(&format!("crowd-database-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    let path = (place == Place::Directory).then(|| dir.path());
    let open = || match path {
        Some(path) => Database::open(path, config.clone()).unwrap(),
        None => Database::in_memory(config.clone()),
    };
    let db = open();
    set_up(&db);
    let follower = path.map(Follower::start);
    let (files, board, next) = (Files::new("crowd"), Board::new(threads), AtomicI64::new(1_000));
    let crowd = Crowd { db: &db, dir: path, config: &config, board: &board, files: &files, next: &next };
    let mut made = Made::default();
    std::thread::scope(|scope| {
        let crowd = &crowd;
        let all: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let _on_board = OnBoard(crowd.board, thread);
                    let random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(thread as u64));
                    let (c, left, made) = (crowd.db.connect(), Vec::new(), Made::default());
                    let mut one = One { crowd, thread, random, c, left, made };
                    (0..steps).for_each(|_| one.step());
                    one.at("close");
                    let One { made, left, c, .. } = one;
                    drop((left, c));
                    made
                })
            })
            .collect();
        board.watch(&round);
        for one in all {
            made.take_over(one.join().unwrap_or_else(|_| panic!("{round}")));
        }
    });
    check(&db, &made, &round);
    db.merge(&CancelToken::default()).unwrap();
    check(&db, &made, &format!("{round}, merged"));
    if let Some(path) = path {
        follower.into_iter().for_each(|follower| follower.ends(path));
        drop(db);
        check(&open(), &made, &format!("{round}, opened again"));
    }
}

#[test]
fn nobody_in_a_crowd_waits_for_ever() {
    let threads = wanted(THREADS, 8) as usize;
    let mut seed = wanted(SEED, 1);
    let Some(seconds) = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok()) else {
        for place in [Place::Memory, Place::Narrow, Place::Directory] {
            round(place, seed, threads, STEPS);
        }
        return;
    };
    let (begun, mut rounds) = (Instant::now(), 0);
    while begun.elapsed() < Duration::from_secs(seconds) {
        for place in [Place::Memory, Place::Narrow, Place::Directory] {
            round(place, seed, threads, STEPS_OF_MANY);
            rounds += 1;
        }
        println!("seed {seed}: {rounds} rounds in {:.0} s", begun.elapsed().as_secs_f64());
        seed += 1;
    }
}
