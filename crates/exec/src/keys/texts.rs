//! Texts to dense numbers: each text is hashed once, and an entry of a dictionary once for all its rows.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

use trimorph_vector::{Entries, Texts};

use crate::charge::{table_bytes, table_growth_bytes, vec_growth_bytes};

/// Texts that are remembered within a chunk.
const RECENT_TEXTS: usize = 128;

/// Distinct texts, numbered in the order of first sight.
#[derive(Clone, Debug, Default)]
pub(super) struct TextTable<'s> {
    /// The upper half of each text's hash, and its number.
    table: HashTable<(u32, u32)>,
    texts: Texts<'s>,
    /// The dictionary that was met last, and the number of each of its entries, plus 1.
    coded: Option<(Entries<'s>, Vec<u32>)>,
}

#[inline]
fn hash(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
}

/// What is kept of a hash: entries that differ in it need no look at their texts.
#[inline]
fn kept(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl<'s> TextTable<'s> {
    /// The number of a text; it gets the next if it is new.
    fn number(&mut self, text: &str) -> u32 {
        let (hash, texts) = (hash(text), &self.texts);
        let is_it = |(half, number): &(u32, u32)| *half == kept(hash) && texts.get(*number as usize) == text;
        if let Some((_, number)) = self.table.find(hash, is_it) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text);
        let texts = &self.texts;
        let rehash = |(_, number): &(u32, u32)| self::hash(texts.get(*number as usize));
        self.table.insert_unique(hash, (kept(hash), number), rehash);
        number
    }

    /// The number of a text, if it has one.
    fn find(&self, text: &str) -> Option<u32> {
        let hash = hash(text);
        let is_it =
            |(half, number): &(u32, u32)| *half == kept(hash) && self.texts.get(*number as usize) == text;
        self.table.find(hash, is_it).map(|(_, number)| *number)
    }

    /// Calls `give` with the number of each text at `positions`.
    pub(super) fn number_all(&mut self, texts: &Texts<'s>, positions: &[u32], mut give: impl FnMut(u32)) {
        let Some((codes, entries)) = texts.codes() else {
            return each_once(texts, positions, |text| self.number(text), give);
        };
        let mut known = match self.coded.take() {
            Some((known, numbers)) if Arc::ptr_eq(&known, entries) => numbers,
            // A dictionary much larger than what comes of it is not worth an array.
            _ if entries.len() > 16 * positions.len() => {
                return each_once(texts, positions, |text| self.number(text), give);
            }
            _ => vec![0; entries.len()],
        };
        for p in positions {
            let code = codes[*p as usize] as usize;
            if known[code] == 0 {
                known[code] = self.number(entries[code]) + 1;
            }
            give(known[code] - 1);
        }
        self.coded = Some((Arc::clone(entries), known));
    }

    /// Calls `give` with the number of each text at `positions` that has one.
    pub(super) fn find_all(&self, texts: &Texts<'s>, positions: &[u32], give: impl FnMut(Option<u32>)) {
        each_once(texts, positions, |text| self.find(text), give);
    }

    /// The number of one text that is not in a vector.
    pub(super) fn number_one(&mut self, text: &str) -> u32 {
        self.number(text)
    }

    /// The same, if it has one.
    pub(super) fn find_one(&self, text: &str) -> Option<u32> {
        self.find(text)
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        let (room, width) = self.texts.cells();
        table_bytes::<(u32, u32)>(self.table.capacity())
            + room * width
            + self.texts.block_bytes()
            + self.coded.as_ref().map_or(0, |(_, numbers)| numbers.capacity() * size_of::<u32>())
    }

    /// Bytes that may be allocated before `more` texts have come, their letters left out.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        let (room, width) = self.texts.cells();
        let views =
            if self.texts.is_empty() { 0 } else { vec_growth_bytes(self.texts.len(), room, more, width) };
        table_growth_bytes::<(u32, u32)>(self.table.len(), self.table.capacity(), more) + views
    }
}

/// Calls `give` with what `of` says of each text at `positions`. Entries of a dictionary come again and
/// again, and are known by where they lie: within one call only, so that nothing that is freed is taken for
/// what comes after it.
#[inline]
fn each_once<T: Copy>(
    texts: &Texts<'_>,
    positions: &[u32],
    mut of: impl FnMut(&str) -> T,
    mut give: impl FnMut(T),
) {
    let mut recent: [(&str, Option<T>); RECENT_TEXTS] = [("", None); RECENT_TEXTS];
    for p in positions {
        let text = texts.get(*p as usize);
        // The entries of a dictionary end to end differ in the low bits of where they start.
        let place = &mut recent[text.as_ptr() as usize % RECENT_TEXTS];
        let known = match place {
            (same, Some(known)) if std::ptr::eq(*same, text) => *known,
            _ => {
                let known = of(text);
                *place = (text, Some(known));
                known
            }
        };
        give(known);
    }
}
