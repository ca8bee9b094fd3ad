//! From waiting edges to edge tables: grouping by source table, building the pieces of one edge table.
//!
//! Edges of one table come in runs of 65,536; a full run is packed, so that edges take about the room they
//! will take stored.

use std::sync::Arc;

use trimorph_base::{EdgePlaces, EdgeTableId, NodeId, PAGE_ROWS, PropertyId, TableId, TypeId};
use trimorph_catalog::{
    DegreeStats, EdgeTableFacts, EdgeTableInfo, EdgeTableStats, KnownEdgeTable, PropertyInfo, TargetFacts,
};
use trimorph_encoding::{Packed, pack};
use trimorph_types::LogicalType;
use trimorph_vfs::{CodecError, RegionOptions, lay_out};

use super::errors::{no_memory, unreadable};
use super::keys::KeySpace;
use super::sorted_edges::SortedEdges;
use super::waiting_column::{WaitingColumn, gather, gather_rows};
use super::waiting_edges::{PackedNodes, WaitingEdges};
use super::{BulkError, ColumnBatch, ColumnData, EdgeSpec, Rejected};
use crate::adjacency::{Adjacency, Form, Targets};
use crate::column::{ColumnWriter, value_at};
use crate::property_pages::SegmentPages;
use crate::{ComponentBytes, EdgeTable};

/// Edges of a run.
const RUN_EDGES: usize = 1 << 16;
/// Bytes of strings after which a run's column is packed early, into a run of general values if need be.
const RUN_ENDS_MAX: usize = 1 << 31;

/// The edges of one edge table, ends resolved, in file order.
pub(super) struct EdgeTableInput {
    pub(super) label: String,
    pub(super) source: TableId,
    pub(super) properties: Vec<(String, LogicalType)>,
    count: usize,
    runs: Vec<(Packed, PackedNodes)>,
    /// By property, then by run.
    columns: Vec<Vec<WaitingColumn>>,
    open: Vec<(u32, NodeId)>,
    open_columns: Vec<ColumnBatch>,
}

impl EdgeTableInput {
    fn new(label: &str, source: TableId) -> Self {
        Self {
            label: label.to_owned(),
            source,
            properties: Vec::new(),
            count: 0,
            runs: Vec::new(),
            columns: Vec::new(),
            open: Vec::new(),
            open_columns: Vec::new(),
        }
    }

    /// Number of edges.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Appends rows of a batch: `(row of the batch, source row, target)`.
    fn append(&mut self, spec: &EdgeSpec, batch: &[ColumnBatch], rows: &[RoutedEdge]) {
        let mut rest = rows;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(RUN_EDGES - self.open.len()));
            self.append_properties(spec, batch, now);
            self.open.extend(now.iter().map(|(_, row, target)| (*row, *target)));
            self.count += now.len();
            if self.open.len() == RUN_EDGES {
                self.end_run();
            }
            rest = later;
        }
    }

    fn end_run(&mut self) {
        let sources: Vec<i64> = self.open.iter().map(|(source, _)| (*source).into()).collect();
        let targets = PackedNodes::new(self.open.iter().map(|(_, target)| *target));
        self.runs.push((pack(&sources), targets));
        self.open.clear();
        for ((column, packed), (_, ty)) in
            self.open_columns.iter_mut().zip(&mut self.columns).zip(&self.properties)
        {
            packed.push(WaitingColumn::new(std::mem::replace(column, blank(*ty, 0))));
        }
    }

    fn append_properties(&mut self, spec: &EdgeSpec, batch: &[ColumnBatch], rows: &[RoutedEdge]) {
        let before = self.open.len();
        for (name, ty) in &spec.properties {
            if self.properties.iter().all(|(n, _)| n != name) {
                self.properties.push((name.clone(), *ty));
                self.open_columns.push(blank(*ty, before));
                self.columns.push(self.runs.iter().map(|_| WaitingColumn::nothing()).collect());
            }
        }
        for ((name, ty), column) in self.properties.iter().zip(&mut self.open_columns) {
            let given = spec.properties.iter().position(|(n, t)| n == name && t == ty);
            match given.map(|p| &batch[p]) {
                Some(from) => extend(column, from, rows.iter().map(|(i, _, _)| *i), before),
                None => {
                    let other = spec.properties.iter().position(|(n, _)| n == name).map(|p| &batch[p]);
                    extend_general(column, before, rows.iter().map(|(i, _, _)| other.map(|from| (from, *i))));
                }
            }
        }
    }

    /// All edges in file order.
    fn edges(&self) -> impl Iterator<Item = (u32, NodeId)> + '_ {
        self.runs
            .iter()
            .flat_map(|(sources, targets)| {
                // What was packed was 32 bits wide.
                let source = move |i| u32::try_from(sources.view().get(i)).unwrap_or(0);
                (0..RUN_EDGES).map(move |i| (source(i), targets.get(i)))
            })
            .take(self.count)
    }

    /// Packs the last run, so that all edges are in runs.
    fn close(&mut self) {
        if !self.open.is_empty() {
            self.end_run();
        }
    }
}

