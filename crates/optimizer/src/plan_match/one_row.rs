//! Plans of one row, beside which conditions are filters and others wait for nothing.

use trimorph_algebra::Plan;

/// Whether a plan gives one row at most, whatever the data.
pub(crate) fn gives_one_row(mut plan: &Plan) -> bool {
    loop {
        plan = match plan {
            Plan::Unit => return true,
            Plan::Aggregate { keys, .. } => return keys.is_empty(),
            Plan::Project { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Filter { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Skip { input, .. }
            | Plan::Limit { input, .. } => input,
            _ => return false,
        }
    }
}
