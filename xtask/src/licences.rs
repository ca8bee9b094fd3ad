//! Licences of everything we link, and versions linked twice: `cargo tree` against the allow-list of
//! `deny.toml`.
//!
//! 1. `cargo tree` prints name, version and licence of every crate, for all platforms, build scripts too.
//! 2. Each licence is an SPDX expression: `OR` needs one side allowed, `AND` both; the old `/` is `OR`.
//! 3. Two versions of one crate are a note.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::manifest::Toml;
use crate::report::Report;

pub(crate) fn run(root: &Path) -> Report {
    let mut report = Report::default();
    let deny = std::fs::read_to_string(root.join("deny.toml")).unwrap_or_default();
    let lists = match Toml::parse(&deny) {
        Ok(toml) => toml.lists("licenses"),
        Err(error) => {
            report.problem("deny.toml", 0, &error, "mend it and run again");
            return report;
        }
    };
    let allowed = lists.iter().find(|list| list.key == "allow").map_or(&[][..], |list| list.items.as_slice());
    let tree = [
        "tree",
        "--workspace",
        "--edges",
        "normal,build",
        "--target",
        "all",
        "--prefix",
        "none",
        "--format",
        "{p}\t{l}",
    ];
    let output = match Command::new("cargo").args(tree).current_dir(root).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => {
            report.problem(
                "cargo tree",
                0,
                String::from_utf8_lossy(&output.stderr).trim(),
                "mend it and run again",
            );
            return report;
        }
        Err(error) => {
            report.problem("cargo tree", 0, &error.to_string(), "is cargo installed?");
            return report;
        }
    };
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in output.lines() {
        let Some((package, licence)) = line.split_once('\t') else { continue };
        let licence = licence.trim_end_matches(" (*)");
        let mut words = package.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if !versions.entry(name).or_default().insert(version) || name == "xtask" {
            continue;
        }
        if !allows(licence, allowed) {
            let what = format!("licence \"{licence}\" is not in deny.toml");
            report.problem(
                &format!("{name} {version}"),
                0,
                &what,
                "use another crate, or add the licence after reading it",
            );
        }
    }
    for (name, found) in versions.iter().filter(|(_, v)| v.len() > 1) {
        let list: Vec<&str> = found.iter().copied().collect();
        report.note(format!("{name} is linked in {} versions: {}", list.len(), list.join(", ")));
    }
    report.note(format!("{} crates", versions.len()));
    report
}

/// Whether the expression can be met with allowed licences only.
fn allows(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    any(&tokens, &mut at, allowed) && at == tokens.len()
}

fn any(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut found = all(tokens, at, allowed);
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        found |= all(tokens, at, allowed);
    }
    found
}

fn all(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut found = one(tokens, at, allowed);
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        found &= one(tokens, at, allowed);
    }
    found
}

fn one(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let Some(token) = tokens.get(*at) else { return false };
    *at += 1;
    if *token == "(" {
        let found = any(tokens, at, allowed);
        let closed = tokens.get(*at) == Some(&")");
        *at += 1;
        return found && closed;
    }
    let mut name = (*token).to_owned();
    if tokens.get(*at) == Some(&"WITH") {
        name = format!("{name} WITH {}", tokens.get(*at + 1).copied().unwrap_or_default());
        *at += 2;
    }
    allowed.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let allowed =
            ["MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for (expression, want) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("MIT/Apache-2.0", true),
            ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND GPL-3.0", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
            ("", false),
        ] {
            assert_eq!(allows(expression, &allowed), want, "{expression}");
        }
    }
}
