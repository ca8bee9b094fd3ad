//! Columns of a chunk in, batches for the sink out: rows are routed to tables, and edges with a null end left
//! out.
//!
//! 1. Each output of the plan selects its rows (all of them, where nothing is null and the route is fixed).
//! 2. Its columns are moved if nothing else needs them, else copied, else gathered by the selection.

use std::collections::HashMap;
use std::hash::Hash;

use trimorph_store::bulk::{
    ColumnBatch, ColumnData, EdgeBatch, EdgeHandle, Lines, NodeBatch, NodeHandle, Origin,
};

use crate::column::null_column;
use crate::plan::{ColumnSource, Output, Route, TablePlan};

/// Rows for one declared table.
pub(crate) enum Batch {
    Nodes(NodeHandle, NodeBatch),
    Edges(EdgeHandle, EdgeBatch),
}

/// The columns of a chunk, by field; and how often each is still needed.
pub(crate) struct Columns {
    columns: Vec<Option<ColumnBatch>>,
    uses: Vec<usize>,
    rows: usize,
    origin: Origin,
}

impl Columns {
    pub(crate) fn new(columns: Vec<Option<ColumnBatch>>, rows: usize, origin: Origin) -> Self {
        Self { uses: vec![0; columns.len()], columns, rows, origin }
    }

    /// Rows of a file of edges that have none, because an end is null.
    pub(crate) fn without_end(&self, plan: &TablePlan) -> u64 {
        let [Output::Edges { from, to, .. }] = plan.outputs.as_slice() else { return 0 };
        let nulls = |field: &usize| self.columns[*field].as_ref()?.nulls.as_deref();
        match (nulls(from), nulls(to)) {
            (None, None) => 0,
            (Some(one), None) | (None, Some(one)) => one.iter().filter(|null| **null).count() as u64,
            (Some(a), Some(b)) => a.iter().zip(b).filter(|(a, b)| **a || **b).count() as u64,
        }
    }

    /// Everything that the outputs of `plan` make of these columns.
    pub(crate) fn into_batches(mut self, plan: &TablePlan) -> Vec<Batch> {
        if self.rows == 0 {
            return Vec::new();
        }
        for output in &plan.outputs {
            self.count_uses(output);
        }
        let mut batches = Vec::new();
        for output in &plan.outputs {
            match output {
                Output::Nodes { route, key, columns } => {
                    for (handle, rows) in self.route(route, &[]) {
                        let batch = NodeBatch {
                            keys: key.map(|k| self.take(k, rows.as_deref()).data),
                            columns: self.take_all(columns.get(&handle), rows.as_deref()),
                            origin: self.origin_of(rows.as_deref()),
                        };
                        batches.push(Batch::Nodes(handle, batch));
                    }
                }
                Output::Edges { route, from, to, columns } => {
                    for (handle, rows) in self.route(route, &[*from, *to]) {
                        let batch = EdgeBatch {
                            from_keys: self.take(*from, rows.as_deref()).data,
                            to_keys: self.take(*to, rows.as_deref()).data,
                            columns: self.take_all(columns.get(&handle), rows.as_deref()),
                            origin: self.origin_of(rows.as_deref()),
                        };
                        batches.push(Batch::Edges(handle, batch));
                    }
                }
            }
        }
        batches
    }

    /// A column that is needed under several routes, or read by a route, is never moved.
    fn count_uses(&mut self, output: &Output) {
        let (ends, sources, fixed, by) = match output {
            Output::Nodes { route, key, columns } => {
                let ends: Vec<usize> = key.iter().copied().collect();
                (ends, columns.values().flatten().collect::<Vec<_>>(), route.is_fixed(), route.field())
            }
            Output::Edges { route, from, to, columns } => {
                let ends = vec![*from, *to];
                (ends, columns.values().flatten().collect(), route.is_fixed(), route.field())
            }
        };
        let weight = if fixed { 1 } else { 1 << 20 };
        let fields = sources.into_iter().filter_map(|s| s.as_ref().ok().copied());
        for field in ends.into_iter().chain(fields) {
            self.uses[field] += weight;
        }
        if let Some(field) = by {
            self.uses[field] += 1 << 20;
        }
    }

