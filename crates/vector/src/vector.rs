//! Typed vectors with a null mask, and the general `any` vector.

use std::ops::Range;
use std::sync::Arc;

use trimorph_types::{
    Date, DateTime, Duration, Literal, LocalDateTime, LocalTime, LogicalType, Relationship, Time, Value, Zone,
};

use crate::{Decimals, Edges, Literals, Nodes, Nulls, Number, Numbers, Texts, Zoned};

/// The values of a vector. At null positions they are arbitrary.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are the types'")]
pub enum Values<'s> {
    Bool(Vec<bool>),
    Int(Vec<i64>),
    Float(Vec<f64>),
    /// Integers and floats.
    Number(Numbers),
    String(Texts<'s>),
    /// Days since 1970-01-01.
    Date(Vec<i32>),
    /// Nanoseconds since midnight.
    LocalTime(Vec<i64>),
    /// Nanoseconds since 1970-01-01T00:00:00 on the local clock.
    LocalDateTime(Vec<i64>),
    /// Nanoseconds since 1970-01-01T00:00:00Z, shown in UTC.
    DateTime(Vec<i64>),
    /// The same, some of them shown in other zones.
    Zoned(Zoned),
    Time(Vec<Time>),
    Duration(Vec<Duration>),
    Decimal(Decimals),
    /// Without the angle brackets.
    Iri(Texts<'s>),
    Literal(Literals<'s>),
    Node(Nodes<'s>),
    Edge(Edges<'s>),
    List(Lists<'s>),
    Map(Maps<'s>),
    /// Lists of one length whose elements at each place are of one type, as maps by place.
    Tuple(Maps<'s>),
    /// Anything; null is `Value::Null`.
    Any(Vec<Value>),
}

/// One value for each position of a group.
#[derive(Clone, Debug)]
pub struct Vector<'s> {
    /// The values.
    pub values: Values<'s>,
    /// Which are null (for `Any`, those that are `Value::Null`; the mask is not used).
    pub nulls: Nulls,
}

/// Where the elements of a list are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// Lists, one for each position; `lists` says what holds of them.
#[derive(Clone, Debug)]
pub struct Lists<'s> {
    pub(crate) runs: Vec<Run>,
    pub(crate) child: Arc<Vector<'s>>,
}

/// Maps of the same keys, one for each position; `maps` says what holds of them.
#[derive(Clone, Debug)]
pub struct Maps<'s> {
    pub(crate) keys: Arc<[Arc<str>]>,
    pub(crate) fields: Vec<Vector<'s>>,
    pub(crate) len: usize,
}

impl Default for Lists<'_> {
    fn default() -> Self {
        Self { runs: Vec::new(), child: Arc::new(Vector::empty()) }
    }
}

/// An edge as a value for those who ask which one it is, but not for its ends, which the store knows: to be
/// compared, ordered or hashed.
pub fn by_id(id: trimorph_base::EdgeId) -> Value {
    let none = trimorph_base::NodeId(0);
    Value::Relationship(Relationship { id, start: none, end: none })
}

/// Whole seconds and the nanoseconds within, of nanoseconds since the epoch.
fn split_nanos(nanos: i64) -> (i64, u32) {
    let within = nanos.rem_euclid(1_000_000_000);
    (nanos.div_euclid(1_000_000_000), u32::try_from(within).unwrap_or(0))
}

impl<'s> Vector<'s> {
    /// Without nulls.
    pub fn new(values: Values<'s>) -> Self {
        Self { values, nulls: Nulls::NONE }
    }

    /// No values: what a slot holds before it is filled.
    pub fn empty() -> Self {
        Self::new(Values::Any(Vec::new()))
    }

    /// `len` nulls.
    pub fn nulls(len: usize) -> Self {
        Self::new(Values::Any(vec![Value::Null; len]))
    }

    /// The type of its values.
    pub fn logical_type(&self) -> LogicalType {
        match &self.values {
            Values::Bool(_) => LogicalType::Bool,
            Values::Int(_) => LogicalType::Int,
            Values::Float(_) => LogicalType::Float,
            Values::String(_) => LogicalType::String,
            Values::Date(_) => LogicalType::Date,
            Values::LocalTime(_) => LogicalType::LocalTime,
            Values::LocalDateTime(_) => LogicalType::LocalDateTime,
            Values::DateTime(_) | Values::Zoned(_) => LogicalType::DateTime,
            Values::Time(_) => LogicalType::Time,
            Values::Duration(_) => LogicalType::Duration,
            Values::Decimal(_) => LogicalType::Decimal,
            Values::Iri(_) => LogicalType::Iri,
            Values::Literal(_) => LogicalType::Literal,
            Values::Node(_) => LogicalType::Node,
            Values::Edge(_) => LogicalType::Relationship,
            Values::List(_) | Values::Tuple(_) => LogicalType::List,
            Values::Map(_) => LogicalType::Map,
            Values::Number(_) | Values::Any(_) => LogicalType::Any,
        }
    }

    /// Whether position `i` is null.
    #[inline]
    pub fn is_null(&self, i: usize) -> bool {
        match &self.values {
            Values::Any(v) => v[i].is_null(),
            _ => self.nulls.get(i),
        }
    }

    /// Whether some of its values may be null.
    #[inline]
    pub fn may_have_nulls(&self) -> bool {
        matches!(self.values, Values::Any(_)) || !self.nulls.is_none()
    }

    /// The node at position `i`, if there is one.
    #[inline]
    pub fn node(&self, i: usize) -> Option<trimorph_base::NodeId> {
        match &self.values {
            Values::Any(v) => match v[i] {
                Value::Node(node) => Some(node),
                _ => None,
            },
            Values::Node(nodes) if !self.nulls.get(i) => Some(nodes.id(i)),
            _ => None,
        }
    }

    /// The value at position `i`. Edges need the store to become relationships: `edge` does that.
    #[inline]
    pub fn value(&self, i: usize, edge: &dyn Fn(trimorph_base::EdgeId) -> Value) -> Value {
        if self.is_null(i) {
            return Value::Null;
        }
        match &self.values {
            Values::Bool(v) => Value::Bool(v[i]),
            Values::Int(v) => Value::Int(v[i]),
            Values::Float(v) => Value::Float(v[i]),
            Values::Number(v) => v.get(i).value(),
            Values::String(v) => Value::String(Arc::from(v.get(i))),
            Values::Date(v) => Value::Date(Date { days: v[i].into() }),
            Values::LocalTime(v) => Value::LocalTime(LocalTime { nanos: v[i] }),
            Values::LocalDateTime(v) => {
                let (seconds, nanos) = split_nanos(v[i]);
                Value::LocalDateTime(LocalDateTime { seconds, nanos })
            }
            Values::DateTime(v) => {
                let (seconds, nanos) = split_nanos(v[i]);
                Value::DateTime(DateTime { seconds, nanos, zone: Zone::Offset(0) })
            }
            Values::Zoned(v) => {
                let (seconds, nanos) = split_nanos(v.values()[i]);
                let zone = v.tag(i).cloned().unwrap_or(Zone::UTC);
                Value::DateTime(DateTime { seconds, nanos, zone })
            }
            Values::Time(v) => Value::Time(v[i]),
            Values::Duration(v) => Value::Duration(v[i]),
            Values::Decimal(v) => Value::Decimal(v.at(i)),
            Values::Iri(v) => Value::Iri(Arc::from(v.get(i))),
            Values::Literal(v) => match v.tag(i) {
                Some(kind) => {
                    let lexical = Arc::from(v.values().get(i));
                    Value::Literal(Arc::new(Literal { lexical, kind: kind.clone() }))
                }
                None => Value::Null,
            },
            Values::Node(v) => Value::Node(v.id(i)),
            Values::Edge(v) => edge(v.id(i)),
            Values::List(v) => v.value(i, edge),
            Values::Map(v) => v.value(i, edge),
            Values::Tuple(v) => v.list(i, edge),
            Values::Any(v) => v[i].clone(),
        }
    }

    /// Bytes that the values at `positions` keep alive besides their cells and the blocks of their texts
    /// ([`Texts::block_bytes`]).
    pub fn owned_bytes(&self, positions: impl Iterator<Item = usize>) -> u64 {
        match &self.values {
            Values::Any(v) => positions.filter_map(|i| v.get(i)).map(Value::owned_bytes).sum(),
            Values::List(v) => v.owned_bytes(positions.filter(|i| !self.nulls.get(*i))),
            Values::Map(v) | Values::Tuple(v) => {
                let positions: Vec<usize> = positions.collect();
                v.fields().iter().map(|field| field.owned_bytes(positions.iter().copied())).sum()
            }
            _ => 0,
        }
    }

    /// The same of all positions. Elements that several lists have are counted once.
    pub fn owned_bytes_of_all(&self) -> u64 {
        match &self.values {
            Values::List(lists) => {
                let child = lists.child();
                let elements = (0..self.listed()).map(|i| lists.count(i)).sum::<usize>();
                match u32::try_from(child.listed()) {
                    Ok(len) if child.listed() <= elements => child.bytes_of(0..len),
                    _ => self.owned_bytes(0..self.listed()),
                }
            }
            _ => self.owned_bytes(0..self.listed()),
        }
    }

    /// Bytes of the cells of some positions, and of what they keep alive, their texts among it.
    pub(crate) fn bytes_of(&self, positions: std::ops::Range<u32>) -> u64 {
        let count = u64::from(positions.end - positions.start);
        let at_range = positions.clone();
        let at = positions.map(|i| i as usize);
        match &self.values {
            Values::Bool(_) => count,
            Values::Date(_) => count * 4,
            Values::String(v) | Values::Iri(v) => count * 16 + v.letters(at_range),
            Values::Literal(v) => count * 17 + at.map(|i| v.values().get(i).len() as u64).sum::<u64>(),
            Values::Zoned(_) | Values::Number(_) => count * 9,
            Values::Time(_) => count * size_of::<Time>() as u64,
            Values::Duration(_) => count * size_of::<Duration>() as u64,
            Values::Decimal(v) => count * v.cells().1 as u64,
            Values::List(_) => count * 8 + self.owned_bytes(at),
            Values::Map(v) | Values::Tuple(v) => {
                v.fields().iter().map(|field| field.bytes_of(at_range.clone())).sum()
            }
            Values::Any(v) => (v.len() as u64).min(count) * size_of::<Value>() as u64 + self.owned_bytes(at),
            _ => count * 8,
        }
    }

    /// The values at the given positions, in that order.
    pub fn gather(&self, positions: &[u32]) -> Self {
        fn pick<T: Clone>(v: &[T], positions: &[u32]) -> Vec<T> {
            positions.iter().map(|p| v[*p as usize].clone()).collect()
        }
        let values = match &self.values {
            Values::Bool(v) => Values::Bool(pick(v, positions)),
            Values::Int(v) => Values::Int(pick(v, positions)),
            Values::Float(v) => Values::Float(pick(v, positions)),
            Values::Number(v) => Values::Number(v.gather(positions)),
            Values::String(v) => Values::String(v.gather(positions)),
            Values::Date(v) => Values::Date(pick(v, positions)),
            Values::LocalTime(v) => Values::LocalTime(pick(v, positions)),
            Values::LocalDateTime(v) => Values::LocalDateTime(pick(v, positions)),
            Values::DateTime(v) => Values::DateTime(pick(v, positions)),
            Values::Zoned(v) => Values::Zoned(v.gather(positions)),
            Values::Time(v) => Values::Time(pick(v, positions)),
            Values::Duration(v) => Values::Duration(pick(v, positions)),
            Values::Decimal(v) => Values::Decimal(v.gather(positions)),
            Values::Iri(v) => Values::Iri(v.gather(positions)),
            Values::Literal(v) => Values::Literal(v.gather(positions)),
            Values::Node(v) => Values::Node(Nodes::Ids { table: v.table(), ids: v.gather(positions) }),
            Values::Edge(Edges::Ids(ids)) => Values::Edge(Edges::Ids(pick(ids, positions))),
            Values::Edge(v) => {
                Values::Edge(Edges::Ids(positions.iter().map(|p| v.id(*p as usize)).collect()))
            }
            Values::List(v) => Values::List(v.gather(positions)),
            Values::Map(v) => Values::Map(v.gather(positions)),
            Values::Tuple(v) => Values::Tuple(v.gather(positions)),
            Values::Any(v) => Values::Any(pick(v, positions)),
        };
        Self { values, nulls: self.nulls.gather(positions) }
    }

    /// The same without the elements that none of its lists has, where these are many: for those that are
    /// kept after others went.
    #[must_use]
    pub fn compacted(self) -> Self {
        match &self.values {
            Values::List(lists) if lists.are_sparse() => {
                let len = self.listed();
                let all: Vec<u32> = (0..u32::try_from(len).unwrap_or(u32::MAX)).collect();
                let mut out = self.like();
                // Both are of one type.
                out.extend(&self, &all, &by_id);
                out
            }
            _ => self,
        }
    }

    /// A vector without values that `push` will fill with values like those of `self`.
    pub fn like(&self) -> Self {
        let values = match &self.values {
            Values::Bool(_) => Values::Bool(Vec::new()),
            Values::Int(_) => Values::Int(Vec::new()),
            Values::Float(_) => Values::Float(Vec::new()),
            Values::Number(_) => Values::Number(Numbers::default()),
            Values::String(_) => Values::String(Texts::default()),
            Values::Date(_) => Values::Date(Vec::new()),
            Values::LocalTime(_) => Values::LocalTime(Vec::new()),
            Values::LocalDateTime(_) => Values::LocalDateTime(Vec::new()),
            Values::DateTime(_) => Values::DateTime(Vec::new()),
            Values::Zoned(v) => Values::Zoned(v.like()),
            Values::Time(_) => Values::Time(Vec::new()),
            Values::Duration(_) => Values::Duration(Vec::new()),
            Values::Decimal(v) => Values::Decimal(v.like()),
            Values::Iri(_) => Values::Iri(Texts::default()),
            Values::Literal(v) => Values::Literal(v.like()),
            Values::Node(n) => Values::Node(Nodes::Ids { table: n.table(), ids: Vec::new() }),
            Values::Edge(_) => Values::Edge(Edges::Ids(Vec::new())),
            Values::List(_) => Values::List(Lists::default()),
            Values::Map(v) => Values::Map(v.like()),
            Values::Tuple(v) => Values::Tuple(v.like()),
            Values::Any(_) => Values::Any(Vec::new()),
        };
        Self::new(values)
    }

    /// Number of values, where they are listed; vectors that stand for a range or a stored list have no
    /// length of their own.
    pub fn listed(&self) -> usize {
        match &self.values {
            Values::Bool(v) => v.len(),
            Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => v.len(),
            Values::Float(v) => v.len(),
            Values::Number(v) => v.len(),
            Values::String(v) | Values::Iri(v) => v.len(),
            Values::Date(v) => v.len(),
            Values::Zoned(v) => v.len(),
            Values::Time(v) => v.len(),
            Values::Duration(v) => v.len(),
            Values::Decimal(v) => v.len(),
            Values::Literal(v) => v.len(),
            Values::Node(Nodes::Ids { ids, .. }) => ids.len(),
            Values::Edge(Edges::Ids(ids)) => ids.len(),
            Values::List(v) => v.len(),
            Values::Map(v) | Values::Tuple(v) => v.len(),
            Values::Any(v) => v.len(),
            Values::Node(_) | Values::Edge(_) => 0,
        }
    }

    /// Appends `positions` of `other`. Where the types differ the vector becomes general.
    pub fn extend(&mut self, other: &Self, positions: &[u32], edge: &dyn Fn(trimorph_base::EdgeId) -> Value) {
        let before = self.listed();
        let at = positions.iter().map(|p| *p as usize);
        // Nulls alone have no type: what comes with them keeps its own.
        match (&self.values, &other.values) {
            (Values::Any(a), b) if !matches!(b, Values::Any(_)) && a.iter().all(Value::is_null) => {
                *self = other.like();
                self.extend_nulls(before);
            }
            (a, Values::Any(b)) if !matches!(a, Values::Any(_)) && at.clone().all(|i| b[i].is_null()) => {
                self.extend_nulls(positions.len());
                return;
            }
            // Instants of UTC are instants of zones.
            (Values::DateTime(_), Values::Zoned(_)) => *self = std::mem::replace(self, Self::empty()).zoned(),
            (Values::Zoned(_), Values::DateTime(_)) => {
                return self.extend(&other.clone().zoned(), positions, edge);
            }
            _ => self.become_numbers_for(other),
        }
        match (&mut self.values, &other.values) {
            (Values::Bool(a), Values::Bool(b)) => a.extend(at.map(|i| b[i])),
            (Values::Int(a), Values::Int(b))
            | (Values::LocalTime(a), Values::LocalTime(b))
            | (Values::LocalDateTime(a), Values::LocalDateTime(b))
            | (Values::DateTime(a), Values::DateTime(b)) => a.extend(at.map(|i| b[i])),
            (Values::Float(a), Values::Float(b)) => a.extend(at.map(|i| b[i])),
            (Values::Number(a), Values::Number(b)) => at.for_each(|i| a.push(b.get(i))),
            (Values::Number(a), Values::Int(b)) => at.for_each(|i| a.push(Number::Int(b[i]))),
            (Values::Number(a), Values::Float(b)) => at.for_each(|i| a.push(Number::Float(b[i]))),
            (Values::String(a), Values::String(b)) | (Values::Iri(a), Values::Iri(b)) => {
                a.extend(b, positions);
            }
            (Values::Date(a), Values::Date(b)) => a.extend(at.map(|i| b[i])),
            (Values::Time(a), Values::Time(b)) => a.extend(at.map(|i| b[i])),
            (Values::Duration(a), Values::Duration(b)) => a.extend(at.map(|i| b[i])),
            (Values::Decimal(a), Values::Decimal(b)) => a.extend(b, positions),
            (Values::Zoned(a), Values::Zoned(b)) if a.has_room_for(b) => a.extend(b, positions),
            (Values::Literal(a), Values::Literal(b)) if a.has_room_for(b) => a.extend(b, positions),
            (Values::Node(Nodes::Ids { table, ids }), Values::Node(b)) => {
                if *table != b.table() {
                    *table = None;
                }
                b.for_each(at, |_, id| ids.push(id));
            }
            (Values::Edge(Edges::Ids(a)), Values::Edge(Edges::Ids(b))) => a.extend(at.map(|i| b[i])),
            (Values::Edge(Edges::Ids(a)), Values::Edge(b)) => a.extend(at.map(|i| b.id(i))),
            (Values::List(a), Values::List(b)) if a.has_room(b, positions) => {
                a.extend(b, positions, &other.nulls, edge);
            }
            (Values::Map(a), Values::Map(b)) | (Values::Tuple(a), Values::Tuple(b)) if a.has_keys_of(b) => {
                a.extend(b, positions, edge);
            }
            (Values::Any(a), _) => {
                a.extend(at.map(|i| other.value(i, edge)));
                return;
            }
            _ => {
                let mut values: Vec<Value> = (0..before).map(|i| self.value(i, edge)).collect();
                values.extend(at.map(|i| other.value(i, edge)));
                *self = Self::new(Values::Any(values));
                return;
            }
        }
        if !other.nulls.is_none() {
            for (k, p) in positions.iter().enumerate() {
                if other.nulls.get(*p as usize) {
                    self.nulls.set(before + k, before + positions.len());
                }
            }
        }
    }

    /// As [`Self::extend`] for ranges of positions. **Cost**: plain values of the same type are copied as
    /// they lie.
    pub(crate) fn extend_ranges(
        &mut self,
        other: &Self,
        ranges: &[Range<u32>],
        edge: &dyn Fn(trimorph_base::EdgeId) -> Value,
    ) {
        fn copy<T: Clone>(into: &mut Vec<T>, from: &[T], ranges: &[Range<u32>]) {
            into.reserve(ranges.iter().map(ExactSizeIterator::len).sum());
            let parts = ranges.iter().map(|range| range.start as usize..range.end as usize);
            parts.for_each(|range| into.extend_from_slice(&from[range]));
        }
        let before = self.listed();
        match (&mut self.values, &other.values) {
            (Values::Int(a), Values::Int(b))
            | (Values::LocalTime(a), Values::LocalTime(b))
            | (Values::LocalDateTime(a), Values::LocalDateTime(b))
            | (Values::DateTime(a), Values::DateTime(b)) => copy(a, b, ranges),
            (Values::Bool(a), Values::Bool(b)) => copy(a, b, ranges),
            (Values::Float(a), Values::Float(b)) => copy(a, b, ranges),
            (Values::Date(a), Values::Date(b)) => copy(a, b, ranges),
            (Values::Edge(Edges::Ids(a)), Values::Edge(Edges::Ids(b))) => copy(a, b, ranges),
            (Values::Node(Nodes::Ids { table, ids }), Values::Node(Nodes::Ids { table: of, ids: b })) => {
                if table != of {
                    *table = None;
                }
                copy(ids, b, ranges);
            }
            _ => {
                let positions: Vec<u32> = ranges.iter().cloned().flatten().collect();
                return self.extend(other, &positions, edge);
            }
        }
        if !other.nulls.is_none() {
            let len = self.listed();
            for (at, p) in (before..).zip(ranges.iter().cloned().flatten()) {
                if other.nulls.get(p as usize) {
                    self.nulls.set(at, len);
                }
            }
        }
    }

    /// The same with its instants of UTC as instants of zones.
    #[must_use]
    pub fn zoned(self) -> Self {
        match self.values {
            Values::DateTime(nanos) => {
                Self { values: Values::Zoned(Zoned::all(nanos, Zone::UTC)), nulls: self.nulls }
            }
            values => Self { values, nulls: self.nulls },
        }
    }

    /// Where one of the two has integers and the other floats, makes these numbers, which take both.
    fn become_numbers_for(&mut self, other: &Self) {
        let numbers = match (&self.values, &other.values) {
            (Values::Int(ints), Values::Float(_) | Values::Number(_)) => Numbers::of_ints(ints),
            (Values::Float(floats), Values::Int(_) | Values::Number(_)) => Numbers::of_floats(floats),
            _ => return,
        };
        self.values = Values::Number(numbers);
    }

    /// The same where integers and floats, if they are beside each other, are general values: for those who
    /// tell vectors of a type from others.
    #[must_use]
    pub fn without_numbers(self) -> Self {
        match &self.values {
            Values::Number(numbers) => {
                let values = (0..numbers.len()).map(|i| self.value(i, &|_| Value::Null)).collect();
                Self::new(Values::Any(values))
            }
            _ => self,
        }
    }

    /// Appends `count` nulls to a listed vector.
    fn extend_nulls(&mut self, count: usize) {
        let before = self.listed();
        let len = before + count;
        self.resize(len);
        if !matches!(self.values, Values::Any(_)) {
            for i in before..len {
                self.nulls.set(i, len);
            }
        }
    }

    /// The same with `len` values, those that are new being arbitrary.
    #[must_use]
    pub(crate) fn resized(mut self, len: usize) -> Self {
        self.resize(len);
        self
    }

    /// Makes a listed vector one of `len` values; those that are new are arbitrary, general ones null.
    pub fn resize(&mut self, len: usize) {
        match &mut self.values {
            Values::Bool(v) => v.resize(len, false),
            Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
                v.resize(len, 0);
            }
            Values::Float(v) => v.resize(len, 0.0),
            Values::Number(v) => v.resize(len),
            Values::String(v) | Values::Iri(v) => v.resize(len),
            Values::Date(v) => v.resize(len, 0),
            Values::Zoned(v) => v.resize(len),
            Values::Time(v) => v.resize(len, Time::default()),
            Values::Duration(v) => v.resize(len, Duration::default()),
            Values::Decimal(v) => v.resize(len),
            Values::Literal(v) => v.resize(len),
            Values::Node(Nodes::Ids { ids, .. }) => ids.resize(len, trimorph_base::NodeId(0)),
            Values::Edge(Edges::Ids(ids)) => ids.resize(len, trimorph_base::EdgeId(0)),
            Values::List(v) => v.resize(len),
            Values::Map(v) | Values::Tuple(v) => v.resize(len),
            Values::Any(v) => v.resize(len, Value::Null),
            // Only listed vectors grow.
            Values::Node(_) | Values::Edge(_) => {}
        }
    }

    /// Gives `positions` a value of a fixed size. `false`, and nothing done, where the types differ or it is
    /// no such value.
    pub(crate) fn assign_value(&mut self, value: &Value, positions: &[u32]) -> bool {
        fn fill<T: Copy>(out: &mut [T], positions: &[u32], value: T) {
            positions.iter().for_each(|p| out[*p as usize] = value);
        }
        match (&mut self.values, value) {
            (Values::Bool(a), Value::Bool(b)) => fill(a, positions, *b),
            (Values::Int(a), Value::Int(b)) => fill(a, positions, *b),
            (Values::Float(a), Value::Float(b)) => fill(a, positions, *b),
            (Values::Number(a), Value::Int(b)) => {
                positions.iter().for_each(|p| a.set(*p as usize, Number::Int(*b)));
            }
            (Values::Number(a), Value::Float(b)) => {
                positions.iter().for_each(|p| a.set(*p as usize, Number::Float(*b)));
            }
            (Values::Duration(a), Value::Duration(b)) => fill(a, positions, *b),
            (Values::Decimal(a), Value::Decimal(b)) => a.fill(positions, *b),
            _ => return false,
        }
        self.nulls.clear(positions);
        true
    }

    /// Copies `positions` of `other`, a vector of the same length, over those of `self`. `false`, and nothing
    /// done, where the types differ; nulls alone have none.
    pub fn assign(&mut self, other: &Self, positions: &[u32], len: usize) -> bool {
        let at = positions.iter().map(|p| *p as usize);
        match (&self.values, &other.values) {
            (Values::DateTime(_), Values::Zoned(_)) => *self = std::mem::replace(self, Self::empty()).zoned(),
            (Values::Zoned(_), Values::DateTime(_)) => {
                return self.assign(&other.clone().zoned(), positions, len);
            }
            _ => self.become_numbers_for(other),
        }
        match (&mut self.values, &other.values) {
            (Values::Bool(a), Values::Bool(b)) => at.for_each(|i| a[i] = b[i]),
            (Values::Int(a), Values::Int(b))
            | (Values::LocalTime(a), Values::LocalTime(b))
            | (Values::LocalDateTime(a), Values::LocalDateTime(b))
            | (Values::DateTime(a), Values::DateTime(b)) => at.for_each(|i| a[i] = b[i]),
            (Values::Float(a), Values::Float(b)) => at.for_each(|i| a[i] = b[i]),
            (Values::Number(a), Values::Number(b)) => at.for_each(|i| a.set(i, b.get(i))),
            (Values::Number(a), Values::Int(b)) => at.for_each(|i| a.set(i, Number::Int(b[i]))),
            (Values::Number(a), Values::Float(b)) => at.for_each(|i| a.set(i, Number::Float(b[i]))),
            (Values::String(a), Values::String(b)) | (Values::Iri(a), Values::Iri(b)) => {
                a.assign(b, positions);
            }
            (Values::Date(a), Values::Date(b)) => at.for_each(|i| a[i] = b[i]),
            (Values::Time(a), Values::Time(b)) => at.for_each(|i| a[i] = b[i]),
            (Values::Duration(a), Values::Duration(b)) => at.for_each(|i| a[i] = b[i]),
            (Values::Decimal(a), Values::Decimal(b)) => a.assign(b, positions),
            (Values::Zoned(a), Values::Zoned(b)) if a.has_room_for(b) => a.assign(b, positions),
            (Values::Literal(a), Values::Literal(b)) if a.has_room_for(b) => a.assign(b, positions),
            (Values::Node(Nodes::Ids { table, ids }), Values::Node(b)) => {
                if *table != b.table() {
                    *table = None;
                }
                b.for_each(at, |i, id| ids[i] = id);
            }
            (Values::Edge(Edges::Ids(a)), Values::Edge(b)) => at.for_each(|i| a[i] = b.id(i)),
            (Values::List(a), Values::List(b)) if a.shares_with(b) => a.assign(b, positions),
            (Values::Map(a), Values::Map(b)) | (Values::Tuple(a), Values::Tuple(b)) => {
                if !a.assign(b, positions) {
                    return false;
                }
            }
            (Values::Any(a), Values::Any(b)) => at.for_each(|i| a[i] = b[i].clone()),
            // Nulls of no type, as a property that nothing has.
            (_, Values::Any(b)) if at.clone().all(|i| b[i].is_null()) => {
                positions.iter().for_each(|p| self.nulls.set(*p as usize, len));
                return true;
            }
            _ => return false,
        }
        // What was null there is not any longer.
        self.nulls.clear(positions);
        if !other.nulls.is_none() {
            for p in positions.iter().filter(|p| other.nulls.get(**p as usize)) {
                self.nulls.set(*p as usize, len);
            }
        }
        true
    }
}
