//! Many edges that come or go at once: as one after the other, but that records are made together, and keys
//! go into the trees in their order, a zone of nodes at a time.
//!
//! What a single edge keeps to is kept: an edge is marked before it can be found, the latch of a zone is held
//! while keys of its nodes are put in, and whoever puts an edge of main into its source's tree first has
//! deleted it. Edges that meet another one on the way are left to who writes them one by one.

use std::collections::{BTreeMap, BTreeSet};

use trimorph_base::{EdgeId, EdgeTableId, NodeId, TableId};
use trimorph_mvcc::Stamp;

use crate::heads::ZONE_ROWS;
use crate::records::NewRecord;
use crate::topology::{BOTH, EdgeEnds, Topology, WrittenEdges, first_ordinal, latch_of};
use crate::tree::{Direction, EdgeKey, Entry};
use crate::writer::{WriteError, Writer};

impl Topology {
    /// Edges come, each as by [`Self::insert`]. Many at once cost less: their keys go into the trees in
    /// order.
    pub fn insert_all(&self, writer: &Writer<'_>, edges: &[EdgeEnds], written: &mut WrittenEdges) {
        let Some(handle) = writer.reading.view.own else { return };
        if let [ends] = edges {
            return self.insert(writer, *ends, written);
        }
        let numbers = self.records.take(edges.len());
        for (ends, number) in edges.iter().zip(&numbers) {
            let new = NewRecord {
                begin: handle.into(),
                end: Stamp::NEVER,
                statement: writer.statement,
                edge: ends.edge,
                source: ends.source,
                target: ends.target,
            };
            self.records.fill(*number, &new);
        }
        let known: Vec<(EdgeId, u32)> =
            edges.iter().zip(&numbers).map(|(ends, number)| (ends.edge, *number)).collect();
        self.by_edge.put_all(&self.records, &known);
        written.extend(numbers.iter().map(|number| (*number, true)));
        BOTH.into_iter().for_each(|direction| self.put_all(edges, direction, &numbers));
    }

    /// Edges go, each as by [`Self::delete`], with whether it is one of main. Those whose sources follow each
    /// other cost less, and many less than few. What went is added to `written`, and to `gone`.
    ///
    /// **Errors**: as of one; those that went before are in `written`.
    pub fn delete_all(
        &self,
        writer: &Writer<'_>,
        edges: &[(EdgeEnds, bool)],
        written: &mut WrittenEdges,
        gone: &mut Vec<EdgeEnds>,
    ) -> Result<(), WriteError> {
        let zone = |(ends, _): &(EdgeEnds, bool)| (ends.source.table(), ends.source.row() / ZONE_ROWS);
        let (written_before, gone_before) = (written.len(), gone.len());
        let mut others = Vec::new();
        for of_zone in edges.chunk_by(|a, b| zone(a) == zone(b)) {
            match of_zone {
                [edge] => others.push(*edge),
                _ => others.append(&mut self.delete_from_main(writer, of_zone, written, gone)),
            }
        }
        // Targets are anywhere: the keys of all go in together.
        let records: Vec<u32> = written.iter().skip(written_before).map(|(record, _)| *record).collect();
        self.put_all(gone.get(gone_before..).unwrap_or_default(), Direction::Backward, &records);
        for (ends, in_main) in others {
            let before = written.len();
            self.delete(writer, ends, in_main, written)?;
            if written.len() > before {
                gone.push(ends);
            }
        }
        Ok(())
    }

