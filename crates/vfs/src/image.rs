//! An image: checksummed blobs and metadata in one run of bytes, the same on disk and in memory.
//!
//! Layout (little-endian), offsets tested in `tests`:
//!
//! ```text
//!   0  magic "TRIMORPH"          8
//!   8  format version            4
//!  12  kind (what it holds)      4
//!  16  file length               8
//!  24  directory offset          8      blob count × (offset 8, length 8, XXH3 8)
//!  32  blob count                8
//!  40  metadata offset           8
//!  48  metadata length           8
//!  56  XXH3 of bytes 0..56, of the directory and of the metadata, combined   8
//!  64  blobs, each at a multiple of 64, followed by at least 8 zero bytes
//! ```
//!
//! Invariant: an `Image` that exists has had every byte verified, padding as zero; readers of its blobs need
//! not fear damage, but must still check what metadata claims against blob lengths.

use std::fmt;
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::{Bytes, Region, RegionOptions};

const MAGIC: &[u8; 8] = b"TRIMORPH";
/// The format version this build writes and reads.
const VERSION: u32 = 3;
const HEADER_BYTES: usize = 64;
const ALIGN: usize = 64;
const PAD_BYTES: usize = 8;

/// A blob of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlobId(pub u32);

/// What is wrong with an image.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ImageError {
    /// The bytes are not what was written.
    Damaged {
        /// Byte offset of the damaged part.
        offset: usize,
        /// Which part.
        what: &'static str,
    },
    /// Written by a newer version.
    Newer {
        /// Its format version.
        version: u32,
    },
    /// Written by a version from before the first release.
    Older {
        /// Its format version.
        version: u32,
    },
    /// No memory for it.
    Memory(String),
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { offset, what } => write!(f, "damaged {what} at byte {offset}"),
            Self::Newer { version } => {
                write!(f, "format version {version} is newer than {VERSION}, the newest this build can open")
            }
            Self::Older { version } => {
                write!(
                    f,
                    "format version {version} is older than {VERSION}, the oldest this build can open: load the data again"
                )
            }
            Self::Memory(text) => write!(f, "could not get memory: {text}"),
        }
    }
}

impl std::error::Error for ImageError {}

/// Collects blobs.
#[derive(Debug, Default)]
pub struct ImageWriter {
    blobs: Vec<Vec<u8>>,
}

impl ImageWriter {
    /// An image without blobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a blob.
    pub fn put(&mut self, bytes: Vec<u8>) -> BlobId {
        self.blobs.push(bytes);
        BlobId(u32::try_from(self.blobs.len() - 1).unwrap_or(u32::MAX))
    }

    /// Lays everything out in one region, giving each blob's memory back as it is copied.
    pub fn finish(self, kind: u32, metadata: &[u8], options: RegionOptions) -> Result<Region, ImageError> {
        let round = |n: usize| n.next_multiple_of(ALIGN);
        let mut at = HEADER_BYTES;
        let mut places = Vec::with_capacity(self.blobs.len());
        for blob in &self.blobs {
            places.push(at);
            at = round(at + blob.len() + PAD_BYTES);
        }
        let directory_at = at;
        let metadata_at = round(directory_at + self.blobs.len() * 24);
        let len = metadata_at + metadata.len();
        let mut region = Region::zeroed(len, options).map_err(|e| ImageError::Memory(e.to_string()))?;
        let out = region.as_mut_slice();
        let blob_count = self.blobs.len();
        for (i, (blob, place)) in self.blobs.into_iter().zip(places).enumerate() {
            out[place..place + blob.len()].copy_from_slice(&blob);
            let entry = directory_at + i * 24;
            out[entry..entry + 8].copy_from_slice(&(place as u64).to_le_bytes());
            out[entry + 8..entry + 16].copy_from_slice(&(blob.len() as u64).to_le_bytes());
            out[entry + 16..entry + 24].copy_from_slice(&xxh3_64(&blob).to_le_bytes());
        }
        out[metadata_at..].copy_from_slice(metadata);
        out[0..8].copy_from_slice(MAGIC);
        out[8..12].copy_from_slice(&VERSION.to_le_bytes());
        out[12..16].copy_from_slice(&kind.to_le_bytes());
        for (place, value) in
            [(16, len), (24, directory_at), (32, blob_count), (40, metadata_at), (48, metadata.len())]
        {
            out[place..place + 8].copy_from_slice(&(value as u64).to_le_bytes());
        }
        let sum = control_sum(out, directory_at..directory_at + blob_count * 24, metadata_at..len);
        out[56..64].copy_from_slice(&sum.to_le_bytes());
        Ok(region)
    }
}

fn control_sum(bytes: &[u8], directory: std::ops::Range<usize>, metadata: std::ops::Range<usize>) -> u64 {
    let mut sum = Xxh3::new();
    sum.update(&bytes[..56]);
    sum.update(&bytes[directory]);
    sum.update(&bytes[metadata]);
    sum.digest()
}

/// What no checksum covers, the bytes between parts, must be zero.
fn check_padding(bytes: &[u8], from: usize, to: usize) -> Result<(), ImageError> {
    let gap = bytes.get(from..to).ok_or(ImageError::Damaged { offset: to, what: "order of blobs" })?;
    match gap.iter().position(|byte| *byte != 0) {
        None => Ok(()),
        Some(place) => Err(ImageError::Damaged { offset: from + place, what: "padding" }),
    }
}

/// A verified image.
#[derive(Clone, Debug)]
pub struct Image {
    region: Arc<Region>,
    blobs: Vec<(usize, usize)>,
    metadata: (usize, usize),
}

