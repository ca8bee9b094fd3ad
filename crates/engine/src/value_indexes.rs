//! Which columns are to have an index of their values, told by the definitions; and main versions that nobody
//! reads yet, which get them.
//!
//! A table or a column that comes later has nothing in it: its index is made with it, before anybody writes.
//! What is opened has the indexes that its files have; others are made anew.

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_base::{CancelToken, TableId};
use trimorph_delta::Delta;
use trimorph_store::Main;
use trimorph_types::iri_names::{ID, LITERAL_VALUE};

use crate::Error;
use crate::merged_pieces::{MERGED, merge_failed};

/// The columns that are to have an index, by the definitions of a main version.
pub(crate) fn wanted(main: &Main) -> BTreeSet<(TableId, usize)> {
    let catalog = &main.catalog;
    // Terms are found by these, whether anybody asked for an index or not.
    let own = [ID, LITERAL_VALUE].map(|name| catalog.schema.property_id(name));
    if catalog.definitions.is_empty() && own.iter().all(Option::is_none) {
        return BTreeSet::new();
    }
    let of = |table: TableId| {
        let info = catalog.schema.node_tables.get(usize::from(table.0));
        let properties = info.map_or(&[][..], |info| &info.properties);
        let place = |id| properties.iter().position(|property| property.id == id);
        let asked = catalog.indexes(table).into_iter().chain(own.into_iter().flatten());
        let columns: Vec<usize> = asked.filter_map(place).collect();
        columns.into_iter().map(move |column| (table, column))
    };
    catalog.schema.table_ids().flat_map(of).collect()
}

/// The columns that have one.
pub(crate) fn there(main: &Main) -> BTreeSet<(TableId, usize)> {
    let of = |(table, nodes): (TableId, &Arc<trimorph_store::NodeTable>)| {
        let columns: Vec<usize> = nodes.value_indexes.iter().map(|(column, _)| *column).collect();
        columns.into_iter().map(move |column| (table, column))
    };
    main.catalog.schema.table_ids().zip(&main.node_tables).flat_map(of).collect()
}

/// From now on the delta finds rows of a table by the values of a column.
pub(crate) fn index_delta(delta: &Delta, main: &Main, table: TableId, column: usize) {
    let nodes = match delta.nodes(table) {
        Some(nodes) => nodes,
        None => {
            let main = &main.node_tables[usize::from(table.0)];
            let (rows, free) = (main.rows, main.missing_rows().unwrap_or_default());
            delta.nodes_to_write(table, rows, free)
        }
    };
    // A table has fewer columns than there are names.
    nodes.index_column(u32::try_from(column).unwrap_or(u32::MAX));
}

/// The delta finds rows of a table by the values of a column no more.
pub(crate) fn forget(delta: &Delta, table: TableId, column: usize) {
    if let Some(nodes) = delta.nodes(table) {
        nodes.drop_index(u32::try_from(column).unwrap_or(u32::MAX));
    }
}

/// Gives a main version that nobody reads yet the indexes that its definitions ask for, and takes others
/// away.
pub(crate) fn index_all(main: &mut Main, delta: &Delta) -> Result<(), Error> {
    let (wanted, there) = (wanted(main), there(main));
    for (table, column) in &wanted {
        index_delta(delta, main, *table, *column);
    }
    for (table, column) in wanted.difference(&there) {
        main.index_values(*table, *column, MERGED, &CancelToken::default()).map_err(merge_failed)?;
    }
    for (table, column) in there.difference(&wanted) {
        main.drop_value_index(*table, *column);
        forget(delta, *table, *column);
    }
    Ok(())
}
