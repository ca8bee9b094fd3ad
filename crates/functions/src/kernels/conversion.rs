//! Conversions of numbers, Booleans and temporal values.

use std::fmt::Write as _;
use std::sync::Arc;

use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_value};
use trimorph_vector::{Nulls, Positions, Side, Values, Vector, map, zip_checked};

use crate::context::Context;
use crate::kernel::Argument;
use crate::round::whole;

pub(crate) fn to_integer<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let out = match &vector.values {
        Values::Int(_) => return Some((*vector).clone()),
        Values::Bool(v) => map(v, at, i64::from),
        Values::Float(v) => zip_checked(Side::Each(v), Side::One(()), &vector.nulls, at, |x, ()| {
            whole(x).map_or((0, -1), |n| (n, 0))
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
        Values::Float(_) => return Some((*vector).clone()),
        Values::Int(v) => map(v, at, |n| n as f64),
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
        Values::Bool(_) => return Some((*vector).clone()),
        Values::Int(v) => map(v, at, |n| n != 0),
        _ => return None,
    };
    Some(Vector { values: Values::Bool(out), nulls: vector.nulls.clone() })
}

/// Texts, written one after the other into one buffer.
pub(crate) fn to_string<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let mut buffer = String::new();
    let out = match &vector.values {
        Values::Bool(v) => texts(&vector.nulls, at, |i| Arc::from(if v[i] { "true" } else { "false" })),
        Values::Int(v) => texts(&vector.nulls, at, |i| {
            buffer.clear();
            // Writing into a string does not fail.
            let _ = write!(buffer, "{}", v[i]);
            Arc::from(buffer.as_str())
        }),
        Values::Date(v) => texts(&vector.nulls, at, |i| {
            buffer.clear();
            let _ = write!(buffer, "{}", trimorph_types::Date { days: v[i].into() });
            Arc::from(buffer.as_str())
        }),
        Values::Float(_) | Values::LocalTime(_) | Values::LocalDateTime(_) | Values::DateTime(_) => {
            texts(&vector.nulls, at, |i| {
                Arc::from(format_value(&vector.value(i, &|_| Value::Null), &IdsOnly))
            })
        }
        _ => return None,
    };
    Some(out)
}

/// The text of what is not null.
fn texts<'s>(nulls: &Nulls, at: Positions<'_>, mut text: impl FnMut(usize) -> Arc<str>) -> Vector<'s> {
    Vector::of_texts(at, |i| if nulls.get(i) { None } else { Some(text(i)) })
}
