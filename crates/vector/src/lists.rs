//! The lists of a vector: for each position a run of elements of one child vector, which all of them share.
//!
//! Invariants:
//!
//! 1. A run ends within the child, which is listed (it has a length of its own).
//! 2. An element keeps its type: the child is of one type, or general where elements mix.
//! 3. A null element is null in the child; a null list is null in the vector that these are the values of,
//!    and its run is arbitrary.
//! 4. Runs may overlap, leave elements out, and come in any order: a selection of lists, parts of lists and
//!    lists that are the same everywhere copy no element.

use std::ops::Range;
use std::sync::Arc;

use trimorph_base::EdgeId;
use trimorph_types::Value;

use crate::vector::Run;
use crate::{Lists, Nulls, Vector};

/// Elements from which on it is looked whether lists use them.
const SPARSE_MIN: u64 = 1 << 12;

/// A count of elements, of which a child has fewer than 2^32.
fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl<'s> Lists<'s> {
    /// Lists of these elements: `runs` are their first elements and lengths. `None` where one ends behind
    /// the last element.
    pub fn new(runs: impl Iterator<Item = (u32, u32)>, child: Vector<'s>) -> Option<Self> {
        let (mut are_within, child_len) = (true, child.listed() as u64);
        let runs = runs.map(|(start, len)| {
            are_within &= u64::from(start) + u64::from(len) <= child_len;
            Run { start, len }
        });
        let lists = Self { runs: runs.collect(), child: Arc::new(child) };
        are_within.then_some(lists)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The elements of all of them, and of others.
    #[inline]
    pub fn child(&self) -> &Arc<Vector<'s>> {
        &self.child
    }

    /// The positions in the child of the list at `i`, which must be below the length.
    #[inline]
    pub fn elements(&self, i: usize) -> Range<u32> {
        let run = self.runs[i];
        run.start..run.start + run.len
    }

    /// The first element of each list in the child, and how many it has.
    #[inline]
    pub fn runs(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone {
        self.runs.iter().map(|run| (run.start, run.len))
    }

    /// How many elements the list at `i` has.
    #[inline]
    pub fn count(&self, i: usize) -> usize {
        self.runs[i].len as usize
    }

    /// The list at `i` as a value.
    pub fn value(&self, i: usize, edge: &dyn Fn(EdgeId) -> Value) -> Value {
        Value::list(self.elements(i).map(|e| self.child.value(e as usize, edge)).collect())
    }

    /// The lists at the given positions, in that order. **Cost**: no element is copied.
    pub fn gather(&self, positions: &[u32]) -> Self {
        let runs = positions.iter().map(|p| self.runs[*p as usize]).collect();
        Self { runs, child: Arc::clone(&self.child) }
    }

    /// A part of each list: `part` gives the first place and the end, counted from its first element, of so
    /// many elements at a position; what is outside is left out. **Cost**: no element is copied.
    #[inline(always)]
    pub fn parts(&self, part: impl Fn(usize, u32) -> (u32, u32)) -> Self {
        let runs = self.runs.iter().enumerate().map(|(i, run)| {
            let (start, end) = part(i, run.len);
            let end = end.min(run.len);
            let start = start.min(end);
            Run { start: run.start + start, len: end - start }
        });
        Self { runs: runs.collect(), child: Arc::clone(&self.child) }
    }

    /// Whether `positions` of `other` can be appended.
    pub(crate) fn has_room(&self, other: &Self, positions: &[u32]) -> bool {
        let more = other.listed_at(positions);
        self.can_share(other, more) || u32::try_from(self.child.listed() as u64 + more).is_ok()
    }

    /// The elements of the lists at some positions, those of the same list once that comes several times in a
    /// row: one that is carried beside other rows.
    fn listed_at(&self, positions: &[u32]) -> u64 {
        let (mut more, mut last) = (0, Run::default());
        for run in positions.iter().map(|p| self.runs[*p as usize]) {
            more += if run == last { 0 } else { u64::from(run.len) };
            last = run;
        }
        more
    }

    /// Whether lists of the other, with so many elements, can be appended and share them, and no more is kept
    /// than if these were copied.
    fn can_share(&self, other: &Self, more: u64) -> bool {
        Arc::ptr_eq(&self.child, &other.child)
            || self.child.listed() == 0 && more >= other.child.listed() as u64
    }

    /// Appends `positions` of `other`, for which there is room. Their elements are copied where more would be
    /// kept else than what is here. Null lists have none.
    pub(crate) fn extend(
        &mut self,
        other: &Self,
        positions: &[u32],
        nulls: &Nulls,
        edge: &dyn Fn(EdgeId) -> Value,
    ) {
        let run_at = |p: &u32| match nulls.get(*p as usize) {
            true => Run::default(),
            false => other.runs[*p as usize],
        };
        if self.can_share(other, other.listed_at(positions)) {
            self.child = Arc::clone(&other.child);
            self.runs.extend(positions.iter().map(run_at));
            return;
        }
        let (mut elements, mut start) = (Vec::<Range<u32>>::new(), small(self.child.listed()));
        let mut last = (Run::default(), Run::default());
        for run in positions.iter().map(run_at) {
            if last.0 != run {
                let end = run.start + run.len;
                match elements.last_mut() {
                    // As a rule lists follow each other.
                    Some(before) if before.end == run.start => before.end = end,
                    _ if run.len > 0 => elements.push(run.start..end),
                    _ => {}
                }
                last = (run, Run { start, len: run.len });
                start += run.len;
            }
            self.runs.push(last.1);
        }
        if elements.is_empty() {
            return;
        }
        if let Some(child) = Arc::get_mut(&mut self.child) {
            child.extend_ranges(&other.child, &elements, edge);
            return;
        }
        let mut child = self.child.like();
        let all = 0..small(self.child.listed());
        child.extend_ranges(&self.child, std::slice::from_ref(&all), edge);
        child.extend_ranges(&other.child, &elements, edge);
        self.child = Arc::new(child);
    }

    /// Whether more than half of the elements, of many, are in none of the lists.
    pub(crate) fn are_sparse(&self) -> bool {
        let used: u64 = self.runs.iter().map(|run| u64::from(run.len)).sum();
        let all = self.child.listed() as u64;
        all > SPARSE_MIN && used < all / 2
    }

    /// Makes them `len`, with empty lists at the end.
    pub(crate) fn resize(&mut self, len: usize) {
        self.runs.resize(len, Run::default());
    }

    /// Whether lists of the other can stand among these without copies of elements.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.child, &other.child) || self.child.listed() == 0
    }

    /// Copies `positions` of `other`, with which these share elements, over those of `self`.
    pub(crate) fn assign(&mut self, other: &Self, positions: &[u32]) {
        // Lists without elements may be lists of anything.
        self.child = Arc::clone(&other.child);
        positions.iter().for_each(|p| self.runs[*p as usize] = other.runs[*p as usize]);
    }

    /// Lists that there is room for, and bytes of a cell.
    pub fn cells(&self) -> (usize, usize) {
        (self.runs.capacity(), size_of::<Run>())
    }

    /// Bytes that the lists at `positions` keep alive besides their cells.
    pub(crate) fn owned_bytes(&self, positions: impl Iterator<Item = usize>) -> u64 {
        let (mut bytes, mut last) = (0u64, Run::default());
        for i in positions.filter(|i| *i < self.runs.len()) {
            // The same elements are kept once.
            if self.runs[i] != last {
                bytes = bytes.saturating_add(self.child.bytes_of(self.elements(i)));
                last = self.runs[i];
            }
        }
        bytes
    }
}
