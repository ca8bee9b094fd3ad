//! What a column is made of, and the form of its pieces: segments, dictionary, FSST table.

use trimorph_types::LogicalType;
use trimorph_vfs::{Bytes, CodecError, Decoder, Piece};

use super::blobs::{Ints, is_integral, read_values};
use super::data::{Data, Known, Presence, made_bytes, read_presence_kind};

/// Rows of a segment: the unit of encoding and of publication.
pub const SEGMENT_ROWS: usize = 1 << 16;
/// Rows of a zone: the unit of zone maps and, with the delta, of the "has a version" flag.
pub const ZONE_ROWS: usize = 1 << 10;

/// Rows of each segment of a column of `rows` rows.
pub(crate) fn segment_lengths(rows: u64) -> impl Iterator<Item = usize> {
    const ROWS: u64 = SEGMENT_ROWS as u64;
    (0..rows.div_ceil(ROWS)).map(move |i| (rows - i * ROWS).min(ROWS) as usize)
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

/// Where lists are of one type, and where decimals are integers of one scale.
pub(super) const LISTS: u8 = 13;
pub(super) const FIXED: u8 = 14;

/// Short names of encodings; their order is that of directories.
pub(super) const ENCODINGS: [&str; 16] = [
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
    "fixed point",
    "instants of zones",
];

impl Stored {
    /// Bytes that were made beside those of the piece.
    pub(crate) fn made_bytes(&self) -> usize {
        made_bytes(&self.presence, &self.data)
    }

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
            (_, Data::Fixed { .. }) => FIXED,
            (_, Data::Zoned(_)) => 15,
        };
        let present = self.zones().iter().filter(|[low, high]| low <= high);
        let range = present.map(|[low, high]| (*low, *high)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        // What compares instants by their integers does not know of zones.
        let exceptions = self.exceptions.is_some() || matches!(self.data, Data::Zoned(_));
        Summary { exceptions, encoding, range }
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

impl Stored {
    pub(super) fn read(piece: &Piece, given: &Given) -> Result<Self, CodecError> {
        let len = given.rows;
        let meta = &mut Decoder::new(piece.metadata());
        let (presence, present) = read_presence_kind(piece, meta, len)?;
        let known = Known { ty: given.ty, entries: given.entries, fsst: given.fsst };
        let data = Data::read(piece, meta, (&presence, present), known)?;
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

/// Whether columns of this type know which of their values are of another one. General values, such as lists
/// and durations, are kept side by side with values of any type.
pub(crate) fn tells_exceptions(ty: LogicalType) -> bool {
    use LogicalType as T;
    is_integral(ty) || matches!(ty, T::Float | T::String | T::Literal | T::Iri)
}
