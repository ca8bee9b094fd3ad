//! Prose: links lead somewhere, and no text names a folder of one machine.

use std::path::Path;

use super::File;
use crate::report::Report;

/// Tops of paths that exist on somebody's machine only. In two parts because this file is looked at too.
const TOPS: [&str; 3] = [concat!("/wo", "rk"), concat!("/ro", "ot"), concat!("/ho", "me")];

pub(super) fn check(root: &Path, files: &[File], report: &mut Report) {
    for file in files {
        for (i, line) in file.text.lines().enumerate() {
            if TOPS.iter().any(|top| has_path(line, top)) {
                report.problem(
                    &file.path,
                    i + 1,
                    "an absolute path of one machine",
                    "say it relative to the repository",
                );
            }
            if file.path.ends_with(".md") {
                links(root, file, i, line, report);
            }
        }
    }
}

/// Whether a path that begins with `top` stands in `line`.
fn has_path(line: &str, top: &str) -> bool {
    line.match_indices(top).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + top.len()..].chars().next();
        // A URL has one slash more, or a host, before it.
        before.is_none_or(|c| c.is_whitespace() || "\"'`(=[<,:".contains(c)) && after == Some('/')
    })
}

fn links(root: &Path, file: &File, i: usize, line: &str, report: &mut Report) {
    for rest in line.split("](").skip(1) {
        let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
        if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
        if !root.join(folder).join(target).exists() {
            report.problem(
                &file.path,
                i + 1,
                &format!("link to \"{target}\", which is not there"),
                "links are relative to the file they stand in",
            );
        }
    }
}
