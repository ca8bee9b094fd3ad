//! Files in memory: those of tests, and of databases without a directory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::{FileSystem, ReadAt, Region, RegionOptions, WriteAt};

/// Files in memory.
#[derive(Debug, Default)]
pub struct MemoryFileSystem {
    files: Mutex<BTreeMap<PathBuf, Arc<Content>>>,
}

/// The bytes of a file; who opened it sees what is written later.
#[derive(Debug, Default)]
struct Content(RwLock<Vec<u8>>);

impl Content {
    fn of(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self(RwLock::new(bytes)))
    }

    fn with<T>(&self, read: impl FnOnce(&[u8]) -> T) -> T {
        read(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Fills `buffer` with the bytes from `offset` on.
pub(crate) fn read_within(bytes: &[u8], buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let from = usize::try_from(offset).unwrap_or(usize::MAX);
    let bytes = from.checked_add(buffer.len()).and_then(|end| bytes.get(from..end));
    buffer.copy_from_slice(bytes.ok_or(io::Error::from(io::ErrorKind::UnexpectedEof))?);
    Ok(())
}

/// Puts `part` at `offset` of a file of a fixed length.
pub(crate) fn write_within(bytes: &mut [u8], part: &[u8], offset: u64) -> io::Result<()> {
    let from = usize::try_from(offset).unwrap_or(usize::MAX);
    let place = from.checked_add(part.len()).and_then(|end| bytes.get_mut(from..end));
    place.ok_or(io::Error::from(io::ErrorKind::StorageFull))?.copy_from_slice(part);
    Ok(())
}

impl ReadAt for Content {
    fn size(&self) -> io::Result<u64> {
        Ok(self.with(|bytes| bytes.len() as u64))
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.with(|bytes| read_within(bytes, buffer, offset))
    }
}

impl WriteAt for Content {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        write_within(&mut self.0.write().unwrap_or_else(PoisonError::into_inner), bytes, offset)
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
}

impl MemoryFileSystem {
    /// All files with their content.
    pub fn all(&self) -> Vec<(PathBuf, Vec<u8>)> {
        self.files().iter().map(|(path, bytes)| (path.clone(), bytes.with(<[u8]>::to_vec))).collect()
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<Content>>> {
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
        bytes.with(|bytes| {
            let mut region = Region::zeroed(bytes.len(), options)?;
            region.as_mut_slice().copy_from_slice(bytes);
            Ok(region)
        })
    }

    fn write_synced(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        self.files().insert(path.to_owned(), Content::of(parts.concat()));
        Ok(())
    }

    fn create_sized(&self, path: &Path, len: u64) -> io::Result<Arc<dyn WriteAt>> {
        let content = Content::of(vec![0; usize::try_from(len).map_err(io::Error::other)?]);
        self.files().insert(path.to_owned(), Arc::clone(&content));
        Ok(content)
    }

    fn open_to_write(&self, path: &Path) -> io::Result<Arc<dyn WriteAt>> {
        let bytes = self.files().get(path).cloned();
        bytes.map(|bytes| bytes as Arc<dyn WriteAt>).ok_or(io::Error::from(io::ErrorKind::NotFound))
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
