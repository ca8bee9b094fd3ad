//! Key spaces while loading: from a key to the node that has it, in little more room than the keys
//! themselves.
//!
//! 1. The keys of each table lie in row order: full runs of 65,536 integers as frame of reference, texts end
//!    to end.
//! 2. An open-addressing index over all tables of the space holds `used 1 · tag 15 · table 16 · row 32`; the
//!    tag spares most looks at keys that are not the one. It is cut in 64 shards by the hash, so that growing
//!    copies a 64th at a time.
//! 3. Keys are looked up in blocks: places in the index are asked for ahead, then keys of nodes that may be
//!    the ones; nothing is asked for where a key is that of the node found last or of the next one, as in
//!    files that are in the order of their nodes.
//!
//! **Cost**: 10 to 20 bytes a key for the index, and the keys. (A map from key to node id takes 19 to 39, and
//! half as much again while it grows; that was most of the peak memory of a load.)

use trimorph_base::{NodeId, TableId};
use trimorph_encoding::{Packed, pack};
use trimorph_vfs::{prefetch, prefetch_item};

use super::ColumnData;
use crate::key_index::{TakeHashes, hash_int, hash_text};

const RUN_ROWS: usize = 1 << 16;
const SHARD_BITS: u32 = 6;
const USED: u64 = 1 << 63;
const TAG_BITS: u32 = 15;
const ID_BITS: u32 = 48;
/// Keys looked up at a time: as many cache misses as a core has under way.
const BLOCK: usize = 32;
/// Blocks in which the neighbours of the node found last are not looked at, after one where that was in vain.
const UNTRIED_BLOCKS: usize = 16;

/// The keys of one space: integers and strings apart, so that `1` and `"1"` are two keys.
#[derive(Default, Debug)]
pub(crate) struct KeySpace {
    tables: Vec<TableKeys>,
    ints: Index,
    texts: Index,
}

/// The keys of one table by row; where it has keys of both kinds, a row's other key is anything.
#[derive(Default, Debug)]
struct TableKeys {
    ints: Vec<Packed>,
    ints_open: Vec<i64>,
    texts: Vec<(Vec<u8>, Packed)>,
    texts_open: (Vec<u8>, Vec<i64>),
}

#[derive(Default, Debug)]
struct Index {
    shards: Vec<Shard>,
}

#[derive(Default, Debug)]
struct Shard {
    slots: Vec<u64>,
    len: usize,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    Int(i64),
    Text(&'a [u8]),
}

impl std::fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(i) => i.fmt(f),
            Self::Text(t) => write!(f, "\"{}\"", String::from_utf8_lossy(t)),
        }
    }
}

impl Key<'_> {
    #[inline]
    fn hash(self) -> u64 {
        match self {
            Self::Int(k) => hash_int(k),
            Self::Text(k) => hash_text(k),
        }
    }
}

/// The key of row `i`; `None` if the column cannot hold keys.
#[inline]
pub(crate) fn key_at(keys: &ColumnData, i: usize) -> Option<Key<'_>> {
    match keys {
        ColumnData::Int(v) => v.get(i).map(|k| Key::Int(*k)),
        ColumnData::String { bytes, ends } => {
            let start = if i == 0 { 0 } else { ends[i - 1] as usize };
            bytes.get(start..*ends.get(i)? as usize).map(Key::Text)
        }
        _ => None,
    }
}

fn text_in(bytes: &[u8], ends: impl Fn(usize) -> i64, i: usize) -> &[u8] {
    let at = |i: usize| usize::try_from(ends(i)).unwrap_or(usize::MAX);
    let start = if i == 0 { 0 } else { at(i - 1) };
    bytes.get(start..at(i)).unwrap_or_default()
}

impl TableKeys {
    fn int(&self, row: usize) -> i64 {
        match self.ints.get(row / RUN_ROWS) {
            Some(run) => run.view().get(row % RUN_ROWS),
            None => self.ints_open.get(row % RUN_ROWS).copied().unwrap_or(0),
        }
    }

    fn text(&self, row: usize) -> &[u8] {
        match self.texts.get(row / RUN_ROWS) {
            Some((bytes, ends)) => text_in(bytes, |i| ends.view().get(i), row % RUN_ROWS),
            None if row % RUN_ROWS < self.texts_open.1.len() => {
                text_in(&self.texts_open.0, |i| self.texts_open.1[i], row % RUN_ROWS)
            }
            None => &[],
        }
    }

