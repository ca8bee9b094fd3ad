//! Table 2: bytes of a social network in GF-RV's row layout, after each of GF-CL's steps, and in ours.
//!
//! 1. The row layout is built, buffer by buffer, from what the public `Reader` gives:
//!    a property is key (4 bytes) and value in its vertex's or edge's record, strings and lists out of line
//!    (8-byte reference, 4-byte length, bytes); 8 bytes a vertex and an edge refer to the record; lists are
//!    pairs (8-byte edge id, 8-byte neighbour id) behind 4-byte offsets, in both directions. There is no
//!    index and no metadata: in the row layout's favour.
//! 2. `+COLS`: columns of fixed width with a slot for every row (strings: 4-byte end and bytes), pages only
//!    where an edge label has properties, single-cardinality edges as vertex columns of pairs.
//! 3. `+NEW-IDS`: neighbour as 8-byte row, 2 bytes for its table only if there are several; a 4-byte position
//!    only backward, only where the label has properties and the edge cannot be named by its source.
//! 4. `+0-SUPR`: rows, tables and positions in the fewest whole bytes of each edge table.
//! 5. `+NULL`: only values present, 1.25 bits a row, wherever a column has nulls; the same for empty lists if
//!    it is smaller.
//! 6. Ours, as `Main.bytes` counts it: the same and frame of reference, dictionaries, FSST, widths by segment
//!    of 65,536 rows.
//!
//! Steps 2–5 are counted, not built; 1 and 6 are built. Source: GF-CL §8.2, table 2.

use std::path::Path;
use std::sync::Arc;

use trimorph_base::{CancelToken, PAGE_ROWS};
use trimorph_catalog::TargetFacts;
use trimorph_loader::{LoadOptions, NoProgress, generate, load};
use trimorph_store::bulk::{BulkBuilder, Verdict};
use trimorph_store::{AdjacencyView, ColumnView, Main, Reader, Snapshot};
use trimorph_types::Value;
use trimorph_vfs::RegionOptions;

use crate::Failure;
use crate::report::Report;

const STEPS: [&str; 6] = ["GF-RV", "+COLS", "+NEW-IDS", "+0-SUPR", "+NULL", "ours"];
/// GF-CL's table 2a (LDBC 100, GB): vertex properties, edge properties, forward, backward, total.
const PAPER: [(&str, [f64; 5]); 5] = [
    ("vertex properties", [31.40, 19.87, 19.87, 19.87, 19.28]),
    ("edge properties", [7.92, 2.07, 2.07, 2.07, 2.05]),
    ("forward adjacency", [31.93, 28.95, 20.67, 11.41, 10.78]),
    ("backward adjacency", [31.29, 31.07, 24.93, 13.10, 11.41]),
    ("total", [102.56, 81.97, 67.55, 46.45, 43.54]),
];

/// Vertex properties, edge properties, forward, backward; by step.
type Bytes = [[usize; 5]; 4];

/// Records of the row layout.
#[derive(Default)]
struct Records {
    references: Vec<u64>,
    records: Vec<u8>,
    heap: Vec<u8>,
}

impl Records {
    fn begin(&mut self) {
        self.references.push(self.records.len() as u64);
    }

    fn property(&mut self, key: u32, value: &Value) {
        if value.is_null() {
            return;
        }
        self.records.extend(key.to_le_bytes());
        match value {
            Value::Bool(x) => self.records.push(u8::from(*x)),
            Value::Date(x) => self.records.extend(x.days.to_le_bytes()),
            Value::Int(x) => self.records.extend(x.to_le_bytes()),
            Value::Float(x) => self.records.extend(x.to_le_bytes()),
            Value::String(x) => self.out_of_line(x.as_bytes()),
            Value::List(items) => {
                let text: Vec<u8> = items.iter().flat_map(list_item).collect();
                self.out_of_line(&text);
            }
            // Instants: nanoseconds.
            _ => self.records.extend([0; 8]),
        }
    }

