//! The lists of a segment whose elements are of one type: where the elements of each end, and the elements in
//! blocks of up to 65,536, each of which tells which of its elements are null and has the others encoded as a
//! column of their type is. (Ranks and runs count to 65,536.)
//!
//! Invariant: there are at most [`elements_max`] elements for the bytes of them, so that a small file is not
//! all of memory.
//!
//! Source: Virtuoso "Column Store"; Arrow's list layout.

use std::ops::Range;

use trimorph_encoding::PackedView;
use trimorph_types::LogicalType;
use trimorph_vfs::{CodecError, Decoder, Piece};

use super::format::{
    Data, Given, Ints, Presence, is_integral, read_ends, read_presence_kind, type_from_code,
};
use super::segment_view::{DataView, PresenceView};

/// Elements of a block; the last has fewer.
pub(super) const BLOCK_ELEMENTS: usize = 1 << 16;

/// Elements of a segment for which no bytes need be there, and for each byte of their values.
const ELEMENTS_LEAST: usize = 1 << 16;
const ELEMENTS_PER_BYTE: usize = 64;

/// The most elements that are kept as so many bytes.
pub(super) fn elements_max(bytes: usize) -> usize {
    bytes.saturating_mul(ELEMENTS_PER_BYTE).saturating_add(ELEMENTS_LEAST)
}

/// Whether lists of this type are kept so.
fn is_element(ty: LogicalType) -> bool {
    is_integral(ty) || matches!(ty, LogicalType::Float | LogicalType::String)
}

/// Lists in place.
#[derive(Clone, Debug)]
pub(crate) struct StoredLists {
    ends: Ints,
    element: LogicalType,
    blocks: Vec<(Presence, Data)>,
}

impl StoredLists {
    /// Reads `lists` lists.
    ///
    /// **Errors**: elements of another type, or more of them than there are bytes for; ends that are not
    /// within them.
    pub(super) fn read(
        piece: &Piece,
        meta: &mut Decoder<'_>,
        lists: usize,
        given: &Given,
    ) -> Result<Self, CodecError> {
        let element = type_from_code(meta.u8()?).filter(|ty| is_element(*ty));
        let element = element.ok_or(meta.error("a type of elements"))?;
        let len = meta.count(elements_max(piece.size()))?;
        let ends = read_ends(piece, meta, lists, |_| Ok(len))?;
        let given = Given { ty: element, ..given.clone() };
        let (mut blocks, mut bytes) = (Vec::new(), 0);
        for from in (0..len).step_by(BLOCK_ELEMENTS) {
            let (presence, present) = read_presence_kind(piece, meta, BLOCK_ELEMENTS.min(len - from))?;
            let data = Data::read(piece, meta, (&presence, present), &given)?;
            bytes += data.size();
            blocks.push((presence, data));
        }
        if len > elements_max(bytes) {
            return Err(meta.error("elements that there are bytes for"));
        }
        Ok(Self { ends, element, blocks })
    }

    pub(super) fn view(&self) -> ListsView<'_> {
        let blocks = self.blocks.iter();
        let blocks =
            blocks.map(|(presence, data)| (PresenceView::of(presence), DataView::of(data))).collect();
        ListsView { ends: self.ends.view(), element: self.element, blocks }
    }
}

/// Lists of a segment, in slices.
pub(super) struct ListsView<'s> {
    pub(super) ends: PackedView<'s>,
    pub(super) element: LogicalType,
    blocks: Vec<Block<'s>>,
}

/// Which elements are not null, and these.
pub(super) type Block<'s> = (PresenceView<'s>, DataView<'s>);

impl<'s> ListsView<'s> {
    /// The elements of the list at a place.
    #[inline]
    pub(super) fn range(&self, place: usize) -> Range<usize> {
        let end = |i: usize| usize::try_from(self.ends.get(i)).unwrap_or(0);
        place.checked_sub(1).map_or(0, end)..end(place)
    }

    /// The value of an element: its block, and its place among those that are not null.
    #[inline]
    pub(super) fn element(&self, element: usize) -> Option<(&DataView<'s>, usize)> {
        let (presence, data) = self.blocks.get(element / BLOCK_ELEMENTS)?;
        let local = element % BLOCK_ELEMENTS;
        let place = match presence {
            PresenceView::All => Some(local),
            PresenceView::None => None,
            PresenceView::Some(rank) => rank.place(local),
        };
        place.map(|place| (data, place))
    }

    /// The blocks that some elements are in, with which of a block these are.
    pub(super) fn parts(&self, range: Range<usize>) -> impl Iterator<Item = (&Block<'s>, Range<usize>)> {
        let first = range.start / BLOCK_ELEMENTS;
        let last = if range.is_empty() { first } else { range.end.div_ceil(BLOCK_ELEMENTS) };
        (first..last).filter_map(move |at| {
            let begin = at * BLOCK_ELEMENTS;
            let local = range.start.max(begin) - begin..range.end.min(begin + BLOCK_ELEMENTS) - begin;
            Some((self.blocks.get(at)?, local))
        })
    }
}
