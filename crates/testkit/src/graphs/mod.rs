//! Graphs as plain data: what is loaded, kept with what the store makes of it.
//!
//! ```text
//! model    tables of rows, edges between them
//! values   random values of each kind a property may have
//! random   small graphs with everything that goes wrong in them
//! large    graphs that cross the boundaries of segments
//! created  a model from statements that create it
//! load     a model through the bulk builder into a main version
//! rewritten  a main version whose segments were changed since
//! ```

mod created;
mod large;
mod load;
mod model;
mod random;
mod rewritten;
mod values;

pub use created::CreatedGraph;
pub use large::segmented_graph;
pub use load::{LoadOptions, column_of};
pub use model::{EdgeRow, EdgeRows, Model, NodeRows};
pub(crate) use random::{LABELS, PROPERTIES, TYPES};
pub use random::{RandomGraph, random_graph};
pub use rewritten::{random_changes, rewritten, value_for};
pub(crate) use values::WORDS;
pub use values::{PropertyKind, random_value};
