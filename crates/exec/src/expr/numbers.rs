//! Comparison and arithmetic of integers and floats beside each other, with one another or with those of one
//! type: what each pair gives is what it gives by itself.
//!
//! Hot loop: one look at which of both are floats, a value.

use std::cmp::Ordering;

use trimorph_algebra::Op;
use trimorph_functions::{Argument, nulls_of};
use trimorph_types::Value;
use trimorph_types::number::compare_int_float;
use trimorph_vector::{Number, Numbers, Positions, Values, Vector};

use super::compare_wide::{by_position, satisfies};
use super::evaluated::Evaluated;

/// One side.
#[derive(Clone, Copy)]
enum Operand<'a> {
    One(Number),
    Ints(&'a [i64]),
    Floats(&'a [f64]),
    Each(&'a Numbers),
}

impl<'a> Operand<'a> {
    fn of(argument: Argument<'a, '_>) -> Option<Self> {
        Some(match argument {
            Argument::One(Value::Int(i)) => Self::One(Number::Int(*i)),
            Argument::One(Value::Float(f)) => Self::One(Number::Float(*f)),
            Argument::One(_) => return None,
            Argument::Each(vector) => match &vector.values {
                Values::Int(ints) => Self::Ints(ints),
                Values::Float(floats) => Self::Floats(floats),
                Values::Number(numbers) => Self::Each(numbers),
                _ => return None,
            },
        })
    }

    #[inline]
    fn get(self, i: usize) -> Number {
        match self {
            Self::One(number) => number,
            Self::Ints(ints) => Number::Int(ints[i]),
            Self::Floats(floats) => Number::Float(floats[i]),
            Self::Each(numbers) => numbers.get(i),
        }
    }
}

/// Both sides, where one has integers beside floats and the other numbers of any kind.
fn operands<'a>(a: Argument<'a, '_>, b: Argument<'a, '_>) -> Option<(Operand<'a>, Operand<'a>)> {
    let (a, b) = (Operand::of(a)?, Operand::of(b)?);
    matches!((a, b), (Operand::Each(_), _) | (_, Operand::Each(_))).then_some((a, b))
}

/// How two numbers order; none where one is NaN.
#[inline]
fn order(a: Number, b: Number) -> Option<Ordering> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
        (Number::Int(a), Number::Float(b)) => compare_int_float(a, b),
        (Number::Float(a), Number::Int(b)) => compare_int_float(b, a).map(Ordering::reverse),
    }
}

/// `a op b` of a comparison; `None` where the sides are others.
pub(super) fn compare_numbers<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (x, y) = (a.argument(), b.argument());
    let (a, b) = operands(x, y)?;
    let of = |i: usize| order(a.get(i), b.get(i)).map_or(op == Op::Ne, |order| satisfies(op, order));
    Some(Vector { values: by_position(at, of), nulls: nulls_of(&[x, y], at.len) })
}

/// `a op b` of arithmetic; `None` where the sides are others, or an error asks for the scalar evaluator.
pub(super) fn numbers<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (x, y) = (a.argument(), b.argument());
    let (a, b) = operands(x, y)?;
    let nulls = nulls_of(&[x, y], at.len);
    let is_float = |side| matches!(side, Operand::Floats(_) | Operand::One(Number::Float(_)));
    if op == Op::Pow || is_float(a) || is_float(b) {
        let mut out = vec![0.0; at.len];
        at.for_each(|i| out[i] = combined(op, a.get(i), b.get(i)).map_or(0.0, Number::float));
        return Some(Vector { values: Values::Float(out), nulls });
    }
    let (mut out, mut is_right) = (vec![Number::Int(0); at.len], true);
    at.for_each(|i| match combined(op, a.get(i), b.get(i)) {
        Some(number) => out[i] = number,
        // What is null is arbitrary.
        None => is_right &= nulls.get(i),
    });
    is_right.then(|| {
        let mut numbers = Numbers::default();
        out.into_iter().for_each(|number| numbers.push(number));
        Vector { values: Values::Number(numbers), nulls }
    })
}

/// Of two numbers; none where it does not fit, or is not defined.
#[inline]
fn combined(op: Op, a: Number, b: Number) -> Option<Number> {
    if let (Number::Int(a), Number::Int(b)) = (a, b)
        && op != Op::Pow
    {
        return Some(Number::Int(match op {
            Op::Add => a.checked_add(b)?,
            Op::Sub => a.checked_sub(b)?,
            Op::Mul => a.checked_mul(b)?,
            Op::Div => a.checked_div(b)?,
            Op::Mod if b == 0 => return None,
            Op::Mod => a.wrapping_rem(b),
            _ => return None,
        }));
    }
    let (a, b) = (a.float(), b.float());
    Some(Number::Float(match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Mod => a % b,
        Op::Pow => a.powf(b),
        _ => return None,
    }))
}
