//! Frames one after the other in, units of rows out, which become batches on any thread.
//!
//! Each record batch is checked as a whole when it is taken, since it comes from outside: offsets that lie
//! within, texts that are UTF-8. Then it is cut into units; cutting copies nothing.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use trimorph_store::bulk::ColumnBatch;

use super::frame::wrong;
use super::plan::{Columns, Planned};
use crate::LoadError;
use crate::arrays::{convert, value_bytes};
use crate::decoded::{mark_required, take_rows};
use crate::gather::select;
use crate::guard::guard;
use crate::pipeline::{Feed, Parsed, Unit, Work};
use crate::plan::{Parse, TablePlan};

/// Rows of a unit at most: a segment of storage's.
const UNIT_ROWS: usize = 1 << 16;
/// Bytes of a unit at most, about, unless a single row has more.
const UNIT_BYTES: u64 = 16 << 20;

/// Reads frames in order.
pub(super) struct FrameFeed {
    waiting: VecDeque<Planned>,
    open: Option<Open>,
    /// Frames that were opened.
    opened: u32,
    bytes_done: u64,
}

struct Open {
    frame: Planned,
    /// The number of the next row.
    row: u64,
    batch: Option<Batch>,
}

/// A batch, of which some rows are taken.
struct Batch {
    rows: RecordBatch,
    taken: usize,
    bytes: u64,
}

impl FrameFeed {
    pub(super) fn new(frames: Vec<Planned>) -> Self {
        Self { waiting: frames.into(), open: None, opened: 0, bytes_done: 0 }
    }

    /// The next rows of the open frame, and their bytes; none at its end.
    fn next_rows(&mut self) -> Result<Option<(Piece, u64)>, LoadError> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let Planned { name, plan, columns, .. } = &mut open.frame;
        match columns {
            Columns::Values(columns, bad) => {
                let (from, total) = (usize::try_from(open.row).unwrap_or(usize::MAX), bad.len());
                if from >= total {
                    return Ok(None);
                }
                let to = total.min(from + UNIT_ROWS);
                let rows: Vec<u32> = (from..to).map(|row| u32::try_from(row).unwrap_or(u32::MAX)).collect();
                let cut = columns.iter().map(|column| select(column, &rows)).collect();
                let bytes = (rows.len() * columns.len() * 16) as u64;
                Ok(Some((Piece::Values(cut, bad[from..to].to_vec()), bytes)))
            }
            Columns::Batches(reader) => {
                while open.batch.as_ref().is_none_or(|b| b.taken == b.rows.num_rows()) {
                    let next =
                        guard(Path::new(name), || reader.next().transpose().map_err(|e| failed(name, &e)))?;
                    let Some(rows) = next else { return Ok(None) };
                    check(name, plan, &rows)?;
                    let bytes = rows.columns().iter().map(|c| value_bytes(c.as_ref())).sum();
                    open.batch = Some(Batch { rows, taken: 0, bytes });
                }
                let Some(batch) = &mut open.batch else { return Ok(None) };
                let total = batch.rows.num_rows();
                let by_row = (batch.bytes / total.max(1) as u64).max(1);
                let most = usize::try_from(UNIT_BYTES / by_row).unwrap_or(UNIT_ROWS).clamp(1, UNIT_ROWS);
                let count = most.min(total - batch.taken);
                let piece = batch.rows.slice(batch.taken, count);
                batch.taken += count;
                Ok(Some((Piece::Batch(piece), by_row * count as u64)))
            }
        }
    }
}

impl Feed for FrameFeed {
    fn next(&mut self) -> Result<Option<Unit>, LoadError> {
        loop {
            if let Some((piece, bytes)) = self.next_rows()?
                && let Some(open) = &mut self.open
            {
                let rows = piece.rows() as u64;
                let work = FrameWork {
                    name: open.frame.name.clone(),
                    plan: Arc::clone(&open.frame.plan),
                    index: self.opened - 1,
                    first: open.row,
                    piece,
                };
                open.row += rows;
                self.bytes_done += bytes;
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).saturating_mul(2);
                return Ok(Some((Box::new(work), bytes)));
            }
            self.open = None;
            let Some(frame) = self.waiting.pop_front() else { return Ok(None) };
            self.opened += 1;
            self.open = Some(Open { frame, row: 0, batch: None });
        }
    }

    fn bytes_done(&self) -> u64 {
        self.bytes_done
    }
}

/// What a frame's own reader said.
fn failed(name: &str, error: &ArrowError) -> LoadError {
    match error {
        ArrowError::ExternalError(error) => wrong(name, error.to_string()),
        other => wrong(name, other.to_string()),
    }
}

/// Whether the columns that are taken keep Arrow's rules, and are what the schema said.
fn check(name: &str, plan: &TablePlan, batch: &RecordBatch) -> Result<(), LoadError> {
    if batch.num_columns() != plan.fields.len() {
        return Err(wrong(name, "a batch has other columns than the first"));
    }
    for (array, field) in batch.columns().iter().zip(&plan.fields) {
        if field.parse != Parse::Skip {
            let broken = |e| wrong(name, format!("column \"{}\" is broken: {e}", field.name));
            guard(Path::new(name), || array.to_data().validate_full().map_err(broken))?;
        }
    }
    Ok(())
}

/// Some rows of a frame.
enum Piece {
    Batch(RecordBatch),
    Values(Vec<ColumnBatch>, Vec<Option<String>>),
}

impl Piece {
    fn rows(&self) -> usize {
        match self {
            Self::Batch(batch) => batch.num_rows(),
            Self::Values(_, bad) => bad.len(),
        }
    }
}

/// Some rows of a frame, to be made columns of.
struct FrameWork {
    name: String,
    plan: Arc<TablePlan>,
    index: u32,
    first: u64,
    piece: Piece,
}

impl FrameWork {
    fn decode(self) -> Result<Parsed, LoadError> {
        let mut parsed = Parsed { file: self.index, ..Parsed::default() };
        let fields = &self.plan.fields;
        let (columns, mut bad): (Vec<Option<ColumnBatch>>, _) = match self.piece {
            Piece::Values(columns, bad) => {
                parsed.bytes = (bad.len() * columns.len() * 16) as u64;
                let wanted = columns.into_iter().zip(fields);
                (wanted.map(|(column, field)| (field.parse != Parse::Skip).then_some(column)).collect(), bad)
            }
            Piece::Batch(batch) => {
                let mut bad = vec![None; batch.num_rows()];
                let mut columns = Vec::with_capacity(fields.len());
                for (array, field) in batch.columns().iter().zip(fields) {
                    if field.parse == Parse::Skip {
                        columns.push(None);
                        continue;
                    }
                    parsed.bytes += value_bytes(array.as_ref());
                    let column = convert(array.as_ref(), field.parse, &field.name, &mut bad);
                    let broken = |what| wrong(&self.name, format!("column \"{}\": {what}", field.name));
                    columns.push(Some(column.map_err(broken)?));
                }
                (columns, bad)
            }
        };
        for (column, field) in columns.iter().zip(fields) {
            if let Some(column) = column {
                mark_required(field, column, &mut bad);
            }
        }
        take_rows(&mut parsed, &self.plan, columns, bad, self.first);
        Ok(parsed)
    }
}

impl Work for FrameWork {
    fn run(self: Box<Self>) -> Parsed {
        let (name, index) = (self.name.clone(), self.index);
        guard(Path::new(&name), || self.decode()).unwrap_or_else(|error| Parsed {
            file: index,
            error: Some(error),
            ..Parsed::default()
        })
    }
}
