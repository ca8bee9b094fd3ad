//! Directories: which pieces a column, a direction, the property pages or a key index consist of. A directory
//! is itself a piece; the manifest names directories only, so that it stays small.
//!
//! ```text
//! column      type (1) · FSST table: 0, or 1 and a place · shift (1)
//!             · count (8) × (place, entries 4) · count (8) × (place, rows 4, summary)
//! adjacency   0 vertex column, n CSR in segments of 2^n rows (1) · count (8) × (place, edges 8)
//! pages       count (8) × (place, slots 8)
//! key index   bits (1) · count (8) × place
//! value index count (8) × (place, rows 8)
//! ```
//!
//! A place is a `PieceRef`, 20 bytes. A summary is what must be known of a segment before it is read: flags
//! (1: bit 0 values of another type, bit 1 a range), the encoding (1), and the range if there is one:
//! smallest and largest integer (8 + 8).

use std::sync::Arc;

use trimorph_vfs::{CodecError, Decoder, Encoder, Piece, PieceWriter};

use super::place::PieceRef;
use crate::adjacency::{Adjacency, Form, SegmentRows, Targets};
use crate::column::{Column, Dictionary, SEGMENT_ROWS, Summary, type_code, type_from_code};
use crate::key_index::KeyIndex;
use crate::property_pages::{Given as PagesGiven, PropertyPages, SegmentPages};
use crate::slot::Slot;
use crate::value_index::{GivenRows, Of, ValueIndex};

/// Gives the place of a piece.
pub(super) type Places<'a> = dyn Fn(&Piece) -> PieceRef + 'a;

/// Gives the piece at a place, which nobody has read yet; an error if there is no such place.
pub(super) type Fetch<'a> = dyn FnMut(PieceRef) -> Result<Arc<Piece>, CodecError> + 'a;

fn finish(meta: Encoder) -> Vec<u8> {
    PieceWriter::of(meta).finish()
}

pub(super) fn write_column(column: &Column, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    meta.u8(type_code(column.ty));
    meta.u8(u8::from(column.fsst.is_some()));
    if let Some(fsst) = &column.fsst {
        places(fsst.piece()).write(&mut meta);
    }
    meta.u8(column.dictionary.shift);
    meta.u64(column.dictionary.pieces.len() as u64);
    for entries in &column.dictionary.pieces {
        places(entries.piece()).write(&mut meta);
        meta.u32(u32::try_from(*entries.given()).unwrap_or(u32::MAX));
    }
    meta.u64(column.segments.len() as u64);
    for segment in &column.segments {
        places(segment.piece()).write(&mut meta);
        meta.u32(u32::try_from(segment.given().rows).unwrap_or(u32::MAX));
        write_summary(segment.given().summary.as_ref(), &mut meta);
    }
    finish(meta)
}

fn write_summary(summary: Option<&Summary>, meta: &mut Encoder) {
    let exceptions = summary.is_some_and(|s| s.exceptions);
    let range = summary.and_then(|s| s.range);
    meta.u8(u8::from(exceptions) | u8::from(range.is_some()) << 1);
    meta.u8(summary.map_or(0, |s| s.encoding));
    if let Some((low, high)) = range {
        meta.i64(low);
        meta.i64(high);
    }
}

fn read_summary(meta: &mut Decoder<'_>) -> Result<Summary, CodecError> {
    let flags = meta.u8()?;
    if flags > 3 {
        return Err(meta.error("flags of a segment"));
    }
    let encoding = meta.u8()?;
    let range = if flags & 2 == 0 { None } else { Some((meta.i64()?, meta.i64()?)) };
    Ok(Summary { exceptions: flags & 1 == 1, encoding, range })
}

/// Reads the column whose segments have these rows; unless `whole`, the last ones may have fewer, or none:
/// the table has got rows since. A column that was declared and never written to has none.
pub(super) fn read_column(
    directory: &Piece,
    rows: &[usize],
    whole: bool,
    pieces: &mut Fetch<'_>,
) -> Result<Column, CodecError> {
    let meta = &mut Decoder::new(directory.metadata());
    let ty = type_from_code(meta.u8()?).ok_or(meta.error("a column type"))?;
    let fsst = match meta.u8()? {
        0 => None,
        _ => Some(Slot::new(pieces(PieceRef::read(meta)?)?, ())),
    };
    let (shift, mut entries) = (meta.u8()?, Vec::new());
    for _ in 0..meta.count(meta.remaining())? {
        let (place, len) = (PieceRef::read(meta)?, meta.u32()? as usize);
        entries.push(Slot::new(pieces(place)?, len));
    }
    let dictionary = Dictionary::of(shift, entries).ok_or(meta.error("pieces of so many entries"))?;
    let mut column = Column::new(ty, Vec::new(), dictionary, fsst);
    let count = meta.count(rows.len())?;
    if whole && count != rows.len() && count > 0 {
        return Err(meta.error("a segment for each of the table's"));
    }
    for wanted in &rows[..count] {
        let (place, len) = (PieceRef::read(meta)?, meta.u32()? as usize);
        if len > *wanted || (whole && len != *wanted) || len > SEGMENT_ROWS {
            return Err(meta.error("the rows of the table's segment"));
        }
        let given = column.given(len, Some(read_summary(meta)?));
        column.segments.push(Slot::new(pieces(place)?, given));
    }
    Ok(column)
}

