//! Merges beside statements that write and readers of any age: nobody sees a merge, ids stay, and a database
//! that is merged at random times is the same as one that never is.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use trimorph::{CancelToken, Config, Connection, Database, Error, Value};
use trimorph_base::Random;

/// The rows of a query as text, sorted.
fn rows(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let mut out = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|e| panic!("{text}\n{e}")) {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out.sort();
    out
}

/// Questions by all ways in, with ids.
const WITH_IDS: [&str; 10] = [
    "MATCH (n) RETURN id(n), labels(n), properties(n)",
    "MATCH (a)-[r]->(b) RETURN id(a), id(r), type(r), properties(r), id(b)",
    "MATCH (b)<-[r]-(a) WHERE b.k IS NOT NULL RETURN id(b), id(r), r.w, id(a)",
    "MATCH (n:A) WHERE n.v > 500 RETURN id(n)",
    "MATCH (n:Extra) RETURN id(n), n.k",
    "MATCH (n) RETURN id(n), n.s, n.v, n.name, n.new1, n.m",
    "MATCH (a)-[r:R]->(a) RETURN id(r)",
    "MATCH (a:A)-[r:R {w: 7}]-(b) RETURN id(a), id(r), id(b)",
    "MATCH (a)-[r:S]->(b) RETURN id(a), id(r), r.t, id(b)",
    "MATCH (a:B) OPTIONAL MATCH (a)-[r:S]->(b) RETURN id(a), a.name, count(r), min(b.k)",
];

/// Questions whose answers do not tell ids.
const WITHOUT_IDS: [&str; 7] = [
    "MATCH (n) RETURN labels(n), properties(n)",
    "MATCH (a)-[r]->(b) RETURN a.k, type(r), properties(r), b.k",
    "MATCH (n:A) RETURN count(*), sum(n.v), min(n.s), count(n.s)",
    "MATCH (n:B) RETURN count(n.name), max(n.k)",
    "MATCH (a)-[:R]->(b)-[:R]->(c) RETURN count(*), sum(b.k)",
    "MATCH (n:Extra) RETURN count(*)",
    "MATCH (a:A)-[r:R]->(b) WHERE r.w >= 10 RETURN a.k, count(*), sum(r.w)",
];

fn answers(connection: &Connection, queries: &[&str]) -> Vec<Vec<String>> {
    queries.iter().map(|query| rows(connection, query)).collect()
}

fn assert_same(found: &[Vec<String>], wanted: &[Vec<String>], what: &str) {
    for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        if found != wanted {
            let (f, w): (BTreeSet<_>, BTreeSet<_>) = (found.iter().collect(), wanted.iter().collect());
            let more: Vec<_> = f.difference(&w).take(8).collect();
            let less: Vec<_> = w.difference(&f).take(8).collect();
            panic!(
                "{what}: query {at}: {} rows, not {}\nmore: {more:#?}\nless: {less:#?}",
                found.len(),
                wanted.len()
            );
        }
    }
}

fn merge(database: &Database) {
    database.merge(&CancelToken::default()).unwrap();
}

/// Draws statements: what they name is told by keys, so that they do the same in any database.
struct Program {
    random: Random,
    keys: i64,
    weights: i64,
}

impl Program {
    fn key(&mut self) -> i64 {
        // Some nodes are drawn often: they become hubs.
        let below = if self.random.chance(30) { 6 } else { self.keys.max(1) as usize };
        self.random.below(below) as i64
    }

