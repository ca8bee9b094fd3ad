//! Tuples of three and more words to numbers: a tuple is hashed once, whatever it has, and lies as one row.
//!
//! Hot loop: a run of tuples is laid out row by row, their slots and then their likely equals are asked for,
//! and each is compared with one of them, mostly.

use trimorph_store::prefetch_item;

use super::fixed::AHEAD;
use super::flat::{FlatKey, NO_NUMBER};
use super::hash_slots::{HashSlots, kept};
use super::words::{KeyWords, Tags};
use crate::charge::vec_growth_bytes;

/// Tuples of words, numbered in the order of first sight.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    slots: HashSlots,
    /// Of each tuple its words and, after them, their tags, eight to a word.
    words: Vec<u64>,
    /// Tuples.
    len: u32,
}

/// Tags that a word has room for.
const TAGS_PER_WORD: usize = 8;

/// Words of a row.
fn width(columns: &[KeyWords]) -> usize {
    columns.len() + columns.len().div_ceil(TAGS_PER_WORD)
}

/// Rows of a run, end to end, and what is kept of their hashes.
struct Run {
    rows: Vec<u64>,
    hashes: [u32; AHEAD],
    /// The words of tags, where all rows have the same.
    tags: Option<Vec<u64>>,
}

impl Run {
    fn new(columns: &[KeyWords]) -> Self {
        let same = |column: &KeyWords| match column.tags {
            Tags::All(tag) => Some(u64::from(tag)),
            Tags::Each => None,
        };
        let tags = columns.iter().map(same).collect::<Option<Vec<u64>>>();
        let packed = |tags: &[u64]| tags.iter().fold(0, |word, tag| word << 8 | tag);
        let tags = tags.map(|tags| tags.chunks(TAGS_PER_WORD).map(packed).collect());
        Self { rows: vec![0; AHEAD * width(columns)], hashes: [0; AHEAD], tags }
    }

    /// Lays out `len` rows from `first` on.
    #[inline]
    fn fill(&mut self, columns: &[KeyWords], first: usize, len: usize) {
        match (columns, self.tags.as_deref()) {
            ([a, b, c], Some([tag])) => self.fill_few::<3, 4>([a, b, c], *tag, first, len),
            ([a, b, c, d], Some([tag])) => self.fill_few::<4, 5>([a, b, c, d], *tag, first, len),
            _ => self.fill_many(columns, first, len),
        }
    }

    /// The same of `N` columns whose rows have the same tags, `W` words with these: no loop over widths.
    fn fill_few<const N: usize, const W: usize>(
        &mut self,
        columns: [&KeyWords; N],
        tags: u64,
        first: usize,
        len: usize,
    ) {
        let bits = columns.map(|column| &column.bits[first..first + len]);
        let rows = self.rows.as_chunks_mut::<W>().0.iter_mut().zip(&mut self.hashes);
        for (k, (row, hash)) in rows.take(len).enumerate() {
            let mut mixed = 0;
            for (word, bits) in row.iter_mut().zip(bits) {
                *word = bits[k];
                mixed = mix(mixed, *word);
            }
            row[N] = tags;
            *hash = kept(mix(mixed, tags));
        }
    }

    fn fill_many(&mut self, columns: &[KeyWords], first: usize, len: usize) {
        let width = width(columns);
        for (c, column) in columns.iter().enumerate() {
            let bits = &column.bits[first..first + len];
            self.rows.iter_mut().skip(c).step_by(width).zip(bits).for_each(|(word, bits)| *word = *bits);
        }
        for (k, row) in self.rows.chunks_exact_mut(width).take(len).enumerate() {
            let tags = &mut row[columns.len()..];
            match &self.tags {
                Some(same) => tags.copy_from_slice(same),
                None => {
                    for (word, columns) in tags.iter_mut().zip(columns.chunks(TAGS_PER_WORD)) {
                        let tag = |column: &KeyWords| u64::from(column.get(first + k).0);
                        *word = columns.iter().fold(0, |word, column| word << 8 | tag(column));
                    }
                }
            }
            self.hashes[k] = kept(row.iter().fold(0, |hash, word| mix(hash, *word)));
        }
    }
}

/// A hash with one more word.
#[inline(always)]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).hash()
}

/// Whether two rows of one width have the same words: they have few, and a call would cost more.
#[inline(always)]
fn are_same(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

impl Rows {
    fn row(&self, number: u32, width: usize) -> &[u64] {
        let start = number as usize * width;
        &self.words[start..start + width]
    }

    /// Asks for all that looking the rows of a run up will read, if it is far.
    #[inline]
    fn prepare(&self, hashes: &[u32], width: usize) {
        if !self.slots.is_far() {
            return;
        }
        hashes.iter().for_each(|hash| self.slots.prepare(*hash));
        for number in hashes.iter().filter_map(|hash| self.slots.likely(*hash)) {
            prefetch_item(&self.words, number as usize * width);
        }
    }

    /// Calls `give` with the place of each of `len` rows among them and its number, which is the number of
    /// rows there were before it where it is new.
    pub(super) fn number_all(&mut self, columns: &[KeyWords], len: usize, mut give: impl FnMut(usize, u32)) {
        let (mut run, width) = (Run::new(columns), width(columns));
        for first in (0..len).step_by(AHEAD) {
            let rows = AHEAD.min(len - first);
            run.fill(columns, first, rows);
            self.prepare(&run.hashes[..rows], width);
            for (k, row) in run.rows.chunks_exact(width).take(rows).enumerate() {
                let (words, next) = (&self.words, self.len);
                let known = |number: u32| &words[number as usize * width..][..width];
                let number = self.slots.number(run.hashes[k], next, |number| are_same(known(number), row));
                if number == next {
                    self.words.extend_from_slice(row);
                    self.len += 1;
                }
                give(first + k, number);
            }
        }
    }

    /// The number of row `k`, which is the number of rows there were before it where it is new.
    pub(super) fn number_one(&mut self, columns: &[KeyWords], k: usize) -> u32 {
        let (mut run, width) = (Run::new(columns), width(columns));
        run.fill(columns, k, 1);
        let (row, words, next) = (&run.rows[..width], &self.words, self.len);
        let known = |number: u32| &words[number as usize * width..][..width];
        let number = self.slots.number(run.hashes[0], next, |number| are_same(known(number), row));
        if number == next {
            self.words.extend_from_slice(row);
            self.len += 1;
        }
        number
    }

    /// Appends the number of each of `len` rows, [`NO_NUMBER`] where it has none.
    pub(super) fn find_all(&self, columns: &[KeyWords], len: usize, numbers: &mut Vec<u32>) {
        let (mut run, width) = (Run::new(columns), width(columns));
        for first in (0..len).step_by(AHEAD) {
            let rows = AHEAD.min(len - first);
            run.fill(columns, first, rows);
            self.prepare(&run.hashes[..rows], width);
            numbers.extend(run.rows.chunks_exact(width).zip(&run.hashes).take(rows).map(|(row, hash)| {
                let is_it = |number| are_same(self.row(number, width), row);
                self.slots.find(*hash, is_it).unwrap_or(NO_NUMBER)
            }));
        }
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        self.slots.bytes() + self.words.capacity() * size_of::<u64>()
    }

    /// Bytes that may be allocated before `more` rows of so many keys have come.
    pub(super) fn growth_bytes(&self, keys: usize, more: usize) -> usize {
        let width = keys + keys.div_ceil(TAGS_PER_WORD);
        let words = vec_growth_bytes(self.words.len(), self.words.capacity(), more * width, size_of::<u64>());
        self.slots.growth_bytes(more) + words
    }
}
