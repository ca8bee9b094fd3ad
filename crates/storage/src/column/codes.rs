//! The integers of a column at any rows: takes up to 64 rows, gives their values and which are present.
//!
//! 1. [`Codes::ask_for`]: the cache lines that tell the rows' places are asked for, where not all rows are
//!    present.
//! 2. [`Codes::start_rows`], one batch later: each row's place among those present is found, without a branch
//!    on the row's bit, and its code's cache line asked for.
//! 3. [`Codes::finish_rows`], one batch later: codes become values, `base + step × (code + line)`.
//!
//! Reading from the other side of 15 million edges took 13 ns a value in waiting alone without step 1; with
//! it the waiting is hidden behind what is to be done anyway (`bench/gfcl`, table 3).
//!
//! What is to be done is decided once for 64 rows. It is bound by instructions where it is not by memory: the
//! form without bits and steps, and one look-up of a segment for both rank and code, are 0.7 and 0.9 of the
//! time of a query that reads at random (`bench/gfcl`, figure 10). One loop that does all three took 1.2
//! times as long. Floats are 64-bit codes, or the integers of decimals, of which [`Codes::float`] makes
//! floats by what each segment divides by; strings of a dictionary are their codes.

use trimorph_base::{NodeId, counting_bits};
use trimorph_encoding::{DecimalsView, PackedView, RankView, line};
use trimorph_vfs::prefetch;

use super::format::{SEGMENT_ROWS, split};
use super::pairs::{BATCH_ROWS, Pairs};

/// A row, as whoever asks for it writes it down.
pub trait RowId: Copy {
    /// The row of its table.
    fn row(self) -> u64;
}

impl RowId for u64 {
    #[inline(always)]
    fn row(self) -> u64 {
        self
    }
}

impl RowId for NodeId {
    #[inline(always)]
    fn row(self) -> u64 {
        Self::row(self)
    }
}

/// Which rows of a segment have a code.
#[derive(Clone, Copy)]
pub(super) enum Present<'s> {
    All,
    None,
    Some(RankView<'s>),
}

/// A segment of a column as it is stored.
#[derive(Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) codes: PackedView<'s>,
    /// Of a line, else 0.
    pub(super) slope: i64,
    pub(super) present: Present<'s>,
    /// Where runs start; codes are the runs'.
    pub(super) runs: Option<RankView<'s>>,
    /// What makes floats of integers; else the values are floats' bits.
    pub(super) decimals: Option<DecimalsView<'s>>,
}

/// The codes of one segment, and which rows have one where that alone tells their places. Rows at random look
/// up a segment each, so one is one cache line and no more than what a value takes.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct CodeSegment<'s> {
    bytes: &'s [u8],
    rank: RankView<'s>,
    bits: u8,
    mask: u64,
    base: i64,
    step: u64,
}

const _: () = assert!(size_of::<CodeSegment<'_>>() == 64);

/// What makes a value of a code: decided for the whole column, since a batch of random rows is of many
/// segments.
#[derive(Clone, Copy)]
enum Form {
    /// `base + code`, 8 bytes a code.
    Whole,
    /// `base + step × code`, some bits a code.
    Packed,
    /// `base + step × (code + line)`.
    Sloped,
}

/// Bytes of codes that stay in a second-level cache with room for other things beside them.
const NEAR_BYTES: usize = 1 << 18;

const WHOLE: u8 = Form::Whole as u8;
const PACKED: u8 = Form::Packed as u8;
const SLOPED: u8 = Form::Sloped as u8;

/// What tells the places of codes.
enum Placings<'s> {
    /// The row is the place.
    Rows,
    /// Nulls in every segment and no runs: the segments' ranks do.
    Ranked,
    /// Each segment has its own way.
    Each(Vec<(Present<'s>, Option<RankView<'s>>)>),
}

/// The codes of a column all of whose segments are packed integers, lines or runs.
pub(super) struct Codes<'s> {
    segments: Vec<CodeSegment<'s>>,
    /// Of each segment; empty if none has one.
    slopes: Vec<i64>,
    /// Of each segment; empty if none has decimals.
    decimals: Vec<Option<DecimalsView<'s>>>,
    placings: Placings<'s>,
    form: Form,
}

/// What a row past the last reads.
const NOTHING: CodeSegment<'static> =
    CodeSegment { bytes: &[], rank: RankView::NONE, bits: 0, mask: 0, base: 0, step: 0 };

