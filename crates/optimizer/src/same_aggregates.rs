//! Aggregates that a grouping has twice are made once: takes `sum(x), count(x), count(x)`, gives the first
//! two and another name. Lists that became aggregates ([`crate::fold_lists`]) ask for the same again, and so
//! do people.

use trimorph_algebra::{Aggregate, Expr, Plan};

use crate::heads::is_same;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile};

/// Aggregates of a grouping up to which each is compared with all others.
const AGGREGATES_MAX: usize = 64;

/// The pass.
pub(crate) fn same_aggregates(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = plan else { return Ok(plan) };
        if aggregates.len() > AGGREGATES_MAX {
            return Ok(Plan::Aggregate { input, keys, aggregates });
        }
        let (mut own, mut items) = (Vec::with_capacity(aggregates.len()), Vec::new());
        for (var, aggregate) in aggregates {
            match own.iter().find(|(_, known)| are_same(known, &aggregate)) {
                Some((known, _)) => items.push((var, Expr::Var(*known))),
                None => own.push((var, aggregate)),
            }
        }
        let groups = Plan::Aggregate { input, keys, aggregates: own };
        Ok(match items.is_empty() {
            true => groups,
            false => Plan::Extra { input: Box::new(groups), items },
        })
    })
}

/// Whether two aggregates are the same of any rows.
fn are_same(a: &Aggregate, b: &Aggregate) -> bool {
    let same = |a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => is_same(a, b) && !calls_volatile(a),
        _ => false,
    };
    a.kind == b.kind
        && a.distinct == b.distinct
        && a.order == b.order
        && same(&a.arg, &b.arg)
        && same(&a.parameter, &b.parameter)
}
