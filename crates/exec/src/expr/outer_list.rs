//! `IN` a list that is the same for many rows: takes where it stands, gives its elements as sets, which are
//! made once for all rows that are compared with it.
//!
//! `WITH collect(p.id) AS ids MATCH (n) WHERE n.ref IN ids`: there is one list and there are many rows. It
//! stands in another group, or a join has put it beside each row; then it is the same run of elements, for
//! all rows or for many that come one after the other. A few
//! lists are remembered, each by the run of elements that it is; what it lies in is held, so that another
//! list cannot come to lie there meanwhile.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use trimorph_base::{CancelToken, EdgeId, MemoryBudget};
use trimorph_types::Value;
use trimorph_vector::{Positions, Values, Vector};

use super::Members;

/// Lists that are remembered: as many as a condition has, as a rule.
const KEPT: usize = 4;
/// Elements below which a list is as soon looked through.
const FEW: usize = 8;

/// The lists that were looked through last, the latest first.
#[derive(Debug, Default)]
pub(crate) struct OuterLists<'s>(RefCell<VecDeque<(Stood<'s>, Arc<Members>)>>);

/// A list, by where it stands.
#[derive(Debug)]
enum Stood<'s> {
    /// A run of elements.
    Run(Arc<Vector<'s>>, Range<u32>),
    /// A value.
    Value(Value),
}

impl<'s> Stood<'s> {
    fn of(vector: &Vector<'s>, position: usize) -> Option<(Self, usize)> {
        match &vector.values {
            Values::List(lists) if !vector.nulls.get(position) => {
                let elements = lists.elements(position);
                let len = elements.len();
                Some((Self::Run(Arc::clone(lists.child()), elements), len))
            }
            Values::Any(values) => match values.get(position)? {
                Value::List(items) => Some((Self::Value(Value::List(Arc::clone(items))), items.len())),
                _ => None,
            },
            _ => None,
        }
    }

    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Run(a, of), Self::Run(b, at)) => Arc::ptr_eq(a, b) && of == at,
            (Self::Value(Value::List(a)), Self::Value(Value::List(b))) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn list(&self, edge: &dyn Fn(EdgeId) -> Value) -> Value {
        match self {
            Self::Run(child, elements) => {
                let value = |e: u32| child.value(e as usize, edge);
                Value::list(elements.clone().map(value).collect())
            }
            Self::Value(list) => list.clone(),
        }
    }
}

/// A position of the list that all positions have; `None` where they have several, or no list.
pub(super) fn one_list(vector: &Vector<'_>, at: Positions<'_>) -> Option<usize> {
    let mut first = None;
    let mut same = true;
    match &vector.values {
        Values::List(lists) if vector.nulls.is_none() => at.for_each(|i| {
            let first = *first.get_or_insert(i);
            same = same && lists.elements(i) == lists.elements(first);
        }),
        Values::Any(values) => at.for_each(|i| {
            let first = *first.get_or_insert(i);
            same = same
                && match (values.get(first), values.get(i)) {
                    (Some(Value::List(a)), Some(Value::List(b))) => Arc::ptr_eq(a, b),
                    _ => false,
                };
        }),
        _ => return None,
    }
    first.filter(|_| same)
}

/// Positions that have the same list as the one before, by their places among all: `None` where lists come
/// for too few positions each, or are null.
pub(super) fn runs_of_lists(vector: &Vector<'_>, positions: &[u32]) -> Option<Vec<Range<usize>>> {
    let Values::List(lists) = &vector.values else { return None };
    if !vector.nulls.is_none() {
        return None;
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (place, position) in positions.iter().enumerate() {
        let list = lists.elements(*position as usize);
        match runs.last_mut() {
            Some(run) if last.as_ref() == Some(&list) => run.end = place + 1,
            _ => {
                if runs.len() * FEW > positions.len() {
                    return None;
                }
                runs.push(place..place + 1);
                last = Some(list);
            }
        }
    }
    Some(runs)
}

impl<'s> OuterLists<'s> {
    /// The elements of the list at `position` of a vector, which so many rows will be compared with; `None`
    /// where there is no list, or where it is as soon looked through. `edge` makes relationships of ids.
    pub(super) fn members(
        &self,
        (vector, position): (&Vector<'s>, usize),
        rows: usize,
        edge: &dyn Fn(EdgeId) -> Value,
        budget: &MemoryBudget,
        cancel: &CancelToken,
    ) -> Option<Arc<Members>> {
        let (stood, len) = Stood::of(vector, position)?;
        let mut kept = self.0.borrow_mut();
        if let Some((_, members)) = kept.iter().find(|(other, _)| other.is(&stood)) {
            return Some(Arc::clone(members));
        }
        // An element costs more to be put into a set than to be compared.
        if len < FEW || rows < FEW {
            return None;
        }
        let members = Arc::new(Members::of(&stood.list(edge), budget, cancel)?);
        kept.truncate(KEPT - 1);
        kept.push_front((stood, Arc::clone(&members)));
        Some(members)
    }
}
