//! Loads into databases that have data: what comes of them is what statements would have made; who reads or
//! writes beside them sees all of it or nothing, and what meets it gets a conflict.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trimorph::{
    Database, Error, Isolation, LoadOptions, LoadReport, NoProgress, OnConflict, TransactionOptions,
};
use trimorph_testkit::Random;
use trimorph_vfs::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};

use crate::durable::{Directory, config, rows, run};

/// Files in a folder of their own.
pub(crate) struct Files(Directory);

impl Files {
    pub(crate) fn new(name: &str) -> Self {
        // Tests run beside each other.
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let dir = Directory::new(&format!("{name}-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        std::fs::create_dir_all(dir.path()).unwrap();
        Self(dir)
    }

    pub(crate) fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

pub(crate) fn load(db: &Database, paths: &[PathBuf], on_conflict: OnConflict) -> Result<LoadReport, Error> {
    let options = LoadOptions { on_conflict, ..db.load_options() };
    db.load(paths, None, &options, &NoProgress)
}

/// All of a graph by what its nodes and edges have.
pub(crate) fn told(db: &Database) -> Vec<Vec<String>> {
    let c = db.connect();
    [
        "MATCH (n) RETURN labels(n), properties(n)",
        "MATCH (a)-[r]->(b) RETURN properties(a), type(r), properties(r), properties(b)",
        "MATCH (b)<-[r]-(a) RETURN properties(a), type(r), properties(r), properties(b)",
    ]
    .map(|text| rows(&c, text))
    .into()
}

const PEOPLE: &str =
    "id:ID(Person){id-type: int},name,age:int,:LABEL\n10,Ann,30,Person\n11,Bob,,Person\n12,Cid,50,Person\n";
const CITIES: &str = "id:ID(City){id-type: int},name,:LABEL\n1,Ulm,City\n2,Rom,City\n";
const EDGES: &str = ":START_ID(Person),:END_ID(Person),:TYPE,since:int\n10,11,KNOWS,2001\n11,1,KNOWS,2002\n\
    1,12,KNOWS,\n2,1,LIKES,7\n12,12,LIKES,8\n";
const LIVES: &str = ":START_ID(Person),:END_ID(City),:TYPE\n1,1,LIVES\n10,2,LIVES\n12,1,LIVES\n";

/// Persons that a load made, or statements did.
fn begun(db: &Database, by_load: bool) {
    if by_load {
        let files = Files::new("begun");
        let people = "id:ID(Person){id-type: int},name,:LABEL\n1,One,Person\n2,Two,Person\n";
        load(db, &[files.put("p.csv", people)], OnConflict::Error).unwrap();
    } else {
        run(&db.connect(), &["CREATE (:Person {id: 1, name: 'One'}), (:Person {id: 2, name: 'Two'})"]);
    }
    run(
        &db.connect(),
        &[
            "MATCH (a:Person {id: 1}), (b:Person {id: 2}) CREATE (a)-[:KNOWS {since: 1999}]->(b), (:Other {x: 1})-[:KNOWS]->(a)",
        ],
    );
}

const SAME: &[&str] = &[
    "CREATE (:Person {id: 10, name: 'Ann', age: 30}), (:Person {id: 11, name: 'Bob'}), (:Person {id: 12, name: 'Cid', age: 50})",
    "CREATE (:City {id: 1, name: 'Ulm'}), (:City {id: 2, name: 'Rom'})",
    "UNWIND [[10, 11, 2001], [11, 1, 2002], [1, 12, null]] AS e MATCH (a:Person {id: e[0]}), (b:Person {id: e[1]}) \
     CREATE (a)-[:KNOWS {since: e[2]}]->(b)",
    "UNWIND [[2, 1, 7], [12, 12, 8]] AS e MATCH (a:Person {id: e[0]}), (b:Person {id: e[1]}) CREATE (a)-[:LIKES {since: e[2]}]->(b)",
    "UNWIND [[1, 1], [10, 2], [12, 1]] AS e MATCH (a:Person {id: e[0]}), (b:City {id: e[1]}) CREATE (a)-[:LIVES]->(b)",
];

#[test]
fn labels_old_and_new_and_edges_between() {
    let files = Files::new("between");
    let paths = [
        files.put("people.csv", PEOPLE),
        files.put("cities.csv", CITIES),
        files.put("edges.csv", EDGES),
        files.put("lives.csv", LIVES),
    ];
    for by_load in [true, false] {
        for in_memory in [true, false] {
            let dir = Directory::new("live-load");
            let db = match in_memory {
                true => Database::in_memory(config()),
                false => Database::open(dir.path(), config()).unwrap(),
            };
            let twin = Database::in_memory(config());
            begun(&db, by_load);
            begun(&twin, by_load);
            let report = load(&db, &paths, OnConflict::Error).unwrap();
            assert_eq!((report.nodes, report.edges), (5, 8));
            run(&twin.connect(), SAME);
            let expected = told(&twin);
            assert_eq!(told(&db), expected, "{by_load} {in_memory}");
            let c = db.connect();
            assert_eq!(rows(&c, "MATCH (c:City {id: 2})<-[:LIVES]-(p) RETURN p.name"), ["Ann"]);
            assert_eq!(rows(&c, "MATCH (p:Person {id: 12}) RETURN p.age"), ["50"]);
            let more = "MATCH (p:Person {id: 12}), (q:Person {id: 1}) CREATE (p)-[:LIVES]->(:City {id: 3}), \
                        (q)-[:LIKES]->(p), (q)-[:KNOWS]->(p) SET p.age = 51";
            for db in [&db, &twin] {
                run(&db.connect(), &[more, "MATCH (p:Person {id: 11}) DETACH DELETE p"]);
            }
            let expected = told(&twin);
            assert_eq!(told(&db), expected, "{by_load} {in_memory}");
            drop(c);
            if !in_memory {
                drop(db);
                let read_only = config().read_only(true);
                assert_eq!(told(&Database::open(dir.path(), read_only).unwrap()), expected);
                let db = Database::open(dir.path(), config()).unwrap();
                assert_eq!(told(&db), expected);
                db.close().unwrap();
                Database::check(dir.path()).unwrap();
                assert!(std::fs::read_dir(dir.path().join("loads")).unwrap().next().is_none());
                assert_eq!(told(&Database::open(dir.path(), config()).unwrap()), expected);
            }
        }
    }
}

#[test]
fn keys_that_are_there() {
    let files = Files::new("keys");
    let people = "id:ID(Person){id-type: int},name,age:int,:LABEL\n3,Three,3,Person\n2,Zwei,22,Person\n";
    let paths = [
        files.put("p.csv", people),
        files.put("e.csv", ":START_ID(Person),:END_ID(Person),:TYPE\n2,3,NEW\n"),
    ];
    for by_load in [true, false] {
        let db = Database::in_memory(config());
        begun(&db, by_load);
        let before = told(&db);
        let error = load(&db, &paths, OnConflict::Error).unwrap_err().to_string();
        assert!(error.contains("p.csv:3") && error.contains("key 2"), "{error}");
        assert_eq!(told(&db), before);
        load(&db, &paths, OnConflict::Skip).unwrap();
        let c = db.connect();
        assert_eq!(rows(&c, "MATCH (a)-[:NEW]->(b) RETURN a.name, a.age, b.name"), ["Two | null | Three"]);
        load(&db, &paths, OnConflict::Merge).unwrap();
        let expected = ["Zwei | 22 | Three", "Zwei | 22 | Three"];
        assert_eq!(rows(&c, "MATCH (a)-[:NEW]->(b) RETURN a.name, a.age, b.name"), expected);
        assert_eq!(rows(&c, "MATCH (p:Person) RETURN count(*)"), ["3"]);
    }
}

#[test]
fn who_began_before_sees_nothing_of_it() {
    let files = Files::new("before");
    let paths = [files.put("people.csv", PEOPLE), files.put("edges.csv", EDGES)];
    let db = Database::in_memory(config());
    begun(&db, true);
    let reader = db.connect();
    let options = TransactionOptions { isolation: Some(Isolation::Snapshot), ..Default::default() };
    reader.begin_with(options).unwrap();
    let count = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n), count(r)";
    let before = rows(&reader, count);
    load(&db, &paths, OnConflict::Error).unwrap();
    assert_eq!(rows(&reader, count), before);
    assert_eq!(rows(&reader, "MATCH (n:Person {id: 10}) RETURN n.name"), [""; 0]);
    run(&db.connect(), &["MATCH (n:Person {id: 10}) SET n.name = 'Later'"]);
    db.merge(&Default::default()).unwrap();
    assert_eq!(rows(&reader, count), before);
    reader.commit().unwrap();
    assert_eq!(rows(&reader, count), ["6 | 7"]);
}

#[test]
fn what_meets_a_load_gets_a_conflict() {
    let files = Files::new("meets");
    let paths = [files.put("people.csv", PEOPLE), files.put("edges.csv", EDGES)];
    for isolation in [Isolation::ReadCommitted, Isolation::Snapshot, Isolation::Serializable] {
        for (by_load, text, meets) in [
            (true, "CREATE (:Person {id: 10})", true),
            (false, "CREATE (:Person {id: 10})", true),
            (true, "CREATE (:Person {id: 99})", false),
            (true, "MATCH (p:Person {id: 1}) DETACH DELETE p", true),
            (true, "MATCH (p:Person {id: 2}) SET p.name = 'x'", false),
            (true, "MATCH (p:Person {id: 1}), (q:Person {id: 2}) CREATE (p)-[:KNOWS {since: 5}]->(q)", false),
            (true, "CREATE (:New {id: 10})-[:KNOWS]->(:New)", false),
        ] {
            let db = Database::in_memory(config());
            begun(&db, by_load);
            let writer = db.connect();
            writer
                .begin_with(TransactionOptions { isolation: Some(isolation), ..Default::default() })
                .unwrap();
            run(&writer, &[text]);
            let loaded = load(&db, &paths, OnConflict::Error);
            assert!(loaded.is_ok(), "{text}: {loaded:?}");
            let committed = writer.commit();
            assert_eq!(
                matches!(committed, Err(Error::Conflict(_))),
                meets,
                "{isolation:?} {text}: {committed:?}"
            );
            let c = db.connect();
            assert_eq!(rows(&c, "MATCH (p:Person {id: 10}) RETURN p.name"), ["Ann"], "{text}");
            let dangling = "MATCH (a)-[r]->(b) WHERE a.id = 1 OR b.id = 1 RETURN count(r)";
            let more = usize::from(text.contains("since: 5"));
            assert_eq!(rows(&c, dangling), [format!("{}", 5 + more)], "{text}");
            db.merge(&Default::default()).unwrap();
            assert_eq!(rows(&c, dangling), [format!("{}", 5 + more)], "{text}");
        }
    }
    // Who read what the load changes, and writes.
    let db = Database::in_memory(config());
    begun(&db, true);
    let writer = db.connect();
    writer.begin_with(TransactionOptions::default()).unwrap();
    run(&writer, &["MATCH (p:Person) WITH count(*) AS n CREATE (:Count {n: n})"]);
    load(&db, &paths, OnConflict::Error).unwrap();
    assert!(matches!(writer.commit(), Err(Error::Conflict(_))));
}

#[test]
fn constraints_hold() {
    let files = Files::new("hold");
    let path = files.put("p.csv", "id:ID(Person){id-type: int},name,:LABEL\n3,One,Person\n");
    let db = Database::in_memory(config());
    begun(&db, true);
    run(&db.connect(), &["CREATE CONSTRAINT names FOR (p:Person) REQUIRE p.name IS UNIQUE"]);
    let before = told(&db);
    let error = load(&db, &[path], OnConflict::Error).unwrap_err().to_string();
    assert!(error.contains("names") && error.contains("One"), "{error}");
    assert_eq!(told(&db), before);
}

/// What relationships have counts likewise: constraints, look-ups, those who write beside a load.
#[test]
fn relationships_of_loads_are_indexed_and_kept_to_constraints() {
    let files = Files::new("edge-constraints");
    let paths = [files.put("people.csv", PEOPLE), files.put("edges.csv", EDGES)];
    let definition = "CREATE CONSTRAINT since FOR ()-[k:KNOWS]-() REQUIRE k.since IS UNIQUE";
    for by_load in [true, false] {
        let dir = Directory::new("edge-constraints");
        let db = Database::open(dir.path(), config()).unwrap();
        begun(&db, by_load);
        let c = db.connect();
        let since = rows(&c, "MATCH ()-[k:KNOWS]->() RETURN k.since ORDER BY k.since");
        run(&c, &[definition]);
        // What is there has a value of the load.
        run(&c, &["MATCH (p:Person {id: 2}) CREATE (p)-[:KNOWS {since: 2001}]->(p)"]);
        let before = told(&db);
        let error = load(&db, &paths, OnConflict::Error).unwrap_err().to_string();
        assert!(error.contains("constraint \"since\"") && error.contains("2001"), "{error}");
        assert_eq!(told(&db), before);
        run(&c, &["MATCH ()-[k:KNOWS {since: 2001}]->() DELETE k"]);
        let at = |isolation| TransactionOptions { isolation: Some(isolation), ..Default::default() };
        for (level, text, meets) in [
            (
                Isolation::ReadCommitted,
                "MATCH (p:Person {id: 2}) CREATE (p)-[:KNOWS {since: 2001}]->(p)",
                true,
            ),
            (Isolation::Snapshot, "MATCH (p:Person {id: 2}) CREATE (p)-[:OTHER {since: 2001}]->(p)", false),
            // Read by the index and not found, then loaded.
            (
                Isolation::Serializable,
                "MATCH ()-[k:KNOWS {since: 2001}]->() WITH count(k) AS n CREATE (:Count {n: n})",
                true,
            ),
        ] {
            let db = Database::in_memory(config());
            begun(&db, by_load);
            run(&db.connect(), &[definition]);
            let writer = db.connect();
            writer.begin_with(at(level)).unwrap();
            run(&writer, &[text]);
            load(&db, &paths, OnConflict::Error).unwrap();
            let committed = writer.commit();
            assert_eq!(matches!(committed, Err(Error::Conflict(_))), meets, "{text}: {committed:?}");
        }
        load(&db, &paths, OnConflict::Error).unwrap();
        let found = "MATCH (a)-[k:KNOWS {since: 2001}]->(b) RETURN count(*)";
        assert_eq!(rows(&c, found), ["1"], "{since:?}");
        drop((c, db));
        let db = Database::open(dir.path(), config()).unwrap();
        assert_eq!(rows(&db.connect(), found), ["1"]);
        let again =
            db.connect().query("MATCH (p:Person {id: 2}) CREATE (p)-[:KNOWS {since: 2001}]->(p)", &[]);
        assert!(again.err().is_some_and(|error| error.to_string().contains("already")));
    }
}

/// A graph of keys: what loads and statements make of it.
struct Step {
    people: Vec<u64>,
    edges: Vec<(u64, u64, u64)>,
}

fn random_step(random: &mut Random, known: &[u64], next: &mut u64) -> Step {
    let count = [0, 1, 5, 3000][random.below(4)];
    let people: Vec<u64> = (0..count)
        .map(|_| {
            *next += 1;
            *next
        })
        .collect();
    let all: Vec<u64> = known.iter().chain(&people).copied().collect();
    let edges = match all.len() {
        0 => 0,
        _ => [0, 3, 700][random.below(3)],
    };
    let edges = (0..edges).map(|i| (all[random.below(all.len())], all[random.below(all.len())], i)).collect();
    Step { people, edges }
}

#[test]
fn random_loads_are_what_statements_make() {
    for seed in 1..=6 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let (dir, files) = (Directory::new("random-loads"), Files::new("random-files"));
        let mut db = Database::open(dir.path(), config()).unwrap();
        let twin = Database::in_memory(config());
        let (mut known, mut next) = (Vec::new(), 0);
        for number in 0..8 {
            let step = random_step(&mut random, &known, &mut next);
            let single = random.below(2) == 0;
            let mut people = "id:ID(Person){id-type: int},name,n:int,:LABEL\n".to_owned();
            step.people
                .iter()
                .for_each(|id| people.push_str(&format!("{id},name {},{},Person\n", id % 7, id * 3)));
            let mut edges = ":START_ID(Person),:END_ID(Person),:TYPE,w:int\n".to_owned();
            let mut seen = std::collections::HashSet::new();
            let kept: Vec<_> = step.edges.iter().filter(|(a, ..)| !single || seen.insert(*a)).collect();
            let ty = if single { "ONE" } else { "MANY" };
            kept.iter().for_each(|(a, b, w)| edges.push_str(&format!("{a},{b},{ty},{w}\n")));
            let list = |items: Vec<String>| format!("[{}]", items.join(","));
            let made = list(step.people.iter().map(u64::to_string).collect());
            let pairs = list(kept.iter().map(|(a, b, w)| format!("[{a},{b},{w}]")).collect());
            let nodes = format!(
                "UNWIND {made} AS id CREATE (:Person {{id: id, name: 'name ' + toString(id % 7), n: id * 3}})"
            );
            let links = format!(
                "UNWIND {pairs} AS e MATCH (a:Person {{id: e[0]}}), (b:Person {{id: e[1]}}) CREATE (a)-[:{ty} {{w: e[2]}}]->(b)"
            );
            run(&twin.connect(), &[&nodes, &links]);
            if random.below(3) == 0 {
                run(&db.connect(), &[&nodes, &links]);
            } else {
                let mut paths = vec![files.put("p.csv", &people)];
                if !kept.is_empty() {
                    paths.push(files.put("e.csv", &edges));
                }
                let pause = random.below(2) == 0;
                // A transaction that is open meanwhile, and has rows and positions.
                let beside = db.connect();
                if pause {
                    beside
                        .begin_with(TransactionOptions {
                            isolation: Some(Isolation::Snapshot),
                            ..Default::default()
                        })
                        .unwrap();
                    run(&beside, &["CREATE (:Person {id: -1})-[:MANY {w: -1}]->(:Person {id: -2})"]);
                }
                load(&db, &paths, OnConflict::Error).unwrap_or_else(|e| panic!("{seed} {number}: {e}"));
                if pause {
                    match random.below(2) {
                        0 => beside.rollback().unwrap(),
                        // Where the label has no key index, what has a key meets a load of keys.
                        _ => {
                            let _ = beside.commit();
                            run(&db.connect(), &["MATCH (n:Person) WHERE n.id < 0 DETACH DELETE n"]);
                        }
                    }
                }
            }
            known.extend(step.people);
            if random.below(2) == 0 && !known.is_empty() {
                let gone = known[random.below(known.len())];
                let change = format!("MATCH (p:Person {{id: {gone}}}) DETACH DELETE p");
                for db in [&db, &twin] {
                    run(
                        &db.connect(),
                        &[
                            &change,
                            "MATCH (a)-[r:MANY]->() WHERE r.w % 5 = 2 DELETE r",
                            "MATCH (p:Person) WHERE p.id % 11 = 3 SET p.n = 'x'",
                        ],
                    );
                }
                let alive = rows(&db.connect(), "MATCH (p:Person) RETURN p.id");
                known.retain(|id| alive.contains(&id.to_string()));
            }
            if random.below(2) == 0 {
                drop(db);
                db = Database::open(dir.path(), config()).unwrap();
            }
            if random.below(3) == 0 {
                db.merge(&Default::default()).unwrap();
            }
            let (found, expected) = (told(&db), told(&twin));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found == expected, "{seed} {number}: {} and {}", found.len(), expected.len());
            }
            let id = known.last().copied().unwrap_or(0);
            let by_key = format!("MATCH (p:Person {{id: {id}}}) RETURN p.n");
            assert_eq!(rows(&db.connect(), &by_key), rows(&twin.connect(), &by_key), "{seed} {number}");
        }
        drop(db);
        Database::check(dir.path()).unwrap();
    }
}

