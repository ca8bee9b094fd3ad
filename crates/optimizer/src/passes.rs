//! Takes a bound query and the list of passes, gives the planned query.
//!
//! 1. Each pass that is switched on runs on the whole plan and is timed.
//! 2. Where checks are on, the plan is checked after each: what broke it is named.
//! 3. A plan that is too deep to run is refused.

use std::time::Instant;

use trimorph_algebra::{BoundQuery, Plan, Vars};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind, Phase};
use trimorph_catalog::CatalogView;

use crate::selectivity::{Estimator, Statistics};
use crate::{Halt, Optimized, Options, VarSet};
use crate::{
    ask_bound, check, count_trails, drop_unused, hang_counts, merge_patterns, narrow_tables, plan_match,
    push_filters, tell_apart, walks,
};

/// Operators one above the other that a plan may have. Each is a call within a call while the query runs; a
/// pattern of a thousand relationships needs two or three for each.
pub const PLAN_DEPTH_MAX: usize = 5_000;

/// A pass that ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassRun {
    /// Its name.
    pub name: &'static str,
    /// What it took.
    pub nanos: u64,
}

/// What passes work with.
pub(crate) struct Planning<'a> {
    pub(crate) catalog: &'a CatalogView<'a>,
    pub(crate) estimator: Option<&'a dyn Estimator>,
    pub(crate) options: Options,
    pub(crate) cancel: &'a CancelToken,
    pub(crate) vars: &'a mut Vars,
    /// The variables of the result.
    pub(crate) needed: VarSet,
}

impl<'a> Planning<'a> {
    pub(crate) fn statistics(&self) -> Statistics<'a> {
        Statistics { catalog: self.catalog, estimator: self.estimator }
    }

    /// Stops planning if somebody asked.
    pub(crate) fn poll(&self) -> Result<(), Halt> {
        poll(self.cancel)
    }
}

/// Stops planning if somebody asked.
pub(crate) fn poll(cancel: &CancelToken) -> Result<(), Halt> {
    if cancel.is_cancelled() { Err(Diagnostic::cancelled()) } else { Ok(()) }
}

/// One pass: takes the plan, gives a plan with the same rows.
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    /// Whether no plan can run without it.
    required: bool,
    pub(crate) run: fn(Plan, &mut Planning<'_>) -> Result<Plan, Halt>,
}

/// All passes, in the order they run.
pub(crate) const PASSES: &[Pass] = &[
    Pass { name: "merge_patterns", required: false, run: merge_patterns::merge_patterns },
    Pass { name: "count_trails", required: false, run: count_trails::count_trails },
    Pass { name: "push_filters", required: false, run: push_filters::push_filters },
    Pass { name: "drop_unused", required: false, run: drop_unused::drop_unused },
    Pass { name: "ask_bound", required: true, run: ask_bound::ask_bound },
    Pass { name: "narrow_tables", required: true, run: narrow_tables::narrow_tables },
    Pass { name: "walks", required: true, run: walks::walks },
    Pass { name: "tell_apart", required: true, run: tell_apart::tell_apart },
    Pass { name: "hang_counts", required: false, run: hang_counts::hang_counts },
    Pass { name: "plan_match", required: true, run: plan_match::plan_match },
];

/// The names of all passes, in order, and whether each can be switched off.
pub fn pass_names() -> impl Iterator<Item = (&'static str, bool)> {
    PASSES.iter().map(|pass| (pass.name, !pass.required))
}

/// The place of a pass that can be switched off.
pub(crate) fn switch_of(name: &str) -> Option<usize> {
    PASSES.iter().position(|pass| pass.name == name && !pass.required)
}

pub(crate) fn run(
    mut query: BoundQuery,
    catalog: &CatalogView<'_>,
    estimator: Option<&dyn Estimator>,
    options: Options,
    cancel: &CancelToken,
) -> Result<Optimized, Halt> {
    let mut plan = std::mem::replace(&mut query.plan, Plan::Unit);
    let needed: VarSet = query.columns.iter().map(|(_, v)| *v).collect();
    let mut planning = Planning { catalog, estimator, options, cancel, vars: &mut query.vars, needed };
    let mut passes = Vec::with_capacity(PASSES.len());
    for (place, pass) in PASSES.iter().enumerate() {
        if options.off.0 >> place & 1 == 1 {
            continue;
        }
        planning.poll()?;
        let begin = Instant::now();
        plan = (pass.run)(plan, &mut planning)?;
        passes.push(PassRun {
            name: pass.name,
            nanos: u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX),
        });
        let depth = plan.depth();
        if depth > PLAN_DEPTH_MAX {
            // Handed back to what takes plans apart level by level.
            query.plan = plan;
            return Err(too_deep());
        }
        if options.check {
            check::check(&plan, &planning).map_err(|wrong| broken(pass.name, &wrong))?;
        }
    }
    query.depth = Some(plan.depth() + plan.expression_depth());
    query.plan = plan;
    Ok(Optimized { query, passes })
}

fn too_deep() -> Halt {
    let primary =
        format!("the query is too large: its plan has more than {PLAN_DEPTH_MAX} operators in a line");
    Box::new(
        Diagnostic::compile(ErrorKind::Unsupported, "QueryTooComplex", primary)
            .hint("split it into several queries"),
    )
}

fn broken(pass: &str, wrong: &str) -> Halt {
    let internal = Diagnostic::internal(format_args!("after the pass \"{pass}\" {wrong}"));
    Box::new(Diagnostic { phase: Phase::Compile, ..internal })
}
