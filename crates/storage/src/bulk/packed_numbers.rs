//! Integers in, one after the other, and about the bytes out that they will take once stored: how what a load
//! has read waits.
//!
//! They are packed a run at a time. Runs are short, so that numbers that grow slowly, as those of subjects
//! do, take the bits of what they grow by in a run; and nothing is copied as there come more.

use trimorph_encoding::{Packed, PackedView, pack};

/// Numbers of a run.
const RUN: usize = 1 << 9;
/// Bytes after which runs go to another block: blocks are whole pages of the allocator, which it gives back
/// when they go. (Runs by themselves lie beside those of others.)
const BLOCK_BYTES: usize = 1 << 16;

/// A run, and where its codes are.
#[derive(Debug)]
struct Run {
    base: i64,
    step: u64,
    block: u32,
    start: u32,
    bits: u8,
}

/// Integers in the order in which they came.
#[derive(Debug, Default)]
pub struct PackedNumbers {
    runs: Vec<Run>,
    blocks: Vec<Vec<u8>>,
    /// The run that is not full.
    open: Vec<i64>,
}

/// Reads a run.
#[inline]
fn view<'b>(run: &Run, block: &'b [u8]) -> PackedView<'b> {
    let bytes = block.get(run.start as usize..).unwrap_or_default();
    PackedView { bits: run.bits, base: run.base, step: run.step, bytes }
}

impl PackedNumbers {
    /// Adds one.
    #[inline]
    pub fn push(&mut self, number: i64) {
        self.open.push(number);
        if self.open.len() == RUN {
            self.end_run();
        }
    }

    #[cold]
    #[inline(never)]
    fn end_run(&mut self) {
        let Packed { bits, base, step, bytes } = pack(&self.open);
        self.open.clear();
        let has_room = self.blocks.last().is_some_and(|block| block.len() + bytes.len() <= BLOCK_BYTES);
        if !has_room {
            // The first one grows as it is filled, since there may be many lists of few numbers.
            let room = if self.blocks.is_empty() { bytes.len() } else { BLOCK_BYTES };
            self.blocks.push(Vec::with_capacity(room));
        }
        let at = self.blocks.len() - 1;
        let block = &mut self.blocks[at];
        self.runs.push(Run { base, step, block: at as u32, start: block.len() as u32, bits });
        block.extend_from_slice(&bytes);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.runs.len() * RUN + self.open.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number `i`. **Panics**: past the last.
    #[inline]
    pub fn get(&self, i: usize) -> i64 {
        match self.runs.get(i / RUN) {
            Some(run) => view(run, &self.blocks[run.block as usize]).get(i % RUN),
            None => self.open[i - self.runs.len() * RUN],
        }
    }

    /// Gives all in order.
    pub fn each(&self, mut take: impl FnMut(i64)) {
        let mut numbers = [0; RUN];
        for run in &self.runs {
            view(run, &self.blocks[run.block as usize]).unpack(0, &mut numbers);
            numbers.iter().copied().for_each(&mut take);
        }
        self.open.iter().copied().for_each(take);
    }

    /// Gives all in order, a run at a time, and gives their memory back on the way.
    pub fn into_runs(self) -> impl Iterator<Item = Vec<i64>> {
        let Self { runs, mut blocks, open } = self;
        let full = runs.into_iter().map(move |run| {
            let at = run.block as usize;
            if let Some(done) = at.checked_sub(1) {
                blocks[done] = Vec::new();
            }
            let mut numbers = vec![0; RUN];
            view(&run, &blocks[at]).unpack(0, &mut numbers);
            numbers
        });
        full.chain(std::iter::once(open).filter(|open| !open.is_empty()))
    }

    /// Bytes of memory, about.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK_BYTES.min(self.len() * 8)
            + self.runs.capacity() * size_of::<Run>()
            + self.open.capacity() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(numbers: &[i64], bytes_max: usize) {
        let mut packed = PackedNumbers::default();
        numbers.iter().for_each(|number| packed.push(*number));
        assert_eq!(packed.len(), numbers.len());
        assert_eq!(packed.is_empty(), numbers.is_empty());
        assert!((0..).zip(numbers).all(|(i, number)| packed.get(i) == *number));
        let mut each = Vec::new();
        packed.each(|number| each.push(number));
        assert_eq!(each, numbers);
        assert!(packed.bytes() <= bytes_max, "{} bytes", packed.bytes());
        assert_eq!(packed.into_runs().flatten().collect::<Vec<_>>(), numbers);
    }

    #[test]
    fn numbers_come_back_in_little_room() {
        check(&[], 0);
        check(&[7], 1 << 6);
        let beside = RUN * 8 + BLOCK_BYTES;
        check(&[i64::MIN, i64::MAX, 0], 1 << 6);
        check(&(0..1 << 16).collect::<Vec<_>>(), beside + (1 << 16) * 3 / 2);
        check(&vec![-1; (1 << 16) + 1], beside + (1 << 13));
        let far: Vec<i64> = (0..100_000).map(|i: i64| i.wrapping_mul(0x1234_5678_9abc_def1)).collect();
        check(&far, beside + 100_000 * 9);
    }
}
