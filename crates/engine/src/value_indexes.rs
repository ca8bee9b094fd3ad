//! Which columns are to have an index of their values, told by the definitions; and main versions that nobody
//! reads yet, which get them.
//!
//! A table or a column that comes later has nothing in it: its index is made with it, before anybody writes.
//! What is opened has the indexes that its files have; others are made anew.

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_base::{CancelToken, EdgeTableId, PropertyId, TableId};
use trimorph_catalog::PropertyInfo;
use trimorph_delta::{Delta, NodeDelta};
use trimorph_store::Main;
use trimorph_types::iri_names::{GRAPH, ID, LITERAL_VALUE};

use crate::Error;
use crate::merged_pieces::{MERGED, merge_failed};

/// A column, or several together, by their places in their table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum IndexedColumn {
    /// Of a node table.
    Nodes(TableId, usize),
    /// Of a node table, together.
    Together(TableId, Vec<usize>),
    /// Of an edge table.
    Edges(EdgeTableId, usize),
}

/// The places of some properties among those of a table.
fn places(ids: Vec<PropertyId>, properties: &[PropertyInfo]) -> impl Iterator<Item = usize> {
    ids.into_iter().filter_map(|id| properties.iter().position(|property| property.id == id))
}

/// The columns that are to have an index, by the definitions of a main version.
pub(crate) fn wanted(main: &Main) -> BTreeSet<IndexedColumn> {
    let catalog = &main.catalog;
    let mut columns = BTreeSet::new();
    let schema = &catalog.schema;
    // Terms, and the statements of a graph, are found by these, whether anybody asked for an index or not.
    let own = [ID, LITERAL_VALUE].map(|name| schema.property_id(name));
    let graph = schema.property_id(GRAPH);
    if catalog.definitions.is_empty() && own.iter().all(Option::is_none) && graph.is_none() {
        return columns;
    }
    for (table, info) in schema.table_ids().zip(&schema.node_tables) {
        let asked = catalog.indexes(table).into_iter().chain(own.into_iter().flatten());
        let places = places(asked.collect(), &info.properties);
        columns.extend(places.map(|column| IndexedColumn::Nodes(table, column)));
        for ids in catalog.composite_indexes(table) {
            let place = |id: &PropertyId| info.properties.iter().position(|property| property.id == *id);
            // Of a table that lacks one of them rows are found by the first.
            if let Some(together) = ids.iter().map(place).collect::<Option<Vec<usize>>>() {
                columns.insert(IndexedColumn::Together(table, together));
            }
        }
    }
    for (table, info) in schema.edge_table_ids().zip(&schema.edge_tables) {
        let asked = catalog.edge_indexes(table).into_iter().chain(graph);
        let places = places(asked.collect(), &info.properties);
        columns.extend(places.map(|column| IndexedColumn::Edges(table, column)));
    }
    columns
}

/// The columns that have one.
pub(crate) fn there(main: &Main) -> BTreeSet<IndexedColumn> {
    let schema = &main.catalog.schema;
    let nodes = schema.table_ids().zip(&main.node_tables).flat_map(|(table, nodes)| {
        let single = nodes.value_indexes.iter().map(move |(column, _)| IndexedColumn::Nodes(table, *column));
        let together = nodes.composite_indexes.iter();
        single.chain(together.map(move |(columns, _)| IndexedColumn::Together(table, columns.clone())))
    });
    let edges = schema.edge_table_ids().zip(&main.edge_tables).flat_map(|(table, edges)| {
        edges.value_indexes.iter().map(move |(column, _)| IndexedColumn::Edges(table, *column))
    });
    nodes.chain(edges).collect()
}

/// A column as the delta has it: a table has fewer columns than there are names.
fn number(column: usize) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX)
}

/// The columns whose values the delta is to find rows, or edges, by.
fn in_delta(columns: &BTreeSet<IndexedColumn>) -> BTreeSet<IndexedColumn> {
    let of = |column: &IndexedColumn| match column {
        IndexedColumn::Together(table, columns) => {
            columns.iter().map(|column| IndexedColumn::Nodes(*table, *column)).collect()
        }
        single => vec![single.clone()],
    };
    columns.iter().flat_map(of).collect()
}

