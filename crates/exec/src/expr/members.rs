//! The constants that `IN` looks through: takes a list, gives whether a value is in it.
//!
//! Integers and texts are hashed once for an execution, not for each chunk or row: a parameter may have
//! millions. Lists with anything else, nulls among them, are left to the general operator.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trimorph_base::{CancelToken, Diagnostic, MemoryBudget, Reservation};
use trimorph_functions::operators as ops;
use trimorph_types::Value;
use trimorph_vector::{Positions, Values, Vector};

/// Elements hashed between two looks at the flag that cancels.
const UNCHECKED: usize = 1 << 14;

/// A list of constants of one type.
#[derive(Debug)]
pub(crate) struct Members {
    list: Value,
    hashed: Hashed,
    /// What the hashed ones take.
    _held: Reservation,
}

#[derive(Debug)]
enum Hashed {
    Integers(FxHashSet<i64>),
    Texts(FxHashSet<Arc<str>>),
}

impl Members {
    /// The elements of a list; `None` where they are not of one of the types, or for want of memory, or
    /// where `cancel` says stop: the general operator says so.
    pub(crate) fn of(list: &Value, budget: &MemoryBudget, cancel: &CancelToken) -> Option<Self> {
        let Value::List(items) = list else { return None };
        let mut held = budget.reservation();
        let hashed = match items.first()? {
            Value::Int(_) => {
                held.grow(set_bytes::<i64>(items.len())).ok()?;
                let integer = |v: &Value| if let Value::Int(i) = v { Some(*i) } else { None };
                Hashed::Integers(set_of(items, integer, cancel)?)
            }
            Value::String(_) => {
                held.grow(set_bytes::<Arc<str>>(items.len())).ok()?;
                let text = |v: &Value| if let Value::String(s) = v { Some(Arc::clone(s)) } else { None };
                Hashed::Texts(set_of(items, text, cancel)?)
            }
            _ => return None,
        };
        Some(Self { list: list.clone(), hashed, _held: held })
    }

    /// `value IN` the list, until `cancel` says stop.
    pub(crate) fn has(&self, value: &Value, cancel: &CancelToken) -> Result<Value, Diagnostic> {
        match (value, &self.hashed) {
            (Value::Int(i), Hashed::Integers(all)) => Ok(Value::Bool(all.contains(i))),
            (Value::String(s), Hashed::Texts(all)) => Ok(Value::Bool(all.contains(&**s))),
            // There are elements, and none is null: an element may be whatever null stands for.
            (Value::Null, _) => Ok(Value::Null),
            _ => ops::in_list_until(value, &self.list, Some(cancel)),
        }
    }

    /// Whether a text is in the list.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        matches!(&self.hashed, Hashed::Texts(all) if all.contains(text))
    }

    /// Whether the elements are texts.
    pub(crate) fn are_texts(&self) -> bool {
        matches!(self.hashed, Hashed::Texts(_))
    }

    /// Which values of a vector are in the list; `None` where its type asks for the general operator.
    pub(super) fn among<'s>(&self, v: &Vector<'s>, at: Positions<'_>) -> Option<Vector<'s>> {
        let mut out = vec![false; at.len];
        match (&v.values, &self.hashed) {
            (Values::Int(v), Hashed::Integers(all)) => {
                at.for_each(|i| out[i] = all.contains(&v[i]));
            }
            (Values::String(v), Hashed::Texts(all)) => {
                at.for_each(|i| out[i] = all.contains(v.get(i)));
            }
            _ => return None,
        }
        Some(Vector { values: Values::Bool(out), nulls: v.nulls.clone() })
    }
}

/// Bytes of a table for so many: slots are a power of two, at most 7/8 of them taken, a byte besides each.
fn set_bytes<T>(count: usize) -> usize {
    (count * 8 / 7 + 1).next_power_of_two() * (size_of::<T>() + 1)
}

/// `None` where one is of another type, or `cancel` says stop.
fn set_of<T: std::hash::Hash + Eq>(
    items: &[Value],
    of: impl Fn(&Value) -> Option<T>,
    cancel: &CancelToken,
) -> Option<FxHashSet<T>> {
    let mut set = FxHashSet::with_capacity_and_hasher(items.len(), rustc_hash::FxBuildHasher);
    for part in items.chunks(UNCHECKED) {
        if cancel.is_cancelled() {
            return None;
        }
        for item in part {
            set.insert(of(item)?);
        }
    }
    Some(set)
}
