//! Groups that memory has no room for: tables of groups and their states in, files, groups and results out.
//!
//! 1. when a table cannot grow, all its groups go to partitions by the hash of their keys, with their states,
//!    and it begins again: a group may be written several times, with a part of its rows each
//! 2. distinct values go to partitions by the hash of key and value. At the end those of each partition are
//!    told apart and counted, or aggregated, and these states go to the partitions of the groups. Those of
//!    lists have the number by which they came, and are put in its order at the end
//! 3. partition by partition the states of each group are merged, and the result is given before the next is
//!    begun; a partition that is too large is partitioned again

use trimorph_base::Reservation;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use super::AggregateSpec;
use super::columns::{blank, counts, states_of, width};
use super::distinct::DistinctSet;
use super::kept::{Found, one_each};
use super::ordered::arrived;
use super::states::Ledger;
use super::table::{Finished, Part, Table};
use crate::spill::{
    Batch, Dedupe, LEVELS_MAX, Partition, PartitionReader, Partitions, UNCHARGED_BYTES_MAX, hashes,
    spare_bytes,
};
use crate::{Context, ExecError};

/// Groups, or distinct values, that are written between two looks at the flag that cancels.
const ROWS_AT_ONCE: usize = 4_096;

/// What one worker has written.
pub(super) struct Spilled<'s> {
    level: u32,
    groups: Option<Partitions<'s>>,
    /// Keys, the number of the aggregate, and a distinct value by its encoded form: to be counted.
    values: Option<Partitions<'s>>,
    /// Keys and the distinct values that an aggregate keeps, for each aggregate; of lists when each came.
    kept: Vec<Option<Partitions<'s>>>,
    /// Values of lists that were written.
    came: i64,
    hashes: Vec<u64>,
}

/// Columns of a distinct value besides the keys: aggregate, tag, bits, bytes.
const VALUE_COLUMNS: usize = 4;

impl<'s> Spilled<'s> {
    /// Nothing yet, in partitions of a level.
    pub(super) fn new(level: u32) -> Self {
        Self { level, groups: None, values: None, kept: Vec::new(), came: 0, hashes: Vec::new() }
    }

