//! Directories: which pieces a column, a direction, the property pages or a key index consist of. A directory
//! is itself a piece; the manifest names directories only, so that it stays small.
//!
//! ```text
//! column      type (1) · FSST table: 0, or 1 and a place · shift (1)
//!             · count (8) × (place, entries 4) · count (8) × (place, rows 4)
//! adjacency   0 CSR, 1 vertex column (1) · count (8) × place
//! pages       count (8) × place
//! key index   bits (1) · count (8) × place
//! ```
//!
//! A place is a `PieceRef`, 20 bytes.

use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_vfs::{CodecError, Decoder, Encoder, Piece, PieceWriter};

use super::place::PieceRef;
use crate::adjacency::{Adjacency, segment_rows};
use crate::column::{Column, Dictionary, Entries, Fsst, SEGMENT_ROWS, type_code, type_from_code};
use crate::key_index::{KeyIndex, Slots};
use crate::property_pages::{PropertyPages, SegmentPages};

/// Gives the place of a piece.
pub(super) type Places<'a> = dyn Fn(&Piece) -> PieceRef + 'a;

/// Why a piece named by a directory cannot be had: told with the place it is at.
pub(super) type Fetch<'a, E> = dyn FnMut(PieceRef) -> Result<Arc<Piece>, E> + 'a;

/// What is wrong with a directory or with a piece that it names.
pub(super) enum DirectoryError<E> {
    /// The directory itself.
    Own(CodecError),
    /// A piece that could not be had.
    Piece(E),
    /// A piece whose content does not fit.
    Content(PieceRef, CodecError),
}

impl<E> From<CodecError> for DirectoryError<E> {
    fn from(error: CodecError) -> Self {
        Self::Own(error)
    }
}

fn finish(meta: Encoder) -> Vec<u8> {
    PieceWriter::of(meta).finish()
}

pub(super) fn write_column(column: &Column, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    meta.u8(type_code(column.ty));
    meta.u8(u8::from(column.fsst.is_some()));
    if let Some(fsst) = &column.fsst {
        places(&fsst.piece).write(&mut meta);
    }
    meta.u8(column.dictionary.shift);
    meta.u64(column.dictionary.pieces.len() as u64);
    for entries in &column.dictionary.pieces {
        places(&entries.piece).write(&mut meta);
        meta.u32(u32::try_from(entries.len).unwrap_or(u32::MAX));
    }
    meta.u64(column.segments.len() as u64);
    for segment in &column.segments {
        places(&segment.piece).write(&mut meta);
        meta.u32(u32::try_from(segment.rows).unwrap_or(u32::MAX));
    }
    finish(meta)
}

/// Reads a piece with `read`; what does not fit is told with its place.
fn fetch<T, E>(
    place: PieceRef,
    pieces: &mut Fetch<'_, E>,
    read: impl FnOnce(Arc<Piece>) -> Result<T, CodecError>,
) -> Result<Arc<T>, DirectoryError<E>> {
    let piece = pieces(place).map_err(DirectoryError::Piece)?;
    read(piece).map(Arc::new).map_err(|e| DirectoryError::Content(place, e))
}

/// Reads the column whose segments have these rows; unless `whole`, the last ones may have fewer, or none:
/// the table has got rows since.
pub(super) fn read_column<E>(
    directory: &Piece,
    rows: &[usize],
    whole: bool,
    pieces: &mut Fetch<'_, E>,
) -> Result<Column, DirectoryError<E>> {
    let meta = &mut Decoder::new(directory.metadata());
    let ty = type_from_code(meta.u8()?).ok_or(meta.error("a column type"))?;
    let fsst = match meta.u8()? {
        0 => None,
        _ => Some(fetch(PieceRef::read(meta)?, pieces, Fsst::read)?),
    };
    let (shift, mut entries) = (meta.u8()?, Vec::new());
    for _ in 0..meta.count(meta.remaining())? {
        let (place, len) = (PieceRef::read(meta)?, meta.u32()? as usize);
        entries.push(fetch(place, pieces, |piece| Entries::read(piece, len))?);
    }
    let dictionary = Dictionary::of(shift, entries).ok_or(meta.error("pieces of so many entries"))?;
    let mut column = Column { ty, segments: Vec::new(), dictionary, fsst };
    let count = meta.count(rows.len())?;
    if whole && count != rows.len() {
        return Err(meta.error("a segment for each of the table's").into());
    }
    for wanted in &rows[..count] {
        let (place, len) = (PieceRef::read(meta)?, meta.u32()? as usize);
        if len > *wanted || (whole && len != *wanted) || len > SEGMENT_ROWS {
            return Err(meta.error("the rows of the table's segment").into());
        }
        let segment = fetch(place, pieces, |piece| column.read_segment(piece, len))?;
        column.segments.push(segment);
    }
    Ok(column)
}

