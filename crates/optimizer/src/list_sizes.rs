//! The sizes of lists that a grouping collects, as counts: `size(collect(x))` is `count(x)`, since neither
//! takes nulls in. For passes that need all rows for no more than that.

use std::collections::HashMap;

use trimorph_algebra::{Expr, Plan, VarId};

use crate::VarSet;

/// Counts by the names of the lists whose sizes they are.
pub(crate) type Counts = HashMap<VarId, VarId>;

/// Puts counts in the place of the sizes of lists, in all operators down to the grouping, which `count`
/// gives them, by their lists. Where the lists are `gone` their other names go, too.
pub(crate) fn put_counts(plan: &mut Plan, gone: bool, count: &mut dyn FnMut(&mut Plan) -> Counts) -> Counts {
    match plan {
        Plan::Project { input, items } => {
            let counts = put_counts(input, gone, count);
            let named: Counts = names(items, &counts).collect();
            items.retain(|(_, item)| !gone || list_of(item, &counts).is_none());
            items.iter_mut().for_each(|(_, item)| put(item, &counts));
            let passed: VarSet = named.values().copied().collect();
            items.extend(passed.into_iter().map(|count| (count, Expr::Var(count))));
            named
        }
        Plan::Extra { input, items } => {
            let mut counts = put_counts(input, gone, count);
            let named: Vec<(VarId, VarId)> = names(items, &counts).collect();
            items.retain(|(_, item)| !gone || list_of(item, &counts).is_none());
            items.iter_mut().for_each(|(_, item)| put(item, &counts));
            counts.extend(named);
            counts
        }
        Plan::Filter { input, predicate } => {
            let counts = put_counts(input, gone, count);
            put(predicate, &counts);
            counts
        }
        Plan::Sort { input, keys, .. } => {
            let counts = put_counts(input, gone, count);
            keys.iter_mut().for_each(|key| put(&mut key.expr, &counts));
            counts
        }
        Plan::Skip { input, .. } | Plan::Limit { input, .. } => put_counts(input, gone, count),
        Plan::Aggregate { .. } => count(plan),
        _ => Counts::new(),
    }
}

/// The count of the list that an expression is another name of.
fn list_of(item: &Expr, counts: &Counts) -> Option<VarId> {
    match item {
        Expr::Var(list) => counts.get(list).copied(),
        _ => None,
    }
}

/// Other names that items give to lists, with the lists' counts.
fn names(items: &[(VarId, Expr)], counts: &Counts) -> impl Iterator<Item = (VarId, VarId)> {
    items.iter().filter_map(|(var, item)| Some((*var, list_of(item, counts)?)))
}

/// The list whose size an expression is.
pub(crate) fn sized(expr: &Expr) -> Option<VarId> {
    match expr {
        Expr::Call(name, args, _) if &**name == "size" => match args[..] {
            [Expr::Var(list)] => Some(list),
            _ => None,
        },
        _ => None,
    }
}

fn put(expr: &mut Expr, counts: &Counts) {
    fn counted(expr: Expr, counts: &Counts) -> Expr {
        match sized(&expr).and_then(|list| counts.get(&list)) {
            Some(count) => Expr::Var(*count),
            None => expr.map_children(&mut |child| counted(child, counts)),
        }
    }
    if !counts.is_empty() {
        *expr = counted(std::mem::replace(expr, Expr::truth()), counts);
    }
}
