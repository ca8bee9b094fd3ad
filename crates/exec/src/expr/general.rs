//! The general path: value by value, for what has no kernel, and for what a kernel leaves.
//!
//! `by_row` evaluates a whole expression position by position; `by_value` applies one operator to operands
//! that are vectors already. The first is what everything else must agree with, errors included.

use trimorph_base::Diagnostic;
use trimorph_functions::Kernel;
use trimorph_types::{LogicalType, Value};
use trimorph_vector::Vector;

use super::bodies::is_open;
use super::evaluated::{Evaluated, Over};
use super::made::Made;
use super::{Ex, Row};
use crate::{Context, ExecError};

/// Evaluates `ex` position by position.
pub(super) fn by_row<'a, 's>(
    ex: &Ex,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
) -> Result<Evaluated<'a, 's>, ExecError> {
    // One evaluation serves all positions, unless it draws lots.
    if !reads_group(ex, over.group) && !draws(ex) {
        return Ok(Evaluated::Const(Row::new(over.chunk, usize::MAX, 0).eval(ex, cx)?));
    }
    let mut row = Row::new(over.chunk, over.group, 0);
    each(over, cx, |i| {
        row.position = i;
        row.eval(ex, cx)
    })
}

/// Applies `of` to the operands at each position.
pub(super) fn by_value<'a, 's>(
    args: &[Evaluated<'_, 's>],
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    mut of: impl FnMut(&[Value]) -> Result<Value, Diagnostic>,
) -> Result<Evaluated<'a, 's>, ExecError> {
    let mut values = Vec::with_capacity(args.len());
    each(over, cx, |i| {
        values.clear();
        values.extend(args.iter().map(|arg| match arg {
            Evaluated::Const(v) => v.clone(),
            Evaluated::Ref(v) => v.value(i, &|id| cx.edge_value(id)),
            Evaluated::Own(v) => v.value(i, &|id| cx.edge_value(id)),
        }));
        of(&values)
    })
}

/// What `of` gives at each position, until one fails.
pub(super) fn each<'a, 's>(
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
    mut of: impl FnMut(usize) -> Result<Value, Diagnostic>,
) -> Result<Evaluated<'a, 's>, ExecError> {
    let mut out = vec![Value::Null; over.at.len];
    let (mut failed, mut made) = (None, Made::new(cx));
    over.at.for_each(|i| {
        if failed.is_none() {
            match made.step().and_then(|()| of(i)).and_then(|v| made.add(&v).map(|()| v)) {
                Ok(v) => out[i] = v,
                Err(d) => failed = Some(d),
            }
        }
    });
    match failed {
        Some(d) => {
            cx.leave(out);
            Err(d.into())
        }
        None => Ok(Evaluated::Own(Vector::of_values(out, over.at))),
    }
}

/// Whether values of `ex` are of a fixed size, or texts, so that those of a vector may be held side by side.
/// Lists, and what takes them apart, are made and left row by row; of maps, those of such values are not.
pub(super) fn is_small(ex: &Ex) -> bool {
    is_small_within(ex, LOOKED_INTO_MAX)
}

/// Whether `ex` may give a vector of lists, so that it is worth evaluating for all rows at once.
pub(crate) fn gives_lists(ex: &Ex) -> bool {
    use trimorph_algebra::Op;
    let may = matches!(
        ex,
        Ex::Slot(_)
            | Ex::Property { .. }
            | Ex::ListComprehension { .. }
            | Ex::List(_)
            | Ex::Call(..)
            | Ex::Op(Op::Slice | Op::Index | Op::Add, ..)
            | Ex::Chain(..)
    );
    may && is_small(ex)
}

/// Elements of a list that may be held side by side with those of other rows.
const ITEMS_MAX: usize = 64;

/// How deep expressions are looked into before they are evaluated: every level is asked again, so that
/// looking to the ground would take the square of the depth. What is deeper is evaluated row by row.
const LOOKED_INTO_MAX: usize = 32;

