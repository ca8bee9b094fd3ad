//! Mutated database files: refused with a typed error, or read to the last value; never a panic, a hang or
//! memory without bounds.
//!
//! 1. A file of a small database, sometimes two, are mutated: bits flipped, cut, spliced, zeroed, numbers
//!    replaced by extreme ones. In one case of five as bytes, which checksums should find; else within a
//!    piece or the manifest, and checksums are not looked at, so that what is behind them is tried.
//! 2. The database is opened. What opens is read: every column value by value, in order, at random; every
//!    adjacency in every way, both directions; every key.
//!
//! Short here; `FUZZ=n` makes n databases, `FUZZ_SEED=s` starts elsewhere.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use trimorph_base::{EdgeId, NodeId, ThreadTime};
use trimorph_store::{
    AdjacencyView, ColumnView, Comparison, Condition, CsrView, Main, Reader, Snapshot, pieces_of, read_main,
    read_unverified, write_main,
};
use trimorph_types::{LogicalType, Value};
use trimorph_vfs::{FileSystem, MemoryFileSystem, RegionOptions};

use super::damage::{forged, silence_this_thread, text_of};
use super::graph;
use crate::Random;
use crate::graphs::{EdgeRow, EdgeRows, LoadOptions, Model, NodeRows, segmented_graph};

const DIR: &str = "db";
/// Rows of a table beyond which it is not read: a table without columns may claim any number.
const ROWS_MAX: u64 = 1 << 16;
/// No database of some hundred kilobytes takes this long.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Two tables with a column of every encoding, and edges with properties to both.
fn encoded(random: &mut Random) -> Model {
    let rows = 700;
    let text = |i: usize| Value::string(format!("the number {} of a long text", i * 7919));
    let row = |i: usize, random: &mut Random| {
        vec![
            Value::Int(1_300_000_000_000 + 250_000 * i as i64),
            Value::Int((i / 40) as i64 * 1_000_003),
            Value::Float(if i.is_multiple_of(50) { f64::NAN } else { (i * 37 % 10_000) as f64 / 100.0 }),
            Value::Float(f64::from_bits(random.bits())),
            Value::Float([0.1 + 0.2, 1e300][i / 100 % 2]),
            text(i),
            Value::string(["a", "bc", ""][i % 3]),
            if i.is_multiple_of(3) { Value::Null } else { Value::Int(random.between(-1000, 1000)) },
            if i.is_multiple_of(4) { text(i) } else { Value::Int(i as i64) },
            Value::list(vec![Value::Int(i as i64), text(i)]),
            Value::Bool(random.chance(30)),
        ]
    };
    use LogicalType as T;
    let types =
        [T::Int, T::Int, T::Float, T::Float, T::Float, T::String, T::String, T::Int, T::Int, T::Any, T::Bool];
    let properties: Vec<_> = types.iter().enumerate().map(|(i, ty)| (format!("p{i}"), *ty)).collect();
    let nodes = ["A", "B"].map(|label| NodeRows {
        labels: vec![label.into()],
        key_space: Some("all".into()),
        key_property: Some("id".into()),
        keys: (0..rows).map(|i| Value::string(format!("{label}{i}"))).collect(),
        properties: properties.clone(),
        rows: (0..rows).map(|i| row(i, random)).collect(),
    });
    let node = |n: usize| NodeId::new(trimorph_base::TableId((n / rows) as u16), (n % rows) as u64);
    let edges = (0..3000)
        .map(|i| EdgeRow {
            from: node(random.below(2 * rows) / 3),
            to: node(random.below(2 * rows)),
            values: vec![Value::Int(random.between(0, 1 << 40)), text(i)],
        })
        .collect();
    let edges = EdgeRows {
        label: "E".into(),
        from_space: "all".into(),
        to_space: "all".into(),
        properties: vec![("at".into(), T::Int), ("text".into(), T::String)],
        rows: edges,
    };
    Model { nodes: nodes.into(), edges: vec![edges] }
}

struct Database {
    fs: MemoryFileSystem,
    files: Vec<(PathBuf, Vec<u8>, Vec<std::ops::Range<usize>>)>,
}

