//! Comparison of values that are more than a word: times with offsets, instants with zones, durations,
//! decimals, IRIs and literals. As `compare`: two sides in, Booleans out, `None` where the types ask for the
//! general operator.

use std::cmp::Ordering;

use trimorph_algebra::Op;
use trimorph_types::compare::{order_times, order_zones};
use trimorph_types::{Decimal, LiteralKind, Zone};
use trimorph_vector::{Decimals, Literals, Nulls, Positions, Side, Values, Vector, each, zip};

/// Whether an order satisfies a comparison.
#[inline(always)]
pub(super) fn satisfies(op: Op, order: Ordering) -> bool {
    match op {
        Op::Eq => order.is_eq(),
        Op::Ne => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// Calls `of` on each position, where values are not in a slice.
pub(super) fn by_position<'s>(at: Positions<'_>, of: impl Fn(usize) -> bool) -> Values<'s> {
    Values::Bool(each(at, of))
}

/// The second side: a value for each position, or the first of a vector for all.
#[derive(Clone, Copy)]
pub(super) struct Other<'a, 's> {
    pub(super) vector: &'a Vector<'s>,
    pub(super) is_one: bool,
}

impl Other<'_, '_> {
    #[inline(always)]
    fn place(self, i: usize) -> usize {
        if self.is_one { 0 } else { i }
    }

    /// Where either side is null.
    fn nulls(self, a: &Vector<'_>, at: Positions<'_>) -> Nulls {
        if self.is_one { a.nulls.clone() } else { a.nulls.union(&self.vector.nulls, at.len) }
    }
}

pub(super) fn compare_wide<'s>(
    op: Op,
    a: &Vector<'s>,
    b: Other<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let is_equality = matches!(op, Op::Eq | Op::Ne);
    let nulls = b.nulls(a, at);
    let values = match (&a.values, &b.vector.values) {
        (Values::Time(x), Values::Time(y)) if is_equality => equal(op, at, |i| x[i] == y[b.place(i)]),
        (Values::Time(x), Values::Time(y)) => ordered(op, at, |i| order_times(x[i], y[b.place(i)])),
        (Values::Zoned(_) | Values::DateTime(_), Values::Zoned(_) | Values::DateTime(_)) => {
            let (x, y) = (Instants::of(a)?, Instants::of(b.vector)?);
            // One instant in two zones is not equal.
            ordered(op, at, |i| {
                let j = b.place(i);
                x.nanos[i].cmp(&y.nanos[j]).then_with(|| order_zones(x.zone(i), y.zone(j)))
            })
        }
        (Values::Duration(x), Values::Duration(y)) if is_equality => equal(op, at, |i| x[i] == y[b.place(i)]),
        (Values::Decimal(x), y) if let Some(bools) = units(op, x, y, b.is_one, at) => bools,
        (Values::Decimal(x), Values::Decimal(y)) => {
            let (x, y) = (x.each(), y.each());
            let y = if b.is_one { Side::One(*y.first()?) } else { Side::Each(&y) };
            decimals(op, &x, y, at)
        }
        (Values::Decimal(x), Values::Int(y)) => {
            ordered(op, at, |i| x.at(i).cmp(&Decimal::from(y[b.place(i)])))
        }
        (Values::Int(x), Values::Decimal(y)) => {
            ordered(op, at, |i| Decimal::from(x[i]).cmp(&y.at(b.place(i))))
        }
        (Values::Decimal(x), Values::Float(y)) => {
            with_float(op, at, |i| x.at(i).compare_float(y[b.place(i)]))
        }
        (Values::Float(x), Values::Decimal(y)) => {
            with_float(op, at, |i| y.at(b.place(i)).compare_float(x[i]).map(Ordering::reverse))
        }
        (Values::Iri(x), Values::Iri(y)) if is_equality => equal(op, at, |i| x.is_same(i, y, b.place(i))),
        (Values::Literal(x), Values::Literal(y)) if is_equality => {
            return Some(literals(op, (x, &nulls), (y, b), at));
        }
        // These have no order.
        (Values::Duration(_), Values::Duration(_))
        | (Values::Iri(_), Values::Iri(_))
        | (Values::Literal(_), Values::Literal(_)) => {
            return Some(Vector { values: Values::Bool(vec![false; at.len]), nulls: Nulls::all(at.len) });
        }
        _ => return None,
    };
    Some(Vector { values, nulls })
}

