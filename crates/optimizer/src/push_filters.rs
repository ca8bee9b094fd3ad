//! Takes a filter on a pattern, makes it part of the pattern, which places its conditions as early as they
//! can be asked.

use trimorph_algebra::Plan;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, conjuncts};

/// The pass.
pub(crate) fn push_filters(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Filter { input, predicate } => match *input {
                Plan::Match { input, mut graph } => {
                    conjuncts(predicate, &mut graph.predicates);
                    Plan::Match { input, graph }
                }
                input => Plan::Filter { input: Box::new(input), predicate },
            },
            other => other,
        })
    })
}
