//! Edges put in and taken out of an edge table, and their values: takes them, gives a main version whose
//! other pieces are shared.
//!
//! ```text
//! mod       what happens to an edge table; new edges get positions where nobody has given them any
//! placed    edges that have their places, and what happens to them
//! segment   a segment of sources as it will be
//! change    one change: what is written, and in which form
//! sources   the lists and the property pages of segments of sources
//! targets   the lists of segments of targets
//! facts     what the catalog knows of the new table
//! ```
//!
//! 1. Segments of sources and of targets that anything happens in are the ones written anew. Where a node
//!    gets its second edge along a vertex column, that direction becomes lists, and all its segments are
//!    written; so they are where lists have got much longer, or the table has got another target table.
//! 2. Source segments: lists with their positions. Property pages keep where each position is; properties
//!    follow their positions.
//! 3. Target segments: lists, with positions where edges have properties.
//!
//! Invariants: page and position, and so the id, of every other edge stay; edges between the same two nodes
//! stand in the same order in both directions where ids are found by searching.
//!
//! Source: GF-CL §4.2; design `live.md` §1.

mod change;
mod facts;
mod placed;
mod segment;
mod sources;
mod targets;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use trimorph_base::{EdgeId, EdgeTableId, NodeId, PAGE_ROWS, TableId};
use trimorph_types::Value;
use trimorph_vfs::RegionOptions;

use super::{RewriteError, check};
use crate::adjacency::AdjacencyView;
use crate::edge_table::EdgeTableView;
use crate::{EdgeTable, Main};
use change::Change;
pub use placed::{EdgeMerge, NewEdgeValues, PlacedEdge};

/// An edge to put in, wherever there is room.
#[derive(Clone, Debug)]
pub struct NewEdge {
    /// Row of the source.
    pub source: u64,
    /// The target.
    pub target: NodeId,
    /// Properties, in the order of the catalog's columns.
    pub values: Vec<Value>,
}

/// What happens to the edges of one edge table.
#[derive(Clone, Debug, Default)]
pub struct EdgeChanges {
    /// Edges that go.
    pub deleted: Vec<EdgeId>,
    /// Edges that come.
    pub inserted: Vec<NewEdge>,
}

impl Main {
    /// This version with `changes` made to edge table `table`, and the ids of the new edges.
    ///
    /// **Errors**: a table, edge, row or target table that there is not; values that do not fit. **Cost**:
    /// the segments of the sources and of the targets of the edges that come and go, with the properties of
    /// the former.
    pub fn with_edges(
        &self,
        table: EdgeTableId,
        changes: &EdgeChanges,
        options: RegionOptions,
    ) -> Result<(Self, Vec<EdgeId>), RewriteError> {
        let at = usize::from(table.0);
        let old = self.edge_tables.get(at);
        let old =
            Arc::clone(old.ok_or_else(|| RewriteError::Unknown(format!("there is no edge table {at}")))?);
        let (inserted, deleted) = self.placed(&old, changes)?;
        let new: BTreeMap<(u64, u64), usize> =
            (0..).zip(&inserted).map(|(i, e)| ((e.source / PAGE_ROWS, e.position), i)).collect();
        let values = |column: usize, page: u64, position: u64| {
            let edge = new.get(&(page, position))?;
            Some(changes.inserted[*edge].values[column].clone())
        };
        let changed = if old.columns.is_empty() { Vec::new() } else { new.keys().copied().collect() };
        let targets = old.backward.iter().map(|(t, _)| *t).collect();
        let merge = EdgeMerge { inserted: inserted.clone(), deleted, changed, targets, values: &values };
        let mut next = self.clone();
        next.merge_edges(table, merge, options)?;
        let places = &next.edge_tables[at].places;
        let ids = inserted.iter().map(|e| places.id(e.source / PAGE_ROWS, e.position)).collect();
        Ok((next, ids))
    }

    /// Makes changes to edge table `table`.
    ///
    /// **Errors**: a table there is not; ends that there are not; a piece that cannot be had. **Cost**: as
    /// [`Self::with_edges`].
    pub fn merge_edges(
        &mut self,
        table: EdgeTableId,
        changes: EdgeMerge<'_>,
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        let at = usize::from(table.0);
        let old = self.edge_tables.get(at);
        let old =
            Arc::clone(old.ok_or_else(|| RewriteError::Unknown(format!("there is no edge table {at}")))?);
        let rows: Vec<u64> = self.node_tables.iter().map(|t| t.rows).collect();
        let mut catalog = (*self.catalog).clone();
        let change = Change::new(&old, &rows, changes, options)?;
        let edge_table = change.apply(&mut catalog, at)?;
        self.edge_tables[at] = Arc::new(edge_table);
        self.catalog = Arc::new(catalog);
        Ok(())
    }

    /// Edges that come, each at the first hole of its page or behind the last position, and those that go.
    fn placed(
        &self,
        old: &EdgeTable,
        changes: &EdgeChanges,
    ) -> Result<(Vec<PlacedEdge>, Vec<PlacedEdge>), RewriteError> {
        let pins = Arc::default();
        let view = old.view(&pins);
        let unknown = |what: String| Err(RewriteError::Unknown(what));
        let gone: BTreeSet<EdgeId> = changes.deleted.iter().copied().collect();
        let mut deleted = Vec::with_capacity(gone.len());
        for id in &gone {
            match view.ends(*id) {
                Some((source, target)) => {
                    deleted.push(PlacedEdge { source: source.row(), target, position: view.place(*id).1 });
                }
                None => return unknown(format!("there is no edge {id:?}")),
            }
        }
        let rows = |table: TableId| self.node_tables[usize::from(table.0)].rows;
        for edge in &changes.inserted {
            let target = edge.target.table();
            if old.backward.iter().all(|(t, _)| *t != target) {
                return unknown(format!("edge table {} has no target table {}", old.id.0, target.0));
            }
            if edge.source >= rows(old.source) || edge.target.row() >= rows(target) {
                return unknown(format!("there is no node for an end of {edge:?}"));
            }
            if edge.values.len() != old.columns.len() {
                return unknown(format!("{} values for {} properties", edge.values.len(), old.columns.len()));
            }
        }
        let single = stays_single(&view, &gone, changes);
        let mut taken: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut inserted = Vec::with_capacity(changes.inserted.len());
        for edge in &changes.inserted {
            let position = if single {
                edge.source % PAGE_ROWS
            } else {
                let page = edge.source / PAGE_ROWS;
                let stay = || {
                    view.positions_of(page)
                        .into_iter()
                        .filter(|at| !gone.contains(&view.id_at(edge.source, *at)))
                };
                let taken = taken.entry(page).or_insert_with(|| stay().collect());
                let hole = (0..).zip(taken.iter()).find(|(free, used)| free != *used).map(|(free, _)| free);
                let position = hole.unwrap_or(taken.len() as u64);
                taken.insert(position);
                position
            };
            inserted.push(PlacedEdge { source: edge.source, target: edge.target, position });
        }
        check(&pins)?;
        Ok((inserted, deleted))
    }
}

/// Whether forward is a vertex column and no source gets a second edge.
fn stays_single(view: &EdgeTableView<'_>, gone: &BTreeSet<EdgeId>, changes: &EdgeChanges) -> bool {
    let AdjacencyView::Column(column) = &view.forward else { return false };
    let mut taken = HashSet::new();
    let free = |row: u64| column.neighbour(row).is_none() || gone.contains(&view.single_id(row));
    changes.inserted.iter().all(|e| free(e.source) && taken.insert(e.source))
}
