//! What comes after the columns of a projection: `DISTINCT`, `ORDER BY`, `SKIP`, `LIMIT`, `WHERE`.
//!
//! Without `DISTINCT` and aggregates, sort keys and predicates see the names before the projection too, those
//! of the columns first. If they use one, the columns are added to the old variables, and the
//! projection comes last. After `DISTINCT` or grouping they see the columns, by name or as written in the
//! projection.

use std::collections::HashSet;

use trimorph_algebra::{Expr, Op, Plan, SortKey, VarId};
use trimorph_types::{LogicalType, Value};

use super::Binder;
use super::bind_where::Conjunct;
use super::check_types::expect;
use super::compare_expressions::Sketches;
use super::context::{Context, Grouping, Hoist, Key, Mode};
use super::projected::{Output, Projected};
use super::report::{Bound, semantic, with_hint};
use super::scope::Scope;
use super::walk_expression::aggregates;
use crate::ast::{self, ExprKind, Projection};

/// What stands after the columns.
pub(super) struct Tail<'q> {
    pub(super) projection: &'q Projection,
    pub(super) predicate: Option<&'q ast::Expr>,
}

/// The tail, bound.
struct BoundTail {
    keys: Vec<SortKey>,
    hoists: Vec<Hoist>,
    conjuncts: Vec<Conjunct>,
}

impl BoundTail {
    /// Whether it uses a variable that is none of the columns.
    fn looks_before(&self, outputs: &[Output<'_>]) -> bool {
        let mut used = Vec::new();
        self.keys.iter().for_each(|key| key.expr.for_each_free_var(&mut |v| used.push(v)));
        self.hoists.iter().for_each(|hoist| used.extend(&hoist.arguments));
        self.conjuncts.iter().for_each(|conjunct| conjunct.free_vars(&mut used));
        let hoisted = self.hoists.iter().chain(self.conjuncts.iter().flat_map(Conjunct::hoists));
        let own: HashSet<VarId> =
            outputs.iter().map(|o| o.var).chain(hoisted.filter_map(Hoist::var)).collect();
        used.iter().any(|var| !own.contains(var))
    }

    fn adds_variables(&self) -> bool {
        !self.hoists.is_empty() || self.conjuncts.iter().any(Conjunct::adds_variables)
    }
}

impl<'q> Binder<'q> {
    /// The plan of a projection with everything that comes after its columns.
    pub(super) fn sorted(&mut self, projected: Projected<'q>, tail: Tail<'q>, scope: &Scope) -> Bound<Plan> {
        let Projected { plan, outputs, before, grouping, keys } = projected;
        let distinct = tail.projection.distinct;
        let (skip, limit) = self.skip_and_limit(tail.projection)?;
        let mut cx = match (grouping, distinct) {
            (None, false) => Context::rows(overlaid(before, scope)),
            (grouping, _) => after_groups(grouping, &outputs, before, scope, distinct),
        };
        let bound = self.tail(&tail, &outputs, &mut cx)?;
        let mut plan = self.aggregated(plan, keys, cx)?;
        let looks_before = bound.looks_before(&outputs);
        let project = |plan: Plan, outputs: &[Output<'_>], kept: bool| Plan::Project {
            input: Box::new(plan),
            items: outputs
                .iter()
                .map(|o| (o.var, if kept { Expr::Var(o.var) } else { o.value.clone() }))
                .collect(),
        };
        if looks_before && !distinct {
            let items: Vec<_> =
                outputs.iter().filter(|o| !o.is_kept()).map(|o| (o.var, o.value.clone())).collect();
            if !items.is_empty() {
                plan = self.grow(Plan::Extra { input: Box::new(plan), items })?;
            }
        } else if !gives_exactly(&plan, &outputs) {
            plan = self.grow(project(plan, &outputs, false))?;
        }
        if distinct {
            let vars = outputs.iter().map(|o| o.var).collect();
            plan = self.grow(Plan::Distinct { input: Box::new(plan), vars })?;
        }
        let narrow = looks_before && !distinct || bound.adds_variables();
        plan = self.apply(plan, bound.hoists)?;
        plan = self.cut(plan, bound.keys, skip, limit)?;
        plan = self.filter_by(plan, bound.conjuncts)?;
        if narrow {
            plan = self.grow(project(plan, &outputs, true))?;
        }
        Ok(plan)
    }

    fn tail(&mut self, tail: &Tail<'q>, outputs: &[Output<'q>], cx: &mut Context<'q>) -> Bound<BoundTail> {
        let mut keys = Vec::with_capacity(tail.projection.order_by.len());
        let known = match tail.projection.order_by.is_empty() {
            true => Sketches::default(),
            false => Sketches::new(outputs.iter().map(|o| o.expr)),
        };
        for item in &tail.projection.order_by {
            if let Mode::Groups(grouping) = &mut cx.mode {
                grouping.mixed = aggregates(&item.expr);
            }
            let column = match (&item.expr.kind, &cx.mode) {
                (ExprKind::Variable(_), _) | (_, Mode::Groups(_)) => None,
                _ => known.find(&item.expr).and_then(|index| outputs.get(index)),
            };
            let expr = match column {
                Some(output) => Expr::Var(output.var),
                None => self.expression(&item.expr, cx)?.expr,
            };
            keys.push(SortKey { expr, descending: item.descending });
        }
        let hoists = cx.take_hoists();
        let mut conjuncts = Vec::new();
        if let Some(predicate) = tail.predicate {
            if let Mode::Groups(grouping) = &mut cx.mode {
                grouping.mixed = aggregates(predicate);
                grouping.may_aggregate = false;
            }
            self.conjuncts(predicate, cx, &mut conjuncts)?;
        }
        Ok(BoundTail { keys, hoists, conjuncts })
    }

