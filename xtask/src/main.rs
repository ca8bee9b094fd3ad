//! Automation of this repository: `cargo xtask tidy`, `cargo xtask licences`. Uses little beside the standard
//! library, so that it builds in seconds before anything else does.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a command line program")]

mod licences;
mod manifest;
mod report;
mod source;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask tidy      the house rules: layers, sizes, headers, leftovers, panics, unsafe, docs
       cargo xtask licences  licences of all crates linked, against deny.toml; duplicate versions";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let report = match command.as_str() {
        "tidy" => tidy::run(&root()),
        "licences" | "licenses" => licences::run(&root()),
        _ => {
            println!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    print!("{report}");
    println!("{command}: {}", report.verdict());
    if report.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tidy() {
        let report = tidy::run(&root());
        assert!(report.problems.is_empty(), "\n{report}{}", report.verdict());
    }
}
