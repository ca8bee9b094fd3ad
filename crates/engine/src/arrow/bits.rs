//! Booleans and null masks in, Arrow's bitmaps out, 64 positions at a time.

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use trimorph_vector::{Nulls, bits_of};

/// A bit for each Boolean.
pub(super) fn packed(values: &[bool]) -> BooleanBuffer {
    of_words(values.chunks(64).map(bits_of), values.len())
}

/// Which of the values at `positions` are there.
pub(super) fn present(nulls: &Nulls, positions: &[u32]) -> NullBuffer {
    let (words, len) = (nulls.words(), positions.len());
    let bits = if is_from_the_first_on(positions) {
        // Words that a mask does not have are of positions that are not null.
        let word = |k: usize| !words.get(k).copied().unwrap_or(0);
        of_words((0..len.div_ceil(64)).map(word), len)
    } else {
        let bit = |(k, p): (usize, &u32)| u64::from(!nulls.get(*p as usize)) << k;
        let word = |chunk: &[u32]| chunk.iter().enumerate().map(bit).fold(0, |word, bit| word | bit);
        of_words(positions.chunks(64).map(word), len)
    };
    NullBuffer::new(bits)
}

/// Whether these are all positions from the first one on.
pub(super) fn is_from_the_first_on(positions: &[u32]) -> bool {
    positions.iter().enumerate().all(|(i, p)| i == *p as usize)
}

/// The first `len` bits of words, of each the lowest first.
fn of_words(words: impl Iterator<Item = u64>, len: usize) -> BooleanBuffer {
    let words: Vec<u64> = words.map(u64::to_le).collect();
    BooleanBuffer::new(Buffer::from_vec(words), 0, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitmaps_are_as_the_values() {
        for len in [0, 1, 63, 64, 65, 200] {
            let values: Vec<bool> = (0..len).map(|i| i % 3 == 0 || i % 7 == 2).collect();
            assert!(packed(&values).iter().eq(values.iter().copied()), "{len}");
        }
    }

    #[test]
    fn masks_are_turned_round() {
        let mut nulls = Nulls::NONE;
        [3, 64, 100].into_iter().for_each(|i| nulls.set(i, 101));
        let whole: Vec<u32> = (0..200).collect();
        let some: Vec<u32> = vec![100, 3, 4, 64, 64, 199];
        for positions in [&whole[..], &whole[..70], &some, &[], &whole[3..]] {
            let expected = positions.iter().map(|p| !nulls.get(*p as usize));
            assert!(present(&nulls, positions).iter().eq(expected), "{positions:?}");
        }
    }
}
