//! Bodies of comprehensions, quantifiers and reductions: which of them may be evaluated over many elements at
//! once, and how they are made anew with other parts.

use super::Ex;

/// How deep a body may be.
const DEPTH_MAX: usize = 32;

/// Whether a body whose first variable is `first` reads no local variable of another body around it, draws no
/// lots, and is small enough to be looked at.
pub(super) fn is_open(body: &Ex, first: usize) -> bool {
    is_open_within(body, first, DEPTH_MAX)
}

fn is_open_within(ex: &Ex, first: usize, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let is = |ex: &Ex| is_open_within(ex, first, depth);
    match ex {
        Ex::Const(_) | Ex::Slot(_) => true,
        Ex::Local(i) => *i >= first,
        Ex::Property { base, .. } | Ex::In(base, ..) | Ex::HasLabel { base, .. } => is(base),
        Ex::ContainsAny { asked, .. } => is(asked),
        Ex::Op(_, args, _) | Ex::List(args) => args.iter().all(is),
        Ex::Call(function, args, _) => function.deterministic && args.iter().all(is),
        Ex::User(function, args, _) => !function.is_volatile() && args.iter().all(is),
        Ex::Chain(start, rest) => is(start) && rest.iter().all(|(_, ex, _)| is(ex)),
        Ex::Case { branches, otherwise } => {
            is(otherwise) && branches.iter().all(|(when, then)| is(when) && is(then))
        }
        Ex::Map(entries) => entries.iter().all(|(_, ex)| is(ex)),
        Ex::MapProjection { base, entries, .. } => is(base) && entries.iter().all(|(_, ex)| is(ex)),
        Ex::ListComprehension { list, filter, map, .. } => {
            is(list) && [filter, map].into_iter().flatten().all(|body| is(body))
        }
        Ex::Quantifier { list, predicate, .. } => is(list) && is(predicate),
        Ex::Reduce { init, list, body, .. } => is(init) && is(list) && is(body),
        Ex::Param(_) | Ex::Path(_) => false,
    }
}

/// Whether an expression reads a local variable.
pub(super) fn reads_local(ex: &Ex, local: usize) -> bool {
    let mut reads = false;
    let mut visit = |ex: &Ex| {
        reads |= matches!(ex, Ex::Local(i) if *i == local);
        None
    };
    rewrite(ex, &mut visit);
    reads
}

/// Whether an expression reads any local variable.
pub(super) fn reads_locals(ex: &Ex) -> bool {
    let mut reads = false;
    rewrite(ex, &mut |ex| {
        reads |= matches!(ex, Ex::Local(_));
        None
    });
    reads
}

/// The body with a constant in the place of a local variable.
pub(super) fn with_constant(body: &Ex, local: usize, value: &trimorph_types::Value) -> Ex {
    rewrite(body, &mut |ex| match ex {
        Ex::Local(i) if *i == local => Some(Ex::Const(value.clone())),
        _ => None,
    })
}

/// The expression with parts replaced by what `of` gives for them.
pub(super) fn rewrite(ex: &Ex, of: &mut dyn FnMut(&Ex) -> Option<Ex>) -> Ex {
    if let Some(new) = of(ex) {
        return new;
    }
    let mut boxed = |ex: &Ex| Box::new(rewrite(ex, of));
    match ex {
        Ex::Const(_) | Ex::Param(_) | Ex::Slot(_) | Ex::Local(_) => ex.clone(),
        Ex::Property { base, key, columns, span } => {
            Ex::Property { base: boxed(base), key: key.clone(), columns: columns.clone(), span: *span }
        }
        Ex::In(base, members, span) => Ex::In(boxed(base), members.clone(), *span),
        Ex::ContainsAny { asked, .. } => *boxed(asked),
        Ex::HasLabel { base, nodes, edge_tables } => {
            Ex::HasLabel { base: boxed(base), nodes: nodes.clone(), edge_tables: edge_tables.clone() }
        }
        Ex::Op(op, args, span) => Ex::Op(*op, all(args, of), *span),
        Ex::Call(function, args, span) => Ex::Call(function, all(args, of), *span),
        Ex::User(function, args, span) => Ex::User(function.clone(), all(args, of), *span),
        Ex::List(items) => Ex::List(all(items, of)),
        Ex::Path(parts) => Ex::Path(all(parts, of)),
        Ex::Chain(first, rest) => {
            let first = boxed(first);
            Ex::Chain(first, rest.iter().map(|(op, ex, span)| (*op, rewrite(ex, of), *span)).collect())
        }
        Ex::Map(entries) => Ex::Map(entries.iter().map(|(k, ex)| (k.clone(), rewrite(ex, of))).collect()),
        Ex::MapProjection { base, all, entries } => Ex::MapProjection {
            base: boxed(base),
            all: *all,
            entries: entries.iter().map(|(k, ex)| (k.clone(), rewrite(ex, of))).collect(),
        },
        Ex::Case { branches, otherwise } => {
            let otherwise = boxed(otherwise);
            let branches = branches.iter().map(|(when, then)| (rewrite(when, of), rewrite(then, of)));
            Ex::Case { branches: branches.collect(), otherwise }
        }
        Ex::ListComprehension { local, list, filter, map } => Ex::ListComprehension {
            local: *local,
            list: boxed(list),
            filter: filter.as_deref().map(&mut boxed),
            map: map.as_deref().map(&mut boxed),
        },
        Ex::Quantifier { kind, local, list, predicate } => {
            Ex::Quantifier { kind: *kind, local: *local, list: boxed(list), predicate: boxed(predicate) }
        }
        Ex::Reduce { acc, init, local, list, body } => {
            Ex::Reduce { acc: *acc, init: boxed(init), local: *local, list: boxed(list), body: boxed(body) }
        }
    }
}

fn all(parts: &[Ex], of: &mut dyn FnMut(&Ex) -> Option<Ex>) -> Vec<Ex> {
    parts.iter().map(|ex| rewrite(ex, of)).collect()
}
