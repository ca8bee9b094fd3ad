//! Property pages: where the edges out of each 128 source rows have their properties.
//!
//! A piece per segment of source rows: the slot at which each page starts, counted from the segment's first,
//! and behind the last page. Within a page the edge at position `p` is at the page's start plus `p`;
//! positions that no edge has are holes, which the next insertion takes, so that inserting an edge moves no
//! property. Where an edge table has no properties, pages are not stored and follow from the lists.
//!
//! Source: GF-CL §4.2 (single-indexed property pages, page-level positional offsets).

use std::sync::{Arc, OnceLock};

use trimorph_base::PAGE_ROWS;
use trimorph_vfs::{CodecError, Decoder, Piece, PieceWriter, Pins};

use crate::adjacency::{CsrSegment, SegmentRows, first_slots};
use crate::column::put_blob;
use crate::slot::{Content, Slot};

/// The pages of one segment of source rows: where each starts, and behind the last. One more than pages.
#[derive(Debug)]
pub(crate) struct SegmentPages {
    pub(crate) starts: Vec<u32>,
}

/// What is known of a piece of pages without reading it.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// Source rows of the segment, at most.
    pub(crate) rows: usize,
    /// Edges and holes; none before it was read for the first time.
    pub(crate) slots: Option<u64>,
}

impl Content for SegmentPages {
    type Given = Given;
    type View<'v> = Self;

    fn read(piece: &Arc<Piece>, given: &Given) -> Result<Self, CodecError> {
        let mut meta = Decoder::new(piece.metadata());
        let blob = piece.read_blob(&mut meta)?;
        let starts = bytemuck::try_cast_slice::<u8, u32>(blob.as_slice()).unwrap_or_default();
        // A table may have got rows since, which have no edges.
        let pages = given.rows.div_ceil(PAGE_ROWS as usize);
        if !(2..=pages + 1).contains(&starts.len())
            || starts.first() != Some(&0)
            || starts.windows(2).any(|w| w[0] > w[1])
        {
            return Err(meta.error("ascending starts, one more than pages"));
        }
        let read = Self { starts: starts.to_vec() };
        match given.slots {
            Some(slots) if slots != read.slots() => Err(meta.error("as many slots as its directory says")),
            _ => Ok(read),
        }
    }

    fn view(&self) -> &Self {
        self
    }
}

impl SegmentPages {
    /// The finished piece of pages that start so.
    pub(crate) fn write(starts: &[u32]) -> Vec<u8> {
        let mut piece = PieceWriter::new();
        put_blob(starts.iter().flat_map(|s| s.to_le_bytes()).collect(), &mut piece);
        piece.finish()
    }

    /// The slot of a piece in memory, of a segment of `rows` rows.
    ///
    /// **Errors**: as reading does.
    pub(crate) fn slot(piece: Arc<Piece>, rows: usize) -> Result<Arc<Slot<Self>>, CodecError> {
        let given = |read: &Self| Given { rows, slots: Some(read.slots()) };
        Slot::read_with(piece, &Given { rows, slots: None }, given)
    }

    /// Slots of the segment: edges and holes.
    fn slots(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0).into()
    }
}

/// The pages of an edge table whose forward direction is a CSR.
#[derive(Clone, Debug, Default)]
pub(crate) struct PropertyPages {
    segments: Segments,
    /// Source rows of a segment.
    segment_rows: SegmentRows,
    first_slots: Vec<u64>,
    /// Where the pages of all segments start, once all were read.
    starts: OnceLock<Vec<u64>>,
}

#[derive(Clone, Debug)]
enum Segments {
    /// Pieces of their own.
    Stored(Vec<Arc<Slot<SegmentPages>>>),
    /// As the lists lie, which tell them when they are read.
    FromLists(Vec<FromList>),
}

/// The lists of a segment, and its pages once they were read.
type FromList = (Arc<Slot<CsrSegment>>, OnceLock<Arc<SegmentPages>>);

impl Default for Segments {
    fn default() -> Self {
        Self::Stored(Vec::new())
    }
}

impl PropertyPages {
    /// Pages in pieces of their own.
    pub(crate) fn stored(segments: Vec<Arc<Slot<SegmentPages>>>, segment_rows: SegmentRows) -> Self {
        let first_slots = first_slots(segments.iter().map(|s| s.given().slots.unwrap_or(0)));
        Self { segments: Segments::Stored(segments), segment_rows, first_slots, starts: OnceLock::new() }
    }

    /// Pages as the lists lie.
    pub(crate) fn from_lists(lists: &[Arc<Slot<CsrSegment>>], segment_rows: SegmentRows) -> Self {
        let first_slots = first_slots(lists.iter().map(|s| s.given().edges()));
        let segments = lists.iter().map(|list| (Arc::clone(list), OnceLock::new())).collect();
        Self { segments: Segments::FromLists(segments), segment_rows, first_slots, starts: OnceLock::new() }
    }

