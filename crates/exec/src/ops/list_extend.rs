//! List extend: n-n edges of one adjacency. The start node's group is flattened; the neighbours become a new
//! unflat group whose vectors point into adjacency.
//!
//! Source: GF-CL §6.2.

use trimorph_store::access::AdjacencyRef;
use trimorph_store::neighbours::InPlace;
use trimorph_vector::{Chunk, Values, Vector};

use super::flatten::Cursor;
use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// List extend. `cursor` goes through the start node's group, if that is unflat below.
pub(crate) struct ListExtend<'s> {
    child: BoxOperator<'s>,
    from: Place,
    to: Place,
    edge_slot: Option<usize>,
    adjacency: AdjacencyRef,
    cursor: Option<Cursor>,
}

impl<'s> ListExtend<'s> {
    pub(crate) fn new(
        child: BoxOperator<'s>,
        from: Place,
        to: Place,
        edge_slot: Option<usize>,
        adjacency: AdjacencyRef,
        cursor: Option<Cursor>,
    ) -> Self {
        Self { child, from, to, edge_slot, adjacency, cursor }
    }

    /// Moves to the next start node.
    fn advance(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        loop {
            if let Some(cursor) = &mut self.cursor {
                if cursor.advance(chunk) {
                    return Ok(true);
                }
                cursor.release(chunk);
            }
            cx.check()?;
            if !self.child.next(chunk, cx)? {
                return Ok(false);
            }
            match &mut self.cursor {
                Some(cursor) => cursor.start(chunk),
                None => return Ok(true),
            }
        }
    }
}

impl<'s> Operator<'s> for ListExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let neighbours = self.adjacency.neighbours(&cx.reader);
        while self.advance(chunk, cx)? {
            let group = &chunk.groups[self.from.group];
            let position = group.flat.unwrap_or(0);
            let Some(node) = group.vectors[self.from.slot].node(position) else { continue };
            if node.table() != self.adjacency.from {
                continue;
            }
            let list = neighbours.list(node);
            if list.len() == 0 {
                continue;
            }
            let InPlace { len, nodes, edges, selection } = list.in_place(self.edge_slot.is_some());
            if selection.count(len) == 0 {
                continue;
            }
            let group = &mut chunk.groups[self.to.group];
            group.len = len;
            group.selection = selection;
            group.flat = None;
            group.multiplicity = None;
            group.vectors[self.to.slot] = Vector::new(Values::Node(nodes));
            if let (Some(slot), Some(edges)) = (self.edge_slot, edges) {
                group.vectors[slot] = Vector::new(Values::Edge(edges));
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
        if let Some(cursor) = &mut self.cursor {
            cursor.reset();
        }
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(
            self.child.fork(),
            self.from,
            self.to,
            self.edge_slot,
            self.adjacency,
            self.cursor.as_ref().map(Cursor::fork),
        ))
    }
}
