//! Distinct: lets the first of each set of equivalent rows through as it comes; multiplicities become 1.

use std::sync::Arc;

use trimorph_vector::{Chunk, Selection, Vector};

use crate::keys::{KeyTable, POSITIONS_UNCHECKED};
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Distinct over rows of one group.
pub(crate) struct Distinct<'s> {
    child: BoxOperator<'s>,
    slots: Arc<[usize]>,
    seen: KeyTable<'s>,
    /// Scratch: nobody asks for the numbers.
    numbers: Vec<u32>,
    held: Option<trimorph_base::Reservation>,
}

impl<'s> Distinct<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, slots: Arc<[usize]>) -> Self {
        Self { child, slots, seen: KeyTable::default(), numbers: Vec::new(), held: None }
    }
}

impl<'s> Operator<'s> for Distinct<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.child.next(chunk, cx)? {
            let group = &mut chunk.groups[0];
            let keys: Vec<&Vector<'s>> = self.slots.iter().map(|s| &group.vectors[*s]).collect();
            let mut fresh = Vec::new();
            let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
            for positions in group.positions().chunks(POSITIONS_UNCHECKED) {
                cx.check()?;
                self.numbers.clear();
                held.grow(self.seen.growth_bytes(positions.len()))?;
                self.seen.number_all(&keys, positions, &mut self.numbers, &mut fresh);
                held.resize(self.seen.bytes())?;
            }
            if !fresh.is_empty() {
                group.selection = Selection::List(fresh);
                group.multiplicity = None;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.seen = KeyTable::default();
        self.held = None;
    }
}
