//! The order in which predicates are asked: what cannot fail comes first, the cheapest of it before all, so
//! that a text is searched only in rows that a number or a date lets through. What may fail stays in its
//! order, and behind: it is asked of no row that it was not asked of before.

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_types::Value;

/// What is asked of labels, of nulls, numbers and dates, of texts as wholes and their beginnings, of two
/// values, and in texts.
const OF_LABELS: u8 = 0;
const OF_NUMBERS: u8 = 1;
const OF_TEXTS: u8 = 2;
const OF_BEGINNINGS: u8 = 3;
const OF_TWO: u8 = 4;
const IN_TEXTS: u8 = 5;

/// Puts predicates in order; `is_entity` tells the variables of nodes and of single edges of the pattern.
pub(super) fn cheapest_first(predicates: &mut Vec<Expr>, is_entity: &dyn Fn(&VarId) -> bool) {
    let (mut sure, rest): (Vec<_>, Vec<_>) = std::mem::take(predicates)
        .into_iter()
        .map(|predicate| (cost(&predicate, is_entity), predicate))
        .partition(|(cost, _)| cost.is_some());
    sure.sort_by_key(|(cost, _)| *cost);
    predicates.extend(sure.into_iter().chain(rest).map(|(_, predicate)| predicate));
}

/// How much it takes to ask a predicate; none where it may fail.
fn cost(predicate: &Expr, is_entity: &dyn Fn(&VarId) -> bool) -> Option<u8> {
    let is_value = |expr: &Expr| match expr {
        Expr::Const(_) | Expr::Param(_) => true,
        Expr::Property(base, ..) => matches!(&**base, Expr::Var(var) if is_entity(var)),
        _ => false,
    };
    let is_constant = |expr: &Expr| matches!(expr, Expr::Const(_) | Expr::Param(_));
    match predicate {
        Expr::HasLabel(base, _) => matches!(&**base, Expr::Var(var) if is_entity(var)).then_some(OF_LABELS),
        Expr::Op(Op::And | Op::Or | Op::Not | Op::Xor, parts, _) => parts
            .iter()
            .map(|part| cost(part, is_entity))
            .try_fold(OF_LABELS, |most, part| Some(most.max(part?))),
        Expr::Op(Op::IsNull | Op::IsNotNull, parts, _) => parts.iter().all(is_value).then_some(OF_NUMBERS),
        Expr::Op(Op::Differs, parts, _) => {
            parts.iter().all(|part| matches!(part, Expr::Var(_))).then_some(OF_TWO)
        }
        Expr::Op(Op::In, parts, _) => match &parts[..] {
            [item, Expr::List(items)] => {
                (is_value(item) && items.iter().all(is_constant)).then_some(OF_TEXTS)
            }
            [item, Expr::Const(Value::List(_))] => is_value(item).then_some(OF_TEXTS),
            _ => None,
        },
        Expr::Op(op, parts, _) => {
            if !parts.iter().all(is_value) {
                return None;
            }
            let is_text = parts.iter().any(|part| matches!(part, Expr::Const(Value::String(_))));
            let with_constant = parts.iter().any(is_constant);
            match op {
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge if !with_constant => Some(OF_TWO),
                Op::Eq | Op::Ne => Some(if is_text { OF_TEXTS } else { OF_NUMBERS }),
                Op::Lt | Op::Le | Op::Gt | Op::Ge => Some(if is_text { OF_BEGINNINGS } else { OF_NUMBERS }),
                Op::StartsWith => Some(OF_BEGINNINGS),
                Op::Contains | Op::EndsWith => Some(IN_TEXTS),
                _ => None,
            }
        }
        _ => None,
    }
}
