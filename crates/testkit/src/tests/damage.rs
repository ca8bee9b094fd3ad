//! Damaged files are errors, forged ones errors or harmless, never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use trimorph_base::ThreadTime;
use trimorph_store::{
    Main, PropertyColumn, Reader, Snapshot, check_main, pieces_of, read_main, read_unverified, write_main,
};
use trimorph_types::Value;
use trimorph_vector::Values;
use trimorph_vfs::{FileSystem, MemoryFileSystem, Pool, RegionOptions};

use super::graph;
use crate::Random;
use crate::graphs::{CreatedGraph, LoadOptions, Model};
use crate::interpreter::Graph;

const DIR: &str = "db";

/// A database in memory and the names of its files.
struct Database {
    fs: MemoryFileSystem,
    files: Vec<PathBuf>,
}

fn database(seed: u64) -> Database {
    database_of(&graph(seed))
}

fn database_of(model: &Model) -> Database {
    let fs = MemoryFileSystem::default();
    write_main(&fs, Path::new(DIR), &model.load(LoadOptions::default()).unwrap()).unwrap();
    let folder = Path::new(DIR).join("checkpoint");
    let mut files: Vec<PathBuf> = fs.list(&folder).unwrap().iter().map(|name| folder.join(name)).collect();
    files.push(Path::new(DIR).join("MANIFEST"));
    Database { fs, files }
}

impl Database {
    fn bytes(&self, path: &Path) -> Vec<u8> {
        self.fs.read(path, RegionOptions::default()).unwrap().as_slice().to_vec()
    }

    /// Reads the database with other bytes in one file as if all checksums were right.
    fn read_forged(&self, path: &Path, bytes: &[u8]) -> Option<Main> {
        let own = self.bytes(path);
        self.fs.write_atomic(path, bytes).unwrap();
        let read = read_unverified(&self.fs, Path::new(DIR), RegionOptions::default());
        self.fs.write_atomic(path, &own).unwrap();
        read.ok()
    }

    /// The parts of a file that a forger would change: for a piece file the pieces, for the manifest what
    /// follows its header.
    fn parts(&self, path: &Path) -> Vec<std::ops::Range<usize>> {
        if path.ends_with("MANIFEST") {
            let payload = 40..self.bytes(path).len();
            return vec![payload];
        }
        let all = pieces_of(&self.fs, Path::new(DIR)).unwrap();
        all.iter().filter(|p| p.path == path).map(|p| p.offset..p.offset + p.len).collect()
    }

    /// Reads the database with other bytes in one file, which then gets its own back.
    fn read_with(&self, path: &Path, bytes: &[u8]) -> Option<Main> {
        let own = self.bytes(path);
        self.fs.write_atomic(path, bytes).unwrap();
        let read = read_main(&self.fs, Path::new(DIR), RegionOptions::default());
        self.fs.write_atomic(path, &own).unwrap();
        if let Err(error) = &read {
            let name = path.file_name().unwrap().to_string_lossy().to_string();
            // A manifest that lists other tables may put the blame on the first that does not fit.
            assert!(
                name == "MANIFEST" || error.to_string().contains(&name),
                "{name} is damaged, not: {error}"
            );
        }
        read.ok()
    }
}

#[test]
fn every_damaged_byte_is_found() {
    let mut random = Random::new(1);
    println!("random seed 1");
    for seed in [2, 5, 11] {
        let database = database(seed);
        for path in &database.files {
            let good = database.bytes(path);
            let all = path.ends_with("MANIFEST");
            let places: Vec<usize> = if all {
                (0..good.len()).collect()
            } else {
                (0..80).map(|_| random.below(good.len())).chain(0..64).collect()
            };
            for place in places {
                let mut bad = good.clone();
                bad[place] ^= 1 << random.below(8);
                assert!(database.read_with(path, &bad).is_none(), "byte {place} of {}", path.display());
            }
        }
    }
}

#[test]
fn files_cut_short_or_grown_are_found() {
    let mut random = Random::new(2);
    println!("random seed 2");
    let database = database(3);
    for path in &database.files {
        let good = database.bytes(path);
        for _ in 0..20 {
            assert!(database.read_with(path, &good[..random.below(good.len())]).is_none());
        }
        let mut longer = good.clone();
        longer.push(0);
        assert!(database.read_with(path, &longer).is_none());
        assert!(database.read_with(path, &[]).is_none());
    }
}

