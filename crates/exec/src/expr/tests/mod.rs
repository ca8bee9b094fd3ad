//! The vector evaluator against the scalar one: random expressions over random vectors.

mod against_rows;
mod lists;
mod members;
mod sample;
mod speed;
mod texts;
