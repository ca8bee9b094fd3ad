//! Comparison kernels: two typed vectors, or a vector and a constant, in; Booleans out, null where either
//! side is. `None` where the types ask for the general operator.

use std::cmp::Ordering;

use trimorph_algebra::Op;
use trimorph_types::Value;
use trimorph_vector::{Group, Nulls, Values, Vector};

use super::evaluated::{Evaluated, positions};
use super::range::swapped;

/// Whether an order satisfies a comparison.
#[inline(always)]
fn satisfies(op: Op, order: Ordering) -> bool {
    match op {
        Op::Eq => order.is_eq(),
        Op::Ne => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

pub(super) fn compare<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    g: &Group<'s>,
) -> Option<Vector<'s>> {
    match (a, b) {
        (Evaluated::Const(Value::Null), _) | (_, Evaluated::Const(Value::Null)) => {
            Some(Vector { values: Values::Bool(vec![false; g.len]), nulls: Nulls::all(g.len) })
        }
        (Evaluated::Const(a), b) => compare_constant(swapped(op)?, b.vector()?, a, g),
        (a, Evaluated::Const(b)) => compare_constant(op, a.vector()?, b, g),
        (a, b) => compare_vectors(op, a.vector()?, b.vector()?, g),
    }
}

/// One loop per operator, so that the loop has no branch on it.
macro_rules! compare_loop {
    ($op:expr, $g:expr, $a:expr, $b:expr) => {{
        let (mut out, g) = (vec![false; $g.len], $g);
        let (a, b) = ($a, $b);
        match $op {
            Op::Eq => positions(g).for_each(g.len, |i| out[i] = a(i) == b(i)),
            Op::Ne => positions(g).for_each(g.len, |i| out[i] = a(i) != b(i)),
            Op::Lt => positions(g).for_each(g.len, |i| out[i] = a(i) < b(i)),
            Op::Le => positions(g).for_each(g.len, |i| out[i] = a(i) <= b(i)),
            Op::Gt => positions(g).for_each(g.len, |i| out[i] = a(i) > b(i)),
            _ => positions(g).for_each(g.len, |i| out[i] = a(i) >= b(i)),
        }
        Values::Bool(out)
    }};
}

fn compare_constant<'s>(op: Op, a: &Vector<'s>, b: &Value, g: &Group<'s>) -> Option<Vector<'s>> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    let values = match (&a.values, b) {
        (Values::Int(a), Value::Int(b)) => compare_loop!(op, g, |i: usize| a[i], |_| *b),
        (Values::Float(a), Value::Float(b)) => compare_loop!(op, g, |i: usize| a[i], |_| *b),
        (Values::Date(a), Value::Date(b)) => compare_loop!(op, g, |i: usize| i64::from(a[i]), |_| b.days),
        (Values::LocalTime(a), Value::LocalTime(b)) => compare_loop!(op, g, |i: usize| a[i], |_| b.nanos),
        (Values::DateTime(a), Value::DateTime(b)) => {
            let b = nanos(b.seconds, b.nanos)?;
            // Equality of zoned instants also asks for the zone; only order is decided by the instant alone.
            if matches!(op, Op::Eq | Op::Ne) {
                return None;
            }
            compare_loop!(op, g, |i: usize| a[i], |_| b)
        }
        (Values::LocalDateTime(a), Value::LocalDateTime(b)) => {
            let b = nanos(b.seconds, b.nanos)?;
            compare_loop!(op, g, |i: usize| a[i], |_| b)
        }
        (Values::String(a), Value::String(b)) => {
            let mut out = vec![false; g.len];
            positions(g).for_each(g.len, |i| out[i] = satisfies(op, a.get(i).cmp(b)));
            Values::Bool(out)
        }
        (Values::Node(a), Value::Node(b)) if matches!(op, Op::Eq | Op::Ne) => {
            compare_loop!(op, g, |i: usize| a.id(i), |_| *b)
        }
        (Values::Edge(a), Value::Relationship(b)) if matches!(op, Op::Eq | Op::Ne) => {
            compare_loop!(op, g, |i: usize| a.id(i), |_| b.id)
        }
        _ => return None,
    };
    Some(Vector { values, nulls: a.nulls.clone() })
}

fn compare_vectors<'s>(op: Op, a: &Vector<'s>, b: &Vector<'s>, g: &Group<'s>) -> Option<Vector<'s>> {
    let values = match (&a.values, &b.values) {
        (Values::Int(x), Values::Int(y))
        | (Values::LocalTime(x), Values::LocalTime(y))
        | (Values::LocalDateTime(x), Values::LocalDateTime(y))
        | (Values::DateTime(x), Values::DateTime(y)) => {
            compare_loop!(op, g, |i: usize| x[i], |i: usize| y[i])
        }
        (Values::Float(x), Values::Float(y)) => compare_loop!(op, g, |i: usize| x[i], |i: usize| y[i]),
        (Values::Date(x), Values::Date(y)) => compare_loop!(op, g, |i: usize| x[i], |i: usize| y[i]),
        (Values::String(x), Values::String(y)) => {
            let mut out = vec![false; g.len];
            positions(g).for_each(g.len, |i| out[i] = satisfies(op, x.get(i).cmp(y.get(i))));
            Values::Bool(out)
        }
        (Values::Node(x), Values::Node(y)) if matches!(op, Op::Eq | Op::Ne) => {
            compare_loop!(op, g, |i: usize| x.id(i), |i: usize| y.id(i))
        }
        (Values::Edge(x), Values::Edge(y)) if matches!(op, Op::Eq | Op::Ne) => {
            compare_loop!(op, g, |i: usize| x.id(i), |i: usize| y.id(i))
        }
        _ => return None,
    };
    Some(Vector { values, nulls: a.nulls.union(&b.nulls, g.len) })
}
