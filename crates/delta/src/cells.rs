//! Cells: the values of one column of a page, side by side, typed as long as they are of one type.

use trimorph_types::{Date, DateTime, LocalDateTime, LocalTime, LogicalType, Value, Zone};
use trimorph_vector::{Values, Vector, instant_nanos, local_nanos};

/// Values of one column, in the order of the page's versions.
#[derive(Debug)]
pub(crate) struct Cells {
    data: Data,
    /// A bit for each that is null, 64 a word; as far as the last one that is.
    nulls: Vec<u64>,
}

#[derive(Debug)]
pub(crate) enum Data {
    /// Nulls so far.
    Nothing(usize),
    Bool(Vec<bool>),
    /// Integers, days or nanoseconds, as the type says.
    Int(LogicalType, Vec<i64>),
    Float(Vec<f64>),
    /// Bytes of all texts, and where each ends.
    Text(Vec<u8>, Vec<u32>),
    /// Anything.
    Any(Vec<Value>),
}

/// A value as the 64 bits of its typed column, and the column's type.
fn integer(value: &Value) -> Option<(LogicalType, i64)> {
    Some(match value {
        Value::Int(i) => (LogicalType::Int, *i),
        Value::Date(d) => (LogicalType::Date, d.days),
        Value::LocalTime(t) => (LogicalType::LocalTime, t.nanos),
        Value::LocalDateTime(t) => (LogicalType::LocalDateTime, local_nanos(t)?),
        Value::DateTime(t) => (LogicalType::DateTime, instant_nanos(t)?),
        _ => return None,
    })
}

fn split(nanos: i64) -> (i64, u32) {
    let within = nanos.rem_euclid(1_000_000_000);
    // Below a billion.
    (nanos.div_euclid(1_000_000_000), within as u32)
}

/// The value that these bits of a column are.
fn of_integer(ty: LogicalType, bits: i64) -> Value {
    let (seconds, nanos) = split(bits);
    match ty {
        LogicalType::Date => Value::Date(Date { days: bits }),
        LogicalType::LocalTime => Value::LocalTime(LocalTime { nanos: bits }),
        LogicalType::LocalDateTime => Value::LocalDateTime(LocalDateTime { seconds, nanos }),
        LogicalType::DateTime => Value::DateTime(DateTime { seconds, nanos, zone: Zone::Offset(0) }),
        _ => Value::Int(bits),
    }
}

impl Default for Cells {
    fn default() -> Self {
        Self { data: Data::Nothing(0), nulls: Vec::new() }
    }
}

