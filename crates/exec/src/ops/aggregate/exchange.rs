//! Merges the tables of several workers, on all cores where there is much to merge.
//!
//! 1. every group has an owner, one of the workers, by a hash of its key; each worker splits off what others
//!    own
//! 2. each worker takes in what the others split off for it: of `n` workers, each touches an `n`-th of the
//!    groups of the others
//!
//! A table keeps its place in memory and what it owns in it, so that only what changes hands is looked up
//! again. Without keys there is one group; then distinct values have owners. Where rows were passed on,
//! owners are partitions, of which there are more than workers.
//!
//! Nothing can go to files once tables are taken apart: where they could before, what merging allocates is
//! held first ([`Room`]).
//!
//! Source: partitioned merging, Leis et al. 2014, section 4.4.

use trimorph_base::{OverBudget, Reservation};

use super::AggregateSpec;
use super::passed::{Passed, in_chunks};
use super::states::Ledger;
use super::table::{Finished, Table};
use crate::parallel::on_each;
use crate::rows::Rows;
use crate::{Context, ExecError};

/// Groups, distinct values and values that are kept, of all tables, from which on they are merged on all
/// cores. Below, starting threads costs more than it saves: 16,000 to 90,000 groups of one node each took
/// 1.7 to 2.0 ms of the caller's thread instead of 1.2.
const ENTRIES_MIN: usize = 1 << 17;

/// What is held for merging, beside what the tables hold.
#[derive(Default)]
pub(super) struct Room {
    held: Option<Reservation>,
    /// Of it, what each table may allocate.
    ahead: Vec<usize>,
}

impl Room {
    /// Holds what merging tables takes, as far as it is known: the parts that change hands, what these own
    /// where they go to, and what tables allocate while they grow. Where rows were passed on there is a table
    /// for each partition, what these rows take left out.
    pub(super) fn hold<'s>(
        tables: &[&Table<'s>],
        partitions: usize,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<Self, OverBudget> {
        let sum = |of: &dyn Fn(&Table<'s>) -> usize| tables.iter().map(|table| of(table)).sum::<usize>();
        let (entries, bytes, values) = (sum(&Table::entries), sum(&Table::bytes), sum(&Table::value_bytes));
        let owners = partitions.max(tables.len()).max(1);
        // Of several owners none has much more than the others.
        let share = |all: usize| all / owners + all / owners / 8;
        let growth = |table: &Table<'s>, more: usize| {
            let growth = table.growth_bytes(more);
            // It moves more than once where it gets more than it has.
            if more > table.entries() { growth + growth / 2 } else { growth }
        };
        let mut ahead: Vec<usize> = if is_large(entries) || partitions > 0 {
            let ahead = tables.iter().map(|table| {
                let (more, values) = (entries - table.entries(), values - table.value_bytes());
                growth(table, share(more)) + share(values)
            });
            ahead.collect()
        } else {
            let ahead = tables
                .first()
                .map(|first| growth(first, entries - first.entries()) + values - first.value_bytes());
            ahead.into_iter().collect()
        };
        if partitions > tables.len() {
            let one = growth(&Table::new(spec), share(entries)) + share(values);
            ahead.resize(partitions, one);
        }
        let parts = bytes - bytes / tables.len().max(1);
        let mut held = cx.settings.budget.reservation();
        held.grow(ahead.iter().sum::<usize>().saturating_add(parts))?;
        Ok(Self { held: Some(held), ahead })
    }

    /// What one table may allocate before it is charged.
    fn of(&self, table: usize) -> usize {
        self.ahead.get(table).copied().unwrap_or(0)
    }
}

/// Whether so many groups and values are merged on all cores.
fn is_large(entries: usize) -> bool {
    entries >= ENTRIES_MIN
}

/// The tables after merging, for which there is room; no group is in two of them.
pub(super) fn merge_tables<'s>(
    mut tables: Vec<Table<'s>>,
    spec: &AggregateSpec,
    room: &Room,
    cx: &Context<'s>,
) -> Result<Vec<Table<'s>>, ExecError> {
    let count = tables.len();
    if count > 1 && spec.keys.is_empty() && spec.aggregates.iter().any(|a| a.distinct) {
        tables = exchange(
            tables,
            room,
            cx,
            |table, own| table.split_values(own, count),
            |table, values, _| {
                table.merge_values(values);
                Ok(())
            },
        )?;
        tables.iter_mut().for_each(Table::forget_values);
    }
    if is_large(tables.iter().map(Table::entries).sum()) && count > 1 {
        return exchange_groups(tables, room, cx);
    }
    let mut held = cx.settings.budget.reservation();
    let mut ledger = Ledger::ahead(&mut held, cx, room.of(0));
    let mut tables = tables.into_iter();
    let Some(mut first) = tables.next() else { return Ok(Vec::new()) };
    let merged = tables.try_for_each(|other| first.merge(other.into_part(), &mut ledger));
    match merged {
        Ok(()) => Ok(vec![first]),
        Err(error) => {
            cx.leave((first, tables));
            Err(error)
        }
    }
}

