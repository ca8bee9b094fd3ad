//! Least and largest of lists, such as `max([x.length, x.id])`. Most lists are no better than the best of
//! their group, which their first elements say already: only one that is better becomes a value.

use std::cmp::Ordering;

use trimorph_store::integer_of;
use trimorph_types::{Value, order};
use trimorph_vector::{Values, Vector};

use super::rows::Rows;
use super::states::{Column, Ledger, ROWS_UNCHECKED, take};
use crate::{Context, ExecError};

impl Column<'_> {
    /// Takes lists into least and largest.
    pub(super) fn add_lists(
        &mut self,
        rows: &Rows<'_, '_>,
        lists: &Vector<'_>,
        ledger: &mut Ledger<'_, '_>,
    ) -> Result<(), ExecError> {
        let cx = ledger.cx;
        let states = self.states.generalise(self.kind)?;
        let (mut rows_left, general_bytes) = (ROWS_UNCHECKED, &mut self.general_bytes);
        rows.each(|n, p, _| {
            rows_left -= 1;
            if rows_left == 0 {
                rows_left = ROWS_UNCHECKED;
                cx.check()?;
            }
            if !states[n].wants(|best| order_to(lists, p, best, cx)) {
                return Ok(());
            }
            let before = states[n].heap_bytes();
            take(&mut states[n], &lists.value(p, &|id| cx.edge_value(id)), 1, ledger)?;
            *general_bytes = (*general_bytes + states[n].heap_bytes()).saturating_sub(before);
            Ok(())
        })
    }
}

/// How a list orders to a value.
#[inline]
fn order_to(lists: &Vector<'_>, i: usize, to: &Value, cx: &Context<'_>) -> Ordering {
    let edge = |id| cx.edge_value(id);
    let Value::List(items) = to else { return order(&lists.value(i, &edge), to) };
    let (ordering, len) = match &lists.values {
        Values::List(lists) => {
            let (child, elements) = (lists.child(), lists.elements(i));
            let len = elements.len();
            (
                first_other(
                    elements.zip(items.iter()).map(|(e, item)| order_part(child, e as usize, item, cx)),
                ),
                len,
            )
        }
        Values::Tuple(tuples) => {
            let parts = tuples.fields();
            (
                first_other(parts.iter().zip(items.iter()).map(|(part, item)| order_part(part, i, item, cx))),
                parts.len(),
            )
        }
        _ => return order(&lists.value(i, &edge), to),
    };
    ordering.then(len.cmp(&items.len()))
}

/// The first that is not equal.
#[inline(always)]
fn first_other(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// How the element at `e` orders to a value.
#[inline(always)]
fn order_part(part: &Vector<'_>, e: usize, item: &Value, cx: &Context<'_>) -> Ordering {
    match (&part.values, item) {
        (Values::Any(values), item) => order(&values[e], item),
        (_, _) if part.nulls.get(e) => order(&Value::Null, item),
        (Values::String(texts), Value::String(item)) => texts.get(e).cmp(item),
        (Values::Int(ints), Value::Int(item)) => ints[e].cmp(item),
        (Values::Date(days), Value::Date(item)) => i64::from(days[e]).cmp(&item.days),
        (Values::LocalDateTime(own), item @ Value::LocalDateTime(_)) if let Some(item) = integer_of(item) => {
            own[e].cmp(&item)
        }
        _ => order(&part.value(e, &|id| cx.edge_value(id)), item),
    }
}
