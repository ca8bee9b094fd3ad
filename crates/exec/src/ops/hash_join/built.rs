//! The build side of a hash join, or a block of it: rows numbered by key.

use trimorph_base::{OverBudget, Reservation};
use trimorph_types::{Value, equals};
use trimorph_vector::{Values, Vector, by_id};

use super::shape::Shape;
use crate::Context;
use crate::keys::{KeyTable, NO_NUMBER};
use crate::rows::Rows;
use crate::spill::spare_bytes;

/// Finished: rows by the number of their key.
pub(super) struct Built<'s> {
    pub(super) rows: Rows<'s>,
    pub(super) keys: KeyTable<'s>,
    /// Rows of key `k`: `members[starts[k]..starts[k + 1]]`.
    starts: Vec<u32>,
    members: Vec<u32>,
    /// Whether each key has one row.
    is_single: bool,
    /// Whether each row stands for one.
    is_plain: bool,
    _held: Reservation,
}

impl Built<'_> {
    /// The row of each key, by its number, where each has one.
    pub(super) fn singles(&self) -> Option<&[u32]> {
        self.is_single.then_some(&self.members)
    }

    /// Whether each row stands for one.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The rows of a key.
    #[inline]
    pub(super) fn members(&self, key: u32) -> &[u32] {
        &self.members[self.starts[key as usize] as usize..self.starts[key as usize + 1] as usize]
    }
}

/// Rows that are coming.
pub(super) struct Building<'s> {
    pub(super) rows: Rows<'s>,
    keys: KeyTable<'s>,
    /// The key of each row; where rows of one key are one row, of each key.
    numbers: Vec<u32>,
    /// Rows with one key are one row, whatever they stand for.
    once: bool,
    held: Reservation,
    found: Vec<u32>,
    fresh: Vec<u32>,
}

impl<'s> Building<'s> {
    /// None yet.
    pub(super) fn new(shape: &Shape, cx: &Context<'s>) -> Self {
        Self {
            rows: Rows::new(shape.build_keep.len()),
            keys: KeyTable::default(),
            numbers: Vec::new(),
            once: shape.once,
            held: cx.settings.budget.reservation(),
            found: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// Holds what more rows take, if others have room beside them. Without files to put rows into, nothing
    /// is left to others.
    pub(super) fn make_room(&mut self, more: usize, cx: &Context<'s>) -> Result<(), OverBudget> {
        let rows = if self.rows.columns.is_empty() { 0 } else { self.rows.growth_bytes(more) };
        let growth = self.keys.growth_bytes(more) + rows + more * size_of::<u32>();
        let spills = cx.settings.spill.is_some();
        let spare = if spills { spare_bytes(self.held.bytes() + growth, cx) } else { 0 };
        self.held.grow_leaving(growth, spare)
    }

    /// Takes rows in, none of which joins nothing. Rows without columns are one for each key.
    pub(super) fn add(
        &mut self,
        keys: &[&Vector<'s>],
        columns: &[&Vector<'s>],
        positions: &[u32],
        multiplicity: &dyn Fn(usize) -> u64,
        cx: &Context<'s>,
    ) {
        self.found.clear();
        self.fresh.clear();
        self.keys.number_all(keys, positions, &mut self.found, &mut self.fresh);
        if !columns.is_empty() {
            self.numbers.extend_from_slice(&self.found);
            self.rows.extend(columns, positions, positions.iter().map(|p| multiplicity(*p as usize)), cx);
            return;
        }
        let weights = &mut self.rows.multiplicity;
        for (number, p) in self.found.iter().zip(positions) {
            // Numbers are given in the order keys come.
            let at = *number as usize;
            if at == weights.len() {
                weights.push(0);
                self.numbers.push(*number);
            }
            let more = if self.once { u64::from(weights[at] == 0) } else { multiplicity(*p as usize) };
            weights[at] = weights[at].saturating_add(more);
        }
    }

    /// Leaves out positions whose key is there.
    pub(super) fn leave_out_known(&self, keys: &[&Vector<'s>], positions: &mut Vec<u32>) {
        let mut found = Vec::new();
        self.keys.find_again(keys, positions, &mut Vec::new(), &mut found);
        let mut found = found.into_iter();
        positions.retain(|_| found.next() == Some(NO_NUMBER));
    }

    /// Holds what there is, no more.
    pub(super) fn settle(&mut self) -> Result<(), OverBudget> {
        // Rows of a key are found by two numbers each, and by one a key.
        let index = self.numbers.capacity() * 8 + self.keys.len() * 4;
        self.held.resize(self.rows.bytes() + self.keys.bytes() + index)
    }

    pub(super) fn finish(self) -> Built<'s> {
        let mut starts = vec![0u32; self.keys.len() + 2];
        for n in &self.numbers {
            starts[*n as usize + 2] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut members = vec![0u32; self.numbers.len()];
        for (row, n) in self.numbers.iter().enumerate() {
            let at = &mut starts[*n as usize + 1];
            members[*at as usize] = u32::try_from(row).unwrap_or(u32::MAX);
            *at += 1;
        }
        let is_single = members.len() == self.keys.len();
        let is_plain = self.rows.multiplicity.iter().all(|m| *m == 1);
        Built { rows: self.rows, keys: self.keys, starts, members, is_single, is_plain, _held: self.held }
    }
}

/// Whether some values of a key may join nothing.
pub(in crate::ops) fn may_join_nothing(key: &Vector<'_>) -> bool {
    key.may_have_nulls()
        || matches!(
            key.values,
            Values::Float(_) | Values::Number(_) | Values::List(_) | Values::Map(_) | Values::Tuple(_)
        )
}

/// Whether a value joins nothing: null, and what does not equal itself, as NaN or a list with a null in it.
/// For all others equality is equivalence, which is what keys are numbered by.
pub(in crate::ops) fn joins_nothing(key: &Vector<'_>, i: usize) -> bool {
    if key.is_null(i) {
        return true;
    }
    match &key.values {
        Values::Float(v) => v[i].is_nan(),
        Values::Number(v) => v.get(i).float().is_nan(),
        Values::Any(v) => match &v[i] {
            Value::Float(f) => f.is_nan(),
            v @ (Value::List(_) | Value::Map(_)) => equals(v, v) != Some(true),
            _ => false,
        },
        Values::List(_) | Values::Map(_) | Values::Tuple(_) => {
            let value = key.value(i, &by_id);
            equals(&value, &value) != Some(true)
        }
        _ => false,
    }
}
