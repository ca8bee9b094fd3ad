//! What the log names of a load: a folder with its new rows and edges, as a checkpoint writes them.
//!
//! ```text
//! loads/H/MANIFEST, loads/H/checkpoint/N.pieces      H: the load's handle in hexadecimal digits
//! ```
//!
//! A folder is synced before the record that names it is in the log. It goes when a checkpoint has the load,
//! or, if no record names it, when the load fails or the database is opened.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use trimorph_base::{EdgeTableId, TableId};
use trimorph_log::LoadedPart;
use trimorph_store::bulk::LoadPart;
use trimorph_store::{Checkpoint, DatabaseError, LogStart, Main, open_checkpoint};
use trimorph_vfs::{FileSystem, Pool, RegionOptions, checksum};

use crate::Error;

/// The folder of all loads.
const LOADS: &str = "loads";

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |error| Error::io(path, error)
}

/// What log records call the parts of a load.
const NODES: u8 = 1;
const EDGES: u8 = 2;
const FRESH_EDGES: u8 = 3;

/// A part as the log has it.
pub(crate) fn logged(part: &LoadPart) -> LoadedPart {
    match *part {
        LoadPart::Nodes { table, first } => LoadedPart { kind: NODES, table: table.0, first },
        LoadPart::Edges { table, fresh: false } => LoadedPart { kind: EDGES, table: table.0, first: 0 },
        LoadPart::Edges { table, fresh: true } => LoadedPart { kind: FRESH_EDGES, table: table.0, first: 0 },
    }
}

/// What a part in the log is; none of a kind that there is not.
pub(crate) fn part_of(part: &LoadedPart) -> Option<LoadPart> {
    let edges = EdgeTableId(part.table);
    match part.kind {
        NODES => Some(LoadPart::Nodes { table: TableId(part.table), first: part.first }),
        EDGES => Some(LoadPart::Edges { table: edges, fresh: false }),
        FRESH_EDGES => Some(LoadPart::Edges { table: edges, fresh: true }),
        _ => None,
    }
}

/// The folder of a load that is not published: removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    name: String,
    checksum: u64,
    stays: bool,
}

impl Folder {
    /// Writes what a load has made, so that it lasts.
    pub(crate) fn write(fs: Arc<dyn FileSystem>, dir: &Path, handle: u64, new: &Main) -> Result<Self, Error> {
        let loads = dir.join(LOADS);
        let name = format!("{handle:016x}");
        let path = loads.join(&name);
        let mut folder = Self { fs, path, name, checksum: 0, stays: false };
        let fs = &*folder.fs;
        fs.create_dir(&folder.path).map_err(failed(&folder.path))?;
        Checkpoint::default().write_from(fs, &folder.path, new, LogStart::default())?;
        fs.sync_dir(&loads).map_err(failed(&loads))?;
        fs.sync_dir(dir).map_err(failed(dir))?;
        folder.checksum = checksum_of(fs, &folder.path).map_err(failed(&folder.path))?;
        Ok(folder)
    }

    /// What it has, read when it is touched.
    pub(crate) fn open(&self, pool: &Arc<Pool>) -> Result<Main, Error> {
        Ok(open_checkpoint(&*self.fs, &self.path, pool)?.0)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn checksum(&self) -> u64 {
        self.checksum
    }

    /// A record names it.
    pub(crate) fn stays(mut self) -> PathBuf {
        self.stays = true;
        self.path.clone()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.stays {
            remove(&*self.fs, &self.path);
        }
    }
}

fn checksum_of(fs: &dyn FileSystem, path: &Path) -> std::io::Result<u64> {
    let manifest = fs.read(&path.join("MANIFEST"), RegionOptions { huge_pages: false })?;
    Ok(checksum(&[manifest.as_slice()]))
}

/// Removes a load's folder, as far as that can be done; what stays is removed when the database is opened.
fn remove(fs: &dyn FileSystem, path: &Path) {
    let pieces = path.join("checkpoint");
    for folder in [&pieces, path] {
        for name in fs.list(folder).unwrap_or_default() {
            let _ = fs.remove(&folder.join(name));
        }
        let _ = fs.remove_dir(folder);
    }
}

/// The folders that the log names and no checkpoint has yet, by the timestamps of their loads.
#[derive(Debug, Default)]
pub(crate) struct LoadFolders(Mutex<Vec<(u64, PathBuf)>>);

impl LoadFolders {
    /// A load was committed at `at`.
    pub(crate) fn hold(&self, at: u64, path: PathBuf) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((at, path));
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// A checkpoint has all commits up to `at`.
    pub(crate) fn release(&self, fs: &dyn FileSystem, at: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(load, path)| {
            if *load <= at {
                remove(fs, path);
            }
            *load > at
        });
    }

    /// Removes the folders that nobody names.
    pub(crate) fn sweep(&self, fs: &dyn FileSystem, dir: &Path) {
        let loads = dir.join(LOADS);
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for name in fs.list(&loads).unwrap_or_default() {
            let path = loads.join(name);
            if all.iter().all(|(_, held)| *held != path) {
                remove(fs, &path);
            }
        }
    }
}

/// What a record names.
///
/// **Errors**: files that are missing, or are others than the record says.
pub(crate) fn open_load(
    fs: &dyn FileSystem,
    dir: &Path,
    name: &str,
    sum: u64,
    pool: &Arc<Pool>,
) -> Result<(Main, PathBuf), DatabaseError> {
    let path = dir.join(LOADS).join(name);
    let io = |error| DatabaseError::Io { path: path.clone(), error };
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(io(ErrorKind::InvalidInput.into()));
    }
    if checksum_of(fs, &path).map_err(io)? != sum {
        return Err(DatabaseError::internal("the files of a bulk load are others than the log says"));
    }
    Ok((open_checkpoint(fs, &path, pool)?.0, path))
}

/// The folders of loads in a database.
pub(crate) fn load_folders(fs: &dyn FileSystem, dir: &Path) -> Vec<PathBuf> {
    let loads = dir.join(LOADS);
    let names = fs.list(&loads).unwrap_or_default();
    names.into_iter().map(|name| loads.join(name)).filter(|path| fs.exists(&path.join("MANIFEST"))).collect()
}
