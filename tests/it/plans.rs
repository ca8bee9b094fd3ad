//! Golden plans: queries on the shared social network and the operators they are planned with, without
//! estimates.
//!
//! `tests/golden/plans/snb.txt` holds queries and plans, `bi.txt` the texts of SNB BI by name and what their
//! plans are done by; `COMPLETE=1` writes them anew. A changed plan is a decision: read the difference before
//! taking it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use trimorph::{Connection, Value};

use crate::snb_bi::database;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/plans/snb.txt");
const GOLDEN_BI: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/plans/bi.txt");
/// The texts `bi-….cypher`.
const BI: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/snb");

/// The plan's lines without what is in brackets behind them.
fn plan(connection: &Connection, query: &str) -> String {
    let mut result = connection.query(&format!("EXPLAIN {query}"), &[]).unwrap();
    let mut text = String::new();
    while let Some(row) = result.next_row().unwrap() {
        let line = result.format(&row[0]);
        let _ = writeln!(text, "{}", line.rsplit_once("  [").map_or(&*line, |(operator, _)| operator));
    }
    text
}

#[test]
fn plans_are_the_golden_ones() {
    let Some(db) = database("composite-merged-fk") else { return };
    let connection = db.connect();
    let golden = std::fs::read_to_string(GOLDEN).unwrap();
    let (mut actual, mut differ) = (String::new(), Vec::new());
    let (head, entries) = golden.split_once("\n\n").unwrap();
    let _ = writeln!(actual, "{head}");
    for entry in entries.split("\n\n").filter(|e| !e.trim().is_empty()) {
        let (query, expected) = entry.split_once("\n----\n").unwrap_or((entry, ""));
        let text = plan(&connection, query.trim());
        if text.trim_end() != expected.trim_end() {
            differ.push(format!("{}\nis planned as\n{text}", query.trim()));
        }
        let _ = write!(actual, "\n{}\n----\n{text}", query.trim());
    }
    if std::env::var_os("COMPLETE").is_some() {
        std::fs::write(GOLDEN, actual).unwrap();
        return;
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// The plan's lines with what each operator is done by, without estimates. Parameters are null: they do not
/// decide what is done.
fn physical_plan(connection: &Connection, text: &str) -> String {
    let parameters: BTreeMap<Arc<str>, Value> =
        parameter_names(text).map(|name| (Arc::from(name), Value::Null)).collect();
    let mut result = connection.execute(&format!("EXPLAIN {text}"), Arc::new(parameters)).unwrap();
    let mut plan = String::new();
    while let Some(row) = result.next_row().unwrap() {
        let line = result.format(&row[0]);
        let (operator, note) = line.rsplit_once("  [").unwrap_or((&line, ""));
        let done_by = note.rsplit_once("~").map_or("", |(done_by, _)| done_by.trim_end_matches("; "));
        let _ = match done_by {
            "" => writeln!(plan, "{operator}"),
            done_by => writeln!(plan, "{operator}  [{done_by}]"),
        };
    }
    plan
}

/// The names behind the dollar signs of a text.
fn parameter_names(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.split('$').skip(1).map(move |rest| &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())])
}

#[test]
fn bi_texts_are_done_as_the_golden_plans_say() {
    let Some(db) = database("composite-merged-fk") else { return };
    let connection = db.connect();
    let number = |name: &str| name.strip_prefix("bi-")?.strip_suffix(".cypher")?.parse::<u32>().ok();
    let entries = std::fs::read_dir(BI).unwrap().map(|entry| entry.unwrap().path());
    let texts: BTreeMap<u32, String> = entries
        .filter_map(|path| Some((number(path.file_name()?.to_str()?)?, std::fs::read_to_string(path).ok()?)))
        .collect();
    let mut actual =
        "# The texts of bench/snb at scale 0.1: operators, and in brackets what they are done and read by; \
                      see\n# tests/it/plans.rs.\n"
            .to_owned();
    for (number, text) in texts {
        let _ = write!(actual, "\nBI {number}\n----\n{}", physical_plan(&connection, &text));
    }
    if std::env::var_os("COMPLETE").is_some() {
        std::fs::write(GOLDEN_BI, actual).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(GOLDEN_BI).unwrap();
    let differ: Vec<&str> = actual.split("\n\n").filter(|plan| !golden.contains(plan.trim_end())).collect();
    assert!(differ.is_empty() && golden.len() == actual.len(), "{}", differ.join("\n\n"));
}
