//! Golden plans: queries on the shared social network and the operators they are planned with, without
//! estimates.
//!
//! `tests/golden/plans/snb.txt` holds queries and plans; `COMPLETE=1` writes it anew. A changed plan is a
//! decision: read the difference before taking it.

use std::fmt::Write;

use trimorph::Connection;

use crate::snb_bi::database;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/plans/snb.txt");

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
