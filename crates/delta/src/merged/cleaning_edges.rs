//! Takes edges out of the topology that nobody needs to be told of: their records, and the keys of both ends.
//!
//! 1. Records that are past are gathered, some thousands at a time, and put into the order of their sources.
//! 2. Zone by zone, under its latch, those that still may go lose their sources' keys and are not found by
//!    their edge any more. Then they say nothing.
//! 3. Their targets' keys go likewise, in the order of targets.
//! 4. Rows without keys lose their marks.
//!
//! Keys in order leave a leaf together: one by one, each was a way down with a miss of the cache at every
//! step, and half a leaf moved; that was a third of the processor time that edges took from insertion to
//! merge.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use trimorph_base::{EdgeTableId, TableId};
use trimorph_mvcc::Needed;

use super::cleaning::LooseEdges;
use crate::heads::ZONE_ROWS;
use crate::topology::{EdgeEnds, Topology, latch_of};
use crate::tree::{Direction, EdgeKey, Entry};

/// Records that are gathered at a time: 2 MB of them.
const GATHERED: usize = 1 << 16;
/// Edges whose keys go under one latch: who writes to their zone waits for some hundred microseconds.
const TOGETHER: usize = 1 << 10;
/// Ordinals that are tried before all of two nodes are looked at.
const ORDINALS_TRIED: usize = 4;

/// A record that goes, and the edge that it is of.
#[derive(Clone, Copy)]
struct Going {
    number: u32,
    ends: EdgeEnds,
}

/// A zone of nodes with an edge table and direction of which keys went.
type Zone = (TableId, u64, EdgeTableId, Direction);

/// Calls `each` with the edges of a zone, some at a time, from one end.
fn by_zone(all: &mut [Going], direction: Direction, mut each: impl FnMut(&[Going])) {
    let own = |one: &Going| one.ends.from(direction).0;
    let zone = |one: &Going| (own(one).table(), own(one).row() / ZONE_ROWS);
    all.sort_unstable_by_key(own);
    let zones = all.chunk_by(|a, b| zone(a) == zone(b));
    zones.flat_map(|of_zone| of_zone.chunks(TOGETHER)).for_each(&mut each);
}

impl Topology {
    /// Takes records out that say nothing any more, and takes the marks off zones that have none.
    pub(crate) fn clean(&self, needed: &Needed) -> LooseEdges {
        let (mut loose, mut zones) = (LooseEdges::default(), BTreeSet::new());
        let mut past =
            self.numbered_records().filter(|(_, record)| record.is_past(needed)).map(|(number, record)| {
                let (source, target) = record.ends();
                Going { number, ends: EdgeEnds { edge: record.edge(), source, target } }
            });
        loop {
            let mut some: Vec<Going> = past.by_ref().take(GATHERED).collect();
            if some.is_empty() {
                break;
            }
            self.clean_some(&mut some, needed, &mut loose, &mut zones);
        }
        for (table, zone, edge_table, direction) in zones {
            self.unmark(table, zone, edge_table, direction);
        }
        self.shrink();
        loose
    }

    fn clean_some(
        &self,
        past: &mut [Going],
        needed: &Needed,
        loose: &mut LooseEdges,
        zones: &mut BTreeSet<Zone>,
    ) {
        let mut taken = Vec::with_capacity(past.len());
        by_zone(past, Direction::Forward, |of_zone| {
            let Some(first) = of_zone.first() else { return };
            let _latch = self.latches.clean(latch_of(first.ends.source));
            // Somebody may just be deleting an edge, by its record.
            let still = |one: &&Going| self.records.get(one.number).is_past(needed);
            let going: Vec<Going> = of_zone.iter().filter(still).copied().collect();
            self.remove_keys(&going, Direction::Forward, zones);
            for Going { number, ends } in &going {
                let record = self.records.get(*number);
                // A log may have told of another edge that was given the same position after.
                let is_newest = self.by_edge.remove(ends.edge, *number);
                if is_newest && record.is_nowhere(needed) {
                    loose.gone.push(ends.edge);
                }
                record.forget();
                loose.records.push(*number);
            }
            taken.extend(going);
        });
        by_zone(&mut taken, Direction::Backward, |of_zone| {
            let Some(first) = of_zone.first() else { return };
            let _latch = self.latches.clean(latch_of(first.ends.target));
            self.remove_keys(of_zone, Direction::Backward, zones);
        });
    }

    /// Takes the keys of one end of edges out, whose nodes are of one zone; whoever calls holds its latch.
    fn remove_keys(&self, these: &[Going], direction: Direction, zones: &mut BTreeSet<Zone>) {
        let Some(first) = these.first().map(|one| one.ends.from(direction).0) else { return };
        let Some(of) = self.table(first.table()) else { return };
        for of_table in these.chunk_by(|a, b| a.ends.edge.table() == b.ends.edge.table()) {
            let edge_table = of_table.first().map(|one| one.ends.edge.table());
            zones.extend(edge_table.map(|edges| (first.table(), first.row() / ZONE_ROWS, edges, direction)));
        }
        let mut key = of.first_keys(direction);
        let entries = these.iter().map(|Going { number, ends }| (key(*ends), *number));
        let mut entries: Vec<Entry> = entries.collect();
        entries.sort_unstable();
        let mut left = Vec::new();
        self.tree(&of).remove_all(&entries, &mut left);
        // Another edge had the ordinal when they came.
        for (_, number) in left {
            if let Some(one) = these.iter().find(|one| one.number == number) {
                self.remove_key(one.ends, direction, number);
            }
        }
    }

    fn remove_key(&self, ends: EdgeEnds, direction: Direction, number: u32) {
        let Some(of) = self.table(ends.from(direction).0.table()) else { return };
        let (tree, key) = (self.tree(&of), of.key(ends, direction));
        let is_own = |there: u32| there == number;
        for ordinal in of.ordinals(ends.edge).take(ORDINALS_TRIED) {
            if tree.remove_if(EdgeKey { ordinal, ..key }.key(), is_own).is_some() {
                return;
            }
        }
        let (first, last) = EdgeKey::between(key.row, direction, key.local, key.other);
        let mut found = None;
        let _ = tree.scan(first, last, &mut |entries: &[Entry]| {
            found = entries.iter().find(|(_, there)| is_own(*there)).map(|(key, _)| *key);
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found.and_then(|key| tree.remove_if(key, is_own));
    }
}
