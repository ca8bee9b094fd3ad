//! List extend: n-n edges. The start node's group is flattened; the neighbours along one adjacency after the
//! other become a new unflat group whose vectors point into adjacency.
//!
//! Source: GF-CL §6.2.

use std::sync::Arc;

use trimorph_store::access::EdgeAccess;
use trimorph_store::neighbours::InPlace;
use trimorph_vector::{Chunk, Values, Vector};

use super::flatten::{Cursor, CursorSpec};
use super::resolved::Resolved;
use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// What is extended, and where the lists go.
#[derive(Debug)]
pub(crate) struct ListExtendSpec {
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) edge_slot: Option<usize>,
    pub(crate) step: EdgeAccess,
    /// Goes through the start node's group, if that is unflat below. There is one where the step has several
    /// adjacencies.
    pub(crate) cursor: Option<CursorSpec>,
}

/// List extend.
pub(crate) struct ListExtend<'s> {
    child: BoxOperator<'s>,
    spec: Arc<ListExtendSpec>,
    cursor: Option<Cursor>,
    /// Adjacencies of the start node at hand that were followed; none before the first node.
    followed: Option<usize>,
}

impl<'s> ListExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<ListExtendSpec>) -> Self {
        let cursor = spec.cursor.clone().map(Cursor::new);
        Self { child, spec, cursor, followed: None }
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
        let spec = Arc::clone(&self.spec);
        let mut resolved = Resolved::new(&spec.step);
        loop {
            let followed = match self.followed.take() {
                Some(followed) => followed,
                None if self.advance(chunk, cx)? => 0,
                None => return Ok(false),
            };
            let group = &chunk.groups[self.spec.from.group];
            let position = group.flat.unwrap_or(0);
            let Some(node) = group.vectors[self.spec.from.slot].node(position) else { continue };
            let Some(neighbours) = resolved.of(node.table(), cx).get(followed) else { continue };
            self.followed = Some(followed + 1);
            let list = neighbours.list(node);
            if list.len() == 0 {
                continue;
            }
            if let Some(cursor) = self.cursor.as_ref().filter(|_| followed > 0) {
                cursor.again(chunk);
            }
            let InPlace { len, nodes, edges, selection } = list.in_place(self.spec.edge_slot.is_some());
            if selection.count(len) == 0 {
                continue;
            }
            let group = &mut chunk.groups[self.spec.to.group];
            group.len = len;
            group.selection = selection;
            group.flat = None;
            group.multiplicity = None;
            group.vectors[self.spec.to.slot] = Vector::new(Values::Node(nodes));
            if let (Some(slot), Some(edges)) = (self.spec.edge_slot, edges) {
                group.vectors[slot] = Vector::new(Values::Edge(edges));
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.followed = None;
        if let Some(cursor) = &mut self.cursor {
            cursor.reset();
        }
    }
}
