//! AND, OR, XOR and NOT over Booleans with nulls; truth as branches and filters need it.
//!
//! The later operands of AND and OR are evaluated only where those before do not decide. What is unknown is
//! worked out 64 positions at a time: with `F` the positions where an operand is false and `N` where it is
//! null, `a AND b` is null where `(Na | Nb) & !Fa & !Fb`; OR is the same with true in place of false. The
//! values are `a & b` or `a | b` wherever the answer is not null, whatever stands at null positions.

use std::borrow::Cow;

use trimorph_algebra::Op;
use trimorph_types::Value;
use trimorph_vector::{Nulls, Positions, Side, Values, Vector, bits_of, count_true, map, zip};

use super::Ex;
use super::evaluated::{Evaluate, Evaluated, Outcome, Over};
use super::general::{by_row, is_total};
use crate::Context;

/// Booleans and which are null.
pub(super) type Booleans<'v> = (Cow<'v, [bool]>, Cow<'v, Nulls>);

/// What was evaluated, as Booleans; `None` where something that is meant is of another type.
pub(super) fn booleans<'v>(evaluated: &'v Evaluated<'_, '_>, at: Positions<'_>) -> Option<Booleans<'v>> {
    let unknown = || (Cow::Owned(vec![false; at.len]), Cow::Owned(Nulls::all(at.len)));
    match (evaluated, evaluated.vector()) {
        (Evaluated::Const(Value::Bool(b)), _) => {
            Some((Cow::Owned(vec![*b; at.len]), Cow::Owned(Nulls::NONE)))
        }
        (Evaluated::Const(Value::Null), _) => Some(unknown()),
        (_, Some(vector)) => of_vector(vector).or_else(|| {
            // A property that nothing has.
            let mut is_unknown = true;
            at.for_each(|i| is_unknown &= vector.is_null(i));
            is_unknown.then(unknown)
        }),
        _ => None,
    }
}

/// The Booleans of a vector.
fn of_vector<'v>(vector: &'v Vector<'_>) -> Option<Booleans<'v>> {
    match vector {
        Vector { values: Values::Bool(v), nulls } => {
            Some((Cow::Borrowed(v.as_slice()), Cow::Borrowed(nulls)))
        }
        _ => None,
    }
}

/// AND, OR, XOR and NOT of Booleans that the group has already: evaluating each for itself takes as long as
/// what is done with them, a sixteenth of a nanosecond a value.
pub(super) fn at_hand<'s>(op: Op, args: &[Ex], over: Over<'_, '_, 's>) -> Option<Vector<'s>> {
    let there = |ex: &Ex| over.slot(ex).and_then(of_vector);
    match (op, args) {
        (Op::And | Op::Or, [a, b]) => Some(both(op == Op::Or, &there(a)?, &there(b)?, over.at)),
        (Op::Xor, [a, b]) => Some(differing(&there(a)?, &there(b)?, over.at)),
        (Op::Not, [a]) => Some(negated(there(a)?, over.at)),
        _ => None,
    }
}

