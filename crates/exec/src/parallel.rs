//! Running a pipeline on all cores: the breaker at its top works on twins of its child, one a thread, and gets what each made.
//!
//! Twins share the dispenser of morsels, so that each row is seen once. The caller's thread is one of the workers.

use std::sync::Arc;

use trimorph_base::Diagnostic;

use crate::operator::BoxOperator;
use crate::{Context, ExecError};

/// A worker that panicked: a bug of ours, and said so.
fn lost_worker() -> ExecError {
    ExecError::Query(Diagnostic::internal("a worker thread was lost"))
}

/// Calls `work` with `child` and with `threads - 1` twins of it, each on a thread of its own; gives what each made, the caller's first.
///
/// **Errors**: the first worker's that failed.
pub(crate) fn on_threads<'s, T: Send>(
    child: &mut BoxOperator<'s>,
    threads: usize,
    cx: &Context<'s>,
    work: impl Fn(&mut BoxOperator<'s>, &Context<'s>) -> Result<T, ExecError> + Sync,
) -> Result<Vec<T>, ExecError> {
    if threads <= 1 {
        return Ok(vec![work(child, cx)?]);
    }
    let twins: Vec<_> = (1..threads).map(|_| (child.fork(), Arc::clone(&cx.settings))).collect();
    let (snapshot, work) = (cx.snapshot, &work);
    std::thread::scope(|scope| {
        let workers: Vec<_> = twins
            .into_iter()
            .map(|(mut twin, settings)| {
                scope.spawn(move || work(&mut twin, &Context::new(snapshot, settings)))
            })
            .collect();
        let own = work(child, cx);
        let others = workers.into_iter().map(|w| w.join().unwrap_or_else(|_| Err(lost_worker())));
        std::iter::once(own).chain(others).collect()
    })
}

/// Calls `work` on each item, each on a thread of its own, the first on the caller's; gives what each made, in order.
///
/// **Errors**: the first item's that failed.
pub(crate) fn on_each<'s, I: Send, T: Send>(
    items: Vec<I>,
    cx: &Context<'s>,
    work: impl Fn(I, &Context<'s>) -> Result<T, ExecError> + Sync,
) -> Result<Vec<T>, ExecError> {
    let (snapshot, work) = (cx.snapshot, &work);
    let mut items = items.into_iter();
    let Some(first) = items.next() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let workers: Vec<_> = items
            .map(|item| {
                let settings = Arc::clone(&cx.settings);
                scope.spawn(move || work(item, &Context::new(snapshot, settings)))
            })
            .collect();
        let own = work(first, cx);
        let others = workers.into_iter().map(|w| w.join().unwrap_or_else(|_| Err(lost_worker())));
        std::iter::once(own).chain(others).collect()
    })
}