const DISK: &str = "trimorph-loads-on-a-disk-that-fails";

fn open_on(fs: &Arc<dyn FileSystem>, read_only: bool) -> Result<Database, Error> {
    let options = config().read_only(read_only).threads(1).log_segment_bytes(8 << 10);
    Database::open_on(Arc::clone(fs), Path::new(DISK), options)
}

/// Whether each step was acknowledged: a statement, a load, a statement.
fn script(fs: &Arc<dyn FileSystem>, paths: &[PathBuf]) -> [bool; 3] {
    let mut done = [false; 3];
    let Ok(db) = open_on(fs, false) else { return done };
    let c = db.connect();
    let write = |text: &str| c.query(text, &[]).map(drop).is_ok();
    done[0] = write("CREATE (:Person {id: 1}), (:Person {id: 2})");
    if done[0] {
        done[1] = load(&db, paths, OnConflict::Error).is_ok();
    }
    done[2] = write("CREATE (:Last)");
    done
}

fn verify(fs: &Arc<dyn FileSystem>, paths: &[PathBuf], done: [bool; 3], what: &str) {
    let read = open_on(fs, true).map(|db| told(&db));
    let db = open_on(fs, false).unwrap_or_else(|e| panic!("{what}: {e}"));
    if let Ok(read) = read {
        assert_eq!(read, told(&db), "{what}");
    }
    let c = db.connect();
    let count = |text: &str| rows(&c, text)[0].parse::<usize>().unwrap();
    let (first, last) =
        (count("MATCH (p:Person) WHERE p.id < 3 RETURN count(*)"), count("MATCH (l:Last) RETURN count(*)"));
    let loaded = (
        count("MATCH (p:Person) WHERE p.id > 9 RETURN count(*)"),
        count("MATCH (c:City) RETURN count(*)"),
        count("MATCH ()-[r]->() RETURN count(r)"),
    );
    assert!(loaded == (0, 0, 0) || loaded == (3, 2, 8), "{what}: {loaded:?}");
    assert!(first == 2 || (first == 0 && !done[0]), "{what}: {first}");
    assert!(loaded.0 == 3 || !done[1], "{what}");
    assert!(last == 1 || !done[2], "{what}");
    if first == 2 && loaded.0 == 0 {
        load(&db, paths, OnConflict::Error).unwrap_or_else(|e| panic!("{what}: {e}"));
    }
    let before = told(&db);
    drop((c, db));
    if before.iter().all(Vec::is_empty) {
        return;
    }
    assert_eq!(told(&open_on(fs, true).unwrap_or_else(|e| panic!("{what}: {e}"))), before, "{what}");
}

