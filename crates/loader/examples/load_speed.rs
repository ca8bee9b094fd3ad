//! How fast a load is read and parsed, into a sink that only counts: `load_speed PATH [threads] [runs]`;
//! `generated:SCALE` as path loads a network without disk.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use trimorph_loader::generate::load_generated_snb;
use trimorph_loader::{LoadOptions, NoProgress, load};
use trimorph_store::bulk::{
    BulkError, BulkSink, EdgeBatch, EdgeHandle, EdgeSpec, NodeBatch, NodeHandle, NodeSpec,
};

#[derive(Default)]
struct Count {
    tables: AtomicU32,
    rows: AtomicU64,
}

impl BulkSink for Count {
    fn declare_nodes(&self, _: NodeSpec) -> Result<NodeHandle, BulkError> {
        Ok(NodeHandle(self.tables.fetch_add(1, Ordering::Relaxed)))
    }
    fn declare_edges(&self, _: EdgeSpec) -> Result<EdgeHandle, BulkError> {
        Ok(EdgeHandle(self.tables.fetch_add(1, Ordering::Relaxed)))
    }
    fn append_nodes(&self, _: NodeHandle, batch: NodeBatch) -> Result<(), BulkError> {
        self.rows.fetch_add(batch.keys.map_or(0, |k| k.len() as u64), Ordering::Relaxed);
        Ok(())
    }
    fn append_edges(&self, _: EdgeHandle, batch: EdgeBatch) -> Result<(), BulkError> {
        self.rows.fetch_add(batch.from_keys.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = PathBuf::from(args.next().ok_or("usage: load_speed PATH [threads] [runs]")?);
    let threads = args.next().map_or(Ok(2), |t| t.parse())?;
    let runs: usize = args.next().map_or(Ok(3), |t| t.parse())?;
    for _ in 0..runs {
        let sink = Count::default();
        let options = LoadOptions { threads, ..LoadOptions::default() };
        let report = match path.to_str().and_then(|p| p.strip_prefix("generated:")) {
            Some(scale) => load_generated_snb(scale.parse()?, 42, &options, &sink, &NoProgress)?,
            None => load(std::slice::from_ref(&path), None, &options, &sink, &NoProgress)?,
        };
        println!(
            "{} rows, {} nodes, {} edges, {} values, {:.1} MB in {:.3} s: {:.1} M values/s, {:.0} MB/s; peak {:.1} MB",
            report.rows,
            report.nodes,
            report.edges,
            report.values,
            report.bytes as f64 / 1e6,
            report.seconds,
            report.values as f64 / report.seconds / 1e6,
            report.bytes as f64 / report.seconds / 1e6,
            options.budget.peak_bytes() as f64 / 1e6,
        );
    }
    Ok(())
}
