//! Transactions beside each other: who conflicts with whom at which level, statement by statement; what reads
//! without rows are worth; statements that fail, transactions that are ended, statements that are run again.

use std::sync::Arc;
use std::time::Duration;

use trimorph::{Config, Connection, Database, Error, Isolation, TransactionOptions, Value};

pub(crate) const LEVELS: [Isolation; 3] =
    [Isolation::ReadCommitted, Isolation::Snapshot, Isolation::Serializable];

pub(crate) fn database(set_up: &[&str]) -> Database {
    let database = Database::in_memory(Config::default());
    let connection = database.connect();
    set_up.iter().for_each(|text| _ = rows(&connection, text).unwrap());
    database
}

/// The rows of a statement as text, sorted.
pub(crate) fn rows(connection: &Connection, text: &str) -> Result<Vec<String>, Error> {
    let mut result = connection.query(text, &[])?;
    let mut out = Vec::new();
    while let Some(row) = result.next_row()? {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out.sort();
    Ok(out)
}

pub(crate) fn begun(database: &Database, level: Isolation) -> Connection {
    let connection = database.connect();
    let options = TransactionOptions { isolation: Some(level), ..TransactionOptions::default() };
    connection.begin_with(options).unwrap();
    // It sees what is committed now, and has answered: it cannot begin again unnoticed.
    rows(&connection, "RETURN 1").unwrap();
    connection
}

/// What became of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Committed,
    Conflict,
    Violated,
}

pub(crate) fn ending(result: Result<(), Error>) -> End {
    match result {
        Ok(()) => End::Committed,
        Err(Error::Conflict(_)) => End::Conflict,
        Err(Error::Query { diagnostic, .. }) if diagnostic.detail == "ConstraintViolated" => End::Violated,
        Err(other) => panic!("{other}"),
    }
}

/// Runs both beside each other: the first writes, then the second, then the first commits, then the second.
pub(crate) fn beside(database: &Database, level: Isolation, first: &[&str], second: &[&str]) -> (End, End) {
    let (a, b) = (begun(database, level), begun(database, level));
    let run = |c: &Connection, texts: &[&str]| texts.iter().try_for_each(|text| rows(c, text).map(drop));
    let one = run(&a, first);
    let other = run(&b, second);
    let end = |c: &Connection, done: Result<(), Error>| match done {
        Ok(()) => ending(c.commit()),
        Err(error) => {
            c.rollback().unwrap();
            ending(Err(error))
        }
    };
    (end(&a, one), end(&b, other))
}

/// At each level, whether the second of two commits: '-' it does, 'x' it meets a conflict.
pub(crate) fn pair(set_up: &[&str], first: &[&str], second: &[&str], expect: &str) {
    for (level, expect) in LEVELS.into_iter().zip(expect.chars()) {
        let database = database(set_up);
        let (one, other) = beside(&database, level, first, second);
        assert_eq!(one, End::Committed, "{level:?}: {first:?}, then {second:?}");
        let expected = if expect == 'x' { End::Conflict } else { End::Committed };
        assert_eq!(other, expected, "{level:?}: {first:?}, then {second:?}");
    }
}

pub(crate) const TWO: &[&str] = &["CREATE (:N {k: 1, p: 1, q: 1})-[:R {p: 1}]->(:N {k: 2, p: 2, q: 2})"];

