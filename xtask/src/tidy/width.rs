//! Comments are as wide as code at most: what is wider is not read beside a diff.

use super::File;
use crate::report::Report;

/// As `max_width` in `rustfmt.toml`, which leaves comments alone.
const WIDTH_MAX: usize = 110;

pub(super) fn check(files: &[File], report: &mut Report) {
    for file in files.iter().filter(|f| f.source.is_some()) {
        for (i, line) in file.text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            if is_comment && line.chars().count() > WIDTH_MAX {
                let what = format!("a comment of {} columns", line.chars().count());
                report.problem(&file.path, i + 1, &what, "wrap it at 110, as rustfmt wraps code");
            }
        }
    }
}