fn write_places<'a>(
    pieces: impl ExactSizeIterator<Item = &'a Arc<Piece>>,
    places: &Places<'_>,
    meta: &mut Encoder,
) {
    meta.u64(pieces.len() as u64);
    pieces.for_each(|piece| places(piece).write(meta));
}

/// Reads at most as many places as there are segments.
fn read_places(meta: &mut Decoder<'_>, most: usize) -> Result<Vec<PieceRef>, CodecError> {
    let count = meta.count(most)?;
    (0..count).map(|_| PieceRef::read(meta)).collect()
}

pub(super) fn write_adjacency(adjacency: &Adjacency, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    meta.u8(u8::from(matches!(adjacency, Adjacency::Column(_))));
    write_places(adjacency.pieces().into_iter(), places, &mut meta);
    finish(meta)
}

/// Reads the direction seen from a table of `rows` rows.
pub(super) fn read_adjacency<E>(
    directory: &Piece,
    rows: u64,
    targets: &[(TableId, u64)],
    pieces: &mut Fetch<'_, E>,
) -> Result<Adjacency, DirectoryError<E>> {
    let meta = &mut Decoder::new(directory.metadata());
    let single = match meta.u8()? {
        0 => false,
        1 => true,
        _ => return Err(meta.error("a kind of adjacency").into()),
    };
    let places = read_places(meta, segment_rows(rows).count())?;
    // What fails is known by what was asked for last.
    let (mut failed, mut last) = (None, None);
    let read = Adjacency::read(
        single,
        rows,
        targets,
        &mut places.iter().map(|place| {
            last = Some(*place);
            pieces(*place).map_err(|e| {
                failed = Some(e);
                CodecError { offset: 0, expected: "a piece" }
            })
        }),
    );
    match (read, failed, last) {
        (Ok(adjacency), ..) => Ok(adjacency),
        (Err(_), Some(e), _) => Err(DirectoryError::Piece(e)),
        (Err(e), None, Some(place)) => Err(DirectoryError::Content(place, e)),
        (Err(e), None, None) => Err(DirectoryError::Own(e)),
    }
}

pub(super) fn write_pages(pages: &PropertyPages, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    let pieces: Vec<&Arc<Piece>> = pages.segments.iter().filter_map(|s| s.piece.as_ref()).collect();
    write_places(pieces.into_iter(), places, &mut meta);
    finish(meta)
}

pub(super) fn read_pages<E>(
    directory: &Piece,
    rows: u64,
    pieces: &mut Fetch<'_, E>,
) -> Result<Vec<Arc<SegmentPages>>, DirectoryError<E>> {
    let meta = &mut Decoder::new(directory.metadata());
    let places = read_places(meta, segment_rows(rows).count())?;
    (places.into_iter().zip(segment_rows(rows)))
        .map(|(place, rows)| fetch(place, pieces, |piece| SegmentPages::read(piece, rows)))
        .collect()
}

pub(super) fn write_key_index(index: &KeyIndex, places: &Places<'_>) -> Vec<u8> {
    let mut meta = Encoder::new();
    meta.u8(index.bits);
    write_places(index.pieces.iter().map(|p| &p.piece), places, &mut meta);
    finish(meta)
}

pub(super) fn read_key_index<E>(
    directory: &Piece,
    rows: u64,
    pieces: &mut Fetch<'_, E>,
) -> Result<KeyIndex, DirectoryError<E>> {
    let meta = &mut Decoder::new(directory.metadata());
    let bits = meta.u8()?;
    let count = 1usize.checked_shl(bits.into()).ok_or(meta.error("bits of a key index"))?;
    let slots = (read_places(meta, count)?.into_iter())
        .map(|place| fetch(place, pieces, |piece| Slots::read(piece, rows)))
        .collect::<Result<_, _>>()?;
    Ok(KeyIndex::of(bits, slots).ok_or(meta.error("pieces of a key index"))?)
}
