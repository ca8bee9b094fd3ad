//! `list + list`, `list + element` and `element + list`, of lists that are runs of a vector of elements: the
//! elements of both sides are put into one vector, in the order in which lists have them.
//!
//! What would make very many elements is left to the evaluator of rows, which charges them.

use std::borrow::Cow;

use trimorph_types::Value;
use trimorph_vector::{Lists, Nulls, Positions, Values, Vector};

use super::evaluated::{Evaluated, Over};
use super::maps::side_by_side;
use crate::Context;
use crate::rows::append;

/// Elements that are made for a chunk at most.
const ELEMENTS_MAX: usize = 1 << 18;

/// One operand: lists, or elements.
enum Side<'a, 's> {
    Lists(Cow<'a, Lists<'s>>, &'a Nulls),
    Elements(&'a Vector<'s>),
    /// The same list for all rows, as elements; or one element.
    One(Vector<'s>),
}

impl<'a, 's> Side<'a, 's> {
    /// `None` where it is no operand of such a sum.
    fn of(evaluated: &'a Evaluated<'_, 's>, at: Positions<'_>, cx: &Context<'s>) -> Option<(Self, bool)> {
        Some(match (evaluated, evaluated.vector()) {
            (Evaluated::Const(Value::List(items)), _) => {
                let items: Vec<Value> = items.iter().cloned().collect();
                let len = items.len();
                (Self::One(Vector::of_values(items, Positions::all(len))), true)
            }
            (Evaluated::Const(Value::Null), _) => return None,
            (Evaluated::Const(one), _) => (Self::One(Vector::constant(one, 1)), false),
            (_, Some(Vector { values: Values::List(lists), nulls })) => {
                (Self::Lists(Cow::Borrowed(lists), nulls), true)
            }
            (_, Some(Vector { values: Values::Tuple(tuples), nulls })) => {
                let there: Vec<u32> = at.to_vec().into_iter().filter(|p| !nulls.get(*p as usize)).collect();
                let lists = side_by_side(tuples.fields(), &there, at.len, cx)?;
                (Self::Lists(Cow::Owned(lists), nulls), true)
            }
            // Among general values there may be lists.
            (_, Some(Vector { values: Values::Any(_), .. })) => return None,
            (_, Some(vector)) => (Self::Elements(vector), false),
            _ => return None,
        })
    }

    fn is_null(&self, i: usize) -> bool {
        match self {
            Self::Lists(_, nulls) => nulls.get(i),
            Self::Elements(vector) => vector.is_null(i),
            Self::One(_) => false,
        }
    }

    /// How many elements it has at a position.
    fn count(&self, i: usize) -> usize {
        match self {
            Self::Lists(lists, _) => lists.count(i),
            Self::Elements(_) => 1,
            Self::One(elements) => elements.listed(),
        }
    }

    /// The vector that its elements are in, and where those of some positions are, one after the other.
    fn elements(&self, at: &[usize]) -> (&Vector<'s>, Vec<u32>) {
        match self {
            Self::Lists(lists, _) => (lists.child(), at.iter().flat_map(|i| lists.elements(*i)).collect()),
            // Positions of a chunk.
            Self::Elements(vector) => (vector, at.iter().map(|i| *i as u32).collect()),
            Self::One(elements) => (elements, (0..elements.listed() as u32).collect()),
        }
    }
}

/// Lists made of both operands; `None` where neither is a list, or they are to be evaluated row by row.
pub(super) fn joined_lists<'s>(
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    let ((a, is_list), (b, is_other)) = (Side::of(a, over.at, cx)?, Side::of(b, over.at, cx)?);
    if !is_list && !is_other {
        return None;
    }
    let (mut rows, mut nulls, mut count) = (Vec::new(), Nulls::NONE, 0usize);
    over.at.for_each(|i| {
        if a.is_null(i) || b.is_null(i) {
            nulls.set(i, over.at.len);
        } else {
            rows.push(i);
            count = count.saturating_add(a.count(i) + b.count(i));
        }
    });
    if count > ELEMENTS_MAX {
        return None;
    }
    let mut both = Vector::empty();
    let (mut first, mut second) = (0u32, 0u32);
    for (side, is_second) in [(&a, false), (&b, true)] {
        let (elements, places) = side.elements(&rows);
        if !places.is_empty() {
            append(&mut both, elements, &places, &|id| cx.edge_value(id));
        }
        if !is_second {
            second = places.len() as u32;
        }
    }
    // Those of the second side lie behind all of the first.
    let mut order = Vec::with_capacity(count);
    let mut runs = vec![(0, 0); over.at.len];
    for i in rows {
        let (own, other) = (a.count(i) as u32, b.count(i) as u32);
        runs[i] = (order.len() as u32, own + other);
        order.extend(first..first + own);
        order.extend(second..second + other);
        // One list for all is there once.
        first += if let Side::One(_) = a { 0 } else { own };
        second += if let Side::One(_) = b { 0 } else { other };
    }
    let lists = Lists::new(runs.into_iter(), both.gather(&order))?;
    Some(Vector { values: Values::List(lists), nulls })
}
