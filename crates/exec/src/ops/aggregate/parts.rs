//! Parts of groups: where rows come in runs of a node from which the keys follow, each run is put together
//! first, without a look at the keys, and its sums and counts are added to its group's.
//!
//! `MATCH (a)-[t]->() RETURN a.id, sum(t.amount)`: ids may be the same for several nodes, so that no run is a
//! group, but few or none are, and the table of groups is asked once for each node instead of for each row.
//!
//! Invariant: as of [`super::in_runs`]; where a run is cut, both parts are added.
//!
//! Source: partial aggregation, Larson, Data Reduction by Partial Preaggregation, ICDE 2002.

use trimorph_base::Reservation;
use trimorph_vector::Chunk;

use super::spec::{AggregateSpec, RunKey};
use super::states::Ledger;
use super::table::{Part, Table};
use crate::keys::POSITIONS_UNCHECKED;
use crate::spill::UNCHARGED_BYTES_MAX;
use crate::{Context, ExecError};

/// Runs after which it is known whether they are worth it.
const RUNS_SAMPLE: u64 = 4_096;
/// Rows of a run, on the mean, from which on they are, and runs of a group up to which they are: rows of few
/// groups are added to them as fast.
const ROWS_PER_RUN: u64 = 2;
const RUNS_PER_GROUP: u64 = 4;

/// Runs that are put together.
pub(super) struct Parts<'s> {
    /// The same aggregation with the node as the last key.
    spec: AggregateSpec,
    table: Table<'s>,
    held: Reservation,
    rows: u64,
    runs: u64,
}

impl<'s> Parts<'s> {
    /// None where rows do not come so.
    pub(super) fn new(spec: &AggregateSpec, cx: &Context<'s>) -> Option<Self> {
        let node = spec.parts.clone().filter(|_| spec.passes())?;
        let runs = Some(RunKey { key: spec.keys.len(), is_group: true });
        let keys = spec.keys.iter().cloned().chain([node]).collect();
        let spec = AggregateSpec { keys, runs, parts: None, ..spec.clone() };
        let table = Table::new(&spec);
        Some(Self { spec, table, held: cx.settings.budget.reservation(), rows: 0, runs: 0 })
    }

    /// Takes the rows of a chunk in; `false`, and nothing done, where there is no room for them.
    pub(super) fn take(&mut self, chunk: &Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let group = self.spec.main.map(|g| &chunk.groups[g]);
        let rows = group.map_or(1, |group| group.selection.count(group.len));
        let growth = self.table.growth_bytes(rows.min(POSITIONS_UNCHECKED));
        if self.held.grow(growth).is_err() {
            return Ok(false);
        }
        self.rows += rows as u64;
        let ahead = growth.max(UNCHARGED_BYTES_MAX);
        self.table.update(&self.spec, chunk, &mut Ledger::ahead(&mut self.held, cx, ahead))?;
        // What does not fit is given back soon.
        let _ = self.held.resize(self.table.bytes());
        Ok(true)
    }

    /// Whether there are enough of them to be added to the groups.
    pub(super) fn are_enough(&self, cx: &Context<'_>) -> bool {
        self.table.groups() >= cx.settings.vector_size
    }

    /// Whether runs are worth it, as far as it is known, where they made so many groups.
    pub(super) fn pay(&self, groups: usize) -> bool {
        let are_long = self.rows >= self.runs * ROWS_PER_RUN;
        self.runs < RUNS_SAMPLE || are_long && self.runs <= groups as u64 * RUNS_PER_GROUP
    }

    /// Gives what there is, with the keys of the groups.
    pub(super) fn give(&mut self) -> Result<Part<'s>, ExecError> {
        self.runs += self.table.groups() as u64;
        let mut part = std::mem::replace(&mut self.table, Table::new(&self.spec)).into_part();
        part.keys.pop();
        self.held.resize(0)?;
        Ok(part)
    }
}
