//! Some segments of a column written anew: takes where each row's value comes from, gives a column that
//! shares the others.

use std::ops::Range;
use std::sync::Arc;

use trimorph_catalog::PropertyStats;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};
use trimorph_vfs::{CodecError, RegionOptions, lay_out};

use super::{RewriteError, check};
use crate::bulk::{ColumnBatch, ColumnData};
use crate::column::{
    Column, ColumnView, ColumnWriter, Dictionary, Entries, Fsst, SEGMENT_ROWS, Segment, WrittenSegments,
};
use crate::slot::Slot;

/// Where the values of rows come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// Rows of the old column that follow each other.
    Old(Range<u64>),
    /// The new value of this number.
    New(usize),
    /// So many rows without a value.
    Nothing(usize),
}

/// Rows to be written, and the segments whose place they take. A part ends its last segment.
pub(super) struct Part {
    /// Old segments; those behind the last old one had no rows.
    pub(super) replaced: Range<usize>,
    /// Where the values of the rows come from.
    pub(super) sources: Sources,
    /// The new values.
    pub(super) new: Vec<Value>,
}

/// Where values come from, in the order of rows; runs are put together.
#[derive(Debug, Default)]
pub(super) struct Sources(Vec<Source>);

impl Sources {
    /// The next row has an old row's value.
    #[inline]
    pub(super) fn old(&mut self, row: u64) {
        match self.0.last_mut() {
            Some(Source::Old(rows)) if rows.end == row => rows.end += 1,
            _ => self.0.push(Source::Old(row..row + 1)),
        }
    }

    /// The next rows have the values of old rows that follow each other.
    pub(super) fn old_rows(&mut self, rows: Range<u64>) {
        if !rows.is_empty() {
            self.0.push(Source::Old(rows));
        }
    }

    /// The next rows have no value.
    #[inline]
    pub(super) fn nothing(&mut self, count: usize) {
        match self.0.last_mut() {
            Some(Source::Nothing(rows)) => *rows += count,
            _ if count > 0 => self.0.push(Source::Nothing(count)),
            _ => {}
        }
    }

    /// The next row has a new value.
    #[inline]
    pub(super) fn new_value(&mut self, number: usize) {
        self.0.push(Source::New(number));
    }
}

/// The column with some segments written anew, and its statistics. Parts are in the order of segments, each
/// made when it is its turn. With `whole` no old segment stays: what only they needed goes, too.
pub(super) fn rewrite(
    column: &Arc<Column>,
    stats: &PropertyStats,
    whole: bool,
    parts: &mut dyn Iterator<Item = Part>,
    options: RegionOptions,
) -> Result<(Column, PropertyStats), RewriteError> {
    let pins = Arc::default();
    let mut writer =
        if whole { ColumnWriter::new(column.ty) } else { ColumnWriter::continuing(column, &pins) };
    let view = ColumnView::pinned(column, &pins);
    let mut replaced: Vec<(Range<usize>, usize)> = Vec::new();
    let (mut segments, mut nulls_before) = (0, 0);
    for mut part in parts {
        let mut rows = 0;
        for source in part.sources.0 {
            match source {
                Source::Old(range) => {
                    rows += (range.end - range.start) as usize;
                    append(&mut writer, &view, range);
                }
                Source::New(i) => {
                    rows += 1;
                    writer.push_value(part.new.get_mut(i).map_or(Value::Null, std::mem::take));
                }
                Source::Nothing(count) => {
                    rows += count;
                    (0..count).for_each(|_| writer.push_value(Value::Null));
                }
            }
        }
        writer.end_segment();
        let old = column.segments.get(part.replaced.start..part.replaced.end.min(column.segments.len()));
        nulls_before +=
            old.unwrap_or_default().iter().filter_map(|s| s.get(&pins)).map(Segment::nulls).sum::<usize>();
        let count = rows.div_ceil(SEGMENT_ROWS);
        segments += count;
        replaced.push((part.replaced, count));
        check(&pins)?;
    }
    let written = writer.finish_segments();
    debug_assert_eq!(written.segments.len(), segments);
    let (low, high) = (stats.range, written.stats.range);
    let range = low.zip(high).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).or(low).or(high);
    let nulls = (stats.nulls + written.stats.nulls).saturating_sub(nulls_before as u64);
    let distinct = stats.distinct.max(written.stats.distinct);
    let (distinct, range) =
        if whole { (written.stats.distinct, written.stats.range) } else { (distinct, range) };
    Ok((put(column, whole, &replaced, written, options)?, PropertyStats { nulls, distinct, range }))
}

