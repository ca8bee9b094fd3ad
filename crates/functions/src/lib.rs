//! Scalar functions, operators and aggregates of openCypher and SPARQL: of values, and as kernels over typed
//! vectors.
//!
//! [`lookup`] finds a scalar function by name; [`operators`] are plain functions; [`aggregate::lookup`] finds
//! an aggregate. Everything takes values and a [`Context`] (clock, random source, graph) and gives a value or
//! a [`Diagnostic`](trimorph_base::Diagnostic) without a place: whoever knows the expression adds the span.
//!
//! One family per file: `math`, `string`, `list`, `collections`, `vectors`, `predicate`, `conversion`,
//! `graph`, `temporal/*`, `operators/*`, `aggregate/*`, `sparql/*`; what computes a whole vector at once is
//! in `kernels/*`, and each function says which of them it has.
#![forbid(unsafe_code)]

pub mod aggregate;
mod collections;
mod context;
mod conversion;
mod error;
mod examples;
mod function;
mod graph;
mod kernel;
mod kernels;
mod letter_case;
mod list;
mod math;
pub mod operators;
mod predicate;
mod registry;
mod round;
mod sparql;
mod steps;
mod string;
mod temporal;
mod vectors;

pub use context::{Clock, Context, GraphAccess, NoGraph};
pub use error::decimal_overflow;
pub use examples::example;
pub use function::Function;
pub use kernel::{Argument, Kernel, TypedKernel, nulls_of};
pub use kernels::between::difference_component;
pub use kernels::component::component;
pub use kernels::lists::{contains as list_contains, element as list_element, slice as list_slice};
pub use kernels::maps::entry as map_entry;
pub use kernels::texts::{
    TextParts, TextTest, concat_all_texts, concat_texts, concat_written, split_part, test_texts,
};
pub use registry::{functions, lookup, names};

#[cfg(test)]
mod tests;
