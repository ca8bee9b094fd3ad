//! What an operator holds of the query's budget: charged before the bytes are allocated, released when
//! dropped.
//!
//! Arenas grow by doubling, so that the common case is one comparison. While an arena moves, its old and its
//! new place are both held.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use trimorph_base::Reservation;

use crate::{Context, ExecError};

/// The first capacity of an arena.
const CAPACITY_MIN: usize = 16;

/// Bytes held, none before the first charge.
#[derive(Default)]
pub(crate) struct Charge(Option<Reservation>);

impl Charge {
    fn reservation(&mut self, cx: &Context<'_>) -> &mut Reservation {
        self.0.get_or_insert_with(|| cx.settings.budget.reservation())
    }

    /// Holds `bytes` or more.
    #[inline]
    pub(crate) fn at_least(&mut self, bytes: usize, cx: &Context<'_>) -> Result<(), ExecError> {
        let held = self.0.as_ref().map_or(0, Reservation::bytes);
        if bytes > held {
            self.reservation(cx).resize(bytes.max(held.saturating_mul(2)))?;
        }
        Ok(())
    }

    /// Makes room for `more` elements in one of the vectors that this charge is for.
    #[inline]
    pub(crate) fn room<T>(
        &mut self,
        vec: &mut Vec<T>,
        more: usize,
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        if vec.capacity() - vec.len() >= more { Ok(()) } else { self.grow(vec, more, cx) }
    }

    #[cold]
    fn grow<T>(&mut self, vec: &mut Vec<T>, more: usize, cx: &Context<'_>) -> Result<(), ExecError> {
        let old = vec.capacity();
        let new = (vec.len() + more).max(old * 2).max(CAPACITY_MIN);
        let held = self.reservation(cx);
        held.grow(new.saturating_mul(size_of::<T>()))?;
        vec.reserve_exact(new - vec.len());
        held.resize(held.bytes() - old * size_of::<T>())?;
        Ok(())
    }

    /// Makes room for one entry in the map that this charge is for, and for nothing else: a map's capacity
    /// says what it takes only after it has grown.
    #[inline]
    pub(crate) fn room_in_map<K: Eq + Hash, V>(
        &mut self,
        map: &mut FxHashMap<K, V>,
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        if map.len() < map.capacity() { Ok(()) } else { self.grow_map(map, cx) }
    }

    #[cold]
    fn grow_map<K: Eq + Hash, V>(
        &mut self,
        map: &mut FxHashMap<K, V>,
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        let more = map.len().max(CAPACITY_MIN);
        let held = self.reservation(cx);
        held.grow(table_bytes::<(K, V)>(map.len() + more))?;
        map.reserve(more);
        held.resize(table_bytes::<(K, V)>(map.capacity()))?;
        Ok(())
    }
}

/// Bytes of a hash table of entries `T` that has this capacity: a bucket is an entry and a byte of its hash;
/// seven of eight are used.
pub(crate) fn table_bytes<T>(capacity: usize) -> usize {
    capacity.div_ceil(7).saturating_mul(8 * (size_of::<T>() + 1))
}

/// Bytes that a hash table allocates before `more` entries can come, if it does: the old ones are given back
/// when entries have moved. A table without entries is left out: what it takes first is small, and most are
/// never used.
pub(crate) fn table_growth_bytes<T>(len: usize, capacity: usize, more: usize) -> usize {
    let room = len == 0 || capacity - len >= more;
    let buckets = || ((len + more).max(capacity + 1) * 8).div_ceil(7).next_power_of_two();
    if room { 0 } else { buckets().saturating_mul(size_of::<T>() + 1) }
}

/// The same for a vector.
pub(crate) fn vec_growth_bytes(len: usize, capacity: usize, more: usize, width: usize) -> usize {
    if capacity - len >= more { 0 } else { (len + more).max(capacity * 2).saturating_mul(width) }
}
