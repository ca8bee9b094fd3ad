//! Texts to dense numbers: each text is hashed once, and an entry of a dictionary once for all its rows.

use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

use trimorph_store::prefetch_item;
use trimorph_vector::{Entries, Texts};

use super::fixed::AHEAD;
use super::flat::NO_NUMBER;
use super::hash_slots::{HashSlots, kept};
use crate::charge::vec_growth_bytes;

/// Entries up to which a dictionary is worth an array whatever comes of it: it comes again.
pub(super) const ENTRIES_FREE: usize = 1 << 16;

/// The dictionary whose texts come, and how many of them came one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Met<'s>(Option<(Entries<'s>, usize)>);

impl<'s> Met<'s> {
    /// Notes that `rows` texts of a dictionary come; gives how many came since another's did.
    pub(super) fn note(&mut self, entries: &Entries<'s>, rows: usize) -> usize {
        match &mut self.0 {
            Some((known, all)) if Arc::ptr_eq(known, entries) => {
                *all += rows;
                *all
            }
            met => {
                *met = Some((Arc::clone(entries), rows));
                rows
            }
        }
    }
}

/// What one who looks texts up met last of a dictionary: the number of each entry in the table, that of what
/// was not looked for [`UNKNOWN`]. For one table, that no longer grows.
#[derive(Debug, Default)]
pub(crate) struct FoundEntries<'s> {
    entries: Option<(Entries<'s>, Vec<u32>)>,
    met: Met<'s>,
}

/// No entry has this number, or that of what is missing, [`NO_NUMBER`].
const UNKNOWN: u32 = NO_NUMBER - 1;

/// Texts that are remembered within a chunk.
const RECENT_TEXTS: usize = 128;

/// Distinct texts, numbered in the order of first sight.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextTable<'s> {
    slots: HashSlots,
    texts: Texts<'s>,
    /// The dictionary that was met last, and the number of each of its entries, plus 1.
    coded: Option<(Entries<'s>, Vec<u32>)>,
    met: Met<'s>,
}

/// What is kept of a text's hash.
#[inline]
fn hash(text: &str) -> u32 {
    kept(FxBuildHasher.hash_one(text))
}

impl<'s> TextTable<'s> {
    /// The number of a text; it gets the next if it is new.
    fn number_hashed(&mut self, text: &str, hash: u32) -> u32 {
        let (texts, next) = (&self.texts, self.texts.len() as u32);
        let number = self.slots.number(hash, next, |number| texts.get(number as usize) == text);
        if number == next {
            self.texts.push(text);
        }
        number
    }

    fn number(&mut self, text: &str) -> u32 {
        self.number_hashed(text, hash(text))
    }

    /// The number of a text, if it has one.
    fn find_hashed(&self, text: &str, hash: u32) -> Option<u32> {
        self.slots.find(hash, |number| self.texts.get(number as usize) == text)
    }

    fn find(&self, text: &str) -> Option<u32> {
        self.find_hashed(text, hash(text))
    }

    /// Asks for all that looking texts of these hashes up will read.
    fn prepare(&self, hashes: &[u32]) {
        hashes.iter().for_each(|hash| self.slots.prepare(*hash));
        let mut likely = [None; AHEAD];
        for (likely, hash) in likely.iter_mut().zip(hashes) {
            *likely = self.slots.likely(*hash);
            if let Some(number) = likely {
                prefetch_item(self.texts.views(), *number as usize);
            }
        }
        for number in likely.into_iter().flatten() {
            prefetch_item(self.texts.get(number as usize).as_bytes(), 0);
        }
    }

    /// The hashes of the texts at some positions, whose slots are asked for.
    fn hashes(&self, texts: &Texts<'_>, run: &[u32]) -> [u32; AHEAD] {
        let mut hashes = [0; AHEAD];
        for (kept, p) in hashes.iter_mut().zip(run) {
            *kept = hash(texts.get(*p as usize));
        }
        self.prepare(&hashes[..run.len()]);
        hashes
    }

    /// Calls `give` with the number of each text at `positions`, that mostly come once.
    fn number_far(&mut self, texts: &Texts<'_>, positions: &[u32], mut give: impl FnMut(u32)) {
        for run in positions.chunks(AHEAD) {
            for (hash, p) in self.hashes(texts, run).iter().zip(run) {
                give(self.number_hashed(texts.get(*p as usize), *hash));
            }
        }
    }

