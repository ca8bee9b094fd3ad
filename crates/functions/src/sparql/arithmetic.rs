//! `+`, `-`, `*`, `/` and the signs: of numbers, and of moments and durations.
//!
//! Integers that leave 64 bits stay exact integers up to 38 digits; decimals lose digits behind the point
//! before they are given up. A quotient of integers is a decimal.
//!
//! Source: XPath and XQuery Functions and Operators 3.1, §4.2, §8.4, §9.7.

use trimorph_types::rdf::lexical::{Moment, Span};
use trimorph_types::temporal::Ratio;
use trimorph_types::{Decimal, LogicalType, Value};
use trimorph_vector::{Positions, Vector};

use super::decimals;
use super::found::{Found, found, of_terms};
use super::meaning::Meaning;
use super::moment_vectors;
use super::moments::{SpanType, difference, moment_plus};
use super::number::{Number, Pair};
use super::temporal::{date_time_value, date_value, time_value};
use super::vectors::combined;
use crate::function::Function;
use crate::kernel::Argument;

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!("add", (2, 2), wider, |_, a| binary(Operator::Add, a), "add(a, b): a + b").typed(
        |_, args, at| {
            computed(args, at, Operator::Add, i64::overflowing_add, |x, y| x + y)
                .or_else(|| moment_vectors::plus(args, at, true))
        },
    ),
    of_terms!("sub", (2, 2), wider, |_, a| binary(Operator::Sub, a), "sub(a, b): a - b").typed(
        |_, args, at| {
            computed(args, at, Operator::Sub, i64::overflowing_sub, |x, y| x - y)
                .or_else(|| moment_vectors::plus(args, at, false))
                .or_else(|| moment_vectors::differences(args, at))
        },
    ),
    of_terms!("mul", (2, 2), wider, |_, a| binary(Operator::Mul, a), "mul(a, b): a * b")
        .typed(|_, args, at| computed(args, at, Operator::Mul, i64::overflowing_mul, |x, y| x * y)),
    of_terms!("div", (2, 2), quotient, |_, a| binary(Operator::Div, a), "div(a, b): a / b").typed(
        |_, args, at| {
            decimals::combined(args, at, true, |a, b| exact(Operator::Div, a, b))
                .or_else(|| combined(args, at, |_, _| (0, true), |x, y| x / y))
                .or_else(|| decimals::as_floats(args, at, |x, y| x / y))
        },
    ),
    of_terms!("neg", (1, 1), signed, |_, a| found(neg(&a[0])), "neg(a): -a"),
    of_terms!("plus", (1, 1), signed, |_, a| found(plus(&a[0])), "plus(a): +a, for what has a sign"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
}

/// Numbers of typed vectors: integers, floats, or decimals with integers.
#[inline(always)]
fn computed<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    operator: Operator,
    ints: impl Fn(i64, i64) -> (i64, bool),
    floats: impl Fn(f64, f64) -> f64,
) -> Option<Vector<'s>> {
    combined(args, at, ints, &floats)
        .or_else(|| decimals::combined(args, at, false, |a, b| exact(operator, a, b)))
        .or_else(|| decimals::as_floats(args, at, floats))
}

/// A float with any number is a float; integers may become larger than an integer.
fn wider(args: &[LogicalType]) -> LogicalType {
    match args {
        [LogicalType::Float, LogicalType::Float | LogicalType::Int | LogicalType::Decimal]
        | [LogicalType::Int | LogicalType::Decimal, LogicalType::Float] => LogicalType::Float,
        [LogicalType::Decimal, LogicalType::Decimal | LogicalType::Int]
        | [LogicalType::Int, LogicalType::Decimal] => LogicalType::Decimal,
        _ => LogicalType::Any,
    }
}

fn quotient(args: &[LogicalType]) -> LogicalType {
    match args {
        [LogicalType::Int, LogicalType::Int] => LogicalType::Decimal,
        _ => wider(args),
    }
}

