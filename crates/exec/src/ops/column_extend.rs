//! Column extend: n-1 and 1-1 edges add a neighbour and an edge vector to the group of the node they start
//! from; positions without an edge leave the selection.
//!
//! Source: GF-CL §6.2.

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};
use trimorph_store::access::EdgeAccess;
use trimorph_vector::{Chunk, Edges, Group, Nodes, Selection, Values, Vector};

use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Column extend.
pub(crate) struct ColumnExtend<'s> {
    pub(crate) child: BoxOperator<'s>,
    pub(crate) from: Place,
    pub(crate) to_slot: usize,
    pub(crate) edge_slot: Option<usize>,
    pub(crate) step: Arc<EdgeAccess>,
    pub(crate) flat: bool,
}

impl<'s> ColumnExtend<'s> {
    /// The common case: nodes of one table without nulls, one adjacency, no edge wanted.
    fn fill_plain(
        &self,
        group: &Group<'s>,
        positions: &[u32],
        out: &mut [NodeId],
        cx: &Context<'s>,
    ) -> Option<Vec<u32>> {
        let from = &group.vectors[self.from.slot];
        let Values::Node(nodes) = &from.values else { return None };
        let neighbours = self.step.one(nodes.table()?, &cx.reader)?;
        let plain = from.nulls.is_none() && self.edge_slot.is_none();
        plain.then(|| neighbours.singles(nodes, positions, out))
    }

    /// Fills the vectors at the positions meant, and gives those that have an edge.
    fn fill(&self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Vec<u32> {
        let group = &chunk.groups[self.from.group];
        let positions = if self.flat { group.positions() } else { group.selection.to_vec(group.len) };
        let mut nodes = vec![NodeId(0); group.len];
        if let Some(kept) = self.fill_plain(group, &positions, &mut nodes, cx) {
            let table = self.step.target();
            let group = &mut chunk.groups[self.from.group];
            group.vectors[self.to_slot] = Vector::new(Values::Node(Nodes::Ids { table, ids: nodes }));
            return kept;
        }
        let mut edges = self.edge_slot.map(|_| vec![EdgeId(0); group.len]);
        let mut kept = Vec::with_capacity(positions.len());
        let from = &group.vectors[self.from.slot];
        let mut visit = |i: u32, node: NodeId| {
            for neighbours in self.step.neighbours(node.table(), &cx.reader) {
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
        let table = self.step.target();
        let group = &mut chunk.groups[self.from.group];
        group.vectors[self.to_slot] = Vector::new(Values::Node(Nodes::Ids { table, ids: nodes }));
        if let (Some(slot), Some(edges)) = (self.edge_slot, edges) {
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
            let group = &mut chunk.groups[self.from.group];
            if !self.flat && kept.len() < group.selection.count(group.len) {
                group.selection = Selection::List(kept);
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self {
            child: self.child.fork(),
            from: self.from,
            to_slot: self.to_slot,
            edge_slot: self.edge_slot,
            step: Arc::clone(&self.step),
            flat: self.flat,
        })
    }
}
