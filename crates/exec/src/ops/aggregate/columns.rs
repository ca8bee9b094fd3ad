//! States as columns and back, for groups that go to a file: as many columns for an aggregate as its kind
//! says, whatever form its states have.
//!
//! ```text
//! count           the number
//! sum             of integers: upper and lower half, whether there was one; else null, null, the accumulator
//! avg             the same with the number of integers
//! min, max        the value, or null
//! collect         the list
//! all others      the accumulator
//! ```

use std::ops::Range;

use trimorph_algebra::AggregateKind;
use trimorph_base::Diagnostic;
use trimorph_functions::aggregate::Accumulator;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use super::best::Best;
use super::collected::Collected;
use super::functions::function;
use super::merge::Export;
use super::states::{Column, States, extremes_column, extremes_of, integers, worst};
use crate::ExecError;

/// Columns of the states of one aggregate.
pub(super) fn width(kind: AggregateKind) -> usize {
    use AggregateKind as K;
    if matches!(kind, K::Sum | K::NumberSum | K::Avg) { 3 } else { 1 }
}

fn ints<'s>(values: impl Iterator<Item = i64>) -> Vector<'s> {
    Vector::new(Values::Int(values.collect()))
}

/// The halves of numbers of 128 bits.
#[expect(clippy::cast_possible_truncation, reason = "numbers are cut in halves")]
fn halves<'s>(numbers: &[i128]) -> [Vector<'s>; 2] {
    [ints(numbers.iter().map(|n| (n >> 64) as i64)), ints(numbers.iter().map(|n| *n as i64))]
}

impl<'s> Column<'s> {
    /// The states of some groups, which are not asked for again.
    ///
    /// **Errors**: more terms of a mean than 64 bits count.
    pub(super) fn take(&mut self, groups: Range<usize>) -> Result<Vec<Vector<'s>>, ExecError> {
        let kind = self.kind;
        if let States::Ranks(_) = self.states {
            self.states.generalise(kind)?;
        }
        Ok(match &mut self.states {
            States::Count(counts) => vec![ints(counts[groups].iter().map(|n| n.cast_signed()))],
            States::Sums { values, seen } => {
                let [high, low] = halves(&values[groups.clone()]);
                vec![high, low, Vector::new(Values::Bool(seen[groups].to_vec()))]
            }
            States::Means { sums, counts } => {
                let [high, low] = halves(&sums[groups.clone()]);
                vec![high, low, ints(counts[groups].iter().map(|n| n.cast_signed()))]
            }
            States::Extremes { ty, values, seen, .. } => {
                vec![extremes_column(*ty, values[groups.clone()].to_vec(), &seen[groups])]
            }
            States::Best(best) => {
                // Groups are numbered by 32 bits.
                vec![best.column(&(groups.start as u32..groups.end as u32).collect::<Vec<u32>>())]
            }
            States::Deviations { moments, .. } => {
                let states = moments[groups].iter().map(|m| m.accumulator(function(kind)).into_value());
                vec![Vector::new(Values::Any(states.collect()))]
            }
            States::Lists(collected) => {
                // Groups are numbered by 32 bits.
                let groups: Vec<u32> = (groups.start as u32..groups.end as u32).collect();
                vec![collected.lists().gather(&groups)]
            }
            States::Decimals(sums) => {
                // Groups are numbered by 32 bits.
                let groups: Vec<u32> = (groups.start as u32..groups.end as u32).collect();
                sums_column(sums.pick(&groups).accumulators(kind)?)
            }
            States::Numbers(sums) => {
                // Groups are numbered by 32 bits.
                let groups: Vec<u32> = (groups.start as u32..groups.end as u32).collect();
                sums_column(sums.pick(&groups).accumulators(kind)?)
            }
            // General by now.
            States::Ranks(_) => Vec::new(),
            States::General(states) => {
                let empty = || Accumulator::new(function(kind));
                let states = states[groups].iter_mut();
                let values = states.map(|state| std::mem::replace(state, empty()).into_value());
                let values = Vector::new(Values::Any(values.collect()));
                let none = || Vector::nulls(values.listed());
                match width(kind) {
                    1 => vec![values],
                    _ => vec![none(), none(), values],
                }
            }
        })
    }
}

