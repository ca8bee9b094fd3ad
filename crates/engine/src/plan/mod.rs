//! EXPLAIN and PROFILE: a plan in, a tree of operators with estimates and measurements out, and its forms.
//!
//! ```text
//! asked   which form the statement asks for
//! text    aligned columns for people
//! codes   one line per operator with access patterns, for tests and for who works on the engine
//! json    the tree as it is
//! html    a page that needs nothing else, and the part of it that notebooks show
//! tree    operators with estimates and measurements
//! words   what physical operators are called among people
//! ```

mod asked;
mod codes;
mod html;
mod json;
mod text;
mod tree;
mod words;

use trimorph_algebra::{Plan, Vars};
use trimorph_exec::{PhysicalPlan, Profile};
use trimorph_optimizer::estimate_all;
use trimorph_store::Snapshot;

use crate::estimator::Sampler;
use crate::params::Params;

use tree::take_apart;

pub(crate) use asked::asked;
pub use tree::{Measured, PlanForm, PlanOperator, PlanTree};

impl PlanTree {
    /// The tree of a plan. Estimates are those that the query is planned by with these parameters.
    pub(crate) fn new(
        plan: &Plan,
        vars: &Vars,
        snapshot: &Snapshot,
        params: &Params,
        physical: &PhysicalPlan,
        profile: &Profile,
    ) -> Self {
        let forms = physical.forms();
        let estimator = Sampler::new(snapshot, Some(params));
        let estimates = estimate_all(plan, snapshot.catalog(), Some(&estimator));
        let lines = trimorph_algebra::operators(plan, vars).into_iter();
        let mut operators: Vec<PlanOperator> = lines
            .zip(paths(plan))
            .zip(estimates)
            .map(|(((depth, text), path), estimated_rows)| {
                let form = forms.get(&path).cloned().unwrap_or_default();
                PlanOperator {
                    depth,
                    text,
                    done_by: form.operators,
                    codes: form.patterns.iter().map(ToString::to_string).collect(),
                    estimated_rows,
                    measured: profile.get(&path).map(Measured::of),
                }
            })
            .collect();
        take_apart(&mut operators);
        Self { operators, pieces_read: 0 }
    }

    /// The tree in a form.
    pub fn write(&self, form: PlanForm) -> String {
        match form {
            PlanForm::Text => text::write(self),
            PlanForm::Codes => codes::write(self),
            PlanForm::Json => json::write(self),
            PlanForm::Html => html::page(self),
        }
    }

    /// The part of [`PlanForm::Html`]'s page that shows the plan, with its style: for pages that have other
    /// things too.
    pub fn html_part(&self) -> String {
        html::part(self)
    }
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

#[cfg(test)]
mod tests;
