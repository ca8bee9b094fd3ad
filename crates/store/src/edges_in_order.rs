//! Edges in the order of an indexed property: takes who is told of them, gives what the delta has something
//! of, then main's by its index until he has enough.
//!
//! 1. Edges that came, and those of which anything was written, are looked at one by one, in any order.
//! 2. Of the others main's index tells the truth: their places in its order, from either end.
//!
//! Invariant: who is told of all of it has been told of each edge of the snapshot that has a value once, and
//! of those without a value that the delta has something of.

use rustc_hash::FxHashSet;
use trimorph_base::{EdgeId, EdgeTableId, NodeId};
use trimorph_delta::Direction;
use trimorph_types::{Relationship, Value};

use crate::{PropertyColumn, Reader, ZONE_ROWS};

/// Entries of the index that are read together.
const TOGETHER: u64 = 256;
/// Edges of the delta are looked at one by one while they are fewer than this part of all: else a pass over
/// the lists takes less.
const CHANGED_PART: u64 = 16;

/// An edge that is told of.
#[derive(Debug)]
pub struct EdgeInOrder {
    /// Its value; null where it has none.
    pub value: Value,
    /// It and its ends.
    pub edge: Relationship,
    /// Whether it comes in order: the delta's do not.
    pub in_order: bool,
}

impl Reader<'_> {
    /// Tells of the edges of a table by the values of a column: those of the delta first, then main's in
    /// order, until `tell` says no. False, and nothing told, where no index says so, where edges without a
    /// value are wanted first that main has, and where reads are noted: an index says what is not among the
    /// first, too.
    ///
    /// **Cost**: a look at each edge of the delta, then at each that is told of.
    pub fn edges_in_order(
        &self,
        table: EdgeTableId,
        column: usize,
        (descending, nulls): (bool, bool),
        tell: &mut dyn FnMut(EdgeInOrder) -> bool,
    ) -> bool {
        let (Some(main), Some(index)) = (self.main_edges(table), self.edge_value_index(table, column)) else {
            return false;
        };
        let edges = main.forward.edges();
        if self.recording().is_some() || (descending && nulls && index.len() < edges) {
            return false;
        }
        let Some(changed) = self.changed_edges(table, edges / CHANGED_PART) else { return false };
        let values = PropertyColumn::of_edges(usize::from(table.0), column, self);
        for id in &changed {
            let Some(edge) = self.existing_edge(*id) else { continue };
            let value = values.value(self.edge_slot(*id));
            if (nulls || !value.is_null()) && !tell(EdgeInOrder { value, edge, in_order: false }) {
                return true;
            }
        }
        let mut places = Vec::new();
        let mut at = 0;
        while at < index.len() {
            let end = index.len().min(at + TOGETHER);
            places.clear();
            if descending {
                index.rows(index.len() - end..index.len() - at, &mut places);
                places.reverse();
            } else {
                index.rows(at..end, &mut places);
            }
            at = end;
            for place in &places {
                let id = EdgeId::new(table, *place);
                if changed.contains(&id) {
                    continue;
                }
                let Some(edge) = self.existing_edge(id) else { continue };
                let value = values.value(self.edge_slot(id));
                if !tell(EdgeInOrder { value, edge, in_order: true }) {
                    return true;
                }
            }
        }
        true
    }

    /// The edges of a table that came or went since main, or of which anything was written; none where these
    /// are more than so many, or more of their sources would have to be asked.
    fn changed_edges(&self, table: EdgeTableId, most: u64) -> Option<FxHashSet<EdgeId>> {
        let mut changed = FxHashSet::default();
        let (Some(moment), true) = (self.moment(), self.has_edge_changes(usize::from(table.0))) else {
            return Some(changed);
        };
        if let Some(written) = self.edge_values_written(table) {
            changed.extend(written.edges_written());
        }
        let source = self.main_edges(table)?.source;
        let topology = moment.topology();
        let (reading, mut found, mut asked) = (moment.reading(), Vec::new(), 0);
        if let Some(marks) = topology.marks(source, table, Direction::Forward) {
            let rows = self.rows(source);
            for zone in 0..rows.div_ceil(ZONE_ROWS as u64) {
                let first = zone * ZONE_ROWS as u64;
                if !marks.meet(first, ZONE_ROWS as u64) {
                    continue;
                }
                for row in first..rows.min(first + ZONE_ROWS as u64) {
                    if !marks.meet(row, 1) {
                        continue;
                    }
                    asked += 1;
                    found.clear();
                    topology.changes(
                        NodeId::new(source, row),
                        table,
                        Direction::Forward,
                        &reading,
                        &mut found,
                    );
                    changed.extend(found.iter().map(|change| change.edge));
                }
                if changed.len() as u64 + asked > most {
                    return None;
                }
            }
        }
        (changed.len() as u64 <= most.max(TOGETHER)).then_some(changed)
    }
}
