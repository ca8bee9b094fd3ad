//! Groups by the key of a node, as `RETURN p.id, p.firstName, count(*)`, are groups by the node: other keys
//! that follow from it tell no more groups apart, and are computed of the groups. So it is with `DISTINCT`,
//! and `count(DISTINCT p.id)` counts nodes.
//!
//! 1. A key is what no two nodes have in common and none lacks: the key of the table that the node is in, if
//!    it is one ([`CatalogView::is_full_key`]), or its id. A node or a relationship that is among the keys
//!    needs none.
//! 2. Not in a query that changes the graph: what is true when it begins need not be true later.
//!
//! Groups by nodes need no table where rows come node by node, and what is late is read once a group, or for
//! the first rows of an order only.

use trimorph_algebra::{Aggregate, AggregateKind, ApplyKind, Expr, Plan, VarId, Vars};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::names::below_by_name;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::tables::tables_of;
use crate::walks::renamed;
use crate::{Halt, calls_volatile, vars_of};

/// Keys that are looked at: each is compared with all others.
const KEYS_MAX: usize = 64;

/// Variables and what they have.
type Items = Vec<(VarId, Expr)>;

/// The pass.
pub(crate) fn group_by_nodes(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if plan.updates() {
        return Ok(plan);
    }
    let (vars, catalog) = (&*planning.vars, planning.catalog);
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Aggregate { input, keys, mut aggregates } => {
                aggregates
                    .iter_mut()
                    .for_each(|(_, aggregate)| count_nodes(aggregate, &input, vars, catalog));
                match by_entities(keys, &input, vars, catalog) {
                    Ok((keys, items)) => {
                        let input = Box::new(Plan::Aggregate { input, keys, aggregates });
                        Plan::Extra { input, items }
                    }
                    Err(keys) => Plan::Aggregate { input, keys, aggregates },
                }
            }
            Plan::Distinct { input, vars: of } => match *input {
                Plan::Project { input, items } if items.iter().all(|(var, _)| of.contains(var)) => {
                    match by_entities(items, &input, vars, catalog) {
                        Ok((keys, late)) => {
                            let of = keys.iter().map(|(var, _)| *var).collect();
                            let input = Box::new(Plan::Project { input, items: keys });
                            Plan::Extra { input: Box::new(Plan::Distinct { input, vars: of }), items: late }
                        }
                        Err(items) => {
                            let input = Box::new(Plan::Project { input, items });
                            Plan::Distinct { input, vars: of }
                        }
                    }
                }
                other => Plan::Distinct { input: Box::new(other), vars: of },
            },
            other => other,
        })
    })
}

/// Keys among which nodes stand for what follows from them, and that as it is computed of these; the keys
/// themselves where nothing would change.
fn by_entities(
    keys: Items,
    input: &Plan,
    vars: &Vars,
    catalog: &CatalogView<'_>,
) -> Result<(Items, Items), Items> {
    if keys.len() > KEYS_MAX {
        return Err(keys);
    }
    // The entities that keys follow from, each with what it is called above.
    let mut entities: Vec<(VarId, VarId)> = Vec::new();
    for (name, key) in &keys {
        match key {
            Expr::Var(var) if is_entity(*var, vars) => entities.push((*name, *var)),
            _ => {}
        }
    }
    let known = entities.len();
    for (_, key) in &keys {
        if let Some(node) = identified(key, input, vars, catalog)
            && entities.iter().all(|(_, entity)| *entity != node)
        {
            entities.push((node, node));
        }
    }
    // What a key is computed of, and what that is called above.
    let followed = |key: &Expr| {
        let of = vars_of([key]);
        let var = *of.first().filter(|_| of.len() == 1 && !matches!(key, Expr::Var(_)))?;
        let (name, _) = entities.iter().find(|(_, entity)| *entity == var)?;
        (!calls_volatile(key)).then_some((var, *name))
    };
    if !keys.iter().any(|(_, key)| followed(key).is_some()) {
        return Err(keys);
    }
    let (mut new, mut late) = (Items::new(), Items::new());
    for (name, key) in keys {
        match followed(&key) {
            Some((var, called)) => late.push((name, renamed(key, var, called))),
            None => new.push((name, key)),
        }
    }
    new.extend(entities[known..].iter().map(|(name, entity)| (*name, Expr::Var(*entity))));
    Ok((new, late))
}

/// Counts nodes in the place of their keys.
fn count_nodes(aggregate: &mut Aggregate, input: &Plan, vars: &Vars, catalog: &CatalogView<'_>) {
    if aggregate.kind == AggregateKind::Count
        && let Some(arg @ Expr::Property(..)) = &aggregate.arg
        && let Some(node) = identified(arg, input, vars, catalog)
    {
        aggregate.arg = Some(Expr::Var(node));
    }
}

/// The node or relationship that an expression tells apart from all others, null where that is null.
fn identified(key: &Expr, input: &Plan, vars: &Vars, catalog: &CatalogView<'_>) -> Option<VarId> {
    let of = |base: &Expr| match base {
        Expr::Var(var) if is_entity(*var, vars) => Some(*var),
        _ => None,
    };
    match key {
        Expr::Property(base, name, _) => {
            let node = of(base).filter(|var| vars.get(*var).ty == LogicalType::Node)?;
            has_full_key(input, node, name, catalog).then_some(node)
        }
        Expr::Call(name, args, _) if matches!(&**name, "id" | "elementId") => match &args[..] {
            [base] => of(base),
            _ => None,
        },
        _ => None,
    }
}

fn is_entity(var: VarId, vars: &Vars) -> bool {
    matches!(vars.get(var).ty, LogicalType::Node | LogicalType::Relationship)
}

/// Whether a property is the key of all nodes that a variable may be, which are of one table.
fn has_full_key(mut plan: &Plan, mut var: VarId, name: &str, catalog: &CatalogView<'_>) -> bool {
    loop {
        match plan {
            Plan::Match { input, graph } => {
                if graph.nodes.iter().any(|node| node.var == var)
                    && let Some([table]) = tables_of(catalog, graph).get(&var).map(Vec::as_slice)
                    && catalog.is_full_key(*table, name)
                {
                    return true;
                }
                plan = input;
            }
            Plan::Aggregate { input, keys, .. } => match keys.iter().find(|(key, _)| *key == var) {
                Some((_, Expr::Var(other))) => (plan, var) = (input, *other),
                _ => return false,
            },
            Plan::Apply { input, subplan, kind: ApplyKind::Inner | ApplyKind::Optional } => {
                if has_full_key(subplan, var, name, catalog) {
                    return true;
                }
                plan = input;
            }
            Plan::Unwind { input, .. } | Plan::Apply { input, .. } => plan = input,
            other => match below_by_name(other, var) {
                Some(below) => (plan, var) = below,
                None => return false,
            },
        }
    }
}