fn is_small_within(ex: &Ex, depth: usize) -> bool {
    use trimorph_algebra::Op;
    let Some(depth) = depth.checked_sub(1) else { return false };
    let is_small = |ex: &Ex| is_small_within(ex, depth);
    let is_path = |ex: &Ex| matches!(ex, Ex::Path(parts) if parts.iter().all(is_small));
    match ex {
        Ex::Const(_)
        | Ex::Slot(_)
        | Ex::In(..)
        | Ex::ContainsAny { .. }
        | Ex::HasLabel { .. }
        | Ex::Quantifier { .. } => true,
        // Of a body that is looked at before its variables have places.
        Ex::Local(_) => true,
        Ex::Property { base, .. } => is_small(base),
        Ex::Op(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Pow | Op::Neg, args, _) => {
            args.iter().all(is_small)
        }
        // Elements and parts of what is small.
        Ex::Op(Op::Index | Op::Slice, args, _) => args.iter().all(is_small),
        Ex::ListComprehension { local, list, filter, map } => {
            is_small(list) && [filter, map].into_iter().flatten().all(|body| is_open(body, *local))
        }
        // What it makes is as small as what it begins with and adds to it.
        Ex::Reduce { acc, init, list, body, .. } => {
            is_small(init) && is_small(list) && is_small(body) && is_open(body, *acc)
        }
        Ex::Op(op, ..) => {
            use Op::{And, Contains, Differs, EndsWith, Eq, Ge, Gt, In, IsNotNull, IsNull, Le, Lt, Ne};
            use Op::{Not, Or, Regex, StartsWith, Xor};
            matches!(
                op,
                And | Or
                    | Xor
                    | Not
                    | Eq
                    | Ne
                    | Lt
                    | Le
                    | Gt
                    | Ge
                    | In
                    | IsNull
                    | IsNotNull
                    | Differs
                    | StartsWith
                    | EndsWith
                    | Contains
                    | Regex
            )
        }
        Ex::Chain(first, rest) => is_small(first) && rest.iter().all(|(_, e, _)| is_small(e)),
        Ex::Call(function, args, _) => match (function.result)(&vec![LogicalType::Any; args.len()]) {
            LogicalType::List | LogicalType::Map | LogicalType::Path => {
                // Lists of what a path has already.
                let is_of_path = matches!(function.name, "nodes" | "relationships");
                // As long as what the store has of an entity.
                let is_of_entity = matches!(function.name, "keys" | "properties");
                matches!(function.kernel, Kernel::Typed(_))
                    || is_of_path && args.iter().all(|arg| is_small(arg) || is_path(arg))
                    || is_of_entity && matches!(args[..], [Ex::Slot(_)])
            }
            LogicalType::Any => args.iter().all(is_small),
            _ => true,
        },
        Ex::User(function, args, _) => match function.result() {
            LogicalType::List | LogicalType::Map | LogicalType::Path => false,
            LogicalType::Any => args.iter().all(is_small),
            _ => true,
        },
        Ex::List(items) => items.len() <= ITEMS_MAX && items.iter().all(is_small),
        Ex::Map(entries) => entries.iter().all(|(_, e)| is_small(e)),
        Ex::MapProjection { base, all: false, entries } => {
            is_small(base) && entries.iter().all(|(_, e)| is_small(e))
        }
        Ex::Case { branches, otherwise } => {
            branches.iter().all(|(_, then)| is_small(then)) && is_small(otherwise)
        }
        Ex::Param(_) | Ex::MapProjection { .. } | Ex::Path(_) => false,
    }
}

/// Whether `ex` cannot fail as a rule, so that it may be evaluated where it is not asked for: that costs less
/// than listing where it is, if it is for most. Should it fail nevertheless, the evaluation row by row tells.
pub(super) fn is_total(ex: &Ex) -> bool {
    is_total_within(ex, LOOKED_INTO_MAX)
}

fn is_total_within(ex: &Ex, depth: usize) -> bool {
    use trimorph_algebra::Op::{And, Eq, Ge, Gt, IsNotNull, IsNull, Le, Lt, Ne, Not, Or, Xor};
    let Some(depth) = depth.checked_sub(1) else { return false };
    let is_total = |ex: &Ex| is_total_within(ex, depth);
    match ex {
        Ex::Const(_) | Ex::Slot(_) => true,
        Ex::Property { base, .. } | Ex::HasLabel { base, .. } | Ex::In(base, ..) => is_total(base),
        Ex::Op(And | Or | Xor | Not | Eq | Ne | Lt | Le | Gt | Ge | IsNull | IsNotNull, args, _) => {
            args.iter().all(is_total)
        }
        _ => false,
    }
}

fn children(ex: &Ex) -> Vec<&Ex> {
    match ex {
        Ex::Const(_) | Ex::Param(_) | Ex::Slot(_) | Ex::Local(_) => Vec::new(),
        Ex::Property { base, .. } | Ex::HasLabel { base, .. } | Ex::In(base, ..) => vec![base],
        Ex::ContainsAny { asked, .. } => vec![asked],
        Ex::Op(_, args, _)
        | Ex::Call(_, args, _)
        | Ex::User(_, args, _)
        | Ex::List(args)
        | Ex::Path(args) => args.iter().collect(),
        Ex::Chain(first, rest) => std::iter::once(&**first).chain(rest.iter().map(|(_, e, _)| e)).collect(),
        Ex::Map(entries) => entries.iter().map(|(_, e)| e).collect(),
        Ex::MapProjection { base, entries, .. } => {
            std::iter::once(&**base).chain(entries.iter().map(|(_, e)| e)).collect()
        }
        Ex::Case { branches, otherwise } => {
            branches.iter().flat_map(|(w, t)| [w, t]).chain(std::iter::once(&**otherwise)).collect()
        }
        Ex::ListComprehension { list, filter, map, .. } => {
            std::iter::once(list).chain(filter).chain(map).map(|b| &**b).collect()
        }
        Ex::Quantifier { list, predicate, .. } => vec![list, predicate],
        Ex::Reduce { init, list, body, .. } => vec![init, list, body],
    }
}

/// Whether an expression reads a variable of a group.
pub(crate) fn reads_group(ex: &Ex, group: usize) -> bool {
    matches!(ex, Ex::Slot(p) if p.group == group) || children(ex).into_iter().any(|c| reads_group(c, group))
}

fn draws(ex: &Ex) -> bool {
    let is_volatile = match ex {
        Ex::Call(function, ..) => !function.deterministic,
        Ex::User(function, ..) => function.is_volatile(),
        _ => false,
    };
    is_volatile || children(ex).into_iter().any(draws)
}
