//! Skip and limit: on rows of one group, counting multiplicities; asks its child for nothing once it has
//! enough. A row that comes too often to be counted ([`MANY`]) comes as often after any that are skipped.

use trimorph_vector::{Chunk, Group, Selection};

use crate::operator::{BoxOperator, Operator};
use crate::rows::MANY;
use crate::{Context, ExecError};

/// How many rows are yet to be left out, and how many may still be given: the largest number where all may.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) skip: u64,
    pub(super) limit: u64,
}

impl Window {
    /// How often a row is given that comes so often.
    pub(super) fn pass(&mut self, mut count: u64) -> u64 {
        let skipped = count.min(self.skip);
        self.skip -= skipped;
        if count < MANY || skipped == MANY {
            count -= skipped;
        }
        if self.limit < u64::MAX {
            count = count.min(self.limit);
            self.limit -= count;
        }
        count
    }
}

/// Keeps the rows of a group that are given, each as often as `pass` says of its position and how often it
/// comes; `false` if none is.
pub(super) fn keep(group: &mut Group<'_>, mut pass: impl FnMut(usize, u64) -> u64) -> bool {
    let mut kept = Vec::new();
    let mut multiplicity = vec![0; group.len];
    for i in group.selection.to_vec(group.len) {
        let count = pass(i as usize, group.multiplicity_at(i as usize));
        if count > 0 {
            kept.push(i);
            multiplicity[i as usize] = count;
        }
    }
    if kept.is_empty() {
        return false;
    }
    group.multiplicity = kept.iter().any(|i| multiplicity[*i as usize] != 1).then_some(multiplicity);
    group.selection = if kept.len() == group.len { Selection::All } else { Selection::List(kept) };
    true
}

/// Skip and limit.
pub(crate) struct Limit<'s> {
    child: BoxOperator<'s>,
    whole: Window,
    left: Window,
}

impl<'s> Limit<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, skip: u64, limit: u64) -> Self {
        let whole = Window { skip, limit };
        Self { child, whole, left: whole }
    }
}

impl<'s> Operator<'s> for Limit<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.left.limit > 0 {
            cx.check()?;
            if !self.child.next(chunk, cx)? {
                return Ok(false);
            }
            let left = &mut self.left;
            if keep(&mut chunk.groups[0], |_, count| left.pass(count)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.left = self.whole;
    }
}
