//! Plans of one row, or few: beside these conditions are filters, and others wait for nothing.

use trimorph_algebra::{FEW_ROWS, Plan};

/// Whether a plan gives one row at most, whatever the data.
pub(crate) fn gives_one_row(plan: &Plan) -> bool {
    plan.rows_max().is_some_and(|rows| rows <= 1)
}

/// Whether it gives so few that the product with them is as fast as any join.
pub(super) fn gives_few_rows(plan: &Plan) -> bool {
    plan.rows_max().is_some_and(|rows| rows <= FEW_ROWS)
}
