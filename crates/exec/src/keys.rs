//! Grouping keys: tuples of values to dense numbers, by openCypher's equivalence (null is null, NaN is NaN, 1
//! is 1.0).
//!
//! One or two keys of fixed size go into maps of integers; anything else is encoded so that equivalent tuples
//! have equal bytes. A node alone is looked up in an array by row, where enough rows have come to pay for it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use trimorph_base::{NodeId, TableId};
use trimorph_types::number::exact_int;
use trimorph_types::{LiteralKind, Value, Zone};
use trimorph_vector::{Texts, Values, Vector};

use crate::charge::{table_bytes, table_growth_bytes};

/// From key tuples to numbers `0, 1, 2, …` in the order of first sight.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyTable {
    /// Single nodes by row, of one node table; numbers plus 1.
    rows: Vec<u32>,
    rows_of: Option<TableId>,
    fixed: FxHashMap<(u8, u64), u32>,
    /// Pairs of nodes that fit 64 bits together.
    nodes: FxHashMap<u64, u32>,
    pairs: FxHashMap<(u16, u64, u64), u32>,
    general: FxHashMap<Box<[u8]>, u32>,
    count: u32,
    general_bytes: usize,
    /// Scratch of `number_all`.
    bits: (Vec<u64>, Vec<u64>),
}

/// Positions that are numbered between two looks at the budget and at the flag that cancels.
pub(crate) const POSITIONS_UNCHECKED: usize = 1 << 14;

const TAG_NULL: u8 = 0;
const TAG_BOOL: u8 = 1;
const TAG_INT: u8 = 2;
const TAG_FLOAT: u8 = 3;
const TAG_NODE: u8 = 4;
const TAG_EDGE: u8 = 5;
const TAG_DATE: u8 = 6;
const TAG_UTC: u8 = 7;
const TAG_TEXT: u8 = 8;
const TAG_OTHER: u8 = 9;

fn float_key(f: f64) -> (u8, u64) {
    match exact_int(f) {
        Some(i) => (TAG_INT, i.cast_unsigned()),
        None if f.is_nan() => (TAG_FLOAT, f64::NAN.to_bits()),
        None => (TAG_FLOAT, f.to_bits()),
    }
}

/// The tag and bits of a value of fixed size.
#[inline]
fn fixed_key(vector: &Vector<'_>, i: usize) -> Option<(u8, u64)> {
    if vector.is_null(i) {
        return Some((TAG_NULL, 0));
    }
    Some(match &vector.values {
        Values::Int(v) => (TAG_INT, v[i].cast_unsigned()),
        Values::Node(v) => (TAG_NODE, v.id(i).0),
        Values::Edge(v) => (TAG_EDGE, v.id(i).0),
        Values::Bool(v) => (TAG_BOOL, v[i].into()),
        Values::Date(v) => (TAG_DATE, i64::from(v[i]).cast_unsigned()),
        Values::DateTime(v) => (TAG_UTC, v[i].cast_unsigned()),
        Values::Float(v) => float_key(v[i]),
        Values::Any(v) => return fixed_value_key(&v[i]),
        _ => return None,
    })
}

fn fixed_value_key(value: &Value) -> Option<(u8, u64)> {
    Some(match value {
        Value::Null => (TAG_NULL, 0),
        Value::Bool(b) => (TAG_BOOL, (*b).into()),
        Value::Int(i) => (TAG_INT, i.cast_unsigned()),
        Value::Float(f) => float_key(*f),
        Value::Decimal(d) => match d.exact_int() {
            Some(i) => (TAG_INT, i.cast_unsigned()),
            None => float_key(d.exact_float()?),
        },
        Value::Node(n) => (TAG_NODE, n.0),
        Value::Relationship(r) => (TAG_EDGE, r.id.0),
        Value::Date(d) => (TAG_DATE, d.days.cast_unsigned()),
        Value::DateTime(t) if t.zone == Zone::Offset(0) => {
            let nanos = t.seconds.checked_mul(1_000_000_000)?.checked_add(t.nanos.into())?;
            (TAG_UTC, nanos.cast_unsigned())
        }
        _ => return None,
    })
}

/// As `fixed_key`, for other modules: with `fixed_key` itself open to them, the loops here were compiled
/// differently and grouping by 3 M values took 1.19 times as long.
pub(crate) fn cell_key(vector: &Vector<'_>, i: usize) -> Option<(u8, u64)> {
    fixed_key(vector, i)
}

/// Appends the encoded form of the value at `i`.
pub(crate) fn encode(vector: &Vector<'_>, i: usize, out: &mut Vec<u8>) {
    if let Some((tag, bits)) = fixed_key(vector, i) {
        out.push(tag);
        out.extend_from_slice(&bits.to_le_bytes());
        return;
    }
    match &vector.values {
        Values::String(v) => encode_text(v.get(i), out),
        _ => encode_value(&vector.value(i, &|_| Value::Null), out),
    }
}

