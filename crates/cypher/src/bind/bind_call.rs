//! `CALL { … }`: subqueries.

use trimorph_algebra::{ApplyKind, Plan};
use trimorph_base::Diagnostic;

use super::Binder;
use super::bind_expression::{local_in_subquery, undefined};
use super::bind_query::Origin;
use super::part::Part;
use super::report::{Bound, already_bound, with_hint};
use super::scope::Scope;
use super::trim_argument::trim;
use crate::ast::{CallSubquery, Clause, ExprKind, Ident, Imports, Projection, SingleQuery, With};

impl<'q> Binder<'q> {
    /// Where a single query starts: its rows and names, and the clauses that are left to bind.
    pub(super) fn beginning(
        &self,
        single: &'q SingleQuery,
        origin: Origin<'_, 'q>,
    ) -> Bound<(Part, &'q [Clause])> {
        let clauses = single.clauses.as_slice();
        let part = |scope: Scope| Part { plan: Plan::Argument(Vec::new()), scope };
        match origin {
            Origin::Top => Ok((Part { plan: Plan::Unit, scope: Scope::default() }, clauses)),
            Origin::Expression(outer) => Ok((part(outer.clone()), clauses)),
            Origin::Call(outer, Imports::All) => Ok((part(outer.clone()), clauses)),
            Origin::Call(outer, Imports::Listed(names)) => {
                Ok((part(imported(outer, names.iter())?), clauses))
            }
            Origin::Call(outer, Imports::ByWith) => match clauses.split_first() {
                Some((Clause::With(with), rest)) if imports(with) => {
                    if with.projection.star.is_some() {
                        return Ok((part(outer.clone()), rest));
                    }
                    let names: Vec<Ident> = with.projection.items.iter().filter_map(variable).collect();
                    Ok((part(imported(outer, names.iter())?), rest))
                }
                _ => Ok((part(Scope::default()), clauses)),
            },
        }
    }

    /// `CALL { query }`.
    pub(super) fn call_subquery(&mut self, part: Part, call: &'q CallSubquery) -> Bound<Part> {
        let bound = self.query(&call.query, Origin::Call(&part.scope, &call.imports));
        let (subplan, columns) = bound.map_err(|error| self.not_imported(error, &part.scope))?;
        let (subplan, _) = trim(subplan, &part.scope.vars(), None);
        self.note_shadowed(call, &part.scope);
        let kind = match columns {
            None if subplan.updates() => ApplyKind::Effects { together: false },
            _ => ApplyKind::Inner,
        };
        let mut scope = part.scope;
        for (name, var) in columns.unwrap_or_default() {
            if scope.get(&name).is_some() {
                let span = call.query.first.clauses.last().map_or(call.span, Clause::span);
                return Err(already_bound(&name, span));
            }
            scope.insert(&name, var);
        }
        let input = Box::new(part.plan);
        let plan = Plan::Apply { input, subplan: Box::new(subplan), kind };
        Ok(Part { plan: self.grow(plan)?, scope })
    }

    /// Notes nodes of a subquery that are named as nodes around it, and are not these.
    fn note_shadowed(&mut self, call: &'q CallSubquery, outer: &Scope) {
        if !matches!(call.imports, Imports::ByWith) {
            return;
        }
        for single in
            std::iter::once(&call.query.first).chain(call.query.unions.iter().map(|(_, single)| single))
        {
            let patterns = single.clauses.iter().map_while(|clause| match clause {
                Clause::Match(found) => Some(&found.pattern),
                _ => None,
            });
            let nodes = patterns.flatten().flat_map(|path| {
                std::iter::once(&path.start).chain(path.steps.iter().map(|step| &step.node))
            });
            for name in nodes.filter_map(|node| node.variable.as_ref()) {
                if outer.get(&name.text).is_some() {
                    self.odd.add_shadowed(&name.text, name.span);
                }
            }
        }
    }

    /// An error within a called subquery: a name that is known around it has to be handed in.
    fn not_imported(&self, error: Box<Diagnostic>, outer: &Scope) -> Box<Diagnostic> {
        let name = error.span.map_or("", |span| self.slice(span));
        if error.detail != "UndefinedVariable" || outer.get(name).is_none() {
            return error;
        }
        with_hint(error, &format!("write CALL ({name}) {{ … }}: a subquery sees the names in parentheses"))
    }
}

/// Whether the first `WITH` of a called subquery imports outer variables: nothing but variables under their
/// names.
fn imports(with: &With) -> bool {
    let Projection { distinct, star, items, order_by, skip, limit, .. } = &with.projection;
    let plain =
        items.iter().all(|item| item.alias.is_none() && matches!(item.expr.kind, ExprKind::Variable(_)));
    let whole = if star.is_some() { items.is_empty() } else { plain };
    let more = *distinct || !order_by.is_empty() || skip.is_some() || limit.is_some();
    whole && !more && with.predicate.is_none()
}

fn variable(item: &crate::ast::ProjectionItem) -> Option<Ident> {
    match &item.expr.kind {
        ExprKind::Variable(name) => Some(Ident { text: name.clone(), span: item.expr.span }),
        _ => None,
    }
}

/// The outer names listed.
fn imported<'a>(outer: &Scope, names: impl Iterator<Item = &'a Ident>) -> Bound<Scope> {
    let mut scope = Scope::default();
    for name in names {
        match outer.get(&name.text) {
            Some(entry) if entry.local => return Err(local_in_subquery(&name.text, name.span)),
            Some(entry) => scope.insert(&name.text, entry.var),
            None => return Err(undefined(&name.text, name.span, outer.names())),
        }
    }
    Ok(scope)
}
