//! Aggregation of rows that come in runs, all rows of a node together: the groups of a run are over when the
//! next one begins, so that they are given while rows still come, and nothing is merged. What is held is a
//! vector of groups, or those of a run, whatever the rows.
//!
//! 1. Where the node tells the group, each run is one, and nothing is hashed.
//! 2. Where one key besides tells it, what it is paired with is remembered for the node at hand only.
//! 3. Else the groups of a run are told apart by a table of keys, which stays small enough for the cache.
//!
//! Where there is no memory for one run, it and what comes after it are aggregated as rows in any order are,
//! and go to files.
//!
//! Invariant: all rows of a run come to one thread, and none of another run between them (`lower::runs`).
//!
//! Source: ordered aggregation, Graefe, Query Evaluation Techniques, 1993, section 4; GF-CL §6.2 for groups
//! that are lists.

use std::sync::Arc;

use trimorph_base::Reservation;
use trimorph_vector::Chunk;

use super::passed::Passed;
use super::spilled::{Rest, Spilled};
use super::states::Ledger;
use super::table::{Finished, Table};
use super::worker::{Worker, is_spilled};
use super::{AggregateSpec, RunKey, Within};
use crate::keys::POSITIONS_UNCHECKED;
use crate::operator::{BoxOperator, Operator};
use crate::spill::{UNCHARGED_BYTES_MAX, spare_bytes};
use crate::{Context, ExecError};

/// Bytes of groups from which on they are given, though they are few.
const GIVEN_BYTES: usize = 1 << 20;

/// Bytes that a table takes while it grows to one byte.
const MOVED: usize = 3;

