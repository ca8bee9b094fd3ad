//! Keys of groupings, DISTINCT and joins: tuples of values to dense numbers, by openCypher's equivalence
//! (null is null, NaN is NaN, 1 is 1.0).
//!
//! ```text
//! encode   the form of a value: a tag and 64 bits, or bytes
//! texts    texts to numbers
//! numbers  the two forms of numbers
//! words    a column of keys to words of 64 bits, texts and lists by their numbers
//! fixed    one word to a number
//! pairs    two words to a number
//! rows     more of them to a number
//! near_tuples  two and more that each lie close together
//! run_pairs  a node whose rows come one after the other and a word, run_map its map
//! flat     the maps of one word, hash_slots those of more
//! ```
//!
//! One key is looked up by its word; a node by its row, where enough rows have come to pay for an array; two
//! keys are a pair, more of them a row. All loops are over words.

mod dense;
mod encode;
mod fixed;
mod flat;
mod hash_slots;
mod near_tuples;
mod numbers;
mod pairs;
mod rows;
mod run_map;
mod run_pairs;
#[cfg(test)]
mod tests;
mod texts;
mod words;

use std::sync::Arc;

use trimorph_base::{NodeId, TableId};
use trimorph_vector::{Entries, Maps, Texts, Values, Vector};

pub(crate) use dense::{Bits, DenseSet, block_of, words_of};
use encode::{TAG_MISSING, TAG_NODE, TAG_NULL, TAG_OTHER, TAG_TEXT};
pub(crate) use encode::{cell_key, decode_text, encode, encode_text, fixed_bits};
use fixed::{AHEAD, Fixed};
pub(crate) use flat::NO_NUMBER;
use near_tuples::NearTuples;
pub(crate) use numbers::NumberForm;
use pairs::Pairs;
use rows::Rows;
pub(crate) use run_map::RunMap;
pub(crate) use run_pairs::{RunPairs, each_of_runs};
use texts::{ENTRIES_FREE, Met};
pub(crate) use texts::{FoundEntries, TextTable};
use words::{KeyWords, Tags, Words};

/// From key tuples to numbers `0, 1, 2, …` in the order of first sight.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyTable<'s> {
    /// Of each key.
    columns: Vec<KeyColumn<'s>>,
    /// Single nodes by row, of one node table; numbers plus 1.
    rows: Vec<u32>,
    rows_of: Option<TableId>,
    /// Single texts by their number; numbers plus 1. None while these are the same: while nothing but texts
    /// came, in the order in which they were numbered.
    by_text: Option<Vec<u32>>,
    /// Other single words.
    fixed: Fixed,
    pairs: Pairs,
    near: NearTuples,
    /// Three and more.
    rows_of_words: Rows,
    count: u32,
    /// Of each key.
    scratch: Vec<KeyWords>,
    /// Of a single key: the dictionary that was met last, and the number of each of its entries, plus 1.
    coded: Option<(Entries<'s>, Vec<u32>)>,
    met: Met<'s>,
    /// The number of a single null, plus 1; 0 for none.
    null: u32,
    /// The same of two keys: with the value that the other key had.
    coded_pairs: Option<((u8, u64), Entries<'s>, Vec<u32>)>,
}

/// One key: its values as words. Maps of a vector are numbered as tuples of what they have under their keys
/// first, by tables of the types of these; one of each is encoded, which gives it the number that it has in
/// whatever vector it comes.
#[derive(Clone, Debug, Default)]
struct KeyColumn<'s> {
    words: Words<'s>,
    /// Of maps, by their keys.
    tuples: Vec<Tuples<'s>>,
}

/// Maps of the same keys.
#[derive(Clone, Debug)]
struct Tuples<'s> {
    keys: Arc<[Arc<str>]>,
    /// What they have under their keys.
    table: KeyTable<'s>,
    /// Of each number of `table`: that of the map among all values.
    numbers: Vec<u32>,
}

/// Sets of keys that maps are numbered by.
const TUPLES_MAX: usize = 16;

