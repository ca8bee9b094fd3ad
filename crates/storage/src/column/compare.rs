//! Takes rows of a column and a condition on their values, gives the rows that pass: encoded values are compared as they lie.
//!
//! 1. A range of integers becomes, once per segment, a range of codes: the frame of reference is moved into the constants.
//! 2. A condition on text is asked once for each entry of the dictionary that occurs, and then looked up by code.
//! 3. Zone maps pass over blocks of which nothing or everything passes.
//!
//! Null is not in a range and passes no condition. Where values are not codes (exceptions, floats, text that is not in a
//! dictionary) the answer is `None`, nothing is done, and the caller compares values.

use trimorph_encoding::PackedView;

use super::format::{SEGMENT_ROWS, ZONE_ROWS};
use super::view::{ColumnView, DataView, PresenceView, SegmentView, split};

/// Rows from which zone maps are asked: below, looking costs more than comparing (32-bit codes are compared 4 a cycle).
const ZONED_ROWS_MIN: usize = 256;
/// Entries of a dictionary up to which their verdicts are kept: a byte each, and one allocation for a query.
const ENTRIES_MAX: usize = 1 << 20;

/// What a value must satisfy.
pub enum Condition<'c> {
    /// An integer, date or instant within these bounds.
    Range(i64, i64),
    /// A text.
    Text(&'c dyn Fn(&str) -> bool),
}

/// What is known of one column under one condition: kept by who asks, from one call to the next. It must be asked about the same
/// column and the same condition each time.
#[derive(Clone, Debug, Default)]
pub struct Test {
    /// The segment `codes` is about, plus 1.
    segment: usize,
    codes: Codes,
    /// By dictionary code: 0 not asked yet, 1 passes, 2 does not.
    verdicts: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Codes {
    /// Values must be looked at.
    #[default]
    Unknown,
    Nothing,
    Within(u64, u64),
    Listed,
}

/// Decides codes.
trait Verdict {
    fn passes(&mut self, code: u64) -> bool;
}

struct Within(u64, u64);

impl Verdict for Within {
    #[inline(always)]
    fn passes(&mut self, code: u64) -> bool {
        code.wrapping_sub(self.0) <= self.1 - self.0
    }
}

struct Listed<'t, 'a, 's, 'c> {
    verdicts: &'t mut [u8],
    column: &'a ColumnView<'s>,
    condition: &'c dyn Fn(&str) -> bool,
}

impl Verdict for Listed<'_, '_, '_, '_> {
    #[inline(always)]
    fn passes(&mut self, code: u64) -> bool {
        let Some(verdict) = self.verdicts.get_mut(code as usize) else { return false };
        if *verdict == 0 {
            *verdict = if (self.condition)(self.column.entry(code.cast_signed())) { 1 } else { 2 };
        }
        *verdict == 1
    }
}

impl Test {
    /// Finds out how codes of `segment` are decided.
    fn seek(&mut self, column: &ColumnView<'_>, condition: &Condition<'_>, segment: usize) {
        if self.segment == segment + 1 {
            return;
        }
        self.segment = segment + 1;
        self.codes = match (column.segments.get(segment), condition) {
            _ if column.exceptions.is_some() => Codes::Unknown,
            (Some(SegmentView { presence: PresenceView::None, .. }), _) => Codes::Nothing,
            (Some(SegmentView { data: DataView::Ints(ints), .. }), Condition::Range(low, high)) => {
                match ints.code_range(*low, *high) {
                    Some((first, last)) if low <= high => Codes::Within(first, last),
                    _ => Codes::Nothing,
                }
            }
            (Some(SegmentView { data: DataView::Dictionary(_), .. }), Condition::Text(_)) => {
                let entries = column.dictionary.as_ref().map_or(0, |(_, _, len)| *len);
                if entries <= ENTRIES_MAX {
                    self.verdicts.resize(entries, 0);
                    Codes::Listed
                } else {
                    Codes::Unknown
                }
            }
            _ => Codes::Unknown,
        };
    }

    /// How many of rows `first..first + len` pass.
    #[inline]
    pub fn count(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        first: u64,
        len: usize,
    ) -> Option<usize> {
        let (segment, local) = split(first);
        if local + len > SEGMENT_ROWS {
            let here = SEGMENT_ROWS - local;
            let before = self.count(column, condition, first, here)?;
            return Some(before + self.count(column, condition, first + here as u64, len - here)?);
        }
        if len == 0 {
            return Some(0);
        }
        self.seek(column, condition, segment);
        let view = column.segments.get(segment)?;
        if let (
            Codes::Within(low, high),
            SegmentView { presence: PresenceView::All, data: DataView::Ints(ints), zones },
        ) = (self.codes, view)
        {
            let mut count = 0;
            each_zone(zones, condition, local, len, |from, len, verdict| {
                count += match verdict {
                    Some(true) => len,
                    Some(false) => 0,
                    None => ints.count_codes(from, len, low, high),
                }
            });
            return Some(count);
        }
        let mut count = 0;
        self.each(column, condition, segment, local..local + len, |_| count += 1)?;
        Some(count)
    }