    /// The same of those that have one.
    fn find_far(&self, texts: &Texts<'_>, positions: &[u32], mut give: impl FnMut(Option<u32>)) {
        for run in positions.chunks(AHEAD) {
            for (hash, p) in self.hashes(texts, run).iter().zip(run) {
                give(self.find_hashed(texts.get(*p as usize), *hash));
            }
        }
    }

    /// Calls `give` with the number of each text at `positions`, as [`Self::number_all`], of a vector that
    /// may be gone before the table is.
    pub(crate) fn number_read(&mut self, texts: &Texts<'_>, positions: &[u32], give: impl FnMut(u32)) {
        if texts.codes().is_none() && self.slots.is_far() {
            return self.number_far(texts, positions, give);
        }
        each_once(texts, positions, |text| self.number(text), give);
    }

    /// The texts, in the order of their numbers.
    pub(crate) fn texts(&self) -> &Texts<'s> {
        &self.texts
    }

    /// The same, the table being done with.
    pub(crate) fn into_texts(self) -> Texts<'s> {
        self.texts
    }

    /// Calls `give` with the number of each text at `positions`.
    pub(super) fn number_all(&mut self, texts: &Texts<'s>, positions: &[u32], mut give: impl FnMut(u32)) {
        let Some((codes, entries)) = texts.codes() else {
            if self.slots.is_far() {
                return self.number_far(texts, positions, give);
            }
            return each_once(texts, positions, |text| self.number(text), give);
        };
        let mut known = match self.coded.take() {
            Some((known, numbers)) if Arc::ptr_eq(&known, entries) => numbers,
            // A dictionary much larger than what comes of it is not worth an array.
            _ if entries.len() > (16 * positions.len()).max(ENTRIES_FREE)
                && entries.len() > 2 * self.met.note(entries, positions.len()) =>
            {
                return each_once(texts, positions, |text| self.number(text), give);
            }
            _ => vec![0; entries.len()],
        };
        for p in positions {
            let code = codes[*p as usize] as usize;
            if known[code] == 0 {
                known[code] = self.number(entries.get(code)) + 1;
            }
            give(known[code] - 1);
        }
        self.coded = Some((Arc::clone(entries), known));
    }

    /// Calls `give` with the number of each text at `positions` that has one.
    pub(super) fn find_all(
        &self,
        texts: &Texts<'s>,
        positions: &[u32],
        found: &mut FoundEntries<'s>,
        mut give: impl FnMut(Option<u32>),
    ) {
        let Some((codes, entries)) = texts.codes() else {
            if self.slots.is_far() {
                return self.find_far(texts, positions, give);
            }
            return each_once(texts, positions, |text| self.find(text), give);
        };
        let mut known = match found.entries.take() {
            Some((known, numbers)) if Arc::ptr_eq(&known, entries) => numbers,
            _ if entries.len() > ENTRIES_FREE
                || entries.len() > (16 * positions.len()).max(found.met.note(entries, positions.len())) =>
            {
                return each_once(texts, positions, |text| self.find(text), give);
            }
            _ => vec![UNKNOWN; entries.len()],
        };
        for p in positions {
            let number = &mut known[codes[*p as usize] as usize];
            if *number == UNKNOWN {
                let text = entries.get(codes[*p as usize] as usize);
                *number = self.find(text).unwrap_or(NO_NUMBER);
            }
            give((*number != NO_NUMBER).then_some(*number));
        }
        found.entries = Some((Arc::clone(entries), known));
    }

    /// The number of one text that is not in a vector.
    pub(crate) fn number_one(&mut self, text: &str) -> u32 {
        self.number(text)
    }

    /// The same, if it has one.
    pub(super) fn find_one(&self, text: &str) -> Option<u32> {
        self.find(text)
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        let (room, width) = self.texts.cells();
        self.slots.bytes()
            + room * width
            + self.texts.block_bytes()
            + self.coded.as_ref().map_or(0, |(_, numbers)| numbers.capacity() * size_of::<u32>())
    }

    /// Bytes that may be allocated before `more` texts have come, their letters left out.
    pub(crate) fn growth_bytes(&self, more: usize) -> usize {
        let (room, width) = self.texts.cells();
        let views =
            if self.texts.is_empty() { 0 } else { vec_growth_bytes(self.texts.len(), room, more, width) };
        self.slots.growth_bytes(more) + views
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
