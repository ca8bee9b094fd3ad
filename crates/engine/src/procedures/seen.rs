//! What a query sees of the graph in, which labels, types and properties there are out: for procedures that
//! tell of them.
//!
//! The catalog has every name that was ever written, also by a transaction that was undone, or has not ended,
//! and of nodes that are gone; and labels that nodes got later are of no table. So what is told is asked of
//! the graph, by queries on the snapshot of the query that calls: within a transaction its own writes are
//! there, those of others are not, and what is read counts as read. Only where all is merged and at rest does
//! the main version tell.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trimorph_base::{CancelToken, Diagnostic, ErrorKind};
use trimorph_catalog::PropertyInfo;
use trimorph_store::Snapshot;
use trimorph_types::Value;

use crate::handle::Handle;
use crate::own_config::OwnConfig;
use crate::quoted::quoted;
use crate::shared::Shared;
use crate::stats::{ColumnStats, Stats};
use crate::{Connection, Error, Row};

/// The graph as a query sees it.
pub(super) struct Seen<'s> {
    pub(super) shared: &'s Arc<Shared>,
    pub(super) snapshot: &'s Snapshot,
    pub(super) cancel: &'s CancelToken,
}

/// Properties by what has them: a label set, or a type; each with the types of its values, as far as the
/// catalog knows.
pub(super) type Shapes<K> = BTreeMap<K, BTreeMap<String, BTreeSet<&'static str>>>;

/// The store's own names begin so; they are nobody's.
fn is_own(name: &str) -> bool {
    name.starts_with('@')
}

fn texts(value: &Value) -> Vec<String> {
    let text = |item: &Value| match item {
        Value::String(text) if !is_own(text) => Some(text.to_string()),
        _ => None,
    };
    match value {
        Value::List(items) => items.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect(),
    }
}

