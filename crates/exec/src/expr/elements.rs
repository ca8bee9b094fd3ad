//! Expressions about the elements of lists: all elements of a vector of lists are evaluated at once, as a
//! group of their own.
//!
//! 1. The list is evaluated to a vector of lists; general values that are lists are put end to end.
//! 2. What is asked of an element reads nothing but the element and constants: it is evaluated over the
//!    elements of the positions that are meant, with the element in the place of its variable.
//! 3. What that gives is put together by the runs of the lists.
//!
//! What does not fit this is evaluated row by row.

use trimorph_algebra::QuantifierKind;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Group, Lists, Nulls, Positions, Values, Vector};

use super::Ex;
use super::closed::over_elements;
use super::evaluated::{Evaluate, Evaluated, Over};
use super::logic::booleans;
use super::quantified::answer;
use crate::{Context, ExecError};

/// Elements of general lists that are put end to end at most: more are gone through where they are.
const ELEMENTS_MAX: usize = 1 << 18;

/// The elements of the lists of the positions that are meant, end to end.
struct Elements<'s> {
    /// One group with one vector.
    chunk: Chunk<'s>,
    /// The first element and the end of each list.
    runs: Vec<(u32, u32)>,
    /// Which lists are null.
    nulls: Nulls,
}

impl<'s> Elements<'s> {
    /// Of a vector; `None` where something that is meant is no list, or there is too much of it.
    fn of(vector: &Vector<'s>, at: Positions<'_>) -> Option<Self> {
        let (mut runs, mut nulls) = (vec![(0, 0); at.len], Nulls::NONE);
        let elements = match &vector.values {
            Values::List(lists) => {
                let mut elements = Vec::new();
                at.for_each(|i| {
                    if vector.nulls.get(i) {
                        nulls.set(i, at.len);
                    } else if elements.len() <= ELEMENTS_MAX {
                        let start = elements.len();
                        elements.extend(lists.elements(i));
                        runs[i] = run(start, elements.len());
                    }
                });
                if elements.len() > ELEMENTS_MAX {
                    return None;
                }
                lists.child().gather(&elements)
            }
            Values::Any(values) => {
                let (mut elements, mut is_list) = (Vec::new(), true);
                at.for_each(|i| match &values[i] {
                    Value::Null => nulls.set(i, at.len),
                    Value::List(items) if is_list && elements.len() + items.len() <= ELEMENTS_MAX => {
                        let start = elements.len();
                        elements.extend(items.iter().cloned());
                        runs[i] = run(start, elements.len());
                    }
                    _ => is_list = false,
                });
                if !is_list {
                    return None;
                }
                let len = elements.len();
                Vector::of_values(elements, Positions::all(len))
            }
            _ => return None,
        };
        let len = elements.listed();
        let group = Group { len, vectors: vec![elements], ..Group::default() };
        Some(Self { chunk: Chunk { groups: vec![group] }, runs, nulls })
    }

    fn vector(&self) -> Option<&Vector<'s>> {
        self.chunk.groups.first()?.vectors.first()
    }

    /// What a body gives for some of the elements.
    fn evaluate<'a>(
        &'a self,
        body: &Ex,
        among: Option<&[u32]>,
        cx: &Context<'s>,
        evaluate: Evaluate<'a, 's>,
    ) -> Result<Evaluated<'a, 's>, ExecError> {
        let over = Over::group(&self.chunk, 0);
        match among {
            None => evaluate(body, over, cx),
            Some(list) => evaluate(body, over.among(list), cx),
        }
    }
}

/// A run of elements, of which there are fewer than 2^32.
fn run(start: usize, end: usize) -> (u32, u32) {
    (u32::try_from(start).unwrap_or(0), u32::try_from(end).unwrap_or(0))
}

/// `[x IN list WHERE filter | map]`; `None` where it is not evaluated so.
pub(super) fn comprehension<'s>(
    list: &Vector<'s>,
    (filter, map): (Option<&Ex>, Option<&Ex>),
    at: Positions<'_>,
    cx: &Context<'s>,
    evaluate: for<'e> fn(&Ex, Over<'e, '_, 's>, &Context<'s>) -> Result<Evaluated<'e, 's>, ExecError>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let Some(elements) = Elements::of(list, at) else { return Ok(None) };
    let Some(vector) = elements.vector() else { return Ok(None) };
    let len = vector.listed();
    let kept: Option<Vec<u32>> = match filter {
        None => None,
        Some(filter) => {
            let evaluated = elements.evaluate(&over_elements(filter), None, cx, evaluate)?;
            let Some((is, nulls)) = booleans(&evaluated, Positions::all(len)) else { return Ok(None) };
            Some(Positions::all(len).filter(|e| is[e] && !nulls.get(e)))
        }
    };
    let child = match map {
        None => match &kept {
            None => vector.clone(),
            Some(kept) => vector.gather(kept),
        },
        Some(map) => {
            let evaluated = elements.evaluate(&over_elements(map), kept.as_deref(), cx, evaluate)?;
            let made = evaluated.into_vector(len);
            match &kept {
                None => made,
                Some(kept) => made.gather(kept),
            }
        }
    };
    let place = |e: u32| match &kept {
        None => e,
        // Kept elements are ascending, and fewer than there are.
        Some(kept) => u32::try_from(kept.partition_point(|k| *k < e)).unwrap_or(0),
    };
    let runs = elements.runs.iter().map(|(start, end)| {
        let first = place(*start);
        (first, place(*end) - first)
    });
    let Some(lists) = Lists::new(runs, child) else { return Ok(None) };
    Ok(Some(Vector { values: Values::List(lists), nulls: elements.nulls }))
}

/// `any(x IN list WHERE predicate)` and its like; `None` where it is not evaluated so.
pub(super) fn quantifier<'s>(
    kind: QuantifierKind,
    list: &Vector<'s>,
    predicate: &Ex,
    at: Positions<'_>,
    cx: &Context<'s>,
    evaluate: for<'e> fn(&Ex, Over<'e, '_, 's>, &Context<'s>) -> Result<Evaluated<'e, 's>, ExecError>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let Some(elements) = Elements::of(list, at) else { return Ok(None) };
    let Some(vector) = elements.vector() else { return Ok(None) };
    let len = vector.listed();
    let evaluated = elements.evaluate(&over_elements(predicate), None, cx, evaluate)?;
    let Some((is, unknown)) = booleans(&evaluated, Positions::all(len)) else { return Ok(None) };
    let mut out = vec![false; at.len];
    let mut nulls = elements.nulls.clone();
    at.for_each(|i| {
        let (start, end) = elements.runs[i];
        let (start, end) = (start as usize, end as usize);
        let unknowns = if unknown.is_none() { 0 } else { (start..end).filter(|e| unknown.get(*e)).count() };
        let trues = (start..end).filter(|e| is[*e] && !unknown.get(*e)).count();
        match answer(kind, end - start, trues, unknowns) {
            Some(answer) => out[i] = answer,
            None => nulls.set(i, at.len),
        }
    });
    Ok(Some(Vector { values: Values::Bool(out), nulls }))
}
