//! Functions of numbers.

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use crate::context::Context;
use crate::error::{Answer, bad_argument, overflow, wrong_type};
use crate::function::{Function, result};
use crate::kernels::math as kernels;
use crate::round::{Mode, round_decimal, round_half_up};

macro_rules! float_functions {
    ($($name:literal, $call:expr, $doc:literal;)*) => {
        &[$(Function::new($name, (1, 1), result::float, |_, args| {
            let of: fn(f64) -> f64 = $call;
            Ok(Value::Float(of(number($name, &args[0])?)))
        }, $doc).typed(|_, args, at| kernels::of_number(args, at, $call))),*]
    };
}

/// Functions of one number that give a float.
pub(crate) const FLOAT_FUNCTIONS: &[Function] = float_functions! {
    "ceil", f64::ceil, "ceil(x): the smallest whole number not below x";
    "ceiling", f64::ceil, "ceiling(x): the smallest whole number not below x";
    "floor", f64::floor, "floor(x): the largest whole number not above x";
    "sqrt", f64::sqrt, "sqrt(x): the square root";
    "exp", f64::exp, "exp(x): e to the power of x";
    "log", f64::ln, "log(x): the natural logarithm";
    "ln", f64::ln, "ln(x): the natural logarithm, as log(x)";
    "log10", f64::log10, "log10(x): the logarithm to base 10";
    "sin", f64::sin, "sin(x): the sine of an angle in radians";
    "cos", f64::cos, "cos(x): the cosine";
    "tan", f64::tan, "tan(x): the tangent";
    "cot", |x| 1.0 / x.tan(), "cot(x): the cotangent";
    "asin", f64::asin, "asin(x): the angle in radians whose sine is x";
    "acos", f64::acos, "acos(x): the angle whose cosine is x";
    "atan", f64::atan, "atan(x): the angle whose tangent is x";
    "sinh", f64::sinh, "sinh(x): the hyperbolic sine";
    "cosh", f64::cosh, "cosh(x): the hyperbolic cosine";
    "tanh", f64::tanh, "tanh(x): the hyperbolic tangent";
    "coth", |x| 1.0 / x.tanh(), "coth(x): the hyperbolic cotangent";
    "degrees", f64::to_degrees, "degrees(x): radians as degrees";
    "radians", f64::to_radians, "radians(x): degrees as radians";
    "haversin", |x| (1.0 - x.cos()) / 2.0, "haversin(x): half the versine";
};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new("abs", (1, 1), result::first, abs, "abs(x): the number without its sign")
        .typed(kernels::abs),
    Function::new("sign", (1, 1), result::int, sign, "sign(x): -1, 0 or 1").typed(kernels::sign),
    Function::new(
        "round",
        (1, 3),
        result::float,
        round,
        "round(x[, digits[, mode]]): the nearest number of that many digits",
    )
    .typed(kernels::round),
    Function::new(
        "atan2",
        (2, 2),
        result::float,
        atan2,
        "atan2(y, x): the angle of the point (x, y) in radians",
    )
    .typed(kernels::atan2),
    Function::new(
        "e",
        (0, 0),
        result::float,
        |_, _| Ok(Value::Float(std::f64::consts::E)),
        "e(): the base of the natural logarithm",
    ),
    Function::new(
        "pi",
        (0, 0),
        result::float,
        |_, _| Ok(Value::Float(std::f64::consts::PI)),
        "pi(): the ratio of circumference to diameter",
    ),
    Function::new(
        "rand",
        (0, 0),
        result::float,
        |context, _| Ok(Value::Float(context.random_float())),
        "rand(): a random float, 0 ≤ x < 1",
    )
    .typed(kernels::rand)
    .not_deterministic(),
    Function::new("randomUUID", (0, 0), result::string, random_uuid, "randomUUID(): a random UUID as text")
        .not_deterministic(),
];

#[expect(clippy::cast_precision_loss, reason = "the functions are defined on floats")]
fn number(function: &str, value: &Value) -> Result<f64, Diagnostic> {
    match value {
        Value::Int(n) => Ok(*n as f64),
        Value::Float(x) => Ok(*x),
        Value::Decimal(x) => Ok(x.to_float()),
        other => Err(wrong_type(&format!("{function}()"), "a number", other)),
    }
}

fn abs(_: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Int(n) => n.checked_abs().map(Value::Int).ok_or_else(|| overflow("abs()")),
        Value::Decimal(x) => Ok(Value::Decimal((*x).max(x.negated()))),
        other => Ok(Value::Float(number("abs", other)?.abs())),
    }
}

fn sign(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(Value::Int(match &args[0] {
        Value::Int(n) => n.signum(),
        Value::Decimal(x) => i64::from(x.unscaled() > 0) - i64::from(x.unscaled() < 0),
        other => {
            let x = number("sign", other)?;
            i64::from(x > 0.0) - i64::from(x < 0.0)
        }
    }))
}

fn atan2(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(Value::Float(number("atan2", &args[0])?.atan2(number("atan2", &args[1])?)))
}

/// Without digits, ties go up (towards positive infinity); with digits, by mode, away from zero unless told.
fn round(_: &Context<'_>, args: &[Value]) -> Answer {
    let x = number("round", &args[0])?;
    let Some(digits) = args.get(1) else { return Ok(Value::Float(round_half_up(x))) };
    let digits = match digits {
        Value::Int(n) if *n < 0 => {
            return Err(bad_argument(format!("round() expects digits of 0 or more, not {n}")));
        }
        Value::Int(n) => usize::try_from(*n).unwrap_or(usize::MAX),
        other => return Err(wrong_type("round()", "an INTEGER for digits", other)),
    };
    let mode = match args.get(2) {
        None => Mode::HalfUp,
        Some(Value::String(name)) => {
            Mode::parse(name).ok_or_else(|| bad_argument(format!("round() has no mode \"{name}\"")))?
        }
        Some(other) => return Err(wrong_type("round()", "a STRING for the mode", other)),
    };
    Ok(Value::Float(round_decimal(x, digits, mode)))
}

/// A version 4 UUID.
fn random_uuid(context: &Context<'_>, _: &[Value]) -> Answer {
    let (high, low) = (context.random_bits(), context.random_bits());
    let high = high & !0xF000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    Ok(Value::string(format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFFF,
        low >> 48,
        low & 0xFFFF_FFFF_FFFF
    )))
}
