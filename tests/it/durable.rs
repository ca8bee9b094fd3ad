//! Databases in directories: what was committed is there when they are opened again, however they were left.

use std::path::{Path, PathBuf};

use trimorph::{CancelToken, Config, Connection, Database, Durability, Error, Value};

/// A directory of its own that goes with it.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trimorph-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn config() -> Config {
    Config::new().threads(2).memory_limit_bytes(256 << 20).huge_pages(false).checkpoint_on_close(false)
}

pub(crate) fn open(dir: &Directory) -> Database {
    Database::open(dir.path(), config()).unwrap()
}

/// The rows of a query as text, sorted.
pub(crate) fn rows(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let mut out = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|e| panic!("{text}\n{e}")) {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out.sort();
    out
}

pub(crate) fn run(connection: &Connection, texts: &[&str]) {
    for text in texts {
        rows(connection, text);
    }
}

/// All of a graph, ids included.
pub(crate) fn graph(connection: &Connection) -> Vec<Vec<String>> {
    [
        "MATCH (n) RETURN id(n), labels(n), properties(n)",
        "MATCH (a)-[r]->(b) RETURN id(a), id(r), id(b), type(r), properties(r)",
        "MATCH (b)<-[r]-(a) RETURN id(a), id(r), id(b), type(r), properties(r)",
    ]
    .map(|text| rows(connection, text))
    .into()
}

/// The graph before and after the database is closed and opened again.
fn reopened(dir: &Directory, db: Database) -> Database {
    let before = graph(&db.connect());
    drop(db);
    let reader = Database::open(dir.path(), config().read_only(true)).unwrap();
    assert_eq!(graph(&reader.connect()), before, "read-only");
    let db = open(dir);
    assert_eq!(graph(&db.connect()), before);
    db
}

const WRITES: &[&str] = &[
    "CREATE (a:Person {name: 'Ada', age: 36})-[:KNOWS {since: 1840, text: 'long'}]->(b:Person {name: 'Charles'})",
    "MATCH (a:Person {name: 'Ada'}) CREATE (a)-[:WROTE]->(:Note:Old {title: 'G', words: 20000})",
    "UNWIND range(1, 3000) AS i CREATE (:Number {n: i, text: 'number ' + toString(i)})",
    "MATCH (a:Person {name: 'Ada'}), (b:Person {name: 'Charles'}) UNWIND range(1, 300) AS i CREATE (a)-[:SAME {i: i}]->(b)",
    "MATCH ()-[r:SAME]->() WHERE r.i % 3 = 0 DELETE r",
    "MATCH ()-[r:SAME]->() WHERE r.i % 3 = 1 SET r.i = 'one', r.x = [r.i, 1.5]",
    "MATCH (n:Number) WHERE n.n % 2 = 0 SET n.half = n.n / 2, n.text = null",
    "MATCH (n:Number) WHERE n.n % 5 = 0 SET n:Five:Even REMOVE n:Even",
    "MATCH (n:Number) WHERE n.n % 7 = 0 DETACH DELETE n",
    "MATCH (n:Number {n: 1}) SET n.n = 'one' SET n.n = 1.5 SET n.again = true SET n:X REMOVE n:X",
    "MATCH (a:Number {n: 2}) CREATE (a)-[:SELF]->(a) WITH a MATCH (a)-[r:SELF]->() SET r.w = 1 DELETE r",
    "MATCH (a:Number {n: 3}) CREATE (a)-[:SELF]->(a), (a)-[:KNOWS]->(:Person {name: 'New'}) \
     WITH a MATCH (x:Person {name: 'New'}) DETACH DELETE x",
];

#[test]
fn what_was_written_is_there_again() {
    let dir = Directory::new("written");
    let mut db = open(&dir);
    for text in WRITES {
        run(&db.connect(), &[text]);
        db = reopened(&dir, db);
    }
    let c = db.connect();
    assert_eq!(rows(&c, "MATCH (n:Number) RETURN count(*), count(n.half)"), ["2572 | 1286"]);
    assert_eq!(rows(&c, "MATCH (n:Five) RETURN count(*)"), ["515"]);
    assert_eq!(rows(&c, "MATCH ()-[r:SAME]->() RETURN count(r), count(r.x)"), ["200 | 100"]);
    assert_eq!(rows(&c, "MATCH (n)-[:SELF]->(n) RETURN n.n"), ["3"]);
    assert_eq!(rows(&c, "MATCH (p:Person) RETURN p.name"), ["Ada", "Charles"]);
}

