//! Duplicate keys and dangling edges: left out, reported with their lines, and nothing else is touched.

use std::sync::{Arc, Mutex};

use trimorph_base::{CancelToken, NodeId, TableId};
use trimorph_store::bulk::{
    BulkBuilder, BulkError, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Lines, NodeBatch,
    NodeSpec, Origin, Rejected, Verdict,
};
use trimorph_store::{Reader, Snapshot};
use trimorph_types::{LogicalType, Value, equivalent};
use trimorph_vfs::RegionOptions;

use crate::Random;

const LEN: usize = 400;

/// The snapshot, the keys given and the pairs of keys given.
type Built = (Snapshot, Vec<i64>, Vec<(i64, i64)>);

fn batch(from: &[i64]) -> ColumnBatch {
    ColumnBatch { data: ColumnData::Int(from.to_vec()), nulls: None }
}

fn origin(first: usize) -> Origin {
    Origin { file: 7, lines: Lines::From(first as u64 + 1) }
}

fn build(seed: u64, verdict: Verdict, refused: &Mutex<Vec<Rejected>>) -> Result<Built, BulkError> {
    let mut random = Random::new(seed);
    let reject = Box::new(|row| {
        refused.lock().unwrap().push(row);
        verdict
    });
    let builder = BulkBuilder::new(RegionOptions::default(), CancelToken::default(), reject);
    let nodes = builder.declare_nodes(NodeSpec {
        labels: vec!["N".into()],
        key_space: Some("n".into()),
        key_property: Some("id".into()),
        properties: vec![("copy".into(), LogicalType::Int)],
    })?;
    let edges = builder.declare_edges(EdgeSpec {
        label: "E".into(),
        from_space: "n".into(),
        to_space: "n".into(),
        properties: vec![("line".into(), LogicalType::Int)],
    })?;
    let keys: Vec<i64> = (0..LEN).map(|_| random.between(0, 600)).collect();
    let pairs: Vec<(i64, i64)> = (0..LEN).map(|_| (random.between(0, 600), random.between(0, 600))).collect();
    for (part, keys) in keys.chunks(37).enumerate() {
        let node_batch =
            NodeBatch { keys: Some(batch(keys).data), columns: vec![batch(keys)], origin: origin(part * 37) };
        builder.append_nodes(nodes, node_batch)?;
    }
    for (part, pairs) in pairs.chunks(41).enumerate() {
        let (from, to): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
        let lines: Vec<i64> = (0..pairs.len()).map(|i| (part * 41 + i) as i64).collect();
        builder.append_edges(
            edges,
            EdgeBatch {
                from_keys: ColumnData::Int(from),
                to_keys: ColumnData::Int(to),
                columns: vec![batch(&lines)],
                origin: origin(part * 41),
            },
        )?;
    }
    Ok((Snapshot::new(Arc::new(builder.finish(1)?)), keys, pairs))
}

#[test]
fn refused_rows_are_left_out_and_named() {
    for seed in 0..20 {
        println!("seed {seed}");
        let refused = Mutex::new(Vec::new());
        let (snapshot, keys, pairs) = build(seed, Verdict::Skip, &refused).unwrap();
        let refused = refused.into_inner().unwrap();
        let reader = Reader::new(&snapshot);
        let mut kept: Vec<i64> = Vec::new();
        for (line, key) in keys.iter().enumerate() {
            let reported = refused
                .iter()
                .any(|r| r.line == line as u64 + 1 && r.reason.starts_with("duplicate key") && r.file == 7);
            assert_eq!(reported, kept.contains(key), "line {}", line + 1);
            if !reported {
                let node = NodeId::new(TableId(0), kept.len() as u64);
                assert!(equivalent(&reader.node_property(node, "copy"), &Value::Int(*key)));
                assert_eq!(reader.find_key(TableId(0), &Value::Int(*key)), Some(kept.len() as u64));
                kept.push(*key);
            }
        }
        assert_eq!(reader.rows(TableId(0)), kept.len() as u64);
        let whole = |(from, to): &(i64, i64)| kept.contains(from) && kept.contains(to);
        let graph = crate::interpreter::Graph::read(&snapshot);
        let mut lines: Vec<String> =
            graph.edges.iter().map(|edge| format!("{:?}", edge.properties.get("line").unwrap())).collect();
        let expected = pairs
            .iter()
            .enumerate()
            .filter(|(_, pair)| whole(pair))
            .map(|(line, _)| format!("{:?}", Value::Int(line as i64)));
        let mut expected: Vec<String> = expected.collect();
        lines.sort();
        expected.sort();
        assert_eq!(lines, expected);
        for edge in &graph.edges {
            let Some(&Value::Int(line)) = edge.properties.get("line") else { panic!() };
            let (from, to) = pairs[usize::try_from(line).unwrap()];
            assert!(equivalent(&reader.node_property(edge.start, "id"), &Value::Int(from)));
            assert!(equivalent(&reader.node_property(edge.end, "id"), &Value::Int(to)));
        }
    }
}

#[test]
fn the_verdict_can_be_to_give_up() {
    println!("seed 1");
    let refused = Mutex::new(Vec::new());
    assert!(matches!(build(1, Verdict::Abort, &refused), Err(BulkError::Rejected(_))));
    assert_eq!(refused.into_inner().unwrap().len(), 1);
}
