//! Bugs that this kit found in other crates and that were repaired: each test keeps its bug from coming back.

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_store::access::{Morsels, Prune};
use trimorph_store::{Reader, Snapshot, write_main};
use trimorph_types::{DateTime, LogicalType, Value, Zone, compare};
use trimorph_vfs::{FileSystem, OsFileSystem};

use crate::graphs::{EdgeRow, EdgeRows, LoadOptions, Model, NodeRows};

fn table(keys: &[i64], properties: Vec<(String, LogicalType)>, rows: Vec<Vec<Value>>) -> Model {
    let nodes = NodeRows {
        labels: vec!["N".into()],
        key_space: Some("n".into()),
        key_property: Some("id".into()),
        keys: keys.iter().map(|key| Value::Int(*key)).collect(),
        properties,
        rows,
    };
    Model { nodes: vec![nodes], edges: Vec::new() }
}

fn with_edges(mut model: Model, pairs: &[(u64, u64)]) -> Snapshot {
    let edge = |(from, to): &(u64, u64)| EdgeRow {
        from: NodeId::new(TableId(0), *from),
        to: NodeId::new(TableId(0), *to),
        values: Vec::new(),
    };
    model.edges.push(EdgeRows {
        label: "E".into(),
        from_space: "n".into(),
        to_space: "n".into(),
        properties: Vec::new(),
        rows: pairs.iter().map(edge).collect(),
    });
    model.snapshot(LoadOptions::default()).unwrap()
}

/// Whether a scan of `x = wanted` (as an integer range) still visits the table's only zone.
fn visited(model: &Model, wanted: i64) -> bool {
    let snapshot = model.snapshot(LoadOptions::default()).unwrap();
    let reader = Reader::new(&snapshot);
    let morsels = Morsels::new(&snapshot, &[TableId(0)], 1024);
    let prune = Prune { table: TableId(0), column: 1, low: wanted, high: wanted, nulls: false };
    morsels.next(&reader, &[prune]).is_some()
}

/// A float in an INTEGER column is an exception that zone maps do not cover, and it equals an integer.
#[test]
fn a_zone_with_an_equal_float_is_visited() {
    let column = vec![("x".into(), LogicalType::Int)];
    let model = table(&[1, 2], column, vec![vec![Value::Int(1)], vec![Value::Float(5.0)]]);
    assert!(visited(&model, 5), "MATCH (n:N {{x: 5}}) finds the float 5.0");
}

/// As above: an instant in another zone is an exception of a DATETIME column, and compares.
#[test]
fn a_zone_with_a_later_instant_of_another_zone_is_visited() {
    let instant = |seconds, zone| Value::DateTime(DateTime { seconds, nanos: 0, zone });
    let column = vec![("x".into(), LogicalType::DateTime)];
    let later = instant(100, Zone::Offset(3600));
    assert!(compare(&later, &instant(50, Zone::Offset(0))).is_some_and(|o| o.is_gt()));
    let model = table(&[1, 2], column, vec![vec![instant(1, Zone::Offset(0))], vec![later]]);
    assert!(visited(&model, 100_000_000_000), "x > datetime of second 50 finds second 100 of +01:00");
}

/// `Reader::relationship` promises null for an id of no edge.
#[test]
fn an_edge_id_past_the_last_page_is_no_edge() {
    let snapshot = with_edges(table(&[1, 2], Vec::new(), vec![Vec::new(); 2]), &[(0, 0), (0, 1)]);
    let reader = Reader::new(&snapshot);
    for id in [reader.unrecorded().edge_table(0).id_at(128_000, 0), EdgeId(0), EdgeId(u64::MAX)] {
        assert!(reader.relationship(id).is_null() && reader.edge_properties(id).is_empty());
    }
}

/// Position 128 of page 0 would be row 128, which is position 0 of page 1.
#[test]
fn an_edge_of_a_vertex_column_answers_to_one_id() {
    let keys: Vec<i64> = (0..130).collect();
    let snapshot = with_edges(table(&keys, Vec::new(), vec![Vec::new(); 130]), &[(128, 0)]);
    let reader = Reader::new(&snapshot);
    for (page, position, there) in [(1, 0, true), (0, 128, false)] {
        let value = reader.relationship(reader.unrecorded().edge_table(0).id_at(128 * page, position));
        assert_eq!(!value.is_null(), there, "page {page}");
    }
}

/// A key look-up and `=` agree about floats of 9·10^15 and more.
#[test]
fn a_large_float_finds_its_key() {
    let snapshot = table(&[1 << 60], Vec::new(), vec![Vec::new()]).snapshot(LoadOptions::default()).unwrap();
    let float = Value::Float((1_u64 << 60) as f64);
    assert_eq!(trimorph_types::equals(&float, &Value::Int(1 << 60)), Some(true));
    assert_eq!(Reader::new(&snapshot).find_key(TableId(0), &float), Some(0));
}

/// A keyed table to which no batch was appended has its key column all the same.
#[test]
fn columns_of_a_table_without_batches_have_their_names() {
    let properties = vec![("a".into(), LogicalType::Float), ("b".into(), LogicalType::String)];
    let snapshot = table(&[], properties, Vec::new()).snapshot(LoadOptions::default()).unwrap();
    let catalog = snapshot.schema();
    let info = &catalog.node_tables[0];
    let named: Vec<_> =
        info.properties.iter().map(|p| (catalog.property_name(p.id).to_string(), p.ty)).collect();
    let names: Vec<&str> = named.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!((names.as_slice(), info.key), (["id", "a", "b"].as_slice(), Some(0)));
    assert_eq!((named[1].1, named[2].1), (LogicalType::Float, LogicalType::String));
}

/// `forward_run` of a row without edges has nothing to name, also where its segment has a presence index and
/// an earlier page has edges.
#[test]
fn the_first_edge_of_a_row_without_edges_is_harmless() {
    let keys: Vec<i64> = (0..300).collect();
    let snapshot = with_edges(table(&keys, Vec::new(), vec![Vec::new(); 300]), &[(0, 1), (0, 2)]);
    let reader = Reader::new(&snapshot);
    let view = reader.unrecorded().edge_table(0);
    let trimorph_store::AdjacencyView::Csr(csr) = &view.forward else { panic!("not lists") };
    assert_eq!(csr.list(200).len, 0);
    let first = view.forward_run(200, csr.list(200)).unwrap();
    assert_eq!(first, view.id_at(200, 0));
    assert!(reader.relationship(first).is_null());
}

/// Files of older versions are removed, and what else is in their folder.
#[test]
fn files_of_older_versions_are_removed() {
    let dir = std::env::temp_dir().join(format!("trimorph-testkit-folders-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let main = table(&[1], Vec::new(), vec![Vec::new()]).load(LoadOptions::default()).unwrap();
    std::fs::create_dir_all(dir.join("checkpoint/7")).unwrap();
    std::fs::write(dir.join("checkpoint/7/nodes-0"), "of another format").unwrap();
    for _ in 0..3 {
        write_main(&OsFileSystem, &dir, &main).unwrap();
    }
    let folders = OsFileSystem.list(&dir.join("checkpoint")).unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!(folders, ["3.pieces"]);
}
