//! Where the nodes of a list come from: the variable that was collected, and the rows that have it.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Op, Plan, VarId, Vars};
use trimorph_types::LogicalType;

/// The nodes of a list.
pub(crate) struct ListedNodes<'p> {
    /// The rows that they were collected from.
    pub(crate) rows: &'p Plan,
    /// The node in these rows.
    pub(crate) node: VarId,
    /// Whether each is in the list once.
    pub(crate) distinct: bool,
    /// Whether there is one list, of all rows.
    pub(crate) alone: bool,
}

/// The nodes of `list`, an expression over the rows of `plan`, where it has nodes that were collected and
/// nothing else.
pub(crate) fn listed_nodes<'p>(list: &Expr, plan: &'p Plan, vars: &Vars) -> Option<ListedNodes<'p>> {
    let (mut list, mut plan, mut told_apart) = (list.clone(), plan, false);
    loop {
        match list {
            Expr::Var(var) => {
                let (input, expr) = definition(plan, var)?;
                plan = input;
                list = match expr {
                    Defined::As(expr) => expr.clone(),
                    Defined::Aggregate(
                        Aggregate { kind: AggregateKind::Collect, arg, distinct, .. },
                        alone,
                    ) => {
                        let Some(Expr::Var(node)) = arg else { return None };
                        let distinct = told_apart || *distinct;
                        let is_node = vars.get(*node).ty == LogicalType::Node;
                        return is_node.then_some(ListedNodes { rows: plan, node: *node, distinct, alone });
                    }
                    Defined::Aggregate(..) => return None,
                };
            }
            Expr::Op(Op::Slice, args, _) => list = args.into_iter().next()?,
            Expr::ListComprehension { list: of, map: None, .. } => list = *of,
            Expr::Call(name, args, _) if matches!(&*name, "coll.distinct" | "tail" | "reverse") => {
                told_apart |= &*name == "coll.distinct";
                list = args.into_iter().next()?;
            }
            _ => return None,
        }
    }
}

/// What a variable is in the rows of an operator.
enum Defined<'p> {
    As(&'p Expr),
    /// Beside which keys there are, or none.
    Aggregate(&'p Aggregate, bool),
}

/// The operator's input that a variable is computed from, and how.
fn definition(mut plan: &Plan, var: VarId) -> Option<(&Plan, Defined<'_>)> {
    let of = |items: &'_ [(VarId, Expr)]| items.iter().position(|(item, _)| *item == var);
    loop {
        plan = match plan {
            Plan::Project { input, items } => return Some((input, Defined::As(&items[of(items)?].1))),
            Plan::Extra { input, items } => match of(items) {
                Some(place) => return Some((input, Defined::As(&items[place].1))),
                None => input,
            },
            Plan::Aggregate { input, keys, aggregates } => {
                let defined = match of(keys) {
                    Some(place) => Defined::As(&keys[place].1),
                    None => {
                        let (_, aggregate) = aggregates.iter().find(|(own, _)| *own == var)?;
                        Defined::Aggregate(aggregate, keys.is_empty())
                    }
                };
                return Some((input, defined));
            }
            Plan::Unwind { input, var: own, .. } if *own != var => input,
            Plan::Filter { input, .. }
            | Plan::Distinct { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Skip { input, .. }
            | Plan::Limit { input, .. }
            | Plan::Match { input, .. } => input,
            _ => return None,
        }
    }
}
