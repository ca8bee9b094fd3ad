//! `OPTIONAL MATCH` below a grouping, as `MATCH (p:Person) OPTIONAL MATCH (p)<-[:HAS_CREATOR]-(m) RETURN p,
//! count(m), max(m.length)`: the groups of the rows that match and those of the rows that do not are made for
//! themselves, and merged. So what matches is one pattern, that is planned from wherever it is least work.
//!
//! Where what comes before is a scan of nodes, each of which has several matches on the mean, of one edge:
//! whether a node has any is asked once more, and of longer patterns that takes as long as to match them. And
//! where aggregates are null without a match, or can be merged.

use trimorph_algebra::{
    Aggregate, AggregateKind, ApplyKind, EdgeRange, Expr, Op, Plan, QueryGraph, VarId, Vars,
};
use trimorph_types::{LogicalType, Value};

use crate::count_optional::counts_only;
use crate::degrees::degree;
use crate::merging::{merged, of_parts};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::selectivity::{Statistics, anchors};
use crate::tables::tables_of;
use crate::{Halt, VarSet, calls_volatile, conjuncts, vars_of};

/// Matches of a node on the mean from which on the groups are made apart.
const MATCHES_MIN: f64 = 4.0;

/// The pass.
pub(crate) fn optional_groups(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let known = planning.statistics();
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = plan else { return Ok(plan) };
        Ok(match *input {
            Plan::Apply { input: nodes, subplan, kind: ApplyKind::Optional }
                if !counts_only(&nodes, &subplan, &keys, &aggregates)
                    && are_many(&nodes, &subplan, known)
                    && can_be_merged(&nodes, &subplan, &keys, &aggregates) =>
            {
                apart(&nodes, &subplan, &keys, &aggregates, vars)
            }
            other => Plan::Aggregate { input: Box::new(other), keys, aggregates },
        })
    })
}

/// The pattern of a plan that is one, with the filters above it; none where it has other rows to begin with
/// than `begin` says.
fn pattern(mut plan: &Plan, begin: fn(&Plan) -> bool) -> Option<QueryGraph> {
    let mut predicates = Vec::new();
    loop {
        plan = match plan {
            Plan::Filter { input, predicate } => {
                conjuncts(predicate.clone(), &mut predicates);
                input
            }
            Plan::Match { input, graph } if begin(input) => {
                let mut graph = graph.clone();
                graph.predicates.extend(predicates);
                return (!graph.predicates.iter().any(calls_volatile)).then_some(graph);
            }
            _ => return None,
        }
    }
}

/// Whether all nodes of a scan, none of them picked, have several matches each on the mean.
fn are_many(nodes: &Plan, subplan: &Plan, known: Statistics<'_>) -> bool {
    let Some(scan) = pattern(nodes, |begin| matches!(begin, Plan::Unit)) else { return false };
    let Some(matched) = pattern(subplan, |begin| matches!(begin, Plan::Argument(_))) else { return false };
    let ([node], []) = (&scan.nodes[..], &scan.edges[..]) else { return false };
    if anchors(known, &scan, &tables_of(known.catalog, &scan)).next().is_some() {
        return false;
    }
    let mut whole = matched.clone();
    if !whole.nodes.iter().any(|own| own.var == node.var) {
        return false;
    }
    whole.nodes.extend(scan.nodes.iter().filter(|own| own.var != node.var).cloned());
    let tables = tables_of(known.catalog, &whole);
    let of = |var: VarId| tables.get(&var).map_or(&[][..], Vec::as_slice);
    let [edge] = &matched.edges[..] else { return false };
    let (from, to) = (of(edge.from), of(edge.to));
    let matches = match (edge.from == node.var, edge.to == node.var) {
        (true, false) => degree(known.catalog, edge, from, to, false),
        (false, true) => degree(known.catalog, edge, to, from, true),
        _ => 0.0,
    };
    edge.range == EdgeRange::One && matches >= MATCHES_MIN
}

/// What an aggregate of rows without a match is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Without {
    /// Of nothing: its argument is null there.
    Nothing,
    /// As that of other rows.
    Rows,
}

/// How an aggregate is merged; none where it cannot be.
fn without(aggregate: &Aggregate, found: &VarSet) -> Option<Without> {
    use AggregateKind as K;
    let is_of_nothing = aggregate.arg.as_ref().is_some_and(|arg| is_null_without(arg, found));
    let parted = matches!(aggregate.kind, K::Count | K::Sum | K::Avg | K::Min | K::Max);
    match is_of_nothing && parted && aggregate.parameter.is_none() {
        true => Some(Without::Nothing),
        false => merged(aggregate).map(|_| Without::Rows),
    }
}

