//! Compute: adds new vectors to the old ones, in the group their expression reads.

use std::sync::Arc;

use trimorph_base::Reservation;
use trimorph_vector::{Chunk, Group};

use crate::expr::{EntryMemo, Ex};
use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::rows::{general_bytes, text_bytes};
use crate::{Context, ExecError};

/// What is computed, and where it goes.
#[derive(Debug)]
pub(crate) struct ComputeSpec {
    pub(crate) items: Vec<(Place, Ex)>,
    /// A flat group that exists only for expressions over flat groups.
    pub(crate) fresh: Option<usize>,
}

/// Compute.
pub(crate) struct Compute<'s> {
    child: BoxOperator<'s>,
    spec: Arc<ComputeSpec>,
    /// Of each item.
    memos: Vec<EntryMemo<'s>>,
    /// For the general values of the last chunk: what is above holds its own.
    held: Option<Reservation>,
}

/// Bytes of general values below which a chunk is not worth a charge.
const HELD_BYTES_MIN: u64 = 1 << 20;

impl<'s> Compute<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<ComputeSpec>) -> Self {
        let memos = spec.items.iter().map(|_| EntryMemo::default()).collect();
        Self { child, spec, memos, held: None }
    }
}

impl<'s> Operator<'s> for Compute<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if !self.child.next(chunk, cx)? {
            return Ok(false);
        }
        if let Some(fresh) = self.spec.fresh {
            let group: &mut Group<'s> = &mut chunk.groups[fresh];
            group.reset(1);
            group.flat = Some(0);
        }
        let mut bytes = 0;
        for ((place, ex), memo) in self.spec.items.iter().zip(&mut self.memos) {
            let len = chunk.groups[place.group].len;
            let vector = memo.evaluate(ex, chunk, place.group, cx)?.into_vector(len);
            bytes += general_bytes(&vector) + text_bytes(&vector) as u64;
            chunk.groups[place.group].vectors[place.slot] = vector;
        }
        if self.held.is_some() || bytes > HELD_BYTES_MIN {
            let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
            held.resize(usize::try_from(bytes).unwrap_or(usize::MAX))?;
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        // The last chunk is not looked at again: where memory is short, fewer rows come next and need its
        // room.
        self.held = None;
    }
}
