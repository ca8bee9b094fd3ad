//! The operators of a query that runs, and the batch that they gave last.

use trimorph_vector::Chunk;

use crate::operator::BoxOperator;
use crate::stack::Stack;
use crate::{Context, ExecError};

/// See the header.
pub(crate) struct Running<'s> {
    pub(crate) context: Context<'s>,
    pub(crate) root: BoxOperator<'s>,
    pub(crate) chunk: Chunk<'s>,
    /// Where the chunk has the columns of the result.
    pub(crate) slots: Vec<usize>,
    pub(crate) done: bool,
    /// Positions of the chunk, the one that comes next, and how often it was given already.
    positions: Vec<u32>,
    at: usize,
    given: u64,
}

/// Rows given at once where a position stands for many: what a batch takes does not depend on how often its
/// rows come.
const ROWS_MAX: usize = 1 << 16;

impl<'s> Running<'s> {
    /// Before its first row.
    pub(crate) fn new(
        context: Context<'s>,
        root: BoxOperator<'s>,
        chunk: Chunk<'s>,
        slots: Vec<usize>,
    ) -> Self {
        Self { context, root, chunk, slots, done: false, positions: Vec::new(), at: 0, given: 0 }
    }

    /// Pulls the next chunk, on `stack`, if the one before has been given; `false` if there is none.
    fn advance(&mut self, stack: Stack) -> Result<bool, ExecError> {
        self.context.check()?;
        if self.at < self.positions.len() {
            return Ok(true);
        }
        if self.done {
            return Ok(false);
        }
        let Self { root, chunk, context, .. } = self;
        let more = stack.run(move || context.settle(root.next(chunk, &*context)))?;
        if !more {
            return Ok(false);
        }
        self.positions = self.chunk.groups[0].positions();
        (self.at, self.given) = (0, 0);
        Ok(true)
    }

    /// As [`Self::advance`], and the end where there is none or it fails.
    pub(crate) fn pull(&mut self, stack: Stack) -> Result<bool, ExecError> {
        let more = self.advance(stack);
        if more.is_err() {
            self.positions.clear();
        }
        self.done |= !matches!(more, Ok(true));
        more
    }

    /// The next positions, each as often as its row is meant.
    pub(crate) fn batch(&mut self) -> Vec<u32> {
        let group = &self.chunk.groups[0];
        if group.multiplicity.is_none() {
            self.at = 0;
            return std::mem::take(&mut self.positions);
        }
        let mut out = Vec::new();
        while let Some(p) = self.positions.get(self.at) {
            let left = group.multiplicity_at(*p as usize) - self.given;
            let room = ROWS_MAX - out.len();
            let times = usize::try_from(left).map_or(room, |left| left.min(room));
            out.extend(std::iter::repeat_n(*p, times));
            self.given += times as u64;
            if (times as u64) < left {
                break;
            }
            (self.at, self.given) = (self.at + 1, 0);
        }
        out
    }
}
