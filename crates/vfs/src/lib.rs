//! Paths to bytes: memory regions with huge pages, pieces of checksummed blobs, and the file system behind a
//! trait.
#![deny(unsafe_code)]

mod codec;
mod faulty;
mod fs;
mod piece;
mod prefetch;
mod region;
mod text;

pub use codec::{CodecError, Decoder, Encoder};
pub use faulty::{Fault, FaultyFileSystem};
pub use fs::{FileSystem, MemoryFileSystem, OsFileSystem};
pub use piece::{BlobId, PIECE_ALIGN, Piece, PieceWriter, checksum, lay_out};
pub use prefetch::prefetch;
pub use region::{Bytes, Region, RegionOptions};
pub use text::TextBytes;
