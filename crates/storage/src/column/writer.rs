//! Column writer: batches of values in, encoded segments out, one segment's values held at a time.
//!
//! 1. Values of the column's type go to the current segment's buffer; others become exceptions.
//! 2. A full segment is encoded by measured size: strings as codes of the column's growing dictionary when
//!    that is smaller than the estimate for FSST (half the bytes and their ends).
//! 3. Each segment becomes a piece as it ends; `finish` adds those of the dictionary and the FSST table.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::{HashTable, hash_table};
use trimorph_catalog::PropertyStats;
use trimorph_encoding::{FsstEncoder, FsstTable, RankBits, compress_fsst, pack, range, train_fsst};
use trimorph_types::{DateTime, LogicalType, Value, Zone};
use trimorph_vector::zoned_nanos;
use trimorph_vfs::{CodecError, Encoder, Piece, PieceWriter, Pins};

use super::blobs::{is_integral, put_blob};
use super::data::ZONES_MAX;
use super::dictionary::{self, Dictionary};
use super::distinct::HyperLogLog;
use super::encoded::{Encoded, encode_fixed, encode_floats, encode_ints, put_data, put_ints, put_rank};
use super::format::{SEGMENT_ROWS, ZONE_ROWS, ZoneRange};
use super::segment::Segment;
use super::stored_column::{Column, Fsst};
use super::stored_dictionary::{self, DictionaryView, Entries};
use crate::bulk::{ColumnBatch, ColumnData};
use crate::slot::{Content, Slot};
use trimorph_encoding::value_codec;

/// Values of a zone, on the mean, from which on a segment of integers has a zone map: 16 bytes a zone, as
/// much as so many values of 32 bits. (With one, 5,000 columns of 400 values took half as much again.)
const ZONE_VALUES_MIN: usize = 4;
/// Strings sampled to train the FSST table of a column.
const FSST_SAMPLE_BYTES: usize = 1 << 17;

/// Room for the texts of a segment that is kept for the next one.
const KEPT_BYTES_MAX: usize = 1 << 24;

/// Bytes of a column by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnBytes {
    /// Values, codes, dictionaries.
    pub data: usize,
    /// Presence bits and ranks.
    pub nulls: usize,
}

/// A column's pieces, finished but not yet in a region: what [`WrittenColumn::read`] makes a column of.
pub(crate) struct WrittenColumn {
    ty: LogicalType,
    fsst: bool,
    shift: u8,
    /// Entries of each piece of the dictionary.
    entries: Vec<usize>,
    /// Rows of each segment.
    rows: Vec<usize>,
    /// In the order of a directory: FSST table, dictionary, segments.
    pub(crate) pieces: Vec<Vec<u8>>,
}

impl WrittenColumn {
    /// The column of its pieces, which were laid out in their order.
    ///
    /// **Errors**: none but a bug of the writer's.
    pub(crate) fn read(&self, pieces: &mut impl Iterator<Item = Arc<Piece>>) -> Result<Column, CodecError> {
        let mut next = || pieces.next().ok_or(CodecError { offset: 0, expected: "a piece" });
        let fsst = if self.fsst { Some(Slot::read(next()?, ())?) } else { None };
        let entries = (self.entries.iter())
            .map(|len| Slot::<Entries>::read(next()?, *len))
            .collect::<Result<_, CodecError>>()?;
        let dictionary = stored_dictionary::Dictionary::of(self.shift, entries)
            .ok_or(CodecError { offset: 0, expected: "a dictionary" })?;
        let mut column = Column::new(self.ty, Vec::new(), dictionary, fsst);
        for rows in &self.rows {
            let segment = Segment::slot(&column.given(*rows, None), next()?)?;
            column.segments.push(segment);
        }
        Ok(column)
    }
}

/// Segments of a column that has others.
pub(crate) struct WrittenSegments {
    /// Finished pieces and their rows.
    pub(crate) segments: Vec<(Vec<u8>, usize)>,
    pub(crate) shift: u8,
    /// Pieces that take the place of the dictionary's last one, or stand behind it, with their entries.
    pub(crate) dictionary: Vec<(Vec<u8>, usize)>,
    /// An FSST table, where the column had none.
    pub(crate) fsst: Option<Vec<u8>>,
    pub(crate) stats: PropertyStats,
}

