//! Loops over one long value, which look now and then whether somebody asked the query to stop.

use trimorph_base::{CancelToken, Diagnostic};

/// Steps between two looks: some tens of nanoseconds each, so that a look costs nothing in comparison.
const STEPS_UNCHECKED: u32 = 1 << 14;

/// Counts the steps of a loop.
pub(crate) struct Steps<'a> {
    cancel: Option<&'a CancelToken>,
    left: u32,
}

impl<'a> Steps<'a> {
    /// Steps of a loop that `cancel` stops, if there is one.
    pub(crate) fn new(cancel: Option<&'a CancelToken>) -> Self {
        Self { cancel, left: STEPS_UNCHECKED }
    }

    /// A step.
    ///
    /// **Errors**: that somebody asked the query to stop.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Diagnostic> {
        self.left -= 1;
        if self.left == 0 { self.look() } else { Ok(()) }
    }

    /// A look, whatever the number of steps.
    #[cold]
    pub(crate) fn look(&mut self) -> Result<(), Diagnostic> {
        self.left = STEPS_UNCHECKED;
        match self.cancel {
            Some(cancel) if cancel.is_cancelled() => Err(*Diagnostic::cancelled()),
            _ => Ok(()),
        }
    }
}
