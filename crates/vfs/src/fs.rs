//! The file system behind a trait, and the real one. `memory_fs` has one in memory; fault injection plugs in
//! here (`faulty`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// A file of a fixed length that was opened to be written at any place.
pub trait WriteAt: Send + Sync + std::fmt::Debug {
    /// Writes `bytes` from `offset` on; past the end is an error, or makes the file longer.
    ///
    /// **Errors**: the system's; some of the bytes may have been written.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Makes what was written last; the length is not part of it.
    ///
    /// **Errors**: the system's. What was written since the last sync may be lost then, and a second sync
    /// that succeeds says nothing about it.
    fn sync_data(&self) -> io::Result<()>;
}

/// The system's answer once more, for somebody else who is to have it: kind, number and text.
pub fn same_answer(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(error.kind(), error.to_string()),
    }
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
    /// Makes a new file, or makes an old one new, of `len` zeros that have their place on the disk, and syncs
    /// it: writing within it later changes no metadata. That the directory has it is certain only after
    /// [`Self::sync_dir`].
    fn create_sized(&self, path: &Path, len: u64) -> io::Result<Arc<dyn WriteAt>>;
    /// Opens a file to write within it.
    fn open_to_write(&self, path: &Path) -> io::Result<Arc<dyn WriteAt>>;
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

impl WriteAt for File {
    #[cfg(unix)]
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset)
    }

    #[cfg(windows)]
    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match std::os::windows::fs::FileExt::seek_write(self, bytes, offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => (bytes, offset) = (&bytes[n..], offset + n as u64),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Self::sync_data(self)
    }
}

/// Zeros that a new file is filled with, at a time.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

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

    fn create_sized(&self, path: &Path, len: u64) -> io::Result<Arc<dyn WriteAt>> {
        let mut file = File::create(path)?;
        let mut left = len;
        while left > 0 {
            let some = usize::try_from(left).map_or(ZEROS.len(), |left| left.min(ZEROS.len()));
            file.write_all(&ZEROS[..some])?;
            left -= some as u64;
        }
        file.sync_all()?;
        Ok(Arc::new(file))
    }

    fn open_to_write(&self, path: &Path) -> io::Result<Arc<dyn WriteAt>> {
        Ok(Arc::new(OpenOptions::new().write(true).open(path)?))
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
