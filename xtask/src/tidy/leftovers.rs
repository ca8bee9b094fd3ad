//! Leftovers: what was meant to be gone before anybody else reads it.

use super::File;
use crate::report::Report;

/// In code, so not in comments or strings.
const MACROS: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];
/// Anywhere. Written in two parts because this file is looked at too.
const MARKS: [&str; 2] = [concat!("FIX", "ME"), concat!("XX", "X")];

pub(super) fn check(files: &[File], report: &mut Report) {
    for file in files {
        for (i, line) in file.source.iter().flat_map(|s| s.lines.iter().enumerate()) {
            for name in MACROS.iter().filter(|name| has_word(line, name)) {
                report.problem(
                    &file.path,
                    i + 1,
                    &format!("`{name}` left"),
                    "finish it, or return an error that says so",
                );
            }
        }
        let code = [".rs", ".py", ".c", ".sh"].iter().any(|e| file.path.ends_with(e));
        for (i, line) in file.text.lines().enumerate().filter(|_| code) {
            for mark in MARKS.iter().filter(|mark| has_word(line, mark)) {
                report.problem(
                    &file.path,
                    i + 1,
                    &format!("\"{mark}\" left"),
                    "mend it, or assert today's answer in a test and say why",
                );
            }
        }
    }
}

/// Whether `word` stands in `line` with no letter, digit or underscore beside it.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(part)
            && !line[at + word.len()..].chars().next().is_some_and(part)
    })
}
