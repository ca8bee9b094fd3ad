//! A bad value in, as much of it as a message shows out.

use std::borrow::Cow;

/// Text of a bad value that is shown at most.
const SHOWN_BYTES_MAX: usize = 60;

pub(crate) fn shown(bytes: &[u8]) -> Cow<'_, str> {
    if bytes.len() <= SHOWN_BYTES_MAX {
        return String::from_utf8_lossy(bytes);
    }
    Cow::Owned(format!("{}…", String::from_utf8_lossy(&bytes[..SHOWN_BYTES_MAX])))
}
