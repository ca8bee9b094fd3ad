//! Expressions about the elements of lists: the elements of a vector of lists are evaluated at once, as a
//! group of their own, so many at a time.
//!
//! 1. The list is evaluated to a vector of lists; a constant one is the list of every position, general
//!    values that are lists are put end to end.
//! 2. What is asked of an element is evaluated over elements, with the element in the place of its variable
//!    and what is read outside repeated for each ([`Bodies`]).
//! 3. What that gives is put together by the lists.
//!
//! What does not fit this is evaluated row by row.

use std::sync::Arc;

use trimorph_algebra::QuantifierKind;
use trimorph_base::Reservation;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Group, Lists, Nulls, Positions, Values, Vector};

use super::Ex;
use super::evaluated::{Evaluated, Outcome, Over, OverElements};
use super::logic::booleans;
use super::maps::side_by_side;
use super::quantified::answer;
use super::repeated::{Bodies, Outer};
use crate::{Context, ExecError};

/// Elements that are evaluated at once at most.
const ELEMENTS_MAX: usize = 1 << 16;

/// The lists of the positions that are meant.
pub(super) struct Listed<'s> {
    /// The elements of all of them, and of others.
    pub(super) child: Arc<Vector<'s>>,
    /// The first element and the end of the list of each position; of those that are not meant nothing.
    pub(super) runs: Vec<(u32, u32)>,
    /// Which lists are null.
    pub(super) nulls: Nulls,
}

/// Part of the elements of the lists, end to end.
pub(super) struct Batch<'s> {
    /// One group: the elements, and what is read outside.
    pub(super) chunk: Chunk<'s>,
    /// Position, first element and end of each list or part of one, counted from the first of the batch.
    pub(super) parts: Vec<(usize, u32, u32)>,
}

/// A run of elements, of which there are fewer than 2^32.
fn run(start: usize, end: usize) -> Option<(u32, u32)> {
    Some((u32::try_from(start).ok()?, u32::try_from(end).ok()?))
}

impl<'s> Listed<'s> {
    /// Of what a list was evaluated to; `None` where something that is meant is no list.
    pub(super) fn of(list: &Evaluated<'_, 's>, at: Positions<'_>, cx: &Context<'s>) -> Option<Self> {
        let (mut runs, mut nulls) = (vec![(0, 0); at.len], Nulls::NONE);
        let general = |values: Vec<Value>| {
            let len = values.len();
            Arc::new(Vector::of_values(values, Positions::all(len)))
        };
        let child = match (list, list.vector()) {
            (Evaluated::Const(Value::List(items)), _) => {
                let whole = run(0, items.len())?;
                at.for_each(|i| runs[i] = whole);
                general(items.to_vec())
            }
            (_, Some(vector @ Vector { values: Values::Tuple(tuples), .. })) => {
                at.for_each(|i| {
                    if vector.is_null(i) {
                        nulls.set(i, at.len);
                    }
                });
                let there: Vec<u32> = at.to_vec().into_iter().filter(|p| !nulls.get(*p as usize)).collect();
                let lists = side_by_side(tuples.fields(), &there, at.len, cx)?;
                runs = lists.runs().map(|(start, len)| (start, start + len)).collect();
                Arc::clone(lists.child())
            }
            (_, Some(Vector { values: Values::List(lists), nulls: null })) => {
                at.for_each(|i| match null.get(i) {
                    true => nulls.set(i, at.len),
                    false => {
                        let elements = lists.elements(i);
                        runs[i] = (elements.start, elements.end);
                    }
                });
                Arc::clone(lists.child())
            }
            (_, Some(Vector { values: Values::Any(values), .. })) => {
                let (mut elements, mut are_lists) = (Vec::new(), true);
                at.for_each(|i| match &values[i] {
                    Value::Null => nulls.set(i, at.len),
                    Value::List(items) if are_lists => {
                        let start = elements.len();
                        elements.extend(items.iter().cloned());
                        match run(start, elements.len()) {
                            Some(run) => runs[i] = run,
                            None => are_lists = false,
                        }
                    }
                    _ => are_lists = false,
                });
                if !are_lists {
                    return None;
                }
                general(elements)
            }
            _ => return None,
        };
        Some(Self { child, runs, nulls })
    }

