//! Narrows a group to the positions for which a predicate is true, whatever the predicate.

use trimorph_algebra::Op;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Selection, Values};

use super::Ex;
use super::by_entry::EntryMemo;
use super::choice::true_at;
use super::evaluated::Evaluated;
use crate::{Context, ExecError};

/// Keeps the selected positions of `group` for which `predicate` is true.
pub(crate) fn filter<'s>(
    predicate: &Ex,
    chunk: &mut Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Result<(), ExecError> {
    match predicate {
        Ex::Op(Op::And, parts, _) => parts.iter().try_for_each(|part| filter(part, chunk, group, cx)),
        part => narrow(part, &mut EntryMemo::off(), chunk, group, cx),
    }
}

/// The same of a predicate whose parts have these memos: none at first, and always of the same predicate.
pub(crate) fn filter_again<'s>(
    predicate: &Ex,
    memos: &mut Vec<EntryMemo<'s>>,
    chunk: &mut Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Result<(), ExecError> {
    let parts = match predicate {
        Ex::Op(Op::And, parts, _) => parts,
        part => std::slice::from_ref(part),
    };
    memos.resize_with(parts.len(), EntryMemo::default);
    for (part, memo) in parts.iter().zip(memos) {
        match part {
            Ex::Op(Op::And, ..) => filter(part, chunk, group, cx)?,
            part => narrow(part, memo, chunk, group, cx)?,
        }
    }
    Ok(())
}

/// Keeps the selected positions for which a part of a predicate is true.
fn narrow<'s>(
    part: &Ex,
    memo: &mut EntryMemo<'s>,
    chunk: &mut Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Result<(), ExecError> {
    let len = chunk.groups[group].len;
    let at = |error: ExecError| error.at(part.span());
    match memo.evaluate(part, chunk, group, cx)? {
        Evaluated::Const(v) => {
            if !matches!(v, Value::Bool(true)) {
                check_boolean(&v).map_err(at)?;
                chunk.groups[group].selection = Selection::List(Vec::new());
            }
        }
        result => {
            let vector = result.into_vector(len);
            let selection = &mut chunk.groups[group].selection;
            match &vector.values {
                Values::Bool(v) if vector.nulls.is_none() => selection.retain_flagged(len, v),
                Values::Bool(v) => selection.retain_flagged(len, &true_at(v.clone(), &vector.nulls)),
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
                        check_boolean(&v).map_err(at)?;
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
                        check_boolean(&vector.value(i, &|id| cx.edge_value(id))).map_err(at)?;
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
