//! Directory: things by their number, put in, taken out and put in again while others look them up.
//!
//! Places come in chunks that double and never move. **Cost** of a look-up: a lock that nobody else holds as
//! a rule, and a count: some 10 ns, so whoever reads many things of one place looks it up once.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Places in the first chunk.
const FIRST: u64 = 16;
const CHUNKS: usize = 40;

type Slot<T> = RwLock<Option<Arc<T>>>;

/// Things by their number.
#[derive(Debug)]
pub(crate) struct Directory<T> {
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
}

impl<T> Default for Directory<T> {
    fn default() -> Self {
        Self { chunks: std::array::from_fn(|_| OnceLock::new()) }
    }
}

impl<T> Directory<T> {
    /// Chunk and place of a number; none of one too large for any row.
    fn place(number: u64) -> Option<(usize, usize)> {
        let shifted = number.checked_add(FIRST)?;
        let chunk = (shifted.ilog2() - FIRST.ilog2()) as usize;
        let at = usize::try_from(shifted - (FIRST << chunk.min(CHUNKS))).ok()?;
        (chunk < CHUNKS).then_some((chunk, at))
    }

    fn slot(&self, number: u64) -> Option<&Slot<T>> {
        let (chunk, at) = Self::place(number)?;
        self.chunks[chunk].get()?.get(at)
    }

    /// What is there.
    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<Arc<T>> {
        self.slot(number)?.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All that is there, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, Arc<T>)> {
        let numbers = (0..CHUNKS).filter(|chunk| self.chunks[*chunk].get().is_some()).flat_map(|chunk| {
            let first = (FIRST << chunk) - FIRST;
            first..first + (FIRST << chunk)
        });
        numbers.filter_map(|number| Some((number, self.get(number)?)))
    }

    /// What is there, made if nothing is. None only of a number that no row has.
    pub(crate) fn get_or_make(&self, number: u64, make: impl FnOnce() -> T) -> Option<Arc<T>> {
        if let Some(there) = self.get(number) {
            return Some(there);
        }
        let (chunk, at) = Self::place(number)?;
        let slots =
            self.chunks[chunk].get_or_init(|| (0..FIRST << chunk).map(|_| RwLock::default()).collect());
        let mut slot = slots.get(at)?.write().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(slot.get_or_insert_with(|| Arc::new(make()))))
    }

    /// Puts something there, or nothing.
    pub(crate) fn set(&self, number: u64, thing: Option<Arc<T>>) {
        let Some((chunk, at)) = Self::place(number) else { return };
        if thing.is_none() && self.chunks[chunk].get().is_none() {
            return;
        }
        let slots =
            self.chunks[chunk].get_or_init(|| (0..FIRST << chunk).map(|_| RwLock::default()).collect());
        if let Some(slot) = slots.get(at) {
            *slot.write().unwrap_or_else(PoisonError::into_inner) = thing;
        }
    }
}
