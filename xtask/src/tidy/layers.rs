//! Directions: `layers.toml` against every `Cargo.toml`. Only what Cargo forbids stays forbidden.

use std::collections::BTreeMap;

use super::{File, find};
use crate::report::Report;
use crate::toml;

/// The folder name of a package of ours.
fn short(package: &str) -> Option<&str> {
    match package {
        "trimorph" => Some("engine"),
        "xtask" => Some("xtask"),
        _ => package.strip_prefix("trimorph-"),
    }
}

pub(super) fn check(files: &[File], report: &mut Report) {
    let Some(layers) = find(files, "layers.toml") else {
        return report.problem(
            "layers.toml",
            0,
            "there is no such file",
            "it says which crate may use which",
        );
    };
    let crates = toml::lists(&layers.text, "crates");
    let order: BTreeMap<&str, usize> =
        crates.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
    for (i, (name, allowed)) in crates.iter().enumerate() {
        for used in allowed {
            if order.get(used.as_str()).is_none_or(|j| *j >= i) {
                let what = format!("\"{name}\" may use \"{used}\", which does not stand above it");
                report.problem("layers.toml", 0, &what, "keep the data's order; see ARCHITECTURE.md");
            }
        }
    }
    let mut seen = Vec::new();
    for file in files.iter().filter(|f| f.path.ends_with("/Cargo.toml")) {
        let package = toml::text(&file.text, "name").unwrap_or_default();
        let folder = file.path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or_default();
        let Some(name) = short(&package).filter(|n| *n == folder) else {
            let what = format!("package \"{package}\" in folder \"{folder}\"");
            report.problem(&file.path, 0, &what, "a package is named trimorph-FOLDER");
            continue;
        };
        seen.push(name.to_owned());
        let Some((_, allowed)) = crates.iter().find(|(n, _)| n == name) else {
            report.problem(
                &file.path,
                0,
                "a crate that layers.toml does not know",
                "add it there, in the data's order",
            );
            continue;
        };
        for (dependency, line) in toml::dependencies(&file.text) {
            let Some(used) = short(&dependency) else { continue };
            if !allowed.iter().any(|a| a == used) {
                let what = format!("{name} -> {used} is not a direction of layers.toml");
                report.problem(
                    &file.path,
                    line,
                    &what,
                    "move the code, or pass data or a small trait instead",
                );
            }
        }
    }
    for (name, _) in crates.iter().filter(|(n, _)| !seen.contains(n)) {
        report.problem("layers.toml", 0, &format!("there is no crate \"{name}\""), "take it out");
    }
}
