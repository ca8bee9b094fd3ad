//! The catalog: schema, facts and statistics of tables. Plain immutable data, one value per main version.
//!
//! ```text
//! schema       names, tables, columns     only grows                 plans rely on it
//! facts        single, no self-loops, …   a commit may break one     plans rely on them
//! statistics   rows, degrees, ranges, …   may be wrong               costs only
//! definitions  indexes, constraints       come and go                writers keep to them
//! ```
//!
//! Who plans reads all three through a view that notes what a plan relies on ([`CatalogView`]); what it noted
//! ([`Reliances`]) is kept with the plan and asked of later versions.
#![forbid(unsafe_code)]

mod catalog;
mod definitions;
mod facts;
mod names;
mod predicate_set;
mod reliances;
mod schema;
mod statement_counts;
mod statement_shape;
mod statistics;
#[cfg(test)]
mod tests;
mod view;

pub use catalog::{Catalog, KnownEdgeTable};
pub use definitions::{Definition, Definitions, Rule, Subject};
pub use facts::{EdgeTableFacts, Facts, LabelsVary, NodeTableFacts, TargetFacts};
pub use names::Names;
pub use predicate_set::PredicateSet;
pub use reliances::{Reliances, has_drifted};
pub use schema::{EdgeTableInfo, NameKind, NodeTableInfo, PropertyInfo, Schema};
pub use statement_counts::StatementCounts;
pub use statement_shape::{EdgeShape, OwnPlaces, Places, SaidShape, StatementShape};
pub use statistics::{
    CharacteristicSet, DegreeStats, EdgeTableStats, NodeTableStats, PropertyStats, Statistics,
};
pub use view::CatalogView;
