//! Segments of targets: their lists, put together from what stays and what comes.

use std::collections::{BTreeMap, BTreeSet};

use trimorph_base::{NodeId, TableId};

use super::super::RewriteError;
use super::change::{Change, offsets, put};
use super::placed::PlacedEdge;
use crate::adjacency::{Adjacency, AdjacencyView, Form, SegmentLists, SegmentRows, WrittenAdjacency};

/// An edge as its target has it: row of the target, row of the source, position; 0 where none is wanted.
type Back = (u64, u64, u64);

impl Change<'_> {
    /// Edges into a table as their targets have them, sorted.
    fn back(&self, edges: &[PlacedEdge], target: TableId) -> Vec<Back> {
        let into = edges.iter().filter(|e| e.target.table() == target);
        let mut back: Vec<Back> = into
            .map(|e| (e.target.row(), e.source, if self.has_positions() { e.position } else { 0 }))
            .collect();
        back.sort_unstable();
        back
    }

    /// Whether backward lists have positions.
    fn has_positions(&self) -> bool {
        self.paged
    }

    /// The direction from a target table.
    pub(super) fn backward(&self, target: TableId) -> Result<Adjacency, RewriteError> {
        let rows = self.rows[usize::from(target.0)];
        let own = [(self.old.source, self.source_rows())];
        let old = self.old.backward.iter().find(|(t, _)| *t == target).map(|(_, old)| old);
        let view = self.view.backward(target);
        let (inserted, deleted) =
            (self.back(&self.changes.inserted, target), self.back(&self.changes.deleted, target));
        let mut degrees: BTreeMap<u64, i64> = BTreeMap::new();
        inserted.iter().for_each(|(row, ..)| *degrees.entry(*row).or_default() += 1);
        deleted.iter().for_each(|(row, ..)| *degrees.entry(*row).or_default() -= 1);
        let before = |row: u64| view.map_or(0, |view| view.degree(row)).cast_signed();
        let grown = |(row, more): (&u64, &i64)| before(*row) + more > 1;
        let edges = old.map_or(0, Adjacency::edges) + inserted.len() as u64;
        let best = || Form::of(false, rows, edges, SegmentRows::EDGES);
        let form = match old.map(Adjacency::form) {
            Some(Form::Column) | None if !degrees.iter().any(grown) => Form::Column,
            Some(Form::Csr(cut)) if !super::change::is_outgrown(cut, rows, edges) => Form::Csr(cut),
            _ => best(),
        };
        let segment_rows = form.segment_rows();
        // Where forward becomes lists, or edges get their first property, positions are stored that were not
        // needed before.
        let had_positions = !self.old.columns.is_empty()
            && self.old.forward.form() != Form::Column
            && self.old.pages.are_stored();
        let all = old.is_none_or(|old| old.form() != form) || (self.has_positions() && !had_positions);
        let segments: BTreeSet<usize> = match all {
            true if edges == 0 => BTreeSet::new(),
            true => (0..segment_rows.each(rows).count()).collect(),
            false => degrees.keys().map(|row| segment_rows.locate(*row).0).collect(),
        };
        let mut written = WrittenAdjacency::new(form);
        for segment in &segments {
            let first = segment_rows.first(*segment);
            let here = rows.saturating_sub(first).min(segment_rows.count() as u64);
            let edges = self.back_segment(target, first..first + here, &inserted, &deleted);
            let offsets = offsets(here as usize, edges.iter().map(|(row, ..)| row - first));
            let neighbours: Vec<i64> = edges.iter().map(|(_, source, _)| source.cast_signed()).collect();
            let positions = self
                .has_positions()
                .then(|| edges.iter().map(|(.., at)| at.cast_signed()).collect::<Vec<_>>());
            written.push(&SegmentLists {
                offsets: &offsets,
                neighbours: &neighbours,
                tables: None,
                positions: positions.as_deref(),
                by_position: false,
            });
        }
        let segments: Vec<usize> = segments.into_iter().collect();
        put(if all { None } else { old }, written, &segments, &own, self.options)
    }

    /// The edges into a range of target rows as they will be. Without positions parallel edges are alike: as
    /// many go as go.
    fn back_segment(
        &self,
        target: TableId,
        rows: std::ops::Range<u64>,
        inserted: &[Back],
        deleted: &[Back],
    ) -> Vec<Back> {
        let among = |edges: &[Back]| {
            let from = edges.partition_point(|(row, ..)| *row < rows.start);
            from..edges.partition_point(|(row, ..)| *row < rows.end)
        };
        let mut deleted = deleted[among(deleted)].iter().peekable();
        let mut inserted = inserted[among(inserted)].iter().copied().peekable();
        let mut edges = Vec::new();
        self.old_back(target, rows.clone(), |edge| {
            while deleted.next_if(|gone| **gone < edge).is_some() {}
            if deleted.next_if(|gone| **gone == edge).is_some() {
                return;
            }
            while let Some(new) = inserted.next_if(|new| *new < edge) {
                edges.push(new);
            }
            edges.push(edge);
        });
        edges.extend(inserted);
        edges
    }

    /// Calls `each` on the edges into a range of target rows as they were, in order.
    fn old_back(&self, target: TableId, rows: std::ops::Range<u64>, mut each: impl FnMut(Back)) {
        let Some(view) = self.view.backward(target) else { return };
        for row in rows {
            let end = NodeId::new(target, row);
            let position = |source: u64, ordinal: usize, position: Option<u64>| match position {
                _ if !self.has_positions() => 0,
                Some(position) => position,
                // Not stored so far: the edge is searched for in its source's list.
                None => self.old.places.place(self.view.search_id(source, end, ordinal)).1,
            };
            match view {
                AdjacencyView::Column(column) => {
                    if let Some(source) = column.neighbour(row) {
                        each((row, source.row(), position(source.row(), 0, column.position(row))));
                    }
                }
                AdjacencyView::Csr(csr) => {
                    let list = csr.list(row);
                    let (mut last, mut ordinal) = (None, 0);
                    for i in 0..list.len {
                        let source = csr.node(list, i).row();
                        ordinal = if last == Some(source) { ordinal + 1 } else { 0 };
                        last = Some(source);
                        each((row, source, position(source, ordinal, csr.position(list, i))));
                    }
                }
            }
        }
    }
}