    /// How many elements the list at a position has.
    pub(super) fn count(&self, i: usize) -> usize {
        let (start, end) = self.runs[i];
        (end - start) as usize
    }

    /// Whether there are about as many elements as lists, or more: then it pays to evaluate for each list
    /// what is the same for its elements.
    pub(super) fn pays(&self, at: Positions<'_>) -> bool {
        let (mut lists, mut elements) = (0, 0);
        at.for_each(|i| {
            lists += 1;
            elements += self.count(i);
        });
        lists <= elements * 2
    }

    /// The elements at places of the child.
    pub(super) fn elements(&self, places: &[u32]) -> Vector<'s> {
        self.child.gather(places)
    }

    /// Gives `visit` all elements, batch by batch, with what bodies read outside; `false` where it gives
    /// that, or where something outside is not to be repeated.
    pub(super) fn for_each(
        &self,
        outer: &[Outer<'s>],
        over: Over<'_, '_, 's>,
        cx: &Context<'s>,
        visit: &mut dyn FnMut(&Batch<'s>) -> Result<bool, ExecError>,
    ) -> Result<bool, ExecError> {
        let vectors = &over.chunk.groups[over.group].vectors;
        let Some(outer) = outer.iter().map(|o| o.vector(vectors)).collect::<Option<Vec<_>>>() else {
            return Ok(false);
        };
        let (mut places, mut owners, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        let mut flush = |places: &mut Vec<u32>, owners: &mut Vec<u32>, parts: &mut Vec<(usize, u32, u32)>| {
            cx.check()?;
            let elements = std::iter::once(self.elements(places));
            let vectors: Vec<_> = elements.chain(outer.iter().map(|v| v.gather(owners))).collect();
            let group = Group { len: places.len(), vectors, ..Group::default() };
            let batch = Batch { chunk: Chunk { groups: vec![group] }, parts: std::mem::take(parts) };
            places.clear();
            owners.clear();
            visit(&batch)
        };
        for position in over.at.to_vec() {
            let (mut start, end) = self.runs[position as usize];
            while start < end {
                let room = ELEMENTS_MAX - places.len();
                let take = room.min((end - start) as usize);
                let from = places.len();
                places.extend((start..end).take(take));
                owners.resize(places.len(), position);
                if let Some((from, to)) = run(from, places.len()) {
                    parts.push((position as usize, from, to));
                    start += to - from;
                }
                if places.len() == ELEMENTS_MAX && !flush(&mut places, &mut owners, &mut parts)? {
                    return Ok(false);
                }
            }
        }
        Ok(places.is_empty() || flush(&mut places, &mut owners, &mut parts)?)
    }
}

impl<'s> Batch<'s> {
    pub(super) fn len(&self) -> usize {
        self.chunk.groups[0].len
    }

    /// What a body gives for some of the elements.
    pub(super) fn evaluate<'a>(
        &'a self,
        body: &Ex,
        among: Option<&'a [u32]>,
        cx: &Context<'s>,
        evaluate: OverElements<'s>,
    ) -> Outcome<'a, 's> {
        let over = Over::group(&self.chunk, 0);
        match among {
            None => evaluate(body, over, cx),
            Some(list) => evaluate(body, over.among(list), cx),
        }
    }
}

/// `[x IN list WHERE filter | map]`; `None` where it is not evaluated so.
pub(super) fn comprehension<'s>(
    list: &Evaluated<'_, 's>,
    (local, filter, map): (usize, Option<&Ex>, Option<&Ex>),
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
    evaluate: OverElements<'s>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let Some(listed) = Listed::of(list, over.at, cx) else { return Ok(None) };
    let mut bodies = Bodies::new(evaluate, listed.pays(over.at));
    let filter = filter.map(|body| bodies.over(body, (local, 1), over, cx)).transpose()?;
    let map = map.map(|body| bodies.over(body, (local, 1), over, cx)).transpose()?;
    let mut child = Vector::empty();
    // The first element of each list and how many it has: parts of a list come one after the other.
    let mut runs = vec![(0u32, 0u32); over.at.len];
    let mut held: Option<Reservation> = None;
    let done = listed.for_each(&bodies.outer, over, cx, &mut |batch| {
        let len = batch.len();
        let kept: Option<Vec<u32>> = match &filter {
            None => None,
            Some(filter) => {
                let evaluated = batch.evaluate(filter, None, cx, evaluate)?;
                let Some((is, nulls)) = booleans(&evaluated, Positions::all(len)) else { return Ok(false) };
                Some(Positions::all(len).filter(|e| is[e] && !nulls.get(e)))
            }
        };
        let made = match &map {
            None => batch.chunk.groups[0].vectors[0].clone(),
            Some(map) => batch.evaluate(map, kept.as_deref(), cx, evaluate)?.into_vector(len),
        };
        let made = match &kept {
            None => made,
            Some(kept) => made.gather(kept),
        };
        let place = |e: u32| match &kept {
            None => e,
            // Kept elements are ascending, and fewer than there are.
            Some(kept) => u32::try_from(kept.partition_point(|k| *k < e)).unwrap_or(0),
        };
        let Ok(before) = u32::try_from(child.listed()) else { return Ok(false) };
        for (position, start, end) in &batch.parts {
            let (first, end) = (place(*start), place(*end));
            let run = &mut runs[*position];
            if run.1 == 0 {
                run.0 = before + first;
            }
            run.1 += end - first;
        }
        let len = made.listed();
        if before == 0 {
            child = made;
            return Ok(true);
        }
        let bytes = len * size_of::<Value>() + made.owned_bytes(0..len) as usize;
        held.get_or_insert_with(|| cx.settings.budget.reservation()).grow(bytes)?;
        let all: Vec<u32> = Positions::all(len).to_vec();
        child.extend(&made, &all, &|id| cx.edge_value(id));
        Ok(u32::try_from(child.listed()).is_ok())
    })?;
    if !done {
        return Ok(None);
    }
    let Some(lists) = Lists::new(runs.into_iter(), child) else { return Ok(None) };
    Ok(Some(Vector { values: Values::List(lists), nulls: listed.nulls }))
}

