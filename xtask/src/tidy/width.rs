//! Comments are as wide as code at most: what is wider is not read beside a diff.

use super::File;
use crate::report::Report;

/// As `max_width` in `rustfmt.toml`, which leaves comments alone.
const WIDTH_MAX: usize = 110;

/// Crates whose comments are not wrapped yet.
const NOT_YET: [&str; 5] = ["engine", "exec", "optimizer", "storage", "store"];

pub(super) fn check(files: &[File], report: &mut Report) {
    let is_exempt = |path: &str| NOT_YET.iter().any(|name| path.starts_with(&format!("crates/{name}/")));
    for file in files.iter().filter(|f| f.source.is_some() && !is_exempt(&f.path)) {
        for (i, line) in file.text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            if is_comment && line.chars().count() > WIDTH_MAX {
                let what = format!("a comment of {} columns", line.chars().count());
                report.problem(&file.path, i + 1, &what, "wrap it at 110, as rustfmt wraps code");
            }
        }
    }
}
