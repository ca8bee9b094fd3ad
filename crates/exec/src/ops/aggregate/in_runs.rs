//! Aggregation of rows whose groups come one after the other: a group is over when the next one begins, so
//! that groups are given while rows still come, and nothing is hashed or merged. What is held is a vector of
//! groups, whatever the rows.
//!
//! Invariant: all rows of a group come to one thread, and none of another group between them
//! (`lower::runs`).
//!
//! Source: ordered aggregation, Graefe, Query Evaluation Techniques, 1993, section 4; GF-CL §6.2 for groups
//! that are lists.

use std::sync::Arc;

use trimorph_base::Reservation;
use trimorph_vector::Chunk;

use super::AggregateSpec;
use super::states::Ledger;
use super::table::{Finished, Table};
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Bytes of groups from which on they are given, though they are few.
const GIVEN_BYTES: usize = 1 << 20;

/// Aggregation of groups that come one after the other.
pub(crate) struct RunAggregate<'s> {
    child: BoxOperator<'s>,
    spec: Arc<AggregateSpec>,
    inner: Chunk<'s>,
    /// The part of a chunk that came and was not taken in.
    waiting: Option<u64>,
    table: Table<'s>,
    /// The part that the groups are of.
    part: u64,
    /// Groups that are given, from the one at hand on.
    given: Option<(Finished<'s>, usize)>,
    held: Option<Reservation>,
    ended: bool,
}

impl<'s> RunAggregate<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<AggregateSpec>) -> Self {
        let (inner, table) = (Chunk::with_slots(&spec.slots), Table::new(&spec));
        Self { child, spec, inner, waiting: None, table, part: 0, given: None, held: None, ended: false }
    }

    /// Takes rows in until there are groups to be given; `false` if there are none.
    fn fill(&mut self, cx: &Context<'s>) -> Result<bool, ExecError> {
        let Self { child, spec, inner, waiting, table, part, held, .. } = self;
        let held = held.get_or_insert_with(|| cx.settings.budget.reservation());
        while !self.ended {
            cx.check()?;
            let came = match waiting.take() {
                Some(came) => came,
                None if child.next(inner, cx)? => cx.part(),
                None => {
                    self.ended = true;
                    break;
                }
            };
            let groups = table.groups();
            let is_over = groups > 0 && came != *part && cx.keeps_order();
            if is_over || groups > 1 && (groups > cx.settings.vector_size || held.bytes() > GIVEN_BYTES) {
                *waiting = Some(came);
                let full = match is_over {
                    true => std::mem::replace(table, Table::new(spec)),
                    false => table.cut(spec, &mut Ledger::new(held, cx))?,
                };
                cx.set_part(*part);
                self.given = Some((full.finish(cx)?, 0));
                return Ok(true);
            }
            *part = came;
            table.update(spec, inner, &mut Ledger::new(held, cx))?;
            held.resize(table.bytes())?;
        }
        if table.groups() == 0 {
            return Ok(false);
        }
        cx.set_part(*part);
        let last = std::mem::replace(table, Table::new(spec));
        self.given = Some((last.finish(cx)?, 0));
        Ok(true)
    }
}

impl<'s> Operator<'s> for RunAggregate<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.given.is_none() && !self.fill(cx)? {
            self.held = None;
            return Ok(false);
        }
        let Some((finished, first)) = &mut self.given else { return Ok(false) };
        let more = finished.give(first, cx.settings.vector_size, chunk);
        if !more {
            self.given = None;
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.table = Table::new(&self.spec);
        (self.waiting, self.given, self.held, self.ended) = (None, None, None, false);
    }
}
