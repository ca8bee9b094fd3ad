//! The Cypher front end: takes the text of a query, gives the bound query of the algebra.
//!
//! 1. `lexer` cuts the text into tokens and pairs the brackets.
//! 2. `parser` reads the tokens by recursive descent into the tree of `ast`.
//! 3. `bind` looks names up, checks types and turns clauses into operators.
//!
//! The grammar is openCypher 9 with a few additions named where they are parsed: label expressions and inline
//! `WHERE` of GQL, `OFFSET`, counting and collecting subqueries, `FOREACH`, `EXPLAIN`, `PROFILE` and
//! `PREFIX`. Names of labels, types and properties stay names. Every node that an error may blame carries its
//! span.
#![forbid(unsafe_code)]

mod absent;
pub mod ast;
mod bind;
mod lexer;
mod parser;
mod token;

#[cfg(test)]
mod tests;

pub use absent::named as instead_of;
pub use bind::{FunctionInfo, Functions, OPERATORS_MAX, bind, bind_until};
pub use parser::{NESTING_MAX, QUERY_BYTES_MAX, parse, parse_schema, parse_until};
