//! What clauses hand to each other: a plan, and the names of its rows.

use trimorph_algebra::{Plan, VarId};

use super::scope::Scope;

/// A plan and the names of its rows.
pub(super) struct Part {
    pub(super) plan: Plan,
    pub(super) scope: Scope,
}

/// Result columns and their variables.
pub(super) type Columns = Vec<(String, VarId)>;
