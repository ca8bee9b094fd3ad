//! Takes a scan of nodes, their relationships in both directions, `(a)-[t:TRANSFER]-(b)`, and a condition on
//! these that few pass, gives those that lead out and those that lead in.
//!
//! From where a relationship leads to, its properties lie anywhere, and each is a jump: 26 ns against 3 where
//! lists are read from their sources, one after the other. A relationship from a node to itself is one row:
//! it is left out of those that lead in.
//!
//! Source: access by relation, Poseidon §6.

use trimorph_algebra::{Direction, Expr, Extend, LabelExpr, NodeScan, Op, Plan, VarId};
use trimorph_base::TableId;

use crate::cannot_fail::cannot_fail;
use crate::counted::Of;
use crate::degrees::rows_of;
use crate::estimate::Estimate;
use crate::expressions::{conjunction, conjuncts};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::selectivity::joint_selectivity;
use crate::{Halt, calls_volatile, vars_of};

/// The part of all relationships that may pass: rows that pass are put together one by one, where lists would
/// leave as they lie.
const PASSING_MAX: f64 = 0.4;
/// One of so many nodes of the scan must be there: of few the lists are shorter than all relationships.
const NODES_PART: f64 = 4.0;

/// The pass.
pub(crate) fn scan_both_ways(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let needed = planning.needed.clone();
    bottom_up(plan, &needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Filter { input, predicate } => match *input {
                Plan::Extend { input, step } if step.direction == Direction::Both => {
                    apart(input, step, predicate, planning)
                }
                other => Plan::Filter { input: Box::new(other), predicate },
            },
            other => other,
        })
    })
}

/// The nodes that a plan scans, and what is asked of them.
fn scan_of(plan: &Plan) -> Option<(&NodeScan, Vec<Expr>)> {
    match plan {
        Plan::NodeScan(scan) => Some((scan, Vec::new())),
        Plan::Filter { input, predicate } => {
            let (scan, mut asked) = scan_of(input)?;
            conjuncts(predicate.clone(), &mut asked);
            Some((scan, asked))
        }
        _ => None,
    }
}

/// The filter of a step from the rows of `input`, in halves where that is worth it.
fn apart(input: Box<Plan>, step: Extend, predicate: Expr, planning: &Planning<'_>) -> Plan {
    let halves = halves(&input, &step, &predicate, planning);
    halves.unwrap_or_else(|| {
        let input = Box::new(Plan::Extend { input, step });
        Plan::Filter { input, predicate }
    })
}

fn halves(input: &Plan, step: &Extend, predicate: &Expr, planning: &Planning<'_>) -> Option<Plan> {
    let (scan, of_scanned) = scan_of(input)?;
    let edge = step.edge?;
    let mut parts = Vec::new();
    conjuncts(predicate.clone(), &mut parts);
    let (of_edge, others): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|part| vars_of([part]).into_iter().eq([edge]));
    if of_scanned.iter().chain(&of_edge).chain(&others).any(calls_volatile) {
        return None;
    }

    let (catalog, known) = (planning.catalog, planning.statistics());
    let tables = catalog.edge_tables((!step.types.is_empty()).then_some(&*step.types));
    let passing = joint_selectivity(known, &of_edge.iter().collect::<Vec<_>>(), edge, Of::Edges(&tables));
    let is_worth_it = !of_edge.is_empty()
        && passing <= PASSING_MAX
        && Estimate::of(input, known).rows * NODES_PART >= rows_of(catalog, &scan.tables);
    if !is_worth_it {
        return None;
    }

    let out = Plan::Extend {
        input: Box::new(input.clone()),
        step: Extend { direction: Direction::Out, ..step.clone() },
    };
    let out = Plan::Filter { input: Box::new(out), predicate: predicate.clone() };

    let is_wanted = |table: &TableId| step.to_tables.as_ref().is_none_or(|wanted| wanted.contains(table));
    let mut sources: Vec<TableId> =
        tables.iter().map(|table| catalog.source(*table)).filter(is_wanted).collect();
    sources.sort_unstable();
    sources.dedup();
    let scanned = NodeScan { var: step.to, labels: LabelExpr::True, tables: sources, prune: Vec::new() };
    let back = Plan::Extend {
        input: Box::new(Plan::NodeScan(scanned)),
        step: Extend {
            from: step.to,
            edge: step.edge,
            to: scan.var,
            types: step.types.clone(),
            direction: Direction::Out,
            to_tables: (!catalog.are_all(scan.tables.len())).then(|| scan.tables.clone()),
        },
    };
    let is_loop = tables.iter().any(|table| catalog.may_have_loops(*table));
    let differ = is_loop.then(|| Expr::op(Op::Ne, vec![Expr::Var(scan.var), Expr::Var(step.to)]));
    // Of the relationships first, as few pass; but for what may fail, which is asked where it was.
    let asked = if of_edge.iter().all(|part| cannot_fail(part, planning.vars)) {
        conjunction(of_edge.into_iter().chain(differ).chain(of_scanned).chain(others))?
    } else {
        conjunction(differ.into_iter().chain(of_scanned).chain([predicate.clone()]))?
    };
    let back = Plan::Filter { input: Box::new(back), predicate: asked };
    let vars: Vec<VarId> = vec![scan.var, edge, step.to];
    Some(Plan::Union { inputs: vec![out, back], vars })
}