/// Appends old rows.
fn append(writer: &mut ColumnWriter, view: &ColumnView<'_>, rows: Range<u64>) {
    let mut at = rows.start;
    while at < rows.end {
        // As many as a vector's memory is good for, within a segment.
        let segment_end = (at / SEGMENT_ROWS as u64 + 1) * SEGMENT_ROWS as u64;
        let end = rows.end.min(segment_end).min(at + (1 << 14));
        let len = (end - at) as usize;
        writer.append(&batch(view.scan(at, len), len), None);
        at = end;
    }
}

pub(super) fn batch(vector: Vector<'_>, len: usize) -> ColumnBatch {
    let nulls = (!vector.nulls.is_none()).then(|| (0..len).map(|i| vector.is_null(i)).collect());
    let data = match vector.values {
        Values::Bool(v) => ColumnData::Bool(v),
        Values::Int(v) => ColumnData::Int(v),
        Values::Float(v) => ColumnData::Float(v),
        Values::Date(v) => ColumnData::Date(v),
        Values::LocalTime(v) => ColumnData::LocalTime(v),
        Values::LocalDateTime(v) => ColumnData::LocalDateTime(v),
        Values::DateTime(v) => ColumnData::DateTime(v),
        values => {
            let vector = Vector { values, nulls: trimorph_vector::Nulls::NONE };
            let null = |i: usize| nulls.as_ref().is_some_and(|n: &Vec<bool>| n[i]);
            let value = |i| if null(i) { Value::Null } else { vector.value(i, &|_| Value::Null) };
            return ColumnBatch { data: ColumnData::Values((0..len).map(value).collect()), nulls: None };
        }
    };
    ColumnBatch { data, nulls }
}

/// A whole segment without values.
fn nothing(column: &Column, options: RegionOptions) -> Result<Arc<Slot<Segment>>, RewriteError> {
    let mut writer = ColumnWriter::new(column.ty);
    (0..SEGMENT_ROWS).for_each(|_| writer.push_value(Value::Null));
    let piece = lay_out(writer.finish().0.pieces, options)?.pop();
    let piece = piece.ok_or(CodecError { offset: 0, expected: "a piece" })?;
    Ok(Segment::slot(&column.given(SEGMENT_ROWS, None), piece)?)
}

/// The column with what was written in the place of some segments.
fn put(
    column: &Arc<Column>,
    whole: bool,
    replaced: &[(Range<usize>, usize)],
    written: WrittenSegments,
    options: RegionOptions,
) -> Result<Column, RewriteError> {
    let WrittenSegments { segments, shift, dictionary, fsst, .. } = written;
    let (entries, rows): (Vec<usize>, Vec<usize>) =
        (dictionary.iter().map(|(_, n)| *n).collect(), segments.iter().map(|(_, n)| *n).collect());
    let has_fsst = fsst.is_some();
    let pieces = fsst.into_iter().chain(dictionary.into_iter().chain(segments).map(|(piece, _)| piece));
    let mut pieces = lay_out(pieces.collect(), options)?.into_iter();
    let mut next = || pieces.next().ok_or(CodecError { offset: 0, expected: "a piece" });
    let fsst = match has_fsst {
        true => Some(Slot::<Fsst>::read(next()?, ())?),
        false => column.fsst.clone().filter(|_| !whole),
    };
    let tail = entries
        .into_iter()
        .map(|len| Ok(Slot::<Entries>::read(next()?, len)?))
        .collect::<Result<_, RewriteError>>()?;
    let unfit = CodecError { offset: 0, expected: "a dictionary that goes on" };
    let dictionary = match whole {
        true => Dictionary::of(shift, tail),
        false => column.dictionary.with_tail(shift, tail),
    };
    let dictionary = dictionary.ok_or(unfit)?;
    let mut out = Column::new(column.ty, Vec::new(), dictionary, fsst);
    let old = &column.segments;
    let kept = |from: usize, to: usize| old.get(from..to.min(old.len())).unwrap_or_default();
    let (mut at, mut rows, mut empty) = (0, rows.into_iter(), None);
    for (place, count) in replaced {
        out.segments.extend_from_slice(kept(at, place.start));
        // Rows that the table got since had no segment, or a shorter one: it is filled up with segments
        // without values.
        let start = if place.start == usize::MAX { old.len() } else { place.start };
        for _ in at.max(old.len())..start {
            let segment = match &empty {
                Some(segment) => Arc::clone(segment),
                None => Arc::clone(empty.insert(nothing(&out, options)?)),
            };
            out.segments.push(segment);
        }
        for _ in 0..*count {
            let rows = rows.next().unwrap_or_default();
            let segment = Segment::slot(&out.given(rows, None), next()?)?;
            out.segments.push(segment);
        }
        at = place.end.max(at);
    }
    out.segments.extend_from_slice(kept(at, old.len()));
    Ok(out)
}