#[test]
fn all_at_once_is_as_good() {
    let dir = Directory::new("at-once");
    let db = open(&dir);
    run(&db.connect(), WRITES);
    let c = db.connect();
    c.begin().unwrap();
    run(&c, &WRITES[..4]);
    run(&c, &["MATCH (n:Number {n: 10}) DETACH DELETE n"]);
    c.commit().unwrap();
    drop(c);
    drop(reopened(&dir, db));
    Database::check(dir.path()).unwrap();
}

#[test]
fn what_was_not_committed_is_not() {
    let dir = Directory::new("undone");
    let db = open(&dir);
    run(&db.connect(), &["CREATE (:A {id: 1, v: 0}), (:A {id: 2, v: 0})"]);
    let (a, b) = (db.connect(), db.connect());
    a.begin().unwrap();
    b.begin().unwrap();
    run(&a, &["MATCH (a:A {id: 1}) SET a.v = 1 CREATE (:B {made: true})-[:T]->(a)"]);
    let error = b.query("MATCH (a:A {id: 1}) SET a.v = 2", &[]).map(drop).unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error}");
    a.rollback().unwrap();
    assert!(b.commit().is_err());
    a.begin().unwrap();
    run(&a, &["CREATE (:Never {x: 1})"]);
    // Open when the database is left: it was never committed.
    drop((a, b));
    run(&db.connect(), &["MATCH (a:A {id: 2}) SET a.v = 5"]);
    let db = reopened(&dir, db);
    let c = db.connect();
    assert_eq!(rows(&c, "MATCH (n) RETURN labels(n), n.id, n.v"), ["['A'] | 1 | 0", "['A'] | 2 | 5"]);
    // Rows and positions that were given to nobody are given.
    run(&c, &["UNWIND range(1, 10) AS i CREATE (:B {i: i})-[:T {i: i}]->(:Never {i: i})"]);
    let db = reopened(&dir, db);
    assert_eq!(rows(&db.connect(), "MATCH (:B)-[t:T]->(n) WHERE t.i = n.i RETURN count(*)"), ["10"]);
}

#[test]
fn a_statement_that_failed_is_not_in_its_transaction() {
    let dir = Directory::new("failed");
    let db = open(&dir);
    let c = db.connect();
    run(&c, &["CREATE (:A {id: 1})-[:T]->(:A {id: 2})"]);
    c.begin().unwrap();
    run(&c, &["MATCH (a:A {id: 1}) SET a.before = true"]);
    let text = "MATCH (a:A)-[t:T]->(b) SET a.v = 1, a:Gone DELETE t CREATE (:Gone)-[:T]->(b) \
                WITH a UNWIND [1, 0] AS x CREATE (:Gone {x: 1 / x})";
    let error = c.query(text, &[]).map(drop).unwrap_err();
    assert!(error.to_string().contains("zero"), "{error}");
    run(&c, &["MATCH (a:A {id: 2}) SET a.after = true"]);
    c.commit().unwrap();
    let found = rows(&c, "MATCH (n) RETURN labels(n), properties(n)");
    assert_eq!(found, ["['A'] | {after: true, id: 2}", "['A'] | {before: true, id: 1}"]);
    drop(c);
    let db = reopened(&dir, db);
    assert_eq!(rows(&db.connect(), "MATCH (:A)-[t]->(:A) RETURN count(t)"), ["1"]);
}

#[test]
fn one_path_is_one_database_and_one_process_writes() {
    let dir = Directory::new("one");
    let missing = Database::open(dir.path(), config().must_exist(true));
    assert!(missing.unwrap_err().to_string().contains("there is no database here"));
    assert!(!dir.path().exists());
    let a = open(&dir);
    let b = Database::open(dir.path().join("."), config()).unwrap();
    run(&a.connect(), &["CREATE (:A)"]);
    run(&b.connect(), &["CREATE (:A)"]);
    assert_eq!(rows(&a.connect(), "MATCH (n:A) RETURN count(*)"), ["2"]);
    drop(a);
    run(&b.connect(), &["CREATE (:A)"]);
    b.close().unwrap();
    let c = Database::open(dir.path(), config().must_exist(true)).unwrap();
    assert_eq!(rows(&c.connect(), "MATCH (n:A) RETURN count(*)"), ["3"]);
    let owner = std::fs::read_to_string(dir.path().join("LOCK")).unwrap();
    assert_eq!(owner.trim(), std::process::id().to_string());
}

