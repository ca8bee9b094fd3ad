//! Values that came to one column of a node table, or an edge table: takes a value, gives the rows, or ids of
//! edges, that have or had it. Whether a row still has it, and for whom, is told by its versions.
//!
//! Who looks for a value finds its rows by a hash. Ranges are looked for in a tree, which is made of the
//! versions of these rows when somebody asks for a range, and is let go when nobody did from one cleaning to
//! the next: most values are only ever looked for by themselves, and keeping them for a tree took more than
//! the map.
//!
//! Invariant: a row is here, under its value, when its writer is done with it, before he looks and before
//! anybody else can see it; and its version is linked by then. So of two who write the same value and then
//! look, one finds the other. It stays until its last version is cleaned.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::hash::Hasher;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering as Atomic};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustc_hash::FxHasher;
use trimorph_types::number::exact_int;
use trimorph_types::{Value, compare, hash_equivalent, order};

use crate::edge_map::EdgeMap;

/// Bytes of an entry of the map by hash; of one of the tree: what a tree of such keys takes, on average, and
/// one row.
const HASHED_BYTES: usize = 28;
const ORDERED_BYTES: usize = 96;

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
    use Value::{Bool, Date, Float, Int, Iri, String};
    matches!(value, Bool(_) | Int(_) | Float(_) | String(_) | Iri(_) | Date(_))
}

/// The hash of a value: values that are the same have the same. Integers are their own: keys that follow each
/// other lie side by side in the map, and who makes or asks for many of them meets few misses of the cache.
pub fn hash_of_value(value: &Value) -> u64 {
    let whole = match value {
        Value::Int(whole) => Some(*whole),
        // The same as the integer, if there is one.
        Value::Float(number) => exact_int(*number),
        Value::Decimal(number) => number.exact_int(),
        _ => None,
    };
    if let Some(whole) = whole {
        return whole.cast_unsigned();
    }
    let mut hasher = FxHasher::default();
    hash_equivalent(value, &mut hasher);
    hasher.finish()
}

/// Tells the values of a column that a row has or had, whoever sees them: by its versions.
pub(crate) trait Versions: std::fmt::Debug + Send + Sync {
    /// Gives each value to `put`.
    fn values_of(&self, row: u64, column: u32, put: &mut dyn FnMut(Value));
}

/// Rows by their values.
#[derive(Debug, Default)]
pub(crate) struct ValueDelta {
    rows: RwLock<Rows>,
    /// Whether what was written before it is in it, too: until then who looks for rows must not ask it.
    is_whole: AtomicBool,
}

/// What finds the rows of a table, or its edges by their ids, by the values that were written to a column.
#[derive(Debug)]
pub struct RowsByValue {
    values: Arc<ValueDelta>,
    versions: Arc<dyn Versions>,
    column: u32,
}

#[derive(Debug, Default)]
struct Rows {
    by_hash: EdgeMap<Same>,
    /// Once somebody asked for a range.
    in_order: Option<Box<InOrder>>,
}

/// Rows in the order of their values.
#[derive(Debug, Default)]
struct InOrder {
    by_value: BTreeMap<Ordered, Vec<u64>>,
    /// What came since somebody last asked for a range.
    waiting: Vec<(Value, u64)>,
    /// Rows in the tree, and bytes that values of tree and waiting ones own.
    ordered: usize,
    owned: usize,
    /// Whether somebody asked since the last cleaning.
    is_asked: AtomicBool,
}

/// Rows whose values have one hash.
#[derive(Debug)]
enum Same {
    One(u64),
    /// Few values have several: a list in its place would make all entries longer.
    #[expect(clippy::box_collection, reason = "a list is three words, and an entry has two")]
    More(Box<Vec<u64>>),
}

impl Same {
    fn as_slice(&self) -> &[u64] {
        match self {
            Self::One(row) => std::slice::from_ref(row),
            Self::More(rows) => rows,
        }
    }

    fn add(&mut self, row: u64) {
        match self {
            // A row may be there twice: looking for it would make many rows of one value cost their square.
            _ if self.as_slice().last() == Some(&row) => {}
            Self::One(first) => *self = Self::More(Box::new(vec![*first, row])),
            Self::More(rows) => rows.push(row),
        }
    }

    /// Whether one is left of those that stay.
    fn retain(&mut self, stays: impl Fn(u64) -> bool) -> bool {
        match self {
            Self::One(row) => stays(*row),
            Self::More(rows) => {
                rows.retain(|row| stays(*row));
                !rows.is_empty()
            }
        }
    }
}