/// Writes one column.
pub struct ColumnWriter {
    ty: LogicalType,
    rows: u64,
    present: Vec<bool>,
    ints: Vec<i64>,
    floats: Vec<f64>,
    bytes: Vec<u8>,
    ends: Vec<i64>,
    /// Of the strings of the segment.
    pub(super) hashes: Vec<u64>,
    /// Of the instants of the segment, from the first of another zone than UTC on: numbers of zones, and
    /// these, UTC first.
    codes: Vec<i64>,
    zones: Vec<Zone>,
    segments: Vec<Vec<u8>>,
    segment_rows: Vec<usize>,
    size: ColumnBytes,
    dictionary: Dictionary,
    fsst: Option<(FsstTable, fsst::Compressor)>,
    /// Whether texts were written with it: else nobody needs it.
    is_fsst_used: bool,
    /// The column whose segments are written anew: its dictionary is gone on with, and its FSST table used.
    continued: Option<Arc<Column>>,
    /// Longest text that becomes an entry of the dictionary.
    entry_bytes_max: usize,
    /// Local rows of the current segment.
    exception_rows: Vec<i64>,
    exception_values: Vec<Value>,
    nulls: u64,
    distinct: HyperLogLog,
    range: Option<(i64, i64)>,
}

impl ColumnWriter {
    /// A column of `ty` without rows.
    pub fn new(ty: LogicalType) -> Self {
        Self {
            ty,
            rows: 0,
            present: Vec::new(),
            ints: Vec::new(),
            floats: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
            hashes: Vec::new(),
            codes: Vec::new(),
            zones: Vec::new(),
            segments: Vec::new(),
            segment_rows: Vec::new(),
            size: ColumnBytes::default(),
            dictionary: Dictionary::default(),
            fsst: None,
            is_fsst_used: false,
            continued: None,
            entry_bytes_max: usize::MAX,
            exception_rows: Vec::new(),
            exception_values: Vec::new(),
            nulls: 0,
            distinct: HyperLogLog::new(),
            range: None,
        }
    }

