//! Paths to bytes: memory regions with huge pages, image files of checksummed blobs, and the file system behind a trait.
#![forbid(unsafe_code)]

mod codec;
mod fs;
mod image;
mod region;

pub use codec::{CodecError, Decoder, Encoder};
pub use fs::{FileSystem, MemoryFileSystem, OsFileSystem};
pub use image::{BlobId, Image, ImageError, ImageWriter};
pub use region::{Bytes, Region, RegionOptions};