impl Rows {
    fn of(&self, value: &Value) -> &[u64] {
        self.by_hash.get(&hash_of_value(value)).map_or(&[], Same::as_slice)
    }

    /// Makes the tree, where there is none, and puts into it what waits.
    fn order(&mut self, versions: &dyn Versions, column: u32) {
        let Self { by_hash, in_order } = self;
        let in_order = in_order.get_or_insert_with(|| {
            let mut rows: Vec<u64> = by_hash.values().flat_map(Same::as_slice).copied().collect();
            rows.sort_unstable();
            rows.dedup();
            let mut all = Box::<InOrder>::default();
            // All that is here is linked: who links and is not here yet comes to the tree when he is.
            for row in rows {
                versions.values_of(row, column, &mut |value| all.wait(value, row));
            }
            all
        });
        // Side by side they go into the same nodes.
        in_order.waiting.sort_by(|(a, _), (b, _)| order(a, b));
        in_order.ordered += in_order.waiting.len();
        for (value, row) in in_order.waiting.drain(..) {
            in_order.by_value.entry(Ordered(value)).or_default().push(row);
        }
        in_order.waiting.shrink_to_fit();
    }
}

impl InOrder {
    /// A row gets a value.
    fn wait(&mut self, value: Value, row: u64) {
        let is_last = |(last, of): &(Value, u64)| *of == row && order(last, &value).is_eq();
        if !value.is_null() && !self.waiting.last().is_some_and(is_last) {
            self.owned += value.owned_bytes() as usize;
            self.waiting.push((value, row));
        }
    }

    fn clean(&mut self, is_clean: &impl Fn(u64) -> bool) {
        let Self { by_value, waiting, ordered, owned, .. } = self;
        waiting.retain(|(_, row)| !is_clean(*row));
        *owned = waiting.iter().map(|(value, _)| value.owned_bytes() as usize).sum();
        *ordered = 0;
        by_value.retain(|value, rows| {
            rows.retain(|row| !is_clean(*row));
            *ordered += rows.len();
            *owned += rows.len() * value.0.owned_bytes() as usize;
            !rows.is_empty()
        });
        if waiting.capacity() > 4 * waiting.len() {
            waiting.shrink_to_fit();
        }
    }

    /// The rows with a value between two, some of them twice.
    fn range(&self, low: Bound<Ordered>, high: Bound<Ordered>) -> Vec<u64> {
        let mut rows: Vec<u64> = Vec::new();
        // What compares as equal to a bound may stand beyond it: the same instant in another zone.
        if let Bound::Included(bound) = &low {
            let below = self.by_value.range(..bound).rev();
            rows.extend(below.take_while(|(own, _)| is_same(own, bound)).flat_map(|(_, rows)| rows));
        }
        if let Bound::Included(bound) = &high {
            let above = self.by_value.range((Bound::Excluded(bound), Bound::Unbounded));
            rows.extend(above.take_while(|(own, _)| is_same(own, bound)).flat_map(|(_, rows)| rows));
        }
        rows.extend(self.by_value.range((low, high)).flat_map(|(_, rows)| rows));
        rows
    }

    fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<(Value, u64)>() + self.ordered * ORDERED_BYTES + self.owned
    }
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

    /// A row gets a value; null is none. **Cost**: a hash and a place in a map, whatever the rows of the
    /// value.
    pub(crate) fn insert(&self, value: Value, row: u64) {
        if value.is_null() {
            return;
        }
        let hash = hash_of_value(&value);
        let mut own = self.write();
        match own.by_hash.entry(hash) {
            Entry::Vacant(new) => _ = new.insert(Same::One(row)),
            Entry::Occupied(mut same) => same.get_mut().add(row),
        }
        if let Some(in_order) = &mut own.in_order {
            in_order.wait(value, row);
        }
    }

    /// Forgets the rows of which `is_clean` says that main has their values.
    pub(crate) fn clean(&self, is_clean: impl Fn(u64) -> bool) {
        let mut own = self.write();
        let Rows { by_hash, in_order } = &mut *own;
        by_hash.retain(|_, rows| rows.retain(|row| !is_clean(row)));
        if by_hash.capacity() > 4 * by_hash.len() {
            by_hash.shrink_to_fit();
        }
        match in_order {
            Some(asked) if asked.is_asked.swap(false, Atomic::Relaxed) => asked.clean(&is_clean),
            _ => *in_order = None,
        }
    }

    /// Bytes it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        let own = self.read();
        own.by_hash.capacity() * HASHED_BYTES + own.in_order.as_ref().map_or(0, |all| all.bytes())
    }
}

