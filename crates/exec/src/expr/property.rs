//! Properties of the nodes or edges of a vector, read column by column: the values, or only which are null.

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_store::access::PropertyAccess;
use trimorph_types::Value;
use trimorph_vector::{Chosen, Chunk, Edges, Nodes, Nulls, Positions, Values, Vector};

use super::Ex;
use super::evaluated::Over;
use super::property_filter::Run;
use crate::Context;

/// Reads a property of nodes or edges; `None` where it cannot be read column by column.
pub(super) fn property<'s>(
    vector: &Vector<'s>,
    columns: &PropertyAccess,
    at: Positions<'_>,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    let len = at.len;
    match &vector.values {
        // Reading all in order costs less than picking many, but all of it is noted as read.
        Values::Node(Nodes::Range(first))
            if at.is_dense() && vector.nulls.is_none() && (at.count() == len || !cx.reader.notes_reads()) =>
        {
            let column = columns.of_nodes(first.table(), &cx.reader);
            Some(column.map_or_else(|| Vector::nulls(len), |column| column.scan(first.row(), len)))
        }
        Values::Node(Nodes::Ids { table, ids })
            if vector.nulls.is_none()
                && let Some((ids, places)) = repeated(ids, at) =>
        {
            let len = ids.len();
            let once = Vector::new(Values::Node(Nodes::Ids { table: *table, ids }));
            Some(property(&once, columns, Positions::all(len), cx)?.gather(&places))
        }
        Values::Node(Nodes::Ids { table, ids })
            if at.is_all()
                && vector.nulls.is_none()
                && ids.len() == len
                && let Some(table) = table.or_else(|| table_of_all(ids)) =>
        {
            let column = columns.of_nodes(table, &cx.reader);
            Some(column.map_or_else(|| Vector::nulls(len), |column| column.gather_nodes(ids)))
        }
        // A list in place is taken out once, and read as ids are.
        Values::Node(nodes @ Nodes::Packed { table, .. }) if at.is_all() && vector.nulls.is_none() => {
            let column = columns.of_nodes(*table, &cx.reader);
            Some(column.map_or_else(|| Vector::nulls(len), |column| column.gather_nodes(&nodes.first(len))))
        }
        Values::Node(nodes) => {
            let present: Vec<u32> = if vector.nulls.is_none() {
                at.to_vec()
            } else {
                at.to_vec().into_iter().filter(|i| !vector.nulls.get(*i as usize)).collect()
            };
            let mut out = match nodes.table() {
                Some(table) => read_nodes(nodes, table, &present, columns, len, cx),
                None => read_mixed(nodes, &present, columns, len, cx)?,
            };
            out.nulls = out.nulls.union(&vector.nulls, len);
            hide_nulls(&mut out, &vector.nulls, len);
            Some(out)
        }
        Values::Edge(Edges::Slots { .. } | Edges::Run(_)) => {
            let Run { table, first, .. } = Run::of(&vector.values, cx)?;
            let Some(column) = columns.of_edges(table, &cx.reader) else { return Some(Vector::nulls(len)) };
            // Of few that are left the others are not read.
            Some(match at.is_dense() {
                true => column.scan(first, len),
                false => {
                    column.gather(at.to_vec().into_iter().map(|i| (i as usize, first + u64::from(i))), len)
                }
            })
        }
        Values::Edge(Edges::Ids(ids)) => {
            let present = at.to_vec().into_iter().filter(|i| !vector.nulls.get(*i as usize)).collect();
            let mut out = read_edges(ids, present, columns, len, cx)?;
            out.nulls = out.nulls.union(&vector.nulls, len);
            hide_nulls(&mut out, &vector.nulls, len);
            Some(out)
        }
        // As rows have them that were kept from one clause to the next.
        Values::Any(values)
            if values.iter().find(|v| !v.is_null()).is_some_and(|v| matches!(v, Value::Relationship(_))) =>
        {
            let (mut ids, mut nulls) = (vec![EdgeId(0); len], Nulls::NONE);
            let mut present = Vec::with_capacity(at.count());
            let mut are_edges = true;
            at.for_each(|i| match &values[i] {
                Value::Relationship(edge) => {
                    ids[i] = edge.id;
                    present.push(i as u32);
                }
                Value::Null => nulls.set(i, len),
                _ => are_edges = false,
            });
            if !are_edges || present.is_empty() {
                return None;
            }
            let mut out = read_edges(&ids, present, columns, len, cx)?;
            out.nulls = out.nulls.union(&nulls, len);
            hide_nulls(&mut out, &nulls, len);
            Some(out)
        }
        _ => None,
    }
}