    /// For segments of a column that has others: codes of its dictionary stay what they are.
    ///
    /// **Cost**: that of the dictionary's texts.
    ///
    /// What cannot be read of it is told to `pins`.
    pub(crate) fn continuing<'s>(column: &'s Arc<Column>, pins: &Arc<Pins<'s>>) -> Self {
        let mut writer = Self::new(column.ty);
        let texts = DictionaryView::new(&column.dictionary, pins);
        for code in 0..texts.len() {
            let text = texts.entry(code as i64).as_bytes();
            writer.dictionary.add(dictionary::hash(text), text);
        }
        if texts.len() > 0 {
            writer.entry_bytes_max = stored_dictionary::entry_bytes_max(column.dictionary.shift);
        }
        // Kept once it was read: a few hundred bytes.
        let _ = column.fsst.as_ref().and_then(|fsst| fsst.get(pins));
        writer.continued = Some(Arc::clone(column));
        writer
    }

    /// The type of its values.
    pub fn logical_type(&self) -> LogicalType {
        self.ty
    }

    /// Rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Appends the rows of a batch for which `keep` holds (all when absent).
    pub fn append(&mut self, batch: &ColumnBatch, keep: Option<&[bool]>) {
        let rows = batch.data.len();
        let is_own = match &batch.data {
            ColumnData::Bool(_) => self.ty == LogicalType::Bool,
            ColumnData::Int(_) => self.ty == LogicalType::Int,
            ColumnData::Date(_) => self.ty == LogicalType::Date,
            ColumnData::LocalTime(_) => self.ty == LogicalType::LocalTime,
            ColumnData::LocalDateTime(_) => self.ty == LogicalType::LocalDateTime,
            ColumnData::DateTime(_) => self.ty == LogicalType::DateTime,
            ColumnData::Float(_) => self.ty == LogicalType::Float,
            ColumnData::String { .. } => self.ty == LogicalType::String,
            ColumnData::Values(_) => false,
        };
        if !is_own {
            for i in (0..rows).filter(|i| keep.is_none_or(|k| k[*i])) {
                let null = batch.nulls.as_ref().is_some_and(|n| n[i]);
                self.push_value(if null { Value::Null } else { value_at(&batch.data, i) });
            }
            return;
        }
        let mut start = 0;
        while start < rows {
            let end = rows.min(start + SEGMENT_ROWS - self.present.len());
            self.append_part(batch, keep, start..end);
            start = end;
            if self.present.len() == SEGMENT_ROWS {
                self.end_segment();
            }
        }
    }

    /// Appends rows of a batch of the column's type, no more than the segment has room for.
    fn append_part(&mut self, batch: &ColumnBatch, keep: Option<&[bool]>, rows: Range<usize>) {
        let before = self.present.len();
        let nulls = batch.nulls.as_deref();
        match (keep, nulls) {
            (None, None) => self.present.resize(before + rows.len(), true),
            (None, Some(nulls)) => self.present.extend(nulls[rows.clone()].iter().map(|null| !null)),
            (Some(keep), nulls) => {
                let kept = rows.clone().filter(|i| keep[*i]);
                self.present.extend(kept.map(|i| nulls.is_none_or(|n| !n[i])));
            }
        }
        self.rows += (self.present.len() - before) as u64;
        self.nulls = self
            .nulls
            .wrapping_add(self.present[before..].iter().filter(|present| !**present).count() as u64);
        let picked = Picked { keep, nulls, rows };
        let ints = self.ints.len();
        match &batch.data {
            ColumnData::Bool(v) => picked.each(v, |v| i64::from(*v), &mut self.ints),
            ColumnData::Date(v) => picked.each(v, |v| i64::from(*v), &mut self.ints),
            ColumnData::Int(v)
            | ColumnData::LocalTime(v)
            | ColumnData::LocalDateTime(v)
            | ColumnData::DateTime(v) => picked.each(v, |v| *v, &mut self.ints),
            ColumnData::Float(v) => {
                let floats = self.floats.len();
                picked.each(v, |v| *v, &mut self.floats);
                self.floats[floats..].iter().for_each(|v| self.distinct.add(&v.to_bits()));
            }
            ColumnData::String { bytes, ends } => self.append_texts(&picked, bytes, ends),
            ColumnData::Values(_) => {}
        }
        let fresh = &self.ints[ints..];
        fresh.iter().for_each(|v| self.distinct.add(v));
        if let Some((low, high)) = range(fresh) {
            let (known_low, known_high) = self.range.unwrap_or((low, high));
            self.range = Some((known_low.min(low), known_high.max(high)));
        }
    }

    fn append_texts(&mut self, picked: &Picked<'_>, bytes: &[u8], ends: &[u32]) {
        let start = |i: usize| if i == 0 { 0 } else { ends[i - 1] as usize };
        let text = |i: usize| bytes.get(start(i)..ends[i] as usize).unwrap_or_default();
        let rows = picked.rows.clone();
        if picked.keep.is_none() && picked.nulls.is_none() {
            // All of them are there end to end.
            let (first, last) = (start(rows.start), rows.end.checked_sub(1).map_or(0, |i| ends[i] as usize));
            let shift = self.bytes.len() as i64 - first as i64;
            self.bytes.extend_from_slice(bytes.get(first..last).unwrap_or_default());
            self.ends.extend(ends[rows.clone()].iter().map(|end| i64::from(*end) + shift));
            self.hashes.extend(rows.map(|i| dictionary::hash(text(i))));
        } else {
            for i in rows.filter(|i| picked.has(*i)) {
                self.bytes.extend_from_slice(text(i));
                self.ends.push(self.bytes.len() as i64);
                self.hashes.push(dictionary::hash(text(i)));
            }
        }
    }

    /// Appends rows without a value. **Cost**: a byte a row.
    pub fn append_nulls(&mut self, rows: u64) {
        let mut left = rows;
        while left > 0 {
            let room = (SEGMENT_ROWS - self.present.len()) as u64;
            let now = left.min(room);
            self.present.resize(self.present.len() + now as usize, false);
            self.rows += now;
            self.nulls = self.nulls.wrapping_add(now);
            left -= now;
            if now == room {
                self.end_segment();
            }
        }
    }

    /// Appends one value of any type.
    pub fn push_value(&mut self, value: Value) {
        match (self.ty, &value) {
            (LogicalType::Float, Value::Float(f)) => self.push_float(Some(*f)),
            (LogicalType::Float, Value::Null) => self.push_float(None),
            (LogicalType::String, Value::String(s)) => self.push_text(Some(s.as_bytes())),
            (LogicalType::String, Value::Null) => self.push_text(None),
            (ty, Value::Null) if is_integral(ty) => self.push_int(None),
            (LogicalType::DateTime, Value::DateTime(t)) if t.zone != Zone::UTC => match self.zone_of(t) {
                Some((instant, code)) => self.push_zoned(instant, code),
                None => self.push_exception(value),
            },
            (ty, v) if is_integral(ty) => match as_integer(ty, v) {
                Some(i) => self.push_int(Some(i)),
                None => self.push_exception(value),
            },
            (LogicalType::Float | LogicalType::String, _) => self.push_exception(value),
            // That all are terms of one kind is worth knowing.
            (LogicalType::Literal, Value::Literal(_) | Value::Null)
            | (LogicalType::Iri, Value::Iri(_) | Value::Null) => self.push_general(&value),
            (LogicalType::Literal | LogicalType::Iri, _) => self.push_exception(value),
            _ => self.push_general(&value),
        }
    }

    /// An instant and the number of its zone in the segment; `None` where vectors have no place for it.
    fn zone_of(&mut self, shown: &DateTime) -> Option<(i64, i64)> {
        let instant = zoned_nanos(shown)?;
        if self.zones.is_empty() {
            self.zones.push(Zone::UTC);
        }
        let code = self.zones.iter().position(|zone| *zone == shown.zone).unwrap_or(self.zones.len());
        if code == ZONES_MAX {
            return None;
        }
        if code == self.zones.len() {
            self.zones.push(shown.zone.clone());
        }
        Some((instant, code as i64))
    }

    fn push_zoned(&mut self, instant: i64, code: i64) {
        self.codes.resize(self.ints.len(), 0);
        self.codes.push(code);
        self.ints.push(instant);
        self.distinct.add(&(instant, code));
        self.end_row(true);
    }

    fn push_exception(&mut self, value: Value) {
        self.exception_rows.push(self.present.len() as i64);
        self.exception_values.push(value);
        self.nulls = self.nulls.wrapping_sub(1);
        self.push_absent();
    }

    fn push_absent(&mut self) {
        self.nulls = self.nulls.wrapping_add(1);
        self.end_row(false);
    }

    /// Appends a value of an integral column, as the integer that it is kept as.
    pub fn push_int(&mut self, value: Option<i64>) {
        match value {
            None => self.push_absent(),
            Some(v) => {
                self.ints.push(v);
                self.distinct.add(&v);
                let (low, high) = self.range.unwrap_or((v, v));
                self.range = Some((low.min(v), high.max(v)));
                self.end_row(true);
            }
        }
    }

    /// Appends a value of a column of floats.
    pub fn push_float(&mut self, value: Option<f64>) {
        match value {
            None => self.push_absent(),
            Some(v) => {
                self.floats.push(v);
                self.distinct.add(&v.to_bits());
                self.end_row(true);
            }
        }
    }

    /// Appends a value of a column of texts; it must be UTF-8.
    pub fn push_text(&mut self, value: Option<&[u8]>) {
        match value {
            None => self.push_absent(),
            Some(text) => {
                self.bytes.extend_from_slice(text);
                self.ends.push(self.bytes.len() as i64);
                self.hashes.push(dictionary::hash(text));
                self.end_row(true);
            }
        }
    }

    fn push_general(&mut self, value: &Value) {
        if value.is_null() {
            return self.push_absent();
        }
        let mut encoder = Encoder::new();
        value_codec::encode(value, &mut encoder);
        let encoded = encoder.finish();
        self.distinct.add(&encoded[..]);
        self.bytes.extend_from_slice(&encoded);
        self.ends.push(self.bytes.len() as i64);
        self.end_row(true);
    }

    fn end_row(&mut self, present: bool) {
        self.present.push(present);
        self.rows += 1;
        if self.present.len() == SEGMENT_ROWS {
            self.end_segment();
        }
    }

    /// Ends the current segment, however few rows it has: the next row begins another one.
    pub(crate) fn end_segment(&mut self) {
        if self.present.is_empty() {
            return;
        }
        let mut present = std::mem::take(&mut self.present);
        let count = present.iter().filter(|p| **p).count();
        // Of fewer values a map would take more room than they do, and save no reading.
        let has_zones = is_integral(self.ty) && count >= present.len().div_ceil(ZONE_ROWS) * ZONE_VALUES_MIN;
        let zones =
            if has_zones && self.codes.is_empty() { zone_map(&present, &self.ints) } else { Vec::new() };
        let data = match self.ty {
            LogicalType::Float => encode_floats(&self.floats),
            LogicalType::String => {
                self.hashes.iter().for_each(|hash| self.distinct.add_hash(*hash));
                self.encode_strings()
            }
            LogicalType::DateTime if !self.codes.is_empty() => self.encode_zoned(),
            ty if is_integral(ty) => encode_ints(&self.ints),
            LogicalType::Decimal => self.encode_decimals(),
            _ => self.encode_values(),
        };
        let presence = (count > 0 && count < present.len()).then(|| RankBits::new(&present));
        let mut piece = PieceWriter::new();
        match presence {
            _ if count == 0 => piece.meta.u8(1),
            None => piece.meta.u8(0),
            Some(bits) => {
                piece.meta.u8(2);
                self.size.nulls += put_rank(&bits, &mut piece);
            }
        }
        self.size.data += put_data(data, &mut piece);
        self.size.data += self.put_exceptions(&mut piece);
        put_blob(bytemuck::cast_slice(&zones).to_vec(), &mut piece);
        self.segments.push(piece.finish());
        self.segment_rows.push(present.len());
        // The next segment takes the same room.
        present.clear();
        self.present = present;
        self.ints.clear();
        self.codes.clear();
        self.zones.clear();
        self.floats.clear();
        self.bytes.clear();
        self.ends.clear();
        self.hashes.clear();
        if self.bytes.capacity() > KEPT_BYTES_MAX {
            self.bytes = Vec::new();
        }
    }

    fn encode_zoned(&mut self) -> Encoded {
        let (mut codes, zones) = (std::mem::take(&mut self.codes), std::mem::take(&mut self.zones));
        codes.resize(self.ints.len(), 0);
        Encoded::Zoned { instants: Box::new(encode_ints(&self.ints)), codes: pack(&codes), zones }
    }

    /// Decimals as integers of one scale, where all values are, and fit.
    fn encode_decimals(&mut self) -> Encoded {
        encode_fixed(slices(&self.bytes, &self.ends)).unwrap_or_else(|| self.encode_values())
    }

    /// General values: lists of one type as such; terms are mostly text that others have too.
    fn encode_values(&mut self) -> Encoded {
        let (bytes, ends) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.ends));
        if matches!(self.ty, LogicalType::List | LogicalType::Any) {
            let values: Vec<&[u8]> = slices(&bytes, &ends).collect();
            if let Some(lists) = self.encode_lists(&values) {
                drop(values);
                (self.bytes, self.ends) = (bytes, ends);
                return Encoded::Lists(Box::new(lists));
            }
        }
        if !matches!(self.ty, LogicalType::Iri | LogicalType::Literal) || ends.is_empty() {
            return Encoded::Values { ends: pack(&ends), bytes, compressed: false };
        }
        let texts: Vec<&[u8]> = slices(&bytes, &ends).collect();
        let encoded = match self.encode_heap(&bytes, &ends, &texts) {
            Encoded::Strings { ends, bytes, compressed } => Encoded::Values { ends, bytes, compressed },
            other => other,
        };
        drop(texts);
        (self.bytes, self.ends) = (bytes, ends);
        encoded
    }

    fn encode_strings(&mut self) -> Encoded {
        let (bytes, ends) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.ends));
        let texts: Vec<&[u8]> = slices(&bytes, &ends).collect();
        let encoded = match self.encode_dictionary(&texts, bytes.len()) {
            Some(codes) => Encoded::Dictionary(pack(&codes)),
            None => self.encode_heap(&bytes, &ends, &texts),
        };
        drop(texts);
        (self.bytes, self.ends) = (bytes, ends);
        encoded
    }

    /// Codes of the dictionary, unless those and its new entries cost more than FSST is estimated to.
    pub(super) fn encode_dictionary(&mut self, texts: &[&[u8]], bytes: usize) -> Option<Vec<i64>> {
        let fsst_estimate = bytes / 2 + texts.len() * 11 / 4;
        // What new entries would cost, given up as soon as they cost too much.
        let mut fresh = Fresh::default();
        let mut fresh_bytes = 0;
        let mut codes = Vec::with_capacity(texts.len());
        for (i, (text, hash)) in texts.iter().zip(&self.hashes).enumerate() {
            let code = match self.dictionary.find(*hash, text) {
                Some(code) => code as usize,
                None => {
                    let (number, is_new) = fresh.number(i, *hash, texts, &self.hashes);
                    if is_new {
                        fresh_bytes += text.len() + 3;
                        if fresh_bytes > fsst_estimate || text.len() > self.entry_bytes_max {
                            return None;
                        }
                    }
                    self.dictionary.len() + number
                }
            };
            codes.push(code as i64);
        }
        let entries = self.dictionary.len() + fresh.firsts.len();
        let code_bits = usize::BITS - entries.saturating_sub(1).leading_zeros();
        if fresh_bytes + texts.len() * code_bits as usize / 8 > fsst_estimate {
            return None;
        }
        for i in fresh.firsts {
            self.dictionary.add(self.hashes[i as usize], texts[i as usize]);
        }
        Some(codes)
    }

    pub(super) fn encode_heap(&mut self, bytes: &[u8], ends: &[i64], texts: &[&[u8]]) -> Encoded {
        let fsst = self.continued.as_ref().and_then(|c| c.fsst.as_ref()?.touched());
        if let Some(fsst) = fsst {
            let encoder = FsstEncoder::new(fsst.view());
            let (mut out, mut out_ends) = (Vec::with_capacity(bytes.len() / 2), Vec::new());
            for text in texts {
                encoder.encode(text, &mut out);
                out_ends.push(out.len() as i64);
            }
            return Encoded::Strings { ends: pack(&out_ends), bytes: out, compressed: true };
        }
        // The table lies beside the texts: of few texts it is most of what there is (a column in a hundred
        // has more than its table; of thousands that few nodes have, tables were two fifths of all bytes).
        let table_bytes = if self.is_fsst_used { 0 } else { FsstTable::BYTES };
        let most = (bytes.len() * 9 / 10).saturating_sub(table_bytes);
        let plain = || Encoded::Strings { ends: pack(ends), bytes: bytes.to_vec(), compressed: false };
        if most == 0 {
            return plain();
        }
        let (_, compressor) = self.fsst.get_or_insert_with(|| {
            let mut left = FSST_SAMPLE_BYTES;
            let stride = (texts.len() / 1024).max(1);
            let sample: Vec<&[u8]> = texts
                .iter()
                .step_by(stride)
                .take_while(|t| {
                    left = left.saturating_sub(t.len());
                    left > 0
                })
                .copied()
                .collect();
            train_fsst(&sample)
        });
        let (mut out, out_ends) = compress_fsst(compressor, texts);
        if out.len() >= most {
            return plain();
        }
        self.is_fsst_used = true;
        out.shrink_to_fit();
        Encoded::Strings { ends: pack(&out_ends), bytes: out, compressed: true }
    }

    /// What [`Self::continuing`] wrote: segments, and what the dictionary and the FSST table have become.
    pub(crate) fn finish_segments(mut self) -> WrittenSegments {
        self.end_segment();
        let stats =
            PropertyStats { nulls: self.nulls, distinct: self.distinct.estimate(), range: self.range };
        let (text, ends) = std::mem::take(&mut self.dictionary).into_parts();
        let old = self.continued.as_ref().map(|c| &c.dictionary);
        let (shift, dictionary) = match old.filter(|d| d.len() > 0) {
            Some(old) => {
                (old.shift, stored_dictionary::Dictionary::write_from(old.len(), old.shift, &text, &ends))
            }
            None => stored_dictionary::Dictionary::write(&text, &ends),
        };
        let fsst = self.fsst.as_ref().filter(|_| self.is_fsst_used).map(|(table, _)| Fsst::write(table));
        let segments = self.segments.into_iter().zip(self.segment_rows).collect();
        WrittenSegments { segments, shift, dictionary, fsst, stats }
    }

    /// The column's pieces, its statistics and sizes.
    pub(crate) fn finish(mut self) -> (WrittenColumn, PropertyStats, ColumnBytes) {
        self.end_segment();
        let mut pieces = Vec::new();
        let fsst = self.fsst.as_ref().filter(|_| self.is_fsst_used);
        if let Some((table, _)) = fsst {
            self.size.data += FsstTable::BYTES;
            pieces.push(Fsst::write(table));
        }
        let (text, ends) = std::mem::take(&mut self.dictionary).into_parts();
        let (shift, dictionary) = stored_dictionary::Dictionary::write(&text, &ends);
        drop((text, ends));
        let mut entries = Vec::with_capacity(dictionary.len());
        for (piece, len) in dictionary {
            self.size.data += piece.len();
            pieces.push(piece);
            entries.push(len);
        }
        pieces.append(&mut self.segments);
        let fsst = fsst.is_some();
        let column = WrittenColumn { ty: self.ty, fsst, shift, entries, rows: self.segment_rows, pieces };
        let stats =
            PropertyStats { nulls: self.nulls, distinct: self.distinct.estimate(), range: self.range };
        (column, stats, self.size)
    }

    fn put_exceptions(&mut self, piece: &mut PieceWriter) -> usize {
        let rows = std::mem::take(&mut self.exception_rows);
        if rows.is_empty() {
            piece.meta.u8(0);
            return 0;
        }
        piece.meta.u8(1);
        piece.meta.u64(rows.len() as u64);
        let mut ends = Vec::new();
        let mut bytes = Vec::new();
        for value in std::mem::take(&mut self.exception_values) {
            let mut encoder = Encoder::new();
            value_codec::encode(&value, &mut encoder);
            bytes.append(&mut encoder.finish());
            ends.push(bytes.len() as i64);
        }
        let size = put_ints(pack(&rows), piece) + put_ints(pack(&ends), piece) + bytes.len();
        put_blob(bytes, piece);
        size
    }
}

