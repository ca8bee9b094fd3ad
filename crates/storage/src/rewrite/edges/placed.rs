//! Edges that have their places already, and what happens to them in one edge table.

use trimorph_base::{NodeId, TableId};
use trimorph_types::Value;

/// An edge at its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlacedEdge {
    /// Row of the source.
    pub source: u64,
    /// The target.
    pub target: NodeId,
    /// The position in the page of the source.
    pub position: u64,
}

/// The new value of a column, by its place in the catalog, of the edge at a position of a page; none where it
/// has no new one.
pub type NewEdgeValues<'a> = dyn Fn(usize, u64, u64) -> Option<Value> + 'a;

/// What happens to the edges of one edge table, which have their places already.
pub struct EdgeMerge<'a> {
    /// Edges that come, at positions that no edge has that stays.
    pub inserted: Vec<PlacedEdge>,
    /// Edges that go.
    pub deleted: Vec<PlacedEdge>,
    /// Pages and positions of edges that have new values, those that come among them.
    pub changed: Vec<(u64, u64)>,
    /// All tables that the table's edges may lead to: those it has, and more. One that it has and that is not
    /// among them has no edges.
    pub targets: Vec<TableId>,
    /// Gives new values.
    pub values: &'a NewEdgeValues<'a>,
}
