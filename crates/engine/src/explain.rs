//! EXPLAIN and PROFILE: the plan's text, with each operator's access patterns, estimate and measurements.

use std::fmt::Write;

use trimorph_algebra::{CountStep, Direction, Extend, Plan, Vars};
use trimorph_catalog::Catalog;
use trimorph_exec::Profile;
use trimorph_optimizer::estimate_all;
use trimorph_store::access::{Bound, EdgeAccess, Frontier, Kind, Pattern};

/// One line per operator.
pub(crate) fn explain(plan: &Plan, vars: &Vars, catalog: &Catalog, profile: &Profile) -> String {
    let paths = paths(plan);
    let mut next = paths.into_iter().zip(estimate_all(plan, catalog));
    trimorph_algebra::explain(plan, vars, &mut |plan| {
        let (path, rows) = next.next().unwrap_or_default();
        note(plan, &path, profile, rows)
    })
}

/// The patterns an operator reads by, in the terse notation (`docs/design/access.md`).
fn access(plan: &Plan) -> Vec<Pattern> {
    match plan {
        Plan::NodeScan(_) => {
            vec![Pattern::labels().objects(Bound::Terms(Vec::new())).project(true, false, false, false)]
        }
        Plan::KeyLookup { lookup, .. } => vec![
            Pattern::property(Kind::Node, &lookup.property)
                .object_frontier(Frontier::Later(1.0))
                .project(true, false, false, false),
        ],
        Plan::Extend { step, .. } => step_patterns(step, step.edge.is_some()),
        Plan::VarExtend { step, .. } => step_patterns(&step.step, true),
        Plan::Intersect { steps, .. } => steps.iter().flat_map(|s| step_patterns(s, false)).collect(),
        Plan::ExtendCount { step, .. } => {
            let mut out = Vec::new();
            count_patterns(step, &mut out);
            out
        }
        Plan::ExtendInto { step, .. } => {
            let both = |p: Pattern| {
                p.subject_frontier(Frontier::Later(1.0)).object_frontier(Frontier::Later(1.0)).project(
                    false,
                    false,
                    false,
                    step.edge.is_some(),
                )
            };
            step_patterns(step, true).into_iter().map(both).collect()
        }
        _ => Vec::new(),
    }
}

fn step_patterns(step: &Extend, edge: bool) -> Vec<Pattern> {
    let (out, back) = (step.direction != Direction::In, step.direction != Direction::Out);
    EdgeAccess::patterns(&step.types, out, back, step.to_tables.as_deref(), edge, 1.0)
}

fn count_patterns(step: &CountStep, out: &mut Vec<Pattern>) {
    out.extend(step_patterns(&step.step, false).into_iter().map(Pattern::count));
    step.next.iter().for_each(|next| count_patterns(next, out));
}

/// The places of all operators, in the order they are printed.
fn paths(plan: &Plan) -> Vec<Vec<usize>> {
    let mut paths = Vec::new();
    let mut left = vec![(plan, Vec::new())];
    while let Some((plan, path)) = left.pop() {
        for (i, child) in plan.children().into_iter().enumerate().rev() {
            left.push((child, path.iter().copied().chain([i]).collect()));
        }
        paths.push(path);
    }
    paths
}

fn note(plan: &Plan, path: &[usize], profile: &Profile, rows: f64) -> String {
    let mut estimate: String = access(plan).iter().map(|p| format!("{p} ")).collect();
    let _ = write!(estimate, "~{} rows", readable(rows));
    match profile.get(path) {
        None => format!("[{estimate}]"),
        Some(line) => format!(
            "[{estimate}; {} tuples in {} positions, {} chunks, {:.3} ms]",
            line.tuples,
            line.positions,
            line.chunks,
            line.nanos as f64 / 1e6
        ),
    }
}

fn readable(rows: f64) -> String {
    match rows {
        r if r >= 1e9 => format!("{:.1}G", r / 1e9),
        r if r >= 1e6 => format!("{:.1}M", r / 1e6),
        r if r >= 1e4 => format!("{:.0}k", r / 1e3),
        r => format!("{r:.0}"),
    }
}
