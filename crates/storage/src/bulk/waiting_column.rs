//! A column of a batch in, about the bytes out that it will take once stored: how edge properties wait for
//! their order.
//!
//! Integers become frame of reference, strings codes of a dictionary where few are distinct, FSST where that
//! saves, else bytes with packed ends. Every row can be read alone.

use rustc_hash::FxHashMap;
use trimorph_encoding::{FsstTable, Packed, compress_fsst, pack, train_fsst};
use trimorph_types::{LogicalType, Value};

use super::{ColumnBatch, ColumnData};
use crate::column::value_at;

/// Below this many bytes strings wait as they are: a symbol table alone has 2,295.
const FSST_BYTES_MIN: usize = 1 << 15;
/// Strings sampled to train a symbol table.
const FSST_SAMPLE_BYTES: usize = 1 << 14;

/// A column that waits.
#[derive(Debug)]
pub(super) struct WaitingColumn {
    data: Data,
    /// Bit `i % 64` of word `i / 64` is set where row `i` is null.
    nulls: Option<Vec<u64>>,
}

#[derive(Debug)]
enum Data {
    /// Null throughout.
    Nothing,
    Ints(LogicalType, Packed),
    Floats(Vec<f64>),
    Strings(Strings),
    /// Codes into distinct strings.
    Codes(Packed, Strings),
    Values(Vec<Value>),
}

#[derive(Debug)]
struct Strings {
    bytes: Vec<u8>,
    ends: Packed,
    fsst: Option<Box<FsstTable>>,
    /// Bytes of the longest string.
    longest: usize,
}

impl Strings {
    fn new(mut bytes: Vec<u8>, ends: &[i64]) -> Self {
        if bytes.len() >= FSST_BYTES_MIN
            && let Some(compressed) = Self::compress(&bytes, ends)
        {
            return compressed;
        }
        bytes.shrink_to_fit();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let longest = ends.iter().zip(starts).map(|(end, start)| end - start).max().unwrap_or(0);
        Self { bytes, ends: pack(ends), fsst: None, longest: usize::try_from(longest).unwrap_or(0) }
    }

    /// Compressed, if that saves a tenth.
    fn compress(bytes: &[u8], ends: &[i64]) -> Option<Self> {
        let mut start = 0;
        let texts: Vec<&[u8]> = (ends.iter())
            .map(|end| {
                let end = usize::try_from(*end).unwrap_or(0);
                let text = bytes.get(start..end).unwrap_or_default();
                start = end;
                text
            })
            .collect();
        let mut left = FSST_SAMPLE_BYTES;
        let sample: Vec<&[u8]> = (texts.iter().step_by((texts.len() / 512).max(1)))
            .map(|t| &t[..t.len().min(512)])
            .take_while(|t| {
                left = left.saturating_sub(t.len());
                left > 0
            })
            .collect();
        let (table, compressor) = train_fsst(&sample);
        let longest = texts.iter().map(|t| t.len()).max().unwrap_or(0);
        let (mut out, out_ends) = compress_fsst(&compressor, &texts);
        if out.len() * 10 >= bytes.len() * 9 {
            return None;
        }
        out.shrink_to_fit();
        Some(Self { bytes: out, ends: pack(&out_ends), fsst: Some(Box::new(table)), longest })
    }

    /// Appends string `i` to `out`.
    fn read(&self, i: usize, out: &mut Vec<u8>) {
        let ends = self.ends.view();
        let at = |i: usize| usize::try_from(ends.get(i)).unwrap_or(usize::MAX);
        let start = if i == 0 { 0 } else { at(i - 1) };
        let stored = self.bytes.get(start..at(i)).unwrap_or_default();
        match &self.fsst {
            Some(table) => table.decode(stored, out),
            None => out.extend_from_slice(stored),
        }
    }
}

/// Codes and distinct strings, unless those are more than half of the bytes.
fn encode_distinct(bytes: &[u8], ends: &[u32]) -> Option<(Packed, Strings)> {
    let mut codes = Vec::with_capacity(ends.len());
    let mut seen: FxHashMap<&[u8], i64> = FxHashMap::default();
    let (mut distinct, mut distinct_ends) = (Vec::new(), Vec::new());
    let mut start = 0;
    for end in ends {
        let text = bytes.get(start..*end as usize)?;
        start = *end as usize;
        let next = seen.len() as i64;
        let code = *seen.entry(text).or_insert(next);
        if code == next {
            distinct.extend_from_slice(text);
            distinct_ends.push(distinct.len() as i64);
            if distinct.len() * 2 > bytes.len() {
                return None;
            }
        }
        codes.push(code);
    }
    Some((pack(&codes), Strings::new(distinct, &distinct_ends)))
}

impl WaitingColumn {
    /// A column of nulls.
    pub(super) fn nothing() -> Self {
        Self { data: Data::Nothing, nulls: None }
    }

