//! Tests of whole loads, through a sink that records everything.

mod bad_rows;
mod detect;
mod entries;
mod fuzz;
mod guess;
mod mapping;
mod neo4j;
mod pipeline;
pub(crate) mod recorder;
mod snb;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use recorder::Recorder;

use crate::{Format, LoadError, LoadOptions, LoadReport, NoProgress, load};

/// A directory that is removed again.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("trimorph-loader-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn try_load(
    paths: &[PathBuf],
    format: Format,
    options: &LoadOptions,
) -> (Recorder, Result<LoadReport, LoadError>) {
    let recorder = Recorder::default();
    let report = load(paths, Some(format), options, &recorder, &NoProgress);
    assert_eq!(options.budget.used_bytes(), 0, "memory is given back");
    (recorder, report)
}

/// Small chunks, so that several are under way even in small files.
fn small_chunks() -> LoadOptions {
    LoadOptions { threads: 2, chunk_bytes: 128, ..LoadOptions::default() }
}