#[test]
fn garbage_is_an_error() {
    let mut random = Random::new(3);
    println!("random seed 3");
    let database = database(4);
    for path in &database.files {
        for round in 0..200 {
            let len = random.below(400);
            let mut bytes: Vec<u8> = (0..len).map(|_| (random.bits() >> 32) as u8).collect();
            if round % 2 == 0 && len > 16 {
                bytes[..8].copy_from_slice(b"TRIMORPH");
                bytes[8..12].copy_from_slice(&1u32.to_le_bytes());
            }
            assert!(database.read_with(path, &bytes).is_none());
        }
    }
}

#[test]
fn a_check_names_every_damaged_piece() {
    let database = database(5);
    let dir = Path::new(DIR);
    let check = || match check_main(&database.fs, dir, &Pool::unlimited(RegionOptions::default())) {
        Ok(_) => Vec::new(),
        Err(found) => found.iter().map(ToString::to_string).collect::<Vec<_>>(),
    };
    assert!(check().is_empty());
    let file = &database.files[0];
    let pieces = database.parts(file);
    // One piece of each of several columns and directions: the directory that follows from it is another one.
    let mut bytes = database.bytes(file);
    let mut damaged = Vec::new();
    for piece in pieces.iter().step_by(pieces.len() / 5) {
        bytes[piece.start + 9] ^= 1;
        damaged.push(format!("byte {}", piece.start));
        database.fs.write_atomic(file, &bytes).unwrap();
        let found = check();
        let name = file.to_string_lossy().to_string();
        assert!(found.iter().all(|line| line.contains(&name)), "{found:?}");
        assert!(found.iter().any(|line| damaged.iter().any(|at| line.ends_with(at))), "{found:?}");
    }
    assert!(check().len() > 2, "{:?}", check());
    database.fs.remove(file).unwrap();
    assert!(check()[0].contains(file.to_string_lossy().as_ref()));
    database.fs.write_atomic(&dir.join("MANIFEST"), b"").unwrap();
    assert!(check()[0].contains("MANIFEST"));
}

#[test]
fn a_file_of_another_kind_is_found() {
    let database = database(6);
    let [.., first, manifest] = database.files.as_slice() else { panic!("no tables") };
    assert!(database.read_with(manifest, &database.bytes(first)).is_none());
    assert!(database.read_with(first, &database.bytes(manifest)).is_none());
}

/// The file with one of its parts changed by `change`; its length stays.
pub(super) fn forged(
    bytes: &[u8],
    parts: &[std::ops::Range<usize>],
    random: &mut Random,
    change: impl FnOnce(&mut Vec<u8>, &mut Random),
) -> Vec<u8> {
    let part = random.pick(parts).clone();
    let mut changed = bytes[part.clone()].to_vec();
    // A piece begins with its header, metadata and small blobs: half of the changes go there.
    let head = if random.chance(50) { changed.len().min(256) } else { changed.len() };
    let tail = changed.split_off(head);
    change(&mut changed, random);
    changed.extend_from_slice(&tail);
    let mut out = bytes.to_vec();
    changed.resize(part.len(), 0);
    out.splice(part, changed);
    out
}

