//! Least and largest of values of one type that are no 64-bit integers: one value a group, in a vector of
//! their type. Of equivalent values the first stays.
//!
//! Hot loop: [`keep`], a comparison a row, and a store where a value is better than what its group has.
//! Floats and dates begin with what is worse than all, so that whether a group has a value is not asked
//! ([`keep_plain`]).

use std::cmp::Ordering;

use trimorph_algebra::AggregateKind;
use trimorph_types::compare::{order_durations, order_times, order_zones};
use trimorph_types::number::compare_int_float;
use trimorph_types::{Decimal, Duration, Time, Zone};
use trimorph_vector::{Decimals, Number, Values, Vector};

use super::rows::Rows;
use crate::ExecError;

/// The best value of each group so far, where there was one.
pub(super) struct Best<'s> {
    largest: bool,
    /// Arbitrary for groups of which no value was seen.
    values: Vector<'s>,
    seen: Vec<bool>,
}

/// How two values of a type order; both zeros are one, NaN is the largest.
trait Ordered: Copy {
    fn order(&self, other: &Self) -> Ordering;
}

impl Ordered for f64 {
    fn order(&self, other: &Self) -> Ordering {
        self.partial_cmp(other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
    }
}

impl Ordered for Number {
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => a.order(b),
            // NaN is the largest.
            (Self::Int(a), Self::Float(b)) => compare_int_float(*a, *b).unwrap_or(Ordering::Less),
            (Self::Float(a), Self::Int(b)) => {
                compare_int_float(*b, *a).map_or(Ordering::Greater, Ordering::reverse)
            }
        }
    }
}

/// Whether a number comes before another, or after it. What is less as a float is less.
#[inline]
fn is_better(number: Number, than: Number, wanted: Ordering) -> bool {
    match number.float().partial_cmp(&than.float()) {
        Some(order @ (Ordering::Less | Ordering::Greater)) => order == wanted,
        _ => number.order(&than) == wanted,
    }
}

impl Ordered for i64 {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Ordered for i32 {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Ordered for bool {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Ordered for Decimal {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Ordered for Time {
    fn order(&self, other: &Self) -> Ordering {
        order_times(*self, *other)
    }
}

impl Ordered for Duration {
    fn order(&self, other: &Self) -> Ordering {
        order_durations(self, other)
    }
}

/// Keeps what is better than the best so far.
#[inline(always)]
fn keep<T: Ordered>(
    rows: &Rows<'_, '_>,
    values: &[T],
    wanted: Ordering,
    best: &mut [T],
    seen: &mut [bool],
) -> Result<(), ExecError> {
    rows.each(|n, p, _| {
        if !seen[n] || values[p].order(&best[n]) == wanted {
            (best[n], seen[n]) = (values[p], true);
        }
        Ok(())
    })
}

/// A type that has a value which is worse than all.
trait Plain: Copy {
    fn worst(largest: bool) -> Self;
    /// Whether it comes after another where the largest is wanted, else before it.
    fn is_better(self, than: Self, largest: bool) -> bool;
}

impl Plain for f64 {
    fn worst(largest: bool) -> Self {
        if largest { Self::NEG_INFINITY } else { Self::NAN }
    }

    #[inline(always)]
    #[expect(clippy::eq_op, reason = "NaN is not itself; it is the largest")]
    fn is_better(self, than: Self, largest: bool) -> bool {
        if largest { self > than || self != self } else { self < than || than != than }
    }
}

impl Plain for i32 {
    fn worst(largest: bool) -> Self {
        if largest { Self::MIN } else { Self::MAX }
    }

