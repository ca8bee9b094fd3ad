//! Paths to bytes: memory regions with huge pages, image files of checksummed blobs, and the file system
//! behind a trait.
#![deny(unsafe_code)]

mod codec;
mod fs;
mod image;
mod prefetch;
mod region;
mod text;

pub use codec::{CodecError, Decoder, Encoder};
pub use fs::{FileSystem, MemoryFileSystem, OsFileSystem};
pub use image::{BlobId, Image, ImageError, ImageWriter};
pub use prefetch::prefetch;
pub use region::{Bytes, Region, RegionOptions};
pub use text::TextBytes;
