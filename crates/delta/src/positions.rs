//! Positions of new edges in the pages of one edge table: takes a page and what main has there, gives a
//! position that no edge has.
//!
//! A page is known here from its first change on: what main has there is asked once, before that. Positions
//! of edges that went come back when nobody can see these any more.

use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use trimorph_base::PAGE_ROWS;

/// Maps that pages are spread over.
const SHARDS: usize = 16;

/// Positions of a page that nobody has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreePositions {
    /// All from here on.
    pub end: u64,
    /// Those below.
    pub holes: Vec<u64>,
}

/// Stands at the end of a page of which a log told positions that were given: main may have others behind
/// them, and holes before them may have been taken.
pub(crate) const RESTORED: u64 = 1 << 63;

/// Positions that can be given, by page.
#[derive(Debug, Default)]
pub struct Positions {
    free: [Mutex<FxHashMap<u64, FreePositions>>; SHARDS],
    /// Holes that all pages have room for: who asks for bytes looks at no page.
    holes: AtomicUsize,
}

impl Positions {
    /// What is known of a page, asked of main if nobody has; nothing, and nothing remembered, where main does
    /// not tell.
    fn known(
        shard: &mut FxHashMap<u64, FreePositions>,
        page: u64,
        main: impl FnOnce() -> Option<FreePositions>,
    ) -> Option<&mut FreePositions> {
        match shard.entry(page) {
            Entry::Vacant(new) => Some(new.insert(main()?)),
            Entry::Occupied(known) => {
                let known = known.into_mut();
                if known.end & RESTORED != 0 {
                    let (given, main) = (known.end & !RESTORED, main()?);
                    known.holes.extend(main.holes.into_iter().filter(|hole| *hole >= given));
                    known.end = given.max(main.end);
                }
                Some(known)
            }
        }
    }

    /// A page had room for so many holes before, and has for these now.
    fn note_room(&self, before: usize, free: &FreePositions) {
        let now = free.holes.capacity();
        if now != before {
            self.holes.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
        }
    }

    pub(crate) fn shard(&self, page: u64) -> MutexGuard<'_, FxHashMap<u64, FreePositions>> {
        self.free[page as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A position of a page that nobody has. Where main has a vertex column, `wanted` is the row's own: it is
    /// given if it is free, else one that is no row's, behind those of all rows. `main` tells what is free in
    /// main; where it cannot, none is given.
    pub fn take(
        &self,
        page: u64,
        wanted: Option<u64>,
        main: impl FnOnce() -> Option<FreePositions>,
    ) -> Option<u64> {
        let mut shard = self.shard(page);
        let before = room_of(&shard, page);
        let free = Self::known(&mut shard, page, main)?;
        let hole = match wanted {
            None => free.holes.pop(),
            Some(wanted) => {
                // Those of the page's rows are theirs, whether any was given so far or not.
                free.holes.extend(free.end..PAGE_ROWS);
                free.end = free.end.max(PAGE_ROWS);
                let own = free.holes.iter().position(|hole| *hole == wanted);
                let at = own.or_else(|| free.holes.iter().position(|hole| *hole >= PAGE_ROWS));
                at.map(|at| free.holes.swap_remove(at))
            }
        };
        self.note_room(before, free);
        Some(hole.unwrap_or_else(|| {
            free.end += 1;
            free.end - 1
        }))
    }

    /// An edge of the page is about to go. `false` where main cannot tell what is free there.
    #[must_use]
    pub fn touch(&self, page: u64, main: impl FnOnce() -> Option<FreePositions>) -> bool {
        let mut shard = self.shard(page);
        let before = room_of(&shard, page);
        let known = Self::known(&mut shard, page, main);
        known.map(|free| self.note_room(before, free)).is_some()
    }

    /// Nobody can see the edge any more that had a position.
    pub fn give_back(&self, page: u64, position: u64) {
        if let Some(free) = self.shard(page).get_mut(&page) {
            debug_assert!(position < free.end && !free.holes.contains(&position));
            let before = free.holes.capacity();
            free.holes.push(position);
            if free.holes.len() as u64 == free.end {
                *free = FreePositions::default();
            }
            self.note_room(before, free);
        }
    }

    /// Bytes it holds. **Cost**: a few locks.
    pub fn bytes(&self) -> usize {
        let shard = |shard: &Mutex<FxHashMap<u64, FreePositions>>| {
            shard.lock().unwrap_or_else(PoisonError::into_inner).capacity() * 41 * 8 / 7
        };
        self.free.iter().map(shard).sum::<usize>() + self.holes.load(Ordering::Relaxed) * 8
    }
}

/// The holes that a page has room for.
fn room_of(shard: &FxHashMap<u64, FreePositions>, page: u64) -> usize {
    shard.get(&page).map_or(0, |free| free.holes.capacity())
}