#[test]
fn each_durability_keeps_what_it_says() {
    for (durability, kept) in [
        (Durability::Durable, "1"),
        (Durability::Relaxed { interval: std::time::Duration::from_secs(3600) }, "1"),
        (Durability::Memory, "0"),
    ] {
        let dir = Directory::new("durability");
        let db = Database::open(dir.path(), config().durability(durability)).unwrap();
        run(&db.connect(), &["CREATE (:A)"]);
        assert_eq!(rows(&db.connect(), "MATCH (n) RETURN count(*)"), ["1"]);
        drop(db);
        assert_eq!(rows(&open(&dir).connect(), "MATCH (n) RETURN count(*)"), [kept], "{durability:?}");
    }
}

#[test]
fn a_load_goes_on_in_the_log() {
    let dir = Directory::new("load");
    let db = open(&dir);
    db.generate_snb(0.01, 7).unwrap();
    let c = db.connect();
    run(
        &c,
        &[
            "MATCH (p:Person) WITH p ORDER BY p.id LIMIT 20 SET p.firstName = 'New', p.extra = 1.5, p:Chosen",
            "MATCH (p:Person)-[k:KNOWS]->(q) WITH k ORDER BY p.id, q.id LIMIT 30 DELETE k",
            "MATCH (p:Person) WITH p ORDER BY p.id SKIP 20 LIMIT 5 DETACH DELETE p",
            "MATCH (p:Chosen) CREATE (p)-[:KNOWS {creationDate: 1}]->(:Person {id: -1 - p.id, firstName: 'X'})",
        ],
    );
    let error =
        c.query("CREATE (:Person {id: -1000000})-[:T]->(:Person {id: -1000000})", &[]).map(drop).unwrap_err();
    assert!(error.to_string().contains("already"), "{error}");
    drop(c);
    let db = reopened(&dir, db);
    let c = db.connect();
    let ids = rows(&c, "MATCH (p:Person {firstName: 'X'}) RETURN p.id");
    assert_eq!(ids.len(), 20);
    for id in &ids {
        assert_eq!(rows(&c, &format!("MATCH (p:Person {{id: {id}}}) RETURN p.firstName")), ["X"]);
        assert!(c.query(&format!("CREATE (:Person {{id: {id}}})"), &[]).is_err(), "{id}");
    }
    let error = db.generate_snb(0.01, 7).unwrap_err();
    assert!(error.to_string().contains("is in the database already"), "{error}");
}

#[test]
fn values_of_all_types_come_back() {
    let dir = Directory::new("values");
    let db = open(&dir);
    let long = "long ".repeat(300_000);
    let c = db.connect();
    c.query(
        "CREATE (:V {n: 0, v: $long})-[:E {v: $long}]->(:V {n: 0})",
        &[("long", Value::String(long.as_str().into()))],
    )
    .unwrap();
    let values = [
        "true",
        "1",
        "-9223372036854775808",
        "1.5",
        "-0.0",
        "0.0/0.0",
        "''",
        "'text\\u0000é𝄞'",
        "date('2024-02-29')",
        "localtime('10:11:12.123456789')",
        "time('10:11:12+02:00')",
        "localdatetime('1900-01-01T00:00:00.000000001')",
        "datetime('2024-06-01T12:00Z')",
        "datetime('2024-06-01T12:00[Europe/Berlin]')",
        "duration('P1Y2M3DT4H5M6.7S')",
        "[]",
        "[1, 2, 3]",
        "['a', 'b']",
        "[1.5, date('2000-01-01')]",
    ];
    for (n, value) in values.iter().enumerate() {
        run(
            &c,
            &[&format!(
                "CREATE (:V {{n: {n}, v: {value}}})-[:E {{v: {value}}}]->(:Of{n} {{v: {value}, w: {value}}})"
            )],
        );
    }
    let all =
        format!("UNWIND [{}] AS v CREATE (:W {{v: v}})-[:F {{v: v}}]->(:W {{v: v}})", values.join(", "));
    run(&c, &[&all]);
    drop(c);
    reopened(&dir, db);
}

