//! From edges to edge tables: grouping by source table as they come, building the pieces of one edge table.
//!
//! Edges of one table come in runs of 65,536; a full run is packed, so that edges take about the room they
//! will take stored.

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_base::{EdgePlaces, EdgeTableId, NodeId, PAGE_ROWS, PropertyId, TableId, TypeId};
use trimorph_catalog::{
    DegreeStats, EdgeTableFacts, EdgeTableInfo, EdgeTableStats, KnownEdgeTable, PropertyInfo, TargetFacts,
};
use trimorph_encoding::{Packed, pack};
use trimorph_types::LogicalType;
use trimorph_vfs::{CodecError, RegionOptions, lay_out};

use super::column_estimate::held_bytes;
use super::errors::{no_memory, unreadable};
use super::finder::Finder;
use super::sorted_edges::SortedEdges;
use super::sorted_list::TakeBlock;
use super::waiting_column::{WaitingColumn, gather, gather_rows};
use super::waiting_edges::{PackedNodes, WaitingEdges};
use super::{BulkError, ColumnBatch, ColumnData, EdgeSpec, Rejected};
use crate::adjacency::{Adjacency, Form, Targets};
use crate::column::{ColumnWriter, value_at};
use crate::property_pages::SegmentPages;
use crate::{ComponentBytes, EdgeTable};

/// Edges of a run.
const RUN_EDGES: usize = 1 << 16;
/// Edges read at a time.
const BLOCK_EDGES: usize = 1 << 10;
/// Bytes of strings after which a run's column is packed early, into a run of general values if need be.
const RUN_ENDS_MAX: usize = 1 << 31;

/// The edges of one edge table, ends resolved, in file order.
pub(crate) struct EdgeTableInput {
    pub(super) label: String,
    pub(super) source: TableId,
    pub(super) properties: Vec<(String, LogicalType)>,
    /// Whether edges with the same ends are one; they have no properties then.
    is_once: bool,
    count: usize,
    runs: Vec<(Packed, PackedNodes)>,
    /// By property, then by run.
    columns: Vec<Vec<WaitingColumn>>,
    /// Source rows and targets of the run that is not full.
    open: (Vec<u32>, Vec<NodeId>),
    open_columns: Vec<ColumnBatch>,
    /// Bytes of full runs.
    packed_bytes: usize,
    /// Bytes that were charged to the budget.
    charged: usize,
}

impl EdgeTableInput {
    pub(crate) fn new(label: &str, source: TableId) -> Self {
        Self {
            label: label.to_owned(),
            source,
            properties: Vec::new(),
            is_once: false,
            count: 0,
            runs: Vec::new(),
            columns: Vec::new(),
            open: (Vec::new(), Vec::new()),
            open_columns: Vec::new(),
            packed_bytes: 0,
            charged: 0,
        }
    }

    /// Whose edges with the same ends are one.
    pub(super) fn once(label: &str, source: TableId) -> Self {
        Self { is_once: true, ..Self::new(label, source) }
    }

    /// Number of edges; those with the same ends all count.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Bytes that it takes more than were charged; they are taken for charged.
    fn uncharged(&mut self) -> usize {
        let open = self.open_columns.iter().map(|column| held_bytes(&column.data)).sum::<usize>();
        let bytes = self.packed_bytes + self.open.0.len() * 12 + open;
        let more = bytes.saturating_sub(self.charged);
        self.charged += more;
        more
    }

    /// Appends rows of a batch, whose columns are `properties`.
    pub(crate) fn append(
        &mut self,
        properties: &[Property],
        batch: &[ColumnBatch],
        (from, to): Nodes<'_>,
        rows: &Rows,
    ) {
        let mut done = 0;
        while done < rows.len() {
            let before = self.open.0.len();
            let now = rows.part(done..rows.len().min(done + RUN_EDGES - before));
            self.append_properties(properties, batch, &now);
            #[expect(clippy::cast_possible_truncation, reason = "a node table has fewer than 2^32 rows")]
            now.each(|i| from[i].row() as u32, &mut self.open.0);
            now.each(|i| to[i], &mut self.open.1);
            self.count += now.len();
            done += now.len();
            if self.open.0.len() == RUN_EDGES {
                self.end_run();
            }
        }
    }