/// `first AND …` or `first OR …`.
pub(super) fn connect<'a, 's>(
    ex: &Ex,
    (op, args): (Op, &[Ex]),
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Outcome<'a, 's> {
    let [first, rest @ ..] = args else { return by_row(ex, over, cx) };
    // The answer that no later operand changes.
    let decides = op == Op::Or;
    let mut known = evaluate(first, over, cx)?;
    for arg in rest {
        if matches!(&known, Evaluated::Const(Value::Bool(b)) if *b == decides) {
            break;
        }
        let Some(a) = booleans(&known, over.at) else { return by_row(ex, over, cx) };
        if over.at.is_all() && (is_at_hand(arg, over) || is_total(arg) && is_mostly_open(decides, &a)) {
            let next = evaluate(arg, over, cx)?;
            let Some(b) = booleans(&next, over.at) else { return by_row(ex, over, cx) };
            known = Evaluated::Own(both(decides, &a, &b, over.at));
            continue;
        }
        let open = over.at.filter(|i| a.0[i] != decides || a.1.get(i));
        if open.is_empty() {
            break;
        }
        let next = if open.len() < over.at.count() {
            evaluate(arg, over.among(&open), cx)?
        } else {
            evaluate(arg, over, cx)?
        };
        let Some(b) = booleans(&next, over.at.among(&open)) else { return by_row(ex, over, cx) };
        known = Evaluated::Own(both(decides, &a, &b, over.at));
    }
    // An operand alone must be a Boolean, too.
    match booleans(&known, over.at) {
        Some(_) => Ok(known),
        None => by_row(ex, over, cx),
    }
}

/// Whether an operand is there already, or compares numbers or moments that are with a constant: that takes
/// less than a list of where it is asked for, however few these are.
fn is_at_hand(ex: &Ex, over: Over<'_, '_, '_>) -> bool {
    use Op::{Eq, Ge, Gt, Le, Lt, Ne};
    if over.slot(ex).is_some() {
        return true;
    }
    let Ex::Op(Eq | Ne | Lt | Le | Gt | Ge, args, _) = ex else { return false };
    let is_there = |ex: &Ex| {
        over.slot(ex).is_some_and(|vector| {
            matches!(
                vector.values,
                Values::Int(_)
                    | Values::Float(_)
                    | Values::Date(_)
                    | Values::LocalDateTime(_)
                    | Values::DateTime(_)
            )
        })
    };
    match &args[..] {
        [a, Ex::Const(_)] | [Ex::Const(_), a] => is_there(a),
        _ => false,
    }
}

/// Whether at least half of the positions are not decided.
fn is_mostly_open(decides: bool, (values, nulls): &Booleans<'_>) -> bool {
    let set = count_true(values);
    let decided = if decides { set } else { values.len() - set };
    let null: u32 = nulls.words().iter().map(|word| word.count_ones()).sum();
    (values.len() - decided + null as usize) * 2 >= values.len()
}

/// `a AND b`, or `a OR b` if true decides. Where `a` has decided, `b` may be arbitrary.
fn both<'s>(decides: bool, a: &Booleans<'_>, b: &Booleans<'_>, at: Positions<'_>) -> Vector<'s> {
    let all = Positions::all(at.len);
    let (x, y) = (Side::Each(&a.0), Side::Each(&b.0));
    let values = if decides { zip(x, y, all, |a, b| a | b) } else { zip(x, y, all, |a, b| a & b) };
    if a.1.is_none() && b.1.is_none() {
        return Vector::new(Values::Bool(values));
    }
    let flip = if decides { 0 } else { u64::MAX };
    // Where one side is never null, what is null on the other is open unless that one decides.
    let beside = |nulls: &Nulls, other: &[bool]| {
        let open = other.chunks(64).enumerate().map(|(k, other)| nulls.word(k) & !(bits_of(other) ^ flip));
        Nulls::of_words(open.collect())
    };
    let nulls = match (a.1.is_none(), b.1.is_none()) {
        (false, true) => beside(&a.1, &b.0),
        (true, false) => beside(&b.1, &a.0),
        _ => {
            let words = a.0.chunks(64).zip(b.0.chunks(64)).enumerate().map(|(k, (x, y))| {
                let (na, nb) = (a.1.word(k), b.1.word(k));
                let open_a = na | !(bits_of(x) ^ flip);
                let open_b = nb | !(bits_of(y) ^ flip);
                (na | nb) & open_a & open_b
            });
            Nulls::of_words(words.collect())
        }
    };
    Vector { values: Values::Bool(values), nulls }
}

/// `a XOR b`.
pub(super) fn xor<'s>(a: &Evaluated<'_, '_>, b: &Evaluated<'_, '_>, at: Positions<'_>) -> Option<Vector<'s>> {
    Some(differing(&booleans(a, at)?, &booleans(b, at)?, at))
}

/// Whether one is true and the other is false.
fn differing<'s>(a: &Booleans<'_>, b: &Booleans<'_>, at: Positions<'_>) -> Vector<'s> {
    let values = zip(Side::Each(&a.0), Side::Each(&b.0), at, |a, b| a != b);
    Vector { values: Values::Bool(values), nulls: a.1.union(&b.1, at.len) }
}

/// `NOT a`.
pub(super) fn not<'s>(a: &Evaluated<'_, '_>, at: Positions<'_>) -> Option<Vector<'s>> {
    Some(negated(booleans(a, at)?, at))
}

/// True where they are false, and the other way round.
fn negated<'s>((values, nulls): Booleans<'_>, at: Positions<'_>) -> Vector<'s> {
    Vector { values: Values::Bool(map(&values, at, |b| !b)), nulls: nulls.into_owned() }
}