fn signed(args: &[LogicalType]) -> LogicalType {
    match args {
        [one @ (LogicalType::Float | LogicalType::Decimal)] => *one,
        _ => LogicalType::Any,
    }
}

fn binary(operator: Operator, args: &[Value]) -> Found {
    if let (Value::Int(a), Value::Int(b)) = (&args[0], &args[1])
        && let Some(n) = whole(operator, *a, *b)
    {
        return Ok(Value::Int(n));
    }
    match (Meaning::of(&args[0]), Meaning::of(&args[1])) {
        (Meaning::Number(a), Meaning::Number(b)) => found(combine(operator, a, b)).map(Number::value),
        (a, b) => found(temporal(operator, a, b)),
    }
}

fn whole(operator: Operator, a: i64, b: i64) -> Option<i64> {
    match operator {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mul => a.checked_mul(b),
        Operator::Div => None,
    }
}

/// A number operator; `None` is SPARQL's error.
pub(super) fn combine(operator: Operator, a: Number, b: Number) -> Option<Number> {
    if let (Number::Int(x), Number::Int(y)) = (a, b)
        && let Some(n) = whole(operator, x, y)
    {
        return Some(Number::Int(n));
    }
    Some(match a.promoted(b) {
        Pair::Integers(a, b) if operator == Operator::Div => Number::Decimal(exact(operator, a, b)?),
        Pair::Integers(a, b) => Number::integer(exact(operator, a, b)?),
        Pair::Decimals(a, b) => Number::Decimal(exact(operator, a, b)?),
        Pair::Floats(a, b) => Number::Float(match operator {
            Operator::Add => a + b,
            Operator::Sub => a - b,
            Operator::Mul => a * b,
            Operator::Div => a / b,
        }),
        Pair::Doubles(a, b) => Number::Double(match operator {
            Operator::Add => a + b,
            Operator::Sub => a - b,
            Operator::Mul => a * b,
            Operator::Div => a / b,
        }),
    })
}

/// Exact as long as 38 digits do; then with fewer digits behind the points.
fn exact(operator: Operator, a: Decimal, b: Decimal) -> Option<Decimal> {
    let operate = |a: Decimal, b: Decimal| match operator {
        Operator::Add => a.plus(b),
        Operator::Sub => a.plus(b.negated()),
        Operator::Mul => a.times(b),
        Operator::Div => a.divided(b),
    };
    operate(a, b).or_else(|| {
        let scale = a.scale().max(b.scale());
        let cut = |number: Decimal, digits: u8| {
            let dropped = u32::from(number.scale().saturating_sub(digits));
            Decimal::new(number.unscaled() / 10_i128.pow(dropped), number.scale().min(digits))
        };
        // A divisor that is cut to nothing would be another error.
        let is_nothing = |b: Decimal| operator == Operator::Div && b.unscaled() == 0;
        (0..scale).rev().find_map(|digits| {
            let (a, b) = (cut(a, digits)?, cut(b, digits)?);
            if is_nothing(b) { None } else { operate(a, b) }
        })
    })
}

fn neg(term: &Value) -> Option<Value> {
    match Meaning::of(term) {
        Meaning::Number(number) => Some(negated(number).value()),
        Meaning::Span(kind, span) => kind.value(turned(span)?),
        _ => None,
    }
}

pub(super) fn negated(number: Number) -> Number {
    match number {
        Number::Int(n) => {
            n.checked_neg().map_or_else(|| Number::Big(Decimal::from(n).negated()), Number::Int)
        }
        Number::Big(n) => Number::integer(n.negated()),
        Number::Decimal(n) => Number::Decimal(n.negated()),
        Number::Float(x) => Number::Float(-x),
        Number::Double(x) => Number::Double(-x),
    }
}

fn turned(span: Span) -> Option<Span> {
    Some(Span { months: span.months.checked_neg()?, nanos: span.nanos.checked_neg()? })
}

