//! Huge pages: random reads through 2 MiB and 4 KiB pages.
//!
//! 1. Reads at random places of regions of 256 MiB and 1 GiB: independent ones, and ones that wait for the
//!    one before.
//! 2. The storage: a column of 8-byte values as large, gathered at random rows, 1,024 at a time.
//! 3. The engine: the sums of one and of all of [`PROPERTIES`] properties of [`NODES`] nodes over [`EDGES`]
//!    edges whose targets are drawn at random: columns of 0.4 GB each, 3.4 GB together, and nothing that is
//!    read at random beside them is large. Two rows stand beside each: a plain loop over the same targets and
//!    flat arrays, which is what the hardware allows, and the same query over a property that takes no
//!    memory, which is what the engine spends beside the reads.
//!
//! How much is gained hangs on the page tables: those of 0.4 GB in small pages are 0.8 MB and stay in a
//! cache, those of 3.4 GB are not found in the second level any more.
//!
//! Source: design §3, "Memory"; BI-HW §5.

use std::path::Path;
use std::sync::Arc;

use trimorph::{Config, Database};
use trimorph_base::{CancelToken, TableId};
use trimorph_store::bulk::{
    BulkBuilder, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Lines, NodeBatch, NodeSpec, Origin,
    Verdict,
};
use trimorph_store::{Main, Reader, Snapshot, write_main};
use trimorph_types::LogicalType;
use trimorph_vector::Values;
use trimorph_vfs::{OsFileSystem, Region, RegionOptions};

use crate::Failure;
use crate::clock::race;
use crate::graph::Random;
use crate::lists::ask;
use crate::report::Report;

const READS: u64 = 1 << 22;
/// Rows handed over at a time.
const BATCH: usize = 1 << 16;
/// Nodes whose property is read.
const NODES: usize = 1 << 26;
/// Their properties.
const PROPERTIES: usize = 8;
/// Edges, of which each source has [`DEGREE`].
const EDGES: usize = 1 << 21;
const DEGREE: usize = 16;
/// Bits of a property, one of them the sign: sums of [`EDGES`] random ones of each stay 6 standard deviations
/// within 64 bits.
const BITS: u32 = 50;

/// `WITH` keeps the order: from the other side the values would be read one after the other.
fn query(properties: &[String]) -> String {
    let sums: Vec<String> = properties.iter().map(|p| format!("sum(b.{p})")).collect();
    format!("MATCH (a:S) WITH a MATCH (a)-[:E]->(b:V) RETURN {}", sums.join(" + "))
}

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
    let (column, mut random, mut sum) = (reader.unrecorded().node_column(TableId(0), 0), Random(9), 0u64);
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

fn names() -> impl Iterator<Item = String> {
    (0..PROPERTIES).map(|p| format!("p{p}"))
}

/// Property `p` of node `row`.
fn value(p: usize, row: u64) -> i64 {
    Random(row * PROPERTIES as u64 + p as u64 + 1).next().wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed()
        >> (64 - BITS)
}

fn targets() -> impl Iterator<Item = u64> {
    let mut random = Random(7);
    (0..EDGES).map(move |_| random.below(NODES as u64))
}

/// `(:S)-[:E]->(:V {p0, …, one})` as a database directory, for [`query`].
fn write_graph(dir: &Path) -> Result<(), Failure> {
    let builder =
        BulkBuilder::new(RegionOptions::default(), CancelToken::default(), Box::new(|_| Verdict::Abort));
    let node = |label: &str, properties| NodeSpec {
        labels: vec![label.into()],
        key_space: Some(label.into()),
        key_property: None,
        properties,
    };
    let numbers = names().chain(["one".into()]).map(|name| (name, LogicalType::Int)).collect();
    let sources = builder.declare_nodes(node("S", Vec::new()))?;
    let nodes = builder.declare_nodes(node("V", numbers))?;
    let edges = builder.declare_edges(EdgeSpec {
        label: "E".into(),
        from_space: "S".into(),
        to_space: "V".into(),
        properties: Vec::new(),
    })?;
    let origin = |row: usize| Origin { file: 0, lines: Lines::From(row as u64 + 1) };
    let ints = |data: Vec<i64>| ColumnBatch { data: ColumnData::Int(data), nulls: None };
    for first in (0..NODES).step_by(BATCH) {
        let rows = first as i64..(first + BATCH) as i64;
        let mut columns: Vec<ColumnBatch> =
            (0..PROPERTIES).map(|p| ints(rows.clone().map(|r| value(p, r as u64)).collect())).collect();
        columns.push(ints(vec![1; BATCH]));
        let keys = Some(ColumnData::Int(rows.collect()));
        builder.append_nodes(nodes, NodeBatch { keys, columns, origin: origin(first) })?;
    }
    let keys = Some(ColumnData::Int((0..(EDGES / DEGREE) as i64).collect()));
    builder.append_nodes(sources, NodeBatch { keys, columns: Vec::new(), origin: origin(0) })?;
    let mut targets = targets();
    for first in (0..EDGES).step_by(BATCH) {
        let batch = EdgeBatch {
            from_keys: ColumnData::Int((first..first + BATCH).map(|e| (e / DEGREE) as i64).collect()),
            to_keys: ColumnData::Int(targets.by_ref().take(BATCH).map(u64::cast_signed).collect()),
            columns: Vec::new(),
            origin: origin(first),
        };
        builder.append_edges(edges, batch)?;
    }
    std::fs::create_dir_all(dir)?;
    Ok(write_main(&OsFileSystem, dir, &builder.finish(1)?)?)
}

