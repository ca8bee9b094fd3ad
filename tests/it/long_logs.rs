//! Logs that say more than the delta is to hold: what was committed is the same, whether it is merged while
//! the log is replayed or stays where it is; and so is what is written on top of it.

use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, OnceLock};

use trimorph::{CancelToken, Config, Connection, Database, Error, OnConflict};
use trimorph_base::Random;
use trimorph_vfs::{FileSystem, OsFileSystem, ReadAt, Region, RegionOptions, WriteAt};

use crate::durable::{Directory, config, graph, rows, run};
use crate::live_loads::{Files, load};

/// A limit under which the delta is merged at every 6 MB, and one under which it is not.
const SMALL: usize = 24 << 20;
const LARGE: usize = 2 << 30;

fn with(limit: usize) -> Config {
    config().memory_limit_bytes(limit)
}

/// Statements of one thread, which has nodes of its own: no conflict changes what they do.
fn statements(seed: u64, thread: usize, rounds: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for round in 0..rounds {
        let (from, back) = (round * 1_000, random.below(round + 1) * 1_000);
        let of = |from: usize| format!("n.of = {thread} AND n.id >= {from} AND n.id < {}", from + 1_000);
        all.push(format!(
            "UNWIND range({from}, {from} + 999) AS i CREATE (n:N {{id: i, of: {thread}, key: i * 10 + {thread}, \
             text: 'text ' + toString(i % 77)}})-[:R {{w: i}}]->(:M {{id: i, of: {thread}}})-[:S]->(n)"
        ));
        let (a, b, c) = (random.below(7) + 2, random.below(5) + 2, random.below(9) + 2);
        all.push(match random.below(8) {
            0 => format!("MATCH (n:N) WHERE {} DETACH DELETE n", of(back)),
            1 => format!("MATCH (n:N)-[r:R]->() WHERE {} AND r.w % {a} = 0 DELETE r", of(back)),
            2 => format!("MATCH (n:N) WHERE {} AND n.id % {a} = 0 SET n.text = n.id", of(back)),
            3 => format!("MATCH (n:N) WHERE {} AND n.id % {b} = 0 REMOVE n.text SET n:Other", of(back)),
            4 => format!("MATCH (n:N)-[r:R]->() WHERE {} SET r.w = -r.w, r.late = 'late'", of(back)),
            5 => format!(
                "MATCH (n:N), (m:M) WHERE {} AND m.of = {thread} AND m.id = n.id AND n.id % {c} = 0 \
                 CREATE (m)-[:R {{w: 1}}]->(n)",
                of(back)
            ),
            6 => format!("MATCH (n:N) WHERE {} AND n.id % {c} = 1 DETACH DELETE n", of(back)),
            _ => format!("MATCH (n:Other) WHERE {} REMOVE n:Other SET n.more = [n.id]", of(back)),
        });
    }
    all
}

/// The graph by what users gave it, whatever ids things have.
fn content(c: &Connection) -> Vec<Vec<String>> {
    [
        "MATCH (n) RETURN labels(n), properties(n)",
        "MATCH (a)-[r]->(b) RETURN a.of, a.id, type(r), properties(r), b.id",
        "MATCH (n:N) WHERE n.key >= 3000 AND n.key < 9000 RETURN n.key, n.id",
        "UNWIND range(0, 20000, 7) AS k MATCH (n:N {key: k}) RETURN k, n.of",
        "MATCH (n:N) RETURN count(n), count(DISTINCT n.text)",
    ]
    .map(|text| rows(c, text))
    .into()
}

