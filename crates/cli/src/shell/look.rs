//! `:tables`, `:labels`, `:types`, `:history`: what there is, with numbers.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use trimorph::{NodeTableStats, Value};

use super::counts::stats_now;
use super::session::Session;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::text::columns::{Align, align};
use crate::text::quantity;

/// Statements of the history that are shown if no number is given.
const HISTORY_SHOWN: usize = 50;

const NOTHING: &str = "the database is empty: CREATE something, or :load files";

/// Node tables and relationship tables with their rows.
pub(super) fn tables(session: &Session, out: &mut dyn Write) -> Result<(), Failure> {
    let stats = stats_now(session)?;
    let paint = session.terminal.out;
    let mut rows = Vec::new();
    let labels = |labels: &[String]| labels.iter().map(|l| format!(":{l}")).collect::<String>();
    for table in stats.node_tables.iter().filter(|t| t.rows > 0) {
        let NodeTableStats { key, columns, .. } = table;
        let key = key.as_ref().map_or(String::new(), |key| format!(", key {key}"));
        let properties = quantity::plural(columns.len() as u64, "property", "properties");
        rows.push(vec![
            paint.yellow(format!("({})", labels(&table.labels))),
            quantity::plural(table.rows, "node", "nodes"),
            paint.dim(format!("{properties}{key}")),
        ]);
    }
    for table in &stats.edge_tables {
        let properties = quantity::plural(table.columns.len() as u64, "property", "properties");
        for (target, edges) in &table.targets {
            let name = format!("({})-[:{}]->({})", labels(&table.source), table.label, labels(target));
            rows.push(vec![
                paint.yellow(name),
                quantity::plural(*edges, "relationship", "relationships"),
                paint.dim(&properties),
            ]);
        }
    }
    if rows.is_empty() {
        writeln!(out, "{NOTHING}")?;
    }
    out.write_all(align(&rows, &[Align::Left, Align::Right, Align::Left], 0).as_bytes())?;
    Ok(())
}

/// Labels and how many nodes have them.
pub(super) fn labels(session: &Session, out: &mut dyn Write) -> Result<(), Failure> {
    let stats = session.place.database.stats();
    let names = stats.node_tables.iter().flat_map(|t| t.labels.iter());
    counted(session, names, |name| format!("MATCH (n:{name}) RETURN count(*)"), ("node", "nodes"), out)
}

/// Relationship types and how many relationships have them.
pub(super) fn types(session: &Session, out: &mut dyn Write) -> Result<(), Failure> {
    let stats = session.place.database.stats();
    let names = stats.edge_tables.iter().map(|t| &t.label);
    let query = |name: &str| format!("MATCH ()-[r:{name}]->() RETURN count(*)");
    counted(session, names, query, ("relationship", "relationships"), out)
}

fn counted<'n>(
    session: &Session,
    names: impl Iterator<Item = &'n String>,
    query: impl Fn(&str) -> String,
    (one, many): (&str, &str),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let connection = &session.asking.connection;
    let (_guard, cancel) = interrupted();
    let mut counts: BTreeMap<&String, u64> = names.map(|name| (name, 0)).collect();
    // The store's own names are nobody's labels.
    counts.retain(|name, _| !name.starts_with('@'));
    for (name, count) in &mut counts {
        let quoted = format!("`{}`", name.replace('`', "``"));
        let text = query(&quoted);
        let row = connection.execute_until(&text, Arc::default(), cancel.clone())?.next_row()?;
        if let Some([Value::Int(number)]) = row.as_deref() {
            *count = u64::try_from(*number).unwrap_or(0);
        }
    }
    let rows = counts.iter().filter(|(_, count)| **count > 0).map(|(name, count)| {
        vec![session.terminal.out.yellow(format!(":{name}")), quantity::plural(*count, one, many)]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        writeln!(out, "there are no {many}{}", if one == "node" { "" } else { " yet" })?;
    }
    out.write_all(align(&rows, &[Align::Left, Align::Right], 0).as_bytes())?;
    Ok(())
}

/// What was typed in.
pub(super) fn history(session: &Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let shown = match argument.parse::<usize>() {
        Ok(number) => number,
        Err(_) if argument.is_empty() => HISTORY_SHOWN,
        Err(_) => return Err(Failure::message("write :history N, or :history")),
    };
    let from = session.history.len().saturating_sub(shown);
    for (number, text) in session.history.iter().enumerate().skip(from) {
        writeln!(out, "{:>5}  {}", number + 1, text.trim_end().replace('\n', "\n       "))?;
    }
    Ok(())
}
