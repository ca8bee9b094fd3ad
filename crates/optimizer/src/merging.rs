//! What an aggregate of parts of the rows is merged by, for passes that aggregate parts first.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, VarId};

/// The kind of aggregate that merges those of parts; `None` where none does. Sums are not merged: those of
/// parts may leave the integers where the whole does not.
pub(crate) fn merged(aggregate: &Aggregate) -> Option<AggregateKind> {
    match aggregate.kind {
        _ if aggregate.distinct => None,
        AggregateKind::CountStar | AggregateKind::Count => Some(AggregateKind::Sum),
        AggregateKind::Min => Some(AggregateKind::Min),
        AggregateKind::Max => Some(AggregateKind::Max),
        _ => None,
    }
}

/// The aggregate of what a variable has of each part. For those that [`merged`] gives a kind for.
pub(crate) fn of_parts(aggregate: &Aggregate, part: VarId) -> Aggregate {
    Aggregate {
        kind: merged(aggregate).unwrap_or(aggregate.kind),
        arg: Some(Expr::Var(part)),
        parameter: None,
        distinct: false,
        order: None,
        span: aggregate.span,
    }
}
