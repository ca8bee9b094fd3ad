//! The edges that came or went: takes an edge and its ends, gives the changes to a node's list, sorted as the
//! lists of main are (TAG §3.2: the index is the topology).
//!
//! 1. An edge that comes gets a record and a key in the tree of each of its ends; one of main that goes gets
//!    them too, and its record says that it was always there.
//! 2. What a reader sees of it is in the record: its stamps change, its keys stay until it is cleaned.
//! 3. Before an edge can be found, its ends are marked (`marks`): a list that is not marked is main's.
//!
//! Invariant: a key's record is of an edge between the key's two rows.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use trimorph_base::{EdgeId, EdgeTableId, NodeId, TableId};
use trimorph_mvcc::{Conflict, Reading, Stamp, Timestamp};

use crate::edge_map::ByEdge;
use crate::heads::ZONE_ROWS;
use crate::latches::Latches;
use crate::marks::Marks;
use crate::records::{EdgeRecord, NewRecord, Records};
use crate::tree::{Arena, Direction, EdgeKey, Entry, Key, Tree};
use crate::writer::{WriteError, Writer};

/// Keys of a tree node. TAG has 256; with half as many an insertion moves half as much, and a read of a
/// node's list is still one or two leaves.
pub(crate) const FAN_OUT: usize = 128;

/// The latch of a node's zone.
pub(crate) fn latch_of(node: NodeId) -> u64 {
    node.row() / ZONE_ROWS + u64::from(node.table().0)
}

/// The ordinal that an edge tries first.
pub(crate) fn first_ordinal(edge: EdgeId) -> u32 {
    (edge.0 & u64::from(EdgeKey::ORDINALS - 1)) as u32
}

/// The edges of one node table's nodes.
#[derive(Debug)]
pub(crate) struct OfTable {
    root: u32,
    /// The local number of (edge table, table of the other end).
    locals: RwLock<FxHashMap<(EdgeTableId, TableId), u16>>,
    /// Rows that have edges here, by edge table and direction.
    marked: RwLock<FxHashMap<(EdgeTableId, Direction), Marks>>,
}

/// The edges that came or went, of all tables.
#[derive(Debug, Default)]
pub struct Topology {
    arena: Arena<FAN_OUT>,
    pub(crate) records: Records,
    tables: RwLock<FxHashMap<TableId, Arc<OfTable>>>,
    /// The record of each edge that has one.
    pub(crate) by_edge: ByEdge,
    /// Records of edges in whose places others came since, while somebody may still see them: only where a
    /// log is followed, since elsewhere a place is given again when nobody sees what was there.
    older: RwLock<FxHashMap<u64, Vec<u32>>>,
    keeps_older: AtomicBool,
    pub(crate) latches: Latches,
}

/// An edge as its node's list has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EdgeChange {
    /// The other end.
    pub neighbour: NodeId,
    /// Which edge.
    pub edge: EdgeId,
    /// Whether it came; else it is one of main that went.
    pub came: bool,
}

/// An edge that is written: which, and between which nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdgeEnds {
    /// Which.
    pub edge: EdgeId,
    /// From.
    pub source: NodeId,
    /// To.
    pub target: NodeId,
}

/// Edges that a writer wrote: records, and whether each came or went.
pub type WrittenEdges = Vec<(u32, bool)>;

impl EdgeEnds {
    /// The edge from one end: this end, the other one.
    pub(crate) fn from(self, direction: Direction) -> (NodeId, NodeId) {
        match direction {
            Direction::Forward => (self.source, self.target),
            Direction::Backward => (self.target, self.source),
        }
    }
}

/// Keys that are gone through before those of a row are passed over.
const KEYS_TOGETHER: usize = 1 << 10;

pub(crate) const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