impl Cells {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match &self.data {
            Data::Nothing(len) => *len,
            Data::Bool(v) => v.len(),
            Data::Int(_, v) => v.len(),
            Data::Float(v) => v.len(),
            Data::Text(_, ends) => ends.len(),
            Data::Any(v) => v.len(),
        }
    }

    pub(crate) fn data(&self) -> &Data {
        &self.data
    }

    pub(crate) fn may_have_nulls(&self) -> bool {
        !self.nulls.is_empty()
    }

    pub(crate) fn is_null(&self, at: usize) -> bool {
        self.nulls.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    fn set_null(&mut self, at: usize) {
        if self.nulls.len() <= at / 64 {
            self.nulls.resize(at / 64 + 1, 0);
        }
        self.nulls[at / 64] |= 1 << (at % 64);
    }

    /// The value at a place.
    pub(crate) fn value(&self, at: usize) -> Value {
        if self.is_null(at) {
            return Value::Null;
        }
        match &self.data {
            Data::Nothing(_) => Value::Null,
            Data::Bool(v) => v.get(at).map_or(Value::Null, |b| Value::Bool(*b)),
            Data::Int(ty, v) => v.get(at).map_or(Value::Null, |bits| of_integer(*ty, *bits)),
            Data::Float(v) => v.get(at).map_or(Value::Null, |f| Value::Float(*f)),
            Data::Text(..) => self.text(at).map_or(Value::Null, |text| Value::String(text.into())),
            Data::Any(v) => v.get(at).cloned().unwrap_or(Value::Null),
        }
    }

    /// Whether the value at a place is of another type than a column's, `ty`, or has a form that columns of
    /// this type do not have as such. A null is of any.
    pub(crate) fn is_of_other_type(&self, at: usize, ty: LogicalType) -> bool {
        if self.is_null(at) {
            return false;
        }
        match &self.data {
            Data::Nothing(_) => false,
            Data::Bool(_) => ty != LogicalType::Bool,
            Data::Float(_) => ty != LogicalType::Float,
            Data::Text(..) => ty != LogicalType::String,
            Data::Int(own, _) => ty != *own,
            Data::Any(values) => values.get(at).is_some_and(|value| match value {
                Value::Null => false,
                // An instant with another zone, or one that 64 bits do not hold.
                Value::LocalDateTime(_) | Value::DateTime(_) => {
                    integer(value).is_none_or(|(own, _)| own != ty)
                }
                _ => value.logical_type() != ty,
            }),
        }
    }

    /// The text at a place, if it is one.
    pub(crate) fn text(&self, at: usize) -> Option<&str> {
        let Data::Text(bytes, ends) = &self.data else { return None };
        let start = at.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied())?;
        std::str::from_utf8(bytes.get(start as usize..*ends.get(at)? as usize)?).ok()
    }

    /// Appends a value.
    pub(crate) fn push(&mut self, value: Value) {
        if let Data::Nothing(len) = self.data {
            self.begin(&value, len);
        }
        let at = self.len();
        let fits = match (&mut self.data, &value) {
            (Data::Nothing(len), Value::Null) => {
                *len += 1;
                return self.set_null(at);
            }
            (Data::Bool(v), Value::Bool(b)) => {
                v.push(*b);
                true
            }
            (Data::Float(v), Value::Float(f)) => {
                v.push(*f);
                true
            }
            (Data::Int(ty, v), value) if integer(value).is_some_and(|(of, _)| of == *ty) => {
                v.extend(integer(value).map(|(_, bits)| bits));
                true
            }
            (Data::Text(bytes, ends), Value::String(text)) => push_text(bytes, ends, text),
            (data, Value::Null) => {
                match data {
                    Data::Nothing(len) => *len += 1,
                    Data::Bool(v) => v.push(false),
                    Data::Int(_, v) => v.push(0),
                    Data::Float(v) => v.push(0.0),
                    Data::Text(_, ends) => ends.push(ends.last().copied().unwrap_or(0)),
                    Data::Any(v) => v.push(Value::Null),
                }
                return self.set_null(at);
            }
            (Data::Any(v), value) => {
                v.push(value.clone());
                true
            }
            _ => false,
        };
        if !fits {
            self.data = Data::Any((0..at).map(|i| self.value(i)).collect());
            self.push(value);
        }
    }

    /// The first value tells the type: before it there were nulls alone.
    fn begin(&mut self, value: &Value, len: usize) {
        self.data = match value {
            Value::Null => return,
            Value::Bool(_) => Data::Bool(vec![false; len]),
            Value::Float(_) => Data::Float(vec![0.0; len]),
            Value::String(_) => Data::Text(Vec::new(), vec![0; len]),
            other => match integer(other) {
                Some((ty, _)) => Data::Int(ty, vec![0; len]),
                None => Data::Any(vec![Value::Null; len]),
            },
        };
    }

    /// Appends the values of a vector at some positions.
    ///
    /// **Cost**: a copy of each, without a `Value` where both are typed alike.
    pub(crate) fn extend(&mut self, vector: &Vector<'_>, positions: &[u32]) {
        let ty = vector.logical_type();
        if let Data::Nothing(len) = self.data {
            self.data = match &vector.values {
                Values::Bool(_) => Data::Bool(vec![false; len]),
                Values::Int(_) | Values::Date(_) => Data::Int(ty, vec![0; len]),
                Values::LocalTime(_) | Values::LocalDateTime(_) | Values::DateTime(_) => {
                    Data::Int(ty, vec![0; len])
                }
                Values::Float(_) => Data::Float(vec![0.0; len]),
                Values::String(_) => Data::Text(Vec::new(), vec![0; len]),
                _ => Data::Nothing(len),
            };
        }
        let first = self.len();
        let at = || positions.iter().map(|p| *p as usize);
        let fits = match (&mut self.data, &vector.values) {
            (Data::Bool(out), Values::Bool(v)) => {
                out.extend(at().map(|i| v[i]));
                true
            }
            (Data::Float(out), Values::Float(v)) => {
                out.extend(at().map(|i| v[i]));
                true
            }
            (Data::Int(of, out), Values::Date(v)) if *of == ty => {
                out.extend(at().map(|i| i64::from(v[i])));
                true
            }
            (
                Data::Int(of, out),
                Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v),
            ) if *of == ty => {
                out.extend(at().map(|i| v[i]));
                true
            }
            (Data::Text(bytes, ends), Values::String(v)) => {
                let total: usize = at().filter(|i| !vector.is_null(*i)).map(|i| v.get(i).len()).sum();
                let fits = u32::try_from(bytes.len() + total).is_ok();
                if fits {
                    at().for_each(|i| {
                        push_text(bytes, ends, if vector.is_null(i) { "" } else { v.get(i) });
                    });
                }
                fits
            }
            _ => false,
        };
        if fits {
            if vector.may_have_nulls() {
                at().enumerate()
                    .filter(|(_, i)| vector.is_null(*i))
                    .for_each(|(k, _)| self.set_null(first + k));
            }
        } else {
            at().for_each(|i| self.push(vector.value(i, &|_| Value::Null)));
        }
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.nulls.capacity() * 8
            + match &self.data {
                Data::Nothing(_) => 0,
                Data::Bool(v) => v.capacity(),
                Data::Int(_, v) => v.capacity() * 8,
                Data::Float(v) => v.capacity() * 8,
                Data::Text(bytes, ends) => bytes.capacity() + ends.capacity() * 4,
                Data::Any(v) => {
                    let owned: u64 = v.iter().map(Value::owned_bytes).sum();
                    v.capacity() * size_of::<Value>() + owned as usize
                }
            }
    }
}

/// False where the texts of a page would be more than 4 GB.
fn push_text(bytes: &mut Vec<u8>, ends: &mut Vec<u32>, text: &str) -> bool {
    let Ok(end) = u32::try_from(bytes.len() + text.len()) else { return false };
    bytes.extend_from_slice(text.as_bytes());
    ends.push(end);
    true
}
