//! Huge pages: random reads through 2 MiB and 4 KiB pages.
//!
//! 1. Reads at random places of regions of 256 MiB and 1 GiB: independent ones, and ones that wait for the one before.
//! 2. The storage: a column of 8-byte values as large, gathered at random rows, 1,024 at a time.
//! 3. The engine: the sum of an edge property from the targets' side, one random read an edge.
//!
//! Source: design §3, "Memory"; BI-HW §5.

use std::path::Path;
use std::sync::Arc;

use trimorph::{Config, Database};
use trimorph_base::{CancelToken, TableId};
use trimorph_store::bulk::{
    BulkBuilder, BulkSink, ColumnBatch, ColumnData, Lines, NodeBatch, NodeSpec, Origin, Verdict,
};
use trimorph_store::{Main, Reader, Snapshot};
use trimorph_types::LogicalType;
use trimorph_vector::Values;
use trimorph_vfs::{Region, RegionOptions};

use crate::Failure;
use crate::clock::race;
use crate::graph::Random;
use crate::lists::ask;
use crate::report::Report;

const READS: u64 = 1 << 22;
/// Rows handed over at a time.
const BATCH: usize = 1 << 16;
const QUERY: &str = "MATCH (a:V) WITH a MATCH (a)<-[e:E]-(b:V) RETURN sum(e.ts)";

fn filled(len: usize, huge_pages: bool) -> std::io::Result<Region> {
    let mut region = Region::zeroed(len, RegionOptions { huge_pages })?;
    region.as_mut_slice().fill(1);
    Ok(region)
}

fn random_reads(region: &Region) -> u64 {
    let (bytes, mut random, mut sum) = (region.as_slice(), Random(9), 0u64);
    for _ in 0..READS {
        sum += u64::from(bytes[random.below(bytes.len() as u64) as usize]);
    }
    sum
}

/// The same, each place hanging on the value read before.
fn dependent_reads(region: &Region) -> u64 {
    let (bytes, mut random, mut sum) = (region.as_slice(), Random(9), 0u64);
    for _ in 0..READS / 4 {
        // All bytes are 1, which the processor cannot know.
        let value = u64::from(bytes[random.below(bytes.len() as u64) as usize]);
        random.0 = random.0.wrapping_add(value);
        sum += value;
    }
    sum
}

/// A node table with one column of 8-byte values.
fn wide_column(bytes: usize, huge_pages: bool) -> Result<Main, Failure> {
    let builder =
        BulkBuilder::new(RegionOptions { huge_pages }, CancelToken::default(), Box::new(|_| Verdict::Abort));
    let table = builder.declare_nodes(NodeSpec {
        labels: vec!["V".into()],
        key_space: None,
        key_property: None,
        properties: vec![("p".into(), LogicalType::Int)],
    })?;
    let mut random = Random(5);
    for _ in 0..bytes / 8 / BATCH {
        let data = ColumnData::Int((0..BATCH).map(|_| random.next().cast_signed()).collect());
        let origin = Origin { file: 0, lines: Lines::From(1) };
        builder.append_nodes(
            table,
            NodeBatch { keys: None, columns: vec![ColumnBatch { data, nulls: None }], origin },
        )?;
    }
    Ok(builder.finish(1)?)
}

fn gathered(snapshot: &Snapshot, rows: u64) -> u64 {
    let reader = Reader::new(snapshot);
    let (column, mut random, mut sum) = (reader.node_column(TableId(0), 0), Random(9), 0u64);
    let mut picked = vec![0; 1024];
    for _ in 0..READS / 1024 {
        picked.iter_mut().for_each(|row| *row = random.below(rows));
        if let Values::Int(values) = &column.gather_rows(&picked).values {
            sum = values.iter().fold(sum, |sum, v| sum.wrapping_add(v.cast_unsigned()));
        }
    }
    sum
}

/// Bytes of this process in huge pages.
fn huge_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = text.lines().find(|l| l.starts_with("AnonHugePages:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

/// Prints the ratios; the database in `dir` holds `edges` edges.
pub(crate) fn huge_pages(report: &mut Report, dir: &Path, edges: usize) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for (name, len) in [("256 MiB", 256 << 20), ("1 GiB", 1 << 30)] {
        let (large, small) = (filled(len, true)?, filled(len, false)?);
        rows.push((
            format!("region of {name}"),
            race(&mut [&mut || random_reads(&large), &mut || random_reads(&small)]),
            READS as f64,
        ));
        rows.push((
            format!("region of {name}, waiting"),
            race(&mut [&mut || dependent_reads(&large), &mut || dependent_reads(&small)]),
            READS as f64 / 4.0,
        ));
        drop((large, small));
        let column = |huge| Ok::<_, Failure>(Snapshot::new(Arc::new(wide_column(len, huge)?)));
        let (large, small) = (column(true)?, column(false)?);
        let count = (len / 8) as u64;
        rows.push((
            format!("column of {name}"),
            race(&mut [&mut || gathered(&large, count), &mut || gathered(&small, count)]),
            READS as f64,
        ));
    }
    let open = |huge_pages| {
        Database::open(dir, Config { threads: 1, read_only: true, huge_pages, ..Config::default() })
    };
    let before = huge_bytes().unwrap_or(0);
    let large = open(true)?;
    let got = huge_bytes().unwrap_or(0).saturating_sub(before);
    let small = open(false)?;
    let (a, b) = (large.connect(), small.connect());
    let engine = race(&mut [&mut || ask(&a, QUERY, &[]).unwrap_or(u64::MAX), &mut || {
        ask(&b, QUERY, &[]).unwrap_or(u64::MAX)
    }]);
    if engine.iter().any(|(_, sum)| *sum == u64::MAX) || engine[0].1 != engine[1].1 {
        return Err(format!("the sums are {} and {}", engine[0].1, engine[1].1).into());
    }
    report.title("Huge pages: CPU ns a random read");
    report.row(&["", "2 MiB", "4 KiB", "ratio"].map(String::from));
    rows.push(("engine, backward sum of e.ts".into(), engine, edges as f64));
    for (name, times, reads) in rows {
        let nanos = [times[0].0 / reads * 1e9, times[1].0 / reads * 1e9];
        let ratio = nanos[1] / nanos[0];
        report.row(&[
            name.clone(),
            format!("{:.2}", nanos[0]),
            format!("{:.2}", nanos[1]),
            format!("{ratio:.2}x"),
        ]);
        report.json("huge pages", &name, &[("huge_ns", nanos[0]), ("small_ns", nanos[1]), ("ratio", ratio)]);
    }
    report.note(&format!(
        "the kernel gave {:.0} MB in huge pages to the database of {:.0} MB",
        got as f64 / 1e6,
        large.stats().image_bytes as f64 / 1e6
    ));
    Ok(())
}
