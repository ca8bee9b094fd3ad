//! Thin: below a DISTINCT on several threads, leaves out rows that the same thread gave before, so that what
//! is compared by one thread at the end is little.
//!
//! It is no more than that: once there are many different rows, or most are new, or memory is short, rows go
//! through as they come.

use std::sync::Arc;

use trimorph_base::Reservation;
use trimorph_vector::{Chunk, Selection, Vector};

use crate::keys::{KeyTable, POSITIONS_UNCHECKED};
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Different rows that are remembered: a table of so many stays in the cache of a core.
const KEYS_MAX: usize = 1 << 14;
/// Rows after which it is looked how many were new.
const ROWS_TRIED: usize = 1 << 13;

/// Thin over rows of one group.
pub(crate) struct Thin<'s> {
    child: BoxOperator<'s>,
    slots: Arc<[usize]>,
    /// What was given; none once rows go through as they come.
    seen: Option<KeyTable<'s>>,
    held: Option<Reservation>,
    /// Rows that came.
    asked: usize,
    numbers: Vec<u32>,
}

impl<'s> Thin<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, slots: Arc<[usize]>) -> Self {
        Self { child, slots, seen: Some(KeyTable::default()), held: None, asked: 0, numbers: Vec::new() }
    }

    /// Whether it goes on remembering rows: they come again, and there is room.
    fn pays(&mut self, cx: &Context<'s>) -> bool {
        let Some(seen) = &self.seen else { return false };
        let (bytes, new) = (seen.bytes(), seen.len());
        let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
        let is_new = self.asked >= ROWS_TRIED && new > self.asked / 2;
        new <= KEYS_MAX && !is_new && held.resize(bytes).is_ok()
    }
}

impl<'s> Operator<'s> for Thin<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.child.next(chunk, cx)? {
            let Some(seen) = &mut self.seen else { return Ok(true) };
            let group = &mut chunk.groups[0];
            let keys: Vec<&Vector<'s>> = self.slots.iter().map(|s| &group.vectors[*s]).collect();
            let mut fresh = Vec::new();
            let positions = group.positions();
            for positions in positions.chunks(POSITIONS_UNCHECKED) {
                cx.check()?;
                self.numbers.clear();
                seen.number_all(&keys, positions, &mut self.numbers, &mut fresh);
            }
            self.asked += positions.len();
            if !self.pays(cx) {
                (self.seen, self.held) = (None, None);
            }
            if !fresh.is_empty() {
                let group = &mut chunk.groups[0];
                group.selection = Selection::List(fresh);
                group.multiplicity = None;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
        (self.seen, self.held, self.asked) = (Some(KeyTable::default()), None, 0);
    }
}
