//! Vectors, selections, list groups and the intermediate chunk: what operators hand to each other.
//!
//! `'s` is the life of the snapshot a query reads: node vectors may point into adjacency, strings into
//! dictionaries.

mod blend;
mod build;
mod chunk;
mod decimals;
mod lists;
#[cfg(test)]
mod lists_tests;
mod maps;
mod nodes;
mod nulls;
mod numbers;
pub mod order;
mod positions;
mod put;
mod selection;
mod side;
mod tagged;
#[cfg(test)]
mod tagged_tests;
#[cfg(test)]
mod tests;
mod texts;
mod vector;

pub use blend::{Part, blend, choose};
pub use build::{instant_nanos, local_nanos, zoned_nanos};
pub use chunk::{Chunk, Group, VECTOR_SIZE};
pub use decimals::{Decimals, SCALE_MAX};
pub use nodes::{Edges, Nodes, PageStarts};
pub use nulls::{Nulls, bits_of, count_true, flags_of};
pub use numbers::{Number, Numbers};
pub use positions::{Chosen, Positions};
pub use selection::Selection;
pub use side::{Side, each, map, map_checked, map_chosen, map_signed, zip, zip_checked};
pub use tagged::{Literals, Tag, Tagged, Zoned};
pub use texts::{Dictionary, Entries, JoinedTexts, Room, Symbols, Texts, View};
pub use vector::{Lists, Maps, Values, Vector, by_id};