/// Where a number stands among integers of a scale.
struct Limit {
    /// The largest that is not above it.
    floor: i64,
    /// Whether it is that.
    is_exact: bool,
}

impl Limit {
    /// `None` where there is no such integer.
    fn of_decimal(decimal: Decimal, scale: u8) -> Option<Self> {
        let (number, own) = (decimal.unscaled(), decimal.scale());
        let (floor, is_exact) = match scale.checked_sub(own) {
            Some(more) => (number.checked_mul(Decimal::power(more)?.into())?, true),
            None => {
                let unit = 10_i128.pow(u32::from(own - scale));
                (number.div_euclid(unit), number.rem_euclid(unit) == 0)
            }
        };
        Some(Self { floor: i64::try_from(floor).ok()?, is_exact })
    }

    #[expect(clippy::cast_precision_loss, reason = "what was rounded is put right by exact comparisons")]
    fn of_float(float: f64, scale: u8) -> Option<Self> {
        let near = (float * Decimal::power(scale)? as f64).floor();
        // Infinities, NaN, and where floats are further apart than integers.
        if near.is_nan() || near.abs() >= (1_u64 << f64::MANTISSA_DIGITS) as f64 {
            return None;
        }
        let order = |n: i64| Decimal::of_units(n, scale).compare_float(float);
        let mut floor = near as i64;
        while order(floor)?.is_gt() {
            floor -= 1;
        }
        while order(floor + 1)?.is_le() {
            floor += 1;
        }
        Some(Self { floor, is_exact: order(floor)?.is_eq() })
    }
}

/// Decimals that are integers of one scale, with others of that scale or with one number for all.
fn units<'s>(op: Op, x: &Decimals, y: &Values<'_>, is_one: bool, at: Positions<'_>) -> Option<Values<'s>> {
    let (x, scale) = x.units()?;
    let limit = match y {
        Values::Decimal(y) if is_one => Limit::of_decimal((!y.is_empty()).then(|| y.at(0))?, scale)?,
        Values::Int(y) if is_one => Limit::of_decimal(Decimal::from(*y.first()?), scale)?,
        Values::Float(y) if is_one => Limit::of_float(*y.first()?, scale)?,
        Values::Decimal(y) => {
            let (y, _) = y.units().filter(|(_, other)| *other == scale)?;
            return Some(plain(op, x, Side::Each(y), at));
        }
        _ => return None,
    };
    let op = match op {
        Op::Eq | Op::Ne if !limit.is_exact => return Some(Values::Bool(vec![op == Op::Ne; at.len])),
        Op::Lt if !limit.is_exact => Op::Le,
        Op::Ge if !limit.is_exact => Op::Gt,
        op => op,
    };
    Some(plain(op, x, Side::One(limit.floor), at))
}

/// One loop per operator, so that the loop has no branch on it.
pub(super) fn plain<'s, T: Copy + PartialOrd>(
    op: Op,
    a: &[T],
    b: Side<'_, T>,
    at: Positions<'_>,
) -> Values<'s> {
    let a = Side::Each(a);
    Values::Bool(match op {
        Op::Eq => zip(a, b, at, |a, b| a == b),
        Op::Ne => zip(a, b, at, |a, b| a != b),
        Op::Lt => zip(a, b, at, |a, b| a < b),
        Op::Le => zip(a, b, at, |a, b| a <= b),
        Op::Gt => zip(a, b, at, |a, b| a > b),
        _ => zip(a, b, at, |a, b| a >= b),
    })
}

/// Decimals by their order; equal ones have equal bits.
fn decimals<'s>(op: Op, x: &[Decimal], y: Side<'_, Decimal>, at: Positions<'_>) -> Values<'s> {
    // Mostly both are of one scale. All pairs have a loop of their own, into which the order is inlined.
    macro_rules! ordered {
        ($op:tt) => {{
            let of = |x: &Decimal, y: &Decimal| match x.scale() == y.scale() {
                true => x.unscaled() $op y.unscaled(),
                false => x $op y,
            };
            match y {
                Side::Each(y) if at.is_all() && x.len() == at.len && y.len() == at.len => {
                    x.iter().zip(y).map(|(x, y)| of(x, y)).collect()
                }
                y => zip(Side::Each(x), y, at, |x: Decimal, y: Decimal| x $op y),
            }
        }};
    }
    Values::Bool(match op {
        Op::Eq => zip(Side::Each(x), y, at, |x, y| x == y),
        Op::Ne => zip(Side::Each(x), y, at, |x, y| x != y),
        Op::Lt => ordered!(<),
        Op::Le => ordered!(<=),
        Op::Gt => ordered!(>),
        _ => ordered!(>=),
    })
}

