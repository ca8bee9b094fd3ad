//! Takes a bound query and the list of passes, gives the planned query.
//!
//! 1. Each pass that is switched on runs on the whole plan and is timed.
//! 2. Where checks are on, the plan is checked after each: what broke it is named.
//! 3. A plan that is too deep to run is refused.

use std::time::Instant;

use trimorph_algebra::{BoundQuery, Plan};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind, Phase};
use trimorph_catalog::CatalogView;

use crate::planning::Planning;
use crate::samples::{Estimator, Samples};
use crate::{Halt, Options, Switches, VarSet};
use crate::{
    ask_bound, both_ways, bound_edges, bounded_calls, call_groups, call_once, carried_values, check,
    compound_keys, constant_keys, count_by_table, count_calls, count_lists, count_optional, count_rows,
    count_statements, count_trails, distinct_once, drop_unused, empty_groups, exists_edges, exists_extremes,
    fixed_walks, fold_lists, group_branches, group_by_nodes, group_limit, hang_counts, implied_conditions,
    in_lists, join_groups, join_reads, late_projection, list_members, merge_patterns, narrow_tables,
    narrow_types, null_arguments, optional_conditions, optional_groups, order_edges, order_lists,
    parts_of_texts, path_parts, plain_conditions, plan_match, predicate_sets, push_filters, reach_once,
    reduce_joins, row_keys, same_aggregates, scan_both_ways, share_expressions, share_subplans,
    split_windows, tell_apart, unroll_quantifiers, walks,
};

/// Operators one above the other that a plan may have. Each is a call within a call while the query runs; a
/// pattern of a thousand relationships needs two or three for each.
pub const PLAN_DEPTH_MAX: usize = 5_000;

/// A planned query, and what its planning took.
#[derive(Debug)]
pub struct Optimized {
    /// The query.
    pub query: BoundQuery,
    /// The passes that ran, in order.
    pub passes: Vec<PassRun>,
}

/// A pass that ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassRun {
    /// Its name.
    pub name: &'static str,
    /// What it took.
    pub nanos: u64,
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
    Pass { name: "optional_conditions", required: false, run: optional_conditions::optional_conditions },
    Pass { name: "late_subqueries", required: false, run: late_projection::late_subqueries },
    Pass { name: "call_once", required: false, run: call_once::call_once },
    Pass { name: "bounded_calls", required: false, run: bounded_calls::bounded_calls },
    Pass { name: "call_groups", required: false, run: call_groups::call_groups },
    Pass { name: "group_by_nodes", required: false, run: group_by_nodes::group_by_nodes },
    Pass { name: "optional_groups", required: false, run: optional_groups::optional_groups },
    Pass { name: "exists_edges", required: false, run: exists_edges::exists_edges },
    Pass { name: "merge_patterns", required: false, run: merge_patterns::merge_patterns },
    Pass { name: "path_parts", required: false, run: path_parts::path_parts },
    Pass { name: "fixed_walks", required: false, run: fixed_walks::fixed_walks },
    Pass { name: "bound_edges", required: false, run: bound_edges::bound_edges },
    Pass { name: "count_lists", required: false, run: count_lists::count_lists },
    Pass { name: "count_rows", required: false, run: count_rows::count_rows },
    Pass { name: "count_calls", required: false, run: count_calls::count_calls },
    Pass { name: "count_optional", required: false, run: count_optional::count_optional },
    Pass { name: "bounded_counts", required: false, run: bounded_calls::bounded_counts },
    Pass { name: "count_trails", required: false, run: count_trails::count_trails },
    Pass { name: "null_arguments", required: false, run: null_arguments::null_arguments },
    Pass { name: "plain_conditions", required: false, run: plain_conditions::plain_conditions },
    Pass { name: "push_filters", required: false, run: push_filters::push_filters },
    Pass { name: "fold_lists", required: false, run: fold_lists::fold_lists },
    Pass { name: "empty_groups", required: false, run: empty_groups::empty_groups },
    Pass { name: "list_members", required: false, run: list_members::list_members },
    Pass { name: "narrow_types", required: false, run: narrow_types::narrow_types },
    Pass { name: "unroll_quantifiers", required: false, run: unroll_quantifiers::unroll_quantifiers },
    Pass { name: "in_lists", required: false, run: in_lists::in_lists },
    Pass { name: "predicate_sets", required: false, run: predicate_sets::predicate_sets },
    Pass { name: "drop_unused", required: false, run: drop_unused::drop_unused },
    Pass { name: "compound_keys", required: false, run: compound_keys::compound_keys },
    Pass { name: "constant_keys", required: false, run: constant_keys::constant_keys },
    Pass { name: "parts_of_texts", required: false, run: parts_of_texts::parts_of_texts },
    Pass { name: "group_limit", required: false, run: group_limit::group_limit },
    Pass { name: "order_lists", required: false, run: order_lists::order_lists },
    Pass { name: "late_projection", required: false, run: late_projection::late_projection },
    Pass { name: "ask_bound", required: true, run: ask_bound::ask_bound },
    Pass { name: "narrow_tables", required: true, run: narrow_tables::narrow_tables },
    Pass { name: "implied_conditions", required: false, run: implied_conditions::implied_conditions },
    Pass { name: "both_ways", required: false, run: both_ways::both_ways },
    Pass { name: "group_branches", required: false, run: group_branches::group_branches },
    Pass { name: "count_by_table", required: false, run: count_by_table::count_by_table },
    Pass { name: "count_statements", required: false, run: count_statements::count_statements },
    Pass { name: "walks", required: true, run: walks::walks },
    Pass { name: "tell_apart", required: true, run: tell_apart::tell_apart },
    Pass { name: "split_windows", required: false, run: split_windows::split_windows },
    Pass { name: "reach_once", required: false, run: reach_once::reach_once },
    Pass { name: "hang_counts", required: false, run: hang_counts::hang_counts },
    Pass { name: "plan_match", required: true, run: plan_match::plan_match },
    Pass { name: "exists_extremes", required: false, run: exists_extremes::exists_extremes },
    Pass { name: "join_groups", required: false, run: join_groups::join_groups },
    Pass { name: "same_aggregates", required: false, run: same_aggregates::same_aggregates },
    Pass { name: "row_keys", required: false, run: row_keys::row_keys },
    Pass { name: "join_reads", required: false, run: join_reads::join_reads },
    Pass { name: "order_edges", required: false, run: order_edges::order_edges },
    Pass { name: "scan_both_ways", required: false, run: scan_both_ways::scan_both_ways },
    Pass { name: "share_expressions", required: false, run: share_expressions::share_expressions },
    Pass { name: "distinct_once", required: false, run: distinct_once::distinct_once },
    Pass { name: "carried_values", required: false, run: carried_values::carried_values },
    Pass { name: "share_subplans", required: false, run: share_subplans::share_subplans },
    Pass { name: "reduce_joins", required: false, run: reduce_joins::reduce_joins },
];

/// The names of all passes, in order, and whether each can be switched off.
pub fn pass_names() -> impl Iterator<Item = (&'static str, bool)> {
    PASSES.iter().map(|pass| (pass.name, !pass.required))
}

impl Options {
    /// The same without a pass; none if there is no pass of this name, or no plan can do without it.
    pub fn without(self, pass: &str) -> Option<Self> {
        let place = PASSES.iter().position(|known| known.name == pass && !known.required)?;
        Some(Self { off: Switches(self.off.0 | 1 << place), ..self })
    }
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
    let samples = Samples::new(estimator);
    let mut planning =
        Planning { catalog, samples: &samples, options, cancel, vars: &mut query.vars, needed };
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
