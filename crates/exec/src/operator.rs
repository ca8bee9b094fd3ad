//! The operator protocol.
//!
//! Operators of a pipeline share one chunk. `next` asks the child to fill it, then works on it in place:
//! `true` means the chunk stands for at least one tuple, `false` that there is no more. An operator that was
//! told `false` may be asked again only after `reset`.
//!
//! An operator is a spec, which the plan holds, and its state. Twins for other threads are built from the
//! same specs: they share what a pipeline shares (the morsel dispenser, finished build sides) and nothing
//! else.

use std::sync::Arc;

use trimorph_vector::Chunk;

use crate::{Context, ExecError};

/// One operator.
pub(crate) trait Operator<'s>: Send {
    /// Fills the chunk with the next tuples.
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError>;

    /// Starts again (a subplan, for its next argument).
    fn reset(&mut self);

    /// Whether it fills the columns anew each time, whatever the chunk has: then those that it gave may be
    /// moved out. Others may go on within what they find there.
    fn fills_anew(&self) -> bool {
        false
    }
}

pub(crate) type BoxOperator<'s> = Box<dyn Operator<'s> + 's>;

/// Makes a twin of a pipeline.
pub(crate) type MakeTwin<'s> = Arc<dyn Fn() -> Result<BoxOperator<'s>, ExecError> + Send + Sync + 's>;

/// A pipeline whose top runs it to its end, on all cores where twins can be made.
pub(crate) struct Pipeline<'s> {
    pub(crate) op: BoxOperator<'s>,
    pub(crate) twin: Option<MakeTwin<'s>>,
    /// The number of the scan or dealer that its rows come from, if they come from one.
    pub(crate) source: Option<usize>,
}

impl Pipeline<'_> {
    /// Starts again.
    pub(crate) fn reset(&mut self) {
        self.op.reset();
    }
}
