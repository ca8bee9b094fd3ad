//! CASE, coalesce and nullIf: values of one of several expressions, each evaluated only where it is asked
//! for.
//!
//! Positions that no branch has taken yet go on to the next; what the branches give is put together into one
//! vector at the end, typed if all are of one type: a value keeps its type whatever the other branches give.

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
    let mut open = over.at.to_vec();
    let mut taken: Vec<Taken<'a, 's>> = Vec::with_capacity(branches.len() + 1);
    for (when, then) in branches {
        if open.is_empty() {
            break;
        }
        let at = narrowed(over, &open);
        match met(&evaluate(when, at, cx)?, at)? {
            Met::None => {}
            Met::All => {
                let value = evaluate(then, at, cx)?;
                taken.push((value, std::mem::take(&mut open)));
            }
            Met::Some(mine) => {
                let list = at.at.filter(|i| mine[i]);
                if !list.is_empty() {
                    let value = evaluate(then, narrowed(over, &list), cx)?;
                    let rest = at.at.filter(|i| !mine[i]);
                    open = rest;
                    taken.push((value, list));
                }
            }
        }
    }
    if !open.is_empty() {
        taken.push((evaluate(otherwise, narrowed(over, &open), cx)?, open));
    }
    Ok(together(taken, over, cx))
}

/// The same positions where they are all, so that kernels need no list.
fn narrowed<'a, 'q, 's>(over: Over<'a, 'q, 's>, list: &'q [u32]) -> Over<'a, 'q, 's> {
    if list.len() == over.at.count() { over } else { over.among(list) }
}

/// Where a condition is true.
enum Met {
    All,
    None,
    /// Where the flag of the position stands.
    Some(Vec<bool>),
}

fn met(condition: &Evaluated<'_, '_>, over: Over<'_, '_, '_>) -> Result<Met, ExecError> {
    if let Evaluated::Const(v) = condition {
        return Ok(if truth(v)? == Some(true) { Met::All } else { Met::None });
    }
    match booleans(condition, over.at) {
        Some((values, nulls)) => Ok(Met::Some(true_at(values.into_owned(), &nulls))),
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
            wrong.map_or(Ok(Met::Some(mine)), |error| Err(error.into()))
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
        match met(&evaluate(when, at, cx)?, at)? {
            Met::None => {}
            Met::All => {
                at.at.for_each(|i| number[i] = if number[i] == 0 { mine } else { number[i] });
                break;
            }
            Met::Some(flags) => {
                if at.at.is_all() {
                    number
                        .iter_mut()
                        .zip(&flags)
                        .for_each(|(n, flag)| *n |= mine * u8::from(*flag & (*n == 0)));
                } else {
                    at.at.for_each(|i| number[i] |= mine * u8::from(flags[i] & (number[i] == 0)));
                }
                // A later condition that cannot fail may as well be evaluated where it is not asked for.
                if let Some((next, _)) = branches.get(usize::from(mine))
                    && !(is_total(next) && at.at.is_all() && is_mostly_open(&number))
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
    let flags = match met(&evaluate(when, over, cx)?, over)? {
        Met::All => return Ok(Some(a)),
        Met::None => return Ok(Some(b)),
        Met::Some(flags) => flags,
    };
    let flags = flags.get(..over.at.len).unwrap_or(&flags);
    let words = |null: &dyn Fn(usize, u64) -> u64| {
        let word = |(k, flags): (usize, &[bool])| null(k, bits_of(flags)) & (u64::MAX >> (64 - flags.len()));
        Nulls::of_words(flags.chunks(64).enumerate().map(word).collect())
    };
    let word = |nulls: &Nulls, k: usize| nulls.words().get(k).copied().unwrap_or(0);
    Ok(match (one, both) {
        (Some((v, flip)), _) => {
            let nulls = words(&|k, taken| word(&v.nulls, k) | (taken ^ flip));
            Some(Evaluated::Own(Vector { values: v.values.clone(), nulls }))
        }
        (None, Some(((x, of_x), (y, of_y)))) => {
            let nulls = match of_x.is_none() && of_y.is_none() {
                true => Nulls::NONE,
                false => words(&|k, taken| (word(of_x, k) & taken) | (word(of_y, k) & !taken)),
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
    fn taken<T: Copy>(flags: &[bool], x: impl Fn(usize) -> T, y: impl Fn(usize) -> T) -> Vec<T> {
        flags.iter().enumerate().map(|(i, flag)| if *flag { x(i) } else { y(i) }).collect()
    }
    let (bits, is_float): (Vec<u64>, bool) = match (x, y) {
        (Numeric::Ints(x), Numeric::Ints(y)) => {
            return Some(Values::Int(taken(flags, |i| x.at(i), |i| y.at(i))));
        }
        (Numeric::Floats(x), Numeric::Floats(y)) => {
            return Some(Values::Float(taken(flags, |i| x.at(i), |i| y.at(i))));
        }
        (Numeric::Floats(x), Numeric::Ints(y)) => {
            (taken(flags, |i| x.at(i).to_bits(), |i| y.at(i).cast_unsigned()), true)
        }
        (Numeric::Ints(x), Numeric::Floats(y)) => {
            (taken(flags, |i| x.at(i).cast_unsigned(), |i| y.at(i).to_bits()), false)
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
    number.iter().filter(|n| **n == 0).count() * 2 >= number.len()
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
    if let ([Ex::Const(value)], Some(vector)) = (rest, first.vector())
        && let Some(out) = filled(vector, value, over.at.len)
    {
        return Ok(Evaluated::Own(out));
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

fn part<'v, 's>(value: &'v Evaluated<'_, 's>, list: &'v [u32]) -> Part<'v, 's> {
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
        let mut nulls = vector.nulls.clone();
        over.at.for_each(|i| {
            if same[i] && !unknown.get(i) {
                nulls.set(i, over.at.len);
            }
        });
        return Ok(Evaluated::Own(Vector { values: vector.values.clone(), nulls }));
    }
    by_value(&args, over, cx, of)
}
