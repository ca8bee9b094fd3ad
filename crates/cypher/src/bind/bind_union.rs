//! `UNION`: the columns of all arms are mapped to common variables.

use std::collections::HashMap;

use trimorph_algebra::{Expr, Plan, VarId};

use super::Binder;
use super::bind_query::Origin;
use super::part::Columns;
use super::report::{Bound, semantic, with_hint};
use crate::ast::{Query, SingleQuery, UnionKind};

impl<'q> Binder<'q> {
    /// Any query.
    pub(super) fn query(
        &mut self,
        query: &'q Query,
        origin: Origin<'_, 'q>,
    ) -> Bound<(Plan, Option<Columns>)> {
        let start = self.depth;
        let mut arms = vec![(&query.first, self.single_query(&query.first, origin)?)];
        if query.unions.is_empty() {
            return Ok(arms.remove(0).1);
        }
        let mut depth_max = self.depth;
        for (_, single) in &query.unions {
            self.depth = start;
            arms.push((single, self.single_query(single, origin)?));
            depth_max = depth_max.max(self.depth);
        }
        self.depth = depth_max;
        let distinct = query.unions.iter().any(|(kind, _)| *kind == UnionKind::Distinct);
        self.union(arms, distinct)
    }

    fn union(
        &mut self,
        arms: Vec<(&'q SingleQuery, (Plan, Option<Columns>))>,
        distinct: bool,
    ) -> Bound<(Plan, Option<Columns>)> {
        let first: Option<Columns> = arms.first().and_then(|(_, (_, columns))| columns.clone());
        let mut common = first.clone().unwrap_or_default();
        for (index, (name, var)) in common.iter_mut().enumerate() {
            let mut ty = self.type_of(*var);
            for (_, (_, columns)) in &arms {
                let other = columns.as_ref().and_then(|c| {
                    c.get(index).filter(|(n, _)| n == name).or_else(|| c.iter().find(|(n, _)| n == name))
                });
                ty = ty.or(other.map_or(ty, |(_, other)| self.type_of(*other)));
            }
            *var = self.named(name, ty);
        }
        let mut inputs = Vec::with_capacity(arms.len());
        for (single, (plan, columns)) in arms {
            if columns.is_some() != first.is_some() {
                return Err(different(single));
            }
            inputs.push(mapped(plan, columns.unwrap_or_default(), &common, single)?);
        }
        let vars: Vec<VarId> = common.iter().map(|(_, var)| *var).collect();
        let mut plan = self.grow(Plan::Union { inputs, vars: vars.clone() })?;
        if distinct {
            plan = self.grow(Plan::Distinct { input: Box::new(plan), vars })?;
        }
        Ok((plan, first.map(|_| common)))
    }
}

/// An arm whose columns are the common variables.
fn mapped(plan: Plan, columns: Columns, common: &Columns, single: &SingleQuery) -> Bound<Plan> {
    if columns.len() != common.len() {
        return Err(different(single));
    }
    let by_name: HashMap<&str, VarId> = columns.iter().map(|(name, var)| (name.as_str(), *var)).collect();
    let mut items = Vec::with_capacity(common.len());
    for (name, var) in common {
        let Some(own) = by_name.get(name.as_str()) else { return Err(different(single)) };
        items.push((*var, Expr::Var(*own)));
    }
    Ok(Plan::Project { input: Box::new(plan), items })
}

fn different(single: &SingleQuery) -> Box<trimorph_base::Diagnostic> {
    let span = single.clauses.last().map_or(single.span, crate::ast::Clause::span);
    let error = semantic("DifferentColumnsInUnion", "the queries of UNION return different columns", span);
    with_hint(error, "give the columns the same names with AS")
}
