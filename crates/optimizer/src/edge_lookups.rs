//! How an edge can be found without its ends: takes the predicates on it, gives what an indexed property of
//! edges is compared with, where that finds few.

use std::sync::Arc;

use trimorph_algebra::{EdgeLookup, EdgePattern, EdgeRange, Expr, LookupBy, Op, VarId};
use trimorph_base::EdgeTableId;
use trimorph_types::Value;

use crate::VarSet;
use crate::lookups::{LOOKUP_ROWS, Lookup, RANGE_ROWS, lookup_by, range_of};
use crate::selectivity::Statistics;
use crate::tables::edge_tables;

/// How an edge can be looked up.
pub(crate) struct EdgeFound {
    pub(crate) property: Arc<str>,
    pub(crate) key: Expr,
    pub(crate) by: LookupBy,
    /// The condition that needs not be asked again, by its place.
    pub(crate) condition: Option<usize>,
    /// How many edges are found for a row, about.
    pub(crate) rows: f64,
}

/// Whether a predicate might be one that an edge is looked up by.
fn is_about(predicate: &Expr, var: VarId) -> bool {
    let Expr::Op(Op::Eq | Op::In | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::StartsWith, args, _) = predicate
    else {
        return false;
    };
    let is_own = |side: &Expr| matches!(side, Expr::Property(base, ..) if matches!(&**base, Expr::Var(v) if *v == var));
    args.iter().any(is_own)
}

/// How an edge can be looked up by what is `available`, if that finds few; `conditions` are those that look
/// at it, with their places.
pub(crate) fn edge_lookup<'e>(
    known: Statistics<'_>,
    conditions: impl Iterator<Item = (usize, &'e Expr)>,
    edge: &EdgePattern,
    available: &VarSet,
) -> Option<EdgeFound> {
    let var = edge.var;
    let conditions: Vec<(usize, &Expr)> = conditions.filter(|(_, expr)| is_about(expr, var)).collect();
    if conditions.is_empty() || edge.range != EdgeRange::One || edge.from == edge.to {
        return None;
    }
    let tables = edge_tables(known.catalog, edge);
    if tables.is_empty() {
        return None;
    }
    let all = known.edges(&tables);
    // Of tables that were never merged nothing is counted: what is there is little.
    let is_few = |rows: f64, than: f64| all == 0.0 || rows * than < all;
    let is_indexed = |name: &str| known.catalog.is_edge_indexed(&tables, name);
    let made = |lookup: Lookup, condition, rows| {
        let (property, key, by) = lookup.parts().ok()?;
        Some(EdgeFound { property, key, by, condition, rows })
    };
    let mut best: Option<EdgeFound> = None;
    for (place, expr) in &conditions {
        let lookup = lookup_by(expr, var, available, &|_| false, &is_indexed);
        let Some(lookup @ Lookup::Key { .. }) = lookup else { continue };
        let Lookup::Key { property, key, any_of, .. } = &lookup else { continue };
        let rows = known.edges_found(&tables, (property, key, *any_of));
        if is_few(rows, LOOKUP_ROWS) && best.as_ref().is_none_or(|other| rows < other.rows) {
            best = made(lookup, Some(*place), rows);
        }
    }
    best.or_else(|| {
        let (lookup, of) = range_of(conditions.iter().map(|(_, expr)| *expr), var, &is_indexed)?;
        let rows = known.edges_between(&tables, &of, var) * all;
        is_few(rows, RANGE_ROWS).then(|| made(lookup, None, rows))?
    })
}

impl Statistics<'_> {
    fn edges(&self, tables: &[EdgeTableId]) -> f64 {
        let edges = |table: &EdgeTableId| {
            let stats = self.catalog.statistics().edge_tables.get(usize::from(table.0));
            stats.map_or(0.0, |stats| stats.forward.edges as f64)
        };
        tables.iter().map(edges).sum()
    }

    /// How many edges an operator finds for a row.
    pub(crate) fn found_by_edges(&self, lookup: &EdgeLookup) -> f64 {
        let types = &lookup.step.types;
        let tables = self.catalog.edge_tables((!types.is_empty()).then_some(&**types));
        match lookup.by {
            LookupBy::Equal => self.edges_found(&tables, (&lookup.property, &lookup.key, false)),
            LookupBy::AnyOf => self.edges_found(&tables, (&lookup.property, &lookup.key, true)),
            LookupBy::Between { .. } | LookupBy::Prefix => self.edges(&tables) / RANGE_ROWS,
            LookupBy::First { .. } => match self.value(&lookup.key) {
                Some(Value::Int(count)) => (count as f64).min(self.edges(&tables)),
                _ => self.edges(&tables) / RANGE_ROWS,
            },
        }
    }

    /// How many edges have a value, or any of some.
    fn edges_found(&self, tables: &[EdgeTableId], (property, key, any_of): (&str, &Expr, bool)) -> f64 {
        let of_value = |table: &EdgeTableId| {
            let edges = self.edges(std::slice::from_ref(table));
            let stats = self.catalog.estimated_edge_property(*table, property);
            stats.map_or(0.0, |s| (edges - s.nulls as f64).max(0.0) / s.distinct.max(1) as f64)
        };
        let counted = (!any_of).then(|| self.value(key)).flatten();
        let counted = counted.and_then(|value| self.samples.edges(tables, property, Op::Eq, &value));
        let each = counted.unwrap_or_else(|| tables.iter().map(of_value).sum::<f64>().max(1.0));
        each * if any_of { self.elements(key) } else { 1.0 }
    }

    /// The part of the edges that one or two bounds of a property, or a prefix, let through.
    fn edges_between(&self, tables: &[EdgeTableId], conditions: &[&Expr], var: VarId) -> f64 {
        let parts: f64 = conditions.iter().map(|condition| self.part_of_edges(tables, condition, var)).sum();
        match conditions {
            // Those above the one and those below the other, less all: what both let through is there twice.
            [condition, _] => {
                let name = compared(condition, var).map_or("", |(name, ..)| name);
                let all = self.samples.edges(tables, name, Op::IsNotNull, &Value::Null);
                let all = all.unwrap_or(0.0) / self.edges(tables).max(1.0);
                (parts - all).max(0.0)
            }
            _ => parts,
        }
    }

    /// The part of the edges that a bound, or a prefix, of a property lets through.
    fn part_of_edges(&self, tables: &[EdgeTableId], condition: &Expr, var: VarId) -> f64 {
        const UNKNOWN: f64 = 0.3;
        let told = compared(condition, var).and_then(|(name, op, other)| {
            let value = self.value(other)?;
            self.samples.edges(tables, name, op, &value)
        });
        told.map_or(UNKNOWN, |rows| (rows / self.edges(tables).max(1.0)).min(1.0))
    }
}

/// The property that a comparison asks of an edge, how, and what it is compared with.
fn compared(condition: &Expr, var: VarId) -> Option<(&str, Op, &Expr)> {
    let Expr::Op(op, args, _) = condition else { return None };
    let [a, b] = &args[..] else { return None };
    [(a, b, *op), (b, a, op.swapped())].into_iter().find_map(|(side, other, op)| match side {
        Expr::Property(base, name, _) if matches!(&**base, Expr::Var(v) if *v == var) => {
            Some((&**name, op, other))
        }
        _ => None,
    })
}
