//! A chunk in, batches and refused rows out.
//!
//! 1. Split a record.
//! 2. Refuse it if it is broken or has too few or too many fields.
//! 3. Append each field to its column; at the first that is not a value of its type, take the row back and
//!    refuse it. Blocks of records without quotes are appended column by column, and if anything is wrong,
//!    taken back and done again record by record.
//! 4. After the last record, route the columns to tables (`crate::gather`).

use std::sync::Arc;

use trimorph_store::bulk::{Origin, Rejected};

use super::Dialect;
use super::block::{BLOCK_ROWS, Block};
use super::chunk::Chunk;
use super::split::{Field, Record, RecordFault, Splitter};
use crate::column::Builder;
use crate::gather::Columns;
use crate::lines::LineList;
use crate::pipeline::{Parsed, Work};
use crate::plan::{Output, Parse, TablePlan, check_routes};
use crate::shown::shown;

/// A chunk of a file, to be parsed.
pub(crate) struct CsvWork {
    pub(crate) chunk: Chunk,
    pub(crate) plan: Arc<TablePlan>,
    pub(crate) file: u32,
    pub(crate) dialect: Dialect,
    /// The first record is the header.
    pub(crate) skip_header: bool,
    /// Stop at the first refused row, since the load will.
    pub(crate) stop_at_reject: bool,
}

impl Work for CsvWork {
    fn run(self: Box<Self>) -> Parsed {
        if self.chunk.over_long {
            return self.refuse_over_long();
        }
        let mut table = Table::new(&self);
        let mut splitter = Splitter::new(&self.chunk.bytes, self.dialect, self.chunk.first_line);
        if self.skip_header {
            splitter.next();
        }
        let mut block = Block::new(&self.chunk.bytes, self.plan.fields.len());
        loop {
            let at = splitter.at();
            if table.utf8
                && let Some(line) = splitter.next_block(&mut block)
            {
                if table.block(&block, line) {
                    continue;
                }
                splitter.return_to(at, line);
            }
            for _ in 0..BLOCK_ROWS {
                let Some(record) = splitter.next() else { return table.finish() };
                if let Err(reason) = table.row(&record, &splitter.fields) {
                    table.refuse(&record, reason);
                    if self.stop_at_reject {
                        return table.finish();
                    }
                }
            }
        }
    }
}

impl CsvWork {
    fn refuse_over_long(&self) -> Parsed {
        let reason = format!("record is longer than {} bytes", self.dialect.record_bytes_max());
        let row = raw(&self.chunk.bytes);
        let rejected = Rejected { file: self.file, line: self.chunk.first_line, reason };
        Parsed { file: self.file, rejects: vec![(rejected, Some(row))], ..Parsed::default() }
    }
}

struct Table<'a> {
    work: &'a CsvWork,
    text: &'a [u8],
    plan: &'a TablePlan,
    builders: Vec<Option<Builder>>,
    rows: usize,
    lines: LineList,
    rejects: Vec<(Rejected, Option<String>)>,
    /// The chunk is UTF-8 throughout, so every field is.
    utf8: bool,
    scratch: Vec<u8>,
}

impl<'a> Table<'a> {
    fn new(work: &'a CsvWork) -> Self {
        // A record has a delimiter or a line end for each field; lines alone may be empty.
        let rows_max = work.chunk.lines.min(work.chunk.bytes.len() / work.plan.fields.len().max(1));
        let builders = work
            .plan
            .fields
            .iter()
            .map(|field| {
                let made = || Builder::new(field.parse, rows_max).with_format(field.format.clone());
                (field.parse != Parse::Skip).then(made)
            })
            .collect();
        let text = work.chunk.bytes.as_slice();
        Self {
            work,
            text,
            plan: &work.plan,
            builders,
            rows: 0,
            lines: LineList::default(),
            rejects: Vec::new(),
            utf8: std::str::from_utf8(text).is_ok(),
            scratch: Vec::new(),
        }
    }

    /// Takes the records of a block, the first of which is on `line`, or none of them.
    fn block(&mut self, block: &Block<'_>, line: u64) -> bool {
        let null = &self.plan.nulls;
        // No field is too long if all of them together are not.
        let mut is_taken = block.bytes() <= self.work.dialect.field_bytes_max;
        for (index, (builder, field)) in self.builders.iter_mut().zip(&self.plan.fields).enumerate() {
            if let Some(builder) = builder {
                is_taken = is_taken && builder.push_block(block, index, null, field.required);
            }
        }
        let rows = self.rows..self.rows + block.rows();
        let is_routed = self.plan.outputs.iter().any(Output::has_choice);
        if !is_taken || (is_routed && !rows.clone().all(|row| self.check_routes(row).is_ok())) {
            self.take_back();
            return false;
        }
        self.lines.push_run(line, rows.len() as u64);
        self.rows = rows.end;
        true
    }

