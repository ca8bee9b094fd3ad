//! What a database holds now: its statistics, which count as of the last merge, with numbers of today where
//! something was written since.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph::{NodeTableStats, Row, Stats, Value};

use super::session::Session;
use crate::failure::Failure;
use crate::interrupt::interrupted;

/// The statistics, with rows as a query of now sees them. Ctrl-C stops the counting.
///
/// **Cost**: none if everything is merged; else a pass over nodes and relationships.
pub(super) fn stats_now(session: &Session) -> Result<Stats, Failure> {
    let mut stats = session.place.database.stats();
    if stats.delta_bytes == 0 {
        return Ok(stats);
    }
    let (_guard, cancel) = interrupted();
    let connection = &session.asking.connection;
    let rows = |text: &str| -> Result<Vec<Row>, Failure> {
        Ok(connection.execute_until(text, Arc::default(), cancel.clone())?.rows()?)
    };
    let mut nodes: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for row in rows("MATCH (n) RETURN labels(n), count(*)")? {
        if let [labels, Value::Int(count)] = &row[..] {
            *nodes.entry(texts(labels)).or_default() += count.unsigned_abs();
        }
    }
    for table in &mut stats.node_tables {
        table.rows = nodes.remove(&sorted(&table.labels)).unwrap_or(0);
    }
    // Nodes of label sets that have no table of their own.
    stats.node_tables.extend(nodes.into_iter().map(|(labels, rows)| NodeTableStats {
        labels,
        rows,
        columns: Vec::new(),
        key: None,
    }));
    let mut edges: BTreeMap<(Vec<String>, String, Vec<String>), u64> = BTreeMap::new();
    for row in rows("MATCH (a)-[r]->(b) RETURN labels(a), type(r), labels(b), count(*)")? {
        if let [source, Value::String(label), target, Value::Int(count)] = &row[..] {
            *edges.entry((texts(source), label.to_string(), texts(target))).or_default() +=
                count.unsigned_abs();
        }
    }
    for table in &mut stats.edge_tables {
        let source = sorted(&table.source);
        let of_table = edges.iter().filter(|((from, label, _), _)| *from == source && *label == table.label);
        table.targets = of_table.map(|((.., target), count)| (target.clone(), *count)).collect();
        table.edges = table.targets.iter().map(|(_, count)| count).sum();
    }
    Ok(stats)
}

/// A list of texts, sorted.
fn texts(list: &Value) -> Vec<String> {
    let Value::List(items) = list else { return Vec::new() };
    let texts = items.iter().filter_map(|item| match item {
        Value::String(text) => Some(text.to_string()),
        _ => None,
    });
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}

fn sorted(labels: &[String]) -> Vec<String> {
    let mut labels = labels.to_vec();
    labels.sort();
    labels
}
