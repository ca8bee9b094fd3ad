//! Segments: their names, headers and making, and reading blocks at places of them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_vfs::{FileSystem, ReadAt, WriteAt, checksum};

use crate::block::{BlockHeader, HEADER_BYTES, block_bytes};
use crate::{LogError, Position};

/// Bytes of a segment's header: its first block begins behind.
pub(crate) const HEADER_LEN: u32 = Position::FIRST_OFFSET;
const MAGIC: &[u8; 8] = b"TRIMORPH";
const FORMAT_VERSION: u32 = 2;
const KIND: u32 = 2;

/// Bytes that are read at a time: enough that a call costs little beside them.
const WINDOW_BYTES: usize = 256 << 10;

/// The file of a segment.
pub(crate) fn path_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:016x}.log"))
}

/// The number in a segment's name.
pub(crate) fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".log").filter(|digits| digits.len() == 16)?;
    u64::from_str_radix(digits, 16).ok().filter(|number| format!("{number:016x}") == digits)
}

/// The segments of a directory, in order; none if it is not there.
pub(crate) fn list(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<u64>, LogError> {
    let names = match fs.list(dir) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(LogError::io(dir, error)),
    };
    let mut numbers: Vec<u64> = names.iter().filter_map(|name| number_of(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn header(number: u64, len: u32, database: u128) -> [u8; HEADER_LEN as usize] {
    let mut bytes = [0; HEADER_LEN as usize];
    bytes[0..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes[12..16].copy_from_slice(&KIND.to_le_bytes());
    bytes[16..24].copy_from_slice(&number.to_le_bytes());
    bytes[24..32].copy_from_slice(&u64::from(len).to_le_bytes());
    bytes[32..48].copy_from_slice(&database.to_le_bytes());
    let sum = checksum(&[&bytes[..56]]);
    bytes[56..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// What kind of failure it was.
fn making_failed(path: &Path, error: io::Error) -> LogError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            LogError::NoRoom { path: path.to_owned(), error: Arc::new(error) }
        }
        _ => LogError::io(path, error),
    }
}

/// Makes the folder, whose name lasts.
fn make_dir(fs: &dyn FileSystem, dir: &Path) -> io::Result<()> {
    if fs.exists(dir) {
        return Ok(());
    }
    fs.create_dir(dir)?;
    dir.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), |parent| fs.sync_dir(parent))
}

/// Makes a segment that is whole, or not there, after a crash: of zeros, or of `old`, a segment of the same
/// length that nobody needs.
///
/// **Errors**: [`LogError::NoRoom`] leaves nothing behind.
pub(crate) fn make(
    fs: &dyn FileSystem,
    dir: &Path,
    number: u64,
    len: u32,
    database: u128,
    old: Option<u64>,
) -> Result<Arc<dyn WriteAt>, LogError> {
    let path = path_of(dir, number);
    let temporary = path.with_extension("log.tmp");
    let failed = |error| making_failed(&path, error);
    let made = match old {
        Some(old) => {
            fs.rename(&path_of(dir, old), &temporary).map_err(failed)?;
            fs.open_to_write(&temporary)
        }
        None => {
            make_dir(fs, dir).map_err(failed)?;
            fs.create_sized(&temporary, len.into())
        }
    };
    let file = made.map_err(|error| {
        // What is left of it takes the room that there is not.
        let _ = fs.remove(&temporary);
        failed(error)
    })?;
    file.write_all_at(&header(number, len, database), 0).map_err(|error| LogError::io(&path, error))?;
    file.sync_data().map_err(|error| LogError::io(&path, error))?;
    fs.rename(&temporary, &path).map_err(|error| LogError::io(&path, error))?;
    fs.sync_dir(dir).map_err(|error| LogError::io(dir, error))?;
    Ok(file)
}

/// A block's header, its content, and where the next begins.
pub(crate) type Block<'a> = (BlockHeader, &'a [u8], u32);