#[test]
fn a_load_is_there_whole_or_not_at_all_wherever_the_disk_fails() {
    let files = Files::new("crashes");
    let paths = [
        files.put("people.csv", PEOPLE),
        files.put("cities.csv", CITIES),
        files.put("edges.csv", EDGES),
        files.put("lives.csv", LIVES),
    ];
    let disk = || Arc::new(FaultyFileSystem::with_files(&MemoryFileSystem::default()).unwrap());
    let as_disk = |fs: &Arc<FaultyFileSystem>| Arc::clone(fs) as Arc<dyn FileSystem>;
    let quiet = disk();
    assert_eq!(script(&as_disk(&quiet), &paths), [true; 3]);
    let calls = quiet.calls();
    for call in 0..calls {
        for fault in [Fault::Crash, Fault::Error, Fault::Full] {
            let fs = disk();
            fs.fail_at(call, fault);
            let done = script(&as_disk(&fs), &paths);
            let what = format!("{fault:?} at call {call} of {calls}");
            if fault != Fault::Crash {
                // There is room again.
                fs.fail_at(u64::MAX, Fault::Error);
                verify(&as_disk(&fs), &paths, done, &what);
                continue;
            }
            for seed in 0..3 {
                let left: Arc<dyn FileSystem> = Arc::new(fs.after_crash(seed).unwrap());
                verify(&left, &paths, done, &format!("{what}, seed {seed}"));
            }
        }
    }
}