impl<'s> KeyColumn<'s> {
    /// The words of the values at `positions`, numbering what is new.
    fn intern(&mut self, vector: &Vector<'s>, positions: &[u32], out: &mut KeyWords) {
        match &vector.values {
            Values::Map(maps) if self.intern_tuples(vector, maps, positions, out) => {}
            _ => self.words.intern(vector, positions, out),
        }
    }

    /// The same of maps; `false`, and nothing done, where they are not numbered so.
    fn intern_tuples(
        &mut self,
        vector: &Vector<'s>,
        maps: &Maps<'s>,
        positions: &[u32],
        out: &mut KeyWords,
    ) -> bool {
        let place = match self.tuples.iter().position(|tuples| *tuples.keys == *maps.keys()) {
            Some(place) => place,
            None if maps.keys().is_empty() || self.tuples.len() == TUPLES_MAX => return false,
            None => {
                let (table, numbers) = (KeyTable::default(), Vec::new());
                self.tuples.push(Tuples { keys: maps.keys().into(), table, numbers });
                self.tuples.len() - 1
            }
        };
        let present: Vec<u32>;
        let at = match vector.nulls.is_none() {
            true => positions,
            false => {
                present = positions.iter().copied().filter(|p| !vector.nulls.get(*p as usize)).collect();
                &present
            }
        };
        let fields: Vec<&Vector<'s>> = maps.fields().iter().collect();
        let (mut found, mut fresh, mut bytes) = (Vec::with_capacity(at.len()), Vec::new(), Vec::new());
        let Tuples { table, numbers, .. } = &mut self.tuples[place];
        table.number_all(&fields, at, &mut found, &mut fresh);
        for p in fresh {
            bytes.clear();
            encode(vector, p as usize, &mut bytes);
            numbers.push(self.words.encoded(&bytes));
        }
        let mut words = found.iter().map(|found| (TAG_OTHER, u64::from(numbers[*found as usize])));
        out.clear();
        if at.len() == positions.len() {
            out.bits.extend(words.map(|(_, bits)| bits));
            out.tags = Tags::All(TAG_OTHER);
        } else {
            for p in positions {
                let null = vector.nulls.get(*p as usize);
                out.push(if null { (TAG_NULL, 0) } else { words.next().unwrap_or((TAG_MISSING, 0)) });
            }
        }
        true
    }

    fn bytes(&self) -> usize {
        let tuples = self.tuples.iter().map(|t| t.table.bytes() + t.numbers.capacity() * 4);
        self.words.bytes() + tuples.sum::<usize>()
    }

    fn growth_bytes(&self, more: usize) -> usize {
        let tuples = self.tuples.iter().map(|t| t.table.growth_bytes(more) + more * 4);
        self.words.growth_bytes(more) + tuples.sum::<usize>()
    }
}

/// Positions that are numbered between two looks at the budget and at the flag that cancels.
pub(crate) const POSITIONS_UNCHECKED: usize = 1 << 14;

/// Pairs that are remembered within a chunk: 8 KiB.
const RECENT_PAIRS: usize = 256;

/// Above the bits of table and row.
const KIND_SHIFT: u32 = 60;
/// Rows up to which an array stands for a map: 16 MiB.
const ROWS_MAX: u64 = 1 << 22;
/// Entries of the array for each row that has come: 128 bytes, what a row of a chunk costs anyway.
const ROWS_PER_KEY: usize = 32;

impl<'s> KeyTable<'s> {
    /// Whether most keys are single words in a map that has left the caches that are near.
    pub(crate) fn is_far(&self) -> bool {
        self.fixed.len_far() * 2 > self.len()
    }

    /// Has tables of single keys made for so many. Others grow as keys come.
    pub(crate) fn expect(&mut self, keys: usize) {
        self.fixed.expect(keys);
    }