#[test]
fn pairs_of_writes() {
    pair(TWO, &["MATCH (n:N {k: 1}) SET n.p = 5"], &["MATCH (n:N {k: 1}) SET n.p = 6"], "xxx");
    // Both columns are read by nobody: `k` finds the row.
    pair(TWO, &["MATCH (n:N {k: 1}) SET n.p = 5"], &["MATCH (n:N {k: 1}) SET n.q = 6"], "---");
    pair(TWO, &["MATCH (n:N {k: 1}) SET n.p = 5"], &["MATCH (n:N {k: 1}) DETACH DELETE n"], "xxx");
    pair(TWO, &["MATCH (n:N {k: 1}) DETACH DELETE n"], &["MATCH (n:N {k: 1}) DETACH DELETE n"], "xxx");
    pair(TWO, &["MATCH (n:N {k: 1}) SET n:A"], &["MATCH (n:N {k: 1}) SET n:B"], "xxx");
    pair(TWO, &["MATCH ()-[r:R]->() DELETE r"], &["MATCH ()-[r:R]->() DELETE r"], "xxx");
    pair(TWO, &["MATCH ()-[r:R]->() SET r.p = 2"], &["MATCH ()-[r:R]->() SET r.p = 3"], "xxx");
    pair(TWO, &["MATCH (n:N {k: 1}) SET n.p = 5"], &["MATCH (n:N {k: 2}) SET n.p = 6"], "---");
    pair(&[], &["CREATE (:X {a: 1})"], &["CREATE (:X {a: 1})"], "---");
    pair(&[], &["CREATE (:X)-[:T {w: 1}]->(:Y)"], &["CREATE (:X)-[:T {w: 1}]->(:Y)"], "---");
}

#[test]
fn an_edge_and_the_deletion_of_its_end() {
    let insert = ["MATCH (a:N {k: 1}), (b:N {k: 2}) CREATE (b)-[:S]->(a)"];
    for delete in ["MATCH (n:N {k: 1}) DETACH DELETE n", "MATCH (n:N {k: 1})-[r]-() DELETE r, n"] {
        pair(TWO, &insert, &[delete], "xxx");
        pair(TWO, &[delete], &insert, "xxx");
    }
    // Who ends up alone keeps his edge, or has none.
    let database = database(TWO);
    let (a, b) = (begun(&database, Isolation::Snapshot), begun(&database, Isolation::Snapshot));
    rows(&a, insert[0]).unwrap();
    assert!(matches!(rows(&b, "MATCH (n:N {k: 1}) DETACH DELETE n"), Err(Error::Conflict(_))));
    b.rollback().unwrap();
    a.rollback().unwrap();
    rows(&database.connect(), "MATCH (n:N {k: 1}) DETACH DELETE n").unwrap();
    assert_eq!(rows(&database.connect(), "MATCH (n)-->(m) RETURN count(*)").unwrap(), ["0"]);
}

#[test]
fn edges_at_one_hub_never_conflict() {
    let insert = ["MATCH (a:N {k: 1}) CREATE (a)-[:S]->(:M)"];
    pair(TWO, &insert, &insert, "---");
    let between = ["MATCH (a:N {k: 1}), (b:N {k: 2}) CREATE (a)-[:S]->(b)"];
    pair(TWO, &between, &between, "---");
    pair(TWO, &between, &["MATCH (n:N {k: 1}) SET n.p = 7"], "---");
    pair(TWO, &["MATCH (n:N {k: 1}) SET n.p = 7"], &between, "---");
}

#[test]
fn reads_of_what_others_write() {
    let write = ["MATCH (n:N {k: 1}) SET n.p = 5"];
    // Who read the old value and commits later would have had to run before.
    pair(TWO, &write, &["MATCH (n:N {k: 1}) WITH n.p AS p MATCH (m:N {k: 2}) SET m.q = p"], "--x");
    pair(TWO, &write, &["MATCH (n:N {k: 1}) RETURN n.p", "CREATE (:Note)"], "--x");
    pair(TWO, &write, &["MATCH (n:N {k: 1}) RETURN n.q", "CREATE (:Note)"], "---");
    // Who is given a node looks at its properties.
    pair(TWO, &write, &["MATCH (n:N {k: 1}) RETURN n", "CREATE (:Note)"], "--x");
    // Who only reads is serial at its time.
    pair(TWO, &write, &["MATCH (n:N {k: 1}) RETURN n.p"], "---");
    // Properties that nobody had.
    pair(
        TWO,
        &["MATCH (n:N {k: 1}) SET n.z = 5"],
        &["MATCH (n:N {k: 1}) RETURN n.z", "CREATE (:Note)"],
        "--x",
    );
    pair(
        TWO,
        &["MATCH ()-[r:R]->() SET r.z = 5"],
        &["MATCH ()-[r:R]->() RETURN r.z", "CREATE (:Note)"],
        "--x",
    );
    pair(
        TWO,
        &["MATCH ()-[r:R]->() SET r.p = 5"],
        &["MATCH ()-[r:R]->() RETURN r.p", "CREATE (:Note)"],
        "--x",
    );
}

