//! Rows by the hash of their key: equivalent keys are in one partition. A partition that is still too large
//! is split by other bits of the hash.

use trimorph_base::Reservation;
use trimorph_vector::Vector;

use super::codec::Batch;
use super::stored::{Stored, Writer};
use super::{batch_bytes, hold_buffers};
use crate::rows::Rows;
use crate::{Context, ExecError};

/// Partitions of one level: four bits of the hash.
const PARTITIONS: usize = 16;
const PARTITION_BITS: u32 = 4;
/// Levels of partitions: the bits of a hash are used up after 16.
pub(crate) const LEVELS_MAX: u32 = 12;

/// Rows that are being partitioned.
pub(crate) struct Partitions<'s> {
    level: u32,
    columns: usize,
    parts: Vec<Part<'s>>,
    writer: Option<Writer>,
    batch_bytes: usize,
    held: Reservation,
    /// Scratch: the rows of each partition, as places in what was handed in.
    picked: Vec<Vec<u32>>,
}

/// What one partition has in a file, and what is still in memory.
struct Part<'s> {
    tail: Rows<'s>,
    tail_bytes: usize,
    stored: Option<Stored>,
}

/// The rows of one partition.
pub(crate) struct Partition<'s> {
    pub(crate) level: u32,
    stored: Option<Stored>,
    tail: Rows<'s>,
    _held: Option<Reservation>,
}

impl<'s> Partitions<'s> {
    /// No rows of `columns` columns.
    pub(crate) fn new(level: u32, columns: usize, cx: &Context<'s>) -> Self {
        let part = || Part { tail: Rows::new(columns), tail_bytes: 0, stored: None };
        Self {
            level,
            columns,
            parts: (0..PARTITIONS).map(|_| part()).collect(),
            writer: None,
            batch_bytes: batch_bytes(PARTITIONS, cx),
            held: cx.settings.budget.reservation(),
            picked: vec![Vec::new(); PARTITIONS],
        }
    }

    /// The partition of a hash.
    pub(crate) fn of(&self, hash: u64) -> usize {
        let shift = u64::BITS - PARTITION_BITS * (self.level + 1);
        (hash >> shift) as usize % PARTITIONS
    }

    /// Appends the rows at `positions`, which have these hashes.
    pub(crate) fn add(
        &mut self,
        hashes: &[u64],
        columns: &[&Vector<'s>],
        positions: &[u32],
        multiplicity: &dyn Fn(usize) -> u64,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        cx.check()?;
        self.picked.iter_mut().for_each(Vec::clear);
        for (hash, p) in hashes.iter().zip(positions) {
            let partition = self.of(*hash);
            self.picked[partition].push(*p);
        }
        let (mut picked, most) = (std::mem::take(&mut self.picked), self.batch_bytes);
        for (k, picked) in picked.iter_mut().enumerate().filter(|(_, picked)| !picked.is_empty()) {
            let part = &mut self.parts[k];
            part.tail.extend(columns, picked, picked.iter().map(|p| multiplicity(*p as usize)), cx);
            part.tail_bytes = part.tail.bytes();
            if part.tail_bytes >= most {
                self.flush(k, cx)?;
            }
        }
        self.picked = picked;
        let bytes = self.parts.iter().map(|part| part.tail_bytes).sum();
        hold_buffers(&mut self.held, bytes);
        Ok(())
    }

    fn flush(&mut self, k: usize, cx: &Context<'s>) -> Result<(), ExecError> {
        let part = &mut self.parts[k];
        if part.tail.len() == 0 {
            return Ok(());
        }
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(Writer::new(self.batch_bytes, cx)?),
        };
        let tail = std::mem::replace(&mut part.tail, Rows::new(self.columns));
        part.tail_bytes = 0;
        let columns: Vec<&Vector<'s>> = tail.columns.iter().collect();
        let all: Vec<u32> = (0..u32::try_from(tail.len()).unwrap_or(u32::MAX)).collect();
        let stored = part.stored.get_or_insert_with(|| writer.stored());
        writer.write(&columns, &all, &|i| tail.multiplicity[i], stored, cx)
    }

    /// The partitions, those without rows too. Where none went to a file, all stay in memory.
    pub(crate) fn finish(mut self, cx: &Context<'s>) -> Result<Vec<Partition<'s>>, ExecError> {
        if self.writer.is_some() {
            for k in 0..self.parts.len() {
                self.flush(k, cx)?;
            }
            hold_buffers(&mut self.held, 0);
        }
        let level = self.level;
        let mut held = Some(self.held);
        let parts = self.parts.into_iter();
        // What is still in memory goes with the last one.
        let parts = parts.rev().map(|part| Partition {
            level,
            stored: part.stored,
            tail: part.tail,
            _held: held.take(),
        });
        let mut parts: Vec<_> = parts.collect();
        parts.reverse();
        Ok(parts)
    }
}

/// How far a partition has been read.
#[derive(Debug, Default)]
pub(crate) struct PartitionReader {
    next: usize,
    buffer: Vec<u8>,
}

impl PartitionReader {
    /// Bytes of the batch that was read last.
    pub(crate) fn bytes(&self) -> usize {
        self.buffer.len()
    }
}

impl<'s> Partition<'s> {
    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.stored.is_none() && self.tail.len() == 0
    }

    /// The next rows; `None` after the last.
    pub(crate) fn read(
        &self,
        reader: &mut PartitionReader,
        cx: &Context<'s>,
    ) -> Result<Option<Batch<'s>>, ExecError> {
        let batch = reader.next;
        reader.next += 1;
        let batches = self.stored.as_ref().map_or(0, Stored::batches);
        match &self.stored {
            Some(stored) if batch < batches => stored.read(batch, &mut reader.buffer, cx),
            _ if batch == batches && self.tail.len() > 0 => Ok(Some(Batch {
                columns: self.tail.columns.clone(),
                multiplicity: self.tail.multiplicity.clone(),
            })),
            _ => Ok(None),
        }
    }
}
