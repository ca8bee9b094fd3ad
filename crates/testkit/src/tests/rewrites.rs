//! Main versions with some pieces replaced: what they hold, that ids stay, that others share their pieces,
//! and what a checkpoint writes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use trimorph_base::{CancelToken, EdgeId, EdgeTableId, NodeId, TableId};
use trimorph_store::{
    Checkpoint, EdgeChanges, Main, NewEdge, Reader, RewriteError, SEGMENT_ROWS, Snapshot, read_checkpoint,
};
use trimorph_types::{LogicalType, Value};
use trimorph_vfs::{MemoryFileSystem, RegionOptions};

use super::graph;
use super::read_back::{check, check_changed};
use crate::Random;
use crate::graphs::{
    EdgeRow, EdgeRows, LoadOptions, Model, NodeRows, random_changes, segmented_graph, value_for,
};

const OPTIONS: RegionOptions = RegionOptions { huge_pages: false };

fn reader_of<T>(main: &Main, read: impl FnOnce(&Reader<'_>) -> T) -> T {
    let snapshot = Snapshot::new(std::sync::Arc::new(main.clone()));
    read(&Reader::new(&snapshot))
}

/// All edges of an edge table: ids, ends and properties.
fn edges_of(main: &Main, place: usize) -> BTreeMap<EdgeId, (NodeId, NodeId, String)> {
    reader_of(main, |reader| {
        let table = reader.unrecorded().edge_table(place);
        let mut found = BTreeMap::new();
        for row in 0..reader.rows(table.source) {
            let mut ids = Vec::new();
            match &table.forward {
                trimorph_store::AdjacencyView::Csr(csr) => {
                    table.append_forward_ids(row, csr.list(row), &mut ids)
                }
                trimorph_store::AdjacencyView::Column(c) => {
                    ids.extend(c.has(row).then(|| table.single_id(row)))
                }
            }
            let target = |i: usize| match &table.forward {
                trimorph_store::AdjacencyView::Csr(csr) => Some(csr.node(csr.list(row), i)),
                trimorph_store::AdjacencyView::Column(c) => c.neighbour(row),
            };
            for (i, id) in ids.into_iter().enumerate() {
                let (start, end) = table.ends(id).unwrap();
                assert_eq!((start.row(), Some(end)), (row, target(i)), "{id:?}");
                found.insert(id, (start, end, format!("{:?}", reader.edge_properties(id))));
            }
        }
        found
    })
}

/// Takes edges out and puts edges in at random, in the model as in the version.
fn change_edges(model: &mut Model, main: &Main, place: usize, random: &mut Random) -> Main {
    let schema = &main.catalog.schema;
    let info = &schema.edge_tables[place];
    let before = edges_of(main, place);
    let ids: Vec<EdgeId> = before.keys().copied().collect();
    let changes = random_changes(main, place, &ids, random);
    let label = schema.type_name(EdgeTableId(u16::try_from(place).unwrap())).to_string();
    for id in &changes.deleted {
        let (start, end, properties) = &before[id];
        let same = |edges: &EdgeRows, e: &EdgeRow| {
            e.from == *start && e.to == *end && format!("{:?}", edges.properties_of(e)) == *properties
        };
        let edges = model.edges.iter_mut().filter(|e| e.label == label);
        let removed = edges.filter_map(|edges| {
            let at = edges.rows.iter().position(|e| same(edges, e))?;
            Some(edges.rows.remove(at))
        });
        assert!(removed.take(1).count() == 1, "{id:?} is an edge of the model");
    }
    let names: Vec<(String, LogicalType)> =
        info.properties.iter().map(|p| (schema.property_name(p.id).to_string(), p.ty)).collect();
    let mut added = EdgeRows { label, properties: names, ..EdgeRows::default() };
    added.rows.extend(changes.inserted.iter().map(|edge| EdgeRow {
        from: NodeId::new(info.source, edge.source),
        to: edge.target,
        values: edge.values.clone(),
    }));
    let table = EdgeTableId(u16::try_from(place).unwrap());
    let (next, new) = main.with_edges(table, &changes, OPTIONS).unwrap();
    let after = edges_of(&next, place);
    for (id, facts) in &before {
        let gone = changes.deleted.contains(id);
        assert!(gone || after.get(id) == Some(facts), "{id:?} stays what it is");
    }
    for (id, edge) in new.iter().zip(&changes.inserted) {
        assert!(!before.contains_key(id) || changes.deleted.contains(id), "{id:?} was free");
        assert_eq!((after[id].0.row(), after[id].1), (edge.source, edge.target));
    }
    assert_eq!(after.len(), before.len() - changes.deleted.len() + new.len());
    model.edges.push(added);
    next
}

/// Puts rows behind the last of a node table.
fn add_rows(model: &mut Model, main: &Main, table: usize, random: &mut Random, round: usize) -> Main {
    let nodes: &mut NodeRows = &mut model.nodes[table];
    let info = &main.catalog.schema.node_tables[table];
    let mut rows = Vec::new();
    for i in 0..random.below(3) {
        let text = matches!(nodes.keys.first(), Some(Value::String(_)));
        let number = 1_000_000_000 + (table * 10_000_000 + round * 100 + i) as i64;
        let key = if text { Value::string(format!("key {number}")) } else { Value::Int(number) };
        let is_keyed = nodes.key_property.is_some();
        if nodes.key_space.is_some() {
            nodes.keys.push(key.clone());
        }
        let others: Vec<Value> =
            (info.properties.iter().skip(usize::from(is_keyed))).map(|p| value_for(p.ty, random)).collect();
        rows.push(is_keyed.then_some(key).into_iter().chain(others.clone()).collect::<Vec<_>>());
        nodes.rows.push(others);
    }
    main.with_rows(TableId(u16::try_from(table).unwrap()), &rows, OPTIONS).unwrap()
}

/// Leaves lists of target tables out that no edge leads to: edges, their ids and properties stay.
fn check_compacted(main: &mut Main) {
    let before: Vec<_> = (0..main.edge_tables.len()).map(|place| edges_of(main, place)).collect();
    main.compact(OPTIONS, &CancelToken::default()).unwrap();
    for (place, edges) in before.iter().enumerate() {
        assert_eq!(edges_of(main, place), *edges);
        let backward = &main.edge_tables[place].backward;
        assert!(edges.is_empty() || backward.iter().all(|(_, lists)| lists.edges() > 0));
    }
    assert!(!main.compact(OPTIONS, &CancelToken::default()).unwrap(), "once is enough");
}

/// The target tables of an edge table by its facts, and those that it has lists of.
fn targets_of(main: &Main, place: usize) -> (Vec<TableId>, Vec<TableId>) {
    let facts = &main.catalog.unrecorded_facts().edge_tables[place].targets;
    let lists = main.edge_tables[place].backward.iter().map(|(table, _)| *table);
    (facts.iter().map(|target| target.table).collect(), lists.collect())
}

/// All edges into one of two target tables go.
fn check_forgotten(model: &Model, is_column: bool) {
    let loaded = model.load(LoadOptions::default()).unwrap();
    reader_of(&loaded, |reader| {
        let forward = &reader.unrecorded().edge_table(0).forward;
        assert_eq!(matches!(forward, trimorph_store::AdjacencyView::Column(_)), is_column);
    });
    let (stays, goes) = (TableId(0), TableId(1));
    assert_eq!(targets_of(&loaded, 0), (vec![stays, goes], vec![stays, goes]));
    let into = |main: &Main| -> Vec<EdgeId> {
        let edges = edges_of(main, 0).into_iter().filter(|(_, (_, end, _))| end.table() == goes);
        edges.map(|(id, _)| id).collect()
    };
    let changes = EdgeChanges { deleted: into(&loaded), inserted: Vec::new() };
    let (mut main, _) = loaded.with_edges(EdgeTableId(0), &changes, OPTIONS).unwrap();
    let edges = edges_of(&main, 0);
    assert_eq!(targets_of(&main, 0).0, [stays, goes], "others may be about to write");
    main.restore_facts();
    assert_eq!(targets_of(&main, 0), (vec![stays], vec![stays, goes]));
    assert!(into(&main).is_empty() && edges_of(&main, 0) == edges);

    // Read again it is the same, and takes edges to the table again.
    let (fs, dir) = (MemoryFileSystem::default(), Path::new("db"));
    let mut checkpoint = Checkpoint::default();
    checkpoint.write(&fs, dir, &main).unwrap();
    let (read, mut checkpoint) = read_checkpoint(&fs, dir, OPTIONS).unwrap();
    assert_eq!(targets_of(&read, 0), (vec![stays], vec![stays, goes]));
    assert_eq!(edges_of(&read, 0), edges);
    let again = NewEdge { source: 1, target: NodeId::new(goes, 3), values: vec![Value::Int(5)] };
    let changes = EdgeChanges { deleted: Vec::new(), inserted: vec![again] };
    let (grown, new) = read.with_edges(EdgeTableId(0), &changes, OPTIONS).unwrap();
    assert_eq!(targets_of(&grown, 0).0, [stays, goes]);
    assert_eq!((edges_of(&grown, 0).len(), into(&grown)), (edges.len() + 1, new));

    let mut compacted = read.clone();
    assert!(compacted.compact(OPTIONS, &CancelToken::default()).unwrap());
    assert_eq!(targets_of(&compacted, 0), (vec![stays], vec![stays]));
    assert_eq!(edges_of(&compacted, 0), edges);
    checkpoint.write(&fs, dir, &compacted).unwrap();
    let (read, _) = read_checkpoint(&fs, dir, OPTIONS).unwrap();
    assert_eq!((targets_of(&read, 0), edges_of(&read, 0)), ((vec![stays], vec![stays]), edges));
}

#[test]
fn a_target_table_that_no_edge_leads_to_is_forgotten() {
    let mut model = plain_graph(300, 0);
    let mut random = Random::new(3);
    let mut other = model.nodes[0].clone();
    other.labels = vec!["M".into()];
    other.keys = (300..600).map(Value::Int).collect();
    model.nodes.push(other);
    for single in [false, true] {
        let edge = |i: usize| EdgeRow {
            from: NodeId::new(TableId(0), if single { i } else { i % 90 } as u64),
            to: NodeId::new(TableId(i.is_multiple_of(3).into()), random.below(300) as u64),
            values: vec![Value::Int(i as i64)],
        };
        let rows = (0..299).filter(|i| *i != 1).map(edge).collect();
        model.edges[0].rows = rows;
        check_forgotten(&model, single);
    }
}

/// Rounds of changes to one graph; each version is checked, the last three are checked again at the end.
fn change_often(mut model: Model, options: LoadOptions, rounds: usize, random: &mut Random) {
    let fs = MemoryFileSystem::default();
    let dir = Path::new("db");
    let mut checkpoint = Checkpoint::default();
    let mut main = model.load(options).unwrap();
    let mut older = Vec::new();
    for round in 0..rounds {
        for place in 0..main.edge_tables.len() {
            if random.chance(70) {
                main = change_edges(&mut model, &main, place, random);
            }
        }
        // A key space's index while loading is not there any more: keys of one table do.
        let table = random.below(main.node_tables.len().max(1));
        if table < main.node_tables.len() {
            main = add_rows(&mut model, &main, table, random, round);
        }
        check_changed(&model, &main);
        if random.chance(30) {
            main.restore_facts();
            check_changed(&model, &main);
        }
        if random.chance(30) {
            check_compacted(&mut main);
            check_changed(&model, &main);
        }
        checkpoint.write(&fs, dir, &main).unwrap();
        if random.chance(40) {
            (main, checkpoint) = read_checkpoint(&fs, dir, OPTIONS).unwrap();
            check_changed(&model, &main);
        }
        older.push((model.clone(), main.clone()));
        if older.len() > 3 {
            older.remove(0);
        }
    }
    older.iter().for_each(|(model, main)| check_changed(model, main));
}

#[test]
fn changed_graphs_hold_what_the_model_holds() {
    for seed in 0..60 {
        change_often(graph(seed), LoadOptions::default(), 6, &mut Random::new(seed + 1000));
    }
}

#[test]
fn changed_graphs_of_several_segments_hold_what_the_model_holds() {
    println!("segmented graph seed 6");
    change_often(segmented_graph(6, SEGMENT_ROWS + 300), LoadOptions::default(), 2, &mut Random::new(6));
    println!("segmented graph seed 9, lists in segments of 2,048 rows");
    let options = LoadOptions { segment_edges: 1, ..LoadOptions::default() };
    change_often(segmented_graph(9, 3 * 2048 + 300), options, 6, &mut Random::new(9));
}

/// One edge table over four segments, one property: a segment replaced shares everything else.
fn plain_graph(rows: usize, edges: usize) -> Model {
    let mut random = Random::new(77);
    let nodes = NodeRows {
        labels: vec!["N".into()],
        key_space: Some("n".into()),
        key_property: Some("id".into()),
        keys: (0..rows).map(|i| Value::Int(i as i64)).collect(),
        properties: vec![("name".into(), LogicalType::String)],
        rows: (0..rows).map(|i| vec![Value::string(format!("name {}", i % 5000))]).collect(),
    };
    let node = |row| NodeId::new(TableId(0), row);
    let edge = |random: &mut Random| EdgeRow {
        from: node(random.below(rows) as u64),
        to: node(random.below(rows) as u64),
        values: vec![Value::Int(random.between(0, 1000))],
    };
    let edges = EdgeRows {
        label: "E".into(),
        from_space: "n".into(),
        to_space: "n".into(),
        properties: vec![("p".into(), LogicalType::Int)],
        rows: (0..edges).map(|_| edge(&mut random)).collect(),
    };
    Model { nodes: vec![nodes], edges: vec![edges] }
}

#[test]
fn a_replaced_segment_costs_what_it_is() {
    let rows = 4 * SEGMENT_ROWS;
    let model = plain_graph(rows, 300_000);
    let main = model.load(LoadOptions::default()).unwrap();
    let (fs, dir) = (MemoryFileSystem::default(), Path::new("db"));
    let mut checkpoint = Checkpoint::default();
    let first = checkpoint.write(&fs, dir, &main).unwrap();
    let again = checkpoint.write(&fs, dir, &main).unwrap();
    assert_eq!((again.pieces, again.files), (0, 0), "nothing is new");
    let source = (SEGMENT_ROWS + 5) as u64;
    let inserted = vec![NewEdge { source, target: NodeId::new(TableId(0), 7), values: vec![Value::Int(3)] }];
    let changes = EdgeChanges { deleted: Vec::new(), inserted };
    let (next, _) = main.with_edges(EdgeTableId(0), &changes, OPTIONS).unwrap();
    let shared: BTreeSet<u64> = main.piece_ids().into_iter().collect();
    let new = next.piece_ids().into_iter().filter(|id| !shared.contains(id)).count();
    assert!(new <= 5, "lists forward and backward, pages, the property in one or two pieces: {new}");
    let report = checkpoint.write(&fs, dir, &next).unwrap();
    println!("{first:?} then {report:?}");
    assert!(report.files == 1 && report.bytes * 5 < first.bytes, "one of four segments of one of two tables");
    let (read, mut checkpoint) = read_checkpoint(&fs, dir, OPTIONS).unwrap();
    assert_eq!(edges_of(&read, 0), edges_of(&next, 0));
    check(&model, &main);

    let row = vec![Value::Int(-5), Value::string("a new name")];
    let grown = read.with_rows(TableId(0), std::slice::from_ref(&row), OPTIONS).unwrap();
    let report = checkpoint.write(&fs, dir, &grown).unwrap();
    println!("one row: {report:?}");
    assert!(report.bytes < 1 << 20, "{report:?}");
    reader_of(&grown, |reader| assert_eq!(reader.find_key(TableId(0), &row[0]), Some(rows as u64)));
    let error = grown.with_rows(TableId(0), &[row], OPTIONS).unwrap_err();
    assert!(matches!(error, RewriteError::DuplicateKey(_)), "{error}");
}

/// The bytes do not grow with the degrees: lists of many edges have segments of few rows.
#[test]
fn a_change_to_long_lists_costs_no_more() {
    let model = plain_graph(8000, 400_000);
    let main = model.load(LoadOptions::default()).unwrap();
    let (fs, dir) = (MemoryFileSystem::default(), Path::new("db"));
    let mut checkpoint = Checkpoint::default();
    let first = checkpoint.write(&fs, dir, &main).unwrap();
    let inserted =
        vec![NewEdge { source: 9, target: NodeId::new(TableId(0), 7), values: vec![Value::Int(3)] }];
    let changes = EdgeChanges { deleted: Vec::new(), inserted };
    let (next, _) = main.with_edges(EdgeTableId(0), &changes, OPTIONS).unwrap();
    let report = checkpoint.write(&fs, dir, &next).unwrap();
    println!("{first:?} then {report:?}");
    assert!(report.bytes * 2 < first.bytes, "2,048 of 8,000 rows");
    assert_eq!(edges_of(&next, 0).len(), 400_001);
}

#[test]
fn changes_that_do_not_fit_are_errors() {
    let model = plain_graph(300, 500);
    let main = model.load(LoadOptions::default()).unwrap();
    let edge = |source, row, values| NewEdge { source, target: NodeId::new(TableId(0), row), values };
    let good = || vec![Value::Int(1)];
    let elsewhere = NewEdge { target: NodeId::new(TableId(9), 0), ..edge(0, 0, good()) };
    let id = *edges_of(&main, 0).keys().next().unwrap();
    for (deleted, inserted) in [
        (vec![EdgeId(77)], vec![]),
        (vec![EdgeId(u64::MAX)], vec![]),
        (vec![], vec![edge(300, 0, good())]),
        (vec![], vec![edge(0, 300, good())]),
        (vec![], vec![elsewhere]),
        (vec![], vec![edge(0, 0, Vec::new())]),
    ] {
        let changes = EdgeChanges { deleted, inserted };
        let error = main.with_edges(EdgeTableId(0), &changes, OPTIONS).unwrap_err();
        assert!(matches!(error, RewriteError::Unknown(_)), "{error}");
    }
    assert!(main.with_edges(EdgeTableId(1), &EdgeChanges::default(), OPTIONS).is_err());
    let twice = EdgeChanges { deleted: vec![id, id], inserted: Vec::new() };
    let (next, _) = main.with_edges(EdgeTableId(0), &twice, OPTIONS).unwrap();
    assert_eq!(edges_of(&next, 0).len(), 499);
    assert!(main.with_rows(TableId(3), &[], OPTIONS).is_err());
    assert!(main.with_rows(TableId(0), &[vec![Value::Int(1)]], OPTIONS).is_err());
}
