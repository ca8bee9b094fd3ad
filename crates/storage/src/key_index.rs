//! Hash index from a key property's value to its row: open addressing over 32-bit rows, keys compared in the column.
//!
//! An entry is `row + 1`, 0 for empty; the table is 3/4 full, so an index costs 5.3 bytes a key and no key is stored twice.

use trimorph_types::Value;
use trimorph_types::number::exact_int;
use trimorph_vfs::{Bytes, CodecError, Decoder, Encoder, Image, ImageWriter};

use crate::column::{ColumnView, read_blob};

/// From key to row, for one node table.
#[derive(Clone, Debug)]
pub struct KeyIndex {
    entries: Bytes,
}

/// Spreads the bits of an integer key (the finalizer of MurmurHash3).
#[inline]
pub(crate) fn hash_int(key: i64) -> u64 {
    let mut h = key.cast_unsigned();
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

/// FNV-1a, then the finalizer: the same on every platform, since it is stored.
pub(crate) fn hash_text(key: &[u8]) -> u64 {
    let hash =
        key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    hash_int(hash.cast_signed())
}

#[inline]
fn first_place(hash: u64, capacity: usize) -> usize {
    ((u128::from(hash) * capacity as u128) >> 64) as usize
}

impl KeyIndex {
    /// Writes an index of `count` rows, whose key hashes `hashes` gives with their rows.
    pub(crate) fn write(
        count: usize,
        hashes: impl FnOnce(&mut dyn FnMut(u64, u32)),
        image: &mut ImageWriter,
        meta: &mut Encoder,
    ) -> usize {
        let capacity = count + count / 3 + 1;
        let mut entries = vec![0u8; capacity * 4];
        hashes(&mut |hash, row| {
            let mut at = first_place(hash, capacity);
            // One place is left free for each three, so the search ends.
            while entries[at * 4..at * 4 + 4] != [0; 4] {
                at = if at + 1 == capacity { 0 } else { at + 1 };
            }
            entries[at * 4..at * 4 + 4].copy_from_slice(&(row + 1).to_le_bytes());
        });
        meta.u32(image.put(entries).0);
        capacity * 4
    }

    pub(crate) fn read(image: &Image, meta: &mut Decoder<'_>, rows: u64) -> Result<Self, CodecError> {
        let entries = read_blob(image, meta)?;
        match bytemuck::try_cast_slice::<u8, u32>(entries.as_slice()) {
            // One free entry at least, or a probe for a missing key would not end.
            Ok(e) if e.iter().all(|e| u64::from(*e) <= rows) && e.contains(&0) => Ok(Self { entries }),
            _ => Err(meta.error("a key index of rows of the table")),
        }
    }

    /// The row whose key is `key`, read from `column`, if there is one.
    ///
    /// **Cost**: constant; two cache misses as a rule.
    pub fn find(&self, key: &Value, column: &ColumnView<'_>) -> Option<u64> {
        let hash = match key {
            Value::Int(i) => hash_int(*i),
            Value::Float(f) => return self.find(&Value::Int(exact_int(*f)?), column),
            Value::Decimal(d) => return self.find(&Value::Int(d.exact_int()?), column),
            Value::String(s) => hash_text(s.as_bytes()),
            _ => return None,
        };
        let entries: &[u32] = bytemuck::try_cast_slice(self.entries.as_slice()).unwrap_or_default();
        let mut at = first_place(hash, entries.len());
        loop {
            let row = u64::from(entries[at].checked_sub(1)?);
            let equal = match (key, column.value(row)) {
                (Value::Int(a), Value::Int(b)) => *a == b,
                (Value::String(a), Value::String(b)) => *a == b,
                _ => false,
            };
            if equal {
                return Some(row);
            }
            at = if at + 1 == entries.len() { 0 } else { at + 1 };
        }
    }
}
