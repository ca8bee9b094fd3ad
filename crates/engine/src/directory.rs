//! Takes a path, tells whether there is a database to be read, or claims the directory for writing.

use std::fs::File;
use std::path::Path;

use trimorph_store::{DatabaseError, DirectoryState, directory_state, end_first_write};
use trimorph_vfs::OsFileSystem;

use crate::Error;

/// Makes sure that there is a database.
///
/// **Errors**: what is there instead.
pub(crate) fn find(path: &Path) -> Result<(), Error> {
    match state_of(path)? {
        DirectoryState::Database => Ok(()),
        DirectoryState::Unfinished => {
            Err(refuse(path, "there is no database here yet: a load into this directory has not finished"))
        }
        _ => Err(refuse(path, "there is no database here")),
    }
}

/// Locks the directory, which is made if need be, and tells whether there is a database in it.
///
/// **Errors**: another process that has it open for writing; other files.
pub(crate) fn claim(path: &Path) -> Result<(File, bool), Error> {
    if state_of(path)? == DirectoryState::Foreign {
        return Err(refuse(path, "not a Trimorph database, and not empty; give another directory"));
    }
    std::fs::create_dir_all(path).map_err(|e| refuse(path, &e.to_string()))?;
    let lock = take_lock(path)?;
    // Another process may have finished its load before this one got the lock.
    let exists = state_of(path)? == DirectoryState::Database;
    if exists {
        end_first_write(&OsFileSystem, path);
    }
    Ok((lock, exists))
}

fn state_of(path: &Path) -> Result<DirectoryState, Error> {
    if path.is_file() {
        return Err(refuse(path, "this is a file, and a database is a directory"));
    }
    match directory_state(&OsFileSystem, path)? {
        DirectoryState::ManifestLost => Err(DatabaseError::ManifestLost { dir: path.to_owned() }.into()),
        state => Ok(state),
    }
}

fn take_lock(path: &Path) -> Result<File, Error> {
    let name = path.join("LOCK");
    let file = File::options().create(true).truncate(false).read(true).write(true).open(&name);
    let file = file.map_err(|e| refuse(&name, &e.to_string()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(_) => Err(refuse(
            path,
            "another process has this database open for writing; open it read-only or close the other",
        )),
    }
}

fn refuse(path: &Path, why: &str) -> Error {
    Error::Storage(format!("{}: {why}", path.display()))
}
