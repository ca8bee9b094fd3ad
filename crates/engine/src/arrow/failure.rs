//! What goes wrong when arrays are made.

use trimorph_base::{Diagnostic, ErrorKind};

use crate::Error;

/// More text, or more elements of lists, in one column of one batch than an Arrow array holds.
#[derive(Debug)]
pub(super) struct TooLong;

impl From<TooLong> for Error {
    fn from(_: TooLong) -> Self {
        failed("a batch has more text, or more elements of lists, in one column than Arrow's 2 GiB".into())
    }
}

/// An error of the result.
pub(super) fn failed(text: String) -> Error {
    Error::query(Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text), "")
}
