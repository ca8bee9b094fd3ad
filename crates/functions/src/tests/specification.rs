//! The tables of the openCypher TCK that need no graph.

use trimorph_types::format::{IdsOnly, format_literal};

use super::evaluator::{Failure, run};

/// Splits columns at ` | ` outside quotes; the tables have no such text within strings.
fn columns(text: &str) -> Vec<String> {
    text.split(" | ")
        .map(|column| {
            super::evaluator::value(column)
                .map_or_else(|_| column.to_owned(), |v| format_literal(&v, &IdsOnly))
        })
        .collect()
}

fn check(table: &str) {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (query, expected) = line.split_once(" ==> ").unwrap();
        rows += 1;
        let problem = match (run(query), expected.strip_prefix('!')) {
            (Ok(values), None) => {
                let found: Vec<String> = values.iter().map(|value| format_literal(value, &IdsOnly)).collect();
                (found != columns(expected)).then(|| found.join(" | "))
            }
            (Ok(values), Some(_)) => Some(format!("{values:?}")),
            (Err(Failure::Function(error)), Some(wanted)) => {
                let (kind, detail) = wanted.split_once(' ').unwrap();
                let right = error.kind.name() == kind && (detail == "*" || error.detail == detail);
                (!right).then(|| format!("{error} [{}]", error.detail))
            }
            (Err(failure), _) => Some(format!("{failure:?}")),
        };
        if let Some(problem) = problem {
            wrong.push(format!("{query}\n  expected {expected}\n  found    {problem}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {rows} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows > 100, "only {rows} rows");
}

#[test]
fn temporal_tables_hold() {
    check(include_str!("data/temporal.txt"));
}

#[test]
fn expression_tables_hold() {
    check(include_str!("data/expressions.txt"));
}
