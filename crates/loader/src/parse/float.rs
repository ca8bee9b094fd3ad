//! Floating-point numbers, by the standard library's parser (Eisel-Lemire).

/// Decimal or exponent notation, `inf`, `infinity` and `nan` with an optional sign; nothing around it.
pub(crate) fn parse_float(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
