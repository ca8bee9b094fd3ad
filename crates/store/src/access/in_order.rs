//! Rows in the order of a property, by the value indexes of its columns: takes tables and a bound that comes
//! closer, gives what may stand before the bound first, and leaves out what an index says comes after it.
//!
//! Of each table, in turns:
//!
//! 1. rows of zones that the delta has something of, whose values no index tells;
//! 2. where the order descends, rows without a value: they come first;
//! 3. rows by the index, until a value comes after the bound: then the table is done;
//! 4. where the order ascends, rows without a value: they come last.
//!
//! Rows by the index are read at random. Where these were many and there is still no end, what is asked of
//! them above lets few pass: the rest is given zone by zone, as a scan gives it. So is a table without an
//! index.
//!
//! Invariant: a row that is there is given once, or comes after the bound. That rows come in order is for
//! speed only: who asks sorts them.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::{Bound, Range};
use std::sync::atomic::{AtomicUsize, Ordering as Atomic};
use std::sync::{Mutex, MutexGuard, PoisonError};

use trimorph_base::{NodeId, TableId};
use trimorph_types::{Value, order};

use super::morsels::{Prune, is_wanted};
use crate::{Reader, Snapshot, ZONE_ROWS};

/// Rows by an index that are given together: few at first, since the first may be all that are wanted.
const FIRST: u64 = 256;
const MOST: u64 = 1024;
/// The part of an index that is followed before the rest is given zone by zone. Of 200,000 rows of which two
/// pass, a row by the index took 100 ns, one in order 4: a sixty-fourth wastes less than half of a scan.
const FOLLOWED_PART: u64 = 64;
/// Entries that are followed in any case.
const FOLLOWED_LEAST: u64 = 2048;

/// What values are asked for besides their order: only rows within are wanted.
pub type ValueRange = (Bound<Value>, Bound<Value>);

/// Rows of tables in the order of one property.
#[derive(Debug)]
pub struct InOrder {
    tables: Vec<OneTable>,
    descending: bool,
    range: ValueRange,
    turn: AtomicUsize,
}

/// One table.
#[derive(Debug)]
struct OneTable {
    table: TableId,
    /// The property, if the table has it.
    column: Option<usize>,
    /// One past the last row.
    rows: u64,
    /// The zones that the delta has something of, ascending; none of a table without an index.
    dirty: Vec<u64>,
    /// The entries of the index that are wanted; none of a table without one.
    entries: Option<Range<u64>>,
    state: Mutex<State>,
}

/// How far a table is.
#[derive(Debug)]
struct State {
    step: Step,
    /// What was found and is not given yet.
    found: VecDeque<NodeId>,
    /// The same of a run of rows.
    run: Option<Run>,
}

/// Rows that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The first.
    pub first: NodeId,
    /// How many.
    pub len: usize,
    /// Those that are meant, from the first; none where all are.
    pub chosen: Option<Vec<u32>>,
}

/// What is given at a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// Nodes of one table, by an index or after a look at each.
    Nodes(TableId, Vec<NodeId>),
    /// Rows as they lie.
    Run(Run),
}

#[derive(Debug)]
enum Step {
    /// The next of the zones that the delta has something of.
    Dirty(usize),
    /// Rows without a value, from a zone on.
    Nulls(u64),
    /// So many entries were followed.
    Index(u64),
    /// What is left, from a row on; bits of the rows that were given.
    Rest(u64, Vec<u64>),
    Done,
}

impl State {
    fn new(has_index: bool) -> Self {
        let step = if has_index { Step::Dirty(0) } else { Step::Rest(0, Vec::new()) };
        Self { step, found: VecDeque::new(), run: None }
    }
}

impl InOrder {
    /// The rows of `tables` by `columns`, one a table at most, of which the first `wanted` within `range` are
    /// looked for; none if these are too many, or indexes help with less than half of the rows.
    ///
    /// **Cost**: a look at each zone of tables that the delta has something of; two searches a table.
    pub fn new(
        snapshot: &Snapshot,
        reader: &Reader<'_>,
        tables: &[TableId],
        columns: &[(TableId, usize)],
        range: ValueRange,
        descending: bool,
        wanted: u64,
    ) -> Option<Self> {
        let made = tables.iter().map(|table| {
            let column = columns.iter().find(|(of, _)| of == table).map(|(_, column)| *column);
            OneTable::new(*table, column, snapshot.rows(*table), reader, &range)
        });
        let tables: Vec<OneTable> = made.collect();
        let rows = |is_counted: &dyn Fn(&OneTable) -> bool| {
            tables.iter().filter(|table| is_counted(table)).map(|table| table.rows).sum::<u64>()
        };
        let (indexed, all) = (rows(&|table| table.entries.is_some()), rows(&|_| true));
        let helps = indexed > 0 && indexed >= all - indexed && wanted <= followed_most(indexed);
        helps.then_some(Self { tables, descending, range, turn: AtomicUsize::new(0) })
    }

