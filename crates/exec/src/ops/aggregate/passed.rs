//! Rows of an aggregation that are passed on to a partition by a hash of their key, instead of to the table
//! of the worker who met them. One large table has no place in a cache, and each row would wait for memory;
//! the tables of several workers would have most groups twice, and merging them would be most of the work
//! done again. The table of a partition is small, and is gone before the next one's is made.
//!
//! 1. a worker passes rows on once its table is large and many rows were new to it; keys and arguments are
//!    evaluated then, and kept as columns, by partition
//! 2. when all rows have come, the groups that tables have are split by partition, and each partition takes
//!    in the rows that were passed on to it (`exchange`)
//!
//! Where memory is short, a worker takes its rows back: its table is what can go to files.
//!
//! Source: Leis et al. 2014, section 4.4; adaptive partitioning, Müller et al., Cache-Efficient Aggregation,
//! SIGMOD 2015.

use trimorph_algebra::AggregateKind;
use trimorph_base::Reservation;
use trimorph_vector::{Chunk, Selection, Vector};

use super::AggregateSpec;
use super::ordered::by_arrival;
use super::owners::Owned;
use super::spec::AggregateEx;
use super::table::Table;
use crate::expr::{Ex, evaluate};
use crate::layout::Place;
use crate::rows::{Rows, outside_weight};
use crate::spill::spare_bytes;
use crate::{Context, ExecError};

/// Partitions: so many columns grow at a time that their ends stay in the nearest cache, mostly.
const PARTITIONS: usize = 64;
/// Groups of a table from which on rows may be passed on by several workers: what fits the cache is not worth
/// it.
const GROUPS_MIN: usize = 1 << 14;
/// The same of one worker, who merges nothing, and only of keys that are one word: the tables of texts and of
/// several keys wait less, and their rows cost more to pass on.
const GROUPS_ALONE_MIN: usize = 1 << 16;
/// Rows are passed on where one in so many made a group, or more.
const ROWS_PER_GROUP: u64 = 2;
/// Rows that are taken in at once.
const ROWS_AT_ONCE: usize = 2_048;

impl AggregateSpec {
    /// Whether rows may be passed on: states do not grow with their rows.
    fn passes(&self) -> bool {
        use AggregateKind as K;
        let is_small = |a: &AggregateEx| {
            !a.distinct
                && matches!(
                    a.kind,
                    K::CountStar | K::Count | K::Sum | K::NumberSum | K::Avg | K::Min | K::Max
                )
                && a.parameter.is_none()
        };
        let in_order = self.runs.is_some() || self.node.is_some();
        self.main.is_some() && !in_order && !self.keys.is_empty() && self.aggregates.iter().all(is_small)
    }

    /// The same aggregation of passed rows: their columns are the keys, then the arguments.
    pub(super) fn of_passed(&self) -> Self {
        self.of_columns(|a| a.distinct)
    }

    /// The same aggregation once distinct values have been told apart; lists of them are in the order in
    /// which they came.
    pub(super) fn of_told_apart(&self) -> Self {
        let mut spec = self.of_columns(|_| false);
        for (own, _) in spec.aggregates.iter_mut().zip(&self.aggregates).filter(|(_, a)| a.keeps_order()) {
            own.order = Some(by_arrival());
        }
        spec
    }

    fn of_columns(&self, distinct: impl Fn(&AggregateEx) -> bool) -> Self {
        let mut slots = 0;
        let mut slot = || {
            slots += 1;
            Ex::Slot(Place { group: 0, slot: slots - 1 })
        };
        let keys = self.keys.iter().map(|_| slot()).collect();
        let aggregates = (self.aggregates.iter())
            .map(|a| AggregateEx {
                kind: a.kind,
                arg: a.arg.as_ref().map(|_| slot()),
                parameter: None,
                distinct: distinct(a),
                order: a.order.clone(),
                span: a.span,
            })
            .collect();
        Self { keys, told: self.told, aggregates, main: Some(0), slots: vec![slots], runs: None, node: None }
    }
}

/// The rows that one worker passed on.
pub(super) struct Passed<'s> {
    /// By partition, once there are any.
    pub(super) rows: Vec<Rows<'s>>,
    held: Reservation,
    /// Rows that came before.
    seen: u64,
    /// Whether there is no other worker.
    is_alone: bool,
    is_on: bool,
    owned: Owned,
}

