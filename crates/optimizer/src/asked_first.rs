//! The order in which conditions are asked: what cannot fail comes first, by what it takes for each row that
//! it lets fall, so that a text is searched only in rows that a number or a date lets through, and what is
//! equal is asked before what is less. What may fail stays in its order, and behind: it is asked of no row
//! that it was not asked of before.
//!
//! Source: Hellerstein and Stonebraker, "Predicate Migration", SIGMOD 1993.

use std::cmp::Ordering;

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_catalog::CatalogView;
use trimorph_types::{LogicalType, Value};

use crate::moments::is_written_moment;

/// What it takes to ask a row for labels, for nulls, numbers and dates, for texts as wholes and their
/// beginnings, for two values, for two texts of a property of which most are different, and to search in
/// texts. Chosen: about nanoseconds.
const OF_LABELS: f64 = 1.0;
const OF_NUMBERS: f64 = 2.0;
const OF_TEXTS: f64 = 4.0;
const OF_BEGINNINGS: f64 = 6.0;
const OF_TWO: f64 = 6.0;
const OF_TWO_TEXTS: f64 = 40.0;
const IN_TEXTS: f64 = 60.0;

/// Different texts of a property from which on they are no codes of a dictionary.
const DIFFERENT_TEXTS_MIN: u64 = 1 << 16;

/// Whether a property has so many different texts that two of them have to be read to be compared.
pub(crate) fn has_many_texts(catalog: &CatalogView<'_>, name: &str) -> bool {
    let mut tables = catalog.statistics().table_ids();
    tables.any(|table| {
        let column = catalog.estimated_column(table, name);
        column.is_some_and(|column| catalog.column_type(table, column) == Some(LogicalType::String))
            && catalog.estimated_property(table, name).is_some_and(|p| p.distinct > DIFFERENT_TEXTS_MIN)
    })
}

/// What is known of a condition beyond its form.
#[derive(Clone, Copy, Default)]
pub(crate) struct Weight {
    /// The part of rows that it lets through, where that is known.
    pub(crate) passing: Option<f64>,
    /// What it takes to reach what it looks at, in nanoseconds.
    pub(crate) reading: f64,
}

/// Puts conditions in order; `is_entity` tells the variables of nodes and of single relationships, the
/// catalog how long texts are, and `weigh` what else is known.
pub(crate) fn asked_first(
    predicates: &mut Vec<Expr>,
    is_entity: &dyn Fn(&VarId) -> bool,
    catalog: Option<&CatalogView<'_>>,
    weigh: &dyn Fn(&Expr) -> Weight,
) {
    if predicates.len() < 2 {
        return;
    }
    let (mut sure, rest): (Vec<_>, Vec<_>) = std::mem::take(predicates)
        .into_iter()
        .map(|predicate| {
            let rank = cost(&predicate, is_entity, catalog).map(|cost| {
                let Weight { passing, reading } = weigh(&predicate);
                let falling =
                    passing.map_or_else(|| falling(&predicate), |part| (1.0 - part).clamp(0.01, 0.99));
                (cost + reading) / falling
            });
            (rank, predicate)
        })
        .partition(|(rank, _)| rank.is_some());
    sure.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    predicates.extend(sure.into_iter().chain(rest).map(|(_, predicate)| predicate));
}

/// The part of rows that a condition lets fall, by its form alone.
fn falling(predicate: &Expr) -> f64 {
    match predicate {
        Expr::Op(Op::Eq, _, _) => 0.99,
        Expr::Op(Op::In | Op::StartsWith | Op::EndsWith | Op::Contains | Op::IsNull, _, _) => 0.9,
        Expr::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge, _, _) => 0.6,
        Expr::Op(Op::Ne | Op::Differs | Op::IsNotNull, _, _) => 0.1,
        Expr::Op(Op::And, parts, _) => 1.0 - parts.iter().map(|part| 1.0 - falling(part)).product::<f64>(),
        Expr::Op(Op::Or, parts, _) => parts.iter().map(falling).product::<f64>().max(0.01),
        _ => 0.5,
    }
}

/// How much it takes to ask a predicate; none where it may fail.
fn cost(
    predicate: &Expr,
    is_entity: &dyn Fn(&VarId) -> bool,
    catalog: Option<&CatalogView<'_>>,
) -> Option<f64> {
    let is_value = |expr: &Expr| match expr {
        Expr::Const(_) | Expr::Param(_) | Expr::Var(_) => true,
        Expr::Property(base, ..) => matches!(&**base, Expr::Var(var) if is_entity(var)),
        other => is_written_moment(other),
    };
    let is_constant =
        |expr: &Expr| matches!(expr, Expr::Const(_) | Expr::Param(_)) || is_written_moment(expr);
    match predicate {
        Expr::HasLabel(base, _) => matches!(&**base, Expr::Var(var) if is_entity(var)).then_some(OF_LABELS),
        Expr::Op(Op::And | Op::Or | Op::Not | Op::Xor, parts, _) => parts
            .iter()
            .map(|part| cost(part, is_entity, catalog))
            .try_fold(0.0, |most, part| Some(most + part?)),
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
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge if !with_constant => {
                    let is_long = |part: &Expr| {
                        let Expr::Property(_, name, _) = part else { return false };
                        catalog.is_some_and(|catalog| has_many_texts(catalog, name))
                    };
                    Some(if parts.iter().all(is_long) { OF_TWO_TEXTS } else { OF_TWO })
                }
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

/// Whether to ask a row for it takes long: it makes a text, or searches in one.
pub(crate) fn takes_long(predicate: &Expr) -> bool {
    let is_long = match predicate {
        Expr::Call(..) | Expr::UserCall(..) => true,
        Expr::Op(op, ..) => matches!(op, Op::Contains | Op::EndsWith | Op::Regex),
        _ => false,
    };
    let mut found = is_long;
    predicate.for_each_child(&mut |child| found |= takes_long(child));
    found
}