    /// Appends `i` for each row `first + i` of `first..first + len` that passes.
    #[inline]
    pub fn select(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        first: u64,
        len: usize,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        let before = out.len();
        let mut done = 0;
        while done < len {
            let (segment, local) = split(first + done as u64);
            let here = (SEGMENT_ROWS - local).min(len - done);
            self.seek(column, condition, segment);
            let view = column.segments.get(segment)?;
            let at = |i: usize| (i - local + done) as u32;
            if let (
                Codes::Within(low, high),
                SegmentView { presence: PresenceView::All, data: DataView::Ints(ints), zones },
            ) = (self.codes, view)
            {
                each_zone(zones, condition, local, here, |from, len, verdict| match verdict {
                    Some(true) => out.extend(at(from)..at(from + len)),
                    Some(false) => {}
                    None => append(ints, from, len, at(from), Within(low, high), out),
                });
            } else if self
                .each(column, condition, segment, local..local + here, |i| out.push(at(i)))
                .is_none()
            {
                out.truncate(before);
                return None;
            }
            done += here;
        }
        Some(())
    }

    /// Appends those of `positions` whose row passes.
    #[inline]
    pub fn select_at(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        positions: impl Iterator<Item = (u32, u64)>,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        let before = out.len();
        for (i, row) in positions {
            let (segment, local) = split(row);
            self.seek(column, condition, segment);
            let view = column.segments.get(segment)?;
            let passes = match (self.codes, &view.data, condition) {
                (Codes::Nothing, ..) => false,
                (Codes::Within(low, high), DataView::Ints(codes), _) => {
                    view.place(local).is_some_and(|p| Within(low, high).passes(codes.code(p)))
                }
                (Codes::Listed, DataView::Dictionary(codes), Condition::Text(condition)) => {
                    let mut listed = Listed { verdicts: &mut self.verdicts, column, condition };
                    view.place(local).is_some_and(|p| listed.passes(codes.code(p)))
                }
                _ => {
                    out.truncate(before);
                    return None;
                }
            };
            if passes {
                out.push(i);
            }
        }
        Some(())
    }

    /// Calls `visit` on the rows of a segment that pass, one by one.
    fn each(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        segment: usize,
        rows: std::ops::Range<usize>,
        mut visit: impl FnMut(usize),
    ) -> Option<()> {
        let view = column.segments.get(segment)?;
        match (self.codes, &view.data, condition) {
            (Codes::Nothing, ..) => {}
            (Codes::Within(low, high), DataView::Ints(codes), _) => {
                let mut within = Within(low, high);
                rows.filter(|i| view.place(*i).is_some_and(|p| within.passes(codes.code(p))))
                    .for_each(&mut visit);
            }
            (Codes::Listed, DataView::Dictionary(codes), Condition::Text(condition)) => {
                let mut listed = Listed { verdicts: &mut self.verdicts, column, condition };
                rows.filter(|i| view.place(*i).is_some_and(|p| listed.passes(codes.code(p))))
                    .for_each(&mut visit);
            }
            _ => return None,
        }
        Some(())
    }
}

/// Calls `visit` on blocks of rows `local..local + len` with what their zone maps say: all pass, none does, or that is open.
#[inline]
fn each_zone(
    zones: &[(i64, i64)],
    condition: &Condition<'_>,
    local: usize,
    len: usize,
    mut visit: impl FnMut(usize, usize, Option<bool>),
) {
    let Condition::Range(low, high) = condition else { return visit(local, len, None) };
    if len < ZONED_ROWS_MIN {
        return visit(local, len, None);
    }
    let (mut from, end) = (local, local + len);
    while from < end {
        let zone = from / ZONE_ROWS;
        let here = ((zone + 1) * ZONE_ROWS).min(end) - from;
        let verdict = match zones.get(zone) {
            Some((least, most)) if least > high || most < low => Some(false),
            Some((least, most)) if least >= low && most <= high => Some(true),
            _ => None,
        };
        visit(from, here, verdict);
        from += here;
    }
}

/// Appends `first + i` for each code `from + i` that passes, without a branch on it.
#[inline]
fn append(
    codes: &PackedView<'_>,
    from: usize,
    len: usize,
    first: u32,
    mut verdict: impl Verdict,
    out: &mut Vec<u32>,
) {
    let mut end = out.len();
    out.resize(end + len, 0);
    let mut keep = |i: usize, code: u64| {
        out[end] = first + i as u32;
        end += usize::from(verdict.passes(code));
    };
    macro_rules! whole {
        ($t:ty, $w:literal) => {
            for (i, c) in codes.bytes[from * $w..(from + len) * $w].chunks_exact($w).enumerate() {
                let mut raw = [0u8; $w];
                raw.copy_from_slice(c);
                keep(i, <$t>::from_le_bytes(raw).into());
            }
        };
    }
    match codes.bits {
        8 => whole!(u8, 1),
        16 => whole!(u16, 2),
        32 => whole!(u32, 4),
        64 => whole!(u64, 8),
        _ => (0..len).for_each(|i| keep(i, codes.code(from + i))),
    }
    out.truncate(end);
}
