//! Arithmetic of floats, and of what counts as floats beside them: integers, decimals.

use trimorph_algebra::Op;
use trimorph_vector::{Positions, Side, zip};

/// `x op y`, each side made a float; `None` for an operator that has none. One loop per operator, so that the
/// loop has no branch on it.
#[inline(always)]
pub(super) fn floats<A: Copy, B: Copy>(
    op: Op,
    x: Side<'_, A>,
    y: Side<'_, B>,
    left: impl Fn(A) -> f64 + Copy,
    right: impl Fn(B) -> f64 + Copy,
    at: Positions<'_>,
) -> Option<Vec<f64>> {
    Some(match op {
        Op::Add => zip(x, y, at, |x, y| left(x) + right(y)),
        Op::Sub => zip(x, y, at, |x, y| left(x) - right(y)),
        Op::Mul => zip(x, y, at, |x, y| left(x) * right(y)),
        Op::Div => zip(x, y, at, |x, y| left(x) / right(y)),
        Op::Mod => zip(x, y, at, |x, y| left(x) % right(y)),
        Op::Pow => zip(x, y, at, |x, y| left(x).powf(right(y))),
        _ => return None,
    })
}
