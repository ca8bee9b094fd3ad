//! Damaged files are errors, forged ones errors or harmless, never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use trimorph_store::{Main, Snapshot, check_main, read_main, write_main};
use trimorph_vfs::{BlobId, FileSystem, Image, ImageWriter, MemoryFileSystem, Region, RegionOptions};

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
    let folder = Path::new(DIR).join("checkpoint/1");
    let mut files: Vec<PathBuf> = fs.list(&folder).unwrap().iter().map(|name| folder.join(name)).collect();
    files.push(Path::new(DIR).join("MANIFEST"));
    Database { fs, files }
}

impl Database {
    fn bytes(&self, path: &Path) -> Vec<u8> {
        self.fs.read(path, RegionOptions::default()).unwrap().as_slice().to_vec()
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
fn a_check_names_every_damaged_file() {
    let database = database(5);
    let dir = Path::new(DIR);
    let check = || match check_main(&database.fs, dir, RegionOptions::default()) {
        Ok(_) => Vec::new(),
        Err(found) => found.iter().map(ToString::to_string).collect::<Vec<_>>(),
    };
    assert!(check().is_empty());
    let mut damaged = Vec::new();
    for (i, path) in database.files.iter().enumerate() {
        let mut bytes = database.bytes(path);
        match i % 3 {
            0 => bytes[70] ^= 1,
            1 => bytes.truncate(40),
            _ => continue,
        }
        let cut = bytes.len() == 40;
        if path.ends_with("MANIFEST") {
            continue;
        }
        if cut && i > 3 {
            database.fs.remove(path).unwrap()
        } else {
            database.fs.write_atomic(path, &bytes).unwrap()
        }
        damaged.push((path.to_string_lossy().to_string(), cut && i > 3));
        let found = check();
        assert_eq!(found.len(), damaged.len(), "{found:?}");
        assert!(damaged.iter().all(|(name, _)| found.iter().any(|line| line.contains(name))), "{found:?}");
    }
    assert!(damaged.len() > 2);
    // Without a manifest nothing says which files are missing.
    database.fs.write_atomic(&dir.join("MANIFEST"), b"").unwrap();
    let found = check();
    assert!(found[0].contains("MANIFEST"));
    assert_eq!(found.len(), 1 + damaged.iter().filter(|(_, removed)| !removed).count(), "{found:?}");
}

#[test]
fn a_file_of_another_table_is_found() {
    let database = database(6);
    let [.., first, manifest] = database.files.as_slice() else { panic!("no tables") };
    assert!(database.read_with(manifest, &database.bytes(first)).is_none());
    assert!(database.read_with(first, &database.bytes(manifest)).is_none());
}

/// The image with one part changed by `change` and all checksums right again.
pub(super) fn forged(
    bytes: &[u8],
    random: &mut Random,
    change: impl FnOnce(&mut Vec<u8>, &mut Random),
) -> Vec<u8> {
    rewritten(bytes, |metadata, blobs| {
        let part = match random.below(2) {
            0 if !blobs.is_empty() => {
                let blob = random.below(blobs.len());
                &mut blobs[blob]
            }
            _ => metadata,
        };
        change(part, random);
    })
}

/// The image with its metadata and blobs changed by `change` and all checksums right again.
fn rewritten(bytes: &[u8], change: impl FnOnce(&mut Vec<u8>, &mut [Vec<u8>])) -> Vec<u8> {
    let mut region = Region::zeroed(bytes.len(), RegionOptions::default()).unwrap();
    region.as_mut_slice().copy_from_slice(bytes);
    let kind = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
    let image = Image::open(region, kind).unwrap();
    let mut metadata = image.metadata().to_vec();
    let mut blobs: Vec<Vec<u8>> =
        (0..).map_while(|id| image.blob(BlobId(id))).map(|blob| blob.as_slice().to_vec()).collect();
    change(&mut metadata, &mut blobs);
    let mut writer = ImageWriter::new();
    for blob in blobs {
        writer.put(blob);
    }
    writer.finish(kind, &metadata, RegionOptions::default()).unwrap().as_slice().to_vec()
}

/// Neighbours that are all the same take no bytes: the end of the last list is all that says how many there
/// are.
#[test]
fn lists_of_edges_that_no_blob_holds_are_found() {
    let mut created = CreatedGraph::default();
    created.execute("CREATE (a:A), (b:B), (a)-[:E]->(b), (a)-[:E]->(b), (a)-[:E]->(b)").unwrap();
    let database = database_of(&created.model());
    let mut changed = 0;
    for path in &database.files {
        let good = database.bytes(path);
        let ends_with_three = |blob: &Vec<u8>| blob.ends_with(&3u32.to_le_bytes());
        let mut count = 0;
        rewritten(&good, |_, blobs| count = blobs.iter().filter(|blob| ends_with_three(blob)).count());
        for which in 0..count {
            let bad = rewritten(&good, |_, blobs| {
                if let Some(blob) = blobs.iter_mut().filter(|blob| ends_with_three(blob)).nth(which) {
                    let last = blob.len() - 4;
                    blob[last..].copy_from_slice(&u32::MAX.to_le_bytes());
                }
            });
            let start = Instant::now();
            assert!(database.read_with(path, &bad).is_none(), "{}", path.display());
            assert!(start.elapsed() < Duration::from_secs(1), "it counted them one by one");
            changed += 1;
        }
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
fn forged_images_do_not_panic_when_opened() {
    let mut random = Random::new(4);
    println!("random seed 4");
    let (mut refused, mut read, mut panics) = (0, 0, Vec::new());
    silence_this_thread();
    for seed in [2, 5, 11, 15] {
        let database = database(seed);
        for path in &database.files {
            let good = database.bytes(path);
            for round in 0..150 {
                let bad = forged(&good, &mut random, disturb);
                let outcome = catch_unwind(AssertUnwindSafe(|| database.read_with(path, &bad)));
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