fn databases(random: &mut Random) -> Vec<Database> {
    let mut models: Vec<Model> = [2, 5, 7, 11, 15].map(graph).into();
    models.push(segmented_graph(1, 500));
    models.extend([encoded(random), encoded(random), encoded(random)]);
    let database = |model: &Model| {
        let fs = MemoryFileSystem::default();
        write_main(&fs, Path::new(DIR), &model.load(LoadOptions::default()).unwrap()).unwrap();
        let folder = Path::new(DIR).join("checkpoint");
        let mut paths: Vec<PathBuf> =
            fs.list(&folder).unwrap().iter().map(|name| folder.join(name)).collect();
        paths.push(Path::new(DIR).join("MANIFEST"));
        let bytes = |path: &PathBuf| fs.read(path, RegionOptions::default()).unwrap().as_slice().to_vec();
        let pieces = pieces_of(&fs, Path::new(DIR)).unwrap();
        let parts = |path: &PathBuf, len| match path.ends_with("MANIFEST") {
            true => std::iter::once(40..len).collect(),
            false => pieces.iter().filter(|p| p.path == *path).map(|p| p.offset..p.offset + p.len).collect(),
        };
        let file = |path: &PathBuf| {
            let bytes = bytes(path);
            let parts = parts(path, bytes.len());
            (path.clone(), bytes, parts)
        };
        let files = paths.iter().map(file).collect();
        Database { fs, files }
    };
    models.iter().map(database).collect()
}

/// Changes some bytes; `other` is where splices come from.
fn mutate(part: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(3) {
        if part.is_empty() {
            part.push(random.below(256) as u8);
            continue;
        }
        let place = random.below(part.len());
        let most = 1 << random.below(8);
        let len = (1 + random.below(most)).min(part.len() - place);
        match random.below(9) {
            0 => part[place] ^= 1 << random.below(8),
            1 => part.truncate(place),
            2 => part[place..place + len].fill(0),
            3 => part[place..place + len].fill(0xff),
            4 => {
                let from = random.below(other.len().max(1));
                let piece = other.get(from..(from + len).min(other.len())).unwrap_or_default().to_vec();
                part.splice(place..place + len, piece);
            }
            5 => {
                let piece = part[place..place + len].to_vec();
                let at = random.below(part.len());
                part.splice(at..at, piece);
            }
            6 => part[place] = *random.pick(&[0, 1, 2, 3, 5, 6, 7, 8, 56, 57, 63, 64, 65, 127, 128, 255]),
            _ => {
                let number = *random.pick(&[
                    0,
                    1,
                    64,
                    1 << 16,
                    1 << 20,
                    1 << 31,
                    1 << 32,
                    1 << 44,
                    1 << 60,
                    i64::MAX,
                    -1,
                ]);
                let bytes = number.to_le_bytes();
                let len = [1, 2, 4, 8][random.below(4)].min(part.len() - place);
                part[place..place + len].copy_from_slice(&bytes[..len]);
            }
        }
    }
}

/// What everything read adds up to, so that nothing is optimised away.
#[derive(Default)]
struct Sum(u64);

impl Sum {
    fn add(&mut self, value: &Value) {
        self.0 = self.0.wrapping_add(match value {
            Value::Int(x) => x.cast_unsigned(),
            Value::String(s) => s.len() as u64,
            Value::List(items) => items.len() as u64,
            other => u64::from(other.is_null()),
        });
    }
}

fn read_column(column: &ColumnView<'_>, rows: u64, random: &mut Random, sum: &mut Sum) {
    for row in 0..rows {
        sum.add(&column.value(row));
        sum.0 ^= u64::from(column.is_null(row)) + u64::from(column.zone_range(row).is_some());
    }
    // A slot that a forged position names may be past the last.
    for row in [rows, rows + 1, u64::MAX >> 8] {
        sum.add(&column.value(row));
    }
    if rows == 0 {
        return;
    }
    let middle = match column.value(rows / 2) {
        Value::Int(x) => x,
        _ => 0,
    };
    let text = |text: &str| text.len().is_multiple_of(2);
    let conditions = [
        Condition::Range(middle, i64::MAX),
        Condition::Range(i64::MIN, middle.saturating_add(1000)),
        Condition::Range(5, 4),
        Condition::Text { equal: Some("bc"), prefix: None, order: None, passes: &|text| text == "bc" },
        Condition::Text {
            equal: None,
            prefix: Some("b"),
            order: None,
            passes: &|text| text.starts_with('b'),
        },
        Condition::Text { equal: None, prefix: None, order: None, passes: &text },
        Condition::Present(true),
    ];
    for condition in &conditions {
        let (mut comparison, mut out) = (Comparison::default(), Vec::new());
        comparison.select(column, condition, 0, rows as usize, &mut out);
        let picked = (0..rows as u32 / 2).map(|i| (i, random.below(rows as usize) as u64));
        comparison.select_at(column, condition, picked, &mut out);
        let mut counts = [0; 3];
        comparison.count_runs(column, condition, rows / 3, &[rows / 2, rows / 2 + 1, rows], &mut counts);
        counts.iter().for_each(|n| sum.0 ^= n);
        sum.0 += out.len() as u64
            + comparison.count(column, condition, rows / 3, rows as usize / 2).unwrap_or(0) as u64;
    }
    for first in (0..rows).step_by(1000) {
        let len = (rows - first).min(1000) as usize;
        let picked: Vec<u64> = (0..len).map(|_| random.below(rows as usize) as u64).collect();
        let vectors = [
            column.gather_rows(&picked),
            column.scan(first, len),
            column.gather((0..len).map(|i| (i, random.below(rows as usize) as u64)), len),
            column.gather((0..len / 100).map(|i| (i * 7, first + i as u64)), len),
        ];
        for vector in vectors {
            (0..len).step_by(3).for_each(|i| sum.add(&vector.value(i, &|_| Value::Null)));
        }
    }
}

