//! Procedures that tell about the database, by the names that Neo4j gives them: labels, relationship types,
//! properties, functions, procedures.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use trimorph_algebra::{Content, Field, FieldType, Procedure, ProcedureRows, Signature};
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::{LogicalType, Value};

use crate::Connection;
use crate::handle::Handle;
use crate::own_config::OwnConfig;
use crate::shared::Shared;
use crate::stats::{ColumnStats, Stats};

/// A row of a procedure.
type Row = Arc<[Value]>;

/// A procedure without arguments: its outputs, and its rows.
struct System {
    name: &'static str,
    outputs: &'static [(&'static str, LogicalType)],
    rows: fn(&Arc<Shared>) -> Vec<Row>,
}

const TEXT: LogicalType = LogicalType::String;
const LIST: LogicalType = LogicalType::List;
const BOOL: LogicalType = LogicalType::Bool;

const ALL: &[System] = &[
    System { name: "db.labels", outputs: &[("label", TEXT)], rows: |s| names(labels(&stats(s))) },
    System {
        name: "db.relationshipTypes",
        outputs: &[("relationshipType", TEXT)],
        rows: |s| names(stats(s).edge_tables.into_iter().map(|t| t.label)),
    },
    System { name: "db.propertyKeys", outputs: &[("propertyKey", TEXT)], rows: |s| names(keys(&stats(s))) },
    System {
        name: "db.schema.nodeTypeProperties",
        outputs: &[("nodeType", TEXT), ("nodeLabels", LIST), ("propertyName", TEXT), ("propertyTypes", LIST)],
        rows: node_properties,
    },
    System {
        name: "db.schema.relTypeProperties",
        outputs: &[("relType", TEXT), ("propertyName", TEXT), ("propertyTypes", LIST)],
        rows: relationship_properties,
    },
    System {
        name: "db.schema.visualization",
        outputs: &[("source", LIST), ("relationshipType", TEXT), ("target", LIST)],
        rows: pairs,
    },
    System {
        name: "dbms.functions",
        outputs: &[("name", TEXT), ("signature", TEXT), ("description", TEXT), ("aggregating", BOOL)],
        rows: |_| functions(),
    },
    System {
        name: "dbms.procedures",
        outputs: &[("name", TEXT), ("signature", TEXT)],
        rows: |s| procedures(s),
    },
    System {
        name: "dbms.components",
        outputs: &[("name", TEXT), ("versions", LIST), ("edition", TEXT)],
        rows: |_| vec![[text("Trimorph"), list([text(env!("CARGO_PKG_VERSION"))]), text("embedded")].into()],
    },
];

/// The procedures of a database.
pub(super) fn all(shared: &Weak<Shared>) -> impl Iterator<Item = Arc<dyn Procedure>> {
    ALL.iter().map(|system| Arc::new(Asked::new(system, shared.clone())) as Arc<dyn Procedure>)
}

/// A procedure of one database.
struct Asked {
    signature: Signature,
    rows: fn(&Arc<Shared>) -> Vec<Row>,
    shared: Weak<Shared>,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.signature)
    }
}

impl Asked {
    fn new(system: &System, shared: Weak<Shared>) -> Self {
        let field = |(name, ty): &(&str, LogicalType)| {
            let content = match ty {
                LogicalType::List => Content::List(Box::new(FieldType::ANY)),
                plain => Content::Plain(*plain),
            };
            Field { name: (*name).into(), ty: FieldType { content, nullable: true } }
        };
        let outputs = system.outputs.iter().map(field).collect();
        let signature = Signature { name: system.name.into(), inputs: Vec::new(), outputs };
        Self { signature, rows: system.rows, shared }
    }
}

impl Procedure for Asked {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn call(&self, _: &[Value]) -> Result<ProcedureRows, Diagnostic> {
        let Some(shared) = self.shared.upgrade() else {
            let primary = "the database is closed";
            return Err(Diagnostic::runtime(ErrorKind::ProcedureError, "DatabaseClosed", primary));
        };
        Ok(Box::new((self.rows)(&shared).into_iter()))
    }
}

