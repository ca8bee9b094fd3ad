//! Running a pipeline on all cores: the breaker at its top works on twins of it, one a thread, and gets
//! what each made.
//!
//! Twins share the dispenser of morsels, so that each row is seen once. The caller's thread is one of the
//! workers; the others are those of the settings' [`Workers`](trimorph_base::Workers) that have nothing to
//! do. Where none comes, the caller does it all.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use trimorph_base::Diagnostic;
use trimorph_store::{Pins, Snapshot};

use crate::context::Leftovers;
use crate::operator::{BoxOperator, Pipeline};
use crate::spill::{FileTally, Spilling};
use crate::stack::Stack;
use crate::{Context, ExecError, Settings};

/// A worker that panicked: a bug of ours, and said so.
fn lost_worker() -> ExecError {
    ExecError::Query(Diagnostic::internal("a worker thread was lost"))
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What makes contexts for threads that work for one.
pub(crate) struct Lead<'a, 's> {
    snapshot: &'s Snapshot,
    pins: &'a Arc<Pins<'s>>,
    settings: &'a Arc<Settings>,
    tally: FileTally,
}

impl<'a, 's> Lead<'a, 's> {
    pub(crate) fn new(cx: &'a Context<'s>) -> Self {
        let (pins, tally) = (cx.reader.pins(), cx.spilling.of_file());
        Self { snapshot: cx.snapshot, pins, settings: &cx.settings, tally }
    }

    /// A context for one thread.
    pub(crate) fn context(&self) -> Context<'s> {
        let mut cx = Context::following(self.snapshot, self.pins, Arc::clone(self.settings));
        cx.spilling = Spilling::of(&self.tally);
        cx
    }
}

/// How long the caller is at it before others are called, where it may well be done soon: a thread takes some
/// ten microseconds to wake and as many to make its twin, and who came is waited for.
const PATIENCE: Duration = Duration::from_micros(100);

/// Calls `own` here and meanwhile `help` on threads that are free, in `places` places at most, on stacks that
/// the plan fits. Where it is to be `patient`, they are called once `own` has taken some time, as its context
/// finds out between two chunks.
///
/// **Errors**: of `own`, then of a `help`. All have ended by then.
pub(crate) fn share<T>(
    places: usize,
    patient: bool,
    cx: &Context<'_>,
    help: impl Fn(usize) -> Result<(), ExecError> + Sync,
    own: impl FnOnce() -> Result<T, ExecError>,
) -> Result<T, ExecError> {
    if places == 0 {
        return own();
    }
    let settings = &cx.settings;
    let failed = Mutex::new(None);
    let one = |place: usize| {
        if let Err(error) = help(place) {
            lock(&failed).get_or_insert(error);
        }
    };
    let help = |place: usize| match settings.stack_bytes {
        None => one(place),
        // Without such a thread there is one less to help.
        Some(_) => drop(Stack(settings.stack_bytes).run(|| {
            one(place);
            Ok(())
        })),
    };
    let (made, lost) = settings.workers.share(places, &help, |offer| {
        if patient && settings.patient {
            return cx.until_due(offer.after(PATIENCE), own);
        }
        offer.now();
        own()
    });
    let made = made?;
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        None if lost == 0 => Ok(made),
        failed => Err(failed.unwrap_or_else(lost_worker)),
    }
}

/// Calls `work` with a pipeline and, where it can have twins, with up to `threads - 1` of these, each on a
/// thread of its own; gives what each made, the caller's first.
///
/// **Errors**: one worker's that failed.
pub(crate) fn on_threads<'s, T: Send + 's>(
    pipeline: &mut Pipeline<'s>,
    threads: usize,
    cx: &Context<'s>,
    work: impl Fn(&mut BoxOperator<'s>, &Context<'s>) -> Result<T, ExecError> + Sync,
) -> Result<Vec<T>, ExecError> {
    let Pipeline { op, twin, .. } = pipeline;
    let Some(twin) = twin.as_ref().filter(|_| threads > 1) else { return Ok(vec![work(op, cx)?]) };
    let (lead, left) = (Lead::new(cx), Mutex::new(Vec::new()));
    let made = Mutex::new(Vec::new());
    let help = |_| {
        let (cx, mut twin) = (lead.context(), twin()?);
        let one = cx.settle(work(&mut twin, &cx));
        cx.leave(twin);
        lock(&left).append(&mut cx.take_left());
        lock(&made).push(one?);
        Ok(())
    };
    let own = share(threads - 1, true, cx, help, || {
        // What it made goes first.
        let own = work(op, cx)?;
        lock(&made).insert(0, own);
        Ok(())
    });
    settled(own, made, left, cx)
}

/// What all made, if nobody failed; else it goes to the leftovers, with what others left.
fn settled<'s, T: Send + 's>(
    all: Result<(), ExecError>,
    made: Mutex<T>,
    left: Mutex<Leftovers<'s>>,
    cx: &Context<'s>,
) -> Result<T, ExecError> {
    let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    cx.leave(left.into_inner().unwrap_or_else(PoisonError::into_inner));
    match all {
        Ok(()) => Ok(made),
        Err(error) => {
            cx.leave(made);
            Err(error)
        }
    }
}

/// Calls `work` on each item, on as many threads as there are items or the settings allow; gives what each
/// made, in order.
///
/// **Errors**: one item's that failed.
pub(crate) fn on_each<'s, I: Send, T: Send + 's>(
    items: Vec<I>,
    cx: &Context<'s>,
    work: impl Fn(I, &Context<'s>) -> Result<T, ExecError> + Sync,
) -> Result<Vec<T>, ExecError> {
    let places = items.len().min(cx.settings.threads).saturating_sub(1);
    let made: Mutex<Vec<Option<T>>> = Mutex::new(items.iter().map(|_| None).collect());
    let items: Mutex<VecDeque<(usize, I)>> = Mutex::new(items.into_iter().enumerate().collect());
    let some = |cx: &Context<'s>| {
        loop {
            let Some((at, item)) = lock(&items).pop_front() else { return Ok(()) };
            match work(item, cx) {
                Ok(one) => lock(&made)[at] = Some(one),
                Err(error) => {
                    // Nobody begins another.
                    lock(&items).clear();
                    return Err(error);
                }
            }
        }
    };
    let (lead, left) = (Lead::new(cx), Mutex::new(Vec::new()));
    let help = |_| {
        let cx = lead.context();
        let done = cx.settle(some(&cx));
        lock(&left).append(&mut cx.take_left());
        done
    };
    let all = share(places, false, cx, help, || some(cx));
    let made = settled(all, made, left, cx)?;
    made.into_iter().map(|one| one.ok_or_else(lost_worker)).collect()
}
