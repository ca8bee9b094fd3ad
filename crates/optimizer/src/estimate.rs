//! Estimates from the catalog's statistics: rows of a scan, edges of a step, the part of rows a predicate lets through.
//!
//! A condition on values is answered by the store's estimator, which tries it on a sample; distinct counts and ranges stand in where
//! there is none or the value is a parameter.
//!
//! Source: Poseidon §6 (degrees, distinct counts, characteristic sets); the usual uniformity assumptions where nothing is known.

use trimorph_algebra::{Direction, EdgePattern, EdgeRange, Expr, Extend, Op, Plan, VarId};
use trimorph_base::TableId;
use trimorph_catalog::{Catalog, CharacteristicSet, PropertyStats};
use trimorph_types::Value;

use crate::tables::{edge_tables, joined_tables};

/// Part of rows an unknown equality lets through.
const EQUALITY: f64 = 0.01;
/// Part of rows an unknown range lets through.
const RANGE: f64 = 0.3;
/// Part of rows any other predicate lets through.
const OTHER: f64 = 0.5;

/// What the store knows beyond the catalog. The engine implements it with access patterns.
pub trait Estimator {
    /// Nodes of `tables` whose property compares so with a value: `Eq`, `Lt`, `Le`, `Gt`, `Ge`. `None` if it cannot tell.
    fn rows(&self, tables: &[TableId], property: &str, op: Op, value: &Value) -> Option<f64>;

    /// The value a parameter has in the run that the plan is first made for.
    fn parameter(&self, name: &str) -> Option<Value>;
}

/// What estimates are made from.
#[derive(Clone, Copy)]
pub(crate) struct Statistics<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) estimator: Option<&'a dyn Estimator>,
}

impl Statistics<'_> {
    /// The value of a constant, or of a parameter as it is now.
    fn value(&self, expr: &Expr) -> Option<Value> {
        match expr {
            Expr::Const(value) => Some(value.clone()),
            Expr::Param(name) => self.estimator?.parameter(name),
            _ => None,
        }
    }
}

/// Rows of some tables.
pub(crate) fn rows_of(catalog: &Catalog, tables: &[TableId]) -> f64 {
    tables.iter().filter_map(|t| catalog.node_tables.get(t.0 as usize)).map(|t| t.rows as f64).sum()
}

/// Mean number of matches of an edge pattern from one node of `from` tables to `to` tables.
pub(crate) fn degree(
    catalog: &Catalog,
    edge: &EdgePattern,
    from: &[TableId],
    to: &[TableId],
    reversed: bool,
) -> f64 {
    let rows = rows_of(catalog, from).max(1.0);
    let pairs = joined_tables(catalog, edge);
    let edges: f64 = (pairs.iter())
        .map(|(f, t, n)| if reversed { (t, f, *n) } else { (f, t, *n) })
        .filter(|(f, t, _)| from.contains(f) && (to.contains(t) || edge.range != EdgeRange::One))
        .map(|(_, _, n)| n as f64)
        .sum();
    let one = edges / rows;
    match edge.range {
        EdgeRange::One => one,
        EdgeRange::Variable { shortest: Some(_), .. } => rows_of(catalog, to).max(1.0),
        EdgeRange::Variable { min, max, .. } => {
            let max = max.unwrap_or(min.max(1).saturating_add(3)).min(min.saturating_add(4));
            (min..=max).map(|k| one.powi(i32::try_from(k).unwrap_or(8)).min(1e9)).sum::<f64>().min(1e12)
        }
    }
}

/// Whether so many of the nodes of these tables are a pick of somebody's.
pub(crate) fn are_picked(catalog: &Catalog, rows: f64, tables: &[TableId]) -> bool {
    rows <= (PICKED * rows_of(catalog, tables)).max(1.0)
}

/// The part of a node table below which the nodes a row stands for were picked by somebody. Who is asked about is seldom average: popular
/// tags, large countries.
const PICKED: f64 = 0.02;

