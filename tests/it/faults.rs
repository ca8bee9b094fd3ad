//! A database on a disk that fails at every one of its calls: what was acknowledged is there afterwards, no
//! transaction is there in part, and the database opens. Through the whole engine, log switches included.
//!
//! 1. A script opens a database, writes transactions (as in `killed`), closes it, opens it again, goes on.
//! 2. For every call, and each way to fail: the script runs to its end, whatever fails. After a crash the
//!    disk is one of several that the crash may have left; after an error or a full disk it is as it is.
//! 3. What is there is asked read-only first, then for writing, and takes another transaction.

use std::path::Path;
use std::sync::Arc;

use trimorph::{CancelToken, Config, Database, Error};
use trimorph_vfs::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};

use crate::durable::{config, graph, rows, run};
use crate::killed::{check, write_one};

const DIR: &str = "trimorph-on-a-disk-that-fails";
/// Transactions of the script, in two sittings.
const SITTINGS: [std::ops::Range<i64>; 2] = [0..12, 12..18];

fn options(read_only: bool) -> Config {
    // Small segments: the log goes through several.
    config().read_only(read_only).threads(1).log_segment_bytes(4 << 10)
}

fn open(fs: &Arc<dyn FileSystem>, read_only: bool) -> Result<Database, Error> {
    Database::open_on(Arc::clone(fs), Path::new(DIR), options(read_only))
}

/// Runs the script; gives the last transaction that was acknowledged, and the last one that was tried.
fn script(fs: &Arc<dyn FileSystem>) -> (i64, i64) {
    let (mut done, mut tried) = (-1, -1);
    for sitting in SITTINGS {
        let Ok(db) = open(fs, false) else { continue };
        let c = db.connect();
        // What was not acknowledged may be there for all that.
        let there = check(&c).get(&0).copied().unwrap_or(-1);
        assert!(there == done || there == tried, "{done} acknowledged, {tried} tried, {there} there");
        (done, tried) = (there, there);
        for _ in sitting {
            tried = done + 1;
            if write_one(&c, 0, tried).is_ok() {
                done = tried;
            }
        }
    }
    (done, tried)
}