    #[inline]
    fn row(&mut self, record: &Record, fields: &[Field]) -> Result<(), String> {
        if record.fault.is_some() || fields.len() != self.plan.fields.len() {
            return Err(self.shape_fault(record, fields.len()));
        }
        if !self.utf8 && std::str::from_utf8(&self.text[record.start..record.end]).is_err() {
            return Err("row is not valid UTF-8".to_owned());
        }
        for (index, field) in fields.iter().enumerate() {
            if let Err(fault) = self.field(index, *field) {
                self.take_back();
                return Err(self.field_fault(index, *field, fault));
            }
        }
        if let Err(reason) = self.check_routes(self.rows) {
            self.take_back();
            return Err(reason);
        }
        self.rows += 1;
        self.lines.push(record.line);
        Ok(())
    }

    #[inline(always)]
    fn field(&mut self, index: usize, field: Field) -> Result<(), FieldFault> {
        let raw = field.raw(self.text);
        if raw.len() > self.work.dialect.field_bytes_max {
            return Err(FieldFault::OverLong);
        }
        let Some(builder) = &mut self.builders[index] else { return Ok(()) };
        let is_null = if field.is_quoted() {
            self.plan.quoted_empty_is_null && raw.is_empty()
        } else {
            self.plan.nulls.has(raw)
        };
        if is_null {
            if self.plan.fields[index].required {
                return Err(FieldFault::Null);
            }
            builder.push_null();
            return Ok(());
        }
        let pushed = if field.is_doubled() {
            field.unescape(self.text, &mut self.scratch);
            builder.push(&self.scratch)
        } else {
            builder.push(raw)
        };
        pushed.map_err(|_| FieldFault::NotAValue)
    }

    /// Refuses a row whose route field names no table.
    #[inline]
    fn check_routes(&self, row: usize) -> Result<(), String> {
        check_routes(self.plan, &|field| self.builders.get(field)?.as_ref()?.string(row))
    }

    fn take_back(&mut self) {
        for builder in self.builders.iter_mut().flatten() {
            builder.truncate(self.rows);
        }
    }

    #[cold]
    fn shape_fault(&self, record: &Record, found: usize) -> String {
        let name = |index: usize| match self.plan.fields.get(index) {
            Some(field) => format!("field {} (\"{}\")", index + 1, field.name),
            None => format!("field {}", index + 1),
        };
        match record.fault {
            Some(RecordFault::OpenQuote(index)) => {
                format!("the quote that opens {} never closes", name(index))
            }
            Some(RecordFault::AfterQuote(index)) => {
                format!("text after the closing quote of {}", name(index))
            }
            None => {
                let expected = self.plan.fields.len();
                format!("expected {expected} field{}, found {found}", if expected == 1 { "" } else { "s" })
            }
        }
    }

    #[cold]
    fn field_fault(&self, index: usize, field: Field, fault: FieldFault) -> String {
        let plan = &self.plan.fields[index];
        match fault {
            FieldFault::Null => format!("column \"{}\" must not be null", plan.name),
            FieldFault::OverLong => {
                let (found, most) = (field.raw(self.text).len(), self.work.dialect.field_bytes_max);
                format!("column \"{}\" has {found} bytes, more than {most}", plan.name)
            }
            FieldFault::NotAValue => {
                let kind = match plan.parse {
                    Parse::List(kind, _) => format!("LIST<{kind}>"),
                    other => other.logical_type().to_string(),
                };
                let value = field.value(self.text);
                format!("column \"{}\": \"{}\" is not a valid {kind}", plan.name, shown(&value))
            }
        }
    }

    #[cold]
    fn refuse(&mut self, record: &Record, reason: String) {
        let rejected = Rejected { file: self.work.file, line: record.line, reason };
        self.rejects.push((rejected, Some(raw(&self.text[record.start..record.end]))));
    }

    fn finish(self) -> Parsed {
        let columns = self.builders.into_iter().map(|b| b.map(Builder::finish)).collect();
        let origin = Origin { file: self.work.file, lines: self.lines.finish() };
        let columns = Columns::new(columns, self.rows, origin);
        Parsed {
            file: self.work.file,
            without_end: columns.without_end(self.plan),
            batches: columns.into_batches(self.plan),
            rejects: self.rejects,
            rows: self.rows as u64,
            values: (self.rows * self.plan.parsed_fields()) as u64,
            bytes: self.text.len() as u64,
            error: None,
        }
    }
}

enum FieldFault {
    Null,
    OverLong,
    NotAValue,
}

fn raw(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
