//! What is looked for by value: a value, a range, a prefix; whether another one is such.

use std::ops::Bound;

use trimorph_types::{Value, compare, equals, equivalent};

/// What is looked for: values that are equal to one, or between two.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Equal to this.
    Equal(Value),
    /// Equivalent to this: as a term NaN is itself, which it is not equal to.
    Same(Value),
    /// Between these, and comparable with them.
    Between(Bound<Value>, Bound<Value>),
    /// Texts that begin with this.
    Prefix(Value),
}

impl Wanted {
    /// Whether a value is such.
    pub fn holds(&self, value: &Value) -> bool {
        let within = |bound: &Bound<Value>, is_low: bool| match bound {
            Bound::Unbounded => true,
            Bound::Included(bound) | Bound::Excluded(bound) => match compare(value, bound) {
                Some(ordering) if ordering.is_eq() => false,
                Some(ordering) => ordering.is_gt() == is_low,
                None => false,
            },
        };
        let meets = |bound: &Bound<Value>| matches!(bound, Bound::Included(bound) if compare(value, bound).is_some_and(|o| o.is_eq()));
        match self {
            Self::Equal(wanted) => equals(value, wanted) == Some(true),
            Self::Same(wanted) => equivalent(value, wanted),
            Self::Between(low, high) => {
                !value.is_null() && (within(low, true) || meets(low)) && (within(high, false) || meets(high))
            }
            Self::Prefix(Value::String(prefix)) => {
                matches!(value, Value::String(text) if text.starts_with(&**prefix))
            }
            Self::Prefix(_) => false,
        }
    }

    /// The bounds between which such values stand in the order of all values.
    pub(crate) fn bounds(&self) -> (Bound<&Value>, Bound<Value>) {
        let owned = |bound: &Bound<Value>| match bound {
            Bound::Unbounded => Bound::Unbounded,
            Bound::Included(value) => Bound::Included(value.clone()),
            Bound::Excluded(value) => Bound::Excluded(value.clone()),
        };
        match self {
            Self::Equal(value) | Self::Same(value) => {
                (Bound::Included(value), Bound::Included(value.clone()))
            }
            Self::Between(low, high) => (low.as_ref(), owned(high)),
            Self::Prefix(prefix) => {
                let next = match prefix {
                    Value::String(prefix) => behind(prefix),
                    _ => None,
                };
                (Bound::Included(prefix), next.map_or(Bound::Unbounded, Bound::Excluded))
            }
        }
    }
}

/// The first text behind all that begin with `prefix`; none where there is no such text.
fn behind(prefix: &str) -> Option<Value> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        // Between the two parts of the characters there are none.
        let next = match last {
            '\u{d7ff}' => Some('\u{e000}'),
            last => char::from_u32(u32::from(last) + 1),
        };
        if let Some(next) = next {
            chars.push(next);
            return Some(Value::string(chars.into_iter().collect::<String>()));
        }
    }
    None
}
