//! The integers of a column at any rows: takes up to 64 rows, gives their values and which are present.
//!
//! 1. [`Codes::start`]: each row's place among those present is found, without a branch on the row's bit, and its code's cache line
//!    asked for.
//! 2. [`Codes::finish`], while the next rows are started: codes become values, `base + step × (code + line)`, with absent rows 0.
//!
//! Reading from the other side of 15 million edges took 13 ns a value in waiting alone without step 1; with it the waiting is hidden
//! behind what is to be done anyway (`bench/gfcl`, table 3).
//!
//! Which encoding, whether nulls can be and whether all rows are in one segment is decided once per 64 rows. Floats are 64-bit codes,
//! strings of a dictionary are their codes.

use trimorph_encoding::{LinearView, PackedView, RankView, line};
use trimorph_vfs::prefetch;

use super::format::SEGMENT_ROWS;

/// Rows taken at a time: as many as a word has bits.
pub(super) const BATCH_ROWS: usize = 64;

/// Which rows of a segment have a code.
#[derive(Clone, Copy)]
pub(super) enum Present<'s> {
    All,
    None,
    Some(RankView<'s>),
}

/// The codes of one segment. Rows at random look up a segment each, so one is one cache line and no more than what a value takes.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct CodeSegment<'s> {
    bytes: &'s [u8],
    bits: usize,
    mask: u64,
    base: i64,
    step: u64,
    /// Of a linear segment.
    slope: i64,
}

/// Where the rows of a segment have their codes.
#[derive(Clone, Copy)]
pub(super) struct Placing<'s> {
    pub(super) present: Present<'s>,
    /// Where runs start; codes are the runs'.
    pub(super) runs: Option<RankView<'s>>,
}

/// The codes of a column all of whose segments are packed integers, lines or runs.
pub(super) struct Codes<'s> {
    segments: Vec<CodeSegment<'s>>,
    /// Of each segment; empty if the place of every code is its row.
    placings: Vec<Placing<'s>>,
    sloped: bool,
}

/// What a row past the last reads.
const NOTHING: CodeSegment<'static> =
    CodeSegment { bytes: &[], bits: 0, mask: 0, base: 0, step: 0, slope: 0 };
const NOWHERE: Placing<'static> = Placing { present: Present::None, runs: None };

#[inline(always)]
fn load(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|b| b.first_chunk::<8>()) {
        Some(raw) => u64::from_le_bytes(*raw),
        // Lengths were checked when the column was opened: only an absent row's place can be here.
        None => 0,
    }
}

impl Placing<'_> {
    /// Asks for the bits and the count that tell a row's place.
    #[inline(always)]
    fn ask_for(&self, local: usize) {
        if let Present::Some(rank) = &self.present {
            prefetch(bytemuck::cast_slice(rank.words), (local >> 6) * size_of::<u64>());
            prefetch(bytemuck::cast_slice(rank.ranks), (local >> 6) * size_of::<u16>());
        }
    }

    #[inline(always)]
    fn place(&self, local: usize) -> (usize, u64) {
        let (place, bit) = match &self.present {
            Present::All => (local, 1),
            Present::None => (0, 0),
            Present::Some(rank) => rank.look(local),
        };
        match &self.runs {
            None => (place, bit),
            Some(starts) => {
                let (before, here) = starts.look(place);
                ((before + here as usize).saturating_sub(1), bit)
            }
        }
    }
}

impl<'s> CodeSegment<'s> {
    pub(super) fn new(ints: &PackedView<'s>) -> Self {
        let bits = usize::from(ints.bits);
        let mask = if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
        Self { bytes: ints.bytes, bits, mask, base: ints.base, step: ints.step, slope: 0 }
    }

    pub(super) fn linear(linear: &LinearView<'s>) -> Self {
        Self { slope: linear.slope, ..Self::new(&linear.codes) }
    }

    /// 8-byte values as they are.
    pub(super) fn plain(bytes: &'s [u8]) -> Self {
        Self { bytes, bits: 64, mask: u64::MAX, base: 0, step: 1, slope: 0 }
    }

    /// Asks for the line of a code, and for the next one if the 8 bytes that are loaded may end there: without it a query that sums a
    /// column of 419 MB, 50 bits a value, at random rows takes 1.7 times as long (`bench/gfcl`, huge pages).
    #[inline(always)]
    fn ask_for(&self, place: usize) {
        let at = (place * self.bits) >> 3;
        prefetch(self.bytes, at);
        if !self.bits.is_multiple_of(64) {
            prefetch(self.bytes, at + 7);
        }
    }

    #[inline(always)]
    fn value<const SLOPED: bool>(&self, place: usize) -> i64 {
        let bit = place * self.bits;
        let mut code = (load(self.bytes, bit >> 3) >> (bit & 7)) & self.mask;
        if SLOPED {
            code = code.wrapping_add(line(self.slope, place).cast_unsigned());
        }
        self.base.wrapping_add(code.wrapping_mul(self.step).cast_signed())
    }
}