fn text(text: &str) -> Value {
    Value::string(text)
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::list(items.into_iter().collect())
}

/// The store's own names begin so; they are nobody's labels.
fn is_own(name: &str) -> bool {
    name.starts_with('@')
}

fn stats(shared: &Shared) -> Stats {
    Stats::of(shared.base().main(), shared.pool.counts())
}

/// Each name once, in order.
fn names(names: impl IntoIterator<Item = String>) -> Vec<Row> {
    let names: BTreeSet<String> = names.into_iter().filter(|name| !is_own(name)).collect();
    names.iter().map(|name| [text(name)].into()).collect()
}

fn labels(stats: &Stats) -> Vec<String> {
    stats.node_tables.iter().flat_map(|t| t.labels.clone()).collect()
}

fn keys(stats: &Stats) -> Vec<String> {
    let columns =
        stats.node_tables.iter().map(|t| &t.columns).chain(stats.edge_tables.iter().map(|t| &t.columns));
    columns.flatten().map(|(name, ..)| name.clone()).collect()
}

/// The properties of a table, each with what it is; one row of nulls if there is none.
fn properties(columns: &[ColumnStats]) -> Vec<(Value, Value)> {
    let known = columns.iter().filter(|(name, ..)| !is_own(name));
    let rows: Vec<_> = known.map(|(name, ty, _)| (text(name), list([text(ty.name())]))).collect();
    if rows.is_empty() { vec![(Value::Null, Value::Null)] } else { rows }
}

fn node_properties(shared: &Arc<Shared>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for table in stats(shared).node_tables.iter().filter(|t| !t.labels.iter().any(|l| is_own(l))) {
        let node_type: String = table.labels.iter().map(|l| format!(":`{l}`")).collect();
        let labels = list(table.labels.iter().map(|l| text(l)));
        for (name, types) in properties(&table.columns) {
            rows.push([text(&node_type), labels.clone(), name, types].into());
        }
    }
    rows
}

fn relationship_properties(shared: &Arc<Shared>) -> Vec<Row> {
    let mut seen = BTreeSet::new();
    let mut rows: Vec<Row> = Vec::new();
    for table in stats(shared).edge_tables.iter().filter(|t| !is_own(&t.label)) {
        for (name, types) in properties(&table.columns) {
            // A type has a table for each kind of node that it begins at.
            if seen.insert((table.label.clone(), format!("{name:?}{types:?}"))) {
                rows.push([text(&format!(":`{}`", table.label)), name, types].into());
            }
        }
    }
    rows
}

/// Which nodes are connected by what. Statistics are those of the last merge: where something was written
/// since, relationships are looked at.
fn pairs(shared: &Arc<Shared>) -> Vec<Row> {
    if shared.live().delta.bytes() > 0 {
        let own = OwnConfig { is_read_only: true, ..OwnConfig::of(&shared.config) };
        let connection = Connection::new(Handle::new(Arc::clone(shared)), own);
        let text = "MATCH (a)-[r]->(b) RETURN DISTINCT labels(a), type(r), labels(b)";
        let asked = connection.query(text, &[]).and_then(crate::QueryResult::rows);
        return asked.unwrap_or_default().into_iter().map(Into::into).collect();
    }
    let labels = |labels: &[String]| list(labels.iter().map(|l| text(l)));
    let stats = stats(shared);
    let tables = stats.edge_tables.iter().filter(|t| !is_own(&t.label));
    let rows = tables.flat_map(|t| {
        t.targets.iter().map(|(target, _)| [labels(&t.source), text(&t.label), labels(target)].into())
    });
    rows.collect()
}

fn functions() -> Vec<Row> {
    let row = |f: crate::FunctionDoc| {
        [text(f.name), text(f.signature), text(f.summary), Value::Bool(f.is_aggregate)].into()
    };
    crate::functions().into_iter().map(row).collect()
}

fn procedures(shared: &Shared) -> Vec<Row> {
    let table = shared.procedures();
    let row = |name: &str| -> Option<Row> {
        Some([text(name), text(&table.get(name)?.signature().to_string())].into())
    };
    table.names().filter_map(row).collect()
}
