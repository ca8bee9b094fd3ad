//! The values of a segment encoded: by what takes least, and how that is put into its piece.

use trimorph_encoding::{
    Decimals, Linear, Packed, RankBits, Runs, pack, pack_decimals, pack_linear, pack_runs, value_codec,
};
use trimorph_types::{DateTime, Decimal, LogicalType, Value, Zone};
use trimorph_vfs::{Decoder, Encoder, PieceWriter};

use super::blobs::{Ints, put_blob, type_code};

/// Average length of runs from which they are tried: a start costs 1.25 bits a row, a value as much as in a
/// frame of reference.
const RUN_LEAST: usize = 4;

pub(super) enum Encoded {
    Ints(Packed),
    Linear(Linear),
    Runs(Runs),
    Decimals(Decimals),
    Fixed { scale: u8, units: Box<Encoded> },
    Zoned { instants: Box<Encoded>, codes: Packed, zones: Vec<Zone> },
    Floats(Vec<u8>),
    Dictionary(Packed),
    Strings { ends: Packed, bytes: Vec<u8>, compressed: bool },
    Values { ends: Packed, bytes: Vec<u8>, compressed: bool },
    Lists(Box<EncodedLists>),
}

impl Encoded {
    /// What [`Data::size`] says of it once it is read.
    ///
    /// [`Data::size`]: super::data::Data::size
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Ints(packed) | Self::Dictionary(packed) => packed.bytes.len(),
            Self::Linear(linear) => linear.codes.bytes.len(),
            Self::Runs(runs) => runs.values.bytes.len(),
            Self::Decimals(decimals) => decimals.integers.bytes.len(),
            Self::Fixed { units, .. } => units.size(),
            Self::Zoned { instants, codes, .. } => instants.size() + codes.bytes.len(),
            Self::Floats(bytes) => bytes.len(),
            Self::Strings { ends, bytes, .. } | Self::Values { ends, bytes, .. } => {
                ends.bytes.len() + bytes.len()
            }
            Self::Lists(_) => 0,
        }
    }
}

/// Lists whose elements are of one type.
pub(super) struct EncodedLists {
    pub(super) ends: Packed,
    pub(super) element: LogicalType,
    pub(super) len: usize,
    pub(super) blocks: Vec<Block>,
}

/// Which elements are not null, where some are, and these.
pub(super) struct Block {
    pub(super) presence: Flags,
    pub(super) data: Encoded,
}

pub(super) enum Flags {
    All,
    None,
    Some(RankBits),
}

impl EncodedLists {
    /// Writes them behind the name of the encoding, and gives their bytes.
    pub(super) fn put(self, piece: &mut PieceWriter) -> usize {
        piece.meta.u8(type_code(self.element));
        piece.meta.u64(self.len as u64);
        let mut size = put_ints(self.ends, piece);
        for Block { presence, data } in self.blocks {
            match presence {
                Flags::All => piece.meta.u8(0),
                Flags::None => piece.meta.u8(1),
                Flags::Some(bits) => {
                    piece.meta.u8(2);
                    size += put_rank(&bits, piece);
                }
            }
            size += put_data(data, piece);
        }
        size
    }
}

/// Integers by the smallest of frame of reference, line and runs, the first unless another takes at most half
/// as much: its codes are compared with constants as they lie, the others' values one by one.
pub(super) fn encode_ints(values: &[i64]) -> Encoded {
    let frame = pack(values);
    let (bytes, half) = (|packed: &Packed| packed.bytes.len(), frame.bytes.len() / 2);
    let runs = pack_runs(values, RUN_LEAST).filter(|r| bytes(&r.values) + r.starts.size() <= half);
    let linear = pack_linear(values, half);
    match (linear, runs) {
        (Some(l), Some(r)) if bytes(&l.codes) <= bytes(&r.values) + r.starts.size() => Encoded::Linear(l),
        (_, Some(r)) => Encoded::Runs(r),
        (Some(l), None) => Encoded::Linear(l),
        (None, None) => Encoded::Ints(frame),
    }
}