/// Sums and means as accumulators, none of which is of integers only.
fn sums_column<'s>(states: Vec<Accumulator>) -> Vec<Vector<'s>> {
    let values = states.into_iter().map(Accumulator::into_value).collect();
    let values = Vector::new(Values::Any(values));
    let none = || Vector::nulls(values.listed());
    vec![none(), none(), values]
}

fn unknown() -> ExecError {
    Diagnostic::internal("columns that are no states").into()
}

fn whole(high: i64, low: i64) -> i128 {
    i128::from(high) << 64 | i128::from(low.cast_unsigned())
}

/// The states of an aggregate that has seen nothing, for so many groups.
pub(super) fn blank(kind: AggregateKind, groups: usize) -> Export<'static> {
    let mut column = Column::new(kind, false, false);
    column.resize(groups);
    column.into_export()
}

/// Counts.
pub(super) fn counts(numbers: Vec<u64>) -> Export<'static> {
    Export { states: States::Count(numbers), distinct: None }
}

/// The states that [`Column::take`] gave.
pub(super) fn states_of<'s>(kind: AggregateKind, columns: &[Vector<'s>]) -> Result<Export<'s>, ExecError> {
    let states = match (kind, columns) {
        (AggregateKind::Count | AggregateKind::CountStar, [counts]) => {
            let Values::Int(counts) = &counts.values else { return Err(unknown()) };
            States::Count(counts.iter().map(|n| n.cast_unsigned()).collect())
        }
        (AggregateKind::Sum | AggregateKind::NumberSum | AggregateKind::Avg, [high, low, rest]) => {
            match (&high.values, &low.values, &rest.values) {
                (Values::Int(high), Values::Int(low), Values::Bool(seen)) => States::Sums {
                    values: high.iter().zip(low).map(|(h, l)| whole(*h, *l)).collect(),
                    seen: seen.clone(),
                },
                (Values::Int(high), Values::Int(low), Values::Int(counts)) => States::Means {
                    sums: high.iter().zip(low).map(|(h, l)| whole(*h, *l)).collect(),
                    counts: counts.iter().map(|n| n.cast_unsigned()).collect(),
                },
                _ => States::General(sums_of(kind, high, low, rest)?),
            }
        }
        (AggregateKind::Min | AggregateKind::Max, [values]) => match integers(&values.values) {
            Some(ints) => {
                let seen = values.nulls.booleans(false, ints.len());
                let kept = |(value, seen): (&i64, &bool)| if *seen { *value } else { worst(kind) };
                let kept = ints.iter().zip(&seen).map(kept).collect();
                States::Extremes { kind, ty: values.logical_type(), values: kept, seen }
            }
            None => match Best::of_column(kind, values) {
                Some(best) => States::Best(Box::new(best)),
                None => States::General(extremes_of(kind, values)?),
            },
        },
        (_, [values]) => {
            let lists = if kind == AggregateKind::Collect { Collected::of_lists(values) } else { None };
            if let Some(collected) = lists {
                return Ok(Export { states: States::Lists(Box::new(collected)), distinct: None });
            }
            let Values::Any(values) = &values.values else { return Err(unknown()) };
            let states = values.iter().map(|value| Accumulator::of_value(function(kind), value));
            States::General(states.collect::<Result<_, _>>()?)
        }
        _ => return Err(unknown()),
    };
    Ok(Export { states, distinct: None })
}

fn no_edge(_: trimorph_base::EdgeId) -> Value {
    Value::Null
}

/// Sums and means, some of which are of integers only.
fn sums_of(
    kind: AggregateKind,
    high: &Vector<'_>,
    low: &Vector<'_>,
    rest: &Vector<'_>,
) -> Result<Vec<Accumulator>, ExecError> {
    let state = |i: usize| {
        let value = rest.value(i, &no_edge);
        let count = match &value {
            Value::Bool(seen) => u64::from(*seen),
            Value::Int(count) => count.cast_unsigned(),
            other => return Ok(Accumulator::of_value(function(kind), other)?),
        };
        match (high.value(i, &no_edge), low.value(i, &no_edge)) {
            (Value::Int(high), Value::Int(low)) => {
                Ok(Accumulator::of_integers(function(kind), whole(high, low), count))
            }
            _ => Err(unknown()),
        }
    };
    (0..rest.listed()).map(state).collect()
}