    /// The property columns of its runs, which all are closed.
    pub(super) fn property_runs(&self) -> impl Iterator<Item = impl Iterator<Item = ColumnBatch> + '_> + '_ {
        let len = |run: usize| RUN_EDGES.min(self.count - run * RUN_EDGES);
        let runs = move |column: &'_ Vec<WaitingColumn>| {
            let column: Vec<_> = column.iter().collect();
            column
                .into_iter()
                .enumerate()
                .map(|(run, of)| of.unpack(len(run)))
                .collect::<Vec<_>>()
                .into_iter()
        };
        self.columns.iter().map(runs)
    }

    /// Appends all edges of another one.
    fn append_input(&mut self, other: Self) {
        self.append_mapped(other, &|node| node);
    }

    /// Appends all edges of another one, at other ends.
    pub(super) fn append_mapped(&mut self, mut other: Self, map: &dyn Fn(NodeId) -> NodeId) {
        other.close();
        let columns = std::mem::take(&mut other.columns);
        for (run, (sources, targets)) in std::mem::take(&mut other.runs).into_iter().enumerate() {
            let len = RUN_EDGES.min(other.count - run * RUN_EDGES);
            let batch: Vec<ColumnBatch> = columns.iter().map(|column| column[run].unpack(len)).collect();
            let from =
                (0..len).map(|i| map(NodeId::new(other.source, sources.view().get(i).cast_unsigned())));
            let ends = (from.collect::<Vec<_>>(), (0..len).map(|i| map(targets.get(i))).collect::<Vec<_>>());
            self.append(&other.properties, &batch, (&ends.0, &ends.1), &Rows::Range(0..len));
        }
    }

    fn end_run(&mut self) {
        let sources: Vec<i64> = self.open.0.iter().map(|source| (*source).into()).collect();
        let (sources, targets) = (pack(&sources), PackedNodes::new(self.open.1.iter().copied()));
        self.packed_bytes += sources.bytes.len() + targets.bytes();
        self.runs.push((sources, targets));
        self.open.0.clear();
        self.open.1.clear();
        for ((column, packed), (_, ty)) in
            self.open_columns.iter_mut().zip(&mut self.columns).zip(&self.properties)
        {
            let run = WaitingColumn::new(std::mem::replace(column, blank(*ty, 0)));
            self.packed_bytes += run.bytes();
            packed.push(run);
        }
    }

    fn append_properties(&mut self, properties: &[Property], batch: &[ColumnBatch], rows: &Rows) {
        let before = self.open.0.len();
        for (name, ty) in properties {
            if self.properties.iter().all(|(n, _)| n != name) {
                self.properties.push((name.clone(), *ty));
                self.open_columns.push(blank(*ty, before));
                self.columns.push(self.runs.iter().map(|_| WaitingColumn::nothing()).collect());
            }
        }
        for ((name, ty), column) in self.properties.iter().zip(&mut self.open_columns) {
            let given = properties.iter().position(|(n, t)| n == name && t == ty);
            match given.map(|p| &batch[p]) {
                Some(from) => extend(column, from, rows, before),
                None => {
                    let other = properties.iter().position(|(n, _)| n == name).map(|p| &batch[p]);
                    extend_general(column, before, rows, other);
                }
            }
        }
    }

    /// Gives all edges in file order, a block at a time.
    pub(super) fn each_block(&self, take: &mut TakeBlock<'_>) {
        let mut block = Vec::with_capacity(BLOCK_EDGES);
        let (mut sources, mut rows) = ([0; BLOCK_EDGES], [0; BLOCK_EDGES]);
        for (run, (packed, targets)) in self.runs.iter().enumerate() {
            let len = RUN_EDGES.min(self.count - run * RUN_EDGES);
            for from in (0..len).step_by(BLOCK_EDGES) {
                let count = BLOCK_EDGES.min(len - from);
                packed.view().unpack(from, &mut sources[..count]);
                block.clear();
                #[expect(clippy::cast_possible_truncation, reason = "what was packed was 32 bits wide")]
                let sources = sources[..count].iter().map(|source| source.cast_unsigned() as u32);
                block.extend(sources.zip(targets.read(from, &mut rows[..count])));
                take(&block);
            }
        }
    }

    /// The tables that edges lead to, in ascending order.
    pub(super) fn targets(&self) -> Vec<TableId> {
        let mut targets = BTreeSet::new();
        for (run, (_, nodes)) in self.runs.iter().enumerate() {
            nodes.tables(RUN_EDGES.min(self.count - run * RUN_EDGES), &mut targets);
        }
        targets.extend(self.open.1.iter().map(|node| node.table()));
        targets.into_iter().collect()
    }

    /// Packs the last run, so that all edges are in runs.
    pub(super) fn close(&mut self) {
        if !self.open.0.is_empty() {
            self.end_run();
        }
    }
}

/// A property and its type.
pub(crate) type Property = (String, LogicalType);

/// The sources and the targets of a batch.
pub(crate) type Nodes<'a> = (&'a [NodeId], &'a [NodeId]);

