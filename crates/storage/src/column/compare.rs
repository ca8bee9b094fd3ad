//! Takes rows of a column and a condition on their values, gives the rows that pass: encoded values are
//! compared as they lie.
//!
//! 1. A range of integers becomes, once per segment, a range of codes: the frame of reference is moved into
//!    the constants.
//! 2. A condition on text is asked once for each entry of the dictionary that occurs, and then looked up by
//!    code; where the entries of a segment that pass have codes that follow each other, codes are compared.
//!    Equality with compressed text is found out at the first symbol that differs; other text is read in
//!    place.
//! 3. A set of integers is asked for each value, which is an addition away from its code.
//! 4. Zone maps pass over blocks of which nothing or everything passes.
//!
//! Null is not in a range or a set and passes no condition on text. Where values must be looked at otherwise
//! (exceptions, floats, general values) the answer is `None`, nothing is done, and the caller compares
//! values.

use std::cmp::Ordering;

use trimorph_encoding::PackedView;
use trimorph_types::LogicalType;

use super::IntegerSet;
use super::format::{SEGMENT_ROWS, ZONE_ROWS, ZoneRange, split};
use super::segment_view::{DataView, PresenceView, SegmentView, text_at};
use super::view::ColumnView;

/// Rows from which zone maps are asked: below, looking costs more than comparing (32-bit codes are compared 4
/// a cycle).
const ZONED_ROWS_MIN: usize = 256;
/// Entries of a dictionary up to which their verdicts are kept: a byte each, and one allocation for a query.
const ENTRIES_MAX: usize = 1 << 20;
/// Entries that a segment's codes may stand for up to which all of them are asked, so that codes can be
/// compared, where as many rows are asked about as there are entries. Chosen.
const ENTRIES_ASKED: usize = 256;
/// Rows of a whole column up to which verdicts on its texts are kept: nodes of small tables are asked about
/// again and again.
const ROWS_REMEMBERED: usize = 1 << 14;

/// What comparing a value with another must give.
pub(crate) type Wanted = fn(Ordering) -> bool;

/// What a value must satisfy.
pub enum Condition<'c> {
    /// An integer, date or instant within these bounds.
    Range(i64, i64),
    /// An integer, date or instant among these.
    Among(&'c IntegerSet),
    /// A text; `equal` if only one passes, `prefix` if all that start with one do, `order` if it depends on
    /// how a text compares with one.
    Text {
        /// The only one.
        equal: Option<&'c str>,
        /// What all that pass start with, and no others.
        prefix: Option<&'c str>,
        /// One, and what comparing texts with it must give.
        order: Option<(&'c str, Wanted)>,
        /// Whether a text passes.
        passes: &'c dyn Fn(&str) -> bool,
    },
    /// Any value, or none.
    Present(bool),
}

/// What is known of one column under one condition: kept by who asks, from one call to the next. It must be
/// asked about the same column and the same condition each time.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The segment `codes` is about, plus 1.
    segment: usize,
    codes: Codes,
    /// By dictionary code, or by row where texts of few rows are compared again and again: 0 not asked yet, 1
    /// passes, 2 does not.
    verdicts: Vec<u8>,
    run: Verdicts,
}

#[derive(Clone, Copy, Debug, Default)]
enum Codes {
    /// Values must be looked at.
    #[default]
    Unknown,
    Nothing,
    Within(u64, u64),
    /// Values, not codes, within these bounds.
    Valued(i64, i64),
    /// Values, not codes, among those of the condition.
    Among,
    /// By verdict of an entry.
    Listed,
    /// The same, where codes are known not to follow each other, or to be too many.
    ListedOnly,
    Text,
    /// Of few rows: each is compared once.
    TextOnce,
    Present,
}

#[inline(always)]
fn within(code: u64, low: u64, high: u64) -> bool {
    code.wrapping_sub(low) <= high - low
}

