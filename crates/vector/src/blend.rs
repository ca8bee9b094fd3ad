//! Several vectors or constants, each for some positions, as one vector.
//!
//! The result is typed where all parts are of one type, numbers, or null; else it is general. Every value
//! keeps its type: an integer beside a float stays an integer.

use std::sync::Arc;

use trimorph_base::EdgeId;
use trimorph_types::Value;

use crate::{Dictionary, Nulls, Numbers, Positions, Texts, Values, Vector};

/// What some positions are given.
#[derive(Clone, Copy, Debug)]
pub enum Part<'v, 's> {
    /// One value for all of them.
    One(&'v Value, &'v [u32]),
    /// The values of a vector at those positions.
    Each(&'v Vector<'s>, &'v [u32]),
    /// The values of a vector wherever later parts have none. The first part, if there is one.
    Under(&'v Vector<'s>),
}

/// Puts parts together. Every position that is meant is of exactly one part, or of
/// one besides what lies under all others.
pub fn blend<'s>(parts: &[Part<'_, 's>], at: Positions<'_>, edge: &dyn Fn(EdgeId) -> Value) -> Vector<'s> {
    typed(parts, at.len).unwrap_or_else(|| {
        let mut out = vec![Value::Null; at.len];
        for part in parts {
            match part {
                Part::One(v, list) => list.iter().for_each(|p| out[*p as usize] = (*v).clone()),
                Part::Each(v, list) => {
                    list.iter().for_each(|p| out[*p as usize] = v.value(*p as usize, edge));
                }
                Part::Under(v) => at.for_each(|i| out[i] = v.value(i, edge)),
            }
        }
        Vector::of_mixed(out, at)
    })
}

/// The same where the parts are vectors and constants of one type.
fn typed<'s>(parts: &[Part<'_, 's>], len: usize) -> Option<Vector<'s>> {
    let has_type = |part: &&Part<'_, '_>| match part {
        Part::One(v, _) => !v.is_null(),
        Part::Each(v, _) | Part::Under(v) => !matches!(v.values, Values::Any(_)),
    };
    let first = parts.iter().find(has_type)?;
    let mut out = match first {
        Part::One(v, _) => Vector::constant(v, len),
        Part::Under(v) => (*v).clone(),
        Part::Each(v, _) => v.like().resized(len),
    };
    if matches!(out.values, Values::Any(_)) {
        return None;
    }
    for part in parts {
        match part {
            // It was taken first, or has no type and so no values.
            Part::Under(v) if matches!(first, Part::Under(_)) || v.listed() == 0 => {}
            Part::Under(_) => return None,
            Part::One(Value::Null, list) => {
                list.iter().for_each(|p| out.nulls.set(*p as usize, len));
            }
            Part::One(v, list) => {
                if !out.assign_value(v, list) && !out.assign(&Vector::constant(v, len), list, len) {
                    return None;
                }
            }
            Part::Each(v, list) => {
                if !out.assign(v, list, len) {
                    return None;
                }
            }
        }
    }
    Some(out)
}

/// What `of` gives for the constant of each number; `none` for null. `None` where it gives nothing.
fn chosen<T: Copy>(
    constants: &[&Value],
    number: &[u8],
    none: T,
    of: impl Fn(&Value) -> Option<T>,
) -> Option<Vec<T>> {
    let one = |v: &Value| if v.is_null() { Some(none) } else { of(v) };
    if let [first, second] = constants {
        let (first, second) = (one(first)?, one(second)?);
        return Some(number.iter().map(|n| if *n == 0 { first } else { second }).collect());
    }
    constants.iter().try_for_each(|v| one(v).map(|_| ()))?;
    // A table of all numbers, so that looking one up needs no check.
    let mut table = [none; 256];
    table.iter_mut().zip(constants).for_each(|(slot, v)| *slot = one(v).unwrap_or(none));
    Some(number.iter().map(|n| table[usize::from(*n)]).collect())
}

/// The constant of the number at each position. There are fewer than 256 constants, and no number without
/// one.
pub fn choose<'s>(constants: &[&Value], number: &[u8]) -> Vector<'s> {
    let pick = |n: &u8| constants.get(usize::from(*n)).map_or(Value::Null, |v| (*v).clone());
    let mut nulls = Nulls::NONE;
    if constants.iter().any(|v| v.is_null()) {
        // Nulls alone have no type.
        if constants.iter().all(|v| v.is_null()) {
            return Vector::new(Values::Any(number.iter().map(pick).collect()));
        }
        let mut is_null = [true; 256];
        is_null.iter_mut().zip(constants).for_each(|(slot, v)| *slot = v.is_null());
        let missing: Vec<bool> = number.iter().map(|n| is_null[usize::from(*n)]).collect();
        nulls = Nulls::of_words(missing.chunks(64).map(crate::bits_of).collect());
    }
    let int = || chosen(constants, number, 0, |v| if let Value::Int(i) = v { Some(*i) } else { None });
    let float = || chosen(constants, number, 0.0, |v| if let Value::Float(f) = v { Some(*f) } else { None });
    let boolean =
        || chosen(constants, number, false, |v| if let Value::Bool(b) = v { Some(*b) } else { None });
    if let Some(values) = int().map(Values::Int).or_else(|| float().map(Values::Float)) {
        return Vector { values, nulls };
    }
    if let Some(values) = boolean().map(Values::Bool).or_else(|| mixed(constants, number)) {
        return Vector { values, nulls };
    }
    if constants.iter().all(|v| matches!(v, Value::String(_) | Value::Null)) {
        let mut entries = Texts::with_capacity(constants.len());
        for value in constants {
            entries.push(if let Value::String(text) = value { text } else { "" });
        }
        let codes = number.iter().map(|n| u32::from(*n)).collect();
        return Vector {
            values: Values::String(Texts::coded(codes, &Arc::new(Dictionary::new(entries)))),
            nulls,
        };
    }
    Vector::of_mixed(number.iter().map(pick).collect(), Positions::all(number.len()))
}

/// Integers and floats beside each other: the bits of each, and whether it is a float.
fn mixed<'s>(constants: &[&Value], number: &[u8]) -> Option<Values<'s>> {
    let bits = chosen(constants, number, 0, |v| match v {
        Value::Int(i) => Some(i.cast_unsigned()),
        Value::Float(f) => Some(f.to_bits()),
        _ => None,
    })?;
    let floats = chosen(constants, number, false, |v| Some(matches!(v, Value::Float(_))))?;
    Numbers::new(bits, floats).map(Values::Number)
}
