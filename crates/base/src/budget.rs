//! Memory budget: every allocation of a query that grows with its data is charged here first.
//!
//! Over budget is an error of the query that asked, never an abort (design §3, "Memory"). A budget may have a
//! parent (the database's), charged along with it.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Gives back memory that nobody needs at once.
pub trait Reclaim: Send + Sync + fmt::Debug {
    /// Releases at least `bytes` of what it charged, if it can; gives how many it did.
    fn reclaim(&self, bytes: usize) -> usize;
}

#[derive(Debug)]
struct Inner {
    /// Who is asked before a charge is refused.
    reclaim: Mutex<Vec<Weak<dyn Reclaim>>>,
    used_bytes: AtomicUsize,
    peak_bytes: AtomicUsize,
    limit_bytes: usize,
    parent: Option<MemoryBudget>,
}

/// A shared count of bytes with a limit.
#[derive(Clone, Debug)]
pub struct MemoryBudget(Arc<Inner>);

/// A charge that did not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverBudget {
    /// Bytes asked for.
    pub asked_bytes: usize,
    /// Bytes in use when asked.
    pub used_bytes: usize,
    /// The limit.
    pub limit_bytes: usize,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "memory limit exceeded: {} bytes asked for with {} of {} in use",
            self.asked_bytes, self.used_bytes, self.limit_bytes
        )
    }
}

impl std::error::Error for OverBudget {}

impl MemoryBudget {
    /// A budget of `limit_bytes`, under `parent` if there is one.
    pub fn new(limit_bytes: usize, parent: Option<Self>) -> Self {
        Self(Arc::new(Inner {
            reclaim: Mutex::default(),
            used_bytes: AtomicUsize::new(0),
            peak_bytes: AtomicUsize::new(0),
            limit_bytes,
            parent,
        }))
    }

    /// A budget that only counts.
    pub fn unlimited() -> Self {
        Self::new(usize::MAX, None)
    }

    /// Has `reclaim` asked before a charge is refused here or further up, after those that were named before.
    pub fn reclaim_from(&self, reclaim: &Weak<dyn Reclaim>) {
        let mut all = self.0.reclaim.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() > 0);
        all.push(Weak::clone(reclaim));
        drop(all);
        if let Some(parent) = &self.0.parent {
            parent.reclaim_from(reclaim);
        }
    }

    /// Asks who can do without some of what he charged for `bytes` of it; gives how many came back.
    fn reclaim(&self, bytes: usize) -> usize {
        // Nobody is asked while it is locked: who gives something back may charge something else.
        let all = self.0.reclaim.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut back = 0;
        for reclaim in all.iter().filter_map(Weak::upgrade) {
            if back < bytes {
                back += reclaim.reclaim(bytes - back);
            }
        }
        back
    }

    /// Charges `bytes`, or says why not and charges nothing. What others can do without goes first.
    pub fn charge(&self, bytes: usize) -> Result<(), OverBudget> {
        self.charge_leaving(bytes, 0)
    }

    /// Charges `bytes` if `spare` more are free beside them, which stay free: others may have them at once.
    pub fn charge_leaving(&self, bytes: usize, spare: usize) -> Result<(), OverBudget> {
        // Nothing always fits.
        if bytes == 0 && spare == 0 {
            return Ok(());
        }
        let wanted = bytes.saturating_add(spare);
        while let Err(over) = self.try_charge(bytes, wanted) {
            // As much as is missing; others may take it meanwhile.
            let missing = over.used_bytes.saturating_add(wanted).saturating_sub(self.0.limit_bytes);
            if self.reclaim(missing) == 0 {
                return Err(over);
            }
        }
        if let Some(parent) = &self.0.parent
            && let Err(over) = parent.charge_leaving(bytes, spare)
        {
            self.0.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(over);
        }
        self.0.peak_bytes.fetch_max(self.used_bytes(), Ordering::Relaxed);
        Ok(())
    }

    /// Charges this budget alone, if so much is free. What is refused is never counted: others would be
    /// refused for it.
    fn try_charge(&self, bytes: usize, wanted: usize) -> Result<(), OverBudget> {
        let limit_bytes = self.0.limit_bytes;
        let fits =
            |used: usize| (used.saturating_add(wanted) <= limit_bytes).then(|| used.wrapping_add(bytes));
        let tried = self.0.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        tried.map(drop).map_err(|used_bytes| OverBudget { asked_bytes: bytes, used_bytes, limit_bytes })
    }

    /// The most that may be charged.
    pub fn limit_bytes(&self) -> usize {
        self.0.limit_bytes
    }

    /// Gives back what was charged.
    pub fn release(&self, bytes: usize) {
        self.0.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(parent) = &self.0.parent {
            parent.release(bytes);
        }
    }

    /// Bytes charged now.
    pub fn used_bytes(&self) -> usize {
        self.0.used_bytes.load(Ordering::Relaxed)
    }

    /// The most that was ever charged.
    pub fn peak_bytes(&self) -> usize {
        self.0.peak_bytes.load(Ordering::Relaxed)
    }

    /// An empty reservation that gives everything back when dropped.
    pub fn reservation(&self) -> Reservation {
        Reservation { budget: self.clone(), bytes: 0 }
    }
}

