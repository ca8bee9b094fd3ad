//! UTF-8 text in a region, checked once.
//!
//! It lets a dictionary of many megabytes be read as `&str` without being checked again on every look.
#![expect(unsafe_code, reason = "validated once, immutable after")]

use crate::Bytes;

/// Bytes of a region that are known to be UTF-8.
#[derive(Clone, Debug)]
pub struct TextBytes(Bytes);

impl TextBytes {
    /// Checks `bytes`; `None` if they are not UTF-8. **Cost**: one pass.
    pub fn new(bytes: Bytes) -> Option<Self> {
        std::str::from_utf8(bytes.as_slice()).is_ok().then_some(Self(bytes))
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        // SAFETY: `new` checked exactly these bytes. In a filled region they cannot change any more. Into a
        // reserved one they are read again only to the same place and with the same checksum; in between they
        // are zero, or 'Z', which are UTF-8.
        unsafe { std::str::from_utf8_unchecked(self.0.as_slice()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Region, RegionOptions};

    #[test]
    fn refuses_what_is_not_utf8() {
        let region = |bytes: &[u8]| {
            let mut region = Region::zeroed(bytes.len(), RegionOptions::default()).unwrap();
            region.as_mut_slice().copy_from_slice(bytes);
            Bytes::new(Arc::new(region), 0, bytes.len()).unwrap()
        };
        assert_eq!(TextBytes::new(region("grün".as_bytes())).unwrap().as_str(), "grün");
        assert!(TextBytes::new(region(&[0xff, 0x41])).is_none());
    }
}
