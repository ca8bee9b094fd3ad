//! SPARQL: text in, bound query out.
//!
//! ```text
//! parse            text into a syntax tree (by `spargebra`), with our errors; nesting is bounded before
//! check/mod        what is wrong with a text that is refused, in words and with its place
//! having           HAVING that uses names of SELECT
//! terms            the terms of the tree as values
//! bind/mod         a query into a plan: its form, its dataset, its columns
//! bind/relation    what a part of a plan binds: variables by name, and in which form
//! bind/pattern     group patterns: joins, OPTIONAL, UNION, MINUS, FILTER, GRAPH, VALUES, sub-queries
//! bind/scope       which variables a pattern binds, for certain or perhaps; what may be bound from outside
//! bind/triples     basic graph patterns: edges and properties where the schema allows, else statements
//! bind/triple_terms
//!                  triple terms in patterns, made or taken apart
//! bind/reified     relationships that reify, and what they say
//! bind/path        property paths
//! bind/expression  expressions
//! bind/typed       what is known of the values of an expression
//! bind/compared    comparisons
//! bind/aggregate   GROUP BY and aggregates
//! bind/service     SERVICE: what another server is asked
//! bind/forms       CONSTRUCT and DESCRIBE
//! bind/update      INSERT, DELETE and their kin
//! ```
//!
//! The same algebra as any other language's, with these of its own: errors and unbound variables are null,
//! equality of terms is openCypher's equality of values in term form (`types::rdf::normalise`), and a triple
//! pattern that is no edge and no property is [`trimorph_algebra::Plan::Statements`].
//!
//! Source: SPARQL 1.1 Query, §18 (algebra and its evaluation), SPARQL 1.2 for triple terms.
#![forbid(unsafe_code)]

mod bind;
mod check;
mod having;
mod parse;
mod terms;

pub use bind::{Around, Given, bind, bind_update, data};
pub use check::{FUNCTIONS, KEYWORDS, WELL_KNOWN};
/// What an update's operations are, as the tree has them.
pub use spargebra::{GraphUpdateOperation as Operation, term::GraphName};

pub use parse::{Mode, Parsed, Statement, ends_statement, is_update, parse, statements};
