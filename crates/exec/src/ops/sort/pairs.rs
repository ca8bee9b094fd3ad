//! The order of two values of vectors, of one vector or two: nulls last.

use std::cmp::Ordering;

use trimorph_types::compare::{order_durations, order_times, order_zones};
use trimorph_types::{Value, Zone};
use trimorph_vector::{Values, Vector, by_id};

/// Orders two values of one vector: nulls last.
pub(super) fn order_in(vector: &Vector<'_>, a: usize, b: usize) -> Ordering {
    if let Some(order) = of_nulls(vector.is_null(a), vector.is_null(b)) {
        return order;
    }
    // Edges in lists and maps go by their ids.
    typed(vector, a, vector, b).unwrap_or_else(|| general((vector, a), (vector, b)))
}

/// Orders a value of one vector and one of another as [`order_in`] does.
pub(super) fn order_across(a: &Vector<'_>, i: usize, b: &Vector<'_>, j: usize) -> Ordering {
    if let Some(order) = of_nulls(a.is_null(i), b.is_null(j)) {
        return order;
    }
    typed(a, i, b, j).unwrap_or_else(|| general((a, i), (b, j)))
}

/// `None` where neither is null.
fn of_nulls(a: bool, b: bool) -> Option<Ordering> {
    match (a, b) {
        (true, true) => Some(Ordering::Equal),
        (true, false) => Some(Ordering::Greater),
        (false, true) => Some(Ordering::Less),
        (false, false) => None,
    }
}

fn general(a: (&Vector<'_>, usize), b: (&Vector<'_>, usize)) -> Ordering {
    trimorph_types::order(&a.0.value(a.1, &by_id), &b.0.value(b.1, &by_id))
}

/// The order of two values that are no nulls; `None` where the types of the vectors ask for values.
pub(super) fn typed(a: &Vector<'_>, i: usize, b: &Vector<'_>, j: usize) -> Option<Ordering> {
    Some(match (&a.values, &b.values) {
        (Values::Int(a), Values::Int(b))
        | (Values::LocalTime(a), Values::LocalTime(b))
        | (Values::LocalDateTime(a), Values::LocalDateTime(b))
        | (Values::DateTime(a), Values::DateTime(b)) => a[i].cmp(&b[j]),
        (Values::Bool(a), Values::Bool(b)) => a[i].cmp(&b[j]),
        (Values::Date(a), Values::Date(b)) => a[i].cmp(&b[j]),
        (Values::Float(a), Values::Float(b)) => {
            trimorph_types::order(&Value::Float(a[i]), &Value::Float(b[j]))
        }
        (Values::Number(a), Values::Number(b)) => trimorph_types::order(&a.get(i).value(), &b.get(j).value()),
        (Values::String(a), Values::String(b)) | (Values::Iri(a), Values::Iri(b)) => a.get(i).cmp(b.get(j)),
        (Values::Node(a), Values::Node(b)) => a.id(i).cmp(&b.id(j)),
        (Values::Edge(a), Values::Edge(b)) => a.id(i).cmp(&b.id(j)),
        (Values::Time(a), Values::Time(b)) => order_times(a[i], b[j]),
        (Values::Duration(a), Values::Duration(b)) => order_durations(&a[i], &b[j]),
        (Values::Decimal(a), Values::Decimal(b)) => a[i].cmp(&b[j]),
        (Values::Zoned(a), Values::Zoned(b)) => a.values()[i]
            .cmp(&b.values()[j])
            .then_with(|| order_zones(a.tag(i).unwrap_or(&Zone::UTC), b.tag(j).unwrap_or(&Zone::UTC))),
        (Values::Literal(a), Values::Literal(b)) => {
            let texts = a.values().get(i).cmp(b.values().get(j));
            texts.then_with(|| match (a.tag(i), b.tag(j)) {
                (Some(a), Some(b)) => a.order(b),
                _ => Ordering::Equal,
            })
        }
        (Values::List(a), Values::List(b)) => {
            let elements = a.elements(i).zip(b.elements(j));
            let mut orders =
                elements.map(|(x, y)| order_across(a.child(), x as usize, b.child(), y as usize));
            orders.find(|order| order.is_ne()).unwrap_or_else(|| a.count(i).cmp(&b.count(j)))
        }
        (Values::Map(a), Values::Map(b)) if a.has_keys_of(b) => {
            let mut orders = a.fields().iter().zip(b.fields()).map(|(x, y)| order_across(x, i, y, j));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }
        (Values::Any(a), Values::Any(b)) => trimorph_types::order(&a[i], &b[j]),
        _ => return None,
    })
}