/// Whether an expression is null where these variables are.
fn is_null_without(expr: &Expr, found: &VarSet) -> bool {
    match expr {
        Expr::Var(var) => found.contains(var),
        Expr::Property(base, _, _) => is_null_without(base, found),
        Expr::Op(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Neg, args, _) => {
            args.iter().any(|arg| is_null_without(arg, found))
        }
        _ => false,
    }
}

/// What the optional match finds.
fn found(nodes: &Plan, subplan: &Plan) -> VarSet {
    let before: VarSet = nodes.vars().into_iter().collect();
    subplan.vars().into_iter().filter(|var| !before.contains(var)).collect()
}

fn can_be_merged(
    nodes: &Plan,
    subplan: &Plan,
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
) -> bool {
    let found = found(nodes, subplan);
    let args = aggregates.iter().filter_map(|(_, aggregate)| aggregate.arg.as_ref());
    !keys.iter().map(|(_, key)| key).chain(args).any(calls_volatile)
        && aggregates.iter().all(|(_, aggregate)| without(aggregate, &found).is_some())
}

/// The groups of both kinds of rows, merged.
fn apart(
    nodes: &Plan,
    subplan: &Plan,
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
    vars: &mut Vars,
) -> Plan {
    let found = found(nodes, subplan);
    let parts: Vec<VarId> = keys.iter().map(|_| vars.anonymous(LogicalType::Any)).collect();
    let partial: Vec<VarId> = aggregates.iter().map(|_| vars.anonymous(LogicalType::Any)).collect();
    let own_keys = || parts.iter().copied().zip(keys.iter().map(|(_, key)| key.clone())).collect();
    let matching = Plan::Aggregate {
        input: Box::new(beginning_at(subplan, nodes)),
        keys: own_keys(),
        aggregates: partial.iter().copied().zip(aggregates.iter().map(|(_, a)| a.clone())).collect(),
    };
    // What a match would have found is null.
    let mut asked = vars_of(keys.iter().map(|(_, key)| key));
    asked.extend(vars_of(aggregates.iter().filter_map(|(_, aggregate)| aggregate.arg.as_ref())));
    let nulls = found.intersection(&asked).map(|var| (*var, Expr::Const(Value::Null))).collect();
    let of_rows = |aggregate: &Aggregate| match without(aggregate, &found) {
        Some(Without::Rows) => aggregate.clone(),
        _ => Aggregate {
            kind: AggregateKind::Max,
            arg: Some(Expr::Const(Value::Null)),
            distinct: false,
            ..aggregate.clone()
        },
    };
    let others = Plan::Apply {
        input: Box::new(nodes.clone()),
        subplan: Box::new(subplan.clone()),
        kind: ApplyKind::Anti,
    };
    let others = Plan::Aggregate {
        input: Box::new(Plan::Extra { input: Box::new(others), items: nulls }),
        keys: own_keys(),
        aggregates: partial.iter().copied().zip(aggregates.iter().map(|(_, a)| of_rows(a))).collect(),
    };
    let whole = |(result, aggregate): &(VarId, Aggregate), part: VarId| {
        let merged = match (without(aggregate, &found), aggregate.kind) {
            // There is one value at most.
            (Some(Without::Nothing), AggregateKind::Count | AggregateKind::Sum) => AggregateKind::Sum,
            (Some(Without::Nothing), AggregateKind::Avg) => AggregateKind::Max,
            _ => of_parts(aggregate, part).kind,
        };
        let aggregate = Aggregate { distinct: false, ..aggregate.clone() };
        (*result, Aggregate { kind: merged, arg: Some(Expr::Var(part)), ..aggregate })
    };
    Plan::Aggregate {
        input: Box::new(Plan::Union {
            inputs: vec![matching, others],
            vars: parts.iter().chain(&partial).copied().collect(),
        }),
        keys: keys.iter().zip(&parts).map(|((key, _), part)| (*key, Expr::Var(*part))).collect(),
        aggregates: aggregates.iter().zip(&partial).map(|(whole_of, part)| whole(whole_of, *part)).collect(),
    }
}

/// A subplan of filters and a pattern whose rows to begin with are these.
fn beginning_at(subplan: &Plan, rows: &Plan) -> Plan {
    match subplan {
        Plan::Filter { input, predicate } => {
            Plan::Filter { input: Box::new(beginning_at(input, rows)), predicate: predicate.clone() }
        }
        Plan::Match { graph, .. } => Plan::Match { input: Box::new(rows.clone()), graph: graph.clone() },
        other => other.clone(),
    }
}
