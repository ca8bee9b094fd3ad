//! CASE, coalesce and nullIf: values of one of several expressions, each evaluated only where it is asked
//! for.
//!
//! Positions that no branch has taken yet go on to the next; what the branches give is put together into one
//! vector at the end, typed if all are of one type: a value keeps its type whatever the other branches give.

use std::borrow::Cow;

use trimorph_algebra::Op;
use trimorph_functions::operators::truth;
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Nulls, Numbers, Part, Side, Values, Vector, bits_of, blend, choose, flags_of};

use super::Ex;
use super::compare::compare;
use super::evaluated::{Evaluate, Evaluated, Outcome, Over};
use super::general::{by_value, is_total};
use super::logic::booleans;
use crate::{Context, ExecError};

/// What was evaluated for some positions.
type Taken<'a, 's> = (Evaluated<'a, 's>, Vec<u32>);

/// `CASE WHEN … THEN … ELSE … END`.
pub(super) fn case<'a, 's>(
    branches: &[(Ex, Ex)],
    otherwise: &Ex,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Outcome<'a, 's> {
    if let Some(out) = constants(branches, otherwise, over, cx, evaluate)? {
        return Ok(out);
    }
    if let [(when, then)] = branches
        && let Some(out) = either(when, then, otherwise, over, cx, evaluate)?
    {
        return Ok(out);
    }
    let taken = by_branch(branches, otherwise, over, cx, evaluate, |then, at| evaluate(then, at, cx))?;
    Ok(together(taken, over, cx))
}

/// What `of` gives for each branch that is taken, and the positions that take it.
pub(super) fn by_branch<'a, 's, B, T>(
    branches: &[(Ex, B)],
    otherwise: &B,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
    mut of: impl FnMut(&B, Over<'a, '_, 's>) -> Result<T, ExecError>,
) -> Result<Vec<(T, Vec<u32>)>, ExecError> {
    let mut open = over.at.to_vec();
    let mut taken = Vec::with_capacity(branches.len() + 1);
    for (when, then) in branches {
        if open.is_empty() {
            break;
        }
        let at = narrowed(over, &open);
        let condition = evaluate(when, at, cx)?;
        match met(&condition, at)? {
            Met::None => {}
            Met::All => {
                let value = of(then, at)?;
                taken.push((value, std::mem::take(&mut open)));
            }
            Met::Some(mine) => {
                let list = at.at.filter(|i| mine[i]);
                if !list.is_empty() {
                    let value = of(then, narrowed(over, &list))?;
                    let rest = at.at.filter(|i| !mine[i]);
                    open = rest;
                    taken.push((value, list));
                }
            }
        }
    }
    if !open.is_empty() {
        taken.push((of(otherwise, narrowed(over, &open))?, open));
    }
    Ok(taken)
}

/// The same positions where they are all, so that kernels need no list.
fn narrowed<'a, 'q, 's>(over: Over<'a, 'q, 's>, list: &'q [u32]) -> Over<'a, 'q, 's> {
    if list.len() == over.at.count() { over } else { over.among(list) }
}

/// Where a condition is true.
enum Met<'v> {
    All,
    None,
    /// Where the flag of the position stands.
    Some(Cow<'v, [bool]>),
}

fn met<'v>(condition: &'v Evaluated<'_, '_>, over: Over<'_, '_, '_>) -> Result<Met<'v>, ExecError> {
    if let Evaluated::Const(v) = condition {
        return Ok(if truth(v)? == Some(true) { Met::All } else { Met::None });
    }
    match booleans(condition, over.at) {
        Some((values, nulls)) if nulls.is_none() => Ok(Met::Some(values)),
        Some((values, nulls)) => Ok(Met::Some(true_at(values.into_owned(), &nulls).into())),
        // Something is neither true, false nor null: whoever called finds out what.
        None => {
            let (mut mine, mut wrong) = (vec![false; over.at.len], None);
            if let Some(vector) = condition.vector() {
                // An edge is wrong as well, whichever it is.
                over.at.for_each(|i| match truth(&vector.value(i, &|_| Value::Int(0))) {
                    Ok(answer) => mine[i] = answer == Some(true),
                    Err(error) => wrong = Some(error),
                });
            }
            wrong.map_or(Ok(Met::Some(mine.into())), |error| Err(error.into()))
        }
    }
}

/// Where values are true and not null.
pub(super) fn true_at(mut values: Vec<bool>, nulls: &Nulls) -> Vec<bool> {
    for (values, word) in values.chunks_mut(64).zip(nulls.words()).filter(|(_, word)| **word != 0) {
        values.iter_mut().zip(flags_of(!*word)).for_each(|(v, flag)| *v &= flag != 0);
    }
    values
}

/// CASE where every branch gives a constant: the number of the branch is found for each position, then the
/// constant of that number. At most 255 branches.
fn constants<'a, 's>(
    branches: &[(Ex, Ex)],
    otherwise: &Ex,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Result<Option<Evaluated<'a, 's>>, ExecError> {
    let mut given = Vec::with_capacity(branches.len() + 1);
    for ex in std::iter::once(otherwise).chain(branches.iter().map(|(_, then)| then)) {
        let Ex::Const(v) = ex else { return Ok(None) };
        given.push(v);
    }
    if u8::try_from(branches.len()).is_err() {
        return Ok(None);
    }
    let mut number = vec![0u8; over.at.len];
    let mut open: Option<Vec<u32>> = None;
    for (mine, (when, _)) in (1..=u8::MAX).zip(branches) {
        let at = match &open {
            None => over,
            Some(open) => narrowed(over, open),
        };
        let condition = evaluate(when, at, cx)?;
        match met(&condition, at)? {
            Met::None => {}
            Met::All => {
                at.at.for_each(|i| number[i] = if number[i] == 0 { mine } else { number[i] });
                break;
            }
            Met::Some(flags) => {
                if at.at.is_all() {
                    number
                        .iter_mut()
                        .zip(&*flags)
                        .for_each(|(n, flag)| *n |= mine * u8::from(*flag & (*n == 0)));
                } else {
                    at.at.for_each(|i| number[i] |= mine * u8::from(flags[i] & (number[i] == 0)));
                }
                // A later condition that is there already, or cannot fail and is asked for at most positions,
                // may as well be evaluated at all.
                if let Some((next, _)) = branches.get(usize::from(mine))
                    && !(at.at.is_all()
                        && (over.slot(next).is_some() || is_total(next) && is_mostly_open(&number)))
                {
                    open = Some(over.at.filter(|i| number[i] == 0));
                }
            }
        }
        if open.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    Ok(Some(Evaluated::Own(choose(&given, &number))))
}

/// CASE of one condition whose values are there already, as vectors of the chunk or constants, or read as a
/// whole as fast as in parts: one or the other is taken without lists of positions. `None`, and nothing
/// evaluated, for others.
fn either<'a, 's>(
    when: &Ex,
    then: &Ex,
    otherwise: &Ex,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Result<Option<Evaluated<'a, 's>>, ExecError> {
    let is_there = |ex: &Ex| match ex {
        Ex::Const(_) => true,
        Ex::Slot(place) => place.group == over.group,
        Ex::Property { .. } => {
            over.property_type(ex, cx).is_some_and(|ty| matches!(ty, LogicalType::Int | LogicalType::Float))
        }
        _ => false,
    };
    if !over.at.is_all() || cx.reader.is_after_deletion() || !is_there(then) || !is_there(otherwise) {
        return Ok(None);
    }
    let (a, b) = (evaluate(then, over, cx)?, evaluate(otherwise, over, cx)?);
    let one = match (&a, &b) {
        (v, Evaluated::Const(Value::Null)) => v.vector().map(|v| (v, u64::MAX)),
        (Evaluated::Const(Value::Null), v) => v.vector().map(|v| (v, 0)),
        _ => None,
    };
    let one = one.filter(|(v, _)| is_flat(&v.values));
    let both = numbers(&a).zip(numbers(&b));
    if one.is_none() && both.is_none() {
        return Ok(None);
    }
    let condition = evaluate(when, over, cx)?;
    let flags = match met(&condition, over)? {
        Met::All => return Ok(Some(a)),
        Met::None => return Ok(Some(b)),
        Met::Some(flags) => flags,
    };
    let flags = flags.get(..over.at.len).unwrap_or(&flags);
    let words = |null: &dyn Fn(usize, u64) -> u64| {
        let word = |(k, flags): (usize, &[bool])| null(k, bits_of(flags)) & (u64::MAX >> (64 - flags.len()));
        Nulls::of_words(flags.chunks(64).enumerate().map(word).collect())
    };
    Ok(match (one, both) {
        (Some((v, flip)), _) => {
            let nulls = words(&|k, taken| v.nulls.word(k) | (taken ^ flip));
            Some(Evaluated::Own(Vector { values: v.values.clone(), nulls }))
        }
        (None, Some(((x, of_x), (y, of_y)))) => {
            let nulls = match of_x.is_none() && of_y.is_none() {
                true => Nulls::NONE,
                false => words(&|k, taken| (of_x.word(k) & taken) | (of_y.word(k) & !taken)),
            };
            taken_numbers(flags, &x, &y).map(|values| Evaluated::Own(Vector { values, nulls }))
        }
        (None, None) => None,
    })
}

/// Numbers of one type, one or one for each position.
enum Numeric<'v> {
    Ints(Side<'v, i64>),
    Floats(Side<'v, f64>),
}

/// The same, and which are null.
fn numbers<'v>(value: &'v Evaluated<'_, '_>) -> Option<(Numeric<'v>, &'v Nulls)> {
    match value {
        Evaluated::Const(Value::Int(int)) => return Some((Numeric::Ints(Side::One(*int)), &Nulls::NONE)),
        Evaluated::Const(Value::Float(float)) => {
            return Some((Numeric::Floats(Side::One(*float)), &Nulls::NONE));
        }
        _ => {}
    }
    match value.vector()? {
        Vector { values: Values::Int(ints), nulls } => Some((Numeric::Ints(Side::Each(ints)), nulls)),
        Vector { values: Values::Float(floats), nulls } => Some((Numeric::Floats(Side::Each(floats)), nulls)),
        _ => None,
    }
}

/// One number where a flag is set, the other where it is not, each as what it is.
fn taken_numbers<'s>(flags: &[bool], x: &Numeric<'_>, y: &Numeric<'_>) -> Option<Values<'s>> {
    // One loop for each form of both sides, over slices.
    fn taken<A: Copy, B: Copy, T>(
        flags: &[bool],
        (x, of_x): (&Side<'_, A>, impl Fn(A) -> T),
        (y, of_y): (&Side<'_, B>, impl Fn(B) -> T),
    ) -> Vec<T> {
        match (x, y) {
            (Side::Each(x), Side::Each(y)) => {
                let both = flags.iter().zip(x.iter().zip(*y));
                both.map(|(flag, (x, y))| if *flag { of_x(*x) } else { of_y(*y) }).collect()
            }
            (Side::Each(x), Side::One(y)) => {
                flags.iter().zip(*x).map(|(flag, x)| if *flag { of_x(*x) } else { of_y(*y) }).collect()
            }
            (Side::One(x), Side::Each(y)) => {
                flags.iter().zip(*y).map(|(flag, y)| if *flag { of_x(*x) } else { of_y(*y) }).collect()
            }
            (Side::One(x), Side::One(y)) => {
                flags.iter().map(|flag| if *flag { of_x(*x) } else { of_y(*y) }).collect()
            }
        }
    }
    let (bits, is_float): (Vec<u64>, bool) = match (x, y) {
        (Numeric::Ints(x), Numeric::Ints(y)) => {
            return Some(Values::Int(taken(flags, (x, |x| x), (y, |y| y))));
        }
        (Numeric::Floats(x), Numeric::Floats(y)) => {
            return Some(Values::Float(taken(flags, (x, |x| x), (y, |y| y))));
        }
        (Numeric::Floats(x), Numeric::Ints(y)) => {
            (taken(flags, (x, f64::to_bits), (y, i64::cast_unsigned)), true)
        }
        (Numeric::Ints(x), Numeric::Floats(y)) => {
            (taken(flags, (x, i64::cast_unsigned), (y, f64::to_bits)), false)
        }
    };
    let floats = flags.iter().map(|flag| *flag == is_float).collect();
    Numbers::new(bits, floats).map(Values::Number)
}

/// Whether values are copied as fast as they are read.
fn is_flat(values: &Values<'_>) -> bool {
    matches!(
        values,
        Values::Int(_)
            | Values::Float(_)
            | Values::Bool(_)
            | Values::Date(_)
            | Values::LocalTime(_)
            | Values::LocalDateTime(_)
            | Values::DateTime(_)
            | Values::Node(_)
    )
}

/// Whether no branch has taken at least half of the positions.
fn is_mostly_open(number: &[u8]) -> bool {
    // As many as a byte holds the sum of.
    let open = |some: &[u8]| usize::from(some.iter().fold(0, |sum: u8, n| sum + u8::from(*n == 0)));
    number.chunks(240).map(open).sum::<usize>() * 2 >= number.len()
}

/// `coalesce(…)`: each argument where those before are null.
pub(super) fn coalesce<'a, 's>(
    args: &[Ex],
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Outcome<'a, 's> {
    let Some((first, rest)) = args.split_first() else { return Ok(Evaluated::Const(Value::Null)) };
    let mut first = evaluate(first, over, cx)?;
    if let ([last], Some(vector)) = (rest, first.vector()) {
        let out = match last {
            Ex::Const(value) => filled(vector, value, over.at.len),
            last => over.slot(last).and_then(|last| filled_by_each(vector, last, over.at.len)),
        };
        if let Some(out) = out {
            return Ok(Evaluated::Own(out));
        }
    }
    let mut open = null_at(&first, over);
    let mut taken: Vec<Taken<'a, 's>> = Vec::with_capacity(args.len());
    for arg in rest {
        if open.is_empty() {
            break;
        }
        let at = narrowed(over, &open);
        let value = evaluate(arg, at, cx)?;
        if open.len() == over.at.count() {
            // Nothing yet.
            open = null_at(&value, over);
            first = value;
            continue;
        }
        let rest = null_at(&value, at);
        taken.push((value, std::mem::replace(&mut open, rest)));
    }
    if taken.is_empty() {
        return Ok(first);
    }
    let Some(under) = first.vector() else { return Ok(first) };
    let parts: Vec<Part<'_, 's>> = std::iter::once(Part::Under(under))
        .chain(taken.iter().map(|(value, list)| part(value, list)))
        .collect();
    Ok(Evaluated::Own(blend(&parts, over.at, &|id| cx.edge_value(id))))
}

/// A vector whose nulls are the values of another one of the same type; `None` where it is made of parts.
fn filled_by_each<'s>(vector: &Vector<'s>, by: &Vector<'s>, len: usize) -> Option<Vector<'s>> {
    fn fill<T: Copy>(values: &[T], nulls: &[bool], by: &[T]) -> Vec<T> {
        let both = values.iter().zip(by).zip(nulls);
        both.map(|((value, by), null)| if *null { *by } else { *value }).collect()
    }
    if vector.nulls.is_none() || vector.listed() < len || by.listed() < len {
        return None;
    }
    let is_null = vector.nulls.booleans(true, len);
    let values = match (&vector.values, &by.values) {
        (Values::Bool(v), Values::Bool(by)) => Values::Bool(fill(v, &is_null, by)),
        (Values::Int(v), Values::Int(by)) => Values::Int(fill(v, &is_null, by)),
        (Values::Float(v), Values::Float(by)) => Values::Float(fill(v, &is_null, by)),
        (Values::Date(v), Values::Date(by)) => Values::Date(fill(v, &is_null, by)),
        (Values::LocalTime(v), Values::LocalTime(by)) => Values::LocalTime(fill(v, &is_null, by)),
        (Values::LocalDateTime(v), Values::LocalDateTime(by)) => Values::LocalDateTime(fill(v, &is_null, by)),
        (Values::DateTime(v), Values::DateTime(by)) => Values::DateTime(fill(v, &is_null, by)),
        _ => return None,
    };
    Some(Vector { values, nulls: vector.nulls.intersection(&by.nulls) })
}

/// A vector whose nulls are one value; `None` where it is made of parts.
fn filled<'s>(vector: &Vector<'s>, value: &Value, len: usize) -> Option<Vector<'s>> {
    fn fill<T: Copy>(values: &[T], nulls: &[bool], by: T) -> Vec<T> {
        values.iter().zip(nulls).map(|(value, null)| if *null { by } else { *value }).collect()
    }
    if vector.nulls.is_none() {
        return (!matches!(vector.values, Values::Any(_))).then(|| vector.clone());
    }
    let nulls = vector.nulls.booleans(true, len);
    let (bits, is_float, mixed) = match (&vector.values, value) {
        (Values::Int(v), Value::Int(by)) => return Some(Vector::new(Values::Int(fill(v, &nulls, *by)))),
        (Values::Float(v), Value::Float(by)) => {
            return Some(Vector::new(Values::Float(fill(v, &nulls, *by))));
        }
        (Values::Bool(v), Value::Bool(by)) => {
            // Without a branch, or what looks like one, so that it is done in vectors.
            let filled = v.iter().zip(&nulls).map(|(value, null)| (value & !null) | (by & null));
            return Some(Vector::new(Values::Bool(filled.collect())));
        }
        // Both stay what they are.
        (Values::Float(v), Value::Int(by)) => {
            (v.iter().map(|f| f.to_bits()).collect(), true, by.cast_unsigned())
        }
        (Values::Int(v), Value::Float(by)) => {
            (v.iter().map(|int| int.cast_unsigned()).collect::<Vec<u64>>(), false, by.to_bits())
        }
        _ => return None,
    };
    let floats = nulls.iter().map(|null| *null != is_float).collect();
    Numbers::new(fill(&bits, &nulls, mixed), floats).map(|numbers| Vector::new(Values::Number(numbers)))
}

/// The positions that are null.
fn null_at(value: &Evaluated<'_, '_>, over: Over<'_, '_, '_>) -> Vec<u32> {
    match (value, value.vector()) {
        (Evaluated::Const(Value::Null), _) => over.at.to_vec(),
        (_, Some(vector)) if !vector.nulls.is_none() || matches!(vector.values, Values::Any(_)) => {
            over.at.filter(|i| vector.is_null(i))
        }
        _ => Vec::new(),
    }
}

/// What branches gave, as one.
fn together<'a, 's>(
    mut taken: Vec<Taken<'a, 's>>,
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
) -> Evaluated<'a, 's> {
    if taken.len() == 1
        && let Some((value, _)) = taken.pop()
    {
        return value;
    }
    let parts: Vec<Part<'_, 's>> = taken.iter().map(|(value, list)| part(value, list)).collect();
    Evaluated::Own(blend(&parts, over.at, &|id| cx.edge_value(id)))
}

pub(super) fn part<'v, 's>(value: &'v Evaluated<'_, 's>, list: &'v [u32]) -> Part<'v, 's> {
    match value {
        Evaluated::Const(v) => Part::One(v, list),
        Evaluated::Ref(v) => Part::Each(v, list),
        Evaluated::Own(v) => Part::Each(v, list),
    }
}

/// `nullIf(a, b)`: null where the two are equal.
pub(super) fn null_if<'a, 's>(
    args: Vec<Evaluated<'a, 's>>,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    of: impl FnMut(&[Value]) -> Result<Value, trimorph_base::Diagnostic>,
) -> Outcome<'a, 's> {
    if let [a, b] = &args[..]
        && let Some(vector) = a.vector()
        && !matches!(vector.values, Values::Any(_))
        && let Some(Vector { values: Values::Bool(same), nulls: unknown }) = compare(Op::Eq, a, b, over.at)
    {
        // What is equal at positions that are not meant does no harm.
        let equal = same.chunks(64).enumerate().map(|(k, same)| bits_of(same) & !unknown.word(k));
        let nulls = vector.nulls.union(&Nulls::of_words(equal.collect()), over.at.len);
        return Ok(Evaluated::Own(Vector { values: vector.values.clone(), nulls }));
    }
    by_value(&args, over, cx, of)
}
