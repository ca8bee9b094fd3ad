//! A table for people: rows in, a frame out, cut to the terminal's width and to so many rows.

use std::io::Write;

use comfy_table::{
    Attribute, Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Row, TableStyle,
};
use trimorph::{LogicalType, QueryResult, Value};

use super::{Limits, one_line};
use crate::failure::Failure;
use crate::text::quantity;

/// Cells longer than this are cut in tables also where the width is unlimited.
const CELL_CHARS_MAX: usize = 2000;

/// A frame with round corners, one line below the header, none between rows.
const STYLE: TableStyle = TableStyle::new()
    .top_border(LineStyle::new('╭', '─', '┬', '╮'))
    .header_lines(ContentLineStyle::new('│', '│', '│'))
    .header_separator(LineStyle::new('├', '─', '┼', '┤'))
    .content_lines(ContentLineStyle::new('│', '│', '│'))
    .bottom_border(LineStyle::new('╰', '─', '┴', '╯'));

/// Rows kept for a table.
pub(crate) struct Table {
    columns: Vec<String>,
    numeric: Vec<bool>,
    rows: Vec<Vec<(String, bool)>>,
    /// Rows of the result, shown or not.
    pub(crate) row_count: u64,
}

impl Table {
    /// Reads the result to its end and keeps the first `rows` rows. Columns for which `grouped` says so show
    /// integers in groups of three digits.
    pub(crate) fn read(
        result: &mut QueryResult,
        rows: Option<usize>,
        grouped: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Failure> {
        let columns = result.columns().to_vec();
        let groups: Vec<bool> = columns.iter().map(|c| grouped(c)).collect();
        let is_number = |t: &LogicalType| matches!(t, LogicalType::Int | LogicalType::Float);
        let mut numeric: Vec<bool> =
            result.types().iter().map(|t| is_number(t) || *t == LogicalType::Any).collect();
        let (mut kept, mut row_count) = (Vec::new(), 0);
        while let Some(row) = result.next_row()? {
            row_count += 1;
            if rows.is_some_and(|max| kept.len() >= max) {
                continue;
            }
            for (is, value) in numeric.iter_mut().zip(&row) {
                *is &= value.is_null() || is_number(&value.logical_type());
            }
            let cell = |(value, group): (&Value, &bool)| match value {
                Value::Int(i) if *group && *i >= 0 => (quantity::grouped(i.unsigned_abs()), false),
                value => (shorten(&one_line(&result.format(value))), value.is_null()),
            };
            kept.push(row.iter().zip(&groups).map(cell).collect());
        }
        Ok(Self { columns, numeric, rows: kept, row_count })
    }

    /// The table's text without a line end; cut to `width` columns.
    pub(crate) fn draw(&self, width: Option<usize>, color: bool) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE);
        table.set_truncation_indicator("…");
        // Cut anywhere, not only between words.
        table.set_delimiter('\0');
        if color {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        match width.and_then(|w| u16::try_from(w).ok()) {
            Some(width) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
            None => table.set_content_arrangement(ContentArrangement::Disabled),
        };
        let header = self.columns.iter().map(|c| Cell::new(one_line(c)).add_attribute(Attribute::Bold));
        table.set_header(limited(header.collect()));
        for row in &self.rows {
            let cells = row.iter().map(|(text, is_null)| {
                let cell = Cell::new(text);
                if *is_null { cell.add_attribute(Attribute::Dim) } else { cell }
            });
            table.add_row(limited(cells.collect()));
        }
        for (column, numeric) in table.column_iter_mut().zip(&self.numeric) {
            if *numeric && !self.rows.is_empty() {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.to_string()
    }

    /// Rows that are not shown.
    pub(crate) fn hidden(&self) -> u64 {
        self.row_count.saturating_sub(self.rows.len() as u64)
    }
}

/// A row that is one line high: what does not fit is cut off, not wrapped.
fn limited(cells: Vec<Cell>) -> Row {
    let mut row = Row::from(cells);
    row.max_height(1);
    row
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(CELL_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Writes a result as a table.
pub(super) fn write(result: &mut QueryResult, limits: &Limits, out: &mut dyn Write) -> Result<u64, Failure> {
    let table = Table::read(result, limits.rows, &|_| false)?;
    if !table.columns.is_empty() {
        writeln!(out, "{}", table.draw(limits.width, limits.color))?;
    }
    if table.hidden() > 0 {
        writeln!(out, "{} ({})", quantity::more_rows(table.hidden()), limits.rows_hint)?;
    }
    Ok(table.row_count)
}