/// The groups of all tables, and of the rows that were passed on, by partition, with what they hold.
///
/// A partition's table is forgotten, but for its groups, before the next one's is made: the memory of its
/// slots comes again.
pub(super) fn finish_partitions<'s>(
    mut tables: Vec<Table<'s>>,
    passed: &mut [Passed<'s>],
    spec: &AggregateSpec,
    room: Room,
    cx: &Context<'s>,
) -> Result<Vec<(Finished<'s>, Reservation)>, ExecError> {
    let partitions = passed.iter().map(|passed| passed.rows.len()).max().unwrap_or(0);
    // Each partition has a table, whoever came.
    tables.resize_with(partitions.max(tables.len()), || Table::new(spec));
    let tables = exchange_groups(tables, &room, cx)?;
    drop(room);
    let mut owned: Vec<(Table<'s>, Vec<Rows<'s>>)> =
        tables.into_iter().map(|table| (table, Vec::new())).collect();
    for passed in passed {
        for ((_, rows), more) in owned.iter_mut().zip(passed.take()) {
            rows.push(more);
        }
    }
    let spec = spec.of_passed();
    on_each(owned, cx, |(mut table, rows), cx| {
        let mut held = cx.settings.budget.reservation();
        let mut ledger = Ledger::new(&mut held, cx);
        table.expect(rows.iter().map(Rows::len).sum());
        let mut rows = rows.into_iter();
        let taken = rows.try_for_each(|rows| {
            in_chunks(rows, |chunk| {
                cx.check()?;
                table.update(&spec, chunk, &mut ledger)
            })
        });
        if let Err(error) = taken {
            cx.leave((table, rows));
            return Err(error);
        }
        let finished = table.finish(cx)?;
        held.resize(finished.bytes())?;
        Ok((finished, held))
    })
}

/// Gives each table the groups that it owns.
fn exchange_groups<'s>(
    tables: Vec<Table<'s>>,
    room: &Room,
    cx: &Context<'s>,
) -> Result<Vec<Table<'s>>, ExecError> {
    let count = tables.len();
    exchange(tables, room, cx, |table, own| table.split(own, count), Table::merge)
}

/// Splits all tables into a part for each worker, then gives each worker its parts.
fn exchange<'s, P: Send + 's>(
    tables: Vec<Table<'s>>,
    room: &Room,
    cx: &Context<'s>,
    split: impl Fn(&mut Table<'s>, usize) -> Vec<P> + Sync,
    merge: impl Fn(&mut Table<'s>, P, &mut Ledger<'_, 's>) -> Result<(), ExecError> + Sync,
) -> Result<Vec<Table<'s>>, ExecError> {
    // Parts are copies: all but what each worker owns of its table.
    let mut held = cx.settings.budget.reservation();
    if room.held.is_none() {
        let bytes: usize = tables.iter().map(Table::bytes).sum();
        held.grow(bytes - bytes / tables.len().max(1))?;
    }
    let numbered = tables.into_iter().enumerate().collect();
    let split = on_each(numbered, cx, |(own, mut table), _| {
        let parts = split(&mut table, own);
        Ok((table, parts))
    })?;
    let mut workers = Vec::new();
    let mut columns = Vec::new();
    for (k, (table, parts)) in split.into_iter().enumerate() {
        workers.push((table, Vec::new(), room.of(k)));
        columns.push(parts);
    }
    for (from, parts) in columns.into_iter().enumerate() {
        for (to, part) in parts.into_iter().enumerate().filter(|(to, _)| *to != from) {
            workers[to].1.push(part);
        }
    }
    on_each(workers, cx, |(mut table, parts, ahead), cx| {
        let mut parts = parts.into_iter();
        let mut held = cx.settings.budget.reservation();
        let mut ledger = Ledger::ahead(&mut held, cx, ahead);
        let merged = parts.try_for_each(|part| {
            cx.check()?;
            merge(&mut table, part, &mut ledger)
        });
        match merged {
            Ok(()) => Ok(table),
            Err(error) => {
                cx.leave((table, parts));
                Err(error)
            }
        }
    })
}
