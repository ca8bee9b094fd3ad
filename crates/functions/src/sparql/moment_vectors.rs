//! Moments over typed vectors: moments of one type and what is added to them, or others of their type, in;
//! moments, durations or numbers out.
//!
//! Moments of a vector are nanoseconds of 64 bits, of which all are days of the calendar. What leaves them,
//! and what has offsets other than UTC's, is left to the functions value by value.

use trimorph_types::rdf::lexical::Span;
use trimorph_types::rdf::names::xsd;
use trimorph_types::rdf::{shared_datatype, write_span};
use trimorph_types::temporal::calendar::add_months;
use trimorph_types::{Date, Decimal, LiteralKind, Value};
use trimorph_vector::{Decimals, Literals, Nulls, Positions, Side, Texts, Values, Vector};

use super::meaning::Meaning;
use super::moments::OFFSET_MAX;
use crate::kernel::{Argument, nulls_of};

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const NANOS_PER_DAY: i64 = 86_400 * NANOS_PER_SECOND;

/// Moments of one side, by whether they have UTC's offset or none.
#[derive(Clone, Copy)]
struct Moments<'a> {
    nanos: Side<'a, i64>,
    has_offset: bool,
}

impl<'a> Moments<'a> {
    fn of(argument: Argument<'a, '_>) -> Option<Self> {
        let one = |seconds: i64, nanos: u32| {
            let nanos = seconds.checked_mul(NANOS_PER_SECOND)?.checked_add(nanos.into())?;
            Some(Side::One(nanos))
        };
        let (nanos, has_offset) = match argument {
            Argument::Each(Vector { values: Values::DateTime(all), .. }) => (Side::Each(&all[..]), true),
            Argument::Each(Vector { values: Values::LocalDateTime(all), .. }) => {
                (Side::Each(&all[..]), false)
            }
            // In UTC, wherever it was said.
            Argument::One(Value::DateTime(t)) => (one(t.seconds, t.nanos)?, true),
            Argument::One(Value::LocalDateTime(t)) => (one(t.seconds, t.nanos)?, false),
            Argument::One(_) | Argument::Each(_) => return None,
        };
        Some(Self { nanos, has_offset })
    }

    fn values<'s>(nanos: Vec<i64>, has_offset: bool) -> Values<'s> {
        if has_offset { Values::DateTime(nanos) } else { Values::LocalDateTime(nanos) }
    }
}

/// What `of` makes of each position that is not null, unless it fails for one of them.
fn each<T: Copy + Default>(
    nulls: &Nulls,
    at: Positions<'_>,
    of: impl Fn(usize) -> Option<T>,
) -> Option<Vec<T>> {
    let (mut out, mut fit) = (vec![T::default(); at.len], true);
    at.for_each(|i| {
        if !nulls.get(i) {
            match of(i) {
                Some(value) => out[i] = value,
                None => fit = false,
            }
        }
    });
    fit.then_some(out)
}

/// Nanoseconds a duration later, months first.
#[inline]
fn later(nanos: i64, span: Span, more: i64) -> Option<i64> {
    if span.months == 0 {
        return nanos.checked_add(more);
    }
    let day = add_months(nanos.div_euclid(NANOS_PER_DAY), span.months)?;
    day.checked_mul(NANOS_PER_DAY)?.checked_add(nanos.rem_euclid(NANOS_PER_DAY))?.checked_add(more)
}

/// Moments and days with one duration, added or taken away.
pub(super) fn plus<'s>(args: &[Argument<'_, 's>], at: Positions<'_>, is_sum: bool) -> Option<Vector<'s>> {
    let (moments, span) = match args {
        [Argument::Each(moments), Argument::One(span)] => (moments, span),
        [Argument::One(span), Argument::Each(moments)] if is_sum => (moments, span),
        _ => return None,
    };
    let Meaning::Span(_, span) = Meaning::of(span) else { return None };
    let span = match is_sum {
        true => span,
        false => Span { months: span.months.checked_neg()?, nanos: span.nanos.checked_neg()? },
    };
    let (more, nulls) = (i64::try_from(span.nanos).ok()?, &moments.nulls);
    let values = match &moments.values {
        Values::DateTime(all) => Values::DateTime(each(nulls, at, |i| later(all[i], span, more))?),
        Values::LocalDateTime(all) => Values::LocalDateTime(each(nulls, at, |i| later(all[i], span, more))?),
        Values::Date(all) => {
            // The day on which midnight and the duration end.
            let days = more.div_euclid(NANOS_PER_DAY);
            Values::Date(each(nulls, at, |i| {
                let day = add_months(all[i].into(), span.months)?.checked_add(days)?;
                i32::try_from(Date::from_days(day).ok()?.days).ok()
            })?)
        }
        _ => return None,
    };
    Some(Vector { values, nulls: nulls.clone() })
}