/// As [`degree`] for a single edge, but from few nodes: between the mean and the largest degree, where their logarithms meet.
pub(crate) fn degree_of_few(
    catalog: &Catalog,
    edge: &EdgePattern,
    from: &[TableId],
    to: &[TableId],
    reversed: bool,
) -> f64 {
    let mean = degree(catalog, edge, from, to, reversed);
    if edge.range != EdgeRange::One {
        return mean;
    }
    let (mut out, mut back) = (edge.direction != Direction::In, edge.direction != Direction::Out);
    if reversed {
        (out, back) = (back, out);
    }
    let skewed =
        |edges: u64, nonempty: u64, max: u64| (edges as f64 / nonempty.max(1) as f64 * max as f64).sqrt();
    let mut few = 0.0;
    for info in edge_tables(catalog, edge) {
        let targets = || info.backward.iter();
        if out && from.contains(&info.source) && targets().any(|b| to.contains(&b.target)) {
            few += skewed(info.edges, info.nonempty, info.degree_max);
        }
        if back && to.contains(&info.source) {
            few += targets()
                .filter(|b| from.contains(&b.target))
                .map(|b| skewed(b.edges, b.nonempty, b.degree_max))
                .sum::<f64>();
        }
    }
    few.max(mean)
}

fn stats_of<'c>(catalog: &'c Catalog, tables: &[TableId], property: &str) -> Vec<(&'c PropertyStats, f64)> {
    (tables.iter())
        .filter_map(|t| {
            let column = catalog.node_property(*t, property)?;
            let info = &catalog.node_tables[t.0 as usize];
            Some((&info.properties[column].stats, info.rows as f64))
        })
        .collect()
}

/// The part of the nodes in `tables` that a predicate on one of them lets through.
pub(crate) fn selectivity(known: Statistics<'_>, predicate: &Expr, var: VarId, tables: &[TableId]) -> f64 {
    let catalog = known.catalog;
    match predicate {
        Expr::Op(op @ (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge), args, _) => {
            let [a, b] = &args[..] else { return OTHER };
            for (side, other, op) in [(a, b, *op), (b, a, flipped(*op))] {
                if let Expr::Property(base, name, _) = side
                    && matches!(&**base, Expr::Var(v) if *v == var)
                {
                    let stats = stats_of(catalog, tables, name);
                    let rows: f64 = rows_of(catalog, tables).max(1.0);
                    if let (Some(value), Some(estimator)) = (known.value(other), known.estimator)
                        && let Some(passing) = estimator.rows(tables, name, op, &value)
                    {
                        return (passing / rows).clamp(1e-9, 1.0);
                    }
                    if op == Op::Eq {
                        let hits: f64 = stats
                            .iter()
                            .map(|(s, n)| (n - s.nulls as f64).max(0.0) / (s.distinct.max(1) as f64))
                            .sum();
                        return (hits / rows).clamp(1e-9, 1.0);
                    }
                    return range_part(&stats, op, other).unwrap_or(RANGE);
                }
            }
            if matches!(op, Op::Eq) { EQUALITY } else { RANGE }
        }
        Expr::Op(Op::In, args, _) => match &args[..] {
            [Expr::Property(_, name, _), list] => {
                let n = match list {
                    Expr::List(items) => items.len() as f64,
                    Expr::Const(Value::List(items)) => items.len() as f64,
                    _ => 10.0,
                };
                let distinct: u64 = stats_of(catalog, tables, name).iter().map(|(s, _)| s.distinct).sum();
                (n / distinct.max(1) as f64).clamp(1e-9, 1.0)
            }
            _ => EQUALITY * 10.0,
        },
        Expr::Op(Op::And, parts, _) => {
            joint_selectivity(known, &parts.iter().collect::<Vec<_>>(), var, tables)
        }
        Expr::Op(Op::Or, parts, _) => {
            parts.iter().map(|p| selectivity(known, p, var, tables)).sum::<f64>().min(1.0)
        }
        Expr::Op(Op::StartsWith | Op::Contains | Op::EndsWith | Op::Regex, _, _) => 0.1,
        Expr::Op(Op::IsNotNull, args, _) => match &args[..] {
            [Expr::Property(_, name, _)] => presence(catalog, tables, &[name]),
            _ => 0.9,
        },
        Expr::Op(Op::IsNull, args, _) => match &args[..] {
            [Expr::Property(_, name, _)] => 1.0 - presence(catalog, tables, &[name]),
            _ => 0.1,
        },
        Expr::Op(Op::Ne, _, _) => 0.9,
        _ => OTHER,
    }
}