/// Prints what a load of new labels costs beside data, and into an empty database.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let files = Files::new("speed");
    let path = files.0.path().join("snb");
    let layout = trimorph::generate::SnbLayout::Merged;
    trimorph::generate::generate_snb(0.3, 7, &path, layout, &NoProgress).unwrap();
    let time = |has_data: bool, in_memory: bool| {
        let dir = Directory::new("speed-db");
        let options = config().memory_limit_bytes(4 << 30);
        let db = match in_memory {
            true => Database::in_memory(options),
            false => Database::open(dir.path(), options).unwrap(),
        };
        if has_data {
            run(&db.connect(), &["CREATE (:Something {id: 1})-[:ELSE]->(:Something {id: 2})"]);
        }
        let began = std::time::Instant::now();
        load(&db, std::slice::from_ref(&path), OnConflict::Error).unwrap();
        began.elapsed().as_secs_f64()
    };
    for in_memory in [true, false] {
        let mut best = [f64::MAX; 2];
        for _ in 0..3 {
            for (best, has_data) in best.iter_mut().zip([false, true]) {
                *best = best.min(time(has_data, in_memory));
            }
        }
        println!(
            "in memory {in_memory}: empty {:.2} s, beside data {:.2} s: {:.2}",
            best[0],
            best[1],
            best[1] / best[0]
        );
    }
}