#[test]
fn a_log_that_is_merged_while_it_is_replayed_says_the_same() {
    let seed = 1;
    let dirs = [SMALL, LARGE].map(|limit| Directory::new(&format!("long-logs-{seed}-{limit}")));
    let before = {
        let db = Database::open(dirs[0].path(), with(LARGE).background_merges(false)).unwrap();
        run(&db.connect(), &["CREATE (:N {id: -1, of: 7})-[:R {w: 0}]->(:M {id: -1, of: 7})"]);
        db.checkpoint(&CancelToken::default()).unwrap();
        let c = db.connect();
        run(&c, &["CREATE INDEX x FOR (n:N) ON (n.id)"]);
        run(&c, &["CREATE CONSTRAINT y FOR (n:N) REQUIRE n.key IS UNIQUE"]);
        // Beside each other, so that the log is not in the order of their times.
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let c = db.connect();
                let texts = statements(seed * 2 + thread as u64, thread, 12);
                scope.spawn(move || texts.iter().for_each(|text| run(&c, &[text])));
            }
        });
        graph(&c)
    };
    copy(&dirs[0], &dirs[1]);
    let open = |at: usize| Database::open(dirs[at].path(), with([SMALL, LARGE][at])).unwrap();
    // Merged on the way or not, and once more after it was only read.
    let left = [0, 1].map(|at| {
        let db = open(at);
        let left = db.stats().delta_bytes;
        assert_eq!(graph(&db.connect()), before, "{at}");
        left
    });
    assert!(left[0] < left[1] / 2, "{left:?} bytes are left in the delta");
    // Rows and places that are free are given again, and others are not.
    let after = [0, 1].map(|at| {
        drop(open(at));
        let db = Database::open(dirs[at].path(), with([SMALL, LARGE][at]).read_only(true)).unwrap();
        assert_eq!(graph(&db.connect()), before, "seed {seed}, {at}, read-only");
        drop(db);
        let db = open(at);
        let c = db.connect();
        statements(seed + 100, 5, 6).iter().for_each(|text| run(&c, &[text]));
        // Keys of these are there, but for those that went: some are refused.
        statements(seed + 200, 0, 3).iter().for_each(|text| drop(c.query(text, &[])));
        let written = content(&c);
        db.checkpoint(&CancelToken::default()).unwrap();
        assert_eq!(content(&c), written, "seed {seed}, {at}: merged");
        drop((c, db));
        assert_eq!(content(&open(at).connect()), written, "seed {seed}, {at}: opened again");
        assert!(Database::check(dirs[at].path()).is_ok(), "seed {seed}, {at}");
        written
    });
    assert_eq!(after[0], after[1], "seed {seed}");
}

fn copy(from: &Directory, to: &Directory) {
    copy_files(from.path(), to.path());
}

/// The system's files, which let somebody act before a folder is made and before a file is written.
struct Acting<F>(F);

impl<F> std::fmt::Debug for Acting<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Acting")
    }
}

