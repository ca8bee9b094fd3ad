//! The rows around, several vectors of them together where a subplan reads from files: what it reads there
//! for each vector is the same again, so that fewer vectors read less.
//!
//! How many go together follows what was read for those before: four times as many as long as that is more
//! than [`READ_BYTES_OF_ROW`] a row, and memory has room for them.

use trimorph_base::Reservation;
use trimorph_vector::{Chunk, Vector};

use crate::operator::BoxOperator;
use crate::rows::Rows;
use crate::spill::{spare_bytes, spare_of_thread};
use crate::{Context, ExecError};

/// What may be read for a row around: about what the row itself takes in a file. Chosen.
const READ_BYTES_OF_ROW: u64 = 32;
/// Rows that go together at most.
const ROWS_MAX: usize = 1 << 20;
const GROWTH: usize = 4;
/// Rows that take this part of a thread's room are few. Chosen.
const FEW_PART: usize = 2;

/// An input whose vectors may be put together.
pub(super) struct Widened<'s> {
    child: BoxOperator<'s>,
    /// Rows that go together; none while vectors go on as they come.
    enough: Option<usize>,
    inner: Chunk<'s>,
    /// The slots that are looked at, and what is in them.
    slots: Vec<usize>,
    rows: Rows<'s>,
    held: Option<Reservation>,
    /// The part of the rows, and of a vector that waits for them to be given: of another part.
    part: u64,
    waiting: Option<u64>,
    /// Once rows are given, the part of those that came last.
    below: Option<u64>,
    /// What had been read when the last rows were given, and how many these were.
    read_before: u64,
    given: usize,
    ended: bool,
}

impl<'s> Widened<'s> {
    /// Of an input of so many slots, of which these are looked at.
    pub(super) fn new(child: BoxOperator<'s>, slots: usize, looked_at: Vec<usize>) -> Self {
        Self {
            child,
            enough: None,
            inner: Chunk::with_slots(&[slots]),
            rows: Rows::new(looked_at.len()),
            slots: looked_at,
            held: None,
            part: 0,
            waiting: None,
            below: None,
            read_before: 0,
            given: 0,
            ended: false,
        }
    }

    /// The next rows; `false` at the end.
    pub(super) fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let read = cx.spilling.read_again_bytes();
        if self.given > 0 && (read - self.read_before) / self.given as u64 > READ_BYTES_OF_ROW {
            self.enough = Some(self.given.max(self.enough.unwrap_or(0)).saturating_mul(GROWTH).min(ROWS_MAX));
        }
        let given = match self.enough {
            None => self.child.next(chunk, cx)?,
            Some(enough) => self.next_of_several(enough, chunk, cx)?,
        };
        (self.read_before, self.given) = (cx.spilling.read_again_bytes(), chunk.groups[0].len);
        Ok(given)
    }

    fn next_of_several(
        &mut self,
        enough: usize,
        chunk: &mut Chunk<'s>,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        // The rows of before are done with.
        chunk.groups[0].reset(0);
        let mut has_room = true;
        while !self.ended && has_room && self.rows.len() < enough {
            cx.check()?;
            let waited = self.waiting.take();
            if waited.is_none()
                && let Some(below) = self.below.take()
            {
                cx.set_part(below);
            }
            if waited.is_none() && !self.child.next(&mut self.inner, cx)? {
                self.ended = true;
                break;
            }
            let part = waited.unwrap_or_else(|| cx.part());
            if self.rows.len() > 0 && part != self.part && cx.keeps_order() {
                self.waiting = Some(part);
                break;
            }
            self.part = part;
            let group = &self.inner.groups[0];
            let columns: Vec<&Vector<'s>> = self.slots.iter().map(|slot| &group.vectors[*slot]).collect();
            let positions = group.positions();
            let weights = positions.iter().map(|p| group.multiplicity_at(*p as usize));
            self.rows.extend(&columns, &positions, weights, cx);
            has_room = self.hold(cx);
        }
        let rows = self.rows.len();
        if rows == 0 {
            return Ok(false);
        }
        if !has_room {
            self.enough = Some(rows);
        }
        let Rows { columns, multiplicity, .. } =
            std::mem::replace(&mut self.rows, Rows::new(self.slots.len()));
        let group = &mut chunk.groups[0];
        group.reset(rows);
        for (slot, column) in self.slots.iter().zip(columns) {
            group.vectors[*slot] = column;
        }
        group.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
        self.below.get_or_insert(cx.part());
        cx.set_part(self.part);
        Ok(true)
    }

    /// Holds what the rows take, until the next are asked for; `false` where there is no room for more beside
    /// what stays free for others.
    fn hold(&mut self, cx: &Context<'s>) -> bool {
        let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
        let (bytes, before) = (self.rows.bytes(), held.bytes());
        // What the subplan makes of them takes as much again. Few need leave nothing free, if they still are
        // with the next vector: what is free is for this, too. Other threads are at theirs, and other
        // operators.
        let few = spare_of_thread(cx) / (FEW_PART * cx.settings.breakers.max(1));
        let with_next = bytes.saturating_add(bytes.saturating_sub(before));
        let spare = if with_next < few { 0 } else { spare_bytes(bytes, cx).saturating_add(bytes) };
        let has_room = held.resize_leaving(bytes, spare).is_ok();
        if !has_room {
            // They are there, whether there is room or not.
            let _ = held.resize(bytes);
        }
        has_room
    }

    pub(super) fn reset(&mut self) {
        self.child.reset();
        self.rows = Rows::new(self.slots.len());
        self.held = None;
        (self.waiting, self.below, self.given, self.ended) = (None, None, 0, false);
    }
}
