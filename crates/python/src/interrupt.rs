//! Ctrl-C while the GIL is released: takes work and the flag that stops it, gives the work's answer.
//!
//! Python notes a signal in its C handler and runs the Python handler when the main thread is back in the
//! interpreter, which a query keeps it from. Therefore, for as long as the main thread is in the engine:
//! 1. our handler stands in front of Python's;
//! 2. on SIGINT it sets the flag (one atomic store, all that a signal handler may do) and calls Python's
//!    handler;
//! 3. the engine stops within 100 ms and says `Cancelled`;
//! 4. Python's handler stands alone again, and `check_signals` raises what Python makes of the signal.
//!
//! No thread is made and nothing is polled, so a query of a few microseconds pays two system calls. Other
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
    /// The handler that stood there before, and whether it takes three arguments.
    static PREVIOUS: AtomicUsize = AtomicUsize::new(0);
    static PREVIOUS_TAKES_INFO: AtomicBool = AtomicBool::new(false);

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
        let previous = PREVIOUS.load(SeqCst);
        if PREVIOUS_TAKES_INFO.load(SeqCst) {
            // SAFETY: the system gave us this address as a handler with SA_SIGINFO, which has this type.
            let f: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                unsafe { std::mem::transmute(previous) };
            f(signal, info, context);
        } else if previous != libc::SIG_DFL && previous != libc::SIG_IGN {
            // SAFETY: the system gave us this address as a handler without SA_SIGINFO, which has this type.
            let f: extern "C" fn(c_int) = unsafe { std::mem::transmute(previous) };
            f(signal);
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
        target: *mut CancelToken,
        /// The handler before, unless ours stood there already because a callback runs a query within a load.
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
        if current.sa_sigaction == libc::SIG_DFL || current.sa_sigaction == libc::SIG_IGN {
            return None;
        }
        let target = TARGET.swap(ptr::from_ref(token).cast_mut(), SeqCst);
        if current.sa_sigaction == own_address() {
            return Some(Outer { target, action: None });
        }
        PREVIOUS.store(current.sa_sigaction, SeqCst);
        PREVIOUS_TAKES_INFO.store(current.sa_flags & libc::SA_SIGINFO != 0, SeqCst);
        let mut own = current;
        own.sa_sigaction = own_address();
        own.sa_flags |= libc::SA_SIGINFO;
        exchange(Some(&own));
        Some(Outer { target, action: Some(current) })
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
            if let Some(action) = &outer.action
                && let Some(replaced) = exchange(Some(action))
                && replaced.sa_sigaction != own_address()
            {
                exchange(Some(&replaced));
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
