//! From a model to a main version.
//!
//! **Errors**: the bulk builder's; a model that follows its own rules gives none.

use std::sync::Arc;

use trimorph_base::CancelToken;
use trimorph_store::bulk::{
    BulkBuilder, BulkError, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Lines, NodeBatch,
    NodeSpec, Origin, Verdict,
};
use trimorph_store::{Main, Snapshot};
use trimorph_types::{LogicalType, Value, Zone};
use trimorph_vfs::RegionOptions;

use super::{EdgeRows, Model, NodeRows};

/// How a model is handed to the builder.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    /// Rows of a batch.
    pub batch_rows: usize,
    /// Threads that build edge tables.
    pub threads: usize,
    /// Hand every column over as general values, typed or not.
    pub general: bool,
    /// Edges of a segment of lists, on average at most; but 2,048 rows at least.
    pub segment_edges: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { batch_rows: 4096, threads: 1, general: false, segment_edges: 1 << 17 }
    }
}

impl Model {
    /// The main version that holds this graph.
    pub fn load(&self, options: LoadOptions) -> Result<Main, BulkError> {
        let builder =
            BulkBuilder::new(RegionOptions::default(), CancelToken::default(), Box::new(|_| Verdict::Abort))
                .with_segment_edges(options.segment_edges);
        for table in &self.nodes {
            append_nodes(&builder, table, options)?;
        }
        for edges in &self.edges {
            self.append_edges(&builder, edges, options)?;
        }
        builder.finish(options.threads)
    }

    /// A snapshot of this graph.
    pub fn snapshot(&self, options: LoadOptions) -> Result<Snapshot, BulkError> {
        Ok(Snapshot::new(Arc::new(self.load(options)?)))
    }

    fn append_edges(
        &self,
        builder: &BulkBuilder<'_>,
        edges: &EdgeRows,
        options: LoadOptions,
    ) -> Result<(), BulkError> {
        let handle = builder.declare_edges(EdgeSpec {
            label: edges.label.clone(),
            from_space: edges.from_space.clone(),
            to_space: edges.to_space.clone(),
            properties: edges.properties.clone(),
        })?;
        for (batch, rows) in edges.rows.chunks(options.batch_rows.max(1)).enumerate() {
            let from: Vec<&Value> = rows.iter().map(|edge| self.key(edge.from)).collect();
            let to: Vec<&Value> = rows.iter().map(|edge| self.key(edge.to)).collect();
            let column =
                |place: usize| -> Vec<&Value> { rows.iter().map(|edge| &edge.values[place]).collect() };
            builder.append_edges(
                handle,
                EdgeBatch {
                    from_keys: keys_of(&from),
                    to_keys: keys_of(&to),
                    columns: columns(&edges.properties, options, column),
                    origin: origin(batch, options),
                },
            )?;
        }
        Ok(())
    }
}

fn append_nodes(builder: &BulkBuilder<'_>, table: &NodeRows, options: LoadOptions) -> Result<(), BulkError> {
    let handle = builder.declare_nodes(NodeSpec {
        labels: table.labels.clone(),
        key_space: table.key_space.clone(),
        key_property: table.key_property.clone(),
        properties: table.properties.clone(),
    })?;
    for (batch, rows) in table.rows.chunks(options.batch_rows.max(1)).enumerate() {
        let first = batch * options.batch_rows.max(1);
        let keys: Vec<&Value> = table.keys.iter().skip(first).take(rows.len()).collect();
        let column = |place: usize| -> Vec<&Value> { rows.iter().map(|row| &row[place]).collect() };
        builder.append_nodes(
            handle,
            NodeBatch {
                keys: table.key_space.as_ref().map(|_| keys_of(&keys)),
                columns: columns(&table.properties, options, column),
                origin: origin(batch, options),
            },
        )?;
    }
    Ok(())
}

fn origin(batch: usize, options: LoadOptions) -> Origin {
    Origin { file: 0, lines: Lines::From((batch * options.batch_rows) as u64 + 1) }
}

fn columns<'m>(
    properties: &[(String, LogicalType)],
    options: LoadOptions,
    column: impl Fn(usize) -> Vec<&'m Value>,
) -> Vec<ColumnBatch> {
    let general = |values: Vec<&Value>| ColumnBatch {
        data: ColumnData::Values(values.into_iter().cloned().collect()),
        nulls: None,
    };
    (properties.iter().enumerate())
        .map(
            |(place, (_, ty))| {
                if options.general { general(column(place)) } else { column_of(*ty, &column(place)) }
            },
        )
        .collect()
}

fn keys_of(keys: &[&Value]) -> ColumnData {
    let ty = if keys.iter().all(|key| matches!(key, Value::Int(_))) {
        LogicalType::Int
    } else {
        LogicalType::String
    };
    column_of(ty, keys).data
}

/// A column of a batch: typed if every value is null or of type `ty` and fits its column, general otherwise.
pub fn column_of(ty: LogicalType, values: &[&Value]) -> ColumnBatch {
    let nulls: Vec<bool> = values.iter().map(|value| value.is_null()).collect();
    let nulls = nulls.contains(&true).then_some(nulls);
    match typed(ty, values) {
        Some(data) => ColumnBatch { data, nulls },
        None => {
            ColumnBatch { data: ColumnData::Values(values.iter().copied().cloned().collect()), nulls: None }
        }
    }
}

fn typed(ty: LogicalType, values: &[&Value]) -> Option<ColumnData> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    macro_rules! column {
        ($variant:ident, $blank:expr, $pattern:pat => $value:expr) => {{
            let one = |value: &&Value| match value {
                Value::Null => Some($blank),
                $pattern => $value,
                _ => None,
            };
            ColumnData::$variant(values.iter().map(one).collect::<Option<Vec<_>>>()?)
        }};
    }
    Some(match ty {
        LogicalType::Bool => column!(Bool, false, Value::Bool(x) => Some(*x)),
        LogicalType::Int => column!(Int, 0, Value::Int(x) => Some(*x)),
        LogicalType::Float => column!(Float, 0.0, Value::Float(x) => Some(*x)),
        LogicalType::Date => column!(Date, 0, Value::Date(x) => i32::try_from(x.days).ok()),
        LogicalType::LocalTime => column!(LocalTime, 0, Value::LocalTime(x) => Some(x.nanos)),
        LogicalType::LocalDateTime => {
            column!(LocalDateTime, 0, Value::LocalDateTime(x) => nanos(x.seconds, x.nanos))
        }
        LogicalType::DateTime => {
            column!(DateTime, 0, Value::DateTime(x) => if x.zone == Zone::Offset(0) { nanos(x.seconds, x.nanos) } else { None })
        }
        LogicalType::String => {
            let (mut bytes, mut ends) = (Vec::new(), Vec::new());
            for value in values {
                match value {
                    Value::Null => {}
                    Value::String(text) => bytes.extend_from_slice(text.as_bytes()),
                    _ => return None,
                }
                ends.push(u32::try_from(bytes.len()).ok()?);
            }
            ColumnData::String { bytes, ends }
        }
        _ => return None,
    })
}
