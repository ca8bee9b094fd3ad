//! A subquery that is run for each row, `MATCH (p:Person) CALL (p) { MATCH (p)<-[:HAS_CREATOR]-(m) RETURN m
//! ORDER BY m.date DESC LIMIT 3 }`, becomes part of the query: one pattern, whose rows are told apart by the
//! row that they are of. It is then planned as a whole, and run for many rows at once.
//!
//! 1. Where the subquery starts from its row, it starts from all rows.
//! 2. What it groups by, or keeps once, is that for each row: `count(*)` by `q.gender` is one by `p,
//!    q.gender`.
//! 3. The first rows of an order are those of each row.
//! 4. What aggregates all that a pattern finds, and gives a row also where that is nothing, aggregates what
//!    an optional match finds, by row.
//!
//! Invariant: rows of the outer query are told apart by some of their variables (its nodes and relationships,
//! or what it was grouped by), else two equal ones would share what each is to have. What stays as it is:
//! what changes the graph or draws lots; what has nothing to do with its row but that it is compared with it.
//!
//! Source: Neumann and Kemper, "Unnesting Arbitrary Queries", BTW 2015.

use trimorph_algebra::{
    Aggregate, AggregateKind, ApplyKind, Direction, EdgeRange, Expr, GroupLimit, Op, Plan, QueryGraph,
    SortKey, VarId,
};
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile, vars_of};

/// Rows of each row up to which it pays to know the worst of them. Chosen; beyond, each row is asked.
const COUNT_MAX: u32 = 1_000;
/// Variables that tell rows apart, at most: each is a key. Chosen.
const KEYS_MAX: usize = 8;

/// The pass.
pub(crate) fn call_groups(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, needed| {
        let Plan::Apply { input, subplan, kind: ApplyKind::Inner } = plan else { return Ok(plan) };
        let groups = told_apart(&input)
            .filter(|keys| (1..=KEYS_MAX).contains(&keys.len()))
            .filter(|_| !input.updates())
            .map(|keys| {
                let has = input.vars();
                let mut kept = keys.clone();
                kept.extend(has.into_iter().filter(|var| needed.contains(var) && !keys.contains(var)));
                Groups { keys, kept }
            });
        let outer: VarSet = input.vars().into_iter().collect();
        Ok(match groups {
            Some(groups) if can_be_grouped(&subplan) && is_tied(&subplan, &outer, true) => {
                groups.within(*subplan, &mut Some(*input))
            }
            Some(groups) => match aggregated_alone(&subplan, &outer) {
                Some(found) => groups.beside_all(*subplan, input, found),
                None => Plan::Apply { input, subplan, kind: ApplyKind::Inner },
            },
            None => Plan::Apply { input, subplan, kind: ApplyKind::Inner },
        })
    })
}

/// Of a subplan that aggregates all that a pattern finds for its row, and gives one row: a variable that is
/// in each match and in nothing else.
fn aggregated_alone(mut plan: &Plan, outer: &VarSet) -> Option<VarId> {
    let mut is_volatile = false;
    let mut look = |plan: &Plan| plan.for_each_expr(&mut |expr| is_volatile |= calls_volatile(expr));
    while let Plan::Project { input, .. } = plan {
        look(plan);
        plan = input;
    }
    look(plan);
    let Plan::Aggregate { input, keys, aggregates } = plan else { return None };
    // A count alone becomes `COUNT { … }`, which is counted without being found.
    let is_count =
        |a: &Aggregate| matches!(a.kind, AggregateKind::CountStar | AggregateKind::Count) && !a.distinct;
    if matches!(&aggregates[..], [(_, one)] if is_count(one)) {
        return None;
    }
    let is_fixed = |a: &Aggregate| matches!(a.parameter, None | Some(Expr::Const(_) | Expr::Param(..)));
    // What hangs on the row by equal values is aggregated by these values (`join_groups`).
    if !keys.is_empty() || !aggregates.iter().all(|(_, a)| is_fixed(a)) || !is_tied(input, outer, false) {
        return None;
    }
    let (mut below, mut found) = (&**input, None);
    loop {
        look(below);
        below = match below {
            Plan::Argument(_) => break,
            Plan::RangeJoin { right, .. } => {
                found = found.or(right.vars().into_iter().find(|var| !outer.contains(var)));
                break;
            }
            Plan::Filter { input, .. } => input,
            Plan::Match { input, graph } => {
                // What is searched for from one node to another is searched for from each row.
                if graph.edges.iter().any(|edge| edge.range != EdgeRange::One) || !graph.paths.is_empty() {
                    return None;
                }
                let own = graph.nodes.iter().map(|node| node.var).find(|var| !outer.contains(var));
                found = found.or(own);
                input
            }
            _ => return None,
        };
    }
    found.filter(|_| !is_volatile)
}

