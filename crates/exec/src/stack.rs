//! The stack that a query is planned and run on, if its plan is too deep for one that may be small.

use trimorph_base::{Diagnostic, ErrorKind};

use crate::ExecError;

/// None for the caller's stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack(pub(crate) Option<usize>);

/// Operators and expressions within each other up to which a query runs on the caller's stack. 512 KiB, what
/// a thread may have on some systems, are 4 KiB for each.
const CALLERS_DEPTH_MAX: usize = 128;
/// Stack for each level of a deep plan: what lowering takes for one in a dev build, several times.
const LEVEL_BYTES: usize = 16 << 10;
/// Stack for everything else.
const STACK_BYTES: usize = 2 << 20;

impl Stack {
    /// For a plan of `depth` operators and expressions within each other.
    pub(crate) fn of(depth: usize) -> Self {
        Self((depth > CALLERS_DEPTH_MAX).then(|| STACK_BYTES + depth * LEVEL_BYTES))
    }

    pub(crate) fn run<T: Send>(
        self,
        work: impl FnOnce() -> Result<T, ExecError> + Send,
    ) -> Result<T, ExecError> {
        match self.0 {
            None => work(),
            Some(bytes) => trimorph_base::on_stack_of(bytes, work).unwrap_or_else(|| Err(no_thread())),
        }
    }

    /// Drops what is as deep as the plan.
    pub(crate) fn drop<T: Send>(self, deep: T) {
        // Without a thread the caller's stack has to do.
        let _ = self.run(move || {
            drop(deep);
            Ok(())
        });
    }
}

fn no_thread() -> ExecError {
    let text = "could not start a thread for a query with a plan this deep";
    ExecError::Query(
        Diagnostic::runtime(ErrorKind::Unsupported, "NoThread", text).hint("try again with fewer threads"),
    )
}
