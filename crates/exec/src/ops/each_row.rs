//! Each row: in a subplan that many rows of an apply go through at once, the one row that an aggregation
//! without keys gives for each of them, in their order. The aggregation is grouped by the number of the row;
//! rows of which nothing is left to aggregate have no group, and get what aggregates give for nothing.
//!
//! Holds a row for each of the apply, whose vectors are short.

use std::sync::Arc;

use trimorph_algebra::AggregateKind;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Positions, Selection, Values, Vector};

use super::aggregate::value_of_nothing;
use super::source::Argument;
use crate::operator::{BoxOperator, Operator};
use crate::rows::append;
use crate::{Context, ExecError};

/// What is aggregated.
#[derive(Debug)]
pub(crate) struct EachRowSpec {
    /// Slots of the one group of the aggregation, which are those that are given.
    pub(crate) slots: usize,
    /// The slot of the row's number.
    pub(crate) number: usize,
    /// The other slots, and what is aggregated there.
    pub(crate) aggregates: Vec<(usize, AggregateKind)>,
}

/// Each row.
pub(crate) struct EachRow<'s> {
    child: BoxOperator<'s>,
    /// The rows of the apply, whose numbers come last.
    argument: Argument<'s>,
    inner: Chunk<'s>,
    spec: Arc<EachRowSpec>,
}

impl<'s> EachRow<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, argument: Argument<'s>, spec: Arc<EachRowSpec>) -> Self {
        Self { child, argument, inner: Chunk::with_slots(&[spec.slots]), spec }
    }
}

/// Whether a chunk has the rows of all numbers, in their order.
fn is_of_each(chunk: &Chunk<'_>, number: usize, rows: usize) -> bool {
    let group = &chunk.groups[0];
    let is_whole = group.len == rows && group.flat.is_none() && matches!(group.selection, Selection::All);
    let Values::Int(numbers) = &group.vectors[number].values else { return false };
    is_whole && numbers.iter().zip(0..).all(|(number, i)| *number == i)
}

impl<'s> Operator<'s> for EachRow<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let Some(rows) = self.argument.rows() else { return Ok(false) };
        let spec = &*self.spec;
        let mut is_ended = !self.child.next(&mut self.inner, cx)?;
        if !is_ended && is_of_each(&self.inner, spec.number, rows) {
            let out = &mut chunk.groups[0];
            out.reset(rows);
            for (to, from) in out.vectors.iter_mut().zip(&mut self.inner.groups[0].vectors) {
                *to = std::mem::replace(from, Vector::empty());
            }
            return Ok(true);
        }
        // Where each row's values are among those that came; behind them are those of nothing.
        let mut places: Vec<Option<u32>> = vec![None; rows];
        let mut columns: Vec<Vector<'s>> = vec![Vector::empty(); spec.slots];
        let mut came = 0;
        while !is_ended {
            let group = &self.inner.groups[0];
            let positions = group.positions();
            if let Values::Int(numbers) = &group.vectors[spec.number].values {
                for p in &positions {
                    let number = usize::try_from(numbers[*p as usize]).unwrap_or(usize::MAX);
                    if let Some(place) = places.get_mut(number) {
                        *place = Some(came);
                    }
                    came += 1;
                }
            }
            for (slot, _) in &spec.aggregates {
                append(&mut columns[*slot], &group.vectors[*slot], &positions, &|id| cx.edge_value(id));
            }
            is_ended = !self.child.next(&mut self.inner, cx)?;
        }
        let has_all = places.iter().all(Option::is_some);
        let places: Vec<u32> = places.into_iter().map(|place| place.unwrap_or(came)).collect();
        let out = &mut chunk.groups[0];
        out.reset(rows);
        out.vectors[spec.number] = Vector::new(Values::Int((0..rows as i64).collect()));
        for (slot, kind) in &spec.aggregates {
            let mut column = std::mem::replace(&mut columns[*slot], Vector::empty());
            if !has_all {
                let nothing = Vector::of_values(vec![value_of_nothing(*kind)?], Positions::all(1));
                append(&mut column, &nothing, &[0], &|_| Value::Null);
            }
            out.vectors[*slot] = column.gather(&places);
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}
