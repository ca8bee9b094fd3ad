//! The syntax tree: what a query says, before any name in it is looked up.
//!
//! Spans are byte ranges of the query text. A tree made by [`crate::parse`] is at most [`crate::NESTING_MAX`]
//! levels high, so walking it recursively is safe; chains of `AND`, `OR`, `XOR`, comparisons and long chains
//! of arithmetic are flat lists and count as one level.

mod clause;
mod expression;
mod name;
mod pattern;
mod schema;

pub use clause::*;
pub use expression::*;
pub use name::*;
pub use pattern::*;
pub use schema::*;

use std::sync::Arc;

use trimorph_base::Span;

/// A whole text given to the parser.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// The whole text: what all spans are ranges of.
    pub text: Arc<str>,
    /// Run it, show its plan, or run it and show what the plan cost.
    pub mode: Mode,
    /// The `PREFIX` declarations before the query.
    pub prefixes: Vec<PrefixDeclaration>,
    /// The query.
    pub query: Query,
}

/// What to do with the query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Run it.
    Normal,
    /// `EXPLAIN`: show the plan only.
    Explain,
    /// `PROFILE`: run it and show the plan with its costs.
    Profile,
}

/// `PREFIX ex: <http://ex.org/>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrefixDeclaration {
    /// The short name.
    pub name: Ident,
    /// What stands between `<` and `>`.
    pub iri: String,
    /// The `<…>`.
    pub iri_span: Span,
}

/// Single queries joined by `UNION`.
///
/// The parser has checked that all of `unions` are of one kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// The first single query.
    pub first: SingleQuery,
    /// The others, each with the word that joins it to those before.
    pub unions: Vec<(UnionKind, SingleQuery)>,
    /// From the first clause to the end of the last.
    pub span: Span,
}

/// How `UNION` treats equal rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnionKind {
    /// `UNION`: equal rows become one.
    Distinct,
    /// `UNION ALL`: equal rows stay.
    All,
}

/// Clauses in the order written; never empty.
///
/// The parser has checked the order: `RETURN` is last, a reading clause follows an updating one only after
/// `WITH`, and the last clause is one a query may end with.
#[derive(Clone, PartialEq, Debug)]
pub struct SingleQuery {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// From the first clause to the end of the last.
    pub span: Span,
}