/// The segments of a log, by name.
fn segments(dir: &Directory) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(dir.path().join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn damage_is_named_refused_and_recovered_up_to() {
    let dir = Directory::new("damage");
    let config = config().log_segment_bytes(4 << 10);
    let db = Database::open(dir.path(), config.clone()).unwrap();
    for i in 0..120 {
        db.connect()
            .query("CREATE (:A {i: $i, text: 'some text'})", &[("i", Value::Int(i))])
            .map(drop)
            .unwrap();
    }
    drop(db);
    let log = segments(&dir);
    assert!(log.len() > 2, "{log:?}");
    let mut bytes = std::fs::read(&log[1]).unwrap();
    bytes[1_000] ^= 1;
    std::fs::write(&log[1], &bytes).unwrap();
    let name = log[1].file_name().unwrap().to_str().unwrap();
    for found in [
        Database::check(dir.path()).map(drop).unwrap_err(),
        Database::open(dir.path(), config.clone()).map(drop).unwrap_err(),
        Database::open(dir.path(), config.clone().read_only(true)).map(drop).unwrap_err(),
    ] {
        let text = found.to_string();
        assert!(
            text.contains(name) && text.contains("at byte") && text.contains("recover_to_damage"),
            "{text}"
        );
    }
    let db = Database::open(dir.path(), config.clone().recover_to_damage(true)).unwrap();
    let c = db.connect();
    let kept: usize = rows(&c, "MATCH (a:A) RETURN count(*)")[0].parse().unwrap();
    assert!((5..115).contains(&kept), "{kept}");
    let wanted = [format!("{kept} | {} | {}", kept - 1, kept * (kept - 1) / 2)];
    assert_eq!(rows(&c, "MATCH (a:A) RETURN count(*), max(a.i), sum(a.i)"), wanted);
    run(&c, &["CREATE (:A {i: 1000})"]);
    drop((c, db));
    Database::check(dir.path()).unwrap();
    assert!(segments(&dir).iter().any(|path| path.to_string_lossy().ends_with(".log.damaged")));
    let db = Database::open(dir.path(), config).unwrap();
    assert_eq!(rows(&db.connect(), "MATCH (a:A) RETURN count(*)"), [(kept + 1).to_string()]);
}

/// Commits beside which a reader opens the database again and again.
const READ: i64 = 300;

#[test]
fn a_reader_beside_a_writer_sees_whole_commits() {
    let dir = Directory::new("beside");
    let config = config().log_segment_bytes(4 << 10);
    let db = Database::open(dir.path(), config.clone()).unwrap();
    run(&db.connect(), &["CREATE (:A {i: 0}), (:A {i: 0})"]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let c = db.connect();
            (0..READ).for_each(|_| run(&c, &["MATCH (a:A) SET a.i = a.i + 1 CREATE (:B)-[:T]->(:B)"]));
        });
        let mut last = 0;
        while last < READ {
            let reader = Database::open(dir.path(), config.clone().read_only(true)).unwrap();
            let c = reader.connect();
            // It is the same database: the writer goes on between two queries.
            c.begin().unwrap();
            let found = rows(&c, "MATCH (a:A) RETURN a.i");
            assert!(found.len() == 2 && found[0] == found[1], "{found:?}");
            let now: i64 = found[0].parse().unwrap();
            assert!(now >= last, "{now} after {last}");
            assert_eq!(rows(&c, "MATCH (:B)-[t:T]->(:B) RETURN count(t)"), [(now * 2).to_string()]);
            c.commit().unwrap();
            last = now;
        }
    });
}

/// What was written is in the files, and the log before it is not needed any more.
#[test]
fn checkpoints_take_over_from_the_log() {
    let dir = Directory::new("checkpoints");
    let small = || config().log_segment_bytes(4 << 10);
    let db = Database::open(dir.path(), small()).unwrap();
    let c = db.connect();
    let mut expected = Vec::new();
    for round in 0..4 {
        run(
            &c,
            &[
                &format!(
                    "UNWIND range(1, 500) AS i CREATE (:P {{id: i, round: {round}, text: 'text ' + i}})"
                ),
                &format!(
                    "MATCH (a:P {{round: {round}}}), (b:P) WHERE b.id = a.id + 1 CREATE (a)-[:T {{w: a.id}}]->(b)"
                ),
                &format!(
                    "MATCH (p:P {{round: {round}}}) WHERE p.id % 3 = 0 SET p:Third, p.text = null, p.x = [p.id, 'x']"
                ),
                &format!("MATCH (p:P {{round: {round}}}) WHERE p.id % 7 = 0 DETACH DELETE p"),
            ],
        );
        let segments = || std::fs::read_dir(dir.path().join("log")).unwrap().count();
        match round % 2 == 0 {
            true => db.checkpoint(&trimorph::CancelToken::default()).unwrap(),
            false => run(&c, &["CHECKPOINT"]),
        }
        // What a round writes is many times as long.
        assert!(segments() <= 4, "{} segments", segments());
        run(
            &c,
            &[&format!(
                "CREATE (:After {{round: {round}}}) WITH 1 AS one MATCH (p:P {{id: 1}}) SET p.last = {round}"
            )],
        );
        expected = graph(&c);
        // As after a crash of the process: nothing is closed.
        let copy = Directory::new("checkpoints-copy");
        copy_all(dir.path(), copy.path());
        let opened = Database::open(copy.path(), small()).unwrap();
        assert_eq!(graph(&opened.connect()), expected, "round {round}");
        run(&opened.connect(), &["CREATE (:P {id: -1})-[:T]->(:P {id: -2})"]);
        opened.checkpoint(&trimorph::CancelToken::default()).unwrap();
        let more = graph(&opened.connect());
        drop(opened);
        assert_eq!(graph(&open(&copy).connect()), more);
    }
    drop(c);
    let db = reopened(&dir, db);
    assert_eq!(graph(&db.connect()), expected);
    db.close().unwrap();
    // Closed with a checkpoint, it is opened without a log to be read.
    let closing = small().checkpoint_on_close(true);
    let db = Database::open(dir.path(), closing).unwrap();
    run(&db.connect(), &["MATCH (p:P {id: 2}) SET p.last = 99"]);
    let expected = graph(&db.connect());
    db.close().unwrap();
    Database::check(dir.path()).unwrap();
    assert_eq!(graph(&open(&dir).connect()), expected);
}

