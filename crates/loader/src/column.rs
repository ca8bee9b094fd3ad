//! Texts of one field in, a typed column out.

use std::sync::Arc;

use trimorph_store::bulk::{ColumnBatch, ColumnData};
use trimorph_types::{Date, DateTime, LocalDateTime, LocalTime, LogicalType, Value, Zone};

use crate::csv::block::Block;
use crate::parse::{
    NANOS_PER_SECOND, TimeFormat, parse_bool, parse_date, parse_datetime, parse_datetime_in_zone,
    parse_decimal, parse_duration, parse_float, parse_int, parse_iri, parse_local_datetime, parse_local_time,
    parse_time, parse_usual_instant,
};
use crate::plan::{Nulls, Parse};

/// The text is not a value of the column's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotAValue;

/// A column that grows by one value at a time.
pub(crate) struct Builder {
    parse: Parse,
    /// How dates and times are written, if not as ISO 8601 has them.
    format: Option<Arc<TimeFormat>>,
    data: ColumnData,
    nulls: Option<Vec<bool>>,
    /// Rows that it will have at most, about.
    rows_max: usize,
}

/// An empty column for values of `kind`.
pub(crate) fn empty_data(kind: LogicalType) -> ColumnData {
    match kind {
        LogicalType::Bool => ColumnData::Bool(Vec::new()),
        LogicalType::Int => ColumnData::Int(Vec::new()),
        LogicalType::Float => ColumnData::Float(Vec::new()),
        LogicalType::Date => ColumnData::Date(Vec::new()),
        LogicalType::LocalTime => ColumnData::LocalTime(Vec::new()),
        LogicalType::LocalDateTime => ColumnData::LocalDateTime(Vec::new()),
        LogicalType::DateTime => ColumnData::DateTime(Vec::new()),
        LogicalType::String => ColumnData::String { bytes: Vec::new(), ends: Vec::new() },
        _ => ColumnData::Values(Vec::new()),
    }
}

/// A column of `rows` nulls.
pub(crate) fn null_column(kind: LogicalType, rows: usize) -> ColumnBatch {
    let data = match empty_data(kind) {
        ColumnData::Bool(_) => ColumnData::Bool(vec![false; rows]),
        ColumnData::Int(_) => ColumnData::Int(vec![0; rows]),
        ColumnData::Float(_) => ColumnData::Float(vec![0.0; rows]),
        ColumnData::Date(_) => ColumnData::Date(vec![0; rows]),
        ColumnData::LocalTime(_) => ColumnData::LocalTime(vec![0; rows]),
        ColumnData::LocalDateTime(_) => ColumnData::LocalDateTime(vec![0; rows]),
        ColumnData::DateTime(_) => ColumnData::DateTime(vec![0; rows]),
        ColumnData::String { .. } => ColumnData::String { bytes: Vec::new(), ends: vec![0; rows] },
        ColumnData::Values(_) => ColumnData::Values(vec![Value::Null; rows]),
    };
    ColumnBatch { data, nulls: Some(vec![true; rows]) }
}

impl Builder {
    /// An empty column that will have `rows_max` rows, about.
    pub(crate) fn new(parse: Parse, rows_max: usize) -> Self {
        Self { parse, format: None, data: empty_data(parse.logical_type()), nulls: None, rows_max }
    }

    /// The same for dates and times that are written in some other form.
    pub(crate) fn with_format(self, format: Option<Arc<TimeFormat>>) -> Self {
        Self { format, ..self }
    }

    /// Values so far.
    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    /// Adds a value that is no text.
    pub(crate) fn push_value(&mut self, value: Value) -> Result<(), NotAValue> {
        match (&mut self.data, value) {
            (ColumnData::Values(values), value) => values.push(value),
            (ColumnData::Date(v), Value::Date(date)) => match i32::try_from(date.days) {
                Ok(days) => v.push(days),
                Err(_) => self.push_wide(Value::Date(date)),
            },
            (ColumnData::LocalTime(v), Value::LocalTime(time)) => v.push(time.nanos),
            (ColumnData::LocalDateTime(v), Value::LocalDateTime(local)) => match nanos(local) {
                Some(n) => v.push(n),
                None => self.push_wide(Value::LocalDateTime(local)),
            },
            (ColumnData::DateTime(v), Value::DateTime(at)) => {
                let instant = LocalDateTime { seconds: at.seconds, nanos: at.nanos };
                match (nanos(instant), &at.zone) {
                    (Some(n), Zone::Offset(0)) => v.push(n),
                    _ => self.push_wide(Value::DateTime(at)),
                }
            }
            _ => return Err(NotAValue),
        }
        if let Some(nulls) = &mut self.nulls {
            nulls.push(false);
        }
        Ok(())
    }

