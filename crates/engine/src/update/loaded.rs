//! What a bulk load does as a transaction: values for nodes that were there, and its commit.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use trimorph_base::{NodeId, TableId};
use trimorph_log::Operation;
use trimorph_mvcc::{Changes, Conflict, Failed, ReadSet, Stamp, Timestamp, Turn};
use trimorph_store::bulk::{ColumnBatch, Increment, LoadPart, value_of};
use trimorph_store::{Main, index_number, integer_of};
use trimorph_types::Value;
use trimorph_vector::{Positions, Vector};

use super::Writing;
use super::touched::meets_new_constraint;
use super::writing::{conflicting, not_written, overlapping};
use crate::shared::Shared;
use crate::{Error, facts};

impl Writing {
    /// Nodes that were there get the values that rows of a load have for them: those that are not null.
    ///
    /// **Errors**: somebody else has written the same; the memory limit.
    pub(crate) fn set_loaded(&mut self, shared: &Shared, increment: &Increment) -> Result<(), Error> {
        for update in &increment.updates {
            let Some(spec) = increment.specs.get(update.handle.0 as usize) else { continue };
            let mut by_table: BTreeMap<TableId, Vec<usize>> = BTreeMap::new();
            for (i, node) in update.nodes.iter().enumerate() {
                by_table.entry(node.table()).or_default().push(i);
            }
            for (table, places) in by_table {
                for ((name, _), column) in spec.properties.iter().zip(&update.columns) {
                    self.set_loaded_column(shared, table, name, (&update.nodes, &places, column))?;
                }
            }
            if self.has_written_much() {
                shared.charge_delta()?;
            }
        }
        self.end_clause();
        Ok(())
    }

    fn set_loaded_column(
        &mut self,
        shared: &Shared,
        table: TableId,
        name: &str,
        (nodes, places, column): (&[NodeId], &[usize], &ColumnBatch),
    ) -> Result<(), Error> {
        let (mut rows, mut values): (Vec<u64>, Vec<Value>) = Default::default();
        for i in places {
            let value = value_of(column, *i);
            if !value.is_null() {
                rows.push(nodes[*i].row());
                values.push(value);
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let mut at = 0;
        for ty in super::changes::types_of(&values) {
            at = shared.node_column(self, table, name, ty)?;
        }
        let changes = self.changes.nodes_of(table);
        let noted = changes.values.or_default(at);
        values.iter().for_each(|value| noted.insert(integer_of(value)));
        let written_rows = changes.columns.or_default(at);
        rows.iter().for_each(|row| written_rows.insert(*row));
        let vector = Vector::of_values(values, Positions::all(rows.len()));
        let positions: Vec<u32> = (0..u32::try_from(rows.len()).unwrap_or(u32::MAX)).collect();
        let mut written = Vec::new();
        let delta = shared.nodes_to_write(table);
        let done = delta.set(&self.writer(), &[(at as u32, &vector)], &positions, &rows, &mut written);
        self.nodes.or_default(table).extend(written);
        done.map_err(not_written)?;
        if self.is_logged() {
            self.log_values(table, &rows, vec![(at as u32, vector)])?;
        }
        Ok(())
    }

    /// Where a load gives a table its key, nodes that others have made lack it.
    fn let_keys_lack(&self, before: &Main, grown: &mut Main, parts: &[LoadPart]) {
        let has_key = |table: TableId| {
            before.catalog.schema.node_tables.get(usize::from(table.0)).is_some_and(|info| info.key.is_some())
        };
        for part in parts {
            if let LoadPart::Nodes { table, .. } = *part
                && !has_key(table)
                && self.live.delta.nodes(table).is_some()
            {
                facts::let_keys_lack(grown, table);
            }
        }
    }

    /// Commits a load under `turn`: `record` names what it made, `next` is the main version that has it.
    /// Readers who come get both, or neither.
    ///
    /// **Errors**: a conflict, or what logging fails with; then it is undone.
    pub(crate) fn commit_load(
        mut self,
        shared: &Shared,
        turn: &Turn<'_>,
        (record, mut changes): (Option<Operation<'_>>, Changes),
        (next, parts): (Main, &[LoadPart]),
    ) -> Result<Timestamp, Error> {
        let Some(mut open) = self.open.take() else { return Err(Error::Cancelled) };
        open.under(turn);
        // What was there and got values.
        let mut any_keys = std::mem::take(&mut changes.any_keys);
        for (table, own) in std::mem::take(&mut self.changes).nodes {
            let all = changes.nodes_of(table);
            own.columns.into_iter().for_each(|(c, rows)| all.columns.or_default(c).merge(&rows));
            for column in own.values.keys().copied() {
                all.values.or_default(column).insert(None);
                any_keys.insert(index_number(table, column));
            }
        }
        changes.any_keys = any_keys;
        let author = self.author(&open);
        let mut operations = std::mem::take(&mut self.log);
        let (handle, before) = (open.handle().number(), &next.catalog.definitions);
        if let Some(record) = record {
            operations.push(&record).map_err(|error| Error::Storage(error.to_string()))?;
        }
        let wrote = (changes.nodes.keys().copied().collect(), changes.edges.keys().copied().collect());
        let log = |at| {
            if meets_new_constraint(before, shared.base().catalog(), &wrote) {
                return Err(Error::Conflict("a constraint was made meanwhile; load again".to_owned()));
            }
            match shared.journal.get() {
                Some(journal) if !operations.is_empty() => journal.commit(operations, handle, at),
                _ => Ok(()),
            }
        };
        // From the moment its timestamp may be read nobody gets a main version, until there is the new one.
        let mut held = None;
        let done = self.live.transactions.commit(open, changes, ReadSet::default, log, |stamp| {
            self.stamp(&author, stamp);
            if stamp != Stamp::NEVER {
                held = Some(shared.snapshot.write().unwrap_or_else(PoisonError::into_inner));
            }
        });
        let at = done.map_err(|failed| match failed {
            Failed::Conflict(Conflict::Read(overlap)) => overlapping(&overlap, shared),
            Failed::Conflict(conflict) => conflicting(&conflict),
            Failed::Log(error) => error,
        })?;
        if let Some(mut snapshot) = held {
            let mut grown = next.grown_like(snapshot.main());
            next.describe_load(&mut grown, parts);
            grown.weaken_facts();
            self.let_keys_lack(snapshot.main(), &mut grown, parts);
            shared.loaded_at.store(at.0, std::sync::atomic::Ordering::Release);
            *snapshot = shared.snapshot_of(Arc::new(grown));
        }
        Ok(at)
    }
}
