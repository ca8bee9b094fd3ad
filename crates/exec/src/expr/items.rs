//! Elements of a list that are gone through one by one. The integers of `range()` are counted, not listed: a
//! range of any length takes no memory.

use std::sync::Arc;

use trimorph_base::Diagnostic;
use trimorph_functions::operators as ops;
use trimorph_types::{Nested, Value, equals};
use trimorph_vector::{Values, Vector};

use super::made::Made;
use crate::Context;

/// The elements of one list.
#[derive(Clone)]
pub(crate) enum Items {
    List(Arc<Nested<Vec<Value>>>),
    Range { start: i64, step: i64, len: usize },
}

impl Items {
    /// `range()` of these arguments, if it is one that can be counted: what is wrong with others the function
    /// says.
    pub(crate) fn range(args: &[Value]) -> Option<Self> {
        let (start, end, step) = match args {
            [Value::Int(start), Value::Int(end)] => (*start, *end, 1),
            [Value::Int(start), Value::Int(end), Value::Int(step)] if *step != 0 => (*start, *end, *step),
            _ => return None,
        };
        let distance = i128::from(end) - i128::from(start);
        let len = if distance.signum() * i128::from(step.signum()) < 0 {
            0
        } else {
            distance / i128::from(step) + 1
        };
        Some(Self::Range { start, step, len: usize::try_from(len).ok()? })
    }

    /// The integers of a range of at most `most`.
    pub(crate) fn integers(&self, most: usize) -> Option<Vec<i64>> {
        match self {
            Self::Range { start, step, len } if *len <= most => {
                Some((0..*len).map(|i| start.wrapping_add(step.wrapping_mul(i as i64))).collect())
            }
            _ => None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::List(items) => items.len(),
            Self::Range { len, .. } => *len,
        }
    }

    /// Element `i`, which must be below the length.
    pub(crate) fn get(&self, i: usize) -> Value {
        match self {
            Self::List(items) => items.get(i).cloned().unwrap_or_default(),
            // No element is past the end of the range, and the end is an integer.
            Self::Range { start, step, .. } => Value::Int(start.wrapping_add(step.wrapping_mul(i as i64))),
        }
    }

    /// `value IN` the list.
    pub(crate) fn has(&self, value: &Value, cx: &Context<'_>) -> Result<Value, Diagnostic> {
        match (self, value) {
            (Self::List(items), _) => {
                let list = Value::List(Arc::clone(items));
                ops::in_list_until(value, &list, Some(&cx.settings.cancel))
            }
            (Self::Range { len: 0, .. }, _) => Ok(Value::Bool(false)),
            (Self::Range { start, step, len }, Value::Int(i)) => {
                let (distance, step) = (i128::from(*i) - i128::from(*start), i128::from(*step));
                let place = usize::try_from(distance / step);
                Ok(Value::Bool(distance % step == 0 && place.is_ok_and(|place| place < *len)))
            }
            // Numbers of other types may equal one of the integers.
            (Self::Range { len, .. }, Value::Float(_) | Value::Decimal(_) | Value::Literal(_)) => {
                let mut made = Made::new(cx);
                for i in 0..*len {
                    made.step()?;
                    if equals(value, &self.get(i)) == Some(true) {
                        return Ok(Value::Bool(true));
                    }
                }
                Ok(Value::Bool(false))
            }
            // To all else one integer is as good as another.
            (Self::Range { .. }, _) => Ok(ops::equal(value, &self.get(0))),
        }
    }

    /// Elements `from..to` as a vector of one type, where that is known without a look at each.
    pub(crate) fn typed<'s>(&self, from: usize, to: usize) -> Option<Vector<'s>> {
        match self {
            Self::List(_) => None,
            Self::Range { start, step, .. } => {
                let first = start.wrapping_add(step.wrapping_mul(from as i64));
                let next = (0..to - from).map(|i| first.wrapping_add(step.wrapping_mul(i as i64)));
                Some(Vector::new(Values::Int(next.collect())))
            }
        }
    }

    /// Appends elements `from..to` of a range; of a list none.
    pub(crate) fn extend_counted(&self, from: usize, to: usize, out: &mut Vec<i64>) {
        if let Self::Range { start, step, .. } = self {
            out.extend((from..to).map(|i| start.wrapping_add(step.wrapping_mul(i as i64))));
        }
    }

    /// Appends elements `from..to`.
    pub(crate) fn extend(&self, from: usize, to: usize, out: &mut Vec<Value>) {
        match self {
            Self::List(items) => out.extend_from_slice(&items[from..to]),
            Self::Range { .. } => out.extend((from..to).map(|i| self.get(i))),
        }
    }
}