#[test]
fn indexes_find_what_was_loaded() {
    let files = Files::new("indexed");
    let paths = [files.put("people.csv", PEOPLE), files.put("cities.csv", CITIES)];
    for by_load in [true, false] {
        let dir = Directory::new("indexed-load");
        let db = Database::open(dir.path(), config()).unwrap();
        begun(&db, by_load);
        run(
            &db.connect(),
            &["CREATE INDEX FOR (p:Person) ON (p.name)", "CREATE INDEX FOR (c:City) ON (c.name)"],
        );
        load(&db, &paths, OnConflict::Error).unwrap();
        let found = |db: &Database| {
            let c = db.connect();
            run(&c, &["MATCH (p:Person {name: 'Two'}) SET p.x = 1"]);
            let of = |text| rows(&c, text);
            (
                of("MATCH (p:Person) WHERE p.name >= 'Ann' AND p.name < 'Two' RETURN p.name"),
                of("MATCH (p:Person {name: 'Cid'}) RETURN p.id"),
                of("MATCH (c:City {name: 'Rom'}) RETURN c.id"),
            )
        };
        let names: Vec<String> = ["Ann", "Bob", "Cid", "One"].map(String::from).into();
        let expected = (names, vec!["12".to_owned()], vec!["2".to_owned()]);
        assert_eq!(found(&db), expected, "{by_load}");
        drop(db);
        assert_eq!(found(&Database::open(dir.path(), config()).unwrap()), expected, "{by_load}");
    }
}