    /// Starts again.
    pub fn reset(&self) {
        for table in &self.tables {
            *table.state() = State::new(table.entries.is_some());
        }
    }

    /// Up to `max` nodes of one table; none at the end. `is_after` says whether a value comes after the
    /// bound, `prune` what zones must have to be looked at.
    pub fn next(
        &self,
        reader: &Reader<'_>,
        max: usize,
        is_after: &dyn Fn(&Value) -> bool,
        prune: &[Prune],
    ) -> Option<Given> {
        let count = self.tables.len();
        let first = self.turn.fetch_add(1, Atomic::Relaxed);
        (0..count).find_map(|i| {
            let table = self.tables.get(first.wrapping_add(i) % count)?;
            let mut state = table.state();
            while state.found.is_empty() {
                if let Some(run) = state.run.take() {
                    return Some(Given::Run(run));
                }
                self.find(table, &mut state, reader, is_after, prune, max)?;
            }
            let len = max.min(state.found.len());
            Some(Given::Nodes(table.table, state.found.drain(..len).collect()))
        })
    }

    /// Takes one step; none where the table is done.
    fn find(
        &self,
        table: &OneTable,
        state: &mut State,
        reader: &Reader<'_>,
        is_after: &dyn Fn(&Value) -> bool,
        prune: &[Prune],
        max: usize,
    ) -> Option<()> {
        let State { step, found, run } = state;
        match step {
            Step::Dirty(i) => match table.dirty.get(*i) {
                Some(zone) => {
                    *i += 1;
                    found.extend(table.zone(*zone, reader));
                }
                None if self.descending && self.wants_nulls() => *step = Step::Nulls(0),
                None => *step = Step::Index(0),
            },
            Step::Nulls(_) if !self.descending && (!self.wants_nulls() || is_after(&Value::Null)) => {
                *step = Step::Done;
            }
            Step::Nulls(zone) if *zone * ZONE_ROWS as u64 >= table.rows || !table.may_have_nulls(reader) => {
                *step = if self.descending { Step::Index(0) } else { Step::Done };
            }
            Step::Nulls(zone) => {
                let at = *zone;
                *zone += 1;
                if !table.is_dirty(at) {
                    found.extend(table.zone(at, reader).filter(|node| table.is_null(node.row(), reader)));
                }
            }
            Step::Index(followed) => {
                let followed = *followed;
                *step = self.follow(table, followed, found, reader, is_after);
            }
            Step::Rest(row, _) if *row >= table.rows => *step = Step::Done,
            Step::Rest(row, given) => {
                let (first, zone) = (*row, *row / ZONE_ROWS as u64);
                let end = table.rows.min((zone + 1) * ZONE_ROWS as u64).min(first + max.max(1) as u64);
                *row = end;
                let len = (end - first) as usize;
                if !table.is_dirty(zone) && is_wanted(reader, NodeId::new(table.table, first), len, prune) {
                    *run = self.rest(table, first, len, given, reader);
                }
            }
            Step::Done => return None,
        }
        Some(())
    }

    /// Those of `len` rows that were not given and are there.
    fn rest(
        &self,
        table: &OneTable,
        first: u64,
        len: usize,
        given: &[u64],
        reader: &Reader<'_>,
    ) -> Option<Run> {
        let node = NodeId::new(table.table, first);
        let there = reader.existing(node, len);
        let gave_nulls =
            table.entries.is_some() && self.descending && self.wants_nulls() && table.may_have_nulls(reader);
        let was_given = |i: &u32| {
            let row = first + u64::from(*i);
            let word = given.get((row / 64) as usize).copied().unwrap_or(0);
            word >> (row % 64) & 1 == 1 || (gave_nulls && table.is_null(row, reader))
        };
        let left = |rows: &mut dyn Iterator<Item = u32>| rows.filter(|i| !was_given(i)).collect::<Vec<u32>>();
        let chosen = match there {
            Some(there) => left(&mut there.into_iter()),
            None => left(&mut (0u32..).take(len)),
        };
        let chosen = (chosen.len() < len).then_some(chosen);
        (chosen.as_ref().is_none_or(|chosen| !chosen.is_empty())).then_some(Run { first: node, len, chosen })
    }

