//! What a column is made of, and the form of its pieces: segments, dictionary, FSST table.

use std::sync::Arc;

use trimorph_encoding::{
    DecimalsView, Packed, PackedView, RANK_ENTRY_BYTES, RankBits, RankView, expand_rank,
};
use trimorph_types::LogicalType;
use trimorph_vfs::{Bytes, CodecError, Decoder, Piece, PieceWriter, TextBytes};

use super::stored_lists::StoredLists;

/// Rows of a segment: the unit of encoding and of publication.
pub const SEGMENT_ROWS: usize = 1 << 16;
/// Rows of a zone: the unit of zone maps and, with the delta, of the "has a version" flag.
pub const ZONE_ROWS: usize = 1 << 10;

/// Rows of each segment of a column of `rows` rows.
pub(crate) fn segment_lengths(rows: u64) -> impl Iterator<Item = usize> {
    const ROWS: u64 = SEGMENT_ROWS as u64;
    (0..rows.div_ceil(ROWS)).map(move |i| (rows - i * ROWS).min(ROWS) as usize)
}

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
fn read_values(piece: &Piece, meta: &mut Decoder<'_>, len: usize) -> Result<(Ints, Bytes), CodecError> {
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

/// Which rows of a segment have a value.
#[derive(Clone, Debug)]
pub(crate) enum Presence {
    All,
    None,
    Some(RankBytes),
}

/// The values of the rows present.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Ints(Ints),
    /// What is left of a line.
    Linear {
        slope: i64,
        codes: Ints,
    },
    /// Integers, or the bits of floats.
    Runs {
        starts: RankBytes,
        values: Ints,
    },
    Floats(Bytes),
    Decimals(Decimals),
    Dictionary(Ints),
    Strings {
        ends: Ints,
        text: TextBytes,
    },
    Compressed {
        ends: Ints,
        bytes: Bytes,
    },
    Values {
        ends: Ints,
        bytes: Bytes,
        /// With the column's FSST table.
        compressed: bool,
    },
    /// Lists, all elements of which are of one type.
    Lists(Box<StoredLists>),
}

/// Floats that were decimals.
#[derive(Clone, Debug)]
pub(crate) struct Decimals {
    exponent: u8,
    integers: Ints,
    exceptions: Option<(RankBytes, Bytes)>,
}

impl Decimals {
    pub(crate) fn view(&self) -> Option<DecimalsView<'_>> {
        let exceptions = self.exceptions.as_ref().map(|(bits, values)| {
            (bits.view(), bytemuck::try_cast_slice(values.as_slice()).unwrap_or_default())
        });
        DecimalsView::new(self.exponent, self.integers.view(), exceptions)
    }

    fn read(piece: &Piece, meta: &mut Decoder<'_>, len: usize) -> Result<Self, CodecError> {
        let exponent = meta.u8()?;
        let integers = Ints::read(piece, meta, len)?;
        let exceptions = match meta.u8()? {
            0 => None,
            _ => {
                let (bits, count) = read_presence(piece, meta, len)?;
                Some((bits, read_floats(piece, meta, count)?))
            }
        };
        let decimals = Self { exponent, integers, exceptions };
        if decimals.view().is_some() { Ok(decimals) } else { Err(meta.error("a power of ten")) }
    }
}

fn read_floats(piece: &Piece, meta: &mut Decoder<'_>, len: usize) -> Result<Bytes, CodecError> {
    let blob = piece.read_blob(meta)?;
    if bytemuck::try_cast_slice::<u8, f64>(blob.as_slice()).map(<[f64]>::len) != Ok(len) {
        return Err(meta.error("as many floats as rows present"));
    }
    Ok(blob)
}

/// The segment of a row, and the row within.
#[inline(always)]
pub(super) fn split(row: u64) -> (usize, usize) {
    let row = row as usize;
    (row / SEGMENT_ROWS, row % SEGMENT_ROWS)
}

/// Smallest and largest integer of a zone; the smallest is above the largest where all are null.
pub(crate) type ZoneRange = [i64; 2];

/// What is in a piece of a column.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) rows: usize,
    pub(crate) presence: Presence,
    pub(crate) data: Data,
    pub(crate) exceptions: Option<Exceptions>,
    zones: Bytes,
}

/// What is known of a segment without reading it.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// The column's type.
    pub(crate) ty: LogicalType,
    pub(crate) rows: usize,
    /// Entries of the dictionary: its codes are below.
    pub(crate) entries: usize,
    /// Whether the column has an FSST table.
    pub(crate) fsst: bool,
    /// None before it was read for the first time.
    pub(crate) summary: Option<Summary>,
}

