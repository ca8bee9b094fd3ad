//! Rows in a file: written batch by batch, read by the number of the batch.

use std::sync::Arc;

use trimorph_vector::{Values, Vector};

use super::codec::{self, Batch};
use super::file::{Place, SpillFile};
use crate::{Context, ExecError};

/// Rows in a file.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    file: Arc<SpillFile>,
    places: Vec<Place>,
}

impl Stored {
    /// Reads a batch; `None` after the last.
    pub(crate) fn read<'s>(
        &self,
        batch: usize,
        buffer: &mut Vec<u8>,
        cx: &Context<'s>,
    ) -> Result<Option<Batch<'s>>, ExecError> {
        cx.check()?;
        let Some(place) = self.places.get(batch) else { return Ok(None) };
        self.file.read(*place, buffer)?;
        Ok(Some(codec::decode(buffer).ok_or_else(|| self.file.damaged())?))
    }

    /// Number of batches.
    pub(crate) fn batches(&self) -> usize {
        self.places.len()
    }
}

/// Appends rows to a file.
#[derive(Debug)]
pub(crate) struct Writer {
    file: Arc<SpillFile>,
    batch_bytes: usize,
    buffer: Vec<u8>,
    /// The batch that begins next.
    positions: Vec<u32>,
}

impl Writer {
    /// A new file, whose batches have about so many bytes, or one row.
    pub(crate) fn new(batch_bytes: usize, cx: &Context<'_>) -> Result<Self, ExecError> {
        let area = cx.settings.spill.as_ref().ok_or_else(no_area)?;
        let file = Arc::new(area.create(cx.spilling.of_file())?);
        Ok(Self { file, batch_bytes, buffer: Vec::new(), positions: Vec::new() })
    }

    /// No rows yet, in this file.
    pub(crate) fn stored(&self) -> Stored {
        Stored { file: Arc::clone(&self.file), places: Vec::new() }
    }

    /// Appends the rows at `positions` to `to`, which is in this file.
    pub(crate) fn write(
        &mut self,
        columns: &[&Vector<'_>],
        positions: &[u32],
        multiplicity: &dyn Fn(usize) -> u64,
        to: &mut Stored,
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        let mut bytes = 0;
        for p in positions {
            self.positions.push(*p);
            bytes += columns.iter().map(|column| bytes_at(column, *p as usize)).sum::<usize>() + 8;
            if bytes >= self.batch_bytes {
                self.flush(columns, multiplicity, to, cx)?;
                bytes = 0;
            }
        }
        self.flush(columns, multiplicity, to, cx)
    }

    fn flush(
        &mut self,
        columns: &[&Vector<'_>],
        multiplicity: &dyn Fn(usize) -> u64,
        to: &mut Stored,
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        if self.positions.is_empty() {
            return Ok(());
        }
        cx.check()?;
        self.buffer.clear();
        let weights = self.positions.iter().map(|p| multiplicity(*p as usize));
        codec::encode(columns, &self.positions, weights, &mut self.buffer);
        self.positions.clear();
        to.places.push(self.file.append(&self.buffer)?);
        // A single row may be large.
        if self.buffer.capacity() > 4 * self.batch_bytes {
            self.buffer = Vec::new();
        }
        Ok(())
    }
}

fn no_area() -> ExecError {
    trimorph_base::Diagnostic::internal("nowhere to spill to").into()
}

/// Bytes of a value in a file, about. What values share is written for each of them.
fn bytes_at(column: &Vector<'_>, i: usize) -> usize {
    match &column.values {
        Values::String(texts) | Values::Iri(texts) => 8 + texts.get(i).len(),
        Values::Literal(literals) => 32 + literals.values().get(i).len(),
        Values::Duration(_) | Values::Zoned(_) | Values::Time(_) | Values::Decimal(_) => 33,
        Values::Number(_) => 9,
        // With all their elements, which are written for each of them.
        Values::List(_) | Values::Map(_) | Values::Tuple(_) => {
            let owned = usize::try_from(column.owned_bytes(std::iter::once(i)));
            owned.unwrap_or(usize::MAX / 4).min(usize::MAX / 4) + 8
        }
        Values::Any(values) => usize::try_from(values[i].extent().bytes).unwrap_or(usize::MAX / 4),
        _ => 8,
    }
}
