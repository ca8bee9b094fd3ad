//! What the body of a `reduce` gives, where what there is so far has parts.

use super::Ex;

/// What a body gives, part by part.
pub(super) enum Step {
    /// What there was.
    Same,
    Parts(Vec<Ex>),
    Case(Vec<(Ex, Step)>, Box<Step>),
}
