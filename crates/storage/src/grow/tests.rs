//! What a transaction's main version gets of what was declared since, where another one has been merged.

use trimorph_base::{CancelToken, PropertyId, TableId, TypeId};
use trimorph_catalog::PropertyInfo;
use trimorph_types::LogicalType;
use trimorph_vfs::RegionOptions;

use super::*;

const NODES: TableId = TableId(0);

fn info(id: u32) -> PropertyInfo {
    PropertyInfo { id: PropertyId(id), ty: LogicalType::Int }
}

/// The same with an index of a column of nodes, of it with the next one, and of a column of edges.
fn indexed_at(main: &Main, column: usize) -> Main {
    let (mut main, cancel) = (main.clone(), CancelToken::default());
    main.index_values(NODES, column, RegionOptions::default(), &cancel).unwrap();
    main.index_together(NODES, &[column, column + 1], RegionOptions::default(), &cancel).unwrap();
    main.index_edge_values(EdgeTableId(0), column, RegionOptions::default(), &cancel).unwrap();
    main
}

fn with_columns(main: &Main, from: u32) -> Main {
    let mut main = main.clone();
    for id in from..from + 2 {
        main.add_node_column(NODES, info(id));
        main.add_edge_column(EdgeTableId(0), info(id));
    }
    main
}

fn indexes(main: &Main, column: usize) -> [bool; 3] {
    let (nodes, edges) = (&main.node_tables[0], &main.edge_tables[0]);
    [
        nodes.value_index(column).is_some(),
        nodes.composite_index(&[column, column + 1]).is_some(),
        edges.value_index(column).is_some(),
    ]
}

#[test]
fn tables_and_columns_declared_since_are_found_by_index_after_a_merge() {
    let empty = Main::default();
    let mut declared = empty.clone();
    declared.add_node_table(Vec::new());
    declared.add_edge_table(TypeId(0), NODES);
    let declared = with_columns(&declared, 0);
    let mut newer = indexed_at(&declared, 0);
    newer.merged_at = 5;
    assert_eq!(indexes(&empty.grown_like(&newer), 0), [true; 3], "tables that it had not");

    // One that has rows: only of columns that came since it is known that there is nothing in them.
    let mut old = declared;
    Arc::make_mut(&mut old.node_tables[0]).rows = 3;
    let mut newer = indexed_at(&indexed_at(&with_columns(&old, 2), 0), 2);
    newer.merged_at = 5;
    let grown = old.grown_like(&newer);
    assert_eq!(indexes(&grown, 0), [false; 3]);
    assert_eq!(indexes(&grown, 2), [true; 3]);
    assert_eq!(grown.node_tables[0].value_index(2).unwrap().len(), 0);
}
