//! `unsafe` stands in the files that `layers.toml` names; all other crates forbid it.

use super::leftovers::has_word;
use super::{File, find};
use crate::manifest::Toml;
use crate::report::Report;

const FORBID: &str = "#![forbid(unsafe_code)]";

pub(super) fn check(files: &[File], report: &mut Report) {
    let layers = find(files, "layers.toml").map_or("", |f| f.text.as_str());
    // That the file can be read, `layers` tells.
    let lists = Toml::parse(layers).map(|toml| toml.lists("unsafe")).unwrap_or_default();
    let named: Vec<String> = lists.into_iter().flat_map(|list| list.items).collect();
    for file in files.iter().filter(|f| !named.contains(&f.path)) {
        let Some(source) = &file.source else { continue };
        for (i, line) in source.lines.iter().enumerate() {
            if has_word(line, "unsafe") {
                report.problem(
                    &file.path,
                    i + 1,
                    "`unsafe` in a file not named",
                    "do without, or name the file in layers.toml, [unsafe], with its reason in the header",
                );
            }
        }
        let root = file.path.ends_with("/src/lib.rs") || file.path.ends_with("/src/main.rs");
        let crate_folder = file.path.split("/src/").next().unwrap_or_default();
        let exempt = named.iter().any(|n| n.starts_with(&format!("{crate_folder}/")));
        if root && file.path.starts_with("crates/") && !exempt && !file.text.contains(FORBID) {
            report.problem(
                &file.path,
                0,
                "unsafe code is not forbidden",
                "add #![forbid(unsafe_code)] below the header",
            );
        }
    }
    for path in named.iter().filter(|p| find(files, p).is_none()) {
        report.problem("layers.toml", 0, &format!("there is no file \"{path}\""), "take it out of [unsafe]");
    }
}
