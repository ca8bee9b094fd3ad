//! How a function is computed for the positions of a vector: typed vectors in, a typed vector out.
//!
//! A kernel answers `None` where the types, or a value, ask for the general path: `call` for each position.
//! So a kernel has no messages: what is an error is found in a vector, and told by `call`.

use trimorph_types::Value;
use trimorph_vector::{Nulls, Positions, Side, Values, Vector};

use crate::context::Context;

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a, 's> {
    /// The same value for all positions.
    One(&'a Value),
    /// One for each.
    Each(&'a Vector<'s>),
}

/// Computes a function for the positions that are meant. The number of arguments is right, at least one is a
/// vector if there are any, and if the function is null for a null argument, none is the constant null.
pub type TypedKernel = for<'s> fn(&Context<'_>, &[Argument<'_, 's>], Positions<'_>) -> Option<Vector<'s>>;

/// How a function is computed for a vector.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// By `call`, value by value.
    General,
    /// By a kernel over typed vectors.
    Typed(TypedKernel),
    /// By whoever evaluates the arguments: later ones are evaluated only where earlier ones do not decide.
    ByNeed,
    /// By whoever evaluates, which has the kernels of `=`: null where the two arguments are equal.
    ByEquality,
}

impl<'a> Argument<'a, '_> {
    /// Where it is null.
    pub fn nulls(self) -> Option<&'a Nulls> {
        match self {
            Self::One(_) => None,
            Self::Each(v) => Some(&v.nulls),
        }
    }

    /// Integers.
    pub fn ints(self) -> Option<Side<'a, i64>> {
        match self {
            Self::One(Value::Int(i)) => Some(Side::One(*i)),
            Self::Each(Vector { values: Values::Int(v), .. }) => Some(Side::Each(v)),
            _ => None,
        }
    }

    /// Floats.
    pub fn floats(self) -> Option<Side<'a, f64>> {
        match self {
            Self::One(Value::Float(f)) => Some(Side::One(*f)),
            Self::Each(Vector { values: Values::Float(v), .. }) => Some(Side::Each(v)),
            _ => None,
        }
    }

    /// Nanoseconds of moments with an offset or zone, whatever that is.
    pub fn instants(self) -> Option<Side<'a, i64>> {
        match self {
            Self::One(Value::DateTime(t)) => {
                Some(Side::One(t.seconds.checked_mul(1_000_000_000)?.checked_add(t.nanos.into())?))
            }
            Self::Each(Vector { values: Values::DateTime(v), .. }) => Some(Side::Each(v)),
            Self::Each(Vector { values: Values::Zoned(v), .. }) => Some(Side::Each(v.values())),
            _ => None,
        }
    }
}

/// Where one of the arguments is null.
pub fn nulls_of(args: &[Argument<'_, '_>], len: usize) -> Nulls {
    args.iter().filter_map(|a| a.nulls()).fold(Nulls::NONE, |all, more| all.union(more, len))
}
