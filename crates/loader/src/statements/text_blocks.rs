//! Bytes end to end in a few large blocks, which stay where they are: nothing is copied as there come more,
//! and when they go the allocator has whole pages to give back.

/// Bytes of a block, at first and at most; what is longer has one of its own.
const BLOCK_BYTES: std::ops::RangeInclusive<usize> = 1 << 12..=1 << 20;

/// Where some bytes begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    block: u32,
    start: u32,
}

/// Bytes in blocks.
#[derive(Default)]
pub(super) struct TextBlocks {
    blocks: Vec<Vec<u8>>,
    bytes: usize,
}

impl TextBlocks {
    /// Adds some.
    pub(super) fn put(&mut self, bytes: &[u8]) -> Place {
        let has_room = self.blocks.last().is_some_and(|block| block.capacity() - block.len() >= bytes.len());
        if !has_room {
            // As much again as there is, so that few bytes take little room.
            let room = self.bytes.clamp(*BLOCK_BYTES.start(), *BLOCK_BYTES.end()).max(bytes.len());
            self.bytes += room;
            self.blocks.push(Vec::with_capacity(room));
        }
        let at = self.blocks.len() - 1;
        let block = &mut self.blocks[at];
        let place = Place { block: at as u32, start: block.len() as u32 };
        block.extend_from_slice(bytes);
        place
    }

    /// What begins at a place, up to the end of its block.
    #[inline]
    pub(super) fn from(&self, place: Place) -> &[u8] {
        &self.blocks[place.block as usize][place.start as usize..]
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_in_their_places() {
        let mut blocks = TextBlocks::default();
        let long = vec![7; 3 << 20];
        let texts: Vec<Vec<u8>> =
            (0..10_000).map(|i: i32| i.to_le_bytes().repeat(i as usize % 100)).collect();
        let all = || texts.iter().chain([&long]).chain(&texts);
        let places: Vec<Place> = all().map(|text| blocks.put(text)).collect();
        assert!(all().zip(places).all(|(text, place)| blocks.from(place).starts_with(text)));
        let bytes: usize = all().map(Vec::len).sum();
        assert!(blocks.bytes() < bytes + (2 << 20), "{} of {bytes}", blocks.bytes());
        let mut few = TextBlocks::default();
        few.put(b"few");
        assert!(few.bytes() < 1 << 13);
    }
}