impl Image {
    /// Verifies every byte of `region`: by checksums, and padding as zero.
    ///
    /// **Cost**: one pass over the bytes. **Errors**: the first damage found.
    pub fn open(region: Region, kind: u32) -> Result<Self, ImageError> {
        let bytes = region.as_slice();
        let damaged = |offset, what| ImageError::Damaged { offset, what };
        if bytes.len() < HEADER_BYTES || &bytes[..8] != MAGIC {
            return Err(damaged(0, "header (not a Trimorph file)"));
        }
        let version = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
        if version > VERSION {
            return Err(ImageError::Newer { version });
        }
        if version < VERSION {
            return Err(ImageError::Older { version });
        }
        let number = |at: usize| -> Option<usize> {
            let mut raw = [0; 8];
            raw.copy_from_slice(bytes.get(at..at + 8)?);
            usize::try_from(u64::from_le_bytes(raw)).ok()
        };
        let field = |at: usize, what| number(at).ok_or(damaged(at, what));
        if field(16, "file length")? != bytes.len() {
            return Err(damaged(16, "file length (the file is cut short or has grown)"));
        }
        let directory_at = field(24, "directory offset")?;
        let blob_count = field(32, "blob count")?;
        let metadata_at = field(40, "metadata offset")?;
        let metadata_len = field(48, "metadata length")?;
        let range = |at: usize, len: Option<usize>, what| {
            len.and_then(|len| at.checked_add(len))
                .filter(|end| *end <= bytes.len())
                .map(|end| at..end)
                .ok_or(damaged(at, what))
        };
        let directory = range(directory_at, blob_count.checked_mul(24), "directory")?;
        let metadata = range(metadata_at, Some(metadata_len), "metadata")?;
        if control_sum(bytes, directory.clone(), metadata).to_le_bytes() != bytes[56..64] {
            return Err(damaged(56, "header, directory or metadata"));
        }
        if bytes[12..16] != kind.to_le_bytes() {
            return Err(damaged(12, "file kind (a file of another table)"));
        }
        let mut blobs = Vec::with_capacity(blob_count);
        for entry in directory.step_by(24) {
            let (at, len) = (field(entry, "directory")?, field(entry + 8, "directory")?);
            let place = range(at, len.checked_add(PAD_BYTES), "blob")?;
            if xxh3_64(&bytes[place.start..place.start + len]).to_le_bytes() != bytes[entry + 16..entry + 24]
            {
                return Err(damaged(at, "blob"));
            }
            blobs.push((at, len));
        }
        let mut end = HEADER_BYTES;
        let control = [(directory_at, blob_count * 24), (metadata_at, metadata_len), (bytes.len(), 0)];
        for (at, len) in blobs.iter().copied().chain(control) {
            check_padding(bytes, end, at)?;
            end = at + len;
        }
        Ok(Self { metadata: (metadata_at, metadata_len), blobs, region: Arc::new(region) })
    }

    /// A blob with the 8 zero bytes that follow it, so that a 64-bit load at its last byte is within.
    pub fn padded_blob(&self, id: BlobId) -> Option<Bytes> {
        let (at, len) = *self.blobs.get(id.0 as usize)?;
        Bytes::new(Arc::clone(&self.region), at, len + PAD_BYTES)
    }

    /// A blob.
    pub fn blob(&self, id: BlobId) -> Option<Bytes> {
        let (at, len) = *self.blobs.get(id.0 as usize)?;
        Bytes::new(Arc::clone(&self.region), at, len)
    }

    /// The metadata.
    pub fn metadata(&self) -> &[u8] {
        &self.region.as_slice()[self.metadata.0..self.metadata.0 + self.metadata.1]
    }

    /// The whole image.
    pub fn as_slice(&self) -> &[u8] {
        self.region.as_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut writer = ImageWriter::new();
        writer.put(vec![1, 2, 3]);
        writer.put((0..200).collect());
        writer.finish(7, b"meta", RegionOptions::default()).unwrap().as_slice().to_vec()
    }

    fn open(bytes: &[u8]) -> Result<Image, ImageError> {
        let mut region = Region::zeroed(bytes.len(), RegionOptions::default()).unwrap();
        region.as_mut_slice().copy_from_slice(bytes);
        Image::open(region, 7)
    }

    #[test]
    fn reads_back_what_was_written_at_the_documented_offsets() {
        let bytes = sample();
        assert_eq!(&bytes[..8], b"TRIMORPH");
        assert_eq!(bytes[64..67], [1, 2, 3]);
        assert_eq!(bytes[128], 0);
        let image = open(&bytes).unwrap();
        assert_eq!(image.blob(BlobId(1)).unwrap().as_slice()[199], 199);
        assert_eq!(image.metadata(), b"meta");
        assert!(image.blob(BlobId(2)).is_none());
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let good = sample();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert!(open(&bad).is_err(), "byte {at}");
        }
        for len in 0..good.len() {
            assert!(open(&good[..len]).is_err());
        }
    }

    #[test]
    fn other_versions_are_refused_by_number() {
        for (version, error) in
            [(VERSION + 1, ImageError::Newer { version: VERSION + 1 }), (2, ImageError::Older { version: 2 })]
        {
            let mut bytes = sample();
            bytes[8..12].copy_from_slice(&version.to_le_bytes());
            let found = open(&bytes).unwrap_err();
            assert!(found == error && found.to_string().contains(&version.to_string()), "{found}");
        }
    }
}