/// A segment to be read.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) number: u64,
    pub(crate) path: PathBuf,
    /// Its length as its header says, which the file has.
    pub(crate) len: u32,
    file: Arc<dyn ReadAt>,
    window: Vec<u8>,
    window_at: usize,
}

/// A segment, or what is there under its name.
#[derive(Debug)]
pub(crate) enum Opened {
    Segment(Segment),
    /// No valid header; there may be blocks for all that.
    Unused(Segment),
    /// No file.
    Missing,
}

impl Segment {
    /// Opens a segment and reads its header.
    ///
    /// **Errors**: the system's; a segment of another database, or of another format version.
    pub(crate) fn open(
        fs: &dyn FileSystem,
        dir: &Path,
        number: u64,
        database: u128,
    ) -> Result<Opened, LogError> {
        let path = path_of(dir, number);
        let file = match fs.open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Opened::Missing),
            Err(error) => return Err(LogError::io(&path, error)),
        };
        let size = file.size().map_err(|error| LogError::io(&path, error))?;
        let mut bytes = [0; HEADER_LEN as usize];
        let len = u32::try_from(size).unwrap_or(u32::MAX) / HEADER_LEN * HEADER_LEN;
        let segment = Self { number, path: path.clone(), len, file, window: Vec::new(), window_at: 0 };
        if size < bytes.len() as u64 {
            return Ok(Opened::Unused(segment));
        }
        segment.file.read_exact_at(&mut bytes, 0).map_err(|error| LogError::io(&path, error))?;
        let (mut sum, mut of) = ([0; 8], [0; 16]);
        sum.copy_from_slice(&bytes[56..]);
        of.copy_from_slice(&bytes[32..48]);
        let of = u128::from_le_bytes(of);
        let is_whole = checksum(&[&bytes[..56]]) == u64::from_le_bytes(sum) && bytes[0..8] == *MAGIC;
        if is_whole && bytes[8..12] != FORMAT_VERSION.to_le_bytes() {
            return Err(LogError::meaningless(&path, 0, "a format version that is not known"));
        }
        if u64::from(segment.len) != size || bytes != header(number, segment.len, of) {
            return Ok(Opened::Unused(segment));
        }
        if of != database {
            return Err(LogError::OtherDatabase { path });
        }
        Ok(Opened::Segment(segment))
    }

    /// `len` bytes from `at` on, which are within the segment.
    fn bytes(&mut self, at: usize, len: usize) -> Result<&[u8], LogError> {
        let is_there = at >= self.window_at && at + len <= self.window_at + self.window.len();
        if !is_there {
            let end = (at + len.max(WINDOW_BYTES)).min(self.len as usize);
            self.window.resize(end - at, 0);
            self.window_at = at;
            if let Err(error) = self.file.read_exact_at(&mut self.window, at as u64) {
                self.window.clear();
                return Err(LogError::io(&self.path, error));
            }
        }
        let from = at - self.window_at;
        Ok(&self.window[from..from + len])
    }

    /// The header at a multiple of 64, if there is one of a block that ends within the segment.
    pub(crate) fn header(&mut self, offset: u32) -> Result<Option<BlockHeader>, LogError> {
        let (at, left) = (Position::new(self.number, offset), self.len.saturating_sub(offset) as usize);
        if left < HEADER_BYTES {
            return Ok(None);
        }
        let header = BlockHeader::read(self.bytes(offset as usize, HEADER_BYTES)?, at);
        Ok(header.filter(|header| block_bytes(header.len) <= left))
    }

    /// The block at a multiple of 64, if it is valid.
    pub(crate) fn block(&mut self, offset: u32) -> Result<Option<Block<'_>>, LogError> {
        let Some(header) = self.header(offset)? else { return Ok(None) };
        let bytes = block_bytes(header.len);
        let content = &self.bytes(offset as usize, bytes)?[HEADER_BYTES..];
        let next = u32::try_from(offset as usize + bytes).unwrap_or(u32::MAX);
        Ok(header.has(content).then_some((header, &content[..header.len], next)))
    }
}
