//! A node of the tree: a version word, keys, and a value for each; read without a lock.
//!
//! ```text
//! version   bit 0: somebody writes; the rest counts how often it was written, also when it was another node
//! header    number of keys (32) · level (31): 0 for a leaf · obsolete (1)
//! high, low keys, ascending, in two halves
//! values    leaf: what stands at the key; inner node: the child whose keys are at least that key. The first
//!           child's key says nothing: it has all that are smaller than the second's
//! ```
//!
//! A reader takes the version, reads what it wants, and asks whether the version is still the same; if not,
//! what it read is worth nothing. All of it is atomics, so that what it read meanwhile is a wrong number and
//! no more. A writer's stores come after the version says that somebody writes, and before it says that
//! nobody does.
//!
//! Source: Leis, Scheibner, Kemper and Neumann, The ART of practical synchronization, DaMoN 2016; Boehm, Can
//! seqlocks get along with programming language memory models?, MSPC 2012.

use std::ops::Range;

use trimorph_vfs::prefetch_item;

use super::sync::{AtomicU32, AtomicU64, Ordering, fence, wait};

/// A key of 128 bits.
pub(crate) type Key = u128;

/// A node of up to `F` keys.
#[derive(Debug)]
pub(super) struct Node<const F: usize> {
    version: AtomicU64,
    header: AtomicU64,
    high: [AtomicU64; F],
    low: [AtomicU64; F],
    values: [AtomicU32; F],
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// Keys in it.
    pub(super) len: usize,
    /// 0 for a leaf.
    pub(super) level: u32,
    /// No longer in the tree.
    pub(super) obsolete: bool,
}

/// The version at which a node was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Version(u64);

/// A node was written meanwhile: start over.
#[derive(Debug)]
pub(super) struct Changed;

const LOCKED: u64 = 1;

impl<const F: usize> Default for Node<F> {
    fn default() -> Self {
        Self {
            version: AtomicU64::new(0),
            header: AtomicU64::new(0),
            high: std::array::from_fn(|_| AtomicU64::new(0)),
            low: std::array::from_fn(|_| AtomicU64::new(0)),
            values: std::array::from_fn(|_| AtomicU32::new(0)),
        }
    }
}

impl<const F: usize> Node<F> {
    /// The version to read it at; waits while somebody writes.
    #[inline]
    pub(super) fn read(&self) -> Version {
        loop {
            let version = self.version.load(Ordering::Acquire);
            if version & LOCKED == 0 {
                return Version(version);
            }
            wait();
        }
    }

    /// Whether what was read since `version` is right.
    #[inline]
    pub(super) fn check(&self, version: Version) -> Result<(), Changed> {
        fence(Ordering::Acquire);
        if self.version.load(Ordering::Relaxed) == version.0 { Ok(()) } else { Err(Changed) }
    }

