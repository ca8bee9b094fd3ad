//! Databases that are read while another process writes them: what is seen is what was committed up to some
//! moment, never less than before, and in the end all of it.
//!
//! The writing process is this one, started again (`the_writer`): some threads commit, one merges, makes
//! checkpoints, loads files and makes indexes. It is killed, started again, and killed.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use trimorph::{
    CancelToken, Config, Connection, Database, Durability, Error, Isolation, NoProgress, QueryResult,
    TransactionOptions, Value,
};
use trimorph_base::Random;
use trimorph_vfs::{FileSystem, OsFileSystem, ReadAt, Region, RegionOptions, WriteAt};

use crate::durable::{Directory, config, graph, open, rows, run};
use crate::killed::{check, write_one};

const DIRECTORY: &str = "TRIMORPH_FOLLOWED_DIRECTORY";
const RELAXED: &str = "TRIMORPH_FOLLOWED_RELAXED";
/// Seconds that each kind of writer is followed, unless the environment says how many.
const SECONDS: u64 = 3;
const SECONDS_WANTED: &str = "TRIMORPH_FOLLOW_SECONDS";
const WRITERS: i64 = 3;
/// Nodes of a load.
const LOADED: i64 = 200;
/// How long until a follower must have seen what lasts, on a busy machine with a busy disk.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a writer may take to say what lasts before a follower that asks goes without.
const ASKED: Duration = Duration::from_secs(1);

/// Small segments: the log goes on to new ones all the time.
fn options() -> Config {
    config().log_segment_bytes(32 << 10)
}

fn to_read(interval: Option<u64>) -> Config {
    config().read_only(true).follow_interval(interval.map(Duration::from_millis))
}

/// All writers count in one node: the order of these commits is told by what they leave.
fn count(c: &Connection, w: i64) -> Result<(), Error> {
    let text = "MERGE (t:Tick) SET t.n = coalesce(t.n, 0) + 1 CREATE (:Tock {n: t.n, w: $w})";
    c.query(text, &[("w", Value::Int(w))]).map(drop)
}

/// Begins where a process that was killed has ended.
fn write(db: &Database, w: i64, from: i64) {
    let c = db.connect();
    let mut random = Random::new(w.cast_unsigned());
    for i in from.. {
        while let Err(error) = write_one(&c, w, i) {
            assert!(matches!(error, Error::Conflict(_)), "{error}");
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "committed {w} {i}").and_then(|()| out.flush()).unwrap();
        drop(out);
        if random.chance(30) {
            while let Err(error) = count(&c, w) {
                assert!(matches!(error, Error::Conflict(_)), "{error}");
            }
        }
    }
}

/// Everything else that changes files.
fn maintain(db: &Database, dir: &Path) {
    let c = db.connect();
    let mut random = Random::new(7);
    let first = rows(&c, "MATCH (l:Loaded) RETURN coalesce(max(l.batch), -1) + 1");
    let mut batch: i64 = first[0].parse().unwrap();
    let file = dir.with_extension(format!("{}.csv", std::process::id()));
    loop {
        let done = match random.below(6) {
            0 => db.checkpoint(&CancelToken::default()),
            1 | 2 => db.merge(&CancelToken::default()).map(drop),
            3 => {
                let mut text = "id:ID(Loaded){id-type: int},batch:int,:LABEL\n".to_owned();
                for i in 0..LOADED {
                    text += &format!("{},{batch},Loaded\n", batch * LOADED + i);
                }
                std::fs::write(&file, text).unwrap();
                let loaded = db.load(std::slice::from_ref(&file), None, &db.load_options(), &NoProgress);
                batch += i64::from(loaded.is_ok());
                loaded.map(drop)
            }
            4 => c.query("CREATE INDEX pairs IF NOT EXISTS FOR (p:Pair) ON (p.i)", &[]).map(drop),
            _ => c.query("DROP INDEX pairs IF EXISTS", &[]).map(drop),
        };
        match done {
            Ok(()) | Err(Error::Conflict(_)) => {}
            Err(error) => panic!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(random.below(20) as u64));
    }
}