/// The part of the nodes in `tables` that all of these predicates on one of them let through. Conditions are taken as independent, but for
/// which properties a node has at all: that is counted, together, in the characteristic sets.
pub(crate) fn joint_selectivity(
    known: Statistics<'_>,
    predicates: &[&Expr],
    var: VarId,
    tables: &[TableId],
) -> f64 {
    let mut part = 1.0;
    let mut properties: Vec<&str> = Vec::new();
    for predicate in predicates {
        part *= selectivity(known, predicate, var, tables);
        if let Some(name) = required_property(predicate, var)
            && !properties.contains(&name)
        {
            properties.push(name);
        }
    }
    if properties.len() > 1 {
        let alone: f64 = properties.iter().map(|p| presence(known.catalog, tables, &[p])).product();
        part *= presence(known.catalog, tables, &properties) / alone.max(1e-9);
    }
    part.clamp(1e-9, 1.0)
}

/// The property without which a predicate on `var` cannot be true.
fn required_property(predicate: &Expr, var: VarId) -> Option<&str> {
    let Expr::Op(Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::In | Op::IsNotNull, args, _) = predicate
    else {
        return None;
    };
    args.iter().find_map(|a| match a {
        Expr::Property(base, name, _) if matches!(&**base, Expr::Var(v) if *v == var) => Some(&**name),
        _ => None,
    })
}

/// The part of the nodes in `tables` that have all of these properties: from the characteristic sets (Poseidon §6).
fn presence(catalog: &Catalog, tables: &[TableId], properties: &[&str]) -> f64 {
    let having: u64 = (tables.iter())
        .filter_map(|t| {
            let info = catalog.node_tables.get(t.0 as usize)?;
            let columns: Option<Vec<usize>> =
                properties.iter().map(|p| catalog.node_property(*t, p)).collect();
            let columns = columns?;
            let all = |set: &&CharacteristicSet| {
                columns.iter().all(|c| set.properties.iter().any(|p| *p as usize == *c))
            };
            Some(info.characteristic_sets.iter().filter(all).map(|s| s.count).sum::<u64>())
        })
        .sum();
    having as f64 / rows_of(catalog, tables).max(1.0)
}

fn flipped(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other => other,
    }
}

/// The part of the range between the smallest and largest value that a comparison with a constant covers.
fn range_part(stats: &[(&PropertyStats, f64)], op: Op, other: &Expr) -> Option<f64> {
    let value = match other {
        Expr::Const(Value::Int(i)) => *i as f64,
        Expr::Const(Value::Date(d)) => d.days as f64,
        Expr::Const(Value::DateTime(t)) => t.seconds as f64 * 1e9,
        _ => return None,
    };
    let low = stats.iter().filter_map(|(s, _)| s.range).map(|r| r.0).min()? as f64;
    let high = stats.iter().filter_map(|(s, _)| s.range).map(|r| r.1).max()? as f64;
    let below = ((value - low) / (high - low).max(1.0)).clamp(0.0, 1.0);
    Some(if matches!(op, Op::Lt | Op::Le) { below } else { 1.0 - below }.max(1e-6))
}

/// The tables a node variable can be in, where the plan says.
fn tables_in(plan: &Plan, var: VarId, catalog: &Catalog) -> Option<Vec<TableId>> {
    let of_step = |step: &Extend| {
        (step.to == var).then(|| step.to_tables.clone().unwrap_or_else(|| catalog.table_ids().collect()))
    };
    match plan {
        Plan::NodeScan(scan) if scan.var == var => Some(scan.tables.clone()),
        Plan::KeyLookup { lookup, .. } if lookup.var == var => Some(lookup.tables.clone()),
        Plan::IdLookup { var: v, tables, .. } if *v == var => Some(tables.clone()),
        Plan::Extend { step, .. } if step.to == var => of_step(step),
        Plan::VarExtend { step, .. } if step.step.to == var => of_step(&step.step),
        Plan::Intersect { steps, .. } if steps.iter().any(|s| s.to == var) => steps.iter().find_map(of_step),
        other => other.children().into_iter().find_map(|c| tables_in(c, var, catalog)),
    }
}

/// The part of a plan's rows that a predicate lets through.
fn filtered_part(input: &Plan, predicate: &Expr, catalog: &Catalog) -> f64 {
    let known = Statistics { catalog, estimator: None };
    let part = |p: &Expr| {
        let mut vars = Vec::new();
        p.free_vars(&mut vars);
        let tables = match vars[..] {
            [var] => tables_in(input, var, catalog).map(|t| (var, t)),
            _ => None,
        };
        match (tables, p) {
            (Some((var, tables)), p) => selectivity(known, p, var, &tables),
            (None, Expr::Op(Op::Eq, _, _)) => 0.05,
            (None, Expr::Op(Op::Ne, _, _)) => 0.9,
            (None, _) => RANGE,
        }
    };
    match predicate {
        Expr::Op(Op::And, parts, _) => parts.iter().map(part).product(),
        p => part(p),
    }
}

