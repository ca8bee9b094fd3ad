//! The part of nodes, or of relationships, that a predicate lets through, from the catalog's statistics.
//!
//! A condition on values is answered by the store's estimator, which tries it on a sample; distinct counts
//! and ranges stand in where there is none or the value is a parameter.
//!
//! Source: Poseidon §6 (distinct counts, characteristic sets); the usual uniformity assumptions where nothing
//! is known.

use std::collections::{BTreeMap, HashSet};

use trimorph_algebra::{Expr, Op, QueryGraph, VarId};
use trimorph_base::TableId;
use trimorph_catalog::{CatalogView, PropertyStats};
use trimorph_types::Value;

use crate::counted::Of;
use crate::lookups::lookup_of;
use crate::moments::moment;
use crate::samples::Samples;
use crate::{VarSet, vars_of};

/// Part of rows an unknown equality lets through.
const EQUALITY: f64 = 0.01;
/// Elements of an unknown list.
const ELEMENTS: f64 = 10.0;
/// Part of rows an unknown range lets through.
pub(crate) const RANGE: f64 = 0.3;
/// Part of rows any other predicate lets through.
const OTHER: f64 = 0.5;
/// Part of rows whose property differs from one value.
const DIFFERENT: f64 = 0.9;
/// Part of rows a condition on a text lets through.
const TEXT: f64 = 0.1;
/// Values of a list up to which each is looked for in a sample.
const SAMPLED_ITEMS: usize = 16;
/// Part of rows the negation of a predicate lets through at least: what is known of that is a guess, too.
const NEGATION_MIN: f64 = 0.05;

/// Part of a node's rows below which a predicate makes it an anchor.
const ANCHOR: f64 = 0.02;

/// Part of rows that a range lets through at least of which a sample finds none.
const RANGE_MIN: f64 = 0.0005;
/// How much the parts of the two ends of a range may be less than all together, samples being what they are.
const APART: f64 = -0.05;

/// Properties of one node that are looked for in characteristic sets together: more make no difference that
/// matters.
const TOGETHER_MAX: usize = 64;

/// What estimates are made from.
#[derive(Clone, Copy)]
pub(crate) struct Statistics<'a> {
    pub(crate) catalog: &'a CatalogView<'a>,
    pub(crate) samples: &'a Samples<'a>,
}

/// Whether some node of a pattern is one of few.
pub(crate) fn is_anchored(known: Statistics<'_>, graph: &QueryGraph) -> bool {
    anchors(known, graph, &graph.tables).next().is_some()
}

/// The nodes of a pattern that are one of few by what is asked of them alone; `tables` are those they can be
/// in.
pub(crate) fn anchors<'g>(
    known: Statistics<'g>,
    graph: &'g QueryGraph,
    tables: &'g BTreeMap<VarId, Vec<TableId>>,
) -> impl Iterator<Item = VarId> + use<'g> {
    let nodes: HashSet<VarId> = graph.nodes.iter().map(|n| n.var).collect();
    graph.predicates.iter().filter_map(move |predicate| {
        let vars = vars_of([predicate]);
        let var = vars.first().filter(|v| vars.len() == 1 && nodes.contains(v))?;
        let own = tables.get(var).map_or(&[][..], Vec::as_slice);
        let is_one_of_few = selectivity(known, predicate, *var, Of::Nodes(own)) < ANCHOR
            || lookup_of(known.catalog, predicate, *var, own, &VarSet::new()).is_some_and(|l| l.is_of_one());
        is_one_of_few.then_some(*var)
    })
}

impl Statistics<'_> {
    /// The value of a constant, of a point in time as it is written, or of a parameter as it is now. One that
    /// is null lets nothing through and says nothing of the values that the plan is kept for.
    pub(crate) fn value(&self, expr: &Expr) -> Option<Value> {
        match expr {
            Expr::Const(value) => Some(value.clone()),
            Expr::Param(name) => self.samples.parameter(name).filter(|value| !value.is_null()),
            other => moment(other, &|leaf| self.value(leaf)),
        }
    }
}

impl Statistics<'_> {
    /// How many rows of some tables have the same value of a property, on average.
    pub(crate) fn rows_by_value(&self, tables: &[TableId], name: &str) -> f64 {
        let each = Of::Nodes(tables)
            .stats(self.catalog, name)
            .into_iter()
            .map(|(stats, rows)| (rows - stats.nulls as f64).max(0.0) / stats.distinct.max(1) as f64);
        each.sum::<f64>().max(1.0)
    }

    /// How many elements a list has.
    pub(crate) fn elements(&self, list: &Expr) -> f64 {
        match (list, self.value(list)) {
            (Expr::List(items), _) => items.len() as f64,
            (_, Some(Value::List(items))) => items.len() as f64,
            _ => ELEMENTS,
        }
    }
}