    fn statement(&mut self) -> String {
        let (a, b) = (self.key(), self.key());
        let n = self.random.below(1000);
        match self.random.below(22) {
            0..3 => {
                let count = [1, 3, 40, 700][self.random.below(4)];
                let first = self.keys;
                self.keys += count;
                let label = ["A", "B", "A:B", "C"][self.random.below(4)];
                let properties = [
                    "k: i, v: i % 997, s: 'text ' + toString(i % 7)",
                    "k: i, name: 'name ' + toString(i)",
                    "k: i, m: CASE WHEN i % 5 = 0 THEN 'odd' ELSE i END",
                    "k: i",
                ][self.random.below(4)];
                format!("UNWIND range({first}, {}) AS i CREATE (:{label} {{{properties}}})", self.keys - 1)
            }
            3 => format!("MATCH (n {{k: {a}}}) SET n.v = {n}, n.s = 'set {n}'"),
            4 => format!("MATCH (n:A) WHERE n.k % 13 = {} SET n.v = n.k + {n}", a % 13),
            5 => format!("MATCH (n {{k: {a}}}) SET n.new{} = [{n}, 'x']", n % 3),
            6 => format!("MATCH (n {{k: {a}}}) REMOVE n.v SET n:Extra"),
            7 => format!("MATCH (n:Extra) WHERE n.k % 3 = {} REMOVE n:Extra", a % 3),
            8 => format!("MATCH (n {{k: {a}}}) SET n:A:Other REMOVE n.s"),
            9..13 => {
                let first = self.weights;
                let count = 1 + self.random.below(4) as i64;
                self.weights += count;
                let ty = ["R", "R", "S"][self.random.below(3)];
                let properties = ["w: i, t: 'at ' + toString(i)".to_owned(), "w: i".to_owned()];
                let properties = &properties[self.random.below(2)];
                let last = self.weights - 1;
                format!(
                    "MATCH (a {{k: {a}}}), (b {{k: {b}}}) UNWIND range({first}, {last}) AS i \
                     CREATE (a)-[:{ty} {{{properties}}}]->(b)"
                )
            }
            13 => {
                let first = self.weights;
                self.weights += self.keys;
                format!(
                    "MATCH (a {{k: {a}}}), (b) WHERE b.k % 4 = {} CREATE (a)-[:R {{w: {first} + b.k}}]->(b)",
                    b % 4
                )
            }
            14 => format!("MATCH (a {{k: {a}}}) CREATE (a)-[:LOOP]->(a)"),
            15 => format!("MATCH (a {{k: {a}}})-[r]->(b {{k: {b}}}) DELETE r"),
            16 => format!("MATCH (a {{k: {a}}})-[r:R]->() WHERE r.w % 2 = 0 DELETE r"),
            17 => format!("MATCH ()-[r:R]->(b {{k: {a}}}) SET r.w = r.w + {n}, r.u = {n}"),
            18 => format!("MATCH ()-[r:S]->() WHERE r.w % 5 = {} SET r.t = 'later {n}'", a % 5),
            19 => format!("MATCH (n {{k: {a}}}) DETACH DELETE n"),
            20 => format!("MATCH (n) WHERE n.k % 29 = {} DETACH DELETE n", a % 29),
            _ => format!("MERGE (n:A {{k: {a}}}) ON CREATE SET n.v = {n} ON MATCH SET n.m = {n}"),
        }
    }
}

/// A reader that stays: its transaction, and what it saw when it began.
struct Stayer {
    connection: Connection,
    seen: Vec<Vec<String>>,
}

impl Stayer {
    fn new(database: &Database) -> Self {
        let connection = database.connect();
        connection.begin().unwrap();
        let seen = answers(&connection, &WITH_IDS);
        Self { connection, seen }
    }

    fn check(&self, what: &str) {
        assert_same(&answers(&self.connection, &WITH_IDS), &self.seen, what);
    }
}

