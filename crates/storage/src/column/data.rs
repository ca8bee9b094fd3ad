//! What a segment, or a block of elements of its lists, has its values as.
//!
//! Lists whose elements are of one type are kept as where the elements of each end, and the elements in
//! blocks of up to 65,536, each of which tells which of its elements are null and has the others encoded as a
//! column of their type is. (Ranks and runs count to 65,536.)
//!
//! Invariant: there are at most [`elements_max`] elements for the bytes of them, so that a small file is not
//! all of memory.
//!
//! Source: Virtuoso "Column Store"; Arrow's list layout.

use trimorph_encoding::{DecimalsView, value_codec};
use trimorph_types::{Decimal, LogicalType, Value, Zone};
use trimorph_vfs::{Bytes, CodecError, Decoder, Piece, TextBytes};

use super::blobs::{
    Ints, RankBytes, is_integral, read_ends, read_presence, read_text, read_values, type_from_code,
};

/// What is known of a column whose segment is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) ty: LogicalType,
    /// Entries of the dictionary: its codes are below.
    pub(super) entries: usize,
    /// Whether there is an FSST table.
    pub(super) fsst: bool,
}

/// Which rows of a segment have a value.
#[derive(Clone, Debug)]
pub(crate) enum Presence {
    All,
    None,
    Some(RankBytes),
}

impl Presence {
    /// Bytes that are not those of the piece.
    fn made_bytes(&self) -> usize {
        if let Self::Some(bits) = self { bits.made_bytes() } else { 0 }
    }
}

