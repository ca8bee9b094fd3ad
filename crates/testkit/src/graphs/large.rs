//! Graphs that cross the boundaries of zones, pages and segments, made without a die for every cell.

use trimorph_types::Value;

use super::model::node_id;
use super::{EdgeRow, EdgeRows, Model, NodeRows, PropertyKind};
use crate::Random;

/// Two tables, `Row` with `rows` nodes and `Few` with 10, and edges between them:
///
/// * `NEXT`: `Row` to the next row, with a property: one per source and target.
/// * `TO`: `Row` to any `Row`, with a property, mostly within some thousand rows of each segment boundary,
///   one node with many, in each direction; all other nodes have few or none.
/// * `IN`: most rows to one of `Few`: one per source.
///
/// **Cost**: `rows` should be a few hundred thousand at most; a row takes about 400 bytes while it is a
/// model.
pub fn segmented_graph(seed: u64, rows: usize) -> Model {
    let mut random = Random::new(seed);
    let row_table = row_table(&mut random, rows);
    let few = NodeRows {
        labels: vec!["Few".into()],
        key_space: Some("few".into()),
        key_property: Some("name".into()),
        keys: (0..10).map(|i| Value::string(format!("few {i}"))).collect(),
        properties: Vec::new(),
        rows: vec![Vec::new(); 10],
    };
    let edge = |from, to, values| EdgeRow { from: node_id(0, from), to, values };
    let next = (1..rows).map(|row| edge(row - 1, node_id(0, row), vec![Value::Int(row as i64)])).collect();
    let hub = rows / 2;
    let mut to = Vec::new();
    for i in 0..rows {
        let near = (i / (1 << 16)) * (1 << 16) + random.below(4096);
        let (from, target) = match random.below(8) {
            0 => (hub, i),
            1 => (i, hub),
            2 => (near.min(rows - 1), near.saturating_sub(random.below(4096)).min(rows - 1)),
            3 => (i, i),
            _ => (random.below(rows), near.min(rows - 1)),
        };
        to.push(edge(from, node_id(0, target), vec![Value::Int(i as i64)]));
    }
    let mut within = Vec::new();
    for row in (0..rows).filter(|row| row % 3 != 1 && !(70_000..90_000).contains(row)) {
        within.push(edge(row, node_id(1, random.below(10)), vec![Value::Bool(row % 2 == 0)]));
    }
    // Loading order is not row order.
    for i in (1..within.len()).rev() {
        within.swap(i, random.below(i + 1));
    }
    let edges = |label: &str, to_space: &str, property: &str, kind: PropertyKind, rows| EdgeRows {
        label: label.into(),
        from_space: "rows".into(),
        to_space: to_space.into(),
        properties: vec![(property.into(), kind.column_type())],
        rows,
    };
    Model {
        nodes: vec![row_table, few],
        edges: vec![
            edges("NEXT", "rows", "step", PropertyKind::SmallInt, next),
            edges("TO", "rows", "order", PropertyKind::SmallInt, to),
            edges("IN", "few", "even", PropertyKind::Bool, within),
        ],
    }
}

/// Columns of all encodings: a constant, a bitmap, codes of a dictionary, compressed texts, floats, null
/// everywhere in one segment and almost everywhere in another, and values of other types here and there.
fn row_table(random: &mut Random, rows: usize) -> NodeRows {
    let properties = [
        ("constant", PropertyKind::SmallInt),
        ("dense", PropertyKind::SmallInt),
        ("sparse", PropertyKind::SmallInt),
        ("even", PropertyKind::Bool),
        ("word", PropertyKind::Word),
        ("text", PropertyKind::Text),
        ("float", PropertyKind::Float),
        ("odd", PropertyKind::SmallInt),
    ];
    let row = |row: usize| {
        let number = row as i64;
        let text = format!("a rather longer text with number {row} and salt {}", random.below(1_000_000));
        vec![
            Value::Int(42),
            Value::Int(number * 7 - 100_000),
            if row < 1 << 16 || !row.is_multiple_of(977) { Value::Null } else { Value::Int(-number) },
            Value::Bool(row.is_multiple_of(2)),
            Value::string(["red", "green", "blue"][row % 3]),
            if row.is_multiple_of(5) { Value::Null } else { Value::string(text) },
            Value::Float(number as f64 / 8.0),
            if row % 10_007 == 10_006 { Value::string("not a number") } else { Value::Int(number % 13) },
        ]
    };
    NodeRows {
        labels: vec!["Row".into()],
        key_space: Some("rows".into()),
        key_property: Some("id".into()),
        keys: (0..rows).map(|row| Value::Int(row as i64 * 3 + 1)).collect(),
        properties: properties.iter().map(|(name, kind)| ((*name).into(), kind.column_type())).collect(),
        rows: (0..rows).map(row).collect(),
    }
}
