//! List extend: n-n edges of one adjacency. The start node's group is flattened; the neighbours become a new
//! unflat group whose vectors point into adjacency.
//!
//! Source: GF-CL §6.2.

use trimorph_store::AdjacencyView;
use trimorph_store::access::AdjacencyRef;
use trimorph_vector::{Chunk, Edges, Selection, Values, Vector};

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
        let table = self.adjacency.table(&cx.reader);
        let view = self.adjacency.view(&cx.reader);
        let Some(AdjacencyView::Csr(csr)) = view else { return Ok(false) };
        while self.advance(chunk, cx)? {
            let group = &chunk.groups[self.from.group];
            let position = group.flat.unwrap_or(0);
            let Some(node) = group.vectors[self.from.slot].node(position) else { continue };
            if node.table() != self.adjacency.from {
                continue;
            }
            let list = csr.list(node.row());
            if list.len == 0 {
                continue;
            }
            let group = &mut chunk.groups[self.to.group];
            group.len = list.len;
            group.selection = Selection::All;
            group.flat = None;
            group.multiplicity = None;
            group.vectors[self.to.slot] = Vector::new(Values::Node(csr.nodes(list)));
            if let Some(slot) = self.edge_slot {
                let run = if self.adjacency.forward { table.forward_run(node.row(), list) } else { None };
                let edges = run.map_or_else(
                    || {
                        let mut ids = Vec::with_capacity(list.len);
                        self.adjacency.list_ids(&cx.reader, csr, node, list, &mut ids);
                        Edges::Ids(ids)
                    },
                    Edges::Run,
                );
                group.vectors[slot] = Vector::new(Values::Edge(edges));
            }
            if self.adjacency.skip_loops
                && let Values::Node(nodes) = &group.vectors[self.to.slot].values
            {
                let mut selection = Selection::All;
                selection.retain(list.len, |i| nodes.id(i) != node);
                if selection.count(list.len) == 0 {
                    continue;
                }
                group.selection = selection;
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
