//! Golden plans: queries on the shared social network and the operators they are planned with, without
//! estimates.
//!
//! `tests/golden/plans/snb.txt` holds queries and plans, `bi.txt` the texts of SNB BI by name and what their
//! plans are done by; `COMPLETE=1` writes them anew. A changed plan is a decision: read the difference before
//! taking it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use trimorph::{Config, Connection, Database};

use crate::shared::shared;
use crate::snb_bi::{Params, database, parameters};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/plans/snb.txt");
const GOLDEN_BI: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/plans/bi.txt");
/// The texts `bi-….cypher`.
const BI: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/snb");

/// The plan's lines without what is in brackets behind them.
fn plan(connection: &Connection, query: &str) -> String {
    let mut result = connection.query(&format!("EXPLAIN (CODES) {query}"), &[]).unwrap();
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

/// The plan's lines with what each operator is done by, without estimates; as it is with these parameters.
fn physical_plan(connection: &Connection, text: &str, parameters: Params) -> String {
    let mut result = connection.execute(&format!("EXPLAIN (CODES) {text}"), Arc::new(parameters)).unwrap();
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

/// The parameters that each text of SNB BI is asked with first in the shared answers.
fn first_parameters() -> Option<BTreeMap<u32, Params>> {
    let path = shared("data/snb-sf0.1/answers-bi.jsonl")?;
    let mut first = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = case["q"].as_str().unwrap().trim_end_matches(['a', 'b']).parse().unwrap();
        first.entry(number).or_insert_with(|| parameters(&case["params"]));
    }
    Some(first)
}

#[test]
fn bi_texts_are_done_as_the_golden_plans_say() {
    let Some(db) = database("composite-merged-fk") else { return };
    let Some(asked) = first_parameters() else { return };
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
        let parameters = asked[&number].clone();
        let _ = write!(actual, "\nBI {number}\n----\n{}", physical_plan(&connection, &text, parameters));
    }
    if std::env::var_os("COMPLETE").is_some() {
        std::fs::write(GOLDEN_BI, actual).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(GOLDEN_BI).unwrap();
    let differ: Vec<&str> = actual.split("\n\n").filter(|plan| !golden.contains(plan.trim_end())).collect();
    assert!(differ.is_empty() && golden.len() == actual.len(), "{}", differ.join("\n\n"));
}

/// What is read of the nodes that rows are grouped by is read once a group: it does not speak for plans in
/// which rows of a group come together.
#[test]
fn what_is_read_of_groups_is_not_read_of_rows() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    for statement in [
        "UNWIND range(1, 70000) AS i CREATE (:P {id: i, a: i % 7, b: i % 11})",
        "UNWIND range(1, 200000) AS i MATCH (p:P {id: i % 70000 + 1}) CREATE (:M {id: i})-[:BY]->(p)",
        "MATCH (m:M) WHERE m.id % 2 = 0 MATCH (p:P {id: 1}) CREATE (p)-[:LIKES]->(m)",
    ] {
        connection.query(statement, &[]).unwrap();
    }
    connection.query("CHECKPOINT", &[]).unwrap();
    let text = plan(
        &connection,
        "MATCH (p:P)<-[:BY]-(m:M) WHERE COUNT { (m)<-[:LIKES]-() } > 0 \
         WITH m, p WHERE COUNT { (m)<-[:LIKES]-(:P {id: 1}) } > 0 \
         WITH p, count(*) AS n RETURN p.id, p.a, p.b, n",
    );
    assert!(text.contains("NodeScan (m:M)") && !text.contains("NodeScan (p:P)"), "{text}");
}