impl<F: Fn(&Path) + Send + Sync> FileSystem for Acting<F> {
    fn read(&self, path: &Path, options: RegionOptions) -> std::io::Result<Region> {
        OsFileSystem.read(path, options)
    }
    fn open(&self, path: &Path) -> std::io::Result<Arc<dyn ReadAt>> {
        OsFileSystem.open(path)
    }
    fn write_synced(&self, path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
        (self.0)(path);
        OsFileSystem.write_synced(path, parts)
    }
    fn create_sized(&self, path: &Path, len: u64) -> std::io::Result<Arc<dyn WriteAt>> {
        OsFileSystem.create_sized(path, len)
    }
    fn open_to_write(&self, path: &Path) -> std::io::Result<Arc<dyn WriteAt>> {
        OsFileSystem.open_to_write(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        OsFileSystem.rename(from, to)
    }
    fn sync_dir(&self, path: &Path) -> std::io::Result<()> {
        OsFileSystem.sync_dir(path)
    }
    fn create_dir(&self, path: &Path) -> std::io::Result<()> {
        (self.0)(path);
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

/// Beside a load others write much, to the label and the type that are the load's too, and the process dies
/// before a checkpoint has any of it. Small memory merges while it reads the log, but not what the load's
/// record is to find unmerged; and what comes behind it is merged as ever.
#[test]
fn a_load_beside_others_in_a_log_that_is_merged_while_it_is_replayed() {
    let dirs = ["", "-small", "-large"].map(|name| Directory::new(&format!("long-log-load{name}")));
    let [dir, small, large] = &dirs;
    let files = Files::new("long-log-load");
    let nodes: String = (1_000..1_200).map(|i| format!("{i},loaded {i},New\n")).collect();
    let edges: String = (1_000..1_199).map(|i| format!("{i},{},TO,{i}\n", i + 1)).collect();
    let paths = [
        files.put("nodes.csv", &format!("id:ID(New){{id-type: int}},name,:LABEL\n{nodes}")),
        files.put("edges.csv", &format!(":START_ID(New),:END_ID(New),:TYPE,w:int\n{edges}")),
    ];
    let (beside, phase) = (Arc::new(OnceLock::<Database>::new()), Arc::new(AtomicUsize::new(0)));
    let act = {
        let (beside, phase) = (Arc::clone(&beside), Arc::clone(&phase));
        let (from, to) = (dir.path().to_owned(), small.path().to_owned());
        move |path: &Path| {
            let Some(db) = beside.get() else { return };
            let is_of_load = path.strip_prefix(from.join("loads")).is_ok_and(|rest| rest.iter().count() == 1);
            if is_of_load && phase.compare_exchange(0, 1, SeqCst, SeqCst).is_ok() {
                let c = db.connect();
                for of in 0..4 {
                    let text = format!(
                        "UNWIND range(0, 9999) AS i CREATE (n:New {{id: 10000 + {of} * 10000 + i, \
                         name: 'other ' + i}})-[:TO {{w: -i}}]->(n)"
                    );
                    run(&c, &[&text]);
                }
            }
            if path.ends_with("MANIFEST.tmp")
                && path.parent() == Some(from.as_path())
                && phase.load(SeqCst) == 1
            {
                phase.store(2, SeqCst);
                // Behind the load's record, which is synced, as more transactions.
                run(
                    &db.connect(),
                    &[
                        "MATCH (n:New) WHERE n.id % 3 = 0 SET n.name = 'later ' + n.id",
                        "MATCH (n:New) WHERE n.id % 2 = 0 CREATE (n)-[:TO {w: 7}]->(:New {id: -n.id})",
                        "MATCH (n:New)-[r:TO]->() WHERE n.id % 5 = 0 DELETE r",
                    ],
                );
                copy_files(&from, &to);
            }
        }
    };
    let db =
        Database::open_on(Arc::new(Acting(act)), dir.path(), with(LARGE).background_merges(false)).unwrap();
    run(&db.connect(), &["CREATE (:Old {id: 1})"]);
    assert!(beside.set(db.clone()).is_ok());
    load(&db, &paths, OnConflict::Error).unwrap();
    assert_eq!(phase.load(SeqCst), 2, "nothing was written beside the load");
    let before = graph(&db.connect());
    copy(small, large);
    for (dir, limit) in [(small, 4 << 20), (large, LARGE)] {
        let reader = Database::open(dir.path(), with(limit.max(32 << 20)).read_only(true)).unwrap();
        assert_eq!(graph(&reader.connect()), before, "{limit}, read-only");
        drop(reader);
        let db = Database::open(dir.path(), with(limit)).unwrap();
        let left = db.stats().delta_bytes;
        assert_eq!(graph(&db.connect()), before, "{limit}");
        assert!(limit == LARGE || left < 4 << 20, "{left} bytes are left in the delta");
        // The key is the load's: of those that were made beside it as well.
        let twice = db.connect().query("CREATE (:New {id: 10007})", &[]);
        assert!(twice.is_err(), "{limit}: a key twice");
        db.close().unwrap();
        assert_eq!(graph(&Database::open(dir.path(), with(LARGE)).unwrap().connect()), before, "{limit}");
    }
}

fn copy_files(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-r").arg(from).arg(to).status();
    assert!(copied.unwrap().success());
}

/// A log that says far more than the memory of who only reads: what it says is merged as it is read, and what
/// its writer goes on to write as well; where even that does not fit it is told what helps.
#[test]
fn who_only_reads_needs_no_room_for_the_delta_of_a_long_log() {
    let dir = Directory::new("long-logs-read");
    // Not known to this process by its path: who reads it is another database.
    let fs: Arc<dyn FileSystem> = Arc::new(OsFileSystem);
    let long = with(LARGE).background_merges(false).log_segment_bytes(16 << 20);
    let db = Database::open_on(fs, dir.path(), long).unwrap();
    let c = db.connect();
    let write = |text: &str, from: usize| {
        for of in from..from + 10 {
            let text = format!(
                "UNWIND range({of} * 3000, {of} * 3000 + 2999) AS i CREATE (n:N {{id: i, text: {text}}})\
                 -[:R {{w: i}}]->(:M {{id: i}})"
            );
            run(&c, &[&text]);
        }
    };
    write("'text ' + i % 77", 0);
    let limit = 6 << 20;
    assert!(db.stats().delta_bytes > limit, "{} bytes", db.stats().delta_bytes);
    let reader = Database::open(dir.path(), with(limit).read_only(true).follow_interval(None)).unwrap();
    let asked =
        "MATCH (n:N)-[r:R]->(m:M) WHERE n.id = m.id RETURN count(*), sum(r.w), count(DISTINCT n.text)";
    assert_eq!(rows(&reader.connect(), asked), rows(&c, asked));
    assert!(reader.stats().delta_bytes < limit / 2, "{} bytes", reader.stats().delta_bytes);
    // What comes goes into the delta, and is merged when there is no room for it.
    for part in 1..4 {
        write("'text ' + i % 77", part * 10);
        // The first look may find that there is no room, the next one makes it.
        let _ = reader.refresh();
        reader.refresh().unwrap();
        assert_eq!(rows(&reader.connect(), asked), rows(&c, asked), "{part}");
    }
    drop(reader);
    write("toString(rand()) + toString(rand()) + toString(rand())", 40);
    write("toString(rand()) + toString(rand()) + toString(rand())", 50);
    let refused = Database::open(dir.path(), with(limit / 4).read_only(true)).err();
    assert!(matches!(refused, Some(Error::MemoryOfLog(_))), "{refused:?}");
    assert!(refused.unwrap().to_string().contains("CHECKPOINT"));
    run(&c, &["CHECKPOINT"]);
    let reader = Database::open(dir.path(), with(limit / 4).read_only(true)).unwrap();
    assert_eq!(rows(&reader.connect(), "MATCH (n:N) RETURN count(n)"), ["180000"]);
}
