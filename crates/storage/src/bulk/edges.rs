//! From keys to edge tables: resolving ends, grouping by source table, building the image of one edge table.

use trimorph_base::{EdgeId, EdgeTableId, NodeId, PropertyId, TableId, TypeId};
use trimorph_catalog::{BackwardStats, EdgeTableInfo, PropertyInfo};
use trimorph_types::LogicalType;
use trimorph_vfs::{Encoder, ImageWriter, RegionOptions};

use super::builder::{no_memory, too_large};
use super::keys::{KeySpace, key_at};
use super::{BulkError, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Rejected};
use crate::adjacency::{build_backward, sort_edges};
use crate::column::{ColumnWriter, value_at};
use crate::edge_table::{EDGE_TABLE_KIND, PAGE_ROWS};
use crate::{ComponentBytes, EdgeTable};

/// Property rows appended at once in slot order.
const APPEND_ROWS: usize = 1 << 16;

/// The edges of one edge table, ends resolved, in file order.
pub(super) struct EdgeTableInput {
    pub(super) label: String,
    pub(super) source: TableId,
    pub(super) edges: Vec<(u32, NodeId)>,
    pub(super) properties: Vec<(String, LogicalType)>,
    columns: Vec<ColumnBatch>,
}

/// Resolves the ends of a batch and appends each edge to the input of its edge table.
pub(super) fn route_edges(
    spec: &EdgeSpec,
    batch: &EdgeBatch,
    from: &KeySpace,
    to: &KeySpace,
    tables: usize,
    inputs: &mut Vec<EdgeTableInput>,
    reject: &mut dyn FnMut(Rejected) -> Result<(), BulkError>,
) -> Result<(), BulkError> {
    // Rows of the batch by source table, so that property columns are appended in runs.
    let mut by_source: Vec<Vec<(usize, u32, NodeId)>> = vec![Vec::new(); tables];
    for i in 0..batch.from_keys.len() {
        let mut resolve = |keys: &ColumnData, space: &KeySpace, name: &str, end: &str| {
            let key = key_at(keys, i).ok_or(BulkError::Declaration("keys are integers or strings".into()))?;
            let node = space.find(key);
            if node.is_none() {
                let reason = format!("edge \"{}\": {end} {key} is not in key space \"{name}\"", spec.label);
                reject(Rejected { file: batch.origin.file, line: batch.origin.lines.line(i), reason })?;
            }
            Ok::<_, BulkError>(node)
        };
        let Some(source) = resolve(&batch.from_keys, from, &spec.from_space, "source")? else { continue };
        let Some(target) = resolve(&batch.to_keys, to, &spec.to_space, "target")? else { continue };
        let row = u32::try_from(source.row()).map_err(|_| too_large("rows in one node table", 1 << 32))?;
        by_source[source.table().0 as usize].push((i, row, target));
    }
    for (source, rows) in by_source.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        let source = TableId(u16::try_from(source).map_err(|_| too_large("node tables", 1 << 16))?);
        let place =
            inputs.iter().position(|i| i.label == spec.label && i.source == source).unwrap_or_else(|| {
                inputs.push(EdgeTableInput {
                    label: spec.label.clone(),
                    source,
                    edges: Vec::new(),
                    properties: Vec::new(),
                    columns: Vec::new(),
                });
                inputs.len() - 1
            });
        let input = &mut inputs[place];
        append_properties(input, spec, batch, &rows);
        input.edges.extend(rows.iter().map(|(_, row, target)| (*row, *target)));
        if input.edges.len() >= u32::MAX as usize {
            return Err(too_large("edges in one edge table", u32::MAX.into()));
        }
    }
    Ok(())
}

