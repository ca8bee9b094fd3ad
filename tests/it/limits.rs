//! What bounds statements and what they leave: a time for each query, checkpoints by time, the log of a
//! transaction within the memory limit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use trimorph::{CancelToken, Database, Error, QueryResult};

use crate::durable::{Directory, config, rows, run};

const ENDLESS: &str = "UNWIND range(1, 100000000000) AS x RETURN count(x % 7)";

#[test]
fn a_query_that_takes_too_long_is_stopped() {
    let within = Duration::from_millis(1_500);
    let database = Database::in_memory(config().timeout(Some(within)));
    let c = database.connect();
    // What is not endless has the time of its own that it needs on a busy machine.
    let unhurried = |text: &str| {
        let result = c.query_within(text, &[], Duration::MAX).and_then(|result| result.rows());
        result.unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let began = Instant::now();
    let stopped = c.query(ENDLESS, &[]).and_then(|result| result.rows());
    assert!(matches!(stopped, Err(Error::Timeout)), "{:?}", stopped.err());
    assert!(began.elapsed() < Duration::from_secs(30));
    // While rows are fetched, of a prepared one, and where it is prepared.
    let prepared = c.prepare("UNWIND range(1, 100000000000) AS x RETURN x").unwrap();
    let to_the_end = |mut result: QueryResult| {
        loop {
            assert!(result.next_row()?.is_some());
        }
    };
    let ended: Result<(), Error> = c.execute_prepared(&prepared, Arc::default()).and_then(to_the_end);
    let error = ended.unwrap_err();
    assert_eq!(error.to_string(), "the query took longer than its timeout");
    // What it wrote is undone; a transaction goes on.
    ["BEGIN", "CREATE (:A)"].iter().for_each(|text| drop(unhurried(text)));
    let much = "UNWIND range(1, 100000000) AS x CREATE (:P {x: x})";
    let within = c.query(much, &[]).err();
    // Which of the two limits is met first is the machine's matter.
    assert!(matches!(within, Some(Error::Timeout | Error::Memory(_))), "{within:?}");
    unhurried("COMMIT");
    let alone = c.query(much, &[]).err();
    assert!(matches!(alone, Some(Error::Timeout | Error::Memory(_))), "{alone:?}");
    assert_eq!(format!("{:?}", unhurried("MATCH (n:A) RETURN count(n)")), "[[Int(1)]]");
    assert_eq!(format!("{:?}", unhurried("MATCH (n) RETURN count(n)")), "[[Int(1)]]");
    // A time of its own, longer or shorter; somebody who asks is another thing.
    let counted = "UNWIND range(1, 1000) AS x RETURN count(x)";
    assert!(c.execute_within(counted, Arc::default(), Duration::MAX).is_ok());
    let nothing = c.execute_within(ENDLESS, Arc::default(), Duration::ZERO).and_then(|result| result.rows());
    assert!(matches!(nothing, Err(Error::Timeout)));
    let cancel = CancelToken::default();
    cancel.cancel();
    let asked = c.execute_until(ENDLESS, Arc::default(), cancel).and_then(|result| result.rows());
    assert!(matches!(asked, Err(Error::Cancelled)));
}

/// A statement that wrote is done when its result is there: who reads that late is told no lie.
#[test]
fn what_is_done_is_not_told_to_have_taken_too_long() {
    let db = Database::in_memory(config());
    let c = db.connect();
    let late = |text: &str| {
        let mut time = Duration::from_secs(1);
        let result = loop {
            match c.query_within(text, &[], time) {
                Ok(result) => break result,
                // On a busy machine it needs longer.
                Err(Error::Timeout) => time *= 2,
                Err(error) => panic!("{text}: {error}"),
            }
        };
        c.interrupt();
        std::thread::sleep(time);
        result.rows().map(|rows| rows.len()).unwrap_or_else(|e| panic!("{text}: {e}"))
    };
    assert_eq!(late("UNWIND range(1, 3000) AS x CREATE (a:A {x: x}) RETURN a.x"), 3000);
    run(&c, &["BEGIN"]);
    assert_eq!(late("MATCH (a:A) WHERE a.x > 2000 SET a.y = 1 RETURN a.x"), 1000);
    run(&c, &["COMMIT"]);
    assert_eq!(rows(&c, "MATCH (a:A {y: 1}) RETURN count(a)"), ["1000"]);
}

#[test]
fn checkpoints_are_made_by_time() {
    let dir = Directory::new("by-time");
    let interval = Some(Duration::from_millis(200));
    let how = config().checkpoint_interval(interval).checkpoint_on_close(false);
    let database = Database::open(dir.path(), how).unwrap();
    let c = database.connect();
    let manifest = || std::fs::read(dir.path().join("MANIFEST")).ok();
    // From here on nothing is written before the next commit.
    run(&c, &["CREATE (:A {x: 0})", "CHECKPOINT"]);
    let first = manifest();
    run(&c, &["CREATE (:A {x: 1})"]);
    let until = |is_so: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(60), "no checkpoint came");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until(&|| manifest() != first);
    // Where nothing was committed since nothing is written.
    run(&c, &["CHECKPOINT"]);
    let second = manifest();
    std::thread::sleep(Duration::from_millis(700));
    assert!(manifest() == second);
    run(&c, &["CREATE (:A {x: 2})"]);
    until(&|| manifest() != second);
    drop((c, database));
    // Not where nobody wants it.
    let how = config().checkpoint_interval(None).checkpoint_on_close(false);
    let database = Database::open(dir.path(), how).unwrap();
    // The first write may change the manifest, too.
    run(&database.connect(), &["CREATE (:A {x: 3})"]);
    let third = manifest();
    std::thread::sleep(Duration::from_millis(500));
    assert!(manifest() == third);
    assert_eq!(rows(&database.connect(), "MATCH (a:A) RETURN a.x"), ["0", "1", "2", "3"]);
}

