//! Figure 10: a sparse property behind a 1-hop query: with the rank index, with a bit string that is counted
//! through, uncompressed.
//!
//! The paper's experiment: `MATCH (a:A)-[:L]->(b:B) RETURN max(b.p)`, a scan of a, lists of 32 random b, and
//! p read at random, for shares of nulls in p. Each share is stored twice, as a property with nulls and as
//! one whose cells of nulls hold a marked value that cannot be the largest: `uncompressed`. Values are 8
//! random bytes, so that no other encoding applies.
//!
//! 1. `engine`: the query, whole, on one thread; both properties.
//! 2. `storage`: what of it is storage and a sink: adjacency lists, [`trimorph_store::ColumnView::gather`],
//!    the largest. Beside it the same reads from a flat array of 8-byte values, and from the bit string
//!    counted from the start of its 65,536 rows (not of the column, in its favour), which answers a part of
//!    the reads only.
//! 3. `scan`: the same columns read in order, 1,024 rows at a time.
//!
//! Source: GF-CL §5.3, §8.4, figure 10.

use std::path::Path;
use std::sync::Arc;

use trimorph::{Config, Database};
use trimorph_base::{CancelToken, NodeId, TableId};
use trimorph_store::bulk::{
    BulkBuilder, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Lines, NodeBatch, NodeSpec, Origin,
    Verdict,
};
use trimorph_store::{AdjacencyView, ColumnView, CsrView, Main, Reader, Snapshot, ZONE_ROWS, write_main};
use trimorph_types::LogicalType;
use trimorph_vector::{Values, Vector};
use trimorph_vfs::{OsFileSystem, RegionOptions};

use crate::Failure;
use crate::clock::race;
use crate::graph::Random;
use crate::lists::ask;
use crate::report::Report;

/// 64 MB of values a column: twice the last-level cache of the machines at hand.
const ROWS: usize = 1 << 23;
const LISTS: usize = 1 << 16;
const LIST: usize = 32;
const READS: usize = LISTS * LIST;
const SHARES: [u64; 8] = [0, 10, 20, 30, 40, 50, 70, 90];
/// The bit string answers one list in this many.
const SCAN_SHARE: usize = 64;
const BLOCK: usize = 1 << 16;
/// What is below is a mark; each is another, or they would be stored as runs.
const MARKS: i64 = i64::MIN + ROWS as i64;
/// What no value is above.
const MARK: i64 = i64::MIN;

/// The values of one share, with marks.
fn values(null_percent: u64) -> Vec<i64> {
    let mut random = Random(null_percent);
    (0..ROWS)
        .map(|row| {
            let value = random.next().cast_signed().max(MARKS);
            if random.below(100) < null_percent { MARK + row as i64 } else { value }
        })
        .collect()
}

fn load() -> Result<Main, Failure> {
    let builder =
        BulkBuilder::new(RegionOptions::default(), CancelToken::default(), Box::new(|_| Verdict::Abort));
    let nodes = |label: &str, properties: Vec<(String, LogicalType)>| NodeSpec {
        labels: vec![label.into()],
        key_space: Some(label.into()),
        key_property: None,
        properties,
    };
    let properties = SHARES
        .iter()
        .flat_map(|s| [format!("nulls{s}"), format!("plain{s}")])
        .map(|name| (name, LogicalType::Int))
        .collect();
    let (a, b) =
        (builder.declare_nodes(nodes("A", Vec::new()))?, builder.declare_nodes(nodes("B", properties))?);
    let edges = builder.declare_edges(EdgeSpec {
        label: "L".into(),
        from_space: "A".into(),
        to_space: "B".into(),
        properties: Vec::new(),
    })?;
    let origin = Origin { file: 0, lines: Lines::From(1) };
    let keys = |rows: usize| Some(ColumnData::Int((0..rows as i64).collect()));
    builder.append_nodes(a, NodeBatch { keys: keys(LISTS), columns: Vec::new(), origin: origin.clone() })?;
    let columns = SHARES
        .iter()
        .flat_map(|share| {
            let values = values(*share);
            let nulls = Some(values.iter().map(|v| *v < MARKS).collect()).filter(|_| *share > 0);
            [
                ColumnBatch { data: ColumnData::Int(values.clone()), nulls },
                ColumnBatch { data: ColumnData::Int(values), nulls: None },
            ]
        })
        .collect();
    builder.append_nodes(b, NodeBatch { keys: keys(ROWS), columns, origin: origin.clone() })?;
    let mut random = Random(11);
    builder.append_edges(
        edges,
        EdgeBatch {
            from_keys: ColumnData::Int((0..READS).map(|i| (i / LIST) as i64).collect()),
            to_keys: ColumnData::Int((0..READS).map(|_| random.below(ROWS as u64) as i64).collect()),
            columns: Vec::new(),
            origin,
        },
    )?;
    Ok(builder.finish(1)?)
}

