//! Tests of storage and of the kit itself. Every one prints the seeds it draws.

mod comparisons;
mod crashes;
mod creating;
mod damage;
mod files;
mod fuzz_files;
mod interpreting;
mod known_bugs;
mod queries;
mod read_back;
mod refused_rows;
mod rewrites;
mod segments;

use trimorph_types::Value;

use crate::graphs::{Model, RandomGraph, random_graph};

/// The random graph of a seed, which is printed.
fn graph(seed: u64) -> Model {
    println!("graph seed {seed}");
    let size =
        if seed % 8 == 7 { RandomGraph { nodes_max: 300, edges_max: 900 } } else { RandomGraph::default() };
    random_graph(seed, size)
}

/// Whether two values are the same to the last bit (any NaN being like any other).
fn identical(a: &Value, b: &Value) -> bool {
    format!("{a:?}") == format!("{b:?}")
}