fn random_program(seed: u64, steps: usize) {
    let mut program = Program { random: Random::new(seed), keys: 0, weights: 0 };
    let (merged, plain) = (Database::in_memory(Config::default()), Database::in_memory(Config::default()));
    let (c, p) = (merged.connect(), plain.connect());
    let mut stayers: Vec<Stayer> = Vec::new();
    let merges = [3, 10, 40][program.random.below(3)];
    for step in 0..steps {
        let what = format!("seed {seed} step {step}");
        let in_transaction = program.random.chance(20);
        let undone = in_transaction && program.random.chance(50);
        let statements: Vec<String> =
            (0..if in_transaction { 3 } else { 1 }).map(|_| program.statement()).collect();
        if in_transaction {
            c.begin().unwrap();
            p.begin().unwrap();
        }
        for statement in &statements {
            rows(&c, statement);
            if in_transaction && program.random.chance(30) {
                // What it wrote itself, too, is seen over a merge in the middle.
                let before = answers(&c, &WITH_IDS);
                merge(&merged);
                assert_same(&answers(&c, &WITH_IDS), &before, &format!("{what}: {statement}, within"));
            }
            if !undone {
                rows(&p, statement);
            }
        }
        if in_transaction && undone {
            c.rollback().unwrap();
            p.rollback().unwrap();
        } else if in_transaction {
            c.commit().unwrap();
            p.commit().unwrap();
        }
        if program.random.chance(8) && stayers.len() < 3 {
            stayers.push(Stayer::new(&merged));
        }
        if program.random.chance(merges) {
            let before = answers(&c, &WITH_IDS);
            merge(&merged);
            assert_same(&answers(&c, &WITH_IDS), &before, &format!("{what}: after {statements:?}"));
            for (at, stayer) in stayers.iter().enumerate() {
                stayer.check(&format!("{what}: stayer {at}, after {statements:?}"));
            }
            if !stayers.is_empty() && program.random.chance(40) {
                let gone = program.random.below(stayers.len());
                stayers.swap_remove(gone);
            }
        }
        if step % 10 == 9 {
            let (found, wanted) = (answers(&c, &WITHOUT_IDS), answers(&p, &WITHOUT_IDS));
            assert_same(&found, &wanted, &format!("{what}: not as without merges"));
        }
    }
    drop(stayers);
    let before = answers(&c, &WITH_IDS);
    merge(&merged);
    merge(&merged);
    merge(&merged);
    assert_same(&answers(&c, &WITH_IDS), &before, &format!("seed {seed}: all merged"));
    let found = answers(&c, &WITHOUT_IDS);
    assert_same(&found, &answers(&p, &WITHOUT_IDS), &format!("seed {seed}: all merged, beside unmerged"));
    reopened(&merged, seed, &before);
}

