//! Conversions of numbers, Booleans and temporal values.

use std::fmt::Write;

use trimorph_types::format::{IdsOnly, format_value};
use trimorph_types::{Decimal, Value};
use trimorph_vector::{Lists, Nulls, Positions, Texts, Values, Vector, map, map_checked};

use crate::context::Context;
use crate::kernel::{Argument, TypedKernel};
use crate::kernels::lists::MADE_MAX;
use crate::kernels::texts;
use crate::kernels::written::{written, written_once};
use crate::round::{is_whole_within, whole};

#[expect(clippy::cast_possible_truncation, reason = "whether the integer holds it is asked")]
pub(crate) fn to_integer<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let out = match &vector.values {
        Values::String(_) => return texts::to_integer(args, at),
        Values::Int(_) => return Some((*vector).clone()),
        Values::Bool(v) => map(v, at, i64::from),
        Values::Decimal(v) => {
            let (units, scale) = v.units()?;
            let unit = Decimal::power(scale)?;
            map(units, at, |n| n / unit)
        }
        Values::Float(v) => map_checked(v, &vector.nulls, at, |x: f64| {
            // Without a branch: the conversion stops at the ends, and NaN gives 0.
            (x as i64, i64::from(is_whole_within(x)) - 1)
        })?,
        _ => return None,
    };
    Some(Vector { values: Values::Int(out), nulls: vector.nulls.clone() })
}

/// Floats that no integer holds are null.
pub(crate) fn to_integer_or_null<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(Vector { values: Values::Float(v), nulls })) = args.first() else {
        return to_integer(context, args, at);
    };
    let (mut out, mut nulls) = (vec![0; at.len], nulls.clone());
    at.for_each(|i| match whole(v[i]) {
        Some(n) => out[i] = n,
        None => nulls.set(i, at.len),
    });
    Some(Vector { values: Values::Int(out), nulls })
}

#[expect(clippy::cast_precision_loss, reason = "rounding is what the conversion means")]
pub(crate) fn to_float<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let out = match &vector.values {
        Values::String(_) => return texts::to_float(args, at),
        Values::Float(_) => return Some((*vector).clone()),
        Values::Int(v) => map(v, at, |n| n as f64),
        Values::Decimal(v) => v.floats(),
        _ => return None,
    };
    Some(Vector { values: Values::Float(out), nulls: vector.nulls.clone() })
}

pub(crate) fn to_boolean<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let out = match &vector.values {
        Values::String(_) => return texts::to_boolean(args, at),
        Values::Bool(_) => return Some((*vector).clone()),
        Values::Int(v) => map(v, at, |n| n != 0),
        _ => return None,
    };
    Some(Vector { values: Values::Bool(out), nulls: vector.nulls.clone() })
}

pub(crate) fn to_string<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    written_each(vector, at)
}

/// The texts of values, written one after the other into one buffer.
pub(crate) fn written_each<'s>(vector: &Vector<'s>, at: Positions<'_>) -> Option<Vector<'s>> {
    let out = match &vector.values {
        Values::String(_) => return Some(vector.clone()),
        Values::Bool(v) => {
            written(&vector.nulls, at, |i, line| line.push(if v[i] { b"true" } else { b"false" }))
        }
        Values::Int(v) => written_once(v, &vector.nulls, at, |number, line| line.integer(number)),
        Values::Date(v) => written_once(v, &vector.nulls, at, |days, line| line.date(days)),
        Values::LocalTime(v) => written(&vector.nulls, at, |i, line| line.time(v[i])),
        Values::LocalDateTime(v) => written(&vector.nulls, at, |i, line| line.moment(v[i])),
        Values::DateTime(v) => written(&vector.nulls, at, |i, line| {
            line.moment(v[i]);
            line.push(b"Z");
        }),
        Values::Float(_)
        | Values::Decimal(_)
        | Values::Duration(_)
        | Values::Time(_)
        | Values::Zoned(_)
        | Values::Iri(_)
        | Values::Literal(_) => {
            let (mut texts, value) = (Texts::blank(at.len), |i| vector.value(i, &|_| Value::Null));
            at.for_each(|i| {
                if !vector.nulls.get(i) {
                    texts.set(i, &format_value(&value(i), &IdsOnly));
                }
            });
            Vector { values: Values::String(texts), nulls: vector.nulls.clone() }
        }
        Values::Any(values) => return written_values(values, at),
        _ => return None,
    };
    Some(out)
}

/// The texts of numbers, truth values and texts among each other; `None` where there is something else.
fn written_values<'s>(values: &[Value], at: Positions<'_>) -> Option<Vector<'s>> {
    let mut are_plain = true;
    let is_plain = |value: &Value| {
        matches!(value, Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_))
    };
    at.for_each(|i| are_plain &= is_plain(&values[i]));
    if !are_plain {
        return None;
    }
    let (mut texts, mut nulls, mut line) = (Texts::blank(at.len), Nulls::NONE, String::new());
    at.for_each(|i| match &values[i] {
        Value::Null => nulls.set(i, at.len),
        Value::String(text) => texts.set(i, text),
        Value::Int(number) => {
            line.clear();
            // Into a text nothing fails.
            _ = write!(line, "{number}");
            texts.set(i, &line);
        }
        other => texts.set(i, &format_value(other, &IdsOnly)),
    });
    Some(Vector { values: Values::String(texts), nulls })
}

/// The elements of lists, converted as `kernel` converts values: those of all lists at once. What is in no
/// list is converted, too, where it is not more than what is.
fn of_elements<'s>(
    kernel: TypedKernel,
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let [Argument::Each(Vector { values: Values::List(lists), nulls })] = args else { return None };
    let listed: usize = lists.runs().map(|(_, len)| len as usize).sum();
    if listed > MADE_MAX {
        return None;
    }
    let (child, gathered);
    let runs: Vec<(u32, u32)> = if lists.child().listed() <= 2 * listed {
        child = &**lists.child();
        lists.runs().collect()
    } else {
        let mut places = Vec::with_capacity(listed);
        let mut runs = vec![(0, 0); lists.len()];
        at.for_each(|i| {
            let elements = lists.elements(i);
            runs[i] = (u32::try_from(places.len()).unwrap_or(u32::MAX), elements.end - elements.start);
            places.extend(elements);
        });
        gathered = lists.child().gather(&places);
        child = &gathered;
        runs
    };
    let converted = kernel(context, &[Argument::Each(child)], Positions::all(child.listed()))?;
    let lists = Lists::new(runs.into_iter(), converted)?;
    Some(Vector { values: Values::List(lists), nulls: nulls.clone() })
}

pub(crate) fn to_integers<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    of_elements(to_integer_or_null, context, args, at)
}

pub(crate) fn to_floats<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    of_elements(to_float, context, args, at)
}

pub(crate) fn to_strings<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    of_elements(to_string, context, args, at)
}

pub(crate) fn to_booleans<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    of_elements(to_boolean, context, args, at)
}