    /// Begins to write, if nobody has written since `version`.
    pub(super) fn lock(&self, version: Version) -> Result<Locked<'_, F>, Changed> {
        let (from, to) = (version.0, version.0 | LOCKED);
        let taken = self.version.compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed);
        // A reader that sees one of the stores to come sees the lock, too.
        fence(Ordering::Release);
        taken.map(|_| Locked { node: self }).map_err(|_| Changed)
    }

    /// Begins to write a node that is in no tree.
    pub(super) fn take(&self) -> Locked<'_, F> {
        loop {
            if let Ok(locked) = self.lock(self.read()) {
                return locked;
            }
        }
    }

    /// What it is. A reader checks the version afterwards.
    #[inline]
    pub(super) fn header(&self) -> Header {
        let header = self.header.load(Ordering::Relaxed);
        Header {
            // Never above F, also where another node's was read.
            len: ((header >> 32) as usize).min(F),
            level: (header as u32) >> 1,
            obsolete: header & 1 == 1,
        }
    }

    /// The key at a place.
    #[inline]
    pub(super) fn key(&self, at: usize) -> Key {
        let load = |half: &[AtomicU64; F]| half.get(at).map_or(0, |k| k.load(Ordering::Relaxed));
        u128::from(load(&self.high)) << 64 | u128::from(load(&self.low))
    }

    /// The value at a place.
    #[inline]
    pub(super) fn value(&self, at: usize) -> u32 {
        self.values.get(at).map_or(0, |v| v.load(Ordering::Relaxed))
    }

    /// What is at places, ascending. A reader checks the version afterwards.
    #[inline]
    pub(super) fn entries(&self, places: Range<usize>) -> impl ExactSizeIterator<Item = (Key, u32)> {
        let high = self.high.get(places.clone()).unwrap_or_default();
        let low = self.low.get(places.clone()).unwrap_or_default();
        let values = self.values.get(places).unwrap_or_default();
        high.iter().zip(low).zip(values).map(|((high, low), value)| {
            let high = u128::from(high.load(Ordering::Relaxed)) << 64;
            (high | u128::from(low.load(Ordering::Relaxed)), value.load(Ordering::Relaxed))
        })
    }

    /// Hints that the node will be searched: at what it is, and where a search looks first.
    #[inline]
    pub(super) fn prefetch(&self) {
        prefetch_item(std::slice::from_ref(&self.version), 0);
        // A node is half full at least, as a rule: the middle of what is there, and of its halves.
        for eighth in 1..7 {
            prefetch_item(&self.high, F * eighth / 8);
        }
    }

    /// Hints that entries from a place on will be read.
    #[inline]
    pub(super) fn prefetch_entries(&self, at: usize) {
        // Lines of 8 halves of keys, or of 16 values.
        for line in 0..4 {
            prefetch_item(&self.high, at + line * 8);
            prefetch_item(&self.low, at + line * 8);
        }
        for line in 0..2 {
            prefetch_item(&self.values, at + line * 16);
        }
    }

    /// The first place from `from` to `len` whose key is not below `key`.
    #[inline]
    pub(super) fn lower_bound(&self, mut from: usize, len: usize, key: Key) -> usize {
        let load = |half: &[AtomicU64; F], at: usize| half.get(at).map_or(0, |k| k.load(Ordering::Relaxed));
        let (high, low) = ((key >> 64) as u64, key as u64);
        let mut left = len.saturating_sub(from);
        while left > 0 {
            let half = left / 2;
            // Most comparisons touch one array: fewer lines of cache on the way.
            let there = load(&self.high, from + half);
            let below = there < high || (there == high && load(&self.low, from + half) < low);
            from = if below { from + half + 1 } else { from };
            left = if below { left - half - 1 } else { half };
        }
        from
    }

    /// The place of the child that has `key`.
    #[inline]
    pub(super) fn child_place(&self, len: usize, key: Key) -> usize {
        let at = self.lower_bound(1, len, key);
        if at < len && self.key(at) == key { at } else { at.saturating_sub(1) }
    }
}

/// A node while its holder writes it.
pub(super) struct Locked<'n, const F: usize> {
    node: &'n Node<F>,
}

impl<const F: usize> Drop for Locked<'_, F> {
    fn drop(&mut self) {
        // Nobody else writes the version while it says that somebody does.
        let version = self.node.version.load(Ordering::Relaxed);
        self.node.version.store((version | LOCKED) + 1, Ordering::Release);
    }
}

