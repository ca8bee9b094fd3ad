//! Arithmetic kernels over integers and floats. An overflow, and a division by zero, is found in a vector and
//! left to the scalar evaluator, which has the message.

use trimorph_algebra::Op;
use trimorph_functions::nulls_of;
use trimorph_types::Value;
use trimorph_vector::{Nulls, Positions, Side, Values, Vector, map, map_checked, zip_checked};

use super::arithmetic_floats::floats;
use super::arithmetic_wide::{arithmetic_wide, negated_wide};
use super::evaluated::Evaluated;
use super::moments::moved;
use super::numbers::numbers;

/// `a op b`; `None` where the types, or an error, ask for the scalar evaluator.
pub(super) fn arithmetic<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    if matches!(a, Evaluated::Const(Value::Null)) || matches!(b, Evaluated::Const(Value::Null)) {
        return None;
    }
    let (x, y) = (a.argument(), b.argument());
    let nulls = nulls_of(&[x, y], at.len);
    let values = match (x.ints(), y.ints(), x.floats(), y.floats()) {
        (Some(x), Some(y), ..) if op != Op::Pow => Values::Int(integers(op, x, y, &nulls, at)?),
        (Some(x), Some(y), ..) => Values::Float(floats(op, x, y, float, float, at)?),
        (.., Some(x), Some(y)) => Values::Float(floats(op, x, y, |x| x, |y| y, at)?),
        (Some(x), .., Some(y)) => Values::Float(floats(op, x, y, float, |y| y, at)?),
        (_, Some(y), Some(x), _) => Values::Float(floats(op, x, y, |x| x, float, at)?),
        _ => {
            let wide = || moved(op, a, b, at).or_else(|| arithmetic_wide(op, a, b, at));
            return numbers(op, a, b, at).or_else(wide);
        }
    };
    Some(Vector { values, nulls })
}

#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "an integer with a float counts as a float")]
fn float(n: i64) -> f64 {
    n as f64
}

/// One loop per operator, so that the loop has no branch on it. The second of each pair is negative where
/// the result does not fit.
fn integers(
    op: Op,
    x: Side<'_, i64>,
    y: Side<'_, i64>,
    nulls: &Nulls,
    at: Positions<'_>,
) -> Option<Vec<i64>> {
    if let (Op::Add | Op::Sub, Side::Each(x), Side::Each(y)) = (op, x, y)
        && at.is_all()
    {
        let (out, signs) = if op == Op::Add { sums(x, y) } else { differences(x, y) };
        if signs >= 0 && out.len() == at.len {
            return Some(out);
        }
    }
    match op {
        // The sum has a sign that neither operand has.
        Op::Add => zip_checked(x, y, nulls, at, |x: i64, y| {
            let sum = x.wrapping_add(y);
            (sum, (x ^ sum) & (y ^ sum))
        }),
        Op::Sub => zip_checked(x, y, nulls, at, |x: i64, y| {
            let difference = x.wrapping_sub(y);
            (difference, (x ^ y) & (x ^ difference))
        }),
        Op::Mul => zip_checked(x, y, nulls, at, |x: i64, y| {
            let (product, over) = x.overflowing_mul(y);
            (product, -i64::from(over))
        }),
        Op::Div => zip_checked(x, y, nulls, at, |x: i64, y: i64| {
            x.checked_div(y).map_or((0, -1), |quotient| (quotient, 0))
        }),
        // The least integer by -1 leaves 0, though the division overflows.
        Op::Mod => zip_checked(
            x,
            y,
            nulls,
            at,
            |x: i64, y: i64| {
                if y == 0 { (0, -1) } else { (x.wrapping_rem(y), 0) }
            },
        ),
        _ => None,
    }
}

/// Sums, and the signs of all, negative where one does not fit: by itself, so that the loop is done in
/// vectors and needs no zeros to be written over.
#[inline(never)]
fn sums(x: &[i64], y: &[i64]) -> (Vec<i64>, i64) {
    let mut signs = 0;
    let each = x.iter().zip(y).map(|(x, y)| {
        let sum = x.wrapping_add(*y);
        signs |= (x ^ sum) & (y ^ sum);
        sum
    });
    (each.collect(), signs)
}

/// The same of differences.
#[inline(never)]
fn differences(x: &[i64], y: &[i64]) -> (Vec<i64>, i64) {
    let mut signs = 0;
    let each = x.iter().zip(y).map(|(x, y)| {
        let difference = x.wrapping_sub(*y);
        signs |= (x ^ y) & (x ^ difference);
        difference
    });
    (each.collect(), signs)
}

/// `-a`.
pub(super) fn negated<'s>(a: &Evaluated<'_, 's>, at: Positions<'_>) -> Option<Vector<'s>> {
    let vector = a.vector()?;
    let values = match &vector.values {
        // Only the least integer keeps its sign.
        Values::Int(v) => {
            Values::Int(map_checked(v, &vector.nulls, at, |n| (n.wrapping_neg(), n & n.wrapping_neg()))?)
        }
        Values::Float(v) => Values::Float(map(v, at, |x: f64| -x)),
        _ => return negated_wide(vector, at),
    };
    Some(Vector { values, nulls: vector.nulls.clone() })
}