    #[inline]
    fn is(&self, key: Key<'_>, row: usize) -> bool {
        match key {
            Key::Int(k) => self.int(row) == k,
            Key::Text(k) => self.text(row) == k,
        }
    }

    /// Whether a row has this key, looked at without the index: only where all rows have keys of one kind, so
    /// that no row is filled up.
    #[inline]
    fn surely_is(&self, key: Key<'_>, row: usize) -> bool {
        let ints = self.ints.len() * RUN_ROWS + self.ints_open.len();
        let texts = self.texts.len() * RUN_ROWS + self.texts_open.1.len();
        match key {
            Key::Int(k) => row < ints && texts == 0 && self.int(row) == k,
            Key::Text(k) => row < texts && ints == 0 && self.text(row) == k,
        }
    }

    /// Asks for the key of a row.
    #[inline]
    fn ask_for(&self, row: usize) {
        if let Some(run) = self.ints.get(row / RUN_ROWS) {
            prefetch(&run.bytes, (row % RUN_ROWS * usize::from(run.bits)) >> 3);
        } else if let Some((_, ends)) = self.texts.get(row / RUN_ROWS) {
            prefetch(&ends.bytes, (row % RUN_ROWS * usize::from(ends.bits)) >> 3);
        }
    }

    fn push(&mut self, key: Key<'_>, row: usize) {
        match key {
            Key::Int(k) => {
                while self.ints.len() * RUN_ROWS + self.ints_open.len() < row {
                    self.push_int(0);
                }
                self.push_int(k);
            }
            Key::Text(k) => {
                while self.texts.len() * RUN_ROWS + self.texts_open.1.len() < row {
                    self.push_text(&[]);
                }
                self.push_text(k);
            }
        }
    }

    fn push_int(&mut self, key: i64) {
        self.ints_open.push(key);
        if self.ints_open.len() == RUN_ROWS {
            self.ints.push(pack(&self.ints_open));
            self.ints_open.clear();
        }
    }

    fn push_text(&mut self, key: &[u8]) {
        let (bytes, ends) = &mut self.texts_open;
        bytes.extend_from_slice(key);
        ends.push(bytes.len() as i64);
        if ends.len() == RUN_ROWS {
            let mut run = std::mem::take(bytes);
            run.shrink_to_fit();
            self.texts.push((run, pack(ends)));
            ends.clear();
        }
    }
}

#[inline]
fn shard_of(hash: u64) -> usize {
    (hash >> (u64::BITS - SHARD_BITS)) as usize
}

#[inline]
fn first_place(hash: u64, capacity: usize) -> usize {
    ((u128::from(hash << SHARD_BITS) * capacity as u128) >> 64) as usize
}

#[inline]
fn slot_of(hash: u64, table: TableId, row: u64) -> u64 {
    USED | (hash & ((1 << TAG_BITS) - 1)) << ID_BITS | u64::from(table.0) << 32 | row
}

/// Table and row of a slot.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the bits of the table and of the row")]
fn node_of(slot: u64) -> (TableId, u32) {
    (TableId((slot >> 32) as u16), slot as u32)
}

impl Shard {
    /// The place where probing for `hash` ends: the slot for which `is` holds, or an empty one. There is one.
    #[inline]
    fn probe(&self, hash: u64, is: impl Fn(TableId, u32) -> bool) -> usize {
        let tag = slot_of(hash, TableId(0), 0) >> ID_BITS;
        let mut at = first_place(hash, self.slots.len());
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return at;
            }
            let (table, row) = node_of(slot);
            if slot >> ID_BITS == tag && is(table, row) {
                return at;
            }
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
    }

    fn grow(&mut self, tables: &[TableKeys], hash_at: impl Fn(&TableKeys, u32) -> u64) {
        let capacity = (self.slots.len() * 2).max(8);
        let old = std::mem::replace(&mut self.slots, vec![0; capacity]);
        for block in old.chunks(BLOCK) {
            let known = || {
                let used = block.iter().filter(|slot| **slot != 0);
                used.filter_map(|slot| Some((*slot, keys_of(tables, node_of(*slot).0)?, node_of(*slot).1)))
            };
            known().for_each(|(_, keys, row)| keys.ask_for(row as usize));
            for (slot, keys, row) in known() {
                let at = self.probe(hash_at(keys, row), |_, _| false);
                self.slots[at] = slot;
            }
        }
    }
}

impl Index {
    fn shard(&mut self, hash: u64) -> &mut Shard {
        if self.shards.is_empty() {
            self.shards.resize_with(1 << SHARD_BITS, Shard::default);
        }
        &mut self.shards[shard_of(hash)]
    }

