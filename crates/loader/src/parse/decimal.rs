//! Decimal numbers.

use trimorph_types::Decimal;

/// `[+-]digits[.digits]`, one of the two may be empty; without exponent, and of at most 38 digits.
pub(crate) fn parse_decimal(text: &[u8]) -> Option<Decimal> {
    Decimal::parse(std::str::from_utf8(text).ok()?)
}