#[inline(always)]
fn load(bytes: &[u8], at: usize) -> u64 {
    // One comparison, since places and bits are known to be short.
    match bytes.get(at..at + 8).and_then(|b| b.first_chunk()) {
        Some(raw) => u64::from_le_bytes(*raw),
        // Lengths were checked when the column was opened: only an absent row's place can be here.
        None => 0,
    }
}

/// Asks for the bits and the count that tell a row's place.
#[inline(always)]
fn ask_for_rank(rank: &RankView<'_>, local: usize) {
    let (bytes, at) = rank.entry(local);
    prefetch(bytes, at);
}

/// The place of a row's code, and 1 if it is present.
#[inline(always)]
fn place((present, runs): &(Present<'_>, Option<RankView<'_>>), local: usize) -> (usize, u64) {
    let (place, bit) = match present {
        Present::All => (local, 1),
        Present::None => (0, 0),
        Present::Some(rank) => rank.look(local),
    };
    match runs {
        None => (place, bit),
        Some(starts) => {
            let (before, here) = starts.look(place);
            ((before + here as usize).saturating_sub(1), bit)
        }
    }
}

/// The row with the place of its code for its place in the segment: where its code would be if all rows were
/// present.
#[inline(always)]
fn with_place(row: u64, place: usize) -> u64 {
    (row & !(SEGMENT_ROWS as u64 - 1)) | place as u64
}

impl<'s> Source<'s> {
    pub(super) fn new(codes: PackedView<'s>, present: Present<'s>) -> Self {
        Self { codes, slope: 0, present, runs: None, decimals: None }
    }

    /// 8-byte values as they are.
    pub(super) fn plain(bytes: &'s [u8], present: Present<'s>) -> Self {
        Self::new(PackedView { bits: 64, base: 0, step: 1, bytes }, present)
    }

    fn segment(&self) -> CodeSegment<'s> {
        let PackedView { bits, base, step, bytes } = self.codes;
        let rank = if let Present::Some(rank) = self.present { rank } else { RankView::NONE };
        let mask = if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
        CodeSegment { bytes, rank, bits, mask, base, step }
    }

    fn is_whole(&self) -> bool {
        self.codes.bits == 64 && self.codes.step == 1
    }
}

impl CodeSegment<'_> {
    /// Asks for the line of a code, and for the next one if the 8 bytes that are loaded may end there:
    /// without it a query that sums a column of 419 MB, 50 bits a value, at random rows takes 1.7 times as
    /// long (`bench/gfcl`, huge pages).
    #[inline(always)]
    fn ask_for<const FORM: u8>(&self, place: usize) {
        if FORM == WHOLE {
            return prefetch(self.bytes, place * 8);
        }
        let at = (place * usize::from(self.bits)) >> 3;
        prefetch(self.bytes, at);
        prefetch(self.bytes, at + 7);
    }

    #[inline(always)]
    fn value<const FORM: u8>(&self, place: usize, slope: i64) -> i64 {
        if FORM == WHOLE {
            let code = self.bytes.as_chunks::<8>().0.get(place).map_or(0, |raw| i64::from_le_bytes(*raw));
            return self.base.wrapping_add(code);
        }
        let bit = place * usize::from(self.bits);
        let mut code = (load(self.bytes, bit >> 3) >> (bit & 7)) & self.mask;
        if FORM == SLOPED {
            code = code.wrapping_add(line(slope, place).cast_unsigned());
        }
        self.base.wrapping_add(code.wrapping_mul(self.step).cast_signed())
    }
}

impl<'s> Codes<'s> {
    /// `None` unless every segment has codes.
    pub(super) fn new(sources: impl Iterator<Item = Option<Source<'s>>>) -> Option<Self> {
        let sources = sources.collect::<Option<Vec<_>>>()?;
        let sloped = sources.iter().any(|s| s.slope != 0);
        let form = match sources.iter().all(Source::is_whole) {
            _ if sloped => Form::Sloped,
            true => Form::Whole,
            false => Form::Packed,
        };
        let placings = if sources
            .iter()
            .all(|s| matches!(s, Source { present: Present::All, runs: None, .. }))
        {
            Placings::Rows
        } else if sources.iter().all(|s| matches!(s, Source { present: Present::Some(_), runs: None, .. })) {
            Placings::Ranked
        } else {
            Placings::Each(sources.iter().map(|s| (s.present, s.runs)).collect())
        };
        Some(Self {
            segments: sources.iter().map(Source::segment).collect(),
            slopes: if sloped { sources.iter().map(|s| s.slope).collect() } else { Vec::new() },
            decimals: match sources.iter().any(|s| s.decimals.is_some()) {
                true => sources.iter().map(|s| s.decimals).collect(),
                false => Vec::new(),
            },
            placings,
            form,
        })
    }

