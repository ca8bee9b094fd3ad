//! `MATCH` and `OPTIONAL MATCH`.

use std::collections::HashMap;

use trimorph_algebra::{ApplyKind, Expr, LabelExpr, Plan, QueryGraph, VarId};

use super::Binder;
use super::bind_pattern::Pattern;
use super::bind_shortest::{conditions_on_wholes, take_searches};
use super::bind_where::Conjunct;
use super::context::{Context, Hoist};
use super::part::Part;
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

    /// The rows of `input` with the matches of a pattern that meet a predicate. Without `new_names` the
    /// pattern may only use names that are bound already.
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
        let mut cx = Context::rows(std::mem::take(&mut pattern.scope));
        let below = self.pattern_conditions(&mut pattern, &mut cx, outer, &mut conjuncts)?;
        if let Some(predicate) = predicate {
            self.conjuncts(predicate, &mut cx, &mut conjuncts)?;
        }
        let plan = self.asked(input, outer, pattern, (below, conjuncts))?;
        Ok(Part { plan, scope: cx.scope })
    }

    /// The pattern over `input`, with what stands below it and the conditions on it.
    ///
    /// Out of line: patterns within patterns are calls within calls, and this is none of them.
    #[inline(never)]
    fn asked(
        &mut self,
        input: Plan,
        outer: &Scope,
        pattern: Pattern<'q>,
        (below, conjuncts): (Vec<Hoist>, Vec<Conjunct>),
    ) -> Bound<Plan> {
        let mut graph = pattern.graph;
        let mut above = Vec::new();
        for conjunct in conjuncts {
            match conjunct {
                Conjunct::Plain(expr) => add_condition(&mut graph, &pattern.nodes, expr),
                other => above.push(other),
            }
        }
        conditions_on_wholes(&mut graph);
        let (searches, after) = take_searches(&mut graph, &mut above);
        let input = self.apply(input, below)?;
        let plan = self.grow(Plan::Match { input: Box::new(input), graph })?;
        let plan = self.filter_by(plan, above)?;
        let plan = self.search(plan, searches, outer)?;
        self.filter_by(plan, after)
    }
}

/// Adds a condition to a graph. One on the labels of its nodes becomes part of the node.
fn add_condition(graph: &mut QueryGraph, nodes: &HashMap<VarId, usize>, condition: Expr) {
    if let Expr::HasLabel(subject, labels) = &condition
        && let Expr::Var(var) = **subject
        && let Some(node) = nodes.get(&var).and_then(|index| graph.nodes.get_mut(*index))
    {
        node.labels = std::mem::replace(&mut node.labels, LabelExpr::True).and(labels.clone());
        return;
    }
    graph.predicates.push(condition);
}
