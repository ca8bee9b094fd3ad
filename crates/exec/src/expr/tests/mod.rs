//! The vector evaluator against the scalar one: random expressions over random vectors.

mod against_rows;
mod kernel_page;
mod lists;
mod members;
mod reductions;
pub(crate) mod sample;
mod speed;
mod texts;