    /// Whether anything was written.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_none() && self.values.is_none() && self.kept.iter().all(Option::is_none)
    }

    /// Writes all groups of a table, which is left without any. Without keys there is one group, which stays,
    /// and only its distinct values are written.
    pub(super) fn take(
        &mut self,
        table: &mut Table<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        if spec.keys.is_empty() {
            for (number, column) in table.states.iter_mut().enumerate() {
                if let Some((groups, values)) = column.take_kept()? {
                    self.take_kept((number, spec), &table.columns, &groups, &values, cx)?;
                } else if let Some(set) = &mut column.distinct {
                    self.take_values(number, &table.columns, set, cx)?;
                    set.forget_listed();
                    let left = set.len();
                    column.set_counts(left);
                }
            }
            return Ok(());
        }
        let mut table = std::mem::replace(table, Table::new(spec));
        table.settle_all();
        for (number, column) in table.states.iter_mut().enumerate() {
            if let Some((groups, values)) = column.take_kept()? {
                self.take_kept((number, spec), &table.columns, &groups, &values, cx)?;
                column.settle(cx)?;
            }
            // Where counts are merged there are no values: they are in the counts.
            if let Some(set) = column.distinct.take().filter(|set| set.len() > 0) {
                self.take_values(number, &table.columns, &set, cx)?;
                column.set_counts(0);
            }
        }
        let all = table.groups();
        let columns = spec.keys.len() + spec.aggregates.iter().map(|a| width(a.kind)).sum::<usize>();
        let partitions = self.groups.get_or_insert_with(|| Partitions::new(self.level, columns, cx));
        for start in (0..all).step_by(ROWS_AT_ONCE) {
            let end = (start + ROWS_AT_ONCE).min(all);
            // Groups are numbered by 32 bits.
            let numbers: Vec<u32> = (start as u32..end as u32).collect();
            let mut row: Vec<Vector<'s>> = table.columns.iter().map(|key| key.gather(&numbers)).collect();
            for column in &mut table.states {
                row.extend(column.take(start..end)?);
            }
            let row: Vec<&Vector<'s>> = row.iter().collect();
            let positions: Vec<u32> = (0..numbers.len() as u32).collect();
            hashes(&row[..spec.told], &positions, &mut self.hashes);
            partitions.add(&self.hashes, &row, &positions, &|_| 1, cx)?;
        }
        Ok(())
    }

    /// Writes the distinct values that one aggregate has kept, each with its group.
    fn take_kept(
        &mut self,
        (number, spec): (usize, &AggregateSpec),
        keys: &[Vector<'s>],
        groups: &[u32],
        values: &Vector<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let is_in_order = spec.aggregates[number].keeps_order();
        if self.kept.len() <= number {
            self.kept.resize_with(number + 1, || None);
        }
        let columns = keys.len() + 1 + usize::from(is_in_order);
        let partitions = self.kept[number].get_or_insert_with(|| Partitions::new(self.level, columns, cx));
        for (piece, groups) in groups.chunks(ROWS_AT_ONCE).enumerate() {
            // Values are numbered by 32 bits.
            let first = (piece * ROWS_AT_ONCE) as u32;
            let of: Vec<u32> = (first..first + groups.len() as u32).collect();
            let mut row: Vec<Vector<'s>> = keys.iter().map(|key| key.gather(groups)).collect();
            row.push(values.gather(&of));
            if is_in_order {
                let end = self.came + groups.len() as i64;
                row.push(Vector::new(Values::Int((self.came..end).collect())));
                self.came = end;
            }
            let row: Vec<&Vector<'s>> = row.iter().collect();
            let positions: Vec<u32> = (0..groups.len() as u32).collect();
            hashes(&row[..=keys.len()], &positions, &mut self.hashes);
            partitions.add(&self.hashes, &row, &positions, &|_| 1, cx)?;
        }
        Ok(())
    }

    /// Writes the distinct values of one aggregate, which are to be counted.
    fn take_values(
        &mut self,
        number: usize,
        keys: &[Vector<'s>],
        set: &DistinctSet,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let level = self.level;
        let partitions =
            self.values.get_or_insert_with(|| Partitions::new(level, keys.len() + VALUE_COLUMNS, cx));
        let found = &mut self.hashes;
        set.listed(ROWS_AT_ONCE, |groups, tags, bits, bytes| {
            let len = groups.len();
            let mut row: Vec<Vector<'s>> = keys.iter().map(|key| key.gather(groups)).collect();
            row.push(Vector::new(Values::Int(vec![number; len])));
            row.push(Vector::new(Values::Int(tags)));
            row.push(Vector::new(Values::Int(bits)));
            row.push(Vector::new(Values::Any(bytes)));
            let row: Vec<&Vector<'s>> = row.iter().collect();
            let positions: Vec<u32> = (0..u32::try_from(len).unwrap_or(u32::MAX)).collect();
            hashes(&row, &positions, found);
            partitions.add(found, &row, &positions, &|_| 1, cx)
        })
    }
}

/// The results of groups that were written, partition by partition.
pub(super) struct Rest<'s> {
    /// What is to be merged: each the same partition of several workers.
    left: Vec<Vec<Partition<'s>>>,
    /// Of the one that is given out.
    held: Option<Reservation>,
    /// What states that were written are merged by.
    spec: AggregateSpec,
}

/// A table that takes groups in, and writes what it has no room for.
struct Merging<'s> {
    table: Table<'s>,
    held: Reservation,
    spilled: Spilled<'s>,
}

impl<'s> Merging<'s> {
    fn new(level: u32, spec: &AggregateSpec, cx: &Context<'s>) -> Self {
        Self { table: Table::new(spec), held: cx.settings.budget.reservation(), spilled: Spilled::new(level) }
    }

    /// Takes some groups in, of about so many bytes.
    fn add(
        &mut self,
        part: Part<'s>,
        bytes: usize,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        cx.check()?;
        let mut ahead = self.table.growth_bytes(part.groups) + 2 * bytes;
        if let Err(over) = self.held.grow_leaving(ahead, spare_bytes(self.held.bytes() + ahead, cx)) {
            // Of one group there is no part that could be merged on its own.
            if self.table.groups() > 1 && self.spilled.level < LEVELS_MAX {
                self.spilled.take(&mut self.table, spec, cx)?;
                self.held.resize(0)?;
            }
            ahead = self.table.growth_bytes(part.groups) + 2 * bytes;
            if self.held.grow(ahead).is_err() && ahead > UNCHARGED_BYTES_MAX {
                return Err(over.into());
            }
        }
        let ahead = ahead.max(UNCHARGED_BYTES_MAX);
        self.table.merge(part, &mut Ledger::ahead(&mut self.held, cx, ahead))?;
        if self.held.resize(self.table.bytes()).is_err() && self.table.bytes() > UNCHARGED_BYTES_MAX {
            self.held.resize(self.table.bytes())?;
        }
        Ok(())
    }
}

