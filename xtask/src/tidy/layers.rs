//! Directions: `layers.toml` against every `Cargo.toml`. Only what Cargo forbids stays forbidden.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, find};
use crate::manifest::{List, Toml};
use crate::report::Report;

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
    let crates = match Toml::parse(&layers.text) {
        Ok(toml) => toml.lists("crates"),
        Err(error) => return report.problem("layers.toml", 0, &error, "mend it"),
    };
    let order: BTreeMap<&str, usize> =
        crates.iter().enumerate().map(|(i, list)| (list.key.as_str(), i)).collect();
    for (i, List { key: name, items: allowed, line }) in crates.iter().enumerate() {
        for used in allowed {
            if order.get(used.as_str()).is_none_or(|j| *j >= i) {
                let what = format!("\"{name}\" may use \"{used}\", which does not stand above it");
                report.problem("layers.toml", *line, &what, "keep the data's order; see ARCHITECTURE.md");
            }
        }
    }
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(|f| f.path.ends_with("/Cargo.toml")) {
        if let Some((name, used)) = check_manifest(file, &crates, report) {
            seen.insert(name, used);
        }
    }
    for List { key: name, items: allowed, line } in &crates {
        let Some(used) = seen.get(name) else {
            report.problem("layers.toml", *line, &format!("there is no crate \"{name}\""), "take it out");
            continue;
        };
        for unused in allowed.iter().filter(|a| !used.contains(*a)) {
            let what = format!("{name} -> {unused} is allowed, and its Cargo.toml does not use it");
            report.problem("layers.toml", *line, &what, "take it out: what is not needed stays forbidden");
        }
    }
}

/// The crate of a manifest and what of ours it uses, if `layers.toml` knows it.
fn check_manifest(file: &File, crates: &[List], report: &mut Report) -> Option<(String, BTreeSet<String>)> {
    let toml = match Toml::parse(&file.text) {
        Ok(toml) => toml,
        Err(error) => {
            report.problem(&file.path, 0, &error, "mend it");
            return None;
        }
    };
    let package = toml.text("package", "name").unwrap_or_default();
    let folder = file.path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or_default();
    let Some(name) = short(package).filter(|n| *n == folder) else {
        let what = format!("package \"{package}\" in folder \"{folder}\"");
        report.problem(&file.path, 0, &what, "a package is named trimorph-FOLDER");
        return None;
    };
    let Some(allowed) = crates.iter().find(|list| list.key == name) else {
        let what = "a crate that layers.toml does not know";
        report.problem(&file.path, 0, what, "add it there, in the data's order");
        return None;
    };
    let mut all = BTreeSet::new();
    for (dependency, line) in toml.dependencies() {
        let Some(used) = short(&dependency) else { continue };
        all.insert(used.to_owned());
        if !allowed.items.iter().any(|a| a == used) {
            let what = format!("{name} -> {used} is not a direction of layers.toml");
            let advice = "move the code, or pass data or a small trait instead";
            report.problem(&file.path, line, &what, advice);
        }
    }
    Some((name.to_owned(), all))
}
