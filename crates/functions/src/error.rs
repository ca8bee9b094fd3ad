//! The run-time errors of functions, in one wording.

use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::format::{IdsOnly, format_literal};
use trimorph_types::temporal::TemporalError;
use trimorph_types::{Decimal, Value};

/// What every function gives.
pub(crate) type Answer = Result<Value, Diagnostic>;

/// A value of a type the function never takes, found at run time by a conversion: `InvalidArgumentValue`.
pub(crate) fn wrong_value(function: &str, expected: &str, value: &Value) -> Diagnostic {
    type_error("InvalidArgumentValue", function, expected, value)
}

/// An argument of the wrong type: `InvalidArgumentType`.
pub(crate) fn wrong_type(function: &str, expected: &str, value: &Value) -> Diagnostic {
    type_error("InvalidArgumentType", function, expected, value)
}

fn type_error(detail: &'static str, function: &str, expected: &str, value: &Value) -> Diagnostic {
    let primary = format!("{function} expects {expected}, not {}", type_name(value));
    Diagnostic::runtime(ErrorKind::TypeError, detail, primary)
}

/// The type as messages name it.
pub(crate) fn type_name(value: &Value) -> &'static str {
    if value.is_null() { "NULL" } else { value.logical_type().name() }
}

/// A binary operator that is not defined between these types.
pub(crate) fn wrong_operands(operator: &str, a: &Value, b: &Value) -> Diagnostic {
    let primary = format!("cannot apply {operator} to {} and {}", type_name(a), type_name(b));
    Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", primary)
}

/// A number outside the range an argument allows.
pub(crate) fn out_of_range(what: impl Into<String>) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::ArgumentError, "NumberOutOfRange", what)
}

/// A negative number where none is allowed.
pub(crate) fn negative(function: &str, argument: &str, value: i64) -> Diagnostic {
    let primary = format!("{function} expects a non-negative {argument}, not {value}");
    Diagnostic::runtime(ErrorKind::ArgumentError, "NegativeIntegerArgument", primary)
}

/// An argument of the right type with a value that means nothing.
pub(crate) fn bad_argument(what: impl Into<String>) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::ArgumentError, "InvalidArgumentValue", what)
}

/// The result does not fit an integer.
pub(crate) fn overflow(what: &str) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::ArithmeticError, "NumberOutOfRange", format!("{what} overflows INTEGER"))
}

/// The result has more digits than a decimal holds.
pub(crate) fn decimal_overflow(what: &str) -> Diagnostic {
    let primary = format!("{what} needs more than {} digits of DECIMAL", Decimal::DIGITS_MAX);
    Diagnostic::runtime(ErrorKind::ArithmeticError, "NumberOutOfRange", primary)
}

/// Division or remainder by integer zero.
pub(crate) fn division_by_zero() -> Diagnostic {
    Diagnostic::runtime(ErrorKind::ArithmeticError, "DivisionByZero", "division by zero")
}

/// A temporal value that cannot be made.
pub(crate) fn temporal(error: &TemporalError) -> Diagnostic {
    match error {
        TemporalError::Component { .. } => out_of_range(error.to_string()),
        TemporalError::Overflow(_) => {
            Diagnostic::runtime(ErrorKind::ArithmeticError, "NumberOutOfRange", error.to_string())
        }
        _ => bad_argument(error.to_string()),
    }
}

/// A value in a message, cut where it gets long.
pub(crate) fn shown(value: &Value) -> String {
    const LETTERS_MAX: usize = 40;
    let text = format_literal(value, &IdsOnly);
    match text.char_indices().nth(LETTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
