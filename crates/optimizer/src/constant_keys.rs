//! Keys of a grouping that are the same in all rows, as `null AS browser` or `'post' AS kind`, are given to
//! the groups, where there are other keys: without these there is a group also where there is no row.

use trimorph_algebra::{Expr, Plan};

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn constant_keys(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = plan else { return Ok(plan) };
        let is_constant = |key: &Expr| matches!(key, Expr::Const(_) | Expr::Param(_));
        if keys.iter().all(|(_, key)| is_constant(key)) {
            return Ok(Plan::Aggregate { input, keys, aggregates });
        }
        let (items, keys): (Vec<_>, Vec<_>) = keys.into_iter().partition(|(_, key)| is_constant(key));
        let grouped = Plan::Aggregate { input, keys, aggregates };
        Ok(if items.is_empty() { grouped } else { Plan::Extra { input: Box::new(grouped), items } })
    })
}