    /// Asks for the place where probing for a hash begins.
    #[inline]
    fn ask_for(&self, hash: u64) {
        if let Some(shard) = self.shards.get(shard_of(hash)) {
            prefetch_item(&shard.slots, first_place(hash, shard.slots.len()));
        }
    }

    /// The slot where probing for a hash begins; an empty one where there is none.
    #[inline]
    fn first(&self, hash: u64) -> u64 {
        let shard = self.shards.get(shard_of(hash));
        shard.and_then(|s| s.slots.get(first_place(hash, s.slots.len()))).copied().unwrap_or(0)
    }
}

fn keys_of(tables: &[TableKeys], table: TableId) -> Option<&TableKeys> {
    tables.get(usize::from(table.0))
}

impl KeySpace {
    /// Gives `key` to the node `row` of `table`; `false` if another node has it. Rows of a table come in
    /// order.
    #[cfg(test)]
    fn insert(&mut self, key: Key<'_>, table: TableId, row: u32) -> bool {
        self.insert_hashed(key, key.hash(), table, row)
    }

    /// Gives the keys of a batch to the rows of `table` from `row` on. What another node has is told to
    /// `duplicate` by its place in the batch, and takes no row.
    pub(crate) fn insert_all<E>(
        &mut self,
        keys: &ColumnData,
        table: TableId,
        mut row: u32,
        mut duplicate: impl FnMut(usize, Key<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut hashes = [0; BLOCK];
        for start in (0..keys.len()).step_by(BLOCK) {
            let block = (start..keys.len().min(start + BLOCK)).zip(&mut hashes);
            for (key, hash) in block.filter_map(|(i, hash)| Some((key_at(keys, i)?, hash))) {
                *hash = key.hash();
                let index = if matches!(key, Key::Int(_)) { &self.ints } else { &self.texts };
                index.ask_for(*hash);
            }
            for (i, hash) in (start..keys.len()).zip(hashes) {
                let Some(key) = key_at(keys, i) else { continue };
                if self.insert_hashed(key, hash, table, row) {
                    row = row.saturating_add(1);
                } else {
                    duplicate(i, key)?;
                }
            }
        }
        Ok(())
    }

    fn insert_hashed(&mut self, key: Key<'_>, hash: u64, table: TableId, row: u32) -> bool {
        let Self { tables, ints, texts } = self;
        if tables.len() <= usize::from(table.0) {
            tables.resize_with(usize::from(table.0) + 1, TableKeys::default);
        }
        let shard = match key {
            Key::Int(_) => ints.shard(hash),
            Key::Text(_) => texts.shard(hash),
        };
        if (shard.len + 1) * 5 > shard.slots.len() * 4 {
            shard.grow(tables, |keys, row| match key {
                Key::Int(_) => hash_int(keys.int(row as usize)),
                Key::Text(_) => hash_text(keys.text(row as usize)),
            });
        }
        let at = shard.probe(hash, |t, r| keys_of(tables, t).is_some_and(|keys| keys.is(key, r as usize)));
        if shard.slots[at] != 0 {
            return false;
        }
        shard.slots[at] = slot_of(hash, table, row.into());
        shard.len += 1;
        tables[usize::from(table.0)].push(key, row as usize);
        true
    }

    /// The node that has `key`.
    #[inline]
    pub(crate) fn find(&self, key: Key<'_>) -> Option<NodeId> {
        let index = match key {
            Key::Int(_) => &self.ints,
            Key::Text(_) => &self.texts,
        };
        self.find_hashed(index, key, key.hash())
    }

    #[inline]
    fn find_hashed(&self, index: &Index, key: Key<'_>, hash: u64) -> Option<NodeId> {
        let shard = index.shards.get(shard_of(hash)).filter(|s| !s.slots.is_empty())?;
        let is = |t, r: u32| keys_of(&self.tables, t).is_some_and(|keys| keys.is(key, r as usize));
        let slot = shard.slots[shard.probe(hash, is)];
        let (table, row) = node_of(slot);
        (slot != 0).then(|| NodeId::new(table, row.into()))
    }

    /// The nodes that have the keys of a column; `None` as soon as one is not known.
    pub(crate) fn find_all(&self, keys: &ColumnData) -> Option<Vec<NodeId>> {
        match keys {
            ColumnData::Int(keys) => self.find_each(&self.ints, keys.len(), |i| Key::Int(keys[i])),
            ColumnData::String { ends, .. } => {
                self.find_each(&self.texts, ends.len(), |i| key_at(keys, i).unwrap_or(Key::Text(&[])))
            }
            _ => None,
        }
    }

    /// **Cost**: for a key that is not the last one's or the next one's, two cache misses, up to 32 under
    /// way.
    #[inline]
    fn find_each<'k>(
        &self,
        index: &Index,
        len: usize,
        key: impl Fn(usize) -> Key<'k>,
    ) -> Option<Vec<NodeId>> {
        let mut found: Vec<NodeId> = Vec::with_capacity(len);
        let mut open = [(0, 0); BLOCK];
        // Where no key of a block was near the one before, the next blocks are not tried.
        let mut untried = 0;
        for start in (0..len).step_by(BLOCK) {
            let end = len.min(start + BLOCK);
            let mut last = found.last().copied();
            let mut count = 0;
            for i in start..end {
                let key = key(i);
                let near = match last {
                    Some(last) if untried == 0 => self.near(key, last),
                    _ => None,
                };
                if near.is_some() {
                    last = near;
                } else {
                    let hash = key.hash();
                    index.ask_for(hash);
                    open[count] = (i, hash);
                    count += 1;
                }
                found.push(near.unwrap_or(NodeId(0)));
            }
            untried = match untried {
                0 if count == end - start && start > 0 => UNTRIED_BLOCKS,
                _ => untried.saturating_sub(1),
            };
            for (_, hash) in &open[..count] {
                let (table, row) = node_of(index.first(*hash));
                if let Some(keys) = keys_of(&self.tables, table) {
                    keys.ask_for(row as usize);
                }
            }
            for (i, hash) in &open[..count] {
                found[*i] = self.find_hashed(index, key(*i), *hash)?;
            }
        }
        Some(found)
    }