/// From now on the delta finds rows, or edges, of a table by the values of a column, or of each of several.
pub(crate) fn index_delta(delta: &Delta, main: &Main, column: &IndexedColumn) {
    match column {
        IndexedColumn::Nodes(table, column) => {
            nodes_of(delta, main, *table).index_column(number(*column));
        }
        IndexedColumn::Together(table, columns) => {
            let nodes = nodes_of(delta, main, *table);
            columns.iter().for_each(|column| nodes.index_column(number(*column)));
        }
        IndexedColumn::Edges(table, column) => delta.edges_to_write(*table).index_column(number(*column)),
    }
}

fn nodes_of(delta: &Delta, main: &Main, table: TableId) -> Arc<NodeDelta> {
    delta.nodes(table).unwrap_or_else(|| {
        let main = &main.node_tables[usize::from(table.0)];
        let (rows, free) = (main.rows, main.missing_rows().unwrap_or_default());
        delta.nodes_to_write(table, rows, free)
    })
}

/// The delta finds rows, or edges, by the values of those columns no more that were indexed `before` and are
/// not among those that are to be.
pub(crate) fn forget(delta: &Delta, before: &BTreeSet<IndexedColumn>, wanted: &BTreeSet<IndexedColumn>) {
    for column in in_delta(before).difference(&in_delta(wanted)) {
        match column {
            IndexedColumn::Nodes(table, column) => {
                if let Some(nodes) = delta.nodes(*table) {
                    nodes.drop_index(number(*column));
                }
            }
            IndexedColumn::Edges(table, column) => {
                if let Some(edges) = delta.edges(*table) {
                    edges.drop_index(number(*column));
                }
            }
            IndexedColumn::Together(..) => {}
        }
    }
}

/// Makes an index of a main version that nobody reads yet.
pub(crate) fn make(main: &mut Main, column: &IndexedColumn, cancel: &CancelToken) -> Result<(), Error> {
    let made = match column {
        IndexedColumn::Nodes(table, column) => main.index_values(*table, *column, MERGED, cancel),
        IndexedColumn::Together(table, columns) => main.index_together(*table, columns, MERGED, cancel),
        IndexedColumn::Edges(table, column) => main.index_edge_values(*table, *column, MERGED, cancel),
    };
    made.map_err(merge_failed)
}

/// Takes an index of a main version that nobody reads yet away.
pub(crate) fn take_away(main: &mut Main, column: &IndexedColumn) {
    match column {
        IndexedColumn::Nodes(table, column) => main.drop_value_index(*table, *column),
        IndexedColumn::Together(table, columns) => main.drop_index_together(*table, columns),
        IndexedColumn::Edges(table, column) => main.drop_edge_value_index(*table, *column),
    }
}

/// Gives a main version that nobody reads yet the indexes that `other`, of the same data, has of the table of
/// a column.
pub(crate) fn take_over(main: &mut Main, other: &Main, column: &IndexedColumn) {
    match column {
        IndexedColumn::Nodes(table, _) | IndexedColumn::Together(table, _) => {
            let at = usize::from(table.0);
            let (from, to) = (&other.node_tables[at], Arc::make_mut(&mut main.node_tables[at]));
            to.value_indexes = from.value_indexes.clone();
            to.composite_indexes = from.composite_indexes.clone();
        }
        IndexedColumn::Edges(table, _) => {
            let at = usize::from(table.0);
            let indexes = other.edge_tables[at].value_indexes.clone();
            Arc::make_mut(&mut main.edge_tables[at]).value_indexes = indexes;
        }
    }
}

/// Gives the first main version, beside which nobody writes, the indexes that its definitions ask for, until
/// `cancel` says stop. The delta learns of them last: if that fails, it knows nothing of tables that are not
/// there.
pub(crate) fn index_first(main: &mut Main, delta: &Delta, cancel: &CancelToken) -> Result<(), Error> {
    let wanted = wanted(main);
    for column in wanted.difference(&there(main)) {
        make(main, column, cancel)?;
    }
    wanted.iter().for_each(|column| index_delta(delta, main, column));
    Ok(())
}

/// Gives a main version that nobody reads yet the indexes that its definitions ask for, and takes others
/// away.
pub(crate) fn index_all(main: &mut Main, delta: &Delta) -> Result<(), Error> {
    let (wanted, there) = (wanted(main), there(main));
    wanted.iter().for_each(|column| index_delta(delta, main, column));
    for column in wanted.difference(&there) {
        make(main, column, &CancelToken::default())?;
    }
    there.difference(&wanted).for_each(|column| take_away(main, column));
    forget(delta, &there, &wanted);
    Ok(())
}