    fn out_of_line(&mut self, bytes: &[u8]) {
        self.records.extend((self.heap.len() as u64).to_le_bytes());
        self.heap.extend((bytes.len() as u32).to_le_bytes());
        self.heap.extend(bytes);
    }

    fn bytes(&self) -> usize {
        self.references.len() * 8 + self.records.len() + self.heap.len()
    }
}

fn list_item(item: &Value) -> Vec<u8> {
    match item {
        Value::String(text) => [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat(),
        _ => vec![0; 8],
    }
}

/// A fixed-width column before and after NULL compression.
#[derive(Default)]
struct Plain {
    rows: usize,
    nulls: usize,
    width: usize,
    bytes: usize,
}

impl Plain {
    fn add(&mut self, value: &Value) {
        self.rows += 1;
        let (width, bytes) = match value {
            Value::Null => {
                self.nulls += 1;
                return;
            }
            Value::Bool(_) => (1, 0),
            Value::Date(_) => (4, 0),
            Value::String(text) => (4, text.len()),
            Value::List(items) => (4, items.iter().map(|i| list_item(i).len()).sum()),
            _ => (8, 0),
        };
        self.width = self.width.max(width);
        self.bytes += bytes;
    }

    fn vanilla(&self) -> usize {
        self.rows * self.width + self.bytes
    }

    fn compressed(&self) -> usize {
        if self.nulls == 0 {
            self.vanilla()
        } else {
            (self.rows - self.nulls) * self.width + self.bytes + rank_bytes(self.rows)
        }
    }
}

/// A rank index: 64 bits and a 16-bit count for every 64 rows.
fn rank_bytes(rows: usize) -> usize {
    rows.div_ceil(64) * 10
}

/// Whole bytes that hold values below `end`.
fn width(end: u64) -> usize {
    (64 - end.saturating_sub(1).leading_zeros()).div_ceil(8) as usize
}

fn properties(
    columns: &[(u32, &ColumnView<'_>)],
    rows: u64,
    records: &mut Records,
    begin: bool,
    out: &mut [usize; 5],
) {
    let mut plain: Vec<Plain> = columns.iter().map(|_| Plain::default()).collect();
    for row in 0..rows {
        if begin {
            records.begin();
        }
        for ((key, column), plain) in columns.iter().zip(&mut plain) {
            let value = column.value(row);
            records.property(*key, &value);
            plain.add(&value);
        }
    }
    for plain in plain {
        for step in &mut out[1..4] {
            *step += plain.vanilla();
        }
        out[4] += plain.compressed();
    }
}

/// What one direction of one edge table is made of.
struct Direction {
    rows: usize,
    edges: usize,
    nonempty: usize,
    single: bool,
    tables: usize,
    row_end: u64,
    /// One past the largest position, if positions are needed.
    position_end: Option<u64>,
}

impl Direction {
    /// Bytes after each step but the first.
    fn count(&self, out: &mut [usize; 5]) {
        let tables = usize::from(self.tables > 1);
        let positions = usize::from(self.position_end.is_some());
        let narrow = width(self.row_end) + tables + self.position_end.map_or(0, width);
        let places = if self.single { self.rows } else { self.edges };
        let offsets = if self.single { 0 } else { (self.rows + 1) * 4 };
        out[1] += places * 16 + offsets;
        out[2] += places * (8 + 2 * tables + 4 * positions) + offsets;
        out[3] += places * narrow + offsets;
        let index =
            if self.single { rank_bytes(self.rows) } else { (self.nonempty + 1) * 4 + rank_bytes(self.rows) };
        out[4] += (places * narrow + offsets).min(self.edges * narrow + index);
    }
}

/// The row layout's lists of one direction, built; their bytes. `list` gives the neighbours and edge ids of a
/// row.
fn pairs(rows: u64, mut list: impl FnMut(u64, &mut Vec<(u64, u64)>)) -> (usize, usize) {
    let mut built = Vec::new();
    let mut offsets = vec![0u32];
    let mut nonempty = 0;
    for row in 0..rows {
        let before = built.len();
        list(row, &mut built);
        nonempty += usize::from(built.len() > before);
        offsets.push(built.len() as u32);
    }
    (built.len() * 16 + offsets.len() * 4, nonempty)
}

fn neighbours(view: &AdjacencyView<'_>, row: u64, out: &mut Vec<(u64, u64)>) {
    match view {
        AdjacencyView::Csr(csr) => {
            let list = csr.list(row);
            let first = csr.slot(list);
            out.extend((0..list.len).map(|i| (first + i as u64, csr.node(list, i).0)));
        }
        AdjacencyView::Column(column) => out.extend(column.neighbour(row).map(|n| (row, n.0))),
    }
}

fn edge_table(reader: &Reader<'_>, id: usize, records: &mut Records, out: &mut Bytes) {
    let catalog = reader.catalog();
    let (info, facts) = (&catalog.schema.edge_tables[id], &catalog.unrecorded_facts().edge_tables[id]);
    let stats = &catalog.statistics.edge_tables[id];
    let view = reader.unrecorded().edge_table(id);
    let source_rows = reader.rows(info.source);
    let (bytes, nonempty) = pairs(source_rows, |row, list| neighbours(&view.forward, row, list));
    out[2][0] += bytes;
    let target_rows = |target: &TargetFacts| reader.rows(target.table);
    let forward = Direction {
        rows: source_rows as usize,
        edges: stats.forward.edges as usize,
        nonempty,
        single: facts.single,
        tables: facts.targets.len(),
        row_end: facts.targets.iter().map(target_rows).max().unwrap_or(0),
        position_end: None,
    };
    forward.count(&mut out[2]);
    let page_edges = (0..source_rows)
        .step_by(PAGE_ROWS as usize)
        .map(|page| (page..(page + PAGE_ROWS).min(source_rows)).map(|row| view.forward.degree(row)).sum())
        .max();
    for (target, view) in facts.targets.iter().zip(&view.backward) {
        let view = &view.1;
        let rows = reader.rows(target.table);
        let (bytes, nonempty) = pairs(rows, |row, list| neighbours(view, row, list));
        out[3][0] += bytes;
        let backward = Direction {
            rows: rows as usize,
            edges: stats.into_target(target.table).edges as usize,
            nonempty,
            single: target.single,
            tables: 1,
            row_end: source_rows,
            position_end: page_edges.filter(|_| !facts.single && !info.properties.is_empty()),
        };
        backward.count(&mut out[3]);
    }
    // The references are one for each edge, with properties or without; slots of a vertex column without an
    // edge have none.
    records.references.resize(records.references.len() + stats.forward.edges as usize, 0);
    let columns: Vec<_> = (info.properties.iter().enumerate())
        .map(|(i, p)| (p.id.0, reader.unrecorded().edge_column(id, i)))
        .collect();
    let slots = if facts.single { source_rows } else { stats.forward.edges };
    properties(&columns, slots, records, false, &mut out[1]);
}

fn count(reader: &Reader<'_>) -> Bytes {
    let mut out = Bytes::default();
    let mut records = Records::default();
    for table in reader.schema().table_ids() {
        let info = &reader.schema().node_tables[table.0 as usize];
        let columns: Vec<_> = (info.properties.iter().enumerate())
            .map(|(i, p)| (p.id.0, reader.unrecorded().node_column(table, i)))
            .collect();
        properties(&columns, reader.rows(table), &mut records, true, &mut out[0]);
    }
    out[0][0] = records.bytes();
    let mut records = Records::default();
    for id in 0..reader.schema().edge_tables.len() {
        edge_table(reader, id, &mut records, &mut out);
    }
    out[1][0] = records.bytes();
    out
}

fn network(snb: Option<&Path>, scale: f64) -> Result<Main, Failure> {
    let builder =
        BulkBuilder::new(RegionOptions::default(), CancelToken::default(), Box::new(|_| Verdict::Abort));
    let options = LoadOptions { threads: 1, ..LoadOptions::default() };
    match snb {
        Some(dir) => load(&[dir.to_owned()], None, &options, &builder, &NoProgress)?,
        None => generate::load_generated_snb(scale, 42, &options, &builder, &NoProgress)?,
    };
    Ok(builder.finish(1)?)
}

/// Prints table 2 of the network in `snb`, or a generated one of `scale`.
pub(crate) fn table_2(report: &mut Report, snb: Option<&Path>, scale: f64) -> Result<(), Failure> {
    let main = network(snb, scale)?;
    let ours = main.bytes;
    let snapshot = Snapshot::new(Arc::new(main));
    let reader = Reader::new(&snapshot);
    let bytes = count(&reader);
    // Presence bits are counted apart from the values; here they belong to the vertex properties (edge
    // properties have few nulls).
    let last = [ours.node_properties + ours.nulls, ours.edge_properties, ours.forward, ours.backward];
    let nodes: u64 = reader.catalog().statistics.node_tables.iter().map(|t| t.rows).sum();
    let edges: u64 = reader.catalog().statistics.edge_tables.iter().map(|t| t.forward.edges).sum();
    let source = snb.map_or(format!("generated SNB {scale}"), |dir| dir.display().to_string());
    report.title(&format!(
        "Table 2: memory, {source}: {nodes} vertices, {edges} edges; MB, and the paper's GB on LDBC 100"
    ));
    report.row(
        &[String::new()]
            .into_iter()
            .chain(STEPS.map(String::from))
            .chain(["factor".into()])
            .collect::<Vec<_>>(),
    );
    let mut total = [0usize; 6];
    for (i, (name, paper)) in PAPER.iter().enumerate() {
        let row: Vec<usize> = match bytes.get(i) {
            Some(steps) => steps.iter().copied().chain([last[i]]).collect(),
            None => total.to_vec(),
        };
        if i < bytes.len() {
            total.iter_mut().zip(&row).for_each(|(sum, step)| *sum += step);
        }
        print_row(report, name, &row, paper);
    }
    let rest = ours.key_indexes + ours.overhead;
    report.note(&format!(
        "beside ours: key indexes {:.2} MB, metadata and alignment {:.2} MB, which the paper and the row layout do not count",
        mb(ours.key_indexes),
        mb(ours.overhead)
    ));
    report.target("row layout / ours", total[0] as f64 / total[5] as f64, 2.3);
    report.note(&format!(
        "with indexes and metadata on our side: {:.2}",
        total[0] as f64 / (total[5] + rest) as f64
    ));
    Ok(())
}

fn mb(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn print_row(report: &mut Report, name: &str, row: &[usize], paper: &[f64; 5]) {
    let cell = |x: f64| format!("{x:.2}");
    let factor = row[0] as f64 / row[5] as f64;
    let cells = [name.to_owned()]
        .into_iter()
        .chain(row.iter().map(|b| cell(mb(*b))))
        .chain([format!("{factor:.2}x")]);
    report.row(&cells.collect::<Vec<_>>());
    let steps = ["".to_owned(), String::new()]
        .into_iter()
        .chain(row.windows(2).map(|w| format!("{:.2}x", w[0] as f64 / w[1] as f64)));
    report.row(&steps.collect::<Vec<_>>());
    let papers = ["  paper, LDBC 100".to_owned()].into_iter().chain(paper.iter().map(|x| cell(*x)));
    report.row(&papers.chain(["-".into(), format!("{:.2}x", paper[0] / paper[4])]).collect::<Vec<_>>());
    let figures: Vec<(&str, f64)> = STEPS.iter().copied().zip(row.iter().map(|b| *b as f64)).collect();
    report.json("2", name, &figures);
}
