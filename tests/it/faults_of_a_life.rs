//! All that a database on a disk does, on a disk that fails at every one of its calls: a first load, writes,
//! an index and a constraint, a merge, a checkpoint, a load beside data, log switches, closing and opening.
//!
//! 1. The script does these in order, whatever fails, and notes what was acknowledged.
//! 2. For every call, and each way to fail (a crash, one error, no room, from that call on): what is there
//!    afterwards is whole, has all that was acknowledged, opens, reads, and goes on.
//!
//! Every fifth call, and each for one error, unless `TRIMORPH_LIFE_SEEDS` is set (`just faults SEEDS`): it
//! says how many of the states that the disk may be left in are looked at, for each call.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph::{CancelToken, Config, Database, Error, OnConflict, Value};
use trimorph_vfs::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};

use crate::durable::{config, graph, rows};
use crate::killed::{check, write_one};
use crate::live_loads::{Files, load};

const DIR: &str = "trimorph-a-life-on-a-disk-that-fails";
const INDEX: &str = "CREATE INDEX pairs FOR (p:Pair) ON (p.i)";
const CONSTRAINT: &str = "CREATE CONSTRAINT cities FOR (c:City) REQUIRE c.name IS UNIQUE";

/// What was acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Done {
    /// The last transaction, and the last one that was tried.
    last: i64,
    tried: i64,
    loads: [bool; 2],
    index: bool,
    constraint: bool,
}

struct Paths {
    first: Vec<PathBuf>,
    second: Vec<PathBuf>,
}

fn options(read_only: bool) -> Config {
    // Small segments: the log goes through several.
    config().read_only(read_only).threads(1).log_segment_bytes(8 << 10)
}

fn open(fs: &Arc<dyn FileSystem>, read_only: bool) -> Result<Database, Error> {
    Database::open_on(Arc::clone(fs), Path::new(DIR), options(read_only))
}

/// Transactions, as many as are given.
fn write(db: &Database, done: &mut Done, count: i64) {
    let c = db.connect();
    for _ in 0..count {
        done.tried = done.last + 1;
        if write_one(&c, 0, done.tried).is_ok() {
            done.last = done.tried;
        }
    }
}

/// What a sitting begins with: what was not acknowledged may be there for all that. False if the disk fails
/// while it looks.
fn find(db: &Database, done: &mut Done) -> bool {
    let asked = db.connect().query("MATCH (c:Counter) RETURN max(c.i)", &[]).and_then(|result| result.rows());
    let Ok(found) = asked else { return false };
    let there = if let Value::Int(there) = found[0][0] { there } else { -1 };
    assert!(there == done.last || there == done.tried, "{done:?}, {there} there");
    (done.last, done.tried) = (there, there);
    true
}

fn script(fs: &Arc<dyn FileSystem>, paths: &Paths) -> Done {
    let mut done = Done { last: -1, tried: -1, loads: [false; 2], index: false, constraint: false };
    let cancel = CancelToken::default();
    if let Ok(db) = open(fs, false) {
        done.loads[0] = load(&db, &paths.first, OnConflict::Error).is_ok();
        write(&db, &mut done, 4);
        done.index = db.connect().query(INDEX, &[]).is_ok();
        // One that fails changes nothing, whatever it was at.
        drop(db.merge(&cancel));
        write(&db, &mut done, 2);
        drop(db.checkpoint(&cancel));
        write(&db, &mut done, 3);
    }
    if let Ok(db) = open(fs, false)
        && find(&db, &mut done)
    {
        done.constraint = db.connect().query(CONSTRAINT, &[]).is_ok();
        // Its edges end at what the first one loaded.
        if done.loads[0] {
            done.loads[1] = load(&db, &paths.second, OnConflict::Error).is_ok();
        }
        write(&db, &mut done, 2);
        drop(db.merge(&cancel));
        drop(db.checkpoint(&cancel));
    }
    if let Ok(db) = open(fs, false)
        && find(&db, &mut done)
    {
        write(&db, &mut done, 2);
    }
    done
}