/// The verdicts of a run of codes of a segment, as bits, and how many pass before each word.
#[derive(Clone, Debug, Default)]
struct Verdicts {
    /// The code of the first bit.
    start: usize,
    words: Vec<u64>,
    before: Vec<u32>,
}

impl Verdicts {
    /// Compares codes `from..from + len`.
    fn fill(
        &mut self,
        codes: &PackedView<'_>,
        zones: &[ZoneRange],
        condition: &Condition<'_>,
        (from, len): (usize, usize),
        (low, high): (u64, u64),
    ) {
        // Whole words, so that zones begin with one; a word more, so that the end of the run has one.
        self.start = from - from % 64;
        self.words.clear();
        self.words.resize((from + len - self.start) / 64 + 1, 0);
        each_zone(zones, condition, self.start, from + len - self.start, |from, len, verdict| {
            let words = &mut self.words[(from - self.start) / 64..][..len.div_ceil(64)];
            match verdict {
                Some(verdict) => words.fill(if verdict { u64::MAX } else { 0 }),
                None => codes.mask_codes(from, len, low, high, words),
            }
        });
        self.before.clear();
        let mut before = 0;
        self.before.extend(self.words.iter().map(|word| {
            let here = before;
            before += word.count_ones();
            here
        }));
    }

    /// How many pass before code `at` of the run, or its end.
    #[inline]
    fn rank(&self, at: usize) -> u32 {
        let (word, bit) = ((at - self.start) / 64, (at - self.start) % 64);
        self.before[word] + (self.words[word] & ((1u64 << bit) - 1)).count_ones()
    }
}

/// Rows of a dictionary's codes that are taken out at once.
const LISTED_ROWS: usize = 256;

impl Comparison {
    /// Finds out how codes of `segment` are decided.
    #[inline]
    fn seek(&mut self, column: &ColumnView<'_>, condition: &Condition<'_>, segment: usize) {
        if self.segment != segment + 1 {
            self.enter(column, condition, segment);
        }
    }

    #[cold]
    fn enter(&mut self, column: &ColumnView<'_>, condition: &Condition<'_>, segment: usize) {
        self.segment = segment + 1;
        self.codes = match (column.segment(segment), condition) {
            (Some(_), Condition::Present(_)) => Codes::Present,
            _ if column.has_exceptions => Codes::Unknown,
            (Some(SegmentView { presence: PresenceView::None, .. }), _) => Codes::Nothing,
            (Some(SegmentView { data: DataView::Ints(ints), .. }), Condition::Range(low, high)) => {
                match ints.code_range(*low, *high) {
                    Some((first, last)) if low <= high => Codes::Within(first, last),
                    _ => Codes::Nothing,
                }
            }
            // Codes of lines and runs are not in the order of values.
            (
                Some(SegmentView { data: DataView::Linear(_) | DataView::Runs(_), .. }),
                Condition::Range(low, high),
            ) if column.ty != LogicalType::Float => Codes::Valued(*low, *high),
            (
                Some(SegmentView {
                    data: DataView::Ints(_) | DataView::Linear(_) | DataView::Runs(_), ..
                }),
                Condition::Among(_),
            ) if column.ty != LogicalType::Float => Codes::Among,
            (Some(SegmentView { data: DataView::Dictionary(_), .. }), Condition::Text { .. }) => {
                let entries = column.dictionary.len();
                if entries <= ENTRIES_MAX {
                    self.verdicts.resize(entries, 0);
                    Codes::Listed
                } else {
                    Codes::Unknown
                }
            }
            (Some(SegmentView { data: DataView::Strings { .. }, .. }), Condition::Text { .. })
            | (
                Some(SegmentView { data: DataView::Compressed(_), .. }),
                Condition::Text { equal: Some(_), .. }
                | Condition::Text { prefix: Some(_), .. }
                | Condition::Text { order: Some(_), .. },
            ) => {
                let rows = column.segment(segment).map_or(0, |segment| segment.rows);
                if column.segments_len() == 1 && rows <= ROWS_REMEMBERED {
                    self.verdicts.resize(rows, 0);
                    Codes::TextOnce
                } else {
                    Codes::Text
                }
            }
            // Other compressed texts are decoded many at a time, by who looks at values.
            _ => Codes::Unknown,
        };
    }

