//! A hash join whose build side memory has no room for.
//!
//! 1. build rows that fit are kept, the rest goes to partitions by the hash of the key
//! 2. each probe row is joined with those that are kept, and goes to the partition of its key if there are
//!    build rows in it
//! 3. partition by partition, as many build rows as fit are made a block; all probe rows of the partition are
//!    joined with it, then with the next: however many rows one key has, a block has room for some. Where
//!    rows of one key are one row, only probe rows that found none go on to the next block.
//!
//! Source: the hybrid hash join of DeWitt et al. 1984, with blocks in place of recursion.

use trimorph_vector::{Chunk, Vector};

use super::built::{Building, Built};
use super::shape::Shape;
use crate::keys::POSITIONS_UNCHECKED;
use crate::spill::{Batch, Partition, PartitionReader, Partitions, hashes};
use crate::{Context, ExecError};

/// Probe rows of one twin that are to be joined with build rows in files.
pub(super) struct SpilledProbe<'s> {
    /// While they come.
    coming: Option<Partitions<'s>>,
    partitions: Vec<Partition<'s>>,
    /// The partition that is joined, how far both sides have been read, and the block of its build rows.
    current: usize,
    build_reader: PartitionReader,
    probe_reader: PartitionReader,
    pending: Option<Batch<'s>>,
    block: Option<Built<'s>>,
    /// Where rows of one key are one row: probe rows of the partition that found none in this block, and
    /// those that are left of blocks before.
    unmatched: Option<Partitions<'s>>,
    left: Option<Partition<'s>>,
    hashes: Vec<u64>,
}

impl<'s> SpilledProbe<'s> {
    pub(super) fn new() -> Self {
        Self {
            coming: None,
            partitions: Vec::new(),
            current: 0,
            build_reader: PartitionReader::default(),
            probe_reader: PartitionReader::default(),
            pending: None,
            block: None,
            unmatched: None,
            left: None,
            hashes: Vec::new(),
        }
    }

    /// Takes in the probe rows at `positions` whose partition has build rows; while blocks are joined, those
    /// that found nothing in this one.
    pub(super) fn add(
        &mut self,
        chunk: &Chunk<'s>,
        positions: &[u32],
        build: &[Partition<'s>],
        shape: &Shape,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let group = &chunk.groups[0];
        let slots = shape.probe_keys.iter().chain(&shape.probe_keep);
        let columns: Vec<&Vector<'s>> = slots.map(|slot| &group.vectors[*slot]).collect();
        let keys = &columns[..shape.probe_keys.len()];
        let coming = if self.block.is_some() { &mut self.unmatched } else { &mut self.coming };
        let coming = coming.get_or_insert_with(|| Partitions::new(0, columns.len(), cx));
        for positions in positions.chunks(POSITIONS_UNCHECKED) {
            hashes(keys, positions, &mut self.hashes);
            let wanted = |hash: &u64| build.get(coming.of(*hash)).is_some_and(|part| !part.is_empty());
            let rows = self.hashes.iter().copied().zip(positions.iter().copied());
            let (found, positions): (Vec<u64>, Vec<u32>) = rows.filter(|(hash, _)| wanted(hash)).unzip();
            coming.add(&found, &columns, &positions, &|p| group.multiplicity_at(p), cx)?;
        }
        Ok(())
    }

    /// The block that probe rows are joined with now.
    pub(super) fn block(&self) -> Option<&Built<'s>> {
        self.block.as_ref()
    }

    /// Fills `chunk` with the next probe rows, which belong to [`Self::block`]; `false` at the end.
    pub(super) fn next(
        &mut self,
        chunk: &mut Chunk<'s>,
        build: &[Partition<'s>],
        shape: &Shape,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        if let Some(coming) = self.coming.take() {
            self.partitions = coming.finish(cx)?;
        }
        while let (Some(all), Some(build)) = (self.partitions.get(self.current), build.get(self.current)) {
            cx.check()?;
            let probe = self.left.as_ref().unwrap_or(all);
            if self.block.is_some() {
                if let Some(batch) = probe.read(&mut self.probe_reader, cx)? {
                    put(batch, chunk, shape);
                    return Ok(true);
                }
                self.block = None;
                if shape.once {
                    let unmatched = self.unmatched.take().map(|rows| rows.finish(cx)).transpose()?;
                    self.left = unmatched.and_then(|parts| parts.into_iter().nth(self.current));
                    if self.left.is_none() {
                        self.go_on();
                        continue;
                    }
                }
            }
            let probe = self.left.as_ref().unwrap_or(all);
            if !probe.is_empty() {
                self.probe_reader = PartitionReader::default();
                self.block = self.next_block(shape, build, cx)?;
            }
            if self.block.is_none() {
                self.go_on();
            }
        }
        Ok(false)
    }

    /// Goes to the next partition.
    fn go_on(&mut self) {
        self.current += 1;
        self.build_reader = PartitionReader::default();
        (self.pending, self.left) = (None, None);
    }

    /// As many of a partition's build rows as there is room for; `None` after the last.
    fn next_block(
        &mut self,
        shape: &Shape,
        build: &Partition<'s>,
        cx: &Context<'s>,
    ) -> Result<Option<Built<'s>>, ExecError> {
        let mut building = Building::new(shape, cx);
        while let Some(batch) = match self.pending.take() {
            Some(batch) => Some(batch),
            None => {
                let read = build.read(&mut self.build_reader, cx)?;
                if read.is_some() && shape.constant {
                    cx.spilling.read_again(self.build_reader.bytes());
                }
                read
            }
        } {
            // Of one batch there are rows in memory in any case.
            if building.make_room(batch.len(), cx).is_err() && building.rows.len() > 0 {
                self.pending = Some(batch);
                break;
            }
            let columns: Vec<&Vector<'s>> = batch.columns.iter().collect();
            let (keys, columns) = columns.split_at(shape.build_keys.len());
            let all: Vec<u32> = (0..u32::try_from(batch.len()).unwrap_or(u32::MAX)).collect();
            building.add(keys, columns, &all, &|i| batch.multiplicity[i], cx);
            if building.settle().is_err() {
                break;
            }
        }
        Ok((building.rows.len() > 0).then(|| building.finish()))
    }
}

/// Puts probe rows back into their slots.
fn put<'s>(batch: Batch<'s>, chunk: &mut Chunk<'s>, shape: &Shape) {
    let group = &mut chunk.groups[0];
    group.reset(batch.len());
    for (slot, column) in shape.probe_keys.iter().chain(&shape.probe_keep).zip(batch.columns) {
        group.vectors[*slot] = column;
    }
    group.multiplicity = Some(batch.multiplicity);
}
