//! Running a pipeline on all cores: the breaker at its top works on twins of it, one a thread, and gets
//! what each made.
//!
//! Twins share the dispenser of morsels, so that each row is seen once. The caller's thread is one of the
//! workers.

use std::sync::Arc;
use std::thread::{Builder, Scope, ScopedJoinHandle};

use trimorph_base::Diagnostic;

use crate::context::Leftovers;
use crate::operator::{BoxOperator, Pipeline};
use crate::{Context, ExecError};

/// A worker that panicked: a bug of ours, and said so.
fn lost_worker() -> ExecError {
    ExecError::Query(Diagnostic::internal("a worker thread was lost"))
}

/// A thread of a query, with the stack that its plan needs.
fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    cx: &Context<'_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<ScopedJoinHandle<'scope, T>> {
    let builder = Builder::new();
    let builder = match cx.settings.stack_bytes {
        Some(bytes) => builder.stack_size(bytes),
        None => builder,
    };
    builder.spawn_scoped(scope, work)
}

/// What a worker gives: what it made, and what it left where the query was stopped.
type Given<'s, T> = (Result<T, ExecError>, Leftovers<'s>);

/// What all made, the caller's own first. Where the query was stopped, what they made goes to the caller's
/// leftovers.
///
/// **Errors**: the first that failed.
fn all_or_none<'s, T: Send + 's>(
    own: Result<T, ExecError>,
    workers: Vec<std::io::Result<ScopedJoinHandle<'_, Given<'s, T>>>>,
    cx: &Context<'s>,
) -> Result<Vec<T>, ExecError> {
    let mut all = Vec::with_capacity(workers.len() + 1);
    let mut failed = None;
    let mut take = |made| match made {
        Ok(made) => all.push(made),
        Err(error) => drop(failed.get_or_insert(error)),
    };
    take(own);
    for worker in workers {
        match worker.map_err(drop).and_then(|w| w.join().map_err(drop)) {
            Ok((made, left)) => {
                take(made);
                cx.leave(left);
            }
            Err(()) => take(Err(lost_worker())),
        }
    }
    match failed {
        None => Ok(all),
        Some(error) => {
            cx.leave(all);
            Err(error)
        }
    }
}

/// Calls `work` with a pipeline and, where it can have twins, with `threads - 1` of these, each on a thread
/// of its own; gives what each made, the caller's first.
///
/// **Errors**: the first worker's that failed.
pub(crate) fn on_threads<'s, T: Send + 's>(
    pipeline: &mut Pipeline<'s>,
    threads: usize,
    cx: &Context<'s>,
    work: impl Fn(&mut BoxOperator<'s>, &Context<'s>) -> Result<T, ExecError> + Sync,
) -> Result<Vec<T>, ExecError> {
    let Pipeline { op, twin } = pipeline;
    let Some(twin) = twin.as_ref().filter(|_| threads > 1) else { return Ok(vec![work(op, cx)?]) };
    let leader = cx.reader.pins();
    let twins = (1..threads).map(|_| Ok((twin()?, Arc::clone(&cx.settings))));
    let twins = twins.collect::<Result<Vec<_>, ExecError>>()?;
    let (snapshot, work) = (cx.snapshot, &work);
    std::thread::scope(|scope| {
        let workers: Vec<_> = twins
            .into_iter()
            .map(|(mut twin, settings)| {
                let leader = Arc::clone(leader);
                spawn(scope, cx, move || {
                    let cx = Context::following(snapshot, &leader, settings);
                    let made = cx.settle(work(&mut twin, &cx));
                    cx.leave(twin);
                    (made, cx.take_left())
                })
            })
            .collect();
        let own = work(op, cx);
        all_or_none(own, workers, cx)
    })
}

/// Calls `work` on each item, each on a thread of its own, the first on the caller's; gives what each made,
/// in order.
///
/// **Errors**: the first item's that failed.
pub(crate) fn on_each<'s, I: Send, T: Send + 's>(
    items: Vec<I>,
    cx: &Context<'s>,
    work: impl Fn(I, &Context<'s>) -> Result<T, ExecError> + Sync,
) -> Result<Vec<T>, ExecError> {
    let (snapshot, work) = (cx.snapshot, &work);
    let mut items = items.into_iter();
    let Some(first) = items.next() else { return Ok(Vec::new()) };
    let leader = cx.reader.pins();
    std::thread::scope(|scope| {
        let workers: Vec<_> = items
            .map(|item| {
                let settings = Arc::clone(&cx.settings);
                let leader = Arc::clone(leader);
                spawn(scope, cx, move || {
                    let cx = Context::following(snapshot, &leader, settings);
                    let made = cx.settle(work(item, &cx));
                    (made, cx.take_left())
                })
            })
            .collect();
        let own = work(first, cx);
        all_or_none(own, workers, cx)
    })
}
