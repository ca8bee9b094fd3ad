//! Probe rows of a range join whose build side has no room: all of them are joined with the first block and
//! written; then, block by block of the build rows in the file, they are read and joined again.

use trimorph_vector::{Chunk, Vector};

use super::sorted::{Block, Sorted};
use super::spec::RangeJoinSpec;
use crate::operator::BoxOperator;
use crate::spill::{Batch, Stored, Writer, batch_bytes};
use crate::{Context, ExecError};

/// Where one twin is.
#[derive(Default)]
pub(super) struct SpilledProbe<'s> {
    /// The probe side has no more rows.
    has_ended: bool,
    writer: Option<Writer>,
    rows: Option<Stored>,
    /// The block that probe rows are joined with now: none while they come.
    block: Option<Sorted<'s>>,
    /// The next batches of probe rows and of build rows.
    next_rows: usize,
    next_build: usize,
    pending: Option<Batch<'s>>,
    buffer: Vec<u8>,
}

impl<'s> SpilledProbe<'s> {
    /// The block that the rows given last belong to; none for the first.
    pub(super) fn block(&self) -> Option<&Sorted<'s>> {
        self.block.as_ref()
    }

    /// Fills `chunk` with the next probe rows; `false` at the end. `rest` are the build rows after the first
    /// block.
    pub(super) fn next(
        &mut self,
        probe: &mut BoxOperator<'s>,
        chunk: &mut Chunk<'s>,
        rest: Option<&Stored>,
        spec: &RangeJoinSpec,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        if !self.has_ended {
            if probe.next(chunk, cx)? {
                if rest.is_some() {
                    self.write(chunk, spec, cx)?;
                }
                return Ok(true);
            }
            self.has_ended = true;
        }
        let (Some(rest), Some(rows)) = (rest, &self.rows) else { return Ok(false) };
        loop {
            if self.block.is_some() {
                if let Some(batch) = rows.read(self.next_rows, &mut self.buffer, cx)? {
                    self.next_rows += 1;
                    put(batch, chunk, spec);
                    return Ok(true);
                }
                self.block = None;
            }
            let mut block = Block::new(spec, cx);
            while let Some(batch) = match self.pending.take() {
                Some(batch) => Some(batch),
                None => rest.read(self.next_build, &mut self.buffer, cx)?,
            } {
                let columns: Vec<&Vector<'s>> = batch.columns.iter().collect();
                let all: Vec<u32> = (0..u32::try_from(batch.len()).unwrap_or(u32::MAX)).collect();
                if !block.take(&columns, &all, batch.multiplicity.iter().copied(), cx)? {
                    self.pending = Some(batch);
                    break;
                }
                self.next_build += 1;
            }
            if block.is_empty() {
                return Ok(false);
            }
            self.block = Some(block.sorted(spec, cx)?);
            self.next_rows = 0;
        }
    }

    /// Writes the rows of a chunk: the slots that are asked for later.
    fn write(&mut self, chunk: &Chunk<'s>, spec: &RangeJoinSpec, cx: &Context<'s>) -> Result<(), ExecError> {
        let group = &chunk.groups[0];
        let columns: Vec<&Vector<'s>> = slots(spec).map(|slot| &group.vectors[slot]).collect();
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(Writer::new(batch_bytes(1, cx), cx)?),
        };
        let rows = self.rows.get_or_insert_with(|| writer.stored());
        writer.write(&columns, &group.positions(), &|p| group.multiplicity_at(p), rows, cx)
    }
}

/// The probe slots that are written: what is kept, what must be equal, and the bounds.
fn slots(spec: &RangeJoinSpec) -> impl Iterator<Item = usize> {
    let bounds = [spec.low, spec.high].into_iter().flatten().map(|(slot, _)| slot);
    spec.probe_keep.iter().chain(&spec.probe_on).copied().chain(bounds)
}

/// Puts probe rows back into their slots.
fn put<'s>(batch: Batch<'s>, chunk: &mut Chunk<'s>, spec: &RangeJoinSpec) {
    let group = &mut chunk.groups[0];
    group.reset(batch.len());
    for (slot, column) in slots(spec).zip(batch.columns) {
        group.vectors[slot] = column;
    }
    group.multiplicity = Some(batch.multiplicity);
}