#[test]
#[ignore = "the process that is followed, which the tests below start"]
fn the_writer() {
    let dir = PathBuf::from(std::env::var(DIRECTORY).unwrap());
    let relaxed = Durability::Relaxed { interval: Duration::from_millis(10) };
    let durability = if std::env::var(RELAXED).is_ok() { relaxed } else { Durability::Durable };
    let db = Database::open(&dir, options().durability(durability)).unwrap();
    let last = check(&db.connect());
    std::thread::scope(|scope| {
        for w in 0..WRITERS {
            let (db, from) = (&db, last.get(&w).map_or(0, |i| i + 1));
            scope.spawn(move || write(db, w, from));
        }
        let (db, dir) = (&db, &dir);
        scope.spawn(move || maintain(db, dir));
    });
}

/// A writing process, and what it has acknowledged so far.
struct Writer {
    child: Child,
    acknowledged: Arc<Mutex<BTreeMap<i64, i64>>>,
    reading: Option<std::thread::JoinHandle<()>>,
}

impl Writer {
    fn start(dir: &Path, is_relaxed: bool) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "followers::the_writer", "--ignored", "--nocapture"]);
        command.env(DIRECTORY, dir).stdout(Stdio::piped());
        if is_relaxed {
            command.env(RELAXED, "1");
        }
        let mut child = command.spawn().unwrap();
        let acknowledged: Arc<Mutex<BTreeMap<i64, i64>>> = Arc::default();
        let (out, all) = (child.stdout.take().unwrap(), Arc::clone(&acknowledged));
        let reading = std::thread::spawn(move || {
            for line in BufReader::new(out).lines() {
                let Ok(line) = line else { return };
                if let ["committed", w, i] = line.split(' ').collect::<Vec<_>>()[..]
                    && let (Ok(w), Ok(i)) = (w.parse(), i.parse())
                {
                    all.lock().unwrap().insert(w, i);
                }
            }
        });
        let writer = Self { child, acknowledged, reading: Some(reading) };
        let started = Instant::now();
        while writer.acknowledged().is_empty() {
            assert!(started.elapsed() < PATIENCE, "the writer does nothing");
            std::thread::sleep(Duration::from_millis(5));
        }
        writer
    }

    fn acknowledged(&self) -> BTreeMap<i64, i64> {
        self.acknowledged.lock().unwrap().clone()
    }

    fn kill(&mut self) -> BTreeMap<i64, i64> {
        self.child.kill().unwrap();
        assert_eq!(self.child.wait().unwrap().code(), None, "the writer ended by itself");
        if let Some(reading) = self.reading.take() {
            reading.join().unwrap();
        }
        self.acknowledged()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What is seen at one moment: the last transaction of each writer, the common counter, loads.
type Seen = (BTreeMap<i64, i64>, i64, i64);

/// Looks at all of it, and whether it is whole.
fn look(c: &Connection) -> Seen {
    let isolation = Some(Isolation::Snapshot);
    c.begin_with(TransactionOptions { isolation, ..TransactionOptions::default() }).unwrap();
    let last = check(c);
    let number = |text: &str| rows(c, text)[0].parse::<i64>().unwrap();
    let ticks = number("OPTIONAL MATCH (t:Tick) RETURN coalesce(max(t.n), 0)");
    let tocks = rows(c, "MATCH (t:Tock) RETURN count(t), count(DISTINCT t.n), coalesce(max(t.n), 0)");
    assert_eq!(tocks, [format!("{ticks} | {ticks} | {ticks}")]);
    let loads = rows(c, "MATCH (l:Loaded) RETURN l.batch, count(l), count(DISTINCT l.id)");
    assert!(loads.iter().all(|load| load.ends_with(&format!(" | {LOADED} | {LOADED}"))), "{loads:?}");
    // By an index, where there is one.
    for (w, i) in &last {
        let params = [("w", Value::Int(*w)), ("i", Value::Int(*i))];
        let mut found = c.query("MATCH (p:Pair {i: $i}) WHERE p.w = $w RETURN count(p)", &params).unwrap();
        let found = found.next_row().unwrap().unwrap();
        assert!(matches!(found[0], Value::Int(2)), "{w} {i}: {found:?}");
    }
    c.commit().unwrap();
    (last, ticks, loads.len() as i64)
}

fn is_at_least(seen: &Seen, before: &Seen) -> bool {
    before.0.iter().all(|(w, i)| seen.0.get(w) >= Some(i)) && seen.1 >= before.1 && seen.2 >= before.2
}

/// Waits until all that was acknowledged is seen; what is seen meanwhile only grows.
fn wait_for(c: &Connection, acknowledged: &BTreeMap<i64, i64>, before: &mut Seen) {
    let started = Instant::now();
    loop {
        let seen = look(c);
        assert!(is_at_least(&seen, before), "{seen:?} after {before:?}");
        *before = seen;
        if acknowledged.iter().all(|(w, i)| before.0.get(w) >= Some(i)) {
            return;
        }
        assert!(
            started.elapsed() < PATIENCE,
            "{acknowledged:?}, seen {before:?}: {:?}",
            rows(c, "SHOW DATABASE")
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What is seen by who has asked for it: all that was acknowledged before, if that lasts, unless the writer
/// has not said so for as long as it is waited for.
fn sees_all(db: &Database, acknowledged: &BTreeMap<i64, i64>, is_relaxed: bool) -> Seen {
    let (c, begun) = (db.connect(), Instant::now());
    loop {
        let asked = Instant::now();
        db.refresh().unwrap();
        let waited = asked.elapsed();
        let seen = look(&c);
        if is_relaxed || acknowledged.iter().all(|(w, i)| seen.0.get(w) >= Some(i)) {
            return seen;
        }
        let is_excused = waited >= ASKED && begun.elapsed() < PATIENCE;
        assert!(is_excused, "{acknowledged:?}, seen {seen:?} after {waited:?}");
    }
}

fn follow_writers(name: &str, is_relaxed: bool) {
    let dir = Directory::new(name);
    let seconds = std::env::var(SECONDS_WANTED).ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let mut writer = Writer::start(dir.path(), is_relaxed);
    let by_itself = Database::open(dir.path(), to_read(Some(5))).unwrap();
    let when_asked = Database::open(dir.path(), to_read(None)).unwrap();
    let (a, b, old) = (by_itself.connect(), when_asked.connect(), by_itself.connect());
    let (mut seen, mut asked) = (look(&a), look(&b));
    let (mut random, mut looks, mut kills) = (Random::new(3), 0, 0);
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        // Somebody who reads on at an old time, whatever comes.
        let isolation = Some(Isolation::Snapshot);
        old.begin_with(TransactionOptions { isolation, ..TransactionOptions::default() }).unwrap();
        let before = graph(&old);
        for _ in 0..1 + random.below(20) {
            let known = writer.acknowledged();
            for (c, seen) in [(&a, &mut seen), (&b, &mut asked)] {
                let now = look(c);
                assert!(is_at_least(&now, seen), "{now:?} after {seen:?}");
                *seen = now;
            }
            looks += 1;
            if random.chance(30) {
                let known = writer.acknowledged();
                asked = sees_all(&when_asked, &known, is_relaxed);
            }
            if random.chance(10) {
                let known = writer.acknowledged();
                let opened = Instant::now();
                let fresh = Database::open(dir.path(), to_read(None)).unwrap();
                let waited = opened.elapsed();
                let seen = look(&fresh.connect());
                let has_all = known.iter().all(|(w, i)| seen.0.get(w) >= Some(i));
                assert!(has_all || is_relaxed || waited >= ASKED, "{known:?}, {seen:?} after {waited:?}");
            }
            if random.chance(10) && !is_relaxed {
                // What lasts is seen a moment later.
                wait_for(&a, &known, &mut seen);
            }
        }
        assert!(graph(&old) == before, "who reads at an old time sees something else");
        old.commit().unwrap();
        if random.chance(20) {
            let known = writer.kill();
            kills += 1;
            let lost = if is_relaxed { BTreeMap::new() } else { known };
            wait_for(&a, &lost, &mut seen);
            when_asked.refresh().unwrap();
            writer = Writer::start(dir.path(), is_relaxed);
        }
    }
    let known = writer.kill();
    let lost = if is_relaxed { BTreeMap::new() } else { known };
    wait_for(&a, &lost, &mut seen);
    by_itself.refresh().unwrap();
    when_asked.refresh().unwrap();
    println!("{looks} looks, {kills} kills, {seen:?}");
    let all = graph(&a);
    assert!(graph(&b) == all);
    let fresh = Database::open(dir.path(), to_read(None)).unwrap();
    assert!(graph(&fresh.connect()) == all);
    drop(fresh);
    let db = Database::open(dir.path(), options()).unwrap();
    assert!(graph(&db.connect()) == all, "what who opens it to write has");
    for file in dir.path().parent().unwrap().read_dir().unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|e| e == "csv")
            && path.with_extension("").with_extension("") == dir.path()
        {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn a_durable_writer_is_followed() {
    follow_writers("followed", false);
}

#[test]
fn a_relaxed_writer_is_followed() {
    follow_writers("followed-relaxed", true);
}

#[test]
fn the_same_path_in_one_process_is_one_database() {
    let dir = Directory::new("followed-here");
    let db = open(&dir);
    run(&db.connect(), &["CREATE (:A {x: 1})"]);
    let reader = Database::open(dir.path(), to_read(None)).unwrap();
    let c = reader.connect();
    run(&db.connect(), &["CREATE (:A {x: 2})"]);
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["1", "2"]);
    assert!(matches!(c.query("CREATE (:A)", &[]), Err(Error::ReadOnly)));
    assert!(matches!(c.query("CREATE INDEX FOR (a:A) ON (a.x)", &[]), Err(Error::ReadOnly)));
    assert!(matches!(c.query("CHECKPOINT", &[]), Err(Error::ReadOnly)));
    c.begin().unwrap();
    assert!(matches!(c.query("MATCH (a:A) SET a.x = 3", &[]), Err(Error::ReadOnly)));
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["1", "2"]);
    c.rollback().unwrap();
    let cancel = CancelToken::default();
    assert!(matches!(reader.checkpoint(&cancel), Err(Error::ReadOnly)));
    assert!(matches!(reader.merge(&cancel), Err(Error::ReadOnly)));
    assert!(matches!(reader.generate_snb(0.01, 1), Err(Error::ReadOnly)));
    let shown = rows(&c, "SHOW DATABASE").len();
    assert_eq!(shown, 1);
    assert!(reader.refresh().is_ok() && reader.stats().following.is_none());
    run(&db.connect(), &["MATCH (a:A) SET a.x = 4"]);
}

/// Whoever opens what is open here already gets what he asked for, or is told that he cannot.
#[test]
fn the_same_path_is_used_as_each_handle_says() {
    let dir = Directory::new("opened-twice");
    let config = || Config::default().durability(Durability::Memory);
    let db = Database::open(dir.path(), config()).unwrap();
    run(&db.connect(), &["CREATE (:A)"]);
    let second = |config: Config| Database::open(dir.path(), config);
    let refused = second(Config::default()).unwrap_err().to_string();
    assert!(refused.contains("with durability \"memory\", which is less than \"durable\""), "{refused}");
    let relaxed = Durability::Relaxed { interval: Duration::from_secs(1) };
    assert!(second(Config::default().durability(relaxed)).is_err());
    // Who only reads is promised nothing.
    assert!(second(Config::default().read_only(true)).is_ok());

    let other = second(
        config().isolation(Isolation::ReadCommitted).file_access(false).timeout(Duration::from_millis(50)),
    );
    let (other, first) = (other.unwrap().connect(), db.connect());
    other.begin().unwrap();
    first.begin().unwrap();
    let levels = rows(&db.connect(), "SHOW TRANSACTIONS YIELD isolation RETURN isolation");
    assert_eq!(levels, ["read committed", "serializable"]);
    first.rollback().unwrap();
    other.rollback().unwrap();
    let path = dir.path().join("out.csv");
    let copy = format!("COPY (UNWIND [1] AS x RETURN x) TO '{}'", path.display());
    let refused = other.query(&copy, &[]).unwrap_err().to_string();
    assert!(refused.contains("may not read or write files here"), "{refused}");
    first.query(&copy, &[]).unwrap();
    // It would take days.
    let long = "UNWIND range(1, 10000000) AS x UNWIND range(1, 10000000) AS y RETURN count(DISTINCT x % y)";
    let late = other.query(long, &[]).and_then(QueryResult::rows);
    assert!(matches!(late, Err(Error::Timeout)), "{late:?}");
    let longer_than_that = "UNWIND range(1, 3000000) AS x RETURN sum(x % 7)";
    first.query(longer_than_that, &[]).and_then(QueryResult::rows).unwrap();
    drop((other, first, db));
    // Closed, it is opened as anybody likes.
    assert!(second(Config::default()).is_ok());
}

/// Who follows has a share of the lock when he asks whether somebody writes: for a moment, which is long
/// where his thread gets no core or his disk is slow. Who opens it to write waits for him.
#[test]
fn who_follows_keeps_nobody_from_writing() {
    let dir = Directory::new("followed-lock");
    drop(open(&dir));
    let lock = std::fs::File::open(dir.path().join("LOCK")).unwrap();
    lock.lock_shared().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            drop(lock);
        });
        run(&open(&dir).connect(), &["CREATE (:A)"]);
    });
}

