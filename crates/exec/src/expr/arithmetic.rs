//! Arithmetic kernels over integers, floats and instants.

use trimorph_algebra::Op;
use trimorph_types::Value;
use trimorph_vector::{Nulls, Positions, Values, Vector};

use super::evaluated::Evaluated;

/// Integer and float arithmetic. An overflow, and a division by zero, is left to the scalar evaluator, which
/// has the message.
pub(super) fn arithmetic<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    enum Side<'x, T> {
        One(T),
        Many(&'x [T]),
    }
    impl<T: Copy> Side<'_, T> {
        #[inline(always)]
        fn at(&self, i: usize) -> T {
            match self {
                Self::One(v) => *v,
                Self::Many(v) => v[i],
            }
        }
    }
    fn ints<'x>(e: &'x Evaluated<'_, '_>) -> Option<Side<'x, i64>> {
        match (e, e.vector().map(|v| &v.values)) {
            (Evaluated::Const(Value::Int(i)), _) => Some(Side::One(*i)),
            (_, Some(Values::Int(v))) => Some(Side::Many(v)),
            _ => None,
        }
    }
    fn floats<'x>(e: &'x Evaluated<'_, '_>) -> Option<Side<'x, f64>> {
        match (e, e.vector().map(|v| &v.values)) {
            (Evaluated::Const(Value::Float(f)), _) => Some(Side::One(*f)),
            (_, Some(Values::Float(v))) => Some(Side::Many(v)),
            _ => None,
        }
    }
    if let (
        Op::Add | Op::Sub,
        Some(Vector { values: Values::DateTime(v), nulls }),
        Evaluated::Const(Value::Duration(d)),
    ) = (op, a.vector(), b)
        && d.months == 0
    {
        // In UTC a day is 24 hours.
        let seconds = d.days.checked_mul(86_400)?.checked_add(d.seconds)?;
        let shift = seconds.checked_mul(1_000_000_000)?.checked_add(d.nanos.into())?;
        let shift = if op == Op::Add { shift } else { shift.checked_neg()? };
        let mut out = vec![0i64; at.len];
        let mut overflow = false;
        at.for_each(|i| {
            let (value, over) = v[i].overflowing_add(shift);
            out[i] = value;
            overflow |= over && !nulls.get(i);
        });
        return (!overflow).then(|| Vector { values: Values::DateTime(out), nulls: nulls.clone() });
    }
    let none = Nulls::NONE;
    let nulls = |e: &Evaluated<'_, 's>| e.vector().map_or(none.clone(), |v| v.nulls.clone());
    if let (Some(x), Some(y)) = (ints(a), ints(b)) {
        let nulls = nulls(a).union(&nulls(b), at.len);
        // One loop per operator, so that the loop has no branch on it.
        macro_rules! fill {
            ($of:expr) => {{
                let (mut out, mut overflow) = (vec![0i64; at.len], false);
                at.for_each(|i| {
                    let (value, over) = $of(x.at(i), y.at(i));
                    out[i] = value;
                    overflow |= over;
                });
                (out, overflow)
            }};
        }
        let (out, overflow) = match op {
            Op::Add => fill!(|x: i64, y| x.overflowing_add(y)),
            Op::Sub => fill!(|x: i64, y| x.overflowing_sub(y)),
            Op::Mul => fill!(|x: i64, y| x.overflowing_mul(y)),
            // By zero: what is null there is no error, and the scalar evaluator tells.
            Op::Div => fill!(|x: i64, y| if y == 0 { (0, true) } else { x.overflowing_div(y) }),
            _ => fill!(|x: i64, y| if y == 0 { (0, true) } else { (x.wrapping_rem(y), false) }),
        };
        return (!overflow).then_some(Vector { values: Values::Int(out), nulls });
    }
    if let (Some(x), Some(y)) = (floats(a), floats(b)) {
        let nulls = nulls(a).union(&nulls(b), at.len);
        let mut out = vec![0f64; at.len];
        at.for_each(|i| {
            let (x, y) = (x.at(i), y.at(i));
            out[i] = match op {
                Op::Add => x + y,
                Op::Sub => x - y,
                Op::Mul => x * y,
                Op::Div => x / y,
                _ => x % y,
            };
        });
        return Some(Vector { values: Values::Float(out), nulls });
    }
    None
}