fn equal<'s>(op: Op, at: Positions<'_>, of: impl Fn(usize) -> bool) -> Values<'s> {
    match op {
        Op::Ne => by_position(at, |i| !of(i)),
        _ => by_position(at, of),
    }
}

/// One loop per operator, so that the loop has no branch on it.
fn ordered<'s>(op: Op, at: Positions<'_>, of: impl Fn(usize) -> Ordering) -> Values<'s> {
    match op {
        Op::Eq => by_position(at, |i| of(i).is_eq()),
        Op::Ne => by_position(at, |i| of(i).is_ne()),
        Op::Lt => by_position(at, |i| of(i).is_lt()),
        Op::Le => by_position(at, |i| of(i).is_le()),
        Op::Gt => by_position(at, |i| of(i).is_gt()),
        _ => by_position(at, |i| of(i).is_ge()),
    }
}

/// NaN is unequal to all, and neither less nor greater.
fn with_float<'s>(op: Op, at: Positions<'_>, of: impl Fn(usize) -> Option<Ordering>) -> Values<'s> {
    by_position(at, |i| of(i).map_or(op == Op::Ne, |order| satisfies(op, order)))
}

/// Nanoseconds, and the zones they are shown in.
struct Instants<'a> {
    nanos: &'a [i64],
    codes: Option<(&'a [u8], &'a [Zone])>,
}

impl<'a> Instants<'a> {
    fn of(vector: &'a Vector<'_>) -> Option<Self> {
        match &vector.values {
            Values::DateTime(nanos) => Some(Self { nanos, codes: None }),
            Values::Zoned(v) => Some(Self { nanos: v.values(), codes: Some((v.codes(), v.tags())) }),
            _ => None,
        }
    }

    fn zone(&self, i: usize) -> &'a Zone {
        let zone = self.codes.and_then(|(codes, zones)| zones.get(usize::from(codes[i])));
        zone.unwrap_or(&Zone::UTC)
    }
}

/// Equal are literals of the same text and kind; others are known to be unequal only if both have languages.
fn literals<'s>(
    op: Op,
    (x, nulls): (&Literals<'s>, &Nulls),
    (y, b): (&Literals<'s>, Other<'_, 's>),
    at: Positions<'_>,
) -> Vector<'s> {
    // Kinds are compared once: each gets the number of the first that it is the same as.
    let kinds: Vec<&LiteralKind> = x.tags().iter().chain(y.tags()).collect();
    let number =
        |kind: &LiteralKind| kinds.iter().position(|known| known.is_same(kind)).unwrap_or(usize::MAX);
    let known = |kind: &LiteralKind| (number(kind), matches!(kind, LiteralKind::Language(_)));
    let of_x = x.table((usize::MAX, false), known);
    let of_y = y.table((usize::MAX, false), known);
    // As most columns are: of one language.
    if let ([LiteralKind::Language(one)], [LiteralKind::Language(other)]) = (x.tags(), y.tags())
        && one == other
    {
        let values = equal(op, at, |i| x.values().is_same(i, y.values(), b.place(i)));
        return Vector { values, nulls: nulls.clone() };
    }
    let all_known = x.tags().iter().chain(y.tags()).all(|kind| matches!(kind, LiteralKind::Language(_)));
    if all_known {
        let (x_codes, y_codes) = (x.codes(), y.codes());
        let of = |i: usize| {
            let j = b.place(i);
            let are_of_one_kind = of_x[usize::from(x_codes[i])].0 == of_y[usize::from(y_codes[j])].0;
            are_of_one_kind && x.values().is_same(i, y.values(), j)
        };
        return Vector { values: equal(op, at, of), nulls: nulls.clone() };
    }
    let (mut out, mut nulls) = (vec![false; at.len], nulls.clone());
    at.for_each(|i| {
        let j = b.place(i);
        let (left, right) = (of_x[usize::from(x.codes()[i])], of_y[usize::from(y.codes()[j])]);
        let same = left.0 == right.0 && x.values().is_same(i, y.values(), j);
        let is_known = same || (left.1 && right.1);
        if !is_known {
            nulls.set(i, at.len);
        }
        out[i] = same == (op == Op::Eq);
    });
    Vector { values: Values::Bool(out), nulls }
}
