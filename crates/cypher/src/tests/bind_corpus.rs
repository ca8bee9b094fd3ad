//! The queries of the openCypher TCK: each binds, unless its scenario expects an error at compile time.

use trimorph_algebra::{BoundQuery, Plan, Procedures, explain};
use trimorph_base::Diagnostic;
use trimorph_catalog::Catalog;

use super::corpus;
use super::stub_functions::Stub;
use super::stub_procedures::declared;
use crate::{bind, parse};

/// Queries for which the binder does something else than the TCK expects. May only shrink.
const MISMATCHES: usize = 0;

pub(super) fn bound(text: &str) -> Result<BoundQuery, Diagnostic> {
    bound_with(text, &Procedures::default())
}

pub(super) fn bound_with(text: &str, procedures: &Procedures) -> Result<BoundQuery, Diagnostic> {
    bind(&parse(text)?, &Catalog::default(), &Stub, procedures)
}

/// Every column is a variable of the plan's top, and all variables are known.
pub(super) fn check_plan(query: &BoundQuery) {
    let top = query.plan.vars();
    for (name, var) in &query.columns {
        assert!(top.contains(var), "column {name} is not among the variables of the plan");
    }
    explain(&query.plan, &query.vars, &mut |_: &Plan| String::new());
    check_variables(&query.plan, &[]);
}

/// Expressions use variables that their input has; `outer` are those of the enclosing `Apply`.
fn check_variables(plan: &Plan, outer: &[trimorph_algebra::VarId]) {
    let uses = |input: &Plan, exprs: &mut dyn Iterator<Item = &trimorph_algebra::Expr>| {
        let has = input.vars();
        for expr in exprs {
            let mut free = Vec::new();
            expr.free_vars(&mut free);
            let lost: Vec<_> = free.into_iter().filter(|v| !has.contains(v)).collect();
            assert!(lost.is_empty(), "{lost:?} of {expr:?} are not in {input:?}");
        }
    };
    match plan {
        Plan::Argument(vars) => {
            assert!(vars.iter().all(|v| outer.contains(v)), "{vars:?} not in {outer:?}");
        }
        Plan::Match { graph, .. } => {
            uses(plan, &mut graph.predicates.iter());
            for edge in &graph.edges {
                if let Some((each, condition)) = &edge.each {
                    let mut free = Vec::new();
                    condition.free_vars(&mut free);
                    let has = plan.vars();
                    assert!(free.iter().all(|v| v == each || has.contains(v)), "{condition:?}");
                }
            }
        }
        Plan::Filter { input, predicate } => uses(input, &mut std::iter::once(predicate)),
        Plan::Extra { input, items } | Plan::Project { input, items } => {
            uses(input, &mut items.iter().map(|(_, e)| e));
        }
        Plan::Aggregate { input, keys, aggregates } => {
            uses(input, &mut keys.iter().map(|(_, e)| e));
            uses(input, &mut aggregates.iter().flat_map(|(_, a)| a.arg.iter().chain(&a.parameter)));
        }
        Plan::Distinct { input, vars } => {
            assert!(vars.iter().all(|v| input.vars().contains(v)));
        }
        Plan::Sort { input, keys, .. } => uses(input, &mut keys.iter().map(|k| &k.expr)),
        Plan::Unwind { input, list, .. } => uses(input, &mut std::iter::once(list)),
        Plan::ProcedureCall { input, call } => uses(input, &mut call.arguments.iter()),
        Plan::Union { inputs, vars } => {
            for input in inputs {
                assert!(vars.iter().all(|v| input.vars().contains(v)));
            }
        }
        Plan::Apply { input, subplan, kind } => {
            check_variables(subplan, &input.vars());
            if let trimorph_algebra::ApplyKind::Collect(_, value) = kind {
                uses(subplan, &mut std::iter::once(value));
            }
            return check_variables(input, outer);
        }
        Plan::Update { input, update } => uses(input, &mut update.values.iter().map(|(_, e)| e)),
        Plan::Merge { input, subplan, .. } => {
            check_variables(subplan, &input.vars());
            return check_variables(input, outer);
        }
        _ => {}
    }
    plan.children().into_iter().for_each(|child| check_variables(child, outer));
}

/// A missing parameter, which is found before the first row: the binder does not see parameters.
fn found_when_run((kind, _): &(String, String)) -> bool {
    kind == "ParameterMissing"
}

#[test]
fn the_queries_of_the_tck_bind() {
    let mut wrong = Vec::new();
    let (mut right, mut refused, mut updates) = (0, 0, 0);
    for query in corpus::queries() {
        let outcome = bound_with(&query.text, &declared(&query.procedures));
        match (&outcome, &query.compile_error) {
            (Err(error), Some((kind, detail))) if error.kind.name() == kind && error.detail == detail => {
                assert!(error.span.is_some(), "{}: no span", query.text);
                refused += 1;
            }
            (Err(error), expected) => {
                wrong.push(format!(
                    "{}\n{}\n{error} [{}], expected {expected:?}",
                    query.origin, query.text, error.detail
                ));
            }
            (Ok(_), Some(expected)) if !found_when_run(expected) => {
                wrong.push(format!("{}\n{}\nbinds, expected {expected:?}", query.origin, query.text));
            }
            (Ok(bound), _) => {
                check_plan(bound);
                updates += usize::from(bound.plan.updates());
                right += 1;
            }
        }
    }
    println!("{right} bind, {refused} rightly refused, of which {updates} update, {} wrong", wrong.len());
    assert!(wrong.len() == MISMATCHES, "{} wrong:\n\n{}", wrong.len(), wrong.join("\n\n"));
}