    /// Packs a column of at least one row.
    pub(super) fn new(column: ColumnBatch) -> Self {
        let wide = |v: Vec<i64>, ty| Data::Ints(ty, pack(&v));
        let data = match column.data {
            ColumnData::Bool(v) => wide(v.into_iter().map(i64::from).collect(), LogicalType::Bool),
            ColumnData::Int(v) => wide(v, LogicalType::Int),
            ColumnData::Date(v) => wide(v.into_iter().map(i64::from).collect(), LogicalType::Date),
            ColumnData::LocalTime(v) => wide(v, LogicalType::LocalTime),
            ColumnData::LocalDateTime(v) => wide(v, LogicalType::LocalDateTime),
            ColumnData::DateTime(v) => wide(v, LogicalType::DateTime),
            ColumnData::Float(mut v) => {
                v.shrink_to_fit();
                Data::Floats(v)
            }
            ColumnData::String { bytes, ends } => match encode_distinct(&bytes, &ends) {
                Some((codes, strings)) => Data::Codes(codes, strings),
                None => {
                    let ends: Vec<i64> = ends.into_iter().map(i64::from).collect();
                    Data::Strings(Strings::new(bytes, &ends))
                }
            },
            ColumnData::Values(mut v) => {
                v.shrink_to_fit();
                Data::Values(v)
            }
        };
        let nulls = column.nulls.map(|nulls| {
            let mut words = vec![0u64; nulls.len().div_ceil(64)];
            nulls.iter().enumerate().for_each(|(i, n)| words[i / 64] |= u64::from(*n) << (i % 64));
            words
        });
        Self { data, nulls }
    }

    /// Bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        let strings = |s: &Strings| {
            s.bytes.len() + s.ends.bytes.len() + s.fsst.as_ref().map_or(0, |_| FsstTable::BYTES)
        };
        let data = match &self.data {
            Data::Nothing => 0,
            Data::Ints(_, packed) => packed.bytes.len(),
            Data::Floats(v) => v.len() * 8,
            Data::Strings(s) => strings(s),
            Data::Codes(codes, s) => codes.bytes.len() + strings(s),
            Data::Values(v) => v.iter().map(value_bytes).sum(),
        };
        data + self.nulls.as_ref().map_or(0, |n| n.len() * 8) + size_of::<Self>()
    }

    fn is_null(&self, i: usize) -> bool {
        matches!(self.data, Data::Nothing)
            || self.nulls.as_ref().is_some_and(|n| n.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1))
    }

    /// The type of its data; `None` if it is null throughout.
    fn logical_type(&self) -> Option<LogicalType> {
        match &self.data {
            Data::Nothing => None,
            Data::Ints(ty, _) => Some(*ty),
            Data::Floats(_) => Some(LogicalType::Float),
            Data::Strings(_) | Data::Codes(..) => Some(LogicalType::String),
            Data::Values(_) => Some(LogicalType::Any),
        }
    }

    fn read_string(&self, i: usize, out: &mut Vec<u8>) {
        match &self.data {
            Data::Strings(strings) => strings.read(i, out),
            Data::Codes(codes, strings) => {
                strings.read(usize::try_from(codes.view().get(i)).unwrap_or(0), out);
            }
            _ => {}
        }
    }

    fn value(&self, i: usize) -> Value {
        if self.is_null(i) {
            return Value::Null;
        }
        match &self.data {
            Data::Nothing => Value::Null,
            Data::Ints(ty, packed) => value_at(&integers(*ty, vec![packed.view().get(i)]), 0),
            Data::Floats(v) => Value::Float(v[i]),
            Data::Strings(_) | Data::Codes(..) => {
                let mut text = Vec::new();
                self.read_string(i, &mut text);
                Value::string(String::from_utf8_lossy(&text).as_ref())
            }
            Data::Values(v) => v[i].clone(),
        }
    }

    /// The whole column, of `len` rows.
    pub(super) fn unpack(&self, len: usize) -> ColumnBatch {
        let ty = self.logical_type().unwrap_or(LogicalType::Any);
        gather(std::slice::from_ref(self), len.max(1), ty, (0..len).map(Some))
    }
}

/// Memory of a general value, about.
fn value_bytes(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::String(s) | Value::Iri(s) => s.len() + 16,
            Value::Literal(l) => l.lexical.len() + 64,
            Value::List(items) => 16 + items.iter().map(value_bytes).sum::<usize>(),
            _ => 16,
        }
}

#[expect(clippy::cast_possible_truncation, reason = "dates were 32 bits wide")]
fn integers(ty: LogicalType, v: Vec<i64>) -> ColumnData {
    match ty {
        LogicalType::Bool => ColumnData::Bool(v.into_iter().map(|i| i != 0).collect()),
        LogicalType::Date => ColumnData::Date(v.into_iter().map(|i| i as i32).collect()),
        LogicalType::LocalTime => ColumnData::LocalTime(v),
        LogicalType::LocalDateTime => ColumnData::LocalDateTime(v),
        LogicalType::DateTime => ColumnData::DateTime(v),
        _ => ColumnData::Int(v),
    }
}

