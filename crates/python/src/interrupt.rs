//! Ctrl-C while the GIL is released: takes work and the flag that stops it, gives the work's answer.
//!
//! Python notes a signal in its C handler and runs the Python handler when the main thread is back in the
//! interpreter, which a query keeps it from. Therefore:
//! 1. our handler is put in front of Python's when the main thread first enters the engine, and stays there;
//! 2. on SIGINT it sets the flag of what the main thread is at (one atomic store, all that a signal handler
//!    may do) and calls Python's handler;
//! 3. the engine stops within 100 ms and says `Cancelled`;
//! 4. `check_signals` raises what Python makes of the signal.
//!
//! A program may set another handler at any time, with which ours is gone: so whoever enters looks which one
//! there is. Python's own gets ours in front of it again. Before one that is not Python's ours stands only
//! while the main thread is in the engine: it may have kept ours, to go on to it or to put it back, as
//! `faulthandler` does. Who is called a second time on the way then goes on to Python's. Without a handler
//! there is none of ours either.
//!
//! No thread is made and nothing is polled, so a query of a few microseconds pays one system call. Other
//! threads pay nothing: Python hands signals to the main thread only, and they are stopped by
//! `Connection.interrupt`.

use pyo3::prelude::*;
use trimorph::{CancelToken, Error};

use crate::error;
use crate::forks::outside;

/// Runs `work` with the GIL released. `cancel` is what `work` watches.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    cancel: &CancelToken,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    attempt(py, cancel, work).map_err(|e| raise(py, &e))
}

/// The same with the engine's error.
pub(crate) fn attempt<T: Send>(
    py: Python<'_>,
    cancel: &CancelToken,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let guard = signal::Guard::new(py, cancel);
    let answer = outside(py, work);
    drop(guard);
    answer
}

