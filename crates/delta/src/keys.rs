//! Keys that came to one node table: takes a key, gives the rows that have or had it. Whether a row still has
//! it, and for whom, is told by its versions.

use std::hash::{Hash, Hasher};
use std::sync::{PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHasher};
use trimorph_types::Value;

/// Maps that keys are spread over.
const SHARDS: usize = 64;

type Shard = RwLock<FxHashMap<u64, Vec<u64>>>;

/// Rows by the hashes of their keys.
#[derive(Debug)]
pub struct KeyDelta {
    shards: [Shard; SHARDS],
}

impl Default for KeyDelta {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Shard::default()) }
    }
}

impl KeyDelta {
    /// The hash of a key: a string or an integer. Other values are no keys.
    pub fn hash_of(key: &Value) -> Option<u64> {
        let mut hasher = FxHasher::default();
        match key {
            Value::Int(i) => i.hash(&mut hasher),
            Value::String(s) => s.hash(&mut hasher),
            _ => return None,
        }
        Some(hasher.finish())
    }

    /// A row gets a key. Others find it from now on.
    pub fn insert(&self, key: &Value, row: u64) {
        let Some(hash) = Self::hash_of(key) else { return };
        let mut shard = self.shard(hash).write().unwrap_or_else(PoisonError::into_inner);
        let rows = shard.entry(hash).or_default();
        if !rows.contains(&row) {
            rows.push(row);
        }
    }

    /// Rows that may have a key.
    pub fn rows(&self, key: &Value) -> Vec<u64> {
        let Some(hash) = Self::hash_of(key) else { return Vec::new() };
        let shard = self.shard(hash).read().unwrap_or_else(PoisonError::into_inner);
        shard.get(&hash).cloned().unwrap_or_default()
    }

    fn shard(&self, hash: u64) -> &Shard {
        &self.shards[(hash >> 32) as usize % SHARDS]
    }
}