/// Bytes of which rows and elements have a value that are not those of the piece.
pub(super) fn made_bytes(presence: &Presence, data: &Data) -> usize {
    let elements = match data {
        Data::Lists(lists) => lists.blocks.iter().map(|(presence, _)| presence.made_bytes()).sum(),
        _ => 0,
    };
    presence.made_bytes() + elements
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
    /// Decimals by so many digits behind the point: integers of the last of these.
    Fixed {
        scale: u8,
        units: Box<Data>,
    },
    /// Instants, some of which are of another zone than UTC.
    Zoned(StoredZoned),
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

/// Zones of a segment: a vector numbers no more.
pub(super) const ZONES_MAX: usize = 256;

/// Instants of zones, in place.
#[derive(Clone, Debug)]
pub(crate) struct StoredZoned {
    pub(super) instants: Box<Data>,
    pub(super) codes: Ints,
    pub(super) zones: Box<[Zone]>,
}

impl StoredZoned {
    /// Reads what follows the instants: the numbers of zones, and these.
    fn read(piece: &Piece, meta: &mut Decoder<'_>, instants: Data, len: usize) -> Result<Self, CodecError> {
        let codes = Ints::read(piece, meta, len)?;
        let count = meta.count(ZONES_MAX)?;
        let zone = |meta: &mut Decoder<'_>| match value_codec::decode(meta)? {
            Value::DateTime(shown) => Ok(shown.zone),
            _ => Err(meta.error("a zone")),
        };
        let zones = (0..count).map(|_| zone(meta)).collect::<Result<Box<[Zone]>, CodecError>>()?;
        if (0..len).any(|i| usize::try_from(codes.view().get(i)).map_or(true, |code| code >= zones.len())) {
            return Err(meta.error("the number of a zone"));
        }
        Ok(Self { instants: Box::new(instants), codes, zones })
    }

    /// Bytes of the values.
    fn size(&self) -> usize {
        self.instants.size() + self.codes.codes.len()
    }
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

impl Data {
    /// Reads the `present` values of rows, or elements, of which `presence` tells.
    pub(super) fn read(
        piece: &Piece,
        meta: &mut Decoder<'_>,
        (presence, present): (&Presence, usize),
        known: Known,
    ) -> Result<Self, CodecError> {
        let data = match meta.u8()? {
            0 => Data::Ints(Ints::read(piece, meta, present)?),
            1 => Data::Floats(read_floats(piece, meta, present)?),
            2 => {
                let codes = Ints::read(piece, meta, present)?;
                let entries = known.entries;
                if (0..present).any(|i| usize::try_from(codes.view().get(i)).map_or(true, |c| c >= entries)) {
                    return Err(meta.error("codes within the dictionary"));
                }
                Data::Dictionary(codes)
            }
            3 => {
                let (ends, text) = read_text(piece, meta, present)?;
                Data::Strings { ends, text }
            }
            4 if known.fsst => {
                let (ends, bytes) = read_values(piece, meta, present)?;
                Data::Compressed { ends, bytes }
            }
            5 => {
                let (ends, bytes) = read_values(piece, meta, present)?;
                Data::Values { ends, bytes, compressed: false }
            }
            9 if known.fsst => {
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
            11 if known.ty == LogicalType::Decimal => {
                let scale = meta.u8()?;
                if scale > Decimal::DIGITS_MAX {
                    return Err(meta.error("a scale of decimals"));
                }
                let known = Known { ty: LogicalType::Int, ..known };
                let units = Box::new(Data::read(piece, meta, (presence, present), known)?);
                Data::Fixed { scale, units }
            }
            12 if known.ty == LogicalType::DateTime => {
                let known = Known { ty: LogicalType::Int, ..known };
                let instants = Data::read(piece, meta, (presence, present), known)?;
                Data::Zoned(StoredZoned::read(piece, meta, instants, present)?)
            }
            // Elements are no lists themselves.
            10 if is_general(known.ty) => {
                Data::Lists(Box::new(StoredLists::read(piece, meta, present, known)?))
            }
            _ => return Err(meta.error("a column encoding")),
        };
        if !fits(known.ty, &data) && !matches!(presence, Presence::None) {
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
            Self::Fixed { units, .. } => units.size(),
            Self::Zoned(zoned) => zoned.size(),
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

/// Whether `data` can hold values of `ty`.
fn fits(ty: LogicalType, data: &Data) -> bool {
    match data {
        Data::Ints(_) | Data::Linear { .. } => is_integral(ty),
        Data::Runs { .. } => is_integral(ty) || ty == LogicalType::Float,
        Data::Floats(_) | Data::Decimals(_) => ty == LogicalType::Float,
        Data::Fixed { .. } => ty == LogicalType::Decimal,
        Data::Zoned(_) => ty == LogicalType::DateTime,
        Data::Dictionary(_) | Data::Strings { .. } | Data::Compressed { .. } => ty == LogicalType::String,
        Data::Values { .. } | Data::Lists(_) => is_general(ty),
    }
}

/// Types whose values are kept as bytes that begin with their types.
fn is_general(ty: LogicalType) -> bool {
    !is_integral(ty) && ty != LogicalType::Float && ty != LogicalType::String
}

/// Elements of a block; the last has fewer.
pub(super) const BLOCK_ELEMENTS: usize = 1 << 16;

/// Elements of a segment for which no bytes need be there, and for each byte of their values.
const ELEMENTS_LEAST: usize = 1 << 16;
const ELEMENTS_PER_BYTE: usize = 64;

/// The most elements that are kept as so many bytes.
pub(super) fn elements_max(bytes: usize) -> usize {
    bytes.saturating_mul(ELEMENTS_PER_BYTE).saturating_add(ELEMENTS_LEAST)
}

/// Whether lists of this type are kept so.
fn is_element(ty: LogicalType) -> bool {
    is_integral(ty) || matches!(ty, LogicalType::Float | LogicalType::String)
}

/// Lists in place.
#[derive(Clone, Debug)]
pub(crate) struct StoredLists {
    pub(super) ends: Ints,
    pub(super) element: LogicalType,
    pub(super) blocks: Vec<(Presence, Data)>,
}

impl StoredLists {
    /// Reads `lists` lists.
    ///
    /// **Errors**: elements of another type, or more of them than there are bytes for; ends that are not
    /// within them.
    pub(super) fn read(
        piece: &Piece,
        meta: &mut Decoder<'_>,
        lists: usize,
        known: Known,
    ) -> Result<Self, CodecError> {
        let element = type_from_code(meta.u8()?).filter(|ty| is_element(*ty));
        let element = element.ok_or(meta.error("a type of elements"))?;
        let len = meta.count(elements_max(piece.size()))?;
        let ends = read_ends(piece, meta, lists, |_| Ok(len))?;
        let known = Known { ty: element, ..known };
        let (mut blocks, mut bytes) = (Vec::new(), 0);
        for from in (0..len).step_by(BLOCK_ELEMENTS) {
            let (presence, present) = read_presence_kind(piece, meta, BLOCK_ELEMENTS.min(len - from))?;
            let data = Data::read(piece, meta, (&presence, present), known)?;
            bytes += data.size();
            blocks.push((presence, data));
        }
        if len > elements_max(bytes) {
            return Err(meta.error("elements that there are bytes for"));
        }
        Ok(Self { ends, element, blocks })
    }
}