/// Reads that find nothing, and what would have changed that.
#[test]
fn reads_without_rows() {
    let reads = |read, write| pair(TWO, &[write], &[read, "CREATE (:Note)"], "--x");
    reads("MATCH (x:Unknown) RETURN count(x)", "CREATE (:Unknown)");
    reads("MATCH (n:N {k: 3}) RETURN n", "CREATE (:N {k: 3})");
    reads("MATCH (n:N {k: 3}) RETURN n", "MATCH (n:N {k: 2}) SET n.k = 3");
    reads(
        "MATCH (n:N) WHERE NOT EXISTS { (n)-[:S]->() } RETURN n.k",
        "MATCH (n:N {k: 1}) CREATE (n)-[:S]->(n)",
    );
    reads("MATCH (n:N) WHERE EXISTS { (n)-[:R]->(n) } RETURN n.k", "MATCH (n:N {k: 1}) CREATE (n)-[:R]->(n)");
    reads(
        "MATCH (n:N {k: 1}) RETURN COUNT { (n)<-[:R]-() }",
        "MATCH (n:N {k: 1}), (m:N {k: 2}) CREATE (m)-[:R]->(n)",
    );
    reads("MATCH (n:N)-[:R]->(m:M) RETURN count(*)", "MATCH (n:N {k: 1}) CREATE (n)-[:R]->(:M)");
    reads("MATCH (n:N) WHERE n.p > 100 RETURN n.k", "MATCH (n:N {k: 2}) SET n.p = 200");
    reads("MATCH (n:N) RETURN n.p ORDER BY n.p DESC LIMIT 1", "CREATE (:N {k: 3, p: 9})");
    reads("MATCH (n:N) RETURN max(n.p)", "CREATE (:N {k: 3, p: 9})");
    reads("MATCH (n) RETURN count(*)", "CREATE (:Other)");
    reads("MATCH (n) RETURN labels(n), count(*)", "MATCH (n:N {k: 1}) SET n:Other");
    reads("MATCH (n:Other) RETURN count(*)", "MATCH (n:N {k: 1}) SET n:Other");
    reads("MATCH (n:N) RETURN n:Other", "MATCH (n:N {k: 1}) SET n:Other");
    reads("MATCH ()-[r]->() RETURN type(r), count(*)", "MATCH (n:N {k: 1}) CREATE (n)-[:S]->(n)");
    reads("MATCH (n:N {k: 1})-[r:R]->(m) RETURN m.k", "MATCH ()-[r:R]->() DELETE r");
    reads("MATCH p = (:N {k: 2})-[:R*1..3]->() RETURN length(p)", "MATCH (n:N {k: 2}) CREATE (n)-[:R]->(:N)");
    reads(
        "MATCH p = shortestPath((:N {k: 2})-[:R*]->(:N {k: 1})) RETURN p",
        "MATCH (a:N {k: 2}), (b:N {k: 1}) CREATE (a)-[:R]->(b)",
    );
    reads("MERGE (n:N {k: 9}) RETURN n", "CREATE (:N {k: 9})");
    // Rows that were looked for by a number, and rows that came or changed with others.
    let three = &["CREATE (:N {k: 1, p: 1}), (:N {k: 2, p: 2}), (:N {k: 5, p: 5})"];
    let read = "MATCH (n:N) WHERE n.k >= 2 AND n.k < 4 RETURN count(n)";
    let write = |write, expect| pair(three, &[write], &[read, "CREATE (:Note)"], expect);
    write("CREATE (:N {k: 3})", "--x");
    write("CREATE (:N {k: 3.0})", "--x");
    write("CREATE (:N {k: 4})", "---");
    write("CREATE (:N {p: 3})", "---");
    write("MATCH (n:N {k: 5}) SET n.k = 3", "--x");
    write("MATCH (n:N {k: 5}) SET n.k = 6", "---");
    write("MATCH (n:N {k: 2}) SET n.k = 1", "--x");
    write("MATCH (n:N {k: 2}) SET n.p = 1", "---");
    write("MATCH (n:N {k: 2}) DELETE n", "--x");
    write("MATCH (n:N {k: 5}) DELETE n", "---");
    write("MATCH (n:N {k: 2}) REMOVE n:N", "--x");
    // What it has nothing to do with.
    let passes = |read, write| pair(TWO, &[write], &[read, "CREATE (:Note)"], "---");
    passes("MATCH (n:N {k: 1}) RETURN n.p", "MATCH (n:N {k: 1}) SET n.q = 2");
    passes("MATCH (n:N {k: 1}) RETURN n.p", "CREATE (:Note)");
    passes("MATCH (n:N {k: 1})-[:R]->(m) RETURN m.p", "MATCH (n:N {k: 1}) SET n.q = 2");
}