/// Texts of a segment that are not in the dictionary, numbered as they appear.
#[derive(Default)]
struct Fresh {
    table: HashTable<u32>,
    /// The place of the first of each.
    firsts: Vec<u32>,
}

impl Fresh {
    /// The number of the text at place `i`, and whether it is a new one.
    fn number(&mut self, i: usize, hash: u64, texts: &[&[u8]], hashes: &[u64]) -> (usize, bool) {
        let Self { table, firsts } = self;
        let first = |number: &u32| firsts.get(*number as usize).map_or(0, |place| *place as usize);
        let found = table.entry(
            hash,
            |number| hashes[first(number)] == hash && texts[first(number)] == texts[i],
            |number| hashes[first(number)],
        );
        // A segment has at most 65,536 rows.
        match found {
            hash_table::Entry::Occupied(known) => (*known.get() as usize, false),
            hash_table::Entry::Vacant(place) => {
                place.insert(firsts.len() as u32);
                firsts.push(i as u32);
                (firsts.len() - 1, true)
            }
        }
    }
}

/// Rows of a batch without those that are not kept or null.
struct Picked<'a> {
    keep: Option<&'a [bool]>,
    nulls: Option<&'a [bool]>,
    rows: Range<usize>,
}

impl Picked<'_> {
    #[inline]
    fn has(&self, i: usize) -> bool {
        self.keep.is_none_or(|keep| keep[i]) && self.nulls.is_none_or(|nulls| !nulls[i])
    }

    /// Appends what `convert` makes of their values.
    #[inline]
    fn each<T, U>(&self, values: &[T], convert: impl Fn(&T) -> U, out: &mut Vec<U>) {
        if self.keep.is_none() && self.nulls.is_none() {
            out.extend(values[self.rows.clone()].iter().map(convert));
        } else {
            out.extend(self.rows.clone().filter(|i| self.has(*i)).map(|i| convert(&values[i])));
        }
    }
}

