//! Threads that are at work, and forks of the process: a child has none of its parent's threads, so what one
//! of them held a lock of when the process was forked, the child waits for without end.
//!
//! 1. Whoever may hold a lock says so ([`at_work`]): statements, and threads that nobody waits for.
//! 2. Who is about to fork ([`before_fork`]) lets none begin, and waits until those at work are done.
//! 3. Where one takes too long, the process is forked all the same; the child knows it ([`is_unsure`]) and
//!    leaves alone what its parent had.
//!
//! Nobody waits for long: a fork is held up for a while at most, and who is to begin until it is over.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Threads at work.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);
/// Threads that are about to fork.
static FORKING: AtomicUsize = AtomicUsize::new(0);
/// This is a child, and somebody was at work when it was forked.
static IS_UNSURE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// How often this thread has begun and not ended.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Whether nobody else was at work when this thread was about to fork.
    static IS_QUIET: Cell<bool> = const { Cell::new(true) };
}

/// How long who waits sleeps between two looks.
const LOOK_AGAIN: Duration = Duration::from_micros(100);

/// As long as it lives, its thread may hold locks.
#[derive(Debug)]
#[must_use]
pub struct AtWork {
    /// It is this thread's.
    _own: PhantomData<*const ()>,
}

/// This thread is at work until what is given is dropped. Waits while somebody forks, unless it is at work
/// already. **Cost**: two atomic additions.
pub fn at_work() -> AtWork {
    let depth = DEPTH.get();
    DEPTH.set(depth + 1);
    if depth == 0 {
        AT_WORK.fetch_add(1, Ordering::SeqCst);
        // Of the two, who forks sees this thread, or this thread sees that somebody forks.
        while FORKING.load(Ordering::SeqCst) > 0 {
            AT_WORK.fetch_sub(1, Ordering::SeqCst);
            while FORKING.load(Ordering::SeqCst) > 0 {
                std::thread::sleep(LOOK_AGAIN);
            }
            AT_WORK.fetch_add(1, Ordering::SeqCst);
        }
    }
    AtWork { _own: PhantomData }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let depth = DEPTH.get().saturating_sub(1);
        DEPTH.set(depth);
        if depth == 0 {
            AT_WORK.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// This thread itself, if it is at work.
fn own() -> usize {
    usize::from(DEPTH.get() > 0)
}

/// This thread is about to fork: waits until no other is at work, for `limit` at most. Until
/// [`after_in_parent`] none begins.
pub fn before_fork(limit: Duration) {
    FORKING.fetch_add(1, Ordering::SeqCst);
    let end = Instant::now() + limit;
    let is_quiet = || AT_WORK.load(Ordering::SeqCst) <= own();
    while !is_quiet() && Instant::now() < end {
        std::thread::sleep(LOOK_AGAIN);
    }
    IS_QUIET.set(is_quiet());
}

/// It has forked, and is the parent; or it could not fork.
pub fn after_in_parent() {
    FORKING.fetch_sub(1, Ordering::SeqCst);
}

/// It has been forked, and is the only thread of the child.
pub fn after_in_child() {
    AT_WORK.store(own(), Ordering::SeqCst);
    FORKING.store(0, Ordering::SeqCst);
    if !IS_QUIET.get() {
        IS_UNSURE.store(true, Ordering::SeqCst);
    }
}

/// Whether this process was forked while somebody was at work: locks of what its parent had may be held, by
/// nobody.
pub fn is_unsure() -> bool {
    IS_UNSURE.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// One test, for the numbers are the process's.
    #[test]
    fn who_forks_waits_for_those_at_work_and_holds_up_others() {
        let long = Duration::from_secs(60);
        let (tell, told) = channel();
        let worker = std::thread::spawn(move || {
            let outer = at_work();
            let _ = tell.send(());
            std::thread::sleep(Duration::from_millis(30));
            // Who is at work goes on.
            drop(at_work());
            drop(outer);
        });
        assert!(told.recv().is_ok());
        let own = at_work();
        before_fork(long);
        assert!(IS_QUIET.get() && worker.is_finished() || AT_WORK.load(Ordering::SeqCst) == 1);
        let (tell, begun) = channel();
        let waits = std::thread::spawn(move || {
            let _own = at_work();
            let _ = tell.send(());
        });
        assert!(begun.recv_timeout(Duration::from_millis(30)).is_err(), "it has to wait");
        drop(at_work());
        after_in_parent();
        assert!(begun.recv_timeout(long).is_ok());
        assert!(worker.join().is_ok() && waits.join().is_ok());
        drop(own);
        // One that takes too long is not waited for.
        let (stop, stopped) = channel::<()>();
        let (tell, told) = channel();
        let worker = std::thread::spawn(move || {
            let _own = at_work();
            let _ = tell.send(());
            let _ = stopped.recv();
        });
        assert!(told.recv().is_ok());
        before_fork(Duration::from_millis(5));
        assert!(!IS_QUIET.get());
        after_in_parent();
        drop(stop);
        assert!(worker.join().is_ok() && !is_unsure());
    }
}
