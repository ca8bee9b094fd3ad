//! `all`, `any`, `none` and `single`: counts in, an answer out.

use trimorph_algebra::QuantifierKind;

/// What a quantifier says of a list with so many elements that meet the predicate, and so many of which it is
/// not known.
pub(super) fn answer(kind: QuantifierKind, count: usize, trues: usize, unknowns: usize) -> Option<bool> {
    let falses = count - trues - unknowns;
    match kind {
        QuantifierKind::All if falses > 0 => Some(false),
        QuantifierKind::Any if trues > 0 => Some(true),
        QuantifierKind::None if trues > 0 => Some(false),
        QuantifierKind::Single if trues > 1 => Some(false),
        _ if unknowns > 0 => None,
        QuantifierKind::All | QuantifierKind::None => Some(true),
        QuantifierKind::Any => Some(false),
        QuantifierKind::Single => Some(trues == 1),
    }
}