/// Reads rows of a column that lies in `parts` of `part_rows` rows each; `None` and nulls are null. The batch
/// is of type `ty` if all parts are, else of general values.
pub(super) fn gather(
    parts: &[WaitingColumn],
    part_rows: usize,
    ty: LogicalType,
    rows: impl Iterator<Item = Option<usize>>,
) -> ColumnBatch {
    let split = |row: usize| (&parts[row / part_rows], row % part_rows);
    if !parts.iter().all(|p| p.logical_type().is_none_or(|t| t == ty)) || ty == LogicalType::Any {
        let values = rows.map(|row| row.map_or(Value::Null, |row| split(row).0.value(split(row).1)));
        return ColumnBatch { data: ColumnData::Values(values.collect()), nulls: None };
    }
    let mut nulls = Vec::new();
    let mut present = |row: Option<usize>| {
        let found = row.map(split).filter(|(part, i)| !part.is_null(*i));
        nulls.push(found.is_none());
        found
    };
    let data = match ty {
        LogicalType::Float => {
            let read = |(part, i): (&WaitingColumn, usize)| match &part.data {
                Data::Floats(v) => v[i],
                _ => 0.0,
            };
            ColumnData::Float(rows.map(|row| present(row).map_or(0.0, read)).collect())
        }
        LogicalType::String => {
            let (mut bytes, mut ends) = (Vec::new(), Vec::new());
            for row in rows {
                if let Some((part, i)) = present(row) {
                    part.read_string(i, &mut bytes);
                }
                ends.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
            }
            ColumnData::String { bytes, ends }
        }
        _ => {
            let read = |(part, i): (&WaitingColumn, usize)| match &part.data {
                Data::Ints(_, packed) => packed.view().get(i),
                _ => 0,
            };
            integers(ty, rows.map(|row| present(row).map_or(0, read)).collect())
        }
    };
    let nulls = Some(nulls).filter(|n| n.contains(&true));
    ColumnBatch { data, nulls }
}

/// Rows to read at once so that a batch's strings stay far below the 4 GiB that its ends can tell apart.
pub(super) fn gather_rows(parts: &[WaitingColumn], part_rows: usize) -> usize {
    let longest = parts.iter().map(|p| match &p.data {
        Data::Strings(s) | Data::Codes(_, s) => s.longest,
        _ => 0,
    });
    ((1 << 28) / longest.max().unwrap_or(0).max(1)).clamp(1, part_rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(data: ColumnData, nulls: Option<Vec<bool>>) {
        let batch = ColumnBatch { data, nulls };
        let len = batch.data.len();
        let back = WaitingColumn::new(batch.clone()).unpack(len);
        assert_eq!(back.data.len(), len);
        for i in 0..len {
            let null = |b: &ColumnBatch| b.nulls.as_ref().is_some_and(|n| n[i]);
            assert_eq!(null(&batch), null(&back), "row {i}");
            if !null(&batch) {
                let (a, b) = (value_at(&batch.data, i), value_at(&back.data, i));
                assert_eq!(format!("{a:?}"), format!("{b:?}"), "row {i}");
            }
        }
    }

    fn strings(of: impl Iterator<Item = String>) -> ColumnData {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for s in of {
            bytes.extend_from_slice(s.as_bytes());
            ends.push(u32::try_from(bytes.len()).unwrap());
        }
        ColumnData::String { bytes, ends }
    }

    #[test]
    fn reads_back_every_kind() {
        check(ColumnData::Bool(vec![true, false, true]), Some(vec![false, true, false]));
        check(ColumnData::Int(vec![i64::MIN, 0, i64::MAX]), None);
        check(ColumnData::Float(vec![0.5, -1.0]), Some(vec![false, true]));
        check(ColumnData::Date(vec![-5, i32::MAX, i32::MIN]), None);
        check(ColumnData::LocalTime(vec![1, 2]), None);
        check(ColumnData::LocalDateTime(vec![7; 100]), None);
        check(ColumnData::DateTime(vec![-7, 9]), None);
        check(ColumnData::Values(vec![Value::Int(1), Value::Null, Value::string("x")]), None);
        check(strings(["", "a", "ß"].map(str::to_owned).into_iter()), Some(vec![true, false, false]));
        check(strings((0..9000).map(|i| format!("one of few {}", i % 7))), None);
        check(strings((0..9000).map(|i| format!("http://example.org/a/long/one/{i}"))), None);
    }

    #[test]
    fn strings_wait_in_the_room_they_will_take() {
        let few = WaitingColumn::new(ColumnBatch {
            data: strings((0..60_000).map(|i| format!("one of few {}", i % 7))),
            nulls: None,
        });
        assert!(few.bytes() < 40_000, "{}", few.bytes());
        let alike = WaitingColumn::new(ColumnBatch {
            data: strings((0..60_000).map(|i| format!("http://example.org/a/long/one/{i}"))),
            nulls: None,
        });
        assert!(alike.bytes() < 60_000 * 36 / 2, "{}", alike.bytes());
    }
}