/// An edge of a batch: its row there, its source row and its target.
type RoutedEdge = (usize, u32, NodeId);

/// Resolves the ends of a batch and appends each edge to the input of its edge table.
pub(super) fn route_edges(
    spec: &EdgeSpec,
    batch: &WaitingEdges,
    from: &KeySpace,
    to: &KeySpace,
    inputs: &mut Vec<EdgeTableInput>,
    reject: &mut dyn FnMut(Rejected) -> Result<(), BulkError>,
) -> Result<(), BulkError> {
    // Rows of the batch by source table, so that property columns are appended in runs.
    let mut by_source: Vec<(TableId, Vec<RoutedEdge>)> = Vec::new();
    for i in 0..batch.len() {
        let Some((source, row, target)) = batch.ends(i, spec, from, to, reject)? else { continue };
        let place = by_source.iter().position(|(s, _)| *s == source).unwrap_or_else(|| {
            by_source.push((source, Vec::new()));
            by_source.len() - 1
        });
        by_source[place].1.push((i, row, target));
    }
    let columns = batch.columns();
    for (source, rows) in by_source {
        let place =
            inputs.iter().position(|i| i.label == spec.label && i.source == source).unwrap_or_else(|| {
                inputs.push(EdgeTableInput::new(&spec.label, source));
                inputs.len() - 1
            });
        inputs[place].append(spec, &columns, &rows);
    }
    Ok(())
}

/// `len` nulls of a type.
fn blank(ty: LogicalType, len: usize) -> ColumnBatch {
    let data = match ty {
        LogicalType::Bool => ColumnData::Bool(vec![false; len]),
        LogicalType::Int => ColumnData::Int(vec![0; len]),
        LogicalType::Float => ColumnData::Float(vec![0.0; len]),
        LogicalType::Date => ColumnData::Date(vec![0; len]),
        LogicalType::LocalTime => ColumnData::LocalTime(vec![0; len]),
        LogicalType::LocalDateTime => ColumnData::LocalDateTime(vec![0; len]),
        LogicalType::DateTime => ColumnData::DateTime(vec![0; len]),
        LogicalType::String => ColumnData::String { bytes: Vec::new(), ends: vec![0; len] },
        _ => ColumnData::Values(vec![trimorph_types::Value::Null; len]),
    };
    ColumnBatch { data, nulls: (len > 0).then(|| vec![true; len]) }
}

fn extend(
    into: &mut ColumnBatch,
    from: &ColumnBatch,
    rows: impl Iterator<Item = usize> + Clone,
    before: usize,
) {
    let count = rows.clone().count();
    if into.nulls.is_some() || from.nulls.is_some() {
        let nulls = into.nulls.get_or_insert_with(|| vec![false; before]);
        nulls.extend(rows.clone().map(|i| from.nulls.as_ref().is_some_and(|n| n[i])));
    }
    match (&mut into.data, &from.data) {
        (ColumnData::Bool(a), ColumnData::Bool(b)) => a.extend(rows.map(|i| b[i])),
        (ColumnData::Int(a), ColumnData::Int(b))
        | (ColumnData::LocalTime(a), ColumnData::LocalTime(b))
        | (ColumnData::LocalDateTime(a), ColumnData::LocalDateTime(b))
        | (ColumnData::DateTime(a), ColumnData::DateTime(b)) => a.extend(rows.map(|i| b[i])),
        (ColumnData::Float(a), ColumnData::Float(b)) => a.extend(rows.map(|i| b[i])),
        (ColumnData::Date(a), ColumnData::Date(b)) => a.extend(rows.map(|i| b[i])),
        (ColumnData::String { bytes, ends }, ColumnData::String { bytes: b, ends: e })
            if bytes.len() < RUN_ENDS_MAX && b.len() < RUN_ENDS_MAX =>
        {
            for i in rows {
                let start = if i == 0 { 0 } else { e[i - 1] as usize };
                bytes.extend_from_slice(b.get(start..e[i] as usize).unwrap_or_default());
                ends.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
            }
        }
        _ => {
            if let Some(nulls) = &mut into.nulls {
                nulls.truncate(nulls.len() - count);
            }
            extend_general(into, before, rows.map(|i| Some((from, i))));
        }
    }
}