/// The largest value of a vector that is not null.
fn largest(vector: &Vector<'_>, so_far: i64) -> i64 {
    let Values::Int(values) = &vector.values else { return so_far };
    if vector.nulls.is_none() {
        return values.iter().fold(so_far, |a, b| a.max(*b));
    }
    values.chunks(64).zip(vector.nulls.words()).fold(so_far, |most, (values, nulls)| {
        values.iter().enumerate().fold(most, |most, (i, value)| {
            // No branch: a sink that guessed nulls wrong would be what is measured.
            let null = ((nulls >> i) & 1).cast_signed().wrapping_neg();
            most.max((value & !null) | (MARK & null))
        })
    })
}

/// Every list of `csr`, as rows.
fn each_list(csr: &CsrView<'_>, share: usize, mut read: impl FnMut(&[NodeId])) {
    let mut nodes = Vec::with_capacity(LIST);
    for row in 0..LISTS / share {
        nodes.clear();
        csr.append_nodes(csr.list(row as u64), &mut nodes);
        read(&nodes);
    }
}

fn gathered(csr: &CsrView<'_>, column: &ColumnView<'_>) -> u64 {
    let mut most = MARK;
    each_list(csr, 1, |nodes| {
        most = largest(&column.gather_rows(nodes), most);
    });
    most.cast_unsigned()
}

fn flat(csr: &CsrView<'_>, values: &[i64], share: usize) -> u64 {
    let mut most = MARK;
    each_list(csr, share, |nodes| {
        let mut vector = [0i64; LIST];
        nodes.iter().zip(&mut vector).for_each(|(n, v)| *v = values[n.row() as usize]);
        most = vector[..nodes.len()].iter().fold(most, |a, b| a.max(*b));
    });
    most.cast_unsigned()
}

fn scanned(column: &ColumnView<'_>) -> u64 {
    let mut most = MARK;
    for first in (0..ROWS).step_by(ZONE_ROWS) {
        most = largest(&column.scan(first as u64, ZONE_ROWS), most);
    }
    most.cast_unsigned()
}

/// The paper's baseline: a bit for each row and no counts.
struct BitString {
    blocks: Vec<(Vec<u64>, Vec<i64>)>,
}

impl BitString {
    fn new(values: &[i64]) -> Self {
        let block = |rows: &[i64]| {
            let word =
                |rows: &[i64]| rows.iter().enumerate().fold(0, |w, (i, v)| w | u64::from(*v >= MARKS) << i);
            (rows.chunks(64).map(word).collect(), rows.iter().copied().filter(|v| *v >= MARKS).collect())
        };
        Self { blocks: values.chunks(BLOCK).map(block).collect() }
    }

    fn get(&self, row: usize) -> i64 {
        let (words, values) = &self.blocks[row / BLOCK];
        let (word, bit) = (row % BLOCK / 64, row % 64);
        if words[word] >> bit & 1 == 0 {
            return MARK;
        }
        let before: u32 = words[..word].iter().map(|w| w.count_ones()).sum();
        values[(before + (words[word] & ((1 << bit) - 1)).count_ones()) as usize]
    }

    fn counted(&self, csr: &CsrView<'_>) -> u64 {
        let mut most = MARK;
        each_list(csr, SCAN_SHARE, |nodes| {
            most = nodes.iter().fold(most, |most, n| most.max(self.get(n.row() as usize)));
        });
        most.cast_unsigned()
    }
}