/// Variables by which no two rows are equal, where some are known. Rows in an order stay in it, and of a few
/// rows each can be asked for itself.
pub(crate) fn told_apart(plan: &Plan) -> Option<Vec<VarId>> {
    match plan {
        Plan::Match { input, graph } if matches!(**input, Plan::Unit) => told_apart_in(graph),
        Plan::Filter { input, .. } | Plan::Extra { input, .. } => told_apart(input),
        Plan::Project { input, items } => {
            let renamed = |var: VarId| {
                let is_it = |expr: &Expr| matches!(expr, Expr::Var(own) if *own == var);
                items.iter().find(|(_, expr)| is_it(expr)).map(|(item, _)| *item)
            };
            told_apart(input)?.into_iter().map(renamed).collect()
        }
        Plan::Aggregate { keys, .. } => Some(keys.iter().map(|(var, _)| *var).collect()),
        Plan::Distinct { vars, .. } => Some(vars.clone()),
        _ => None,
    }
}

/// The relationships of a pattern, and the nodes that are not told by these: a relationship that is followed
/// one way has two nodes. A walk is a list of relationships, or reaches a node once.
fn told_apart_in(graph: &QueryGraph) -> Option<Vec<VarId>> {
    let is_step = graph.edges.iter().all(|edge| edge.range == EdgeRange::One);
    let one_way = graph.edges.iter().filter(|edge| edge.direction != Direction::Both);
    let told: VarSet = one_way.flat_map(|edge| [edge.from, edge.to]).collect();
    let nodes = graph.nodes.iter().map(|node| node.var).filter(|node| !told.contains(node));
    let all = nodes.chain(graph.edges.iter().map(|edge| edge.var));
    is_step.then(|| all.collect())
}