/// The values as flat arrays, one after the other.
fn flat(huge_pages: bool) -> std::io::Result<Region> {
    let mut region = Region::zeroed(PROPERTIES * NODES * 8, RegionOptions { huge_pages })?;
    for (p, array) in region.as_mut_slice().chunks_exact_mut(NODES * 8).enumerate() {
        for (row, bytes) in (0..).zip(array.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&value(p, row).to_le_bytes());
        }
    }
    Ok(region)
}

/// What [`query`] asks of the first `properties`, over flat arrays, a vector of targets at a time.
fn flat_sum(values: &Region, targets: &[u32], properties: usize) -> u64 {
    let mut sum = 0i64;
    for targets in targets.chunks(2048) {
        for array in values.as_slice().chunks_exact(NODES * 8).take(properties) {
            for target in targets {
                let value = array.get(*target as usize * 8..).and_then(|b| b.first_chunk::<8>());
                sum = sum.wrapping_add(value.map_or(0, |bytes| i64::from_le_bytes(*bytes)));
            }
        }
    }
    sum.cast_unsigned()
}

/// A name, the CPU seconds and answers with huge pages and without, and the number of reads.
type Line = (String, Vec<(f64, u64)>, f64);

/// The regions and the columns.
fn raw_reads() -> Result<Vec<Line>, Failure> {
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
    Ok(rows)
}

/// The query, the loop and the query that reads nothing.
fn query_reads(report: &Report, dir: &Path) -> Result<Vec<Line>, Failure> {
    write_graph(dir)?;
    let open =
        |huge_pages| Database::open(dir, Config::new().threads(1).read_only(true).huge_pages(huge_pages));
    let before = huge_bytes().unwrap_or(0);
    let large = open(true)?;
    let got = huge_bytes().unwrap_or(0).saturating_sub(before);
    report.note(&format!(
        "the kernel gave {:.0} MB in huge pages to the database of {:.0} MB",
        got as f64 / 1e6,
        large.stats().piece_bytes as f64 / 1e6
    ));
    let small = open(false)?;
    let (a, b) = (large.connect(), small.connect());
    let mut rows = Vec::new();
    let all: Vec<String> = names().collect();
    let one = vec!["one".to_owned()];
    for (name, properties) in [("one property", &all[..1]), ("all properties", &all[..]), ("no memory", &one)]
    {
        let text = query(properties);
        let times =
            race(&mut [&mut || ask(&a, &text, &[]).unwrap_or(0), &mut || ask(&b, &text, &[]).unwrap_or(0)]);
        rows.push((format!("engine, {name}"), times, (properties.len() * EDGES) as f64));
    }
    drop((a, b, large, small));
    // In the order of the lists: by source, then by target.
    let mut targets: Vec<u32> = targets().map(|t| t as u32).collect();
    targets.chunks_mut(DEGREE).for_each(<[u32]>::sort_unstable);
    let (large, small) = (flat(true)?, flat(false)?);
    for (name, properties) in [("one array", 1), ("all arrays", PROPERTIES)] {
        let times = race(&mut [&mut || flat_sum(&large, &targets, properties), &mut || {
            flat_sum(&small, &targets, properties)
        }]);
        rows.push((format!("plain loop, {name}"), times, (properties * EDGES) as f64));
    }
    Ok(rows)
}

/// Prints the ratios; the graph is written below `dir`.
pub(crate) fn huge_pages(report: &mut Report, dir: &Path) -> Result<(), Failure> {
    let mut rows = raw_reads()?;
    let asked = query_reads(report, dir)?;
    let answers: Vec<u64> =
        asked.iter().flat_map(|(_, times, _)| times.iter().map(|(_, sum)| *sum)).collect();
    let expected = |one: u64, all: u64| [one, one, all, all, EDGES as u64, EDGES as u64, one, one, all, all];
    if answers.len() != 10 || answers != expected(answers[0], answers[2]) {
        return Err(format!("the sums are {answers:?}").into());
    }
    rows.extend(asked);
    report.title("Huge pages: CPU ns a random read");
    report.row(&["", "2 MiB", "4 KiB", "ratio"].map(String::from));
    for (name, times, reads) in rows {
        let nanos = [times[0].0 / reads * 1e9, times[1].0 / reads * 1e9];
        let ratio = nanos[1] / nanos[0];
        report.row(&[
            name.clone(),
            format!("{:.2}", nanos[0]),
            format!("{:.2}", nanos[1]),
            format!("{ratio:.2}x"),
        ]);
        if name == "engine, all properties" {
            report.target(&name, ratio, 1.5);
        }
        report.json("huge pages", &name, &[("huge_ns", nanos[0]), ("small_ns", nanos[1]), ("ratio", ratio)]);
    }
    Ok(())
}
