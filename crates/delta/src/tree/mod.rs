//! The topology tree: a B+tree of 128-bit keys with optimistic lock coupling (TAG §3).
//!
//! ```text
//! key     what a key means: the edges of a node, in the order of its lists
//! node    one node, read without a lock
//! arena   the nodes of all trees, by number
//! together  many ranges read at once
//! sync    atomics, of the system or of the model checker
//! ```
//!
//! 1. **Down**: from the root, each node is read at a version; before the child is used, the parent is
//!    checked. Whoever meets a change starts over.
//! 2. **Insert**: a full node on the way is split before it is entered, under its lock and its parent's, so
//!    that no lock is ever taken upwards. A full leaf gives to the one beside it first, if that has room.
//!    A leaf that grows at its end keeps what it has and the new one begins with the new key: ascending keys
//!    fill leaves.
//!    Many keys in order go in leaf by leaf.
//! 3. **Remove**: a leaf that becomes empty is taken out of its parent, unless it is the last one there.
//!    Many keys in order go leaf by leaf, too.
//! 4. **Scan**: a leaf at a time, some keys copied and checked, then the next ones; then the leaf beside it,
//!    if the node above both was not written since it was read, else down again to the key that ends the
//!    leaf. Many ranges go down together.
//!
//! Invariants: the root keeps its number; where it is full, what it has moves into two new nodes below it.
//! Inner nodes have a child at least. Locks are taken downwards, the parent first, and never waited for, so
//! that of two leaves beside each other either may be the first.
//! What a scan sees of several leaves need not be of one moment.

mod arena;
mod key;
#[cfg(test)]
mod loom_tests;
mod node;
mod sync;
#[cfg(test)]
mod tests;
mod together;

use std::ops::ControlFlow;

pub(crate) use arena::Arena;
pub use key::Direction;
pub(crate) use key::EdgeKey;
pub(crate) use node::Key;
use node::{Changed, Header, Locked, Node, Version};
pub(crate) use together::TOGETHER;

/// A tree in an arena.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<'a, const F: usize> {
    arena: &'a Arena<F>,
    root: u32,
}

/// Entries that a scan copies together: most lists are shorter, and a place for more of them takes time to
/// make for each.
const PART: usize = 32;

/// A key and what stands at it.
pub(crate) type Entry = (Key, u32);

/// A node on the way down, and the version at which it was read.
#[derive(Clone, Copy)]
struct Step<'a, const F: usize> {
    number: u32,
    node: &'a Node<F>,
    version: Version,
    header: Header,
}

/// A way down, which ends at a leaf.
#[derive(Clone, Copy)]
struct Way<'a, const F: usize> {
    /// The node above the leaf, and the leaf's place in it.
    parent: Option<(Step<'a, F>, usize)>,
    leaf: Step<'a, F>,
    /// The smallest key behind the leaf, and behind the node above it.
    end: Option<Key>,
    outer: Option<Key>,
}

/// The next node of a way down.
#[derive(Clone, Copy, Default)]
struct Below {
    number: u32,
    place: usize,
    /// The smallest key behind it, unless it is the last one below its node.
    end: Option<Key>,
}

impl<'a, const F: usize> Tree<'a, F> {
    /// A new tree without keys.
    pub(crate) fn new(arena: &'a Arena<F>) -> Self {
        const { assert!(F >= 4, "a node is split in two that have two keys each") };
        let root = arena.take();
        arena.node(root).take().set_header(Header { len: 0, level: 0, obsolete: false });
        Self { arena, root }
    }

    /// The tree whose root has this number.
    pub(crate) fn at(arena: &'a Arena<F>, root: u32) -> Self {
        Self { arena, root }
    }

    /// The number of its root.
    pub(crate) fn root(&self) -> u32 {
        self.root
    }