impl<'s> Codes<'s> {
    /// `None` unless every segment has codes.
    pub(super) fn new(
        segments: impl Iterator<Item = Option<(CodeSegment<'s>, Placing<'s>)>>,
    ) -> Option<Self> {
        let (segments, placings): (Vec<_>, Vec<_>) =
            segments.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let is_placed = |p: &Placing<'_>| p.runs.is_some() || !matches!(p.present, Present::All);
        let placings = if placings.iter().any(is_placed) { placings } else { Vec::new() };
        let sloped = segments.iter().any(|s: &CodeSegment<'_>| s.slope != 0);
        Some(Self { segments, placings, sloped })
    }

    #[inline(always)]
    fn segment(&self, row: u64) -> &CodeSegment<'s> {
        self.segments.get(row as usize / SEGMENT_ROWS).unwrap_or(&NOTHING)
    }

    /// The place of a row's code in its segment, and 1 if it is present.
    #[inline(always)]
    fn place(&self, row: u64) -> (usize, u64) {
        let (segment, local) = (row as usize / SEGMENT_ROWS, row as usize % SEGMENT_ROWS);
        if self.placings.is_empty() {
            return (local, u64::from(segment < self.segments.len()));
        }
        self.placings.get(segment).unwrap_or(&NOWHERE).place(local)
    }

    /// The value of one row, 0 if it is absent, and whether it is present.
    #[inline(always)]
    pub(super) fn get(&self, row: u64) -> (i64, bool) {
        let (place, bit) = self.place(row);
        let value = self.segment(row).value::<true>(place);
        (value & bit.cast_signed().wrapping_neg(), bit == 1)
    }

    /// Takes up to [`BATCH_ROWS`] pairs of a position and a row, and asks for what tells the rows' places.
    #[inline]
    pub(super) fn take(&self, pairs: &mut impl Iterator<Item = (usize, u64)>, batch: &mut Batch) {
        batch.len = 0;
        // In this order no pair is taken that has no room.
        for ((position, row), pair) in batch.positions.iter_mut().zip(&mut batch.rows).zip(pairs) {
            (*position, *row) = pair;
            batch.len += 1;
        }
        if !self.placings.is_empty() {
            for row in &batch.rows[..batch.len] {
                let (segment, local) = (*row as usize / SEGMENT_ROWS, *row as usize % SEGMENT_ROWS);
                self.placings.get(segment).unwrap_or(&NOWHERE).ask_for(local);
            }
        }
    }

    /// Finds the places of a batch that was taken, and asks for its codes.
    #[inline]
    pub(super) fn start(&self, batch: &mut Batch) {
        batch.present = self.start_rows(&batch.rows[..batch.len], &mut batch.places);
    }

    /// Finds the places of up to [`BATCH_ROWS`] rows and asks for their codes; a bit for each row that is present.
    #[inline]
    pub(super) fn start_rows(&self, rows: &[u64], places: &mut [u32; BATCH_ROWS]) -> u64 {
        if self.placings.is_empty() {
            for row in rows {
                self.segment(*row).ask_for(*row as usize % SEGMENT_ROWS);
            }
            return u64::MAX;
        }
        let mut present = 0;
        for (i, (row, at)) in rows.iter().zip(places).enumerate() {
            let (place, bit) = self.place(*row);
            self.segment(*row).ask_for(place);
            // A segment has 65,536 rows.
            *at = place as u32;
            present |= bit << i;
        }
        present
    }

    /// The values of the rows of a batch that was started, 0 where absent.
    #[inline]
    pub(super) fn finish(&self, batch: &Batch, out: &mut [i64; BATCH_ROWS]) {
        self.finish_rows(&batch.rows[..batch.len], &batch.places, batch.present, out, |v| v);
    }

    /// What `convert` makes of the values of rows that were started, of 0 where absent.
    #[inline]
    pub(super) fn finish_rows<T>(
        &self,
        rows: &[u64],
        places: &[u32; BATCH_ROWS],
        present: u64,
        out: &mut [T],
        convert: impl Fn(i64) -> T,
    ) {
        match (!self.placings.is_empty(), self.sloped) {
            (false, false) => {
                for (row, o) in rows.iter().zip(out) {
                    *o = convert(self.segment(*row).value::<false>(*row as usize % SEGMENT_ROWS));
                }
            }
            (false, true) => {
                for (row, o) in rows.iter().zip(out) {
                    *o = convert(self.segment(*row).value::<true>(*row as usize % SEGMENT_ROWS));
                }
            }
            (true, _) => {
                for (i, ((row, place), o)) in rows.iter().zip(places).zip(out).enumerate() {
                    let here = ((present >> i) & 1).cast_signed().wrapping_neg();
                    *o = convert(self.segment(*row).value::<true>(*place as usize) & here);
                }
            }
        }
    }
}

/// Rows between [`Codes::start`] and [`Codes::finish`].
pub(super) struct Batch {
    positions: [usize; BATCH_ROWS],
    rows: [u64; BATCH_ROWS],
    places: [u32; BATCH_ROWS],
    /// A bit for each row that is present.
    pub(super) present: u64,
    pub(super) len: usize,
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            positions: [0; BATCH_ROWS],
            rows: [0; BATCH_ROWS],
            places: [0; BATCH_ROWS],
            present: 0,
            len: 0,
        }
    }

    /// Where the values go.
    pub(super) fn positions(&self) -> &[usize] {
        &self.positions[..self.len]
    }
}
