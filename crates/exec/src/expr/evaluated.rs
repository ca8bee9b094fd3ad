//! What an evaluation over a group gives, and the positions of the group that it is for.

use trimorph_types::Value;
use trimorph_vector::{Chunk, Group, Nodes, Selection, Values, Vector};

use super::Ex;

/// The result of an evaluation over a group.
pub(crate) enum Evaluated<'a, 's> {
    /// One value for all positions.
    Const(Value),
    /// A vector of the chunk.
    Ref(&'a Vector<'s>),
    /// A vector made now.
    Own(Vector<'s>),
}

impl<'s> Evaluated<'_, 's> {
    /// As a vector of `len` positions.
    pub(crate) fn into_vector(self, len: usize) -> Vector<'s> {
        match self {
            Self::Const(v) => constant(&v, len),
            Self::Ref(v) => v.clone(),
            Self::Own(v) => v,
        }
    }

    pub(super) fn vector(&self) -> Option<&Vector<'s>> {
        match self {
            Self::Const(_) => None,
            Self::Ref(v) => Some(v),
            Self::Own(v) => Some(v),
        }
    }
}

/// A vector with the same value everywhere.
fn constant<'s>(value: &Value, len: usize) -> Vector<'s> {
    Vector::new(match value {
        Value::Bool(b) => Values::Bool(vec![*b; len]),
        Value::Int(i) => Values::Int(vec![*i; len]),
        Value::Float(f) => Values::Float(vec![*f; len]),
        Value::Node(n) => Values::Node(Nodes::Ids { table: Some(n.table()), ids: vec![*n; len] }),
        other => Values::Any(vec![other.clone(); len]),
    })
}

/// The positions of a group that are meant.
pub(super) enum Chosen<'a> {
    One(usize),
    Of(&'a Selection),
}

/// The positions of `group` that are meant.
#[inline]
pub(super) fn positions<'a>(group: &'a Group<'_>) -> Chosen<'a> {
    group.flat.map_or(Chosen::Of(&group.selection), Chosen::One)
}

impl Chosen<'_> {
    /// Calls `visit` on each.
    #[inline(always)]
    pub(super) fn for_each(&self, len: usize, mut visit: impl FnMut(usize)) {
        match self {
            Self::One(i) => visit(*i),
            Self::Of(selection) => selection.for_each(len, visit),
        }
    }

    /// As a list.
    pub(super) fn to_vec(&self, len: usize) -> Vec<u32> {
        match self {
            Self::One(i) => vec![u32::try_from(*i).unwrap_or(u32::MAX)],
            Self::Of(selection) => selection.to_vec(len),
        }
    }

    /// Whether every position is meant.
    pub(super) fn is_all(&self) -> bool {
        matches!(self, Self::Of(Selection::All))
    }
}

/// A vector of the chunk if `ex` is one, else an arbitrary constant.
pub(super) fn evaluate_shallow<'a, 's>(ex: &Ex, chunk: &'a Chunk<'s>, group: usize) -> Evaluated<'a, 's> {
    match ex {
        Ex::Slot(place) if place.group == group => Evaluated::Ref(&chunk.groups[group].vectors[place.slot]),
        _ => Evaluated::Const(Value::Null),
    }
}