/// Turns the column into general values and appends.
fn extend_general<'b>(
    into: &mut ColumnBatch,
    before: usize,
    rows: impl Iterator<Item = Option<(&'b ColumnBatch, usize)>>,
) {
    let at = |column: &ColumnBatch, i: usize| match &column.nulls {
        Some(nulls) if nulls[i] => trimorph_types::Value::Null,
        _ => value_at(&column.data, i),
    };
    let mut values: Vec<_> = match std::mem::replace(&mut into.data, ColumnData::Values(Vec::new())) {
        ColumnData::Values(values) => values,
        data => {
            let old = ColumnBatch { data, nulls: into.nulls.take() };
            (0..before).map(|i| at(&old, i)).collect()
        }
    };
    values.extend(rows.map(|row| row.map_or(trimorph_types::Value::Null, |(from, i)| at(from, i))));
    *into = ColumnBatch { data: ColumnData::Values(values), nulls: None };
}

/// Builds both directions, the property pages and the property columns of one edge table.
pub(super) fn build_edge_table(
    mut input: EdgeTableInput,
    id: EdgeTableId,
    ty: TypeId,
    property_ids: &[PropertyId],
    table_rows: &[u64],
    segment_edges: u64,
    options: RegionOptions,
) -> Result<(EdgeTable, KnownEdgeTable, ComponentBytes), BulkError> {
    input.close();
    let source = input.source;
    let source_rows = table_rows[source.0 as usize];
    let edge_count = input.len() as u64;
    let mut targets: Vec<TableId> = Vec::new();
    for (_, target) in input.edges() {
        if !targets.contains(&target.table()) {
            targets.push(target.table());
        }
    }
    targets.sort_unstable();
    let kept = !input.properties.is_empty();
    let edges = || input.edges();
    let list = SortedEdges::new(source_rows, input.len(), &targets, table_rows, kept, edges)?;
    input.runs = Vec::new();
    let page_offset = |page: u64| list.offset(source_rows.min(page * PAGE_ROWS));
    let page_edges = |page: u64| page_offset(page + 1) - page_offset(page);
    let places = EdgePlaces::new(id, source_rows.div_ceil(PAGE_ROWS), page_edges);
    let (degree_max, nonempty) = list.degrees();
    let single = degree_max <= 1;

    let mut bytes = ComponentBytes::default();
    let form = Form::of(single, source_rows, edge_count, segment_edges);
    let mut forward = list.write_forward(&targets, form)?;
    bytes.forward = forward.bytes.total();
    let mut pieces = std::mem::take(&mut forward.pieces);
    let (mut backward, mut facts, mut counted) = (Vec::new(), Vec::new(), Vec::new());
    for target in &targets {
        let rows = table_rows[target.0 as usize];
        let mut built = list.write_backward(source, *target, rows, kept && !single, segment_edges)?;
        bytes.backward += built.written.bytes.total();
        pieces.append(&mut built.written.pieces);
        backward.push((*target, rows, built.written.form));
        facts.push(TargetFacts { table: *target, single: built.single });
        counted.push((
            *target,
            DegreeStats { edges: built.edges, degree_max: built.degree_max, nonempty: built.nonempty },
        ));
    }
    let paged = kept && !single;
    if paged {
        for (i, rows) in form.segment_rows().each(source_rows).enumerate() {
            let first = form.segment_rows().first(i);
            pieces.push(SegmentPages::write(&page_starts(&list, first, rows as u64)));
        }
    }
    let (mut written, mut infos, mut properties) = (Vec::new(), Vec::new(), Vec::new());
    for (((_, ty), column), id) in input.properties.iter().zip(input.columns).zip(property_ids) {
        let mut writer = ColumnWriter::new(*ty);
        append_in_order(&mut writer, &column, *ty, &list, form);
        drop(column);
        let (mut column, stats, size) = writer.finish();
        bytes.edge_properties += size.data;
        bytes.nulls += size.nulls;
        infos.push(PropertyInfo { id: *id, ty: *ty });
        properties.push(stats);
        pieces.append(&mut column.pieces);
        written.push(column);
    }
    let self_loops = list.self_loops(source);
    drop(list);
    let total: usize = pieces.iter().map(Vec::len).sum();
    bytes.overhead += total.saturating_sub(bytes.total());
    let mut pieces = lay_out(pieces, options).map_err(no_memory)?.into_iter();
    let sizes: Targets = backward.iter().map(|(t, rows, _)| (*t, *rows)).collect();
    let read = || -> Result<EdgeTable, CodecError> {
        let forward = Adjacency::read(form, source_rows, &sizes, &mut pieces)?;
        let own: Targets = [(source, source_rows)].into();
        let backward = (backward.iter())
            .map(|(target, rows, form)| Ok((*target, Adjacency::read(*form, *rows, &own, &mut pieces)?)))
            .collect::<Result<_, CodecError>>()?;
        let mut next = || pieces.next().ok_or(CodecError { offset: 0, expected: "a piece" });
        let pages = if paged {
            let read = |rows| SegmentPages::slot(next()?, rows);
            Some(form.segment_rows().each(source_rows).map(read).collect::<Result<_, CodecError>>()?)
        } else {
            None
        };
        let mut table = EdgeTable::new(places, source, forward, backward, pages);
        for column in &written {
            table.columns.push(Arc::new(column.read(&mut pieces)?));
        }
        Ok(table)
    };
    let table = read().map_err(unreadable)?;
    let info = EdgeTableInfo { ty, source, properties: infos };
    let facts = EdgeTableFacts {
        single,
        edges_max: edge_count,
        self_loops_max: self_loops,
        targets: facts,
        one_type: table.columns.iter().map(|c| c.has_one_type()).collect(),
    };
    let forward = DegreeStats { edges: edge_count, degree_max, nonempty };
    Ok((table, (info, facts, EdgeTableStats { properties, forward, backward: counted }), bytes))
}

