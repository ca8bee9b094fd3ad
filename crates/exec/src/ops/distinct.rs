//! Distinct: lets the first of each set of equivalent rows through as it comes; multiplicities become 1.
//! Rows that memory has no room to compare with are given at the end (`spill/dedupe.rs`).

use std::sync::Arc;

use trimorph_vector::{Chunk, Selection, Vector};

use crate::operator::{BoxOperator, Operator};
use crate::spill::Dedupe;
use crate::{Context, ExecError};

/// Distinct over rows of one group.
pub(crate) struct Distinct<'s> {
    child: BoxOperator<'s>,
    slots: Arc<[usize]>,
    seen: Dedupe<'s>,
    /// Whether the child has given all.
    ended: bool,
}

impl<'s> Distinct<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, slots: Arc<[usize]>) -> Self {
        Self { child, slots, seen: Dedupe::new(), ended: false }
    }
}

impl<'s> Operator<'s> for Distinct<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while !self.ended {
            if !self.child.next(chunk, cx)? {
                self.ended = true;
                break;
            }
            let group = &mut chunk.groups[0];
            let keys: Vec<&Vector<'s>> = self.slots.iter().map(|s| &group.vectors[*s]).collect();
            let mut fresh = Vec::new();
            self.seen.add(&keys, &group.positions(), &mut fresh, cx)?;
            if !fresh.is_empty() {
                group.selection = Selection::List(fresh);
                group.multiplicity = None;
                return Ok(true);
            }
        }
        let Some((batch, fresh)) = self.seen.rest(cx)? else { return Ok(false) };
        let out = &mut chunk.groups[0];
        out.reset(batch.len());
        out.selection = Selection::List(fresh);
        for (slot, column) in self.slots.iter().zip(batch.columns) {
            out.vectors[*slot] = column;
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.seen = Dedupe::new();
        self.ended = false;
    }
}