    /// The node that was found last, or the next one, if it has the key.
    #[inline]
    fn near(&self, key: Key<'_>, last: NodeId) -> Option<NodeId> {
        let keys = keys_of(&self.tables, last.table())?;
        let row = last.row() as usize;
        if keys.surely_is(key, row) {
            return Some(last);
        }
        keys.surely_is(key, row + 1).then(|| NodeId::new(last.table(), last.row() + 1))
    }

    /// Calls `take` with hash and row of each key of one table, a block at a time, in the order of rows.
    pub(crate) fn hashes(&self, table: TableId, take: &mut TakeHashes<'_>) {
        // Only keys that were given are in the index; those that fill a run up are not.
        let Some(keys) = keys_of(&self.tables, table) else { return };
        let ints = keys.ints.len() * RUN_ROWS + keys.ints_open.len();
        let texts = keys.texts.len() * RUN_ROWS + keys.texts_open.1.len();
        let is_own = |key: Key<'_>, row: u32| {
            ints == 0 || texts == 0 || self.find(key) == Some(NodeId::new(table, row.into()))
        };
        let mut block = Vec::with_capacity(BLOCK);
        #[expect(clippy::cast_possible_truncation, reason = "a node table has fewer than 2^32 rows")]
        for row in 0..ints.max(texts) {
            let id = row as u32;
            if row < ints && is_own(Key::Int(keys.int(row)), id) {
                block.push((hash_int(keys.int(row)), id));
            } else if row < texts {
                block.push((hash_text(keys.text(row)), id));
            }
            if block.len() == BLOCK {
                take(&block);
                block.clear();
            }
        }
        take(&block);
    }

    /// Bytes of memory, about.
    pub(crate) fn bytes(&self) -> usize {
        let slots = |index: &Index| index.shards.iter().map(|s| s.slots.capacity() * 8).sum::<usize>();
        let keys = self.tables.iter().map(|t| {
            let ints = t.ints.iter().map(|p| p.bytes.len()).sum::<usize>() + t.ints_open.capacity() * 8;
            let texts = t.texts.iter().map(|(bytes, ends)| bytes.len() + ends.bytes.len()).sum::<usize>();
            ints + texts + t.texts_open.0.capacity() + t.texts_open.1.capacity() * 8
        });
        slots(&self.ints) + slots(&self.texts) + keys.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn texts_of(texts: impl Iterator<Item = String>) -> ColumnData {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for text in texts {
            bytes.extend_from_slice(text.as_bytes());
            ends.push(u32::try_from(bytes.len()).unwrap());
        }
        ColumnData::String { bytes, ends }
    }

    /// Columns in the order of nodes, each key twice or not, and in any order.
    fn check_all(space: &KeySpace, ints: &HashMap<i64, NodeId>, texts: &HashMap<String, NodeId>) {
        let mut int_keys: Vec<(NodeId, i64)> = ints.iter().map(|(k, n)| (*n, *k)).collect();
        let mut text_keys: Vec<(NodeId, String)> = texts.iter().map(|(k, n)| (*n, k.clone())).collect();
        for _ in 0..2 {
            let twice = int_keys.iter().flat_map(|k| std::iter::repeat_n(*k, 1 + usize::from(k.1 % 3 == 0)));
            let (nodes, keys): (Vec<_>, Vec<_>) = twice.unzip();
            assert_eq!(space.find_all(&ColumnData::Int(keys)), Some(nodes));
            let nodes: Vec<NodeId> = text_keys.iter().map(|k| k.0).collect();
            assert_eq!(space.find_all(&texts_of(text_keys.iter().map(|k| k.1.clone()))), Some(nodes));
            int_keys.sort_unstable();
            text_keys.sort_unstable();
        }
        assert_eq!(space.find_all(&ColumnData::Int(vec![int_keys[0].1, -1, int_keys[1].1])), None);
        assert_eq!(space.find_all(&ColumnData::Float(vec![0.0])), None);
    }

    #[test]
    fn batches_take_rows_and_tell_duplicates() {
        let mut space = KeySpace::default();
        // Text filling an integer's row up must not be taken for a key of its own.
        let batches = [
            (ColumnData::Int((0..70_000).map(|i| i % 69_000).collect()), 1_000),
            (ColumnData::Int(vec![0, 80_000, 80_000, 80_001]), 2),
            (texts_of(["a", "", "a"].map(str::to_owned).into_iter()), 1),
        ];
        let mut row = 0;
        for (keys, expected) in batches {
            let mut told = Vec::new();
            let done: Result<(), ()> = space.insert_all(&keys, TableId(1), row, |i, _| {
                told.push(i);
                Ok(())
            });
            assert_eq!((done, told.len()), (Ok(()), expected));
            row += u32::try_from(keys.len() - told.len()).unwrap();
            let found = space.find_all(&keys).unwrap();
            assert!(
                found.iter().enumerate().all(|(i, n)| *n == space.find(key_at(&keys, i).unwrap()).unwrap())
            );
        }
        assert_eq!(row, 69_004);
        assert_eq!(space.find_all(&ColumnData::Int(vec![80_001, 0])).unwrap()[1], NodeId::new(TableId(1), 0));
        let stopped =
            space.insert_all(&ColumnData::Int(vec![90_000, 5]), TableId(1), row, |_, _| Err("stop"));
        assert_eq!(stopped, Err("stop"));
    }

    #[test]
    fn finds_what_a_map_finds() {
        let mut space = KeySpace::default();
        let mut ints: HashMap<i64, NodeId> = HashMap::new();
        let mut texts: HashMap<String, NodeId> = HashMap::new();
        let mut rows = [0u32; 3];
        let mut seed = 42u64;
        for _ in 0..300_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let draw = (seed >> 33).cast_signed();
            let table = TableId(u16::try_from(draw % 3).unwrap());
            let row = &mut rows[usize::from(table.0)];
            let node = NodeId::new(table, (*row).into());
            let key = draw / 3 % 150_000;
            // Table 0 has integers, table 1 texts, table 2 both.
            let given = if table.0 == 0 || (table.0 == 2 && draw % 7 == 0) {
                let fresh = space.insert(Key::Int(key), table, *row);
                assert_eq!(fresh, !ints.contains_key(&key));
                fresh.then(|| ints.insert(key, node)).is_some()
            } else {
                let text = format!("k{key}");
                let fresh = space.insert(Key::Text(text.as_bytes()), table, *row);
                assert_eq!(fresh, !texts.contains_key(&text));
                fresh.then(|| texts.insert(text, node)).is_some()
            };
            *row += u32::from(given);
        }
        for key in 0..150_000 {
            assert_eq!(space.find(Key::Int(key)), ints.get(&key).copied());
            let text = format!("k{key}");
            assert_eq!(space.find(Key::Text(text.as_bytes())), texts.get(&text).copied());
        }
        check_all(&space, &ints, &texts);
        for (table, rows) in rows.iter().enumerate() {
            let mut seen = Vec::new();
            space.hashes(TableId(u16::try_from(table).unwrap()), &mut |block| {
                seen.extend(block.iter().map(|(_, row)| *row))
            });
            assert_eq!(seen, (0..*rows).collect::<Vec<_>>());
        }
        assert!(space.find(Key::Text(b"")).is_none());
    }
}
