//! Queries: clause after clause.

use std::cell::OnceCell;

use trimorph_algebra::Plan;
use trimorph_base::Diagnostic;
use trimorph_types::LogicalType;

use super::bind_procedure::standalone;
use super::check_types::Type;
use super::part::{Columns, Part};
use super::report::{Bound, already_bound};
use super::scope::Scope;
use super::{Binder, Outside};
use crate::ast::{Clause, Imports, Query, SingleQuery, Unwind};

/// Where a query stands.
#[derive(Clone, Copy)]
pub(super) enum Origin<'s, 'q> {
    /// By itself.
    Top,
    /// In `EXISTS`, `COUNT` or `COLLECT`: it sees all outer names.
    Expression(&'s Scope),
    /// In `CALL`: it sees what is imported.
    Call(&'s Scope, &'q Imports),
}

impl<'q> Binder<'q> {
    /// A whole statement's query.
    pub(super) fn statement(&mut self, query: &'q Query) -> Bound<(Plan, Columns)> {
        if let Some(call) = standalone(query) {
            return self.standalone_call(call);
        }
        let (plan, columns) = self.query(query, Origin::Top)?;
        Ok((plan, columns.unwrap_or_default()))
    }

    /// One of the queries that `UNION` joins. Without `RETURN` there are no columns.
    pub(super) fn single_query(
        &mut self,
        single: &'q SingleQuery,
        origin: Origin<'_, 'q>,
    ) -> Bound<(Plan, Option<Columns>)> {
        let (part, clauses) = self.beginning(single, origin)?;
        let scope = match origin {
            Origin::Expression(_) | Origin::Call(_, Imports::All | Imports::Listed(_)) => part.scope.clone(),
            Origin::Top | Origin::Call(_, Imports::ByWith) => Scope::default(),
        };
        let end = single.clauses.last().map_or(0, |clause| clause.span().end);
        self.outside.push(Outside { scope, end, words: OnceCell::new() });
        let bound = self.clauses(part, clauses);
        self.outside.pop();
        bound
    }

    fn clauses(&mut self, mut part: Part, clauses: &'q [Clause]) -> Bound<(Plan, Option<Columns>)> {
        let mut columns = None;
        for clause in clauses {
            let place = |error: Box<Diagnostic>| Box::new(error.at(clause.span()));
            if let Clause::Return(projection) = clause {
                let (projected, returned) = self.projection(part, projection, None, true).map_err(place)?;
                part = projected;
                columns = Some(returned);
            } else {
                part = self.clause(part, clause).map_err(place)?;
            }
        }
        Ok((part.plan, columns))
    }

    fn clause(&mut self, part: Part, clause: &'q Clause) -> Bound<Part> {
        match clause {
            Clause::Match(c) => self.match_clause(part, c),
            Clause::Unwind(c) => self.unwind(part, c),
            Clause::With(c) => Ok(self.projection(part, &c.projection, c.predicate.as_ref(), false)?.0),
            Clause::Return(c) => Ok(self.projection(part, c, None, true)?.0),
            Clause::CallProcedure(c) => self.call_procedure(part, c),
            Clause::CallSubquery(c) => self.call_subquery(part, c),
            Clause::Create(_)
            | Clause::Merge(_)
            | Clause::Set(_)
            | Clause::Remove(_)
            | Clause::Delete(_)
            | Clause::Foreach(_) => self.updating_clause(part, clause),
        }
    }

    /// `UNWIND list AS variable`.
    fn unwind(&mut self, part: Part, unwind: &'q Unwind) -> Bound<Part> {
        let (list, hoists) = self.row_expression(&unwind.list, &part.scope)?;
        let name = &unwind.variable;
        if part.scope.get(&name.text).is_some() {
            return Err(already_bound(&name.text, name.span));
        }
        let plan = self.apply(part.plan, hoists)?;
        let ty = if list.ty.is == LogicalType::List { list.ty.item() } else { list.ty };
        let ty = if list.is_null() { Type::ANY } else { ty };
        let var = self.named(&name.text, ty);
        let mut scope = part.scope;
        scope.insert(&name.text, var);
        let plan = self.grow(Plan::Unwind { input: Box::new(plan), list: list.expr, var })?;
        Ok(Part { plan, scope })
    }
}
