//! Takes a path, tells whether there is a database to be read, or claims the directory for writing.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use trimorph_store::{DatabaseError, DirectoryState, directory_state, end_first_write};
use trimorph_vfs::FileSystem;

use crate::Error;

/// Makes sure that there is a database.
///
/// **Errors**: what is there instead.
pub(crate) fn find(fs: &dyn FileSystem, path: &Path) -> Result<(), Error> {
    match state_of(fs, path)? {
        DirectoryState::Database => Ok(()),
        DirectoryState::Unfinished => {
            Err(refuse(path, "there is no database here yet: a load into this directory has not finished"))
        }
        _ if !fs.exists(path) => {
            let text = format!("{}: there is no database here", path.display());
            Err(Error::Io { path: path.to_owned(), source: ErrorKind::NotFound.into(), text })
        }
        _ => Err(refuse(path, "there is no database here")),
    }
}

/// Makes the directory, unless it is there or must be.
///
/// **Errors**: other files in it; no database where there must be one.
pub(crate) fn make(fs: &dyn FileSystem, path: &Path, must_exist: bool) -> Result<(), Error> {
    if must_exist {
        return find(fs, path);
    }
    if state_of(fs, path)? == DirectoryState::Foreign {
        return Err(refuse(path, "not a Trimorph database, and not empty; give another directory"));
    }
    if fs.exists(path) {
        return Ok(());
    }
    let failed = |e| Error::io(path, e);
    fs.create_dir(path).map_err(failed)?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => fs.sync_dir(parent).map_err(failed),
        _ => Ok(()),
    }
}

/// Whether there is a database in a directory that this process has locked.
pub(crate) fn exists(fs: &dyn FileSystem, path: &Path) -> Result<bool, Error> {
    // Another process may have finished its load before this one got the lock.
    let exists = state_of(fs, path)? == DirectoryState::Database;
    if exists {
        // A manifest is read as it was written, and need not last where a sync of its name failed: what is
        // logged from now on relies on it.
        fs.sync_dir(path).map_err(|e| Error::io(path, e))?;
        end_first_write(fs, path);
    }
    Ok(exists)
}

fn state_of(fs: &dyn FileSystem, path: &Path) -> Result<DirectoryState, Error> {
    if path.is_file() {
        return Err(refuse(path, "this is a file, and a database is a directory"));
    }
    match directory_state(fs, path)? {
        DirectoryState::ManifestLost => Err(DatabaseError::ManifestLost { dir: path.to_owned() }.into()),
        state => Ok(state),
    }
}

/// The file that is locked.
pub(crate) const LOCK: &str = "LOCK";

/// Who follows the directory shares the lock for a moment when he asks whether somebody writes. How long that
/// is is up to the machine: he is waited for, and who writes is not.
const LOCK_TRIES: u32 = 20;
const SHARED_TRIES: u32 = 2_000;
const LOCK_WAIT: Duration = Duration::from_millis(5);

/// Locks the directory, as long as the file is open. Its number of process is in the file.
///
/// **Errors**: another process that has it open for writing.
pub(crate) fn lock(path: &Path) -> Result<File, Error> {
    let name = path.join(LOCK);
    let file = File::options().create(true).truncate(false).read(true).write(true).open(&name);
    let mut file = file.map_err(|e| Error::io(&name, e))?;
    if !is_locked(&file) {
        let mut text = String::new();
        // Some systems do not let others read a file that is locked.
        let owner = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse::<u32>().ok());
        let owner = owner.map_or(String::new(), |owner| format!(" (number {owner})"));
        let text = format!(
            "{}: another process{owner} has this database open for writing; open it read-only or close the other",
            path.display()
        );
        return Err(Error::Locked { path: path.to_owned(), text });
    }
    // For people: a disk that has no room for it has room for nothing else either.
    let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    Ok(file)
}

/// Locks the file, unless somebody else has the lock for himself, or others share it for too long.
fn is_locked(file: &File) -> bool {
    let (mut owned, mut shared) = (0, 0);
    loop {
        if file.try_lock().is_ok() {
            return true;
        }
        match file.try_lock_shared() {
            Ok(()) => {
                shared += 1;
                // Others wait for this one as well.
                let _ = file.unlock();
            }
            Err(_) => owned += 1,
        }
        if owned >= LOCK_TRIES || shared >= SHARED_TRIES {
            return false;
        }
        std::thread::sleep(LOCK_WAIT);
    }
}

fn refuse(path: &Path, why: &str) -> Error {
    Error::Storage(format!("{}: {why}", path.display()))
}