/// The first rows, which are looked at to see whether nodes are repeated. Fewer are not worth it.
const REPEATED_SAMPLE: usize = 64;

/// Nodes that come several times one after the other, as those do that a step or a join repeats, each once;
/// and the place of each row's among them. `None` where nodes come less than twice on the mean.
fn repeated(ids: &[NodeId], at: Positions<'_>) -> Option<(Vec<NodeId>, Vec<u32>)> {
    let count = at.count();
    if count < REPEATED_SAMPLE {
        return None;
    }
    let sample = match at.chosen {
        Chosen::List(list) => Positions { len: at.len, chosen: Chosen::List(&list[..REPEATED_SAMPLE]) },
        _ => Positions::all(REPEATED_SAMPLE),
    };
    let (mut last, mut heads) = (None, 0);
    sample.for_each(|i| {
        heads += usize::from(last != Some(ids[i]));
        last = Some(ids[i]);
    });
    if heads * 2 > REPEATED_SAMPLE {
        return None;
    }
    let (mut once, mut places) = (Vec::<NodeId>::with_capacity(heads), vec![0; at.len]);
    at.for_each(|i| {
        if once.last() != Some(&ids[i]) {
            once.push(ids[i]);
        }
        places[i] = (once.len() - 1) as u32;
    });
    (once.len() * 2 <= count).then_some((once, places))
}

/// The numbers of characters of a property of nodes, or edges, in the order of a scan, where they are counted
/// without the texts.
pub(super) fn lengths<'s>(
    vector: &Vector<'s>,
    columns: &PropertyAccess,
    at: Positions<'_>,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    if !at.is_dense() || !vector.nulls.is_none() || cx.reader.is_after_deletion() {
        return None;
    }
    let Run { edges, table, first } = Run::of(&vector.values, cx)?;
    let column = match edges {
        true => columns.of_edges(table, &cx.reader),
        false => columns.of_nodes(TableId(u16::try_from(table).ok()?), &cx.reader),
    };
    column?.scan_lengths(first, at.len)
}

/// The table that all nodes are in, if it is one: lists of nodes of several tables are sorted by table, so
/// that most chunks have one.
fn table_of_all(ids: &[NodeId]) -> Option<TableId> {
    let table = ids.first()?.table();
    ids.iter().all(|id| id.table() == table).then_some(table)
}

/// General vectors keep nulls as values.
fn hide_nulls(vector: &mut Vector<'_>, nulls: &Nulls, len: usize) {
    if let Values::Any(values) = &mut vector.values {
        for (i, v) in values.iter_mut().enumerate().take(len) {
            if nulls.get(i) {
                *v = Value::Null;
            }
        }
    }
}

fn read_nodes<'s>(
    nodes: &Nodes<'s>,
    table: TableId,
    present: &[u32],
    columns: &PropertyAccess,
    len: usize,
    cx: &Context<'s>,
) -> Vector<'s> {
    let Some(column) = columns.of_nodes(table, &cx.reader) else { return Vector::nulls(len) };
    match nodes {
        // The two forms that matter get their own loop; the rest is rare.
        Nodes::Ids { ids, .. } => {
            column.gather(present.iter().map(|i| (*i as usize, ids[*i as usize].row())), len)
        }
        _ => column.gather(present.iter().map(|i| (*i as usize, nodes.id(*i as usize).row())), len),
    }
}

/// Edges of one table or several: one gather a table.
fn read_edges<'s>(
    ids: &[EdgeId],
    present: Vec<u32>,
    columns: &PropertyAccess,
    len: usize,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    let by_table = by_table(present, |i| ids[i as usize].table());
    merged(&by_table, len, |table, list| {
        let column = columns.of_edges(table.0 as usize, &cx.reader)?;
        Some(column.gather_edges(ids, list, len))
    })
}

/// Positions by the table of what is there. Those of one table mostly come together.
fn by_table<T: Copy + PartialEq>(present: Vec<u32>, table: impl Fn(u32) -> T) -> Vec<(T, Vec<u32>)> {
    let Some(first) = present.first().map(|i| table(*i)) else { return Vec::new() };
    if present.iter().all(|i| table(*i) == first) {
        return vec![(first, present)];
    }
    let mut by_table: Vec<(T, Vec<u32>)> = Vec::new();
    for i in present {
        let table = table(i);
        match by_table.iter_mut().find(|(t, _)| *t == table) {
            Some((_, list)) => list.push(i),
            None => by_table.push((table, vec![i])),
        }
    }
    by_table
}

