//! What an entry of the tables is.

/// Syntax: the word that cannot stand where it stands, the word before or behind it (any, if there is none in
/// the list), what it is, and what to use.
pub(super) type Syntax = (&'static str, Neighbour, &'static str, &'static str);

#[derive(Clone, Copy)]
pub(super) enum Neighbour {
    Any,
    Before(&'static [&'static str]),
    After(&'static [&'static str]),
}

/// A function or procedure, and what to use; a name that ends with a star stands for all that begin so, and
/// the first that fits counts.
pub(super) type Name = (&'static str, &'static str);
