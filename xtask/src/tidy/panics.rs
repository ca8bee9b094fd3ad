//! No input may end the process: outside tests nothing is unwrapped.

use super::File;
use crate::report::Report;

const CALLS: [&str; 2] = [".unwrap()", ".expect(\""];
/// Where a panic is a failed test, or a program for ourselves.
const FREE: [&str; 4] = ["tests/", "xtask/", "crates/testkit/", "bench/"];

pub(super) fn check(files: &[File], report: &mut Report) {
    for file in files.iter().filter(|f| !f.test && !FREE.iter().any(|p| f.path.starts_with(p))) {
        let Some(source) = &file.source else { continue };
        if file.path.contains("/examples/") || file.path.contains("/benches/") {
            continue;
        }
        for (i, (code, raw)) in
            source.lines.iter().zip(file.text.lines()).enumerate().filter(|(i, _)| !source.test[*i])
        {
            // In `code` the message of `expect` is blank, so a parser's own `expect(token)` is told apart in
            // the raw line.
            let found = code.contains(CALLS[0]) || (code.contains(".expect(") && raw.contains(CALLS[1]));
            if found {
                report.problem(
                    &file.path,
                    i + 1,
                    "unwrapped outside tests",
                    "return an error, or restructure so that it cannot fail",
                );
            }
        }
    }
}
