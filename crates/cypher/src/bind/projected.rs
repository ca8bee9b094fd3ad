//! The columns of `WITH` or `RETURN`, bound, on their way to what stands after them: sorting, skipping, a
//! condition.

use std::sync::Arc;

use trimorph_algebra::{Expr, Plan, VarId};

use super::context::Grouping;
use super::scope::Scope;
use crate::ast;

/// A bound column.
pub(super) struct Output<'q> {
    pub(super) name: Arc<str>,
    pub(super) var: VarId,
    pub(super) value: Expr,
    /// What was written, unless it comes from `*`.
    pub(super) expr: Option<&'q ast::Expr>,
}

impl Output<'_> {
    /// Whether the rows have the variable already.
    pub(super) fn is_kept(&self) -> bool {
        matches!(self.value, Expr::Var(var) if var == self.var)
    }
}

/// The columns and what they were computed from.
pub(super) struct Projected<'q> {
    pub(super) plan: Plan,
    pub(super) outputs: Vec<Output<'q>>,
    /// The names before the projection.
    pub(super) before: Scope,
    /// What the groups have, if the projection aggregates.
    pub(super) grouping: Option<Grouping<'q>>,
    pub(super) keys: Vec<(VarId, Expr)>,
}
