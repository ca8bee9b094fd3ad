//! Rows of an aggregation that are given to the worker who owns their key, instead of to the table of the one
//! who met them: where most rows are groups of their own, making groups of them in several tables and merging
//! these would be most of the work done twice.
//!
//! 1. a worker passes rows on once its table is large and most rows were new to it; keys and arguments are
//!    evaluated then, and kept as columns, by owner
//! 2. when all rows have come and tables have been exchanged, each worker takes in the rows it owns
//!
//! Where memory is short, a worker takes its rows back: its table is what can go to files.
//!
//! Source: Leis et al. 2014, section 4.4; adaptive partitioning, Müller et al., Cache-Efficient Aggregation,
//! SIGMOD 2015.

use trimorph_algebra::AggregateKind;
use trimorph_base::Reservation;
use trimorph_vector::{Chunk, Selection, Vector};

use super::AggregateSpec;
use super::owners::owners_of;
use super::spec::AggregateEx;
use crate::expr::{Ex, evaluate};
use crate::layout::Place;
use crate::rows::{Rows, outside_weight};
use crate::spill::spare_bytes;
use crate::{Context, ExecError};

/// Groups of a table from which on rows may be passed on: what fits the cache is not worth it.
const GROUPS_MIN: usize = 1 << 14;
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
                    K::CountStar | K::Count | K::Sum | K::IntegerSum | K::Avg | K::Min | K::Max
                )
                && a.parameter.is_none()
        };
        self.main.is_some() && !self.keys.is_empty() && self.aggregates.iter().all(is_small)
    }

    /// The same aggregation of passed rows: their columns are the keys, then the arguments.
    pub(super) fn of_passed(&self) -> Self {
        self.of_columns(|a| a.distinct)
    }

    /// The same aggregation once distinct values have been told apart.
    pub(super) fn of_told_apart(&self) -> Self {
        self.of_columns(|_| false)
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
            })
            .collect();
        Self { keys, aggregates, main: Some(0), slots: vec![slots], runs: None, node: None }
    }
}

/// The rows that one worker passed on.
pub(super) struct Passed<'s> {
    /// By owner.
    pub(super) rows: Vec<Rows<'s>>,
    held: Reservation,
    /// Rows that came before.
    seen: u64,
    is_on: bool,
    hashes: Vec<u64>,
}

impl<'s> Passed<'s> {
    /// None, for as many owners as the settings have threads.
    pub(super) fn new(cx: &Context<'s>) -> Self {
        let rows = (0..cx.settings.threads).map(|_| Rows::default()).collect();
        let held = cx.settings.budget.reservation();
        Self { rows, held, seen: 0, is_on: false, hashes: Vec::new() }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.iter().map(Rows::len).sum()
    }

    /// Whether the rows of a chunk are to be passed on by a worker whose table has so many groups.
    pub(super) fn wants(&mut self, spec: &AggregateSpec, groups: usize, chunk: &Chunk<'s>) -> bool {
        if !self.is_on
            && self.rows.len() > 1
            && let Some(group) = spec.main.and_then(|g| chunk.groups.get(g))
        {
            self.is_on = groups >= GROUPS_MIN && groups as u64 * ROWS_PER_GROUP >= self.seen && spec.passes();
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
        let owned = owners_of(&columns[..spec.keys.len()], &positions, self.rows.len(), &mut self.hashes);
        let mut growth = 0;
        for (rows, positions) in self.rows.iter_mut().zip(&owned) {
            if rows.columns.is_empty() {
                *rows = Rows::new(columns.len());
            }
            growth += rows.growth_bytes(positions.len());
        }
        let spare = if cx.settings.spill.is_some() { spare_bytes(self.held.bytes() + growth, cx) } else { 0 };
        if growth > 0 && self.held.grow(growth + spare).is_err() {
            self.stop();
            return Ok(false);
        }
        for (rows, positions) in self.rows.iter_mut().zip(&owned) {
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