/// Prints figure 10 as tables.
pub(crate) fn figure_10(report: &mut Report, dir: &Path) -> Result<(), Failure> {
    let main = load()?;
    std::fs::create_dir_all(dir)?;
    write_main(&OsFileSystem, dir, &main)?;
    let database = Database::open(dir, Config::new().threads(1).read_only(true))?;
    let connection = database.connect();
    // `WITH` keeps the order: from the other side the values would be read one after the other.
    let query =
        |property: String| format!("MATCH (a:A) WITH a MATCH (a)-[:L]->(b:B) RETURN max(b.{property})");
    report.title(&format!(
        "Figure 10: 1 hop to a property with nulls, {ROWS} rows of 8 bytes, {READS} edges; CPU ns an edge"
    ));
    report.note(
        "paper: J-NULL 1.19x to 1.51x of uncompressed, faster above 70 % nulls; bit string > 20x of J-NULL\n",
    );
    report.row(&["engine, whole query", "uncompressed", "J-NULL", "J/u"].map(String::from));
    let mut goals = Vec::new();
    let mut worst = 0f64;
    for share in SHARES {
        let (plain, nulls) = (query(format!("plain{share}")), query(format!("nulls{share}")));
        let times = race(&mut [&mut || ask(&connection, &plain, &[]).unwrap_or(0), &mut || {
            ask(&connection, &nulls, &[]).unwrap_or(1)
        }]);
        if times[0].1 != times[1].1 {
            return Err(format!("{nulls}: {} is not {}", times[1].1, times[0].1).into());
        }
        let nanos = [0, 1].map(|i| times[i].0 / READS as f64 * 1e9);
        let ratio = nanos[1] / nanos[0];
        worst = worst.max(ratio);
        let cells = [format!("{share} %"), format!("{:.2}", nanos[0]), format!("{:.2}", nanos[1])];
        report.row(&[cells.as_slice(), &[format!("{ratio:.2}x")]].concat());
        report.json(
            "10",
            &format!("engine {share}"),
            &[("uncompressed_ns", nanos[0]), ("rank_ns", nanos[1])],
        );
    }
    goals.push(("whole query", worst));
    drop((connection, database));

    let snapshot = Snapshot::new(Arc::new(main));
    let reader = Reader::new(&snapshot);
    let AdjacencyView::Csr(csr) = &reader.unrecorded().edge_table(0).forward else {
        return Err("the graph was not loaded as lists".into());
    };
    report.note("");
    let header = [
        "storage",
        "flat array",
        "uncompressed",
        "J-NULL",
        "bit string",
        "J/u",
        "J/flat",
        "bits/J",
        "J bytes/u",
    ];
    report.row(&header.map(String::from));
    let mut worst = [0f64; 2];
    let column = |place: usize| reader.unrecorded().node_column(TableId(1), place);
    for (k, share) in SHARES.iter().enumerate() {
        let values = values(*share);
        let (plain, nulls, string) = (column(2 * k + 1), column(2 * k), BitString::new(&values));
        let times = race(&mut [
            &mut || flat(csr, &values, 1),
            &mut || gathered(csr, plain),
            &mut || gathered(csr, nulls),
            &mut || string.counted(csr),
        ]);
        if times[1..3].iter().any(|t| t.1 != times[0].1) || times[3].1 != flat(csr, &values, SCAN_SHARE) {
            return Err(format!("{share} % nulls: the largest are {times:?}").into());
        }
        let reads = [READS, READS, READS, READS / SCAN_SHARE];
        let nanos = [0, 1, 2, 3].map(|i| times[i].0 / reads[i] as f64 * 1e9);
        let present: usize = string.blocks.iter().map(|(_, values)| values.len()).sum();
        let index = if present == ROWS { 0 } else { ROWS / 64 * 10 };
        let size = (present * 8 + index) as f64 / (ROWS * 8) as f64;
        let ratios = [nanos[2] / nanos[1], nanos[2] / nanos[0]];
        worst.iter_mut().zip(ratios).for_each(|(w, r)| *w = w.max(r));
        let mut cells = vec![format!("{share} %")];
        cells.extend(nanos.iter().map(|n| format!("{n:.2}")));
        cells.extend(ratios.iter().map(|r| format!("{r:.2}x")));
        cells.extend([format!("{:.0}x", nanos[3] / nanos[2]), format!("{size:.3}")]);
        report.row(&cells);
        let figures = [
            ("flat_ns", nanos[0]),
            ("uncompressed_ns", nanos[1]),
            ("rank_ns", nanos[2]),
            ("bit_string_ns", nanos[3]),
            ("rank_size", size),
        ];
        report.json("10", &format!("storage {share}"), &figures);
    }
    goals.push(("storage", worst[0]));
    goals.push(("storage, against a flat array", worst[1]));

    report.note("");
    report.row(&["scan", "uncompressed", "J-NULL", "J/u"].map(String::from));
    for (k, share) in SHARES.iter().enumerate() {
        let (plain, nulls) = (column(2 * k + 1), column(2 * k));
        let times = race(&mut [&mut || scanned(plain), &mut || scanned(nulls)]);
        if times[0].1 != times[1].1 {
            return Err(format!("{share} % nulls: the largest are {times:?}").into());
        }
        let nanos = [0, 1].map(|i| times[i].0 / ROWS as f64 * 1e9);
        let cells = [format!("{share} %"), format!("{:.2}", nanos[0]), format!("{:.2}", nanos[1])];
        report.row(&[cells.as_slice(), &[format!("{:.2}x", nanos[1] / nanos[0])]].concat());
        report.json("10", &format!("scan {share}"), &[("uncompressed_ns", nanos[0]), ("rank_ns", nanos[1])]);
    }
    for (what, worst) in goals {
        report.target(&format!("uncompressed / J-NULL, {what}, worst (1 / 1.5)"), 1.0 / worst, 1.0 / 1.5);
    }
    Ok(())
}
