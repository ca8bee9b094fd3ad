//! What the tables of clauses have of each.

/// A clause, an expression or a statement of a language as a user sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ClauseDoc {
    /// The language that it is of: `cypher` or `sparql`.
    pub language: &'static str,
    /// Its name: the words that it begins with, or what it is called.
    pub name: &'static str,
    /// What it is. Of openCypher: `reading`, `writing`, `patterns`, `expressions`, `schema`, `transactions`,
    /// `files`, `plans`; of SPARQL: `queries`, `patterns`, `rows`, `updates`.
    pub family: &'static str,
    /// How it is written: what stands in brackets may be left out, `…` goes on as before.
    pub syntax: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// A statement that uses it, or several; and the rows of the last one, as literals.
    pub example: (&'static str, &'static str),
    /// A statement that makes the graph that the example is of; empty where it needs none.
    pub graph: &'static str,
}