#[test]
fn merges_of_one_key() {
    let merge = ["MERGE (u:U {k: 1}) ON CREATE SET u.by = 1"];
    for (level, count) in LEVELS.into_iter().zip(["2", "2", "1"]) {
        let database = database(&[]);
        let (one, other) = beside(&database, level, &merge, &merge);
        assert_eq!(one, End::Committed);
        assert_eq!(other == End::Committed, count == "2", "{level:?}");
        assert_eq!(rows(&database.connect(), "MATCH (u:U) RETURN count(*)").unwrap(), [count], "{level:?}");
    }
}

/// Two transactions that each read what the other one writes.
#[test]
fn write_skew_needs_serializable() {
    let skew = |k: u32, other: u32| {
        format!("MATCH (a:N {{k: {k}}}), (b:N {{k: {other}}}) WHERE a.p + b.p >= 3 SET a.p = a.p - 3")
    };
    let (one, other) = (skew(1, 2), skew(2, 1));
    pair(TWO, &[&one], &[&other], "--x");
}

#[test]
fn a_failed_statement_is_undone_and_the_transaction_goes_on() {
    for level in LEVELS {
        let database = database(TWO);
        let c = begun(&database, level);
        rows(&c, "MATCH (n:N {k: 1}) SET n.p = 10 CREATE (:Kept)").unwrap();
        let failing = "MATCH (n:N {k: 1}) SET n.p = 11, n:Gone CREATE (n)-[:R]->(:Gone) WITH n \
                       MATCH (n)-[r:R]->(m) DELETE r WITH n RETURN n.p / 0";
        assert!(matches!(rows(&c, failing), Err(Error::Query { .. })));
        assert_eq!(rows(&c, "MATCH (n:N {k: 1}) RETURN n.p, labels(n)").unwrap(), ["10 | ['N']"]);
        assert_eq!(rows(&c, "MATCH (n:N {k: 1})-[:R]->(m) RETURN m.k").unwrap(), ["2"]);
        assert_eq!(rows(&c, "MATCH (g:Gone) RETURN count(*)").unwrap(), ["0"]);
        rows(&c, "MATCH (n:N {k: 1}) SET n.q = 12").unwrap();
        c.commit().unwrap();
        let all = "MATCH (n) RETURN labels(n), n.p, n.q, COUNT { (n)--() }";
        let expected = ["['Kept'] | null | null | 0", "['N'] | 10 | 12 | 1", "['N'] | 2 | 2 | 1"];
        assert_eq!(rows(&database.connect(), all).unwrap(), expected, "{level:?}");
    }
}

