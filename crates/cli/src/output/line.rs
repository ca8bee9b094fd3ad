//! One value per line, names to the left: for rows too wide to read.

use std::io::Write;

use trimorph::QueryResult;

use super::{Limits, one_line};
use crate::failure::Failure;
use crate::text::columns::{Align, pad, width};

pub(super) fn write(result: &mut QueryResult, limits: &Limits, out: &mut dyn Write) -> Result<u64, Failure> {
    let names: Vec<String> = result.columns().iter().map(|c| one_line(c)).collect();
    let widest = names.iter().map(|n| width(n)).max().unwrap_or(0);
    let mut rows = 0;
    while let Some(row) = result.next_row()? {
        if rows > 0 {
            writeln!(out)?;
        }
        rows += 1;
        for (name, value) in names.iter().zip(&row) {
            writeln!(out, "{} = {}", pad(name, widest, Align::Right), limits.cell(result, value).0)?;
        }
    }
    Ok(rows)
}
