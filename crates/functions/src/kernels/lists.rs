//! Kernels of lists: vectors of lists in, a typed vector out. Elements are picked, not made: a part of a list
//! is another run of the same child.

use std::ops::Range;

use trimorph_types::Value;
use trimorph_vector::{Lists, Nulls, Positions, Values, Vector};

use crate::context::Context;
use crate::kernel::{Argument, nulls_of};

/// Elements that a kernel makes at most: 16 MB of texts. More are left to the general path, which holds them
/// from the budget.
pub(crate) const MADE_MAX: usize = 1 << 20;

/// The lists of an argument that has one for each position.
fn lists_of<'a, 's>(argument: Option<&Argument<'a, 's>>) -> Option<(&'a Lists<'s>, &'a Nulls)> {
    match argument {
        Some(Argument::Each(Vector { values: Values::List(lists), nulls })) => Some((lists, nulls)),
        _ => None,
    }
}

/// How many elements there are.
pub(crate) fn size<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let mut out = vec![0; at.len];
    // What has no list has no elements; a length has 32 bits.
    at.for_each(|i| out[i] = lists.count(i) as i64);
    Some(Vector { values: Values::Int(out), nulls: nulls.clone() })
}

/// Whether there are no elements.
pub(crate) fn is_empty<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let mut out = vec![false; at.len];
    at.for_each(|i| out[i] = lists.count(i) == 0);
    Some(Vector { values: Values::Bool(out), nulls: nulls.clone() })
}

/// An element of each list: `place` gives which, by position and length. Null where there is none.
fn pick<'s>(
    lists: &Lists<'s>,
    mut nulls: Nulls,
    at: Positions<'_>,
    place: impl Fn(usize, usize) -> Option<usize>,
) -> Vector<'s> {
    let child = lists.child();
    let mut positions = vec![0u32; at.len];
    let mut any = false;
    at.for_each(|i| {
        if nulls.get(i) {
            return;
        }
        let elements = lists.elements(i);
        let found = place(i, elements.len()).and_then(|k| elements.clone().nth(k));
        match found {
            Some(e) => {
                positions[i] = e;
                any = true;
            }
            None => nulls.set(i, at.len),
        }
    });
    if !any {
        return Vector::nulls(at.len);
    }
    let mut out = child.gather(&positions);
    if let Values::Any(values) = &mut out.values {
        at.for_each(|i| {
            if nulls.get(i) {
                values[i] = Value::Null;
            }
        });
    }
    out.nulls = out.nulls.union(&nulls, at.len);
    out
}

/// The first element.
pub(crate) fn head<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    Some(pick(lists, nulls.clone(), at, |_, _| Some(0)))
}

/// The last element.
pub(crate) fn last<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    Some(pick(lists, nulls.clone(), at, |_, len| len.checked_sub(1)))
}

/// All elements but the first.
pub(crate) fn tail<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], _: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    Some(Vector { values: Values::List(lists.parts(|_, len| 1..len)), nulls: nulls.clone() })
}

/// The elements backwards.
pub(crate) fn reverse<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let mut elements = Vec::new();
    let mut runs = vec![(0, 0); at.len];
    let mut fits = true;
    at.for_each(|i| {
        if fits && !nulls.get(i) {
            let start = u32::try_from(elements.len());
            let run = lists.elements(i);
            fits = start.is_ok() && elements.len() + run.len() <= MADE_MAX;
            if fits {
                runs[i] = (start.unwrap_or(0), run.end - run.start);
                elements.extend(run.rev());
            }
        }
    });
    let lists = fits.then(|| Lists::new(runs.into_iter(), lists.child().gather(&elements)))??;
    Some(Vector { values: Values::List(lists), nulls: nulls.clone() })
}

/// Integers: the same for all positions, or one for each.
#[derive(Clone, Copy)]
enum Ints<'a> {
    One(i64),
    Each(&'a [i64]),
}

impl<'a> Ints<'a> {
    fn of(argument: Argument<'a, '_>) -> Option<Self> {
        match argument {
            Argument::One(Value::Int(i)) => Some(Self::One(*i)),
            Argument::Each(Vector { values: Values::Int(v), .. }) => Some(Self::Each(v)),
            _ => None,
        }
    }

    #[inline]
    fn at(self, i: usize) -> i64 {
        match self {
            Self::One(n) => n,
            Self::Each(v) => v[i],
        }
    }
}

/// The place that an index means, counted from the end if negative; `None` before the first.
fn place(index: i64, len: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(place) => Some(place),
        Err(_) => len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

/// `list[index]`.
pub fn element<'s>(list: Argument<'_, 's>, index: Argument<'_, 's>, at: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, _) = lists_of(Some(&list))?;
    let ints = Ints::of(index)?;
    Some(pick(lists, nulls_of(&[list, index], at.len), at, |i, len| place(ints.at(i), len)))
}

/// `list[from..to]`.
pub fn slice<'s>(
    list: Argument<'_, 's>,
    from: Argument<'_, 's>,
    to: Argument<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, _) = lists_of(Some(&list))?;
    let (first, end) = (Ints::of(from)?, Ints::of(to)?);
    let bound = |index: i64, len: usize| place(index, len).unwrap_or(0).min(len);
    let part = |i: usize, len: usize| -> Range<usize> { bound(first.at(i), len)..bound(end.at(i), len) };
    let nulls = nulls_of(&[list, from, to], at.len);
    Some(Vector { values: Values::List(lists.parts(part)), nulls })
}

/// `value IN list`, of integers or texts: null where it is not found and an element is null, or where the
/// value is null and there are elements.
pub fn contains<'s>(
    value: Argument<'_, 's>,
    list: Argument<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(Some(&list))?;
    let child = &**lists.child();
    let none = Nulls::NONE;
    let unknown = value.nulls().unwrap_or(&none);
    let found = |is: &dyn Fn(usize, usize) -> bool| {
        let mut out = vec![false; at.len];
        let mut nulls = nulls.clone();
        at.for_each(|i| {
            let mut elements = lists.elements(i).map(|e| e as usize);
            if nulls.get(i) || elements.len() == 0 {
                // False, or no list.
            } else if unknown.get(i) {
                nulls.set(i, at.len);
            } else if elements.clone().any(|e| !child.nulls.get(e) && is(i, e)) {
                out[i] = true;
            } else if elements.any(|e| child.nulls.get(e)) {
                nulls.set(i, at.len);
            }
        });
        Vector { values: Values::Bool(out), nulls }
    };
    Some(match (&child.values, value) {
        (Values::Int(of), Argument::One(Value::Int(n))) => found(&|_, e| of[e] == *n),
        (Values::Int(of), Argument::Each(Vector { values: Values::Int(n), .. })) => {
            found(&|i, e| of[e] == n[i])
        }
        (Values::String(of), Argument::One(Value::String(text))) => found(&|_, e| of.get(e) == &**text),
        (Values::String(of), Argument::Each(Vector { values: Values::String(texts), .. })) => {
            found(&|i, e| of.get(e) == texts.get(i))
        }
        _ => return None,
    })
}
