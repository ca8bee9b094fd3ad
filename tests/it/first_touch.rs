//! A database in files: what is read when it is opened and when it is asked, what happens when memory is
//! shorter than the data, and when a part of a file is damaged.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph::{CancelToken, Config, Database, Error, NoProgress, Stats};
use trimorph_base::MemoryBudget;
use trimorph_store::{Reader, Snapshot, open_checkpoint, pieces_of, write_main};
use trimorph_testkit::graphs::{LoadOptions, RandomGraph, random_graph};
use trimorph_testkit::interpreter::Graph;
use trimorph_vfs::{MemoryFileSystem, OsFileSystem, Pool, RegionOptions};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A network in a directory, closed.
fn network(name: &str, scale: f64) -> (Folder, PathBuf) {
    let path = std::env::temp_dir().join(format!("trimorph-{name}-{}", std::process::id()));
    let folder = Folder(path.clone());
    Database::open(&path, Config::default()).unwrap().generate_snb(scale, 7).unwrap();
    (folder, path)
}

/// Opens it beside others.
fn open(path: &Path, config: Config) -> Database {
    Database::open(path, config.read_only(true)).unwrap()
}

fn rows(db: &Database, query: &str) -> Result<Vec<String>, Error> {
    let connection = db.connect();
    let mut result = connection.execute(query, Arc::new(BTreeMap::new()))?;
    let mut rows = Vec::new();
    while let Some(row) = result.next_row()? {
        rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    result.entities().failure().map_or(Ok(rows), |error| Err(Error::Storage(error.to_string())))
}

/// What a step read: pieces and bytes.
fn read_by<T>(db: &Database, step: impl FnOnce() -> T) -> (T, u64, u64) {
    let before = db.stats();
    let made = step();
    let Stats { pieces_read, bytes_read, .. } = db.stats();
    (made, pieces_read - before.pieces_read, bytes_read - before.bytes_read)
}

/// Questions of many kinds, whose answers have one order.
const QUESTIONS: [&str; 16] = [
    "MATCH (p:Person) RETURN count(*)",
    "MATCH (p:Person) RETURN p.id, p.firstName, p.lastName, p.birthday ORDER BY p.id LIMIT 50",
    "MATCH (p:Person) RETURN p.gender, count(*), min(p.creationDate), max(p.lastName) ORDER BY p.gender",
    "MATCH (p:Person)-[k:KNOWS]-(q:Person) RETURN p.id, q.id, k.creationDate ORDER BY p.id, q.id LIMIT 200",
    "MATCH (p:Person)-[:KNOWS]->(q)-[:KNOWS]->(r) RETURN count(*)",
    "MATCH (p:Person)-[k:KNOWS]->(q) WHERE k.creationDate > datetime('2011-06-01') RETURN count(*)",
    "MATCH (m:Message)-[:HAS_CREATOR]->(p:Person) RETURN p.id, count(m) AS n ORDER BY n DESC, p.id LIMIT 20",
    "MATCH (m:Message) WHERE m.content CONTAINS 'about' RETURN m.id, m.content ORDER BY m.id LIMIT 30",
    "MATCH (c:Comment)-[:REPLY_OF*]->(p:Post) RETURN p.id, count(*) AS n ORDER BY n DESC, p.id LIMIT 20",
    "MATCH (t:Tag)<-[:HAS_TAG]-(m) RETURN t.name, count(*) AS n, collect(m.id)[0..3] IS NOT NULL ORDER BY n DESC, t.name LIMIT 20",
    "MATCH (p:Person) OPTIONAL MATCH (p)-[:WORK_AT]->(o) RETURN p.id, collect(o.name) AS names ORDER BY p.id LIMIT 40",
    "MATCH (a:Person)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)",
    "MATCH (f:Forum)-[m:HAS_MEMBER]->(p) WITH f, count(p) AS n, max(m.joinDate) AS last ORDER BY n DESC, f.id LIMIT 10 RETURN f.title, n, last",
    "MATCH (p:Person) WITH DISTINCT p.browserUsed AS b UNWIND [1, 2] AS x RETURN b, x ORDER BY b, x",
    "MATCH (p:Person) WHERE p.lastName STARTS WITH 'A' RETURN count(*), min(p.firstName)",
    "MATCH (p:Person) WHERE EXISTS { (p)<-[:HAS_CREATOR]-(m:Post) WHERE m.length > 20 } RETURN count(p)",
];

#[test]
fn opening_reads_directories_and_a_look_up_a_few_pieces() {
    let (_dir, path) = network("opening", 0.2);
    let db = open(&path, Config::default());
    let opened = db.stats();
    assert!(opened.bytes_read * 20 < opened.piece_bytes as u64, "{} bytes read", opened.bytes_read);
    let (count, pieces, _) = read_by(&db, || rows(&db, "MATCH (p:Person) RETURN count(*)").unwrap());
    assert_eq!((count.len(), pieces), (1, 0), "a count is known without reading");
    let person = rows(&db, "MATCH (p:Person) RETURN min(p.id)").unwrap().remove(0);
    let db = open(&path, Config::default());
    let look = format!("MATCH (p:Person {{id: {person}}}) RETURN p.firstName");
    let (found, pieces, bytes) = read_by(&db, || rows(&db, &look).unwrap());
    assert_eq!(found.len(), 1);
    // The key index, the key, the name, its dictionary or table.
    assert!((2..=6).contains(&pieces), "{pieces} pieces");
    assert!(bytes * 20 < opened.piece_bytes as u64, "{bytes} bytes");
    let stats = db.stats();
    assert!(stats.resident_bytes < (stats.bytes_read as usize) + (pieces as usize + 40) * 8192);
    assert_eq!(read_by(&db, || rows(&db, &look).unwrap()).1, 0, "nothing is read twice");
}

#[test]
fn planning_reads_few_segments_of_a_large_table() {
    // 20 segments, whose values no range tells apart.
    const ROWS: u64 = 20 * 65_536;
    let path = std::env::temp_dir().join(format!("trimorph-planning-{}", std::process::id()));
    let _dir = Folder(path.clone());
    std::fs::create_dir_all(&path).unwrap();
    let mut csv = String::from("id:ID,v:int,:LABEL\n");
    for id in 0..ROWS {
        writeln!(csv, "{id},{},A", id * 7919 % 1_000_003).unwrap();
    }
    let nodes = path.join("nodes.csv");
    std::fs::write(&nodes, csv).unwrap();
    let files = path.join("db");
    let made = Database::open(&files, Config::default()).unwrap();
    made.load(&[nodes], None, &made.load_options(), &NoProgress).unwrap();
    drop(made);
    let db = open(&files, Config::default());
    for (query, most) in [
        // A key needs no estimate; the index, the key and the value are read.
        ("MATCH (a:A {id: '77'}) RETURN a.v", 4),
        ("EXPLAIN MATCH (a:A) WHERE a.v = 5 RETURN a.id", 16),
        // Whole segments are out of the range, or in it.
        ("EXPLAIN MATCH (a:A) WHERE a.v < 0 RETURN a.id", 0),
        ("EXPLAIN MATCH (a:A) WHERE a.v > -5 RETURN a.id", 0),
    ] {
        let (_, pieces, _) = read_by(&db, || rows(&db, query).unwrap());
        assert!(pieces <= most, "{query}: {pieces} pieces");
    }
}

#[test]
fn preloaded_tables_are_read_once_and_by_name() {
    let (_dir, path) = network("preload", 0.1);
    let db = open(&path, Config::new().threads(2));
    let cancel = CancelToken::default();
    let (loaded, some, _) = read_by(&db, || db.preload(Some(&["Person", "KNOWS"]), &cancel));
    loaded.unwrap();
    assert!(some > 0);
    let query =
        "MATCH (p:Person)-[k:KNOWS]->(q:Person) RETURN max(p.lastName), max(k.creationDate), max(q.id)";
    assert_eq!(read_by(&db, || rows(&db, query).unwrap()).1, 0);
    assert!(read_by(&db, || db.preload(None, &cancel).unwrap()).1 > some);
    assert_eq!(read_by(&db, || db.preload(None, &cancel).unwrap()).1, 0);
    for query in QUESTIONS {
        assert_eq!(read_by(&db, || rows(&db, query).unwrap()).1, 0, "{query}");
    }
    let unknown = db.preload(Some(&["Persn"]), &cancel).unwrap_err().to_string();
    assert!(unknown.contains("Persn"), "{unknown}");
    cancel.cancel();
    let db = open(&path, Config::default());
    assert!(matches!(db.preload(None, &cancel), Err(Error::Cancelled)));
}

#[test]
fn answers_are_the_same_in_half_the_memory() {
    let (_dir, path) = network("half", 0.2);
    let whole = open(&path, Config::default());
    let bytes = whole.stats().piece_bytes;
    for threads in [1, 2] {
        let config = Config::new().memory_limit_bytes(bytes / 2).threads(threads);
        let small = open(&path, config);
        let mut refused = 0;
        for query in QUESTIONS.iter().chain(&QUESTIONS) {
            match rows(&small, query) {
                Ok(found) => assert_eq!(found, rows(&whole, query).unwrap(), "{query}"),
                // What a query makes must fit, too.
                Err(Error::Memory(_)) => refused += 1,
                Err(error) => panic!("{query}: {error}"),
            }
            let stats = small.stats();
            assert!(stats.resident_bytes <= bytes / 2, "{} of {bytes} bytes", stats.resident_bytes);
        }
        println!("{refused} of 32 refused, {} pieces dropped", small.stats().pieces_dropped);
        assert!(refused < 16, "{refused} of 32 refused");
    }
}

/// What a query keeps, and the pieces that it reads meanwhile, are together more than there is room for:
/// what is kept goes to files before a piece cannot be read.
#[test]
fn what_is_kept_leaves_room_for_what_is_read() {
    let path = std::env::temp_dir().join(format!("trimorph-kept-{}", std::process::id()));
    let _dir = Folder(path.clone());
    let texts = "UNWIND range(1, 700000) AS n WITH n, n * 7919 % 700001 AS k \
         CREATE (:A {id: n, k: k, t: 'text ' + toString(k * 104729 % 999983) + ' ' + toString(k * 1299709 % 9999991) + \
         ' and ' + toString(n * 15485863 % 99999989) + ' with ' + toString(n * 32452843 % 999999937)})";
    let whole = Database::open(&path, Config::default()).unwrap();
    rows(&whole, texts).unwrap();
    rows(&whole, "CREATE CONSTRAINT FOR (a:A) REQUIRE a.id IS KEY").unwrap();
    drop(whole);
    let whole = open(&path, Config::default());
    let (narrow, wide) = (16 << 20, 32 << 20);
    assert!(whole.stats().piece_bytes > narrow, "{:?}", whole.stats());
    for (query, limit) in [
        ("MATCH (a:A) RETURN count(DISTINCT a.t) AS c", narrow),
        ("MATCH (a:A) WITH a.t AS t, count(*) AS n RETURN max(n), count(*), max(t)", narrow),
        ("MATCH (a:A) WITH a.k % 100000 AS k, max(a.t) AS t RETURN max(t), count(*)", narrow),
        ("MATCH (a:A), (b:A) WHERE a.k = b.k RETURN count(*), max(a.id - b.id)", narrow),
        ("MATCH (a:A), (b:A) WHERE a.t = b.t RETURN count(*), max(a.id - b.id)", narrow),
        ("MATCH (a:A) WHERE NOT EXISTS { MATCH (b:A) WHERE b.k = a.id } RETURN count(*)", narrow),
        ("MATCH (a:A) RETURN sum(COUNT { MATCH (b:A) WHERE b.k = a.id AND b.id <> a.id })", narrow),
        // Two pieces of the index and one of the keys are half of the narrow one.
        ("MATCH (a:A) WITH a.t AS t, min(a.k) AS k MATCH (b:A {id: k}) RETURN count(b), min(b.id)", wide),
        ("MATCH (a:A) WITH a ORDER BY a.t SKIP 150000 LIMIT 2 RETURN a.id", narrow),
        // Rows at random: a vector of them needs all pieces of the texts.
        (
            "MATCH (a:A) WITH a.k % 3000 AS g, a ORDER BY a.k DESC WITH g, collect(a.t)[0] AS t \
             RETURN max(t), count(*)",
            narrow,
        ),
    ] {
        let expected = rows(&whole, query).unwrap();
        for threads in [1, 2] {
            let small = open(&path, Config::new().memory_limit_bytes(limit).threads(threads));
            let found = rows(&small, query);
            assert_eq!(found.unwrap_or_else(|e| panic!("{query} on {threads}: {e}")), expected, "{query}");
        }
    }
}

#[test]
fn threads_share_what_is_read() {
    let (_dir, path) = network("threads", 0.1);
    let whole = open(&path, Config::default());
    let expected: Vec<_> = QUESTIONS.iter().map(|query| rows(&whole, query).unwrap()).collect();
    let limit = whole.stats().piece_bytes;
    let small = open(&path, Config::new().memory_limit_bytes(limit).threads(2));
    std::thread::scope(|scope| {
        for t in 0..3 {
            let (small, expected) = (&small, &expected);
            scope.spawn(move || {
                for i in 0..QUESTIONS.len() {
                    let i = (i + t * 5) % QUESTIONS.len();
                    match rows(small, QUESTIONS[i]) {
                        Ok(found) => assert_eq!(found, expected[i], "{}", QUESTIONS[i]),
                        Err(Error::Memory(_)) => {}
                        Err(error) => panic!("{}: {error}", QUESTIONS[i]),
                    }
                }
            });
        }
    });
}

#[test]
fn damage_is_an_error_of_the_query_that_touches_it() {
    let (_dir, path) = network("damage", 0.02);
    let whole = open(&path, Config::default());
    let expected: Vec<_> = QUESTIONS.iter().map(|query| rows(&whole, query).unwrap()).collect();
    let places = pieces_of(&OsFileSystem, &path).unwrap();
    let (mut found, mut unopened) = (0, 0);
    // Every so many pieces, directories among them.
    for place in places.iter().step_by(places.len() / 16) {
        let good = std::fs::read(&place.path).unwrap();
        let mut bad = good.clone();
        bad[place.offset + place.len / 2] ^= 1;
        std::fs::write(&place.path, &bad).unwrap();
        match Database::open(&path, Config::new().read_only(true)) {
            Err(error) => {
                assert!(error.to_string().contains("damaged"), "{error}");
                unopened += 1;
            }
            Ok(db) => {
                let mut told = false;
                for (query, expected) in QUESTIONS.iter().zip(&expected) {
                    match rows(&db, query) {
                        Ok(rows) => assert_eq!(&rows, expected, "{query}"),
                        Err(Error::Damaged { text, .. }) => {
                            let offset = format!("at byte {}", place.offset);
                            let file = place.path.file_name().unwrap().to_string_lossy();
                            assert!(text.contains(&offset) && text.contains(&*file), "{text}");
                            told = true;
                        }
                        Err(error) => panic!("{query}: {error}"),
                    }
                }
                found += usize::from(told);
                let check = Database::check(&path).unwrap_err().to_string();
                assert!(check.contains(&format!("at byte {}", place.offset)), "{check}");
            }
        }
        std::fs::write(&place.path, &good).unwrap();
    }
    // Many pieces are of columns that no question reads.
    assert!(found > 0 && unopened > 0, "{found} found, {unopened} not opened");
    assert!(Database::check(&path).is_ok());
}

/// A snapshot of what was written to files, of which nothing stays in memory that is not in use.
pub(crate) fn from_files(snapshot: &Snapshot) -> Snapshot {
    let (fs, dir) = (MemoryFileSystem::default(), Path::new("db"));
    write_main(&fs, dir, snapshot.main()).unwrap();
    let pool = Pool::unlimited(RegionOptions::default());
    let (main, _) = open_checkpoint(&fs, dir, &pool).unwrap();
    Snapshot::within(Arc::new(main), 0, &MemoryBudget::unlimited())
}

#[test]
fn every_value_is_the_same_from_files() {
    for seed in 0..8 {
        let snapshot = random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
        let files = from_files(&snapshot);
        assert_eq!(
            format!("{:?}", Graph::read(&files)),
            format!("{:?}", Graph::read(&snapshot)),
            "seed {seed}"
        );
        let reader = Reader::new(&files);
        for table in 0..snapshot.main().edge_tables.len() {
            let table = reader.unrecorded().edge_table(table);
            let back: u64 = table.backward.iter().map(|(_, a)| a.edges()).sum();
            assert_eq!(table.forward.edges(), back);
        }
        assert!(reader.failure().is_none());
    }
}

#[test]
fn entities_are_read_when_they_are_shown() {
    let (_dir, path) = network("shown", 0.05);
    let db = open(&path, Config::default());
    let shown =
        rows(&db, "MATCH (p:Person)-[k:KNOWS]->(q) RETURN p, k, q ORDER BY p.id, q.id LIMIT 5").unwrap();
    assert!(shown.iter().all(|row| row.contains("(:Person {") && row.contains("[:KNOWS {")), "{shown:?}");
    assert!(shown.iter().all(|row| row.contains("firstName")));
}