    /// Follows the index: the next step.
    fn follow(
        &self,
        table: &OneTable,
        followed: u64,
        found: &mut VecDeque<NodeId>,
        reader: &Reader<'_>,
        is_after: &dyn Fn(&Value) -> bool,
    ) -> Step {
        let (Some(entries), Some(column)) = (&table.entries, table.column) else { return Step::Done };
        let at_end = if self.descending { Step::Done } else { Step::Nulls(0) };
        let left = (entries.end - entries.start).saturating_sub(followed);
        if left == 0 {
            return at_end;
        }
        let len = left.min((followed + FIRST).min(MOST));
        let rows = self.entries(table, column, followed, len, reader);
        let Some(first) = rows.first() else { return Step::Done };
        // A value after the bound: so are all behind, and nulls where they are behind these.
        if is_after(&reader.node_column(table.table, column).value(*first)) {
            return Step::Done;
        }
        let clean = rows.iter().filter(|row| !table.is_dirty(**row / ZONE_ROWS as u64));
        found.extend(clean.map(|row| NodeId::new(table.table, *row)));
        let followed = followed + len;
        if left > len && followed > followed_most(entries.end - entries.start) {
            let mut given = vec![0; (table.rows / 64 + 1) as usize];
            for row in self.entries(table, column, 0, followed, reader) {
                if let Some(word) = given.get_mut((row / 64) as usize) {
                    *word |= 1 << (row % 64);
                }
            }
            return Step::Rest(0, given);
        }
        Step::Index(followed)
    }

    /// Rows of `len` entries behind the first `from` in the order that is asked for.
    fn entries(&self, table: &OneTable, column: usize, from: u64, len: u64, reader: &Reader<'_>) -> Vec<u64> {
        let (Some(entries), Some(view)) = (&table.entries, reader.value_index(table.table, column)) else {
            return Vec::new();
        };
        let mut rows = Vec::with_capacity(len as usize);
        if self.descending {
            let end = entries.end - from;
            view.rows(end - len..end, &mut rows);
            rows.reverse();
        } else {
            let start = entries.start + from;
            view.rows(start..start + len, &mut rows);
        }
        rows
    }

    /// Whether a row without a value may be wanted.
    fn wants_nulls(&self) -> bool {
        matches!(self.range, (Bound::Unbounded, Bound::Unbounded))
    }
}

impl OneTable {
    fn new(
        table: TableId,
        column: Option<usize>,
        rows: u64,
        reader: &Reader<'_>,
        (low, high): &ValueRange,
    ) -> Self {
        let index = column.and_then(|column| Some((column, reader.value_index(table, column)?)));
        let entries = index.map(|(column, view)| match (low, high) {
            (Bound::Unbounded, Bound::Unbounded) => 0..view.len(),
            _ => view.range(low.as_ref(), high.as_ref(), reader.node_column(table, column)),
        });
        let dirty = match (&entries, column) {
            (Some(_), Some(column)) => dirty_zones(table, column, rows, reader),
            _ => Vec::new(),
        };
        let state = Mutex::new(State::new(entries.is_some()));
        Self { table, column, rows, dirty, entries, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_dirty(&self, zone: u64) -> bool {
        self.dirty.binary_search(&zone).is_ok()
    }

    /// The nodes of a zone that are there.
    fn zone(&self, zone: u64, reader: &Reader<'_>) -> impl Iterator<Item = NodeId> + use<> {
        let first = NodeId::new(self.table, zone * ZONE_ROWS as u64);
        let len = self.rows.saturating_sub(first.row()).min(ZONE_ROWS as u64);
        let there = reader.existing(first, len as usize);
        let count = there.as_ref().map_or(len as usize, Vec::len);
        (0..count as u64).map(move |i| {
            let row = there.as_ref().and_then(|there| there.get(i as usize)).map_or(i, |row| (*row).into());
            NodeId(first.0 + row)
        })
    }

    /// Whether main has no value in a row of a zone that the delta has nothing of.
    fn is_null(&self, row: u64, reader: &Reader<'_>) -> bool {
        self.column.is_none_or(|column| {
            let values = reader.node_column(self.table, column);
            values.is_empty() || values.is_null(row)
        })
    }

    fn may_have_nulls(&self, reader: &Reader<'_>) -> bool {
        let index = self.column.and_then(|column| reader.value_index(self.table, column));
        index.is_none_or(|index| index.len() < self.rows)
    }
}

/// How many of so many entries are followed.
fn followed_most(entries: u64) -> u64 {
    (entries / FOLLOWED_PART).max(FOLLOWED_LEAST)
}

/// The zones of which the delta has values of a column, or rows that came or went.
fn dirty_zones(table: TableId, column: usize, rows: u64, reader: &Reader<'_>) -> Vec<u64> {
    let Some(changes) = reader.node_changes(table) else { return Vec::new() };
    let main = reader.main_table(table).map_or(0, |main| main.rows);
    let is_clean = |zone: u64| {
        let first = zone * ZONE_ROWS as u64;
        let len = (rows - first).min(ZONE_ROWS as u64);
        // Columns have 32 bits in the delta.
        first + len <= main
            && changes.clean_run(first, len, Some(column as u32)) == len
            && changes.clean_run(first, len, None) == len
    };
    (0..rows.div_ceil(ZONE_ROWS as u64)).filter(|zone| !is_clean(*zone)).collect()
}

/// Whether a value comes after a bound in an order.
pub fn comes_after(value: &Value, bound: &Value, descending: bool) -> bool {
    match order(value, bound) {
        Ordering::Less => descending,
        Ordering::Equal => false,
        Ordering::Greater => !descending,
    }
}
