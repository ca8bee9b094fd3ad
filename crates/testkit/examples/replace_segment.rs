//! What replacing one segment costs: an edge into a table of 10 million with one property out of 2 million
//! sources, and a row into a keyed table of 10 million; times of publishing and bytes of the checkpoint.
//!
//! `cargo run --release -p trimorph-testkit --example replace_segment [EDGES [SOURCES [ROWS [ROUNDS]]]]`
#![expect(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use trimorph_base::{CancelToken, EdgeTableId, NodeId, Random, TableId};
use trimorph_store::bulk::{
    BulkBuilder, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Lines, NodeBatch, NodeSpec, Origin,
    Verdict,
};
use trimorph_store::{Checkpoint, EdgeChanges, Main, NewEdge};
use trimorph_types::{LogicalType, Value};
use trimorph_vfs::{OsFileSystem, RegionOptions};

const BATCH: usize = 1 << 16;

fn origin() -> Origin {
    Origin { file: 0, lines: Lines::From(0) }
}

fn nodes(builder: &BulkBuilder<'_>, label: &str, rows: usize) -> Result<(), Box<dyn Error>> {
    let table = builder.declare_nodes(NodeSpec {
        labels: vec![label.into()],
        key_space: Some(label.into()),
        key_property: Some("id".into()),
        properties: vec![("p".into(), LogicalType::Int)],
    })?;
    for first in (0..rows).step_by(BATCH) {
        let keys: Vec<i64> = (first..rows.min(first + BATCH)).map(|i| i as i64).collect();
        let column =
            ColumnBatch { data: ColumnData::Int(keys.iter().map(|k| k % 1000).collect()), nulls: None };
        let batch = NodeBatch { keys: Some(ColumnData::Int(keys)), columns: vec![column], origin: origin() };
        builder.append_nodes(table, batch)?;
    }
    Ok(())
}

fn load(edges: usize, sources: usize, rows: usize) -> Result<Main, Box<dyn Error>> {
    let builder =
        BulkBuilder::new(RegionOptions::default(), CancelToken::default(), Box::new(|_| Verdict::Abort));
    nodes(&builder, "N", sources)?;
    nodes(&builder, "Keyed", rows)?;
    let table = builder.declare_edges(EdgeSpec {
        label: "E".into(),
        from_space: "N".into(),
        to_space: "N".into(),
        properties: vec![("at".into(), LogicalType::Int)],
    })?;
    let mut random = Random::new(1);
    for first in (0..edges).step_by(BATCH) {
        let len = BATCH.min(edges - first);
        let mut ends = || (0..len).map(|_| random.below(sources) as i64).collect::<Vec<_>>();
        let (from, to) = (ends(), ends());
        let column = ColumnBatch {
            data: ColumnData::Int((0..len).map(|_| random.between(0, 4095)).collect()),
            nulls: None,
        };
        builder.append_edges(
            table,
            EdgeBatch {
                from_keys: ColumnData::Int(from),
                to_keys: ColumnData::Int(to),
                columns: vec![column],
                origin: origin(),
            },
        )?;
    }
    Ok(builder.finish(2)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let size = |i: usize, usual| sizes.get(i).copied().unwrap_or(usual);
    let (edges, sources, rows) = (size(0, 10_000_000), size(1, 2_000_000), size(2, 10_000_000));
    let rounds = size(3, 5);
    let main = load(edges, sources, rows)?;
    let folder = std::env::temp_dir().join(format!("trimorph-replace-{}", std::process::id()));
    let dir: &Path = &folder;
    std::fs::create_dir_all(dir)?;
    let mut checkpoint = Checkpoint::default();
    let start = Instant::now();
    println!("first checkpoint: {:?} in {:?}", checkpoint.write(&OsFileSystem, dir, &main)?, start.elapsed());
    let mut now = main;
    let mut random = Random::new(2);
    for round in 0..rounds {
        let edge = NewEdge {
            source: random.below(sources) as u64,
            target: NodeId::new(TableId(0), random.below(sources) as u64),
            values: vec![Value::Int(7)],
        };
        let changes = EdgeChanges { deleted: Vec::new(), inserted: vec![edge] };
        let start = Instant::now();
        let (next, _) = now.with_edges(EdgeTableId(0), &changes, RegionOptions::default())?;
        let published = start.elapsed();
        let start = Instant::now();
        let report = checkpoint.write(&OsFileSystem, dir, &next)?;
        println!("edge {round}: published in {published:?}; {report:?} in {:?}", start.elapsed());
        now = next;
    }
    for round in 0..3 {
        let row = vec![Value::Int((rows + round) as i64), Value::Int(5)];
        let start = Instant::now();
        let next = now.with_rows(TableId(1), &[row], RegionOptions::default())?;
        let published = start.elapsed();
        let start = Instant::now();
        let report = checkpoint.write(&OsFileSystem, dir, &next)?;
        println!("row {round}: published in {published:?}; {report:?} in {:?}", start.elapsed());
        now = next;
    }
    std::fs::remove_dir_all(dir)?;
    Ok(())
}
