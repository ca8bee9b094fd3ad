//! Property pages: where the edges out of each 128 source rows have their properties.
//!
//! A piece per segment of source rows: the slot at which each page starts, counted from the segment's first,
//! and behind the last page. Within a page the edge at position `p` is at the page's start plus `p`;
//! positions that no edge has are holes, which the next insertion takes, so that inserting an edge moves no
//! property. Where an edge table has no properties, pages are not stored and follow from the lists.
//!
//! Source: GF-CL §4.2 (single-indexed property pages, page-level positional offsets).

use std::sync::Arc;

use trimorph_base::PAGE_ROWS;
use trimorph_vfs::{CodecError, Decoder, Piece, PieceWriter};

use crate::adjacency::first_slots;
use crate::column::{SEGMENT_ROWS, put_blob};

/// Pages of a whole segment.
pub(crate) const SEGMENT_PAGES: usize = SEGMENT_ROWS / PAGE_ROWS as usize;

/// A slot that has nothing, in any column.
const NOWHERE: u64 = u64::MAX >> 1;

/// The pages of one segment of source rows.
#[derive(Debug)]
pub(crate) struct SegmentPages {
    /// None where they follow from the lists.
    pub(crate) piece: Option<Arc<Piece>>,
    /// One more than pages.
    pub(crate) starts: Vec<u32>,
}

impl SegmentPages {
    /// The finished piece of pages that start so.
    pub(crate) fn write(starts: &[u32]) -> Vec<u8> {
        let mut piece = PieceWriter::new();
        put_blob(starts.iter().flat_map(|s| s.to_le_bytes()).collect(), &mut piece);
        piece.finish()
    }

    /// Reads the piece of a segment of `rows` rows.
    pub(crate) fn read(piece: Arc<Piece>, rows: usize) -> Result<Self, CodecError> {
        let mut meta = Decoder::new(piece.metadata());
        let blob = piece.read_blob(&mut meta)?;
        let starts = bytemuck::try_cast_slice::<u8, u32>(blob.as_slice()).unwrap_or_default();
        // A table may have got rows since, which have no edges.
        let pages = rows.div_ceil(PAGE_ROWS as usize);
        if !(2..=pages + 1).contains(&starts.len())
            || starts.first() != Some(&0)
            || starts.windows(2).any(|w| w[0] > w[1])
        {
            return Err(meta.error("ascending starts, one more than pages"));
        }
        Ok(Self { starts: starts.to_vec(), piece: Some(piece) })
    }

    /// Slots of the segment: edges and holes.
    pub(crate) fn slots(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0).into()
    }
}

/// The pages of an edge table whose forward direction is a CSR.
#[derive(Clone, Debug, Default)]
pub(crate) struct PropertyPages {
    pub(crate) segments: Vec<Arc<SegmentPages>>,
    /// The slot of each page, through all segments: one load for a property read from the other side.
    slots: Vec<u64>,
    first_slots: Vec<u64>,
}

impl PropertyPages {
    pub(crate) fn new(segments: Vec<Arc<SegmentPages>>) -> Self {
        let first_slots = first_slots(segments.iter().map(|s| s.slots()));
        let mut slots = Vec::with_capacity(segments.len() * SEGMENT_PAGES);
        for (i, (segment, first)) in segments.iter().zip(&first_slots).enumerate() {
            // Rows that the table got since the segment was written have no pages yet.
            slots.resize(i * SEGMENT_PAGES, NOWHERE);
            let (_, starts) = segment.starts.split_last().unwrap_or((&0, &[]));
            slots.extend(starts.iter().map(|s| first + u64::from(*s)));
        }
        Self { slots, segments, first_slots }
    }

    /// The first slot of each segment, and behind the last.
    pub(crate) fn first_slots(&self) -> &[u64] {
        &self.first_slots
    }

    /// The slot at which a page starts; of one past the last, a slot that has nothing.
    #[inline]
    pub(crate) fn slot(&self, page: u64) -> u64 {
        self.slots.get(page as usize).copied().unwrap_or(NOWHERE)
    }

    /// The slot of a position, if the page has it.
    #[inline]
    pub(crate) fn position_slot(&self, page: u64, position: u64) -> Option<u64> {
        let (segment, local) = (page as usize / SEGMENT_PAGES, page as usize % SEGMENT_PAGES);
        let starts = &self.segments.get(segment)?.starts;
        let (start, end) = (*starts.get(local)?, *starts.get(local + 1)?);
        (position < u64::from(end - start)).then(|| self.first_slots[segment] + u64::from(start) + position)
    }
}
