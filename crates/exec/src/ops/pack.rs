//! Pack: turns the tuples of any chunk into rows of one group, multiplicities kept.

use std::sync::Arc;

use trimorph_base::Reservation;
use trimorph_vector::Chunk;

use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::rows::Rows;
use crate::{Context, ExecError};

/// What is packed.
#[derive(Debug)]
pub(crate) struct PackSpec {
    /// Slots of each group below.
    pub(crate) slots: Vec<usize>,
    /// Where each output slot is taken from.
    pub(crate) places: Vec<Place>,
    /// Gives a batch as soon as it has one row: below a LIMIT.
    pub(crate) eager: bool,
}

/// Pack. Owns the chunk below it.
pub(crate) struct Pack<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<PackSpec>,
    rows: Rows<'s>,
    done: bool,
    /// The part that the rows are of, and that of the chunk below where it waits for them to be given.
    part: u64,
    /// Once rows are given, that of those that came last.
    below: Option<u64>,
    waiting: Option<u64>,
    /// For rows that a long list gave at once, until the next are asked for.
    held: Option<Reservation>,
}

/// Bytes of rows below which they are not worth a charge.
const HELD_BYTES_MIN: usize = 1 << 20;

impl<'s> Pack<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<PackSpec>) -> Self {
        let (inner, rows) = (Chunk::with_slots(&spec.slots), Rows::new(spec.places.len()));
        Self { child, inner, spec, rows, done: false, part: 0, below: None, waiting: None, held: None }
    }
}

impl<'s> Operator<'s> for Pack<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let enough = if self.spec.eager { 1 } else { cx.settings.vector_size / 2 };
        while !self.done && self.rows.len() < enough.max(1) {
            cx.check()?;
            let waited = self.waiting.take();
            // Rows of another part may have been given since some came.
            if waited.is_none()
                && let Some(below) = self.below.take()
            {
                cx.set_part(below);
            }
            if waited.is_some() || self.child.next(&mut self.inner, cx)? {
                let part = waited.unwrap_or_else(|| cx.part());
                if self.rows.len() > 0 && part != self.part && cx.keeps_order() {
                    self.waiting = Some(part);
                    break;
                }
                self.part = part;
                self.rows.extend_from_chunk(&self.inner, &self.spec.places, cx);
                let bytes = self.rows.bytes();
                if bytes > HELD_BYTES_MIN || self.held.is_some() {
                    self.held.get_or_insert_with(|| cx.settings.budget.reservation()).resize(bytes)?;
                }
            } else {
                self.done = true;
            }
        }
        if self.rows.len() == 0 {
            return Ok(false);
        }
        self.rows.drain_into(&mut chunk.groups[0]);
        self.below.get_or_insert(cx.part());
        cx.set_part(self.part);
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rows = Rows::new(self.spec.places.len());
        (self.done, self.waiting, self.below) = (false, None, None);
    }
}
