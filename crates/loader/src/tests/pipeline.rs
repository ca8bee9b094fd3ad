//! The pipeline: order, cancellation, budget, progress.

use std::cell::RefCell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use trimorph_base::{CancelToken, MemoryBudget};
use trimorph_store::bulk::{
    BulkError, BulkSink, EdgeBatch, EdgeHandle, EdgeSpec, NodeBatch, NodeHandle, NodeSpec, Rejected, Verdict,
};

use super::recorder::Recorder;
use super::{Scratch, small_chunks, try_load};
use crate::{
    Format, LoadError, LoadOptions, NoProgress, Phase, Progress, ProgressState, Rates, Rejects, load,
};

fn many_rows(n: usize) -> String {
    let mut text = "id:ID{id-type:long},name,:LABEL\n".to_owned();
    for i in 0..n {
        text.push_str(&format!("{i},name {i},{}\n", if i % 3 == 0 { "A" } else { "B" }));
    }
    text
}

#[test]
fn rows_of_a_table_come_in_file_order_at_any_number_of_threads() {
    let scratch = Scratch::new();
    let path = scratch.file("nodes.csv", many_rows(5_000));
    for threads in [1, 2, 5] {
        let options = LoadOptions { threads, ..small_chunks() };
        let (recorder, report) = try_load(std::slice::from_ref(&path), Format::Neo4jCsv, &options);
        assert_eq!(report.unwrap().rows, 5_000);
        for (_, rows) in &recorder.state.lock().unwrap().nodes {
            assert!(rows.windows(2).all(|w| w[0].line < w[1].line));
            assert!(rows.iter().all(|row| row.values[0] == (row.line - 2).to_string()));
        }
    }
}

#[test]
fn compressed_files_hold_the_same_rows() {
    let scratch = Scratch::new();
    let text = many_rows(2_000);
    let plain = scratch.file("plain.csv", ["\u{feff}", &text].concat());
    let zst = scratch.file("a.csv.zst", zstd::bulk::compress(text.as_bytes(), 1).unwrap());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let gz = scratch.file("a.csv.gz", encoder.finish().unwrap());
    let expected = try_load(&[plain], Format::Neo4jCsv, &small_chunks()).0.graph();
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let bz2 = scratch.file("a.csv.bz2", encoder.finish().unwrap());
    for path in [zst, gz, bz2] {
        assert_eq!(try_load(&[path], Format::Neo4jCsv, &small_chunks()).0.graph(), expected);
    }
}

#[test]
fn a_small_budget_bounds_the_chunks_and_one_too_small_is_an_error() {
    let scratch = Scratch::new();
    let path = scratch.file("nodes.csv", many_rows(5_000));
    let budget = MemoryBudget::new(4_000, None);
    let options =
        LoadOptions { budget: budget.clone(), chunk_bytes: 1_000, threads: 4, ..LoadOptions::default() };
    let (_, report) = try_load(std::slice::from_ref(&path), Format::Neo4jCsv, &options);
    assert_eq!(report.unwrap().rows, 5_000);
    assert!(budget.peak_bytes() <= 4_000 && budget.peak_bytes() > 0);
    let options =
        LoadOptions { budget: MemoryBudget::new(1_000, None), chunk_bytes: 1_000, ..LoadOptions::default() };
    let (_, report) = try_load(&[path], Format::Neo4jCsv, &options);
    assert!(matches!(report, Err(LoadError::Memory(_))));
}

/// Refuses, or takes its time.
struct Odd {
    fail: bool,
    nap: Duration,
    cancel: Option<CancelToken>,
    inner: Recorder,
}

impl BulkSink for Odd {
    fn declare_nodes(&self, spec: NodeSpec) -> Result<NodeHandle, BulkError> {
        self.inner.declare_nodes(spec)
    }
    fn declare_edges(&self, spec: EdgeSpec) -> Result<EdgeHandle, BulkError> {
        self.inner.declare_edges(spec)
    }
    fn append_nodes(&self, table: NodeHandle, batch: NodeBatch) -> Result<(), BulkError> {
        std::thread::sleep(self.nap);
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
        if self.fail {
            Err(BulkError::TooLarge("too many".to_owned()))
        } else {
            self.inner.append_nodes(table, batch)
        }
    }
    fn append_edges(&self, table: EdgeHandle, batch: EdgeBatch) -> Result<(), BulkError> {
        self.inner.append_edges(table, batch)
    }
}

#[test]
fn errors_of_the_sink_and_cancelling_stop_the_load() {
    let scratch = Scratch::new();
    let path = scratch.file("nodes.csv", many_rows(5_000));
    let options = small_chunks();
    let odd = |fail, cancel| Odd { fail, nap: Duration::ZERO, cancel, inner: Recorder::default() };
    let report = load(std::slice::from_ref(&path), None, &options, &odd(true, None), &NoProgress);
    assert!(matches!(report, Err(LoadError::Sink(BulkError::TooLarge(_)))));
    let cancel = options.cancel.clone();
    let report = load(std::slice::from_ref(&path), None, &options, &odd(false, Some(cancel)), &NoProgress);
    assert!(matches!(report, Err(LoadError::Cancelled)));
    assert_eq!(options.budget.used_bytes(), 0);
}

