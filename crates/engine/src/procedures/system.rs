//! Procedures that tell about the database, by the names that Neo4j gives them: labels, relationship types,
//! properties, functions, procedures.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use trimorph_algebra::{Content, Field, FieldType, Procedure, ProcedureRows, Signature};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind};
use trimorph_store::Snapshot;
use trimorph_types::{LogicalType, Value};

use super::seen::Seen;
use crate::shared::Shared;

/// A row of a procedure.
type Row = Arc<[Value]>;

/// A procedure without arguments: its outputs, and its rows.
struct System {
    name: &'static str,
    outputs: &'static [(&'static str, LogicalType)],
    rows: fn(&Seen<'_>) -> Result<Vec<Row>, Diagnostic>,
}

const TEXT: LogicalType = LogicalType::String;
const LIST: LogicalType = LogicalType::List;
const BOOL: LogicalType = LogicalType::Bool;

const ALL: &[System] = &[
    System { name: "db.labels", outputs: &[("label", TEXT)], rows: |seen| Ok(names(seen.labels()?)) },
    System {
        name: "db.relationshipTypes",
        outputs: &[("relationshipType", TEXT)],
        rows: |seen| Ok(names(seen.types()?)),
    },
    System {
        name: "db.propertyKeys",
        outputs: &[("propertyKey", TEXT)],
        rows: |seen| Ok(names(seen.keys()?)),
    },
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
        rows: |seen| Ok(seen.pairs()?.into_iter().map(Into::into).collect()),
    },
    System {
        name: "dbms.functions",
        outputs: &[("name", TEXT), ("signature", TEXT), ("description", TEXT), ("aggregating", BOOL)],
        rows: |_| Ok(functions()),
    },
    System {
        name: "dbms.procedures",
        outputs: &[("name", TEXT), ("signature", TEXT)],
        rows: |seen| Ok(procedures(seen.shared)),
    },
    System {
        name: "dbms.components",
        outputs: &[("name", TEXT), ("versions", LIST), ("edition", TEXT)],
        rows: |_| {
            Ok(vec![[text("Trimorph"), list([text(env!("CARGO_PKG_VERSION"))]), text("embedded")].into()])
        },
    },
];

/// The procedures of a database.
pub(super) fn all(shared: &Weak<Shared>) -> impl Iterator<Item = Arc<dyn Procedure>> {
    ALL.iter().map(|system| Arc::new(Asked::new(system, shared.clone())) as Arc<dyn Procedure>)
}

/// A procedure of one database.
struct Asked {
    signature: Signature,
    rows: fn(&Seen<'_>) -> Result<Vec<Row>, Diagnostic>,
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
        Err(Diagnostic::internal("what tells of the database is called within a query"))
    }

    fn call_within(
        &self,
        _: &[Value],
        cancel: &CancelToken,
        seen: &dyn Any,
    ) -> Result<ProcedureRows, Diagnostic> {
        let Some(shared) = self.shared.upgrade() else {
            let primary = "the database is closed";
            return Err(Diagnostic::runtime(ErrorKind::ProcedureError, "DatabaseClosed", primary));
        };
        let Some(snapshot) = seen.downcast_ref::<Snapshot>() else {
            return Err(Diagnostic::internal("a query sees something else than a snapshot"));
        };
        let seen = Seen { shared: &shared, snapshot, cancel };
        Ok(Box::new((self.rows)(&seen)?.into_iter()))
    }
}

fn text(text: &str) -> Value {
    Value::string(text)
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::list(items.into_iter().collect())
}

/// Each name once, in order.
fn names(names: BTreeSet<String>) -> Vec<Row> {
    names.iter().map(|name| [text(name)].into()).collect()
}

/// Properties, each with what it is; one row of nulls if there is none.
fn properties(shape: &BTreeMap<String, BTreeSet<&'static str>>) -> Vec<(Value, Value)> {
    let of =
        |(key, types): (&String, &BTreeSet<&'static str>)| (text(key), list(types.iter().map(|ty| text(ty))));
    match shape.is_empty() {
        true => vec![(Value::Null, Value::Null)],
        false => shape.iter().map(of).collect(),
    }
}

fn node_properties(seen: &Seen<'_>) -> Result<Vec<Row>, Diagnostic> {
    let mut rows: Vec<Row> = Vec::new();
    for (labels, shape) in &seen.nodes()? {
        let node_type: String = labels.iter().map(|label| format!(":`{label}`")).collect();
        let labels = list(labels.iter().map(|label| text(label)));
        for (name, types) in properties(shape) {
            rows.push([text(&node_type), labels.clone(), name, types].into());
        }
    }
    Ok(rows)
}

fn relationship_properties(seen: &Seen<'_>) -> Result<Vec<Row>, Diagnostic> {
    let mut rows: Vec<Row> = Vec::new();
    for (label, shape) in &seen.edges()? {
        for (name, types) in properties(shape) {
            rows.push([text(&format!(":`{label}`")), name, types].into());
        }
    }
    Ok(rows)
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
