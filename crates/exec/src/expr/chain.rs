//! Operators of the same rank, from left to right: `a + b - c`. Texts that are put together are written once,
//! not once for each operator.

use trimorph_algebra::Op;
use trimorph_base::Span;
use trimorph_functions::concat_all_texts;
use trimorph_types::Value;
use trimorph_vector::Values;

use super::Ex;
use super::binary::{binary, constants};
use super::evaluated::{Evaluated, Outcome, Over};
use super::general::{by_row, by_value, is_small};
use super::operands::operate;
use crate::Context;

/// An operator, its right operand, and where they stand.
type Step<'e> = (Op, &'e Ex, Span);

/// Sums within sums, `((a + b) + c) + d`, as one chain; `None` of fewer than three operands.
pub(super) fn addends(ex: &Ex) -> Option<(&Ex, Vec<Step<'_>>)> {
    let (mut first, mut rest) = (ex, Vec::new());
    while let Ex::Op(Op::Add, args, span) = first
        && let [left, right] = &args[..]
    {
        rest.push((Op::Add, right, *span));
        first = left;
    }
    rest.reverse();
    (rest.len() > 1).then_some((first, rest))
}

/// The operators of `ex` over what `first` and the right operands give.
pub(super) fn chain<'a, 'p, 's>(
    ex: &Ex,
    (first, rest): (&Ex, &[Step<'_>]),
    over: Over<'a, 'p, 's>,
    cx: &Context<'s>,
    evaluate: impl Fn(&Ex, Over<'a, 'p, 's>, &Context<'s>) -> Outcome<'a, 's>,
) -> Outcome<'a, 's> {
    if !is_small(first) || !rest.iter().all(|(_, right, _)| is_small(right)) {
        return by_row(ex, over, cx);
    }
    let mut value = evaluate(first, over, cx)?;
    let mut others = Vec::new();
    if rest.len() > 1 && rest.iter().all(|(op, ..)| *op == Op::Add) && is_text(&value) {
        for (_, right, _) in rest {
            others.push(evaluate(right, over, cx)?);
        }
        let all: Vec<_> = std::iter::once(&value).chain(&others).map(Evaluated::argument).collect();
        if let Some(out) = concat_all_texts(&all, over.at) {
            return Ok(Evaluated::Own(out));
        }
    }
    let mut others = others.into_iter();
    for (op, right, span) in rest {
        let right = others.next().map_or_else(|| evaluate(right, over, cx), Ok)?;
        let args = [value, right];
        value = match (constants(&args), binary(*op, &args[0], &args[1], over, cx)) {
            (Some(values), _) => Evaluated::Const(operate(*op, &values, *span, cx)?),
            (None, Some(out)) => Evaluated::Own(out),
            (None, None) => by_value(&args, over, cx, |values| operate(*op, values, *span, cx))?,
        };
    }
    Ok(value)
}

/// Whether each value that is meant is a text, or null.
fn is_text(evaluated: &Evaluated<'_, '_>) -> bool {
    match evaluated {
        Evaluated::Const(value) => matches!(value, Value::String(_)),
        other => other.vector().is_some_and(|vector| matches!(vector.values, Values::String(_))),
    }
}
