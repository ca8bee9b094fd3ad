//! Where the log goes on from a main version: what the manifest says of it.
//!
//! ```text
//! database 16 · segment 8 · offset 4 · committed 8 · handles 8
//! ```
//!
//! All zero: a version that no log belongs to yet.

use trimorph_vfs::{CodecError, Decoder, Encoder};

/// Where the log goes on from a main version.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogStart {
    /// Which database it is: a random number, the same in its log; 0 if none was drawn yet.
    pub database: u128,
    /// The segment from which on the log is needed.
    pub segment: u64,
    /// The byte within it.
    pub offset: u32,
    /// The last commit that the version has, and all before it: what the log says of these is passed over.
    pub committed: u64,
    /// Handles that transactions had been given.
    pub handles: u64,
}

impl LogStart {
    pub(super) fn write(&self, meta: &mut Encoder) {
        let bytes = self.database.to_le_bytes();
        let (halves, _) = bytes.as_chunks::<8>();
        halves.iter().for_each(|half| meta.u64(u64::from_le_bytes(*half)));
        meta.u64(self.segment);
        meta.u32(self.offset);
        meta.u64(self.committed);
        meta.u64(self.handles);
    }

    pub(super) fn read(meta: &mut Decoder<'_>) -> Result<Self, CodecError> {
        let (low, high) = (meta.u64()?, meta.u64()?);
        Ok(Self {
            database: u128::from(low) | u128::from(high) << 64,
            segment: meta.u64()?,
            offset: meta.u32()?,
            committed: meta.u64()?,
            handles: meta.u64()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back() {
        let start =
            LogStart { database: u128::MAX / 3, segment: 7, offset: 640, committed: 1 << 40, handles: 99 };
        let mut meta = Encoder::new();
        start.write(&mut meta);
        let bytes = meta.finish();
        assert_eq!(bytes.len(), 44);
        assert_eq!(bytes[..16], start.database.to_le_bytes());
        assert_eq!(LogStart::read(&mut Decoder::new(&bytes)).unwrap(), start);
        assert!(LogStart::read(&mut Decoder::new(&bytes[..43])).is_err());
    }
}
