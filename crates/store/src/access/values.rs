//! Reading property values and labels: by subject, by key, or zone by zone with zones left out that can hold
//! nothing.

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_storage::column::{ColumnView, ZONE_ROWS};
use trimorph_types::Value;
use trimorph_vector::{Edges, Nodes, Texts, Values, Vector};

use super::edges::sample_step;
use super::filters::{LiteralFilter, NodeFilter, StatementFilter};
use super::pattern::{Bound, Term};
use super::plan::Path;
use super::run::{BATCH, Found, Run};
use crate::{PropertyColumn, Reader};

impl<'s> Run<'_, 's> {
    /// The labels of the nodes of `table`.
    pub(super) fn labels(&mut self, table: TableId, sample: Option<f64>) -> ControlFlow<()> {
        let reader = self.reader;
        let subject = NodeFilter::new(&self.pattern.subject);
        let object = LiteralFilter::new(&self.pattern.object);
        let rows = reader.rows(table);
        let step = sample_step(rows, sample);
        for label in reader.schema().label_names(table) {
            if !object.passes(&Value::String(Arc::clone(&label))) {
                continue;
            }
            let candidates = subject.candidates(table);
            let count = candidates.as_ref().map_or(rows.div_ceil(step), |c| c.len() as u64);
            for start in (0..count).step_by(BATCH) {
                let end = (start + BATCH as u64).min(count);
                let ids: Vec<NodeId> = match &candidates {
                    Some(nodes) => nodes[start as usize..end as usize].to_vec(),
                    None => (start..end).map(|i| NodeId::new(table, i * step)).collect(),
                };
                let ids: Vec<NodeId> =
                    ids.into_iter().filter(|n| reader.node_exists(*n) && subject.passes(*n)).collect();
                self.emit(Found {
                    len: ids.len(),
                    objects: Vector::new(Values::String(Texts::repeat(&label, ids.len()))),
                    subjects: Vector::new(Values::Node(Nodes::Ids { table: Some(table), ids })),
                    predicate: Arc::from(super::LABEL),
                    statements: None,
                })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The values of a node property.
    pub(super) fn node_property(
        &mut self,
        table: TableId,
        column: usize,
        path: Path,
        sample: Option<f64>,
    ) -> ControlFlow<()> {
        let reader = self.reader;
        let subject = NodeFilter::new(&self.pattern.subject);
        let literal = LiteralFilter::new(&self.pattern.object);
        let info = &reader.schema().node_tables[table.0 as usize];
        let name = reader.schema().property_name(info.properties[column].id);
        let source = Source::Nodes(PropertyColumn::of_nodes(table, column, reader), table);
        let rows = reader.rows(table);
        let found: Option<Vec<u64>> = match path {
            Path::Object => Some(match &self.pattern.object.bound {
                Bound::Terms(terms) => {
                    let mut found: Vec<u64> = (terms.iter())
                        .filter_map(|t| match t {
                            Term::Literal(key) => reader.find_key(table, key),
                            _ => None,
                        })
                        .collect();
                    found.sort_unstable();
                    found.dedup();
                    found
                }
                _ => Vec::new(),
            }),
            Path::Subject => subject.candidates(table).map(|c| c.iter().map(|n| n.row()).collect()),
            Path::Scan | Path::Statement => None,
        };
        let pruned = literal.integers(info.properties[column].ty);
        let step = sample_step(rows, sample);
        self.read_column(
            source,
            Blocks::new(rows, step, found),
            pruned,
            |run, from, vector, positions| {
                let ids: Vec<NodeId> = positions
                    .iter()
                    .map(|p| NodeId::new(table, from(*p)))
                    .filter(|n| subject.open || subject.passes(*n))
                    .collect();
                // A subject test leaves positions out after the values were read.
                let kept: Vec<u32> = match ids.len() == positions.len() {
                    true => positions.to_vec(),
                    false => (positions.iter().copied())
                        .filter(|p| subject.passes(NodeId::new(table, from(*p))))
                        .collect(),
                };
                run.emit(Found {
                    len: ids.len(),
                    subjects: Vector::new(Values::Node(Nodes::Ids { table: Some(table), ids })),
                    predicate: Arc::clone(&name),
                    objects: vector.gather(&kept),
                    statements: None,
                })
            },
            &literal,
        )
    }

    /// The values of an edge property.
    pub(super) fn edge_property(
        &mut self,
        place: usize,
        column: usize,
        path: Path,
        sample: Option<f64>,
    ) -> ControlFlow<()> {
        let reader = self.reader;
        let table = reader.edge_table(place);
        let subject = StatementFilter::new(&self.pattern.subject);
        let literal = LiteralFilter::new(&self.pattern.object);
        let info = &reader.schema().edge_tables[place];
        let name = reader.schema().property_name(info.properties[column].id);
        let view = reader.edge_column(place, column);
        // Slots, and the id of each: the scan goes from page to page.
        let slots = table.slots_end(reader.rows(table.source));
        let candidates = if path == Path::Subject { subject.candidates() } else { None };
        let found = candidates.map(|edges| {
            let known = |e: &&EdgeId| e.table() == table.id && table.ends(**e).is_some();
            edges.iter().filter(known).map(|e| table.slot(*e)).collect::<Vec<u64>>()
        });
        let pruned = literal.integers(info.properties[column].ty);
        let step = sample_step(slots, sample);
        self.read_column(
            Source::Edges(view),
            Blocks::new(slots, step, found),
            pruned,
            |run, from, vector, positions| {
                let mut page = 0;
                let (mut ids, mut kept) = (Vec::with_capacity(positions.len()), Vec::new());
                for p in positions {
                    let id = table.id_of_slot(from(*p), &mut page);
                    if subject.passes(id) {
                        ids.push(id);
                        kept.push(*p);
                    }
                }
                run.emit(Found {
                    len: ids.len(),
                    subjects: Vector::new(Values::Edge(Edges::Ids(ids))),
                    predicate: Arc::clone(&name),
                    objects: vector.gather(&kept),
                    statements: None,
                })
            },
            &literal,
        )
    }

    /// Reads blocks of a column; `give` gets what turns a position into a row, the vector and the positions
    /// that pass.
    fn read_column(
        &mut self,
        source: Source<'_, 's>,
        blocks: Blocks,
        pruned: Option<(i64, i64)>,
        mut give: impl FnMut(&mut Self, &dyn Fn(u32) -> u64, &Vector<'s>, &[u32]) -> ControlFlow<()>,
        literal: &LiteralFilter<'_>,
    ) -> ControlFlow<()> {
        for block in 0..blocks.count() {
            let (first, len) = blocks.block(block);
            let from = |p: u32| blocks.row(first + u64::from(p));
            if let (Some((low, high)), true) = (pruned, blocks.is_dense())
                && let Some((min, max)) = source.zone_range(first, len, self.reader)
                && (max < low || min > high)
            {
                continue;
            }
            let vector = if blocks.is_dense() {
                source.scan(first, len)
            } else {
                source.gather((0..len).map(|i| (i, blocks.row(first + i as u64))), len)
            };
            let positions: Vec<u32> = (0u32..)
                .take(len)
                .filter(|i| source.has_row(from(*i), self.reader))
                .filter(|i| {
                    let i = *i as usize;
                    if literal.open {
                        !vector.is_null(i)
                    } else {
                        literal.passes(&vector.value(i, &|_| Value::Null))
                    }
                })
                .collect();
            if !positions.is_empty() {
                give(self, &from, &vector, &positions)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// What a column is read from.
#[derive(Clone, Copy)]
enum Source<'r, 's> {
    /// A property of the nodes of a table, as the snapshot sees it.
    Nodes(PropertyColumn<'r, 's>, TableId),
    /// A property of edges, as main has it: who reads it estimates.
    Edges(&'r ColumnView<'s>),
}

impl<'s> Source<'_, 's> {
    /// The least and the largest value of the zone at `first`, where it is known.
    fn zone_range(&self, first: u64, len: usize, reader: &Reader<'_>) -> Option<(i64, i64)> {
        match self {
            Self::Nodes(column, table) => column.zone_range(*table, first, len, reader),
            Self::Edges(view) => view.zone_range(first),
        }
    }

    fn scan(&self, first: u64, len: usize) -> Vector<'s> {
        match self {
            Self::Nodes(column, _) => column.scan(first, len),
            Self::Edges(view) => view.scan(first, len),
        }
    }

    fn gather(&self, rows: impl Iterator<Item = (usize, u64)>, len: usize) -> Vector<'s> {
        match self {
            Self::Nodes(column, _) => column.gather(rows, len),
            Self::Edges(view) => view.gather(rows, len),
        }
    }

    fn has_row(&self, row: u64, reader: &Reader<'_>) -> bool {
        match self {
            Self::Nodes(_, table) => reader.node_exists(NodeId::new(*table, row)),
            Self::Edges(view) => view.has_row(row),
        }
    }
}

/// Rows to read, a zone's worth at a time: all, every so many, or those listed.
struct Blocks {
    rows: u64,
    step: u64,
    listed: Option<Vec<u64>>,
}

impl Blocks {
    fn new(rows: u64, step: u64, listed: Option<Vec<u64>>) -> Self {
        match listed {
            Some(mut listed) => {
                listed.retain(|r| *r < rows);
                Self { rows: listed.len() as u64, step: 1, listed: Some(listed) }
            }
            None => Self { rows: rows.div_ceil(step), step, listed: None },
        }
    }

    fn count(&self) -> u64 {
        self.rows.div_ceil(ZONE_ROWS as u64)
    }

    fn block(&self, i: u64) -> (u64, usize) {
        let first = i * ZONE_ROWS as u64;
        (first, (self.rows - first).min(ZONE_ROWS as u64) as usize)
    }

    fn is_dense(&self) -> bool {
        self.step == 1 && self.listed.is_none()
    }

    fn row(&self, i: u64) -> u64 {
        match &self.listed {
            Some(rows) => rows[i as usize],
            None => i * self.step,
        }
    }
}
