//! The operators of expressions, as functions of values: one family per file.
//!
//! Null is handled here: `null + 1` is null, `null AND false` is false.

mod access;
mod arithmetic;
mod comparison;
mod logic;
mod regex;
mod text;

pub use access::{index, property_of, slice};
pub use arithmetic::{add, add_until, divide, modulo, multiply, negate, plus, power, subtract};
pub use comparison::{
    differs, equal, greater, greater_or_equal, in_list, in_list_until, less, less_or_equal, not_equal,
};
pub use logic::{and, is_not_null, is_null, not, or, truth, xor};
pub(crate) use regex::{
    Automaton, COMPILED_BYTES_MAX, LONG_TEXT_BYTES, Outcome, STEPS_MAX, is_match_until, regex_matches,
};
pub use regex::{regex_match, regex_match_until};
pub use text::{contains, ends_with, starts_with};
