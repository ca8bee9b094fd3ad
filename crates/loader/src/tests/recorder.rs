//! A sink that keeps every row as text, for comparing loads.

use std::collections::BTreeMap;
use std::sync::Mutex;

use trimorph_store::bulk::{
    BulkError, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeHandle, EdgeSpec, NodeBatch, NodeHandle,
    NodeSpec, Origin,
};
use trimorph_types::{Value, Zone};

/// Everything a load handed over.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) state: Mutex<Recorded>,
}

#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) nodes: Vec<(NodeSpec, Vec<Row>)>,
    pub(crate) edges: Vec<(EdgeSpec, Vec<Row>)>,
}

/// A row: its values as text (keys first) and where it is from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) values: Vec<String>,
    pub(crate) file: u32,
    pub(crate) line: u64,
}

impl Recorder {
    /// Rows per label set and per `label from to`, each sorted by values.
    pub(crate) fn graph(&self) -> BTreeMap<String, Vec<Vec<String>>> {
        let state = self.state.lock().unwrap();
        let mut graph = BTreeMap::new();
        for (spec, rows) in &state.nodes {
            graph.insert(format!("(:{})", spec.labels.join(":")), sorted(rows));
        }
        for (spec, rows) in &state.edges {
            graph.insert(
                format!("(:{})-[:{}]->(:{})", spec.from_space, spec.label, spec.to_space),
                sorted(rows),
            );
        }
        graph
    }

    /// Number of rows of [`Recorder::graph`]'s entries.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        self.graph().into_iter().map(|(name, rows)| (name, rows.len())).collect()
    }
}

fn sorted(rows: &[Row]) -> Vec<Vec<String>> {
    let mut values: Vec<Vec<String>> = rows.iter().map(|r| r.values.clone()).collect();
    values.sort();
    values
}

impl BulkSink for Recorder {
    fn declare_nodes(&self, spec: NodeSpec) -> Result<NodeHandle, BulkError> {
        let mut state = self.state.lock().unwrap();
        assert!(state.nodes.iter().all(|(s, _)| s.labels != spec.labels), "declared twice: {spec:?}");
        state.nodes.push((spec, Vec::new()));
        Ok(NodeHandle(u32::try_from(state.nodes.len() - 1).unwrap()))
    }

    fn declare_edges(&self, spec: EdgeSpec) -> Result<EdgeHandle, BulkError> {
        let mut state = self.state.lock().unwrap();
        state.edges.push((spec, Vec::new()));
        Ok(EdgeHandle(u32::try_from(state.edges.len() - 1).unwrap()))
    }

    fn append_nodes(&self, table: NodeHandle, batch: NodeBatch) -> Result<(), BulkError> {
        let mut state = self.state.lock().unwrap();
        let (spec, rows) = &mut state.nodes[table.0 as usize];
        assert_eq!(spec.properties.len(), batch.columns.len());
        assert_eq!(spec.key_space.is_some(), batch.keys.is_some());
        let mut columns: Vec<Vec<String>> = Vec::new();
        columns.extend(batch.keys.as_ref().map(data_texts));
        columns.extend(batch.columns.iter().map(texts));
        add(rows, &columns, &batch.origin);
        Ok(())
    }

    fn append_edges(&self, table: EdgeHandle, batch: EdgeBatch) -> Result<(), BulkError> {
        let mut state = self.state.lock().unwrap();
        let (spec, rows) = &mut state.edges[table.0 as usize];
        assert_eq!(spec.properties.len(), batch.columns.len());
        let mut columns = vec![data_texts(&batch.from_keys), data_texts(&batch.to_keys)];
        columns.extend(batch.columns.iter().map(texts));
        add(rows, &columns, &batch.origin);
        Ok(())
    }
}

fn add(rows: &mut Vec<Row>, columns: &[Vec<String>], origin: &Origin) {
    let n = columns[0].len();
    assert!(columns.iter().all(|c| c.len() == n), "columns of different length");
    for i in 0..n {
        let values = columns.iter().map(|c| c[i].clone()).collect();
        rows.push(Row { values, file: origin.file, line: origin.lines.line(i) });
    }
}

fn texts(column: &ColumnBatch) -> Vec<String> {
    let mut texts = data_texts(&column.data);
    if let Some(nulls) = &column.nulls {
        assert_eq!(nulls.len(), texts.len());
        for (text, null) in texts.iter_mut().zip(nulls) {
            if *null {
                "null".clone_into(text);
            }
        }
    }
    texts
}

fn data_texts(data: &ColumnData) -> Vec<String> {
    fn all<T: std::fmt::Debug>(values: &[T]) -> Vec<String> {
        values.iter().map(|v| format!("{v:?}")).collect()
    }
    match data {
        ColumnData::Bool(v) => all(v),
        ColumnData::Int(v) => all(v),
        ColumnData::Float(v) => all(v),
        ColumnData::Date(v) => v.iter().map(|d| format!("date {d}")).collect(),
        ColumnData::LocalTime(v) => v.iter().map(|d| format!("local time {d}")).collect(),
        ColumnData::LocalDateTime(v) => v.iter().map(|d| format!("local datetime {d}")).collect(),
        ColumnData::DateTime(v) => v.iter().map(|d| format!("datetime {d}")).collect(),
        ColumnData::Values(v) => v.iter().map(value_text).collect(),
        ColumnData::String { bytes, ends } => {
            let mut start = 0;
            let mut texts = Vec::new();
            for end in ends {
                let end = *end as usize;
                texts.push(format!("'{}'", std::str::from_utf8(&bytes[start..end]).unwrap()));
                start = end;
            }
            assert_eq!(start, bytes.len());
            texts
        }
    }
}

fn nanos_text(kind: &str, seconds: i64, nanos: u32) -> String {
    format!("{kind} {}", i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(s) => format!("'{s}'"),
        Value::Null => "null".to_owned(),
        Value::Decimal(number) => number.to_string(),
        Value::Iri(iri) => format!("<{iri}>"),
        // The same value as in a typed column, which is what it would be in a chunk without other zones.
        Value::DateTime(d) if d.zone == Zone::Offset(0) => nanos_text("datetime", d.seconds, d.nanos),
        Value::LocalDateTime(d) => nanos_text("local datetime", d.seconds, d.nanos),
        Value::List(items) => {
            format!("[{}]", items.iter().map(value_text).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}
