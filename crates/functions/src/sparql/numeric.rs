//! Functions of numbers: ABS, CEIL, FLOOR, ROUND, RAND. Each keeps the type of its argument.

use trimorph_types::{Decimal, LogicalType, Value};
use trimorph_vector::{Positions, Values, Vector};

use super::arithmetic::negated;
use super::decimals;
use super::found::{Found, found, of_terms};
use super::number::Number;
use super::vectors;
use crate::context::Context;
use crate::function::{Function, result};
use crate::kernel::Argument;
use crate::kernels::math;
use crate::round::round_half_up;

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!(
        "number",
        (1, 1),
        same_type,
        |_, a| of_number(a, Some),
        "number(a): the number that a literal means, in the usual form of its type"
    )
    .typed(numbers),
    of_terms!("abs", (1, 1), same_type, |_, a| of_number(a, abs), "abs(a): the number without its sign")
        .typed(math::abs),
    of_terms!(
        "ceil",
        (1, 1),
        same_type,
        |_, a| of_number(a, |n| rounded(n, up, f32::ceil, f64::ceil)),
        "ceil(a): the smallest whole number not below a"
    )
    .typed(|_, args, at| vectors::rounded(args, at, f64::ceil).or_else(|| decimals::mapped(args, at, up))),
    of_terms!(
        "floor",
        (1, 1),
        same_type,
        |_, a| of_number(a, |n| rounded(n, down, f32::floor, f64::floor)),
        "floor(a): the largest whole number not above a"
    )
    .typed(|_, args, at| vectors::rounded(args, at, f64::floor).or_else(|| decimals::mapped(args, at, down))),
    of_terms!(
        "round",
        (1, 1),
        same_type,
        |_, a| of_number(a, |n| rounded(n, nearest, nearest_float, nearest_double)),
        "round(a): the nearest whole number, the larger of two"
    )
    .typed(|_, args, at| {
        vectors::rounded(args, at, nearest_double).or_else(|| decimals::mapped(args, at, nearest))
    }),
    of_terms!(
        "rand",
        (0, 0),
        result::float,
        |context, _| Ok(Value::Float(context.random_float())),
        "rand(): a random double, 0 ≤ x < 1"
    )
    .not_deterministic(),
];

/// Literals of other numeric types keep theirs.
fn same_type(args: &[LogicalType]) -> LogicalType {
    match args {
        [one @ (LogicalType::Float | LogicalType::Decimal)] => *one,
        _ => LogicalType::Any,
    }
}

/// Numbers as they are.
fn numbers<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], _: Positions<'_>) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let are =
        matches!(vector.values, Values::Int(_) | Values::Float(_) | Values::Decimal(_) | Values::Number(_));
    are.then(|| (*vector).clone())
}

fn of_number(args: &[Value], of: fn(Number) -> Option<Number>) -> Found {
    found(Number::of(&args[0]).and_then(of)).map(Number::value)
}

fn abs(number: Number) -> Option<Number> {
    Some(match number {
        Number::Float(x) => Number::Float(x.abs()),
        Number::Double(x) => Number::Double(x.abs()),
        _ if number.exact()?.unscaled() < 0 => negated(number),
        _ => number,
    })
}

fn rounded(
    number: Number,
    exact: fn(Decimal) -> Option<Decimal>,
    float: fn(f32) -> f32,
    double: fn(f64) -> f64,
) -> Option<Number> {
    Some(match number {
        Number::Int(_) | Number::Big(_) => number,
        Number::Decimal(n) => Number::Decimal(exact(n)?),
        Number::Float(x) => Number::Float(float(x)),
        Number::Double(x) => Number::Double(double(x)),
    })
}

/// The whole number below or at `number`.
fn down(number: Decimal) -> Option<Decimal> {
    let unit = 10_i128.pow(number.scale().into());
    Decimal::new(number.unscaled().div_euclid(unit), 0)
}

fn up(number: Decimal) -> Option<Decimal> {
    down(number.negated()).map(Decimal::negated)
}

fn nearest(number: Decimal) -> Option<Decimal> {
    let below = down(number)?;
    let fraction = number.plus(below.negated())?;
    if fraction >= Decimal::new(5, 1)? { below.plus(1.into()) } else { Some(below) }
}

// What is below zero and rounded to it is negative zero, as XPath says.

fn nearest_float(x: f32) -> f32 {
    let floor = x.floor();
    let nearest = if x - floor >= 0.5 { floor + 1.0 } else { floor };
    nearest.copysign(x)
}

fn nearest_double(x: f64) -> f64 {
    round_half_up(x).copysign(x)
}