/// Where the pages of a segment of source rows start, as its lists lie; and where the last one ends.
fn page_starts(list: &SortedEdges, first: u64, rows: u64) -> Vec<u32> {
    let starts = (0..rows).step_by(PAGE_ROWS as usize).chain([rows]);
    // A segment has fewer than 2^32 edges: writing the lists refused more.
    starts
        .map(|row| u32::try_from(list.offset(first + row) - list.offset(first)).unwrap_or(u32::MAX))
        .collect()
}

/// Appends a property in the order of slots, a segment of source rows after the other; or of a vertex column,
/// in the order of source rows, null where one has no edge.
fn append_in_order(
    writer: &mut ColumnWriter,
    column: &[WaitingColumn],
    ty: LogicalType,
    list: &SortedEdges,
    form: Form,
) {
    let step = gather_rows(column, RUN_EDGES);
    let rows = list.rows();
    let Form::Csr(segment_rows) = form else {
        let of_row = |row: usize| {
            let (from, to) = (list.offset(row as u64), list.offset(row as u64 + 1));
            (to > from).then(|| list.index(from as usize))
        };
        for start in (0..rows as usize).step_by(step) {
            let part = start..(rows as usize).min(start + step);
            writer.append(&gather(column, RUN_EDGES, ty, part.map(of_row)), None);
        }
        return;
    };
    for segment in (0..rows).step_by(segment_rows.count()) {
        let end = list.offset(rows.min(segment + segment_rows.count() as u64)) as usize;
        for start in (list.offset(segment) as usize..end).step_by(step) {
            let part = start..end.min(start + step);
            let batch = gather(column, RUN_EDGES, ty, part.map(|slot| Some(list.index(slot))));
            writer.append(&batch, None);
        }
        writer.end_segment();
    }
}