fn slices<'a>(bytes: &'a [u8], ends: &'a [i64]) -> impl Iterator<Item = &'a [u8]> {
    let mut start = 0;
    ends.iter().map(move |end| {
        let end = usize::try_from(*end).unwrap_or(0);
        let slice = &bytes[start..end];
        start = end;
        slice
    })
}

/// Smallest and largest value of each zone, given which rows are present and the present values.
fn zone_map(present: &[bool], values: &[i64]) -> Vec<ZoneRange> {
    let mut at = 0;
    present
        .chunks(ZONE_ROWS)
        .map(|zone| {
            let count = zone.iter().filter(|p| **p).count();
            let slice = &values[at..at + count];
            at += count;
            let low = slice.iter().min().copied().unwrap_or(i64::MAX);
            [low, slice.iter().max().copied().unwrap_or(i64::MIN)]
        })
        .collect()
}

/// The integer a value of an integral type is kept as, if it is of that type and fits.
pub fn as_integer(ty: LogicalType, value: &Value) -> Option<i64> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    match (ty, value) {
        (LogicalType::Bool, Value::Bool(b)) => Some((*b).into()),
        (LogicalType::Int, Value::Int(i)) => Some(*i),
        // Vectors hold dates in 32 bits.
        (LogicalType::Date, Value::Date(d)) => i32::try_from(d.days).ok().map(i64::from),
        (LogicalType::LocalTime, Value::LocalTime(t)) => Some(t.nanos),
        (LogicalType::LocalDateTime, Value::LocalDateTime(t)) => nanos(t.seconds, t.nanos),
        (LogicalType::DateTime, Value::DateTime(t)) if t.zone == trimorph_types::Zone::Offset(0) => {
            nanos(t.seconds, t.nanos)
        }
        _ => None,
    }
}

