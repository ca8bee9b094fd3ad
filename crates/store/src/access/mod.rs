//! Access patterns: the one way into a snapshot (design §6).
//!
//! ```text
//! pattern    what is asked of the statements (S, P, O, I): constants, frontiers, kinds, projections, joins,
//!            limit, sample, count
//! notation   the same as terse text: `_[]P_^_^`
//! plan       which relations can answer, each by index or by scan, as cost or force decides
//! estimate   how many statements a pattern gives, sampled where statistics do not tell
//! run        the answer as batches of aligned vectors
//! adjacency  the lists an edge pattern with a frontier visits, for operators that walk them in place
//! properties the columns a property pattern with a frontier finds its literals in, likewise
//! morsels    the rows a label pattern gives, in ranges for workers
//! in_order   the same in the order of a property that has value indexes
//! ```
//!
//! Operators of a query take the planned pattern's adjacencies, morsels and columns and read them in place;
//! everything else runs it.
//!
//! Source: Poseidon §5–6 (P8APL).

mod adjacency;
mod edges;
mod estimate;
mod filters;
mod in_order;
mod morsels;
mod node_set;
mod notation;
mod pattern;
mod plan;
mod properties;
mod run;
#[cfg(test)]
mod tests;
mod values;

pub use adjacency::{AdjacencyRef, EdgeAccess};
pub use estimate::Estimate;
pub use in_order::{Given, InOrder, Run, ValueRange, comes_after};
pub use morsels::{Morsels, Prune, is_wanted};
pub use node_set::NodeSet;
pub use notation::{Argument, NotationError, parse};
pub use pattern::{Bound, Frontier, JoinKind, Kind, Pattern, Position, Predicates, Range, Term};
pub use plan::{Access, AccessPlan, Choice, Path, Relation, scan_pays};
pub use properties::PropertyAccess;
pub use run::{AccessError, Batch};

/// The predicate of label statements, as P is given back.
pub const LABEL: &str = ":label";