/// What lies between moments of one type, as `xsd:dayTimeDuration`.
pub(super) fn differences<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (nanos, nulls) = nanos_between(args, at)?;
    let (mut texts, mut text) = (Texts::blank(at.len), String::new());
    at.for_each(|i| {
        if !nulls.get(i) {
            text.clear();
            // A string takes all that is written.
            _ = write_span(&mut text, Span { months: 0, nanos: nanos[i].into() });
            texts.set(i, &text);
        }
    });
    let kind = LiteralKind::Datatype(shared_datatype(xsd::DAY_TIME_DURATION));
    Some(Vector { values: Values::Literal(Literals::all(texts, kind)), nulls })
}

/// The same as nanoseconds.
pub(super) fn elapsed<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (nanos, nulls) = nanos_between(args, at)?;
    Some(Vector { values: Values::Int(nanos), nulls })
}

fn nanos_between(args: &[Argument<'_, '_>], at: Positions<'_>) -> Option<(Vec<i64>, Nulls)> {
    let [a, b] = args else { return None };
    let (a, b) = (Moments::of(*a)?, Moments::of(*b)?);
    let nulls = nulls_of(args, at.len);
    // One without offset is taken to be in UTC.
    let nanos = each(&nulls, at, |i| a.nanos.at(i).checked_sub(b.nanos.at(i)))?;
    Some((nanos, nulls))
}

/// How a moment that has an offset compares with one that has none, if it does so for all offsets.
fn compare_unsure(a: i64, b: i64) -> Option<std::cmp::Ordering> {
    let most = OFFSET_MAX * NANOS_PER_SECOND;
    if a.saturating_add(most) < b {
        Some(std::cmp::Ordering::Less)
    } else if a.saturating_sub(most) > b {
        Some(std::cmp::Ordering::Greater)
    } else {
        None
    }
}

/// Whether moments stand in an order: null where one has an offset, the other none, and that decides.
pub(super) fn compared<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    accepts: impl Fn(std::cmp::Ordering) -> bool,
) -> Option<Vector<'s>> {
    let [a, b] = args else { return None };
    let (a, b) = (Moments::of(*a)?, Moments::of(*b)?);
    let (mut nulls, mut out) = (nulls_of(args, at.len), vec![false; at.len]);
    let are_alike = a.has_offset == b.has_offset;
    at.for_each(|i| {
        let (x, y) = (a.nanos.at(i), b.nanos.at(i));
        let order = if are_alike { Some(x.cmp(&y)) } else { compare_unsure(x, y) };
        match order {
            Some(order) => out[i] = accepts(order),
            None => nulls.set(i, at.len),
        }
    });
    Some(Vector { values: Values::Bool(out), nulls })
}

/// The midnights that moments and days begin with.
pub(super) fn midnights<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [Argument::Each(vector)] = args else { return None };
    let nulls = &vector.nulls;
    let values = match &vector.values {
        Values::Date(all) => {
            let midnight = |i: usize| i64::from(all[i]).checked_mul(NANOS_PER_DAY);
            Values::LocalDateTime(each(nulls, at, midnight)?)
        }
        _ => {
            let all = Moments::of(args[0])?;
            let midnight = |i: usize| {
                let nanos = all.nanos.at(i);
                nanos.checked_sub(nanos.rem_euclid(NANOS_PER_DAY))
            };
            Moments::values(each(nulls, at, midnight)?, all.has_offset)
        }
    };
    Some(Vector { values, nulls: nulls.clone() })
}

/// The seconds of moments, with their fraction.
pub(super) fn seconds<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [Argument::Each(vector)] = args else { return None };
    let all = Moments::of(args[0])?;
    let seconds = |i: usize| {
        let nanos = all.nanos.at(i).rem_euclid(60 * NANOS_PER_SECOND);
        match nanos % NANOS_PER_SECOND {
            0 => Some(Decimal::from(nanos / NANOS_PER_SECOND)),
            _ => Decimal::new(nanos.into(), 9),
        }
    };
    let values = Values::Decimal(Decimals::packed(each(&vector.nulls, at, seconds)?));
    Some(Vector { values, nulls: vector.nulls.clone() })
}

/// The offset of moments as text: all have the same, or none.
pub(super) fn offsets<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [Argument::Each(vector)] = args else { return None };
    let text = if Moments::of(args[0])?.has_offset { "Z" } else { "" };
    let values = Values::String(Texts::repeat(text, at.len));
    Some(Vector { values, nulls: vector.nulls.clone() })
}
