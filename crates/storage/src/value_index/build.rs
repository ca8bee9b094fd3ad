//! A column in, the index of its values out.
//!
//! 1. A row with a value is a key of 64 bits that keeps the order of values of the column's type, and its
//!    row; these are sorted without a look at the column.
//! 2. Where keys that are the same may stand for values that are not, as for texts that begin alike, the rows
//!    of each such run are sorted by their values: of a long run by keys of what comes next in the texts, in
//!    the same place, since the values of a column may take far more room than all that is stored of it.
//! 3. A column of several types is sorted by its values.

use std::sync::Arc;

use trimorph_base::CancelToken;
use trimorph_types::{LogicalType, Value, order};
use trimorph_vfs::{Pins, RegionOptions, lay_out};

use super::{GivenRows, Of, PIECE_ROWS, SortedRows, ValueIndex, ValueOf, finish};
use crate::RewriteError;
use crate::column::{Column, ColumnView};
use crate::slot::Slot;

/// Rows between two looks at the flag that cancels.
const ROWS_UNCHECKED: u32 = 1 << 12;

/// Gives what is to be indexed to a function, one after the other, until that says that it is enough.
pub(crate) type Each<'a> = dyn Fn(&mut dyn FnMut(u64, Value) -> bool) + 'a;

impl ValueIndex {
    /// The index of the first `rows` rows of a column.
    ///
    /// **Errors**: a piece that cannot be had; [`RewriteError::Cancelled`]. **Cost**: a sort; 24 bytes a row,
    /// and the values of some thousand texts that begin alike.
    pub(crate) fn build(
        column: &Column,
        rows: u64,
        options: RegionOptions,
        cancel: &CancelToken,
    ) -> Result<Self, RewriteError> {
        let pins = Arc::<Pins<'_>>::default();
        let view = ColumnView::pinned(column, &pins);
        let each = |give: &mut dyn FnMut(u64, Value) -> bool| {
            let _ = (0..rows).all(|row| give(row, view.value(row)));
        };
        let sorted = sorted(column, &each, &|row| view.value(row), cancel)?;
        super::settle(&pins)?;
        Self::lay(&sorted, Of::Rows(rows), options)
    }

    /// The index of the first `rows` rows by the values of several columns together, one after the other: of
    /// those that have one in the first.
    ///
    /// **Errors**: as [`Self::build`]. **Cost**: a sort of lists of values.
    pub(crate) fn build_composite(
        columns: &[&Column],
        rows: u64,
        options: RegionOptions,
        cancel: &CancelToken,
    ) -> Result<Self, RewriteError> {
        let pins = Arc::<Pins<'_>>::default();
        let views: Vec<ColumnView<'_>> = columns.iter().map(|c| ColumnView::pinned(c, &pins)).collect();
        let value_of = |row: u64| together(&views, row);
        let each = |give: &mut dyn FnMut(u64, Value) -> bool| {
            let _ = (0..rows).all(|row| give(row, value_of(row)));
        };
        let sorted = by_values(&each, &value_of, cancel).ok_or(RewriteError::Cancelled)?;
        super::settle(&pins)?;
        Self::lay(&sorted, Of::Rows(rows), options)
    }

    /// The index of these, which are in order.
    pub(crate) fn lay(sorted: &[u64], of: Of, options: RegionOptions) -> Result<Self, RewriteError> {
        WrittenIndex::new(sorted.iter().copied(), of).lay(options)
    }
}

/// An index that is finished, but not yet in a region.
pub(crate) struct WrittenIndex {
    of: Of,
    /// Pieces and how many each has.
    pieces: Vec<(Vec<u8>, u32)>,
}

impl WrittenIndex {
    /// Of these, which come in order.
    pub(crate) fn new(sorted: impl Iterator<Item = u64>, of: Of) -> Self {
        let mut sorted = sorted.peekable();
        let (mut pieces, mut part) = (Vec::new(), Vec::with_capacity(PIECE_ROWS));
        while sorted.peek().is_some() {
            part.clear();
            part.extend(sorted.by_ref().take(PIECE_ROWS));
            pieces.push((finish(&part, of), part.len() as u32));
        }
        Self { of, pieces }
    }

    /// Puts it in a region.
    pub(crate) fn lay(self, options: RegionOptions) -> Result<ValueIndex, RewriteError> {
        let of = self.of;
        let (written, lens): (_, Vec<u32>) = self.pieces.into_iter().unzip();
        let pieces = lay_out(written, options)?.into_iter().zip(lens);
        let slots = pieces.map(|(piece, len)| Slot::<SortedRows>::read(piece, GivenRows { of, len }));
        Ok(ValueIndex::of(slots.collect::<Result<_, _>>()?))
    }
}