/// Floats as they are, unless decimals or runs take at most three quarters of that.
pub(super) fn encode_floats(values: &[f64]) -> Encoded {
    let most = values.len() * 6;
    let bits: Vec<i64> = values.iter().map(|f| f.to_bits().cast_signed()).collect();
    let runs_size = |r: &Runs| r.values.bytes.len() + r.starts.size();
    let decimals_size = |d: &Decimals| {
        d.integers.bytes.len() + d.exceptions.as_ref().map_or(0, |(bits, v)| bits.size() + v.len() * 8)
    };
    let runs = pack_runs(&bits, RUN_LEAST).filter(|r| runs_size(r) <= most);
    let decimals = pack_decimals(values).filter(|d| decimals_size(d) <= most);
    match (decimals, runs) {
        (Some(d), Some(r)) if decimals_size(&d) <= runs_size(&r) => Encoded::Decimals(d),
        (_, Some(r)) => Encoded::Runs(r),
        (Some(d), None) => Encoded::Decimals(d),
        (None, None) => Encoded::Floats(bits.iter().flat_map(|f| f.to_le_bytes()).collect()),
    }
}

pub(super) fn put_rank(bits: &RankBits, piece: &mut PieceWriter) -> usize {
    let bytes = bits.to_compact();
    let size = bytes.len();
    put_blob(bytes, piece);
    size
}

pub(super) fn put_ints(packed: Packed, piece: &mut PieceWriter) -> usize {
    let size = packed.bytes.len();
    Ints::write(packed, piece);
    size
}

pub(super) fn put_data(data: Encoded, piece: &mut PieceWriter) -> usize {
    match data {
        Encoded::Ints(packed) => {
            piece.meta.u8(0);
            put_ints(packed, piece)
        }
        Encoded::Linear(linear) => {
            piece.meta.u8(6);
            piece.meta.i64(linear.slope);
            put_ints(linear.codes, piece)
        }
        Encoded::Runs(runs) => {
            piece.meta.u8(7);
            put_rank(&runs.starts, piece) + put_ints(runs.values, piece)
        }
        Encoded::Decimals(Decimals { exponent, integers, exceptions }) => {
            piece.meta.u8(8);
            piece.meta.u8(exponent);
            let size = put_ints(integers, piece);
            piece.meta.u8(u8::from(exceptions.is_some()));
            let Some((bits, values)) = exceptions else { return size };
            let rank = put_rank(&bits, piece);
            put_blob(values.iter().flat_map(|f| f.to_le_bytes()).collect(), piece);
            size + rank + values.len() * 8
        }
        Encoded::Fixed { scale, units } => {
            piece.meta.u8(11);
            piece.meta.u8(scale);
            put_data(*units, piece)
        }
        Encoded::Zoned { instants, codes, zones } => {
            piece.meta.u8(12);
            let size = put_data(*instants, piece) + put_ints(codes, piece);
            put_zones(zones, &mut piece.meta);
            size
        }
        Encoded::Floats(bytes) => {
            piece.meta.u8(1);
            let size = bytes.len();
            put_blob(bytes, piece);
            size
        }
        Encoded::Dictionary(codes) => {
            piece.meta.u8(2);
            put_ints(codes, piece)
        }
        Encoded::Strings { ends, bytes, compressed } => {
            piece.meta.u8(if compressed { 4 } else { 3 });
            let size = put_ints(ends, piece) + bytes.len();
            put_blob(bytes, piece);
            size
        }
        Encoded::Lists(lists) => {
            piece.meta.u8(10);
            lists.put(piece)
        }
        Encoded::Values { ends, bytes, compressed } => {
            piece.meta.u8(if compressed { 9 } else { 5 });
            let size = put_ints(ends, piece) + bytes.len();
            put_blob(bytes, piece);
            size
        }
    }
}

/// Encodes general values; `None` where one is no decimal, or does not fit 64 bits at the scale of all, or
/// there are none.
pub(super) fn encode_fixed<'v>(values: impl Iterator<Item = &'v [u8]>) -> Option<Encoded> {
    let decimal = |bytes: &[u8]| match value_codec::decode(&mut Decoder::new(bytes)) {
        Ok(Value::Decimal(decimal)) => Some(decimal),
        _ => None,
    };
    let decimals = values.map(decimal).collect::<Option<Vec<Decimal>>>()?;
    let scale = decimals.iter().map(|d| d.scale()).max()?;
    let units = decimals.iter().map(|d| d.units(scale)).collect::<Option<Vec<i64>>>()?;
    Some(Encoded::Fixed { scale, units: Box::new(encode_ints(&units)) })
}

/// Writes zones: each as the first instant of 1970 there.
fn put_zones(zones: Vec<Zone>, meta: &mut Encoder) {
    meta.u64(zones.len() as u64);
    for zone in zones {
        value_codec::encode(&Value::DateTime(DateTime { seconds: 0, nanos: 0, zone }), meta);
    }
}