#[test]
fn a_conflict_ends_the_transaction() {
    let database = database(TWO);
    let (a, b) = (begun(&database, Isolation::Serializable), begun(&database, Isolation::Serializable));
    rows(&a, "MATCH (n:N {k: 1}) SET n.p = 5").unwrap();
    rows(&b, "CREATE (:Mine)").unwrap();
    assert!(matches!(rows(&b, "MATCH (n:N {k: 1}) SET n.p = 6"), Err(Error::Conflict(_))));
    assert!(matches!(rows(&b, "RETURN 1"), Err(Error::Transaction(_))));
    assert!(matches!(b.commit(), Err(Error::Transaction(_))));
    a.commit().unwrap();
    assert_eq!(rows(&b, "MATCH (m:Mine) RETURN count(*)").unwrap(), ["0"]);
}

/// A first statement has told nothing yet: it waits for the other one and begins again.
#[test]
fn a_first_statement_is_run_again() {
    let database = database(&["CREATE (:C {n: 0})"]);
    let add = "MATCH (c:C) SET c.n = c.n + 1";
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let c = database.connect();
            std::thread::spawn(move || {
                for i in 0..25 {
                    if (i + thread) % 2 == 0 {
                        rows(&c, add).unwrap();
                        continue;
                    }
                    c.transact(TransactionOptions::default(), |tx| rows(tx, add)).unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(rows(&database.connect(), "MATCH (c:C) RETURN c.n").unwrap(), ["100"]);
}

/// A transaction that reads much and writes little gets through beside many that write.
#[test]
fn a_large_reader_gets_its_turn() {
    let database = database(&["UNWIND range(1, 5000) AS i CREATE (:N {k: i, p: i})"]);
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let writers: Vec<_> = (0..2)
        .map(|thread| {
            let (c, stop) = (database.connect(), Arc::clone(&stop));
            std::thread::spawn(move || {
                let mut k = thread;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    k = (k + 7) % 5000;
                    let text = "MATCH (n:N) WHERE id(n) % 5000 = $k SET n.p = n.p + 1";
                    drop(c.query(text, &[("k", Value::Int(k))]));
                }
            })
        })
        .collect();
    let c = database.connect();
    let sum = |tx: &Connection| rows(tx, "MATCH (n:N) WITH sum(n.p) AS s CREATE (:Sum {s: s})");
    for _ in 0..3 {
        c.transact(TransactionOptions::default(), sum).unwrap();
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    writers.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(rows(&c, "MATCH (s:Sum) RETURN count(*)").unwrap(), ["3"]);
}

/// Who has the turn and begins anew because of a conflict keeps it; else he would wait for himself.
#[test]
fn who_has_the_turn_does_not_wait_for_it() {
    let database = database(TWO);
    let c = database.connect();
    let (mut tries, begun) = (0, std::time::Instant::now());
    let options = TransactionOptions::default();
    c.transact(options, |tx| {
        tries += 1;
        if tries < 6 {
            return Err(Error::Conflict("not yet".to_owned()));
        }
        // Somebody has it in his hands for a moment, and gives it up.
        let other = begun_with(&database, "MATCH (n:N {k: 1}) SET n.p = 7");
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(5));
                other.rollback().unwrap();
            });
            rows(tx, "MATCH (n:N {k: 1}) SET n.p = 8").map(drop)
        })
    })
    .unwrap();
    // More where the other one is slow in giving up.
    assert!(tries >= 6);
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    assert_eq!(rows(&c, "MATCH (n:N {k: 1}) RETURN n.p").unwrap(), ["8"]);
}

/// A connection in whose transaction a statement was run.
fn begun_with(database: &Database, text: &str) -> Connection {
    let other = begun(database, Isolation::Snapshot);
    rows(&other, text).unwrap();
    other
}

