//! Positions of two bytes in a text, 64 bytes at a step.
//!
//! For short fields a `memchr` per field spends most of its time starting up. This makes a 64-bit mask of the
//! places where either byte stands, with plain 64-bit arithmetic, and then takes bits off it.
//!
//! Source: Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (2019), §3.1, without SIMD.

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW7: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// Iterates over the positions of two bytes in ascending order.
#[derive(Clone)]
pub(super) struct Structural<'a> {
    text: &'a [u8],
    /// First byte after the block that `mask` describes.
    next_block: usize,
    mask: u64,
    needles: [u64; 2],
}

impl<'a> Structural<'a> {
    pub(super) fn new(text: &'a [u8], first: u8, second: u8, from: usize) -> Self {
        let needles = [u64::from(first) * ONES, u64::from(second) * ONES];
        Self { text, next_block: from, mask: 0, needles }
    }

    /// The next position, or `None` at the end of the text.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<usize> {
        while self.mask == 0 {
            if self.next_block >= self.text.len() {
                return None;
            }
            self.load();
        }
        let at = self.next_block - 64 + self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(at)
    }

    /// Appends the next positions, `most` at most. The text is below 4 GiB.
    #[inline]
    pub(super) fn take(&mut self, most: usize, out: &mut Vec<u32>) {
        let most = out.len() + most;
        out.reserve(most - out.len());
        while out.len() < most {
            if self.mask == 0 {
                if self.next_block >= self.text.len() {
                    return;
                }
                self.load();
                continue;
            }
            #[expect(clippy::cast_possible_truncation, reason = "chunks are below 4 GiB")]
            let first = (self.next_block - 64) as u32;
            while self.mask != 0 && out.len() < most {
                out.push(first + self.mask.trailing_zeros());
                self.mask &= self.mask - 1;
            }
        }
    }

    #[inline]
    fn load(&mut self) {
        let rest = &self.text[self.next_block..];
        self.mask = match rest.first_chunk::<64>() {
            Some(block) => self.mask_of(block),
            None => {
                let mut block = [0_u8; 64];
                block[..rest.len()].copy_from_slice(rest);
                // Neither needle is zero, so the padding never matches.
                self.mask_of(&block)
            }
        };
        self.next_block += 64;
    }

    #[inline(always)]
    fn mask_of(&self, block: &[u8; 64]) -> u64 {
        let mut mask = 0;
        for (i, word) in block.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            let hits = zero_bytes(word ^ self.needles[0]) | zero_bytes(word ^ self.needles[1]);
            // Gathers the top bits of the eight bytes into one byte.
            let bits = (hits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            mask |= bits << (8 * i);
        }
        mask
    }
}

/// The top bit of every byte that is zero, exactly.
#[inline(always)]
fn zero_bytes(word: u64) -> u64 {
    !(((word & LOW7) + LOW7) | word | LOW7)
}
