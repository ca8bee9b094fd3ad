//! Sorted rows in, of each group only the first: the first keys of the sort are those of the groups, so that
//! rows of a group follow each other. Keeps the last row's keys from batch to batch.
//!
//! A row that stands for several counts as so many, and may stand for fewer afterwards.

use std::cmp::Ordering;

use trimorph_vector::Vector;
use trimorph_vector::order::order_across;

use super::group_limit::GroupLimitSpec;
use crate::keys::POSITIONS_UNCHECKED;
use crate::{Context, ExecError};

/// Which rows are given.
pub(super) struct GroupFirst<'s> {
    /// The number of keys that groups are told apart by.
    keys: usize,
    /// Rows of a group that are given.
    count: u64,
    /// Rows of the group that may still be given.
    left: u64,
    /// The keys of the last row of the rows before, each a vector of one value; none before the first.
    last: Vec<Vector<'s>>,
}

impl<'s> GroupFirst<'s> {
    /// Nothing where other rows may come, too.
    pub(super) fn new(spec: &GroupLimitSpec) -> Option<Self> {
        let count = spec.first as u64;
        spec.exact.then(|| Self { keys: spec.keys.len(), count, left: count, last: Vec::new() })
    }

    /// The rows of `order`, the next in order, that are given; `columns` are the keys of the sort.
    pub(super) fn of(
        &mut self,
        columns: &[Vector<'s>],
        order: &[u32],
        multiplicity: &mut [u64],
        cx: &Context<'s>,
    ) -> Result<Vec<u32>, ExecError> {
        let keys = &columns[..self.keys];
        let mut given = Vec::new();
        let mut before: Option<usize> = None;
        for (k, row) in order.iter().enumerate() {
            if k.is_multiple_of(POSITIONS_UNCHECKED) {
                cx.check()?;
            }
            let i = *row as usize;
            let is_of_group = match before {
                Some(j) => keys.iter().all(|key| order_across(key, i, key, j) == Ordering::Equal),
                None if self.last.is_empty() && self.keys > 0 => false,
                None => {
                    let mut pairs = keys.iter().zip(&self.last);
                    pairs.all(|(key, last)| order_across(key, i, last, 0) == Ordering::Equal)
                }
            };
            if !is_of_group {
                self.left = self.count;
            }
            if self.left > 0 {
                let rows = &mut multiplicity[i];
                *rows = (*rows).min(self.left);
                self.left -= *rows;
                given.push(*row);
            }
            before = Some(i);
        }
        if let Some(row) = order.last() {
            self.last = keys.iter().map(|key| key.gather(&[*row])).collect();
        }
        Ok(given)
    }
}
