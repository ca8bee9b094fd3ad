//! General values in, a typed vector out, where all are of one type that has vectors; nulls may be among
//! them.
//!
//! Edges stay general: an edge vector has ids only, and what knows the ends would have to look them up again.

use trimorph_base::NodeId;
use trimorph_types::{DateTime, Decimal, Duration, LocalDateTime, Time, Value, Zone};

use crate::{
    Decimals, Literals, Maps, Nodes, Nulls, Number, Numbers, Positions, Texts, Values, Vector, Zoned,
};

/// Nanoseconds since the epoch, if they fit.
#[inline]
fn join_nanos(seconds: i64, nanos: u32) -> Option<i64> {
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into())
}

/// Nanoseconds since 1970 of a local date-time, if a vector can hold it.
#[inline]
pub fn local_nanos(local: &LocalDateTime) -> Option<i64> {
    join_nanos(local.seconds, local.nanos)
}

/// Nanoseconds since 1970 of an instant, if a vector can hold it: those of vectors are shown in UTC.
#[inline]
pub fn instant_nanos(instant: &DateTime) -> Option<i64> {
    if instant.zone == Zone::Offset(0) { join_nanos(instant.seconds, instant.nanos) } else { None }
}

/// Nanoseconds since 1970 of an instant in whatever zone, if a vector can hold it.
#[inline]
pub fn zoned_nanos(instant: &DateTime) -> Option<i64> {
    join_nanos(instant.seconds, instant.nanos)
}

/// The plain values of those that are meant, and which are null; `None` where one is of another type.
fn plain<T: Copy>(
    values: &[Value],
    at: Positions<'_>,
    none: T,
    of: impl Fn(&Value) -> Option<T>,
) -> Option<(Vec<T>, Nulls)> {
    let (mut out, mut nulls, mut ok) = (vec![none; at.len], Nulls::NONE, true);
    at.for_each(|i| match &values[i] {
        Value::Null => nulls.set(i, at.len),
        value => match of(value) {
            Some(v) => out[i] = v,
            None => ok = false,
        },
    });
    ok.then_some((out, nulls))
}

/// Integers and floats, and which are null; `None` where one is neither.
fn numbers<'s>(values: &[Value], at: Positions<'_>) -> Option<Vector<'s>> {
    let number = |value: &Value| match value {
        Value::Int(i) => Some(Number::Int(*i)),
        Value::Float(f) => Some(Number::Float(*f)),
        _ => None,
    };
    let (all, nulls) = plain(values, at, Number::Int(0), number)?;
    // Nulls alone have no type.
    let mut is_any = false;
    at.for_each(|i| is_any |= !values[i].is_null());
    let mut numbers = Numbers::default();
    all.into_iter().for_each(|n| numbers.push(n));
    is_any.then_some(Vector { values: Values::Number(numbers), nulls })
}

/// What `plain` gives as a vector.
macro_rules! typed {
    ($values:expr, $at:expr, $kind:ident, $none:expr, $of:expr) => {
        plain($values, $at, $none, $of).map(|(v, nulls)| Vector { values: Values::$kind(v), nulls })
    };
}

impl<'s> Vector<'s> {
    /// A vector of values, one for each of `at.len` positions, those that are not meant being arbitrary. It
    /// is typed if all that are meant are of one type, or null.
    pub fn of_values(values: Vec<Value>, at: Positions<'_>) -> Self {
        Self::typed(&values, at).unwrap_or_else(|| Self::new(Values::Any(values)))
    }

    /// The same, and integers and floats beside each other are numbers ([`Values::Number`]).
    pub fn of_mixed(values: Vec<Value>, at: Positions<'_>) -> Self {
        match Self::typed(&values, at).or_else(|| numbers(&values, at)) {
            Some(vector) => vector,
            None => Self::new(Values::Any(values)),
        }
    }

