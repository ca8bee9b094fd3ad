//! What a condition on joined rows reads of the rows of one side is read before the join, where the join
//! makes many rows of each: once a row, and not once a pair. Pairs of likes of one person are compared by
//! time: a hundred thousand times are read, where eighty million pairs would each read two.
//!
//! How many rows a join by values makes is not known. There numbers and times are read before in any case: of
//! rows that lie one after the other they cost a fraction of what they cost of pairs.
//!
//! Only properties of nodes and relationships: other expressions might fail where no pair asks for them.

use std::sync::Arc;

use trimorph_algebra::{Expr, FEW_ROWS, Plan, VarId};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::estimate::Estimate;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet};

/// Rows that a join makes of one of a side, on the mean, from which on what is asked of pairs is read before.
const PAIRS_MIN: f64 = 2.0;

/// The pass.
pub(crate) fn join_reads(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let (catalog, samples) = (planning.catalog, planning.samples);
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        let Plan::Filter { input, predicate } = &mut plan else { return Ok(plan) };
        if !matches!(**input, Plan::HashJoin { .. } | Plan::RangeJoin { .. }) {
            return Ok(plan);
        }
        let mut properties: Vec<(VarId, Arc<str>, Expr)> = Vec::new();
        look(predicate, &mut |var, key, expr| {
            let is_entity = matches!(vars.get(var).ty, LogicalType::Node | LogicalType::Relationship);
            let is_known = properties.iter().any(|(known, of, ..)| *known == var && *of == key);
            if is_entity && !is_known {
                properties.push((var, key, expr.clone()));
            }
        });
        if properties.is_empty() {
            return Ok(plan);
        }
        let known = crate::selectivity::Statistics { catalog, samples };
        let pairs = Estimate::of(input, known).rows;
        let by_value = match &**input {
            Plan::HashJoin { on, .. } => on.iter().all(|var| vars.get(*var).ty != LogicalType::Node),
            _ => true,
        };
        let (Plan::HashJoin { left, right, .. } | Plan::RangeJoin { left, right, .. }) = &mut **input else {
            return Ok(plan);
        };
        // Beside few rows the others are given again and again, and what is read of them with them. Beside
        // one they are asked as they lie.
        let few = [&*left, &*right].map(|side| side.rows_max().filter(|rows| *rows <= FEW_ROWS));
        let is_few = few.iter().any(Option::is_some);
        if few.iter().flatten().any(|rows| *rows <= 1) {
            return Ok(plan);
        }
        let mut read: Vec<(VarId, Arc<str>, VarId)> = Vec::new();
        for (side, few) in [left, right].into_iter().zip(few) {
            if few.is_some() {
                continue;
            }
            let of_side: VarSet = side.vars().into_iter().collect();
            let mut items = Vec::new();
            let are_many = pairs >= PAIRS_MIN * Estimate::of(side, known).rows;
            for (var, key, expr) in properties.iter().filter(|(var, ..)| of_side.contains(var)) {
                // Of what both sides have, one reads it.
                let is_read = read.iter().any(|(of, known, _)| of == var && known == key);
                let is_worth_it = are_many && !is_few || by_value && is_short(catalog, key);
                if !is_read && is_worth_it {
                    let value = vars.anonymous(LogicalType::Any);
                    items.push((value, expr.clone()));
                    read.push((*var, Arc::clone(key), value));
                }
            }
            if !items.is_empty() {
                let below = std::mem::replace(&mut **side, Plan::Unit);
                **side = Plan::Extra { input: Box::new(below), items };
            }
        }
        *predicate = std::mem::replace(predicate, Expr::truth()).with_values(&read);
        Ok(plan)
    })
}

/// Whether all values of a property are numbers, times or truth values.
fn is_short(catalog: &CatalogView<'_>, key: &Arc<str>) -> bool {
    use LogicalType as T;
    let is_short = |ty: Option<T>| {
        matches!(
            ty,
            Some(T::Bool | T::Int | T::Float | T::Date | T::DateTime | T::LocalDateTime | T::LocalTime)
        )
    };
    let names = Some(std::slice::from_ref(key));
    catalog
        .node_columns(names)
        .into_iter()
        .all(|(table, column)| is_short(catalog.column_type(table, column)))
        && catalog
            .edge_columns(names)
            .into_iter()
            .all(|(table, column)| is_short(catalog.edge_column_type(table, column)))
}

/// Calls `visit` with the properties of variables in an expression.
fn look(expr: &Expr, visit: &mut dyn FnMut(VarId, Arc<str>, &Expr)) {
    match expr {
        Expr::Property(base, key, _) if let Expr::Var(var) = **base => visit(var, Arc::clone(key), expr),
        other => other.for_each_child(&mut |child| look(child, visit)),
    }
}
