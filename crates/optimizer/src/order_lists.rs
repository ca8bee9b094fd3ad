//! Lists of each group in order, as `WITH p, m ORDER BY m.date WITH p, collect(m) AS ms`: `collect` is told
//! the order, and rows need not be sorted before. Each list is sorted by itself when all rows have come, by
//! what rows of its group may differ by: the lists of many groups are short, and rows that come node by node
//! are grouped as they come.
//!
//! Not where all rows are of one group: that is the same sort; of a subquery, each row that it is asked for
//! has a group of its own. Nor where lists or maps are collected, which are no columns. Nor by other keys
//! than the elements themselves where these may be long: they would be held beside the elements of all lists
//! of a group, and rows that are sorted go to files.
//!
//! Source: `ORDER BY` within aggregates of SQL:2003.

use std::sync::Arc;

use trimorph_algebra::{AggregateKind, Expr, ListOrder, Plan, SortKey, VarId, Vars};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::column_types::is_of_one_of;
use crate::group_limit::{differing, is_of_any_order};
use crate::heads::is_same;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile, replaced};

/// Keys of an order up to which elements carry them.
const KEYS_MAX: usize = 4;

/// Types of keys that elements carry.
const CARRIED: [LogicalType; 11] = [
    LogicalType::Bool,
    LogicalType::Int,
    LogicalType::Float,
    LogicalType::Date,
    LogicalType::DateTime,
    LogicalType::LocalDateTime,
    LogicalType::LocalTime,
    LogicalType::Time,
    LogicalType::Duration,
    LogicalType::Node,
    LogicalType::Relationship,
];

/// The pass.
pub(crate) fn order_lists(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let (catalog, vars) = (planning.catalog, &mut *planning.vars);
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Some(order) = order(&plan, vars, catalog) {
            put(&mut plan, order, vars);
        }
        Ok(plan)
    })
}

/// What becomes of a grouping over a sort.
struct Order {
    /// What rows of a group may differ by.
    keys: Vec<SortKey>,
    /// Of each aggregate, whether it is a list.
    lists: Vec<Option<List>>,
}

/// A list, and what its elements are ordered by.
enum List {
    /// Themselves.
    Elements { descending: bool },
    /// All the keys.
    Keys,
}

/// The order of the lists of a grouping, if it is to make it itself.
fn order(plan: &Plan, vars: &Vars, catalog: &CatalogView<'_>) -> Option<Order> {
    let Plan::Aggregate { input, keys: groups, aggregates } = plan else { return None };
    let mut exprs: Vec<Expr> = groups.iter().map(|(_, key)| key.clone()).collect();
    exprs.extend(aggregates.iter().filter_map(|(_, aggregate)| aggregate.arg.clone()));
    let mut plan: &Plan = input;
    while let Plan::Project { input, items } | Plan::Extra { input, items } = plan {
        exprs = exprs.into_iter().map(|expr| replaced(expr, items)).collect();
        plan = input;
    }
    let Plan::Sort { input, keys, limit: None, of_group: None } = plan else { return None };
    let mut args = exprs.split_off(groups.len()).into_iter();
    let is_one_group =
        exprs.iter().all(|key| matches!(key, Expr::Const(_) | Expr::Param(_))) && !is_of_each_row(input);
    let mut ordering = keys.iter().map(|key| &key.expr);
    if is_one_group || ordering.any(calls_volatile) || exprs.iter().any(calls_volatile) {
        return None;
    }
    let differs = differing(&exprs, input, vars);
    let keys: Vec<SortKey> = keys.iter().filter(|key| differs(&key.expr)).cloned().collect();
    if keys.len() > KEYS_MAX {
        return None;
    }
    let is_short = |key: &SortKey| is_of_one_of(&read(key.expr.clone(), input), &CARRIED, vars, catalog);
    let are_short = keys.iter().all(is_short);
    let mut lists = Vec::with_capacity(aggregates.len());
    for (_, aggregate) in aggregates {
        let arg = aggregate.arg.as_ref().and_then(|_| args.next());
        lists.push(match (aggregate.kind, arg) {
            (AggregateKind::Collect, Some(element)) if aggregate.order.is_none() => {
                if calls_volatile(&element) || aggregate.parameter.is_some() {
                    return None;
                }
                match keys.first() {
                    Some(key) if is_same(&key.expr, &element) => {
                        Some(List::Elements { descending: key.descending })
                    }
                    Some(_) if aggregate.distinct || !are_short || !is_column(&element, vars) => return None,
                    Some(_) => Some(List::Keys),
                    None => None,
                }
            }
            _ if is_of_any_order(aggregate) => None,
            _ => return None,
        });
    }
    lists.iter().any(Option::is_some).then_some(Order { keys, lists })
}