    #[inline(always)]
    fn is_better(self, than: Self, largest: bool) -> bool {
        if largest { self > than } else { self < than }
    }
}

/// As [`keep`], where a group of which nothing was seen has what is worse than all.
#[inline(always)]
fn keep_plain<T: Plain>(
    rows: &Rows<'_, '_>,
    values: &[T],
    largest: bool,
    best: &mut [T],
    seen: &mut [bool],
) -> Result<(), ExecError> {
    rows.each(|n, p, _| {
        if values[p].is_better(best[n], largest) {
            best[n] = values[p];
        }
        seen[n] = true;
        Ok(())
    })
}

/// Values that are compared side by side.
const LANES: usize = 8;

/// The best of values and what is kept.
fn best_of<T: Plain>(values: &[T], kept: T, largest: bool) -> T {
    let better = |a: T, b: T| if b.is_better(a, largest) { b } else { a };
    let (rows, rest) = values.as_chunks::<LANES>();
    let mut lanes = [kept; LANES];
    for row in rows {
        lanes.iter_mut().zip(row).for_each(|(lane, value)| *lane = better(*lane, *value));
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(kept, better)
}

impl<'s> Best<'s> {
    /// Nothing was seen yet, in so many groups, of values like those of `like`; `None` where they are kept in
    /// other ways.
    pub(super) fn new(kind: AggregateKind, like: &Vector<'s>, groups: usize) -> Option<Self> {
        let is_one_type = matches!(
            like.values,
            Values::Float(_)
                | Values::Number(_)
                | Values::Date(_)
                | Values::Bool(_)
                | Values::Decimal(_)
                | Values::Time(_)
                | Values::Duration(_)
                | Values::Zoned(_)
        );
        is_one_type.then(|| {
            let (largest, values) = (kind == AggregateKind::Max, like.like());
            let mut new = Self { largest, values, seen: Vec::new() };
            new.resize(groups);
            new
        })
    }

    /// The best of groups, null where there was none; `None` where they are kept in other ways.
    pub(super) fn of_column(kind: AggregateKind, column: &Vector<'s>) -> Option<Self> {
        let groups = column.listed();
        let mut new = Self::new(kind, column, 0)?;
        new.values = Vector::new(column.values.clone());
        new.seen = column.nulls.booleans(false, groups);
        new.reset((0..groups).filter(|group| column.nulls.get(*group)));
        Some(new)
    }

    /// Takes rows in; `false` where their values are of another type.
    pub(super) fn add(&mut self, rows: &Rows<'_, 's>, arg: &Vector<'s>) -> Result<bool, ExecError> {
        let wanted = if self.largest { Ordering::Greater } else { Ordering::Less };
        let seen = &mut self.seen[..];
        match (&mut self.values.values, &arg.values) {
            (Values::Float(best), Values::Float(v)) => keep_plain(rows, v, self.largest, best, seen)?,
            (Values::Number(best), Values::Number(v)) => {
                rows.each(|n, p, _| {
                    let number = v.get(p);
                    if !seen[n] || is_better(number, best.get(n), wanted) {
                        best.set(n, number);
                        seen[n] = true;
                    }
                    Ok(())
                })?;
            }
            (Values::Date(best), Values::Date(v)) => keep_plain(rows, v, self.largest, best, seen)?,
            (Values::Bool(best), Values::Bool(v)) => keep(rows, v, wanted, best, seen)?,
            (Values::Decimal(best), Values::Decimal(v)) => match (&*best.met(v), best) {
                (Decimals::Units { units: v, .. }, Decimals::Units { units: best, .. }) => {
                    keep(rows, v, wanted, best, seen)?;
                }
                (Decimals::Each(v), Decimals::Each(best)) => keep(rows, v, wanted, best, seen)?,
                _ => return Ok(false),
            },
            (Values::Time(best), Values::Time(v)) => keep(rows, v, wanted, best, seen)?,
            (Values::Duration(best), Values::Duration(v)) => keep(rows, v, wanted, best, seen)?,
            (Values::Zoned(best), Values::Zoned(v)) => {
                let Some(numbers) = best.numbers_for(v) else { return Ok(false) };
                rows.each(|n, p, _| {
                    let nanos = v.values()[p];
                    let by_zone =
                        || order_zones(v.tag(p).unwrap_or(&Zone::UTC), best.tag(n).unwrap_or(&Zone::UTC));
                    if !seen[n] || nanos.cmp(&best.values()[n]).then_with(by_zone) == wanted {
                        best.set(n, numbers[usize::from(v.codes()[p])], |values| values[n] = nanos);
                        seen[n] = true;
                    }
                    Ok(())
                })?;
            }
            // Instants of UTC are instants of zones.
            (Values::Zoned(_), Values::DateTime(_)) => {
                let zoned = arg.clone().zoned();
                return self.add(&Rows { arg: Some(&zoned), ..*rows }, &zoned);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes values of one group in, none of them null; `false` where they are of another type.
    pub(super) fn add_whole(&mut self, group: usize, arg: &Vector<'_>, len: usize) -> bool {
        match (&mut self.values.values, &arg.values) {
            (Values::Float(best), Values::Float(v)) => {
                best[group] = best_of(&v[..len], best[group], self.largest);
            }
            (Values::Date(best), Values::Date(v)) => {
                best[group] = best_of(&v[..len], best[group], self.largest);
            }
            _ => return false,
        }
        self.seen[group] |= len > 0;
        true
    }

    /// Makes room for `groups` groups.
    pub(super) fn resize(&mut self, groups: usize) {
        let before = self.seen.len();
        self.values.resize(groups);
        self.seen.resize(groups, false);
        self.reset(before..groups);
    }

    /// Gives groups of which nothing was seen what is worse than all.
    fn reset(&mut self, groups: impl Iterator<Item = usize>) {
        match &mut self.values.values {
            Values::Float(best) => groups.for_each(|group| best[group] = f64::worst(self.largest)),
            Values::Date(best) => groups.for_each(|group| best[group] = i32::worst(self.largest)),
            _ => {}
        }
    }

    /// Groups, those there is room for, and bytes of each.
    pub(super) fn cells(&self) -> (usize, usize, usize) {
        let width = match &self.values.values {
            Values::Float(_) => size_of::<f64>(),
            Values::Date(_) => size_of::<i32>(),
            Values::Bool(_) => size_of::<bool>(),
            Values::Decimal(v) => v.cells().1,
            Values::Time(_) => size_of::<Time>(),
            Values::Duration(_) => size_of::<Duration>(),
            _ => size_of::<i64>() + 1,
        };
        // Both arrays grow at the same moments.
        (self.seen.len(), self.seen.capacity(), width + 1)
    }

    /// Whether there was a value in any group.
    pub(super) fn has_seen(&self) -> bool {
        self.seen.iter().any(|seen| *seen)
    }

    /// The best of some groups; null where there was none.
    pub(super) fn column(&self, groups: &[u32]) -> Vector<'s> {
        let mut column = self.values.gather(groups);
        for (i, _) in groups.iter().enumerate().filter(|(_, group)| !self.seen[**group as usize]) {
            column.nulls.set(i, groups.len());
        }
        column
    }

    /// The same of all.
    pub(super) fn into_column(self) -> Vector<'s> {
        let (mut column, groups) = (self.values, self.seen.len());
        for (i, _) in self.seen.iter().enumerate().filter(|(_, seen)| !**seen) {
            column.nulls.set(i, groups);
        }
        column
    }

    /// Some groups for themselves.
    pub(super) fn of_groups(&self, groups: &[u32]) -> Self {
        Self {
            largest: self.largest,
            values: self.values.gather(groups),
            seen: groups.iter().map(|group| self.seen[*group as usize]).collect(),
        }
    }
}
