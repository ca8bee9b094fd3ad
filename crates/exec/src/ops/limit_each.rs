//! Skip and limit in a subplan that many rows of an apply go through at once: of the rows of each, which
//! stand in their order, some are left out at the beginning, or at the end. All rows are asked for: other
//! rows may follow.

use trimorph_vector::{Chunk, Selection, Values};

use crate::operator::{BoxOperator, Operator};
use crate::rows::MANY;
use crate::{Context, ExecError};

/// Skip and limit for each row.
pub(crate) struct LimitEach<'s> {
    child: BoxOperator<'s>,
    /// The slot of the row's number.
    number: usize,
    skip: u64,
    /// The largest number where there is none.
    limit: u64,
    /// Of each row, how many are to be left out yet, and how many may still be given.
    left: Vec<(u64, u64)>,
}

impl<'s> LimitEach<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, number: usize, skip: u64, limit: u64) -> Self {
        Self { child, number, skip, limit, left: Vec::new() }
    }
}

impl<'s> Operator<'s> for LimitEach<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        loop {
            cx.check()?;
            if !self.child.next(chunk, cx)? {
                return Ok(false);
            }
            let group = &mut chunk.groups[0];
            let Values::Int(numbers) = &group.vectors[self.number].values else { continue };
            let mut kept = Vec::new();
            let mut multiplicity = vec![0; group.len];
            for i in group.selection.to_vec(group.len) {
                let number = usize::try_from(numbers[i as usize]).unwrap_or(0);
                if number >= self.left.len() {
                    self.left.resize(number + 1, (self.skip, self.limit));
                }
                let (skip, limit) = &mut self.left[number];
                let mut count = group.multiplicity_at(i as usize);
                let skipped = count.min(*skip);
                *skip -= skipped;
                // A row that comes too often to be counted comes as often after any that are left out.
                if count < MANY || skipped == MANY {
                    count -= skipped;
                }
                if *limit < u64::MAX {
                    count = count.min(*limit);
                    *limit -= count;
                }
                if count > 0 {
                    kept.push(i);
                    multiplicity[i as usize] = count;
                }
            }
            if kept.is_empty() {
                continue;
            }
            group.multiplicity = kept.iter().any(|i| multiplicity[*i as usize] != 1).then_some(multiplicity);
            group.selection = if kept.len() == group.len { Selection::All } else { Selection::List(kept) };
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.left.clear();
    }
}
