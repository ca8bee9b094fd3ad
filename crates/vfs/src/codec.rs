//! Small self-written codec for metadata: little-endian integers, length-prefixed bytes. Every read is
//! checked.

use std::fmt;

/// Writes values one after the other.
#[derive(Default, Debug)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// Nothing written yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One byte.
    pub fn u8(&mut self, v: u8) {
        self.bytes.push(v);
    }

    /// Two bytes.
    pub fn u16(&mut self, v: u16) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }

    /// Four bytes.
    pub fn u32(&mut self, v: u32) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }

    /// Eight bytes.
    pub fn u64(&mut self, v: u64) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }

    /// Eight bytes, two's complement.
    pub fn i64(&mut self, v: i64) {
        self.u64(v.cast_unsigned());
    }

    /// Eight bytes, IEEE 754.
    pub fn f64(&mut self, v: f64) {
        self.u64(v.to_bits());
    }

    /// Length (eight bytes) and bytes.
    pub fn bytes(&mut self, v: &[u8]) {
        self.u64(v.len() as u64);
        self.bytes.extend_from_slice(v);
    }

    /// Length and UTF-8.
    pub fn str(&mut self, v: &str) {
        self.bytes(v.as_bytes());
    }

    /// UTF-8 behind its length in as few bytes as hold it, seven bits each.
    pub fn short_str(&mut self, v: &str) {
        let mut left = v.len();
        while left >= 0x80 {
            self.u8((left & 0x7F) as u8 | 0x80);
            left >>= 7;
        }
        self.u8((left & 0x7F) as u8);
        self.bytes.extend_from_slice(v.as_bytes());
    }

    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Metadata that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodecError {
    /// Byte at which reading failed.
    pub offset: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at metadata byte {}", self.expected, self.offset)
    }
}

impl std::error::Error for CodecError {}

/// Reads what an [`Encoder`] wrote.
#[derive(Debug)]
pub struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// An error at the current place.
    pub fn error(&self, expected: &'static str) -> CodecError {
        CodecError { offset: self.at, expected }
    }

    fn take(&mut self, len: usize, expected: &'static str) -> Result<&'a [u8], CodecError> {
        let end =
            self.at.checked_add(len).filter(|end| *end <= self.bytes.len()).ok_or(self.error(expected))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], CodecError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, expected)?);
        Ok(out)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, CodecError> {
        Ok(self.array::<1>("a byte")?[0])
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, CodecError> {
        Ok(u16::from_le_bytes(self.array("a 16-bit number")?))
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, CodecError> {
        Ok(u32::from_le_bytes(self.array("a 32-bit number")?))
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, CodecError> {
        Ok(u64::from_le_bytes(self.array("a 64-bit number")?))
    }

    /// Eight bytes that must fit a `usize` and be at most `max` (a count of things that take at least a byte
    /// each).
    pub fn count(&mut self, max: usize) -> Result<usize, CodecError> {
        let here = self.error("a count");
        usize::try_from(self.u64()?).ok().filter(|n| *n <= max).ok_or(here)
    }

    /// Eight bytes, two's complement.
    pub fn i64(&mut self) -> Result<i64, CodecError> {
        Ok(self.u64()?.cast_signed())
    }

    /// Eight bytes, IEEE 754.
    pub fn f64(&mut self) -> Result<f64, CodecError> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// Length-prefixed bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8], CodecError> {
        let len = self.count(self.remaining())?;
        self.take(len, "bytes")
    }

    /// Length-prefixed UTF-8.
    pub fn str(&mut self) -> Result<&'a str, CodecError> {
        let here = self.error("UTF-8 text");
        std::str::from_utf8(self.bytes()?).map_err(|_| here)
    }

    /// What [`Encoder::short_str`] wrote.
    pub fn short_str(&mut self) -> Result<&'a str, CodecError> {
        let here = self.error("UTF-8 text");
        let (mut len, mut shift) = (0_usize, 0);
        loop {
            let byte = self.u8()?;
            // Nothing is as long as what more bits could say.
            if shift > 28 {
                return Err(here);
            }
            len |= usize::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        std::str::from_utf8(self.take(len, "bytes")?).map_err(|_| here)
    }

    /// Bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_come_back_and_what_is_damaged_is_refused() {
        for len in [0, 1, 127, 128, 129, 16_383, 16_384, 70_000] {
            let text = "x".repeat(len);
            let mut out = Encoder::new();
            out.short_str(&text);
            out.short_str("ä");
            let bytes = out.finish();
            assert_eq!(bytes.len(), len + [1, 2, 3][usize::from(len > 127) + usize::from(len > 16_383)] + 3);
            let mut from = Decoder::new(&bytes);
            assert_eq!((from.short_str(), from.short_str()), (Ok(&text[..]), Ok("ä")));
            assert_eq!(from.remaining(), 0);
            // A part of it is not taken for all of it.
            assert!(Decoder::new(&bytes[..bytes.len() - 4]).short_str().is_err());
        }
        for bad in [&[][..], &[0x80], &[3, b'a', b'b'], &[1, 0xFF], &[0xFF; 12]] {
            assert!(Decoder::new(bad).short_str().is_err(), "{bad:?}");
        }
    }
}
