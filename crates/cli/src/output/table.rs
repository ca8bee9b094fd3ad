//! A table for people: rows in, a frame out, cut to the terminal's width; of many rows the first and the
//! last.

use std::collections::VecDeque;
use std::io::Write;

use trimorph::{LogicalType, QueryResult, Row, Value};

use super::frame::{Cell, Frame, Grid, draw};
use super::{Limits, one_line};
use crate::failure::Failure;
use crate::terminal::Paint;
use crate::text::quantity;

/// Cells longer than this are cut in tables also where the width is unlimited.
const CELL_CHARS_MAX: usize = 2000;

/// Rows kept for a table.
pub(crate) struct Table {
    columns: Vec<String>,
    types: Vec<String>,
    numeric: Vec<bool>,
    rows: Vec<Vec<Cell>>,
    /// Before which of `rows` some were left out.
    gap: Option<usize>,
    /// Rows of the result, shown or not.
    pub(crate) row_count: u64,
}

/// What the values of a column are, as far as they were seen: of one type, or of several.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Nothing,
    One(LogicalType),
    Several,
}

impl Seen {
    fn and(&mut self, value: &Value) {
        if value.is_null() {
            return;
        }
        let ty = value.logical_type();
        *self = match self {
            Self::Nothing => Self::One(ty),
            Self::One(known) if *known == ty => return,
            _ => Self::Several,
        };
    }
}

impl Table {
    /// Reads the result to its end and keeps the first and the last rows, `limits.rows` together. Columns for
    /// which `grouped` says so show integers in groups of three digits.
    pub(crate) fn read(
        result: &mut QueryResult,
        limits: &Limits,
        grouped: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Failure> {
        let columns = result.columns().to_vec();
        let groups: Vec<bool> = columns.iter().map(|c| grouped(c)).collect();
        let is_number = |t: &LogicalType| matches!(t, LogicalType::Int | LogicalType::Float);
        let known = result.types().to_vec();
        let mut numeric: Vec<bool> = known.iter().map(|t| is_number(t) || *t == LogicalType::Any).collect();
        let mut seen = vec![Seen::Nothing; columns.len()];
        let cell = |result: &QueryResult, (value, group): (&Value, &bool)| match value {
            Value::Int(i) if *group && *i >= 0 => {
                Cell { text: quantity::grouped(i.unsigned_abs()), is_null: false }
            }
            value => {
                let (text, is_null) = limits.cell(result, value);
                Cell { text: shorten(text), is_null }
            }
        };
        let cells = |result: &QueryResult, row: &Row| -> Vec<Cell> {
            row.iter().zip(&groups).map(|pair| cell(result, pair)).collect()
        };
        let head = limits.rows.map_or(usize::MAX, |rows| rows.div_ceil(2));
        let tail = limits.rows.map_or(0, |rows| rows / 2);
        let (mut rows, mut last, mut row_count) = (Vec::new(), VecDeque::with_capacity(tail), 0_u64);
        while let Some(row) = result.next_row()? {
            row_count += 1;
            for ((is, seen), value) in numeric.iter_mut().zip(&mut seen).zip(&row) {
                *is &= value.is_null() || is_number(&value.logical_type());
                seen.and(value);
            }
            if rows.len() < head {
                rows.push(cells(result, &row));
            } else if tail > 0 {
                if last.len() == tail {
                    last.pop_front();
                }
                last.push_back(row);
            }
        }
        let kept = (rows.len() + last.len()) as u64;
        let gap = (kept < row_count).then_some(rows.len()).filter(|_| !last.is_empty());
        rows.extend(last.iter().map(|row| cells(result, row)));
        for ((is, seen), known) in numeric.iter_mut().zip(&seen).zip(&known) {
            // Nothing but null is no number.
            *is &= *seen != Seen::Nothing || *known != LogicalType::Any;
        }
        let types = type_names(result, &known, &seen);
        Ok(Self { columns, types, numeric, rows, gap, row_count })
    }

    /// The table's text without a line end, and how many columns are left out.
    pub(crate) fn draw(&self, frame: Frame, limits: &Limits) -> (String, usize) {
        let head: Vec<String> = self.columns.iter().map(|c| one_line(c)).collect();
        let tells = limits.types && self.types.iter().any(|t| t != "ANY");
        let grid = Grid {
            head: &head,
            types: tells.then_some(&self.types),
            numeric: &self.numeric,
            rows: &self.rows,
            gap: self.gap,
        };
        draw(&grid, frame, limits.width, limits.color)
    }

    /// Rows that are not shown.
    pub(crate) fn hidden(&self) -> u64 {
        self.row_count.saturating_sub(self.rows.len() as u64)
    }
}

/// What the columns are: by the query, or where that leaves it open, by all their values.
fn type_names(result: &QueryResult, known: &[LogicalType], seen: &[Seen]) -> Vec<String> {
    let name = |((known, seen), name): ((&LogicalType, &Seen), String)| match seen {
        Seen::One(ty) if *known == LogicalType::Any => ty.name().to_owned(),
        _ => name,
    };
    known.iter().zip(seen).zip(result.type_names()).map(name).collect()
}

fn shorten(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(CELL_CHARS_MAX) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// Writes a result as a table.
pub(super) fn write(
    result: &mut QueryResult,
    frame: Frame,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let table = Table::read(result, limits, &|_| false)?;
    if table.columns.is_empty() {
        return Ok(table.row_count);
    }
    let (text, hidden) = table.draw(frame, limits);
    writeln!(out, "{text}")?;
    let paint = Paint { on: limits.color };
    if table.hidden() > 0 {
        let place = if table.gap.is_some() { " between them" } else { "" };
        let text = format!("{}{place} ({})", quantity::more_rows(table.hidden()), limits.rows_hint);
        writeln!(out, "{}", paint.dim(text))?;
    }
    if hidden > 0 {
        let columns = quantity::plural(hidden as u64, "more column", "more columns");
        writeln!(out, "{}", paint.dim(format!("… {columns} ({})", limits.width_hint)))?;
    }
    Ok(table.row_count)
}