impl Topology {
    pub(crate) fn table(&self, table: TableId) -> Option<Arc<OfTable>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).get(&table).cloned()
    }

    pub(crate) fn table_to_write(&self, table: TableId) -> Arc<OfTable> {
        if let Some(there) = self.table(table) {
            return there;
        }
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(tables.entry(table).or_insert_with(|| {
            let root = Tree::new(&self.arena).root();
            Arc::new(OfTable { root, locals: RwLock::default(), marked: RwLock::default() })
        }))
    }

    pub(crate) fn tree(&self, of: &OfTable) -> Tree<'_, FAN_OUT> {
        Tree::at(&self.arena, of.root)
    }

    /// An edge comes. What was written is added to `written`.
    ///
    /// **Errors**: an end that somebody else deletes is for the caller to ask *after* this, see
    /// [`Self::barrier`]. **Cost**: two ways down a tree, less than a microsecond.
    pub fn insert(&self, writer: &Writer<'_>, ends: EdgeEnds, written: &mut WrittenEdges) {
        let Some(handle) = writer.reading.view.own else { return };
        let new = NewRecord {
            begin: handle.into(),
            end: Stamp::NEVER,
            statement: writer.statement,
            edge: ends.edge,
            source: ends.source,
            target: ends.target,
        };
        let record = self.records.make(&new);
        self.by_edge.put(&self.records, ends.edge, record);
        written.push((record, true));
        BOTH.into_iter().for_each(|direction| self.put(ends, direction, record));
    }

    /// An edge goes. `in_main` says that it is one of main, of which there may be no record yet.
    ///
    /// **Errors**: somebody else deletes it, or has since the writer began.
    pub fn delete(
        &self,
        writer: &Writer<'_>,
        ends: EdgeEnds,
        in_main: bool,
        written: &mut WrittenEdges,
    ) -> Result<(), WriteError> {
        let Some(handle) = writer.reading.view.own else { return Ok(()) };
        // The record that is found is not cleaned meanwhile.
        let latch = self.latches.write(latch_of(ends.source));
        loop {
            let Some(number) = self.find(ends.edge) else {
                if !in_main {
                    return Ok(());
                }
                let new = NewRecord {
                    begin: Stamp::ALWAYS,
                    end: handle.into(),
                    statement: writer.statement,
                    edge: ends.edge,
                    source: ends.source,
                    target: ends.target,
                };
                let record = self.records.make(&new);
                // Whoever puts it into the source's tree first has deleted it.
                if self.put_once(ends, record) {
                    self.by_edge.put(&self.records, ends.edge, record);
                    drop(latch);
                    self.put(ends, Direction::Backward, record);
                    written.push((record, false));
                    return Ok(());
                }
                self.records.give_back(record);
                continue;
            };
            let record = self.records.get(number);
            let stands = record.end.load();
            if stands != Stamp::NEVER && writer.reading.may_replace(&record.end)? {
                // It is gone for this writer, too.
                return Ok(());
            }
            if record.delete(stands, handle, writer.statement) {
                written.push((number, false));
                return Ok(());
            }
        }
    }

    /// Puts the key of one end into its tree.
    pub(crate) fn put(&self, ends: EdgeEnds, direction: Direction, record: u32) {
        let (own, other) = ends.from(direction);
        let of = self.table_to_write(own.table());
        let _latch = self.latches.write(latch_of(own));
        of.mark(ends.edge.table(), direction, own.row());
        let key = of.key(ends, direction);
        for ordinal in of.ordinals(ends.edge) {
            if self.tree(&of).insert(EdgeKey { ordinal, ..key }.key(), record).is_ok() {
                return;
            }
        }
        debug_assert!(false, "more parallel edges between {own:?} and {other:?} than ordinals");
    }

    /// Puts the source's key of an edge of main in, unless a record of the edge is there. All records of an
    /// edge of main begin at the ordinal of its position.
    fn put_once(&self, ends: EdgeEnds, record: u32) -> bool {
        let of = self.table_to_write(ends.source.table());
        of.mark(ends.edge.table(), Direction::Forward, ends.source.row());
        let key = of.key(ends, Direction::Forward);
        for ordinal in of.ordinals(ends.edge) {
            match self.tree(&of).insert(EdgeKey { ordinal, ..key }.key(), record) {
                Ok(()) => return true,
                Err(there) if self.records.get(there).edge() == ends.edge => return false,
                Err(_) => {}
            }
        }
        false
    }

    /// The record of an edge, unless it is one that was undone.
    pub(crate) fn find(&self, edge: EdgeId) -> Option<u32> {
        self.by_edge
            .get(&self.records, edge)
            .filter(|number| self.records.get(*number).begin.load() != Stamp::NEVER)
    }

    /// The lists that changes touched; none where there are none, or all of them are main's.
    pub fn marks(&self, table: TableId, edge_table: EdgeTableId, direction: Direction) -> Option<Marks> {
        self.table(table)?.words(edge_table, direction).filter(|marks| !marks.is_empty())
    }

    /// Gives the edge tables along which changes touched the list of a row.
    ///
    /// **Cost**: some 5 ns for each table along which they touched any list.
    pub fn marked_at(
        &self,
        table: TableId,
        direction: Direction,
        row: u64,
        mut visit: impl FnMut(EdgeTableId),
    ) {
        let Some(of) = self.table(table) else { return };
        let marked = of.marked.read().unwrap_or_else(PoisonError::into_inner);
        let met = marked.iter().filter(|((_, own), marks)| *own == direction && marks.meet(row, 1));
        met.for_each(|((edges, _), _)| visit(*edges));
    }

    /// Whether nothing came to or went from the lists of `len` rows from `first` on.
    pub fn is_clean(
        &self,
        table: TableId,
        edge_table: EdgeTableId,
        direction: Direction,
        first: u64,
        len: u64,
    ) -> bool {
        self.marks(table, edge_table, direction).is_none_or(|marks| !marks.meet(first, len))
    }

    /// How many edges came since a main version that has all commits up to `merged`, by edge table and the
    /// table they lead to, less those that went: about, whoever sees them. And how many were looked at for
    /// it.
    ///
    /// **Cost**: a look at each record, in the order in which they lie.
    pub fn came(&self, merged: Timestamp) -> (HashMap<(EdgeTableId, TableId), i64>, u64) {
        let mut came: HashMap<(EdgeTableId, TableId), i64> = HashMap::new();
        let mut looked_at = 0;
        for (_, record) in self.numbered_records() {
            looked_at += 1;
            let (begin, end) = (record.begin.load(), record.end.load());
            if begin == Stamp::NEVER || end.is_at_most(merged) {
                continue;
            }
            let change = i64::from(!begin.is_at_most(merged)) - i64::from(end != Stamp::NEVER);
            *came.entry((record.edge().table(), record.ends().1.table())).or_default() += change;
        }
        (came, looked_at)
    }

    /// The ends of an edge that came or went; none of an edge that nothing happened to, as far as the reader
    /// sees.
    pub fn ends(&self, edge: EdgeId, reading: &Reading<'_>) -> Option<(NodeId, NodeId)> {
        Some(self.record(edge, reading).filter(|record| record.is_of(reading))?.ends())
    }

    /// The record of an edge: the newest, or the one that was when a reader's time was.
    fn record(&self, edge: EdgeId, reading: &Reading<'_>) -> Option<&EdgeRecord> {
        let newest = self.records.get(self.by_edge.get(&self.records, edge)?);
        if !self.keeps_older.load(Ordering::Acquire) || reading.sees(&newest.begin, 0) {
            return Some(newest);
        }
        let older = self.older.read().unwrap_or_else(PoisonError::into_inner);
        let all = older.get(&edge.0).into_iter().flatten().rev().map(|number| self.records.get(*number));
        Some(all.into_iter().find(|record| reading.sees(&record.begin, 0)).unwrap_or(newest))
    }

    /// From now on edges that others take the place of are found by who reads at a time before.
    pub fn keep_older(&self) {
        self.keeps_older.store(true, Ordering::Release);
    }

    /// Another edge is about to come in the place of one that has a record.
    pub(crate) fn put_aside(&self, edge: EdgeId) {
        if self.keeps_older.load(Ordering::Acquire)
            && let Some(number) = self.by_edge.get(&self.records, edge)
        {
            let mut older = self.older.write().unwrap_or_else(PoisonError::into_inner);
            older.entry(edge.0).or_default().push(number);
        }
    }

    /// Whether a reader sees an edge; none where main knows.
    pub fn is_there(&self, edge: EdgeId, reading: &Reading<'_>) -> Option<bool> {
        let record = self.record(edge, reading).filter(|record| record.is_of(reading))?;
        match record.change(reading) {
            None if record.is_of_main(reading) => None,
            change => Some(change == Some(true)),
        }
    }

    /// What a reader sees of the changes to the list of `node` along one edge table, in the order of lists:
    /// by table and row of the neighbour. Edges that came and went again are not among them.
    ///
    /// **Cost**: a range of the tree.
    pub fn changes(
        &self,
        node: NodeId,
        edge_table: EdgeTableId,
        direction: Direction,
        reading: &Reading<'_>,
        out: &mut Vec<EdgeChange>,
    ) {
        let Some(of) = self.table(node.table()) else { return };
        let from = out.len();
        // Who makes a number waits for the scan; a list of them for each node would cost more.
        let locals = of.locals.read().unwrap_or_else(PoisonError::into_inner);
        for ((_, other), local) in locals.iter().filter(|((edges, _), _)| *edges == edge_table) {
            let (other, local) = (*other, *local);
            let (first, last) = EdgeKey::list(node.row(), direction, local);
            let _ = self.tree(&of).scan(first, last, &mut |entries: &[Entry]| {
                self.touch(entries);
                out.extend(entries.iter().filter_map(|entry| self.change(entry, other, reading)));
                ControlFlow::Continue(())
            });
        }
        drop(locals);
        order(&mut out[from..]);
    }

    /// By how many edges changes make the list of `node` longer than main's; none where more than `most`
    /// edges would have to be looked at.
    ///
    /// **Cost**: a range of the tree.
    pub fn longer_by(
        &self,
        node: NodeId,
        edge_table: EdgeTableId,
        direction: Direction,
        reading: &Reading<'_>,
        most: usize,
    ) -> Option<i64> {
        let Some(of) = self.table(node.table()) else { return Some(0) };
        let locals = of.locals.read().unwrap_or_else(PoisonError::into_inner);
        let (mut asked, mut longer_by) = (0, 0);
        for ((_, _), local) in locals.iter().filter(|((edges, _), _)| *edges == edge_table) {
            let (first, last) = EdgeKey::list(node.row(), direction, *local);
            let done = self.tree(&of).scan(first, last, &mut |entries: &[Entry]| {
                asked += entries.len();
                if asked > most {
                    return ControlFlow::Break(());
                }
                self.touch(entries);
                for (_, number) in entries {
                    longer_by += match self.records.get(*number).change(reading) {
                        None => 0,
                        Some(true) => 1,
                        Some(false) => -1,
                    };
                }
                ControlFlow::Continue(())
            });
            if done.is_break() {
                return None;
            }
        }
        Some(longer_by)
    }

    /// The changes to the lists of `len` nodes from `first` on, each with the row of its node: by row, then
    /// as above.
    ///
    /// **Cost**: a range of the tree, with the changes along all other edge tables.
    pub fn changes_of_run(
        &self,
        (first, len): (NodeId, u64),
        edge_table: EdgeTableId,
        direction: Direction,
        reading: &Reading<'_>,
        out: &mut Vec<(u64, EdgeChange)>,
    ) {
        self.few_changes_of_run((first, len), edge_table, direction, reading, usize::MAX, out);
    }

    /// The same, unless there are more than `most`: then `false`, and `out` has some of them.
    pub fn few_changes_of_run(
        &self,
        (first, len): (NodeId, u64),
        edge_table: EdgeTableId,
        direction: Direction,
        reading: &Reading<'_>,
        most: usize,
        out: &mut Vec<(u64, EdgeChange)>,
    ) -> bool {
        let from = out.len();
        let done = self.visit_run((first, len), edge_table, direction, &mut |row, entry, other| {
            out.extend(self.change(entry, other, reading).map(|change| (row, change)));
            if out.len() - from > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        out[from..].sort_unstable();
        done.is_continue()
    }

    /// Adds to each of `longer` by how many edges changes make the list of a node longer than main's, of
    /// nodes that follow each other from `first` on.
    ///
    /// **Cost**: as of [`Self::changes_of_run`], and no order.
    pub fn longer_by_run(
        &self,
        first: NodeId,
        edge_table: EdgeTableId,
        direction: Direction,
        reading: &Reading<'_>,
        longer: &mut [i64],
    ) {
        let len = longer.len() as u64;
        let _ = self.visit_run((first, len), edge_table, direction, &mut |row, (_, number), _| {
            let change = self.records.get(*number).change(reading);
            if let (Some(came), Some(longer)) = (change, longer.get_mut((row - first.row()) as usize)) {
                *longer += if came { 1 } else { -1 };
            }
            ControlFlow::Continue(())
        });
    }

    /// Calls `visit` with each entry of the lists of `len` nodes from `first` on: the row of its node, it,
    /// and the table of its other end.
    fn visit_run(
        &self,
        (first, len): (NodeId, u64),
        edge_table: EdgeTableId,
        direction: Direction,
        visit: &mut dyn FnMut(u64, &Entry, TableId) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(of) = self.table(first.table()) else { return ControlFlow::Continue(()) };
        let others = of.others(edge_table);
        let (first, last) = EdgeKey::rows(first.row(), len);
        self.tree(&of).scan(first, last, &mut |entries: &[Entry]| {
            self.touch(entries);
            entries.iter().try_for_each(|entry| {
                let key = EdgeKey::of(entry.0);
                let other = others.iter().find(|(_, local)| *local == key.local);
                match other.filter(|_| key.direction == direction) {
                    Some((other, _)) => visit(key.row, entry, *other),
                    None => ControlFlow::Continue(()),
                }
            })
        })
    }

    /// Hints at the records of all entries before they are asked one by one: they lie anywhere, and the
    /// misses of the cache are waited for together.
    #[inline]
    fn touch(&self, entries: &[Entry]) {
        entries.iter().for_each(|(_, number)| self.records.prefetch(*number));
    }

    /// What a reader sees of the edge of an entry, which leads to a table.
    #[inline]
    pub(crate) fn change(
        &self,
        (key, number): &Entry,
        other: TableId,
        reading: &Reading<'_>,
    ) -> Option<EdgeChange> {
        let record = self.records.get(*number);
        let came = record.change(reading)?;
        Some(EdgeChange { neighbour: NodeId::new(other, EdgeKey::of(*key).other), edge: record.edge(), came })
    }

    /// The edges of nodes of a table that somebody else has written and not committed, or has committed since
    /// the writer began: who deletes the nodes must not. Rows that follow each other are asked about
    /// together.
    pub fn meets(&self, table: TableId, rows: &[u64], writer: &Writer<'_>) -> Result<(), Conflict> {
        let Some(of) = self.table(table) else { return Ok(()) };
        let tree = self.tree(&of);
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            let Some(row) = run.first() else { continue };
            let (first, last) = EdgeKey::rows(*row, run.len() as u64);
            let mut met = Ok(());
            let _ = tree.scan(first, last, &mut |entries: &[Entry]| {
                for (_, number) in entries {
                    let EdgeRecord { begin, .. } = self.records.get(*number);
                    // At every level: an edge that was not seen would lose its end.
                    if let Err(conflict) = writer.reading.may_replace(begin) {
                        met = Err(conflict);
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            });
            met?;
        }
        Ok(())
    }

    /// Asks whether somebody else has made or deleted an edge and has not committed, or has since the writer
    /// began.
    pub fn meets_edge(&self, edge: EdgeId, writer: &Writer<'_>) -> Result<(), Conflict> {
        let Some(number) = self.by_edge.get(&self.records, edge) else { return Ok(()) };
        let record = self.records.get(number);
        writer.reading.may_replace(&record.begin)?;
        if record.end.load() != Stamp::NEVER {
            writer.reading.may_replace(&record.end)?;
        }
        Ok(())
    }

    /// Whether somebody may come to see an edge beside one that the writer has put in, at the same node along
    /// the same edge table and direction: all that the node has there, the edge `in_main` of the newest main
    /// version too, are gone for the writer already, or were undone. To be asked once the edge is in and the
    /// barrier passed: of two that put edges in at one node, one meets the other.
    ///
    /// **Cost**: a range of the tree.
    pub fn is_beside_another(
        &self,
        writer: &Writer<'_>,
        ends: EdgeEnds,
        direction: Direction,
        in_main: Option<EdgeId>,
    ) -> bool {
        let node = ends.from(direction).0;
        let Some(of) = self.table(node.table()) else { return false };
        let own = writer.reading.view.own;
        let mut in_main = in_main;
        let mut is_another = |(_, number): &Entry| {
            let record = self.records.get(*number);
            let (edge, begin, end) = (record.edge(), record.begin.load(), record.end.load());
            if edge == ends.edge && begin.handle().is_some() && begin.handle() == own {
                return false;
            }
            if Some(edge) == in_main {
                in_main = None;
            }
            let is_gone = end.handle().is_some() && end.handle() == own || record.has_gone(&writer.reading);
            begin != Stamp::NEVER && !is_gone
        };
        for (_, local) in of.others(ends.edge.table()) {
            let (first, last) = EdgeKey::list(node.row(), direction, local);
            let done = self.tree(&of).scan(first, last, &mut |entries: &[Entry]| {
                if entries.iter().any(&mut is_another) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
            if done.is_break() {
                return true;
            }
        }
        in_main.is_some()
    }

    /// To be passed by who inserted an edge before he asks whether its ends are there, and by who deleted a
    /// node before he asks for its edges: one of the two, or both, meets the other. Likewise by who set a
    /// property of an edge, and who deleted it.
    pub fn barrier() {
        fence(Ordering::SeqCst);
    }

    /// Writes the stamp of edges that this writer wrote.
    pub fn stamp(&self, writer: &Writer<'_>, written: &WrittenEdges, stamp: Stamp) {
        let Some(handle) = writer.reading.view.own else { return };
        for (number, came) in written {
            let record = self.records.get(*number);
            let own = if *came { &record.begin } else { &record.end };
            own.replace(handle.into(), stamp);
        }
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> usize {
        self.arena.in_use() * Arena::<FAN_OUT>::NODE_BYTES
            + self.records.in_use() * Records::BYTES
            + self.by_edge.bytes()
            + self.marks_bytes()
    }

    /// Bytes of records and nodes of trees that say nothing: they are used again, and go with the topology.
    pub(crate) fn spare_bytes(&self) -> usize {
        self.arena.spare() * Arena::<FAN_OUT>::NODE_BYTES + self.records.spare() * Records::BYTES
    }

    fn marks_bytes(&self) -> usize {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let of = |table: &Arc<OfTable>| {
            let marked = table.marked.read().unwrap_or_else(PoisonError::into_inner);
            marked.values().map(Marks::bytes).sum::<usize>()
        };
        tables.values().map(of).sum()
    }

    /// The records in use, with their numbers.
    pub(crate) fn numbered_records(&self) -> impl Iterator<Item = (u32, &EdgeRecord)> {
        let all = (0..self.records.end()).map(|number| (number, self.records.get(number)));
        all.filter(|(_, record)| record.is_in_use())
    }

    /// Takes the marks off those rows of a zone that have no edge.
    ///
    /// **Cost**: a look at the zone's keys, of a hub at a thousand.
    pub(crate) fn unmark(&self, table: TableId, zone: u64, edge_table: EdgeTableId, direction: Direction) {
        let Some(of) = self.table(table) else { return };
        let (first, end) = (zone * ZONE_ROWS, (zone + 1) * ZONE_ROWS);
        let _latch = self.latches.clean(latch_of(NodeId::new(table, first)));
        let Some(marks) = of.words(edge_table, direction) else { return };
        let locals: Vec<u16> = of.others(edge_table).into_iter().map(|(_, local)| local).collect();
        let tree = self.tree(&of);
        let (mut rows, mut row): (Vec<u64>, u64) = (Vec::new(), first);
        while row < end {
            let (from, to) = EdgeKey::rows(row, end - row);
            let (mut seen, mut last) = (0, end);
            let done = tree.scan(from, to, &mut |entries: &[Entry]| {
                let keys = entries.iter().map(|(key, _)| EdgeKey::of(*key));
                let own = keys.filter(|key| key.direction == direction && locals.contains(&key.local));
                rows.extend(own.map(|key| key.row));
                rows.dedup();
                seen += entries.len();
                last = entries.last().map_or(last, |(key, _)| EdgeKey::of(*key).row);
                if seen > KEYS_TOGETHER { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if done.is_continue() {
                break;
            }
            // The last one may have any number of keys more.
            let is_own = |local: &u16| {
                let (from, to) = EdgeKey::list(last, direction, *local);
                tree.scan(from, to, &mut |_: &[Entry]| ControlFlow::Break(())).is_break()
            };
            if rows.last() != Some(&last) && locals.iter().any(is_own) {
                rows.push(last);
            }
            row = last + 1;
        }
        marks.keep(zone, rows.into_iter());
    }

    /// Records that were taken out are in nobody's hands any more.
    pub(crate) fn give_back(&self, records: Vec<u32>) {
        records.into_iter().for_each(|number| self.records.give_back(number));
    }

    /// Gives memory back that maps have too much of.
    pub(crate) fn shrink(&self) {
        self.by_edge.shrink(&self.records);
    }

    /// Whether there is no record of any edge.
    pub fn is_empty(&self) -> bool {
        self.records.in_use() == 0
    }
}

/// Puts the changes to a list, which were found in the order of keys, in that of lists: local numbers are not
/// in the order of tables, nor ordinals in that of edges.
pub(crate) fn order(changes: &mut [EdgeChange]) {
    if !changes.is_sorted_by(|a, b| a.neighbour < b.neighbour) {
        changes.sort_unstable();
    }
}

impl OfTable {
    fn local(&self, edge_table: EdgeTableId, other: TableId) -> Option<u16> {
        let locals = self.locals.read().unwrap_or_else(PoisonError::into_inner);
        locals.get(&(edge_table, other)).copied()
    }

    /// The tables that edges of an edge table lead to from here, with their local numbers.
    pub(crate) fn others(&self, edge_table: EdgeTableId) -> Vec<(TableId, u16)> {
        let locals = self.locals.read().unwrap_or_else(PoisonError::into_inner);
        let here = locals.iter().filter(|((edges, _), _)| *edges == edge_table);
        here.map(|((_, other), local)| (*other, *local)).collect()
    }

    pub(crate) fn key(&self, ends: EdgeEnds, direction: Direction) -> EdgeKey {
        let (own, other) = ends.from(direction);
        let of = (ends.edge.table(), other.table());
        let local = self.local(of.0, of.1).unwrap_or_else(|| {
            let mut locals = self.locals.write().unwrap_or_else(PoisonError::into_inner);
            // As many as edge tables times node tables that are in use together here: the catalog keeps them
            // below 65,536.
            let next = locals.len() as u16;
            *locals.entry(of).or_insert(next)
        });
        EdgeKey { row: own.row(), direction, local, other: other.row(), ordinal: 0 }
    }

    /// Makes keys with the ordinal that edges try first; a local number is looked up once for edges that
    /// follow each other.
    pub(crate) fn first_keys(&self, direction: Direction) -> impl FnMut(EdgeEnds) -> Key {
        let mut last: Option<((EdgeTableId, TableId), u16)> = None;
        move |ends| {
            let (own, other) = ends.from(direction);
            let among = (ends.edge.table(), other.table());
            let local = match last {
                Some((known, local)) if known == among => local,
                _ => last.insert((among, self.key(ends, direction).local)).1,
            };
            let ordinal = first_ordinal(ends.edge);
            EdgeKey { row: own.row(), direction, local, other: other.row(), ordinal }.key()
        }
    }

    /// Ordinals in the order in which an edge tries them: from its place on.
    pub(crate) fn ordinals(&self, edge: EdgeId) -> impl Iterator<Item = u32> + use<> {
        let first = first_ordinal(edge);
        (0..EdgeKey::ORDINALS).map(move |i| (first + i) & (EdgeKey::ORDINALS - 1))
    }

    fn words(&self, edge_table: EdgeTableId, direction: Direction) -> Option<Marks> {
        let marked = self.marked.read().unwrap_or_else(PoisonError::into_inner);
        marked.get(&(edge_table, direction)).cloned()
    }

    pub(crate) fn mark(&self, edge_table: EdgeTableId, direction: Direction, row: u64) {
        self.words_to_write(edge_table, direction).set(row / ZONE_ROWS, std::iter::once(row));
    }

    pub(crate) fn words_to_write(&self, edge_table: EdgeTableId, direction: Direction) -> Marks {
        self.words(edge_table, direction).unwrap_or_else(|| {
            let mut marked = self.marked.write().unwrap_or_else(PoisonError::into_inner);
            marked.entry((edge_table, direction)).or_default().clone()
        })
    }
}
