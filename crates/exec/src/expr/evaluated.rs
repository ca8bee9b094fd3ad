//! What an evaluation over a group gives, and the positions of the group that it is for.

use trimorph_types::Value;
use trimorph_vector::{Chunk, Positions, Vector};

use super::Ex;
use crate::{Context, ExecError};

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
            Self::Const(v) => Vector::constant(&v, len),
            Self::Ref(v) => v.clone(),
            Self::Own(v) => v,
        }
    }

    pub(crate) fn vector(&self) -> Option<&Vector<'s>> {
        match self {
            Self::Const(_) => None,
            Self::Ref(v) => Some(v),
            Self::Own(v) => Some(v),
        }
    }

    /// As an argument of a kernel.
    pub(super) fn argument(&self) -> trimorph_functions::Argument<'_, 's> {
        match self {
            Self::Const(v) => trimorph_functions::Argument::One(v),
            Self::Ref(v) => trimorph_functions::Argument::Each(v),
            Self::Own(v) => trimorph_functions::Argument::Each(v),
        }
    }
}

/// What an evaluation gives, or that it fails.
pub(super) type Outcome<'a, 's> = Result<Evaluated<'a, 's>, ExecError>;

/// The evaluator, for those parts of it that evaluate others.
pub(super) type Evaluate<'a, 's> = fn(&Ex, Over<'a, '_, 's>, &Context<'s>) -> Outcome<'a, 's>;

/// The evaluator, over a group of elements.
pub(super) type OverElements<'s> =
    for<'e, 'p, 'f> fn(&'f Ex, Over<'e, 'p, 's>, &'f Context<'s>) -> Outcome<'e, 's>;

/// What is evaluated over: a group of a chunk, of which some positions are meant.
#[derive(Clone, Copy)]
pub(super) struct Over<'a, 'p, 's> {
    pub(super) chunk: &'a Chunk<'s>,
    pub(super) group: usize,
    pub(super) at: Positions<'p>,
}

impl<'a, 's> Over<'a, 'a, 's> {
    /// All positions that the group means.
    pub(super) fn group(chunk: &'a Chunk<'s>, group: usize) -> Self {
        Self { chunk, group, at: Positions::of(&chunk.groups[group]) }
    }
}

impl<'a, 's> Over<'a, '_, 's> {
    /// Those of a list.
    pub(super) fn among<'q>(self, list: &'q [u32]) -> Over<'a, 'q, 's> {
        let at = Positions { len: self.at.len, chosen: trimorph_vector::Chosen::All };
        Over { chunk: self.chunk, group: self.group, at: at.among(list) }
    }

    /// A vector of the chunk if `ex` is one.
    pub(super) fn slot(self, ex: &Ex) -> Option<&'a Vector<'s>> {
        match ex {
            Ex::Slot(place) if place.group == self.group => {
                Some(&self.chunk.groups[self.group].vectors[place.slot])
            }
            _ => None,
        }
    }
}