    /// Finds out, where `rows` are asked about, whether entries that pass have codes that follow each other.
    #[inline]
    fn settle(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        view: &SegmentView<'_>,
        rows: usize,
    ) {
        if let (Codes::Listed, Condition::Text { passes, .. }, DataView::Dictionary(codes)) =
            (self.codes, condition, &view.data)
        {
            self.settle_listed(column, passes, codes, rows);
        }
    }

    #[cold]
    fn settle_listed(
        &mut self,
        column: &ColumnView<'_>,
        passes: &dyn Fn(&str) -> bool,
        codes: &PackedView<'_>,
        rows: usize,
    ) {
        let least = usize::try_from(codes.base).unwrap_or(usize::MAX);
        let entries = least..self.verdicts.len();
        if entries.len() > ENTRIES_ASKED {
            self.codes = Codes::ListedOnly;
        }
        if entries.len() > rows.min(ENTRIES_ASKED) {
            return;
        }
        for entry in entries.clone() {
            if self.verdicts[entry] == 0 {
                self.verdicts[entry] = if passes(column.entry(entry as i64)) { 1 } else { 2 };
            }
        }
        let passing = || entries.clone().filter(|entry| self.verdicts[*entry] == 1);
        let (Some(first), Some(last)) = (passing().next(), passing().next_back()) else {
            self.codes = Codes::Nothing;
            return;
        };
        self.codes = match passing().count() == last + 1 - first {
            true => match codes.code_range(first as i64, last as i64) {
                Some((first, last)) => Codes::Within(first, last),
                None => Codes::Nothing,
            },
            false => Codes::ListedOnly,
        };
    }

