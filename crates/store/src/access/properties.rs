//! Which columns a property pattern with a frontier finds its literals in: the index path, resolved for
//! operators that read columns in place.
//!
//! A name is a property of nodes and of edges alike until the thing it is asked of is known, so an access has
//! the columns of both.

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_catalog::CatalogView;
use trimorph_types::Value;

use super::pattern::{Frontier, Kind, Pattern};
use super::plan::{AccessPlan, Choice, Relation};
use crate::{PropertyColumn, Reader};

/// The column of a property in each table; none where the table has no such property, or is behind the last
/// that has.
#[derive(Clone, Debug, Default)]
pub struct PropertyAccess {
    /// By node table.
    nodes: Vec<Option<usize>>,
    /// By edge table.
    edges: Vec<Option<usize>>,
}

impl PropertyAccess {
    /// The property `name` of a frontier of nodes or of edges, as `subject` says: `v[]P l^`.
    pub fn pattern(subject: Kind, name: &str) -> Pattern {
        Pattern::property(subject, name)
            .subject_frontier(Frontier::Later(f64::MAX))
            .project(false, false, true, false)
    }

    /// Resolves the property `name` of whatever has it.
    pub fn new(catalog: &CatalogView<'_>, name: &str) -> Self {
        let mut out = Self::default();
        let put = |columns: &mut Vec<Option<usize>>, table: usize, column: usize| {
            columns.resize(columns.len().max(table + 1), None);
            columns[table] = Some(column);
        };
        for subject in [Kind::Node, Kind::Statement] {
            let pattern = Self::pattern(subject, name);
            for access in AccessPlan::new(pattern, catalog, Choice::Index).accesses {
                match access.relation {
                    Relation::NodeProperty { table, column } => {
                        put(&mut out.nodes, table.0 as usize, column);
                    }
                    Relation::EdgeProperty { table, column } => put(&mut out.edges, table, column),
                    Relation::Labels(_) | Relation::Edges(_) => {}
                }
            }
        }
        out
    }

    /// The column for nodes of `table`; rows are the nodes'.
    #[inline]
    pub fn of_nodes<'r, 's>(&self, table: TableId, reader: &'r Reader<'s>) -> Option<PropertyColumn<'r, 's>> {
        let column = self.nodes.get(table.0 as usize).copied().flatten()?;
        Some(PropertyColumn::of_nodes(table, column, reader))
    }

    /// The column for edges of a table; rows are slots.
    #[inline]
    pub fn of_edges<'r, 's>(&self, table: usize, reader: &'r Reader<'s>) -> Option<PropertyColumn<'r, 's>> {
        let column = self.edges.get(table).copied().flatten()?;
        Some(PropertyColumn::of_edges(table, column, reader))
    }

    /// The value of a node; null if it has none.
    pub fn of_node(&self, node: NodeId, reader: &Reader<'_>) -> Value {
        self.of_nodes(node.table(), reader).map_or(Value::Null, |column| column.value(node.row()))
    }

    /// The value of an edge; null if it has none.
    pub fn of_edge(&self, edge: EdgeId, reader: &Reader<'_>) -> Value {
        let column = self.of_edges(edge.table().0 as usize, reader);
        column.map_or(Value::Null, |column| column.value(column.slot(edge)))
    }

    /// Whether both read the same columns.
    pub fn is_same(&self, other: &Self) -> bool {
        self.nodes == other.nodes && self.edges == other.edges
    }
}
