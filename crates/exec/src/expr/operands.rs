//! One function or operator, applied to operands that are values: what it takes is held, what it makes is
//! bounded.

use trimorph_algebra::Op;
use trimorph_base::{CancelToken, Diagnostic, Span};
use trimorph_functions::{Function, operators as ops};
use trimorph_types::Value;

use super::made::{bounded, hold_call, hold_operator};
use crate::Context;

/// Calls a function, and bounds what it makes.
pub(super) fn call(
    function: &Function,
    args: &[Value],
    span: Span,
    cx: &Context<'_>,
) -> Result<Value, Diagnostic> {
    let _held = hold_call(function.name, args, cx).map_err(|d| d.at(span))?;
    function.invoke(&cx.functions(&cx.graph()), args).and_then(bounded).map_err(|d| d.at(span))
}

/// Applies an operator, and bounds what it makes.
pub(super) fn operate(op: Op, values: &[Value], span: Span, cx: &Context<'_>) -> Result<Value, Diagnostic> {
    apply(op, values, cx).and_then(bounded).map_err(|d| d.at(span))
}

/// Applies an operator to its operands.
pub(super) fn apply(op: Op, values: &[Value], cx: &Context<'_>) -> Result<Value, Diagnostic> {
    let _held = hold_operator(op, values, cx)?;
    match (apply_pure(op, values, &cx.settings.cancel), values) {
        (Some(result), _) => result,
        (None, [container, index]) => ops::index(&cx.functions(&cx.graph()), container, index),
        (None, _) => Err(Diagnostic::internal("an operator with a wrong number of operands")),
    }
}

/// Applies an operator that needs nothing but its operands; `None` for one that needs the graph, or with a
/// wrong number of operands. Until `cancel` says stop.
pub(crate) fn apply_pure(
    op: Op,
    values: &[Value],
    cancel: &CancelToken,
) -> Option<Result<Value, Diagnostic>> {
    Some(match (op, values) {
        (Op::Xor, [a, b]) => ops::xor(a, b),
        (Op::And, [a, b]) => ops::and(a, b),
        (Op::Or, [a, b]) => ops::or(a, b),
        (Op::Not, [a]) => ops::not(a),
        (Op::Eq, [a, b]) => Ok(ops::equal(a, b)),
        (Op::Ne, [a, b]) => Ok(ops::not_equal(a, b)),
        (Op::Differs, values) => Ok(ops::differs(values)),
        (Op::Lt, [a, b]) => Ok(ops::less(a, b)),
        (Op::Le, [a, b]) => Ok(ops::less_or_equal(a, b)),
        (Op::Gt, [a, b]) => Ok(ops::greater(a, b)),
        (Op::Ge, [a, b]) => Ok(ops::greater_or_equal(a, b)),
        (Op::Add, [a, b]) => ops::add_until(a, b, Some(cancel)),
        (Op::Sub, [a, b]) => ops::subtract(a, b),
        (Op::Mul, [a, b]) => ops::multiply(a, b),
        (Op::Div, [a, b]) => ops::divide(a, b),
        (Op::Mod, [a, b]) => ops::modulo(a, b),
        (Op::Pow, [a, b]) => ops::power(a, b),
        (Op::Neg, [a]) => ops::negate(a),
        (Op::In, [a, b]) => ops::in_list_until(a, b, Some(cancel)),
        (Op::StartsWith, [a, b]) => Ok(ops::starts_with(a, b)),
        (Op::EndsWith, [a, b]) => Ok(ops::ends_with(a, b)),
        (Op::Contains, [a, b]) => Ok(ops::contains(a, b)),
        (Op::Regex, [a, b]) => ops::regex_match_until(a, b, Some(cancel)),
        (Op::IsNull, [a]) => Ok(ops::is_null(a)),
        (Op::IsNotNull, [a]) => Ok(ops::is_not_null(a)),
        (Op::Slice, [list, from, to]) => ops::slice(list, Some(from), Some(to)),
        _ => return None,
    })
}
