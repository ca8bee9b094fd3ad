//! Records by edge, and other maps by edge: those whose ids follow each other lie in the same map, side by
//! side.
//!
//! Whoever goes over edges goes over pages and their positions: with a hash that scatters them, each would be
//! a miss of the cache.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{PoisonError, RwLock};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use trimorph_base::EdgeId;

use crate::records::Records;

/// Maps that edges are spread over, so that writers seldom wait for each other.
pub(crate) const SHARDS: usize = 64;

/// Ids that lie side by side: as many as the hash table compares at once.
const BLOCK_BITS: u32 = 4;

/// Things by the ids of edges.
pub(crate) type EdgeMap<T> = HashMap<u64, T, BuildHasherDefault<EdgeHasher>>;

/// Hashes the id of an edge.
#[derive(Default)]
pub(crate) struct EdgeHasher(u64);

/// All bits of what is given in each bit of what comes out (the finalizer of MurmurHash3).
fn mixed(block: u64) -> u64 {
    let mixed = (block ^ block >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let mixed = (mixed ^ mixed >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    mixed ^ mixed >> 33
}

/// Which map an edge is in.
#[inline]
pub(crate) fn shard_of(edge: u64) -> usize {
    // Bits that no map of less than 2^40 entries looks at.
    (mixed(edge >> BLOCK_BITS) >> 44) as usize % SHARDS
}

impl Hasher for EdgeHasher {
    #[inline]
    fn write_u64(&mut self, edge: u64) {
        let (within, mixed) = (edge & ((1 << BLOCK_BITS) - 1), mixed(edge >> BLOCK_BITS));
        // The lowest bits say where it lies; the highest seven tell those apart that lie there.
        let place = (mixed << BLOCK_BITS | within) & (u64::MAX >> 7);
        self.0 = place | (mixed >> 57 ^ within) << 57;
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(self.0 << 8 | u64::from(*byte));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// Records by edge: numbers only, since a record says which edge it is of. A record is taken out of here
/// before it is of another edge, or of none.
#[derive(Debug)]
pub(crate) struct ByEdge([RwLock<HashTable<u32>>; SHARDS]);

impl Default for ByEdge {
    fn default() -> Self {
        Self(std::array::from_fn(|_| RwLock::default()))
    }
}

fn hash(edge: u64) -> u64 {
    BuildHasherDefault::<EdgeHasher>::default().hash_one(edge)
}

/// What tells the edge of a record.
fn edge_of(records: &Records) -> impl Fn(&u32) -> u64 {
    |number| records.get(*number).edge().0
}

fn put_in(shard: &mut HashTable<u32>, records: &Records, edge: u64, record: u32) {
    let of = edge_of(records);
    match shard.entry(hash(edge), |number| of(number) == edge, |number| hash(of(number))) {
        Entry::Occupied(mut there) => *there.get_mut() = record,
        Entry::Vacant(free) => {
            free.insert(record);
        }
    }
}

impl ByEdge {
    pub(crate) fn get(&self, records: &Records, edge: EdgeId) -> Option<u32> {
        let shard = self.0[shard_of(edge.0)].read().unwrap_or_else(PoisonError::into_inner);
        let of = edge_of(records);
        shard.find(hash(edge.0), |number| of(number) == edge.0).copied()
    }

    /// A record that is filled is the edge's from now on.
    pub(crate) fn put(&self, records: &Records, edge: EdgeId, record: u32) {
        let shard = &self.0[shard_of(edge.0)];
        put_in(&mut shard.write().unwrap_or_else(PoisonError::into_inner), records, edge.0, record);
    }

    /// The same for many, each map once.
    pub(crate) fn put_all(&self, records: &Records, these: &[(EdgeId, u32)]) {
        let mut counts = [0_usize; SHARDS];
        these.iter().for_each(|(edge, _)| counts[shard_of(edge.0)] += 1);
        let mut places = [0_usize; SHARDS];
        let mut end = 0;
        for (place, count) in places.iter_mut().zip(counts) {
            *place = end;
            end += count;
        }
        let mut sorted = vec![(0, 0); these.len()];
        for (edge, record) in these {
            let place = &mut places[shard_of(edge.0)];
            sorted[*place] = (edge.0, *record);
            *place += 1;
        }
        let mut first = 0;
        for (shard, count) in self.0.iter().zip(counts) {
            let these = sorted.get(first..first + count).unwrap_or_default();
            first += count;
            if !these.is_empty() {
                let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
                // As many as come: tables are twice as long each time, and looked at anew.
                let of = edge_of(records);
                shard.reserve(these.len(), |number| hash(of(number)));
                these.iter().for_each(|(edge, record)| put_in(&mut shard, records, *edge, *record));
            }
        }
    }

    /// A record is the edge's no more; says whether it was.
    pub(crate) fn remove(&self, edge: EdgeId, record: u32) -> bool {
        let mut shard = self.0[shard_of(edge.0)].write().unwrap_or_else(PoisonError::into_inner);
        let there = shard.find_entry(hash(edge.0), |number| *number == record);
        there.map(|there| there.remove()).is_ok()
    }

    pub(crate) fn shrink(&self, records: &Records) {
        let of = edge_of(records);
        for shard in &self.0 {
            let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
            // What comes next needs about as much as there is.
            if shard.capacity() > 4 * shard.len() {
                shard.shrink_to_fit(|number| hash(of(number)));
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let shards = self.0.iter().map(|shard| shard.read().unwrap_or_else(PoisonError::into_inner));
        // A number and a byte for each place, of which seven of eight are used at most.
        shards.map(|shard| shard.capacity() * 5 * 8 / 7).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn neighbours_lie_side_by_side_and_pages_are_spread() {
        for block in [0, 77 << 20, 5 << 50] {
            let hashes: Vec<u64> = (0..16).map(|at| hash(block | at)).collect();
            assert!(hashes.windows(2).all(|pair| pair[0] & 0xFFFF == (pair[1] & 0xFFFF) - 1));
            assert_eq!(hashes.iter().map(|hash| hash >> 57).collect::<HashSet<_>>().len(), 16);
            assert!((0..16).all(|at| shard_of(block | at) == shard_of(block)));
        }
        // Wherever the bits are that tell edges apart.
        for shift in [4, 7, 12, 16, 24, 32, 40, 48] {
            let places: HashSet<u64> = (0..1024).map(|page| hash(page << shift) & 0xFFFF).collect();
            assert!(places.len() > 850, "{shift}: {}", places.len());
            let shards: HashSet<usize> = (0..1024).map(|page| shard_of(page << shift)).collect();
            assert_eq!(shards.len(), SHARDS, "{shift}");
        }
    }
}
