//! Graphs of more than one segment.

use std::path::Path;

use std::sync::Arc;
use trimorph_base::TableId;
use trimorph_store::{AdjacencyView, SEGMENT_ROWS, Snapshot, read_main, write_main};
use trimorph_vfs::{MemoryFileSystem, RegionOptions};

use super::read_back::check;
use crate::graphs::{LoadOptions, segmented_graph};

#[test]
fn tables_of_several_segments_are_read_back() {
    for (seed, rows) in
        [(1, SEGMENT_ROWS - 1), (2, SEGMENT_ROWS), (3, SEGMENT_ROWS + 1), (4, 2 * SEGMENT_ROWS + 129)]
    {
        println!("segmented graph seed {seed}, {rows} rows");
        let model = segmented_graph(seed, rows);
        let main =
            model.load(LoadOptions { batch_rows: 10_000, threads: 2, ..LoadOptions::default() }).unwrap();
        check(&model, &main);
        let kinds: Vec<bool> = main
            .edge_tables
            .iter()
            .map(|t| matches!(t.forward.view(&Arc::default()), AdjacencyView::Column(_)))
            .collect();
        assert_eq!(kinds, [true, true, false], "IN and NEXT are vertex columns, TO is not");
        if seed == 4 {
            let fs = MemoryFileSystem::default();
            write_main(&fs, Path::new("db"), &main).unwrap();
            check(&model, &read_main(&fs, Path::new("db"), RegionOptions::default()).unwrap());
        }
    }
}

/// Lists cut after 2,048 rows, and the same of as many edges as lists usually have.
#[test]
fn lists_of_small_segments_are_read_back() {
    let (rows, least) = (3 * 2048 + 100, LoadOptions { segment_edges: 1, ..LoadOptions::default() });
    println!("segmented graph seed 8, {rows} rows");
    let model = segmented_graph(8, rows);
    let (small, large) = (model.load(least).unwrap(), model.load(LoadOptions::default()).unwrap());
    check(&model, &small);
    let fs = MemoryFileSystem::default();
    write_main(&fs, Path::new("db"), &small).unwrap();
    let read = read_main(&fs, Path::new("db"), RegionOptions::default()).unwrap();
    check(&model, &read);
    let pieces = [&small, &read, &large].map(|main| main.piece_ids().len());
    assert_eq!(pieces[0], pieces[1]);
    // Of TO: forward, backward, pages, the property.
    assert!(pieces[0] >= pieces[2] + 4 * 3, "{pieces:?}");
}

#[test]
fn morsels_cover_every_row_once() {
    println!("segmented graph seed 5");
    let model = segmented_graph(5, SEGMENT_ROWS + 2000);
    let snapshot: Snapshot = model.snapshot(LoadOptions::default()).unwrap();
    let reader = trimorph_store::Reader::new(&snapshot);
    for size in [1, 1024, 5000, 1 << 20] {
        let tables = [TableId(1), TableId(0)];
        let morsels = trimorph_store::access::Morsels::new(&snapshot, &tables, size);
        let mut seen = [vec![false; SEGMENT_ROWS + 2000], vec![false; 10]];
        let mut count = 0;
        while let Some((first, len)) = morsels.next(&reader, &[]) {
            count += 1;
            for row in first.row()..first.row() + len as u64 {
                let seen = &mut seen[usize::from(first.table().0)][usize::try_from(row).unwrap()];
                assert!(!std::mem::replace(seen, true), "row {row} twice");
            }
        }
        assert_eq!(count, morsels.count());
        assert!(seen.iter().flatten().all(|seen| *seen));
        // `dense` is column 2: the key, `constant`, `dense`. Its value in row r is 7 r − 100,000.
        morsels.reset();
        let wanted = trimorph_store::access::Prune {
            table: TableId(0),
            column: 2,
            low: 7 * 3000 - 100_000,
            high: 7 * 3000 - 100_000,
            nulls: false,
        };
        let mut found = false;
        while let Some((first, len)) = morsels.next(&reader, std::slice::from_ref(&wanted)) {
            found |= first.table() == TableId(0) && (first.row()..first.row() + len as u64).contains(&3000);
        }
        assert!(found, "pruning keeps the zone of the value");
    }
}
