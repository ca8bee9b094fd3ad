//! Goes down to many keys together: takes ranges, gives the entries in them, range after range.
//!
//! 1. Up to [`TOGETHER`] ranges are on their way at once. Each in turn finds the node below it and hints to
//!    the processor that it will be read; when all have, each goes there. So the misses of the cache of a
//!    level are waited for together and not one after the other.
//! 2. In its leaf each finds where its range begins, and hints at what lies there.
//! 3. Range after range is copied: what a leaf has of it, checked; then the leaf beside it.
//!
//! Invariant: a hint reads nothing, but the number of a node below is checked against the node above before
//! anything is done with it, so it is one that was given. When the node below is read, however much later,
//! the node above is checked once more, at the same version: so it was below it when its own version was
//! taken, as if no time had passed. A leaf is copied later still. If it then has the version it had, nothing
//! came to it or went since, and no other leaf has a key of the range up to its end: whoever moves a border
//! between leaves across a key writes both; a leaf beside it that is taken out has none. Who meets a change
//! goes down anew, alone.
//!
//! Source: Chen, Ailamaki, Gibbons and Mowry, Improving hash join performance through prefetching, ICDE 2004
//! (group prefetching); Kocberber, Falsafi and Grot, Asynchronous memory access chaining, VLDB 2015.

use super::{Below, Entry, Key, Tree, Way};

/// Ranges that are on their way down at once. Chosen: a core waits for some ten to twenty misses together.
pub(crate) const TOGETHER: usize = 16;

/// A range while it is on its way down; none once it met a change.
type Lane<'a, const F: usize> = Option<Way<'a, F>>;

impl<'a, const F: usize> Tree<'a, F> {
    /// Adds the entries of up to [`TOGETHER`] ranges, both ends included, to `out`, range after range. `each`
    /// is called with `out` after every part of a range, and whether that is its end; it may take out what
    /// is there, and says whether more is wanted.
    ///
    /// **Cost**: a way down for each range, their misses of the cache waited for together; a copy.
    pub(crate) fn scan_together(
        &self,
        ranges: &[(Key, Key)],
        out: &mut Vec<Entry>,
        each: &mut dyn FnMut(&mut Vec<Entry>, bool) -> bool,
    ) {
        debug_assert!(ranges.len() <= TOGETHER);
        let mut lanes: [Lane<'a, F>; TOGETHER] = [const { None }; TOGETHER];
        self.down_together(ranges, &mut lanes);
        for (range, lane) in ranges.iter().zip(lanes) {
            if !self.scan_from(lane, *range, out, each) {
                return;
            }
        }
    }

    /// Goes down to the leaves where ranges begin.
    fn down_together(&self, ranges: &[(Key, Key)], lanes: &mut [Lane<'a, F>; TOGETHER]) {
        for (lane, _) in lanes.iter_mut().zip(ranges) {
            *lane = self.at_root().ok();
        }
        let mut below = [Below::default(); TOGETHER];
        loop {
            let mut are_down = true;
            for ((lane, (first, _)), below) in lanes.iter_mut().zip(ranges).zip(&mut below) {
                let Some(Way { leaf: at, .. }) = lane else { continue };
                if at.header.level == 0 {
                    continue;
                }
                let found = self.look_below(at, at.node.child_place(at.header.len, *first)).ok();
                match found.filter(|_| !at.header.obsolete) {
                    Some(found) => {
                        self.arena.node(found.number).prefetch();
                        (*below, are_down) = (found, false);
                    }
                    None => *lane = None,
                }
            }
            if are_down {
                break;
            }
            for (lane, below) in lanes.iter_mut().zip(below) {
                if let Some(way) = lane.filter(|way| way.leaf.header.level > 0) {
                    *lane = self.go_below(&way, below).ok();
                }
            }
        }
        for (Way { leaf, .. }, (first, _)) in
            lanes.iter().zip(ranges).filter_map(|(l, r)| Some((l.as_ref()?, r)))
        {
            leaf.node.prefetch_entries(leaf.node.lower_bound(0, leaf.header.len, *first));
        }
    }

    /// Adds what is in a range, from the leaf on that a way leads to; `false` where no more is wanted.
    fn scan_from(
        &self,
        mut next: Lane<'a, F>,
        (first, last): (Key, Key),
        out: &mut Vec<Entry>,
        each: &mut dyn FnMut(&mut Vec<Entry>, bool) -> bool,
    ) -> bool {
        let mut from = first;
        loop {
            let way = next.take().filter(|way| !way.leaf.header.obsolete);
            let Some(way) = way.or_else(|| self.down(from, false).ok()) else { continue };
            let Way { leaf, end, .. } = way;
            let len = leaf.header.len;
            let at = leaf.node.lower_bound(0, len, from);
            let to = last.checked_add(1).map_or(len, |behind| leaf.node.lower_bound(at, len, behind));
            let before = out.len();
            out.extend(leaf.node.entries(at..to));
            if leaf.node.check(leaf.version).is_err() {
                out.truncate(before);
                continue;
            }
            match end {
                Some(end) if end <= last && to == len => {
                    (from, next) = (end, self.beside(&way));
                    if !each(out, false) {
                        return false;
                    }
                }
                _ => return each(out, true),
            }
        }
    }
}
