//! Paths to bytes: memory regions with huge pages, pieces of checksummed blobs that come into memory when
//! they are touched, and the file system behind a trait.
//!
//! ```text
//! fs      paths                 -> bytes; files that can be read, or written, at any place
//! region  memory                   filled once, or reserved for a file
//! pool    pieces of files       -> memory, as they are touched, within a budget
//! piece   metadata and blobs in one run of bytes, checksummed
//! pins    what one thread has in use
//! codec   numbers and texts     <-> bytes
//! ```
#![deny(unsafe_code)]

mod codec;
mod faulty;
mod fs;
mod huge_pages;
mod memory_fs;
mod piece;
mod pins;
mod pool;
mod prefetch;
mod region;
mod text;

pub use codec::{CodecError, Decoder, Encoder};
pub use faulty::{Fault, FaultyFileSystem};
pub use fs::{FileSystem, OsFileSystem, ReadAt, WriteAt, same_answer};
pub use huge_pages::ask_for_huge_pages;
pub use memory_fs::MemoryFileSystem;
pub use piece::{BlobId, PIECE_ALIGN, Piece, PieceWriter, checksum, lay_out};
pub use pins::{Failures, Pins};
pub use pool::{PieceFile, Pool, PoolCounts, ReadError};
pub use prefetch::{prefetch, prefetch_item};
pub use region::{Bytes, Region, RegionOptions};
pub use text::TextBytes;
