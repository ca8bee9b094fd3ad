//! Skip and limit in a subplan that many rows of an apply go through at once: of the rows of each, which
//! stand in their order, some are left out at the beginning, or at the end. All rows are asked for: other
//! rows may follow.

use trimorph_vector::{Chunk, Values};

use super::limit::{Window, keep};
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Skip and limit for each row.
pub(crate) struct LimitEach<'s> {
    child: BoxOperator<'s>,
    /// The slot of the row's number.
    number: usize,
    whole: Window,
    /// What is left of each row's.
    left: Vec<Window>,
}

impl<'s> LimitEach<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, number: usize, skip: u64, limit: u64) -> Self {
        Self { child, number, whole: Window { skip, limit }, left: Vec::new() }
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
            let numbers = numbers.to_vec();
            let mut pass = |i: usize, count| {
                let number = usize::try_from(numbers[i]).unwrap_or(0);
                if number >= self.left.len() {
                    self.left.resize(number + 1, self.whole);
                }
                self.left[number].pass(count)
            };
            if keep(group, &mut pass) {
                return Ok(true);
            }
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.left.clear();
    }
}