/// The value of an integral type that is kept as this integer.
pub fn of_integer(ty: LogicalType, integer: i64) -> Value {
    use trimorph_vector::{Values, Vector};
    let values = match ty {
        LogicalType::Bool => return Value::Bool(integer != 0),
        LogicalType::Date => Values::Date(vec![integer as i32]),
        LogicalType::LocalTime => Values::LocalTime(vec![integer]),
        LogicalType::LocalDateTime => Values::LocalDateTime(vec![integer]),
        LogicalType::DateTime => Values::DateTime(vec![integer]),
        _ => return Value::Int(integer),
    };
    Vector::new(values).value(0, &|_| Value::Null)
}

/// One row of a batch as a general value.
pub(crate) fn value_at(data: &ColumnData, i: usize) -> Value {
    use trimorph_vector::{Values, Vector};
    let vector = |values| Vector::new(values).value(0, &|_| Value::Null);
    match data {
        ColumnData::Bool(v) => Value::Bool(v[i]),
        ColumnData::Int(v) => Value::Int(v[i]),
        ColumnData::Float(v) => Value::Float(v[i]),
        ColumnData::Date(v) => vector(Values::Date(vec![v[i]])),
        ColumnData::LocalTime(v) => vector(Values::LocalTime(vec![v[i]])),
        ColumnData::LocalDateTime(v) => vector(Values::LocalDateTime(vec![v[i]])),
        ColumnData::DateTime(v) => vector(Values::DateTime(vec![v[i]])),
        ColumnData::String { bytes, ends } => {
            let start = if i == 0 { 0 } else { ends[i - 1] as usize };
            Value::string(
                String::from_utf8_lossy(bytes.get(start..ends[i] as usize).unwrap_or_default()).as_ref(),
            )
        }
        ColumnData::Values(v) => v[i].clone(),
    }
}
