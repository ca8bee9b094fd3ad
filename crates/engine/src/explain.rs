//! EXPLAIN and PROFILE: the plan's text, with what each operator is done by, its access patterns, estimate
//! and measurements.

use trimorph_algebra::{Plan, Vars};
use trimorph_exec::{Form, PhysicalPlan, Profile, ProfileLine};
use trimorph_optimizer::estimate_all;
use trimorph_store::Snapshot;

use crate::estimator::Sampler;
use crate::params::Params;

/// One line per operator. Estimates are those that the query is planned by with these parameters.
pub(crate) fn explain(
    plan: &Plan,
    vars: &Vars,
    snapshot: &Snapshot,
    params: &Params,
    physical: &PhysicalPlan,
    profile: &Profile,
) -> String {
    let (paths, forms) = (paths(plan), physical.forms());
    let estimator = Sampler::new(snapshot, Some(params));
    let estimates = estimate_all(plan, snapshot.catalog(), Some(&estimator));
    let mut next = paths.into_iter().zip(estimates);
    trimorph_algebra::explain(plan, vars, &mut |_| {
        let (path, rows) = next.next().unwrap_or_default();
        note(forms.get(&path), profile.get(&path), rows)
    })
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

/// What an operator of the plan is done by, what that reads by, how many rows it is thought to give and what
/// it gave.
fn note(form: Option<&Form>, profile: Option<&ProfileLine>, rows: f64) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(Form { operators, patterns }) = form {
        let patterns: String = patterns.iter().map(|p| format!(" {p}")).collect();
        parts.push(operators.join(", ") + &patterns);
    }
    parts.push(format!("~{} rows", readable(rows)));
    if let Some(line) = profile {
        parts.push(format!(
            "{} tuples in {} positions, {} chunks, {:.3} ms",
            line.tuples,
            line.positions,
            line.chunks,
            line.nanos as f64 / 1e6
        ));
        if line.vector_rows > 0 {
            parts.push(format!("looked up {} at once", line.vector_rows));
        }
        if line.spilled_bytes > 0 {
            parts.push(format!("spilled {} bytes", line.spilled_bytes));
        }
        if line.asked.0 > 0 {
            parts.push(format!("{} of {} may be joined", line.asked.1, line.asked.0));
        }
    }
    format!("[{}]", parts.join("; "))
}

fn readable(rows: f64) -> String {
    match rows {
        r if r >= 1e9 => format!("{:.1}G", r / 1e9),
        r if r >= 1e6 => format!("{:.1}M", r / 1e6),
        r if r >= 1e4 => format!("{:.0}k", r / 1e3),
        r => format!("{r:.0}"),
    }
}
