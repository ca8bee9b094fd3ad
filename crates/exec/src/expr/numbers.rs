//! Comparison and arithmetic of integers and floats beside each other, with one another or with those of one
//! type: what each pair gives is what it gives by itself.
//!
//! Hot loop: one look at which of both are floats, a value.

use std::borrow::Cow;
use std::cmp::Ordering;

use trimorph_algebra::Op;
use trimorph_functions::{Argument, nulls_of};
use trimorph_types::Value;
use trimorph_types::number::{compare_int_float, exact_int};
use trimorph_vector::{Number, Numbers, Positions, Side, Values, Vector, zip};

use super::compare_wide::{by_position, satisfies};
use super::evaluated::Evaluated;
use super::range::swapped;

/// The bits of numbers, and whether each is a float.
type Bits<'a> = (Cow<'a, [u64]>, Cow<'a, [bool]>);

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

    /// The bits of the first `len`, and whether each is a float.
    fn bits(self, len: usize) -> Option<Bits<'a>> {
        let same = |bits: Vec<u64>, is_float: bool| (Cow::Owned(bits), Cow::Owned(vec![is_float; len]));
        Some(match self {
            Self::One(Number::Int(int)) => same(vec![int.cast_unsigned(); len], false),
            Self::One(Number::Float(float)) => same(vec![float.to_bits(); len], true),
            Self::Ints(v) => same(v.get(..len)?.iter().map(|int| int.cast_unsigned()).collect(), false),
            Self::Floats(v) => same(v.get(..len)?.iter().map(|float| float.to_bits()).collect(), true),
            Self::Each(numbers) => {
                (Cow::Borrowed(numbers.bits().get(..len)?), Cow::Borrowed(numbers.floats().get(..len)?))
            }
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
    let nulls = || nulls_of(&[x, y], at.len);
    let known = match (a, b) {
        (Operand::Each(numbers), Operand::One(one)) => compare_one(op, numbers, one, at),
        (Operand::One(one), Operand::Each(numbers)) => compare_one(swapped(op)?, numbers, one, at),
        _ => None,
    };
    if let Some(values) = known {
        return Some(Vector { values, nulls: nulls() });
    }
    let of = |i: usize| order(a.get(i), b.get(i)).map_or(op == Op::Ne, |order| satisfies(op, order));
    Some(Vector { values: by_position(at, of), nulls: nulls() })
}

/// Numbers with one that is both an integer and a float: each is compared as either, and the answer of what
/// it is is taken, without a branch. `None` for other numbers.
#[expect(clippy::cast_precision_loss, reason = "whether the float is the integer is asked")]
fn compare_one<'s>(op: Op, numbers: &Numbers, one: Number, at: Positions<'_>) -> Option<Values<'s>> {
    let (int, float) = match one {
        Number::Int(int) => (int, int as f64),
        Number::Float(float) => (exact_int(float)?, float),
    };
    if exact_int(float) != Some(int) {
        return None;
    }
    macro_rules! compare {
        ($op:tt) => {
            zip(Side::Each(numbers.bits()), Side::Each(numbers.floats()), at, |bits: u64, is_float: bool| {
                let (as_int, as_float) = (bits.cast_signed() $op int, f64::from_bits(bits) $op float);
                (is_float & as_float) | (!is_float & as_int)
            })
        };
    }
    Some(Values::Bool(match op {
        Op::Eq => compare!(==),
        Op::Ne => compare!(!=),
        Op::Lt => compare!(<),
        Op::Le => compare!(<=),
        Op::Gt => compare!(>),
        _ => compare!(>=),
    }))
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
    let quick = match op {
        Op::Add => both(a, b, at, i64::overflowing_add, |a, b| a + b),
        Op::Sub => both(a, b, at, i64::overflowing_sub, |a, b| a - b),
        Op::Mul => both(a, b, at, i64::overflowing_mul, |a, b| a * b),
        _ => None,
    };
    if let Some(numbers) = quick {
        return Some(Vector { values: Values::Number(numbers), nulls });
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

/// Each pair as two integers and as two floats, of which one is taken without a branch; `None` where not all
/// positions are meant, or where integers give what does not fit, be it at a null.
#[expect(clippy::cast_precision_loss, reason = "an integer with a float counts as a float")]
#[inline(always)]
fn both(
    a: Operand<'_>,
    b: Operand<'_>,
    at: Positions<'_>,
    ints: impl Fn(i64, i64) -> (i64, bool),
    floats: impl Fn(f64, f64) -> f64,
) -> Option<Numbers> {
    if !at.is_all() {
        return None;
    }
    let float = |bits: u64, is_float: bool| match is_float {
        true => f64::from_bits(bits),
        false => bits.cast_signed() as f64,
    };
    let ((x, x_floats), (y, y_floats)) = (a.bits(at.len)?, b.bits(at.len)?);
    let mut is_over = false;
    let pairs = x.iter().zip(&*x_floats).zip(y.iter().zip(&*y_floats));
    let out = pairs.map(|((x, x_is), (y, y_is))| {
        let (int, over) = ints(x.cast_signed(), y.cast_signed());
        let number = floats(float(*x, *x_is), float(*y, *y_is)).to_bits();
        let is_float = x_is | y_is;
        is_over |= over & !is_float;
        if is_float { number } else { int.cast_unsigned() }
    });
    let out: Vec<u64> = out.collect();
    let are_floats = x_floats.iter().zip(&*y_floats).map(|(x, y)| x | y).collect();
    if is_over { None } else { Numbers::new(out, are_floats) }
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
