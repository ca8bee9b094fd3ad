//! Conversions of numbers, Booleans and temporal values.

use std::fmt::Write as _;

use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_value};
use trimorph_vector::{Nulls, Positions, Side, Texts, Values, Vector, map, zip_checked};

use crate::context::Context;
use crate::kernel::Argument;
use crate::kernels::texts;
use crate::round::whole;

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
        Values::String(_) => return texts::to_float(args, at),
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
        Values::String(_) => return texts::to_boolean(args, at),
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
    let out = match &vector.values {
        Values::String(_) => return Some((*vector).clone()),
        Values::Bool(v) => {
            written(&vector.nulls, at, |i, out| out.push_str(if v[i] { "true" } else { "false" }))
        }
        Values::Int(v) => written(&vector.nulls, at, |i, out| write_shown(out, v[i])),
        Values::Date(v) => {
            written(&vector.nulls, at, |i, out| write_shown(out, trimorph_types::Date { days: v[i].into() }))
        }
        Values::Float(_) | Values::LocalTime(_) | Values::LocalDateTime(_) | Values::DateTime(_) => {
            let value = |i| vector.value(i, &|_| Value::Null);
            written(&vector.nulls, at, |i, out| out.push_str(&format_value(&value(i), &IdsOnly)))
        }
        _ => return None,
    };
    Some(out)
}

fn write_shown(out: &mut String, value: impl std::fmt::Display) {
    // Writing into a string does not fail.
    let _ = write!(out, "{value}");
}

/// What `write` writes for each that is not null, one after the other into one buffer.
fn written<'s>(nulls: &Nulls, at: Positions<'_>, mut write: impl FnMut(usize, &mut String)) -> Vector<'s> {
    let (mut texts, mut buffer) = (Texts::blank(at.len), String::new());
    at.for_each(|i| {
        if !nulls.get(i) {
            buffer.clear();
            write(i, &mut buffer);
            texts.set(i, &buffer);
        }
    });
    Vector { values: Values::String(texts), nulls: nulls.clone() }
}