/// The values of a row in several columns, as one; null where the first of them is.
pub(crate) fn together(columns: &[ColumnView<'_>], row: u64) -> Value {
    match columns.first() {
        Some(first) if !first.is_null(row) => {
            Value::list(columns.iter().map(|column| column.value(row)).collect())
        }
        _ => Value::Null,
    }
}

/// What has a value in a column, sorted by it.
pub(crate) fn sorted(
    column: &Column,
    each: &Each<'_>,
    value_of: &ValueOf<'_>,
    cancel: &CancelToken,
) -> Result<Vec<u64>, RewriteError> {
    let key = key_of(column.ty).filter(|_| column.has_one_type());
    let sorted = match key {
        Some(key) => by_keys(key, each, value_of, cancel),
        None => by_values(each, value_of, cancel),
    };
    sorted.ok_or(RewriteError::Cancelled)
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
                Value::String(text) => text_key(text.as_bytes()),
                _ => 0,
            },
            false,
        ),
        _ => return None,
    })
}

/// Bytes of a text that are in its key.
const KEY_BYTES: usize = 7;
/// Longest run of keys that is sorted by values.
const RUN_VALUES_MAX: usize = 1 << 12;
/// Bytes up to which a long run is sorted by keys: texts that are the same so far are sorted by values.
const DEPTH_MAX: usize = KEY_BYTES << 6;

/// What keeps the order of texts by their first bytes: these, and how many there are, of more one more.
fn text_key(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = text.len().min(KEY_BYTES);
    bytes[..len].copy_from_slice(&text[..len]);
    bytes[KEY_BYTES] = text.len().min(KEY_BYTES + 1) as u8;
    u64::from_be_bytes(bytes)
}

/// Whether texts with this key are the same.
fn is_whole_text(key: u64) -> bool {
    key & 0xff <= KEY_BYTES as u64
}

/// Sorts texts by what stands behind the bytes that sorted them so far; false if it was cancelled.
fn sort_on(keys: &mut [(u64, u64)], depth: usize, value_of: &ValueOf<'_>, cancel: &CancelToken) -> bool {
    for run in keys.chunk_by_mut(|a, b| a.0 == b.0) {
        if run.len() == 1 || is_whole_text(run[0].0) {
            continue;
        }
        if cancel.is_cancelled() {
            return false;
        }
        let next = depth + KEY_BYTES;
        if run.len() <= RUN_VALUES_MAX || next > DEPTH_MAX {
            let sorted = in_order(value_of, run.iter().map(|(_, row)| *row));
            run.iter_mut().zip(sorted).for_each(|(key, row)| key.1 = row);
            continue;
        }
        for (key, row) in &mut *run {
            *key = match value_of(*row) {
                Value::String(text) => text_key(text.as_bytes().get(next..).unwrap_or_default()),
                _ => 0,
            };
        }
        run.sort_unstable();
        if !sort_on(run, next, value_of, cancel) {
            return false;
        }
    }
    true
}

/// Those with values, sorted by keys first; none if it was cancelled.
fn by_keys(
    (key, is_whole): Key,
    each: &Each<'_>,
    value_of: &ValueOf<'_>,
    cancel: &CancelToken,
) -> Option<Vec<u64>> {
    let mut keys: Vec<(u64, u64)> = Vec::new();
    let mut polled = Polled::default();
    each(&mut |at, value| {
        if !value.is_null() {
            keys.push((key(&value), at));
        }
        polled.goes_on(cancel)
    });
    polled.done()?;
    keys.sort_unstable();
    if !is_whole && !sort_on(&mut keys, 0, value_of, cancel) {
        return None;
    }
    Some(keys.into_iter().map(|(_, row)| row).collect())
}

/// Those with values, sorted by these; none if it was cancelled.
fn by_values(each: &Each<'_>, value_of: &ValueOf<'_>, cancel: &CancelToken) -> Option<Vec<u64>> {
    let mut there = Vec::new();
    let mut polled = Polled::default();
    each(&mut |at, value| {
        if !value.is_null() {
            there.push(at);
        }
        polled.goes_on(cancel)
    });
    polled.done()?;
    Some(in_order(value_of, there.into_iter()))
}

/// Looks at the flag that cancels now and then.
#[derive(Default)]
struct Polled {
    count: u32,
    is_cancelled: bool,
}

impl Polled {
    fn goes_on(&mut self, cancel: &CancelToken) -> bool {
        self.count = self.count.wrapping_add(1);
        self.is_cancelled |= self.count.is_multiple_of(ROWS_UNCHECKED) && cancel.is_cancelled();
        !self.is_cancelled
    }

    fn done(&self) -> Option<()> {
        (!self.is_cancelled).then_some(())
    }
}

fn in_order(value_of: &ValueOf<'_>, rows: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut values: Vec<(Value, u64)> = rows.map(|row| (value_of(row), row)).collect();
    values.sort_unstable_by(|(a, i), (b, j)| order(a, b).then(i.cmp(j)));
    values.into_iter().map(|(_, row)| row).collect()
}