/// Rows a plan gives, about. For EXPLAIN, and for patterns that start from other rows.
pub fn estimate_rows(plan: &Plan, catalog: &Catalog) -> f64 {
    let child = |p: &Plan| estimate_rows(p, catalog);
    let pattern_of = |step: &Extend| EdgePattern {
        var: step.to,
        from: step.from,
        to: step.to,
        types: step.types.clone(),
        direction: step.direction,
        range: EdgeRange::One,
        each: None,
        whole: Vec::new(),
    };
    let degree_of = |input: &Plan, step: &Extend, rows: f64| -> f64 {
        let pattern = pattern_of(step);
        let pairs = joined_tables(catalog, &pattern);
        let wanted = |t: &TableId| step.to_tables.as_ref().is_none_or(|ts| ts.contains(t));
        let from = tables_in(input, step.from, catalog).unwrap_or_else(|| {
            let mut from: Vec<TableId> = pairs.iter().filter(|p| wanted(&p.1)).map(|p| p.0).collect();
            from.sort_unstable();
            from.dedup();
            from
        });
        let to: Vec<TableId> = catalog.table_ids().filter(wanted).collect();
        match are_picked(catalog, rows, &from) {
            true => degree_of_few(catalog, &pattern, &from, &to, false),
            false => degree(catalog, &pattern, &from, &to, false),
        }
    };
    match plan {
        Plan::Unit | Plan::Argument(_) => 1.0,
        Plan::Empty(_) => 0.0,
        Plan::NodeScan(scan) => rows_of(catalog, &scan.tables),
        Plan::Filter { input, predicate } => child(input) * filtered_part(input, predicate, catalog),
        Plan::Extend { input, step } => {
            let rows = child(input);
            rows * degree_of(input, step, rows)
        }
        Plan::ExtendInto { input, .. } | Plan::Intersect { input, .. } => child(input) * 0.5,
        Plan::VarExtend { input, step } => {
            let one = degree_of(input, &step.step, f64::MAX);
            child(input) * if step.into { 1.0 } else { (one + one * one).max(1.0) }
        }
        Plan::Aggregate { input, keys, .. } if keys.is_empty() => child(input).min(1.0),
        Plan::Aggregate { input, .. } | Plan::Distinct { input, .. } => child(input).powf(0.75),
        Plan::Limit { input, count } => match count {
            Expr::Const(Value::Int(n)) => child(input).min(*n as f64),
            _ => child(input).min(100.0),
        },
        Plan::Unwind { input, .. } => child(input) * 10.0,
        Plan::ProcedureCall { input, call } if !call.procedure.signature().is_void() => child(input) * 10.0,
        Plan::Union { inputs, .. } => inputs.iter().map(child).sum(),
        // The part of the node's rows that the filter gives.
        Plan::SemiJoin { input, filter, .. } => {
            let all: f64 = catalog.node_tables.iter().map(|t| t.rows as f64).sum();
            child(input) * (child(filter) / scanned_rows(filter, catalog).unwrap_or(all).max(1.0)).min(1.0)
        }
        Plan::HashJoin { left, right, on } => {
            let product = child(left) * child(right);
            if on.is_empty() { product } else { product.sqrt() }
        }
        Plan::Apply { input, subplan, kind } => match kind {
            trimorph_algebra::ApplyKind::Inner => child(input) * child(subplan).max(0.1),
            trimorph_algebra::ApplyKind::Optional => child(input) * child(subplan).max(1.0),
            trimorph_algebra::ApplyKind::Semi | trimorph_algebra::ApplyKind::Anti => child(input) * 0.5,
            _ => child(input),
        },
        other => other.children().first().map_or(1.0, |c| child(c)),
    }
}

/// Rows of the tables that a plan starts from scanning, if it does.
fn scanned_rows(plan: &Plan, catalog: &Catalog) -> Option<f64> {
    match plan {
        Plan::NodeScan(scan) => Some(rows_of(catalog, &scan.tables)),
        other => other.children().first().and_then(|c| scanned_rows(c, catalog)),
    }
}
