//! Which rows of a column have a value: asked of one row, of runs of them, and counted.
//!
//! A segment's rank index has a bit for each row; 64 rows are looked at together. Values of another type than
//! the column's are exceptions, which the index does not have: they are asked row by row.

use std::ops::Range;

use trimorph_vector::Nulls;

use super::format::{SEGMENT_ROWS, split};
use super::pairs::BATCH_ROWS;
use super::segment_view::PresenceView;
use super::view::ColumnView;

impl<'s> ColumnView<'s> {
    /// Whether a row has no value.
    #[inline]
    pub fn is_null(&self, row: u64) -> bool {
        let (segment, local) = split(row);
        self.segment(segment).is_none_or(|s| s.place(local).is_none()) && self.exception(row).is_none()
    }

    /// Tells whether rows have no value, one after the other. **Cost**: in segments in which all have one, a
    /// comparison.
    pub fn null_test(&self) -> impl FnMut(u64) -> bool + use<'_, 's> {
        // The segment of the last row where that is such a segment, and its rows.
        let mut full = (usize::MAX, 0);
        move |row| {
            let (segment, local) = split(row);
            if segment == full.0 && local < full.1 {
                return false;
            }
            if let Some(view) = self.segment(segment)
                && matches!(view.presence, PresenceView::All)
            {
                full = (segment, view.rows);
            }
            self.is_null(row)
        }
    }

    /// Which of `len` rows from `first` on have no value; `None` where rows must be asked one by one: they
    /// lie in several segments, or some values are exceptions. **Cost**: a look for 64 rows.
    pub fn scan_nulls(&self, first: u64, len: usize) -> Option<Nulls> {
        let (segment, local) = split(first);
        let view = self.segment(segment).filter(|view| local + len <= view.rows && !self.has_exceptions)?;
        Some(match &view.presence {
            PresenceView::All => Nulls::NONE,
            PresenceView::None => Nulls::all(len),
            PresenceView::Some(rank) => {
                let mut nulls = Nulls::NONE;
                for from in (0..len).step_by(BATCH_ROWS) {
                    let within = u64::MAX >> (BATCH_ROWS - (len - from).min(BATCH_ROWS));
                    nulls.set_run(from, !rank.window(local + from) & within, len);
                }
                nulls
            }
        })
    }

    /// Whether none of `len` rows from `first` on has a value. **Cost**: a look for 64 rows of a segment that
    /// has some.
    pub fn are_null(&self, first: u64, len: usize) -> bool {
        let mut none = true;
        self.each_run_of_values(first, len, &mut |_, values, _| {
            none = values == 0;
            none
        });
        none
    }

    /// The first of some rows that has a value. **Cost**: a look for each segment that has none, and for 64
    /// rows of one that has some.
    pub fn first_with_value(&self, rows: Range<u64>) -> Option<u64> {
        let mut from = rows.start;
        while from < rows.end {
            let (segment, local) = split(from);
            let end = rows.end.min(from + (SEGMENT_ROWS - local) as u64);
            let mut found = None;
            if !self.column.is_empty_at(segment) {
                self.each_run_of_values(from, (end - from) as usize, &mut |at, values, _| {
                    found = (values != 0).then(|| from + at as u64 + u64::from(values.trailing_zeros()));
                    found.is_none()
                });
            }
            if found.is_some() {
                return found;
            }
            from = end;
        }
        None
    }

    /// The positions of those of `len` rows from `first` on that have no value; `None` where none has one.
    /// **Cost**: as of [`Self::are_null`], and the positions.
    pub fn null_positions(&self, first: u64, len: usize) -> Option<Vec<u32>> {
        if self.are_null(first, len) {
            return None;
        }
        let mut positions = Vec::new();
        self.each_run_of_values(first, len, &mut |from, values, count| {
            let first_position = u32::try_from(from).unwrap_or(u32::MAX);
            let missing = !values & (u64::MAX >> (BATCH_ROWS - count));
            each_bit(missing, |at| positions.push(first_position + at as u32));
            true
        });
        Some(positions)
    }

    /// How many of `len` rows from `first` on have a value. **Cost**: a look for each segment; for 64 rows
    /// where values are of several types.
    pub fn count_values(&self, first: u64, len: usize) -> u64 {
        let mut count = 0;
        if self.has_exceptions {
            self.each_run_of_values(first, len, &mut |_, values, _| {
                count += u64::from(values.count_ones());
                true
            });
            return count;
        }
        let (mut row, end) = (first, first + len as u64);
        while row < end {
            let (segment, local) = split(row);
            let until = end.min(row + (SEGMENT_ROWS - local) as u64);
            if let Some(view) = self.segment(segment) {
                let to = (local + (until - row) as usize).min(view.rows);
                count += match &view.presence {
                    PresenceView::All => to.saturating_sub(local),
                    PresenceView::None => 0,
                    PresenceView::Some(rank) => match to.min(rank.rows()).checked_sub(1) {
                        // What is present before the last row, and that itself.
                        Some(last) if last >= local => {
                            let (before, itself) = rank.look(last);
                            before + itself as usize - rank.rank(local)
                        }
                        _ => 0,
                    },
                } as u64;
            }
            row = until;
        }
        count
    }

    /// Calls `visit` with up to 64 of `len` rows from `first` on after the other, as long as it says so:
    /// where they begin, the bits of those that have a value, and how many they are.
    fn each_run_of_values(&self, first: u64, len: usize, visit: &mut dyn FnMut(usize, u64, usize) -> bool) {
        let mut from = 0;
        while from < len {
            let row = first + from as u64;
            let (segment, local) = split(row);
            let count = BATCH_ROWS.min(len - from).min(SEGMENT_ROWS - local);
            let mut values = match self.segment(segment).filter(|view| local < view.rows) {
                None => 0,
                Some(view) => {
                    let within = u64::MAX >> (BATCH_ROWS - count.min(view.rows - local));
                    within
                        & match &view.presence {
                            PresenceView::All => u64::MAX,
                            PresenceView::None => 0,
                            PresenceView::Some(rank) => rank.window(local),
                        }
                }
            };
            if self.has_exceptions {
                let is_one = |i: &usize| !self.is_null(row + *i as u64);
                values |= (0..count).filter(is_one).fold(0, |bits, i| bits | 1 << i);
            }
            if !visit(from, values, count) {
                return;
            }
            from += count;
        }
    }

    /// Gives those of `len` rows from `first` on that have a value, counted from there.
    pub(crate) fn each_with_value(&self, first: u64, len: usize, visit: &mut dyn FnMut(usize)) {
        self.each_run_of_values(first, len, &mut |from, values, _| {
            each_bit(values, |at| visit(from + at));
            true
        });
    }
}

/// The places of the bits that are set.
#[inline]
fn each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