/// What is there has all that was acknowledged, and nothing in part.
fn verify_parts(db: &Database, done: Done, what: &str) {
    let c = db.connect();
    let count = |text: &str| rows(&c, text)[0].clone();
    let there = check(&c).get(&0).copied().unwrap_or(-1);
    assert!(there == done.last || there == done.tried, "{what}: {done:?}, {there} there");
    let loaded = count(
        "MATCH (c:City) WITH count(c) AS cities, sum(c.id) AS ids OPTIONAL MATCH (:City)-[r:ROAD]->(:City) \
         RETURN cities, ids, count(r), sum(r.km)",
    );
    match loaded.as_str() {
        "0 | 0 | 0 | 0" => assert_eq!(done.loads, [false; 2], "{what}"),
        "3 | 6 | 2 | 30" => assert!(!done.loads[1], "{what}"),
        "5 | 15 | 5 | 130" => {}
        other => panic!("{what}: {other}"),
    }
    let shown = |text: &str, name: &str| rows(&c, text).iter().any(|row| row.contains(name));
    assert!(shown("SHOW INDEXES", "pairs") || !done.index, "{what}");
    let is_unique = shown("SHOW CONSTRAINTS", "cities");
    assert!(is_unique || !done.constraint, "{what}");
    // By the index, or by a scan where there is none.
    let one = count(&format!("MATCH (p:Pair) WHERE p.i = {there} RETURN count(p)"));
    assert_eq!(one, if there < 0 { "0" } else { "2" }, "{what}");
    if is_unique && loaded != "0 | 0 | 0 | 0" {
        assert!(c.query("CREATE (:City {id: 77, name: 'Rom'})", &[]).is_err(), "{what}");
    }
}

fn verify(fs: &Arc<dyn FileSystem>, done: Done, what: &str) {
    let read = open(fs, true).map(|db| graph(&db.connect()));
    let db = open(fs, false).unwrap_or_else(|e| panic!("{what}: {e}"));
    verify_parts(&db, done, what);
    let c = db.connect();
    match read {
        Ok(read) => assert_eq!(read, graph(&c), "{what}"),
        Err(error) => {
            let nothing = done.last < 0 && !done.loads[0];
            assert!(nothing && error.to_string().contains("no database"), "{what}: {error}");
        }
    }
    let there = check(&c).get(&0).copied().unwrap_or(-1);
    write_one(&c, 0, there + 1).unwrap_or_else(|e| panic!("{what}: {e}"));
    let before = graph(&c);
    drop((c, db));
    let db = open(fs, true).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(graph(&db.connect()), before, "{what}");
}

fn disk() -> Arc<FaultyFileSystem> {
    Arc::new(FaultyFileSystem::with_files(&MemoryFileSystem::default()).unwrap())
}

fn as_disk(fs: &Arc<FaultyFileSystem>) -> Arc<dyn FileSystem> {
    Arc::clone(fs) as Arc<dyn FileSystem>
}

/// Runs the script with `fault` at each call, and looks at what is left.
fn at_every_call(fault: Fault) {
    let files = Files::new("life");
    let cities = "id:ID(City){id-type: int},name,:LABEL\n1,Ulm,City\n2,Rom,City\n3,Bonn,City\n";
    let more = "id:ID(City){id-type: int},name,:LABEL\n4,Lyon,City\n5,Oslo,City\n";
    let roads = ":START_ID(City),:END_ID(City),:TYPE,km:int\n1,2,ROAD,10\n2,3,ROAD,20\n";
    let more_roads = ":START_ID(City),:END_ID(City),:TYPE,km:int\n4,1,ROAD,30\n3,5,ROAD,40\n5,5,ROAD,30\n";
    let paths = Paths {
        first: vec![files.put("cities.csv", cities), files.put("roads.csv", roads)],
        second: vec![files.put("more.csv", more), files.put("more-roads.csv", more_roads)],
    };
    let quiet = disk();
    let all = Done { last: 12, tried: 12, loads: [true; 2], index: true, constraint: true };
    assert_eq!(script(&as_disk(&quiet), &paths), all);
    let calls = quiet.calls();
    println!("{fault:?} at each of {calls} calls");
    assert!(calls > 200, "{calls}");
    let wanted = std::env::var("TRIMORPH_LIFE_SEEDS").ok().and_then(|text| text.parse::<u64>().ok());
    // One error is what most code has to answer by itself: at each call.
    let usual = if fault == Fault::Error { 1 } else { 5 };
    let (seeds, step) = wanted.map_or((1, usual), |seeds| (seeds, 1));
    for call in (0..calls).step_by(step) {
        let fs = disk();
        fs.fail_at(call, fault);
        let done = script(&as_disk(&fs), &paths);
        let what = format!("{fault:?} at call {call} of {calls}, {done:?}");
        // What was lost, for all that reads as written: after a crash, and after a sync that failed.
        if fault != Fault::Full {
            for seed in 0..seeds {
                let left: Arc<dyn FileSystem> = Arc::new(fs.after_crash(seed * 1_000 + call).unwrap());
                verify(&left, done, &format!("{what}, seed {}", seed * 1_000 + call));
            }
        }
        if fault != Fault::Crash {
            // There is room again.
            fs.fail_at(u64::MAX, Fault::Error);
            verify(&as_disk(&fs), done, &what);
        }
    }
}

#[test]
fn a_crash_at_any_call() {
    at_every_call(Fault::Crash);
}

#[test]
fn an_error_at_any_call() {
    at_every_call(Fault::Error);
}

#[test]
fn no_room_from_any_call_on() {
    at_every_call(Fault::Full);
}
