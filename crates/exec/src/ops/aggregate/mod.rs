//! Hash aggregation over factorised tuples: groups that hold neither keys nor arguments only count, so `count(*)` is a product of
//! sums. Runs its child on all cores when it can be forked: each worker fills its own table, tables are merged at the end.
//!
//! Hot loop: key numbers for all selected positions first (`table`), then one typed loop per aggregate (`states`).
//!
//! Source: GF-CL §6.2; morsel-driven parallelism, Leis et al. 2014.

mod states;
mod table;

use std::sync::Arc;

use trimorph_algebra::AggregateKind;
use trimorph_vector::{Chunk, Vector};

use crate::expr::Ex;
use crate::operator::{BoxOperator, Operator};
use crate::parallel::on_threads;
use crate::{Context, ExecError};
use table::Table;

/// What is aggregated.
pub(crate) struct AggregateSpec {
    pub(crate) keys: Vec<Ex>,
    pub(crate) aggregates: Vec<AggregateEx>,
    /// The one unflat group that keys and arguments read; none if all they read is flat.
    pub(crate) main: Option<usize>,
    /// Slots of the child's groups.
    pub(crate) slots: Vec<usize>,
    /// Whether the child may be forked.
    pub(crate) parallel: bool,
}

/// One aggregate.
pub(crate) struct AggregateEx {
    pub(crate) kind: AggregateKind,
    pub(crate) arg: Option<Ex>,
    pub(crate) parameter: Option<Ex>,
    pub(crate) distinct: bool,
}

impl AggregateSpec {
    /// Whether partial tables can be merged: DISTINCT keeps encoded keys, from which only a count can be made again.
    fn mergeable(&self) -> bool {
        self.aggregates.iter().all(|a| !a.distinct || a.kind == AggregateKind::Count)
    }
}

/// Hash aggregation.
pub(crate) struct Aggregate<'s> {
    child: BoxOperator<'s>,
    spec: Arc<AggregateSpec>,
    result: Option<(Vec<Vector<'s>>, usize)>,
    cursor: usize,
    held: Option<trimorph_base::Reservation>,
}

impl<'s> Aggregate<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<AggregateSpec>) -> Self {
        Self { child, spec, result: None, cursor: 0, held: None }
    }

    /// Runs one worker to the end.
    fn work(
        child: &mut BoxOperator<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(Table<'s>, trimorph_base::Reservation), ExecError> {
        let mut chunk = Chunk::with_slots(&spec.slots);
        let mut table = Table::new(spec);
        let mut held = cx.settings.budget.reservation();
        let mut since = 0;
        while child.next(&mut chunk, cx)? {
            cx.check()?;
            table.update(spec, &chunk, cx)?;
            since += 1;
            // Walking all collected lists for their size is not for every chunk.
            if since % 16 == 0 {
                held.resize(table.bytes())?;
            }
        }
        held.resize(table.bytes())?;
        Ok((table, held))
    }

    fn run(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let spec = &self.spec;
        let threads = if spec.parallel && spec.mergeable() { cx.settings.threads } else { 1 };
        let results = on_threads(&mut self.child, threads, cx, |child, cx| Self::work(child, spec, cx))?;
        let mut results = results.into_iter();
        let Some((mut table, held)) = results.next() else { return Ok(()) };
        for (other, _) in results {
            table.merge(other, spec, cx)?;
        }
        self.held = Some(held);
        table.check_parameters(spec)?;
        let groups = table.groups();
        self.result = Some((table.finish()?, groups));
        Ok(())
    }
}

impl<'s> Operator<'s> for Aggregate<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.result.is_none() {
            self.run(cx)?;
        }
        cx.check()?;
        let Some((vectors, groups)) = &self.result else { return Ok(false) };
        let end = (self.cursor + cx.settings.vector_size).min(*groups);
        if self.cursor == end {
            return Ok(false);
        }
        let out = &mut chunk.groups[0];
        out.reset(end - self.cursor);
        if self.cursor == 0 && end == *groups {
            if let Some((vectors, _)) = &mut self.result {
                out.vectors.iter_mut().zip(vectors.drain(..)).for_each(|(slot, v)| *slot = v);
            }
        } else {
            let positions: Vec<u32> =
                (self.cursor..end).map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect();
            for (slot, vector) in vectors.iter().enumerate() {
                out.vectors[slot] = vector.gather(&positions);
            }
        }
        self.cursor = end;
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.result = None;
        self.cursor = 0;
        self.held = None;
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(self.child.fork(), Arc::clone(&self.spec)))
    }
}
