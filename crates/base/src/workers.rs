//! Takes work that may go on in several places at once, does it on the caller's thread and on threads that
//! have nothing to do meanwhile.
//!
//! 1. the caller offers so many *places* and goes on with its own part
//! 2. it opens the offer at once, or when its part turns out to take time: threads that are free are woken
//!    then and take places; what runs there shares the work with the caller (morsels)
//! 3. once the caller's part is done, places that nobody took are withdrawn; for those that were, it waits
//!
//! So nobody waits for a thread to start, and nothing depends on threads coming: with all of them busy, or
//! after a fork, the caller does everything. An offer that was not opened has cost no system call. Threads
//! sleep while there are no offers, and end with the last handle.
#![expect(unsafe_code, reason = "work on other threads borrows from the caller, who waits for it")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// What runs in a place, given its number.
type Help<'a> = dyn Fn(usize) + Sync + 'a;

/// Work with places. It is gone from the list before what it borrows is.
struct Offer {
    id: u64,
    help: &'static Help<'static>,
    /// Places taken so far, of so many.
    taken: usize,
    places: usize,
    /// Whether places may be taken yet.
    is_open: bool,
    /// Threads that are at it.
    running: usize,
    /// Places whose work panicked.
    lost: usize,
}

impl Offer {
    fn is_free(&self) -> bool {
        self.is_open && self.taken < self.places
    }
}

#[derive(Default)]
struct State {
    offers: Vec<Offer>,
    next_id: u64,
    threads: Vec<JoinHandle<()>>,
    /// Threads that may be waiting for what another one makes: in their place as many more may run.
    waiting: usize,
    closing: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// An offer has come, or the end.
    offered: Condvar,
    /// A thread has done its part of an offer.
    done: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What each thread does.
    fn serve(&self) {
        let mut state = self.lock();
        while !state.closing {
            let Some(offer) = state.offers.iter_mut().find(|offer| offer.is_free()) else {
                state = self.offered.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let (id, help, place) = (offer.id, offer.help, offer.taken);
            (offer.taken, offer.running) = (place + 1, offer.running + 1);
            drop(state);
            let lost = catch_unwind(AssertUnwindSafe(|| help(place))).is_err();
            state = self.lock();
            if let Some(offer) = state.offers.iter_mut().find(|offer| offer.id == id) {
                offer.running -= 1;
                offer.lost += usize::from(lost);
            }
            self.done.notify_all();
        }
    }
}

/// The threads, ended with the last handle.
#[derive(Default)]
struct Threads {
    shared: Arc<Shared>,
}

impl Drop for Threads {
    fn drop(&mut self) {
        if is_forked() {
            return;
        }
        let mut state = self.shared.lock();
        state.closing = true;
        let threads = std::mem::take(&mut state.threads);
        drop(state);
        self.shared.offered.notify_all();
        for thread in threads {
            // The last handle may go with what one of them has freed.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

/// Whether this process is a child without the threads of the one that loaded this code.
fn is_forked() -> bool {
    static FIRST: OnceLock<u32> = OnceLock::new();
    *FIRST.get_or_init(std::process::id) != std::process::id()
}

/// A handle to threads that help. Threads are started when they are first asked for.
#[derive(Clone, Default)]
pub struct Workers(Arc<Threads>);

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}

/// An offer that stands; withdrawn when it is dropped.
struct Standing<'w> {
    shared: &'w Shared,
    id: u64,
}

impl Standing<'_> {
    /// Withdraws it and waits for those who took a place; gives how many of these panicked.
    fn withdraw(&self) -> usize {
        let mut state = self.shared.lock();
        loop {
            let Some(at) = state.offers.iter().position(|offer| offer.id == self.id) else { return 0 };
            let offer = &mut state.offers[at];
            offer.places = offer.taken;
            if offer.running == 0 {
                return state.offers.swap_remove(at).lost;
            }
            state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Standing<'_> {
    fn drop(&mut self) {
        self.withdraw();
    }
}

/// While it lives, one more thread waits, or one less.
struct Waiting<'w> {
    workers: &'w Workers,
    more: bool,
}

impl<'w> Waiting<'w> {
    fn new(workers: &'w Workers, more: bool) -> Self {
        workers.count_waiting(more);
        Self { workers, more }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.workers.count_waiting(!self.more);
    }
}

/// Opens an offer: at once, or later. It may outlive the offer, and then opens nothing.
#[derive(Debug)]
pub struct Opening {
    workers: Workers,
    /// None for an offer that has no places.
    id: Option<u64>,
    /// When it is to be opened, if it is known.
    due: Option<Instant>,
}

impl Opening {
    /// Opens it.
    pub fn now(&self) {
        if let Some(id) = self.id {
            self.workers.open(id);
        }
    }

