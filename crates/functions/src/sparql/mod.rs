//! SPARQL's functions and operators, which only its binder calls: names that begin with `sparql.`.
//!
//! SPARQL's error is null, and so is what is unbound; a function that SPARQL does not define for what it is
//! given answers null, never an error. Values are RDF terms as `trimorph_types::rdf` says; a node or
//! relationship that is given is asked for its term first, unless the function says that it takes them as
//! they are.
//!
//! Files in the data's order: `found` (errors as null) · `number`, `meaning` (what a literal means) · one
//! family each · `vectors`, `term_vectors` (typed vectors at once).
//!
//! Source: SPARQL 1.1 Query Language §17 and §18.5.1, SPARQL 1.2 for triple terms, base directions and the
//! effective boolean value; XPath and XQuery Functions and Operators 3.1.

use crate::function::Function;

mod aggregates;
mod arithmetic;
mod by_entry;
mod casts;
mod compare;
mod decimals;
mod entities;
mod found;
mod hashes;
mod join_key;
mod meaning;
mod moment_vectors;
mod moments;
mod number;
mod number_sum;
mod numeric;
mod one_resource;
mod order;
mod pattern;
mod regular;
mod temporal;
mod term_vectors;
mod terms;
mod texts;
mod triples;
mod vectors;

pub(crate) use number_sum::NumberSum;

/// All families.
pub(crate) fn families() -> [&'static [Function]; 14] {
    [
        compare::FUNCTIONS,
        join_key::FUNCTIONS,
        order::FUNCTIONS,
        arithmetic::FUNCTIONS,
        numeric::FUNCTIONS,
        texts::FUNCTIONS,
        regular::FUNCTIONS,
        hashes::FUNCTIONS,
        terms::FUNCTIONS,
        entities::FUNCTIONS,
        triples::FUNCTIONS,
        temporal::FUNCTIONS,
        casts::FUNCTIONS,
        aggregates::FUNCTIONS,
    ]
}
