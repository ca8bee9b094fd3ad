//! Rows to bytes and back: column after column, each with its type, the bits of its nulls, and its values
//! side by side.
//!
//! ```text
//! rows: u64, columns: u64, then each column
//! multiplicities: 0, or 1 and rows * u64 where some row does not stand for one tuple
//! column: type: u8, nulls: 0, or 1 and a bit a row in words of u64, then
//!   fixed    rows * width
//!   texts    rows * length: u64, then all bytes
//!   numbers  rows * whether it is a float: u8, then rows * u64
//!   nodes    0, or 1 and the table of all, then rows * u64
//!   lists    rows * length: u64, number of elements: u64, then these as a column
//!   maps     number of keys: u64, then each: length: u64, its bytes, what is under it as a column
//!   general  value after value
//! ```

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_types::Value;
use trimorph_vector::{Edges, Lists, Maps, Nodes, Nulls, Numbers, Positions, Texts, Values, Vector};

use super::bytes::{Reader, put_u64};
use super::value;

/// More rows than a batch has: each counts for eight bytes of it.
const ROWS_MAX: usize = 1 << 20;

/// Rows that were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch<'s> {
    pub(crate) columns: Vec<Vector<'s>>,
    pub(crate) multiplicity: Vec<u64>,
}

impl Batch<'_> {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.multiplicity.len()
    }

    /// The rows at `positions`.
    pub(crate) fn gather(&self, positions: &[u32]) -> Self {
        Self {
            columns: self.columns.iter().map(|column| column.gather(positions)).collect(),
            multiplicity: positions.iter().map(|p| self.multiplicity[*p as usize]).collect(),
        }
    }
}

