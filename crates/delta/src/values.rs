//! Values that came to one column of a node table, or an edge table: takes a value, gives the rows, or ids of
//! edges, that have or had it. Whether a row still has it, and for whom, is told by its versions.
//!
//! Invariant: a row is here, under its value, when its writer is done with it, before he looks and before
//! anybody else can see it; and its version is linked by then. So of two who write the same value and then
//! look, one finds the other. It stays until its last version is cleaned.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering as Atomic};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use trimorph_types::{Value, compare, order};

/// Bytes of an entry besides its value: what a tree of such keys takes, on average, and one row.
const ENTRY_BYTES: usize = 96;

/// A value in the order of all values: 1 and 1.0 are the same.
#[derive(Debug)]
struct Ordered(Value);

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        order(&self.0, &other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

fn is_same(a: &Ordered, b: &Ordered) -> bool {
    compare(&a.0, &b.0).is_some_and(Ordering::is_eq)
}

/// Whether all that is equal to a value is in one place: instants and times are equal whatever their zones,
/// and so may lists of them be.
fn stands_alone(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) | Value::Date(_))
}

/// Rows by their values, in the order of values.
#[derive(Debug, Default)]
pub struct ValueDelta {
    rows: RwLock<Rows>,
    /// Whether what was written before it is in it, too: until then who looks for rows must not ask it.
    is_whole: AtomicBool,
}

#[derive(Debug, Default)]
struct Rows {
    by_value: BTreeMap<Ordered, Vec<u64>>,
    bytes: usize,
}

impl ValueDelta {
    /// What was written before it is in it now.
    pub(crate) fn complete(&self) {
        self.is_whole.store(true, Atomic::Release);
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole.load(Atomic::Acquire)
    }

    fn read(&self) -> RwLockReadGuard<'_, Rows> {
        self.rows.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Rows> {
        self.rows.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A row gets a value; null is none. **Cost**: a search in the tree, whatever the rows of the value.
    pub(crate) fn insert(&self, value: Value, row: u64) {
        if value.is_null() {
            return;
        }
        let bytes = value.owned_bytes() as usize + ENTRY_BYTES;
        let mut own = self.write();
        let rows = own.by_value.entry(Ordered(value)).or_default();
        // A row may be there twice: looking for it would make many rows of one value cost their square.
        if rows.last() != Some(&row) {
            rows.push(row);
            own.bytes += bytes;
        }
    }

    /// Rows that may have a value between two, ascending by row, each once.
    pub fn range(&self, low: Bound<&Value>, high: Bound<&Value>) -> Vec<u64> {
        let own = |bound: Bound<&Value>| bound.map(|value| Ordered(value.clone()));
        if let (Bound::Included(a), Bound::Included(b)) = (low, high)
            && stands_alone(a)
            && order(a, b).is_eq()
        {
            let mut rows = self.read().by_value.get(&Ordered(a.clone())).cloned().unwrap_or_default();
            rows.sort_unstable();
            rows.dedup();
            return rows;
        }
        let (low, high) = (own(low), own(high));
        let is_empty = match (&low, &high) {
            (Bound::Included(a), Bound::Included(b)) => a > b,
            (Bound::Included(a) | Bound::Excluded(a), Bound::Excluded(b) | Bound::Included(b)) => a >= b,
            _ => false,
        };
        if is_empty {
            return Vec::new();
        }
        let read = self.read();
        let mut rows: Vec<u64> = Vec::new();
        // What compares as equal to a bound may stand beyond it: the same instant in another zone.
        if let Bound::Included(bound) = &low {
            let below = read.by_value.range(..bound).rev();
            rows.extend(below.take_while(|(own, _)| is_same(own, bound)).flat_map(|(_, rows)| rows));
        }
        if let Bound::Included(bound) = &high {
            let above = read.by_value.range((Bound::Excluded(bound), Bound::Unbounded));
            rows.extend(above.take_while(|(own, _)| is_same(own, bound)).flat_map(|(_, rows)| rows));
        }
        rows.extend(read.by_value.range((low, high)).flat_map(|(_, rows)| rows));
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Gives the rows of each of many values, some of them twice; those that stand beside others of the same
    /// kind are told like these by [`Self::range`]. Each comes with its number.
    ///
    /// **Cost**: a search in the tree for each; a lock for all of them.
    pub fn rows_of_each<'v>(
        &self,
        values: impl Iterator<Item = (u32, &'v Value)>,
        mut each: impl FnMut(u32, u64),
    ) {
        let mut others = Vec::new();
        {
            let read = self.read();
            for (number, value) in values {
                if !stands_alone(value) {
                    others.push((number, value));
                } else if let Some(rows) = read.by_value.get(&Ordered(value.clone())) {
                    rows.iter().for_each(|row| each(number, *row));
                }
            }
        }
        for (number, value) in others {
            let rows = self.range(Bound::Included(value), Bound::Included(value));
            rows.into_iter().for_each(|row| each(number, row));
        }
    }

    /// Whether nothing is here. **Cost**: a lock.
    pub fn is_empty(&self) -> bool {
        self.read().by_value.is_empty()
    }

    /// Forgets the rows of which `is_clean` says that main has their values.
    pub(crate) fn clean(&self, is_clean: impl Fn(u64) -> bool) {
        let mut own = self.write();
        let mut bytes = 0;
        own.by_value.retain(|value, rows| {
            rows.retain(|row| !is_clean(*row));
            bytes += rows.len() * (value.0.owned_bytes() as usize + ENTRY_BYTES);
            !rows.is_empty()
        });
        own.bytes = bytes;
    }

    /// Bytes it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        self.read().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_values_of_any_type() {
        let values = ValueDelta::default();
        let put = [
            (Value::Int(1), 3),
            (Value::Float(1.0), 1),
            (Value::string("a"), 2),
            (Value::string("ab"), 4),
            (Value::Null, 5),
            (Value::Int(2), 3),
        ];
        put.into_iter().for_each(|(value, row)| values.insert(value, row));
        let equal = |value: &Value| values.range(Bound::Included(value), Bound::Included(value));
        assert_eq!(equal(&Value::Int(1)), [1, 3]);
        assert_eq!(equal(&Value::Null), []);
        assert_eq!(values.range(Bound::Included(&Value::Int(1)), Bound::Excluded(&Value::Int(2))), [1, 3]);
        assert_eq!(values.range(Bound::Excluded(&Value::Int(2)), Bound::Excluded(&Value::Int(2))), []);
        assert!(values.range(Bound::Included(&Value::string("a")), Bound::Unbounded).contains(&4));
        assert_eq!(values.range(Bound::Included(&Value::Int(2)), Bound::Included(&Value::Int(1))), []);
        values.clean(|row| row == 3);
        assert_eq!(equal(&Value::Int(1)), [1]);
        assert_eq!(equal(&Value::Int(2)), []);
        assert_eq!(values.bytes() > 0, !values.is_empty());
    }
}