impl Seen<'_> {
    /// The main version, where it is all that is seen and its tables say which labels their rows have.
    fn main(&self) -> Option<Stats> {
        let main = self.snapshot.main();
        let vary =
            main.catalog.unrecorded_facts().node_tables.iter().any(|facts| facts.labels_vary.do_vary());
        let is_all = self.snapshot.moment().is_none() && !vary;
        is_all.then(|| Stats::of(main, self.shared.pool.counts()))
    }

    /// The rows of a query.
    fn ask(&self, text: &str) -> Result<Vec<Row>, Diagnostic> {
        let own = OwnConfig { is_read_only: true, ..OwnConfig::of(&self.shared.config) };
        let connection = Connection::new(Handle::new(Arc::clone(self.shared)), own);
        let asked = connection.rows_on(text, self.snapshot, self.cancel);
        asked.map_err(|error| match error {
            Error::Query { diagnostic, .. } => *diagnostic,
            error => Diagnostic::runtime(ErrorKind::ProcedureError, "ProcedureFailed", error.to_string()),
        })
    }

    /// The labels that nodes have.
    pub(super) fn labels(&self) -> Result<BTreeSet<String>, Diagnostic> {
        if let Some(stats) = self.main() {
            let tables = stats.node_tables.into_iter().filter(|table| table.rows > 0);
            return Ok(tables.flat_map(|table| table.labels).filter(|label| !is_own(label)).collect());
        }
        let rows = self.ask("MATCH (n) RETURN labels(n), count(*)")?;
        Ok(rows.iter().flat_map(|row| texts(&row[0])).collect())
    }

    /// The types that relationships have.
    pub(super) fn types(&self) -> Result<BTreeSet<String>, Diagnostic> {
        if let Some(stats) = self.main() {
            let tables = stats.edge_tables.into_iter().filter(|table| table.edges > 0);
            return Ok(tables.map(|table| table.label).filter(|label| !is_own(label)).collect());
        }
        let rows = self.ask("MATCH ()-[r]->() RETURN DISTINCT type(r)")?;
        Ok(rows.iter().flat_map(|row| texts(&row[0])).collect())
    }

    /// The label sets that nodes have, with their properties.
    pub(super) fn nodes(&self) -> Result<Shapes<Vec<String>>, Diagnostic> {
        if let Some(stats) = self.main() {
            let tables = stats.node_tables.into_iter().filter(|table| table.rows > 0);
            let tables = tables.filter(|table| !table.labels.iter().any(|label| is_own(label)));
            return Ok(tables.map(|table| (table.labels, columns(&table.columns))).collect());
        }
        let known = Stats::of(self.snapshot.main(), self.shared.pool.counts()).node_tables;
        let rows = self.ask("MATCH (n) RETURN DISTINCT labels(n), keys(n)")?;
        let mut shapes = Shapes::new();
        for row in &rows {
            let mut labels = texts(&row[0]);
            labels.sort();
            let shape: &mut BTreeMap<_, _> = shapes.entry(labels.clone()).or_default();
            for key in texts(&row[1]) {
                let is_same =
                    |own: &Vec<String>| own.len() == labels.len() && labels.iter().all(|l| own.contains(l));
                let its = known.iter().filter(|table| is_same(&table.labels));
                let types = types_of(&key, its.map(|table| &table.columns));
                // Labels that came later are of no table: the values are in the one that the node is in.
                let types = match types.is_empty() {
                    true => types_of(&key, known.iter().map(|table| &table.columns)),
                    false => types,
                };
                shape.insert(key, types);
            }
        }
        Ok(shapes)
    }

    /// The types that relationships have, with their properties.
    pub(super) fn edges(&self) -> Result<Shapes<String>, Diagnostic> {
        let plain = self.main();
        let is_plain = plain.is_some();
        let known =
            plain.unwrap_or_else(|| Stats::of(self.snapshot.main(), self.shared.pool.counts())).edge_tables;
        let mut shapes: Shapes<String> = Shapes::new();
        if is_plain {
            for table in known.iter().filter(|table| table.edges > 0 && !is_own(&table.label)) {
                // A type has a table for each kind of node that it begins at.
                let shape = shapes.entry(table.label.clone()).or_default();
                columns(&table.columns).into_iter().for_each(|(key, types)| {
                    shape.entry(key).or_default().extend(types);
                });
            }
            return Ok(shapes);
        }
        let rows = self.ask("MATCH ()-[r]->() RETURN DISTINCT type(r), keys(r)")?;
        for row in &rows {
            let Some(label) = texts(&row[0]).pop() else { continue };
            let its = || known.iter().filter(|table| table.label == label).map(|table| &table.columns);
            let keys: Vec<_> = texts(&row[1]).into_iter().map(|key| (types_of(&key, its()), key)).collect();
            let shape = shapes.entry(label.clone()).or_default();
            keys.into_iter().for_each(|(types, key)| _ = shape.insert(key, types));
        }
        Ok(shapes)
    }

    /// The properties that nodes or relationships have.
    ///
    /// **Cost**: a look at each name that was ever written, which ends with the first value: only a name
    /// that nothing has any more costs a scan of its columns.
    pub(super) fn keys(&self) -> Result<BTreeSet<String>, Diagnostic> {
        if self.main().is_some() {
            let (nodes, edges) = (self.nodes()?, self.edges()?);
            return Ok(nodes
                .into_values()
                .chain(edges.into_values())
                .flat_map(BTreeMap::into_keys)
                .collect());
        }
        let schema = self.snapshot.schema();
        let nodes = schema.node_tables.iter().flat_map(|table| &table.properties);
        let edges = schema.edge_tables.iter().flat_map(|table| &table.properties);
        let name = |property: &PropertyInfo| schema.property_name(property.id).to_string();
        let of_nodes: BTreeSet<String> = nodes.map(name).filter(|name| !is_own(name)).collect();
        let of_edges: BTreeSet<String> = edges.map(name).filter(|name| !is_own(name)).collect();
        let mut keys = BTreeSet::new();
        for (pattern, names) in [("(e)", of_nodes), ("()-[e]->()", of_edges)] {
            // Its plan relies on there being no other names.
            self.ask(&format!("MATCH {pattern} RETURN keys(e) LIMIT 1"))?;
            for name in names {
                let has = format!("e.{} IS NOT NULL", quoted(&name));
                if !keys.contains(&name)
                    && !self.ask(&format!("MATCH {pattern} WHERE {has} RETURN 1 LIMIT 1"))?.is_empty()
                {
                    keys.insert(name);
                }
            }
        }
        Ok(keys)
    }

    /// Which nodes are connected by what: labels, type, labels.
    pub(super) fn pairs(&self) -> Result<Vec<Row>, Diagnostic> {
        let Some(stats) = self.main() else {
            let rows = self.ask("MATCH (a)-[r]->(b) RETURN DISTINCT labels(a), type(r), labels(b)")?;
            return Ok(rows.into_iter().filter(|row| !texts(&row[1]).is_empty()).collect());
        };
        let labels = |labels: &[String]| {
            Value::list(labels.iter().map(|label| Value::string(label.as_str())).collect())
        };
        let tables = stats.edge_tables.iter().filter(|table| !is_own(&table.label));
        let rows = tables.flat_map(|table| {
            let targets = table.targets.iter().filter(|(_, edges)| *edges > 0);
            targets.map(|(target, _)| {
                vec![labels(&table.source), Value::string(table.label.as_str()), labels(target)]
            })
        });
        Ok(rows.collect())
    }
}

/// The properties of a table, each with what it is.
fn columns(columns: &[ColumnStats]) -> BTreeMap<String, BTreeSet<&'static str>> {
    let known = columns.iter().filter(|(name, ..)| !is_own(name));
    known.map(|(name, ty, _)| (name.clone(), BTreeSet::from([ty.name()]))).collect()
}

/// What the columns of a name are.
fn types_of<'c>(key: &str, columns: impl Iterator<Item = &'c Vec<ColumnStats>>) -> BTreeSet<&'static str> {
    columns.flatten().filter(|(name, ..)| name == key).map(|(_, ty, _)| ty.name()).collect()
}
