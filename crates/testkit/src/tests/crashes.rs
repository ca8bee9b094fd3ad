//! Checkpoints on a disk that fails at every call: what a crash leaves is the version before or the one
//! after, and the next checkpoint works on it; after an error the same process goes on.
//!
//! 1. A script writes versions of a graph: the first whole, each next one with some pieces replaced, so that
//!    files are shared, die and are renewed.
//! 2. For every call of the script, and both ways to fail: run to the failure. After a crash the directory is
//!    read back in several of the states that the disk may be in, must be a version that was acknowledged
//!    last or was being written, and takes the next one. Before the first version lasts it must be nothing,
//!    or be marked as a first write that has not finished.

use std::path::Path;

use trimorph_base::{EdgeTableId, NodeId, TableId};
use trimorph_store::{
    Checkpoint, DirectoryState, EdgeChanges, Main, NewEdge, check_main, directory_state, end_first_write,
    read_checkpoint,
};
use trimorph_types::Value;
use trimorph_vfs::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, Pool, RegionOptions};

use super::graph;
use crate::graphs::LoadOptions;

const OPTIONS: RegionOptions = RegionOptions { huge_pages: false };
const DIR: &str = "db";

/// Versions of one graph, each with a row or an edge more.
fn versions() -> Vec<Main> {
    let mut all = vec![graph(15).load(LoadOptions::default()).unwrap()];
    for i in 0..4 {
        let last = all.last().unwrap();
        let place = i % last.edge_tables.len();
        let info = &last.catalog.schema.edge_tables[place];
        let target = last.catalog.unrecorded_facts().edge_tables[place].targets[0].table;
        let edge = NewEdge {
            source: 0,
            target: NodeId::new(target, 0),
            values: vec![Value::Null; info.properties.len()],
        };
        let changes = EdgeChanges { deleted: Vec::new(), inserted: vec![edge] };
        let next = last.with_edges(EdgeTableId(u16::try_from(place).unwrap()), &changes, OPTIONS).unwrap().0;
        let columns = next.node_tables[0].columns.len();
        let keyed = next.catalog.schema.node_tables[0].key.is_some();
        let row: Vec<Value> = (0..columns)
            .map(|c| if keyed && c == 0 { Value::Int(1 << (40 + i)) } else { Value::Null })
            .collect();
        all.push(next.with_rows(TableId(0), &[row], OPTIONS).unwrap());
    }
    all
}

/// What tells a version: rows and edges of every table.
fn mark(main: &Main) -> Vec<u64> {
    let statistics = &main.catalog.statistics;
    let nodes = statistics.node_tables.iter().map(|t| t.rows);
    nodes.chain(statistics.edge_tables.iter().map(|t| t.forward.edges)).collect()
}

/// Writes versions until one fails; how many did not.
fn run(fs: &dyn FileSystem, versions: &[Main], checkpoint: &mut Checkpoint) -> usize {
    versions.iter().take_while(|main| checkpoint.write(fs, Path::new(DIR), main).is_ok()).count()
}

fn check_state(files: &MemoryFileSystem, versions: &[Main], done: usize, what: &str) {
    let dir = Path::new(DIR);
    let read = read_checkpoint(files, dir, OPTIONS);
    let state = directory_state(files, dir).unwrap();
    let (found, mut checkpoint) = match read {
        Ok((main, checkpoint)) => {
            let version = versions.iter().position(|v| mark(v) == mark(&main));
            assert!(
                version == Some(done) || version == done.checked_sub(1),
                "{what}: version {version:?}, {done} done"
            );
            assert_eq!(state, DirectoryState::Database, "{what}");
            (version.unwrap() + 1, checkpoint)
        }
        Err(error) => {
            assert!(done == 0 && error.to_string().contains("MANIFEST"), "{what}: {error}");
            // Never one that has lost its manifest: that would be refused, and stay in the way.
            assert!(matches!(state, DirectoryState::Empty | DirectoryState::Unfinished), "{what}: {state:?}");
            (0, Checkpoint::default())
        }
    };
    if let Some(next) = versions.get(found) {
        checkpoint.write(files, dir, next).unwrap();
        let main = check_main(files, dir, &Pool::unlimited(OPTIONS)).unwrap();
        assert_eq!(mark(&main), mark(next), "{what}");
        assert_eq!(files.list(dir).unwrap(), ["MANIFEST", "checkpoint"], "{what}");
    }
    // What the crash left and nobody names is gone.
    let named = read_checkpoint(files, dir, OPTIONS).map(|(_, c)| c.file_count());
    if found < versions.len() {
        assert_eq!(files.list(&dir.join("checkpoint")).unwrap().len(), named.unwrap(), "{what}");
    }
}

#[test]
fn a_crash_at_any_call_leaves_a_version() {
    let versions = versions();
    let quiet = FaultyFileSystem::default();
    assert_eq!(run(&quiet, &versions, &mut Checkpoint::default()), versions.len());
    let calls = quiet.calls();
    println!("{calls} calls, {} versions", versions.len());
    assert!(calls > 40);
    for call in 0..calls {
        let disk = FaultyFileSystem::default();
        disk.fail_at(call, Fault::Crash);
        let done = run(&disk, &versions, &mut Checkpoint::default());
        for seed in 0..12 {
            check_state(
                &disk.after_crash(seed).unwrap(),
                &versions,
                done,
                &format!("call {call}, seed {seed}"),
            );
        }
    }
}