    /// The groups, if the projection aggregates: subqueries within arguments, the aggregation, subqueries
    /// over groups.
    fn aggregated(&mut self, plan: Plan, keys: Vec<(VarId, Expr)>, cx: Context<'q>) -> Bound<Plan> {
        let Mode::Groups(grouping) = cx.mode else { return Ok(plan) };
        if grouping.aggregates.is_empty() {
            return Ok(plan);
        }
        let plan = self.apply(plan, grouping.below)?;
        let aggregates = grouping.aggregates.into_iter().map(|a| (a.var, a.aggregate)).collect();
        let plan = self.grow(Plan::Aggregate { input: Box::new(plan), keys, aggregates })?;
        self.apply(plan, grouping.hoists)
    }

    /// `Sort`, `Skip` and `Limit`.
    fn cut(
        &mut self,
        mut plan: Plan,
        keys: Vec<SortKey>,
        skip: Option<Expr>,
        limit: Option<Expr>,
    ) -> Bound<Plan> {
        if !keys.is_empty() {
            let limit = limit.as_ref().map(|limit| sum(skip.as_ref(), limit));
            plan = self.grow(Plan::Sort { input: Box::new(plan), keys, limit, of_group: None })?;
        }
        if let Some(count) = skip {
            plan = self.grow(Plan::Skip { input: Box::new(plan), count })?;
        }
        if let Some(count) = limit {
            plan = self.grow(Plan::Limit { input: Box::new(plan), count })?;
        }
        Ok(plan)
    }

    fn skip_and_limit(&mut self, p: &'q Projection) -> Bound<(Option<Expr>, Option<Expr>)> {
        let skip = p.skip.as_ref().map(|e| self.row_count(e, "SKIP")).transpose()?;
        let limit = p.limit.as_ref().map(|e| self.row_count(e, "LIMIT")).transpose()?;
        Ok((skip, limit))
    }

    /// A number of rows: an expression without variables.
    fn row_count(&mut self, expr: &'q ast::Expr, what: &str) -> Bound<Expr> {
        let not_constant = || {
            let primary = format!("the number of rows of {what} must be the same for all rows");
            let error = semantic("NonConstantExpression", primary, expr.span);
            with_hint(error, "use a number or a parameter")
        };
        let mut cx = Context::rows(Scope::default());
        let bound = self.expression(expr, &mut cx).map_err(|error| match error.detail {
            "UndefinedVariable" => not_constant(),
            _ => error,
        })?;
        if !cx.hoists.is_empty() {
            return Err(not_constant());
        }
        expect(bound.ty, &[LogicalType::Int], &format!("the number of rows of {what}"), expr.span)?;
        match bound.expr {
            Expr::Const(Value::Int(rows)) if rows < 0 => {
                let primary = format!("the number of rows of {what} cannot be negative");
                Err(semantic("NegativeIntegerArgument", primary, expr.span))
            }
            bound => Ok(bound),
        }
    }
}

/// `skip + limit`.
fn sum(skip: Option<&Expr>, limit: &Expr) -> Expr {
    match (skip, limit) {
        (None, limit) => limit.clone(),
        (Some(Expr::Const(Value::Int(skip))), Expr::Const(Value::Int(limit))) => {
            Expr::Const(Value::Int(skip.saturating_add(*limit)))
        }
        (Some(skip), limit) => Expr::op(Op::Add, vec![skip.clone(), limit.clone()]),
    }
}

/// The names before a projection, hidden by those of its columns.
fn overlaid(mut before: Scope, columns: &Scope) -> Scope {
    for name in columns.names() {
        if let Some(entry) = columns.get(name) {
            before.insert(name, entry.var);
        }
    }
    before
}

/// What sort keys and predicates see after grouping or `DISTINCT`.
fn after_groups<'q>(
    grouping: Option<Grouping<'q>>,
    outputs: &[Output<'q>],
    before: Scope,
    scope: &Scope,
    distinct: bool,
) -> Context<'q> {
    let groups = grouping.is_some();
    let keys = outputs
        .iter()
        .filter_map(|o| o.expr.map(|expr| Key { expr, var: o.var, aggregates: aggregates(expr) }))
        .collect();
    let mut grouping = grouping.unwrap_or_else(|| Grouping::new(before)).with_keys(keys);
    grouping.after = true;
    grouping.may_aggregate = groups && !distinct;
    Context::groups(scope.clone(), grouping)
}

/// Whether an aggregation already gives the columns and nothing else.
fn gives_exactly(plan: &Plan, outputs: &[Output<'_>]) -> bool {
    match plan {
        Plan::Aggregate { keys, aggregates, .. } => {
            outputs.iter().all(Output::is_kept) && keys.len() + aggregates.len() == outputs.len()
        }
        _ => false,
    }
}