/// What is there has all that was acknowledged and nothing in part; and goes on.
fn verify(fs: &Arc<dyn FileSystem>, (done, tried): (i64, i64), what: &str) {
    let read = open(fs, true).map(|db| graph(&db.connect()));
    let db = open(fs, false).unwrap_or_else(|e| panic!("{what}: {e}"));
    let c = db.connect();
    let there = check(&c).get(&0).copied().unwrap_or(-1);
    assert!(there == done || there == tried, "{what}: {done} acknowledged, {tried} tried, {there} there");
    match read {
        Ok(read) => assert_eq!(read, graph(&c), "{what}"),
        Err(error) => assert!(done < 0 && error.to_string().contains("no database"), "{what}: {error}"),
    }
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

/// Calls of a run without a failure.
fn calls() -> u64 {
    let fs = disk();
    assert_eq!(script(&as_disk(&fs)), (17, 17));
    fs.calls()
}

#[test]
fn a_crash_at_any_call_loses_nothing() {
    let calls = calls();
    assert!(calls > 80, "{calls}");
    for call in 0..calls {
        let fs = disk();
        fs.fail_at(call, Fault::Crash);
        let (done, tried) = script(&as_disk(&fs));
        for seed in [0, 1, 2 + call, 1_000 + call] {
            let left: Arc<dyn FileSystem> = Arc::new(fs.after_crash(seed).unwrap());
            verify(&left, (done, tried), &format!("call {call} of {calls}, seed {seed}"));
        }
    }
}

#[test]
fn one_error_at_any_call_loses_nothing() {
    let calls = calls();
    for call in 0..calls {
        let fs = disk();
        fs.fail_at(call, Fault::Error);
        let (done, tried) = script(&as_disk(&fs));
        fs.fail_at(u64::MAX, Fault::Error);
        let what = format!("call {call} of {calls}");
        // A failed sync may have lost what still reads as written.
        for seed in [0, 1, 2 + call] {
            let left: Arc<dyn FileSystem> = Arc::new(fs.after_crash(seed).unwrap());
            verify(&left, (done, tried), &format!("{what}, then a crash, seed {seed}"));
        }
        verify(&as_disk(&fs), (done, tried), &what);
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_database_goes_on() {
    let calls = calls();
    for call in (0..calls).step_by(3) {
        let fs = disk();
        fs.fail_at(call, Fault::Full);
        let (done, tried) = script(&as_disk(&fs));
        // There is room again.
        fs.fail_at(u64::MAX, Fault::Error);
        verify(&as_disk(&fs), (done, tried), &format!("call {call} of {calls}"));
    }
    // The same database goes on, without being opened anew.
    let fs = disk();
    let db = open(&as_disk(&fs), false).unwrap();
    let c = db.connect();
    let mut failed = 0;
    for i in 0..160 {
        fs.fail_at(if i % 80 < 40 { u64::MAX } else { 0 }, Fault::Full);
        while let Err(error) = write_one(&c, 0, i) {
            failed += 1;
            assert!(error.to_string().contains("make room"), "{error}");
            assert_eq!(check(&c)[&0], i - 1);
            fs.fail_at(u64::MAX, Fault::Full);
        }
    }
    assert!(failed > 1 && check(&c)[&0] == 159, "{failed} failed");
}

/// Else each try takes more of the room that it lacks.
#[test]
fn a_checkpoint_that_does_not_fit_leaves_no_files() {
    let fs = disk();
    let files = || fs.list(&Path::new(DIR).join("checkpoint")).unwrap_or_default();
    // None is made but those that are asked for.
    let config = || config().threads(1).log_segment_bytes(1 << 20).checkpoint_interval(None);
    let open = || Database::open_on(as_disk(&fs), Path::new(DIR), config()).unwrap();
    let db = open();
    let (c, cancel) = (db.connect(), CancelToken::default());
    let mut failed = 0;
    for i in 0..12 {
        write_one(&c, 0, i).unwrap();
        let before = files();
        fs.fail_at(i as u64, Fault::Full);
        let done = db.checkpoint(&cancel);
        if done.is_err() {
            failed += 1;
            assert!(files().iter().all(|name| before.contains(name)), "{before:?}, {:?}", files());
        }
        fs.fail_at(u64::MAX, Fault::Full);
        if done.is_err() {
            db.checkpoint(&cancel).unwrap();
        }
        assert_eq!(check(&c)[&0], i);
    }
    assert!(failed > 2, "{failed} failed");
    // What a crash left goes before there is more.
    drop((c, db));
    let left = Path::new(DIR).join("checkpoint/4000.pieces");
    fs.write_synced(&left, &[b"half a file"]).unwrap();
    let db = open();
    write_one(&db.connect(), 0, 12).unwrap();
    // Listed, looked at, and no more.
    fs.fail_at(4, Fault::Full);
    let _ = db.checkpoint(&cancel);
    assert!(!fs.exists(&left));
}

/// What cannot be read is not taken for nodes that may stay where they are.
#[test]
fn reorganizing_that_cannot_read_says_so() {
    let mut failed = 0;
    for call in 0..16 {
        let fs = disk();
        let db = open(&as_disk(&fs), false).unwrap();
        let made = ["UNWIND range(1, 50) AS i CREATE (:A {i: i})", "MATCH (a:A) WHERE a.i % 2 = 0 SET a:B"];
        run(&db.connect(), &made);
        db.checkpoint(&CancelToken::default()).unwrap();
        let before = rows(&db.connect(), "MATCH (a:A) RETURN labels(a), a.i");
        drop(db);
        let db = open(&as_disk(&fs), false).unwrap();
        let reorganize = |db: &Database| db.connect().reorganize(&CancelToken::default());
        fs.fail_at(call, Fault::Error);
        let moved = reorganize(&db);
        fs.fail_at(u64::MAX, Fault::Error);
        match moved {
            Ok(_) => assert_eq!(reorganize(&db).unwrap(), 0, "call {call}"),
            Err(_) => failed += 1,
        }
        drop(db);
        let db = open(&as_disk(&fs), false).unwrap();
        assert_eq!(rows(&db.connect(), "MATCH (a:A) RETURN labels(a), a.i"), before, "call {call}");
    }
    assert!((1..16).contains(&failed), "{failed} failed");
}
