//! The house rules that a program can check: one file per rule, one line of advice per problem.

mod architecture;
mod circles;
mod docs;
mod layers;
mod leftovers;
mod panics;
mod shape;
mod unsafety;
mod width;

use std::collections::BTreeSet;
use std::path::Path;

use crate::report::Report;
use crate::source::Source;

/// A text file of the repository.
pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Of Rust files.
    pub(crate) source: Option<Source>,
    /// Compiled for tests only.
    pub(crate) test: bool,
}

/// Runs all rules.
pub(crate) fn run(root: &Path) -> Report {
    let files = read(root);
    let mut report = Report::default();
    layers::check(&files, &mut report);
    architecture::check(&files, &mut report);
    shape::check(&files, &mut report);
    width::check(&files, &mut report);
    circles::check(&files, &mut report);
    leftovers::check(&files, &mut report);
    panics::check(&files, &mut report);
    unsafety::check(&files, &mut report);
    docs::check(root, &files, &mut report);
    report
}

/// The file at `path`.
fn find<'f>(files: &'f [File], path: &str) -> Option<&'f File> {
    files.iter().find(|f| f.path == path)
}

const EXTENSIONS: [&str; 10] = ["rs", "toml", "md", "py", "sh", "c", "sql", "cypher", "txt", "yml"];
const NAMES: [&str; 2] = ["justfile", "run"];

fn read(root: &Path) -> Vec<File> {
    let mut files = Vec::new();
    walk(root, "", &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let modules: BTreeSet<String> = files.iter().flat_map(test_module_paths).collect();
    for file in &mut files {
        let within = |m: &String| file.path == format!("{m}.rs") || file.path.starts_with(&format!("{m}/"));
        file.test =
            modules.iter().any(within) || file.path.starts_with("tests/") || file.path.contains("/tests/");
    }
    files
}

/// Paths without `.rs` of the modules a file declares for tests only.
fn test_module_paths(file: &File) -> Vec<String> {
    let Some(source) = &file.source else { return Vec::new() };
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let base = match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", name.trim_end_matches(".rs")),
    };
    source.test_modules.iter().map(|m| format!("{base}/{m}")).collect()
}

fn walk(root: &Path, folder: &str, files: &mut Vec<File>) {
    let Ok(entries) = root.join(folder).read_dir() else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let hidden = name.starts_with('.') && name != ".ci" && name != ".cargo";
        if entry.path().is_dir() {
            let built = name.starts_with("target") || name == "__pycache__" || path == "bench/out";
            if !hidden && !built {
                walk(root, &path, files);
            }
            continue;
        }
        let extension = name.rsplit_once('.').map_or("", |(_, e)| e);
        if hidden || !(EXTENSIONS.contains(&extension) || NAMES.contains(&name.as_str())) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
        let source = (extension == "rs").then(|| Source::new(&text));
        files.push(File { path, text, source, test: false });
    }
}