/// What `read` gives for the positions of each table, if all are of one type; null where it has no such
/// column.
fn merged<'s, T: Copy>(
    by_table: &[(T, Vec<u32>)],
    len: usize,
    read: impl Fn(T, &[u32]) -> Option<Vector<'s>>,
) -> Option<Vector<'s>> {
    let mut out: Option<Vector<'s>> = None;
    let mut missing = Nulls::NONE;
    for (table, list) in by_table {
        match (read(*table, list), &mut out) {
            (None, _) => list.iter().for_each(|i| missing.set(*i as usize, len)),
            (Some(part), None) => out = Some(part),
            (Some(part), Some(out)) => {
                if !out.assign(&part, list, len) {
                    return None;
                }
            }
        }
    }
    let mut out = out.unwrap_or_else(|| Vector::nulls(len));
    out.nulls = out.nulls.union(&missing, len);
    hide_nulls(&mut out, &missing, len);
    Some(out)
}

/// Nodes of several tables: one gather a table, merged if all give the same type.
fn read_mixed<'s>(
    nodes: &Nodes<'s>,
    present: &[u32],
    columns: &PropertyAccess,
    len: usize,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    let by_table = by_table(present.to_vec(), |i| nodes.id(i as usize).table());
    merged(&by_table, len, |table, list| {
        columns.of_nodes(table, &cx.reader)?;
        Some(read_nodes(nodes, table, list, columns, len, cx))
    })
}

/// The nulls of a property of nodes, without reading its values.
pub(super) fn property_nulls(ex: &Ex, over: Over<'_, '_, '_>, cx: &Context<'_>) -> Option<Nulls> {
    let Ex::Property { base, columns, .. } = ex else { return None };
    let vector = over.slot(base)?;
    if let Values::Edge(edges) = &vector.values {
        return edge_nulls(edges, vector, columns, over, cx);
    }
    let Vector { values: Values::Node(nodes), nulls } = vector else { return None };
    // Of rows that follow each other, 64 are asked at once.
    if let Nodes::Range(first) = nodes
        && over.at.is_dense()
        && nulls.is_none()
    {
        match columns.of_nodes(first.table(), &cx.reader) {
            Some(column) => {
                if let Some(found) = column.scan_nulls(first.row(), over.at.len) {
                    return Some(found);
                }
            }
            // Nothing in the table has it.
            None => return Some(Nulls::all(over.at.len)),
        }
    }
    let mut out = nulls.clone();
    // Nodes of one table mostly come together.
    let mut last = None;
    over.at.for_each(|i| {
        if nulls.get(i) {
            return;
        }
        let id = nodes.id(i);
        if !matches!(last, Some((table, _)) if table == id.table()) {
            let column = columns.of_nodes(id.table(), &cx.reader);
            last = Some((id.table(), column.map(|column| column.null_test())));
        }
        let is_null = match &mut last {
            Some((_, Some(test))) => test(id.row()),
            _ => true,
        };
        if is_null {
            out.set(i, over.at.len);
        }
    });
    Some(out)
}

/// The same of relationships that follow each other in their column.
fn edge_nulls(
    edges: &Edges,
    vector: &Vector<'_>,
    columns: &PropertyAccess,
    over: Over<'_, '_, '_>,
    cx: &Context<'_>,
) -> Option<Nulls> {
    if !vector.nulls.is_none() || !over.at.is_dense() || cx.reader.is_after_deletion() {
        return None;
    }
    let table = match edges {
        Edges::Slots { table, .. } => *table,
        Edges::Run(first) => first.table().0 as usize,
        Edges::Ids(_) => return None,
    };
    let Some(column) = columns.of_edges(table, &cx.reader) else { return Some(Nulls::all(over.at.len)) };
    let first = match edges {
        Edges::Slots { first, .. } => *first,
        Edges::Run(first) => column.slot(*first),
        Edges::Ids(_) => return None,
    };
    column.certain_type()?;
    column.scan_nulls(first, over.at.len)
}

/// The same for the positions that a group means.
pub(crate) fn nulls_of(ex: &Ex, chunk: &Chunk<'_>, group: usize, cx: &Context<'_>) -> Option<Nulls> {
    property_nulls(ex, Over::group(chunk, group), cx)
}