    fn typed(values: &[Value], at: Positions<'_>) -> Option<Self> {
        let mut first = None;
        at.for_each(|i| {
            if first.is_none() && !values[i].is_null() {
                first = Some(i);
            }
        });
        // Nulls alone have no type.
        match &values[first?] {
            Value::Bool(_) => typed!(values, at, Bool, false, |v| match v {
                Value::Bool(b) => Some(*b),
                _ => None,
            }),
            Value::Int(_) => typed!(values, at, Int, 0, |v| match v {
                Value::Int(i) => Some(*i),
                _ => None,
            }),
            Value::Float(_) => typed!(values, at, Float, 0.0, |v| match v {
                Value::Float(f) => Some(*f),
                _ => None,
            }),
            Value::Date(_) => typed!(values, at, Date, 0, |v| match v {
                Value::Date(d) => i32::try_from(d.days).ok(),
                _ => None,
            }),
            Value::LocalTime(_) => typed!(values, at, LocalTime, 0, |v| match v {
                Value::LocalTime(t) => Some(t.nanos),
                _ => None,
            }),
            Value::LocalDateTime(_) => typed!(values, at, LocalDateTime, 0, |v| match v {
                Value::LocalDateTime(t) => local_nanos(t),
                _ => None,
            }),
            Value::DateTime(_) => typed!(values, at, DateTime, 0, |v| match v {
                Value::DateTime(t) => instant_nanos(t),
                _ => None,
            })
            .or_else(|| zoned(values, at)),
            Value::Time(_) => typed!(values, at, Time, Time::default(), |v| match v {
                Value::Time(t) => Some(*t),
                _ => None,
            }),
            Value::Duration(_) => typed!(values, at, Duration, Duration::default(), |v| match v {
                Value::Duration(d) => Some(*d),
                _ => None,
            }),
            Value::Decimal(_) => {
                let decimal = |v: &Value| if let Value::Decimal(d) = v { Some(*d) } else { None };
                let (decimals, nulls) = plain(values, at, Decimal::default(), decimal)?;
                Some(Vector { values: Values::Decimal(Decimals::packed(decimals)), nulls })
            }
            Value::Iri(_) => {
                let mut is_iri = true;
                at.for_each(|i| is_iri &= matches!(values[i], Value::Iri(_) | Value::Null));
                let text = |i: usize| if let Value::Iri(s) = &values[i] { Some(&**s) } else { None };
                is_iri.then(|| Self::of_texts(at, text).into_iris())
            }
            Value::Literal(_) => literals(values, at),
            Value::Node(_) => nodes(values, at),
            Value::Map(_) => {
                let maps = Maps::of_values(values, at)?;
                let mut nulls = Nulls::NONE;
                at.for_each(|i| {
                    if values[i].is_null() {
                        nulls.set(i, at.len);
                    }
                });
                Some(Self { values: Values::Map(maps), nulls })
            }
            Value::String(_) => {
                let mut is_text = true;
                at.for_each(|i| is_text &= matches!(values[i], Value::String(_) | Value::Null));
                let text = |i: usize| if let Value::String(s) = &values[i] { Some(&**s) } else { None };
                is_text.then(|| Self::of_texts(at, text))
            }
            _ => None,
        }
    }

    /// Copies of the texts of the positions that are meant; null where there is none.
    pub fn of_texts<T: AsRef<str>>(at: Positions<'_>, mut text: impl FnMut(usize) -> Option<T>) -> Self {
        let (mut out, mut nulls) = (Texts::blank(at.len), Nulls::NONE);
        at.for_each(|i| match text(i) {
            Some(text) => out.set(i, text.as_ref()),
            None => nulls.set(i, at.len),
        });
        Self { values: Values::String(out), nulls }
    }

    /// The same with its texts as IRIs.
    #[must_use]
    pub fn into_iris(self) -> Self {
        match self.values {
            Values::String(texts) => Self { values: Values::Iri(texts), nulls: self.nulls },
            values => Self { values, nulls: self.nulls },
        }
    }

