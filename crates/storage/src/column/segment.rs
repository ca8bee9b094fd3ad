//! A piece of a column, its slices and what was made of its values: what a slot holds.

use std::sync::Arc;

use self_cell::self_cell;
use trimorph_vfs::{CodecError, Piece};

use super::filter::Filter;
use super::format::{Given, Stored};
use super::label_rows::Labels;
use super::segment_view::SegmentView;
use crate::slot::{Content, Slot};

self_cell! {
    struct Resolved {
        owner: Stored,
        #[covariant]
        dependent: SegmentView,
    }
}

/// One piece of a column.
pub(crate) struct Segment {
    resolved: Resolved,
    pub(super) filter: Filter,
    /// Of a column of labels.
    pub(super) labels: Labels,
}

impl Content for Segment {
    type Given = Given;
    type View<'v> = SegmentView<'v>;

    /// **Errors**: metadata that does not fit the blobs, the rows or what is given. **Cost**: a look at every
    /// end and code of strings.
    fn read(piece: &Arc<Piece>, given: &Given) -> Result<Self, CodecError> {
        let stored = Stored::read(piece, given)?;
        if given.summary.is_some_and(|summary| summary != stored.summary()) {
            let expected = "values as the directory describes them";
            return Err(CodecError { offset: 0, expected });
        }
        let resolved = Resolved::new(stored, |stored| SegmentView::new(stored));
        Ok(Self { resolved, filter: Filter::default(), labels: Labels::default() })
    }

    fn view(&self) -> &SegmentView<'_> {
        self.resolved.borrow_dependent()
    }

    fn made_bytes(&self) -> usize {
        self.resolved.borrow_owner().made_bytes()
    }
}

impl Segment {
    /// The slot of a piece in memory, of which so much is known (`Column::given`).
    ///
    /// **Errors**: as reading does.
    pub(crate) fn slot(before: &Given, piece: Arc<Piece>) -> Result<Arc<Slot<Self>>, CodecError> {
        let given =
            |read: &Self| Given { summary: Some(read.resolved.borrow_owner().summary()), ..before.clone() };
        Slot::read_with(piece, before, given)
    }

    /// Rows without a value.
    pub(crate) fn nulls(&self) -> usize {
        self.resolved.borrow_owner().nulls()
    }
}
