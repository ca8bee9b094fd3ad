//! Grouping keys: tuples of values to dense numbers, by openCypher's equivalence (null is null, NaN is NaN, 1 is 1.0).
//!
//! One or two keys of fixed size go into maps of integers; anything else is encoded so that equivalent tuples have equal bytes.

use rustc_hash::FxHashMap;
use trimorph_types::number::exact_int;
use trimorph_types::{Value, Zone};
use trimorph_vector::{Values, Vector};

/// From key tuples to numbers `0, 1, 2, …` in the order of first sight.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyTable {
    fixed: FxHashMap<(u8, u64), u32>,
    pairs: FxHashMap<(u16, u64, u64), u32>,
    general: FxHashMap<Box<[u8]>, u32>,
    count: u32,
    general_bytes: usize,
}

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

/// Both tags and bits of two values of fixed size.
#[inline]
fn pair_key(a: (&Vector<'_>, usize), b: (&Vector<'_>, usize)) -> Option<(u16, u64, u64)> {
    let ((s, x), (t, y)) = (fixed_key(a.0, a.1)?, fixed_key(b.0, b.1)?);
    Some((u16::from(s) << 8 | u16::from(t), x, y))
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
        Value::Node(n) => (TAG_NODE, n.0),
        Value::Relationship(r) => (TAG_EDGE, r.id.0),
        Value::Date(d) => (TAG_DATE, i64::from(d.days).cast_unsigned()),
        Value::DateTime(t) if t.zone == Zone::Offset(0) => {
            let nanos = t.seconds.checked_mul(1_000_000_000)?.checked_add(t.nanos.into())?;
            (TAG_UTC, nanos.cast_unsigned())
        }
        _ => return None,
    })
}

/// Appends the encoded form of the value at `i`.
pub(crate) fn encode(vector: &Vector<'_>, i: usize, out: &mut Vec<u8>) {
    if let Some((tag, bits)) = fixed_key(vector, i) {
        out.push(tag);
        out.extend_from_slice(&bits.to_le_bytes());
        return;
    }
    match &vector.values {
        Values::String(v) => encode_text(v[i].as_str(), out),
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
        _ => {}
    }
}

impl KeyTable {
    /// The number of the tuple of `vectors` at their positions, and whether it is new.
    pub(crate) fn number(&mut self, key: &[(&Vector<'_>, usize)], buffer: &mut Vec<u8>) -> (u32, bool) {
        let next = self.count;
        let number = if let [(vector, i)] = key
            && let Some(fixed) = fixed_key(vector, *i)
        {
            *self.fixed.entry(fixed).or_insert(next)
        } else if let [a, b] = key
            && let Some(pair) = pair_key(*a, *b)
        {
            *self.pairs.entry(pair).or_insert(next)
        } else {
            buffer.clear();
            key.iter().for_each(|(vector, i)| encode(vector, *i, buffer));
            match self.general.get(&buffer[..]) {
                Some(number) => *number,
                None => {
                    self.general_bytes += buffer.len() + 40;
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
            return self.fixed.get(&fixed).copied();
        }
        if let [a, b] = key
            && let Some(pair) = pair_key(*a, *b)
        {
            return self.pairs.get(&pair).copied();
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
        self.fixed.len() * 28 + self.pairs.len() * 36 + self.general_bytes
    }
}

/// Values seen, for each of many groups: what DISTINCT inside an aggregate needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct DistinctSet {
    fixed: rustc_hash::FxHashSet<(u32, u8, u64)>,
    general: rustc_hash::FxHashSet<(u32, Box<[u8]>)>,
    general_bytes: usize,
}

impl DistinctSet {
    /// Whether the value at `i` is new to `group`.
    pub(crate) fn insert(&mut self, group: u32, vector: &Vector<'_>, i: usize) -> bool {
        if let Some((tag, bits)) = fixed_key(vector, i) {
            return self.fixed.insert((group, tag, bits));
        }
        let mut bytes = Vec::new();
        encode(vector, i, &mut bytes);
        self.general_bytes += bytes.len() + 48;
        self.general.insert((group, bytes.into()))
    }

    /// Moves another set in, its groups renumbered; calls `fresh` with the group of each value that is new here.
    pub(crate) fn merge(&mut self, other: Self, renumber: &[u32], mut fresh: impl FnMut(u32)) {
        for (group, tag, bits) in other.fixed {
            let group = renumber[group as usize];
            if self.fixed.insert((group, tag, bits)) {
                fresh(group);
            }
        }
        for (group, bytes) in other.general {
            let group = renumber[group as usize];
            self.general_bytes += bytes.len() + 48;
            if self.general.insert((group, bytes)) {
                fresh(group);
            }
        }
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        self.fixed.len() * 28 + self.general_bytes
    }
}