/// Whether a subplan gives the same where it is run for all rows together, and told apart.
fn can_be_grouped(mut plan: &Plan) -> bool {
    let (mut asks, mut is_cut, mut steps) = (false, false, 0);
    loop {
        let mut is_volatile = false;
        plan.for_each_expr(&mut |expr| is_volatile |= calls_volatile(expr));
        if is_volatile {
            return false;
        }
        plan = match plan {
            // Without a pattern there is nothing that is found for many at once. Of what is several steps
            // away there may be far more than first rows: forty million were sorted where each row had kept
            // one.
            Plan::Argument(_) => return asks && (!is_cut || steps <= 1),
            // Of what lies within bounds, no more than is wanted is given (`bounded_calls`).
            Plan::RangeJoin { .. } => return true,
            Plan::Match { input, graph } => {
                asks = true;
                steps += graph.edges.len();
                // What is searched for from one node to another is searched for from each row.
                if graph.edges.iter().any(|edge| edge.range != EdgeRange::One) || !graph.paths.is_empty() {
                    return false;
                }
                input
            }
            Plan::Filter { input, .. }
            | Plan::Project { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Unwind { input, .. }
            | Plan::Distinct { input, .. } => input,
            Plan::Aggregate { input, keys, .. } if !keys.is_empty() => input,
            Plan::Limit { .. } => match first_rows(plan) {
                Some((input, ..)) => {
                    is_cut = true;
                    input
                }
                None => return false,
            },
            _ => return false,
        };
    }
}

/// Whether all that the patterns of a subplan find hangs on its row: by relationships, or `by_value`, by
/// values that are equal. What is only compared with it, as the last rate before a day, is looked for row by
/// row: rows that are led by an order need not read all, and all pairs may be very many.
fn is_tied(mut plan: &Plan, outer: &VarSet, by_value: bool) -> bool {
    let mut parts: Vec<VarSet> = Vec::new();
    let mut conditions: Vec<&Expr> = Vec::new();
    loop {
        plan = match plan {
            Plan::Match { input, graph } => {
                parts.extend(graph.nodes.iter().map(|node| VarSet::from([node.var])));
                parts.extend(graph.edges.iter().map(|edge| VarSet::from([edge.from, edge.to, edge.var])));
                conditions.extend(&graph.predicates);
                input
            }
            Plan::Filter { input, predicate } => {
                conditions.push(predicate);
                input
            }
            other => match other.children()[..] {
                [input] => input,
                _ => break,
            },
        };
    }
    // Both sides of an equality are found by each other.
    let sides = |condition: &Expr| match condition {
        Expr::Op(Op::Eq, sides, _) => Some(sides.iter().map(|side| vars_of([side])).collect::<Vec<_>>()),
        _ => None,
    };
    let equal: Vec<Vec<VarSet>> = conditions.into_iter().filter_map(sides).collect();
    let mut tied = outer.clone();
    loop {
        let before = parts.len();
        parts.retain(|part| {
            let meets = part.iter().any(|var| tied.contains(var));
            let is_equal = |sides: &Vec<VarSet>| match &sides[..] {
                [a, b] => [(a, b), (b, a)].iter().any(|(own, other)| {
                    !own.is_disjoint(part)
                        && own.is_subset(part)
                        && other.is_subset(&tied)
                        && !other.is_empty()
                }),
                _ => false,
            };
            let is_tied = meets || by_value && equal.iter().any(is_equal);
            if is_tied {
                tied.extend(part);
            }
            !is_tied
        });
        if parts.is_empty() {
            return true;
        }
        if parts.len() == before {
            return false;
        }
    }
}

/// Makes an aggregate leave out rows for which nothing was found: what it takes is null there.
fn if_found(aggregate: &mut Aggregate, found: VarId, outer: &VarSet) {
    match aggregate.arg.take() {
        None => {
            aggregate.kind = AggregateKind::Count;
            aggregate.arg = Some(Expr::Var(found));
        }
        Some(arg) => {
            let is_found = |expr: &Expr| matches!(expr, Expr::Var(var) if !outer.contains(var));
            let is_null = is_found(&arg) || matches!(&arg, Expr::Property(base, ..) if is_found(base));
            aggregate.arg = Some(if is_null {
                arg
            } else {
                let is_there = Expr::op(Op::IsNotNull, vec![Expr::Var(found)]);
                Expr::Case { branches: vec![(is_there, arg)], otherwise: Box::new(Expr::Const(Value::Null)) }
            });
        }
    }
}

/// What is ordered, by what, and how many rows of it are given.
pub(crate) fn first_rows(plan: &Plan) -> Option<(&Plan, &[SortKey], u32)> {
    let Plan::Limit { input, count: Expr::Const(Value::Int(count)) } = plan else { return None };
    let Plan::Sort { input, keys, limit: Some(Expr::Const(Value::Int(limit))), of_group: None } = &**input
    else {
        return None;
    };
    let count = u32::try_from(*count).ok().filter(|count| (1..=COUNT_MAX).contains(count))?;
    let is_fixed = i64::from(count) == *limit && !keys.iter().any(|key| calls_volatile(&key.expr));
    is_fixed.then_some((input, keys, count))
}

/// What rows are told apart by, and what is looked at of them: the former are the first of the latter.
struct Groups {
    keys: Vec<VarId>,
    kept: Vec<VarId>,
}

impl Groups {
    /// A subplan that aggregates what it finds for its row, as an aggregation by rows of all that an optional
    /// match finds; `found` is there where it found something.
    fn beside_all(&self, plan: Plan, rows: Box<Plan>, found: VarId) -> Plan {
        match plan {
            Plan::Project { input, mut items } => {
                let has: Vec<VarId> = items.iter().map(|(var, _)| *var).collect();
                let more = self.kept.iter().filter(|var| !has.contains(var));
                items.extend(more.map(|var| (*var, Expr::Var(*var))));
                Plan::Project { input: Box::new(self.beside_all(*input, rows, found)), items }
            }
            Plan::Aggregate { input: subplan, mut aggregates, .. } => {
                let outer: VarSet = rows.vars().into_iter().collect();
                for (_, aggregate) in &mut aggregates {
                    if_found(aggregate, found, &outer);
                }
                let keys = self.kept.iter().map(|var| (*var, Expr::Var(*var))).collect();
                let input = Box::new(Plan::Apply { input: rows, subplan, kind: ApplyKind::Optional });
                Plan::Aggregate { input, keys, aggregates }
            }
            other => other,
        }
    }

    /// The subplan over all rows of the outer query, which are put where it starts.
    fn within(&self, plan: Plan, rows: &mut Option<Plan>) -> Plan {
        let mut below = |input: Box<Plan>| Box::new(self.within(*input, rows));
        let beside = |vars: &[VarId]| -> Vec<VarId> {
            self.kept.iter().copied().filter(|var| !vars.contains(var)).collect()
        };
        let carried = |items: &mut Vec<(VarId, Expr)>| {
            let has: Vec<VarId> = items.iter().map(|(var, _)| *var).collect();
            items.extend(beside(&has).into_iter().map(|var| (var, Expr::Var(var))));
        };
        if let Some((_, _, count)) = first_rows(&plan) {
            let Plan::Limit { input: sort, .. } = plan else { return plan };
            let Plan::Sort { input, keys, .. } = *sort else { return *sort };
            let exprs: Vec<Expr> = self.keys.iter().map(|var| Expr::Var(*var)).collect();
            let own = exprs.iter().map(|expr| SortKey { expr: expr.clone(), descending: false });
            let keys = own.chain(keys).collect();
            let (first_key, present) = (exprs.len(), Vec::new());
            let of_group = GroupLimit { keys: exprs, first: count, last: 0, present, exact: true, first_key };
            return Plan::Sort { input: below(input), keys, limit: None, of_group: Some(of_group) };
        }
        match plan {
            Plan::Argument(_) => rows.take().unwrap_or(plan),
            Plan::Match { input, graph } => Plan::Match { input: below(input), graph },
            Plan::RangeJoin { left, right, on, band } => {
                Plan::RangeJoin { left: below(left), right, on, band }
            }
            Plan::Filter { input, predicate } => Plan::Filter { input: below(input), predicate },
            Plan::Extra { input, items } => Plan::Extra { input: below(input), items },
            Plan::Unwind { input, list, var } => Plan::Unwind { input: below(input), list, var },
            Plan::Project { input, mut items } => {
                carried(&mut items);
                Plan::Project { input: below(input), items }
            }
            Plan::Distinct { input, mut vars } => {
                vars.extend(beside(&vars));
                Plan::Distinct { input: below(input), vars }
            }
            Plan::Aggregate { input, mut keys, aggregates } => {
                carried(&mut keys);
                Plan::Aggregate { input: below(input), keys, aggregates }
            }
            other => other,
        }
    }
}