    #[inline(always)]
    fn segment(&self, row: u64) -> &CodeSegment<'s> {
        self.segments.get(split(row).0).unwrap_or(&NOTHING)
    }

    #[inline(always)]
    fn slope<const FORM: u8>(&self, row: u64) -> i64 {
        if FORM == SLOPED { self.slopes.get(split(row).0).copied().unwrap_or(0) } else { 0 }
    }

    /// Whether some values are decimals, so that [`Self::float`] is needed.
    #[inline]
    pub(super) fn has_decimals(&self) -> bool {
        !self.decimals.is_empty()
    }

    /// The float of a value of a column of floats, by the place it was read at.
    #[inline(always)]
    pub(super) fn float(&self, value: i64, place: u64) -> f64 {
        let (segment, local) = split(place);
        match self.decimals.get(segment) {
            Some(Some(decimals)) => decimals.value(local, value),
            _ => f64::from_bits(value.cast_unsigned()),
        }
    }

    /// The value of one row, arbitrary if it is absent, the place it was read at as [`Self::finish_rows`]
    /// says it, and whether it is present.
    #[inline(always)]
    pub(super) fn get(&self, row: u64) -> (i64, u64, bool) {
        let (segment, local) = split(row);
        let (place, bit) = match &self.placings {
            Placings::Rows => (local, u64::from(segment < self.segments.len())),
            Placings::Ranked => self.segment(row).rank.look(local),
            Placings::Each(placings) => placings.get(segment).map_or((0, 0), |p| place(p, local)),
        };
        let value = self.segment(row).value::<SLOPED>(place, self.slope::<SLOPED>(row));
        (value, with_place(row, place), bit == 1)
    }

    /// Whether all codes are of one segment that stays in a cache: nothing has to be asked for ahead, and
    /// [`Self::near_rows`] reads them.
    #[inline]
    pub(super) fn are_near(&self) -> bool {
        let is_one = matches!(&self.segments[..], [one] if one.bytes.len() <= NEAR_BYTES);
        is_one && !matches!(self.placings, Placings::Each(_))
    }

    /// What `convert` makes of the values of up to [`BATCH_ROWS`] rows, in one loop; a bit for each row that
    /// is present, values of others arbitrary. What makes a value of a code is the same for all of them.
    #[inline]
    pub(super) fn near_rows<R: RowId, T>(
        &self,
        rows: &[R],
        out: &mut [T],
        convert: impl Fn(i64, u64) -> T,
    ) -> u64 {
        match self.form {
            Form::Whole => self.near_codes::<WHOLE, R, T>(rows, out, convert),
            Form::Packed => self.near_codes::<PACKED, R, T>(rows, out, convert),
            Form::Sloped => self.near_codes::<SLOPED, R, T>(rows, out, convert),
        }
    }

    #[inline(always)]
    fn near_codes<const FORM: u8, R: RowId, T>(
        &self,
        rows: &[R],
        out: &mut [T],
        convert: impl Fn(i64, u64) -> T,
    ) -> u64 {
        let (segment, slope) = (*self.segment(0), self.slope::<FORM>(0));
        let Placings::Ranked = self.placings else {
            for (row, o) in rows.iter().zip(out) {
                *o = convert(segment.value::<FORM>(row.row() as usize, slope), row.row());
            }
            return u64::MAX;
        };
        counting_bits(|| {
            let mut present = 0;
            for ((i, row), o) in rows.iter().enumerate().zip(out) {
                let (place, bit) = segment.rank.look(row.row() as usize);
                *o = convert(segment.value::<FORM>(place, slope), place as u64);
                present |= bit << i;
            }
            present
        })
    }

    /// Takes up to [`BATCH_ROWS`] pairs of a position and a row, and asks for what tells the rows' places.
    #[inline]
    pub(super) fn take(&self, pairs: &mut dyn Pairs, batch: &mut Batch) {
        batch.len = pairs.take_batch(&mut batch.positions, &mut batch.rows);
        self.ask_for(&batch.rows[..batch.len]);
    }

    /// Asks for what tells the places of rows.
    #[inline]
    pub(super) fn ask_for<R: RowId>(&self, rows: &[R]) {
        match &self.placings {
            Placings::Rows => {}
            Placings::Ranked => {
                for row in rows {
                    ask_for_rank(&self.segment(row.row()).rank, split(row.row()).1);
                }
            }
            Placings::Each(placings) => {
                for row in rows {
                    let (segment, local) = split(row.row());
                    if let Some((Present::Some(rank), _)) = placings.get(segment) {
                        ask_for_rank(rank, local);
                    }
                }
            }
        }
    }

    /// Finds the places of a batch that was taken, and asks for its codes.
    #[inline]
    pub(super) fn start(&self, batch: &mut Batch) {
        batch.present = self.start_rows(&batch.rows[..batch.len], &mut batch.places);
    }

    /// Finds the places of up to [`BATCH_ROWS`] rows and asks for their codes; a bit for each row that is
    /// present, others arbitrary.
    #[inline]
    pub(super) fn start_rows<R: RowId>(&self, rows: &[R], places: &mut [u64; BATCH_ROWS]) -> u64 {
        if let Placings::Rows = self.placings {
            return self.start_form(rows, places);
        }
        // 0.71 to 0.93 of the time without, for places of 64 random rows.
        counting_bits(|| self.start_form(rows, places))
    }

    #[inline(always)]
    fn start_form<R: RowId>(&self, rows: &[R], places: &mut [u64; BATCH_ROWS]) -> u64 {
        match self.form {
            Form::Whole => self.start_codes::<WHOLE, R>(rows, places),
            Form::Packed | Form::Sloped => self.start_codes::<PACKED, R>(rows, places),
        }
    }

    #[inline(always)]
    fn start_codes<const FORM: u8, R: RowId>(&self, rows: &[R], places: &mut [u64; BATCH_ROWS]) -> u64 {
        let mut present = 0;
        match &self.placings {
            Placings::Rows => {
                for row in rows {
                    self.segment(row.row()).ask_for::<FORM>(split(row.row()).1);
                }
                return u64::MAX;
            }
            Placings::Ranked => {
                for (row, at) in rows.iter().zip(places) {
                    let segment = self.segment(row.row());
                    let (place, bit) = segment.rank.look(split(row.row()).1);
                    segment.ask_for::<FORM>(place);
                    *at = with_place(row.row(), place);
                    present = present << 1 | bit;
                }
                // The first row's bit was pushed highest.
                present = present.reverse_bits().unbounded_shr(64 - rows.len() as u32);
            }
            Placings::Each(placings) => {
                for ((i, row), at) in rows.iter().enumerate().zip(places) {
                    let (segment, local) = split(row.row());
                    let (place, bit) = placings.get(segment).map_or((0, 0), |p| place(p, local));
                    self.segment(row.row()).ask_for::<FORM>(place);
                    *at = with_place(row.row(), place);
                    present |= bit << i;
                }
            }
        }
        present
    }

    /// What `convert` makes of the values of the rows of a batch that was started.
    #[inline]
    pub(super) fn finish<T>(&self, batch: &Batch, out: &mut [T], convert: impl Fn(i64, u64) -> T) {
        self.finish_rows(&batch.rows[..batch.len], &batch.places, out, convert);
    }

    /// What `convert` makes of the values of rows that were started, and of the places they were read at: the
    /// row that has the segment and, in it, the place. Of any value where absent.
    #[inline]
    pub(super) fn finish_rows<R: RowId, T>(
        &self,
        rows: &[R],
        places: &[u64; BATCH_ROWS],
        out: &mut [T],
        convert: impl Fn(i64, u64) -> T,
    ) {
        match &self.placings {
            Placings::Rows => self.finish_places(rows, out, convert),
            _ => self.finish_places(&places[..rows.len()], out, convert),
        }
    }

    #[inline(always)]
    fn finish_places<R: RowId, T>(&self, places: &[R], out: &mut [T], convert: impl Fn(i64, u64) -> T) {
        match self.form {
            Form::Whole => self.finish_codes::<WHOLE, R, T>(places, out, convert),
            Form::Packed => self.finish_codes::<PACKED, R, T>(places, out, convert),
            Form::Sloped => self.finish_codes::<SLOPED, R, T>(places, out, convert),
        }
    }

    #[inline(always)]
    fn finish_codes<const FORM: u8, R: RowId, T>(
        &self,
        places: &[R],
        out: &mut [T],
        convert: impl Fn(i64, u64) -> T,
    ) {
        for (place, o) in places.iter().zip(out) {
            let row = place.row();
            *o = convert(self.segment(row).value::<FORM>(split(row).1, self.slope::<FORM>(row)), row);
        }
    }
}

/// Rows between [`Codes::start`] and [`Codes::finish`].
pub(super) struct Batch {
    positions: [usize; BATCH_ROWS],
    rows: [u64; BATCH_ROWS],
    places: [u64; BATCH_ROWS],
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
