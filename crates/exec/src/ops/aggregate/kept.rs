//! Distinct values that an aggregate other than `count` takes: kept as they came, typed, beside the set that
//! tells them apart, and aggregated when all have come.
//!
//! The set has values by what they are equivalent to (1 and 1.0 are one), from which they cannot be made
//! again; what is kept can be merged with what another worker kept, and go to files.

use trimorph_algebra::AggregateKind;
use trimorph_base::Reservation;
use trimorph_functions::aggregate::Accumulator;
use trimorph_types::Value;
use trimorph_vector::{Positions, Vector};

use super::functions::function;
use super::merge::Export;
use super::ordered::by_arrival;
use super::rows::{Rows, Weights};
use super::spec::{AggregateEx, Kept};
use super::states::{Column, Ledger, ROWS_UNCHECKED, States};
use crate::expr::Ex;
use crate::{Context, ExecError};

/// What was found of the distinct values of one aggregate without keys, which were in files.
pub(super) enum Found<'a, 's> {
    /// So many more.
    Count(u64),
    /// Those at these positions.
    Values(&'a Vector<'s>, &'a [u32]),
}

/// All values, and the group of each.
fn values_of<'s>(states: States<'s>) -> Result<(Vec<u32>, Vector<'s>), ExecError> {
    match states {
        States::Lists(collected) => Ok(collected.into_values()),
        States::General(states) => {
            let (mut numbers, mut values) = (Vec::new(), Vec::new());
            for (number, state) in states.into_iter().enumerate() {
                if let Value::List(items) = state.finish()? {
                    // Groups are numbered by 32 bits.
                    numbers.resize(numbers.len() + items.len(), number as u32);
                    values.extend(items.iter().cloned());
                }
            }
            let len = values.len();
            Ok((numbers, Vector::of_values(values, Positions::all(len))))
        }
        _ => Ok((Vec::new(), Vector::empty())),
    }
}

/// States of which each has taken one of the values at `positions`.
pub(super) fn one_each<'s>(
    aggregate: &AggregateEx,
    values: &Vector<'s>,
    positions: &[u32],
    cx: &Context<'s>,
) -> Result<Export<'s>, ExecError> {
    let mut column = Column::new(aggregate.kind, false, false);
    column.resize(positions.len());
    let numbers: Vec<u32> = (0..u32::try_from(positions.len()).unwrap_or(u32::MAX)).collect();
    let constant = if let Some(Ex::Const(value)) = &aggregate.parameter { Some(value) } else { None };
    let mut held = cx.settings.budget.reservation();
    column.add_values(values, &numbers, positions, constant, &mut Ledger::new(&mut held, cx))?;
    Ok(column.into_export())
}

impl<'s> Column<'s> {
    /// The states of an aggregate, of no groups; `one_group` if there will be one only.
    pub(super) fn of(aggregate: &AggregateEx, one_group: bool) -> Self {
        let (span, order) = (aggregate.span, aggregate.order.clone());
        if !aggregate.is_kept() {
            return Self { span, order, ..Self::new(aggregate.kind, aggregate.distinct, one_group) };
        }
        let parameter =
            if let Some(Ex::Const(value)) = &aggregate.parameter { Some(value.clone()) } else { None };
        let kept = Kept { kind: aggregate.kind, parameter, one_group };
        Self { kept: Some(kept), span, order, ..Self::new(AggregateKind::Collect, true, one_group) }
    }

    /// Takes in values at `positions`, each once and in its group.
    fn add_values(
        &mut self,
        values: &Vector<'s>,
        numbers: &[u32],
        positions: &[u32],
        constant: Option<&Value>,
        ledger: &mut Ledger<'_, '_>,
    ) -> Result<(), ExecError> {
        let pieces = numbers.chunks(ROWS_UNCHECKED).zip(positions.chunks(ROWS_UNCHECKED));
        for (numbers, positions) in pieces {
            ledger.cx.check()?;
            let (arg, weights) = (Some(values), Weights::All(1));
            let (parameter, shared, is_of_chunk) = (None, None, false);
            let rows = Rows { arg, parameter, constant, numbers, positions, weights, shared, is_of_chunk };
            self.update(&rows, ledger)?;
        }
        Ok(())
    }

    /// The values that are kept and the group of each; none stay. `None` where none are kept.
    pub(super) fn take_kept(&mut self) -> Result<Option<(Vec<u32>, Vector<'s>)>, ExecError> {
        let Some(Kept { one_group, .. }) = self.kept else { return Ok(None) };
        let groups = self.groups();
        let empty = Self {
            kept: self.kept.take(),
            span: self.span,
            order: self.order.clone(),
            ..Self::new(self.kind, true, one_group)
        };
        let taken = std::mem::replace(self, empty);
        self.resize(groups);
        values_of(taken.states).map(Some)
    }

    /// Takes in what another worker has kept, its groups renumbered.
    pub(super) fn merge_kept(
        &mut self,
        from: States<'s>,
        renumber: &[u32],
        ledger: &mut Ledger<'_, '_>,
    ) -> Result<(), ExecError> {
        let (mut numbers, values) = values_of(from)?;
        numbers.iter_mut().for_each(|number| *number = renumber[*number as usize]);
        let positions: Vec<u32> = (0..u32::try_from(numbers.len()).unwrap_or(u32::MAX)).collect();
        self.add_values(&values, &numbers, &positions, None, ledger)
    }

    /// Aggregates the values that are kept: from now on these are the states of an aggregate like any other.
    pub(super) fn settle(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let Some(Kept { kind, parameter, .. }) = self.kept.take() else { return Ok(()) };
        self.distinct = None;
        if kind == AggregateKind::Collect {
            return Ok(());
        }
        let mut settled = Self { span: self.span, ..Self::new(kind, false, false) };
        settled.resize(self.groups());
        let (numbers, values) = values_of(std::mem::replace(self, settled).states)?;
        let positions: Vec<u32> = (0..u32::try_from(numbers.len()).unwrap_or(u32::MAX)).collect();
        let mut held = cx.settings.budget.reservation();
        let mut ledger = Ledger::new(&mut held, cx);
        self.add_values(&values, &numbers, &positions, parameter.as_ref(), &mut ledger)?;
        parameter.map_or(Ok(()), |parameter| self.set_parameter(&parameter))
    }

    /// Takes in distinct values of the one group that were in files.
    pub(super) fn add_found(
        &mut self,
        found: Found<'_, 's>,
        held: Option<&mut Reservation>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let (values, positions) = match found {
            Found::Count(more) => {
                self.add_count(more);
                return Ok(());
            }
            Found::Values(values, positions) => (values, positions),
        };
        let parameter = self.kept.as_ref().and_then(|kept| kept.parameter.clone());
        if self.kept.as_ref().is_some_and(|kept| kept.kind == AggregateKind::Collect) && self.order.is_none()
        {
            self.order = Some(by_arrival());
        }
        self.settle(cx)?;
        let mut own = cx.settings.budget.reservation();
        let held = held.unwrap_or(&mut own);
        let numbers = vec![0; positions.len()];
        self.add_values(values, &numbers, positions, parameter.as_ref(), &mut Ledger::new(held, cx))
    }

    /// Checks the parameter of what the values are kept for.
    pub(super) fn check_kept(&self, value: &Value) -> Result<(), ExecError> {
        self.kept
            .as_ref()
            .map_or(Ok(()), |kept| Ok(Accumulator::new(function(kept.kind)).set_parameter(value)?))
    }
}
