//! Updates of rows that are read meanwhile: takes a part that only reads and what is to be done with its
//! rows, reads some rows, writes what they say, reads the next ones.
//!
//! What is made for a row on its way, as values of all its variables, is there for a part of the rows at a
//! time: it stays in the processor's cache and is used again, where rows of a whole statement take memory
//! that the system has to clear first.
//!
//! It makes no difference to what is written, if
//!
//! 1. the rows are read at the number of a clause that is over: nothing of what is written meanwhile is seen;
//! 2. no change reads what earlier rows have changed, but to leave out what is there already;
//! 3. what is set twice is set last by the same row: all changes for some rows, and then for the next ones,
//!    end as each change for all rows does;
//! 4. no keys of loaded tables are set, which may change hands within a clause and are asked as they are set.
//!
//! Constraints are asked when all is written, as ever.

use std::sync::Arc;

use trimorph_algebra::{Change, PropertyKey, Update, VarId};
use trimorph_base::{Reservation, TableId};
use trimorph_catalog::Schema;

use super::program::{Computed, Given, Part, Read, Then};
use super::rows::Rows;
use super::{Begun, Statement, Writing};
use crate::Error;
use crate::shared::Shared;

/// Rows that are written at a time: in tests those of a batch, so that there are many parts.
const ROWS: usize = if cfg!(debug_assertions) { 1 } else { 1 << 14 };

/// The same where edges are made: keys of their ends go into trees in order, and the more there are the more
/// of them a leaf gets.
const ROWS_WITH_EDGES: usize = if cfg!(debug_assertions) { 1 } else { 1 << 17 };

/// An update whose rows can be written while they are read.
struct Streamed<'p> {
    read: &'p Read,
    /// What each row gets besides.
    given: &'p Given,
    update: &'p Computed,
    rows: usize,
}

impl<'p> Streamed<'p> {
    /// None where all rows must be there first.
    fn of(input: &'p Part, update: &'p Computed, shared: &Shared) -> Option<Self> {
        let (None, Then::Read(read)) = (&input.write, &input.then) else { return None };
        let sets_keys = || {
            let keys = keys_set(&update.update).collect::<Vec<_>>();
            !keys.is_empty()
                && shared.in_newest(|main| keys.iter().any(|key| is_key(&main.catalog.schema, key)))
        };
        if !may_stream(&update.update) || sets_keys() {
            return None;
        }
        let makes_edges = update.update.changes.iter().any(|one| matches!(one, Change::CreateEdge { .. }));
        let rows = if makes_edges { ROWS_WITH_EDGES } else { ROWS };
        Some(Self { read, given: &input.given, update, rows })
    }
}

/// Whether it makes no difference that some rows are written before others are read.
fn may_stream(update: &Update) -> bool {
    if update.takes_turns || !update.values.is_empty() {
        return false;
    }
    let mut set: Option<VarId> = None;
    update.changes.iter().all(|change| match change {
        Change::CreateNode { .. } | Change::CreateEdge { .. } | Change::CreatePath { .. } => true,
        Change::SetProperty { target, key: PropertyKey::Name(_), .. }
        | Change::AddLabels { target, .. }
        | Change::RemoveLabels { target, .. } => *set.get_or_insert(*target) == *target,
        // What goes is sorted first; maps may be those of nodes that were changed; statements are looked for.
        _ => false,
    })
}

/// The properties that an update sets, by name.
fn keys_set(update: &Update) -> impl Iterator<Item = &Arc<str>> {
    update.changes.iter().filter_map(|change| match change {
        Change::SetProperty { key: PropertyKey::Name(name), .. } => Some(name),
        _ => None,
    })
}

/// Whether a property is the key of a node table.
fn is_key(schema: &Schema, name: &str) -> bool {
    schema.node_tables.iter().enumerate().any(|(table, info)| {
        // There are 65,536 tables at most.
        info.key.is_some() && info.key == schema.node_property(TableId(table as u16), name)
    })
}

impl Statement<'_> {
    /// The rows of a part with what an update says for them: gives those variables that are needed at least.
    pub(super) fn updated(
        &self,
        writing: &mut Writing,
        (input, update): (&Part, &Computed),
        given: Rows,
        (needed, held): (Option<&[VarId]>, &mut Reservation),
    ) -> Result<Rows, Error> {
        if let Some(streamed) = Streamed::of(input, update, self.shared) {
            return self.streamed(writing, &streamed, given, (needed, held));
        }
        let rows = self.part(writing, input, given, held)?;
        self.update(writing, rows, update, held)
    }

    /// Reads rows and does what an update says for them, a part at a time; gives the rows with what was made.
    fn streamed(
        &self,
        writing: &mut Writing,
        streamed: &Streamed<'_>,
        given: Rows,
        (needed, held): (Option<&[VarId]>, &mut Reservation),
    ) -> Result<Rows, Error> {
        let wanted = &streamed.read.wanted;
        let mut execution = match self.begin(writing, streamed.read, given)? {
            Begun::Few(rows) => {
                let done = self.write_rows(writing, streamed, rows)?;
                let done = if let Some(needed) = needed { done.restricted(needed) } else { done };
                self.end_clause(writing)?;
                return Ok(done);
            }
            Begun::Many(execution) => execution,
        };
        let (mut out, mut next) = (None, Rows::of(wanted.clone()));
        let (before, mut bytes, mut kept) = (held.bytes(), 0, 0);
        loop {
            let more = execution.next(|columns, positions, cx| next.take(columns, positions, cx));
            let more = more.map_err(|error| Error::exec(error, self.text))?;
            bytes += more.unwrap_or(0);
            held.resize(before + kept + bytes).map_err(Error::Memory)?;
            if more.is_some() && next.len() < streamed.rows {
                continue;
            }
            if next.len() > 0 || out.is_none() {
                let rows = std::mem::replace(&mut next, Rows::of(wanted.clone()));
                let done = self.write_rows(writing, streamed, rows)?;
                let done = if let Some(needed) = needed { done.restricted(needed) } else { done };
                if !done.vars().is_empty() {
                    kept += bytes;
                }
                match &mut out {
                    None => out = Some(done),
                    Some(out) => out.append(done),
                }
                bytes = 0;
                // The next part is as long, as a rule: growing would touch twice the memory.
                if more.is_some() {
                    next.reserve(streamed.rows);
                }
            }
            if more.is_none() {
                break;
            }
            // What does not fit the memory limit is told before the rest is written, too.
            self.shared.charge_clause(writing, &self.settings.cancel)?;
        }
        drop(execution);
        self.end_clause(writing)?;
        Ok(out.unwrap_or_default())
    }

    /// Does what an update says for some of its rows.
    fn write_rows(
        &self,
        writing: &mut Writing,
        streamed: &Streamed<'_>,
        mut rows: Rows,
    ) -> Result<Rows, Error> {
        self.check(0)?;
        self.give(writing, &mut rows, streamed.given)?;
        self.give(writing, &mut rows, &streamed.update.given)?;
        self.changed(writing, rows, &streamed.update.update.changes)
    }
}