/// Writes places, each with a number.
fn write_places<'a>(
    pieces: impl ExactSizeIterator<Item = (&'a Arc<Piece>, u64)>,
    places: &Places<'_>,
    meta: &mut Encoder,
) {
    meta.u64(pieces.len() as u64);
    for (piece, number) in pieces {
        places(piece).write(meta);
        meta.u64(number);
    }
}

/// Reads at most as many places as there are segments, each with its number.
fn read_places(
    meta: &mut Decoder<'_>,
    most: usize,
    pieces: &mut Fetch<'_>,
) -> Result<Vec<(Arc<Piece>, u64)>, CodecError> {
    let count = meta.count(most)?;
    (0..count).map(|_| Ok((pieces(PieceRef::read(meta)?)?, meta.u64()?))).collect()
}

pub(super) fn write_adjacency(adjacency: &Adjacency, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    meta.u8(match adjacency.form() {
        Form::Column => 0,
        Form::Csr(rows) => rows.bits(),
    });
    write_places(adjacency.pieces().into_iter(), places, &mut meta);
    finish(meta)
}

/// Reads the direction seen from a table of `rows` rows.
pub(super) fn read_adjacency(
    directory: &Piece,
    rows: u64,
    targets: &Targets,
    pieces: &mut Fetch<'_>,
) -> Result<Adjacency, CodecError> {
    let meta = &mut Decoder::new(directory.metadata());
    let form = match meta.u8()? {
        0 => Form::Column,
        bits => Form::Csr(SegmentRows::from_bits(bits).ok_or(meta.error("a kind of adjacency"))?),
    };
    let places = read_places(meta, form.segment_rows().each(rows).count(), pieces)?;
    // No list has 2^32 edges or more, and a vertex column no more than rows.
    let most = match form {
        Form::Column => SEGMENT_ROWS as u64,
        Form::Csr(_) => u64::from(u32::MAX),
    };
    if places.iter().any(|(_, edges)| *edges > most) {
        return Err(meta.error("edges of a segment"));
    }
    Ok(Adjacency::stored(form, rows, targets, places.into_iter()))
}

pub(super) fn write_pages(pages: &PropertyPages, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    let slots = pages.slots().iter();
    write_places(slots.map(|s| (s.piece(), s.given().slots.unwrap_or(0))), places, &mut meta);
    finish(meta)
}

/// Reads the pages of a table of `rows` rows, whose lists are in segments of `segment_rows`.
pub(super) fn read_pages(
    directory: &Piece,
    rows: u64,
    segment_rows: SegmentRows,
    pieces: &mut Fetch<'_>,
) -> Result<Vec<Arc<Slot<SegmentPages>>>, CodecError> {
    let meta = &mut Decoder::new(directory.metadata());
    let places = read_places(meta, segment_rows.each(rows).count(), pieces)?;
    if places.iter().any(|(_, slots)| *slots > u64::from(u32::MAX)) {
        return Err(meta.error("slots of a segment"));
    }
    let slots = places.into_iter().zip(segment_rows.each(rows));
    Ok(slots
        .map(|((piece, slots), rows)| Slot::new(piece, PagesGiven { rows, slots: Some(slots) }))
        .collect())
}

pub(super) fn write_key_index(index: &KeyIndex, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    meta.u8(index.bits);
    meta.u64(index.pieces.len() as u64);
    index.pieces.iter().for_each(|slot| places(slot.piece()).write(&mut meta));
    finish(meta)
}

pub(super) fn read_key_index(
    directory: &Piece,
    rows: u64,
    pieces: &mut Fetch<'_>,
) -> Result<KeyIndex, CodecError> {
    let meta = &mut Decoder::new(directory.metadata());
    let bits = meta.u8()?;
    let most = 1usize.checked_shl(bits.into()).ok_or(meta.error("bits of a key index"))?;
    let slots = (0..meta.count(most)?)
        .map(|_| Ok(Slot::new(pieces(PieceRef::read(meta)?)?, rows)))
        .collect::<Result<_, CodecError>>()?;
    KeyIndex::of(bits, slots).ok_or(meta.error("pieces of a key index"))
}

pub(super) fn write_value_index(index: &ValueIndex, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    let pieces = index.pieces.iter().map(|slot| (slot.piece(), u64::from(slot.given().len)));
    write_places(pieces, places, &mut meta);
    finish(meta)
}

/// Reads the index of a column of a table of `count` rows or edges.
pub(super) fn read_value_index(
    directory: &Piece,
    of: Of,
    count: u64,
    pieces: &mut Fetch<'_>,
) -> Result<ValueIndex, CodecError> {
    let meta = &mut Decoder::new(directory.metadata());
    let places = read_places(meta, meta.remaining(), pieces)?;
    let mut left = count;
    let slots = places.into_iter().map(|(piece, len)| {
        // No row is there twice.
        let fits = left.checked_sub(len).zip(u32::try_from(len).ok());
        let (rest, len) = fits.ok_or_else(|| meta.error("rows of the table"))?;
        left = rest;
        Ok(Slot::new(piece, GivenRows { of, len }))
    });
    Ok(ValueIndex::of(slots.collect::<Result<_, CodecError>>()?))
}