/// What is written is charged now and then, what is to be logged as it comes: else 32 values of 1 MB would
/// fit 24 MB.
#[test]
fn what_a_transaction_has_to_log_is_within_the_memory_limit() {
    let dir = Directory::new("log-limit");
    let limit = 24 << 20;
    let how = config().memory_limit_bytes(limit).checkpoint_on_close(false);
    let database = Database::open(dir.path(), how).unwrap();
    let c = database.connect();
    run(&c, &["CREATE (:A {x: 0})", "BEGIN"]);
    let text = trimorph::Value::string("x".repeat(1 << 20));
    let set = |_: &u32| c.query("MATCH (a:A) SET a.x = $text", &[("text", text.clone())]).err();
    let (count, failed) = (1..64).find_map(|count| Some((count, set(&count)?))).unwrap();
    assert!(matches!(failed, Error::Memory(_)), "{failed}");
    assert!(count <= 24, "{count}");
    run(&c, &["ROLLBACK"]);
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["0"]);
    // What it held is free again.
    c.query("MATCH (a:A) SET a.x = $text", &[("text", text)]).unwrap();
}

/// A merge reads what it writes anew. Where that does not fit, it says so, and nothing has changed.
#[test]
fn a_merge_without_memory_says_so() {
    let dir = Directory::new("merge-without-memory");
    let how = || config().background_merges(false);
    let open = |limit: usize| Database::open(dir.path(), how().memory_limit_bytes(limit)).unwrap();
    let db = open(256 << 20);
    run(&db.connect(), &["UNWIND range(1, 20000) AS i CREATE (:P {name: toString(i * 77777 % 1000003)})"]);
    db.checkpoint(&CancelToken::default()).unwrap();
    drop(db);
    let db = open(64 << 10);
    run(&db.connect(), &["CREATE (:P {name: 'another'})"]);
    for _ in 0..2 {
        let told = db.merge(&CancelToken::default()).err();
        assert!(matches!(told, Some(Error::Memory(_))), "{told:?}");
        let told = db.checkpoint(&CancelToken::default()).err();
        assert!(matches!(told, Some(Error::Memory(_))), "{told:?}");
    }
    drop(db);
    let db = open(256 << 20);
    db.merge(&CancelToken::default()).unwrap();
    assert_eq!(rows(&db.connect(), "MATCH (p:P) RETURN count(p), count(DISTINCT p.name)"), ["20001 | 20001"]);
}
