//! Where bytes come from: a plain or compressed file, or memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::LoadError;

/// One input of a load.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// A text in memory, under the name it would have as a file.
    Memory(PathBuf, Arc<Vec<u8>>),
}

impl Source {
    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Memory(path, _) => path,
        }
    }

    /// Bytes as stored.
    pub(crate) fn bytes_total(&self) -> u64 {
        match self {
            Self::File(path) => std::fs::metadata(path).map_or(0, |m| m.len()),
            Self::Memory(_, bytes) => bytes.len() as u64,
        }
    }

    /// Opens it; gzip, zstd and bzip2 are told by their magic numbers. `count` grows by stored bytes read.
    pub(crate) fn open(&self, count: &Arc<AtomicU64>) -> Result<Box<dyn Read + Send>, LoadError> {
        match self {
            Self::File(path) => {
                let file = File::open(path).map_err(|e| LoadError::io(path, "open", e))?;
                decompress(Counted { inner: file, count: Arc::clone(count) })
                    .map_err(|e| LoadError::io(path, "read", e))
            }
            Self::Memory(_, bytes) => {
                let inner = Cursor::new(Shared(Arc::clone(bytes)));
                Ok(Box::new(Counted { inner, count: Arc::clone(count) }))
            }
        }
    }
}

/// Opens a file to read it; gzip, zstd and bzip2 are told by their magic numbers.
///
/// **Errors**: what the system says, with the path.
pub fn open_file(path: &Path) -> Result<Box<dyn Read + Send>, LoadError> {
    Source::File(path.to_owned()).open(&Arc::default())
}

struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// What is packed by gzip, zstd or bzip2, as its magic number says, unpacked; all else as it is.
///
/// **Errors**: the reader's.
pub fn decompress<R: Read + Send + 'static>(reader: R) -> io::Result<Box<dyn Read + Send>> {
    let mut buffered = BufReader::with_capacity(1 << 17, reader);
    let head = buffered.fill_buf()?;
    if head.starts_with(&[0x1F, 0x8B]) {
        Ok(Box::new(flate2::bufread::MultiGzDecoder::new(buffered)))
    } else if head.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        Ok(Box::new(zstd::stream::read::Decoder::with_buffer(buffered)?))
    } else if head.len() > 3 && head.starts_with(b"BZh") && head[3].is_ascii_digit() {
        Ok(Box::new(bzip2::bufread::MultiBzDecoder::new(buffered)))
    } else {
        Ok(Box::new(buffered))
    }
}
