//! Tests of the function library: the specification's tables through a small evaluator, and properties.

mod aggregates;
mod decimals;
mod evaluator;
mod functions;
mod kernel_page;
mod kernels;
mod operators;
mod regex;
mod sparql;
mod specification;
mod stopping;