/// What a directory says of a segment's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Summary {
    /// Whether some are of another type.
    pub(crate) exceptions: bool,
    /// Place of the encoding's name in [`ENCODINGS`].
    pub(crate) encoding: u8,
    /// Smallest and largest integer, where there are zone maps.
    pub(crate) range: Option<(i64, i64)>,
}

impl Given {
    /// Whether some values are of another type.
    pub(crate) fn has_exceptions(&self) -> bool {
        self.summary.is_some_and(|s| s.exceptions)
    }
}

/// The encoding of a segment in which no row has a value.
pub(super) const NO_VALUES: &str = "null";

/// Short names of encodings; their order is that of directories.
pub(super) const ENCODINGS: [&str; 14] = [
    NO_VALUES,
    "constant",
    "bitmap",
    "frame of reference",
    "linear",
    "runs",
    "decimal float",
    "plain float",
    "dictionary",
    "plain string",
    "FSST string",
    "general",
    "FSST general",
    "lists",
];

impl Stored {
    /// What a directory says of it.
    pub(super) fn summary(&self) -> Summary {
        let encoding = match (&self.presence, &self.data) {
            (Presence::None, _) => 0,
            (_, Data::Ints(i)) if i.bits == 0 => 1,
            (_, Data::Ints(i)) if i.bits == 1 => 2,
            (_, Data::Ints(_)) => 3,
            (_, Data::Linear { .. }) => 4,
            (_, Data::Runs { .. }) => 5,
            (_, Data::Decimals(_)) => 6,
            (_, Data::Floats(_)) => 7,
            (_, Data::Dictionary(_)) => 8,
            (_, Data::Strings { .. }) => 9,
            (_, Data::Compressed { .. }) => 10,
            (_, Data::Values { compressed: false, .. }) => 11,
            (_, Data::Values { compressed: true, .. }) => 12,
            (_, Data::Lists(_)) => 13,
        };
        let present = self.zones().iter().filter(|[low, high]| low <= high);
        let range = present.map(|[low, high]| (*low, *high)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        Summary { exceptions: self.exceptions.is_some(), encoding, range }
    }

    /// Rows without a value.
    pub(super) fn nulls(&self) -> usize {
        let absent = match &self.presence {
            Presence::All => 0,
            Presence::None => self.rows,
            Presence::Some(bits) => self.rows - (0..self.rows).filter(|i| bits.view().get(*i)).count(),
        };
        absent - self.exceptions.as_ref().map_or(0, |e| e.len).min(absent)
    }

    /// The zone maps, if the type has them.
    pub(crate) fn zones(&self) -> &[ZoneRange] {
        bytemuck::try_cast_slice(self.zones.as_slice()).unwrap_or_default()
    }
}

/// Values of another type than the column's, by local row.
#[derive(Clone, Debug)]
pub(crate) struct Exceptions {
    pub(crate) len: usize,
    pub(crate) rows: Ints,
    pub(crate) ends: Ints,
    pub(crate) bytes: Bytes,
}

impl Data {
    /// Reads the `present` values of rows, or elements, of which `presence` tells.
    pub(super) fn read(
        piece: &Piece,
        meta: &mut Decoder<'_>,
        (presence, present): (&Presence, usize),
        given: &Given,
    ) -> Result<Self, CodecError> {
        let data = match meta.u8()? {
            0 => Data::Ints(Ints::read(piece, meta, present)?),
            1 => Data::Floats(read_floats(piece, meta, present)?),
            2 => {
                let codes = Ints::read(piece, meta, present)?;
                let entries = given.entries;
                if (0..present).any(|i| usize::try_from(codes.view().get(i)).map_or(true, |c| c >= entries)) {
                    return Err(meta.error("codes within the dictionary"));
                }
                Data::Dictionary(codes)
            }
            3 => {
                let (ends, text) = read_text(piece, meta, present)?;
                Data::Strings { ends, text }
            }
            4 if given.fsst => {
                let (ends, bytes) = read_values(piece, meta, present)?;
                Data::Compressed { ends, bytes }
            }
            5 => {
                let (ends, bytes) = read_values(piece, meta, present)?;
                Data::Values { ends, bytes, compressed: false }
            }
            9 if given.fsst => {
                let (ends, bytes) = read_values(piece, meta, present)?;
                Data::Values { ends, bytes, compressed: true }
            }
            6 => {
                let slope = meta.i64()?;
                Data::Linear { slope, codes: Ints::read(piece, meta, present)? }
            }
            7 => {
                let (starts, runs) = read_presence(piece, meta, present)?;
                if present > 0 && starts.view().look(0).1 == 0 {
                    return Err(meta.error("a run that starts at the first row"));
                }
                Data::Runs { starts, values: Ints::read(piece, meta, runs)? }
            }
            8 => Data::Decimals(Decimals::read(piece, meta, present)?),
            // Elements are no lists themselves.
            10 if is_general(given.ty) => {
                Data::Lists(Box::new(StoredLists::read(piece, meta, present, given)?))
            }
            _ => return Err(meta.error("a column encoding")),
        };
        if !fits(given.ty, &data) && !matches!(presence, Presence::None) {
            return Err(meta.error("an encoding that fits the column's type"));
        }
        Ok(data)
    }