#[test]
fn transactions_are_listed_and_ended() {
    let database = database(TWO);
    let a = begun(&database, Isolation::Snapshot);
    rows(&a, "MATCH (n:N {k: 1}) SET n.p = 5").unwrap();
    let c = database.connect();
    let listed = rows(&c, "SHOW TRANSACTIONS").unwrap();
    assert!(listed.len() == 1 && listed[0].contains("snapshot") && listed[0].contains("idle"), "{listed:?}");
    let asked = "SHOW TRANSACTIONS YIELD isolation AS level, statement, commitsPinned AS kept \
                 WHERE level = 'snapshot' RETURN level, kept, statement CONTAINS 'SET'";
    assert_eq!(rows(&c, asked).unwrap(), ["snapshot | 0 | true"]);
    assert!(rows(&c, "show transaction where age > duration('PT1H')").unwrap().is_empty());
    let error = rows(&c, "SHOW TRANSACTIONS YIELD nobody").unwrap_err();
    assert!(error.to_string().contains("nobody"), "{error}");
    let error = rows(&c, "SHOW TRANSACTIONS all").unwrap_err();
    assert!(error.to_string().contains("YIELD"), "{error}");
    let number = c.transactions()[0].number;
    assert_eq!(rows(&c, "TERMINATE TRANSACTION '123456'").unwrap()[0].split(" | ").count(), 2);
    assert_eq!(
        rows(&c, &format!("terminate transaction '{number}'")).unwrap(),
        [format!("{number} | terminated")]
    );
    // What it wrote is in nobody's way any more.
    rows(&c, "MATCH (n:N {k: 1}) SET n.p = 6").unwrap();
    let error = rows(&a, "RETURN 1").unwrap_err();
    assert!(error.to_string().contains("terminated"), "{error}");
    a.rollback().unwrap();
    assert!(c.transactions().is_empty());
}

/// What begins as a command about transactions and is none is told what it could be.
#[test]
fn misspelt_commands_are_told() {
    let database = database(TWO);
    let c = database.connect();
    for (text, place, says) in [
        ("BEGIN CHAOS", "column 7", "no isolation level \"CHAOS\""),
        ("BEGIN CHAOS", "column 7", "SERIALIZABLE, SNAPSHOT, READ COMMITTED"),
        ("begin transaction isolation level serialisable;", "column 35", "did you mean SERIALIZABLE?"),
        ("BEGIN READ COMITTED", "column 7", "did you mean READ COMMITTED?"),
        ("BEGIN ISOLATION LEVEL", "column 17", "the name of an isolation level is missing"),
        ("BEGIN TRANSACTION READ WRITE", "column 19", "there is no BEGIN READ WRITE"),
        ("BEGIN READ ONLY NOW", "column 17", "no isolation level \"NOW\""),
        ("BEGIN immediate", "column 7", "there is no BEGIN IMMEDIATE"),
        ("// first\nBEGIN; CREATE (:X)", "line 2", "no isolation level \"; CREATE (:X)\""),
        ("START TRANSACTION", "column 1", "write BEGIN"),
        ("COMMIT NOW", "column 8", "expected the end of COMMIT, found \"NOW\""),
        ("COMIT", "column 1", "did you mean COMMIT?"),
        ("ROLLBAK", "column 1", "did you mean ROLLBACK?"),
        ("BEGN", "column 1", "did you mean BEGIN?"),
        ("START TRANSACTION READ WRITE", "column 1", "BEGIN READ ONLY"),
        ("ROLLBACK TO here", "column 10", "undoes itself"),
        ("ROLLBACK WORK TO SAVEPOINT here", "column 15", "there are no savepoints"),
        ("SAVEPOINT here", "column 1", "undoes itself"),
        ("abort", "column 1", "write ROLLBACK"),
        ("TERMINATE", "column 1", "the number of a transaction is missing"),
        ("TERMINATE TRANSACTION 'x', 3", "column 23", "\"x\" is not the number of a transaction"),
        ("TERMINATE TRANSACTION 1,, 3", "column 23", "\"\" is not the number"),
        ("TERMINATE 12", "column 11", "expected TRANSACTION, found \"12\""),
        ("CHECKPOINT 'é', ü", "column 12", "write CHECKPOINT alone"),
    ] {
        let error = rows(&c, text).expect_err(text).to_string();
        assert!(
            error.starts_with("SyntaxError") && error.contains(place) && error.contains(says),
            "{text}: {error}"
        );
    }
    // None of them began or ended one.
    assert!(!c.in_transaction());
    for text in [
        "/* one */ BEGIN // a comment",
        "BEGIN TRANSACTION ISOLATION LEVEL snapshot ;",
        "begin\n read  committed",
    ] {
        rows(&c, text).unwrap();
        rows(&c, "CREATE (:Gone)").unwrap();
        assert!(c.in_transaction() && rows(&c, "COMMIT NOW").is_err() && c.in_transaction());
        rows(&c, "ROLLBACK TRANSACTION;").unwrap();
    }
    assert_eq!(rows(&c, "MATCH (g:Gone) RETURN count(*)").unwrap(), ["0"]);
}

