//! A piece of a column and its slices: what a slot holds.

use std::sync::Arc;

use self_cell::self_cell;
use trimorph_vfs::{CodecError, Piece};

use super::format::{Given, Stored};
use super::segment_view::SegmentView;
use crate::slot::{Content, Slot};

self_cell! {
    /// One piece of a column.
    pub(crate) struct Segment {
        owner: Stored,
        #[covariant]
        dependent: SegmentView,
    }
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
        Ok(Self::new(stored, |stored| SegmentView::new(stored)))
    }

    fn view(&self) -> &SegmentView<'_> {
        self.borrow_dependent()
    }
}

impl Segment {
    /// The slot of a piece in memory, of which so much is known (`Column::given`).
    ///
    /// **Errors**: as reading does.
    pub(crate) fn slot(before: &Given, piece: Arc<Piece>) -> Result<Arc<Slot<Self>>, CodecError> {
        let given = |read: &Self| Given { summary: Some(read.borrow_owner().summary()), ..before.clone() };
        Slot::read_with(piece, before, given)
    }

    /// Rows without a value.
    pub(crate) fn nulls(&self) -> usize {
        self.borrow_owner().nulls()
    }
}