    /// The numbers of the tuples of `keys` at `positions`, appended to `numbers`; positions of new ones to
    /// `fresh`.
    ///
    /// **Cost**: a look-up per change of key for one key, a look-up a row and key after the first for more; a
    /// text is hashed once, an entry of a dictionary once in all.
    pub(crate) fn number_all(
        &mut self,
        keys: &[&Vector<'s>],
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        if self.columns.len() < keys.len() {
            self.columns.resize_with(keys.len(), KeyColumn::default);
            self.scratch.resize_with(keys.len(), KeyWords::default);
        }
        let mut words = std::mem::take(&mut self.scratch);
        match keys {
            [] => {
                if self.count == 0 {
                    self.count = 1;
                    fresh.extend(positions.first());
                }
                numbers.resize(numbers.len() + positions.len(), 0);
            }
            [one] => {
                if !self.number_codes(one, positions, numbers, fresh) {
                    self.number_present(one, positions, &mut words[0], numbers, fresh);
                }
            }
            [first, last] if self.number_coded_pairs(first, last, positions, numbers, fresh) => {}
            _ => {
                for ((column, key), words) in self.columns.iter_mut().zip(keys).zip(&mut words) {
                    column.intern(key, positions, words);
                }
                match &words[..keys.len()] {
                    words if self.near.span(words, self.count) => {
                        self.number_near(words, positions, numbers, fresh)
                    }
                    [first, last] => self.number_pairs(first, last, positions, numbers, fresh),
                    words => {
                        let (rows, count) = (&mut self.rows_of_words, &mut self.count);
                        rows.number_all(words, positions.len(), |k, number| {
                            numbers.push(number);
                            if number == *count {
                                *count += 1;
                                fresh.push(positions[k]);
                            }
                        });
                    }
                }
            }
        }
        self.scratch = words;
    }

    /// Texts of a dictionary: one load a row once an entry has a number. `false`, and nothing done, for other
    /// keys, and where the dictionary is much larger than what comes of it.
    fn number_codes(
        &mut self,
        key: &Vector<'s>,
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) -> bool {
        let Values::String(texts) = &key.values else { return false };
        let Some((codes, entries)) = texts.codes() else { return false };
        let mut known = match self.coded.take() {
            Some((known, numbers)) if Arc::ptr_eq(&known, entries) => numbers,
            _ if entries.len() > (4 * positions.len()).max(ENTRIES_FREE)
                && entries.len() > 2 * self.met.note(entries, positions.len()) =>
            {
                return false;
            }
            _ => vec![0; entries.len()],
        };
        let start = numbers.len();
        // Whether one has none is asked of all afterwards: a flag would be a store a row.
        let look = |number: u32| number.wrapping_sub(1);
        let are_all = positions.len() <= codes.len() && (0..).zip(positions).all(|(i, p)| i == *p);
        if key.nulls.is_none() && are_all {
            numbers.extend(codes[..positions.len()].iter().map(|code| look(known[*code as usize])));
        } else if key.nulls.is_none() {
            numbers.extend(positions.iter().map(|p| look(known[codes[*p as usize] as usize])));
        } else {
            let null = self.null;
            // A null's code is arbitrary.
            let code = |p: &u32| known.get(codes[*p as usize] as usize).copied().unwrap_or(0);
            let number = |p: &u32| if key.nulls.get(*p as usize) { null } else { code(p) };
            numbers.extend(positions.iter().map(|p| look(number(p))));
        }
        if numbers[start..].contains(&NO_NUMBER) {
            for (number, p) in numbers[start..].iter_mut().zip(positions).filter(|(n, _)| **n == NO_NUMBER) {
                *number = if key.nulls.get(*p as usize) {
                    self.number_word((TAG_NULL, 0))
                } else {
                    let code = codes[*p as usize] as usize;
                    if known[code] == 0 {
                        let word = self.columns[0].words.text(entries.get(code));
                        known[code] = self.number_word(word) + 1;
                    }
                    known[code] - 1
                };
                self.note(*number, *p, fresh);
                if key.nulls.get(*p as usize) {
                    self.null = *number + 1;
                }
            }
        }
        self.coded = Some((Arc::clone(entries), known));
        true
    }

    /// Pairs of one value for all positions and texts of a dictionary, either way round: one load a row once
    /// an entry was paired. `false`, and nothing done, for other keys.
    fn number_coded_pairs(
        &mut self,
        first: &Vector<'s>,
        last: &Vector<'s>,
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) -> bool {
        let coded = |key: &Vector<'s>| match &key.values {
            Values::String(texts) if key.nulls.is_none() => texts.codes().is_some(),
            _ => false,
        };
        let is_constant = |key: &Vector<'s>| {
            let mut bits = Vec::new();
            fixed_bits(key, positions, &mut bits).filter(|_| bits.iter().all(|b| *b == bits[0]))
        };
        let Some(p) = positions.first() else { return false };
        let (constant, texts, is_first) = match (coded(first), coded(last)) {
            (false, true) if is_constant(first).is_some() => (first, last, true),
            (true, false) if is_constant(last).is_some() => (last, first, false),
            _ => return false,
        };
        let Values::String(texts) = &texts.values else { return false };
        let Some((codes, entries)) = texts.codes() else { return false };
        let Some(constant) = cell_key(constant, *p as usize) else { return false };
        let constant = self.columns[usize::from(!is_first)].words.word(constant);
        let mut known = match self.coded_pairs.take() {
            Some((same, of, numbers)) if same == constant && Arc::ptr_eq(&of, entries) => numbers,
            _ if entries.len() > (4 * positions.len()).max(ENTRIES_FREE) => return false,
            _ => vec![0; entries.len()],
        };
        let start = numbers.len();
        numbers.extend(positions.iter().map(|p| known[codes[*p as usize] as usize].wrapping_sub(1)));
        if numbers[start..].contains(&NO_NUMBER) {
            for (number, p) in numbers[start..].iter_mut().zip(positions).filter(|(n, _)| **n == NO_NUMBER) {
                let code = codes[*p as usize] as usize;
                if known[code] == 0 {
                    let text = self.columns[usize::from(is_first)].words.text(entries.get(code));
                    let (x, y) = if is_first { (constant, text) } else { (text, constant) };
                    known[code] = self.pairs.number(x, y, self.count) + 1;
                }
                *number = known[code] - 1;
                self.note(*number, *p, fresh);
            }
        }
        self.coded_pairs = Some((constant, Arc::clone(entries), known));
        true
    }

    /// One key. Once null has a number, values that are not null are numbered by themselves.
    fn number_present(
        &mut self,
        key: &Vector<'s>,
        positions: &[u32],
        words: &mut KeyWords,
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        let null = |p: &u32| key.nulls.get(*p as usize);
        if key.nulls.is_none() || self.null == 0 || !positions.iter().any(null) {
            self.columns[0].intern(key, positions, words);
            self.number_words(words, positions, numbers, fresh);
            if !key.nulls.is_none() && self.null == 0 {
                self.null = self.find_word((TAG_NULL, 0)).map_or(0, |number| number + 1);
            }
            return;
        }
        let present: Vec<u32> = positions.iter().copied().filter(|p| !null(p)).collect();
        let mut found = Vec::with_capacity(present.len());
        self.columns[0].intern(key, &present, words);
        self.number_words(words, &present, &mut found, fresh);
        let (of_null, mut found) = (self.null - 1, found.into_iter());
        let number = |p: &u32| if null(p) { of_null } else { found.next().unwrap_or(of_null) };
        numbers.extend(positions.iter().map(number));
    }

    /// One word a row.
    fn number_words(
        &mut self,
        words: &KeyWords,
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        if let Tags::All(tag) = words.tags {
            if tag == TAG_TEXT
                && self.by_text.is_none()
                && self.number_new_texts(&words.bits, positions, numbers, fresh)
            {
                return;
            }
            self.widen(tag, &words.bits);
            self.fixed.widen(tag, &words.bits, self.count);
            let start = numbers.len();
            if self.known_rows(tag, &words.bits, numbers)
                || self.fixed.known(tag, &words.bits, numbers)
                || !matches!(tag, TAG_TEXT | TAG_NODE) && self.fixed.known_far(tag, &words.bits, numbers)
            {
                for (k, p) in positions.iter().enumerate() {
                    if numbers[start + k] == NO_NUMBER {
                        let number = self.number_word(words.get(k));
                        numbers[start + k] = number;
                        self.note(number, *p, fresh);
                    }
                }
                return;
            }
        }
        let mut last = None;
        for (run, positions) in positions.chunks(AHEAD).enumerate() {
            self.prepare_words(words, run * AHEAD, positions.len());
            for (k, p) in (run * AHEAD..).zip(positions) {
                let word = words.get(k);
                let number = match last {
                    Some((same, number)) if same == word => number,
                    _ => self.number_word(word),
                };
                last = Some((word, number));
                numbers.push(number);
                self.note(number, *p, fresh);
            }
        }
    }

    /// Texts where no key is anything else: their numbers are those of the keys. `false`, and nothing done,
    /// if some text has a number that no key has yet but comes later.
    fn number_new_texts(
        &mut self,
        texts: &[u64],
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) -> bool {
        let mut next = u64::from(self.count);
        let in_order = texts.iter().all(|text| {
            next += u64::from(*text == next);
            *text < next
        });
        if !in_order {
            return false;
        }
        for (text, p) in texts.iter().zip(positions) {
            // Numbers of texts are 32 bits.
            numbers.push(*text as u32);
            self.note(*text as u32, *p, fresh);
        }
        true
    }

    /// Appends the numbers of words that arrays have, in one loop; others are looked up after it. `false`,
    /// and nothing done, where no array is for such words.
    fn find_known(&self, words: &KeyWords, numbers: &mut Vec<u32>) -> bool {
        let Tags::All(tag) = words.tags else { return false };
        let start = numbers.len();
        let by_row = self.known_rows(tag, &words.bits, numbers);
        if !by_row && !self.fixed.known(tag, &words.bits, numbers) {
            return false;
        }
        if by_row || self.fixed.has_far(tag) {
            for (k, number) in numbers[start..].iter_mut().enumerate().filter(|(_, n)| **n == NO_NUMBER) {
                *number = self.find_word(words.get(k)).unwrap_or(NO_NUMBER);
            }
        }
        true
    }

    /// Appends the number of each node that the array of rows has one of, [`NO_NUMBER`] for others. `false`,
    /// and nothing done, where there is no array for such nodes.
    fn known_rows(&self, tag: u8, nodes: &[u64], numbers: &mut Vec<u32>) -> bool {
        let Some(table) = self.rows_of.filter(|_| tag == TAG_NODE && !self.rows.is_empty()) else {
            return false;
        };
        numbers.extend(nodes.iter().map(|bits| {
            let node = NodeId(*bits);
            let is_here = bits >> KIND_SHIFT == 0 && node.table() == table;
            let row = if is_here { node.row() as usize } else { usize::MAX };
            // No number is 0 in the array.
            self.rows.get(row).map_or(NO_NUMBER, |number| number.wrapping_sub(1))
        }));
        true
    }

    /// Asks for the slots of `len` words from `first` on, if they are far.
    #[inline]
    fn prepare_words(&self, words: &KeyWords, first: usize, len: usize) {
        if let Tags::All(tag) = words.tags
            && let Some(map) = self.fixed.far(tag)
        {
            words.bits[first..first + len].iter().for_each(|bits| map.prepare(*bits));
        }
    }

    /// Several words a row, each of them close to others: what is known of them is one load a row.
    fn number_near(
        &mut self,
        words: &[KeyWords],
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        let start = numbers.len();
        self.near.known(numbers);
        for (k, p) in positions.iter().enumerate() {
            if numbers[start + k] != NO_NUMBER {
                continue;
            }
            let number = self.near.get(k).unwrap_or_else(|| match words {
                [first, last] => self.pairs.number(first.get(k), last.get(k), self.count),
                words => self.rows_of_words.number_one(words, k),
            });
            numbers[start + k] = number;
            self.near.set(k, number);
            self.note(number, *p, fresh);
        }
    }

    /// Two words a row. Rows of one first key mostly come together: what they pair it with is found here, not
    /// in a map that is larger than the cache.
    fn number_pairs(
        &mut self,
        a: &KeyWords,
        b: &KeyWords,
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        let mut recent = [((0u8, 0u64), (0u8, 0u64), NO_NUMBER); RECENT_PAIRS];
        let mut missed = AHEAD;
        for (run, positions) in positions.chunks(AHEAD).enumerate() {
            let rows = run * AHEAD..run * AHEAD + positions.len();
            // What is found here is not looked up there.
            if missed * 4 > AHEAD {
                self.pairs.prepare(rows.clone().map(|k| (a.get(k), b.get(k))));
            }
            missed = 0;
            for (k, p) in rows.zip(positions) {
                let (x, y) = (a.get(k), b.get(k));
                let place = &mut recent[y.1.wrapping_add(x.1.rotate_left(3)) as usize % RECENT_PAIRS];
                if place.2 == NO_NUMBER || (place.0, place.1) != (x, y) {
                    missed += 1;
                    *place = (x, y, self.pairs.number(x, y, self.count));
                }
                let number = place.2;
                numbers.push(number);
                self.note(number, *p, fresh);
            }
        }
    }

    /// Looks at a number that was given: new if it is the next.
    #[inline(always)]
    fn note(&mut self, number: u32, position: u32, fresh: &mut Vec<u32>) {
        if number == self.count {
            self.count += 1;
            fresh.push(position);
        }
    }

    /// Makes the array of rows as long as the nodes of a chunk ask for, if they are enough to pay for it.
    fn widen(&mut self, tag: u8, nodes: &[u64]) {
        let Some(most) = nodes.iter().max().filter(|_| tag == TAG_NODE) else { return };
        let most = NodeId(*most);
        let table = *self.rows_of.get_or_insert(most.table());
        let wanted = most.row().saturating_add(1).next_power_of_two();
        if table == most.table()
            && wanted <= ROWS_MAX
            && wanted as usize > self.rows.len()
            && wanted as usize <= ROWS_PER_KEY * (self.count as usize + nodes.len())
        {
            self.rows.resize(wanted as usize, 0);
        }
    }

    /// The number of a word; the next, if it is new, which the caller notes.
    #[inline]
    fn number_word(&mut self, (tag, bits): (u8, u64)) -> u32 {
        let next = self.count;
        if tag != TAG_TEXT && self.by_text.is_none() {
            self.by_text = Some((1..=next).collect());
        }
        let node = NodeId(bits);
        if tag == TAG_NODE
            && bits >> KIND_SHIFT == 0
            && Some(node.table()) == self.rows_of
            && let Some(number) = self.rows.get_mut(node.row() as usize)
        {
            if *number == 0 {
                // It may have come before the array was this long.
                *number = self.fixed.find((tag, bits)).unwrap_or(next) + 1;
            }
            return *number - 1;
        }
        if tag == TAG_TEXT {
            let text = bits as usize;
            if self.by_text.is_none() && bits <= next.into() {
                return bits as u32;
            }
            let by_text = self.by_text.get_or_insert_with(|| (1..=next).collect());
            if by_text.len() <= text {
                by_text.resize((text + 1).next_power_of_two(), 0);
            }
            let number = &mut by_text[text];
            if *number == 0 {
                *number = next + 1;
            }
            return *number - 1;
        }
        self.fixed.number((tag, bits), next)
    }

    /// The number of a word, if it has one.
    #[inline]
    fn find_word(&self, (tag, bits): (u8, u64)) -> Option<u32> {
        let node = NodeId(bits);
        if tag == TAG_NODE
            && bits >> KIND_SHIFT == 0
            && Some(node.table()) == self.rows_of
            && let Some(number) = self.rows.get(node.row() as usize)
            && *number != 0
        {
            return Some(*number - 1);
        }
        if tag == TAG_TEXT {
            return match &self.by_text {
                None => u32::try_from(bits).ok().filter(|number| *number < self.count),
                Some(by_text) => by_text.get(bits as usize).and_then(|number| number.checked_sub(1)),
            };
        }
        self.fixed.find((tag, bits))
    }

    /// The numbers of the tuples of `keys` at `positions`, [`NO_NUMBER`] where there is none, appended to
    /// `numbers`. As many keys as were numbered.
    ///
    /// **Cost**: as [`Self::number_all`].
    pub(crate) fn find_all(&self, keys: &[&Vector<'s>], positions: &[u32], numbers: &mut Vec<u32>) {
        self.find_again(keys, positions, &mut Vec::new(), numbers);
    }

    /// The same for one who asks again and again of a table that no longer grows: `found` is what was found
    /// before of the keys' dictionaries, in this table.
    pub(crate) fn find_again(
        &self,
        keys: &[&Vector<'s>],
        positions: &[u32],
        found: &mut Vec<FoundEntries<'s>>,
        numbers: &mut Vec<u32>,
    ) {
        if self.columns.len() < keys.len() || self.count == 0 {
            // Nothing was numbered.
            let number = if self.count == 0 { NO_NUMBER } else { 0 };
            numbers.resize(numbers.len() + positions.len(), number);
            return;
        }
        let mut words: Vec<KeyWords> = keys.iter().map(|_| KeyWords::default()).collect();
        found.resize_with(keys.len(), FoundEntries::default);
        let columns = self.columns.iter().zip(keys).zip(found);
        for (((column, key), found), words) in columns.zip(&mut words) {
            column.words.find(key, positions, found, words);
        }
        match &words[..] {
            [] => numbers.resize(numbers.len() + positions.len(), 0),
            [one] => {
                if self.find_known(one, numbers) {
                    return;
                }
                let mut last = None;
                for first in (0..positions.len()).step_by(AHEAD) {
                    let end = positions.len().min(first + AHEAD);
                    self.prepare_words(one, first, end - first);
                    numbers.extend((first..end).map(|k| {
                        let word = one.get(k);
                        let number = match last {
                            Some((same, number)) if same == word => number,
                            _ => self.find_word(word).unwrap_or(NO_NUMBER),
                        };
                        last = Some((word, number));
                        number
                    }));
                }
            }
            [a, b] => {
                for first in (0..positions.len()).step_by(AHEAD) {
                    let rows = first..positions.len().min(first + AHEAD);
                    self.pairs.prepare(rows.clone().map(|k| (a.get(k), b.get(k))));
                    numbers.extend(rows.map(|k| self.pairs.find(a.get(k), b.get(k)).unwrap_or(NO_NUMBER)));
                }
            }
            words => self.rows_of_words.find_all(words, positions.len(), numbers),
        }
    }

    /// The keys by their numbers, where these are single texts and nothing else: they need not be kept once
    /// more.
    pub(crate) fn lone_texts(&self) -> Option<&Texts<'s>> {
        let texts = self.columns.first().filter(|_| self.columns.len() == 1)?.words.texts();
        (self.by_text.is_none() && texts.len() == self.len()).then_some(texts)
    }

    /// The texts of the first key in the order in which they came.
    pub(crate) fn first_texts(&self) -> Option<&Texts<'s>> {
        self.columns.first().map(|column| column.words.texts())
    }

    /// How many tuples have a number.
    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        let pairs = self.pairs.bytes() + self.near.bytes();
        let tables = self.fixed.bytes() + pairs + self.rows_of_words.bytes();
        let columns: usize = self.columns.iter().map(KeyColumn::bytes).sum();
        let coded = self.coded.as_ref().map_or(0, |(_, numbers)| numbers.capacity())
            + self.coded_pairs.as_ref().map_or(0, |(.., numbers)| numbers.capacity());
        (self.rows.capacity() + self.by_text.as_ref().map_or(0, Vec::capacity) + coded) * 4 + tables + columns
    }

    /// Bytes that may be allocated before `more` tuples have a number, texts left out: what moves is given
    /// back.
    pub(crate) fn growth_bytes(&self, more: usize) -> usize {
        let columns: usize = self.columns.iter().map(|c| c.growth_bytes(more)).sum();
        let rows = match self.columns.len() {
            0..=2 => 0,
            keys => self.rows_of_words.growth_bytes(keys, more),
        };
        self.fixed.growth_bytes(more) + self.pairs.growth_bytes(more) + rows + columns
    }
}