fn copy_all(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_all(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// A log may tell of a node or an edge that went, and of another that was given its row or position since:
/// what is cleaned of the first must not be given to a third.
#[test]
fn rows_and_positions_that_were_used_again_are_not_given_twice() {
    let dir = Directory::new("used-again");
    let all = "MATCH (a:A)-[r:R]->(b:A) RETURN a.i, r.i, b.i";
    let nodes = "MATCH (a:A) RETURN a.i";
    let (first, second) = {
        let database = open(&dir);
        let c = database.connect();
        let make = |from: i64| {
            let text = "UNWIND range(0, 9) AS i CREATE (a:A {i: i + $from})-[:R {i: i + $from}]->(a)";
            c.query(text, &[("from", Value::Int(from))]).unwrap();
        };
        run(&c, &["CREATE (:A {i: -1})-[:R {i: -1}]->(:A {i: -2})"]);
        make(0);
        run(&c, &["MATCH (a:A) WHERE a.i >= 0 DETACH DELETE a", "MATCH (:A)-[r:R]->(:A) DELETE r"]);
        // Cleaned, so that rows and positions are free, and not checkpointed: all of it is in the log.
        database.merge(&trimorph::CancelToken::default()).unwrap();
        make(100);
        run(&c, &["MATCH (a:A {i: -1}), (b:A {i: -2}) CREATE (a)-[:R {i: -3}]->(b)"]);
        (rows(&c, all), rows(&c, nodes))
    };
    assert_eq!((first.len(), second.len()), (11, 12));
    let database = open(&dir);
    let c = database.connect();
    assert_eq!((&rows(&c, all), &rows(&c, nodes)), (&first, &second));
    database.merge(&trimorph::CancelToken::default()).unwrap();
    assert_eq!((&rows(&c, all), &rows(&c, nodes)), (&first, &second));
    run(&c, &["UNWIND range(200, 220) AS i CREATE (a:A {i: i})-[:R {i: i}]->(a)"]);
    run(&c, &["MATCH (a:A {i: -1}), (b:A {i: -2}) UNWIND range(300, 310) AS i CREATE (a)-[:R {i: i}]->(b)"]);
    assert_eq!((rows(&c, all).len(), rows(&c, nodes).len()), (43, 33));
    let kept = |all: Vec<String>, before: &[String]| before.iter().all(|row| all.contains(row));
    assert!(kept(rows(&c, all), &first) && kept(rows(&c, nodes), &second));
}

/// Much is written to little data: the log is as long as what it changes, not as the longest there may be.
#[test]
fn a_small_database_has_a_small_log() {
    let dir = Directory::new("small-log");
    let log_bytes = || -> u64 {
        let files = std::fs::read_dir(dir.path().join("log")).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
    };
    let db = Database::open(dir.path(), config()).unwrap();
    let c = db.connect();
    run(&c, &["UNWIND range(1, 1000) AS i CREATE (:A {i: i})"]);
    assert!(log_bytes() <= 2 << 20, "{}", log_bytes());
    for i in 0..40 {
        run(&c, &[&format!("MATCH (a:A) SET a.text = reduce(t = '{i}', x IN range(1, 9) | t + t)")]);
        if i % 4 == 3 {
            db.checkpoint(&CancelToken::default()).unwrap();
        }
    }
    // Segments of the last statements, one ahead, and two that are used again.
    assert!(log_bytes() <= 8 << 20, "{}", log_bytes());
    let (before, options) = (graph(&c), config());
    drop((c, db));
    let db = Database::open(dir.path(), options).unwrap();
    assert_eq!(graph(&db.connect()), before);
}
