//! Files: the first line says what a file does, and no file grows beyond what one reader holds.

use super::{File, find};
use crate::report::Report;

const ALLOWED: &str = "xtask/size-allowlist.txt";
/// At this length ask what the second concept is.
const LINES_ASK: usize = 600;
const LINES_MAX: usize = 1000;

pub(super) fn check(files: &[File], report: &mut Report) {
    let list = find(files, ALLOWED).map_or("", |f| f.text.as_str());
    let allowed: Vec<(&str, usize)> = (list.lines().filter(|l| !l.starts_with('#')))
        .filter_map(|l| l.split_once(' ').and_then(|(path, n)| Some((path, n.trim().parse().ok()?))))
        .collect();
    for file in files.iter().filter(|f| f.source.is_some()) {
        let first = file.text.lines().next().unwrap_or_default();
        if !first.starts_with("//!") {
            report.problem(
                &file.path,
                1,
                "no module header",
                "begin with //! and what goes in and what comes out",
            );
        }
        let lines = file.text.lines().count();
        match allowed.iter().find(|(path, _)| *path == file.path) {
            Some((_, most)) if lines > *most => {
                let what = format!("{lines} lines, and {ALLOWED} allows {most}");
                report.problem(&file.path, 0, &what, "split off a concept; the list may only shrink");
            }
            Some((_, most)) if lines < *most => {
                let what = format!("{lines} lines now, {most} in {ALLOWED}");
                report.problem(
                    &file.path,
                    0,
                    &what,
                    "well done: lower the number, or drop the line at 1,000",
                );
            }
            None if lines > LINES_MAX => {
                let what = format!("{lines} lines, more than {LINES_MAX}");
                report.problem(&file.path, 0, &what, "split it; one file, one concept");
            }
            _ if lines > LINES_ASK => {
                report.note(format!("{}: {lines} lines; is there a second concept?", file.path))
            }
            _ => {}
        }
    }
    for (path, _) in allowed.iter().filter(|(path, _)| find(files, path).is_none()) {
        report.problem(ALLOWED, 0, &format!("there is no file \"{path}\""), "drop the line");
    }
}