fn encode_text(text: &str, out: &mut Vec<u8>) {
    out.push(TAG_TEXT);
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn encode_value(value: &Value, out: &mut Vec<u8>) {
    if let Some((tag, bits)) = fixed_value_key(value) {
        out.push(tag);
        out.extend_from_slice(&bits.to_le_bytes());
        return;
    }
    let mut other = |kind: u8, parts: &[i64]| {
        out.extend_from_slice(&[TAG_OTHER, kind]);
        parts.iter().for_each(|p| out.extend_from_slice(&p.to_le_bytes()));
    };
    match value {
        Value::String(s) => encode_text(s, out),
        Value::Bytes(b) => {
            other(0, &[b.len() as i64]);
            out.extend_from_slice(b);
        }
        Value::List(items) => {
            other(1, &[items.len() as i64]);
            items.iter().for_each(|v| encode_value(v, out));
        }
        Value::Map(map) => {
            other(2, &[map.len() as i64]);
            for (k, v) in map.iter() {
                encode_text(k, out);
                encode_value(v, out);
            }
        }
        Value::LocalTime(t) => other(3, &[t.nanos]),
        Value::Time(t) => other(4, &[t.nanos, t.offset_seconds.into()]),
        Value::LocalDateTime(t) => other(5, &[t.seconds, t.nanos.into()]),
        Value::DateTime(t) => match &t.zone {
            Zone::Offset(offset) => other(6, &[t.seconds, t.nanos.into(), (*offset).into()]),
            Zone::Named { name, offset_seconds } => {
                other(7, &[t.seconds, t.nanos.into(), (*offset_seconds).into()]);
                encode_text(name, out);
            }
        },
        Value::Duration(d) => other(8, &[d.months, d.days, d.seconds, d.nanos.into()]),
        Value::Path(p) => {
            other(9, &[p.nodes.len() as i64]);
            p.nodes.iter().for_each(|n| out.extend_from_slice(&n.0.to_le_bytes()));
            p.relationships.iter().for_each(|r| out.extend_from_slice(&r.id.0.to_le_bytes()));
        }
        Value::Decimal(d) => {
            other(10, &[d.scale().into()]);
            out.extend_from_slice(&d.unscaled().to_le_bytes());
        }
        Value::Iri(iri) => {
            other(11, &[]);
            encode_text(iri, out);
        }
        Value::Literal(literal) => {
            let (kind, of) = match &literal.kind {
                LiteralKind::Language(tag) => (12, Cow::Owned(tag.to_ascii_lowercase())),
                LiteralKind::Datatype(iri) => (13, Cow::Borrowed(&**iri)),
            };
            other(kind, &[]);
            encode_text(&literal.lexical, out);
            encode_text(&of, out);
        }
        // Of fixed size.
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Date(_)
        | Value::Node(_)
        | Value::Relationship(_) => {}
    }
}

/// Texts that are remembered within a chunk.
const RECENT_TEXTS: usize = 128;
/// Pairs that are remembered within a chunk: 6 KiB.
const RECENT_PAIRS: usize = 256;
/// Above the bits of table and row.
const KIND_SHIFT: u32 = 60;
/// Rows up to which an array stands for a map: 16 MiB.
const ROWS_MAX: u64 = 1 << 22;
/// Entries of the array for each row that has come: 128 bytes, what a row of a chunk costs anyway.
const ROWS_PER_KEY: usize = 32;

/// Two nodes as one integer, where their tables are below 256 and their rows below 2^24.
#[inline(always)]
fn node_pair(a: u64, b: u64) -> Option<u64> {
    const WIDE: u64 = !((0xff << NodeId::ROW_BITS) | 0x00ff_ffff);
    let half = |n: u64| (n >> NodeId::ROW_BITS) << 24 | (n & 0x00ff_ffff);
    ((a | b) & WIDE == 0).then(|| half(a) << 32 | half(b))
}

/// The bits of the values of a vector at `positions`, if all have the same tag; the same bits as
/// `fixed_key`'s.
pub(crate) fn fixed_bits(vector: &Vector<'_>, positions: &[u32], out: &mut Vec<u64>) -> Option<u8> {
    if !vector.nulls.is_none() {
        return None;
    }
    out.clear();
    let at = positions.iter().map(|p| *p as usize);
    Some(match &vector.values {
        Values::Int(v) => {
            out.extend(at.map(|i| v[i].cast_unsigned()));
            TAG_INT
        }
        Values::Node(v) => {
            v.for_each(at, |_, id| out.push(id.0));
            TAG_NODE
        }
        Values::Edge(v) => {
            out.extend(at.map(|i| v.id(i).0));
            TAG_EDGE
        }
        Values::Date(v) => {
            out.extend(at.map(|i| i64::from(v[i]).cast_unsigned()));
            TAG_DATE
        }
        Values::DateTime(v) => {
            out.extend(at.map(|i| v[i].cast_unsigned()));
            TAG_UTC
        }
        _ => return None,
    })
}

impl KeyTable {
    /// The numbers of the tuples of `keys` at `positions`, appended to `numbers`; positions of new ones to
    /// `fresh`.
    ///
    /// **Cost**: for one or two keys of fixed size without nulls one look-up per change of key, without a
    /// branch on types.
    pub(crate) fn number_all(
        &mut self,
        keys: &[&Vector<'_>],
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        if let [Vector { values: Values::String(texts), nulls }] = keys
            && nulls.is_none()
        {
            self.number_texts(keys, texts, positions, numbers, fresh);
            return;
        }
        let (mut a, mut b) = (std::mem::take(&mut self.bits.0), std::mem::take(&mut self.bits.1));
        let tags = match keys {
            [one] => fixed_bits(one, positions, &mut a).map(|t| (t, None)),
            [one, two] => fixed_bits(one, positions, &mut a)
                .and_then(|s| Some((s, Some(fixed_bits(two, positions, &mut b)?)))),
            _ => None,
        };
        match tags {
            Some((tag, None)) => {
                self.widen(tag, &a);
                let mut last = None;
                for (p, bits) in positions.iter().zip(&a) {
                    let number = match last {
                        Some((same, number)) if same == *bits => number,
                        _ => self.number_fixed(tag, *bits),
                    };
                    last = Some((*bits, number));
                    self.note(number, *p, numbers, fresh);
                }
            }
            Some((s, Some(t))) => {
                // Rows of one first key mostly come together: what they pair it with is found here, not in a
                // map that is larger than the cache.
                let mut recent = [(0u64, 0u64, u32::MAX); RECENT_PAIRS];
                for (p, (x, y)) in positions.iter().zip(a.iter().zip(&b)) {
                    let place = &mut recent[y.wrapping_add(x.rotate_left(3)) as usize % RECENT_PAIRS];
                    if place.2 == u32::MAX || (place.0, place.1) != (*x, *y) {
                        *place = (*x, *y, self.number_pair((s, *x), (t, *y)));
                    }
                    self.note(place.2, *p, numbers, fresh);
                }
            }
            None => {
                let mut buffer = Vec::new();
                let mut key: Vec<(&Vector<'_>, usize)> = keys.iter().map(|k| (*k, 0)).collect();
                for p in positions {
                    key.iter_mut().for_each(|k| k.1 = *p as usize);
                    let (number, new) = self.number(&key, &mut buffer);
                    numbers.push(number);
                    if new {
                        fresh.push(*p);
                    }
                }
            }
        }
        self.bits = (a, b);
    }

    /// One text as key. Entries of a dictionary come again and again, and are known by where they lie: within
    /// a chunk only, so that nothing that is freed is taken for what comes after it.
    fn number_texts(
        &mut self,
        keys: &[&Vector<'_>],
        texts: &Texts<'_>,
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        let mut buffer = Vec::new();
        let mut recent: [(&str, u32); RECENT_TEXTS] = [("", u32::MAX); RECENT_TEXTS];
        for p in positions {
            let text = texts.get(*p as usize);
            // The entries of a dictionary end to end differ in the low bits of where they start.
            let place = &mut recent[text.as_ptr() as usize % RECENT_TEXTS];
            if place.1 != u32::MAX && std::ptr::eq(place.0, text) {
                numbers.push(place.1);
                continue;
            }
            let (number, new) = self.number(&[(keys[0], *p as usize)], &mut buffer);
            *place = (text, number);
            numbers.push(number);
            if new {
                fresh.push(*p);
            }
        }
    }

    /// Keeps a number given by `number_fixed` or `number_pair`: new if it is the next.
    #[inline(always)]
    fn note(&mut self, number: u32, position: u32, numbers: &mut Vec<u32>, fresh: &mut Vec<u32>) {
        numbers.push(number);
        if number == self.count {
            self.count += 1;
            fresh.push(position);
        }
    }

    /// Makes the array of rows as long as the nodes of a chunk ask for, if they are enough to pay for it.
    fn widen(&mut self, tag: u8, nodes: &[u64]) {
        let Some(most) = nodes.iter().max().filter(|_| tag == TAG_NODE) else { return };
        let most = NodeId(*most);
        let table = *self.rows_of.get_or_insert(most.table());
        let wanted = most.row().saturating_add(1).next_power_of_two();
        if table == most.table()
            && wanted <= ROWS_MAX
            && wanted as usize > self.rows.len()
            && wanted as usize <= ROWS_PER_KEY * (self.count as usize + nodes.len())
        {
            self.rows.resize(wanted as usize, 0);
        }
    }

    /// The number of one key of fixed size; the next, if it is new, which the caller notes.
    #[inline]
    fn number_fixed(&mut self, tag: u8, bits: u64) -> u32 {
        let next = self.count;
        let node = NodeId(bits);
        if tag == TAG_NODE
            && bits >> KIND_SHIFT == 0
            && Some(node.table()) == self.rows_of
            && let Some(number) = self.rows.get_mut(node.row() as usize)
        {
            if *number == 0 {
                // It may have come before the array was this long.
                *number = self.fixed.get(&(tag, bits)).copied().unwrap_or(next) + 1;
            }
            return *number - 1;
        }
        *self.fixed.entry((tag, bits)).or_insert(next)
    }

    #[inline]
    fn number_pair(&mut self, (s, x): (u8, u64), (t, y): (u8, u64)) -> u32 {
        let next = self.count;
        if (s, t) == (TAG_NODE, TAG_NODE)
            && let Some(pair) = node_pair(x, y)
        {
            return *self.nodes.entry(pair).or_insert(next);
        }
        *self.pairs.entry((u16::from(s) << 8 | u16::from(t), x, y)).or_insert(next)
    }

    /// The number of the tuple of `vectors` at their positions, and whether it is new.
    pub(crate) fn number(&mut self, key: &[(&Vector<'_>, usize)], buffer: &mut Vec<u8>) -> (u32, bool) {
        let next = self.count;
        let number = if let [(vector, i)] = key
            && let Some(fixed) = fixed_key(vector, *i)
        {
            self.number_fixed(fixed.0, fixed.1)
        } else if let [a, b] = key
            && let (Some(x), Some(y)) = (fixed_key(a.0, a.1), fixed_key(b.0, b.1))
        {
            self.number_pair(x, y)
        } else {
            buffer.clear();
            key.iter().for_each(|(vector, i)| encode(vector, *i, buffer));
            match self.general.get(&buffer[..]) {
                Some(number) => *number,
                None => {
                    self.general_bytes += buffer.len() + 16;
                    self.general.insert(buffer[..].into(), next);
                    next
                }
            }
        };
        if number == next {
            self.count += 1;
        }
        (number, number == next)
    }

    /// The number of a tuple, if it has one.
    pub(crate) fn find(&self, key: &[(&Vector<'_>, usize)], buffer: &mut Vec<u8>) -> Option<u32> {
        if let [(vector, i)] = key
            && let Some(fixed) = fixed_key(vector, *i)
        {
            let node = NodeId(fixed.1);
            if fixed.0 == TAG_NODE
                && fixed.1 >> KIND_SHIFT == 0
                && Some(node.table()) == self.rows_of
                && let Some(number) = self.rows.get(node.row() as usize)
                && *number != 0
            {
                return Some(*number - 1);
            }
            return self.fixed.get(&fixed).copied();
        }
        if let [a, b] = key
            && let (Some((s, x)), Some((t, y))) = (fixed_key(a.0, a.1), fixed_key(b.0, b.1))
        {
            if (s, t) == (TAG_NODE, TAG_NODE)
                && let Some(pair) = node_pair(x, y)
            {
                return self.nodes.get(&pair).copied();
            }
            return self.pairs.get(&(u16::from(s) << 8 | u16::from(t), x, y)).copied();
        }
        buffer.clear();
        key.iter().for_each(|(vector, i)| encode(vector, *i, buffer));
        self.general.get(&buffer[..]).copied()
    }

    /// How many tuples have a number.
    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() * 4
            + table_bytes::<(u64, u32)>(self.nodes.capacity())
            + table_bytes::<((u8, u64), u32)>(self.fixed.capacity())
            + table_bytes::<((u16, u64, u64), u32)>(self.pairs.capacity())
            + table_bytes::<(Box<[u8]>, u32)>(self.general.capacity())
            + self.general_bytes
    }

    /// Bytes that may be allocated before `more` tuples have a number, texts left out: what moves is given
    /// back.
    pub(crate) fn growth_bytes(&self, more: usize) -> usize {
        table_growth_bytes::<(u64, u32)>(self.nodes.len(), self.nodes.capacity(), more)
            + table_growth_bytes::<((u8, u64), u32)>(self.fixed.len(), self.fixed.capacity(), more)
            + table_growth_bytes::<((u16, u64, u64), u32)>(self.pairs.len(), self.pairs.capacity(), more)
            + table_growth_bytes::<(Box<[u8]>, u32)>(self.general.len(), self.general.capacity(), more)
    }
}
