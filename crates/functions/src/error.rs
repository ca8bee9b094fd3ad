//! The run-time errors of functions, in one wording.

use trimorph_base::{Diagnostic, ErrorKind, nearest};
use trimorph_types::format::{IdsOnly, format_literal};
use trimorph_types::temporal::{TemporalError, Unit, ZoneId, parse_local_datetime};
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
pub fn decimal_overflow(what: &str) -> Diagnostic {
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
        _ => {
            let diagnostic = bad_argument(error.to_string());
            match temporal_hint(error) {
                Some(hint) => diagnostic.hint(hint),
                None => diagnostic,
            }
        }
    }
}

/// What to write instead of a text that is no temporal value, unit or zone.
fn temporal_hint(error: &TemporalError) -> Option<String> {
    let did_you_mean = |near: &str| format!("did you mean '{near}'?");
    match error {
        TemporalError::UnknownUnit(name) => {
            // As other databases have it: "months".
            let one = name.strip_suffix(['s', 'S']).unwrap_or(name).to_lowercase();
            let units = || Unit::ALL.iter().map(|unit| unit.name());
            units().find(|unit| *unit == one).or_else(|| nearest(name, units())).map(did_you_mean)
        }
        TemporalError::Zone(name) => nearest(name, ZoneId::names()).map(did_you_mean),
        TemporalError::Text { kind: "date", .. } => Some("dates are written as '2012-12-31'".to_owned()),
        TemporalError::Text { kind: kind @ ("datetime" | "local datetime"), text } => {
            let zone = if *kind == "datetime" { "Z" } else { "" };
            let as_written = || format!("a {kind} is written as '2012-12-31T18:30:00{zone}'");
            // As SQL writes them.
            let with_t = text.trim().replacen(' ', "T", 1);
            let is_one = text.contains(' ') && parse_local_datetime(&with_t).is_ok();
            Some(if is_one { format!("write '{with_t}{zone}'") } else { as_written() })
        }
        _ => None,
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