/// What Python raises for an error of [`attempt`]: after Ctrl-C, what the signal's handler raises.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    if error::is_cancelled(error)
        && let Err(raised) = py.check_signals()
    {
        return raised;
    }
    error::from_engine(py, error)
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "signal handlers")]
mod signal {
    use std::cell::Cell;
    use std::marker::PhantomData;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};

    use libc::{c_int, c_void, sigaction, siginfo_t};
    use pyo3::prelude::*;
    use pyo3::types::PyAnyMethods;
    use trimorph::CancelToken;

    /// What SIGINT sets; null outside of the engine.
    static TARGET: AtomicPtr<CancelToken> = AtomicPtr::new(ptr::null_mut());
    /// Handlers that may hold what `TARGET` was.
    static IN_HANDLER: AtomicUsize = AtomicUsize::new(0);
    /// The handler that ours stands in front of.
    static PREVIOUS: Action = Action::none();
    /// The one that stood there before ours was ever set, which is Python's: it does not go on to ours.
    static FIRST: Action = Action::none();
    /// The thread that is on its way through `PREVIOUS`; 0 for none.
    static ON_ITS_WAY: AtomicUsize = AtomicUsize::new(0);

    /// A handler, as the system names it.
    struct Action {
        address: AtomicUsize,
        /// Whether it takes three arguments.
        takes_info: AtomicBool,
    }

    impl Action {
        const fn none() -> Self {
            Self { address: AtomicUsize::new(libc::SIG_DFL), takes_info: AtomicBool::new(false) }
        }

        fn set(&self, action: &sigaction) {
            self.takes_info.store(action.sa_flags & libc::SA_SIGINFO != 0, SeqCst);
            self.address.store(action.sa_sigaction, SeqCst);
        }

        fn copy(&self, other: &Self) {
            self.takes_info.store(other.takes_info.load(SeqCst), SeqCst);
            self.address.store(other.address.load(SeqCst), SeqCst);
        }

        fn is(&self, address: usize) -> bool {
            self.address.load(SeqCst) == address
        }

        fn call(&self, signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
            let address = self.address.load(SeqCst);
            if address == libc::SIG_DFL || address == libc::SIG_IGN {
                return;
            }
            if self.takes_info.load(SeqCst) {
                // SAFETY: the system gave us this address as a handler with SA_SIGINFO, which has this type.
                let f: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    unsafe { std::mem::transmute(address) };
                f(signal, info, context);
            } else {
                // SAFETY: the system gave us this address as a handler without SA_SIGINFO, which has this
                // type.
                let f: extern "C" fn(c_int) = unsafe { std::mem::transmute(address) };
                f(signal);
            }
        }
    }

    thread_local! {
        /// Whether this is the thread that Python hands signals to; looked up once per thread.
        static IS_MAIN: Cell<Option<bool>> = const { Cell::new(None) };
    }

    extern "C" fn on_interrupt(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        IN_HANDLER.fetch_add(1, SeqCst);
        let target = TARGET.load(SeqCst);
        if !target.is_null() {
            // SAFETY: a guard takes its token out of TARGET and then waits until IN_HANDLER is 0 before the
            // token may die, and we have counted ourselves before we looked.
            unsafe { (*target).cancel() };
        }
        IN_HANDLER.fetch_sub(1, SeqCst);
        // SAFETY: it takes nothing, and may be called from a handler.
        let own = unsafe { libc::pthread_self() } as usize;
        if ON_ITS_WAY.compare_exchange(0, own, SeqCst, SeqCst).is_ok() {
            PREVIOUS.call(signal, info, context);
            ON_ITS_WAY.store(0, SeqCst);
        } else {
            FIRST.call(signal, info, context);
        }
    }

    fn own_address() -> usize {
        on_interrupt as *const () as usize
    }

    /// While it lives, SIGINT sets the token it was made with.
    pub(super) struct Guard<'a> {
        /// What to put back; `None` on threads that get no signals and where SIGINT has no handler.
        outer: Option<Outer>,
        token: PhantomData<&'a CancelToken>,
    }

    struct Outer {
        /// The token of what a callback runs a query within.
        target: *mut CancelToken,
        /// The handler that ours stands in front of for a while only.
        action: Option<sigaction>,
    }

    impl<'a> Guard<'a> {
        pub(super) fn new(py: Python<'_>, token: &'a CancelToken) -> Self {
            let outer = is_main(py).then(|| enter(token)).flatten();
            Self { outer, token: PhantomData }
        }
    }

    fn is_main(py: Python<'_>) -> bool {
        IS_MAIN.with(|known| {
            if let Some(main) = known.get() {
                return main;
            }
            let ask = || {
                let threading = py.import("threading")?;
                let main = threading.call_method0("main_thread")?.getattr("ident")?;
                threading.call_method0("get_ident")?.eq(main)
            };
            let main = ask().unwrap_or(false);
            known.set(Some(main));
            main
        })
    }

    fn enter(token: &CancelToken) -> Option<Outer> {
        let current = exchange(None)?;
        let address = current.sa_sigaction;
        if address == libc::SIG_DFL || address == libc::SIG_IGN {
            return None;
        }
        let mut action = None;
        if address != own_address() {
            if FIRST.is(libc::SIG_DFL) {
                FIRST.set(&current);
            }
            PREVIOUS.set(&current);
            let mut own = current;
            own.sa_sigaction = own_address();
            own.sa_flags |= libc::SA_SIGINFO;
            exchange(Some(&own));
            action = (!FIRST.is(address)).then_some(current);
        }
        let target = TARGET.swap(ptr::from_ref(token).cast_mut(), SeqCst);
        Some(Outer { target, action })
    }

    /// Sets the action of SIGINT if there is a new one; gives the one before.
    fn exchange(new: Option<&sigaction>) -> Option<sigaction> {
        let mut old = MaybeUninit::<sigaction>::zeroed();
        let new = new.map_or(ptr::null(), ptr::from_ref);
        // SAFETY: both pointers are null or point to a `sigaction`; all-zero bytes are a valid one.
        unsafe { (libc::sigaction(libc::SIGINT, new, old.as_mut_ptr()) == 0).then(|| old.assume_init()) }
    }

    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            let Some(outer) = &self.outer else { return };
            // A callback may have set another handler meanwhile; then that one stays.
            if let Some(action) = &outer.action {
                if let Some(replaced) = exchange(Some(action))
                    && replaced.sa_sigaction != own_address()
                {
                    exchange(Some(&replaced));
                }
                // Who puts ours back has Python's behind it.
                PREVIOUS.copy(&FIRST);
            }
            TARGET.store(outer.target, SeqCst);
            while IN_HANDLER.load(SeqCst) != 0 {
                std::hint::spin_loop();
            }
        }
    }
}

#[cfg(not(unix))]
mod signal {
    use pyo3::prelude::*;
    use trimorph::CancelToken;

    /// Nothing: Ctrl-C is seen between batches only.
    pub(super) struct Guard;

    impl Guard {
        pub(super) fn new(_: Python<'_>, _: &CancelToken) -> Self {
            Self
        }
    }
}
