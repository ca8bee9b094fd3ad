//! The queries of the openCypher TCK: every one parses, unless the scenario expects a syntax error.
//!
//! Takes the feature files of `../shared/conformance/tck`, expands scenario outlines from their tables.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};

use crate::parse;

/// One query of a scenario.
pub(super) struct Query {
    /// File and scenario.
    pub(super) origin: String,
    pub(super) text: String,
    /// The detail word if the scenario expects a syntax error at compile time of this query.
    expects: Option<String>,
    /// Kind and detail if the scenario expects any error at compile time of this query.
    pub(super) compile_error: Option<(String, String)>,
    /// The procedures that the scenario declares.
    pub(super) procedures: Vec<String>,
}

/// Detail words whose errors the parser alone must find; a binder finds the others.
const BY_PARSER: &[&str] = &[
    "UnexpectedSyntax",
    "InvalidUnicodeLiteral",
    "InvalidUnicodeCharacter",
    "InvalidNumberLiteral",
    "IntegerOverflow",
    "FloatingPointOverflow",
    "InvalidRelationshipPattern",
    "InvalidClauseComposition",
    "InvalidParameterUse",
    "InvalidArgumentPassingMode",
    "InvalidDelete",
    "NoSingleRelationshipType",
    "RequiresDirectedRelationship",
    "CreatingVarLength",
];

/// All queries, or none (with a note) if the TCK is not there. Under `CI` it must be.
pub(super) fn queries() -> Vec<Query> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/tck/features");
    if !root.is_dir() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "no TCK at {}", root.display());
        // Not by `println!`: what a test prints so is not shown where it passes.
        let _ = writeln!(stderr(), "skipped: no TCK at {}", root.display());
        return Vec::new();
    }
    let mut files = Vec::new();
    collect_files(&root, &mut files);
    files.sort();
    let mut queries = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a feature file");
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        read_feature(&name, &text, &mut queries);
    }
    queries
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "feature") {
            files.push(path);
        }
    }
}

/// A scenario while it is read.
#[derive(Default)]
struct Scenario {
    title: String,
    /// Queries, and whether they are tested.
    queries: Vec<(String, bool)>,
    expects: Option<String>,
    compile_error: Option<(String, String)>,
    procedures: Vec<String>,
    /// Tables of examples: each a header and rows.
    examples: Vec<Vec<Vec<String>>>,
}

fn read_feature(file: &str, text: &str, queries: &mut Vec<Query>) {
    let mut scenario = Scenario::default();
    let mut lines = text.lines();
    let mut query_next = false;
    let mut tested = false;
    let mut in_examples = false;
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.starts_with("Scenario") {
            finish(file, std::mem::take(&mut scenario), queries);
            scenario.title = line.to_owned();
            in_examples = false;
        } else if line == "\"\"\"" {
            let doc: Vec<&str> = lines.by_ref().take_while(|l| l.trim() != "\"\"\"").collect();
            if query_next {
                scenario.queries.push((doc.join("\n"), tested));
            }
            query_next = false;
        } else if line.starts_with("Examples:") {
            in_examples = true;
            scenario.examples.push(Vec::new());
        } else if in_examples && line.starts_with('|') {
            if let Some(table) = scenario.examples.last_mut() {
                table.push(cells(line));
            }
        } else if let Some((kind, detail)) = line.split_once(" should be raised at compile time: ") {
            let kind = kind.split(' ').next_back().unwrap_or_default();
            if kind == "SyntaxError" {
                scenario.expects = Some(detail.to_owned());
            }
            scenario.compile_error = Some((kind.to_owned(), detail.to_owned()));
        } else {
            if let Some((_, declaration)) = line.split_once("there exists a procedure ") {
                scenario.procedures.push(declaration.to_owned());
            }
            tested = line.ends_with("executing query:");
            query_next = line.ends_with("query:") || line.ends_with("having executed:");
        }
    }
    finish(file, scenario, queries);
}

/// The cells of a table row. Gherkin writes `|` as `\|` and `\` as `\\`.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = row.trim().trim_start_matches('|').chars();
    while let Some(c) = chars.next() {
        let cell = cells.last_mut().expect("a cell");
        match c {
            '|' => cells.push(String::new()),
            '\\' => match chars.next() {
                Some(escaped @ ('|' | '\\')) => cell.push(escaped),
                Some(other) => cell.extend(['\\', other]),
                None => cell.push('\\'),
            },
            _ => cell.push(c),
        }
    }
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn finish(file: &str, scenario: Scenario, queries: &mut Vec<Query>) {
    let mut substitutions = vec![Vec::new()];
    if !scenario.examples.is_empty() {
        substitutions = scenario
            .examples
            .iter()
            .filter_map(|table| table.split_first())
            .flat_map(|(header, rows)| {
                rows.iter()
                    .map(move |row| header.iter().cloned().zip(row.iter().cloned()).collect::<Vec<_>>())
            })
            .collect();
    }
    for substitution in &substitutions {
        let fill = |text: &str| {
            substitution
                .iter()
                .fold(text.to_owned(), |text, (key, value)| text.replace(&format!("<{key}>"), value))
        };
        let last = scenario.queries.len().saturating_sub(1);
        for (index, (query, tested)) in scenario.queries.iter().enumerate() {
            queries.push(Query {
                origin: format!("{file}: {}", scenario.title),
                text: fill(query),
                expects: scenario.expects.as_deref().filter(|_| index == last).map(fill),
                compile_error: scenario.compile_error.clone().filter(|_| *tested),
                procedures: scenario.procedures.clone(),
            });
        }
    }
}

#[test]
fn the_queries_of_the_tck_parse() {
    let queries = queries();
    let mut wrong = Vec::new();
    let mut refused = 0;
    for Query { origin, text, expects, .. } in &queries {
        let by_parser = expects.as_deref().filter(|word| BY_PARSER.contains(word));
        match (parse(text), expects, by_parser) {
            (Ok(_), _, None) => {}
            (Ok(_), _, Some(word)) => wrong.push(format!("{origin}\n{text}\nparses, but expects {word}")),
            (Err(error), Some(word), _) if error.detail == word => refused += 1,
            (Err(error), _, _) => wrong.push(format!(
                "{origin}\n{text}\n{error} [{}] {:?}; expects {expects:?}",
                error.detail, error.span
            )),
        }
    }
    println!("{} queries, {refused} rightly refused", queries.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}
