//! Results that are kept for values that come again: what they are computed over, and the memory they take.

use trimorph_base::Reservation;
use trimorph_vector::{Chunk, Group, Vector};

use crate::Context;
use crate::rows::{general_bytes, text_bytes};

/// Bytes of the results of one expression up to which they are kept: larger ones are made as fast as they are
/// read.
const BYTES_MAX: usize = 64 << 20;
/// Bytes of a result besides what it owns, at most, but for values of any type.
const CELL_BYTES: usize = 16;

/// A chunk of one vector.
pub(super) fn lone(vector: Vector<'_>, len: usize) -> Chunk<'_> {
    let mut group = Group { vectors: vec![vector], ..Group::default() };
    group.reset(len);
    Chunk { groups: vec![group] }
}

/// The memory of results, held as long as this is.
#[derive(Default)]
pub(super) struct ResultBytes {
    bytes: usize,
    held: Option<Reservation>,
}

impl ResultBytes {
    /// Takes the memory of more results; false where they are large, or there is no memory for them.
    pub(super) fn take(&mut self, results: &Vector<'_>, len: usize, cx: &Context<'_>) -> bool {
        let owned = usize::try_from(general_bytes(results)).unwrap_or(usize::MAX);
        let more = owned.saturating_add(text_bytes(results) + len * CELL_BYTES);
        self.bytes = self.bytes.saturating_add(more);
        let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
        self.bytes <= BYTES_MAX && held.resize(self.bytes).is_ok()
    }
}
