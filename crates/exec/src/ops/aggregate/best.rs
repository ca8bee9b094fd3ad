//! Least and largest of values of one type that are no 64-bit integers: one value a group, in a vector of
//! their type. Of equivalent values the first stays.
//!
//! Hot loop: [`keep`], a comparison a row, and a store where a value is better than what its group has.

use std::cmp::Ordering;

use trimorph_algebra::AggregateKind;
use trimorph_types::compare::{order_durations, order_times, order_zones};
use trimorph_types::number::compare_int_float;
use trimorph_types::{Decimal, Duration, Time, Zone};
use trimorph_vector::{Number, Values, Vector};

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
            let (mut values, seen) = (like.like(), vec![false; groups]);
            values.resize(groups);
            Self { largest: kind == AggregateKind::Max, values, seen }
        })
    }

    /// The best of groups, null where there was none; `None` where they are kept in other ways.
    pub(super) fn of_column(kind: AggregateKind, column: &Vector<'s>) -> Option<Self> {
        let groups = column.listed();
        Self::new(kind, column, groups).map(|new| Self {
            values: Vector::new(column.values.clone()),
            seen: column.nulls.booleans(false, groups),
            ..new
        })
    }

    /// Takes rows in; `false` where their values are of another type.
    pub(super) fn add(&mut self, rows: &Rows<'_, 's>, arg: &Vector<'s>) -> Result<bool, ExecError> {
        let wanted = if self.largest { Ordering::Greater } else { Ordering::Less };
        let seen = &mut self.seen[..];
        match (&mut self.values.values, &arg.values) {
            (Values::Float(best), Values::Float(v)) => keep(rows, v, wanted, best, seen)?,
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
            (Values::Date(best), Values::Date(v)) => keep(rows, v, wanted, best, seen)?,
            (Values::Bool(best), Values::Bool(v)) => keep(rows, v, wanted, best, seen)?,
            (Values::Decimal(best), Values::Decimal(v)) => keep(rows, v, wanted, best, seen)?,
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

    /// Makes room for `groups` groups.
    pub(super) fn resize(&mut self, groups: usize) {
        self.values.resize(groups);
        self.seen.resize(groups, false);
    }

    /// Groups, those there is room for, and bytes of each.
    pub(super) fn cells(&self) -> (usize, usize, usize) {
        let width = match &self.values.values {
            Values::Float(_) => size_of::<f64>(),
            Values::Date(_) => size_of::<i32>(),
            Values::Bool(_) => size_of::<bool>(),
            Values::Decimal(_) => size_of::<Decimal>(),
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
