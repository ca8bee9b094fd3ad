//! One worker of an aggregation: the chunks of its pipeline in, a table of groups out, and in files what the
//! table had no room for.

use trimorph_base::{OverBudget, Reservation};
use trimorph_vector::Chunk;

use super::AggregateSpec;
use super::spilled::Spilled;
use super::states::Ledger;
use super::table::Table;
use crate::keys::POSITIONS_UNCHECKED;
use crate::operator::BoxOperator;
use crate::spill::{UNCHARGED_BYTES_MAX, spare_bytes};
use crate::{Context, ExecError};

/// What one worker holds.
pub(super) struct Worker<'s> {
    pub(super) table: Table<'s>,
    pub(super) held: Reservation,
    pub(super) spilled: Spilled<'s>,
}

impl<'s> Worker<'s> {
    /// Runs a pipeline to its end.
    pub(super) fn run(
        child: &mut BoxOperator<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<Self, ExecError> {
        let mut worker = Self {
            table: Table::new(spec),
            held: cx.settings.budget.reservation(),
            spilled: Spilled::new(0),
        };
        match worker.fill(child, spec, cx) {
            Ok(()) => Ok(worker),
            Err(error) => {
                cx.leave(worker);
                Err(error)
            }
        }
    }

    fn fill(
        &mut self,
        child: &mut BoxOperator<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let spillable = cx.settings.spill.is_some() && spec.spillable();
        let mut chunk = Chunk::with_slots(&spec.slots);
        while child.next(&mut chunk, cx)? {
            cx.check()?;
            let grows = self.table.grows();
            let ahead = if spillable && grows { self.make_room(&chunk, spec, cx)? } else { 0 };
            self.table.update(spec, &chunk, &mut Ledger::ahead(&mut self.held, cx, ahead))?;
            // Of what is large, nothing is left uncharged for long.
            if grows && let Err(over) = self.held.resize(self.table.bytes()) {
                self.spill(over, spillable, spec, cx)?;
            }
        }
        if let Err(over) = self.held.resize(self.table.bytes()) {
            self.spill(over, spillable, spec, cx)?;
        }
        Ok(())
    }

    /// Holds what the rows of a chunk may take, as far as it is known: where there is no room, the table goes
    /// to files. Gives how much they may take before it is charged, in which letters of texts are too.
    fn make_room(
        &mut self,
        chunk: &Chunk<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<usize, ExecError> {
        let group = spec.main.map(|g| &chunk.groups[g]);
        let rows = group.map_or(1, |g| g.selection.count(g.len)).min(POSITIONS_UNCHECKED);
        let growth = self.table.growth_bytes(rows);
        if growth == 0 {
            return Ok(UNCHARGED_BYTES_MAX);
        }
        let ahead = growth + spare_bytes(self.held.bytes() + growth, cx);
        let Err(over) = self.held.grow(ahead) else { return Ok(ahead.max(UNCHARGED_BYTES_MAX)) };
        if !self.table.is_blank() {
            self.spill(over, true, spec, cx)?;
        }
        let growth = self.table.growth_bytes(rows);
        let held = if self.held.grow(growth).is_ok() { growth } else { 0 };
        Ok(held.max(UNCHARGED_BYTES_MAX))
    }

    /// Writes the table, which begins again.
    fn spill(
        &mut self,
        over: OverBudget,
        spillable: bool,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        if !spillable {
            return Err(over.into());
        }
        self.spilled.take(&mut self.table, spec, cx)?;
        Ok(self.held.resize(self.table.bytes())?)
    }
}

/// Writes all tables if one was, or if there is no room to merge them; gives whether they were.
pub(super) fn spill_all<'s>(
    workers: &mut [Worker<'s>],
    spec: &AggregateSpec,
    cx: &Context<'s>,
) -> Result<bool, ExecError> {
    if cx.settings.spill.is_none() || !spec.spillable() {
        return Ok(false);
    }
    let mut merged = cx.settings.budget.reservation();
    let bytes: usize = workers.iter().map(|worker| worker.table.bytes()).sum();
    let fits = workers.len() < 2 || merged.grow(bytes).is_ok();
    drop(merged);
    if fits && workers.iter().all(|worker| worker.spilled.is_empty()) {
        return Ok(false);
    }
    for worker in workers {
        worker.spilled.take(&mut worker.table, spec, cx)?;
        worker.held.resize(worker.table.bytes())?;
    }
    Ok(true)
}
