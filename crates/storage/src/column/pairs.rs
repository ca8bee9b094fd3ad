//! Pairs of a position and a row, 64 at a time, of an iterator of any type: what gathers them is compiled
//! once, not once for each iterator that somebody has. That is 50 KB of code for each.

/// Rows taken at a time: as many as a word has bits.
pub(super) const BATCH_ROWS: usize = 64;

/// Pairs of where a value goes and the row that it is read from.
pub(super) trait Pairs: Iterator<Item = (usize, u64)> {
    /// Puts the next pairs into arrays, as many as there are and fit; how many. None are left where it is 0.
    fn take_batch(&mut self, positions: &mut [usize; BATCH_ROWS], rows: &mut [u64; BATCH_ROWS]) -> usize;
}

impl<I: Iterator<Item = (usize, u64)>> Pairs for I {
    #[inline]
    fn take_batch(&mut self, positions: &mut [usize; BATCH_ROWS], rows: &mut [u64; BATCH_ROWS]) -> usize {
        let mut len = 0;
        // In this order no pair is taken that has no room.
        for ((position, row), pair) in positions.iter_mut().zip(rows).zip(self) {
            (*position, *row) = pair;
            len += 1;
        }
        len
    }
}

/// Does something with each pair.
#[inline]
pub(super) fn for_each_pair(pairs: &mut dyn Pairs, mut act: impl FnMut(usize, u64)) {
    let (mut positions, mut rows) = ([0; BATCH_ROWS], [0; BATCH_ROWS]);
    loop {
        let len = pairs.take_batch(&mut positions, &mut rows);
        if len == 0 {
            return;
        }
        positions.iter().zip(&rows).take(len).for_each(|(position, row)| act(*position, *row));
    }
}