/// Appends the rows at `positions` of some columns.
pub(super) fn encode(
    columns: &[&Vector<'_>],
    positions: &[u32],
    multiplicity: impl Iterator<Item = u64> + Clone,
    out: &mut Vec<u8>,
) {
    put_u64(out, positions.len() as u64);
    put_u64(out, columns.len() as u64);
    let counted = multiplicity.clone().any(|m| m != 1);
    out.push(counted.into());
    if counted {
        multiplicity.for_each(|m| put_u64(out, m));
    }
    for column in columns {
        encode_column(column, positions, out);
    }
}

fn encode_nulls(column: &Vector<'_>, positions: &[u32], out: &mut Vec<u8>) {
    let any = !matches!(column.values, Values::Any(_))
        && !column.nulls.is_none()
        && positions.iter().any(|p| column.nulls.get(*p as usize));
    out.push(any.into());
    if any {
        for positions in positions.chunks(64) {
            let bits = positions.iter().enumerate();
            put_u64(out, bits.fold(0, |w, (k, p)| w | u64::from(column.nulls.get(*p as usize)) << k));
        }
    }
}

fn encode_column(column: &Vector<'_>, positions: &[u32], out: &mut Vec<u8>) {
    let at = positions.iter().map(|p| *p as usize);
    let mut ints = |tag: u8, v: &[i64]| {
        out.push(tag);
        encode_nulls(column, positions, out);
        out.reserve(positions.len() * 8);
        at.clone().for_each(|i| out.extend_from_slice(&v[i].to_le_bytes()));
    };
    match &column.values {
        Values::Int(v) => ints(1, v),
        Values::LocalTime(v) => ints(2, v),
        Values::LocalDateTime(v) => ints(3, v),
        Values::DateTime(v) => ints(4, v),
        Values::Float(v) => {
            out.push(5);
            encode_nulls(column, positions, out);
            at.for_each(|i| put_u64(out, v[i].to_bits()));
        }
        Values::Number(v) => {
            out.push(13);
            encode_nulls(column, positions, out);
            out.extend(at.clone().map(|i| u8::from(v.floats()[i])));
            at.for_each(|i| put_u64(out, v.bits()[i]));
        }
        Values::Bool(v) => {
            out.push(6);
            encode_nulls(column, positions, out);
            out.extend(at.map(|i| u8::from(v[i])));
        }
        Values::Date(v) => {
            out.push(7);
            encode_nulls(column, positions, out);
            at.for_each(|i| out.extend_from_slice(&v[i].to_le_bytes()));
        }
        Values::String(texts) => {
            out.push(8);
            encode_nulls(column, positions, out);
            // What is null has no text worth keeping.
            let text = |i: usize| if column.nulls.get(i) { "" } else { texts.get(i) };
            at.clone().for_each(|i| put_u64(out, text(i).len() as u64));
            at.for_each(|i| out.extend_from_slice(text(i).as_bytes()));
        }
        Values::Node(nodes) => {
            out.push(9);
            encode_nulls(column, positions, out);
            out.push(nodes.table().is_some().into());
            if let Some(table) = nodes.table() {
                out.extend_from_slice(&table.0.to_le_bytes());
            }
            nodes.for_each(at, |_, node| put_u64(out, node.0));
        }
        Values::Edge(edges) => {
            out.push(10);
            encode_nulls(column, positions, out);
            at.for_each(|i| put_u64(out, edges.id(i).0));
        }
        // Value by value, and typed again when they are read.
        Values::Zoned(_)
        | Values::Time(_)
        | Values::Duration(_)
        | Values::Decimal(_)
        | Values::Iri(_)
        | Values::Literal(_) => {
            out.push(12);
            out.push(0);
            at.for_each(|i| value::encode(&column.value(i, &|_| Value::Null), out));
        }
        // Lengths, and the elements of all as a column.
        Values::List(lists) => {
            out.push(14);
            encode_nulls(column, positions, out);
            let elements = |i: usize| if column.nulls.get(i) { 0..0 } else { lists.elements(i) };
            at.clone().for_each(|i| put_u64(out, elements(i).len() as u64));
            let all: Vec<u32> = at.flat_map(elements).collect();
            put_u64(out, all.len() as u64);
            encode_column(lists.child(), &all, out);
        }
        // Keys, and what is under each as a column.
        Values::Map(maps) | Values::Tuple(maps) => {
            out.push(if matches!(column.values, Values::Map(_)) { 15 } else { 16 });
            encode_nulls(column, positions, out);
            put_u64(out, maps.keys().len() as u64);
            for (key, field) in maps.keys().iter().zip(maps.fields()) {
                put_u64(out, key.len() as u64);
                out.extend_from_slice(key.as_bytes());
                encode_column(field, positions, out);
            }
        }
        Values::Any(values) => {
            out.push(11);
            encode_nulls(column, positions, out);
            at.for_each(|i| value::encode(&values[i], out));
        }
    }
}

/// Reads rows; `None` where the bytes are none.
pub(super) fn decode<'s>(bytes: &[u8]) -> Option<Batch<'s>> {
    let mut from = Reader(bytes);
    // Rows without columns take no bytes.
    let rows = usize::try_from(from.u64()?).ok().filter(|rows| *rows <= ROWS_MAX)?;
    let columns = from.count(1)?;
    let multiplicity = match from.u8()? {
        0 => vec![1; rows],
        _ => from.words(rows)?.collect(),
    };
    let columns = (0..columns).map(|_| decode_column(&mut from, rows)).collect::<Option<_>>()?;
    from.0.is_empty().then_some(Batch { columns, multiplicity })
}

fn decode_column<'s>(from: &mut Reader<'_>, rows: usize) -> Option<Vector<'s>> {
    let tag = from.u8()?;
    let nulls = match from.u8()? {
        0 => Nulls::NONE,
        _ => Nulls::of_words(from.words(rows.div_ceil(64))?.collect()),
    };
    let mut ints = || Some(from.words(rows)?.map(u64::cast_signed).collect::<Vec<i64>>());
    let values = match tag {
        1 => Values::Int(ints()?),
        2 => Values::LocalTime(ints()?),
        3 => Values::LocalDateTime(ints()?),
        4 => Values::DateTime(ints()?),
        5 => Values::Float(from.words(rows)?.map(f64::from_bits).collect()),
        6 => Values::Bool(from.take(rows)?.iter().map(|b| *b != 0).collect()),
        7 => {
            let (days, _) = from.take(rows.checked_mul(4)?)?.as_chunks::<4>();
            Values::Date(days.iter().map(|d| i32::from_le_bytes(*d)).collect())
        }
        8 => Values::String(decode_texts(from, rows)?),
        9 => {
            let table = match from.u8()? {
                0 => None,
                _ => Some(TableId(u16::from_le_bytes(from.array()?))),
            };
            Values::Node(Nodes::Ids { table, ids: from.words(rows)?.map(NodeId).collect() })
        }
        10 => Values::Edge(Edges::Ids(from.words(rows)?.map(EdgeId).collect())),
        11 => Values::Any((0..rows).map(|_| value::decode(from)).collect::<Option<_>>()?),
        12 => {
            let values = (0..rows).map(|_| value::decode(from)).collect::<Option<_>>()?;
            return Some(Vector::of_values(values, Positions::all(rows)));
        }
        13 => {
            let floats = from.take(rows)?.iter().map(|b| *b != 0).collect();
            Values::Number(Numbers::new(from.words(rows)?.collect(), floats)?)
        }
        14 => {
            let lengths = from.words(rows)?.map(|len| u32::try_from(len).ok());
            let lengths = lengths.collect::<Option<Vec<u32>>>()?;
            let count = usize::try_from(from.u64()?).ok()?;
            let mut end = 0_u32;
            let mut runs = Vec::with_capacity(rows);
            for len in lengths {
                runs.push((end, len));
                end = end.checked_add(len)?;
            }
            if end as usize != count {
                return None;
            }
            Values::List(Lists::new(runs.into_iter(), decode_column(from, count)?)?)
        }
        kind @ (15 | 16) => {
            let count = from.count(1)?;
            let mut entries = Vec::with_capacity(count);
            for _ in 0..count {
                let len = usize::try_from(from.u64()?).ok()?;
                let key = Arc::from(std::str::from_utf8(from.take(len)?).ok()?);
                entries.push((key, decode_column(from, rows)?));
            }
            let maps = Maps::new(entries, rows)?;
            if kind == 15 { Values::Map(maps) } else { Values::Tuple(maps) }
        }
        _ => return None,
    };
    Some(Vector { values, nulls })
}

/// All texts lie in one block.
fn decode_texts<'s>(from: &mut Reader<'_>, rows: usize) -> Option<Texts<'s>> {
    let lengths = from.words(rows)?;
    let lengths = lengths.map(|len| usize::try_from(len).ok()).collect::<Option<Vec<usize>>>()?;
    let bytes = lengths.iter().try_fold(0usize, |sum, len| sum.checked_add(*len))?;
    let all = std::str::from_utf8(from.take(bytes)?).ok()?;
    let mut texts = Texts::blank_with_room(0, bytes);
    let mut at = 0;
    for len in lengths {
        texts.push(all.get(at..at + len)?);
        at += len;
    }
    Some(texts)
}