    /// Which rows go where; `None` stands for all of them. Rows that are null in one of `not_null` go
    /// nowhere.
    fn route<H: Copy + Eq + Hash>(&self, route: &Route<H>, not_null: &[usize]) -> Vec<(H, Option<Vec<u32>>)> {
        let nulls: Vec<&[bool]> =
            not_null.iter().filter_map(|field| self.columns[*field].as_ref()?.nulls.as_deref()).collect();
        let is_in = |row: usize| nulls.iter().all(|n| !n[row]);
        #[expect(clippy::cast_possible_truncation, reason = "a chunk has less than 2^32 rows")]
        let all = (0..self.rows).filter(|row| is_in(*row)).map(|row| row as u32);
        match route {
            Route::Fixed(handle) if nulls.is_empty() => vec![(*handle, None)],
            Route::Fixed(handle) => {
                let rows: Vec<u32> = all.collect();
                if rows.is_empty() { Vec::new() } else { vec![(*handle, Some(rows))] }
            }
            Route::ByField { field, tables, .. } => {
                let mut order: Vec<(H, Vec<u32>)> = Vec::new();
                let mut at: HashMap<H, usize> = HashMap::new();
                let Some(ColumnBatch { data: ColumnData::String { bytes, ends }, .. }) =
                    &self.columns[*field]
                else {
                    return Vec::new();
                };
                for row in all {
                    let i = row as usize;
                    let start = if i == 0 { 0 } else { ends[i - 1] as usize };
                    let Some(handle) = tables.get(&bytes[start..ends[i] as usize]) else { continue };
                    let slot = *at.entry(*handle).or_insert_with(|| {
                        order.push((*handle, Vec::new()));
                        order.len() - 1
                    });
                    order[slot].1.push(row);
                }
                order.into_iter().map(|(h, rows)| (h, (rows.len() < self.rows).then_some(rows))).collect()
            }
        }
    }

    fn take_all(&mut self, sources: Option<&Vec<ColumnSource>>, rows: Option<&[u32]>) -> Vec<ColumnBatch> {
        let n = rows.map_or(self.rows, <[u32]>::len);
        sources
            .into_iter()
            .flatten()
            .map(|source| match source {
                Ok(field) => self.take(*field, rows),
                Err(kind) => null_column(*kind, n),
            })
            .collect()
    }

    fn take(&mut self, field: usize, rows: Option<&[u32]>) -> ColumnBatch {
        self.uses[field] = self.uses[field].saturating_sub(1);
        let column = match (rows, self.uses[field]) {
            (None, 0) => self.columns[field].take(),
            (None, _) => self.columns[field].clone(),
            (Some(rows), _) => self.columns[field].as_ref().map(|column| select(column, rows)),
        };
        // Every field an output names has a parser, so the column is there.
        column.unwrap_or_else(|| null_column(trimorph_types::LogicalType::Any, self.rows))
    }

    fn origin_of(&self, rows: Option<&[u32]>) -> Origin {
        let lines = match rows {
            None => self.origin.lines.clone(),
            Some(rows) => Lines::Each(rows.iter().map(|r| self.origin.lines.line(*r as usize)).collect()),
        };
        Origin { file: self.origin.file, lines }
    }
}

impl<H> Route<H> {
    fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed(_))
    }

    fn field(&self) -> Option<usize> {
        match self {
            Self::Fixed(_) => None,
            Self::ByField { field, .. } => Some(*field),
        }
    }
}

/// The rows of a column, in the order given.
pub(crate) fn select(column: &ColumnBatch, rows: &[u32]) -> ColumnBatch {
    fn pick<T: Clone>(values: &[T], rows: &[u32]) -> Vec<T> {
        rows.iter().map(|r| values[*r as usize].clone()).collect()
    }
    let data = match &column.data {
        ColumnData::Bool(v) => ColumnData::Bool(pick(v, rows)),
        ColumnData::Int(v) => ColumnData::Int(pick(v, rows)),
        ColumnData::Float(v) => ColumnData::Float(pick(v, rows)),
        ColumnData::Date(v) => ColumnData::Date(pick(v, rows)),
        ColumnData::LocalTime(v) => ColumnData::LocalTime(pick(v, rows)),
        ColumnData::LocalDateTime(v) => ColumnData::LocalDateTime(pick(v, rows)),
        ColumnData::DateTime(v) => ColumnData::DateTime(pick(v, rows)),
        ColumnData::Values(v) => ColumnData::Values(pick(v, rows)),
        ColumnData::String { bytes, ends } => {
            let mut picked = Vec::new();
            let mut picked_ends = Vec::with_capacity(rows.len());
            for row in rows {
                let i = *row as usize;
                let start = if i == 0 { 0 } else { ends[i - 1] as usize };
                picked.extend_from_slice(&bytes[start..ends[i] as usize]);
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "no longer than the column, below 4 GiB"
                )]
                picked_ends.push(picked.len() as u32);
            }
            ColumnData::String { bytes: picked, ends: picked_ends }
        }
    };
    let nulls = column.nulls.as_ref().map(|n| pick(n, rows)).filter(|n| n.contains(&true));
    ColumnBatch { data, nulls }
}
