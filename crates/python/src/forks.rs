//! Forks of the process (`os.fork`, `multiprocessing` where it forks): takes Python's hooks before and after,
//! so that a child finds no lock held by a thread that it does not have.
//!
//! Whatever calls the engine without the GIL does it by [`outside`], or by `interrupt`, which both say that a
//! thread is at work.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use trimorph::forks;

/// How long a fork is held up by threads that are at work.
const HELD_UP_MAX: Duration = Duration::from_secs(2);

/// Runs `work`, which calls the engine, without the GIL.
pub(crate) fn outside<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        let _at_work = forks::at_work();
        work()
    })
}

#[pyfunction]
fn before_fork(py: Python<'_>) {
    // Who is at work may need the GIL to end.
    py.detach(|| forks::before_fork(HELD_UP_MAX));
}

#[pyfunction]
fn after_fork_in_parent() {
    forks::after_in_parent();
}

#[pyfunction]
fn after_fork_in_child() {
    forks::after_in_child();
}

/// Has Python call the hooks, where there are forks.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? else { return Ok(()) };
    let hooks = PyDict::new(py);
    hooks.set_item("before", wrap_pyfunction!(before_fork, m)?)?;
    hooks.set_item("after_in_parent", wrap_pyfunction!(after_fork_in_parent, m)?)?;
    hooks.set_item("after_in_child", wrap_pyfunction!(after_fork_in_child, m)?)?;
    register.call((), Some(&hooks)).map(drop)
}
