//! A column of which no value was seen in, the type that its values would have out.
//!
//! A query says nothing of the type of `n.age`; the columns that hold the property do. It counts only where
//! there is no value at all: no row, or nothing but nulls. So a filter that nothing passes gives a frame
//! whose columns can still be joined and added to.

use trimorph_algebra::{AggregateKind, BoundQuery, Expr, Plan, VarId};
use trimorph_catalog::Schema;
use trimorph_types::LogicalType;

/// Names of names that are followed: `WITH n.age AS a WITH a AS b …`.
const HOPS_MAX: usize = 32;

/// The type of a column's values by what is kept of the property that it shows; what the query says
/// otherwise.
pub(super) fn expected(query: &BoundQuery, column: usize, schema: &Schema) -> LogicalType {
    let Some((_, var)) = query.columns.get(column) else { return LogicalType::Any };
    match query.vars.get(*var).ty {
        LogicalType::Any => property(&query.plan, *var).map_or(LogicalType::Any, |name| kept(schema, name)),
        said => said,
    }
}

/// The name of the property that a variable is, or the least, greatest or sum of.
fn property(plan: &Plan, mut var: VarId) -> Option<&str> {
    for _ in 0..HOPS_MAX {
        match definition(plan, var)? {
            Expr::Property(_, name, _) => return Some(name),
            Expr::Var(other) => var = *other,
            _ => return None,
        }
    }
    None
}

fn definition(plan: &Plan, var: VarId) -> Option<&Expr> {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        let own = match plan {
            Plan::Project { items, .. } | Plan::Extra { items, .. } => items.as_slice(),
            Plan::Aggregate { keys, aggregates, .. } => {
                let found = aggregates.iter().find(|(own, _)| *own == var);
                if let Some((_, aggregate)) = found {
                    let keeps = matches!(
                        aggregate.kind,
                        AggregateKind::Min | AggregateKind::Max | AggregateKind::Sum
                    );
                    return aggregate.arg.as_ref().filter(|_| keeps);
                }
                keys.as_slice()
            }
            _ => &[],
        };
        let found =
            own.iter().find(|(own, expr)| *own == var && !matches!(expr, Expr::Var(same) if *same == var));
        if let Some((_, expr)) = found {
            return Some(expr);
        }
        left.extend(plan.children());
    }
    None
}

/// The type that all columns of this name have.
fn kept(schema: &Schema, name: &str) -> LogicalType {
    let Some(id) = schema.property_id(name) else { return LogicalType::Any };
    let nodes = schema.node_tables.iter().flat_map(|table| &table.properties);
    let edges = schema.edge_tables.iter().flat_map(|table| &table.properties);
    let mut types = nodes.chain(edges).filter(|property| property.id == id).map(|property| property.ty);
    match types.next() {
        Some(first) if types.all(|ty| ty == first) => first,
        _ => LogicalType::Any,
    }
}