    /// The same, to be opened by [`Self::if_due`] once so much time has passed.
    #[must_use]
    pub fn after(self, patience: Duration) -> Self {
        Self { due: Some(Instant::now() + patience), ..self }
    }

    /// Opens it if the time has come; gives whether it had.
    ///
    /// **Cost**: a look at the clock.
    pub fn if_due(&self) -> bool {
        let is_due = self.due.is_none_or(|due| Instant::now() >= due);
        if is_due {
            self.now();
        }
        is_due
    }
}

impl Workers {
    /// Counts one more thread that waits, or one less.
    fn count_waiting(&self, more: bool) {
        if !is_forked() {
            let waiting = &mut self.0.shared.lock().waiting;
            *waiting = if more { *waiting + 1 } else { waiting.saturating_sub(1) };
        }
    }

    /// Calls `own`, and, from when that opens the offer which it is given, `help` on other threads, at most
    /// once with each number below `places`: with those that threads were free for. When this returns,
    /// nothing of it runs any more. Gives what `own` gave, and how many calls of `help` panicked.
    ///
    /// Offers may be made within `own` and `help`.
    ///
    /// **Cost**: of an open offer, some microseconds a place for waking a thread, and as long again to wait
    /// for it at the end; 20 to start one, once.
    pub fn share<T>(
        &self,
        places: usize,
        help: &(dyn Fn(usize) + Sync),
        own: impl FnOnce(Opening) -> T,
    ) -> (T, usize) {
        if places == 0 || is_forked() {
            return (own(Opening { workers: self.clone(), id: None, due: None }), 0);
        }
        // SAFETY: nobody calls `help` after this function: an offer is only called while it is in the list
        // and counted as running, and `standing`, which goes before `help` does, also when `own` panics,
        // takes it off the list once nobody runs it.
        let help: &'static Help<'static> = unsafe { std::mem::transmute::<&Help<'_>, &Help<'static>>(help) };
        let standing = self.offer(places, help);
        let made = own(Opening { workers: self.clone(), id: Some(standing.id), due: None });
        let lost = standing.withdraw();
        (made, lost)
    }

    fn offer(&self, places: usize, help: &'static Help<'static>) -> Standing<'_> {
        let shared = &*self.0.shared;
        let mut state = shared.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.offers.push(Offer { id, help, taken: 0, places, is_open: false, running: 0, lost: 0 });
        Standing { shared, id }
    }

    /// Lets the places of an offer be taken, if it still stands.
    fn open(&self, id: u64) {
        let shared = &self.0.shared;
        let mut state = shared.lock();
        let Some(offer) = state.offers.iter_mut().find(|offer| offer.id == id && !offer.is_open) else {
            return;
        };
        offer.is_open = true;
        let places = offer.places;
        while state.threads.len() < places + state.waiting {
            let shared = Arc::clone(shared);
            let thread = Builder::new().name("trimorph worker".into()).spawn(move || shared.serve());
            // Without it there are fewer to help.
            let Ok(thread) = thread else { break };
            state.threads.push(thread);
        }
        drop(state);
        (0..places).for_each(|_| shared.offered.notify_one());
    }

