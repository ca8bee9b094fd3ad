//! The wall between us and a decoder that is not ours.

use std::panic::AssertUnwindSafe;
use std::path::Path;

use crate::LoadError;

/// Runs a decoder that is not ours, on bytes that are not ours: on some broken files it panics instead of
/// failing.
pub(crate) fn guard<T>(path: &Path, decode: impl FnOnce() -> Result<T, LoadError>) -> Result<T, LoadError> {
    std::panic::catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(LoadError::format(path, "it is broken: its decoder gave up")))
}