/// Rows of a batch.
pub(crate) enum Rows {
    Range(std::ops::Range<usize>),
    Each(Vec<usize>),
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::Each(rows) => rows.len(),
        }
    }

    /// Some of them, by their places among these.
    fn part(&self, of: std::ops::Range<usize>) -> Self {
        match self {
            Self::Range(range) => Self::Range(range.start + of.start..range.start + of.end),
            Self::Each(rows) => Self::Each(rows[of].to_vec()),
        }
    }

    /// Appends what `value` gives for each.
    #[inline]
    fn each<T>(&self, value: impl Fn(usize) -> T, out: &mut Vec<T>) {
        match self {
            Self::Range(range) => out.extend(range.clone().map(value)),
            Self::Each(rows) => out.extend(rows.iter().map(|i| value(*i))),
        }
    }

    /// Appends their values.
    #[inline]
    fn pick<T: Copy>(&self, from: &[T], out: &mut Vec<T>) {
        match self {
            Self::Range(range) => out.extend_from_slice(&from[range.clone()]),
            Self::Each(rows) => out.extend(rows.iter().map(|i| from[*i])),
        }
    }
}

/// Appends the edges of a batch to the inputs of their edge tables, and gives the bytes that these take more.
pub(super) fn route_edges(
    spec: &EdgeSpec,
    columns: &[ColumnBatch],
    ends: Nodes<'_>,
    inputs: &mut Vec<EdgeTableInput>,
) -> usize {
    let from = ends.0;
    let Some(first) = from.first().map(|n| n.table()) else { return 0 };
    if from.iter().all(|n| n.table() == first) {
        let input = input_of(&spec.label, first, inputs);
        input.append(&spec.properties, columns, ends, &Rows::Range(0..from.len()));
        return input.uncharged();
    }
    let mut by_source: Vec<(TableId, Vec<usize>)> = Vec::new();
    for (i, source) in from.iter().map(|n| n.table()).enumerate() {
        let place = by_source.iter().position(|(s, _)| *s == source).unwrap_or_else(|| {
            by_source.push((source, Vec::new()));
            by_source.len() - 1
        });
        by_source[place].1.push(i);
    }
    let append = |(source, rows)| {
        let input = input_of(&spec.label, source, inputs);
        input.append(&spec.properties, columns, ends, &Rows::Each(rows));
        input.uncharged()
    };
    by_source.into_iter().map(append).sum()
}

/// Resolves the ends of a batch that waited and appends each edge to the input of its edge table.
pub(super) fn route_waiting(
    spec: &EdgeSpec,
    batch: &WaitingEdges,
    from: &Finder<'_>,
    to: &Finder<'_>,
    inputs: &mut Vec<EdgeTableInput>,
    reject: &mut dyn FnMut(Rejected) -> Result<(), BulkError>,
) -> Result<(), BulkError> {
    if let Some((from, to)) = batch.all_ends(from, to) {
        route_edges(spec, &batch.columns(), (&from, &to), inputs);
        return Ok(());
    }
    let mut by_source: Vec<(TableId, Vec<usize>)> = Vec::new();
    // Of an edge that was refused the ends are anything, since nothing reads them.
    let mut ends = (vec![NodeId(0); batch.len()], vec![NodeId(0); batch.len()]);
    for i in 0..batch.len() {
        let Some((source, target)) = batch.ends(i, spec, from, to, reject)? else { continue };
        (ends.0[i], ends.1[i]) = (source, target);
        let place = by_source.iter().position(|(s, _)| *s == source.table()).unwrap_or_else(|| {
            by_source.push((source.table(), Vec::new()));
            by_source.len() - 1
        });
        by_source[place].1.push(i);
    }
    let columns = batch.columns();
    for (source, rows) in by_source {
        let input = input_of(&spec.label, source, inputs);
        input.append(&spec.properties, &columns, (&ends.0, &ends.1), &Rows::Each(rows));
    }
    Ok(())
}

/// The input of an edge table; made, if there is none.
pub(super) fn input_of<'i>(
    label: &str,
    source: TableId,
    inputs: &'i mut Vec<EdgeTableInput>,
) -> &'i mut EdgeTableInput {
    let place = inputs.iter().position(|i| i.label == label && i.source == source);
    let place = place.unwrap_or_else(|| {
        inputs.push(EdgeTableInput::new(label, source));
        inputs.len() - 1
    });
    &mut inputs[place]
}