fn plus(term: &Value) -> Option<Value> {
    match Meaning::of(term) {
        Meaning::Number(number) => Some(number.value()),
        Meaning::Span(..) => Some(term.clone()),
        _ => None,
    }
}

fn temporal(operator: Operator, a: Meaning<'_>, b: Meaning<'_>) -> Option<Value> {
    use Meaning::{Date, DateTime, Number, Span, Time};
    use Operator::{Add, Div, Mul, Sub};
    match (operator, a, b) {
        (Sub, DateTime(a), DateTime(b)) | (Sub, Date(a), Date(b)) | (Sub, Time(a), Time(b)) => {
            SpanType::Time.value(difference(a, b))
        }
        (Add, DateTime(moment), Span(_, span)) | (Add, Span(_, span), DateTime(moment)) => {
            date_time_value(moment_plus(moment, span)?)
        }
        (Sub, DateTime(moment), Span(_, span)) => date_time_value(moment_plus(moment, turned(span)?)?),
        (Add, Date(day), Span(_, span)) | (Add, Span(_, span), Date(day)) => {
            date_value(moment_plus(day, span)?)
        }
        (Sub, Date(day), Span(_, span)) => date_value(moment_plus(day, turned(span)?)?),
        (Add, Time(time), Span(_, span)) | (Add, Span(_, span), Time(time)) => time_plus(time, span),
        (Sub, Time(time), Span(_, span)) => time_plus(time, turned(span)?),
        (Add, Span(k, a), Span(l, b)) => both(k, l).value(sum(a, b)?),
        (Sub, Span(k, a), Span(l, b)) => both(k, l).value(sum(a, turned(b)?)?),
        (Mul, Span(kind, span), Number(n)) | (Mul, Number(n), Span(kind, span)) => {
            kind.value(times(kind, span, ratio(n)?)?)
        }
        (Div, Span(kind, span), Number(n)) => kind.value(times(kind, span, ratio(n)?.inverse()?)?),
        (Div, Span(k, a), Span(l, b)) if k == l => spans_ratio(k, a, b),
        _ => None,
    }
}

/// A time of day knows no months, and rolls over at midnight.
fn time_plus(time: Moment, span: Span) -> Option<Value> {
    if span.months != 0 {
        return None;
    }
    time_value(moment_plus(time, span)?)
}

fn both(a: SpanType, b: SpanType) -> SpanType {
    if a == b { a } else { SpanType::Any }
}

fn sum(a: Span, b: Span) -> Option<Span> {
    Some(Span { months: a.months.checked_add(b.months)?, nanos: a.nanos.checked_add(b.nanos)? })
}

fn ratio(number: Number) -> Option<Ratio> {
    match number {
        Number::Int(n) => Some(Ratio::whole(n)),
        Number::Big(n) | Number::Decimal(n) => Ratio::from_float(n.to_float()),
        Number::Float(x) => Ratio::from_float(x.into()),
        Number::Double(x) => Ratio::from_float(x),
    }
}

/// Months are rounded to the nearest, halves up; nanoseconds are cut.
fn times(kind: SpanType, span: Span, factor: Ratio) -> Option<Span> {
    if kind == SpanType::Any {
        return None;
    }
    // In tenths of a month, towards minus infinity after the half.
    let tenths = factor.times(i128::from(span.months).checked_mul(10)?)?;
    let months = i64::try_from(tenths.checked_add(5)?.div_euclid(10)).ok()?;
    Some(Span { months, nanos: factor.times(span.nanos)? })
}

fn spans_ratio(kind: SpanType, a: Span, b: Span) -> Option<Value> {
    let (a, b) = match kind {
        SpanType::Months => (i128::from(a.months), i128::from(b.months)),
        SpanType::Time => (a.nanos, b.nanos),
        SpanType::Any => return None,
    };
    exact(Operator::Div, Decimal::new(a, 0)?, Decimal::new(b, 0)?).map(Value::Decimal)
}
