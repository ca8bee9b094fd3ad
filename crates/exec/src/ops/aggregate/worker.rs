//! One worker of an aggregation: the chunks of its pipeline in, a table of groups out, and in files what the
//! table had no room for.

use trimorph_base::{OverBudget, Reservation};
use trimorph_vector::Chunk;

use super::AggregateSpec;
use super::exchange::Room;
use super::passed::{Passed, in_chunks};
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
    pub(super) passed: Passed<'s>,
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
            passed: Passed::new(cx),
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
        let mut chunk = Chunk::with_slots(&spec.slots);
        while child.next(&mut chunk, cx)? {
            cx.check()?;
            let wants = self.passed.wants(spec, &self.table, &chunk);
            if wants && self.passed.pass(spec, &chunk, cx)? {
                continue;
            }
            if wants {
                self.take_back(spec, cx)?;
            }
            self.take(&chunk, spec, cx)?;
        }
        if let Err(over) = self.held.resize(self.table.bytes()) {
            self.spill(over, spec, cx)?;
        }
        Ok(())
    }

    /// Takes the rows of a chunk in.
    pub(super) fn take(
        &mut self,
        chunk: &Chunk<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let grows = self.table.grows();
        let group = spec.main.map(|g| &chunk.groups[g]);
        let rows = group.map_or(1, |g| g.selection.count(g.len)).min(POSITIONS_UNCHECKED);
        let ahead = if is_spilled(spec, cx) && grows { self.make_room(rows, spec, cx)? } else { 0 };
        self.table.update(spec, chunk, &mut Ledger::ahead(&mut self.held, cx, ahead))?;
        // Of what is large, nothing is left uncharged for long.
        if grows && let Err(over) = self.held.resize(self.table.bytes()) {
            self.spill(over, spec, cx)?;
        }
        Ok(())
    }

    /// Takes in the rows that were to be passed on.
    pub(super) fn take_back(&mut self, spec: &AggregateSpec, cx: &Context<'s>) -> Result<(), ExecError> {
        let spec = spec.of_passed();
        let mut all = self.passed.take().into_iter();
        while let Some(rows) = all.next() {
            in_chunks(rows, |chunk| {
                cx.check()?;
                self.take(chunk, &spec, cx)
            })?;
            if all.len() == 0 {
                self.passed.let_go()?;
            }
        }
        Ok(())
    }

    /// Holds what so many rows may take, as far as it is known: where there is no room, the table goes
    /// to files. Gives how much they may take before it is charged, in which letters of texts are too.
    fn make_room(&mut self, rows: usize, spec: &AggregateSpec, cx: &Context<'s>) -> Result<usize, ExecError> {
        // Also where none is known: letters of texts come unannounced, and what others need is to stay free.
        let growth = self.table.growth_bytes(rows);
        let spare = spare_bytes(self.held.bytes() + growth, cx);
        let Err(over) = self.held.grow_leaving(growth, spare) else {
            return Ok(growth.saturating_add(UNCHARGED_BYTES_MAX));
        };
        if !self.table.is_blank() {
            self.spill(over, spec, cx)?;
        }
        let growth = self.table.growth_bytes(rows);
        let held = if self.held.grow(growth).is_ok() { growth } else { 0 };
        Ok(held.saturating_add(UNCHARGED_BYTES_MAX))
    }

    /// Writes the table, which begins again.
    fn spill(&mut self, over: OverBudget, spec: &AggregateSpec, cx: &Context<'s>) -> Result<(), ExecError> {
        if !is_spilled(spec, cx) {
            return Err(over.into());
        }
        self.spilled.take(&mut self.table, spec, cx)?;
        Ok(self.held.resize(self.table.bytes())?)
    }
}

/// Whether tables go to files where memory is short.
pub(super) fn is_spilled(spec: &AggregateSpec, cx: &Context<'_>) -> bool {
    cx.settings.spill.is_some() && spec.spillable()
}

/// Of a table that takes passed rows in, the bytes that it may grow to for each byte of a table of as many
/// groups: what it allocates while it grows included.
const GROWTH: usize = 4;

/// Writes all tables if one was, or if there is no room to merge them; else gives that room, held where
/// tables could be written.
pub(super) fn room_or_spill<'s>(
    workers: &mut [Worker<'s>],
    spec: &AggregateSpec,
    cx: &Context<'s>,
) -> Result<Option<Room>, ExecError> {
    if !is_spilled(spec, cx) {
        return Ok(Some(Room::default()));
    }
    if workers.iter().all(|worker| worker.spilled.is_empty())
        && let Some(room) = room(workers, spec, cx)
    {
        return Ok(Some(room));
    }
    for worker in workers {
        worker.take_back(spec, cx)?;
        worker.spilled.take(&mut worker.table, spec, cx)?;
        worker.held.resize(worker.table.bytes())?;
    }
    Ok(None)
}

/// The room to merge what workers have, and to take in what they passed on, if there is that much.
fn room<'s>(workers: &[Worker<'s>], spec: &AggregateSpec, cx: &Context<'s>) -> Option<Room> {
    let passed: usize = workers.iter().map(|worker| worker.passed.len()).sum();
    if workers.len() < 2 && passed == 0 {
        return Some(Room::default());
    }
    let tables: Vec<&Table<'s>> = workers.iter().map(|worker| &worker.table).collect();
    let partitions = workers.iter().map(|worker| worker.passed.rows.len()).max().unwrap_or(0);
    let room = Room::hold(&tables, partitions, spec, cx).ok()?;
    let bytes: usize = tables.iter().map(|table| table.bytes()).sum();
    let groups: usize = tables.iter().map(|table| table.groups()).sum();
    // What tables take that rows come to is charged as they come.
    let growth = (bytes / groups.max(1)).saturating_mul(passed).saturating_mul(GROWTH);
    cx.settings.budget.reservation().grow(growth).ok()?;
    Some(room)
}
