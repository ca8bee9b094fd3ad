//! Where an expression stands: what it sees, whether it may aggregate, what it needs computed below.

use std::sync::Arc;

use trimorph_algebra::{Aggregate, ApplyKind, Plan, VarId};

use super::compare_expressions::Sketches;
use super::scope::Scope;
use crate::ast;

/// A subquery to put below the operator of the expression that asked for it.
pub(super) struct Hoist {
    pub(super) subplan: Plan,
    pub(super) kind: ApplyKind,
    /// The variables of the rows that it uses.
    pub(super) arguments: Vec<VarId>,
}

impl Hoist {
    /// The variable that it adds to the rows.
    pub(super) fn var(&self) -> Option<VarId> {
        match self.kind {
            ApplyKind::Mark(var) | ApplyKind::Count(var) | ApplyKind::Collect(var, _) => Some(var),
            _ => None,
        }
    }
}

/// An expression that the output of a grouping has, and the variable that holds it.
#[derive(Clone, Copy)]
pub(super) struct Key<'q> {
    pub(super) expr: &'q ast::Expr,
    pub(super) var: VarId,
    /// Whether it aggregates.
    pub(super) aggregates: bool,
}

/// An aggregate and the variable that holds it.
pub(super) struct Aggregated {
    pub(super) var: VarId,
    pub(super) aggregate: Aggregate,
}

/// What an expression over groups may look at: its scope, these keys and new aggregates.
pub(super) struct Grouping<'q> {
    pub(super) keys: Vec<Key<'q>>,
    /// Where keys and aggregates are.
    pub(super) key_indexes: Sketches<'q>,
    pub(super) aggregate_indexes: Sketches<'q>,
    /// What the arguments of aggregates see.
    pub(super) rows: Scope,
    /// What was aggregated so far.
    pub(super) aggregates: Vec<Aggregated>,
    /// Subqueries within the arguments of aggregates.
    pub(super) below: Vec<Hoist>,
    /// Subqueries over the groups that the columns need.
    pub(super) hoists: Vec<Hoist>,
    /// Whether the expression stands after the projection (`ORDER BY`).
    pub(super) after: bool,
    /// Whether aggregates may be added; if not, those of the keys are still found.
    pub(super) may_aggregate: bool,
    /// Whether the expression being bound contains an aggregate.
    pub(super) mixed: bool,
    /// The name of the next aggregate's variable, if it is a column itself.
    pub(super) name: Option<Arc<str>>,
}

impl<'q> Grouping<'q> {
    /// The same over these keys.
    pub(super) fn with_keys(self, keys: Vec<Key<'q>>) -> Self {
        let key_indexes = Sketches::new(keys.iter().map(|key| Some(key.expr)));
        Self { keys, key_indexes, ..self }
    }

    /// No keys yet, and aggregates over these names.
    pub(super) fn new(rows: Scope) -> Self {
        Self {
            keys: Vec::new(),
            key_indexes: Sketches::default(),
            aggregate_indexes: Sketches::default(),
            rows,
            aggregates: Vec::new(),
            below: Vec::new(),
            hoists: Vec::new(),
            after: false,
            may_aggregate: true,
            mixed: true,
            name: None,
        }
    }
}

/// Whether aggregates may stand here.
pub(super) enum Mode<'q> {
    /// They may not.
    Rows,
    /// They may not, because this is an aggregate's argument.
    InAggregate,
    /// They may.
    Groups(Box<Grouping<'q>>),
}

/// The surroundings of an expression.
pub(super) struct Context<'q> {
    pub(super) scope: Scope,
    /// Variables of the enclosing comprehensions, innermost last.
    pub(super) locals: Vec<(&'q str, VarId)>,
    pub(super) hoists: Vec<Hoist>,
    pub(super) mode: Mode<'q>,
}

impl<'q> Context<'q> {
    /// An expression over rows with these variables.
    pub(super) fn rows(scope: Scope) -> Self {
        Self { scope, locals: Vec::new(), hoists: Vec::new(), mode: Mode::Rows }
    }

    /// An expression over groups.
    pub(super) fn groups(scope: Scope, grouping: Grouping<'q>) -> Self {
        Self { scope, locals: Vec::new(), hoists: Vec::new(), mode: Mode::Groups(Box::new(grouping)) }
    }

    /// The innermost local variable of this name.
    pub(super) fn local(&self, name: &str) -> Option<VarId> {
        self.locals.iter().rev().find(|(local, _)| *local == name).map(|(_, var)| *var)
    }

    /// What a subquery sees.
    pub(super) fn visible(&self) -> Scope {
        let mut scope = self.scope.clone();
        for (name, var) in &self.locals {
            scope.insert_local(name, *var);
        }
        scope
    }

    /// The subqueries gathered so far.
    pub(super) fn take_hoists(&mut self) -> Vec<Hoist> {
        std::mem::take(&mut self.hoists)
    }
}
