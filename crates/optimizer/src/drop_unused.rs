//! Takes computed variables that nobody looks at away.

use trimorph_algebra::Plan;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn drop_unused(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, needed| {
        Ok(match plan {
            Plan::Extra { input, mut items } => {
                items.retain(|(v, _)| needed.contains(v));
                if items.is_empty() { *input } else { Plan::Extra { input, items } }
            }
            other => other,
        })
    })
}
