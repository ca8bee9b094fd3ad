//! What a user should know of a text that is right: it runs, and probably does not ask what was meant.

use crate::Span;

/// One notice. The wording is that of [`Diagnostic`](crate::Diagnostic).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// The kind of notice in one word, such as `UnknownLabel`.
    pub detail: &'static str,
    /// What is odd, in one short clause.
    pub primary: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Where.
    pub span: Span,
}
