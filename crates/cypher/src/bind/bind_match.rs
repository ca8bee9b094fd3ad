//! `MATCH` and `OPTIONAL MATCH`.

use trimorph_algebra::{ApplyKind, Plan};

use super::Binder;
use super::bind_pattern::Pattern;
use super::bind_query::Part;
use super::bind_where::Conjunct;
use super::context::Context;
use super::report::Bound;
use super::scope::Scope;
use super::trim_argument::trim;
use crate::ast;

impl<'q> Binder<'q> {
    pub(super) fn match_clause(&mut self, part: Part, clause: &'q ast::Match) -> Bound<Part> {
        let predicate = clause.predicate.as_ref();
        if !clause.optional {
            return self.matched(part.plan, &part.scope, &clause.pattern, predicate, true);
        }
        let argument = Plan::Argument(Vec::new());
        let inner = self.matched(argument, &part.scope, &clause.pattern, predicate, true)?;
        let (subplan, _) = trim(inner.plan, &part.scope.vars(), None);
        let input = Box::new(part.plan);
        let plan = Plan::Apply { input, subplan: Box::new(subplan), kind: ApplyKind::Optional };
        Ok(Part { plan: self.grow(plan)?, scope: inner.scope })
    }

    /// The rows of `input` with the matches of a pattern that meet a predicate. Without `new_names` the pattern may
    /// only use names that are bound already.
    pub(super) fn matched(
        &mut self,
        input: Plan,
        outer: &Scope,
        paths: &'q [ast::PathPattern],
        predicate: Option<&'q ast::Expr>,
        new_names: bool,
    ) -> Bound<Part> {
        let mut pattern = Pattern::new(outer.clone(), new_names);
        for path in paths {
            self.path(&mut pattern, path)?;
        }
        let mut conjuncts = Vec::new();
        let below = self.pattern_conditions(&mut pattern, outer, &mut conjuncts)?;
        let mut cx = Context::rows(pattern.scope);
        if let Some(predicate) = predicate {
            self.conjuncts(predicate, &mut cx, &mut conjuncts)?;
        }
        let mut graph = pattern.graph;
        let mut above = Vec::new();
        for conjunct in conjuncts {
            match conjunct {
                Conjunct::Plain(expr) => graph.predicates.push(expr),
                other => above.push(other),
            }
        }
        let input = self.apply(input, below)?;
        let plan = self.grow(Plan::Match { input: Box::new(input), graph })?;
        let plan = self.filter_by(plan, above)?;
        Ok(Part { plan, scope: cx.scope })
    }
}