/// Aggregation of rows that come in runs.
pub(crate) struct RunAggregate<'s> {
    child: BoxOperator<'s>,
    spec: Arc<AggregateSpec>,
    inner: Chunk<'s>,
    /// The part of a chunk that came and was not taken in.
    waiting: Option<u64>,
    table: Table<'s>,
    held: Option<Reservation>,
    /// What there was no memory for when rows had been taken in.
    short: Option<ExecError>,
    /// The part that the groups are of; and once they are given, that of the rows that came last.
    part: u64,
    below: Option<u64>,
    /// Groups that are given, from the one at hand on.
    given: Option<(Finished<'s>, usize)>,
    /// What takes rows in once there was no memory for a group.
    plain: Option<(Worker<'s>, AggregateSpec)>,
    rest: Option<Rest<'s>>,
    ended: bool,
}

/// What is to be done before the rows of a chunk can be taken in.
enum Room {
    /// Nothing: so many bytes are held for what comes.
    Enough(usize),
    /// Groups that are over are to be given; so many bytes are held for moving the others.
    Give(usize),
    /// One run has no room.
    None(ExecError),
}

impl<'s> RunAggregate<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<AggregateSpec>) -> Self {
        let (inner, table) = (Chunk::with_slots(&spec.slots), Table::new(&spec));
        let (waiting, held, short, given, plain, rest) = (None, None, None, None, None, None);
        let (part, below, ended) = (0, None, false);
        Self { child, spec, inner, waiting, table, held, short, part, below, given, plain, rest, ended }
    }

    /// Takes rows in until there are groups to be given; `false` if there are none.
    fn fill(&mut self, cx: &Context<'s>) -> Result<bool, ExecError> {
        while !self.ended {
            cx.check()?;
            let came = match self.waiting.take() {
                Some(came) => came,
                None => {
                    // Groups of another part may have been given since rows came.
                    if let Some(below) = self.below.take() {
                        cx.set_part(below);
                    }
                    if !self.child.next(&mut self.inner, cx)? {
                        self.ended = true;
                        break;
                    }
                    cx.part()
                }
            };
            let groups = self.table.groups();
            let is_over = groups > 0 && came != self.part && cx.keeps_order();
            if is_over {
                self.waiting = Some(came);
                let all = std::mem::replace(&mut self.table, Table::new(&self.spec));
                return self.give(all, cx);
            }
            if let Some((worker, spec)) = &mut self.plain {
                worker.take(&self.inner, spec, cx)?;
                continue;
            }
            match self.room(cx) {
                Room::Enough(ahead) => {
                    self.part = came;
                    let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
                    let mut ledger = Ledger::ahead(held, cx, ahead);
                    self.table.update(&self.spec, &self.inner, &mut ledger)?;
                    self.short = held.resize(self.table.bytes()).err().map(ExecError::from);
                }
                Room::Give(ahead) => {
                    self.waiting = Some(came);
                    let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
                    let full = self.table.cut(&self.spec, &mut Ledger::ahead(held, cx, ahead))?;
                    self.short = held.resize(self.table.bytes()).err().map(ExecError::from);
                    return self.give(full, cx);
                }
                Room::None(_) if is_spilled(&self.spec, cx) => {
                    self.waiting = Some(came);
                    self.go_plain(cx)?;
                }
                Room::None(over) => return Err(over),
            }
        }
        if let Some(over) = self.short.take()
            && !is_spilled(&self.spec, cx)
        {
            return Err(over);
        }
        if let Some((mut worker, spec)) = self.plain.take() {
            if worker.spilled.is_empty() {
                self.held = Some(worker.held);
                return self.give(worker.table, cx);
            }
            worker.spilled.take(&mut worker.table, &spec, cx)?;
            worker.held.resize(worker.table.bytes())?;
            self.rest = Some(Rest::new(vec![worker.spilled], &spec, cx, |_, _| Ok(()))?);
        }
        if let Some(rest) = &mut self.rest {
            self.given = rest.next(cx)?.map(|finished| (finished, 0));
            return Ok(self.given.is_some());
        }
        if self.table.groups() == 0 {
            return Ok(false);
        }
        let last = std::mem::replace(&mut self.table, Table::new(&self.spec));
        self.give(last, cx)
    }

    /// Whether the rows at hand can be taken in.
    fn room(&mut self, cx: &Context<'s>) -> Room {
        let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
        let (groups, short) = (self.table.groups(), self.short.take());
        let over = self.table.groups_over(&self.spec);
        // What the groups that are not over take while they are put into another table.
        let moved = match self.spec.runs {
            Some(RunKey { within: Within::One, .. }) => 0,
            _ => self.table.bytes() / groups.max(1) * (groups - over) * MOVED,
        };
        // They are to be fewer than those that are given.
        let is_full = over >= cx.settings.vector_size || held.bytes() > GIVEN_BYTES;
        if over > 0 && (is_full && over * 2 >= groups || short.is_some()) {
            return match held.grow(moved) {
                Err(no_room) if is_spilled(&self.spec, cx) => Room::None(no_room.into()),
                held => Room::Give(held.map_or(0, |()| moved)),
            };
        }
        if let Some(no_room) = short {
            return Room::None(no_room);
        }
        let group = self.spec.main.map(|g| &self.inner.groups[g]);
        let rows = group.map_or(1, |g| g.selection.count(g.len)).min(POSITIONS_UNCHECKED);
        let growth = self.table.growth_bytes(rows);
        if growth == 0 && !is_spilled(&self.spec, cx) {
            return Room::Enough(UNCHARGED_BYTES_MAX);
        }
        match held.grow_leaving(growth, spare_bytes(held.bytes() + growth, cx)) {
            Ok(()) => Room::Enough(growth.saturating_add(UNCHARGED_BYTES_MAX)),
            Err(_) if over > 0 && (moved == 0 || !is_spilled(&self.spec, cx)) => Room::Give(0),
            Err(no_room) => Room::None(no_room.into()),
        }
    }

    /// From now on groups come in any order; those at hand go to files.
    fn go_plain(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let spec = self.spec.in_any_order();
        let mut spilled = Spilled::new(0);
        spilled.take(&mut self.table, &self.spec, cx)?;
        self.held = None;
        let (table, held) = (Table::new(&spec), cx.settings.budget.reservation());
        self.plain = Some((Worker { table, held, spilled, passed: Passed::new(cx) }, spec));
        Ok(())
    }

    /// Groups that are over.
    fn give(&mut self, table: Table<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        self.below.get_or_insert(cx.part());
        cx.set_part(self.part);
        self.given = if table.groups() > 0 { Some((table.finish(cx)?, 0)) } else { None };
        Ok(self.given.is_some())
    }
}

impl<'s> Operator<'s> for RunAggregate<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.given.is_none() && !self.fill(cx)? {
            self.held = None;
            return Ok(false);
        }
        let Some((finished, next)) = &mut self.given else { return Ok(false) };
        if !finished.give(next, cx.settings.vector_size, chunk) {
            self.given = None;
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.table = Table::new(&self.spec);
        (self.waiting, self.held, self.short, self.given) = (None, None, None, None);
        (self.plain, self.rest, self.below, self.ended) = (None, None, None, false);
    }
}