/// Whether rows are found for each row of an outer query.
fn is_of_each_row(mut plan: &Plan) -> bool {
    loop {
        plan = match plan {
            Plan::Argument(vars) => return !vars.is_empty(),
            _ => match plan.children().first() {
                Some(input) => input,
                None => return false,
            },
        }
    }
}

/// What an expression reads below projections.
fn read(expr: Expr, below: &Plan) -> Expr {
    match below {
        Plan::Project { input, items } | Plan::Extra { input, items } => read(replaced(expr, items), input),
        _ => expr,
    }
}

/// Whether values of an expression are mostly those of a column, and no lists or maps.
fn is_column(expr: &Expr, vars: &Vars) -> bool {
    match expr {
        Expr::Var(var) => {
            !matches!(vars.get(*var).ty, LogicalType::List | LogicalType::Map | LogicalType::Path)
        }
        Expr::Property(..) | Expr::Op(..) | Expr::Const(_) => true,
        _ => false,
    }
}

/// Takes the sort away and tells the lists their order.
fn put(plan: &mut Plan, Order { keys, lists }: Order, vars: &mut Vars) {
    let Plan::Aggregate { input, aggregates, .. } = plan else { return };
    let is_carried = lists.iter().any(|list| matches!(list, Some(List::Keys)));
    let mut named = Vec::new();
    if is_carried {
        named.extend(keys.iter().map(|key| (vars.anonymous(LogicalType::Any), key.expr.clone())));
    }
    unsort(input, &named);
    let (names, descending) = (names(named.len()), keys.iter().map(|key| key.descending));
    let descending: Arc<[bool]> = descending.collect();
    for ((_, aggregate), list) in aggregates.iter_mut().zip(lists) {
        match list {
            Some(List::Elements { descending }) => aggregate.order = Some(ListOrder::Elements { descending }),
            Some(List::Keys) => {
                let carried = named.iter().map(|(var, _)| Expr::Var(*var));
                let entries = names.iter().cloned().zip(aggregate.arg.take().into_iter().chain(carried));
                aggregate.arg = Some(Expr::Map(entries.collect()));
                aggregate.order = Some(ListOrder::Keys(Arc::clone(&descending)));
            }
            None => {}
        }
    }
}

/// Names of the entries of an element and its keys, ascending.
fn names(keys: usize) -> Vec<Arc<str>> {
    (0..=keys).map(|place| format!("{place:02}").into()).collect()
}

/// Puts the values of keys in the place of the sort by them, and hands them up.
fn unsort(plan: &mut Plan, named: &[(VarId, Expr)]) {
    match plan {
        Plan::Project { input, items } => {
            unsort(input, named);
            items.extend(named.iter().map(|(var, _)| (*var, Expr::Var(*var))));
        }
        Plan::Extra { input, .. } => unsort(input, named),
        Plan::Sort { input, .. } => {
            let input = Box::new(std::mem::replace(&mut **input, Plan::Unit));
            *plan = match named.is_empty() {
                true => *input,
                false => Plan::Extra { input, items: named.to_vec() },
            };
        }
        _ => {}
    }
}
