//! Conditions on literals of a dictionary and something that is the same for all: asked once for each entry
//! with its tag, and not for each position. Only what a position has is asked.

use trimorph_types::Value;
use trimorph_vector::{Nulls, Positions, Values, Vector};

use super::found::{Found, Miss};
use crate::kernel::Argument;

/// The truth values, null where they are SPARQL's errors, if literals of a dictionary are compared with one
/// value and entries are fewer than positions.
pub(super) fn by_entry<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(&[Value]) -> Found,
) -> Option<Vector<'s>> {
    let (vector, one, is_first) = match args {
        [Argument::Each(vector), Argument::One(one)] => (vector, one, true),
        [Argument::One(one), Argument::Each(vector)] => (vector, one, false),
        _ => return None,
    };
    let Values::Literal(literals) = &vector.values else { return None };
    let (codes, entries) = literals.values().codes()?;
    let tags = literals.tags().len();
    if entries.len() * tags > at.len {
        return None;
    }
    let mut known: Vec<Option<Value>> = vec![None; entries.len() * tags];
    let (mut out, mut nulls, mut is_known) = (vec![false; at.len], Nulls::NONE, true);
    at.for_each(|i| {
        if vector.nulls.get(i) {
            nulls.set(i, at.len);
            return;
        }
        let (entry, tag) = (codes[i] as usize, usize::from(literals.codes()[i]));
        let Some(known) = known.get_mut(entry * tags + tag) else {
            is_known = false;
            return;
        };
        if known.is_none() {
            let own = vector.value(i, &|_| Value::Null);
            let asked = if is_first { [own, (*one).clone()] } else { [(*one).clone(), own] };
            *known = match of(&asked) {
                Ok(value) => Some(value),
                Err(Miss::Error) => Some(Value::Null),
                // Whoever asks value by value tells it.
                Err(Miss::Failed(_)) => None,
            };
        }
        match known {
            Some(Value::Bool(is)) => out[i] = *is,
            Some(Value::Null) => nulls.set(i, at.len),
            _ => is_known = false,
        }
    });
    is_known.then_some(Vector { values: Values::Bool(out), nulls })
}
