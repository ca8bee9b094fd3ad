//! The file system behind a trait: the real one and one in memory. Fault injection plugs in here.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Region, RegionOptions};

/// A file that was opened to be read at any place.
pub trait ReadAt: Send + Sync + std::fmt::Debug {
    /// Length in bytes.
    fn size(&self) -> io::Result<u64>;
    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// **Errors**: the system's; [`io::ErrorKind::UnexpectedEof`] past the end.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

/// What the store asks of a file system.
pub trait FileSystem: Send + Sync + std::fmt::Debug {
    /// Reads a whole file into fresh memory.
    fn read(&self, path: &Path, options: RegionOptions) -> io::Result<Region>;
    /// Opens a file to read parts of it; it stays readable when its name is gone.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>>;
    /// Writes the parts, one after the other, as a new file, or over an old one, and syncs its content. That
    /// the directory has it is certain only after [`Self::sync_dir`].
    fn write_synced(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()>;
    /// Gives a file another name in its directory, whose file is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes what was done to the names in a directory last.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Makes a directory and its parents.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Names in a directory, sorted.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
    /// Whether a file or directory is there.
    fn exists(&self, path: &Path) -> bool;

    /// Writes a file so that it has either its old content or all of the new one, also after a crash: a
    /// temporary file, fsync, rename, fsync of the directory.
    fn write_atomic(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut name = path.as_os_str().to_owned();
        name.push(".tmp");
        let temporary = PathBuf::from(name);
        self.write_synced(&temporary, &[bytes])?;
        self.rename(&temporary, path)?;
        match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => self.sync_dir(parent),
            _ => self.sync_dir(Path::new(".")),
        }
    }
}

/// The operating system's.
#[derive(Debug, Default, Clone, Copy)]
pub struct OsFileSystem;

impl ReadAt for File {
    fn size(&self) -> io::Result<u64> {
        self.metadata().map(|m| m.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => (buffer, offset) = (&mut buffer[n..], offset + n as u64),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

impl FileSystem for OsFileSystem {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        Ok(Arc::new(File::open(path)?))
    }

    fn read(&self, path: &Path, options: RegionOptions) -> io::Result<Region> {
        let mut file = File::open(path)?;
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let mut region = Region::zeroed(len, options)?;
        file.read_exact(region.as_mut_slice())?;
        Ok(region)
    }

    fn write_synced(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let mut file = File::create(path)?;
        for part in parts {
            file.write_all(part)?;
        }
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }
}

/// Files in memory.
#[derive(Debug, Default)]
pub struct MemoryFileSystem {
    files: Mutex<BTreeMap<PathBuf, Arc<Vec<u8>>>>,
}

impl ReadAt for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = from.checked_add(buffer.len()).and_then(|end| self.get(from..end));
        buffer.copy_from_slice(bytes.ok_or(io::Error::from(io::ErrorKind::UnexpectedEof))?);
        Ok(())
    }
}

impl MemoryFileSystem {
    /// All files with their content.
    pub fn all(&self) -> Vec<(PathBuf, Vec<u8>)> {
        self.files().iter().map(|(path, bytes)| (path.clone(), (**bytes).clone())).collect()
    }

    fn files(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, Arc<Vec<u8>>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileSystem for MemoryFileSystem {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        let bytes = self.files().get(path).cloned();
        bytes.map(|bytes| bytes as Arc<dyn ReadAt>).ok_or(io::Error::from(io::ErrorKind::NotFound))
    }

    fn read(&self, path: &Path, options: RegionOptions) -> io::Result<Region> {
        let files = self.files();
        let bytes = files.get(path).ok_or(io::Error::from(io::ErrorKind::NotFound))?;
        let mut region = Region::zeroed(bytes.len(), options)?;
        region.as_mut_slice().copy_from_slice(bytes);
        Ok(region)
    }

    fn write_synced(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        self.files().insert(path.to_owned(), Arc::new(parts.concat()));
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = self.files();
        let bytes = files.remove(from).ok_or(io::Error::from(io::ErrorKind::NotFound))?;
        files.insert(to.to_owned(), bytes);
        Ok(())
    }

    fn sync_dir(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn create_dir(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = self
            .files()
            .keys()
            .filter_map(|p| p.strip_prefix(path).ok()?.components().next())
            .map(|c| c.as_os_str().to_string_lossy().into_owned())
            .collect();
        names.dedup();
        Ok(names)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.files().remove(path).map(|_| ()).ok_or(io::Error::from(io::ErrorKind::NotFound))
    }

    fn remove_dir(&self, _path: &Path) -> io::Result<()> {
        // Directories are only parts of names here.
        Ok(())
    }

    fn exists(&self, path: &Path) -> bool {
        self.files().keys().any(|p| p.starts_with(path))
    }
}