    /// Adds a value. The text must be UTF-8.
    #[inline]
    pub(crate) fn push(&mut self, text: &[u8]) -> Result<(), NotAValue> {
        if let Some(format) = &self.format {
            let value = format.value(self.parse.logical_type(), text).ok_or(NotAValue)?;
            return self.push_value(value);
        }
        match &mut self.data {
            ColumnData::Int(v) => v.push(parse_int(text).ok_or(NotAValue)?),
            ColumnData::String { bytes, ends } => {
                bytes.extend_from_slice(text);
                #[expect(clippy::cast_possible_truncation, reason = "chunks are below 4 GiB")]
                ends.push(bytes.len() as u32);
            }
            ColumnData::DateTime(v) => {
                match parse_datetime(text).map(|(instant, offset)| (instant, offset, nanos(instant))) {
                    Some((_, 0, Some(n))) => v.push(n),
                    Some((instant, offset, _)) => self.push_wide(wide_datetime(instant, offset)),
                    None => {
                        let zoned = parse_datetime_in_zone(text).ok_or(NotAValue)?;
                        self.push_wide(Value::DateTime(zoned));
                    }
                }
            }
            ColumnData::LocalDateTime(v) => {
                let local = parse_local_datetime(text).ok_or(NotAValue)?;
                match nanos(local) {
                    Some(n) => v.push(n),
                    None => self.push_wide(Value::LocalDateTime(local)),
                }
            }
            ColumnData::Bool(v) => v.push(parse_bool(text).ok_or(NotAValue)?),
            ColumnData::Float(v) => v.push(parse_float(text).ok_or(NotAValue)?),
            ColumnData::Date(v) => {
                let days = parse_date(text).ok_or(NotAValue)?;
                match i32::try_from(days) {
                    Ok(days) => v.push(days),
                    Err(_) => self.push_wide(Value::Date(Date { days })),
                }
            }
            ColumnData::LocalTime(v) => v.push(parse_local_time(text).ok_or(NotAValue)?),
            ColumnData::Values(v) => v.push(parse_value(self.parse, text).ok_or(NotAValue)?),
        }
        if let Some(nulls) = &mut self.nulls {
            nulls.push(false);
        }
        Ok(())
    }

    /// Adds the values of a field of all records of a block, whose text must be UTF-8. `false` if one is not
    /// a value of the column's type, or is null and must not be, or if general values are needed for it:
    /// then any number of values may have been added.
    pub(crate) fn push_block(
        &mut self,
        block: &Block<'_>,
        field: usize,
        null_texts: &Nulls,
        required: bool,
    ) -> bool {
        if self.format.is_some() {
            // One by one.
            return false;
        }
        let rows_max = self.rows_max;
        let mut column = Fields { block, field, null_texts, required, rows_max, nulls: &mut self.nulls };
        match &mut self.data {
            ColumnData::Int(v) => column.parse(v, parse_int),
            ColumnData::String { bytes, ends } => column.copy(bytes, ends),
            ColumnData::DateTime(v) => column.parse(v, |text| {
                parse_usual_instant(text).or_else(|| match parse_datetime(text)? {
                    (instant, 0) => nanos(instant),
                    _ => None,
                })
            }),
            ColumnData::LocalDateTime(v) => column.parse(v, |text| nanos(parse_local_datetime(text)?)),
            ColumnData::Bool(v) => column.parse(v, parse_bool),
            ColumnData::Float(v) => column.parse(v, parse_float),
            ColumnData::Date(v) => column.parse(v, |text| i32::try_from(parse_date(text)?).ok()),
            ColumnData::LocalTime(v) => column.parse(v, parse_local_time),
            ColumnData::Values(v) => {
                let parse = self.parse;
                column.parse(v, |text| parse_value(parse, text))
            }
        }
    }

