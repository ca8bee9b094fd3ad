//! `CALL { WITH n MATCH … RETURN count(*) AS c }` is `COUNT { … }`: one number for each row, which is counted
//! for many rows at once, where an aggregation is run for each.

use trimorph_algebra::{AggregateKind, ApplyKind, Expr, Plan, VarId};

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn count_calls(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Apply { input, subplan, kind: ApplyKind::Inner } = plan else { return Ok(plan) };
        Ok(match counted(*subplan) {
            Ok((count, subplan, items)) => {
                let subplan = Box::new(subplan);
                let counted = Plan::Apply { input, subplan, kind: ApplyKind::Count(count) };
                match items.is_empty() {
                    true => counted,
                    false => Plan::Extra { input: Box::new(counted), items },
                }
            }
            Err(subplan) => Plan::Apply { input, subplan: Box::new(subplan), kind: ApplyKind::Inner },
        })
    })
}

/// The variable of a number of rows, these rows, and what is made of the number.
type Counted = (VarId, Plan, Vec<(VarId, Expr)>);

/// What a plan counts; the plan back where it gives something else.
#[expect(clippy::result_large_err, reason = "what is given back is the plan that came")]
fn counted(plan: Plan) -> Result<Counted, Plan> {
    let is_count = |plan: &Plan| match plan {
        Plan::Aggregate { input, keys, aggregates } => {
            keys.is_empty()
                && !input.updates()
                && matches!(&aggregates[..], [(_, one)] if one.kind == AggregateKind::CountStar)
        }
        _ => false,
    };
    let (aggregate, items) = match plan {
        Plan::Project { input, items } if is_count(&input) => (*input, items),
        other if is_count(&other) => (other, Vec::new()),
        other => return Err(other),
    };
    let Plan::Aggregate { input, keys, aggregates } = aggregate else { return Err(aggregate) };
    match aggregates.first() {
        Some((count, _)) => {
            let is_made = |(var, expr): &(VarId, Expr)| !matches!(expr, Expr::Var(own) if own == var);
            Ok((*count, *input, items.into_iter().filter(is_made).collect()))
        }
        None => Err(Plan::Aggregate { input, keys, aggregates }),
    }
}