    /// Whether local row `i` of the segment entered passes.
    #[inline(always)]
    fn passes_at(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        view: &SegmentView<'_>,
        i: usize,
    ) -> Option<bool> {
        Some(match (self.codes, &view.data, condition) {
            (Codes::Nothing, ..) => false,
            (Codes::Within(low, high), DataView::Ints(codes) | DataView::Dictionary(codes), _) => {
                view.place(i).is_some_and(|p| within(codes.code(p), low, high))
            }
            (Codes::Valued(low, high), ..) => {
                view.place(i).is_some_and(|p| (low..=high).contains(&view.integer(p)))
            }
            (Codes::Among, _, Condition::Among(set)) => {
                view.place(i).is_some_and(|p| set.contains(view.integer(p)))
            }
            (
                Codes::Listed | Codes::ListedOnly,
                DataView::Dictionary(codes),
                Condition::Text { passes, .. },
            ) => {
                let Some(place) = view.place(i) else { return Some(false) };
                // An entry's number is itself kept as base and step.
                let entry = codes.get(place);
                let Some(verdict) = self.verdicts.get_mut(entry as usize) else { return Some(false) };
                if *verdict == 0 {
                    *verdict = if passes(column.entry(entry)) { 1 } else { 2 };
                }
                *verdict == 1
            }
            (Codes::Text, ..) => text_passes(column, condition, view, i)?,
            (Codes::TextOnce, ..) => match self.verdicts.get(i) {
                Some(0) => {
                    let verdict = text_passes(column, condition, view, i)?;
                    self.verdicts[i] = if verdict { 1 } else { 2 };
                    verdict
                }
                verdict => verdict == Some(&1),
            },
            (Codes::Present, _, Condition::Present(wanted)) => {
                // Exceptions are kept apart in the segment.
                let present = view.place(i).is_some()
                    || (column.has_exceptions
                        && !column.is_null((self.segment - 1) as u64 * SEGMENT_ROWS as u64 + i as u64));
                present == *wanted
            }
            _ => return None,
        })
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
        let view = column.segment(segment).filter(|s| local + len <= s.rows)?;
        self.settle(column, condition, view, len);
        if let (
            Codes::Within(low, high),
            SegmentView {
                presence: PresenceView::All,
                data: DataView::Ints(ints) | DataView::Dictionary(ints),
                zones,
                ..
            },
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
        self.count_others(column, condition, segment, (local, len))
    }

    /// The same of rows of one segment that are not compared as codes in a row. A function of its own: the
    /// loop over such codes took 1.2 of its time with this beside it.
    #[inline(never)]
    fn count_others(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        segment: usize,
        (local, len): (usize, usize),
    ) -> Option<usize> {
        let view = column.segment(segment)?;
        match (self.codes, condition) {
            (Codes::Nothing, _) => return Some(0),
            (Codes::Present, Condition::Present(wanted)) if !column.has_exceptions => {
                let present = view.presence.count(local, len);
                return Some(if *wanted { present } else { len - present });
            }
            _ => {}
        }
        if let (
            Codes::Within(low, high),
            DataView::Ints(codes) | DataView::Dictionary(codes),
            PresenceView::Some(rank),
        ) = (self.codes, &view.data, &view.presence)
        {
            // Codes of rows that follow each other follow each other, without those that have no value.
            return Some(codes.count_codes(rank.rank(local), view.presence.count(local, len), low, high));
        }
        if let (
            Codes::Listed | Codes::ListedOnly,
            Condition::Text { passes, .. },
            SegmentView { presence: PresenceView::All, data: DataView::Dictionary(codes), .. },
        ) = (self.codes, condition, view)
        {
            let mut out = Vec::new();
            self.select_listed(column, passes, codes, (local, len), 0, &mut out);
            return Some(out.len());
        }
        if let (
            Codes::Among,
            Condition::Among(set),
            SegmentView { presence: PresenceView::All, data, zones, .. },
        ) = (self.codes, condition, view)
        {
            let mut out = Vec::new();
            each_zone(zones, condition, local, len, |from, len, verdict| {
                if verdict.is_none() {
                    select_among(data, set, (from, len), 0, &mut out);
                }
            });
            return Some(out.len());
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
            let Some(view) = column.segment(segment).filter(|s| local + here <= s.rows) else {
                out.truncate(before);
                return None;
            };
            self.settle(column, condition, view, here);
            let at = |i: usize| (i - local + done) as u32;
            if let (
                Codes::Within(low, high),
                SegmentView {
                    presence: PresenceView::All,
                    data: DataView::Ints(ints) | DataView::Dictionary(ints),
                    zones,
                    ..
                },
            ) = (self.codes, view)
            {
                each_zone(zones, condition, local, here, |from, len, verdict| match verdict {
                    Some(true) => out.extend(at(from)..at(from + len)),
                    Some(false) => {}
                    None => append(ints, from, len, at(from), (low, high), out),
                });
            } else if let (
                Codes::Among,
                Condition::Among(set),
                SegmentView { presence: PresenceView::All, data, zones, .. },
            ) = (self.codes, condition, view)
            {
                each_zone(zones, condition, local, here, |from, len, verdict| {
                    if verdict.is_none() {
                        select_among(data, set, (from, len), at(from), out);
                    }
                });
            } else if let (
                Codes::Listed | Codes::ListedOnly,
                Condition::Text { passes, .. },
                SegmentView { presence: PresenceView::All, data: DataView::Dictionary(codes), .. },
            ) = (self.codes, condition, view)
            {
                self.select_listed(column, passes, codes, (local, here), at(local), out);
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

    /// Appends `first + i` for each of `len` rows whose entry passes, the row `from + i` of a segment: codes
    /// are taken out in blocks, and the verdicts of their entries looked up without a branch.
    fn select_listed(
        &mut self,
        column: &ColumnView<'_>,
        passes: &dyn Fn(&str) -> bool,
        codes: &PackedView<'_>,
        (from, len): (usize, usize),
        first: u32,
        out: &mut Vec<u32>,
    ) {
        let mut entries = [0; LISTED_ROWS];
        for done in (0..len).step_by(LISTED_ROWS) {
            let entries = &mut entries[..LISTED_ROWS.min(len - done)];
            codes.unpack(from + done, entries);
            // A code beyond all entries is one of a forged file.
            let verdict = |verdicts: &[u8], entry: i64| verdicts.get(entry as usize).copied().unwrap_or(2);
            if entries.iter().fold(false, |some, entry| some | (verdict(&self.verdicts, *entry) == 0)) {
                for entry in entries.iter() {
                    if verdict(&self.verdicts, *entry) == 0 {
                        self.verdicts[*entry as usize] = if passes(column.entry(*entry)) { 1 } else { 2 };
                    }
                }
            }
            let mut end = out.len();
            out.resize(end + entries.len(), 0);
            for (i, entry) in entries.iter().enumerate() {
                out[end] = first + (done + i) as u32;
                end += usize::from(verdict(&self.verdicts, *entry) == 1);
            }
            out.truncate(end);
        }
    }

    /// Counts runs of rows that follow each other, from `start` to each of `ends`: adds to `counts` how many
    /// of each pass.
    ///
    /// **Cost**: codes are compared once, into bits; a run is two ranks among them.
    pub fn count_runs(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        mut start: u64,
        ends: &[u64],
        counts: &mut [u64],
    ) -> Option<()> {
        let (mut done, len) = (0, ends.len().min(counts.len()));
        while done < len {
            let (segment, local) = split(start);
            // The runs that end in the segment: at its end, or that of the column.
            let last = start + (SEGMENT_ROWS - local) as u64;
            let here = ends[done..len].partition_point(|end| *end <= last);
            if here < 2 || ends[done + here - 1] == start {
                let end = ends[done];
                counts[done] += self.count(column, condition, start, (end - start) as usize)? as u64;
                (start, done) = (end, done + 1);
                continue;
            }
            let (ends, counts) = (&ends[done..done + here], &mut counts[done..done + here]);
            self.count_runs_within(column, condition, (segment, local), start, ends, counts)?;
            (start, done) = (ends[here - 1], done + here);
        }
        Some(())
    }

    /// The same where all runs are in one segment.
    fn count_runs_within(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        (segment, local): (usize, usize),
        start: u64,
        ends: &[u64],
        counts: &mut [u64],
    ) -> Option<()> {
        self.seek(column, condition, segment);
        let last = ends.last().map_or(0, |end| (end - start) as usize);
        if let Some(view) = column.segment(segment) {
            self.settle(column, condition, view, last);
        }
        if let (
            Codes::Within(low, high),
            Some(SegmentView {
                presence: PresenceView::All,
                data: DataView::Ints(codes) | DataView::Dictionary(codes),
                zones,
                rows,
                ..
            }),
        ) = (self.codes, column.segment(segment))
            && local + last <= *rows
        {
            self.run.fill(codes, zones, condition, (local, last), (low, high));
            let mut before = self.run.rank(local);
            for (end, count) in ends.iter().zip(counts) {
                let rank = self.run.rank(local + (end - start) as usize);
                *count += u64::from(rank - before);
                before = rank;
            }
            return Some(());
        }
        let mut start = start;
        for (end, count) in ends.iter().zip(counts) {
            *count += self.count(column, condition, start, (end - start) as usize)? as u64;
            start = *end;
        }
        Some(())
    }

    /// Appends those of `positions` whose row passes, without a branch on it.
    #[inline]
    pub fn select_at(
        &mut self,
        column: &ColumnView<'_>,
        condition: &Condition<'_>,
        positions: impl ExactSizeIterator<Item = (u32, u64)>,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        let before = out.len();
        let mut end = before;
        out.resize(before + positions.len(), 0);
        for (i, row) in positions {
            let (segment, local) = split(row);
            self.seek(column, condition, segment);
            let view = column.segment(segment)?;
            let Some(passes) = self.passes_at(column, condition, view, local) else {
                out.truncate(before);
                return None;
            };
            out[end] = i;
            end += usize::from(passes);
        }
        out.truncate(end);
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
        let view = column.segment(segment)?;
        match (self.codes, condition) {
            (Codes::Nothing, _) => return Some(()),
            (Codes::Text, _) => {
                for i in rows {
                    if text_passes(column, condition, view, i)? {
                        visit(i);
                    }
                }
                return Some(());
            }
            (Codes::Present, Condition::Present(wanted)) if !column.has_exceptions => {
                view.presence.each(rows, *wanted, visit);
                return Some(());
            }
            _ => {}
        }
        if let (Codes::Valued(low, high), PresenceView::All) = (self.codes, &view.presence) {
            each_zone(view.zones, condition, rows.start, rows.len(), |from, len, verdict| match verdict {
                Some(true) => (from..from + len).for_each(&mut visit),
                Some(false) => {}
                None => each_within(view, (low, high), from, len, &mut visit),
            });
            return Some(());
        }
        if let (Codes::Valued(..) | Codes::Within(..), Condition::Range(low, high), PresenceView::Some(_)) =
            (self.codes, condition, &view.presence)
        {
            each_within(view, (*low, *high), rows.start, rows.len(), &mut visit);
            return Some(());
        }
        if let (Codes::Among, PresenceView::All) = (self.codes, &view.presence) {
            each_zone(view.zones, condition, rows.start, rows.len(), |from, len, verdict| {
                (from..from + len)
                    .filter(|i| {
                        verdict.unwrap_or_else(|| self.passes_at(column, condition, view, *i) == Some(true))
                    })
                    .for_each(&mut visit);
            });
            return Some(());
        }
        for i in rows {
            if self.passes_at(column, condition, view, i)? {
                visit(i);
            }
        }
        Some(())
    }
}

/// Values that are taken out together.
const BLOCK_ROWS: usize = 512;

/// Calls `visit` on rows `local..local + len` of a segment whose integers are within bounds: values are taken
/// out block by block, and those of a segment that has not all are as many as there are ones in its bits.
fn each_within(
    view: &SegmentView<'_>,
    (low, high): (i64, i64),
    local: usize,
    len: usize,
    visit: &mut impl FnMut(usize),
) {
    let mut block = [0i64; BLOCK_ROWS];
    let range = low..=high;
    match &view.presence {
        PresenceView::None => {}
        PresenceView::All => {
            for start in (local..local + len).step_by(BLOCK_ROWS) {
                let block = &mut block[..(local + len - start).min(BLOCK_ROWS)];
                view.data.unpack(start, block);
                let passing = block.iter().zip(start..).filter(|(value, _)| range.contains(value));
                passing.for_each(|(_, row)| visit(row));
            }
        }
        PresenceView::Some(rank) => {
            let mut place = rank.look(local).0;
            for first in (local..local + len).step_by(64) {
                let within = u64::MAX >> (64 - (local + len - first).min(64));
                let mut present = rank.window(first) & within;
                let block = &mut block[..present.count_ones() as usize];
                if block.is_empty() {
                    continue;
                }
                view.data.unpack(place, block);
                place += block.len();
                for value in block {
                    if range.contains(value) {
                        visit(first + present.trailing_zeros() as usize);
                    }
                    present &= present - 1;
                }
            }
        }
    }
}

/// Whether the text at local row `i` of a segment passes; null does not. `None` where it must be looked at
/// otherwise.
#[inline]
fn text_passes(
    column: &ColumnView<'_>,
    condition: &Condition<'_>,
    view: &SegmentView<'_>,
    i: usize,
) -> Option<bool> {
    let Condition::Text { equal, prefix, order, passes } = condition else { return None };
    let Some(place) = view.place(i) else { return Some(false) };
    Some(match (&view.data, equal, column.fsst()) {
        (DataView::Strings { ends, text }, ..) => passes(text_at(ends, text, place)),
        (DataView::Compressed(strings), Some(equal), Some(table)) => {
            table.decodes_to(strings.get(place), equal.as_bytes())
        }
        (DataView::Compressed(strings), None, Some(table)) if let Some((bound, wanted)) = order => {
            wanted(table.compare(strings.get(place), bound.as_bytes()))
        }
        (DataView::Compressed(strings), None, Some(table)) => {
            table.decodes_to_start(strings.get(place), prefix.unwrap_or_default().as_bytes())
        }
        _ => return None,
    })
}

/// Calls `visit` on blocks of rows `local..local + len` with what their zone maps say: all pass, none does,
/// or that is open.
#[inline]
fn each_zone(
    zones: &[ZoneRange],
    condition: &Condition<'_>,
    local: usize,
    len: usize,
    mut visit: impl FnMut(usize, usize, Option<bool>),
) {
    if len < ZONED_ROWS_MIN || !matches!(condition, Condition::Range(..) | Condition::Among(_)) {
        return visit(local, len, None);
    }
    let (mut from, end) = (local, local + len);
    while from < end {
        let zone = from / ZONE_ROWS;
        let here = ((zone + 1) * ZONE_ROWS).min(end) - from;
        let verdict = match (zones.get(zone), condition) {
            (Some([least, most]), Condition::Range(low, high)) if least > high || most < low => Some(false),
            (Some([least, most]), Condition::Range(low, high)) if least >= low && most <= high => Some(true),
            (Some([least, most]), Condition::Among(set)) if !set.meets(*least, *most) => Some(false),
            _ => None,
        };
        visit(from, here, verdict);
        from += here;
    }
}

/// Appends `first + i` for each value `from + i` that is in a set; values are taken out block by block.
fn select_among(
    data: &DataView<'_>,
    set: &IntegerSet,
    (from, len): (usize, usize),
    first: u32,
    out: &mut Vec<u32>,
) {
    let mut block = [0i64; 512];
    for start in (0..len).step_by(block.len()) {
        let block = &mut block[..(len - start).min(512)];
        data.unpack(from + start, block);
        set.select(block, first + start as u32, out);
    }
}

/// Appends `first + i` for each code `from + i` that passes, without a branch on it.
#[inline]
fn append(
    codes: &PackedView<'_>,
    from: usize,
    len: usize,
    first: u32,
    (low, high): (u64, u64),
    out: &mut Vec<u32>,
) {
    let mut end = out.len();
    out.resize(end + len, 0);
    macro_rules! whole {
        ($t:ty, $w:literal) => {
            for (i, c) in codes.bytes[from * $w..(from + len) * $w].chunks_exact($w).enumerate() {
                let mut raw = [0u8; $w];
                raw.copy_from_slice(c);
                out[end] = first + i as u32;
                end += usize::from(within(<$t>::from_le_bytes(raw).into(), low, high));
            }
        };
    }
    match codes.bits {
        8 => whole!(u8, 1),
        16 => whole!(u16, 2),
        32 => whole!(u32, 4),
        64 => whole!(u64, 8),
        // Other widths are compared into bits, many at once.
        _ => {
            let mut words = [0u64; 32];
            for start in (0..len).step_by(words.len() * 64) {
                let here = (len - start).min(words.len() * 64);
                let words = &mut words[..here.div_ceil(64)];
                codes.mask_codes(from + start, here, low, high, words);
                for (k, word) in words.iter().enumerate() {
                    let mut rest = *word;
                    while rest != 0 {
                        out[end] = first + (start + k * 64) as u32 + rest.trailing_zeros();
                        end += 1;
                        rest &= rest - 1;
                    }
                }
            }
        }
    }
    out.truncate(end);
}
