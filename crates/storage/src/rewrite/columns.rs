//! Some segments of a column written anew: takes where each row's value comes from, gives a column that
//! shares the others.

use std::ops::Range;
use std::sync::Arc;

use trimorph_catalog::PropertyStats;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};
use trimorph_vfs::{RegionOptions, lay_out};

use super::{RewriteError, check};
use crate::bulk::{ColumnBatch, ColumnData};
use crate::column::{
    Column, ColumnView, ColumnWriter, Entries, Fsst, SEGMENT_ROWS, Segment, WrittenSegments,
};
use crate::slot::Slot;

/// Where the value of a row of the new segment comes from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// A row of the old column.
    Old(u64),
    /// One of the new values.
    New(usize),
    /// No value.
    Nothing,
}

/// The column with segments `replaced` written anew, of the rows of `sources`; and its statistics.
pub(super) fn rewrite(
    column: &Arc<Column>,
    stats: &PropertyStats,
    replaced: Range<usize>,
    sources: &[Source],
    new: &dyn Fn(usize) -> Value,
    options: RegionOptions,
) -> Result<(Column, PropertyStats), RewriteError> {
    let pins = Arc::default();
    let mut writer = ColumnWriter::continuing(column, &pins);
    let view = ColumnView::pinned(column, &pins);
    let mut slots = Vec::new();
    for source in sources {
        if let Source::Old(slot) = source {
            slots.push(*slot);
            continue;
        }
        append(&mut writer, &view, &mut slots);
        match source {
            Source::New(i) => writer.push_value(new(*i)),
            _ => writer.push_value(Value::Null),
        }
    }
    append(&mut writer, &view, &mut slots);
    let written = writer.finish_segments();
    let old = column.segments.get(replaced.clone()).unwrap_or_default();
    let before: usize = old.iter().filter_map(|s| s.get(&pins)).map(Segment::nulls).sum();
    check(&pins)?;
    let (low, high) = (stats.range, written.stats.range);
    let range = low.zip(high).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).or(low).or(high);
    let nulls = (stats.nulls + written.stats.nulls).saturating_sub(before as u64);
    let distinct = stats.distinct.max(written.stats.distinct);
    Ok((put(column, replaced, written, options)?, PropertyStats { nulls, distinct, range }))
}

/// Appends the old rows that were collected.
fn append(writer: &mut ColumnWriter, view: &ColumnView<'_>, slots: &mut Vec<u64>) {
    // As many as a vector's memory is good for.
    for part in slots.chunks(1 << 14) {
        writer.append(&batch(view.gather_rows(part), part.len()), None);
    }
    slots.clear();
}

fn batch(vector: Vector<'_>, len: usize) -> ColumnBatch {
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
    let piece = piece.ok_or(trimorph_vfs::CodecError { offset: 0, expected: "a piece" })?;
    Ok(Segment::slot(&column.given(SEGMENT_ROWS, None), piece)?)
}

/// The column with what was written in the place of some segments.
fn put(
    column: &Arc<Column>,
    replaced: Range<usize>,
    written: WrittenSegments,
    options: RegionOptions,
) -> Result<Column, RewriteError> {
    let WrittenSegments { segments, shift, dictionary, fsst, .. } = written;
    let (entries, rows): (Vec<usize>, Vec<usize>) =
        (dictionary.iter().map(|(_, n)| *n).collect(), segments.iter().map(|(_, n)| *n).collect());
    let has_fsst = fsst.is_some();
    let pieces = fsst.into_iter().chain(dictionary.into_iter().chain(segments).map(|(piece, _)| piece));
    let mut pieces = lay_out(pieces.collect(), options)?.into_iter();
    let mut next = || pieces.next().ok_or(trimorph_vfs::CodecError { offset: 0, expected: "a piece" });
    let fsst = if has_fsst { Some(Slot::<Fsst>::read(next()?, ())?) } else { column.fsst.clone() };
    let tail = entries
        .into_iter()
        .map(|len| Ok(Slot::<Entries>::read(next()?, len)?))
        .collect::<Result<_, RewriteError>>()?;
    let unfit = trimorph_vfs::CodecError { offset: 0, expected: "a dictionary that goes on" };
    let dictionary = column.dictionary.with_tail(shift, tail).ok_or(unfit)?;
    let mut out = Column::new(column.ty, column.segments.clone(), dictionary, fsst);
    let new = rows
        .into_iter()
        .map(|rows| Ok(Segment::slot(&out.given(rows, None), next()?)?))
        .collect::<Result<Vec<_>, RewriteError>>()?;
    // Rows that the table got since had no segment, or a shorter one: it is filled up with segments without
    // values.
    while out.segments.len() < replaced.start {
        out.segments.push(nothing(&out, options)?);
    }
    let replaced = replaced.start..replaced.end.min(out.segments.len()).max(replaced.start);
    out.segments.splice(replaced, new);
    Ok(out)
}
