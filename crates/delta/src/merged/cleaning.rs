//! Takes out what nobody needs: what main has for all who read it, what is later than what is read by who has
//! an older main, and what was undone.

use std::cell::Cell;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use trimorph_base::{EdgeId, EdgeTableId, TableId};
use trimorph_mvcc::{AtomicStamp, Needed, Stamp};

use crate::heads::{ZONE_ROWS, bits_of};
use crate::pages::{Body, Event, Page};
use crate::{Delta, EdgeDelta, NodeDelta, chain};

/// What was taken out, to be used again once nobody can be looking at it.
#[derive(Debug, Default)]
#[must_use]
pub struct Cleaned {
    nodes: Vec<(TableId, LooseRows)>,
    edges: Vec<(EdgeTableId, Vec<u64>)>,
    topology: LooseEdges,
}

/// Pages of versions, and rows that nobody has.
#[derive(Debug, Default)]
pub(crate) struct LooseRows {
    pub(crate) pages: Vec<u64>,
    pub(crate) rows: Vec<u64>,
}

/// Records, and edges that are nowhere.
#[derive(Debug, Default)]
pub(crate) struct LooseEdges {
    pub(crate) records: Vec<u32>,
    pub(crate) gone: Vec<EdgeId>,
}

impl Cleaned {
    /// Rows that nobody has any more, by table.
    pub fn rows(&self) -> impl Iterator<Item = (TableId, &[u64])> {
        self.nodes.iter().map(|(table, loose)| (*table, &loose.rows[..]))
    }

    /// Whether nothing was taken out.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty() && self.topology.records.is_empty()
    }
}

impl Delta {
    /// Takes out what is not among what is `needed`, and what was undone.
    ///
    /// **Cost**: a look at everything in the delta; who writes to a zone waits while it is cleaned, some
    /// hundred microseconds.
    pub fn clean(&self, needed: &Needed) -> Cleaned {
        let mut cleaned = Cleaned::default();
        for (table, nodes) in self.all_nodes() {
            let loose = nodes.clean(needed);
            if !loose.pages.is_empty() || !loose.rows.is_empty() {
                cleaned.nodes.push((table, loose));
            }
            if let Some(keys) = self.keys(table) {
                keys.clean(|row| nodes.has_no_version(row));
            }
            nodes.all_indexes().iter().for_each(|index| index.clean(|row| nodes.has_no_version(row)));
        }
        for (table, edges) in self.all_edges() {
            let pages = edges.clean(needed);
            if !pages.is_empty() {
                cleaned.edges.push((table, pages));
            }
            edges.all_indexes().iter().for_each(|index| index.clean(|edge| edges.head(EdgeId(edge)) == 0));
        }
        cleaned.topology = self.topology().clean(needed);
        cleaned
    }

    /// Lets what was taken out be used again: nobody can be looking at it any more. `place` tells page and
    /// position of an edge.
    pub fn give_back(&self, cleaned: Cleaned, place: impl Fn(EdgeId) -> (u64, u64)) {
        for (table, rows) in cleaned.rows() {
            if let Some(nodes) = self.nodes(table) {
                nodes.rows.give_back(rows.iter().copied());
            }
        }
        for edge in &cleaned.topology.gone {
            let (page, position) = place(*edge);
            self.positions(edge.table()).give_back(page, position);
        }
        self.give_back_room(cleaned);
    }

    /// The same, but rows and positions stay as they are: for who replays a log, which may go on to tell who
    /// got them.
    pub fn give_back_room(&self, cleaned: Cleaned) {
        for (table, loose) in cleaned.nodes {
            if let Some(nodes) = self.nodes(table) {
                loose.pages.into_iter().for_each(|page| nodes.pages.remove(page));
            }
        }
        for (table, pages) in cleaned.edges {
            if let Some(edges) = self.edges(table) {
                pages.into_iter().for_each(|page| edges.pages.remove(page));
            }
        }
        self.topology().give_back(cleaned.topology.records);
    }
}

impl NodeDelta {
    pub(crate) fn clean(&self, needed: &Needed) -> LooseRows {
        let mut rows = Vec::new();
        for number in 0..self.heads.end() {
            if self.heads.by_number(number).is_none() {
                continue;
            }
            let _latch = self.latches.clean(number);
            let Some(zone) = self.heads.by_number(number) else { continue };
            let mut written = None;
            for (row, head) in (number * ZONE_ROWS..).zip(zone.slots()) {
                // Whether nobody has the row, as the newest says that tells whether it is there: behind the
                // end of one node there may be the beginning of another, where a log has told both, and
                // behind one that did not come another, which an old reader sees.
                let is_nobodys = Cell::new(None);
                let tell = |event: Event, is: bool| {
                    if event != Event::Changed && is_nobodys.get().is_none() {
                        is_nobodys.set(Some(is));
                    }
                };
                let mut out = |page: &Page, body: &Body, at: usize| {
                    let undone = body.stamps.get(at).map(AtomicStamp::load) == Some(Stamp::NEVER);
                    match page.shape.event {
                        // It is there as before.
                        Event::Went if undone => {}
                        event => tell(event, undone || event == Event::Went),
                    }
                };
                let mut stays = |page: &Page| {
                    written = Some(written.unwrap_or(0) | bits_of(&page.shape));
                    tell(page.shape.event, false);
                };
                chain::clean(&self.pages, head, needed, &mut out, &mut stays);
                if is_nobodys.get() == Some(true) {
                    rows.push(row);
                }
            }
            match written {
                Some(bits) => zone.set_written(bits),
                None => self.heads.remove(number),
            }
        }
        LooseRows { pages: self.pages.close_loose(), rows }
    }

    fn has_no_version(&self, row: u64) -> bool {
        self.heads.zone(row).is_none_or(|zone| zone.head(row) == 0)
    }
}

impl EdgeDelta {
    fn clean(&self, needed: &Needed) -> Vec<u64> {
        let before_all = self.count.load(Ordering::Acquire);
        for shard in &self.heads {
            let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
            let before = shard.len();
            shard.retain(|_, head| {
                chain::clean(&self.pages, head, needed, &mut |_, _, _| {}, &mut |_| {});
                head.load(Ordering::Acquire) != 0
            });
            self.count.fetch_sub(before - shard.len(), Ordering::AcqRel);
            if shard.capacity() > 4 * shard.len() {
                shard.shrink_to_fit();
            }
        }
        if self.count.load(Ordering::Acquire) != before_all {
            self.mark_anew();
        }
        self.pages.close_loose()
    }
}