/// `any(x IN list WHERE predicate)` and its like; `None` where it is not evaluated so.
pub(super) fn quantifier<'s>(
    (kind, local): (QuantifierKind, usize),
    list: &Evaluated<'_, 's>,
    predicate: &Ex,
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
    evaluate: OverElements<'s>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let Some(listed) = Listed::of(list, over.at, cx) else { return Ok(None) };
    let mut bodies = Bodies::new(evaluate, listed.pays(over.at));
    let predicate = bodies.over(predicate, (local, 1), over, cx)?;
    let mut counts = vec![(0usize, 0usize); over.at.len];
    let done = listed.for_each(&bodies.outer, over, cx, &mut |batch| {
        let len = batch.len();
        let evaluated = batch.evaluate(&predicate, None, cx, evaluate)?;
        let Some((is, unknown)) = booleans(&evaluated, Positions::all(len)) else { return Ok(false) };
        for (position, start, end) in &batch.parts {
            let (start, end) = (*start as usize, *end as usize);
            let (trues, unknowns) = &mut counts[*position];
            if unknown.is_none() {
                *trues += is[start..end].iter().filter(|is| **is).count();
            } else {
                *unknowns += (start..end).filter(|e| unknown.get(*e)).count();
                *trues += (start..end).filter(|e| is[*e] && !unknown.get(*e)).count();
            }
        }
        Ok(true)
    })?;
    if !done {
        return Ok(None);
    }
    let mut out = vec![false; over.at.len];
    let mut nulls = listed.nulls.clone();
    over.at.for_each(|i| {
        let (trues, unknowns) = counts[i];
        match answer(kind, listed.count(i), trues, unknowns) {
            Some(answer) => out[i] = answer,
            None => nulls.set(i, over.at.len),
        }
    });
    Ok(Some(Vector { values: Values::Bool(out), nulls }))
}
