//! A Markdown table, as wide as it gets.

use std::io::Write;

use trimorph::QueryResult;

use super::{Limits, one_line};
use crate::failure::Failure;
use crate::text::quantity;

pub(super) fn write(result: &mut QueryResult, limits: &Limits, out: &mut dyn Write) -> Result<u64, Failure> {
    let cell = |text: &str| one_line(text).replace('|', "\\|");
    let names: Vec<String> = result.columns().iter().map(|c| cell(c)).collect();
    if !names.is_empty() {
        writeln!(out, "| {} |", names.join(" | "))?;
        writeln!(out, "|{}", "---|".repeat(names.len()))?;
    }
    let mut rows = 0;
    while let Some(row) = result.next_row()? {
        rows += 1;
        if limits.rows.is_none_or(|max| rows <= max as u64) {
            let cells: Vec<String> =
                row.iter().map(|v| limits.cell(result, v).0.replace('|', "\\|")).collect();
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
    }
    if let Some(hidden) = limits.rows.and_then(|max| rows.checked_sub(max as u64)).filter(|n| *n > 0) {
        writeln!(out, "\n{}", quantity::more_rows(hidden))?;
    }
    Ok(rows)
}
