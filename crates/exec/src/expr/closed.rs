//! Bodies of comprehensions and quantifiers that read nothing but the element and constants: what they are,
//! and their form over a vector of elements.

use super::Ex;
use crate::layout::Place;

/// How deep a body may be.
const DEPTH_MAX: usize = 32;

/// Whether a body reads nothing but the element and constants, and is small enough to be looked at.
pub(super) fn is_closed(body: &Ex, local: usize) -> bool {
    is_closed_within(body, local, DEPTH_MAX)
}

fn is_closed_within(ex: &Ex, local: usize, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let all = |parts: &[Ex]| parts.iter().all(|ex| is_closed_within(ex, local, depth));
    match ex {
        Ex::Const(_) => true,
        Ex::Local(i) => *i == local,
        Ex::Property { base, .. } | Ex::In(base, ..) | Ex::HasLabel { base, .. } => {
            is_closed_within(base, local, depth)
        }
        Ex::Op(_, args, _) => all(args),
        Ex::Call(function, args, _) => function.deterministic && all(args),
        Ex::Chain(first, rest) => {
            is_closed_within(first, local, depth)
                && rest.iter().all(|(_, ex, _)| is_closed_within(ex, local, depth))
        }
        Ex::Case { branches, otherwise } => {
            is_closed_within(otherwise, local, depth)
                && branches.iter().all(|(when, then)| {
                    is_closed_within(when, local, depth) && is_closed_within(then, local, depth)
                })
        }
        _ => false,
    }
}

/// The same with the vector of elements in the place of the variable. Only what is closed comes here.
pub(super) fn over_elements(ex: &Ex) -> Ex {
    let all = |parts: &[Ex]| parts.iter().map(over_elements).collect();
    match ex {
        Ex::Local(_) => Ex::Slot(Place { group: 0, slot: 0 }),
        Ex::Property { base, key, columns, span } => Ex::Property {
            base: Box::new(over_elements(base)),
            key: key.clone(),
            columns: columns.clone(),
            span: *span,
        },
        Ex::In(base, members, span) => Ex::In(Box::new(over_elements(base)), members.clone(), *span),
        Ex::HasLabel { base, nodes, edge_tables } => Ex::HasLabel {
            base: Box::new(over_elements(base)),
            nodes: nodes.clone(),
            edge_tables: edge_tables.clone(),
        },
        Ex::Op(op, args, span) => Ex::Op(*op, all(args), *span),
        Ex::Call(function, args, span) => Ex::Call(function, all(args), *span),
        Ex::Chain(first, rest) => Ex::Chain(
            Box::new(over_elements(first)),
            rest.iter().map(|(op, ex, span)| (*op, over_elements(ex), *span)).collect(),
        ),
        Ex::Case { branches, otherwise } => Ex::Case {
            branches: branches.iter().map(|(w, t)| (over_elements(w), over_elements(t))).collect(),
            otherwise: Box::new(over_elements(otherwise)),
        },
        other => other.clone(),
    }
}
