//! Where a byte stands in a text, eight bytes at a time without a branch on any of them. In texts of some
//! words, as addresses and paths are, starting a search of the library's for each byte takes longer than this
//! takes for the text.

/// The places of a byte, in order.
pub(super) struct BytePlaces<'t> {
    bytes: &'t [u8],
    byte: u8,
    /// The highest bit of each byte that was found among eight, and where these begin.
    found: u64,
    base: usize,
    /// Where the next eight begin.
    next: usize,
}

/// The same bit of each byte.
const LOW: u64 = 0x0101_0101_0101_0101;
const BELOW_HIGH: u64 = 0x7f * LOW;

impl<'t> BytePlaces<'t> {
    #[inline]
    pub(super) fn new(byte: u8, bytes: &'t [u8]) -> Self {
        Self { bytes, byte, found: 0, base: 0, next: 0 }
    }

    /// The highest bit of each byte of a word that is looked for: exactly these.
    #[inline]
    fn matches(&self, word: u64) -> u64 {
        let zero_where_same = word ^ (LOW * u64::from(self.byte));
        !(((zero_where_same & BELOW_HIGH) + BELOW_HIGH) | zero_where_same | BELOW_HIGH)
    }

    /// Looks at the next eight bytes, or at what is left; `false` at the end.
    #[inline]
    fn look(&mut self) -> bool {
        let rest = self.bytes.get(self.next..).unwrap_or_default();
        if rest.is_empty() {
            return false;
        }
        self.base = self.next;
        self.next += 8;
        self.found = match (rest.first_chunk(), self.bytes.last_chunk()) {
            (Some(word), _) => self.matches(u64::from_le_bytes(*word)),
            // Some of the last eight were looked at before.
            (None, Some(word)) => self.matches(u64::from_le_bytes(*word)) >> (8 * (8 - rest.len())),
            (None, None) => {
                let places = rest.iter().enumerate().filter(|(_, other)| **other == self.byte);
                places.fold(0, |found, (i, _)| found | 0x80 << (8 * i))
            }
        };
        true
    }
}

impl Iterator for BytePlaces<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            if !self.look() {
                return None;
            }
        }
        let place = self.base + self.found.trailing_zeros() as usize / 8;
        self.found &= self.found - 1;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::BytePlaces;

    #[test]
    fn all_places_are_found() {
        let mut state = 7u64;
        for len in 0..70 {
            for _ in 0..50 {
                let mut random = || {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 60) as usize
                };
                let bytes: Vec<u8> =
                    (0..len).map(|_| [0, 1, b'.', b'/', b'-', 0x80, 0xae, 0xff][random() % 8]).collect();
                for byte in [0, 1, b'.', 0x80, 0xff] {
                    let expected: Vec<usize> =
                        bytes.iter().enumerate().filter(|(_, b)| **b == byte).map(|(i, _)| i).collect();
                    assert_eq!(
                        BytePlaces::new(byte, &bytes).collect::<Vec<_>>(),
                        expected,
                        "{byte} {bytes:?}"
                    );
                }
            }
        }
    }
}