/// The part of nodes or relationships that a predicate on one of them lets through.
pub(crate) fn selectivity(known: Statistics<'_>, predicate: &Expr, var: VarId, of: Of<'_>) -> f64 {
    let catalog = known.catalog;
    match predicate {
        Expr::Op(op @ (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge), args, _) => {
            let [a, b] = &args[..] else { return OTHER };
            for (side, other, op) in [(a, b, *op), (b, a, op.swapped())] {
                if let Expr::Property(base, name, _) = side
                    && matches!(&**base, Expr::Var(v) if *v == var)
                {
                    let stats = of.stats(catalog, name);
                    let rows: f64 = of.rows(catalog).max(1.0);
                    if let Some(value) = known.value(other)
                        && let Some(passing) = known.samples.rows(of, name, op, &value)
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
            [item, list @ Expr::Property(..)] if let Some(item) = known.value(item) => {
                part(known, list, Op::In, &item, var, of).unwrap_or(EQUALITY * 10.0)
            }
            [property @ Expr::Property(_, name, _), list] => {
                if let Some(parts) = equal_parts(known, property, list, var, of) {
                    return parts.into_iter().sum::<f64>().clamp(1e-9, 1.0);
                }
                let n = known.elements(list);
                let distinct: f64 = of.stats(catalog, name).iter().map(|(s, _)| s.distinct as f64).sum();
                (n / distinct.max(1.0)).clamp(1e-9, 1.0)
            }
            _ => EQUALITY * 10.0,
        },
        Expr::Op(Op::And, parts, _) => joint_selectivity(known, &parts.iter().collect::<Vec<_>>(), var, of),
        Expr::Op(Op::Or, parts, _) => {
            parts.iter().map(|p| selectivity(known, p, var, of)).sum::<f64>().min(1.0)
        }
        Expr::Op(op @ (Op::StartsWith | Op::Contains | Op::EndsWith), args, _) => match &args[..] {
            [property, text] => {
                known.value(text).and_then(|text| part(known, property, *op, &text, var, of)).unwrap_or(TEXT)
            }
            _ => TEXT,
        },
        Expr::Op(Op::Regex, _, _) => TEXT,
        Expr::Op(Op::IsNotNull, args, _) => match &args[..] {
            [Expr::Property(_, name, _)] => of.presence(catalog, &[name]),
            _ => 0.9,
        },
        Expr::Op(Op::IsNull, args, _) => match &args[..] {
            [Expr::Property(_, name, _)] => 1.0 - of.presence(catalog, &[name]),
            _ => 0.1,
        },
        Expr::Op(Op::Ne, args, _) => match &args[..] {
            [property @ Expr::Property(_, name, _), other] => {
                let equal =
                    known.value(other).and_then(|value| part(known, property, Op::Eq, &value, var, of));
                equal.map_or(DIFFERENT, |equal| {
                    (of.presence(catalog, &[name]) - equal).clamp(NEGATION_MIN, 1.0)
                })
            }
            _ => DIFFERENT,
        },
        Expr::Property(..) => is_part(known, predicate, true, var, of).unwrap_or(OTHER),
        Expr::Op(Op::Not, args, _) => match &args[..] {
            [not] => is_part(known, not, false, var, of)
                .unwrap_or_else(|| (1.0 - selectivity(known, not, var, of)).clamp(NEGATION_MIN, 1.0)),
            _ => OTHER,
        },
        _ => OTHER,
    }
}

/// The part of which a property is a truth value, this one, as far as a sample tells.
fn is_part(known: Statistics<'_>, property: &Expr, value: bool, var: VarId, of: Of<'_>) -> Option<f64> {
    part(known, property, Op::Eq, &Value::Bool(value), var, of)
}

/// The part whose property compares so with a value, as far as a sample tells.
fn part(
    known: Statistics<'_>,
    property: &Expr,
    op: Op,
    value: &Value,
    var: VarId,
    of: Of<'_>,
) -> Option<f64> {
    let Expr::Property(base, name, _) = property else { return None };
    if !matches!(**base, Expr::Var(v) if v == var) {
        return None;
    }
    let passing = known.samples.rows(of, name, op, value)?;
    Some((passing / of.rows(known.catalog).max(1.0)).clamp(1e-9, 1.0))
}

/// The parts whose property is equal to one value of a short list each, as far as samples tell.
fn equal_parts(
    known: Statistics<'_>,
    property: &Expr,
    list: &Expr,
    var: VarId,
    of: Of<'_>,
) -> Option<Vec<f64>> {
    let values = match (list, known.value(list)) {
        (_, Some(Value::List(items))) if items.len() <= SAMPLED_ITEMS => items.to_vec(),
        (Expr::List(items), _) if items.len() <= SAMPLED_ITEMS => {
            items.iter().map(|item| known.value(item)).collect::<Option<_>>()?
        }
        _ => return None,
    };
    values.iter().map(|value| part(known, property, Op::Eq, value, var, of)).collect()
}

/// The part of nodes or relationships that all of these predicates on one of them let through.
pub(crate) fn joint_selectivity(known: Statistics<'_>, predicates: &[&Expr], var: VarId, of: Of<'_>) -> f64 {
    let mut joint = Joint::new(known, var);
    for predicate in predicates {
        joint.add(predicate, selectivity(known, predicate, var, of));
    }
    joint.part(of)
}

/// The part that several predicates on one node or relationship let through together. They are taken as
/// independent, but for which properties a node has at all, which is counted, together, in the characteristic
/// sets; and for the two ends of a range, `x >= 3 AND x < 5`: what both leave is what each leaves, less all.
pub(crate) struct Joint<'e, 'k> {
    known: Statistics<'k>,
    var: VarId,
    part: f64,
    /// Properties without which the predicates cannot be true.
    properties: Vec<&'e str>,
    /// The parts above the low end, and below the high end, of ranges of a property.
    ranges: Vec<(&'e str, [Option<f64>; 2])>,
}

impl<'e, 'k> Joint<'e, 'k> {
    pub(crate) fn new(known: Statistics<'k>, var: VarId) -> Self {
        Self { known, var, part: 1.0, properties: Vec::new(), ranges: Vec::new() }
    }

    /// Adds a predicate, and the part that it lets through by itself.
    pub(crate) fn add(&mut self, predicate: &'e Expr, part: f64) {
        if self.properties.len() < TOGETHER_MAX
            && let Some(name) = required_property(predicate, self.var)
            && !self.properties.contains(&name)
        {
            self.properties.push(name);
        }
        let Some((name, end)) = self.end_of(predicate) else {
            self.part *= part;
            return;
        };
        let place = self.ranges.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.ranges.push((name, [None; 2]));
            self.ranges.len() - 1
        });
        let known = &mut self.ranges[place].1[end];
        *known = Some(known.map_or(part, |other| other.min(part)));
    }

    /// The property of which a predicate gives an end, 0 for the low one, whose value is known.
    fn end_of(&self, predicate: &'e Expr) -> Option<(&'e str, usize)> {
        let Expr::Op(op @ (Op::Lt | Op::Le | Op::Gt | Op::Ge), args, _) = predicate else { return None };
        let [a, b] = &args[..] else { return None };
        let name = |side: &'e Expr| match side {
            Expr::Property(base, name, _) if matches!(**base, Expr::Var(v) if v == self.var) => Some(&**name),
            _ => None,
        };
        let (name, op, value) = match (name(a), name(b)) {
            (Some(name), None) => (name, *op, b),
            (None, Some(name)) => (name, op.swapped(), a),
            _ => return None,
        };
        self.known.value(value)?;
        Some((name, usize::from(matches!(op, Op::Lt | Op::Le))))
    }

    /// The part that all let through.
    pub(crate) fn part(self, of: Of<'_>) -> f64 {
        let (catalog, mut part) = (self.known.catalog, self.part);
        for (name, ends) in self.ranges {
            part *= match ends {
                [Some(above), Some(below)] => {
                    let between = above + below - of.presence(catalog, &[name]);
                    // Ends that are far from meeting are guesses, or nothing passes.
                    if between < APART { above * below } else { between.max(RANGE_MIN) }
                }
                ends => ends.into_iter().flatten().product(),
            };
        }
        if self.properties.len() > 1 {
            let alone: f64 = self.properties.iter().map(|p| of.presence(catalog, &[p])).product();
            part *= of.presence(catalog, &self.properties) / alone.max(1e-9);
        }
        part.clamp(1e-9, 1.0)
    }
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