/// What is written to files, and opened, has the same answers.
fn reopened(database: &Database, seed: u64, wanted: &[Vec<String>]) {
    let dir = std::env::temp_dir().join(format!("trimorph-merges-{}-{seed}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    database.backup(&dir).unwrap();
    Database::check(&dir).unwrap();
    let opened = Database::open(&dir, Config::new().read_only(true)).unwrap();
    assert_same(&answers(&opened.connect(), &WITH_IDS), wanted, &format!("seed {seed}: opened again"));
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn nobody_sees_a_merge() {
    let (first, count) = match std::env::var("TRIMORPH_SEEDS").ok().and_then(|n| n.parse().ok()) {
        Some(count) => (1_000, count),
        None => (1, 12),
    };
    for seed in first..first + count {
        println!("seed {seed}");
        random_program(seed, 80);
    }
}

/// A database in a directory: merges change nothing of what its log says, and what is opened again, and
/// merged again, is the same.
#[test]
fn merges_beside_a_log() {
    for seed in 50..53 {
        let dir = std::env::temp_dir().join(format!("trimorph-merged-log-{}-{seed}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let mut program = Program { random: Random::new(seed), keys: 0, weights: 0 };
        let mut before = Vec::new();
        for round in 0..4 {
            let database = Database::open(&dir, Config::default()).unwrap();
            let c = database.connect();
            if round > 0 {
                assert_same(&answers(&c, &WITH_IDS), &before, &format!("seed {seed} round {round}: opened"));
            }
            for _ in 0..15 {
                rows(&c, &program.statement());
                if program.random.chance(30) {
                    merge(&database);
                }
            }
            before = answers(&c, &WITH_IDS);
            (0..program.random.below(3)).for_each(|_| merge(&database));
            assert_same(&answers(&c, &WITH_IDS), &before, &format!("seed {seed} round {round}: merged"));
            drop(c);
            database.close().unwrap();
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }
}

#[test]
fn a_merged_database_needs_no_delta() {
    let database = Database::in_memory(Config::new().background_merges(false));
    let c = database.connect();
    rows(&c, "UNWIND range(0, 4999) AS i CREATE (:A {k: i})");
    rows(&c, "MATCH (a:A), (b:A) WHERE b.k = a.k + 1 CREATE (a)-[:R {w: a.k}]->(b)");
    let report = database.merge(&CancelToken::default()).unwrap();
    assert_eq!((report.nodes, report.edges), ((5000, 0), (4999, 0)));
    let profile = rows(&c, "PROFILE MATCH (a:A)-[r:R]->(b) WHERE r.w > 4000 RETURN count(*)");
    assert!(!profile.is_empty());
    assert_eq!(rows(&c, "MATCH (a:A)-[r:R]->(b) WHERE r.w > 4000 RETURN count(*)"), ["998"]);
    rows(&c, "MATCH (a:A) WHERE a.k % 2 = 0 DETACH DELETE a");
    let report = database.merge(&CancelToken::default()).unwrap();
    assert_eq!((report.nodes, report.edges), ((0, 2500), (0, 4999)));
    assert_eq!(rows(&c, "MATCH (a:A) RETURN count(*), sum(a.k)"), ["2500 | 6250000"]);
    assert_eq!(rows(&c, "MATCH ()-[r]->() RETURN count(*)"), ["0"]);
    // Rows that nobody has are given again.
    merge(&database);
    rows(&c, "UNWIND range(0, 2499) AS i CREATE (:A {k: -i})");
    let highest = rows(&c, "MATCH (a:A) RETURN max(id(a))");
    merge(&database);
    assert_eq!(rows(&c, "MATCH (a:A) RETURN max(id(a))"), highest);
    assert!(highest[0].parse::<i64>().unwrap() % (1 << 44) < 5000, "{highest:?}");
    assert_eq!(rows(&c, "MATCH (a:A) RETURN count(*)"), ["5000"]);
}

#[test]
fn a_cancelled_merge_changes_nothing() {
    let database = Database::in_memory(Config::new().background_merges(false));
    let c = database.connect();
    rows(&c, "UNWIND range(0, 99) AS i CREATE (:A {k: i})-[:R]->(:B {k: i})");
    let cancel = CancelToken::default();
    cancel.cancel();
    assert!(matches!(database.merge(&cancel), Err(Error::Cancelled)));
    let before = answers(&c, &WITH_IDS);
    merge(&database);
    assert_same(&answers(&c, &WITH_IDS), &before, "after a merge");
}

#[test]
fn a_transaction_over_the_memory_limit_leaves_nothing() {
    let database = Database::in_memory(Config::new().memory_limit_bytes(24 << 20));
    let c = database.connect();
    rows(&c, "CREATE (:A {k: 0, s: 'text'})-[:R {w: 1}]->(:B {k: 1})");
    merge(&database);
    let before = answers(&c, &WITH_IDS);
    c.begin().unwrap();
    let text =
        "UNWIND range(1, 5000) AS i CREATE (:A {k: i, s: 'some text ' + toString(i)})-[:R {w: i}]->(:B)";
    let failed = (0..100).find_map(|_| c.query(text, &[]).err());
    assert!(matches!(failed, Some(Error::Memory(_))), "{failed:?}");
    c.rollback().unwrap();
    assert_same(&answers(&c, &WITH_IDS), &before, "undone");
    (0..3).for_each(|_| merge(&database));
    assert_same(&answers(&c, &WITH_IDS), &before, "undone and merged");
    assert!(database.stats().delta_bytes < 1 << 20, "{}", database.stats().delta_bytes);
    rows(&c, text);
    assert_eq!(rows(&c, "MATCH (a:A)-[r:R]->(b:B) RETURN count(*), sum(r.w)"), ["5001 | 12502501"]);
}

/// What is changed over and over takes no more room than what is there.
#[test]
fn churn_returns_memory() {
    const NODES: i64 = 3_000;
    let config = Config::new().memory_limit_bytes(64 << 20).background_merges(false);
    let database = Database::in_memory(config);
    let c = database.connect();
    // All nodes of a part of the keys, and two edges out of each.
    let make = |part: &str, round: i64| {
        let own = part.replace("KEY", "i");
        let text = "k: i, v: i, s: 'made ' + toString(i)";
        rows(&c, &format!("UNWIND range(0, {}) AS i WITH i WHERE {own} CREATE (:P {{{text}}})", NODES - 1));
        let own = part.replace("KEY", "a.k");
        for step in [31, 7] {
            let to = format!("b.k = (a.k * {step} + 3) % {NODES}");
            rows(&c, &format!("MATCH (a:P), (b:P) WHERE {to} AND {own} CREATE (a)-[:E {{w: {round}}}]->(b)"));
        }
    };
    make("KEY >= 0", 0);
    (0..3).for_each(|_| merge(&database));
    let fresh = database.stats();
    for round in 1..=20 {
        for fifth in 0..5 {
            rows(&c, &format!("MATCH (n:P) WHERE n.k % 5 = {fifth} SET n.v = {round}, n.s = 'set {round}'"));
            rows(&c, &format!("MATCH (n:P)-[e:E]->() WHERE n.k % 5 = {fifth} SET e.w = {round}"));
            rows(&c, &format!("MATCH (n:P) WHERE n.k % 5 = {fifth} DETACH DELETE n"));
            make(&format!("KEY % 5 = {fifth}"), round);
            merge(&database);
        }
    }
    (0..3).for_each(|_| merge(&database));
    let (nodes, stats) = (rows(&c, "MATCH (n:P) RETURN count(*)"), database.stats());
    assert_eq!(nodes, [NODES.to_string()]);
    let (now, then) = (stats.piece_bytes + stats.delta_bytes, fresh.piece_bytes + fresh.delta_bytes);
    // Beside rows that wait to be given again a fifth may be there twice.
    assert!(now < then + then / 2, "{now} bytes, of a fresh load {then}");
}

/// Threads that move amounts between accounts along edges, some that only read, and merges in a loop: the sum
/// is always the same.
#[test]
fn merges_beside_writers_and_readers() {
    let database = Database::in_memory(Config::default());
    let c = database.connect();
    rows(&c, "UNWIND range(0, 199) AS i CREATE (:Account {k: i, amount: 100})");
    let done = AtomicBool::new(false);
    let committed = std::thread::scope(|scope| {
        let (database, done) = (&database, &done);
        let reader = scope.spawn(move || {
            let c = database.connect();
            while !done.load(Ordering::Acquire) {
                assert_eq!(rows(&c, "MATCH (a:Account) RETURN sum(a.amount), count(*)"), ["20000 | 200"]);
                let moved = "MATCH (a:Account)-[m:MOVED]->(b:Account) RETURN count(*) = sum(m.one)";
                assert!(rows(&c, moved).iter().all(|row| row == "true" || row == "null"));
            }
        });
        let merger = scope.spawn(move || {
            let mut merges = 0;
            while !done.load(Ordering::Acquire) {
                merge(database);
                merges += 1;
            }
            merges
        });
        let writers: Vec<_> = (0..3).map(|seed| scope.spawn(move || transfers(database, seed))).collect();
        let committed: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
        done.store(true, Ordering::Release);
        reader.join().unwrap();
        assert!(merger.join().unwrap() > 0);
        committed
    });
    merge(&database);
    merge(&database);
    assert_eq!(rows(&c, "MATCH (a:Account) RETURN sum(a.amount), count(*)"), ["20000 | 200"]);
    let moved = rows(&c, "MATCH ()-[m:MOVED]->() RETURN count(*)");
    assert_eq!(moved, [committed.to_string()]);
}

/// Moves amounts until it has done so often; gives how many edges of its moves are left.
fn transfers(database: &Database, seed: u64) -> usize {
    let (c, mut random, mut done) = (database.connect(), Random::new(seed), 0);
    while done < 150 {
        let (a, b) = (random.below(200) as i64, random.below(200) as i64);
        let parameters =
            [("a", Value::Int(a)), ("b", Value::Int(b)), ("m", Value::Int(random.between(1, 9)))];
        let text = "MATCH (a:Account {k: $a}), (b:Account {k: $b}) WHERE a <> b \
                    SET a.amount = a.amount - $m SET b.amount = b.amount + $m \
                    CREATE (a)-[:MOVED {one: 1}]->(b) RETURN count(*)";
        match c.query(text, &parameters) {
            Ok(mut result) => {
                let row = result.next_row().unwrap().unwrap();
                done += usize::from(matches!(row[0], Value::Int(1)));
            }
            Err(Error::Conflict(_)) => {}
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    done
}

/// What was written is merged when nobody writes, though it is little.
#[test]
fn what_was_written_is_merged_in_a_pause() {
    let database = Database::in_memory(Config::default());
    let c = database.connect();
    rows(&c, "UNWIND range(0, 1999) AS i CREATE (:A {k: i, text: 'some text ' + toString(i)})");
    is_merged(&database);
}

/// So is what a transaction wrote that was long open: who merges was told of it while it could not yet be.
#[test]
fn what_was_told_before_its_commit_is_merged_after_it() {
    let database = Database::in_memory(Config::default());
    let c = database.connect();
    c.begin().unwrap();
    rows(&c, "UNWIND range(0, 99999) AS i CREATE (:A {k: i, text: 'some text ' + toString(i)})");
    // Who merges has looked by then, as a rule.
    std::thread::sleep(Duration::from_millis(500));
    c.commit().unwrap();
    is_merged(&database);
}

/// Waits until hardly anything is left to be merged.
fn is_merged(database: &Database) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while database.stats().delta_bytes > 64 << 10 {
        assert!(Instant::now() < deadline, "{} bytes are not merged", database.stats().delta_bytes);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Plans know what was written since the last merge: of many nodes and relationships that no merge has
/// counted, few are looked up, and the plan that was made while there were few of them goes.
#[test]
fn plans_know_what_was_written() {
    let database = Database::in_memory(Config::new().threads(1));
    let c = database.connect();
    let run = |text: &str| drop(rows(&c, text));
    run("CREATE CONSTRAINT FOR (v:V) REQUIRE v.id IS UNIQUE");
    run("CREATE INDEX FOR (v:V) ON (v.kind)");
    let hop = "UNWIND [7, 8] AS i MATCH (v:V {id: i})-[:E]->(w) RETURN w.id";
    let kind = "MATCH (v:V) WHERE v.kind = 'kind 3' RETURN count(v)";
    run("UNWIND range(0, 9) AS i CREATE (:V {id: i, kind: 'kind ' + i})");
    run("MATCH (a:V), (b:V {id: (a.id + 1) % 10}) CREATE (a)-[:E]->(b)");
    assert_eq!(rows(&c, hop), ["8", "9"]);
    let plan = |text: &str| c.query(&format!("EXPLAIN {text}"), &[]).unwrap().plan();
    run("UNWIND range(10, 19999) AS i CREATE (:V {id: i, kind: 'kind ' + i % 500})");
    run(
        "MATCH (a:V), (b:V {id: (a.id * 7 + 1) % 20000}) WHERE a.id >= 10 CREATE (a)-[:E]->(b), (b)-[:E]->(a)",
    );
    for within in [false, true] {
        if within {
            c.begin().unwrap();
        }
        let told = plan(hop);
        assert!(told.contains("KeyLookup") && !told.contains("HashJoin"), "{told}");
        assert!(plan(kind).contains("KeyLookup"), "{}", plan(kind));
        let other = plan("MATCH (v:V) WHERE v.id > 5 RETURN count(v)");
        assert!(other.contains("NodeScan"), "{other}");
        assert_eq!(
            rows(&c, hop).len(),
            2 + rows(&c, "MATCH (b:V)-[:E]->(a:V) WHERE b.id IN [7, 8] AND a.id > 9 RETURN 1").len()
        );
        assert_eq!(rows(&c, kind), [(1 + 20_000 / 500 - 1).to_string()]);
    }
    c.rollback().unwrap();
    merge(&database);
    assert!(plan(hop).contains("KeyLookup"), "{}", plan(hop));
    // As many go: few are left, and a table of few is not worth another plan.
    run("MATCH (v:V) WHERE v.id > 9 DETACH DELETE v");
    assert_eq!(rows(&c, hop), ["8", "9"]);
}
