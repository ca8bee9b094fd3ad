//! Lists in their order: what `collect` made of rows as they came, `collect(m ORDER BY m.date)`. Sorting each
//! list by itself, in the cache, takes a fraction of what sorting all rows takes.
//!
//! 1. The places of a list's elements are sorted by integers that order as the first key does. A long list is
//!    sorted as rows are, on all cores.
//! 2. The elements of all lists are put in that order at once. Nulls, which `collect` leaves out, are left
//!    out here where they came with their keys.
//!
//! Invariant: equal elements of a list stay in the order in which they came.

use trimorph_algebra::ListOrder;
use trimorph_base::Diagnostic;
use trimorph_types::Value;
use trimorph_vector::order::{Key, Sorter};
use trimorph_vector::{Lists, Maps, Positions, Values, Vector};

use crate::ops::sort::ordered_from;
use crate::{Context, ExecError};

/// Elements that are sorted, or read, between two looks at the flag that cancels.
const ELEMENTS_UNCHECKED: usize = 1 << 16;

/// The elements of a vector of lists, and what orders them.
struct Elements<'a, 's> {
    values: &'a Vector<'s>,
    keys: Vec<Key<'a, 's>>,
    /// Whether nulls may be among the values, which are left out.
    drops_nulls: bool,
}

impl<'a, 's> Elements<'a, 's> {
    /// `None` where elements are not what the order says.
    fn of(child: &'a Vector<'s>, order: &ListOrder) -> Option<Self> {
        match (order, &child.values) {
            (ListOrder::Elements { descending }, _) => {
                Some(Self { values: child, keys: vec![(child, *descending)], drops_nulls: false })
            }
            (ListOrder::Keys(descending), Values::Map(maps)) => {
                let (values, keys) = maps.fields().split_first()?;
                let drops_nulls = values.may_have_nulls();
                let keys: Vec<_> = keys.iter().zip(descending.iter().copied()).collect();
                (keys.len() == descending.len()).then_some(Self { values, keys, drops_nulls })
            }
            _ => None,
        }
    }
}

/// Values with the numbers by which they came, as elements that are ordered by these.
pub(super) fn arrived<'s>(values: &Vector<'s>, came: &Vector<'s>) -> Option<Vector<'s>> {
    let entries = [("0", values), ("1", came)].map(|(key, vector)| (key.into(), vector.clone()));
    Some(Vector::new(Values::Map(Maps::new(entries.into(), came.listed())?)))
}

/// The order of such elements.
pub(super) fn by_arrival() -> ListOrder {
    ListOrder::Keys([false].into())
}

/// Lists of which each has its elements in order.
///
/// **Cost**: `n log n` comparisons of integers for the `n` elements of each list; 4 bytes an element beside
/// the lists.
///
/// **Errors**: too little memory; that the query was cancelled.
pub(super) fn ordered_lists<'s>(
    lists: Vector<'s>,
    order: &ListOrder,
    cx: &Context<'s>,
) -> Result<Vector<'s>, ExecError> {
    match &lists.values {
        Values::List(of) if of.child().listed() == 0 => Ok(lists),
        Values::List(of) if let Some(elements) = Elements::of(of.child(), order) => sorted(of, &elements, cx),
        // Elements own others, or are of several types.
        _ => {
            let mut out = Vec::with_capacity(lists.listed());
            for i in 0..lists.listed() {
                out.push(ordered_list(&lists.value(i, &|id| cx.edge_value(id)), order, cx)?);
            }
            let len = out.len();
            Ok(Vector::of_values(out, Positions::all(len)))
        }
    }
}

fn unknown() -> ExecError {
    Diagnostic::internal("elements without what they are ordered by").into()
}

/// One list in order.
fn ordered_list(list: &Value, order: &ListOrder, cx: &Context<'_>) -> Result<Value, ExecError> {
    let Value::List(items) = list else { return Ok(list.clone()) };
    let len = items.len();
    if len == 0 {
        return Ok(list.clone());
    }
    let child = Vector::of_values(items.iter().cloned().collect(), Positions::all(len));
    let elements = Elements::of(&child, order).ok_or_else(unknown)?;
    let places: Vec<u32> = (0..u32::try_from(len).unwrap_or(u32::MAX)).collect();
    let places = ordered_from(Some(&places), &elements.keys, len, usize::MAX, cx)?;
    let values = places.iter().map(|place| elements.values.value(*place as usize, &|id| cx.edge_value(id)));
    Ok(Value::list(values.filter(|value| !(elements.drops_nulls && value.is_null())).collect()))
}

fn sorted<'s>(
    lists: &Lists<'s>,
    elements: &Elements<'_, 's>,
    cx: &Context<'s>,
) -> Result<Vector<'s>, ExecError> {
    let Elements { values, keys, drops_nulls } = elements;
    let count = lists.child().listed();
    let mut held = cx.settings.budget.reservation();
    held.grow(count * size_of::<u32>())?;
    let mut order: Vec<u32> = Vec::with_capacity(count);
    let mut runs = Vec::with_capacity(lists.len());
    let (mut sorter, mut came, mut unchecked) = (Sorter::new(keys), Vec::new(), 0);
    for i in 0..lists.len() {
        let begin = order.len();
        came.clear();
        came.extend(lists.elements(i).filter(|place| !drops_nulls || !values.is_null(*place as usize)));
        unchecked += came.len();
        if unchecked > ELEMENTS_UNCHECKED {
            unchecked = 0;
            cx.check()?;
        }
        if came.len() > ELEMENTS_UNCHECKED {
            order.append(&mut ordered_from(Some(&came), keys, came.len(), usize::MAX, cx)?);
        } else {
            sorter.sort(&came, &mut order);
        }
        // As many as there are elements, which 32 bits number.
        runs.push((begin as u32, (order.len() - begin) as u32));
    }
    let lists = Lists::new(runs.into_iter(), values.gather(&order));
    // Every run ends within the elements.
    Ok(lists.map_or_else(Vector::empty, |lists| Vector::new(Values::List(lists))))
}
