//! Updating clauses: which becomes what, and what all of them use.

use std::collections::HashSet;
use std::sync::Arc;

use trimorph_algebra::{ApplyKind, Change, Expr, Plan, Update, VarId};
use trimorph_types::LogicalType;

use super::Binder;
use super::bind_expression::{Typed, undefined};
use super::check_types::expect;
use super::context::Hoist;
use super::part::Part;
use super::report::Bound;
use super::scope::Scope;
use super::trim_argument::trim;
use crate::ast::{self, Clause, Ident, LabelExprKind};

/// An update while it is bound.
#[derive(Default)]
pub(super) struct Making {
    /// Subqueries that its values need.
    pub(super) hoists: Vec<Hoist>,
    pub(super) update: Update,
    /// What it makes so far: who reads that is part of another update.
    pub(super) made: HashSet<VarId>,
}

impl Making {
    /// Whether a value looks at what this update makes.
    pub(super) fn is_read_by(&self, value: &Typed, hoists: &[Hoist]) -> bool {
        let mut vars = Vec::new();
        value.expr.free_vars(&mut vars);
        vars.iter().chain(hoists.iter().flat_map(|h| &h.arguments)).any(|var| self.made.contains(var))
    }

    /// A change, and what it makes.
    pub(super) fn push(&mut self, change: Change) {
        self.made.extend(change.made());
        self.update.changes.push(change);
    }
}

impl<'q> Binder<'q> {
    pub(super) fn updating_clause(&mut self, part: Part, clause: &'q Clause) -> Bound<Part> {
        match clause {
            Clause::Create(c) => self.create_clause(part, c),
            Clause::Merge(c) => self.merge_clause(part, c),
            Clause::Set(c) => self.set_clause(part, &c.items),
            Clause::Remove(c) => self.remove_clause(part, &c.items),
            Clause::Delete(c) => self.delete_clause(part, c),
            Clause::Foreach(c) => self.foreach_clause(part, c),
            _ => Ok(part),
        }
    }

    /// The plan with an update on top, if it does something.
    pub(super) fn updated(&mut self, plan: Plan, making: Making) -> Bound<Plan> {
        let Making { hoists, update, .. } = making;
        if update.changes.is_empty() {
            return Ok(plan);
        }
        let plan = self.apply(plan, hoists)?;
        self.grow(Plan::Update { input: Box::new(plan), update })
    }

    /// The variable that a change finds a value in.
    pub(super) fn value_var(&mut self, value: Typed, hoists: Vec<Hoist>, making: &mut Making) -> VarId {
        making.hoists.extend(hoists);
        if let Expr::Var(var) = value.expr {
            return var;
        }
        let var = self.anonymous(value.ty);
        making.update.values.push((var, value.expr));
        var
    }

    /// The names of a conjunction of labels, sorted, each once.
    pub(super) fn plain_labels(&self, labels: Option<&ast::LabelExpr>) -> Bound<Vec<Arc<str>>> {
        let mut names = Vec::new();
        let mut left: Vec<&ast::LabelExpr> = labels.into_iter().collect();
        while let Some(labels) = left.pop() {
            match &labels.kind {
                LabelExprKind::Name(name) => names.push(self.full_name(name)?),
                LabelExprKind::And(parts) => left.extend(parts),
                // The parser lets nothing else through.
                _ => {}
            }
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// `DELETE` and `DETACH DELETE`.
    fn delete_clause(&mut self, part: Part, delete: &'q ast::Delete) -> Bound<Part> {
        use LogicalType as L;
        let mut making = Making::default();
        for target in &delete.targets {
            let (value, hoists) = self.row_expression(target, &part.scope)?;
            expect(value.ty, &[L::Node, L::Relationship, L::Path], "what is deleted", target.span)?;
            let target = self.value_var(value, hoists, &mut making);
            making.push(Change::Delete { target, detach: delete.detach });
        }
        let plan = self.updated(part.plan, making)?;
        Ok(Part { plan, scope: part.scope })
    }

    /// `FOREACH (x IN list | …)`: for the rows as they are, what each element does.
    fn foreach_clause(&mut self, part: Part, foreach: &'q ast::Foreach) -> Bound<Part> {
        let (list, hoists) = self.row_expression(&foreach.list, &part.scope)?;
        expect(list.ty, &[LogicalType::List], "what FOREACH goes through", foreach.list.span)?;
        let var = self.named(&foreach.variable.text, list.ty.item());
        let mut scope = part.scope.clone();
        scope.insert(&foreach.variable.text, var);
        let argument = self.apply(Plan::Argument(Vec::new()), hoists)?;
        let list = list.expr;
        let plan = self.grow(Plan::Unwind { input: Box::new(argument), list, var })?;
        let mut inner = Part { plan, scope };
        for clause in &foreach.body {
            inner = self.updating_clause(inner, clause).map_err(|e| Box::new(e.at(clause.span())))?;
        }
        let (subplan, _) = trim(inner.plan, &part.scope.vars(), None);
        let kind = ApplyKind::Effects { together: true };
        let plan = Plan::Apply { input: Box::new(part.plan), subplan: Box::new(subplan), kind };
        Ok(Part { plan: self.grow(plan)?, scope: part.scope })
    }

    /// The variable of a name that must be bound.
    pub(super) fn bound(&self, name: &Ident, scope: &Scope) -> Bound<VarId> {
        match scope.get(&name.text) {
            Some(entry) => Ok(entry.var),
            None => Err(undefined(&name.text, name.span, scope.names())),
        }
    }
}
