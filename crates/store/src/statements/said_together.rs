//! What the relationships of many nodes say, together: takes rows of a node table, gives how many statements
//! there are, or the statements as vectors.
//!
//! The lists of the nodes are put end to end, and the column is read for all of their edges. Where values may
//! be several statements each, or edges may be in named graphs, they are asked one by one (`said.rs`).

use trimorph_base::{EdgeId, NodeId};
use trimorph_catalog::SaidShape;
use trimorph_types::{Relationship, Value};
use trimorph_vector::{Values, Vector};

use super::batch::{Batch, batch, ids, is_literal};
use super::matching::Statements;
use super::scan::{Of, Part};
use crate::PropertyColumn;
use crate::neighbours::Neighbours;

/// The edges of some nodes, and the ends of each.
struct Leaving {
    starts: Vec<NodeId>,
    ends: Vec<NodeId>,
    edges: Vec<EdgeId>,
}

impl<'s> Statements<'_, 's> {
    /// How many statements of a part the relationships of `len` nodes from `start` on make; `None` where they
    /// are to be counted one by one.
    pub(super) fn count_said(&self, part: &Part, start: NodeId, len: usize) -> Option<u64> {
        let columns = self.columns_said(part)?;
        let mut says = has_any(&columns);
        let rows = ids(start, len, self.reader().existing(start, len).as_deref());
        let Leaving { edges, .. } = self.leaving(self.said_of(part)?, &rows);
        Some(edges.into_iter().filter(|edge| says(*edge)).count() as u64)
    }

    /// The statements that these nodes' relationships make by a column of literals; `None` where they are to
    /// be asked one by one.
    pub(super) fn batch_said(&self, part: &Part, rows: &[NodeId], with_objects: bool) -> Option<Batch<'s>> {
        let columns = self.columns_said(part)?;
        // A statement is a text of its own.
        if matches!(part.of, Of::Reified(_)) && with_objects {
            return None;
        }
        let Leaving { starts, ends, edges } = self.leaving(self.said_of(part)?, rows);
        let mut says = has_any(&columns);
        let kept: Vec<usize> = (0..edges.len()).filter(|at| says(edges[*at])).collect();
        let relationship = |at: &usize| Relationship { id: edges[*at], start: starts[*at], end: ends[*at] };
        let subjects = kept.iter().map(|at| Value::Relationship(relationship(at))).collect();
        let objects = with_objects.then(|| columns.first()).flatten().map(|column| {
            let mut slot = column.slots();
            let slots: Vec<u64> = kept.iter().map(|at| slot(edges[*at])).collect();
            column.gather(slots.into_iter().enumerate(), kept.len())
        });
        Some(batch(part, Vector::new(Values::Any(subjects)), objects, kept.len()))
    }

    fn said_of(&self, part: &Part) -> Option<&SaidShape> {
        match part.of {
            Of::Said(at, _) | Of::Reified(at) => self.shape().said.get(at),
            _ => None,
        }
    }

    /// The columns of which one must have a value; `None` where a value may be other than one statement, or
    /// edges are in graphs.
    fn columns_said(&self, part: &Part) -> Option<Vec<PropertyColumn<'_, 's>>> {
        let said = self.said_of(part)?;
        if said.edges.graph.is_some() {
            return None;
        }
        let column = |column: usize| PropertyColumn::of_edges(said.edges.at, column, self.reader());
        match part.of {
            Of::Said(_, own) => {
                let own = column(own);
                own.certain_type().is_some_and(is_literal).then(|| vec![own])
            }
            _ => Some(said.columns.iter().map(|(_, own)| column(*own)).collect()),
        }
    }

    fn leaving(&self, said: &SaidShape, rows: &[NodeId]) -> Leaving {
        let lists = Neighbours::all(self.reader(), said.edges.at, true, said.edges.source);
        let mut found = Leaving { starts: Vec::new(), ends: Vec::new(), edges: Vec::new() };
        let ends = rows.first().zip(rows.last()).map(|(first, last)| (first.row(), last.row()));
        if ends.is_none_or(|(first, last)| lists.have_none(first, last + 1 - first)) {
            return found;
        }
        for row in rows {
            lists.append(*row, &mut found.ends, Some(&mut found.edges));
            found.starts.resize(found.ends.len(), *row);
        }
        found
    }
}

/// Tells whether any of these columns has a value for an edge.
fn has_any(columns: &[PropertyColumn<'_, '_>]) -> impl FnMut(EdgeId) -> bool {
    let mut tests: Vec<_> = columns.iter().map(|column| (column.slots(), column.null_test())).collect();
    move |edge| tests.iter_mut().any(|(slot, is_null)| !is_null(slot(edge)))
}
