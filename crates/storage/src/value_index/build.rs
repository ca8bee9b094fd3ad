//! A column in, the index of its values out.
//!
//! 1. A row with a value is a key of 64 bits that keeps the order of values of the column's type, and its
//!    row; these are sorted without a look at the column.
//! 2. Where keys that are the same may stand for values that are not, as for texts that begin alike, the rows
//!    of each such run are sorted by their values.
//! 3. A column of several types is sorted by its values.

use std::sync::Arc;

use trimorph_base::CancelToken;
use trimorph_types::{LogicalType, Value, order};
use trimorph_vfs::{Pins, RegionOptions, lay_out};

use super::{GivenRows, PIECE_ROWS, SortedRows, ValueIndex, finish};
use crate::RewriteError;
use crate::column::{Column, ColumnView};
use crate::slot::Slot;

/// Rows between two looks at the flag that cancels.
const ROWS_UNCHECKED: u32 = 1 << 12;

impl ValueIndex {
    /// The index of the first `rows` rows of a column.
    ///
    /// **Errors**: a piece that cannot be had; [`RewriteError::Cancelled`]. **Cost**: a sort; 16 bytes a row,
    /// and the values of the longest run of texts that begin alike.
    pub(crate) fn build(
        column: &Column,
        rows: u64,
        options: RegionOptions,
        cancel: &CancelToken,
    ) -> Result<Self, RewriteError> {
        let pins = Arc::<Pins<'_>>::default();
        let view = ColumnView::pinned(column, &pins);
        let sorted = match column.has_one_type() && key_of(column.ty).is_some() {
            true => by_keys(&view, column.ty, rows, cancel),
            false => by_values(&view, rows, cancel),
        }
        .ok_or(RewriteError::Cancelled)?;
        super::settle(&pins)?;
        let written = sorted.chunks(PIECE_ROWS).map(finish).collect();
        let pieces = lay_out(written, options)?.into_iter().zip(sorted.chunks(PIECE_ROWS));
        let slots = pieces.map(|(piece, part)| {
            let given = GivenRows { rows, len: part.len() as u32 };
            Slot::<SortedRows>::read(piece, given)
        });
        Ok(Self::of(slots.collect::<Result<_, _>>()?))
    }
}

/// What keeps the order of values of a type, and whether it is the whole order.
type Key = (fn(&Value) -> u64, bool);

/// The key of a type's values; none of types whose order is not that of a number.
fn key_of(ty: LogicalType) -> Option<Key> {
    fn signed(number: i64) -> u64 {
        number.cast_unsigned() ^ (1 << 63)
    }
    Some(match ty {
        LogicalType::Int => (|value| if let Value::Int(i) = value { signed(*i) } else { 0 }, true),
        LogicalType::Bool => (|value| u64::from(matches!(value, Value::Bool(true))), true),
        LogicalType::Date => (|value| if let Value::Date(d) = value { signed(d.days) } else { 0 }, true),
        LogicalType::Float => (
            |value| match value {
                Value::Float(f) if f.is_nan() => u64::MAX,
                // Both zeros are the same.
                Value::Float(f) => {
                    let bits = (if *f == 0.0 { 0.0 } else { *f }).to_bits();
                    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
                }
                _ => 0,
            },
            true,
        ),
        LogicalType::String => (
            |value| match value {
                Value::String(text) => {
                    let mut bytes = [0; 8];
                    let len = text.len().min(8);
                    bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
                    u64::from_be_bytes(bytes)
                }
                _ => 0,
            },
            false,
        ),
        _ => return None,
    })
}

/// The rows with values, sorted by keys first.
fn by_keys(column: &ColumnView<'_>, ty: LogicalType, rows: u64, cancel: &CancelToken) -> Option<Vec<u32>> {
    let (key, is_whole) = key_of(ty)?;
    let mut keys: Vec<(u64, u32)> = Vec::new();
    for row in rows_below(rows) {
        if row.is_multiple_of(ROWS_UNCHECKED) && cancel.is_cancelled() {
            return None;
        }
        let value = column.value(u64::from(row));
        if !value.is_null() {
            keys.push((key(&value), row));
        }
    }
    keys.sort_unstable();
    if is_whole {
        return Some(keys.into_iter().map(|(_, row)| row).collect());
    }
    let mut sorted = Vec::with_capacity(keys.len());
    for run in keys.chunk_by(|a, b| a.0 == b.0) {
        if cancel.is_cancelled() {
            return None;
        }
        match run {
            [(_, only)] => sorted.push(*only),
            _ => sorted.extend(in_order(column, run.iter().map(|(_, row)| *row))),
        }
    }
    Some(sorted)
}

/// The rows with values, sorted by these.
fn by_values(column: &ColumnView<'_>, rows: u64, cancel: &CancelToken) -> Option<Vec<u32>> {
    let mut there = Vec::new();
    for row in rows_below(rows) {
        if row.is_multiple_of(ROWS_UNCHECKED) && cancel.is_cancelled() {
            return None;
        }
        if !column.value(u64::from(row)).is_null() {
            there.push(row);
        }
    }
    Some(in_order(column, there.into_iter()))
}

/// Rows of a table are below 2^32.
fn rows_below(rows: u64) -> std::ops::Range<u32> {
    0..u32::try_from(rows).unwrap_or(u32::MAX)
}

fn in_order(column: &ColumnView<'_>, rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut values: Vec<(Value, u32)> = rows.map(|row| (column.value(u64::from(row)), row)).collect();
    values.sort_unstable_by(|(a, i), (b, j)| order(a, b).then(i.cmp(j)));
    values.into_iter().map(|(_, row)| row).collect()
}
