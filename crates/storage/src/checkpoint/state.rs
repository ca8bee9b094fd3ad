//! Takes a directory, tells what is in it: a database, nothing, what a first write left that did not finish,
//! a database without its manifest, or something else.
//!
//! 1. The first write into a directory makes the file `LOADING` and syncs it before it writes any piece, and
//!    removes it after it has published the manifest.
//! 2. So pieces in a directory with that file are nobody's data: the next load takes it over. Pieces with
//!    neither that file nor a manifest are a database that has lost its manifest. They are never removed.

use std::io::ErrorKind;
use std::path::Path;

use trimorph_vfs::FileSystem;

use super::DatabaseError;
use super::place::{folder, number_of};

const MANIFEST: &str = "MANIFEST";
const MARKER: &str = "LOADING";
/// The folder of the log, which is made after the first manifest.
const LOG: &str = "log";
const MARKER_TEXT: &str = "A load into this directory has begun and has not finished. While this file is here and \
MANIFEST is not, the directory holds no database: the next load removes what is in checkpoint/ and begins anew.\n";

/// What a directory is to a database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DirectoryState {
    /// Not there, or without files.
    Empty,
    /// It has a manifest.
    Database,
    /// A first write has begun, and is still at it or died.
    Unfinished,
    /// Files of a database, but neither its manifest nor a write that has not finished.
    ManifestLost,
    /// Other files.
    Foreign,
}

/// What directory `dir` is.
///
/// **Errors**: the system's answer if the directory cannot be listed.
pub fn directory_state(fs: &dyn FileSystem, dir: &Path) -> Result<DirectoryState, DatabaseError> {
    let names = list(fs, dir)?;
    let has = |name: &str| names.iter().any(|n| n == name);
    // A list that is read while a manifest takes the place of another may have neither of them.
    if has(MANIFEST) || fs.exists(&dir.join(MANIFEST)) {
        return Ok(DirectoryState::Database);
    }
    let pieces = if has("checkpoint") { list(fs, &folder(dir))? } else { Vec::new() };
    let segments = if has(LOG) { list(fs, &dir.join(LOG))? } else { Vec::new() };
    let ours = |name: &String| match name.as_str() {
        "LOCK" | "MANIFEST.tmp" | MARKER => true,
        LOG => segments.iter().all(|n| is_segment(n)),
        "checkpoint" => pieces.iter().all(|n| number_of(n).is_some()),
        _ => false,
    };
    let ours = names.iter().all(ours);
    Ok(if has(MARKER) && ours {
        DirectoryState::Unfinished
    } else if has("MANIFEST.tmp")
        || pieces.iter().any(|n| number_of(n).is_some())
        || segments.iter().any(|n| is_segment(n))
    {
        DirectoryState::ManifestLost
    } else if ours {
        DirectoryState::Empty
    } else {
        DirectoryState::Foreign
    })
}

/// Whether a file in the folder of the log is one of its own.
fn is_segment(name: &str) -> bool {
    name.ends_with(".log") || name.ends_with(".log.tmp") || name.ends_with(".log.damaged")
}

fn list(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<String>, DatabaseError> {
    match fs.list(dir) {
        Ok(names) => Ok(names),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(DatabaseError::io(dir, error)),
    }
}

/// Marks the directory, which is made if it is not there, as one that a first write has begun in; when this
/// returns the mark lasts. What an earlier one left is removed: it may take the room that this one needs.
///
/// **Errors**: a database that has lost its manifest, which is not written over.
pub(super) fn begin_first_write(fs: &dyn FileSystem, dir: &Path) -> Result<(), DatabaseError> {
    let state = directory_state(fs, dir)?;
    if state == DirectoryState::ManifestLost {
        return Err(DatabaseError::ManifestLost { dir: dir.to_owned() });
    }
    fs.create_dir(dir).map_err(|e| DatabaseError::io(dir, e))?;
    let marker = dir.join(MARKER);
    fs.write_synced(&marker, &[MARKER_TEXT.as_bytes()]).map_err(|e| DatabaseError::io(&marker, e))?;
    fs.sync_dir(dir).map_err(|e| DatabaseError::io(dir, e))?;
    if state == DirectoryState::Unfinished {
        let folder = folder(dir);
        for name in fs.list(&folder).unwrap_or_default() {
            let _ = fs.remove(&folder.join(name));
        }
    }
    Ok(())
}

/// Removes the mark of a first write from a directory that has a manifest, once that lasts. Nothing is lost
/// where this fails or a crash brings the mark back: the manifest counts, and the next writer tries again.
pub fn end_first_write(fs: &dyn FileSystem, dir: &Path) {
    let marker = dir.join(MARKER);
    if fs.exists(&marker) && fs.sync_dir(dir).is_ok() && fs.remove(&marker).is_ok() {
        let _ = fs.sync_dir(dir);
    }
}
