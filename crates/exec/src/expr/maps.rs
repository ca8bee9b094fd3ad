//! `{key: value}`, `node {.key}` and `[value, value]` over a vector: maps whose entries stay vectors, lists
//! whose elements are those of vectors, in turns, or which are kept by place where these are of unlike types.
//!
//! Entries and elements that may be deep or long, as general values, are left to the evaluation row by row,
//! which bounds each map that it makes. Elements of lists within lists are copied, where they are few; those
//! of lists within maps are not.

use std::sync::Arc;

use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Edges, Lists, Maps, Nodes, Nulls, Positions, Values, Vector};

use super::Ex;
use super::evaluated::{Evaluate, Evaluated, Over};
use super::general::is_small;
use crate::{Context, ExecError};

/// A column for each key.
type Entries<'s> = Vec<(Arc<str>, Vector<'s>)>;

/// Maps of these entries, null where `nulls` are; `None` where they are made row by row.
pub(super) fn maps<'a, 's>(
    entries: &[(Arc<str>, Ex)],
    nulls: Nulls,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Result<Option<Evaluated<'a, 's>>, ExecError> {
    let Some(fields) = fields(entries, over, cx, evaluate)? else { return Ok(None) };
    let maps = Maps::new(fields, over.at.len);
    Ok(maps.map(|maps| Evaluated::Own(Vector { values: Values::Map(maps), nulls })))
}

/// A vector for each entry; `None` where they are made row by row.
pub(super) fn fields<'a, 's>(
    entries: &[(Arc<str>, Ex)],
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Result<Option<Entries<'s>>, ExecError> {
    if !entries.iter().all(|(_, ex)| is_small(ex)) {
        return Ok(None);
    }
    let mut fields = Vec::with_capacity(entries.len());
    for (key, ex) in entries {
        let field = match evaluate(ex, over, cx)? {
            Evaluated::Ref(vector) => listed(vector, over.at),
            Evaluated::Own(vector) => listed(&vector, over.at),
            Evaluated::Const(value) => Some(Vector::constant(&value, over.at.len)),
        };
        match field.filter(is_shallow) {
            Some(field) => fields.push((Arc::clone(key), field)),
            None => return Ok(None),
        }
    }
    Ok(Some(fields))
}

/// Elements of lists that are made at once at most.
pub(super) const ELEMENTS_MAX: usize = 1 << 20;

/// Lists of these elements; `None` where they are made row by row.
pub(super) fn list<'a, 's>(
    items: &[Ex],
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Result<Option<Evaluated<'a, 's>>, ExecError> {
    let (count, positions) = (items.len(), over.at.to_vec());
    if count == 0 || count * positions.len() > ELEMENTS_MAX || !items.iter().all(is_small) {
        return Ok(None);
    }
    let mut columns = Vec::with_capacity(count);
    for ex in items {
        let item = match evaluate(ex, over, cx)? {
            Evaluated::Ref(vector) => listed(vector, over.at),
            Evaluated::Own(vector) => listed(&vector, over.at),
            Evaluated::Const(value) => Some(Vector::constant(&value, over.at.len)),
        };
        match item.filter(|item| is_shallow(item) && elements_at(item, &positions) <= ELEMENTS_MAX) {
            Some(item) => columns.push(item),
            None => return Ok(None),
        }
    }
    if are_unlike(&columns, &positions) {
        let tuples = Maps::by_place(columns, over.at.len);
        return Ok(tuples.map(|tuples| Evaluated::Own(Vector::new(Values::Tuple(tuples)))));
    }
    let lists = side_by_side(&columns, &positions, over.at.len, cx);
    Ok(lists.map(|lists| Evaluated::Own(Vector::new(Values::List(lists)))))
}

/// Whether the values of columns, of which each has one type, have no vector together.
fn are_unlike(columns: &[Vector<'_>], positions: &[u32]) -> bool {
    let is_number = |ty| matches!(ty, LogicalType::Int | LogicalType::Float);
    let mut first = None;
    let mut are_unlike = false;
    for column in columns {
        let ty = match &column.values {
            Values::Number(_) => LogicalType::Float,
            // Nulls alone have no type.
            Values::Any(values) if positions.iter().all(|p| values[*p as usize].is_null()) => continue,
            Values::Any(_) => return false,
            _ => column.logical_type(),
        };
        let first = *first.get_or_insert(ty);
        are_unlike |= first != ty && !(is_number(first) && is_number(ty));
    }
    are_unlike && columns.len() <= Maps::PARTS_MAX
}

/// At each of the positions the list of what the columns have there; elsewhere the empty one.
pub(super) fn side_by_side<'s>(
    columns: &[Vector<'s>],
    positions: &[u32],
    len: usize,
    cx: &Context<'s>,
) -> Option<Lists<'s>> {
    let count = columns.len();
    // The elements of the first column, then those of the second, and so on.
    let mut elements = Vector::empty();
    for column in columns {
        elements.extend(column, positions, &|id| cx.edge_value(id));
    }
    let mut places = Vec::with_capacity(count * positions.len());
    let mut runs = vec![(0u32, 0u32); len];
    for (k, position) in positions.iter().enumerate() {
        let first = places.len();
        places.extend((0..count).map(|item| (item * positions.len() + k) as u32));
        runs[*position as usize] = (first as u32, count as u32);
    }
    Lists::new(runs.into_iter(), elements.gather(&places))
}

/// Lists that are kept by place as runs of elements; others as they are.
pub(crate) fn as_lists<'s>(vector: Vector<'s>, len: usize, cx: &Context<'s>) -> Vector<'s> {
    let Values::Tuple(tuples) = &vector.values else { return vector };
    let positions: Vec<u32> = (0..len).filter(|i| !vector.nulls.get(*i)).map(|i| i as u32).collect();
    match side_by_side(tuples.fields(), &positions, len, cx) {
        Some(lists) => Vector { values: Values::List(lists), nulls: vector.nulls },
        None => vector,
    }
}

/// Elements of lists at some positions.
fn elements_at(vector: &Vector<'_>, positions: &[u32]) -> usize {
    match &vector.values {
        Values::List(lists) => positions.iter().map(|p| lists.count(*p as usize)).sum(),
        Values::Map(maps) | Values::Tuple(maps) => {
            maps.fields().iter().map(|field| elements_at(field, positions)).sum()
        }
        _ => 0,
    }
}

/// Whether values are of a small size, or lists of such, or maps with them.
fn is_shallow(vector: &Vector<'_>) -> bool {
    match &vector.values {
        Values::List(lists) => is_flat(lists.child()),
        Values::Map(maps) | Values::Tuple(maps) => maps.fields().iter().all(is_shallow),
        _ => is_flat(vector),
    }
}

/// Whether the values of a vector are of a small size, whatever they are.
fn is_flat(vector: &Vector<'_>) -> bool {
    match &vector.values {
        Values::List(_) => false,
        Values::Map(maps) | Values::Tuple(maps) => maps.fields().iter().all(is_flat),
        Values::Any(values) => values.iter().all(is_scalar),
        _ => true,
    }
}

/// Whether a value has no parts.
fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_) | Value::Path(_))
}

/// A vector with one value for each position. `None` where it has fewer.
fn listed<'s>(vector: &Vector<'s>, at: Positions<'_>) -> Option<Vector<'s>> {
    let nulls = vector.nulls.clone();
    let values = match &vector.values {
        Values::Edge(edges) if !matches!(edges, Edges::Ids(_)) => {
            let mut ids = vec![trimorph_base::EdgeId(0); at.len];
            at.for_each(|i| ids[i] = edges.id(i));
            Values::Edge(Edges::Ids(ids))
        }
        Values::Node(nodes) if !matches!(nodes, Nodes::Ids { .. }) => {
            let mut ids = vec![trimorph_base::NodeId(0); at.len];
            at.for_each(|i| ids[i] = nodes.id(i));
            Values::Node(Nodes::Ids { table: nodes.table(), ids })
        }
        _ => return (vector.listed() == at.len).then(|| vector.clone()),
    };
    Some(Vector { values, nulls })
}
