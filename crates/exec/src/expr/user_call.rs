//! Calls of a program's own functions: operands in, results out, for all positions that are meant at once.
//!
//! A volatile function is called for each position, also where its arguments are the same for all.

use std::sync::Arc;

use trimorph_algebra::UserFunction;
use trimorph_base::{Diagnostic, Span};
use trimorph_types::Value;
use trimorph_vector::Vector;

use super::evaluated::{Evaluated, Outcome, Over};
use super::made::Made;
use crate::Context;

/// Calls a function on one row.
pub(super) fn call_one(
    function: &Arc<dyn UserFunction>,
    args: Vec<Value>,
    span: Span,
    cx: &Context<'_>,
) -> Result<Value, Diagnostic> {
    let columns: Vec<Vec<Value>> = args.into_iter().map(|value| vec![value]).collect();
    let made = call(function, &columns, 1, cx)
        .and_then(|mut values| values.pop().ok_or_else(|| Diagnostic::internal("a function gave no value")));
    made.and_then(super::bounded).map_err(|d| d.at(span))
}

/// Calls a function on the operands at each position.
pub(super) fn call_all<'a, 's>(
    function: &Arc<dyn UserFunction>,
    args: &[Evaluated<'_, 's>],
    span: Span,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
) -> Outcome<'a, 's> {
    let constants = args.iter().map(|arg| match arg {
        Evaluated::Const(value) => Some(value.clone()),
        _ => None,
    });
    if !function.is_volatile()
        && let Some(values) = constants.collect::<Option<Vec<Value>>>()
    {
        return Ok(Evaluated::Const(call_one(function, values, span, cx)?));
    }
    let mut positions = Vec::with_capacity(over.at.count());
    over.at.for_each(|i| positions.push(i));
    let mut columns: Vec<Vec<Value>> = Vec::with_capacity(args.len());
    for arg in args {
        let value = |i: &usize| match arg {
            Evaluated::Const(value) => value.clone(),
            Evaluated::Ref(vector) => vector.value(*i, &|id| cx.edge_value(id)),
            Evaluated::Own(vector) => vector.value(*i, &|id| cx.edge_value(id)),
        };
        columns.push(positions.iter().map(value).collect());
    }
    let values = call(function, &columns, positions.len(), cx).map_err(|d| d.at(span))?;
    let (mut out, mut made) = (vec![Value::Null; over.at.len], Made::new(cx));
    for (i, value) in positions.into_iter().zip(values) {
        made.add(&value)?;
        out[i] = value;
    }
    Ok(Evaluated::Own(Vector::of_values(out, over.at)))
}

fn call(
    function: &Arc<dyn UserFunction>,
    columns: &[Vec<Value>],
    rows: usize,
    cx: &Context<'_>,
) -> Result<Vec<Value>, Diagnostic> {
    if rows == 0 {
        return Ok(Vec::new());
    }
    let values = function.call(columns, rows, &cx.settings.cancel)?;
    if values.len() == rows {
        return Ok(values);
    }
    let text = format!("function \"{}\" gave {} values for {rows} rows", function.name(), values.len());
    Err(Diagnostic::internal(text))
}
