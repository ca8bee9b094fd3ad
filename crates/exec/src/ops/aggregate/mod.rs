//! Hash aggregation over factorised tuples: groups that hold neither keys nor arguments only count, so
//! `count(*)` is a product of sums. Runs its child on all cores when it can have twins: each worker fills its
//! own table, tables are merged at the end (`exchange`); rows of very many groups go to partitions
//! (`passed`). Where memory is short, tables go to files and begin again (`spilled`).
//!
//! Hot loop: key numbers for all selected positions first (`table`), then one typed loop per aggregate
//! (`states`).
//!
//! Source: GF-CL §6.2; morsel-driven parallelism, Leis et al. 2014.

mod best;
mod best_lists;
mod best_texts;
mod by_node;
mod collected;
mod columns;
mod decimal_sums;
mod deviation;
mod distinct;
mod exchange;
mod few;
mod functions;
mod in_runs;
mod kept;
mod merge;
mod number_sums;
mod numbering;
mod ordered;
mod owners;
mod passed;
mod ranks;
mod rows;
mod spec;
mod spilled;
mod states;
mod table;
#[cfg(test)]
mod tests;
mod whole;
mod worker;

use std::sync::Arc;

use trimorph_base::Reservation;
use trimorph_vector::Chunk;

use crate::operator::{Operator, Pipeline};
use crate::parallel::{on_each, on_threads};
use crate::{Context, ExecError};
pub(in crate::ops) use collected::Collected;
pub(in crate::ops) use functions::value_of_nothing;
pub(crate) use in_runs::RunAggregate;
pub(crate) use spec::{AggregateEx, AggregateSpec, RunKey, Within};

use exchange::{finish_partitions, merge_tables};
use spilled::{Rest, Spilled};
use table::{Finished, Table};
use worker::{Worker, room_or_spill};

/// Hash aggregation.
pub(crate) struct Aggregate<'s> {
    child: Pipeline<'s>,
    spec: Arc<AggregateSpec>,
    result: Option<Vec<Finished<'s>>>,
    /// The table and the group in it that come next.
    cursor: (usize, usize),
    /// Groups that are in files.
    rest: Option<Rest<'s>>,
    held: Vec<Reservation>,
}

impl<'s> Aggregate<'s> {
    pub(crate) fn new(child: Pipeline<'s>, spec: Arc<AggregateSpec>) -> Self {
        Self { child, spec, result: None, cursor: (0, 0), rest: None, held: Vec::new() }
    }

    fn run(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let spec = &self.spec;
        let mut workers =
            on_threads(&mut self.child, cx.settings.threads, cx, |child, cx| Worker::run(child, spec, cx))?;
        let mut spilled = Vec::new();
        let room = room_or_spill(&mut workers, spec, cx)?;
        if room.is_none() {
            spilled =
                workers.iter_mut().map(|w| std::mem::replace(&mut w.spilled, Spilled::new(0))).collect();
        }
        let room = room.unwrap_or_default();
        let (mut tables, mut held, mut passed) = (Vec::new(), Vec::new(), Vec::new());
        for worker in workers {
            tables.push(worker.table);
            held.push(worker.held);
            passed.push(worker.passed);
        }
        if passed.iter().any(|passed| passed.len() > 0) {
            // What was passed on was not put away: there is nothing in files.
            let finished = finish_partitions(tables, &mut passed, spec, room, cx)?;
            drop((held, passed));
            let (result, held): (Vec<_>, Vec<_>) =
                finished.into_iter().filter(|(finished, _)| finished.groups > 0).unzip();
            (self.result, self.held) = (Some(result), held);
            return Ok(());
        }
        drop(passed);
        let mut tables = merge_tables(tables, spec, &room, cx)?;
        // What workers hold of is one worker's from now on.
        drop((held, room));
        let mut held = cx.settings.budget.reservation();
        held.resize(tables.iter().map(Table::bytes).sum())?;
        if !spilled.is_empty() {
            let rest = Rest::new(spilled, spec, cx, |number, found| {
                let column = tables.first_mut().and_then(|table| table.states.get_mut(number));
                column.map_or(Ok(()), |column| column.add_found(found, Some(&mut held), cx))
            })?;
            self.rest = Some(rest);
        }
        self.held = vec![held];
        tables.iter_mut().try_for_each(|table| table.check_parameters(spec))?;
        let finished = on_each(tables, cx, |table, cx| table.finish(cx))?;
        self.result = Some(finished.into_iter().filter(|f| f.groups > 0).collect());
        Ok(())
    }

    /// Puts the groups of the next partition where those that were given were; `false` if there are none.
    fn more(&mut self, cx: &Context<'s>) -> Result<bool, ExecError> {
        let Some(rest) = &mut self.rest else { return Ok(false) };
        self.held.clear();
        self.result = None;
        let Some(finished) = rest.next(cx)? else {
            self.rest = None;
            self.result = Some(Vec::new());
            return Ok(false);
        };
        self.result = Some(vec![finished]);
        self.cursor = (0, 0);
        Ok(true)
    }
}

impl<'s> Operator<'s> for Aggregate<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.result.is_none() {
            self.run(cx)?;
        }
        cx.check()?;
        if self.result.as_ref().is_none_or(|result| result.len() <= self.cursor.0) && !self.more(cx)? {
            return Ok(false);
        }
        let (at, first) = self.cursor;
        let Some(finished) = self.result.as_mut().and_then(|r| r.get_mut(at)) else { return Ok(false) };
        let mut next = first;
        let more = finished.give(&mut next, cx.settings.vector_size, chunk);
        self.cursor = if more { (at, next) } else { (at + 1, 0) };
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.result = None;
        self.cursor = (0, 0);
        self.rest = None;
        self.held.clear();
    }

    fn fills_anew(&self) -> bool {
        true
    }
}