/// Neighbours that are all the same take no bytes: the end of the last list is all that says how many there
/// are.
#[test]
fn lists_of_edges_that_no_blob_holds_are_found() {
    let mut created = CreatedGraph::default();
    created.execute("CREATE (a:A), (b:B), (a)-[:E]->(b), (a)-[:E]->(b), (a)-[:E]->(b)").unwrap();
    let database = database_of(&created.model());
    let file = &database.files[0];
    let good = database.bytes(file);
    let three = 3u32.to_le_bytes();
    let mut changed = 0;
    for at in (0..good.len() - 4).step_by(4).filter(|at| good[*at..at + 4] == three) {
        let mut bad = good.clone();
        bad[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        let time = ThreadTime::of_this_thread();
        let read = database.read_forged(file, &bad);
        assert!(time.taken() < Duration::from_secs(1), "it counted them one by one");
        changed += usize::from(read.is_none());
    }
    assert!(changed >= 2, "offsets forward and backward");
}

/// Cuts a part, lengthens it, or sets bytes of it to what decoders stumble over.
fn disturb(part: &mut Vec<u8>, random: &mut Random) {
    match random.below(8) {
        0 => part.truncate(random.below(part.len() + 1)),
        1 => part.extend_from_slice(&[0xff; 9]),
        _ => {
            for _ in 0..=random.below(3) {
                if !part.is_empty() {
                    let place = random.below(part.len());
                    part[place] = *random.pick(&[0, 1, 2, 5, 64, 127, 128, 255]);
                }
            }
        }
    }
}

/// Contents with valid checksums that no writer wrote: an enemy's work, or a bug's. Opening and reading must
/// never panic; reading may give nonsense. `fuzz_files` tries more kinds of damage and reads in more ways.
#[test]
fn forged_pieces_do_not_panic_when_opened() {
    let mut random = Random::new(4);
    println!("random seed 4");
    let (mut refused, mut read, mut panics) = (0, 0, Vec::new());
    silence_this_thread();
    for seed in [2, 5, 11, 15] {
        let database = database(seed);
        for path in &database.files {
            let (good, parts) = (database.bytes(path), database.parts(path));
            for round in 0..300 {
                let bad = forged(&good, &parts, &mut random, disturb);
                let outcome = catch_unwind(AssertUnwindSafe(|| database.read_forged(path, &bad)));
                let outcome = match outcome {
                    Err(panic) => Err(("open", text_of(&*panic))),
                    Ok(None) => Ok(false),
                    Ok(Some(main)) => {
                        let whole = AssertUnwindSafe(|| Graph::read(&Snapshot::new(Arc::new(main))));
                        catch_unwind(whole).map(|_| true).map_err(|panic| ("read", text_of(&*panic)))
                    }
                };
                match outcome {
                    Ok(false) => refused += 1,
                    Ok(true) => read += 1,
                    Err((when, text)) => {
                        let name = path.file_name().unwrap().to_string_lossy().to_string();
                        panics.push((when, format!("seed {seed}, {name}, round {round}: {text}")));
                    }
                }
            }
        }
    }
    println!("{refused} refused, {read} read, {} panics", panics.len());
    panics.iter().for_each(|(when, text)| println!("{when}: {text}"));
    assert!(panics.is_empty());
}

/// The same of lists, which are read as runs of elements: in order, and at random rows.
#[test]
fn forged_lists_do_not_panic_when_read() {
    let mut created = CreatedGraph::default();
    for i in 0..90 {
        let few = ["'de'", "'en', null", "", "'fr', 'de', 'en'"][i % 4];
        let text = format!(
            "CREATE (:A {{i: [{i}, {}, null], f: [{i}.25, 0.5], s: [{few}], u: ['text {} of many', 'and {i}'], b: [true, false, null]}})",
            i * i,
            i * 7919,
        );
        created.execute(&text).unwrap();
    }
    let database = database_of(&created.model());
    let lists = |main: Main| {
        let snapshot = Snapshot::new(Arc::new(main));
        let (reader, mut lists) = (Reader::new(&snapshot), 0);
        for table in reader.schema().table_ids() {
            let rows = usize::try_from(reader.rows(table)).unwrap().min(90);
            for column in 0..reader.schema().node_tables[usize::from(table.0)].properties.len() {
                let column = PropertyColumn::of_nodes(table, column, &reader);
                let backwards = (0..rows).map(|i| (i, (rows - 1 - i) as u64));
                for read in [column.scan(0, rows), column.gather(backwards, rows)] {
                    lists += usize::from(matches!(read.values, Values::List(_)));
                    (0..rows).for_each(|i| drop(read.value(i, &|_| Value::Null)));
                }
            }
        }
        lists
    };
    let (file, mut random) = (&database.files[0], Random::new(9));
    let (good, parts) = (database.bytes(file), database.parts(file));
    assert_eq!(database.read_forged(file, &good).map(lists), Some(10));
    silence_this_thread();
    let mut panics = Vec::new();
    for round in 0..3_000 {
        let bad = forged(&good, &parts, &mut random, disturb);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            database.read_forged(file, &bad).map(lists).unwrap_or_default()
        }));
        if let Err(panic) = outcome {
            panics.push(format!("round {round}: {}", text_of(&*panic)));
        }
    }
    assert!(panics.is_empty(), "{panics:?}");
}

/// Panics of this thread are caught and reported by the test itself.
pub(super) fn silence_this_thread() {
    let own = std::thread::current().id();
    let usual = std::panic::take_hook();
    let placed = std::env::var_os("FUZZ").is_some();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() != own {
            usual(info);
        } else if placed {
            println!("panic at {}", info.location().map(ToString::to_string).unwrap_or_default());
        }
    }));
}

pub(super) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or(panic.downcast_ref::<&str>().map(|text| (*text).into())).unwrap_or_default()
}
