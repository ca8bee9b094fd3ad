//! Look-up of nodes by internal id, for each row of one group; and what look-ups by id and by key are told.

use std::ops::Bound;
use std::sync::Arc;

use trimorph_algebra::LookupBy;
use trimorph_base::{NodeId, TableId};
use trimorph_store::Wanted;
use trimorph_types::Value;
use trimorph_types::number::exact_int;
use trimorph_vector::{Chunk, Nodes, Values, Vector};

use crate::expr::{Ex, evaluate};
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};

/// Repeats the rows of an inner chunk for the nodes `find` gives, and adds the node.
fn join_nodes<'s>(
    inner: &Chunk<'s>,
    chunk: &mut Chunk<'s>,
    keep: &[usize],
    keys: &Vector<'s>,
    cx: &Context<'s>,
    mut find: impl FnMut(Value, &mut Vec<NodeId>),
) -> bool {
    let group = &inner.groups[0];
    let (mut parents, mut nodes) = (Vec::new(), Vec::new());
    for p in group.positions() {
        find(keys.value(p as usize, &|id| cx.edge_value(id)), &mut nodes);
        parents.resize(nodes.len(), p);
    }
    if nodes.is_empty() {
        return false;
    }
    let out = &mut chunk.groups[0];
    out.reset(nodes.len());
    repeat(group, keep, &parents, out);
    let first = nodes[0].table();
    let table = nodes.iter().all(|n| n.table() == first).then_some(first);
    out.vectors[keep.len()] = Vector::new(Values::Node(Nodes::Ids { table, ids: nodes }));
    true
}

/// What is looked up. Input slots `keep` become output slots `0..`; the node follows.
#[derive(Debug)]
pub(crate) struct LookupSpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    /// A key, a list of keys, or an internal id.
    pub(crate) key: Ex,
    /// Whether it is a list, of which any will do.
    pub(crate) by: LookupBy,
    /// The key property; none for internal ids.
    pub(crate) property: Option<Arc<str>>,
    pub(crate) tables: Vec<TableId>,
    /// Whether keys are looked for in the column, and not in the index.
    pub(crate) by_scan: bool,
    /// Whether all rows are asked for, so that many may be looked up together.
    pub(crate) may_read_ahead: bool,
    /// The index of several properties that is asked; then the property is the next after those of which is
    /// told here what they are equal to.
    pub(crate) together: Option<TogetherSpec>,
}

/// An index of several properties, and what the first of them are equal to.
#[derive(Debug)]
pub(crate) struct TogetherSpec {
    pub(crate) properties: Vec<Arc<str>>,
    pub(crate) equal: Vec<Ex>,
}

/// Look-up by internal id.
pub(crate) struct IdLookup<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<LookupSpec>,
}

impl<'s> IdLookup<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<LookupSpec>) -> Self {
        Self { child, inner: Chunk::with_slots(&[spec.slots]), spec }
    }
}

impl<'s> Operator<'s> for IdLookup<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.child.next(&mut self.inner, cx)? {
            cx.check()?;
            let len = self.inner.groups[0].len;
            let keys = evaluate(&self.spec.key, &self.inner, 0, cx)?.into_vector(len);
            let found = join_nodes(&self.inner, chunk, &self.spec.keep, &keys, cx, |key, nodes| {
                // Equal to an id is what is equal to an integer: a list never is.
                let id = match &key {
                    Value::Int(i) => Some(*i),
                    Value::Float(f) => exact_int(*f),
                    Value::Decimal(d) => d.exact_int(),
                    _ => None,
                };
                let node = id.map(|i| NodeId(i.cast_unsigned()));
                nodes.extend(
                    node.filter(|n| cx.reader.node_exists(*n) && self.spec.tables.contains(&n.table())),
                );
            });
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}

/// What values are looked for by a key; none where no value is such.
pub(super) fn wanted_of(by: LookupBy, key: Value) -> Option<Wanted> {
    match (by, key) {
        (_, Value::Null) => None,
        (LookupBy::Equal | LookupBy::AnyOf, key) => Some(Wanted::Equal(key)),
        (LookupBy::Prefix, key) => matches!(key, Value::String(_)).then_some(Wanted::Prefix(key)),
        (LookupBy::Between { low, high }, Value::List(bounds)) => {
            let bound = |at: usize, is_in: bool| match bounds.get(at) {
                None | Some(Value::Null) => Bound::Unbounded,
                Some(value) if is_in => Bound::Included(value.clone()),
                Some(value) => Bound::Excluded(value.clone()),
            };
            Some(Wanted::Between(bound(0, low), bound(1, high)))
        }
        (LookupBy::Between { .. } | LookupBy::First { .. }, _) => None,
    }
}