    fn step(&self, number: u32) -> Result<Step<'a, F>, Changed> {
        let node = self.arena.node(number);
        let version = node.read();
        let header = node.header();
        node.check(version)?;
        Ok(Step { number, node, version, header })
    }

    /// Goes down to the leaf that has `key`. With `split`, a full node on the way is split, which starts
    /// over.
    fn down(&self, key: Key, split: bool) -> Result<Way<'a, F>, Changed> {
        let mut way = self.at_root()?;
        loop {
            let at = &way.leaf;
            if at.header.obsolete {
                return Err(Changed);
            }
            if split && at.header.len >= F {
                self.split(way.parent, way.leaf, key)?;
                return Err(Changed);
            }
            if at.header.level == 0 {
                return Ok(way);
            }
            let below = self.look_below(at, at.node.child_place(at.header.len, key))?;
            way = self.go_below(&way, below)?;
        }
    }

    fn at_root(&self) -> Result<Way<'a, F>, Changed> {
        Ok(Way { parent: None, leaf: self.step(self.root)?, end: None, outer: None })
    }

    /// The node below another, at a place that it has.
    #[inline]
    fn look_below(&self, at: &Step<'a, F>, place: usize) -> Result<Below, Changed> {
        let number = at.node.value(place);
        let end = (place + 1 < at.header.len).then(|| at.node.key(place + 1));
        at.node.check(at.version)?;
        Ok(Below { number, place, end })
    }

    /// Goes on to the node below, which was looked for before.
    #[inline]
    fn go_below(&self, way: &Way<'a, F>, below: Below) -> Result<Way<'a, F>, Changed> {
        let at = &way.leaf;
        let leaf = self.step(below.number)?;
        // Between the two reads the node below may have been given back and become another one.
        at.node.check(at.version)?;
        Ok(Way { parent: Some((*at, below.place)), leaf, end: below.end.or(way.end), outer: way.end })
    }

    /// The leaf behind another, where both are below one node, which is as it was.
    fn beside(&self, way: &Way<'a, F>) -> Option<Way<'a, F>> {
        let (above, place) = way.parent.filter(|(above, place)| place + 1 < above.header.len)?;
        let next = self.look_below(&above, place + 1).ok()?;
        let above = Way { parent: None, leaf: above, end: way.outer, outer: None };
        self.go_below(&above, next).ok().filter(|way| !way.leaf.header.obsolete)
    }

    /// Splits a full node that `key` goes to.
    fn split(
        &self,
        parent: Option<(Step<'a, F>, usize)>,
        full: Step<'a, F>,
        key: Key,
    ) -> Result<(), Changed> {
        let Some((above, place)) = parent else { return self.split_root(&full, key) };
        // Of keys that only ascend nothing goes to others: they leave full leaves behind.
        let grows = key > full.node.key(full.header.len - 1);
        if full.header.level == 0 && !grows && self.share(&above, place, &full)? {
            return Ok(());
        }
        let parent = above.node.lock(above.version)?;
        let node = full.node.lock(full.version)?;
        let (number, first) = self.split_off(&node, key);
        parent.insert(place + 1, first, number);
        Ok(())
    }

    /// Moves part of a full leaf to one beside it, below the same node, that has room; false where neither
    /// has. So leaves are fuller than those that are only split: with keys at random four fifths instead of
    /// two thirds (`speed_tests.rs`).
    fn share(&self, above: &Step<'a, F>, place: usize, full: &Step<'a, F>) -> Result<bool, Changed> {
        for beside in [place + 1, place.wrapping_sub(1)] {
            if beside >= above.header.len {
                continue;
            }
            let number = above.node.value(beside);
            above.node.check(above.version)?;
            let sibling = self.step(number)?;
            let count = full.header.len.saturating_sub(sibling.header.len) / 2;
            // What is moved must be worth it: the next key may be for the same leaf.
            if count < (F / 8).max(1) {
                continue;
            }
            let parent = above.node.lock(above.version)?;
            let node = full.node.lock(full.version)?;
            let other = sibling.node.lock(sibling.version)?;
            // A reader that goes on from one leaf to the other comes down again, since the node above is
            // written: what it has read of this one it has checked, and what is behind that it finds where
            // it is now.
            if beside > place {
                node.give_last(count, &other);
                parent.set(beside, other.key(0), number);
            } else {
                node.give_first(count, &other);
                parent.set(place, node.key(0), full.number);
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// The root keeps its number: what it has goes into two new nodes.
    fn split_root(&self, full: &Step<'a, F>, key: Key) -> Result<(), Changed> {
        let root = full.node.lock(full.version)?;
        let left = self.arena.take();
        let lower = self.arena.node(left).take();
        root.move_tail(0, &lower);
        let (right, first) = self.split_off(&lower, key);
        root.set(0, 0, left);
        root.set(1, first, right);
        root.set_header(Header { len: 2, level: full.header.level + 1, obsolete: false });
        Ok(())
    }

    /// Moves the upper part of a node into a new one; gives its number and the smallest key that goes there.
    fn split_off(&self, node: &Locked<'_, F>, key: Key) -> (u32, Key) {
        let Header { len, level, .. } = node.header();
        // Keys that only ascend leave full leaves behind.
        let grows = key > node.key(len - 1);
        let from = if grows { len - 1 } else { len / 2 };
        let number = self.arena.take();
        let upper = self.arena.node(number).take();
        if grows && level == 0 {
            upper.set_header(Header { len: 0, level, obsolete: false });
            return (number, key);
        }
        node.move_tail(from, &upper);
        (number, upper.key(0))
    }

    /// Puts `value` at `key`. **Errors**: what stands there already.
    ///
    /// **Cost**: a way down, some 100 ns, and half a leaf moved.
    pub(crate) fn insert(&self, key: Key, value: u32) -> Result<(), u32> {
        loop {
            if let Ok(result) = self.try_insert(key, value) {
                return result;
            }
        }
    }

    fn try_insert(&self, key: Key, value: u32) -> Result<Result<(), u32>, Changed> {
        let leaf = self.down(key, true)?.leaf;
        let at = leaf.node.lower_bound(0, leaf.header.len, key);
        if at < leaf.header.len && leaf.node.key(at) == key {
            let there = leaf.node.value(at);
            leaf.node.check(leaf.version)?;
            return Ok(Err(there));
        }
        leaf.node.lock(leaf.version)?.insert(at, key, value);
        Ok(Ok(()))
    }

    /// Puts entries in whose keys ascend. Those whose key is there already, or has just come, are left: they
    /// are added to `left`.
    ///
    /// **Cost**: a way down for each leaf that gets some; what a leaf has is moved once.
    pub(crate) fn insert_all(&self, entries: &[Entry], left: &mut Vec<Entry>) {
        debug_assert!(entries.is_sorted_by_key(|(key, _)| *key));
        let mut rest = entries;
        while let Some((first, _)) = rest.first() {
            // An attempt that fails has written nothing.
            if let Ok(len) = self.try_insert_run(*first, rest, left) {
                rest = rest.get(len..).unwrap_or_default();
            }
        }
    }

    /// Puts as many entries in as belong to the leaf of the first and have room; gives how many were looked
    /// at.
    fn try_insert_run(&self, first: Key, entries: &[Entry], left: &mut Vec<Entry>) -> Result<usize, Changed> {
        let Way { leaf, end, .. } = self.down(first, true)?;
        let here = entries.iter().take(F - leaf.header.len);
        let len = here.take_while(|(key, _)| end.is_none_or(|end| *key < end)).count();
        let locked = leaf.node.lock(leaf.version)?;
        locked.merge(entries.get(..len).unwrap_or_default(), left);
        Ok(len)
    }

    /// Takes `key` out; gives what stood there.
    #[cfg(test)]
    pub(crate) fn remove(&self, key: Key) -> Option<u32> {
        self.remove_if(key, |_| true)
    }

    /// Takes `key` out if what stands there is wanted; gives it.
    pub(crate) fn remove_if(&self, key: Key, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        loop {
            if let Ok(result) = self.try_remove(key, &wanted) {
                return result;
            }
        }
    }

    fn try_remove(&self, key: Key, wanted: impl Fn(u32) -> bool) -> Result<Option<u32>, Changed> {
        let Way { parent, leaf, .. } = self.down(key, false)?;
        let at = leaf.node.lower_bound(0, leaf.header.len, key);
        let found = at < leaf.header.len && leaf.node.key(at) == key;
        let value = leaf.node.value(at);
        leaf.node.check(leaf.version)?;
        if !found || !wanted(value) {
            return Ok(None);
        }
        match parent {
            Some((above, place)) if leaf.header.len == 1 && above.header.len > 1 => {
                let parent = above.node.lock(above.version)?;
                let empty = leaf.node.lock(leaf.version)?;
                empty.set_header(Header { len: 0, level: 0, obsolete: true });
                parent.remove(place);
                drop(empty);
                drop(parent);
                self.arena.give_back(leaf.number);
            }
            _ => leaf.node.lock(leaf.version)?.remove(at),
        }
        Ok(Some(value))
    }

    /// What stands at `key`.
    #[cfg(test)]
    pub(crate) fn get(&self, key: Key) -> Option<u32> {
        let mut found = None;
        let _ = self.scan(key, key, &mut |entries: &[Entry]| {
            found = entries.first().map(|(_, value)| *value);
            ControlFlow::Break(())
        });
        found
    }

    /// Takes entries out whose keys ascend. Those that are not there, or where something else stands at the
    /// key, are added to `left`.
    ///
    /// **Cost**: a way down for each leaf that has some; what stays in a leaf is moved once.
    pub(crate) fn remove_all(&self, entries: &[Entry], left: &mut Vec<Entry>) {
        debug_assert!(entries.is_sorted_by_key(|(key, _)| *key));
        let mut rest = entries;
        while let Some((first, _)) = rest.first() {
            // An attempt that fails has written nothing.
            if let Ok(len) = self.try_remove_run(*first, rest, left) {
                rest = rest.get(len..).unwrap_or_default();
            }
        }
    }

    /// Takes those entries out that belong to the leaf of the first; gives how many these are.
    fn try_remove_run(&self, first: Key, entries: &[Entry], left: &mut Vec<Entry>) -> Result<usize, Changed> {
        let Way { parent, leaf, end, .. } = self.down(first, false)?;
        let run = entries.iter().take_while(|(key, _)| end.is_none_or(|end| *key < end));
        let len = run.count();
        let run = entries.get(..len).unwrap_or_default();
        let from = leaf.node.lower_bound(0, leaf.header.len, first);
        // A leaf that may become empty is taken out of its parent, which is locked first.
        let above = parent.filter(|(above, _)| from == 0 && leaf.header.len <= len && above.header.len > 1);
        let above = match &above {
            Some((above, place)) => Some((above.node.lock(above.version)?, *place)),
            None => None,
        };
        let own = leaf.node.lock(leaf.version)?;
        own.take_out(from, run, left);
        let header = own.header();
        match above {
            Some((above, place)) if header.len == 0 => {
                own.set_header(Header { obsolete: true, ..header });
                above.remove(place);
                drop(own);
                drop(above);
                self.arena.give_back(leaf.number);
            }
            _ => drop(own),
        }
        Ok(len)
    }

    /// Gives the entries with keys from `first` to `last`, both included, in order, some of a leaf at a
    /// time.
    ///
    /// **Cost**: a way down for the leaves below one node, and a copy of what is in the range.
    pub(crate) fn scan(
        &self,
        first: Key,
        last: Key,
        each: &mut dyn FnMut(&[Entry]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut buffer = [(0, 0); PART];
        let (mut from, mut next) = (first, None);
        'leaf: loop {
            let Some(way) = next.take().or_else(|| self.down(from, false).ok()) else { continue };
            let Way { leaf, end, .. } = way;
            let mut at = leaf.node.lower_bound(0, leaf.header.len, from);
            let mut is_over = false;
            while at < leaf.header.len && !is_over {
                let mut len = 0;
                for (entry, place) in buffer.iter_mut().zip(at..leaf.header.len) {
                    let key = leaf.node.key(place);
                    if key > last {
                        is_over = true;
                        break;
                    }
                    *entry = (key, leaf.node.value(place));
                    len += 1;
                }
                if leaf.node.check(leaf.version).is_err() {
                    continue 'leaf;
                }
                let part = buffer.get(..len).unwrap_or_default();
                let Some((key, _)) = part.last() else { break };
                each(part)?;
                if *key >= last {
                    return ControlFlow::Continue(());
                }
                // Where the leaf is changed now, it goes on from here.
                from = key + 1;
                at += len;
            }
            // That nothing more is in it was read, too.
            if leaf.node.check(leaf.version).is_err() {
                continue;
            }
            match end {
                Some(end) if end <= last && !is_over => (from, next) = (end, self.beside(&way)),
                _ => return ControlFlow::Continue(()),
            }
        }
    }

    /// Gives all nodes of the tree back. Nobody may read or write it any more.
    #[cfg(test)]
    pub(crate) fn free(self) {
        self.free_below(self.root);
    }

    #[cfg(test)]
    fn free_below(&self, number: u32) {
        let node = self.arena.node(number);
        let header = node.header();
        if header.level > 0 {
            (0..header.len).for_each(|at| self.free_below(node.value(at)));
        }
        self.arena.give_back(number);
    }
}
