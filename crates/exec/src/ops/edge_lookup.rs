//! Look-up of edges: for each row the edges whose indexed property is equal to a key, or to one of a list, or
//! lies between two, or comes first in order, each with its ends. Where a table has no index that tells, its
//! edges are looked through.

use std::sync::Arc;

use trimorph_algebra::{Direction, LookupBy};
use trimorph_base::{EdgeId, EdgeTableId, NodeId, Reservation, TableId};
use trimorph_functions::operators as functions;
use trimorph_store::neighbours::Neighbours;
use trimorph_store::{EdgeInOrder, PropertyColumn, Wanted};
use trimorph_types::{Relationship, Value};
use trimorph_vector::{Chunk, Edges, Nodes, Values, Vector};

use super::best_edges::Best;
use super::lookup::wanted_of;
use crate::expr::{Ex, evaluate};
use crate::keys::POSITIONS_UNCHECKED;
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};

/// Bytes of an edge that was found: its row, itself and its ends.
const FOUND_BYTES: usize = size_of::<u32>() + size_of::<Relationship>();

/// What is looked up and kept. Input slots `keep` become output slots `0..`; the node that the step starts
/// from, the one it reaches and the edge follow.
#[derive(Clone, Debug)]
pub(crate) struct EdgeLookupSpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    pub(crate) key: Ex,
    pub(crate) by: LookupBy,
    pub(crate) tables: Vec<EdgeTableId>,
    /// Whether nobody asks for the ends of edges, whichever they are.
    pub(crate) alone: bool,
    pub(crate) property: Arc<str>,
    pub(crate) direction: Direction,
    pub(crate) from_tables: Option<Vec<TableId>>,
    pub(crate) to_tables: Option<Vec<TableId>>,
}

/// Look-up of edges.
pub(crate) struct EdgeLookup<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<EdgeLookupSpec>,
    found: Found,
    held: Option<Reservation>,
    given: usize,
}

/// Edges that were found, each with the position of its row, in the direction in which they are given.
#[derive(Default)]
struct Found {
    parents: Vec<u32>,
    from: Vec<NodeId>,
    to: Vec<NodeId>,
    edges: Vec<EdgeId>,
}

impl<'s> EdgeLookup<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<EdgeLookupSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        Self { child, inner, spec, found: Found::default(), held: None, given: 0 }
    }

    /// Looks up the keys of the next chunk; `false` at the end.
    fn advance(&mut self, cx: &Context<'s>) -> Result<bool, ExecError> {
        cx.check()?;
        (self.found, self.given) = (Found::default(), 0);
        if !self.child.next(&mut self.inner, cx)? {
            return Ok(false);
        }
        let group = &self.inner.groups[0];
        let keys = evaluate(&self.spec.key, &self.inner, 0, cx)?.into_vector(group.len);
        let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
        let mut edges = Vec::new();
        for p in group.positions() {
            cx.check()?;
            edges.clear();
            let key = keys.value(p as usize, &|id| cx.edge_value(id));
            match (self.spec.by, key) {
                (LookupBy::AnyOf, Value::List(items)) => {
                    for item in items.iter() {
                        cx.check()?;
                        self.spec.find(wanted_of(LookupBy::Equal, item.clone()), &mut edges, cx)?;
                    }
                    edges.sort_unstable_by_key(|edge: &Relationship| edge.id);
                    edges.dedup_by_key(|edge| edge.id);
                }
                (LookupBy::AnyOf, Value::Null) => {}
                (LookupBy::AnyOf, other) => {
                    functions::in_list(&Value::Null, &other)?;
                }
                (LookupBy::First { descending, ties, nulls }, Value::Int(count)) => {
                    let count = usize::try_from(count).unwrap_or(0);
                    let best = || Best::new(count, descending, ties);
                    for table in &self.spec.tables {
                        self.spec.first(*table, best(), (descending, nulls), &mut edges, cx)?;
                    }
                }
                (by, key) => {
                    let wanted = wanted_of(by, key);
                    if !self.spec.find_alone(wanted.as_ref(), p, &mut self.found, cx) {
                        self.spec.find(wanted, &mut edges, cx)?;
                    }
                }
            }
            self.spec.put(&edges, p, &mut self.found);
            held.resize((self.found.edges.capacity() + edges.capacity()) * FOUND_BYTES)?;
        }
        Ok(true)
    }

    /// Gives the next edges that were found, with their rows.
    fn give(&mut self, chunk: &mut Chunk<'s>, room: usize) {
        let end = self.found.edges.len().min(self.given + room);
        let range = self.given..end;
        let out = &mut chunk.groups[0];
        out.reset(range.len());
        let parents = &self.found.parents[range.clone()];
        repeat(&self.inner.groups[0], &self.spec.keep, parents, out);
        let kept = self.spec.keep.len();
        let nodes = |ids: &[NodeId]| {
            let table = ids.first().map(|node| node.table());
            let table = table.filter(|table| ids.iter().all(|node| node.table() == *table));
            Vector::new(Values::Node(Nodes::Ids { table, ids: ids.to_vec() }))
        };
        out.vectors[kept] = nodes(&self.found.from[range.clone()]);
        out.vectors[kept + 1] = nodes(&self.found.to[range.clone()]);
        let edges = self.found.edges[range].to_vec();
        out.vectors[kept + 2] = Vector::new(Values::Edge(Edges::Ids(edges)));
        self.given = end;
    }
}

