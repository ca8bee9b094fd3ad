//! `{key: value}` and `node {.key}` over a vector: maps whose entries stay vectors.
//!
//! Entries that may be deep or long, as general values and lists, are left to the evaluation row by row, which
//! bounds each map that it makes.

use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::{Maps, Nodes, Nulls, Positions, Values, Vector};

use super::Ex;
use super::evaluated::{Evaluate, Evaluated, Over};
use super::general::is_small;
use crate::{Context, ExecError};

/// Maps of these entries, null where `nulls` are; `None` where they are made row by row.
pub(super) fn maps<'a, 's>(
    entries: &[(Arc<str>, Ex)],
    nulls: Nulls,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Result<Option<Evaluated<'a, 's>>, ExecError> {
    if !entries.iter().all(|(_, ex)| is_small(ex)) {
        return Ok(None);
    }
    let mut fields = Vec::with_capacity(entries.len());
    for (key, ex) in entries {
        let field = match evaluate(ex, over, cx)? {
            Evaluated::Ref(vector) => listed(vector, over.at, cx),
            Evaluated::Own(vector) => listed(&vector, over.at, cx),
            Evaluated::Const(value) => Some(Vector::constant(&value, over.at.len)),
        };
        match field.filter(is_flat) {
            Some(field) => fields.push((Arc::clone(key), field)),
            None => return Ok(None),
        }
    }
    let maps = Maps::new(fields, over.at.len);
    Ok(maps.map(|maps| Evaluated::Own(Vector { values: Values::Map(maps), nulls })))
}

/// Whether the values of a vector are of a small size, whatever they are.
fn is_flat(vector: &Vector<'_>) -> bool {
    match &vector.values {
        Values::List(_) => false,
        Values::Map(maps) => maps.fields().iter().all(is_flat),
        Values::Any(values) => values.iter().all(|v| matches!(v, Value::Null | Value::Relationship(_))),
        _ => true,
    }
}

/// A vector with one value for each position. `None` where it has fewer.
fn listed<'s>(vector: &Vector<'s>, at: Positions<'_>, cx: &Context<'s>) -> Option<Vector<'s>> {
    let nulls = vector.nulls.clone();
    let values = match &vector.values {
        Values::Edge(_) => {
            let mut values = vec![Value::Null; at.len];
            at.for_each(|i| values[i] = vector.value(i, &|id| cx.edge_value(id)));
            return Some(Vector::new(Values::Any(values)));
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