    /// Bytes of the values, without what says where runs and exceptions are.
    pub(super) fn size(&self) -> usize {
        let codes = |ints: &Ints| ints.codes.len();
        match self {
            Self::Ints(ints) | Self::Dictionary(ints) | Self::Linear { codes: ints, .. } => codes(ints),
            Self::Runs { values, .. } => codes(values),
            Self::Floats(bytes) => bytes.len(),
            Self::Decimals(decimals) => codes(&decimals.integers),
            Self::Strings { ends, text } => codes(ends) + text.as_str().len(),
            Self::Compressed { ends, bytes } | Self::Values { ends, bytes, .. } => codes(ends) + bytes.len(),
            Self::Lists(_) => 0,
        }
    }
}

/// Which of `len` rows, or elements, have a value, and how many.
pub(super) fn read_presence_kind(
    piece: &Piece,
    meta: &mut Decoder<'_>,
    len: usize,
) -> Result<(Presence, usize), CodecError> {
    match meta.u8()? {
        0 => Ok((Presence::All, len)),
        1 => Ok((Presence::None, 0)),
        2 => {
            let (bits, present) = read_presence(piece, meta, len)?;
            Ok((Presence::Some(bits), present))
        }
        _ => Err(meta.error("a kind of presence")),
    }
}

impl Stored {
    pub(super) fn read(piece: &Piece, given: &Given) -> Result<Self, CodecError> {
        let len = given.rows;
        let meta = &mut Decoder::new(piece.metadata());
        let (presence, present) = read_presence_kind(piece, meta, len)?;
        let data = Data::read(piece, meta, (&presence, present), given)?;
        let exceptions = match meta.u8()? {
            0 => None,
            _ => Some(Exceptions::read(piece, meta, len)?),
        };
        let zones = piece.read_blob(meta)?;
        let ranges = bytemuck::try_cast_slice::<u8, ZoneRange>(zones.as_slice()).map(<[ZoneRange]>::len);
        if ranges.is_ok_and(|n| n == 0 || n == len.div_ceil(ZONE_ROWS)) {
            Ok(Self { rows: len, presence, data, exceptions, zones })
        } else {
            Err(meta.error("a range for each zone, or none"))
        }
    }
}

impl Exceptions {
    fn read(piece: &Piece, meta: &mut Decoder<'_>, rows: usize) -> Result<Self, CodecError> {
        let len = meta.count(rows)?;
        let row_ints = Ints::read(piece, meta, len)?;
        let (ends, bytes) = read_values(piece, meta, len)?;
        Ok(Self { len, rows: row_ints, ends, bytes })
    }
}

/// Whether `data` can hold values of `ty`.
fn fits(ty: LogicalType, data: &Data) -> bool {
    match data {
        Data::Ints(_) | Data::Linear { .. } => is_integral(ty),
        Data::Runs { .. } => is_integral(ty) || ty == LogicalType::Float,
        Data::Floats(_) | Data::Decimals(_) => ty == LogicalType::Float,
        Data::Dictionary(_) | Data::Strings { .. } | Data::Compressed { .. } => ty == LogicalType::String,
        Data::Values { .. } | Data::Lists(_) => is_general(ty),
    }
}

/// Types whose values are kept as bytes that begin with their types.
fn is_general(ty: LogicalType) -> bool {
    !is_integral(ty) && ty != LogicalType::Float && ty != LogicalType::String
}

/// Types kept as integers.
pub(crate) fn is_integral(ty: LogicalType) -> bool {
    use LogicalType as T;
    matches!(ty, T::Bool | T::Int | T::Date | T::LocalTime | T::LocalDateTime | T::DateTime)
}

/// Whether columns of this type know which of their values are of another one. General values, such as lists
/// and durations, are kept side by side with values of any type.
pub(crate) fn tells_exceptions(ty: LogicalType) -> bool {
    use LogicalType as T;
    is_integral(ty) || matches!(ty, T::Float | T::String | T::Literal | T::Iri)
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