/// Adds inputs to others; those of the same edge table become one.
pub(super) fn join_inputs(more: Vec<EdgeTableInput>, inputs: &mut Vec<EdgeTableInput>) {
    for input in more {
        match inputs.iter_mut().find(|i| i.label == input.label && i.source == input.source) {
            Some(same) => same.append_input(input),
            None => inputs.push(input),
        }
    }
}

/// `len` nulls of a type.
pub(super) fn blank(ty: LogicalType, len: usize) -> ColumnBatch {
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

pub(super) fn extend(into: &mut ColumnBatch, from: &ColumnBatch, rows: &Rows, before: usize) {
    if into.nulls.is_some() || from.nulls.is_some() {
        let nulls = into.nulls.get_or_insert_with(|| vec![false; before]);
        match &from.nulls {
            Some(from) => rows.pick(from, nulls),
            None => nulls.resize(nulls.len() + rows.len(), false),
        }
    }
    match (&mut into.data, &from.data) {
        (ColumnData::Bool(a), ColumnData::Bool(b)) => rows.pick(b, a),
        (ColumnData::Int(a), ColumnData::Int(b))
        | (ColumnData::LocalTime(a), ColumnData::LocalTime(b))
        | (ColumnData::LocalDateTime(a), ColumnData::LocalDateTime(b))
        | (ColumnData::DateTime(a), ColumnData::DateTime(b)) => rows.pick(b, a),
        (ColumnData::Float(a), ColumnData::Float(b)) => rows.pick(b, a),
        (ColumnData::Date(a), ColumnData::Date(b)) => rows.pick(b, a),
        (ColumnData::String { bytes, ends }, ColumnData::String { bytes: b, ends: e })
            if bytes.len() < RUN_ENDS_MAX && b.len() < RUN_ENDS_MAX =>
        {
            let text = |i: usize| {
                let start = if i == 0 { 0 } else { e[i - 1] as usize };
                bytes.extend_from_slice(b.get(start..e[i] as usize).unwrap_or_default());
                ends.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
            };
            match rows {
                Rows::Range(range) => range.clone().for_each(text),
                Rows::Each(rows) => rows.iter().copied().for_each(text),
            }
        }
        _ => {
            if let Some(nulls) = &mut into.nulls {
                nulls.truncate(nulls.len() - rows.len());
            }
            extend_general(into, before, rows, Some(from));
        }
    }
}

/// Turns the column into general values and appends those of `from`, or nulls.
fn extend_general(into: &mut ColumnBatch, before: usize, rows: &Rows, from: Option<&ColumnBatch>) {
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
    rows.each(|i| from.map_or(trimorph_types::Value::Null, |from| at(from, i)), &mut values);
    *into = ColumnBatch { data: ColumnData::Values(values), nulls: None };
}

/// Builds both directions, the property pages and the property columns of one edge table.
pub(crate) fn build_edge_table(
    mut input: EdgeTableInput,
    id: EdgeTableId,
    ty: TypeId,
    property_ids: &[PropertyId],
    table_rows: &[u64],
    (segment_edges, position_bits): (u64, Option<u8>),
    options: RegionOptions,
) -> Result<(EdgeTable, KnownEdgeTable, ComponentBytes), BulkError> {
    input.close();
    let source = input.source;
    let source_rows = table_rows[source.0 as usize];
    let targets = input.targets();
    let kept = !input.properties.is_empty();
    let edges = |take: &mut TakeBlock<'_>| input.each_block(take);
    let mut list = SortedEdges::new(source_rows, input.len(), &targets, table_rows, kept, edges)?;
    input.runs = Vec::new();
    if input.is_once && !kept {
        list.keep_one_each();
    }
    let edge_count = list.offset(source_rows);
    let page_offset = |page: u64| list.offset(source_rows.min(page * PAGE_ROWS));
    let page_edges = |page: u64| page_offset(page + 1) - page_offset(page);
    let pages = source_rows.div_ceil(PAGE_ROWS);
    let places = match position_bits {
        Some(bits) => EdgePlaces::of_bits(id, bits, pages, page_edges),
        None => EdgePlaces::new(id, pages, page_edges),
    };
    let (degree_max, nonempty) = list.degrees();
    let single = degree_max <= 1;

    let mut bytes = ComponentBytes::default();
    let form = Form::of(single, source_rows, edge_count, segment_edges);
    let mut forward = list.write_forward(form)?;
    bytes.forward = forward.bytes.total();
    let mut pieces = std::mem::take(&mut forward.pieces);
    let (mut backward, mut facts, mut counted) = (Vec::new(), Vec::new(), Vec::new());
    for target in &targets {
        let rows = table_rows[target.0 as usize];
        let mut built = list.write_backward(*target, rows, kept && !single, segment_edges)?;
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
