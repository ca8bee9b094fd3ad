//! Node tables, edge tables, properties and their statistics.

use std::sync::Arc;

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId, TypeId};
use trimorph_types::LogicalType;

use crate::Names;

/// A property of a table.
#[derive(Clone, Debug)]
pub struct PropertyInfo {
    /// Its name.
    pub id: PropertyId,
    /// The type of its column; `Any` when values are mixed or have no column type of their own.
    pub ty: LogicalType,
    /// What was counted while loading.
    pub stats: PropertyStats,
}

/// Statistics of one column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PropertyStats {
    /// Rows without a value.
    pub nulls: u64,
    /// Distinct values, estimated (HyperLogLog, about 3 % off).
    pub distinct: u64,
    /// Smallest and largest, for integers, dates and instants.
    pub range: Option<(i64, i64)>,
}

/// Which properties nodes of a table have together, and how many nodes have exactly these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacteristicSet {
    /// Places of the properties in [`NodeTableInfo::properties`].
    pub properties: Vec<u32>,
    /// Nodes with exactly these.
    pub count: u64,
}

/// A node table: the nodes of one label set.
#[derive(Clone, Debug)]
pub struct NodeTableInfo {
    /// The label set, in the order labels are shown.
    pub labels: Vec<LabelId>,
    /// Its columns.
    pub properties: Vec<PropertyInfo>,
    /// Place of the key property in `properties`, if it has one.
    pub key: Option<usize>,
    /// Rows.
    pub rows: u64,
    /// Which properties occur together (Poseidon §6).
    pub characteristic_sets: Vec<CharacteristicSet>,
}

/// What is known of an edge table seen from one target node table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackwardStats {
    /// The target node table.
    pub target: TableId,
    /// Edges into it.
    pub edges: u64,
    /// Whether no target has more than one: then the backward direction is a vertex column.
    pub single: bool,
    /// Most edges into one target.
    pub degree_max: u64,
    /// Targets with at least one edge.
    pub nonempty: u64,
}

/// An edge table: one edge label out of one node table.
#[derive(Clone, Debug)]
pub struct EdgeTableInfo {
    /// The edge label.
    pub ty: TypeId,
    /// The source node table.
    pub source: TableId,
    /// Its property columns.
    pub properties: Vec<PropertyInfo>,
    /// Edges.
    pub edges: u64,
    /// Whether no source has more than one: then the forward direction is a vertex column.
    pub single: bool,
    /// Most edges out of one source.
    pub degree_max: u64,
    /// Sources with at least one edge.
    pub nonempty: u64,
    /// Edges from a node to itself.
    pub self_loops: u64,
    /// One entry for each target node table.
    pub backward: Vec<BackwardStats>,
}

/// The catalog of one main version.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Node labels, by [`LabelId`].
    pub labels: Names,
    /// Edge labels, by [`TypeId`].
    pub types: Names,
    /// Property names, by [`PropertyId`].
    pub properties: Names,
    /// Node tables, by [`TableId`].
    pub node_tables: Vec<NodeTableInfo>,
    /// Edge tables, by [`EdgeTableId`].
    pub edge_tables: Vec<EdgeTableInfo>,
}

impl Catalog {
    /// Whether the label set of `table` holds `label`.
    pub fn has_label(&self, table: TableId, label: &str) -> bool {
        self.labels.id(label).is_some_and(|id| {
            self.node_tables
                .get(table.0 as usize)
                .is_some_and(|t| t.labels.iter().any(|l| l.0 as usize == id))
        })
    }

    /// The node tables whose label set `keep` accepts.
    pub fn tables_where(&self, keep: impl Fn(&dyn Fn(&str) -> bool) -> bool) -> Vec<TableId> {
        self.table_ids().filter(|t| keep(&|label| self.has_label(*t, label))).collect()
    }

    /// All node tables.
    #[expect(clippy::cast_possible_truncation, reason = "loading refuses more than 65,536 tables")]
    pub fn table_ids(&self) -> impl Iterator<Item = TableId> + use<> {
        (0..self.node_tables.len()).map(|t| TableId(t as u16))
    }

    /// All edge tables.
    #[expect(clippy::cast_possible_truncation, reason = "loading refuses more than 1,024 edge tables")]
    pub fn edge_table_ids(&self) -> impl Iterator<Item = EdgeTableId> + use<> {
        (0..self.edge_tables.len()).map(|t| EdgeTableId(t as u16))
    }

    /// The labels of `table`.
    pub fn label_names(&self, table: TableId) -> Vec<Arc<str>> {
        let Some(info) = self.node_tables.get(table.0 as usize) else { return Vec::new() };
        info.labels.iter().filter_map(|l| self.labels.name(l.0 as usize).cloned()).collect()
    }

    /// The edge label of `table`.
    pub fn type_name(&self, table: EdgeTableId) -> Arc<str> {
        (self.edge_tables.get(table.0 as usize))
            .and_then(|info| self.types.name(info.ty.0 as usize).cloned())
            .unwrap_or_else(|| "".into())
    }

    /// Place of the column `name` in node table `table`.
    pub fn node_property(&self, table: TableId, name: &str) -> Option<usize> {
        place(&self.properties, &self.node_tables.get(table.0 as usize)?.properties, name)
    }

    /// Place of the column `name` in edge table `table`.
    pub fn edge_property(&self, table: EdgeTableId, name: &str) -> Option<usize> {
        place(&self.properties, &self.edge_tables.get(table.0 as usize)?.properties, name)
    }

    /// The property of this name, if anything has it.
    pub fn property_id(&self, name: &str) -> Option<PropertyId> {
        self.properties.id(name).and_then(|id| u32::try_from(id).ok()).map(PropertyId)
    }

    /// The name of a property.
    pub fn property_name(&self, id: PropertyId) -> Arc<str> {
        self.properties.name(id.0 as usize).cloned().unwrap_or_else(|| "".into())
    }
}

fn place(names: &Names, properties: &[PropertyInfo], name: &str) -> Option<usize> {
    let id = names.id(name)?;
    properties.iter().position(|p| p.id.0 as usize == id)
}