    /// Adds a null.
    pub(crate) fn push_null(&mut self) {
        let before = self.data.len();
        match &mut self.data {
            ColumnData::Bool(v) => v.push(false),
            ColumnData::Int(v)
            | ColumnData::LocalTime(v)
            | ColumnData::LocalDateTime(v)
            | ColumnData::DateTime(v) => {
                v.push(0);
            }
            ColumnData::Float(v) => v.push(0.0),
            ColumnData::Date(v) => v.push(0),
            ColumnData::String { ends, .. } => ends.push(ends.last().copied().unwrap_or(0)),
            ColumnData::Values(v) => v.push(Value::Null),
        }
        self.nulls.get_or_insert_with(|| vec![false; before]).push(true);
    }

    /// Takes values off until `rows` are left; for rows that turn out to be bad in a later field.
    pub(crate) fn truncate(&mut self, rows: usize) {
        match &mut self.data {
            ColumnData::Bool(v) => v.truncate(rows),
            ColumnData::Int(v)
            | ColumnData::LocalTime(v)
            | ColumnData::LocalDateTime(v)
            | ColumnData::DateTime(v) => {
                v.truncate(rows);
            }
            ColumnData::Float(v) => v.truncate(rows),
            ColumnData::Date(v) => v.truncate(rows),
            ColumnData::String { bytes, ends } => {
                ends.truncate(rows);
                bytes.truncate(ends.last().map_or(0, |end| *end as usize));
            }
            ColumnData::Values(v) => v.truncate(rows),
        }
        if let Some(nulls) = &mut self.nulls {
            nulls.truncate(rows);
        }
    }

    /// The text of a row, if this is a column of strings that has it.
    #[inline]
    pub(crate) fn string(&self, row: usize) -> Option<&[u8]> {
        let ColumnData::String { bytes, ends } = &self.data else { return None };
        let start = if row == 0 { 0 } else { *ends.get(row - 1)? as usize };
        bytes.get(start..*ends.get(row)? as usize)
    }

    pub(crate) fn finish(self) -> ColumnBatch {
        let nulls = self.nulls.filter(|nulls| nulls.contains(&true));
        ColumnBatch { data: self.data, nulls }
    }

    /// Goes over to general values, which the typed column cannot hold, and adds one.
    #[cold]
    fn push_wide(&mut self, value: Value) {
        let mut values: Vec<Value> = match &self.data {
            ColumnData::DateTime(v) => v.iter().map(|n| wide_datetime(split_nanos(*n), 0)).collect(),
            ColumnData::LocalDateTime(v) => v.iter().map(|n| Value::LocalDateTime(split_nanos(*n))).collect(),
            ColumnData::Date(v) => v.iter().map(|d| Value::Date(Date { days: (*d).into() })).collect(),
            _ => Vec::new(),
        };
        values.push(value);
        self.data = ColumnData::Values(values);
    }
}

/// Room for texts that is taken before it is known to be needed.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// A field of the records of a block, on its way into a column.
struct Fields<'a> {
    block: &'a Block<'a>,
    field: usize,
    null_texts: &'a Nulls,
    required: bool,
    rows_max: usize,
    nulls: &'a mut Option<Vec<bool>>,
}

