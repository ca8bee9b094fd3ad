//! Whether the terms of a vector are one that is written in the query, an IRI: which node it is is asked
//! once, and not each node's name. What is neither a node nor an IRI is left to whoever compares values.

use trimorph_base::Diagnostic;
use trimorph_types::Value;
use trimorph_vector::{Positions, Values, Vector};

use crate::context::Context;
use crate::kernel::Argument;

/// `is` where they are that IRI; of other values what `of` gives.
pub(super) fn is_one<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    is: bool,
    of: impl Fn(&[Value]) -> Result<Value, Diagnostic>,
) -> Option<Vector<'s>> {
    let ([Argument::Each(vector), Argument::One(one @ Value::Iri(iri))]
    | [Argument::One(one @ Value::Iri(iri)), Argument::Each(vector)]) = args
    else {
        return None;
    };
    // Triple terms are equal where their parts are.
    if iri.starts_with("<<(") {
        return None;
    }
    let entity = context.graph.entity_of(iri).ok()?;
    match &vector.values {
        Values::Node(nodes) => {
            let node = if let Some(Value::Node(node)) = entity { Some(node) } else { None };
            let mut out = vec![!is; at.len];
            at.for_each(|i| out[i] = (Some(nodes.id(i)) == node) == is);
            Some(Vector { values: Values::Bool(out), nulls: vector.nulls.clone() })
        }
        Values::Any(values) => {
            let mut out = Ok(vec![Value::Null; at.len]);
            at.for_each(|i| {
                let same = match (&values[i], &entity) {
                    (Value::Null, _) => return,
                    (Value::Node(a), Some(Value::Node(b))) => Ok(Value::Bool((a == b) == is)),
                    (Value::Node(_), _) => Ok(Value::Bool(!is)),
                    (Value::Iri(own), _) if !own.starts_with("<<(") => Ok(Value::Bool((own == iri) == is)),
                    (other, _) => of(&[other.clone(), (*one).clone()]),
                };
                match (&mut out, same) {
                    (Ok(out), Ok(same)) => out[i] = same,
                    (out, Err(error)) => *out = Err(error),
                    (Err(_), _) => {}
                }
            });
            Some(Vector::of_values(out.ok()?, at))
        }
        _ => None,
    }
}
