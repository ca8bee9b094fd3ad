//! The codemap: every crate has its paragraph in `ARCHITECTURE.md`, and every crate named there exists.

use std::collections::BTreeSet;

use super::{File, find};
use crate::report::Report;

const MAP: &str = "ARCHITECTURE.md";

pub(super) fn check(files: &[File], report: &mut Report) {
    let Some(map) = find(files, MAP) else {
        return report.problem(MAP, 0, "there is no such file", "it is the codemap");
    };
    let name =
        |rest: &str| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
    let real: BTreeSet<String> = (files.iter())
        .filter_map(|f| f.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml").map(str::to_owned))
        .collect();
    let mut named = BTreeSet::new();
    for (i, line) in map.text.lines().enumerate() {
        for rest in line.split("crates/").skip(1) {
            let name = name(rest);
            if !name.is_empty() && !real.contains(&name) {
                report.problem(
                    MAP,
                    i + 1,
                    &format!("there is no crate \"{name}\""),
                    "take it out, or name it as its folder",
                );
            }
            named.insert(name);
        }
    }
    for missing in real.difference(&named) {
        let what = format!("crate \"{missing}\" has no paragraph here");
        report.problem(
            MAP,
            0,
            &what,
            "say in the codemap, as `crates/NAME`, what goes in and what comes out",
        );
    }
}