    /// Makes records, and the keys of their sources, for those edges of main that have none: they have gone.
    /// Gives the others back. The sources of all are in one zone.
    fn delete_from_main(
        &self,
        writer: &Writer<'_>,
        edges: &[(EdgeEnds, bool)],
        written: &mut WrittenEdges,
        gone: &mut Vec<EdgeEnds>,
    ) -> Vec<(EdgeEnds, bool)> {
        let (Some(handle), Some((first, _))) = (writer.reading.view.own, edges.first()) else {
            return Vec::new();
        };
        // What has no record gets none meanwhile that is cleaned again.
        let _latch = self.latches.write(latch_of(first.source));
        let (fresh, mut others): (Vec<_>, Vec<_>) =
            edges.iter().partition(|(ends, in_main)| *in_main && self.find(ends.edge).is_none());
        let of = self.table_to_write(first.source.table());
        let numbers = self.records.take(fresh.len());
        // Before they can be found.
        for of_table in fresh.chunk_by(|(a, _), (b, _)| a.edge.table() == b.edge.table()) {
            let Some((ends, _)) = of_table.first() else { continue };
            let words = of.words_to_write(ends.edge.table(), Direction::Forward);
            let rows = of_table.iter().map(|(ends, _)| ends.source.row());
            words.set(first.source.row() / ZONE_ROWS, rows);
        }
        let mut key = of.first_keys(Direction::Forward);
        let mut entries = Vec::with_capacity(fresh.len());
        for ((ends, _), number) in fresh.iter().zip(&numbers) {
            let new = NewRecord {
                begin: Stamp::ALWAYS,
                end: handle.into(),
                statement: writer.statement,
                edge: ends.edge,
                source: ends.source,
                target: ends.target,
            };
            self.records.fill(*number, &new);
            entries.push((key(*ends), *number));
        }
        entries.sort_unstable();
        // Whoever puts an edge of main into the source's tree first has deleted it.
        let mut left = Vec::new();
        self.tree(&of).insert_all(&entries, &mut left);
        let left: BTreeSet<u32> = left.into_iter().map(|(_, number)| number).collect();
        let mut known = Vec::with_capacity(fresh.len());
        for (edge, number) in fresh.into_iter().zip(numbers) {
            if left.contains(&number) {
                self.records.give_back(number);
                others.push(edge);
            } else {
                known.push((edge.0.edge, number));
                gone.push(edge.0);
            }
        }
        self.by_edge.put_all(&self.records, &known);
        written.extend(known.into_iter().map(|(_, number)| (number, false)));
        others
    }

    /// Puts the keys of one end of many edges into their trees.
    fn put_all(&self, edges: &[EdgeEnds], direction: Direction, records: &[u32]) {
        let mut by_table: BTreeMap<(TableId, EdgeTableId), Vec<Entry>> = BTreeMap::new();
        let mut last: Option<((TableId, EdgeTableId, TableId), u16)> = None;
        for (ends, record) in edges.iter().zip(records) {
            let (own, other) = ends.from(direction);
            let among = (own.table(), ends.edge.table(), other.table());
            let local = match &last {
                Some((of, local)) if *of == among => *local,
                _ => {
                    let local = self.table_to_write(own.table()).key(*ends, direction).local;
                    last.insert((among, local)).1
                }
            };
            let ordinal = first_ordinal(ends.edge);
            let key = EdgeKey { row: own.row(), direction, local, other: other.row(), ordinal };
            // All are of one table, as a rule: growing would touch twice the memory.
            let room = if by_table.is_empty() { edges.len() } else { 0 };
            let entries = by_table.entry((among.0, among.1)).or_insert_with(|| Vec::with_capacity(room));
            entries.push((key.key(), *record));
        }
        let mut left = Vec::new();
        for ((table, edge_table), mut entries) in by_table {
            entries.sort_unstable();
            let of = self.table_to_write(table);
            let words = of.words_to_write(edge_table, direction);
            let zone = |(key, _): &Entry| EdgeKey::of(*key).row / ZONE_ROWS;
            for of_zone in entries.chunk_by(|a, b| zone(a) == zone(b)) {
                let Some(first) = of_zone.first().map(zone) else { continue };
                let _latch = self.latches.write(latch_of(NodeId::new(table, first * ZONE_ROWS)));
                words.set(first, of_zone.iter().map(|(key, _)| EdgeKey::of(*key).row));
                self.tree(&of).insert_all(of_zone, &mut left);
            }
        }
        for (_, number) in left {
            let record = self.records.get(number);
            let (source, target) = record.ends();
            self.put(EdgeEnds { edge: record.edge(), source, target }, direction, number);
        }
    }
}
