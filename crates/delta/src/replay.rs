//! What a log says was committed, put where its writers had put it: takes batches and commit timestamps,
//! leaves versions with their last stamps.
//!
//! Who replays knows that nobody conflicts: what was logged was asked before, and what is written over
//! something stands behind it in the log. Rows, and edges, of two threads that replay must not be the same.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use trimorph_base::EdgeId;
use trimorph_mvcc::{Stamp, Timestamp};
use trimorph_types::Value;
use trimorph_vector::Vector;

use crate::edges::mark;
use crate::heads::ZONE_ROWS;
use crate::pages::{Author, Event, Shape, Version};
use crate::positions::{Positions, RESTORED};
use crate::records::NewRecord;
use crate::tree::Direction;
use crate::writer::{Columns, WriteError};
use crate::{EdgeDelta, EdgeEnds, NodeDelta, Topology};

/// What happened to rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowEvent {
    /// They came: columns that are not named have no value.
    Came,
    /// They got values.
    Changed,
    /// They went.
    Went,
}

fn shape(event: Event, columns: &Columns<'_>) -> Shape {
    Shape { event, columns: columns.iter().map(|(column, _)| *column).collect() }
}

impl NodeDelta {
    /// Puts what was committed at `at` in front of the chains of `rows`; their values are at `positions`.
    ///
    /// **Errors**: as many versions as there are numbers.
    pub fn replay(
        &self,
        at: Timestamp,
        event: RowEvent,
        columns: &Columns<'_>,
        positions: &[u32],
        rows: &[u64],
    ) -> Result<(), WriteError> {
        let event = match event {
            RowEvent::Came => Event::Came,
            RowEvent::Changed => Event::Changed,
            RowEvent::Went => Event::Went,
        };
        let (shape, author) = (shape(event, columns), Author { stamp: at.into(), statement: 0 });
        let values: Vec<&Vector<'_>> = columns.iter().map(|(_, vector)| *vector).collect();
        let runs = self.pages.append(&shape, author, rows, &values, positions)?;
        let versions = runs.into_iter().flat_map(|(first, len)| first..first + len as u32);
        let mut zone = None;
        for (row, version) in rows.iter().zip(versions) {
            let number = row / ZONE_ROWS;
            if zone.as_ref().is_none_or(|(of, _)| *of != number) {
                zone = self.heads.zone_to_write(*row, &shape).map(|zone| (number, zone));
            }
            if let Some(head) = zone.as_ref().and_then(|(_, zone)| zone.slot(*row)) {
                let before = head.load(Ordering::Acquire);
                if before != 0 {
                    self.pages.set_previous(version, before);
                }
                head.store(version, Ordering::Release);
            }
        }
        // Where nobody reads yet indexes are made later.
        for (index, vector) in self.indexed(columns) {
            for (row, position) in rows.iter().zip(positions) {
                index.insert(vector.value(*position as usize, &|_| Value::Null), *row);
            }
        }
        Ok(())
    }

    /// Says that rows below `end` may have been given, for who follows a log and gives none.
    pub fn reach_row(&self, end: u64) {
        self.rows.reach(end);
    }

    /// Says that rows below `end` were given, but for those in `free`, which are given next.
    pub fn restore_rows(&self, end: u64, free: Vec<u64>) {
        self.rows.restore(end, free);
    }
}

impl EdgeDelta {
    /// Puts values that were committed at `at` in front of the chains of edges, as [`NodeDelta::replay`]
    /// does.
    pub fn replay(
        &self,
        at: Timestamp,
        columns: &Columns<'_>,
        positions: &[u32],
        edges: &[EdgeId],
    ) -> Result<(), WriteError> {
        let (shape, author) = (shape(Event::Changed, columns), Author { stamp: at.into(), statement: 0 });
        self.note(&shape);
        let values: Vec<&Vector<'_>> = columns.iter().map(|(_, vector)| *vector).collect();
        let ids: Vec<u64> = edges.iter().map(|edge| edge.0).collect();
        let runs = self.pages.append(&shape, author, &ids, &values, positions)?;
        let versions = runs.into_iter().flat_map(|(first, len)| first..first + len as u32);
        edges.iter().zip(versions).for_each(|(edge, version)| self.put_in_front(*edge, version));
        // Where nobody reads yet indexes are made later.
        for (index, vector) in self.indexed(columns) {
            for (edge, position) in edges.iter().zip(positions) {
                index.insert(vector.value(*position as usize, &|_| Value::Null), edge.0);
            }
        }
        Ok(())
    }
}

impl EdgeDelta {
    /// Whether there is a version of an edge.
    pub fn has_versions(&self, edge: EdgeId) -> bool {
        self.head(edge) != 0
    }

    /// Edges came at `at` where others were: they have nothing of what those had.
    ///
    /// **Errors**: as many versions as there are numbers.
    pub fn replay_came(&self, at: Timestamp, edges: &[EdgeId]) -> Result<(), WriteError> {
        let (shape, author) = (shape(Event::Came, &[]), Author { stamp: at.into(), statement: 0 });
        self.note_all();
        let ids: Vec<u64> = edges.iter().map(|edge| edge.0).collect();
        let runs = self.pages.append(&shape, author, &ids, &[], &[])?;
        let versions = runs.into_iter().flat_map(|(first, len)| first..first + len as u32);
        edges.iter().zip(versions).for_each(|(edge, version)| self.put_in_front(*edge, version));
        Ok(())
    }

    fn put_in_front(&self, edge: EdgeId, version: Version) {
        let blocks = self.blocks.read().unwrap_or_else(PoisonError::into_inner);
        mark(&blocks, edge.0);
        let mut shard = self.shard(edge).write().unwrap_or_else(PoisonError::into_inner);
        let head = shard.entry(edge.0).or_insert_with(|| {
            self.count.fetch_add(1, Ordering::AcqRel);
            Default::default()
        });
        let head = head.get_mut();
        if *head != 0 {
            self.pages.set_previous(version, *head);
        }
        *head = version;
    }
}

impl Positions {
    /// Says that positions of a page below `end` were given.
    pub fn restore(&self, page: u64, end: u64) {
        let mut next = self.shard(page);
        let known = next.entry(page).or_default();
        known.end = (known.end & !RESTORED).max(end) | RESTORED;
    }
}

impl Topology {
    /// An edge came at `at`.
    pub fn replay_insert(&self, at: Timestamp, ends: EdgeEnds) {
        self.put_aside(ends.edge);
        self.put_new(ends, at.into(), Stamp::NEVER);
    }

    /// An edge went at `at`: one that came before, or one of main.
    pub fn replay_delete(&self, at: Timestamp, ends: EdgeEnds) {
        let known = self.by_edge.get(&self.records, ends.edge).map(|number| self.records.get(number));
        match known.filter(|record| record.end.load() == Stamp::NEVER) {
            Some(record) => record.end.store(at.into()),
            None => self.put_new(ends, Stamp::ALWAYS, at.into()),
        }
    }

    fn put_new(&self, EdgeEnds { edge, source, target }: EdgeEnds, begin: Stamp, end: Stamp) {
        let record = self.records.make(&NewRecord { begin, end, statement: 0, edge, source, target });
        self.by_edge.put(&self.records, edge, record);
        let ends = EdgeEnds { edge, source, target };
        for direction in [Direction::Forward, Direction::Backward] {
            self.put(ends, direction, record);
        }
    }
}
