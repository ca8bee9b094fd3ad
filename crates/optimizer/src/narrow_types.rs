//! `type(r) = 'KNOWS'` and `type(r) IN [...]` of a relationship of a pattern become its types: only their
//! tables are read. What no type passes matches nothing.

use std::sync::Arc;

use trimorph_algebra::{EdgeRange, Expr, Op, Plan, QueryGraph, VarId};
use trimorph_types::Value;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn narrow_types(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        let mut is_empty = false;
        if let Plan::Match { graph, .. } = &mut plan {
            is_empty = !narrow(graph);
        }
        Ok(if is_empty { Plan::Empty(plan.vars()) } else { plan })
    })
}

/// Narrows the types of a pattern's edges; `false` if one cannot have any.
fn narrow(graph: &mut QueryGraph) -> bool {
    let edges = &mut graph.edges;
    let mut is_possible = true;
    graph.predicates.retain(|predicate| {
        let Some((var, types)) = types_of(predicate) else { return true };
        let mut own = edges.iter_mut().filter(|edge| edge.var == var && edge.range == EdgeRange::One);
        let Some(edge) = own.next() else { return true };
        if edge.types.is_empty() {
            edge.types = types;
        } else {
            edge.types.retain(|ty| types.contains(ty));
        }
        is_possible &= !edge.types.is_empty();
        false
    });
    is_possible
}

/// The edge and the types that a predicate asks for. No type is null, and nothing else equals a text.
fn types_of(predicate: &Expr) -> Option<(VarId, Vec<Arc<str>>)> {
    let Expr::Op(op, args, _) = predicate else { return None };
    let [a, b] = &args[..] else { return None };
    let text = |value: &Value| match value {
        Value::String(text) => Some(Arc::from(&**text)),
        _ => None,
    };
    let (call, mut types): (&Expr, Vec<Arc<str>>) = match (op, a, b) {
        (Op::Eq, call @ Expr::Call(..), Expr::Const(value))
        | (Op::Eq, Expr::Const(value), call @ Expr::Call(..)) => (call, vec![text(value)?]),
        (Op::In, call, Expr::List(items)) => {
            let types = items.iter().map(|item| match item {
                Expr::Const(value) => text(value),
                _ => None,
            });
            (call, types.collect::<Option<_>>()?)
        }
        (Op::In, call, Expr::Const(Value::List(items))) => {
            (call, items.iter().map(text).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    types.sort_unstable();
    types.dedup();
    match call {
        Expr::Call(name, args, _) if &**name == "type" => match args[..] {
            [Expr::Var(var)] => Some((var, types)),
            _ => None,
        },
        _ => None,
    }
}
