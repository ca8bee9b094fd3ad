//! Hash aggregation over factorised tuples: groups that hold neither keys nor arguments only count, so
//! `count(*)` is a product of sums. Runs its child on all cores when it can have twins: each worker fills its
//! own table, tables are merged at the end (`exchange`).
//!
//! Hot loop: key numbers for all selected positions first (`table`), then one typed loop per aggregate
//! (`states`).
//!
//! Source: GF-CL §6.2; morsel-driven parallelism, Leis et al. 2014.

mod distinct;
mod exchange;
mod merge;
mod owners;
mod spec;
mod states;
mod table;
mod whole;

use std::sync::Arc;

use trimorph_vector::Chunk;

use crate::operator::{BoxOperator, Operator, Pipeline};
use crate::parallel::{on_each, on_threads};
use crate::{Context, ExecError};
pub(crate) use spec::{AggregateEx, AggregateSpec};

use exchange::merge_tables;
use states::Ledger;
use table::{Finished, Table};

/// Hash aggregation.
pub(crate) struct Aggregate<'s> {
    child: Pipeline<'s>,
    spec: Arc<AggregateSpec>,
    result: Option<Vec<Finished<'s>>>,
    /// The table and the group in it that come next.
    cursor: (usize, usize),
    held: Option<trimorph_base::Reservation>,
}

impl<'s> Aggregate<'s> {
    pub(crate) fn new(child: Pipeline<'s>, spec: Arc<AggregateSpec>) -> Self {
        Self { child, spec, result: None, cursor: (0, 0), held: None }
    }

    /// Runs one worker to the end.
    fn work(
        child: &mut BoxOperator<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(Table<'s>, trimorph_base::Reservation), ExecError> {
        let mut table = Table::new(spec);
        let mut held = cx.settings.budget.reservation();
        match Self::fill(&mut table, &mut held, child, spec, cx) {
            Ok(()) => Ok((table, held)),
            Err(error) => {
                cx.leave((table, held));
                Err(error)
            }
        }
    }

    fn fill(
        table: &mut Table<'s>,
        held: &mut trimorph_base::Reservation,
        child: &mut BoxOperator<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let mut chunk = Chunk::with_slots(&spec.slots);
        while child.next(&mut chunk, cx)? {
            cx.check()?;
            table.update(spec, &chunk, &mut Ledger::new(held, cx))?;
            // Of what is large, nothing is left uncharged for long.
            if table.grows() {
                held.resize(table.bytes())?;
            }
        }
        held.resize(table.bytes())?;
        Ok(())
    }

    fn run(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let spec = &self.spec;
        let results =
            on_threads(&mut self.child, cx.settings.threads, cx, |child, cx| Self::work(child, spec, cx))?;
        let (tables, held): (Vec<_>, Vec<_>) = results.into_iter().unzip();
        let mut tables = merge_tables(tables, spec, cx)?;
        // What workers hold of is one worker's from now on.
        self.held = Some(cx.settings.budget.reservation());
        drop(held);
        if let Some(held) = &mut self.held {
            held.resize(tables.iter().map(Table::bytes).sum())?;
        }
        tables.iter_mut().try_for_each(|table| table.check_parameters(spec))?;
        let finished = on_each(tables, cx, |table, cx| table.finish(cx))?;
        self.result = Some(finished.into_iter().filter(|f| f.groups > 0).collect());
        Ok(())
    }
}

impl<'s> Operator<'s> for Aggregate<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.result.is_none() {
            self.run(cx)?;
        }
        cx.check()?;
        let (at, first) = self.cursor;
        let Some(finished) = self.result.as_mut().and_then(|r| r.get_mut(at)) else { return Ok(false) };
        let groups = finished.groups;
        let end = (first + cx.settings.vector_size).min(groups);
        let out = &mut chunk.groups[0];
        out.reset(end - first);
        match &finished.left {
            None if end - first == groups => {
                out.vectors.iter_mut().zip(finished.vectors.drain(..)).for_each(|(slot, v)| *slot = v);
            }
            left => {
                // Group numbers are 32 bits.
                let all = || (first as u32..end as u32).collect();
                let positions = left.as_ref().map_or_else(all, |left| left[first..end].to_vec());
                for (slot, vector) in finished.vectors.iter().enumerate() {
                    out.vectors[slot] = vector.gather(&positions);
                }
            }
        }
        self.cursor = if end == groups { (at + 1, 0) } else { (at, end) };
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.result = None;
        self.cursor = (0, 0);
        self.held = None;
    }
}
