//! Blobs of a column's pieces, and what stands in the metadata of them: integers, ends of texts, which rows
//! are present, names of types.

use std::sync::Arc;

use trimorph_encoding::{Packed, PackedView, RANK_ENTRY_BYTES, RankBits, RankView, expand_rank};
use trimorph_types::LogicalType;
use trimorph_vfs::{Bytes, CodecError, Decoder, Piece, PieceWriter, TextBytes};

/// Integers in place.
#[derive(Clone, Debug)]
pub(crate) struct Ints {
    pub(crate) bits: u8,
    pub(crate) base: i64,
    pub(crate) step: u64,
    pub(crate) codes: Bytes,
}

impl Ints {
    #[inline]
    pub(crate) fn view(&self) -> PackedView<'_> {
        PackedView { bits: self.bits, base: self.base, step: self.step, bytes: self.codes.as_slice() }
    }

    pub(crate) fn write(packed: Packed, piece: &mut PieceWriter) {
        piece.meta.u8(packed.bits);
        piece.meta.i64(packed.base);
        piece.meta.u64(packed.step);
        put_blob(packed.bytes, piece);
    }

    /// Reads and checks that `len` codes are there.
    pub(crate) fn read(piece: &Piece, meta: &mut Decoder<'_>, len: usize) -> Result<Self, CodecError> {
        let (bits, base, step) = (meta.u8()?, meta.i64()?, meta.u64()?);
        let codes = piece.read_blob(meta)?;
        let ints = Self { bits, base, step, codes };
        if ints.view().holds(len) { Ok(ints) } else { Err(meta.error("a blob that holds the codes")) }
    }
}

/// Reads `len` ends of texts or values that lie end to end in `bytes` bytes: ascending and within, or two
/// texts could be the same bytes and a small file all of memory.
pub(super) fn read_ends(
    piece: &Piece,
    meta: &mut Decoder<'_>,
    len: usize,
    bytes: impl FnOnce(&mut Decoder<'_>) -> Result<usize, CodecError>,
) -> Result<Ints, CodecError> {
    let ends = Ints::read(piece, meta, len)?;
    let bytes = bytes(meta)? as i64;
    let view = ends.view();
    // A constant needs no look at each, of which there may be any number.
    let ok = if view.bits == 0 {
        (0..=bytes).contains(&view.base)
    } else {
        let (mut last, mut ok, mut batch) = (0, true, [0i64; 64]);
        for from in (0..len).step_by(batch.len()) {
            let batch = &mut batch[..(len - from).min(64)];
            view.unpack(from, batch);
            for end in batch {
                ok &= last <= *end;
                last = *end;
            }
        }
        ok && last <= bytes
    };
    if ok || len == 0 { Ok(ends) } else { Err(meta.error("ascending ends within the bytes")) }
}

/// The ends of texts, and they.
pub(super) fn read_text(
    piece: &Piece,
    meta: &mut Decoder<'_>,
    len: usize,
) -> Result<(Ints, TextBytes), CodecError> {
    let mut text = None;
    let ends = read_ends(piece, meta, len, |meta| {
        let blob = TextBytes::new(piece.read_blob(meta)?).ok_or(meta.error("UTF-8 text"))?;
        Ok(text.insert(blob).as_str().len())
    })?;
    text.map(|text| (ends, text)).ok_or(meta.error("UTF-8 text"))
}

/// The ends of values or compressed texts, and their bytes.
pub(super) fn read_values(
    piece: &Piece,
    meta: &mut Decoder<'_>,
    len: usize,
) -> Result<(Ints, Bytes), CodecError> {
    let mut bytes = None;
    let ends = read_ends(piece, meta, len, |meta| Ok(bytes.insert(piece.read_blob(meta)?).len()))?;
    bytes.map(|bytes| (ends, bytes)).ok_or(meta.error("values"))
}

/// Bits with ranks, in place, or made of the few rows that are present.
#[derive(Clone, Debug)]
pub(crate) enum RankBytes {
    InPlace(Bytes),
    Made(Arc<RankBits>),
}

impl RankBytes {
    #[inline]
    pub(crate) fn view(&self) -> RankView<'_> {
        match self {
            Self::InPlace(bytes) => RankView::new(bytes.as_slice()),
            Self::Made(bits) => bits.view(),
        }
    }

    /// Bytes that are not those of the piece.
    pub(crate) fn made_bytes(&self) -> usize {
        match self {
            Self::InPlace(_) => 0,
            Self::Made(bits) => bits.size(),
        }
    }
}

/// Reads a presence index of `len` rows and gives the number of rows present.
pub(crate) fn read_presence(
    piece: &Piece,
    meta: &mut Decoder<'_>,
    len: usize,
) -> Result<(RankBytes, usize), CodecError> {
    let bytes = piece.read_blob(meta)?;
    let whole = bytes.len() == len.div_ceil(64) * RANK_ENTRY_BYTES;
    let bits = match expand_rank(bytes.as_slice(), len) {
        Some(bits) if !whole => Some(RankBytes::Made(Arc::new(bits))),
        _ => whole.then_some(RankBytes::InPlace(bytes)),
    };
    let present = bits.as_ref().and_then(|bits| bits.view().check(len));
    bits.zip(present).ok_or(meta.error("a presence index of the segment's length"))
}

/// Adds a blob and names it in the metadata.
pub(crate) fn put_blob(bytes: Vec<u8>, piece: &mut PieceWriter) {
    let id = piece.put(bytes);
    piece.meta.u32(id.0);
}

/// Types kept as integers.
pub(crate) fn is_integral(ty: LogicalType) -> bool {
    use LogicalType as T;
    matches!(ty, T::Bool | T::Int | T::Date | T::LocalTime | T::LocalDateTime | T::DateTime)
}

const TYPES: [LogicalType; 20] = [
    LogicalType::Any,
    LogicalType::Bool,
    LogicalType::Int,
    LogicalType::Float,
    LogicalType::String,
    LogicalType::Bytes,
    LogicalType::Date,
    LogicalType::LocalTime,
    LogicalType::Time,
    LogicalType::LocalDateTime,
    LogicalType::DateTime,
    LogicalType::Duration,
    LogicalType::List,
    LogicalType::Map,
    LogicalType::Node,
    LogicalType::Relationship,
    LogicalType::Path,
    LogicalType::Decimal,
    LogicalType::Iri,
    LogicalType::Literal,
];

/// The code a type has on disk.
pub(crate) fn type_code(ty: LogicalType) -> u8 {
    TYPES.iter().position(|t| *t == ty).and_then(|i| u8::try_from(i).ok()).unwrap_or(0)
}

/// The type with a code on disk.
pub(crate) fn type_from_code(code: u8) -> Option<LogicalType> {
    TYPES.get(code as usize).copied()
}
