//! What a walk holds of the query's budget: charged before the bytes are allocated, released when dropped.
//!
//! Arenas grow by doubling, so that the common case is one comparison. While an arena moves, its old and its new place are both held.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use trimorph_base::Reservation;

use crate::{Context, ExecError};

/// The first capacity of an arena.
const CAPACITY_MIN: usize = 16;

/// Bytes held, none before the first charge.
#[derive(Default)]
pub(super) struct Charge(Option<Reservation>);

impl Charge {
    fn reservation(&mut self, cx: &Context<'_>) -> &mut Reservation {
        self.0.get_or_insert_with(|| cx.settings.budget.reservation())
    }

    /// Holds `bytes` or more.
    #[inline]
    pub(super) fn at_least(&mut self, bytes: usize, cx: &Context<'_>) -> Result<(), ExecError> {
        let held = self.0.as_ref().map_or(0, Reservation::bytes);
        if bytes > held {
            self.reservation(cx).resize(bytes.max(held.saturating_mul(2)))?;
        }
        Ok(())
    }

    /// Makes room for `more` elements in one of the vectors that this charge is for.
    #[inline]
    pub(super) fn room<T>(
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

    /// Makes room for one entry in the map that this charge is for, and for nothing else: a map's capacity says what it takes only
    /// after it has grown.
    #[inline]
    pub(super) fn room_in_map<K: Eq + Hash, V>(
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
        // A bucket is an entry and a byte of its hash; seven of eight are used.
        let bytes = |capacity: usize| (capacity / 7 * 8).saturating_mul(size_of::<(K, V)>() + 1);
        let more = map.len().max(CAPACITY_MIN);
        let held = self.reservation(cx);
        held.grow(bytes(map.len() + more))?;
        map.reserve(more);
        held.resize(bytes(map.capacity()))?;
        Ok(())
    }
}