impl<'s> Passed<'s> {
    /// None yet.
    pub(super) fn new(cx: &Context<'s>) -> Self {
        let held = cx.settings.budget.reservation();
        let is_alone = cx.settings.threads == 1;
        Self { rows: Vec::new(), held, seen: 0, is_alone, is_on: false, owned: Owned::default() }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.iter().map(Rows::len).sum()
    }

    /// Whether the rows of a chunk are to be passed on by a worker who has this table.
    pub(super) fn wants(&mut self, spec: &AggregateSpec, table: &Table<'s>, chunk: &Chunk<'s>) -> bool {
        if !self.is_on
            && let Some(group) = spec.main.and_then(|g| chunk.groups.get(g))
        {
            let groups = table.groups();
            let is_large = if self.is_alone {
                groups >= GROUPS_ALONE_MIN && table.is_far()
            } else {
                groups >= GROUPS_MIN
            };
            let is_worth_it = is_large && groups as u64 * ROWS_PER_GROUP >= self.seen;
            self.is_on = is_worth_it && spec.passes();
            self.seen += group.selection.count(group.len) as u64;
        }
        self.is_on
    }

    /// Stops for good.
    fn stop(&mut self) {
        self.is_on = false;
        self.seen = u64::MAX / 2;
    }

    /// Passes the rows of a chunk on; `false`, and nothing done, where there is no memory for them.
    pub(super) fn pass(
        &mut self,
        spec: &AggregateSpec,
        chunk: &Chunk<'s>,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        let Some(g) = spec.main else { return Ok(false) };
        let (group, outside) = (&chunk.groups[g], outside_weight(chunk, spec.main));
        let arguments = spec.aggregates.iter().filter_map(|a| a.arg.as_ref());
        let columns = (spec.keys.iter().chain(arguments))
            .map(|ex| Ok(evaluate(ex, chunk, g, cx)?.into_vector(group.len)))
            .collect::<Result<Vec<Vector<'s>>, ExecError>>()?;
        let columns: Vec<&Vector<'s>> = columns.iter().collect();
        let positions = group.selection.to_vec(group.len);
        // Each worker has groups of its own when they are split.
        self.rows.resize_with(PARTITIONS.max(cx.settings.threads), Rows::default);
        self.owned.find(&columns[..spec.told], &positions, self.rows.len());
        let mut growth = 0;
        for (rows, positions) in self.rows.iter_mut().zip(self.owned.each()) {
            if rows.columns.is_empty() {
                *rows = Rows::new(columns.len());
            }
            growth += rows.growth_bytes(positions.len());
        }
        let spare = if cx.settings.spill.is_some() { spare_bytes(self.held.bytes() + growth, cx) } else { 0 };
        if self.held.grow_leaving(growth, spare).is_err() {
            self.stop();
            return Ok(false);
        }
        for (rows, positions) in self.rows.iter_mut().zip(self.owned.each()) {
            let weights =
                positions.iter().map(|p| group.multiplicity_at(*p as usize).saturating_mul(outside));
            rows.extend(&columns, positions, weights, cx);
        }
        // Texts may take more than was known: then these rows were the last.
        let bytes: usize = self.rows.iter().map(Rows::bytes).sum();
        if self.held.resize(bytes).is_err() {
            self.stop();
        }
        Ok(true)
    }

    /// All rows, none being left.
    pub(super) fn take(&mut self) -> Vec<Rows<'s>> {
        self.stop();
        self.rows.iter_mut().map(std::mem::take).collect()
    }

    /// Gives back what was held for them.
    pub(super) fn let_go(&mut self) -> Result<(), ExecError> {
        Ok(self.held.resize(0)?)
    }
}

/// Calls `take` with rows, some at a time, as chunks of one group.
pub(super) fn in_chunks<'s>(
    mut rows: Rows<'s>,
    mut take: impl FnMut(&Chunk<'s>) -> Result<(), ExecError>,
) -> Result<(), ExecError> {
    let count = rows.len();
    if count == 0 {
        return Ok(());
    }
    let mut chunk = Chunk::with_slots(&[rows.columns.len()]);
    rows.drain_into(&mut chunk.groups[0]);
    for first in (0..count).step_by(ROWS_AT_ONCE) {
        // Chunks are shorter than 2^32.
        let positions = first as u32..count.min(first + ROWS_AT_ONCE) as u32;
        chunk.groups[0].selection = Selection::List(positions.collect());
        take(&chunk)?;
    }
    Ok(())
}
