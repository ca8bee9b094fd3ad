//! Changes to the lists of many nodes, found together: takes rows in any order, gives what
//! [`Topology::changes`] gives for each, list after list.
//!
//! 1. The lists of [`TOGETHER`] rows go down the tree at once (`tree/together.rs`).
//! 2. Their entries are gone through as one: the records lie anywhere, and each is hinted at some entries
//!    ahead, also where the list ends before.

use std::ops::Range;

use trimorph_base::{EdgeTableId, TableId};
use trimorph_mvcc::Reading;

use crate::topology::{EdgeChange, Topology, order};
use crate::tree::{Direction, EdgeKey, Entry, Key, TOGETHER};

/// Entries by which a record is hinted at before it is read.
const AHEAD: usize = 16;

/// Entries that are gone through together, at least, where a list has as many: their lines stay in the cache.
const ENTRIES: usize = 256;

/// Changes to lists, list after list, and room that is used again.
#[derive(Debug, Default)]
pub struct ListChanges {
    changes: Vec<EdgeChange>,
    /// Where the changes of each list end.
    ends: Vec<usize>,
    entries: Vec<Entry>,
    ranges: Vec<(Key, Key)>,
    bounds: Vec<usize>,
}

impl ListChanges {
    /// Lists whose changes were found.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The changes to the list of the `at`-th row, in the order of lists.
    pub fn of(&self, at: usize) -> &[EdgeChange] {
        let begin = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(at).copied().unwrap_or(begin);
        self.changes.get(begin..end).unwrap_or_default()
    }

    /// Nothing is found any more.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.ends.clear();
    }
}

impl Topology {
    /// Finds the changes to the lists of rows of a table, along one edge table, as [`Self::changes`] finds
    /// them for one: of the first row, and of those behind it as long as there are not more than `most`, nor
    /// more rows than are looked for together. **Shapes**: rows may be in any order, and come twice.
    ///
    /// **Cost**: a range of the tree for each row; misses of the cache are waited for together.
    pub fn changes_of_each(
        &self,
        (table, rows): (TableId, &[u64]),
        edge_table: EdgeTableId,
        direction: Direction,
        reading: &Reading<'_>,
        most: usize,
        found: &mut ListChanges,
    ) {
        found.clear();
        let rows = rows.get(..TOGETHER).unwrap_or(rows);
        let of = self.table(table);
        let others = of.as_ref().map_or(Vec::new(), |of| of.others(edge_table));
        let Some(of) = of.filter(|_| !others.is_empty()) else {
            found.ends.resize(rows.len(), 0);
            return;
        };
        let ListChanges { changes, ends, entries, ranges, bounds } = found;
        ranges.clear();
        for row in rows {
            ranges.extend(others.iter().map(|(_, local)| EdgeKey::list(*row, direction, *local)));
        }
        entries.clear();
        bounds.clear();
        let mut lists = Lists { topology: self, others: &others, reading, range: 0, changes, ends };
        let (tree, mut over, mut wants_more) = (self.tree(&of), 0_usize, true);
        for ranges in ranges.chunks(TOGETHER) {
            tree.scan_together(ranges, entries, &mut |entries, is_over| {
                if is_over {
                    over += 1;
                    bounds.push(entries.len());
                    // Lists are found whole.
                    wants_more =
                        !over.is_multiple_of(others.len()) || lists.changes.len() + entries.len() <= most;
                }
                if entries.len() >= ENTRIES || !wants_more {
                    lists.go_through(entries, bounds);
                }
                wants_more
            });
            if !wants_more {
                return;
            }
        }
        lists.go_through(entries, bounds);
    }
}

/// Lists while their entries are gone through.
struct Lists<'l, 't> {
    topology: &'l Topology,
    /// The tables that edges lead to: a list has a range of the tree for each.
    others: &'l [(TableId, u16)],
    reading: &'l Reading<'t>,
    /// The range at hand.
    range: usize,
    changes: &'l mut Vec<EdgeChange>,
    ends: &'l mut Vec<usize>,
}

impl Lists<'_, '_> {
    /// Goes through entries of the range at hand and those behind it, which end at `bounds`; the last may go
    /// on. Takes both.
    fn go_through(&mut self, entries: &mut Vec<Entry>, bounds: &mut Vec<usize>) {
        let hint = |entry: Option<&Entry>| entry.map(|(_, number)| self.topology.records.prefetch(*number));
        (0..AHEAD).for_each(|at| _ = hint(entries.get(at)));
        let mut begin = 0;
        for end in bounds.drain(..) {
            self.add(entries, begin..end);
            begin = end;
            self.range += 1;
            if self.range.is_multiple_of(self.others.len()) {
                let from = self.ends.last().copied().unwrap_or(0);
                order(self.changes.get_mut(from..).unwrap_or_default());
                self.ends.push(self.changes.len());
            }
        }
        self.add(entries, begin..entries.len());
        entries.clear();
    }

    #[inline]
    fn add(&mut self, entries: &[Entry], places: Range<usize>) {
        let Some((other, _)) = self.others.get(self.range % self.others.len()) else { return };
        let ahead = entries.get(places.start + AHEAD..).unwrap_or_default().iter().map(Some);
        let own = entries.get(places).unwrap_or_default();
        self.changes.reserve(own.len());
        for (entry, ahead) in own.iter().zip(ahead.chain(std::iter::repeat(None))) {
            if let Some((_, number)) = ahead {
                self.topology.records.prefetch(*number);
            }
            self.changes.extend(self.topology.change(entry, *other, self.reading));
        }
    }
}
