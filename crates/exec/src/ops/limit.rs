//! Skip and limit: on rows of one group, counting multiplicities; asks its child for nothing once it has
//! enough. A row that comes too often to be counted ([`MANY`]) comes as often after any that are skipped.

use trimorph_vector::{Chunk, Selection};

use crate::operator::{BoxOperator, Operator};
use crate::rows::MANY;
use crate::{Context, ExecError};

/// Skip and limit.
pub(crate) struct Limit<'s> {
    child: BoxOperator<'s>,
    skip: u64,
    /// The largest number where there is none.
    limit: u64,
    skipped: u64,
    given: u64,
}

impl<'s> Limit<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, skip: u64, limit: u64) -> Self {
        Self { child, skip, limit, skipped: 0, given: 0 }
    }
}

impl<'s> Operator<'s> for Limit<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.given < self.limit {
            cx.check()?;
            if !self.child.next(chunk, cx)? {
                return Ok(false);
            }
            let group = &mut chunk.groups[0];
            let mut kept = Vec::new();
            let mut multiplicity = vec![0; group.len];
            for i in group.selection.to_vec(group.len) {
                let mut count = group.multiplicity_at(i as usize);
                let skip = count.min(self.skip - self.skipped);
                self.skipped += skip;
                if count < MANY || skip == MANY {
                    count -= skip;
                }
                if self.limit < u64::MAX {
                    count = count.min(self.limit - self.given);
                    self.given += count;
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
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
        (self.skipped, self.given) = (0, 0);
    }
}
