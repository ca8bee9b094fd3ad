//! Statements of which only the number counts, by predicate or by class: `?s ?p ?o` grouped by `?p`, or
//! `?s a ?c` by `?c`, or all of them. They are counted where they lie, a column or a list at a time, and the
//! groups add up what they are told.

use trimorph_algebra::{
    Aggregate, AggregateKind, Expr, GraphChoice, Plan, PredicateTerm, TriplePattern, VarId, Vars,
};
use trimorph_types::{LogicalType, rdf};

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn count_statements(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if !planning.options.count {
        return Ok(plan);
    }
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Aggregate { input, keys, aggregates } => match counted(&input, &keys, &aggregates, vars) {
                Some((input, aggregates)) => Plan::Aggregate { input: Box::new(input), keys, aggregates },
                None => Plan::Aggregate { input, keys, aggregates },
            },
            other => other,
        })
    })
}

/// The same statements with how many there are, and the sums of that.
fn counted(
    input: &Plan,
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
    vars: &mut Vars,
) -> Option<(Plan, Vec<(VarId, Aggregate)>)> {
    let Plan::Statements { input, pattern } = input else { return None };
    if !matches!(**input, Plan::Unit) || !matches!(pattern.graph, GraphChoice::Default) {
        return None;
    }
    let told = told(pattern);
    let is_told = |key: &Expr| matches!(key, Expr::Var(var) if Some(*var) == told);
    let is_count = |aggregate: &Aggregate| match (&aggregate.kind, &aggregate.arg) {
        (AggregateKind::CountStar, _) => true,
        (AggregateKind::Count, Some(Expr::Var(var))) => {
            !aggregate.distinct && pattern.vars().any(|own| own == *var)
        }
        _ => false,
    };
    let is_counted = !aggregates.is_empty()
        && pattern.count.is_none()
        && keys.iter().all(|(_, key)| is_told(key))
        && aggregates.iter().all(|(_, aggregate)| is_count(aggregate));
    if !is_counted {
        return None;
    }
    let count = vars.anonymous(LogicalType::Int);
    let sum = |aggregate: &Aggregate| Aggregate {
        kind: AggregateKind::Sum,
        arg: Some(Expr::Var(count)),
        parameter: None,
        distinct: false,
        order: None,
        span: aggregate.span,
    };
    let sums = aggregates.iter().map(|(var, aggregate)| (*var, sum(aggregate))).collect();
    let pattern = TriplePattern { count: Some(count), ..pattern.clone() };
    Some((Plan::Statements { input: Box::new(Plan::Unit), pattern }, sums))
}

/// What is known of all statements of one place: the predicate, or the class.
fn told(pattern: &TriplePattern) -> Option<VarId> {
    match &pattern.predicate {
        PredicateTerm::Var(var) if *var != pattern.subject && *var != pattern.object => Some(*var),
        PredicateTerm::Iri(iri) if **iri == *rdf::names::rdf::TYPE && pattern.subject != pattern.object => {
            Some(pattern.object)
        }
        _ => None,
    }
}