/// What a newer manifest begins anew is charged as what was there before is.
#[test]
fn what_is_read_after_a_newer_manifest_is_charged() {
    let (written, followed) = (Directory::new("charged-written"), Directory::new("charged-followed"));
    let db = open(&written);
    run(&db.connect(), &["CREATE (:A {x: 1})"]);
    copy(written.path(), followed.path());
    let limit = 4 << 20;
    let reader = Database::open(followed.path(), to_read(None).memory_limit_bytes(limit)).unwrap();
    until(&reader, "MATCH (a:A) RETURN count(a)", &["1"], || {});
    run(&db.connect(), &["CHECKPOINT", "CREATE (:A {x: 2})", "CHECKPOINT"]);
    until(&reader, "MATCH (a:A) RETURN count(a)", &["2"], || copy(written.path(), followed.path()));
    for _ in 0..8 {
        run(
            &db.connect(),
            &["UNWIND range(1, 10000) AS i CREATE (:A {x: i, t: 'a text of some length ' + i})"],
        );
    }
    copy(written.path(), followed.path());
    let started = Instant::now();
    while reader.refresh().is_ok() && reader.stats().following.is_some_and(|lag| lag.error.is_none()) {
        assert!(started.elapsed() < PATIENCE, "{} bytes of a delta fit", reader.stats().delta_bytes);
    }
}

