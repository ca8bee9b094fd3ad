//! What is written is what is read.

use std::path::Path;

use trimorph_store::{Main, read_main, write_main};
use trimorph_vfs::{FileSystem, MemoryFileSystem, OsFileSystem, RegionOptions};

use super::graph;
use super::read_back::check;
use crate::graphs::{LoadOptions, Model};

fn write_and_read(fs: &dyn FileSystem, dir: &Path, model: &Model) -> Main {
    let main = model.load(LoadOptions::default()).unwrap();
    write_main(fs, dir, &main).unwrap();
    let read = read_main(fs, dir, RegionOptions::default()).unwrap();
    let text = |main: &Main| {
        let schema = &main.catalog.schema;
        let (facts, statistics) = (main.catalog.unrecorded_facts(), &main.catalog.statistics);
        let tables = format!("{:?} {:?}", schema.node_tables, schema.edge_tables);
        format!("{tables} {facts:?} {statistics:?} {:?}", main.bytes)
    };
    assert_eq!(text(&main), text(&read));
    assert_eq!(main.piece_bytes(), read.piece_bytes());
    read
}

#[test]
fn round_trip_in_memory() {
    for seed in 0..60 {
        let (model, fs) = (graph(seed), MemoryFileSystem::default());
        let read = write_and_read(&fs, Path::new("db"), &model);
        check(&model, &read);
    }
}

#[test]
fn the_next_version_replaces_the_last() {
    let fs = MemoryFileSystem::default();
    for seed in 0..20 {
        let model = graph(seed);
        check(&model, &write_and_read(&fs, Path::new("db"), &model));
        let folders = fs.list(Path::new("db/checkpoint")).unwrap();
        assert_eq!(folders.len(), 1, "older versions are removed: {folders:?}");
    }
}

#[test]
fn round_trip_on_disk() {
    let dir = std::env::temp_dir().join(format!("trimorph-testkit-{}", std::process::id()));
    for seed in 60..75 {
        let model = graph(seed);
        std::fs::create_dir_all(&dir).unwrap();
        check(&model, &write_and_read(&OsFileSystem, &dir, &model));
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_directory_without_a_database_is_an_error() {
    let error =
        read_main(&MemoryFileSystem::default(), Path::new("nothing"), RegionOptions::default()).unwrap_err();
    assert!(error.to_string().contains("MANIFEST"), "{error}");
}
