//! Re-runs the tables of "Columnar Storage and List-based Processing for Graph DBMSs" (GF-CL, §8) on this
//! machine, beside the paper's.
//!
//! ```text
//! gfcl [--snb DIR] [--scale S] [--graph N] [--hops N] [TABLE …]
//! TABLE: memory pages nulls lists huge access
//! ```
//! The row layout and the tuple-at-a-time executor are baselines of this crate and of nothing else.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "printing is what it does")]

mod access;
mod clock;
mod graph;
mod huge;
mod lists;
mod memory;
mod nulls;
mod pages;
mod report;
mod volcano;

use std::path::PathBuf;

use graph::Graph;
use report::Report;

/// Anything that ends the run.
type Failure = Box<dyn std::error::Error>;

struct Options {
    snb: Option<PathBuf>,
    /// Of the generated network.
    scale: f64,
    /// RMAT scale of table 3 and of access paths.
    graph: u32,
    /// RMAT scale of table 4.
    hops: u32,
    tables: Vec<String>,
}

fn options() -> Result<Options, Failure> {
    let mut options = Options { snb: None, scale: 0.1, graph: 19, hops: 14, tables: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--snb" => options.snb = Some(value()?.into()),
            "--scale" => options.scale = value()?.parse()?,
            "--graph" => options.graph = value()?.parse()?,
            "--hops" => options.hops = value()?.parse()?,
            "memory" | "pages" | "nulls" | "lists" | "huge" | "access" => options.tables.push(word),
            _ => return Err(format!("unknown option \"{word}\"").into()),
        }
    }
    Ok(options)
}

fn main() -> Result<(), Failure> {
    let options = options()?;
    let wants = |table: &str| options.tables.is_empty() || options.tables.iter().any(|t| t == table);
    let work = std::env::temp_dir().join(format!("trimorph-gfcl-{}", std::process::id()));
    let mut report = Report::create();
    report
        .note("CPU time of the process, which computes on one thread; medians of 5 alternating repetitions.");
    if wants("memory") {
        memory::table_2(&mut report, options.snb.as_deref(), options.scale)?;
    }
    if wants("nulls") {
        nulls::figure_10(&mut report, &work.join("nulls"))?;
    }
    if wants("lists") {
        let graph = Graph::rmat(options.hops, 1);
        graph.write(&work.join("hops"))?;
        lists::table_4(&mut report, &graph, options.hops, &work.join("hops"))?;
    }
    if wants("huge") {
        huge::huge_pages(&mut report, &work.join("huge"))?;
    }
    if wants("pages") || wants("access") {
        let graph = Graph::rmat(options.graph, 1);
        if wants("access") {
            access::access_paths(&mut report, graph.load()?)?;
        }
        if wants("pages") {
            pages::table_3(&mut report, &graph, graph.load()?)?;
        }
    }
    let _ = std::fs::remove_dir_all(&work);
    report.title("Targets missed");
    let missed = std::mem::take(&mut report.missed);
    missed.iter().for_each(|line| report.note(line));
    if missed.is_empty() {
        report.note("none");
    }
    Ok(())
}
