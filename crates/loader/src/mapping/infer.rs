//! Sample rows in, a type per column out.
//!
//! Rule: over the first 256 KiB of the file, the first of boolean, int, float, date, localtime,
//! localdatetime, datetime that every value of the column (nulls aside) is valid for; string if none is, or
//! if there is no value. `NaN` and `inf` are floats where a number with a digit is among the values, since a
//! column of names may hold "Nan" or "Inf". A later value that does not parse as that type is a bad row: name
//! the type in the mapping to avoid it.

use trimorph_types::LogicalType;

use super::formats::Formats;
use crate::FellToText;
use crate::csv::Dialect;
use crate::csv::split::Splitter;
use crate::parse::{parse_bool, parse_float, parse_int};
use crate::plan::Nulls;

/// Characters of a value that are kept to be shown.
const SHOWN_CHARS: usize = 60;

const CANDIDATES: [LogicalType; 7] = [
    LogicalType::Bool,
    LogicalType::Int,
    LogicalType::Float,
    LogicalType::Date,
    LogicalType::LocalTime,
    LogicalType::LocalDateTime,
    LogicalType::DateTime,
];

/// The types of the `columns` columns of a text, and why they are text if they looked like something else;
/// `skip_header` leaves its first record out.
pub(super) fn infer_types(
    text: &[u8],
    dialect: Dialect,
    nulls: &Nulls,
    formats: &Formats,
    columns: usize,
    skip_header: bool,
) -> Vec<(LogicalType, Option<FellToText>)> {
    let mut possible = vec![[true; CANDIDATES.len()]; columns];
    let mut has_value = vec![false; columns];
    let mut has_digit = vec![false; columns];
    let mut fell: Vec<Option<FellToText>> = vec![None; columns];
    let mut splitter = Splitter::new(text, dialect, 1);
    if skip_header {
        splitter.next();
    }
    while let Some(record) = splitter.next() {
        if record.fault.is_some() || splitter.fields.len() != columns {
            continue;
        }
        for (index, field) in splitter.fields.iter().enumerate() {
            let value = field.value(text);
            if !field.is_quoted() && nulls.has(&value) {
                continue;
            }
            let is_one = |kind: &LogicalType| *kind != LogicalType::Float || has_digit[index];
            let was = CANDIDATES.into_iter().zip(possible[index]).find(|(_, is)| *is).map(|(kind, _)| kind);
            let was = was.filter(is_one);
            for (is_possible, kind) in possible[index].iter_mut().zip(CANDIDATES) {
                *is_possible = *is_possible && is_valid(&value, kind, formats);
            }
            // The first value makes no column fall: it says what the column is.
            if let Some(was) =
                was.filter(|_| has_value[index] && possible[index] == [false; CANDIDATES.len()])
            {
                let text = String::from_utf8_lossy(&value);
                let value = text.chars().take(SHOWN_CHARS).collect();
                fell[index] = Some(FellToText { was, value });
            }
            has_value[index] = true;
            has_digit[index] |= value.iter().any(u8::is_ascii_digit);
        }
    }
    let best = |index: usize| {
        let found = CANDIDATES.into_iter().zip(possible[index]).find(|(_, is_possible)| *is_possible);
        let is_one = |kind: &LogicalType| *kind != LogicalType::Float || has_digit[index];
        found
            .filter(|(kind, _)| has_value[index] && is_one(kind))
            .map_or(LogicalType::String, |(kind, _)| kind)
    };
    (0..columns).zip(fell).map(|(index, fell)| (best(index), fell)).collect()
}

fn is_valid(text: &[u8], kind: LogicalType, formats: &Formats) -> bool {
    match kind {
        LogicalType::Bool => parse_bool(text).is_some(),
        LogicalType::Int => parse_int(text).is_some(),
        LogicalType::Float => parse_float(text).is_some(),
        _ => formats.is_valid(text, kind),
    }
}