/// Rows of groups as a part of a table, and about how many bytes they take.
fn part_of<'s>(batch: Batch<'s>, spec: &AggregateSpec) -> Result<(Part<'s>, usize), ExecError> {
    let groups = batch.len();
    let bytes = batch.columns.iter().map(|c| crate::rows::cell_bytes(c) as u64 + c.owned_bytes(0..groups));
    let bytes = usize::try_from(bytes.sum::<u64>()).unwrap_or(usize::MAX / 4);
    let mut keys = batch.columns;
    let states = keys.split_off(spec.keys.len());
    let (mut exports, mut at) = (Vec::with_capacity(spec.aggregates.len()), 0);
    for a in &spec.aggregates {
        let end = at + width(a.kind);
        exports.push(states_of(a.kind, states.get(at..end).unwrap_or_default())?);
        at = end;
    }
    Ok((Part { keys, groups, states: exports }, bytes))
}

impl<'s> Rest<'s> {
    /// Of what all workers wrote. Without keys distinct values were written only: `add` gets those of an
    /// aggregate.
    pub(super) fn new(
        all: Vec<Spilled<'s>>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
        mut add: impl FnMut(usize, Found<'_, 's>) -> Result<(), ExecError>,
    ) -> Result<Self, ExecError> {
        let (mut groups, mut values, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for spilled in all {
            groups.extend(spilled.groups);
            values.extend(spilled.values);
            kept.resize_with(kept.len().max(spilled.kept.len()), Vec::new);
            kept.iter_mut().zip(spilled.kept).for_each(|(of, more)| of.extend(more));
        }
        let merged = spec.of_told_apart();
        let mut counted = Merging::new(0, &merged, cx);
        each_distinct(values, 0, cx, |batch, fresh| {
            count_values(batch, fresh, (&mut counted, &merged), spec, cx, &mut add)
        })?;
        for (number, values) in kept.into_iter().enumerate() {
            let carried = usize::from(spec.aggregates[number].keeps_order());
            each_distinct(values, carried, cx, |batch, fresh| {
                take_values(number, batch, fresh, (&mut counted, &merged), spec, cx, &mut add)
            })?;
        }
        if !spec.keys.is_empty() && (counted.table.groups() > 0 || !counted.spilled.is_empty()) {
            counted.spilled.take(&mut counted.table, &merged, cx)?;
            groups.extend(counted.spilled.groups);
        }
        Ok(Self { left: same(groups, cx)?, held: None, spec: merged })
    }

    /// The groups of the next partition.
    pub(super) fn next(&mut self, cx: &Context<'s>) -> Result<Option<Finished<'s>>, ExecError> {
        self.held = None;
        let spec = &self.spec;
        while let Some(partitions) = self.left.pop() {
            let Some(level) = partitions.first().map(|partition| partition.level) else { continue };
            let mut merging = Merging::new(level + 1, spec, cx);
            for partition in partitions {
                let mut reader = PartitionReader::default();
                while let Some(batch) = partition.read(&mut reader, cx)? {
                    let (part, bytes) = part_of(batch, spec)?;
                    merging.add(part, bytes, spec, cx)?;
                }
            }
            if merging.spilled.is_empty() {
                if merging.table.groups() == 0 {
                    continue;
                }
                self.held = Some(merging.held);
                return Ok(Some(merging.table.finish(cx)?));
            }
            merging.spilled.take(&mut merging.table, spec, cx)?;
            drop(merging.held);
            self.left.extend(same(merging.spilled.groups.into_iter().collect(), cx)?);
        }
        Ok(None)
    }
}

/// The same partition of each.
fn same<'s>(all: Vec<Partitions<'s>>, cx: &Context<'s>) -> Result<Vec<Vec<Partition<'s>>>, ExecError> {
    let mut out: Vec<Vec<Partition<'s>>> = Vec::new();
    for partitions in all {
        let parts = partitions.finish(cx)?;
        out.resize_with(parts.len().max(out.len()), Vec::new);
        for (k, part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            out[k].push(part);
        }
    }
    Ok(out)
}

/// Calls `visit` with the rows of partitions, and where among them are the first of their kind; the last
/// columns are `carried` along.
fn each_distinct<'s>(
    partitions: Vec<Partitions<'s>>,
    carried: usize,
    cx: &Context<'s>,
    mut visit: impl FnMut(&Batch<'s>, &[u32]) -> Result<(), ExecError>,
) -> Result<(), ExecError> {
    for partitions in same(partitions, cx)? {
        let mut distinct = Dedupe::carrying(carried);
        for partition in partitions {
            let mut reader = PartitionReader::default();
            while let Some(batch) = partition.read(&mut reader, cx)? {
                let mut fresh = Vec::new();
                let keys: Vec<&Vector<'s>> = batch.columns.iter().collect();
                let all: Vec<u32> = (0..u32::try_from(batch.len()).unwrap_or(u32::MAX)).collect();
                distinct.add(&keys, &all, &mut fresh, cx)?;
                visit(&batch, &fresh)?;
            }
        }
        while let Some((batch, fresh)) = distinct.rest(cx)? {
            visit(&batch, &fresh)?;
        }
    }
    Ok(())
}

/// Aggregates distinct values of one aggregate, those at `fresh`, for their groups.
fn take_values<'s>(
    number: usize,
    batch: &Batch<'s>,
    fresh: &[u32],
    (counted, merged): (&mut Merging<'s>, &AggregateSpec),
    spec: &AggregateSpec,
    cx: &Context<'s>,
    add: &mut impl FnMut(usize, Found<'_, 's>) -> Result<(), ExecError>,
) -> Result<(), ExecError> {
    let keys = spec.keys.len();
    let (Some(values), Some(aggregate)) = (batch.columns.get(keys), spec.aggregates.get(number)) else {
        return Ok(());
    };
    let arrived = batch.columns.get(keys + 1).and_then(|came| arrived(values, came));
    let values = arrived.as_ref().unwrap_or(values);
    if keys == 0 {
        return add(number, Found::Values(values, fresh));
    }
    for fresh in fresh.chunks(ROWS_AT_ONCE) {
        let mut states = Vec::with_capacity(spec.aggregates.len());
        for (k, other) in spec.aggregates.iter().enumerate() {
            states.push(if k == number {
                one_each(aggregate, values, fresh, cx)?
            } else {
                blank(other.kind, fresh.len())
            });
        }
        let part = Part {
            keys: batch.columns[..keys].iter().map(|key| key.gather(fresh)).collect(),
            groups: fresh.len(),
            states,
        };
        let bytes: usize = part.keys.iter().map(crate::rows::cell_bytes).sum();
        counted.add(part, bytes + crate::rows::owned_at(values, fresh), merged, cx)?;
    }
    Ok(())
}

/// Counts distinct values, those at `fresh`, for their groups.
fn count_values<'s>(
    batch: &Batch<'s>,
    fresh: &[u32],
    (counted, merged): (&mut Merging<'s>, &AggregateSpec),
    spec: &AggregateSpec,
    cx: &Context<'s>,
    add: &mut impl FnMut(usize, Found<'_, 's>) -> Result<(), ExecError>,
) -> Result<(), ExecError> {
    let keys = spec.keys.len();
    let Some(numbers) = batch.columns.get(keys) else { return Ok(()) };
    let aggregate = |p: u32| match numbers.value(p as usize, &|_| Value::Null) {
        Value::Int(number) => usize::try_from(number).ok(),
        _ => None,
    };
    for (number, a) in spec.aggregates.iter().enumerate().filter(|(_, a)| a.distinct) {
        let own: Vec<u32> = fresh.iter().copied().filter(|p| aggregate(*p) == Some(number)).collect();
        if own.is_empty() {
            continue;
        }
        if keys == 0 {
            add(number, Found::Count(own.len() as u64))?;
            continue;
        }
        let state = |(k, other): (usize, &super::AggregateEx)| {
            if k == number { counts(vec![1; own.len()]) } else { blank(other.kind, own.len()) }
        };
        let part = Part {
            keys: batch.columns[..keys].iter().map(|key| key.gather(&own)).collect(),
            groups: own.len(),
            states: spec.aggregates.iter().enumerate().map(state).collect(),
        };
        let bytes = part.keys.iter().map(crate::rows::cell_bytes).sum();
        debug_assert_eq!(a.kind, trimorph_algebra::AggregateKind::Count);
        counted.add(part, bytes, merged, cx)?;
    }
    Ok(())
}
