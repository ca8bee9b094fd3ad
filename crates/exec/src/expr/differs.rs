//! Whether an edge is none of many others: takes the places of edges, gives a Boolean for each position of a
//! group; `None` where the general operator is asked for.
//!
//! Edges of flat groups are the same for all positions: a few are looked through, many become a set, once
//! for each chunk.

use rustc_hash::FxHashSet;
use trimorph_base::EdgeId;
use trimorph_vector::{Chunk, Edges, Positions, Values, Vector};

use super::Ex;
use super::evaluated::Over;

/// Edges that are looked through one by one, and positions up to which they are, however many they be: a
/// comparison costs 0.5 ns, an entry of a set some 10 ns. Estimated, not measured.
const LOOKED_THROUGH_MAX: usize = 16;

/// One edge for all positions, or one for each.
enum Side<'a, 's> {
    One(EdgeId),
    Each(&'a Edges<'s>),
}

pub(super) fn differs<'s>(first: &Ex, others: &[Ex], over: Over<'_, '_, 's>) -> Option<Vector<'s>> {
    let (chunk, group, at) = (over.chunk, over.group, over.at);
    let first = side(first, chunk, group)?;
    let (mut known, mut beside) = (Vec::with_capacity(others.len()), Vec::new());
    for other in others {
        match side(other, chunk, group)? {
            Side::One(id) => known.push(id),
            Side::Each(edges) => beside.push(edges),
        }
    }
    let mut out = vec![false; at.len];
    match first {
        Side::One(own) => {
            let differs = !known.contains(&own);
            at.for_each(|i| out[i] = differs && beside.iter().all(|e| e.id(i) != own));
        }
        Side::Each(own) if known.len().min(at.len) <= LOOKED_THROUGH_MAX => {
            at.for_each(|i| out[i] = !known.contains(&own.id(i)));
            tell_apart(own, &beside, &mut out, at);
        }
        Side::Each(own) => {
            let known: FxHashSet<EdgeId> = known.into_iter().collect();
            at.for_each(|i| out[i] = !known.contains(&own.id(i)));
            tell_apart(own, &beside, &mut out, at);
        }
    }
    Some(Vector::new(Values::Bool(out)))
}

/// Leaves those positions at which an edge is none of those beside it.
fn tell_apart<'s>(own: &Edges<'s>, beside: &[&Edges<'s>], out: &mut [bool], at: Positions<'_>) {
    for other in beside {
        at.for_each(|i| out[i] &= own.id(i) != other.id(i));
    }
}

/// The edge, or edges, at a place.
fn side<'a, 's>(ex: &Ex, chunk: &'a Chunk<'s>, group: usize) -> Option<Side<'a, 's>> {
    let Ex::Slot(place) = ex else { return None };
    let own = &chunk.groups[place.group];
    let Vector { values: Values::Edge(edges), nulls } = &own.vectors[place.slot] else { return None };
    if place.group == group {
        return nulls.is_none().then_some(Side::Each(edges));
    }
    let at = own.flat?;
    (!nulls.get(at)).then(|| Side::One(edges.id(at)))
}