/// Copies the files of a database as they are now.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.file_name() != "LOCK" {
            // As a writer would: the manifest is replaced at once, other files are written within.
            let bytes = std::fs::read(entry.path()).unwrap();
            match entry.file_name().to_str().unwrap() {
                "MANIFEST" => OsFileSystem.write_atomic(&target, &bytes).unwrap(),
                _ => std::fs::write(&target, bytes).unwrap(),
            }
        }
    }
    for entry in to.read_dir().unwrap() {
        let entry = entry.unwrap();
        if !from.join(entry.file_name()).exists() && entry.file_type().unwrap().is_file() {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
}

/// Looks until a query answers so; `before` each look the files are made what they are to be.
fn until(db: &Database, text: &str, wanted: &[&str], before: impl Fn()) {
    let (c, started) = (db.connect(), Instant::now());
    while rows(&c, text) != wanted {
        assert!(
            started.elapsed() < PATIENCE,
            "{text}: {:?}, {:?}",
            rows(&c, text),
            rows(&c, "SHOW DATABASE")
        );
        before();
        let _ = db.refresh();
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn damage_is_told_and_what_was_seen_is_seen_on() {
    let (written, followed) = (Directory::new("followed-written"), Directory::new("followed-damaged"));
    let db = open(&written);
    run(&db.connect(), &["CREATE (:A {x: 1})"]);
    copy(written.path(), followed.path());
    let reader = Database::open(followed.path(), to_read(None)).unwrap();
    let c = reader.connect();
    until(&reader, "MATCH (a:A) RETURN a.x", &["1"], || {});
    let log = followed.path().join("log").join("0000000000000001.log");
    let before = std::fs::read(&log).unwrap();
    for x in 2..5 {
        run(&db.connect(), &[&format!("CREATE (:A {{x: {x}}})")]);
    }
    let started = Instant::now();
    let error = loop {
        // Again and again: some time later the last one is said to last.
        copy(written.path(), followed.path());
        let mut bytes = std::fs::read(&log).unwrap();
        let first = before.iter().zip(&bytes).position(|(a, b)| a != b).unwrap();
        bytes[first + 100] ^= 1;
        std::fs::write(&log, &bytes).unwrap();
        match reader.refresh() {
            Err(error) => break error.to_string(),
            Ok(_) => assert!(started.elapsed() < PATIENCE, "nobody finds the damage"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(error.contains("0000000000000001.log") && error.contains("not valid"), "{error}");
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["1"]);
    let shown = rows(&c, "SHOW DATABASE");
    assert!(shown[0].contains("stale") && shown[0].contains("not valid"), "{shown:?}");
    assert!(reader.stats().following.unwrap().error.is_some());
    // Who opens it now is refused, with file and offset.
    let refused = Database::open(followed.path(), to_read(None)).unwrap_err().to_string();
    assert!(refused.contains("0000000000000001.log") && refused.contains("at byte"), "{refused}");
    let copied = || copy(written.path(), followed.path());
    until(&reader, "MATCH (a:A) RETURN a.x", &["1", "2", "3", "4"], copied);
    assert!(reader.stats().following.unwrap().error.is_none());
    // Another database in its place.
    drop(db);
    drop(written);
    let other = Directory::new("followed-written");
    let db = open(&other);
    run(&db.connect(), &["CREATE (:B)", "CHECKPOINT", "CREATE (:B)", "CHECKPOINT"]);
    copy(other.path(), followed.path());
    let error = reader.refresh().unwrap_err().to_string();
    assert!(error.contains("another database"), "{error}");
    assert_eq!(rows(&c, "MATCH (a:A) RETURN count(a)"), ["4"]);
}

#[test]
fn newer_manifests_take_the_place_of_logs_that_went() {
    let (written, followed) = (Directory::new("followed-goes"), Directory::new("followed-behind"));
    // Nothing is logged: only checkpoints tell.
    let how = options().durability(Durability::Memory);
    let db = Database::open(written.path(), how).unwrap();
    run(&db.connect(), &["CREATE (:A {x: 1})", "CHECKPOINT"]);
    copy(written.path(), followed.path());
    let reader = Database::open(followed.path(), to_read(None)).unwrap();
    let c = reader.connect();
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["1"]);
    run(&db.connect(), &["CREATE (:A {x: 2})"]);
    copy(written.path(), followed.path());
    reader.refresh().unwrap();
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["1"]);
    c.begin().unwrap();
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["1"]);
    run(&db.connect(), &["CHECKPOINT"]);
    copy(written.path(), followed.path());
    let at = reader.refresh().unwrap();
    // Who began before reads on what he saw.
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["1"]);
    c.commit().unwrap();
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.x"), ["1", "2"]);
    drop(db);
    let db = Database::open(written.path(), options()).unwrap();
    // Several segments, all of them gone when somebody looks.
    for i in 0..40 {
        let text =
            format!("UNWIND range(1, 200) AS i CREATE (:B {{i: i, round: {i}, text: 'some text ' + i}})");
        run(&db.connect(), &[&text]);
        if i % 13 == 12 {
            run(&db.connect(), &["CHECKPOINT"]);
        }
    }
    run(&db.connect(), &["MATCH (a:A) DELETE a"]);
    let copied = || copy(written.path(), followed.path());
    copied();
    assert!(reader.refresh().unwrap() > at);
    until(&reader, "MATCH (b:B) RETURN count(b)", &["8000"], copied);
    until(&reader, "MATCH (a:A) RETURN count(a)", &["0"], copied);
    // A copy of before is no later state.
    let old = Directory::new("followed-old");
    copy(followed.path(), old.path());
    run(&db.connect(), &["CREATE (:C)", "CHECKPOINT"]);
    copy(written.path(), followed.path());
    reader.refresh().unwrap();
    copy(old.path(), followed.path());
    let error = reader.refresh().unwrap_err().to_string();
    assert!(error.contains("earlier state"), "{error}");
    assert_eq!(rows(&c, "MATCH (c:C) RETURN count(c)"), ["1"]);
    // A backup of what is seen.
    let backup = Directory::new("followed-backup");
    reader.backup(backup.path()).unwrap();
    let kept = Database::open(backup.path(), to_read(None)).unwrap();
    assert!(graph(&kept.connect()) == graph(&c));
}

/// Files that cannot be written.
#[derive(Debug, Default)]
struct ReadOnlyFiles(AtomicUsize);

impl ReadOnlyFiles {
    fn refuse<T>(&self) -> std::io::Result<T> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(std::io::ErrorKind::ReadOnlyFilesystem.into())
    }
}