impl EdgeLookupSpec {
    /// Gives a row the edges that are wanted without their ends, where nobody asks for these; `false`, with
    /// nothing given, where it has to look at them.
    fn find_alone(&self, wanted: Option<&Wanted>, parent: u32, found: &mut Found, cx: &Context<'_>) -> bool {
        let mut edges = Vec::new();
        let find =
            |table: &EdgeTableId| match (cx.reader.schema().edge_property(*table, &self.property), wanted) {
                (Some(column), Some(wanted)) => {
                    cx.reader.find_edges_alone(*table, column, wanted, &mut edges)
                }
                _ => true,
            };
        if !self.alone || !self.tables.iter().all(find) {
            return false;
        }
        found.edges.append(&mut edges);
        let all = found.edges.len();
        found.parents.resize(all, parent);
        found.from.resize(all, NodeId(0));
        found.to.resize(all, NodeId(0));
        true
    }

    /// Appends the edges that are wanted.
    fn find(
        &self,
        wanted: Option<Wanted>,
        edges: &mut Vec<Relationship>,
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        let Some(wanted) = wanted else { return Ok(()) };
        for table in &self.tables {
            let Some(column) = cx.reader.schema().edge_property(*table, &self.property) else { continue };
            if !cx.reader.find_edges(*table, column, &wanted, edges) {
                scan_for(*table, column, &wanted, edges, cx)?;
            }
        }
        Ok(())
    }

    /// Appends the edges of a table that are among those that come first, all that may be.
    fn first(
        &self,
        table: EdgeTableId,
        mut best: Best,
        (descending, nulls): (bool, bool),
        edges: &mut Vec<Relationship>,
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        let column = cx.reader.schema().edge_property(table, &self.property);
        let (mut asked, mut failed) = (0_usize, Ok(()));
        let mut tell = |told: EdgeInOrder| {
            asked += 1;
            if asked.is_multiple_of(POSITIONS_UNCHECKED) {
                failed = cx.check();
            }
            // Those that do not come in order are all to be looked at.
            let goes_on = !told.in_order || best.wants(&told.value);
            if goes_on && self.rows(told.edge).next().is_some() {
                best.put(told.value, told.edge);
            }
            goes_on && failed.is_ok()
        };
        let by_index = column
            .is_some_and(|column| cx.reader.edges_in_order(table, column, (descending, nulls), &mut tell));
        failed?;
        // Where there are too few with a value, those without one are wanted, too.
        if !by_index || (nulls && !descending && !best.is_full()) {
            best.clear();
            each_edge(table, cx, &mut |edge| {
                let value = column.map_or(Value::Null, |column| {
                    let values = PropertyColumn::of_edges(usize::from(table.0), column, &cx.reader);
                    values.value(values.slot(edge.id))
                });
                if (nulls || !value.is_null()) && best.wants(&value) && self.rows(edge).next().is_some() {
                    best.put(value, edge);
                }
            })?;
        }
        edges.extend(best.edges());
        Ok(())
    }

    /// The ends of an edge as they are given: none, one pair, or both ways.
    fn rows(&self, edge: Relationship) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let Relationship { start, end, .. } = edge;
        let is_in = |tables: &Option<Vec<TableId>>, node: NodeId| {
            tables.as_ref().is_none_or(|t| t.contains(&node.table()))
        };
        let out = (self.direction != Direction::In).then_some((start, end));
        // One from a node to itself is there once.
        let back = self.direction == Direction::In || self.direction == Direction::Both && start != end;
        let all = out.into_iter().chain(back.then_some((end, start)));
        all.filter(move |(from, to)| is_in(&self.from_tables, *from) && is_in(&self.to_tables, *to))
    }

    /// Gives edges to a row, in the directions that are asked for.
    fn put(&self, edges: &[Relationship], parent: u32, found: &mut Found) {
        for edge in edges {
            for (from, to) in self.rows(*edge) {
                found.parents.push(parent);
                found.from.push(from);
                found.to.push(to);
                found.edges.push(edge.id);
            }
        }
    }
}

/// Appends the edges of a table whose values are wanted, by a look at each: nobody has made the index where
/// it is read, as it was before.
fn scan_for(
    table: EdgeTableId,
    column: usize,
    wanted: &Wanted,
    edges: &mut Vec<Relationship>,
    cx: &Context<'_>,
) -> Result<(), ExecError> {
    let values = PropertyColumn::of_edges(usize::from(table.0), column, &cx.reader);
    each_edge(table, cx, &mut |edge| {
        if wanted.holds(&values.value(values.slot(edge.id))) {
            edges.push(edge);
        }
    })
}

/// Gives all edges of a table.
fn each_edge(
    table: EdgeTableId,
    cx: &Context<'_>,
    give: &mut dyn FnMut(Relationship),
) -> Result<(), ExecError> {
    let at = usize::from(table.0);
    let Some(info) = cx.reader.schema().edge_tables.get(at) else { return Ok(()) };
    let lists = Neighbours::all(&cx.reader, at, true, info.source);
    let (mut nodes, mut ids) = (Vec::new(), Vec::new());
    for row in 0..cx.reader.rows(info.source) {
        if row.is_multiple_of(POSITIONS_UNCHECKED as u64) {
            cx.check()?;
        }
        nodes.clear();
        ids.clear();
        let start = NodeId::new(info.source, row);
        lists.append(start, &mut nodes, Some(&mut ids));
        nodes.iter().zip(&ids).for_each(|(end, id)| give(Relationship { id: *id, start, end: *end }));
    }
    Ok(())
}

impl<'s> Operator<'s> for EdgeLookup<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.given >= self.found.edges.len() {
            if !self.advance(cx)? {
                return Ok(false);
            }
        }
        self.give(chunk, cx.settings.vector_size);
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        (self.found, self.held, self.given) = (Found::default(), None, 0);
    }
}
