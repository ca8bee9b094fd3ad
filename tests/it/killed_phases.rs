//! Kills that fall into one phase: a merge, a checkpoint, the making of a segment of the log, a bulk load,
//! the making of an index. Writers are at work meanwhile. What was acknowledged is there when the database is
//! opened again, nothing is there in part, and indexes find what scans find.
//!
//! The process says when a phase begins and when it is over; a kill counts where it has not said that it is
//! over. How long to wait before the kill is learnt from those that were missed.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use trimorph::{CancelToken, Config, Connection, Database, Error, NoProgress, Value};
use trimorph_base::Random;
use trimorph_vfs::{FileSystem, OsFileSystem, ReadAt, Region, RegionOptions, WriteAt};

use crate::durable::{Directory, config, rows, run};
use crate::killed::{check, write_one};

const PHASES: [&str; 5] = ["merge", "checkpoint", "switch", "load", "index"];
const DIRECTORY: &str = "TRIMORPH_PHASE_DIRECTORY";
const PHASE: &str = "TRIMORPH_PHASE";
/// Kills within each phase, unless the environment says how many.
const KILLS: usize = 2;
const KILLS_WANTED: &str = "TRIMORPH_KILLS_OF_A_PHASE";
/// After so many the next one gets a new directory.
const KILLS_OF_A_DIRECTORY: usize = 25;
const WRITERS: i64 = 3;
const LOADED: i64 = 300;
/// Nodes that are there from the start: phases take a while.
const BULK: i64 = 4_000;

fn options(phase: &str) -> Config {
    let log_segment_bytes = if phase == "switch" { 4 << 10 } else { 64 << 10 };
    config().log_segment_bytes(log_segment_bytes)
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
}

/// The system's files, which say when a segment of the log is made.
#[derive(Debug)]
struct Telling;

fn is_new_segment(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".log.tmp")
}

impl FileSystem for Telling {
    fn read(&self, path: &Path, options: RegionOptions) -> std::io::Result<Region> {
        OsFileSystem.read(path, options)
    }
    fn open(&self, path: &Path) -> std::io::Result<Arc<dyn ReadAt>> {
        OsFileSystem.open(path)
    }
    fn write_synced(&self, path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
        OsFileSystem.write_synced(path, parts)
    }
    fn create_sized(&self, path: &Path, len: u64) -> std::io::Result<Arc<dyn WriteAt>> {
        if is_new_segment(path) {
            say("begin switch");
        }
        OsFileSystem.create_sized(path, len)
    }
    fn open_to_write(&self, path: &Path) -> std::io::Result<Arc<dyn WriteAt>> {
        OsFileSystem.open_to_write(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        if is_new_segment(to) {
            say("begin switch");
        }
        OsFileSystem.rename(from, to)
    }
    fn sync_dir(&self, path: &Path) -> std::io::Result<()> {
        let done = OsFileSystem.sync_dir(path);
        if path.ends_with("log") {
            say("end switch");
        }
        done
    }
    fn create_dir(&self, path: &Path) -> std::io::Result<()> {
        OsFileSystem.create_dir(path)
    }
    fn list(&self, path: &Path) -> std::io::Result<Vec<String>> {
        OsFileSystem.list(path)
    }
    fn remove(&self, path: &Path) -> std::io::Result<()> {
        OsFileSystem.remove(path)
    }
    fn remove_dir(&self, path: &Path) -> std::io::Result<()> {
        OsFileSystem.remove_dir(path)
    }
    fn exists(&self, path: &Path) -> bool {
        OsFileSystem.exists(path)
    }
}

/// Goes through the phase over and over.
fn go_through(db: &Database, phase: &str, dir: &Path) {
    let c = db.connect();
    let first = rows(&c, "MATCH (l:Loaded) RETURN coalesce(max(l.batch), -1) + 1");
    let mut batch: i64 = first[0].parse().unwrap();
    let file = dir.with_extension("csv");
    loop {
        let text = "MATCH (b:Bulk) WHERE b.i % 50 = $m SET b.x = coalesce(b.x, 0) + 1";
        let written = c.query(text, &[("m", Value::Int(batch % 50))]);
        assert!(matches!(written, Ok(_) | Err(Error::Conflict(_))), "{:?}", written.err());
        let wanted = phase != "switch";
        if phase == "load" {
            let mut text = "id:ID(Loaded){id-type: int},batch:int,:LABEL\n".to_owned();
            for i in 0..LOADED {
                text += &format!("{},{batch},Loaded\n", batch * LOADED + i);
            }
            std::fs::write(&file, text).unwrap();
        }
        if wanted {
            say(&format!("begin {phase}"));
        }
        let done = match phase {
            "merge" => db.merge(&CancelToken::default()).map(drop),
            "checkpoint" => db.checkpoint(&CancelToken::default()),
            "load" => {
                let done = db.load(std::slice::from_ref(&file), None, &db.load_options(), &NoProgress);
                batch += i64::from(done.is_ok());
                done.map(drop)
            }
            "index" => c.query("CREATE INDEX bulk IF NOT EXISTS FOR (b:Bulk) ON (b.text)", &[]).map(drop),
            _ => Ok(()),
        };
        if wanted {
            say(&format!("end {phase}"));
        }
        if phase == "load" && done.is_ok() {
            say(&format!("loaded {}", batch - 1));
        }
        assert!(matches!(done, Ok(()) | Err(Error::Conflict(_))), "{:?}", done.err());
        if phase == "index" {
            run(&c, &["DROP INDEX bulk IF EXISTS"]);
        }
        batch += i64::from(phase != "load");
    }
}

#[test]
#[ignore = "the process that is killed, which the test below starts"]
fn the_child() {
    let dir = PathBuf::from(std::env::var(DIRECTORY).unwrap());
    let phase = std::env::var(PHASE).unwrap();
    let db = match phase.as_str() {
        "switch" => Database::open_on(Arc::new(Telling), &dir, options(&phase)).unwrap(),
        _ => Database::open(&dir, options(&phase)).unwrap(),
    };
    let last = check(&db.connect());
    std::thread::scope(|scope| {
        for w in 0..WRITERS {
            let (c, from) = (db.connect(), last.get(&w).map_or(0, |i| i + 1));
            scope.spawn(move || {
                for i in from.. {
                    while let Err(error) = write_one(&c, w, i) {
                        assert!(matches!(error, Error::Conflict(_)), "{error}");
                    }
                    say(&format!("committed {w} {i}"));
                }
            });
        }
        go_through(&db, &phase, &dir);
    });
}

/// What a process said before it was killed.
#[derive(Default)]
struct Said {
    committed: BTreeMap<i64, i64>,
    loaded: Option<i64>,
    /// Whether it was within the phase.
    is_within: bool,
}

/// Kills a process `wait` after its phase has begun for the `nth` time.
fn kill_one(dir: &Path, phase: &str, nth: usize, wait: Duration) -> Said {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_phases::the_child", "--ignored", "--nocapture"])
        .env(DIRECTORY, dir)
        .env(PHASE, phase)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut said, mut begun) = (Said::default(), 0);
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["committed", w, i] => drop(said.committed.insert(w.parse().unwrap(), i.parse().unwrap())),
            ["loaded", batch] => said.loaded = batch.parse().ok(),
            ["begin", _] => {
                (said.is_within, begun) = (true, begun + 1);
                if begun == nth {
                    std::thread::sleep(wait);
                    child.kill().unwrap();
                }
            }
            ["end", _] => said.is_within = false,
            _ => {}
        }
    }
    let code = child.wait().unwrap().code();
    assert_eq!(code, None, "the child ended by itself in {phase}");
    said
}