impl<const F: usize> Locked<'_, F> {
    /// What it is.
    pub(super) fn header(&self) -> Header {
        self.node.header()
    }

    /// The key at a place.
    pub(super) fn key(&self, at: usize) -> Key {
        self.node.key(at)
    }

    /// The value at a place.
    pub(super) fn value(&self, at: usize) -> u32 {
        self.node.value(at)
    }

    /// Says what it is.
    pub(super) fn set_header(&self, header: Header) {
        let bits = (header.len as u64) << 32 | u64::from(header.level) << 1 | u64::from(header.obsolete);
        self.node.header.store(bits, Ordering::Relaxed);
    }

    /// Writes key and value at a place.
    pub(super) fn set(&self, at: usize, key: Key, value: u32) {
        if let (Some(high), Some(low), Some(slot)) =
            (self.node.high.get(at), self.node.low.get(at), self.node.values.get(at))
        {
            high.store((key >> 64) as u64, Ordering::Relaxed);
            low.store(key as u64, Ordering::Relaxed);
            slot.store(value, Ordering::Relaxed);
        }
    }

    /// Puts key and value in at a place; there must be room.
    pub(super) fn insert(&self, at: usize, key: Key, value: u32) {
        let header = self.header();
        for i in (at..header.len).rev() {
            self.set(i + 1, self.key(i), self.value(i));
        }
        self.set(at, key, value);
        self.set_header(Header { len: header.len + 1, ..header });
    }

    /// Puts entries in whose keys ascend; there must be room. Those whose key is there are added to `left`.
    pub(super) fn merge(&self, entries: &[(Key, u32)], left: &mut Vec<(Key, u32)>) {
        let header = self.header();
        // Which ones are new, and where each goes, among those that are there: small numbers, so that a few
        // entries cost no more than they must.
        let (mut fresh, mut places, mut count) = ([0_u16; F], [0_u16; F], 0);
        let (mut at, mut last) = (0, None);
        for (which, entry) in entries.iter().enumerate() {
            at = self.node.lower_bound(at, header.len, entry.0);
            let is_there = at < header.len && self.key(at) == entry.0;
            if is_there || last == Some(entry.0) {
                left.push(*entry);
                continue;
            }
            last = Some(entry.0);
            (fresh[count], places[count]) = (which as u16, at as u16);
            count += 1;
        }
        // From behind, so that each is moved once.
        let mut end = header.len;
        for (before, (which, place)) in fresh.into_iter().zip(places).take(count).enumerate().rev() {
            let place = usize::from(place);
            for i in (place..end).rev() {
                self.set(i + before + 1, self.key(i), self.value(i));
            }
            if let Some((key, value)) = entries.get(usize::from(which)) {
                self.set(place + before, *key, *value);
            }
            end = place;
        }
        self.set_header(Header { len: header.len + count, ..header });
    }

    /// Takes what is at a place out.
    pub(super) fn remove(&self, at: usize) {
        let header = self.header();
        for i in at + 1..header.len {
            self.set(i - 1, self.key(i), self.value(i));
        }
        self.set_header(Header { len: header.len.saturating_sub(1), ..header });
    }

    /// Takes entries out whose keys ascend, from `from` on; those that are not there are added to `left`.
    pub(super) fn take_out(&self, from: usize, entries: &[(Key, u32)], left: &mut Vec<(Key, u32)>) {
        let header = self.header();
        let mut rest = entries.iter().peekable();
        let mut end = from;
        for at in from..header.len {
            let own = (self.key(at), self.value(at));
            let mut goes = false;
            while let Some(entry) = rest.next_if(|entry| entry.0 <= own.0) {
                match *entry == own {
                    true => goes = true,
                    false => left.push(*entry),
                }
            }
            if goes {
                continue;
            }
            if end < at {
                self.set(end, own.0, own.1);
            }
            end += 1;
        }
        left.extend(rest);
        self.set_header(Header { len: end, ..header });
    }

    /// Moves the last `count` entries before those of `other`, which has room.
    pub(super) fn give_last(&self, count: usize, other: &Self) {
        let (own, there) = (self.header(), other.header());
        for i in (0..there.len).rev() {
            other.set(i + count, other.key(i), other.value(i));
        }
        let from = own.len.saturating_sub(count);
        for i in from..own.len {
            other.set(i - from, self.key(i), self.value(i));
        }
        other.set_header(Header { len: there.len + count, ..there });
        self.set_header(Header { len: from, ..own });
    }

    /// Moves the first `count` entries behind those of `other`, which has room.
    pub(super) fn give_first(&self, count: usize, other: &Self) {
        let (own, there) = (self.header(), other.header());
        for i in 0..count {
            other.set(there.len + i, self.key(i), self.value(i));
        }
        for i in count..own.len {
            self.set(i - count, self.key(i), self.value(i));
        }
        other.set_header(Header { len: there.len + count, ..there });
        self.set_header(Header { len: own.len.saturating_sub(count), ..own });
    }

    /// Moves what is from `from` on to `other`, which is made a node of the same level.
    pub(super) fn move_tail(&self, from: usize, other: &Self) {
        let header = self.header();
        for i in from..header.len {
            other.set(i - from, self.key(i), self.value(i));
        }
        other.set_header(Header { len: header.len - from, obsolete: false, ..header });
        self.set_header(Header { len: from, ..header });
    }
}
