//! Segments of sources: their lists and their property pages, put together from what stays and what comes.

use std::sync::Arc;

use trimorph_base::{NodeId, PAGE_ROWS};
use trimorph_vfs::lay_out;

use super::super::RewriteError;
use super::change::{Change, offsets, put};
use super::placed::PlacedEdge;
use super::segment::Sources;
use crate::adjacency::{Adjacency, AdjacencyView, Form, SegmentLists, WrittenAdjacency};
use crate::property_pages::SegmentPages;
use crate::slot::Slot;

impl Change<'_> {
    /// Source rows of a segment.
    fn rows_of(&self, segment: usize) -> usize {
        let rows = self.form.segment_rows();
        self.source_rows().saturating_sub(rows.first(segment)).min(rows.count() as u64) as usize
    }

    /// Calls `each` on the edges of some sources as they were, in order.
    fn old_edges(&self, sources: std::ops::Range<u64>, mut each: impl FnMut(PlacedEdge)) {
        for source in sources {
            match &self.view.forward {
                AdjacencyView::Column(column) => {
                    let target = column.neighbour(source);
                    let position = self.view.single_position(source);
                    target.into_iter().for_each(|target| each(PlacedEdge { source, target, position }));
                }
                AdjacencyView::Csr(csr) => {
                    let list = csr.list(source);
                    for i in 0..list.len {
                        let position = self.view.forward_position(source, list, i);
                        each(PlacedEdge { source, target: csr.node(list, i), position });
                    }
                }
            }
        }
    }

    /// The edges of a list of sorted ones that are of some sources.
    fn among<'e>(edges: &'e [PlacedEdge], sources: &std::ops::Range<u64>) -> &'e [PlacedEdge] {
        let from = edges.partition_point(|e| e.source < sources.start);
        let to = edges.partition_point(|e| e.source < sources.end);
        &edges[from..to]
    }

    /// A source segment as it will be.
    pub(super) fn sources(&self, segment: usize) -> Sources {
        let first = self.form.segment_rows().first(segment);
        let rows = self.rows_of(segment);
        let range = first..first + rows as u64;
        let mut deleted = Self::among(&self.changes.deleted, &range).iter().peekable();
        let mut inserted = Self::among(&self.changes.inserted, &range).iter().copied().peekable();
        let mut edges: Vec<(PlacedEdge, bool)> = Vec::new();
        self.old_edges(range, |edge| {
            while deleted.next_if(|gone| **gone < edge).is_some() {}
            if deleted.next_if(|gone| **gone == edge).is_some() {
                return;
            }
            while let Some(new) = inserted.next_if(|new| *new < edge) {
                edges.push((new, true));
            }
            edges.push((edge, false));
        });
        edges.extend(inserted.map(|new| (new, true)));
        let mut ends = vec![0; rows.div_ceil(PAGE_ROWS as usize)];
        for (edge, _) in &edges {
            let end = &mut ends[((edge.source - first) / PAGE_ROWS) as usize];
            *end = (*end).max(edge.position + 1);
        }
        let mut starts = vec![0u32];
        for end in &ends {
            let start = u64::from(starts.last().copied().unwrap_or(0)) + end;
            // Fewer than 2^32 slots: positions are below 2^32 edges of a segment.
            starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        }
        Sources { segment, rows, edges, ends, starts }
    }

    pub(super) fn forward(&self, sources: &[Sources]) -> Result<Adjacency, RewriteError> {
        let targets = self.targets();
        let mut written = WrittenAdjacency::new(self.form);
        for s in sources {
            let first = self.form.segment_rows().first(s.segment);
            let offsets = offsets(s.rows, s.edges.iter().map(|(e, _)| e.source - first));
            let neighbours: Vec<i64> = s.edges.iter().map(|(e, _)| e.target.row().cast_signed()).collect();
            let table = |(e, _): &(PlacedEdge, bool)| {
                let table = e.target.table();
                targets.iter().position(|(t, _)| *t == table).unwrap_or(0) as i64
            };
            let tables = (targets.len() > 1).then(|| s.edges.iter().map(table).collect::<Vec<_>>());
            let position = |(e, _): &(PlacedEdge, bool)| e.position.cast_signed();
            // Along a vertex column the rows tell them, but where an edge took another's place too early.
            let is_stored =
                self.form != Form::Column || s.edges.iter().any(|(e, _)| e.position != e.source % PAGE_ROWS);
            let positions = is_stored.then(|| s.edges.iter().map(position).collect::<Vec<_>>());
            written.push(&SegmentLists {
                offsets: &offsets,
                neighbours: &neighbours,
                tables: tables.as_deref(),
                positions: positions.as_deref(),
                by_position: self.form != Form::Column,
            });
        }
        let segments: Vec<usize> = sources.iter().map(|s| s.segment).collect();
        let old = if self.all { None } else { Some(&self.old.forward) };
        put(old, written, &segments, &targets, self.options)
    }

    pub(super) fn pages(&self, sources: &[Sources]) -> Result<Vec<Arc<Slot<SegmentPages>>>, RewriteError> {
        let mut pages = if self.all { Vec::new() } else { self.old.pages.slots().to_vec() };
        let written = sources.iter().map(|s| SegmentPages::write(&s.starts)).collect();
        for (s, piece) in sources.iter().zip(lay_out(written, self.options)?) {
            let read = SegmentPages::slot(piece, s.starts.len().saturating_sub(1) * PAGE_ROWS as usize)?;
            // Rows without edges may have had no pages.
            while pages.len() < s.segment {
                let piece = lay_out(vec![SegmentPages::write(&[0, 0])], self.options)?.pop();
                let piece = piece.ok_or(trimorph_vfs::CodecError { offset: 0, expected: "a piece" })?;
                pages.push(SegmentPages::slot(piece, PAGE_ROWS as usize)?);
            }
            if s.segment < pages.len() { pages[s.segment] = read } else { pages.push(read) }
        }
        Ok(pages)
    }

    /// The edges that come from some source to a target.
    pub(super) fn node(&self, source: u64) -> NodeId {
        NodeId::new(self.old.source, source)
    }
}