impl FileSystem for ReadOnlyFiles {
    fn read(&self, path: &Path, options: RegionOptions) -> std::io::Result<Region> {
        OsFileSystem.read(path, options)
    }
    fn open(&self, path: &Path) -> std::io::Result<Arc<dyn ReadAt>> {
        OsFileSystem.open(path)
    }
    fn write_synced(&self, _: &Path, _: &[&[u8]]) -> std::io::Result<()> {
        self.refuse()
    }
    fn create_sized(&self, _: &Path, _: u64) -> std::io::Result<Arc<dyn WriteAt>> {
        self.refuse()
    }
    fn open_to_write(&self, _: &Path) -> std::io::Result<Arc<dyn WriteAt>> {
        self.refuse()
    }
    fn rename(&self, _: &Path, _: &Path) -> std::io::Result<()> {
        self.refuse()
    }
    fn sync_dir(&self, _: &Path) -> std::io::Result<()> {
        self.refuse()
    }
    fn create_dir(&self, _: &Path) -> std::io::Result<()> {
        self.refuse()
    }
    /// Also what a list may have while a manifest takes the place of another: neither of them.
    fn list(&self, path: &Path) -> std::io::Result<Vec<String>> {
        Ok(OsFileSystem.list(path)?.into_iter().filter(|name| name != "MANIFEST").collect())
    }
    fn remove(&self, _: &Path) -> std::io::Result<()> {
        self.refuse()
    }
    fn remove_dir(&self, _: &Path) -> std::io::Result<()> {
        self.refuse()
    }
    fn exists(&self, path: &Path) -> bool {
        OsFileSystem.exists(path)
    }
}

#[test]
fn nothing_is_written_by_who_reads() {
    let dir = Directory::new("followed-media");
    let db = open(&dir);
    run(&db.connect(), &["CREATE (:A {x: 1})-[:R {y: 2}]->(:A {x: 3})", "CHECKPOINT", "CREATE (:A {x: 4})"]);
    let all = graph(&db.connect());
    drop(db);
    let listed = |dir: &Path| {
        let mut all: Vec<_> = dir.read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
        all.sort();
        all
    };
    let before = listed(dir.path());
    let files = Arc::new(ReadOnlyFiles::default());
    let reader =
        Database::open_on(Arc::clone(&files) as Arc<dyn FileSystem>, dir.path(), to_read(None)).unwrap();
    assert_eq!(graph(&reader.connect()), all);
    reader.refresh().unwrap();
    reader.close().unwrap();
    assert_eq!(files.0.load(Ordering::Relaxed), 0, "somebody wanted to write");
    let reader = Database::open(dir.path(), to_read(Some(1))).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(graph(&reader.connect()), all);
    drop(reader);
    assert_eq!(listed(dir.path()), before);
}
