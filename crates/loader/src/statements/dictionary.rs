//! Terms to numbers: texts end to end in blocks, and an index of their hashes.
//!
//! A slot of the index is 32 bits of the hash and the number; a text is looked at where the bits agree. The
//! last subject is remembered: files are often in the order of their subjects.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use trimorph_store::bulk::BulkError;

/// Bytes of a block; a longer text has one of its own.
const BLOCK_BYTES: usize = 1 << 20;
/// Most terms: one more number stands for none.
const TERMS_MAX: usize = u32::MAX as usize - 1;

/// Terms, numbered in the order in which they came.
#[derive(Default)]
pub(super) struct Dictionary {
    blocks: Vec<Vec<u8>>,
    /// Block, start and length of each text.
    places: Vec<(u32, u32, u32)>,
    index: HashTable<(u32, u32)>,
    hasher: RandomState,
    last: u32,
    bytes: usize,
}

/// The part of a hash that is kept, as a hash.
fn spread(kept: u32) -> u64 {
    u64::from(kept).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Dictionary {
    /// The number of a term; it gets one if it has none.
    ///
    /// **Errors**: more terms than numbers.
    pub(super) fn number(&mut self, text: &str) -> Result<u32, BulkError> {
        if (self.last as usize) < self.places.len() && self.text(self.last) == text {
            return Ok(self.last);
        }
        let kept = (self.hasher.hash_one(text) >> 32) as u32;
        let Self { index, places, blocks, .. } = self;
        let known = index.find(spread(kept), |(hash, number)| {
            *hash == kept && text_at(blocks, places[*number as usize]) == text.as_bytes()
        });
        if let Some((_, number)) = known {
            self.last = *number;
            return Ok(*number);
        }
        let number = self.places.len();
        if number >= TERMS_MAX {
            return Err(BulkError::TooLarge(format!("more than {TERMS_MAX} terms")));
        }
        let place = self.put(text.as_bytes());
        self.places.push(place);
        self.index.insert_unique(spread(kept), (kept, number as u32), |(hash, _)| spread(*hash));
        self.last = number as u32;
        Ok(number as u32)
    }

    fn put(&mut self, text: &[u8]) -> (u32, u32, u32) {
        let has_room = self.blocks.last().is_some_and(|block| block.len() + text.len() <= BLOCK_BYTES);
        if !has_room {
            self.bytes += BLOCK_BYTES.max(text.len());
            self.blocks.push(Vec::with_capacity(BLOCK_BYTES.max(text.len())));
        }
        let at = self.blocks.len() - 1;
        let block = &mut self.blocks[at];
        let start = block.len();
        block.extend_from_slice(text);
        // A block is below 4 GiB: so are lines, and values of all other formats.
        (at as u32, start as u32, text.len() as u32)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The text of a number.
    pub(super) fn text(&self, number: u32) -> &str {
        self.places
            .get(number as usize)
            .and_then(|place| std::str::from_utf8(text_at(&self.blocks, *place)).ok())
            .unwrap_or_default()
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.places.capacity() * 12 + self.index.capacity() * 9
    }
}

fn text_at(blocks: &[Vec<u8>], (block, start, len): (u32, u32, u32)) -> &[u8] {
    let start = start as usize;
    blocks.get(block as usize).and_then(|block| block.get(start..start + len as usize)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_keep_their_numbers() {
        let mut terms = Dictionary::default();
        let long = "x".repeat(3 * BLOCK_BYTES);
        let texts: Vec<String> =
            (0..50_000).map(|i| format!("http://e/{i}")).chain([long, String::new()]).collect();
        for _ in 0..2 {
            for (i, text) in texts.iter().enumerate() {
                assert_eq!(terms.number(text).unwrap() as usize, i);
            }
        }
        assert!((0..).zip(&texts).all(|(i, text)| terms.text(i) == text));
        assert_eq!(terms.len(), texts.len());
    }
}
