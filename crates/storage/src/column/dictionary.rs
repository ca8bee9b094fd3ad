//! A column's growing dictionary: texts in, codes in order of first appearance out.
//!
//! Each text is held once, in the bytes that are written; the table holds codes only and compares through
//! them.
//!
//! **Cost**: 13 bytes an entry, times the slack of vectors and table, besides the text.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

#[derive(Default)]
pub(super) struct Dictionary {
    table: HashTable<u32>,
    bytes: Vec<u8>,
    ends: Vec<i64>,
}

/// The hash that texts are looked up by.
#[inline]
pub(super) fn hash(text: &[u8]) -> u64 {
    FxBuildHasher.hash_one(text)
}

fn entry<'a>(bytes: &'a [u8], ends: &[i64], code: u32) -> &'a [u8] {
    let code = code as usize;
    let end = |i: usize| ends.get(i).and_then(|e| usize::try_from(*e).ok()).unwrap_or(0);
    let start = code.checked_sub(1).map_or(0, end);
    bytes.get(start..end(code)).unwrap_or_default()
}

impl Dictionary {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The code of `text`, whose hash is `hash`.
    #[inline]
    pub(super) fn find(&self, hash: u64, text: &[u8]) -> Option<u32> {
        self.table.find(hash, |code| entry(&self.bytes, &self.ends, *code) == text).copied()
    }

    /// Adds a text that is not there.
    pub(super) fn add(&mut self, hash_of_text: u64, text: &[u8]) {
        let Self { table, bytes, ends } = self;
        let code = u32::try_from(ends.len()).unwrap_or(u32::MAX);
        table.insert_unique(hash_of_text, code, |code| hash(entry(bytes, ends, *code)));
        bytes.extend_from_slice(text);
        ends.push(bytes.len() as i64);
    }

    /// The texts one after the other, and where each ends.
    pub(super) fn into_parts(self) -> (Vec<u8>, Vec<i64>) {
        (self.bytes, self.ends)
    }
}