    /// The pieces, where they have their own.
    pub(crate) fn slots(&self) -> &[Arc<Slot<SegmentPages>>] {
        match &self.segments {
            Segments::Stored(segments) => segments,
            Segments::FromLists(_) => &[],
        }
    }

    /// Whether they have pieces of their own.
    pub(crate) fn are_stored(&self) -> bool {
        matches!(self.segments, Segments::Stored(_))
    }

    /// The first slot of each segment, and behind the last.
    pub(crate) fn first_slots(&self) -> &[u64] {
        &self.first_slots
    }

    /// How many slots each segment has.
    pub(crate) fn slot_counts(&self) -> Vec<u64> {
        match &self.segments {
            Segments::Stored(segments) => segments.iter().map(|s| s.given().slots.unwrap_or(0)).collect(),
            Segments::FromLists(segments) => segments.iter().map(|(s, _)| s.given().edges()).collect(),
        }
    }

    /// How many pages there are at most.
    pub(crate) fn len(&self) -> usize {
        self.first_slots.len().saturating_sub(1) * self.segment_rows.pages()
    }

    /// The first page of a segment.
    pub(crate) fn first_page(&self, segment: usize) -> u64 {
        (segment * self.segment_rows.pages()) as u64
    }

    /// The segment of a page, and the page within it.
    fn locate(&self, page: u64) -> (usize, usize) {
        let pages = self.segment_rows.pages();
        (page as usize / pages, page as usize % pages)
    }

    /// The pages of a segment; `None` past the last, and where they cannot be had, which the pins tell.
    pub(crate) fn segment<'s>(&'s self, segment: usize, pins: &Pins<'s>) -> Option<&'s SegmentPages> {
        match &self.segments {
            Segments::Stored(segments) => {
                let slot = segments.get(segment)?;
                // The starts are a copy: they need no pin.
                slot.touched().or_else(|| slot.get(pins))
            }
            Segments::FromLists(segments) => {
                let (lists, starts) = segments.get(segment)?;
                if starts.get().is_none() {
                    let lists = lists.get(pins)?;
                    starts.get_or_init(|| Arc::new(SegmentPages { starts: lists.page_starts() }));
                }
                starts.get().map(|starts| &**starts)
            }
        }
    }

    /// The slot at which each page starts, through all segments: one load for a property that is read from
    /// the other side. `None` where pages are not stored, or cannot be had.
    pub(crate) fn starts<'s>(&'s self, pins: &Pins<'s>) -> Option<&'s [u64]> {
        if let (None, Segments::Stored(segments)) = (self.starts.get(), &self.segments) {
            let mut all = Vec::with_capacity(self.len());
            for (i, first) in self.first_slots.iter().take(segments.len()).enumerate() {
                // Rows that the table got since the segment was written have no pages yet.
                all.resize(i * self.segment_rows.pages(), NOWHERE);
                let (_, starts) = self.segment(i, pins)?.starts.split_last()?;
                all.extend(starts.iter().map(|s| first + u64::from(*s)));
            }
            self.starts.get_or_init(|| all);
        }
        self.starts.get().map(|starts| &starts[..])
    }

    /// The slot at which a page starts, found in its segment; of one that is not there, a slot that has
    /// nothing.
    pub(crate) fn slot<'s>(&'s self, page: u64, pins: &Pins<'s>) -> u64 {
        let (segment, local) = self.locate(page);
        let start = self.segment(segment, pins).and_then(|s| s.starts.split_last()?.1.get(local));
        start.map_or(NOWHERE, |start| self.first_slots[segment] + u64::from(*start))
    }

    /// One past the last position of a page; 0 of one that is not there.
    pub(crate) fn positions_end<'s>(&'s self, page: u64, pins: &Pins<'s>) -> u64 {
        let (segment, local) = self.locate(page);
        let starts = self.segment(segment, pins).map_or(&[][..], |segment| &segment.starts);
        match (starts.get(local), starts.get(local + 1)) {
            (Some(start), Some(end)) => u64::from(end.saturating_sub(*start)),
            _ => 0,
        }
    }

    /// The slot of a position, if the page has it.
    pub(crate) fn position_slot<'s>(&'s self, page: u64, position: u64, pins: &Pins<'s>) -> Option<u64> {
        let (segment, local) = self.locate(page);
        let starts = &self.segment(segment, pins)?.starts;
        let (start, end) = (*starts.get(local)?, *starts.get(local + 1)?);
        (position < u64::from(end - start)).then(|| self.first_slots[segment] + u64::from(start) + position)
    }
}

/// A slot that has nothing, in any column.
pub(crate) const NOWHERE: u64 = u64::MAX >> 1;