    /// What is in `cell`, made by `make` if nothing is yet. Those who wait for another to make it leave their
    /// place to threads that help with that.
    pub fn once<'c, T>(&self, cell: &'c OnceLock<T>, make: impl FnOnce() -> T) -> &'c T {
        if let Some(made) = cell.get() {
            return made;
        }
        let _waits = Waiting::new(self, true);
        cell.get_or_init(|| {
            let _works = Waiting::new(self, false);
            make()
        })
    }

    /// How many threads there are.
    #[cfg(test)]
    fn count(&self) -> usize {
        self.0.shared.lock().threads.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts to `most`, in several places.
    fn count_to(most: usize, next: &AtomicUsize, seen: &AtomicUsize) {
        while next.fetch_add(1, Ordering::Relaxed) < most {
            seen.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn wait(barrier: &Barrier) {
        barrier.wait();
    }

    /// Waits for those who are called.
    fn call(offer: &Opening, barrier: &Barrier) {
        offer.now();
        barrier.wait();
    }

    #[test]
    fn all_of_the_work_is_done_once() {
        let workers = Workers::default();
        for most in [0, 1, 2, 100] {
            let (next, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let help = |_| count_to(most, &next, &seen);
            let ((), lost) = workers.share(3, &help, |offer| {
                offer.now();
                count_to(most, &next, &seen);
            });
            assert_eq!((seen.load(Ordering::Relaxed), lost), (most, 0));
        }
        assert_eq!(workers.count(), 3);
    }

    #[test]
    fn places_run_at_the_same_time() {
        let workers = Workers::default();
        let barrier = Barrier::new(4);
        let places = Mutex::new(Vec::new());
        let help = |place| {
            places.lock().unwrap().push(place);
            barrier.wait();
        };
        workers.share(3, &help, |offer| {
            offer.now();
            barrier.wait();
        });
        let mut places = places.into_inner().unwrap();
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2]);
    }

    #[test]
    fn nobody_comes_before_an_offer_is_open() {
        let workers = Workers::default();
        let (called, help) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let come = |_| _ = help.fetch_add(1, Ordering::Relaxed);
        for _ in 0..10 {
            let kept = workers.share(2, &come, |offer| {
                let offer = offer.after(Duration::from_secs(3600));
                called.fetch_add(usize::from(offer.if_due()), Ordering::Relaxed);
                offer
            });
            // It is over: there is nothing to open.
            kept.0.now();
        }
        assert_eq!((called.into_inner(), help.into_inner(), workers.count()), (0, 0, 0));
    }

    #[test]
    fn an_offer_is_open_once_it_is_due() {
        let (workers, barrier) = (Workers::default(), Barrier::new(2));
        workers.share(1, &|_| wait(&barrier), |offer| {
            let offer = offer.after(Duration::from_millis(1));
            while !offer.if_due() {
                std::thread::yield_now();
            }
            barrier.wait();
        });
    }

    #[test]
    fn a_panic_is_told_and_harms_nobody_else() {
        let workers = Workers::default();
        let barrier = Barrier::new(2);
        let help = |_| {
            barrier.wait();
            panic!("on purpose");
        };
        assert_eq!(workers.share(1, &help, |offer| call(&offer, &barrier)).1, 1);
        let barrier = Barrier::new(2);
        assert_eq!(workers.share(1, &|_| wait(&barrier), |offer| call(&offer, &barrier)), ((), 0));
    }

    #[test]
    fn a_panic_of_the_caller_waits_for_the_others() {
        let workers = Workers::default();
        let (barrier, ended) = (Barrier::new(2), AtomicUsize::new(0));
        let help = |_| {
            barrier.wait();
            ended.fetch_add(1, Ordering::Relaxed);
        };
        let shared = catch_unwind(AssertUnwindSafe(|| {
            workers.share(1, &help, |offer| {
                call(&offer, &barrier);
                panic!("on purpose");
            })
        }));
        assert!(shared.is_err());
        assert_eq!(ended.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn offers_within_offers_and_from_many_threads_end() {
        let workers = Workers::default();
        let seen = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let next = AtomicUsize::new(0);
                        let work = || {
                            while next.fetch_add(1, Ordering::Relaxed) < 5 {
                                let inner = AtomicUsize::new(0);
                                let within = || count_to(7, &inner, &seen);
                                workers.share(2, &|_| within(), |offer| {
                                    offer.now();
                                    within();
                                });
                            }
                        };
                        workers.share(2, &|_| work(), |offer| {
                            offer.now();
                            work();
                        });
                    }
                });
            }
        });
        assert_eq!(seen.load(Ordering::Relaxed), 4 * 10 * 5 * 7);
        assert_eq!(workers.count(), 2);
    }

    #[test]
    fn who_waits_for_another_leaves_its_place() {
        let workers = Workers::default();
        let (cell, began, inner) = (OnceLock::new(), Barrier::new(2), Barrier::new(2));
        let make = || {
            began.wait();
            // The other one waits for this, and yet somebody helps.
            while workers.0.shared.lock().waiting == 0 {
                std::thread::yield_now();
            }
            workers.share(1, &|_| wait(&inner), |offer| call(&offer, &inner));
            7
        };
        let asks = |first: bool| {
            if !first {
                began.wait();
            }
            assert_eq!(workers.once(&cell, || if first { make() } else { 8 }), &7);
        };
        workers.share(1, &|_| asks(false), |offer| {
            offer.now();
            asks(true);
        });
        assert_eq!((workers.count(), workers.0.shared.lock().waiting), (2, 0));
    }

    #[test]
    fn threads_end_with_the_last_handle() {
        let workers = Workers::default();
        let shared = Arc::downgrade(&workers.0.shared);
        let other = workers.clone();
        workers.share(2, &|_| (), |offer| offer.now());
        drop(workers);
        assert_eq!(other.count(), 2);
        drop(other);
        assert!(shared.upgrade().is_none());
    }
}