fn read_lists(csr: &CsrView<'_>, rows: u64, sum: &mut Sum) {
    let (weights, narrow) = (vec![1u64; 1000], vec![1u32; 1000]);
    for row in 0..rows {
        let list = csr.list(row);
        let nodes = csr.nodes(list);
        let mut appended = Vec::new();
        csr.append_nodes(list, &mut appended);
        for (i, node) in appended.iter().enumerate() {
            sum.0 = sum.0.wrapping_add(nodes.id(i).0 ^ csr.node(list, i).0);
            sum.0 ^= csr.lower_bound(list, *node) as u64 ^ csr.position(list, i).unwrap_or(0);
        }
        sum.0 ^= csr.slot(list) ^ csr.degree(row) ^ u64::from(csr.run(row, 100).is_some());
        sum.0 ^= csr.sum_weights(list, &weights).unwrap_or(0) ^ csr.sum_weights(list, &narrow).unwrap_or(0);
    }
    for first in (0..rows).step_by(100) {
        let mut out = vec![1; (rows - first).min(100) as usize];
        csr.multiply_degrees(first, &mut out);
        csr.multiply_sums(first, &weights, &mut out);
        csr.multiply_sums(first, &narrow, &mut out);
        sum.0 ^= out.iter().fold(0, |all, o| all ^ o);
    }
}