#[derive(Default)]
struct Watch(RefCell<Vec<(Instant, ProgressState)>>);

impl Progress for Watch {
    fn update(&self, state: &ProgressState) {
        self.0.borrow_mut().push((Instant::now(), *state));
    }
}

#[test]
fn progress_comes_five_to_twenty_times_a_second_and_ends_complete() {
    let scratch = Scratch::new();
    let path = scratch.file("nodes.csv", many_rows(200));
    let sink = Odd { fail: false, nap: Duration::from_millis(20), cancel: None, inner: Recorder::default() };
    let watch = Watch::default();
    let options = LoadOptions { threads: 1, ..small_chunks() };
    let (ended, wakes) = (AtomicBool::new(false), AtomicUsize::new(0));
    let report = std::thread::scope(|scope| {
        // Wakes as often as who reports: a machine that lets neither is not what is tested.
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(30));
                wakes.fetch_add(1, Ordering::Relaxed);
            }
        });
        let report = load(&[path], None, &options, &sink, &watch);
        ended.store(true, Ordering::Relaxed);
        report.unwrap()
    });
    assert!(report.seconds > 0.5, "{}", report.seconds);
    let states = watch.0.into_inner();
    let loading: Vec<_> = states.iter().filter(|(_, s)| s.phase == Phase::Load).collect();
    let (first, last) = (loading[0], loading[loading.len() - 1]);
    let per_second = loading.len() as f64 / (last.0 - first.0).as_secs_f64();
    // 33 wakes a second are promised 5 reports.
    assert!(per_second <= 21.0 && loading.len() * 7 >= wakes.into_inner(), "{per_second}");
    assert_eq!((last.1.rows, last.1.bytes_done), (200, last.1.bytes_total));
    assert!(loading.windows(2).all(|w| w[0].1.rows <= w[1].1.rows && w[0].1.bytes_done <= w[1].1.bytes_done));
}

#[test]
fn rates() {
    let state =
        ProgressState { bytes_done: 25, bytes_total: 100, rows: 1_000, rejected: 0, phase: Phase::Load };
    let rates = Rates::of(&state, Duration::from_secs(2));
    assert_eq!(rates, Rates { percent: Some(25.0), rows_per_second: 500.0, seconds_left: Some(6.0) });
    let unknown = Rates::of(&ProgressState { bytes_total: 0, ..state }, Duration::from_secs(2));
    assert_eq!((unknown.percent, unknown.seconds_left), (None, None));
}

#[test]
fn rejects_of_the_sink_are_described_counted_and_written() {
    let scratch = Scratch::new();
    let path = scratch.path().join("rejects.csv");
    let rejects = Rejects::new(vec!["a.csv".into(), "b.csv".into()], true, Some(path.clone()));
    let rejected =
        Rejected { file: 1, line: 7, reason: "duplicate key 5 in key space \"Person\"".to_owned() };
    assert_eq!(rejects.refuse(&rejected, None), Verdict::Skip);
    assert_eq!(rejects.refuse(&Rejected { file: 9, ..rejected.clone() }, Some("5,\"x\"")), Verdict::Skip);
    assert_eq!(rejects.describe(&rejected), "b.csv:7: duplicate key 5 in key space \"Person\"");
    assert_eq!((rejects.count(), rejects.samples().len()), (2, 2));
    rejects.flush().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let reason = "\"duplicate key 5 in key space \"\"Person\"\"\"";
    assert_eq!(text, format!("file,line,reason,row\nb.csv,7,{reason},row 7\n?,7,{reason},\"5,\"\"x\"\"\"\n"));
    assert_eq!(Rejects::new(Vec::new(), false, None).refuse(&rejected, None), Verdict::Abort);
    let unwritable = Rejects::new(Vec::new(), true, Some(scratch.path().join("no/such/dir")));
    unwritable.refuse(&rejected, None);
    assert!(unwritable.flush().is_err());
}

#[test]
fn rows_refused_late_are_looked_up_in_their_files() {
    let scratch = Scratch::new();
    let a = scratch.file("a.csv", "k,v\n1,x\n2,\"two\nlines\"\n3,y\r\n4,z");
    let missing = scratch.path().join("gone.csv");
    let path = scratch.path().join("rejects.csv");
    let rejects = Rejects::new(vec![a.clone(), missing.clone()], true, Some(path.clone()));
    let of = |file, line| Rejected { file, line, reason: "r".into() };
    rejects.refuse_late(vec![of(1, 2), of(0, 6), of(0, 3), of(0, 5), of(0, 3), of(0, 99)]);
    rejects.flush().unwrap();
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let records = reader.records().map(Result::unwrap);
    let found: Vec<_> = records.map(|r| (r[1].to_owned(), r[3].to_owned())).collect();
    let row = |line: &str, text: &str| (line.to_owned(), text.to_owned());
    let two = "2,\"two\nlines\"";
    let known = [row("3", two), row("3", two), row("5", "3,y"), row("6", "4,z")];
    let expected = [&known[..], &[row("99", "row 99"), row("2", "row 2")]].concat();
    assert_eq!(found, expected);
}