impl RowsByValue {
    pub(crate) fn new(values: Arc<ValueDelta>, versions: Arc<dyn Versions>, column: u32) -> Self {
        Self { values, versions, column }
    }

    /// Whether it knows what was written before it was made, too.
    pub(crate) fn is_whole(&self) -> bool {
        self.values.is_whole()
    }

    /// Rows that may have a value between two, ascending by row, each once.
    ///
    /// **Cost**: a look-up where one value is asked for; else a search in the tree, into which all goes first
    /// that was written since somebody asked last.
    pub fn range(&self, low: Bound<&Value>, high: Bound<&Value>) -> Vec<u64> {
        let mut rows = match (low, high) {
            (Bound::Included(a), Bound::Included(b)) if stands_alone(a) && order(a, b).is_eq() => {
                self.values.read().of(a).to_vec()
            }
            _ => self.between(low, high),
        };
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn between(&self, low: Bound<&Value>, high: Bound<&Value>) -> Vec<u64> {
        let own = |bound: Bound<&Value>| bound.map(|value| Ordered(value.clone()));
        let (low, high) = (own(low), own(high));
        let is_empty = match (&low, &high) {
            (Bound::Included(a), Bound::Included(b)) => a > b,
            (Bound::Included(a) | Bound::Excluded(a), Bound::Excluded(b) | Bound::Included(b)) => a >= b,
            _ => false,
        };
        if is_empty {
            return Vec::new();
        }
        let mut read = self.values.read();
        if read.in_order.as_ref().is_none_or(|all| !all.waiting.is_empty()) {
            drop(read);
            let mut write = self.values.write();
            write.order(&*self.versions, self.column);
            // Nobody comes between, or who reads might order what others write for ever.
            read = RwLockWriteGuard::downgrade(write);
        }
        let Some(all) = &read.in_order else { return Vec::new() };
        all.is_asked.store(true, Atomic::Relaxed);
        all.range(low, high)
    }

    /// Gives the rows of each of many values, some of them twice; those that stand beside others of the same
    /// kind are told like these by [`Self::range`]. Each comes with its number.
    ///
    /// **Cost**: a look-up for each; a lock for all of them.
    pub fn rows_of_each<'v>(
        &self,
        values: impl Iterator<Item = (u32, &'v Value)>,
        mut each: impl FnMut(u32, u64),
    ) {
        let mut others = Vec::new();
        {
            let read = self.values.read();
            for (number, value) in values {
                if !stands_alone(value) {
                    others.push((number, value));
                } else {
                    read.of(value).iter().for_each(|row| each(number, *row));
                }
            }
        }
        for (number, value) in others {
            let rows = self.range(Bound::Included(value), Bound::Included(value));
            rows.into_iter().for_each(|row| each(number, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use trimorph_base::Random;
    use trimorph_types::Decimal;

    use super::*;

    /// Rows with their values, instead of versions.
    #[derive(Debug, Default)]
    struct Listed(Mutex<Vec<(Value, u64)>>);

    impl Versions for Listed {
        fn values_of(&self, row: u64, _: u32, put: &mut dyn FnMut(Value)) {
            let own = self.0.lock().unwrap();
            own.iter().filter(|(_, of)| *of == row).for_each(|(value, _)| put(value.clone()));
        }
    }

    impl Listed {
        fn insert(&self, values: &RowsByValue, value: Value, row: u64) {
            self.0.lock().unwrap().push((value.clone(), row));
            values.values.insert(value, row);
        }

        fn clean(&self, values: &RowsByValue, is_clean: &dyn Fn(u64) -> bool) {
            self.0.lock().unwrap().retain(|(_, row)| !is_clean(*row));
            values.values.clean(is_clean);
        }

        fn rows(&self, is_it: impl Fn(&Value) -> bool) -> BTreeSet<u64> {
            self.0.lock().unwrap().iter().filter(|(own, _)| is_it(own)).map(|(_, row)| *row).collect()
        }
    }

    #[test]
    fn rows_are_found_by_values_of_any_type() {
        let list = Arc::new(Listed::default());
        let values = RowsByValue::new(Arc::default(), Arc::clone(&list) as _, 0);
        let insert = |value: Value, row| list.insert(&values, value, row);
        let clean = |is_clean: &dyn Fn(u64) -> bool| list.clean(&values, is_clean);
        let put = [
            (Value::Int(1), 3),
            (Value::Float(1.0), 1),
            (Value::string("a"), 2),
            (Value::string("ab"), 4),
            (Value::Null, 5),
            (Value::Int(2), 3),
            (Value::iri("a"), 6),
        ];
        put.into_iter().for_each(|(value, row)| insert(value, row));
        let equal = |value: &Value| values.range(Bound::Included(value), Bound::Included(value));
        assert_eq!(equal(&Value::Int(1)), [1, 3]);
        assert_eq!(equal(&Value::Float(1.0)), [1, 3]);
        assert_eq!((equal(&Value::iri("a")), equal(&Value::string("a"))), (vec![6], vec![2]));
        assert!(values.values.read().in_order.is_none(), "nobody has asked for a range");
        assert_eq!(equal(&Value::Null), []);
        assert_eq!(values.range(Bound::Included(&Value::Int(1)), Bound::Excluded(&Value::Int(2))), [1, 3]);
        assert_eq!(values.range(Bound::Excluded(&Value::Int(2)), Bound::Excluded(&Value::Int(2))), []);
        assert!(values.range(Bound::Included(&Value::string("a")), Bound::Unbounded).contains(&4));
        assert_eq!(values.range(Bound::Included(&Value::Int(2)), Bound::Included(&Value::Int(1))), []);
        clean(&|row| row == 3);
        assert_eq!(equal(&Value::Int(1)), [1]);
        assert_eq!(equal(&Value::Int(2)), []);
        assert!(values.values.bytes() > 0);
        // What came since a range was asked for is in the next one.
        insert(Value::Int(5), 9);
        let from =
            |low: i64| values.range(Bound::Included(&Value::Int(low)), Bound::Included(&Value::Int(9)));
        assert_eq!((from(1), from(3)), (vec![1, 9], vec![9]));
        clean(&|row| row == 9);
        assert_eq!((from(1), from(3), equal(&Value::Int(5))), (vec![1], vec![], vec![]));
        // Who asked keeps the tree until the cleaning after the next.
        insert(Value::Int(6), 1);
        clean(&|_| false);
        assert!(values.values.read().in_order.is_some());
        clean(&|_| false);
        assert!(values.values.read().in_order.is_none());
        assert_eq!((from(1), from(6)), (vec![1], vec![1]));
        clean(&|_| true);
        assert!(values.values.read().by_hash.is_empty() && values.values.bytes() < 200);
    }

    /// Against a list that is gone through.
    #[test]
    fn random_values_are_found_as_in_a_list() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let list = Arc::new(Listed::default());
            let values = RowsByValue::new(Arc::default(), Arc::clone(&list) as _, 0);
            let draw = |random: &mut Random| match random.below(6) {
                0 if random.below(4) == 0 => Value::Decimal(Decimal::from(random.below(6) as i64 - 2)),
                0 => Value::Int(random.below(6) as i64 - 2),
                1 => Value::Float(random.below(12) as f64 / 2.0 - 2.0),
                2 => Value::string(["", "a", "ab", "b"][random.below(4)]),
                3 => Value::Bool(random.below(2) == 0),
                4 => Value::iri(["", "a", "b"][random.below(3)]),
                _ => Value::list(vec![Value::Int(random.below(3) as i64)]),
            };
            for step in 0..60 {
                let context = format!("seed {seed} step {step}");
                let (value, row) = (draw(&mut random), random.below(12) as u64);
                match random.below(10) {
                    0 => {
                        list.clean(&values, &|own| own % 3 == row % 3);
                    }
                    1..4 => {
                        let other = draw(&mut random);
                        let bounds = [Bound::Unbounded, Bound::Included(&value), Bound::Excluded(&value)];
                        let (low, high) = (bounds[random.below(3)], Bound::Included(&other));
                        let above = |own: &Value| match low {
                            Bound::Unbounded => true,
                            Bound::Included(low) => order(own, low).is_ge(),
                            Bound::Excluded(low) => order(own, low).is_gt(),
                        };
                        let is_in = |own: &Value| above(own) && order(own, &other).is_le();
                        let wanted = list.rows(is_in);
                        assert_eq!(values.range(low, high), Vec::from_iter(wanted), "{context}");
                    }
                    _ => {
                        list.insert(&values, value.clone(), row);
                    }
                }
                let mut found = BTreeSet::new();
                values.rows_of_each([(7, &value)].into_iter(), |number, row| _ = found.insert((number, row)));
                let same = list.rows(|own| order(own, &value).is_eq());
                assert_eq!(found, same.into_iter().map(|row| (7, row)).collect(), "{context}");
                assert_eq!(
                    values.values.read().by_hash.is_empty(),
                    list.rows(|_| true).is_empty(),
                    "{context}"
                );
            }
        }
    }
}
