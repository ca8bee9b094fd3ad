//! Strings into Arrow arrays, whose 32-bit offsets end at 2 GiB; those of lists at as many elements.

use arrow_array::builder::StringBuilder;

use super::failure::TooLong;

/// Appends a string, or null; the builder itself would panic.
pub(super) fn push_text(out: &mut StringBuilder, text: Option<&str>) -> Result<(), TooLong> {
    match text {
        None => out.append_null(),
        Some(text) => {
            if i32::try_from(out.values_slice().len() + text.len()).is_err() {
                return Err(TooLong);
            }
            out.append_value(text);
        }
    }
    Ok(())
}
