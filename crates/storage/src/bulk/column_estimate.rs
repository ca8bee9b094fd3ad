//! A column in, the bytes that it takes out, or by estimate those that a column writer will hold for it: what
//! the budget of a load is charged.

use trimorph_types::Value;

use super::ColumnData;

/// Bytes that the values take once encoded, about: integers as wide as the batch's range, strings half their
/// bytes (what FSST and dictionaries save at least, as a rule) and 11/4 a row.
pub(super) fn estimate_bytes(data: &ColumnData) -> usize {
    let ints = |v: &[i64]| {
        let range = v.iter().min().zip(v.iter().max()).map_or(0, |(low, high)| high.abs_diff(*low));
        v.len() * (u64::BITS - range.leading_zeros()) as usize / 8
    };
    match data {
        ColumnData::Bool(v) => v.len() / 8,
        ColumnData::Int(v)
        | ColumnData::LocalTime(v)
        | ColumnData::LocalDateTime(v)
        | ColumnData::DateTime(v) => ints(v),
        ColumnData::Float(v) => v.len() * 8,
        ColumnData::Date(v) => v.len() * 3,
        ColumnData::String { bytes, ends } => bytes.len() / 2 + ends.len() * 11 / 4,
        ColumnData::Values(v) => v.iter().map(|v| if v.is_null() { 0 } else { size_of::<Value>() }).sum(),
    }
}

/// Bytes that the values take as they are.
pub(super) fn held_bytes(data: &ColumnData) -> usize {
    match data {
        ColumnData::Bool(v) => v.len(),
        ColumnData::Int(v)
        | ColumnData::LocalTime(v)
        | ColumnData::LocalDateTime(v)
        | ColumnData::DateTime(v) => v.len() * 8,
        ColumnData::Float(v) => v.len() * 8,
        ColumnData::Date(v) => v.len() * 4,
        ColumnData::String { bytes, ends } => bytes.len() + ends.len() * 4,
        ColumnData::Values(v) => v.len() * size_of::<Value>(),
    }
}
