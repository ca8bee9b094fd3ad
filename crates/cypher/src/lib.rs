//! The Cypher front end: takes the text of a query, gives its syntax tree.
//!
//! 1. `lexer` cuts the text into tokens and pairs the brackets.
//! 2. `parser` reads the tokens by recursive descent into the tree of `ast`.
//!
//! The grammar is openCypher 9 with a few additions named where they are parsed: label expressions and inline
//! `WHERE` of GQL, `OFFSET`, counting and collecting subqueries, `FOREACH`, `EXPLAIN`, `PROFILE` and `PREFIX`.
//! Nothing here knows a catalog: names stay names, and every node an error may blame carries its span.
#![forbid(unsafe_code)]

pub mod ast;
mod lexer;
mod parser;
mod token;

#[cfg(test)]
mod tests;

pub use parser::{NESTING_MAX, QUERY_BYTES_MAX, parse};
