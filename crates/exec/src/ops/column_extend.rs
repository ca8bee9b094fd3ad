//! Column extend: n-1 and 1-1 edges add a neighbour and an edge vector to the group of the node they start
//! from; positions without an edge leave the selection.
//!
//! Source: GF-CL §6.2.

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};
use trimorph_store::access::EdgeAccess;
use trimorph_vector::{Chunk, Edges, Group, Nodes, Selection, Values, Vector};

use super::resolved::Resolved;
use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// What is followed, and where the neighbours go.
#[derive(Debug)]
pub(crate) struct ColumnExtendSpec {
    pub(crate) from: Place,
    pub(crate) to_slot: usize,
    pub(crate) edge_slot: Option<usize>,
    pub(crate) step: EdgeAccess,
    /// Whether the group of the start node is flat.
    pub(crate) flat: bool,
}

/// Column extend.
pub(crate) struct ColumnExtend<'s> {
    child: BoxOperator<'s>,
    spec: Arc<ColumnExtendSpec>,
}

impl<'s> ColumnExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<ColumnExtendSpec>) -> Self {
        Self { child, spec }
    }

    /// The common case: nodes of one table without nulls, one adjacency, no edge wanted.
    fn fill_plain(
        &self,
        group: &Group<'s>,
        positions: &[u32],
        out: &mut [NodeId],
        cx: &Context<'s>,
    ) -> Option<Vec<u32>> {
        let from = &group.vectors[self.spec.from.slot];
        let Values::Node(nodes) = &from.values else { return None };
        let neighbours = self.spec.step.one(nodes.table()?, &cx.reader)?;
        let plain = from.nulls.is_none() && self.spec.edge_slot.is_none();
        plain.then(|| neighbours.singles(nodes, positions, out))
    }

    /// Fills the vectors at the positions meant, and gives those that have an edge.
    fn fill(&self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Vec<u32> {
        let group = &chunk.groups[self.spec.from.group];
        let positions = if self.spec.flat { group.positions() } else { group.selection.to_vec(group.len) };
        let mut nodes = vec![NodeId(0); group.len];
        if let Some(kept) = self.fill_plain(group, &positions, &mut nodes, cx) {
            let table = self.spec.step.target();
            let group = &mut chunk.groups[self.spec.from.group];
            group.vectors[self.spec.to_slot] = Vector::new(Values::Node(Nodes::Ids { table, ids: nodes }));
            return kept;
        }
        let mut edges = self.spec.edge_slot.map(|_| vec![EdgeId(0); group.len]);
        let mut kept = Vec::with_capacity(positions.len());
        let from = &group.vectors[self.spec.from.slot];
        let mut resolved = Resolved::new(&self.spec.step);
        let mut visit = |i: u32, node: NodeId| {
            for neighbours in resolved.of(node.table(), cx) {
                let found = match &mut edges {
                    None => neighbours.single_node(node),
                    Some(edges) => neighbours.single_edge(node).map(|(neighbour, edge)| {
                        edges[i as usize] = edge;
                        neighbour
                    }),
                };
                if let Some(neighbour) = found {
                    nodes[i as usize] = neighbour;
                    kept.push(i);
                }
            }
        };
        for i in &positions {
            if let Some(node) = from.node(*i as usize) {
                visit(*i, node);
            }
        }
        let table = self.spec.step.target();
        let group = &mut chunk.groups[self.spec.from.group];
        group.vectors[self.spec.to_slot] = Vector::new(Values::Node(Nodes::Ids { table, ids: nodes }));
        if let (Some(slot), Some(edges)) = (self.spec.edge_slot, edges) {
            group.vectors[slot] = Vector::new(Values::Edge(Edges::Ids(edges)));
        }
        kept
    }
}

impl<'s> Operator<'s> for ColumnExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.child.next(chunk, cx)? {
            cx.check()?;
            let kept = self.fill(chunk, cx);
            if kept.is_empty() {
                continue;
            }
            let group = &mut chunk.groups[self.spec.from.group];
            if !self.spec.flat && kept.len() < group.selection.count(group.len) {
                group.selection = Selection::List(kept);
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}
