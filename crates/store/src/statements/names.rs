//! Which node a name is: an IRI, a blank node or a triple term in; the node with that `@id` out.
//!
//! Many names are looked up in a row, in all tables that have names, of which one has it, or none where the
//! name is new. So the columns are found once a reader; of a table of which nothing was written since the
//! index tells, as a rule, that it is not there, before anything of the table is opened; and it is asked by
//! hash without reading the name twice. Who was found of late is asked first. Who notes what he
//! reads notes once that all of them were asked.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use trimorph_base::{NodeId, TableId};
use trimorph_delta::hash_of_value;
use trimorph_types::Value;
use trimorph_types::iri_names::ID;

use crate::name_columns::NameColumns;
use crate::recording::index_number;
use crate::{PropertyColumn, Reader, Wanted};

impl Reader<'_> {
    fn columns_of_names(&self) -> &NameColumns {
        self.name_columns.get_or_init(|| {
            let schema = self.schema();
            let Some(id) = schema.property_id(ID) else { return NameColumns::default() };
            let tables = schema.table_ids().zip(&schema.node_tables);
            let place = |(table, info): (TableId, &trimorph_catalog::NodeTableInfo)| {
                info.properties.iter().position(|own| own.id == id).map(|column| (table, column))
            };
            let columns: Box<[_]> = tables.filter_map(place).collect();
            let number = |(table, column): &(TableId, usize)| index_number(*table, *column);
            let mut indexes: Vec<u64> = match self.notes_reads() {
                true => columns.iter().map(number).collect(),
                false => Vec::new(),
            };
            indexes.sort_unstable();
            NameColumns { columns, indexes: indexes.into() }
        })
    }

    /// The node with a name, if there is one.
    ///
    /// **Cost**: a look-up in each table with names, until one has it.
    pub(super) fn node_named(&self, name: &str) -> Option<NodeId> {
        let mut wanted = None;
        let mut rows = Vec::new();
        let NameColumns { columns, indexes } = self.columns_of_names();
        if let Some(recording) = self.recording() {
            recording.hash_wanted_in_all(indexes, hash_of_value(&Value::iri(name)));
        }
        let hash = FxBuildHasher.hash_one(name);
        let noted = self.moment().map(crate::Moment::names);
        if let Some(node) = noted.and_then(|names| names.find(hash).find(|node| self.is_named(*node, name))) {
            return Some(node);
        }
        let found = |node: NodeId| {
            if let Some(names) = noted {
                names.note(hash, node, || self.pins().room());
            }
            Some(node)
        };
        for (table, column) in columns {
            let index = self.main_table(*table).and_then(|main| main.value_index(*column));
            if let Some(index) = index.filter(|_| !self.is_written(*table)) {
                if index.lacks_iri(name) {
                    continue;
                }
                match self.find_in_main(*table, *column, name) {
                    Some(Some(row)) => return found(NodeId::new(*table, row)),
                    Some(None) => continue,
                    None => {}
                }
            }
            let wanted = wanted.get_or_insert_with(|| Wanted::Equal(Value::iri(name)));
            if !self.find_values(*table, *column, wanted, &mut rows) {
                self.scan_for(*table, *column, wanted, true, &mut rows);
            }
            if let Some(row) = rows.first() {
                return found(NodeId::new(*table, *row));
            }
        }
        None
    }

    /// Whether a node is there and has a name.
    fn is_named(&self, node: NodeId, name: &str) -> bool {
        let columns = &self.columns_of_names().columns;
        let Ok(at) = columns.binary_search_by_key(&node.table(), |(table, _)| *table) else { return false };
        // One that has come since would be asked for behind the last row.
        node.row() < self.rows(node.table())
            && matches!(
                PropertyColumn::of_nodes(node.table(), columns[at].1, self).value(node.row()),
                Value::Iri(own) if *own == *name
            )
    }

    /// The row of main with a name, if one has it; none where that is to be searched for.
    fn find_in_main(&self, table: TableId, column: usize, name: &str) -> Option<Option<u64>> {
        let found = self.value_index(table, column)?.find_iri(name, self.node_column(table, column))?;
        if let (Some(recording), Some(row)) = (self.recording(), found) {
            recording.values(table, column, row, 1);
        }
        Some(found)
    }
}