/// Whether everything is whole; the last load.
fn look(c: &Connection) -> (BTreeMap<i64, i64>, i64) {
    let last = check(c);
    let loads = rows(c, "MATCH (l:Loaded) RETURN l.batch, count(l), count(DISTINCT l.id)");
    assert!(loads.iter().all(|load| load.ends_with(&format!(" | {LOADED} | {LOADED}"))), "{loads:?}");
    let bulk = rows(c, "MATCH (b:Bulk) RETURN count(b), count(DISTINCT b.i), count(DISTINCT b.text)");
    assert_eq!(bulk, [format!("{BULK} | {BULK} | {BULK}")]);
    for i in [0, 77, BULK - 1] {
        let text = format!("MATCH (b:Bulk {{text: 'text {i}'}}) RETURN b.i");
        assert_eq!(rows(c, &text), [i.to_string()]);
    }
    (last, loads.len() as i64)
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill_in_each_phase() {
    let kills = std::env::var(KILLS_WANTED).ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    for phase in PHASES {
        let (mut random, mut within, mut missed) = (Random::new(5), 0, 0);
        let mut limit = Duration::from_millis(4);
        let mut dir: Option<Directory> = None;
        let mut acknowledged: BTreeMap<i64, i64> = BTreeMap::new();
        while within < kills {
            if dir.is_none() || (within + missed) % KILLS_OF_A_DIRECTORY == 0 {
                drop(dir.take());
                acknowledged.clear();
                let new = Directory::new(&format!("killed-in-{phase}-{}", within + missed));
                let db = Database::open(new.path(), options(phase)).unwrap();
                let text =
                    format!("UNWIND range(0, {BULK} - 1) AS i CREATE (:Bulk {{i: i, text: 'text ' + i}})");
                run(&db.connect(), &[&text]);
                // The next process takes no lock in one phase: nothing may be at work any more.
                db.close().unwrap();
                dir = Some(new);
            }
            let place = dir.as_ref().unwrap().path();
            let wait = limit.mul_f64(random.below(1_000) as f64 / 1_000.0);
            let said = kill_one(place, phase, 1 + random.below(4), wait);
            *if said.is_within { &mut within } else { &mut missed } += 1;
            limit = limit.mul_f64(if said.is_within { 1.05 } else { 0.9 });
            let db = Database::open(place, options(phase)).unwrap();
            let (last, loads) = look(&db.connect());
            acknowledged.extend(said.committed);
            for w in 0..WRITERS {
                let done = acknowledged.get(&w).copied().unwrap_or(-1);
                let there = last.get(&w).copied().unwrap_or(-1);
                assert!(
                    there == done || there == done + 1,
                    "{phase}, {w}: {done} acknowledged, {there} there"
                );
                if there >= 0 {
                    acknowledged.insert(w, there);
                }
            }
            assert!(loads > said.loaded.unwrap_or(-1), "{phase}: {loads} loads, {:?}", said.loaded);
            db.close().unwrap();
            Database::check(place).unwrap();
            let _ = std::fs::remove_file(place.with_extension("csv"));
        }
        println!("{phase}: {within} kills within, {missed} besides");
    }
}