/// Bytes held from a budget until dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: MemoryBudget,
    bytes: usize,
}

impl Reservation {
    /// Holds `bytes` more.
    pub fn grow(&mut self, bytes: usize) -> Result<(), OverBudget> {
        self.budget.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Holds `bytes` more, if `spare` more are free beside them, which stay free.
    pub fn grow_leaving(&mut self, bytes: usize, spare: usize) -> Result<(), OverBudget> {
        self.budget.charge_leaving(bytes, spare)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Makes the reservation `bytes` large; where that is more, only if `spare` more are free beside them.
    pub fn resize_leaving(&mut self, bytes: usize, spare: usize) -> Result<(), OverBudget> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.grow_leaving(more, spare),
            None => self.resize(bytes),
        }
    }

    /// Makes the reservation `bytes` large, charging or releasing the difference.
    #[inline]
    pub fn resize(&mut self, bytes: usize) -> Result<(), OverBudget> {
        match bytes.checked_sub(self.bytes) {
            Some(0) => Ok(()),
            Some(more) => self.grow(more),
            None => {
                self.budget.release(self.bytes - bytes);
                self.bytes = bytes;
                Ok(())
            }
        }
    }

    /// The budget that they are held from.
    pub fn budget(&self) -> &MemoryBudget {
        &self.budget
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives back what it has, once.
    #[derive(Debug)]
    struct Cache(Mutex<Option<Reservation>>);

    impl Reclaim for Cache {
        fn reclaim(&self, _bytes: usize) -> usize {
            let held = self.0.lock().unwrap().take();
            held.map_or(0, |held| held.bytes())
        }
    }

    #[test]
    fn what_is_left_free_is_there_and_not_held() {
        let parent = MemoryBudget::new(1_000, None);
        let budget = MemoryBudget::new(usize::MAX, Some(parent.clone()));
        let mut held = budget.reservation();
        held.grow_leaving(600, 400).unwrap();
        assert_eq!((held.bytes(), parent.used_bytes()), (600, 600));
        let refused = held.grow_leaving(1, 400).unwrap_err();
        assert_eq!((refused.asked_bytes, refused.used_bytes, refused.limit_bytes), (1, 600, 1_000));
        assert_eq!((held.bytes(), budget.used_bytes(), parent.used_bytes()), (600, 600, 600));
        // Others may have it, who takes no more needs none, and less is always had.
        let mut other = parent.reservation();
        other.grow(400).unwrap();
        held.resize_leaving(600, 0).unwrap();
        assert!(held.resize_leaving(600, 1).is_err());
        held.resize_leaving(500, 1_000).unwrap();
        assert_eq!(parent.used_bytes(), 900);
    }

    #[test]
    fn what_others_can_do_without_makes_room_for_what_is_left_free() {
        let budget = MemoryBudget::new(1_000, None);
        let mut cached = budget.reservation();
        cached.grow(700).unwrap();
        let cache: Arc<dyn Reclaim> = Arc::new(Cache(Mutex::new(Some(cached))));
        budget.reclaim_from(&Arc::downgrade(&cache));
        let mut held = budget.reservation();
        held.grow_leaving(100, 200).unwrap();
        assert_eq!(budget.used_bytes(), 800);
        held.grow_leaving(100, 200).unwrap();
        assert_eq!(budget.used_bytes(), 200);
        assert!(held.grow_leaving(700, 200).is_err());
        assert_eq!(budget.peak_bytes(), 800);
    }
}