    /// The same value at `len` positions.
    pub fn constant(value: &Value, len: usize) -> Self {
        let general = || Values::Any(vec![value.clone(); len]);
        Self::new(match value {
            Value::Bool(b) => Values::Bool(vec![*b; len]),
            Value::Int(i) => Values::Int(vec![*i; len]),
            Value::Float(f) => Values::Float(vec![*f; len]),
            Value::String(text) => Values::String(Texts::repeat(text, len)),
            Value::Date(d) => {
                i32::try_from(d.days).map_or_else(|_| general(), |days| Values::Date(vec![days; len]))
            }
            Value::LocalTime(t) => Values::LocalTime(vec![t.nanos; len]),
            Value::LocalDateTime(t) => {
                local_nanos(t).map_or_else(general, |nanos| Values::LocalDateTime(vec![nanos; len]))
            }
            Value::DateTime(t) => {
                let shown = |nanos| Values::Zoned(Zoned::all(vec![nanos; len], t.zone.clone()));
                match instant_nanos(t) {
                    Some(nanos) => Values::DateTime(vec![nanos; len]),
                    None => zoned_nanos(t).map_or_else(general, shown),
                }
            }
            Value::Time(t) => Values::Time(vec![*t; len]),
            Value::Duration(d) => Values::Duration(vec![*d; len]),
            Value::Decimal(d) => Values::Decimal(Decimals::repeat(*d, len)),
            Value::Iri(iri) => Values::Iri(Texts::repeat(iri, len)),
            Value::Literal(l) => {
                Values::Literal(Literals::all(Texts::repeat(&l.lexical, len), l.kind.clone()))
            }
            Value::Node(n) => Values::Node(Nodes::Ids { table: Some(n.table()), ids: vec![*n; len] }),
            _ => general(),
        })
    }
}

fn nodes<'s>(values: &[Value], at: Positions<'_>) -> Option<Vector<'s>> {
    let node = |v: &Value| if let Value::Node(n) = v { Some(*n) } else { None };
    let (ids, nulls) = plain(values, at, NodeId(0), node)?;
    let (mut first, mut same) = (None, true);
    at.for_each(|i| {
        if !nulls.get(i) {
            same &= *first.get_or_insert(ids[i].table()) == ids[i].table();
        }
    });
    Some(Vector { values: Values::Node(Nodes::Ids { table: first.filter(|_| same), ids }), nulls })
}

/// Instants of whatever zones; `None` where one is none, or has no place in a vector.
fn zoned<'s>(values: &[Value], at: Positions<'_>) -> Option<Vector<'s>> {
    let (mut out, mut nulls, mut ok) = (Zoned::default(), Nulls::NONE, true);
    out.resize(at.len);
    at.for_each(|i| match &values[i] {
        Value::Null => nulls.set(i, at.len),
        Value::DateTime(t) => match (zoned_nanos(t), out.code_of(&t.zone)) {
            (Some(nanos), Some(code)) => out.set(i, code, |instants| instants[i] = nanos),
            _ => ok = false,
        },
        _ => ok = false,
    });
    ok.then_some(Vector { values: Values::Zoned(out), nulls })
}

/// Literals; `None` where one is none, or there are too many kinds of them.
fn literals<'s>(values: &[Value], at: Positions<'_>) -> Option<Vector<'s>> {
    let (mut out, mut nulls, mut ok) = (Literals::default(), Nulls::NONE, true);
    out.resize(at.len);
    at.for_each(|i| match &values[i] {
        Value::Null => nulls.set(i, at.len),
        Value::Literal(l) => match out.code_of(&l.kind) {
            Some(code) => out.set(i, code, |texts| texts.set(i, &l.lexical)),
            None => ok = false,
        },
        _ => ok = false,
    });
    ok.then_some(Vector { values: Values::Literal(out), nulls })
}
