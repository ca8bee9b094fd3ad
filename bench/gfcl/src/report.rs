//! Tables on the standard output, and the same figures as JSON lines in `bench/out/gfcl.jsonl`.

use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Where results go.
pub(crate) struct Report {
    lines: Option<File>,
    /// Targets missed, in words.
    pub(crate) missed: Vec<String>,
}

impl Report {
    pub(crate) fn create() -> Self {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../out");
        let file = std::fs::create_dir_all(&dir).and_then(|()| File::create(dir.join("gfcl.jsonl")));
        Self { lines: file.ok(), missed: Vec::new() }
    }

    pub(crate) fn title(&self, text: &str) {
        println!("\n## {text}\n");
    }

    pub(crate) fn note(&self, text: &str) {
        println!("{text}");
    }

    /// One table row: cells are printed in columns.
    pub(crate) fn row(&self, cells: &[String]) {
        let mut line = String::new();
        for (i, cell) in cells.iter().enumerate() {
            line += &if i == 0 { format!("{cell:<28}") } else { format!(" {cell:>12}") };
        }
        println!("{line}");
    }

    /// One JSON line: a table, a row and its figures.
    pub(crate) fn json(&mut self, table: &str, row: &str, figures: &[(&str, f64)]) {
        let Some(file) = &mut self.lines else { return };
        let fields: String = figures.iter().map(|(k, v)| format!(",\"{k}\":{v}")).collect();
        // A file that cannot be written costs the record, not the run.
        let _ = writeln!(file, "{{\"table\":\"{table}\",\"row\":\"{row}\"{fields}}}");
    }

    /// Notes whether a target was met.
    pub(crate) fn target(&mut self, what: &str, value: f64, least: f64) {
        let met = value >= least;
        println!("target: {what} >= {least:.2}: {value:.2}, {}", if met { "met" } else { "MISSED" });
        if !met {
            self.missed.push(format!("{what}: {value:.2}, target {least:.2}"));
        }
    }
}
