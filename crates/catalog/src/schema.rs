//! The schema: names, and tables with their properties. It only grows: what is in it stays what it is, so
//! that only what somebody did not find in it, or took as the whole, can change.

use std::sync::Arc;

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId, TypeId};
use trimorph_types::LogicalType;
use trimorph_types::iri_names::is_hidden;

use crate::{Definition, Names, Subject};

/// A property of a table.
#[derive(Clone, Debug)]
pub struct PropertyInfo {
    /// Its name.
    pub id: PropertyId,
    /// The type its column is laid out for; `Any` where values have no column type of their own. Values of
    /// other types may occur too: that all are of one type is a fact.
    pub ty: LogicalType,
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
}

/// What a name is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NameKind {
    /// A node label.
    Label,
    /// An edge label.
    Type,
    /// A property.
    Property,
}

/// Names and tables.
#[derive(Clone, Debug, Default)]
pub struct Schema {
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

impl Schema {
    /// The names of a kind.
    pub fn names(&self, kind: NameKind) -> &Names {
        match kind {
            NameKind::Label => &self.labels,
            NameKind::Type => &self.types,
            NameKind::Property => &self.properties,
        }
    }

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
        let is_kept = |table: &TableId| {
            keep(&|label| self.has_label(*table, label))
                // A table with a label of the store's own is there for who asks for it.
                && !(self.is_hidden(*table) && keep(&|label| !is_hidden(label) && self.has_label(*table, label)))
        };
        self.table_ids().filter(is_kept).collect()
    }

    /// Whether a table is the store's own: no user sees its nodes.
    pub fn is_hidden(&self, table: TableId) -> bool {
        let info = self.node_tables.get(usize::from(table.0));
        let mut labels = info.into_iter().flat_map(|info| &info.labels);
        labels.any(|label| self.labels.name(usize::from(label.0)).is_some_and(|name| is_hidden(name)))
    }

    /// All node tables.
    #[expect(clippy::cast_possible_truncation, reason = "loading refuses more than 65,536 tables")]
    pub fn table_ids(&self) -> impl Iterator<Item = TableId> + use<> {
        (0..self.node_tables.len()).map(|t| TableId(t as u16))
    }

    /// All edge tables.
    #[expect(clippy::cast_possible_truncation, reason = "loading refuses more than 65,536 edge tables")]
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
        self.place(&self.node_tables.get(table.0 as usize)?.properties, name)
    }

    /// Place of the column `name` in edge table `table`.
    pub fn edge_property(&self, table: EdgeTableId, name: &str) -> Option<usize> {
        self.place(&self.edge_tables.get(table.0 as usize)?.properties, name)
    }

    fn place(&self, properties: &[PropertyInfo], name: &str) -> Option<usize> {
        let id = self.properties.id(name)?;
        properties.iter().position(|p| p.id.0 as usize == id)
    }

    /// The property of this name, if anything has it.
    pub fn property_id(&self, name: &str) -> Option<PropertyId> {
        self.properties.id(name).and_then(|id| u32::try_from(id).ok()).map(PropertyId)
    }

    /// The name of a property.
    pub fn property_name(&self, id: PropertyId) -> Arc<str> {
        self.properties.name(id.0 as usize).cloned().unwrap_or_else(|| "".into())
    }

    /// Whether all that a definition names is there.
    pub fn can_have(&self, definition: &Definition) -> bool {
        let subject = match definition.subject {
            Subject::Label(label) => self.labels.name(label.0.into()),
            Subject::Type(ty) => self.types.name(ty.0.into()),
        };
        let mut properties = definition.properties.iter();
        subject.is_some()
            && !definition.properties.is_empty()
            && properties.all(|property| self.properties.name(property.0 as usize).is_some())
    }

    /// How many columns of tables have this name, or how many there are.
    pub(crate) fn column_count(&self, name: Option<&str>) -> usize {
        let nodes = self.node_tables.iter().map(|t| &t.properties);
        let columns = nodes.chain(self.edge_tables.iter().map(|t| &t.properties)).flatten();
        let Some(name) = name else { return columns.count() };
        self.property_id(name).map_or(0, |id| columns.filter(|property| property.id == id).count())
    }

    /// The columns of some tables: those of these names, or all.
    pub(crate) fn columns<'s, T: Copy>(
        &self,
        tables: impl Iterator<Item = (T, &'s Vec<PropertyInfo>)>,
        names: Option<&[Arc<str>]>,
    ) -> Vec<(T, usize)> {
        let ids: Option<Vec<PropertyId>> =
            names.map(|names| names.iter().filter_map(|name| self.property_id(name)).collect());
        let mut columns = Vec::new();
        for (table, properties) in tables {
            for (place, property) in properties.iter().enumerate() {
                if ids.as_ref().is_none_or(|ids| ids.contains(&property.id)) {
                    columns.push((table, place));
                }
            }
        }
        columns
    }
}
