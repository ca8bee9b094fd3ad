//! The first of each set of equivalent rows, of any number of rows: a set in memory, and when that cannot
//! grow, files.
//!
//! 1. rows that are new to the set are given at once
//! 2. when the set cannot grow it stays as it is: rows that it has are dropped, others go to partitions by
//!    the hash of their key
//! 3. at the end each partition is gone through the same way, with a set of its own and other bits of the
//!    hash

use trimorph_base::Reservation;
use trimorph_vector::Vector;

use super::codec::Batch;
use super::hash::hashes;
use super::partition::{LEVELS_MAX, Partition, PartitionReader, Partitions};
use super::{UNCHARGED_BYTES_MAX, spare_bytes};
use crate::keys::{KeyTable, NO_NUMBER, POSITIONS_UNCHECKED};
use crate::{Context, ExecError};

/// Rows seen, all columns of which are the key but the last ones, which are carried along.
pub(crate) struct Dedupe<'s> {
    /// Columns that are carried.
    carried: usize,
    seen: KeyTable<'s>,
    held: Option<Reservation>,
    level: u32,
    /// Where rows go that the set has no room for.
    spilled: Option<Partitions<'s>>,
    /// Partitions to be gone through, and the one that is.
    left: Vec<Partition<'s>>,
    current: Option<(Partition<'s>, PartitionReader)>,
    /// Scratch.
    numbers: Vec<u32>,
    hashes: Vec<u64>,
}

impl<'s> Dedupe<'s> {
    /// None seen.
    pub(crate) fn new() -> Self {
        Self::carrying(0)
    }

    /// None seen, of rows whose last columns are no part of the key.
    pub(crate) fn carrying(carried: usize) -> Self {
        Self {
            carried,
            seen: KeyTable::default(),
            held: None,
            level: 0,
            spilled: None,
            left: Vec::new(),
            current: None,
            numbers: Vec::new(),
            hashes: Vec::new(),
        }
    }

    /// Takes rows in; appends the positions of those that are new to `fresh`. Others may be new too: these
    /// come from [`Self::rest`].
    pub(crate) fn add(
        &mut self,
        columns: &[&Vector<'s>],
        positions: &[u32],
        fresh: &mut Vec<u32>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let keys = self.keys(columns);
        for positions in positions.chunks(POSITIONS_UNCHECKED) {
            cx.check()?;
            self.numbers.clear();
            if self.spilled.is_some() || !self.room(positions.len(), cx)? {
                self.spill(columns, positions, cx)?;
                continue;
            }
            self.seen.number_all(keys, positions, &mut self.numbers, fresh);
            if let Some(held) = &mut self.held
                && let Err(over) = held.resize(self.seen.bytes())
            {
                // Texts took more than there is: they are in the set now.
                self.full(columns.len(), cx).ok_or(over)?;
            }
        }
        Ok(())
    }

    /// Whether there is room for more rows.
    ///
    /// **Errors**: where there is none, and nowhere to spill to.
    fn room(&mut self, more: usize, cx: &Context<'s>) -> Result<bool, ExecError> {
        let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
        let growth = self.seen.growth_bytes(more);
        let can_spill = cx.settings.spill.is_some() && self.level < LEVELS_MAX;
        let spare = if can_spill { spare_bytes(held.bytes() + growth, cx) } else { 0 };
        match held.grow_leaving(growth, spare) {
            Ok(()) => Ok(true),
            Err(_) if can_spill && self.seen.len() > 0 => Ok(false),
            // A set of some rows is what there must be, to get on.
            Err(_) if can_spill && growth < UNCHARGED_BYTES_MAX => Ok(true),
            Err(over) => Err(over.into()),
        }
    }

    /// From now on the set stays as it is; `None` where there is nowhere to spill to.
    fn full(&mut self, columns: usize, cx: &Context<'s>) -> Option<&mut Partitions<'s>> {
        let can_spill = cx.settings.spill.is_some() && self.level < LEVELS_MAX;
        can_spill.then(|| {
            let level = self.level;
            self.spilled.get_or_insert_with(|| Partitions::new(level, columns, cx))
        })
    }

    /// Of all columns those that are the key.
    fn keys<'a, 'v>(&self, columns: &'a [&'v Vector<'s>]) -> &'a [&'v Vector<'s>] {
        &columns[..columns.len().saturating_sub(self.carried)]
    }

    fn spill(
        &mut self,
        columns: &[&Vector<'s>],
        positions: &[u32],
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let keys = self.keys(columns);
        self.seen.find_all(keys, positions, &mut self.numbers);
        let unknown = positions.iter().zip(&self.numbers).filter(|(_, number)| **number == NO_NUMBER);
        let unknown: Vec<u32> = unknown.map(|(p, _)| *p).collect();
        let mut found = std::mem::take(&mut self.hashes);
        hashes(keys, &unknown, &mut found);
        if let Some(partitions) = self.full(columns.len(), cx) {
            partitions.add(&found, columns, &unknown, &|_| 1, cx)?;
        }
        self.hashes = found;
        Ok(())
    }

    /// After the last row was added: the next rows of those that were put away, and which of them are the
    /// first of their kind. `None` when there are none left.
    pub(crate) fn rest(&mut self, cx: &Context<'s>) -> Result<Option<(Batch<'s>, Vec<u32>)>, ExecError> {
        loop {
            cx.check()?;
            if let Some((partition, mut reader)) = self.current.take()
                && let Some(batch) = partition.read(&mut reader, cx)?
            {
                self.current = Some((partition, reader));
                let columns: Vec<&Vector<'s>> = batch.columns.iter().collect();
                let all: Vec<u32> = (0..u32::try_from(batch.len()).unwrap_or(u32::MAX)).collect();
                let mut fresh = Vec::new();
                self.add(&columns, &all, &mut fresh, cx)?;
                if !fresh.is_empty() {
                    return Ok(Some((batch, fresh)));
                }
                continue;
            }
            // The end of one: what it had no room for is next.
            self.seen = KeyTable::default();
            self.held = None;
            if let Some(partitions) = self.spilled.take() {
                self.left.extend(partitions.finish(cx)?.into_iter().filter(|part| !part.is_empty()));
            }
            let Some(partition) = self.left.pop() else { return Ok(None) };
            self.level = partition.level + 1;
            self.current = Some((partition, PartitionReader::default()));
        }
    }
}