#[test]
fn after_an_error_at_any_call_the_next_checkpoint_works() {
    let versions = versions();
    let quiet = FaultyFileSystem::default();
    run(&quiet, &versions, &mut Checkpoint::default());
    for call in 0..quiet.calls() {
        let disk = FaultyFileSystem::default();
        let mut checkpoint = Checkpoint::default();
        disk.fail_at(call, Fault::Error);
        let done = run(&disk, &versions, &mut checkpoint);
        for seed in 0..4 {
            check_state(
                &disk.after_crash(seed).unwrap(),
                &versions,
                done,
                &format!("call {call}, seed {seed}"),
            );
        }
        // The same process tries again, and goes on to the end.
        assert_eq!(run(&disk, &versions[done..], &mut checkpoint), versions.len() - done, "call {call}");
        let files = disk.after_crash(0).unwrap();
        let main = check_main(&files, Path::new(DIR), &Pool::unlimited(OPTIONS)).unwrap();
        assert_eq!(mark(&main), mark(versions.last().unwrap()), "call {call}");
    }
}

/// Runs to the last call of the first version's write that leaves no manifest.
fn unfinished(versions: &[Main]) -> MemoryFileSystem {
    let all = |call| {
        let disk = FaultyFileSystem::default();
        disk.fail_at(call, Fault::Crash);
        run(&disk, versions, &mut Checkpoint::default());
        disk.after_crash(0).unwrap()
    };
    let has_manifest = |files: &MemoryFileSystem| files.exists(&Path::new(DIR).join("MANIFEST"));
    let first = (0..).find(|call| has_manifest(&all(*call))).unwrap();
    all(first - 1)
}

#[test]
fn a_first_write_that_died_is_taken_over_and_a_lost_manifest_is_not() {
    let (versions, dir) = (versions(), Path::new(DIR));
    let files = unfinished(&versions);
    assert_eq!(directory_state(&files, dir).unwrap(), DirectoryState::Unfinished);
    assert!(!files.list(&dir.join("checkpoint")).unwrap().is_empty(), "the last call before the rename");
    // Taken over by one that dies right after: nothing of the first is left to take room.
    let disk = FaultyFileSystem::with_files(&files).unwrap();
    disk.fail_at(u64::MAX, Fault::Crash);
    run(&disk, &versions[..1], &mut Checkpoint::default());
    let calls = disk.calls();
    for call in 0..calls {
        let disk = FaultyFileSystem::with_files(&files).unwrap();
        disk.fail_at(call, Fault::Crash);
        let done = run(&disk, &versions[..1], &mut Checkpoint::default());
        for seed in 0..12 {
            check_state(&disk.after_crash(seed).unwrap(), &versions, done, &format!("call {call}"));
        }
    }
    // Without its mark it is a database that has lost its manifest: nobody writes over that.
    files.remove(&dir.join("LOADING")).unwrap();
    assert_eq!(directory_state(&files, dir).unwrap(), DirectoryState::ManifestLost);
    let before = files.all();
    let error = Checkpoint::default().write(&files, dir, &versions[0]).unwrap_err().to_string();
    assert!(error.starts_with("db: the file MANIFEST is missing") && error.contains("backup"), "{error}");
    assert_eq!(files.all(), before);
}

#[test]
fn the_mark_of_a_first_write_goes_only_once_the_manifest_lasts() {
    let (versions, dir) = (versions(), Path::new(DIR));
    let disk = FaultyFileSystem::with_files(&unfinished(&versions)).unwrap();
    // As if the process had died between the rename and the sync of the directory, and another one came.
    disk.write_synced(&dir.join("MANIFEST"), &[b"anything"]).unwrap();
    let mut calls = 0;
    loop {
        disk.fail_at(calls, Fault::Crash);
        end_first_write(&disk, dir);
        for seed in 0..12 {
            let state = directory_state(&disk.after_crash(seed).unwrap(), dir).unwrap();
            assert!(matches!(state, DirectoryState::Database | DirectoryState::Unfinished), "{state:?}");
        }
        if disk.calls() <= calls {
            break;
        }
        calls += 1;
    }
    assert!(calls >= 3 && !disk.exists(&dir.join("LOADING")));
}

#[test]
fn a_full_disk_leaves_what_the_next_write_takes_over() {
    let versions = versions();
    let quiet = FaultyFileSystem::default();
    run(&quiet, &versions, &mut Checkpoint::default());
    for call in 0..quiet.calls() {
        for same_process in [false, true] {
            let disk = FaultyFileSystem::default();
            let mut checkpoint = Checkpoint::default();
            disk.fail_at(call, Fault::Full);
            let done = run(&disk, &versions, &mut checkpoint);
            disk.fail_at(u64::MAX, Fault::Full);
            if !same_process {
                checkpoint = read_checkpoint(&disk, Path::new(DIR), OPTIONS).map_or_else(
                    |_| Checkpoint::default(),
                    |(main, checkpoint)| {
                        assert_eq!(mark(&main), mark(&versions[done - 1]), "call {call}");
                        checkpoint
                    },
                );
            }
            let left = &versions[done..];
            assert_eq!(run(&disk, left, &mut checkpoint), left.len(), "call {call}");
            let main = check_main(&disk, Path::new(DIR), &Pool::unlimited(OPTIONS)).unwrap();
            assert_eq!(mark(&main), mark(versions.last().unwrap()), "call {call}");
        }
    }
}
