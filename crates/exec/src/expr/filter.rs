//! Narrows a group to the positions for which a predicate is true, whatever the predicate.

use trimorph_algebra::Op;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Selection, Values};

use super::Ex;
use super::evaluated::Evaluated;
use super::vector::evaluate;
use crate::{Context, ExecError};

/// Keeps the selected positions of `group` for which `predicate` is true.
pub(crate) fn filter<'s>(
    predicate: &Ex,
    chunk: &mut Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Result<(), ExecError> {
    if let Ex::Op(Op::And, parts, _) = predicate {
        for part in parts {
            filter(part, chunk, group, cx)?;
        }
        return Ok(());
    }
    let len = chunk.groups[group].len;
    match evaluate(predicate, chunk, group, cx)? {
        Evaluated::Const(v) => {
            if !matches!(v, Value::Bool(true)) {
                check_boolean(&v)?;
                chunk.groups[group].selection = Selection::List(Vec::new());
            }
        }
        result => {
            let vector = result.into_vector(len);
            let selection = &mut chunk.groups[group].selection;
            match &vector.values {
                Values::Bool(v) if vector.nulls.is_none() => selection.retain_flagged(len, v),
                Values::Bool(v) => selection.retain(len, |i| v[i] && !vector.nulls.get(i)),
                Values::Any(v) => {
                    let mut wrong = None;
                    selection.retain(len, |i| match &v[i] {
                        Value::Bool(b) => *b,
                        Value::Null => false,
                        other => {
                            wrong.get_or_insert_with(|| other.clone());
                            false
                        }
                    });
                    if let Some(v) = wrong {
                        check_boolean(&v)?;
                    }
                }
                // Of another type: only nulls are no error.
                _ => {
                    let mut wrong = None;
                    selection.for_each(len, |i| {
                        if !vector.is_null(i) {
                            wrong.get_or_insert(i);
                        }
                    });
                    if let Some(i) = wrong {
                        check_boolean(&vector.value(i, &|id| cx.edge_value(id)))?;
                    }
                    *selection = Selection::List(Vec::new());
                }
            }
        }
    }
    Ok(())
}

/// A predicate must be a Boolean or null.
pub(crate) fn check_boolean(value: &Value) -> Result<(), ExecError> {
    trimorph_functions::operators::truth(value)?;
    Ok(())
}
