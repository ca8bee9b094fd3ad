//! Compact: above a filter of scanned nodes and below what folds all rows, puts the nodes that passed into
//! full vectors, so that what is computed of them is not computed for a few positions at a time.
//!
//! Chunks of which much passes go through as they come. Nodes keep their order.

use trimorph_base::{NodeId, TableId};
use trimorph_vector::{Chunk, Group, Nodes, Selection, Values, Vector};

use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Of so many positions of a chunk one or fewer passed: below that, vectors are worth making anew. A vector
/// of 2,048 costs about a microsecond an expression, whatever is selected (measured on SNB, messages of a
/// week); putting a node into another costs a nanosecond.
const SPARSE: usize = 8;

/// Compact over chunks of one group that has nothing but the scanned nodes.
pub(crate) struct Compact<'s> {
    child: BoxOperator<'s>,
    place: Place,
    /// Nodes of one table that wait.
    table: Option<TableId>,
    waiting: Vec<NodeId>,
    /// A chunk of another kind that came after these.
    next: Option<Group<'s>>,
    ended: bool,
}

impl<'s> Compact<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, place: Place) -> Self {
        Self { child, place, table: None, waiting: Vec::new(), next: None, ended: false }
    }

    /// Takes the nodes of a chunk in, if they are few of one table and fit to those that wait.
    fn take(&mut self, group: &Group<'s>) -> bool {
        let Some(Vector { values: Values::Node(Nodes::Range(first)), nulls }) =
            group.vectors.get(self.place.slot)
        else {
            return false;
        };
        let Selection::List(list) = &group.selection else { return false };
        let fits = self.waiting.is_empty() || self.table == Some(first.table());
        if !fits || !nulls.is_none() || group.multiplicity.is_some() || list.len() * SPARSE > group.len {
            return false;
        }
        self.table = Some(first.table());
        self.waiting.extend(list.iter().map(|i| NodeId(first.0 + u64::from(*i))));
        true
    }

    /// Gives those that wait.
    fn give(&mut self, chunk: &mut Chunk<'s>) {
        let ids = std::mem::take(&mut self.waiting);
        let group = &mut chunk.groups[self.place.group];
        group.reset(ids.len());
        group.vectors[self.place.slot] = Vector::new(Values::Node(Nodes::Ids { table: self.table, ids }));
    }
}

impl<'s> Operator<'s> for Compact<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if let Some(group) = self.next.take() {
            chunk.groups[self.place.group] = group;
            return Ok(true);
        }
        while !self.ended {
            if !self.child.next(chunk, cx)? {
                self.ended = true;
                break;
            }
            if self.take(&chunk.groups[self.place.group]) {
                if self.waiting.len() >= cx.settings.vector_size {
                    self.give(chunk);
                    return Ok(true);
                }
                continue;
            }
            if self.waiting.is_empty() {
                return Ok(true);
            }
            self.next = Some(chunk.groups[self.place.group].clone());
            self.give(chunk);
            return Ok(true);
        }
        if self.waiting.is_empty() {
            return Ok(false);
        }
        self.give(chunk);
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.waiting.clear();
        (self.next, self.ended) = (None, false);
    }
}