impl Fields<'_> {
    /// Appends what `parse` makes of each text; `false` at the first of which it makes nothing, and at a null
    /// that must not be.
    #[inline]
    fn parse<T: Default>(&mut self, values: &mut Vec<T>, parse: impl Fn(&[u8]) -> Option<T>) -> bool {
        // The room for all rows of the chunk at once, so that nothing is moved.
        values.reserve_exact(self.rows_max.saturating_sub(values.len()).max(self.block.rows()));
        for text in self.block.texts(self.field) {
            if self.is_null(text) {
                if self.required {
                    return false;
                }
                self.mark_null(values.len());
                values.push(T::default());
            } else {
                let Some(value) = parse(text) else { return false };
                values.push(value);
            }
        }
        self.fill_nulls(values.len());
        true
    }

    /// Appends the texts themselves.
    fn copy(&mut self, bytes: &mut Vec<u8>, ends: &mut Vec<u32>) -> bool {
        ends.reserve_exact(self.rows_max.saturating_sub(ends.len()).max(self.block.rows()));
        if bytes.is_empty() && self.block.rows() > 0 {
            // As much for the others as for the first, and an eighth more.
            let first: usize = self.block.texts(self.field).map(<[u8]>::len).sum();
            let all = first.saturating_mul(self.rows_max / self.block.rows());
            bytes.reserve(all.saturating_add(all / 8).min(TEXT_BYTES_MAX));
        }
        for text in self.block.texts(self.field) {
            if self.is_null(text) {
                if self.required {
                    return false;
                }
                self.mark_null(ends.len());
            } else {
                bytes.extend_from_slice(text);
            }
            #[expect(clippy::cast_possible_truncation, reason = "chunks are below 4 GiB")]
            ends.push(bytes.len() as u32);
        }
        self.fill_nulls(ends.len());
        true
    }

    #[inline]
    fn is_null(&self, text: &[u8]) -> bool {
        self.null_texts.has(text)
    }

    fn mark_null(&mut self, row: usize) {
        let nulls = self.nulls.get_or_insert_default();
        nulls.resize(row, false);
        nulls.push(true);
    }

    /// So many rows: those behind the last null are not null.
    fn fill_nulls(&mut self, rows: usize) {
        if let Some(nulls) = self.nulls {
            nulls.resize(rows, false);
        }
    }
}

fn nanos(instant: LocalDateTime) -> Option<i64> {
    instant.seconds.checked_mul(NANOS_PER_SECOND)?.checked_add(instant.nanos.into())
}

fn split_nanos(nanos: i64) -> LocalDateTime {
    LocalDateTime {
        seconds: nanos.div_euclid(NANOS_PER_SECOND),
        nanos: u32::try_from(nanos.rem_euclid(NANOS_PER_SECOND)).unwrap_or(0),
    }
}

fn wide_datetime(instant: LocalDateTime, offset_seconds: i32) -> Value {
    Value::DateTime(DateTime {
        seconds: instant.seconds,
        nanos: instant.nanos,
        zone: Zone::Offset(offset_seconds),
    })
}

fn parse_value(parse: Parse, text: &[u8]) -> Option<Value> {
    match parse {
        Parse::Skip => None,
        Parse::One(kind) => parse_one(kind, text),
        Parse::List(kind, delimiter) => {
            if text.is_empty() {
                return Some(Value::list(Vec::new()));
            }
            let items: Option<Vec<Value>> =
                text.split(|b| *b == delimiter).map(|item| parse_one(kind, item)).collect();
            items.map(Value::list)
        }
    }
}

pub(crate) fn parse_one(kind: LogicalType, text: &[u8]) -> Option<Value> {
    Some(match kind {
        LogicalType::Bool => Value::Bool(parse_bool(text)?),
        LogicalType::Int => Value::Int(parse_int(text)?),
        LogicalType::Float => Value::Float(parse_float(text)?),
        LogicalType::Decimal => Value::Decimal(parse_decimal(text)?),
        LogicalType::Iri => Value::Iri(parse_iri(text)?.into()),
        LogicalType::String => Value::string(std::str::from_utf8(text).ok()?),
        LogicalType::Date => Value::Date(Date { days: parse_date(text)? }),
        LogicalType::LocalTime => Value::LocalTime(LocalTime { nanos: parse_local_time(text)? }),
        LogicalType::Time => Value::Time(parse_time(text)?),
        LogicalType::LocalDateTime => Value::LocalDateTime(parse_local_datetime(text)?),
        LogicalType::DateTime => {
            let plain = parse_datetime(text).map(|(instant, offset)| wide_datetime(instant, offset));
            plain.or_else(|| parse_datetime_in_zone(text).map(Value::DateTime))?
        }
        LogicalType::Duration => Value::Duration(parse_duration(text)?),
        _ => return None,
    })
}