fn read_everything(main: Main, random: &mut Random) -> Option<u64> {
    let snapshot = Snapshot::new(Arc::new(main));
    let reader = Reader::new(&snapshot);
    let catalog = reader.schema();
    if catalog.table_ids().any(|t| reader.rows(t) > ROWS_MAX) {
        return None;
    }
    let mut sum = Sum::default();
    for (table, info) in catalog.table_ids().zip(&catalog.node_tables) {
        let rows = reader.rows(table);
        for column in 0..info.properties.len() {
            read_column(reader.unrecorded().node_column(table, column), rows, random, &mut sum);
        }
        for row in 0..rows {
            let key =
                info.key.map_or(Value::Null, |key| reader.unrecorded().node_column(table, key).value(row));
            sum.0 ^= reader.find_key(table, &key).unwrap_or(0);
            sum.0 ^= reader.find_key(table, &Value::Int(row as i64)).unwrap_or(0);
            sum.0 ^= reader.node_properties(NodeId::new(table, row)).len() as u64;
        }
    }
    for (place, info) in catalog.edge_tables.iter().enumerate() {
        let view = reader.unrecorded().edge_table(place);
        let mut ids: Vec<EdgeId> = Vec::new();
        let mut slots = Vec::new();
        let rows = reader.rows(view.source);
        for row in 0..rows {
            match &view.forward {
                AdjacencyView::Csr(csr) => {
                    let list = csr.list(row);
                    view.append_forward_ids(row, list, &mut ids);
                }
                AdjacencyView::Column(column) => {
                    sum.0 ^= column.neighbour(row).map_or(0, |n| n.0) ^ column.position(row).unwrap_or(0);
                    ids.extend(column.has(row).then(|| view.single_id(row)));
                }
            }
        }
        if let AdjacencyView::Csr(csr) = &view.forward {
            read_lists(csr, rows, &mut sum);
        }
        for (target, adjacency) in &view.backward {
            let rows = reader.rows(*target);
            for row in 0..rows {
                sum.0 ^= adjacency.degree(row);
                let end = NodeId::new(*target, row);
                match adjacency {
                    AdjacencyView::Csr(csr) => {
                        let list = csr.list(row);
                        view.append_backward_slots(csr, list, &mut slots);
                        if !view.append_backward_ids(csr, list, &mut ids) {
                            ids.extend(
                                (0..list.len).map(|i| view.search_id(csr.node(list, i).row(), end, 0)),
                            );
                        }
                    }
                    AdjacencyView::Column(column) => {
                        if let Some(start) = column.neighbour(row) {
                            ids.push(match column.position(row) {
                                Some(position) => view.id_at(start.row(), position),
                                None => view.search_id(start.row(), end, 0),
                            });
                        }
                    }
                }
            }
            if let AdjacencyView::Csr(csr) = adjacency {
                read_lists(csr, rows, &mut sum);
            }
        }
        slots.extend(ids.iter().map(|id| view.slot(*id)));
        for id in &ids {
            sum.add(&reader.relationship(*id));
            sum.0 ^= reader.edge_properties(*id).len() as u64;
        }
        let slot_count = view.slots_end(rows);
        for column in 0..info.properties.len() {
            let column = reader.unrecorded().edge_column(place, column);
            read_column(column, slot_count, random, &mut sum);
            for slots in slots.chunks(1000) {
                let vector = column.gather(slots.iter().copied().enumerate(), slots.len());
                (0..slots.len()).for_each(|i| sum.add(&vector.value(i, &|_| Value::Null)));
            }
        }
    }
    Some(sum.0)
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Found by a long run: rows ask for room for their segments before any of these is looked at.
#[test]
fn a_manifest_that_claims_too_many_rows_is_refused() {
    for rows in [u64::from(u32::MAX), 1 << 48, u64::MAX] {
        let mut main = graph(2).load(LoadOptions::default()).unwrap();
        let mut catalog = (*main.catalog).clone();
        catalog.statistics.node_tables[0].rows = rows;
        main.catalog = Arc::new(catalog);
        let fs = MemoryFileSystem::default();
        write_main(&fs, Path::new(DIR), &main).unwrap();
        let error = read_main(&fs, Path::new(DIR), RegionOptions::default()).unwrap_err().to_string();
        assert!(error.contains("fewer than 2^32 rows of a node table"), "{error}");
    }
}

#[test]
fn mutated_files_are_refused_or_read() {
    let (rounds, seed) = (number("FUZZ", 1500), number("FUZZ_SEED", 1));
    let databases = databases(&mut Random::new(seed));
    let (mut refused, mut read, mut large, mut panics) = (0u64, 0u64, 0u64, Vec::new());
    let mut slowest = (Duration::ZERO, String::new());
    silence_this_thread();
    for round in 0..rounds {
        // A round can be run again by itself.
        let mut random = Random::new(seed.wrapping_mul(1 << 32).wrapping_add(round));
        let database = random.pick(&databases);
        let mut names = Vec::new();
        let mut verify = false;
        for _ in 0..=usize::from(random.chance(10)) {
            let ((path, good, parts), (_, other, _)) =
                (random.pick(&database.files), random.pick(&database.files));
            let bad = if random.chance(20) {
                verify = true;
                let mut bytes = good.clone();
                mutate(&mut bytes, other, &mut random);
                bytes
            } else {
                forged(good, parts, &mut random, |part, random| mutate(part, other, random))
            };
            database.fs.write_atomic(path, &bad).unwrap();
            names.push(path.file_name().unwrap().to_string_lossy().to_string());
        }
        let time = ThreadTime::of_this_thread();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let read = if verify { read_main } else { read_unverified };
            match read(&database.fs, Path::new(DIR), RegionOptions::default()) {
                Err(error) => Err(error.to_string()),
                Ok(main) => Ok(read_everything(main, &mut random)),
            }
        }));
        let took = time.taken();
        assert!(took < TIME_MAX, "seed {seed}, round {round}, {names:?}: {took:?}");
        if took > slowest.0 {
            slowest = (took, format!("round {round}, {names:?}"));
        }
        match outcome {
            Ok(Err(error)) => refused += u64::from(!error.is_empty()),
            Ok(Ok(Some(_))) => read += 1,
            Ok(Ok(None)) => large += 1,
            Err(panic) => panics.push(format!("seed {seed}, round {round}, {names:?}: {}", text_of(&*panic))),
        }
        for (path, good, _) in &database.files {
            if names.iter().any(|name| path.ends_with(name)) {
                database.fs.write_atomic(path, good).unwrap();
            }
        }
    }
    panics.iter().take(40).for_each(|text| println!("{text}"));
    println!(
        "seed {seed}: {rounds} databases: {refused} refused, {read} read, {large} too large to read, {} panics; slowest {:?} ({})",
        panics.len(),
        slowest.0,
        slowest.1,
    );
    assert!(panics.is_empty());
    assert!(refused > rounds / 10 && read > rounds / 10);
}
