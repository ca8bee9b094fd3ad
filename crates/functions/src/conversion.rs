//! Conversions between types: toInteger, toFloat, toString, toBoolean, their OrNull and List forms.
//!
//! A text that does not read as the type is null; a value of a type that never converts is an error, or null
//! in the OrNull form and within lists.

use trimorph_types::format::{IdsOnly, format_value};
use trimorph_types::{LogicalType, Value};

use crate::error::{Answer, overflow, wrong_type, wrong_value};
use crate::function::{Function, result};
use crate::kernels::conversion as kernels;
use crate::round::whole;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new(
        "toInteger",
        (1, 1),
        result::int,
        |_, a| to_integer(&a[0]),
        "toInteger(a): a number, boolean or text as an integer",
    )
    .typed(kernels::to_integer),
    Function::new("toInt", (1, 1), result::int, |_, a| to_integer(&a[0]), "toInt(a): the same as toInteger")
        .typed(kernels::to_integer),
    Function::new(
        "toFloat",
        (1, 1),
        result::float,
        |_, a| to_float(&a[0]),
        "toFloat(a): a number or text as a float",
    )
    .typed(kernels::to_float),
    Function::new(
        "toString",
        (1, 1),
        result::string,
        |_, a| to_string(&a[0]),
        "toString(a): a number, boolean, text, RDF term or temporal value as text",
    )
    .typed(kernels::to_string),
    Function::new(
        "toBoolean",
        (1, 1),
        result::bool,
        |_, a| to_boolean(&a[0]),
        "toBoolean(a): a boolean, integer or text as a boolean",
    )
    .typed(kernels::to_boolean),
    Function::new(
        "toIntegerOrNull",
        (1, 1),
        result::int,
        |_, a| or_null(to_integer, &a[0]),
        "toIntegerOrNull(a): toInteger, null where that fails",
    )
    .typed(kernels::to_integer_or_null),
    Function::new(
        "toFloatOrNull",
        (1, 1),
        result::float,
        |_, a| or_null(to_float, &a[0]),
        "toFloatOrNull(a): toFloat, null where that fails",
    )
    .typed(kernels::to_float),
    Function::new(
        "toStringOrNull",
        (1, 1),
        result::string,
        |_, a| or_null(to_string, &a[0]),
        "toStringOrNull(a): toString, null where that fails",
    )
    .typed(kernels::to_string),
    Function::new(
        "toBooleanOrNull",
        (1, 1),
        result::bool,
        |_, a| or_null(to_boolean, &a[0]),
        "toBooleanOrNull(a): toBoolean, null where that fails",
    )
    .typed(kernels::to_boolean),
    Function::new(
        "toIntegerList",
        (1, 1),
        result::list,
        |_, a| each("toIntegerList()", to_integer, &a[0]),
        "toIntegerList(list): toIntegerOrNull of each element",
    )
    .typed(kernels::to_integers),
    Function::new(
        "toFloatList",
        (1, 1),
        result::list,
        |_, a| each("toFloatList()", to_float, &a[0]),
        "toFloatList(list): toFloatOrNull of each element",
    )
    .typed(kernels::to_floats),
    Function::new(
        "toStringList",
        (1, 1),
        result::list,
        |_, a| each("toStringList()", to_string, &a[0]),
        "toStringList(list): toStringOrNull of each element",
    )
    .typed(kernels::to_strings),
    Function::new(
        "toBooleanList",
        (1, 1),
        result::list,
        |_, a| each("toBooleanList()", to_boolean, &a[0]),
        "toBooleanList(list): toBooleanOrNull of each element",
    )
    .typed(kernels::to_booleans),
];

fn or_null(convert: fn(&Value) -> Answer, value: &Value) -> Answer {
    Ok(convert(value).unwrap_or_default())
}

fn each(function: &str, convert: fn(&Value) -> Answer, value: &Value) -> Answer {
    match value {
        Value::List(items) => {
            Ok(Value::list(items.iter().map(|item| convert(item).unwrap_or_default()).collect()))
        }
        other => Err(wrong_type(function, "a LIST", other)),
    }
}

fn to_integer(value: &Value) -> Answer {
    match value {
        Value::Null | Value::Int(_) => Ok(value.clone()),
        Value::Float(x) => whole(*x).map(Value::Int).ok_or_else(|| overflow("toInteger()")),
        Value::Decimal(x) => i64::try_from(x.whole()).map(Value::Int).map_err(|_| overflow("toInteger()")),
        Value::Bool(x) => Ok(Value::Int(i64::from(*x))),
        Value::String(text) => Ok(read_integer(text).map_or(Value::Null, Value::Int)),
        other => Err(wrong_value("toInteger()", "a number, BOOLEAN or STRING", other)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "rounding is what the conversion means")]
fn to_float(value: &Value) -> Answer {
    match value {
        Value::Null | Value::Float(_) => Ok(value.clone()),
        Value::Int(n) => Ok(Value::Float(*n as f64)),
        Value::Decimal(x) => Ok(Value::Float(x.to_float())),
        Value::String(text) => Ok(read_float(text).map_or(Value::Null, Value::Float)),
        other => Err(wrong_value("toFloat()", "a number or STRING", other)),
    }
}

/// An integer, or the whole part of a float, with space around it.
pub(crate) fn read_integer(text: &str) -> Option<i64> {
    // Most have no space around them, and what is none is told by two bytes.
    if let [first, .., last] | [first @ last] = text.as_bytes()
        && (first.is_ascii_digit() || *first == b'-')
        && last.is_ascii_digit()
        && let Ok(number) = text.parse()
    {
        return Some(number);
    }
    let text = text.trim();
    text.parse().ok().or_else(|| read_float(text).and_then(whole))
}

/// A decimal float, with space around it. Rust would also read `inf` and `infinity`; Cypher writes those and
/// NaN in one way each.
pub(crate) fn read_float(text: &str) -> Option<f64> {
    // Most begin with a digit: then no word is read.
    if text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
        && let Ok(number) = text.parse()
    {
        return Some(number);
    }
    let text = text.trim();
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" | "+Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ if text.contains(|c: char| c.is_ascii_alphabetic() && !c.eq_ignore_ascii_case(&'e')) => None,
        _ => text.parse().ok(),
    }
}

fn to_boolean(value: &Value) -> Answer {
    match value {
        Value::Null | Value::Bool(_) => Ok(value.clone()),
        Value::Int(n) => Ok(Value::Bool(*n != 0)),
        Value::String(text) => Ok(read_boolean(text).map_or(Value::Null, Value::Bool)),
        other => Err(wrong_value("toBoolean()", "a BOOLEAN, INTEGER or STRING", other)),
    }
}

/// A Boolean in any letter case, with space around it.
pub(crate) fn read_boolean(text: &str) -> Option<bool> {
    let text = text.trim();
    // No letter beyond ASCII has one of these in lower case.
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else {
        text.eq_ignore_ascii_case("false").then_some(false)
    }
}

/// Text of everything that has one without a snapshot.
pub(crate) fn to_string(value: &Value) -> Answer {
    match value.logical_type() {
        LogicalType::Any => Ok(Value::Null),
        LogicalType::List
        | LogicalType::Map
        | LogicalType::Node
        | LogicalType::Relationship
        | LogicalType::Path => {
            Err(wrong_value("toString()", "a number, BOOLEAN, STRING or temporal value", value))
        }
        LogicalType::String => Ok(value.clone()),
        _ => Ok(Value::string(format_value(value, &IdsOnly))),
    }
}
