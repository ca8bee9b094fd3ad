//! The catalog: names, node tables, edge tables and their statistics. Plain immutable data, one value per
//! main version.
#![forbid(unsafe_code)]

mod names;
mod tables;
#[cfg(test)]
mod tests;

pub use names::Names;
pub use tables::{
    BackwardStats, Catalog, CharacteristicSet, EdgeTableInfo, NodeTableInfo, PropertyInfo, PropertyStats,
};
