//! Keys of a grouping that one row has which stands beside all others, as `WITH count(*) AS total MATCH (m)
//! WITH total, m.browserUsed AS browser, count(*) AS n`, are given to the groups: the row is put beside
//! these.
//!
//! Where the row has no part in what is aggregated and there are other keys: without these there is a group
//! also where there is no row.

use trimorph_algebra::{Expr, Plan, VarId};

use crate::needed::bottom_up;
use crate::plan_match::gives_one_row;
use crate::planning::Planning;
use crate::{Halt, VarSet, vars_of};

/// The pass.
pub(crate) fn row_keys(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Aggregate { input, keys, aggregates } => match *input {
                Plan::HashJoin { left, right, on } if on.is_empty() => {
                    let is_left = gives_one_row(&left);
                    let row: VarSet = if is_left { &left } else { &right }.vars().into_iter().collect();
                    let is_fixed = |key: &(VarId, Expr)| matches!(key.1, Expr::Var(v) if row.contains(&v));
                    let others = keys.iter().filter(|key| !is_fixed(key)).map(|(_, key)| key);
                    let args = aggregates.iter().flat_map(|(_, a)| a.arg.iter().chain(&a.parameter));
                    let is_apart = vars_of(others.clone().chain(args)).iter().all(|var| !row.contains(var));
                    let pays = others.count() > 0 && keys.iter().any(is_fixed);
                    if !pays || !is_apart || !is_left && !gives_one_row(&right) {
                        let input = Box::new(Plan::HashJoin { left, right, on });
                        return Ok(Plan::Aggregate { input, keys, aggregates });
                    }
                    let (fixed, keys): (Vec<_>, Vec<_>) = keys.into_iter().partition(is_fixed);
                    let grouped = |input| Box::new(Plan::Aggregate { input, keys, aggregates });
                    let (left, right) = if is_left { (left, grouped(right)) } else { (grouped(left), right) };
                    let items =
                        fixed.into_iter().filter(|(name, key)| !matches!(key, Expr::Var(v) if v == name));
                    let (items, input): (Vec<_>, _) = (items.collect(), Plan::HashJoin { left, right, on });
                    if items.is_empty() { input } else { Plan::Extra { input: Box::new(input), items } }
                }
                other => Plan::Aggregate { input: Box::new(other), keys, aggregates },
            },
            other => other,
        })
    })
}
