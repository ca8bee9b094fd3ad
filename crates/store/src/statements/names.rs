//! Which node a name is: an IRI, a blank node or a triple term in; the node with that `@id` out.
//!
//! Many names are looked up in a row, in all tables that have names, of which one has it. So the columns are
//! found once a reader, and a table of which nothing was written since is asked by hash without reading the
//! name twice.

use trimorph_base::{NodeId, TableId};
use trimorph_types::Value;
use trimorph_types::iri_names::ID;

use crate::{Reader, Wanted};

impl Reader<'_> {
    fn columns_of_names(&self) -> &[(TableId, usize)] {
        self.name_columns.get_or_init(|| {
            let schema = self.schema();
            let Some(id) = schema.property_id(ID) else { return Box::default() };
            let tables = schema.table_ids().zip(&schema.node_tables);
            let place = |(table, info): (TableId, &trimorph_catalog::NodeTableInfo)| {
                info.properties.iter().position(|own| own.id == id).map(|column| (table, column))
            };
            tables.filter_map(place).collect()
        })
    }

    /// The node with a name, if there is one.
    ///
    /// **Cost**: a look-up in each table with names, until one has it.
    pub(super) fn node_named(&self, name: &str) -> Option<NodeId> {
        let mut wanted = None;
        let mut rows = Vec::new();
        for (table, column) in self.columns_of_names() {
            if !self.notes_reads()
                && !self.has_node_changes(*table)
                && let Some(index) = self.value_index(*table, *column)
                && let Some(found) = index.find_iri(name, self.node_column(*table, *column))
            {
                match found {
                    Some(row) => return Some(NodeId::new(*table, row)),
                    None => continue,
                }
            }
            let wanted = wanted.get_or_insert_with(|| Wanted::Equal(Value::iri(name)));
            if !self.find_values(*table, *column, wanted, &mut rows) {
                self.scan_for(*table, *column, wanted, true, &mut rows);
            }
            if let Some(row) = rows.first() {
                return Some(NodeId::new(*table, *row));
            }
        }
        None
    }
}
