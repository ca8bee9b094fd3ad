//! Lists in their order: what `collect` made of rows as they came, `collect(m ORDER BY m.date)`. Sorting each
//! list by itself, in the cache, takes a fraction of what sorting all rows takes.
//!
//! 1. Integers that order as the first key does are read for all elements.
//! 2. Those of a list, each with its element, are sorted as one integer; of equal ones the elements are
//!    compared. A long list is sorted as rows are, on all cores.
//! 3. The elements of all lists are put in that order at once. Nulls, which `collect` leaves out, are left out
//!    here where they came with their keys.
//!
//! Invariant: equal elements of a list stay in the order in which they came.

use std::cmp::Ordering;

use trimorph_algebra::ListOrder;
use trimorph_base::Diagnostic;
use trimorph_types::Value;
use trimorph_vector::{Lists, Positions, Values, Vector};

use crate::ops::sort::{Key, order_by, ordered_from, own_words_at};
use crate::{Context, ExecError};

/// Elements that are sorted, or read, between two looks at the flag that cancels.
const ELEMENTS_UNCHECKED: usize = 1 << 16;

/// An element with what orders it: whether its first key is null, 64 bits of that key, and the element's place.
type Word = u128;
const PLACE_BITS: u32 = 32;
const NULL_BIT: u32 = 96;

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

/// Lists of which each has its elements in order.
///
/// **Cost**: `n log n` comparisons of integers for the `n` elements of each list; 12 bytes an element beside
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
        Values::List(of) => match Elements::of(of.child(), order) {
            Some(elements) => sorted(of, &elements, cx),
            None => Err(unknown()),
        },
        // Lists whose elements own others.
        Values::Any(values) => {
            let mut out = Vec::with_capacity(values.len());
            for list in values {
                out.push(ordered_list(list, order, cx)?);
            }
            let len = out.len();
            Ok(Vector::of_values(out, Positions::all(len)))
        }
        _ => Ok(lists),
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
    let Some(((first, descending), others)) = keys.split_first() else { return Err(unknown()) };
    let count = lists.child().listed();
    let mut held = cx.settings.budget.reservation();
    held.grow(count * (size_of::<u64>() + size_of::<u32>()))?;
    let (words, is_exact) = words(first, count, cx)?;
    let word = |place: u32| {
        let i = place as usize;
        let (word, is_null) = if first.is_null(i) { (0, true) } else { (words[i], false) };
        // Nulls come last, or first where the order descends.
        let (word, is_null) = if *descending { (!word, !is_null) } else { (word, is_null) };
        Word::from(is_null) << NULL_BIT | Word::from(word) << PLACE_BITS | Word::from(place)
    };
    let is_told = is_exact && others.is_empty();
    let among = if is_exact { others } else { &keys[..] };
    let by_keys = |a: &Word, b: &Word| {
        let mut orders = among.iter().map(|key| order_by(key, place(*a), place(*b)));
        orders.find(|order| *order != Ordering::Equal).unwrap_or_else(|| a.cmp(b))
    };
    let mut order: Vec<u32> = Vec::with_capacity(count);
    let mut runs = Vec::with_capacity(lists.len());
    let (mut few, mut unchecked) = (Vec::new(), 0);
    for i in 0..lists.len() {
        let (begin, list) = (order.len(), lists.elements(i));
        let there = list.filter(|place| !drops_nulls || !values.is_null(*place as usize));
        if lists.count(i) > ELEMENTS_UNCHECKED {
            let came: Vec<u32> = there.collect();
            order.append(&mut ordered_from(Some(&came), keys, came.len(), usize::MAX, cx)?);
        } else {
            few.clear();
            few.extend(there.map(word));
            few.sort_unstable();
            if !is_told {
                let equals = few.chunk_by_mut(|a, b| a >> PLACE_BITS == b >> PLACE_BITS);
                equals.filter(|equal| equal.len() > 1).for_each(|equal| equal.sort_unstable_by(by_keys));
            }
            order.extend(few.iter().map(|word| place(*word)));
            unchecked += few.len();
            if unchecked > ELEMENTS_UNCHECKED {
                unchecked = 0;
                cx.check()?;
            }
        }
        // As many as there are elements, which 32 bits number.
        runs.push((begin as u32, (order.len() - begin) as u32));
    }
    let lists = Lists::new(runs.into_iter(), values.gather(&order));
    // Every run ends within the elements.
    Ok(lists.map_or_else(Vector::empty, |lists| Vector::new(Values::List(lists))))
}

/// The element of a word.
#[expect(clippy::cast_possible_truncation, reason = "the lowest of its parts")]
fn place(word: Word) -> u32 {
    word as u32
}

/// Integers that order as the values of a key, and whether equal ones are of equal values.
fn words(key: &Vector<'_>, count: usize, cx: &Context<'_>) -> Result<(Vec<u64>, bool), ExecError> {
    let (mut words, mut is_exact, mut block) = (Vec::with_capacity(count), true, Vec::new());
    for first in (0..count).step_by(ELEMENTS_UNCHECKED) {
        cx.check()?;
        block.clear();
        // Elements are numbered by 32 bits.
        block.extend(first as u32..count.min(first + ELEMENTS_UNCHECKED) as u32);
        is_exact &= own_words_at(key, &block, &mut words) == Some(true);
        // What has no words is told apart by comparing values.
        words.resize(first + block.len(), 0);
    }
    Ok((words, is_exact))
}
