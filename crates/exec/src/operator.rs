//! The operator protocol.
//!
//! Operators of a pipeline share one chunk. `next` asks the child to fill it, then works on it in place:
//! `true` means the chunk stands for at least one tuple, `false` that there is no more. An operator that was
//! told `false` may be asked again only after `reset`. `fork` makes a twin for another thread: twins share
//! what a pipeline shares (the morsel dispenser, finished build sides) and nothing else.

use trimorph_vector::Chunk;

use crate::{Context, ExecError};

/// One operator.
pub(crate) trait Operator<'s>: Send {
    /// Fills the chunk with the next tuples.
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError>;

    /// Starts again (a subplan, for its next argument).
    fn reset(&mut self);

    /// A twin for another thread.
    fn fork(&self) -> BoxOperator<'s>;
}

pub(crate) type BoxOperator<'s> = Box<dyn Operator<'s> + 's>;