#[test]
fn a_timeout_ends_a_transaction_that_is_idle_or_at_work() {
    let database = database(TWO);
    let (a, b) = (database.connect(), database.connect());
    // Long enough for one statement, on however busy a machine.
    let mut time = Duration::from_millis(500);
    let timeout = loop {
        let timeout = Some(time);
        a.begin_with(TransactionOptions { timeout, ..TransactionOptions::default() }).unwrap();
        match rows(&a, "MATCH (n:N {k: 1}) SET n.p = 5") {
            Ok(_) => break timeout,
            Err(error) => assert!(error.to_string().contains("timeout"), "{error}"),
        }
        a.rollback().unwrap();
        time *= 2;
    };
    while !b.transactions().is_empty() && rows(&b, "MATCH (n:N {k: 1}) SET n.p = 6").is_err() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let error = rows(&a, "RETURN 1").unwrap_err();
    assert!(error.to_string().contains("timeout"), "{error}");
    a.rollback().unwrap();
    b.begin_with(TransactionOptions { timeout, ..TransactionOptions::default() }).unwrap();
    let long = "UNWIND range(1, 1000000000000) AS i WITH i WHERE i % 7 = 8 RETURN count(*)";
    let error = rows(&b, long).unwrap_err();
    assert!(error.to_string().contains("timeout"), "{error}");
    b.rollback().unwrap();
}

/// Two that count what has different values, and add to it, do not meet, whichever rows are given.
#[test]
fn who_counts_other_values_is_no_conflict() {
    let used = "UNWIND range(0, 19) AS i CREATE (:Shift {day: i % 5, i: i})";
    for (set_up, merged) in [
        (vec!["CREATE (:Shift {day: 0})"], false),
        (vec!["CREATE (:Shift {day: 0})"], true),
        (vec![used, "MATCH (s:Shift) DELETE s"], false),
        (vec![used, "MATCH (s:Shift) DELETE s"], true),
        (vec![used, "MATCH (s:Shift) WHERE s.i % 2 = 0 DELETE s"], true),
    ] {
        let database = database(&set_up);
        for _ in 0..2 * usize::from(merged) {
            database.merge(&Default::default()).unwrap();
        }
        let (a, b) = (begun(&database, Isolation::Serializable), begun(&database, Isolation::Serializable));
        for (who, day) in [(&a, 1), (&b, 2)] {
            rows(who, &format!("MATCH (s:Shift {{day: {day}}}) RETURN count(s)")).unwrap();
        }
        for (who, day) in [(&a, 1), (&b, 2)] {
            rows(who, &format!("CREATE (:Shift {{day: {day}}})")).unwrap();
        }
        a.commit().unwrap();
        b.commit().unwrap_or_else(|error| panic!("{set_up:?}, {merged}: {error}"));
    }
}

