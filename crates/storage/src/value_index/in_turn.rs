//! A search for many values: takes them in their order, gives the positions of the rows that have each.
//!
//! Each search begins where the one before ended, and goes on in steps of twice the length each. Where the
//! values that are looked for are a good part of all, those of the column are taken out a run of positions at
//! a time, by columns: nearly all of them are asked for anyway. Where they lie far apart each is read by
//! itself.
//!
//! Source: Bentley and Yao, "An Almost Optimal Algorithm for Unbounded Searching".

use std::cmp::Ordering;
use std::ops::Range;

use trimorph_types::Value;
use trimorph_vector::{Values, Vector, by_id};

use super::{ValueIndexView, standing};
use crate::column::ColumnView;

/// Positions that are taken out together.
const RUN: u64 = 256;
/// Rows from one value to the next, about, up to which they are: a value of a run costs 3 ns, one by itself
/// 20, and a search asks for five at least.
const STEP_MAX: u64 = 16;

/// A search for values that come in their order, as a rule. One that does not is found, too.
pub struct InTurn<'i, 's, 'v> {
    index: &'i ValueIndexView<'s>,
    column: &'i ColumnView<'s>,
    /// Where the last one stood, and which it was.
    at: u64,
    last: Option<&'v Value>,
    /// Rows from one value to the next, about.
    step: u64,
    /// Values from a position on.
    run: (u64, Option<Vector<'s>>),
    rows: Vec<u64>,
}

impl<'s> ValueIndexView<'s> {
    /// A search for many values, each of which begins where the one before ended.
    pub fn in_turn<'i, 'v>(&'i self, values: usize, column: &'i ColumnView<'s>) -> InTurn<'i, 's, 'v> {
        let step = (self.len() / (values as u64).max(1)).max(1);
        InTurn { index: self, column, at: 0, last: None, step, run: (0, None), rows: Vec::new() }
    }
}

impl<'v> InTurn<'_, '_, 'v> {
    /// The positions of rows that have a value, or one that compares as equal.
    ///
    /// **Cost**: some values of rows that lie between this value and the last, twice as many as their number
    /// has bits.
    pub fn range(&mut self, value: &'v Value) -> Range<u64> {
        let is_behind_last = self.last.is_some_and(|last| !standing(value, last).is_lt());
        let from = if is_behind_last { self.at } else { 0 };
        let start = self.first(from, self.step, value, Ordering::is_lt);
        // Few rows have the same value, as a rule.
        let end = self.first(start, 1, value, Ordering::is_le);
        (self.at, self.last) = (start, Some(value));
        start..end
    }

    /// The first position from `from` on whose value does not stand to `value` so, as all up to there do.
    fn first(&mut self, from: u64, mut step: u64, value: &Value, is_low: fn(Ordering) -> bool) -> u64 {
        let len = self.index.len();
        let (mut low, mut high) = (from, from.saturating_add(step - 1));
        while high < len && is_low(self.standing(low, high, value)) {
            step = step.saturating_mul(2);
            (low, high) = (high + 1, high.saturating_add(step));
        }
        high = high.min(len);
        while low < high {
            let middle = low.midpoint(high);
            if is_low(self.standing(low, middle, value)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// How the value at a position stands to one that is looked for; those before `low` are not asked for
    /// any more.
    fn standing(&mut self, low: u64, position: u64, value: &Value) -> Ordering {
        let (first, taken) = &self.run;
        let len = taken.as_ref().map_or(0, |_| RUN.min(self.index.len() - first));
        if !(*first..first + len).contains(&position) {
            if self.step > STEP_MAX || position - low >= RUN || position < *first {
                // What could not be read stands nowhere: the pins tell.
                let own = self.index.row(position).map(|row| self.column.value(row));
                return standing(&own.unwrap_or(Value::Null), value);
            }
            self.rows.clear();
            self.index.rows(low..low.saturating_add(RUN).min(self.index.len()), &mut self.rows);
            self.run = (low, Some(self.column.gather_rows(&self.rows)));
        }
        let (first, taken) = &self.run;
        let at = (position - first) as usize;
        match (taken, value) {
            (Some(Vector { values: Values::Int(own), .. }), Value::Int(value)) if at < own.len() => {
                own[at].cmp(value)
            }
            (Some(Vector { values: Values::String(own), .. }), Value::String(value)) if at < own.len() => {
                own.get(at).cmp(value)
            }
            (Some(own), value) if at < self.rows.len() => standing(&own.value(at, &by_id), value),
            _ => standing(&Value::Null, value),
        }
    }
}