fn append_properties(
    input: &mut EdgeTableInput,
    spec: &EdgeSpec,
    batch: &EdgeBatch,
    rows: &[(usize, u32, NodeId)],
) {
    let before = input.edges.len();
    for (name, ty) in &spec.properties {
        if input.properties.iter().all(|(n, _)| n != name) {
            input.properties.push((name.clone(), *ty));
            input.columns.push(blank(*ty, before));
        }
    }
    for ((name, ty), column) in input.properties.iter().zip(&mut input.columns) {
        let given = spec.properties.iter().position(|(n, t)| n == name && t == ty);
        match given.map(|p| &batch.columns[p]) {
            Some(from) => extend(column, from, rows.iter().map(|(i, _, _)| *i), before),
            None => {
                let other = spec.properties.iter().position(|(n, _)| n == name).map(|p| &batch.columns[p]);
                extend_general(column, before, rows.iter().map(|(i, _, _)| other.map(|from| (from, *i))));
            }
        }
    }
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
            if bytes.len() < (1 << 31) =>
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

/// Builds both directions, the property pages and the image of one edge table.
pub(super) fn build_edge_table(
    input: EdgeTableInput,
    id: EdgeTableId,
    ty: TypeId,
    property_ids: &[PropertyId],
    table_rows: &[u64],
    options: RegionOptions,
) -> Result<(EdgeTable, EdgeTableInfo, ComponentBytes), BulkError> {
    let EdgeTableInput { source, edges, properties, columns, .. } = input;
    let source_rows = table_rows[source.0 as usize];
    let edge_count = edges.len() as u64;
    let list = sort_edges(source_rows, &edges);
    drop(edges);
    let page_edges_max = (list.offsets.iter().step_by(PAGE_ROWS as usize))
        .zip(
            list.offsets
                .iter()
                .skip(PAGE_ROWS as usize)
                .step_by(PAGE_ROWS as usize)
                .chain(list.offsets.last()),
        )
        .map(|(start, end)| end - start)
        .max();
    if page_edges_max.is_some_and(|n| n > 1 << EdgeId::POSITION_BITS) {
        return Err(too_large("edges out of 128 neighbouring nodes", 1 << EdgeId::POSITION_BITS));
    }
    let mut targets: Vec<TableId> = list.targets.iter().map(|n| n.table()).collect();
    targets.sort_unstable();
    targets.dedup();
    let single = list.degree_max() <= 1;
    let slots = if single { source_rows } else { edge_count };
    let self_loops = list
        .targets
        .iter()
        .zip(&list.sources)
        .filter(|(t, s)| t.table() == source && t.row() == u64::from(**s))
        .count() as u64;

    let mut image = ImageWriter::new();
    let mut meta = Encoder::new();
    let mut bytes = ComponentBytes::default();
    meta.u64(slots);
    let forward = list.write_forward(&targets, single, &mut image, &mut meta);
    bytes.forward = forward.offsets + forward.neighbours + forward.positions;
    let mut backward = Vec::new();
    for target in &targets {
        let positions = !properties.is_empty() && !single;
        let rows = table_rows[target.0 as usize];
        let built = build_backward(&list, source, *target, rows, positions, &mut image, &mut meta);
        bytes.backward += built.bytes.offsets + built.bytes.neighbours + built.bytes.positions;
        backward.push(BackwardStats {
            target: *target,
            edges: built.edges,
            single: built.single,
            degree_max: built.degree_max,
            nonempty: built.nonempty,
        });
    }
    meta.u64(properties.len() as u64);
    let mut infos = Vec::new();
    for (((_, ty), column), id) in properties.iter().zip(columns).zip(property_ids) {
        let mut writer = ColumnWriter::new(*ty);
        if single {
            append_by_row(&mut writer, &column, &list.offsets, &list.order);
        } else {
            for chunk in list.order.chunks(APPEND_ROWS) {
                let mut part = blank(*ty, 0);
                extend(&mut part, &column, chunk.iter().map(|i| *i as usize), 0);
                writer.append(&part, None);
            }
        }
        drop(column);
        let (stats, size) = writer.finish(&mut image, &mut meta);
        bytes.edge_properties += size.data;
        bytes.nulls += size.nulls;
        infos.push(PropertyInfo { id: *id, ty: *ty, stats });
    }
    let info = EdgeTableInfo {
        ty,
        source,
        properties: infos,
        edges: edge_count,
        single,
        degree_max: list.degree_max(),
        nonempty: list.nonempty(),
        self_loops,
        backward,
    };
    drop(list);
    let region = image.finish(EDGE_TABLE_KIND, &meta.finish(), options).map_err(no_memory)?;
    bytes.overhead += region.len().saturating_sub(bytes.total());
    let rows = |t: TableId| table_rows.get(t.0 as usize).copied();
    let table = EdgeTable::open(region, id, source, &targets, &rows).map_err(no_memory)?;
    Ok((table, info, bytes))
}

/// Properties of single-cardinality edges: one row for each source, null where it has no edge.
fn append_by_row(writer: &mut ColumnWriter, column: &ColumnBatch, offsets: &[u64], order: &[u32]) {
    for w in offsets.windows(2) {
        let value = match order.get(w[0] as usize) {
            Some(i) if w[1] > w[0] && !column.nulls.as_ref().is_some_and(|n| n[*i as usize]) => {
                value_at(&column.data, *i as usize)
            }
            _ => trimorph_types::Value::Null,
        };
        writer.push_value(value);
    }
}