/// `cargo test --release -p trimorph-tests --test it half_of -- --ignored --nocapture`: how many of the
/// transactions of two of LDBC's tests commit, on a directory, with 8 threads. Which meet depends on the
/// machine.
#[test]
#[ignore = "a measurement"]
fn half_of_those_who_meet_commit() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let dir = crate::durable::Directory::new("half");
    let database = Database::open(dir.path(), Config::default()).unwrap();
    let race = |name: &str, count: u32, work: &(dyn Fn(&Connection, u32) -> Result<(), Error> + Sync)| {
        let (next, committed) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let connection = database.connect();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            return;
                        }
                        connection.begin().unwrap();
                        let done = work(&connection, number).and_then(|()| connection.commit());
                        match done {
                            Ok(()) => drop(committed.fetch_add(1, Ordering::Relaxed)),
                            // One that came with the commit has ended it.
                            Err(Error::Conflict(_)) => drop(connection.rollback()),
                            Err(other) => panic!("{other}"),
                        }
                    }
                });
            }
        });
        let committed = committed.into_inner();
        println!("{name}: {committed} of {count} committed");
    };
    let c = database.connect();
    rows(&c, "CREATE (:Person {id: 1, version: 0}), (:Person {id: 2, version: 0}), (:Shift {day: -1})")
        .unwrap();
    race("G1c", 200, &|connection, number| {
        let (a, b) = if number.wrapping_mul(0x9e37_79b9) >> 31 == 0 { (1, 2) } else { (2, 1) };
        let text = format!(
            "MATCH (p1:Person {{id: {a}}}) SET p1.version = {number} WITH count(*) AS dummy \
             MATCH (p2:Person {{id: {b}}}) RETURN p2.version"
        );
        rows(connection, &text)?;
        // What a client does until it commits.
        std::thread::sleep(Duration::from_micros(200));
        Ok(())
    });
    race("PWS", 60, &|connection, number| {
        let day = number.wrapping_mul(0x9e37_79b9) % 5;
        let counted = rows(connection, &format!("MATCH (s:Shift {{day: {day}}}) RETURN count(s)"))?;
        if matches!(counted[0].as_str(), "0" | "1" | "2") {
            std::thread::sleep(Duration::from_millis(100));
            rows(connection, &format!("CREATE (:Shift {{day: {day}}})"))?;
        }
        Ok(())
    });
    let much = "MATCH (s:Shift) WITH s.day AS day, count(*) AS n WHERE n > 3 RETURN day";
    assert!(rows(&c, much).unwrap().is_empty());
}

/// A plan is shown within a transaction as outside of one, and what is profiled is told with its rows.
#[test]
fn plans_are_shown_within_a_transaction() {
    let database = database(TWO);
    let c = begun(&database, Isolation::Serializable);
    rows(&c, "CREATE (:N {k: 3, p: 3})").unwrap();
    for text in ["MATCH (n:N) WHERE n.p > 2 RETURN n.k", "MATCH (n:N)-[r]->() RETURN count(r)"] {
        let plan = c.query(&format!("EXPLAIN {text}"), &[]).unwrap().plan();
        assert!(plan.contains("NodeScan") && !plan.contains("Match"), "{plan}");
        let plan = rows(&c, &format!("  // a comment\n PROFILE {text}")).unwrap().join("\n");
        assert!(plan.contains("NodeScan") && plan.contains("own"), "{plan}");
    }
    // Its own writes are counted; and it goes on.
    let plan = rows(&c, "PROFILE (CODES) MATCH (n:N) RETURN n.k").unwrap().join("\n");
    assert!(plan.contains("3 tuples"), "{plan}");
    assert!(c.query("EXPLAIN MATCH (n:N) SET n.p = 1", &[]).unwrap().plan().contains("Update"));
    assert!(c.query("EXPLAIN MATCH (n:N RETURN n", &[]).is_err());
    assert_eq!(rows(&c, "MATCH (n:N) WHERE n.p = 3 RETURN n.k").unwrap(), ["3"]);
    c.commit().unwrap();
}
