//! The values of one key column as words: a tag and 64 bits each, equal where the values are equivalent.
//! Texts, and values of no fixed size, are numbered, and their numbers are the bits.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_types::Value;
use trimorph_vector::{Lists, Values, Vector};

use super::encode::{
    TAG_FLOAT, TAG_INT, TAG_IRI, TAG_MISSING, TAG_NULL, TAG_OTHER, TAG_TEXT, encode, fixed_bits, fixed_key,
    fixed_value_key, value_bits,
};
use super::flat::NO_NUMBER;
use super::numbers::NumberForm;
use super::texts::{FoundEntries, TextTable};
use crate::charge::{table_bytes, table_growth_bytes};

/// The tags of words: most columns have one type and no nulls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tags {
    All(u8),
    /// `KeyWords::each` has them.
    Each,
}

/// The words of the rows of a chunk. Kept from chunk to chunk, for its room.
#[derive(Clone, Debug)]
pub(super) struct KeyWords {
    pub(super) bits: Vec<u64>,
    pub(super) tags: Tags,
    pub(super) each: Vec<u8>,
}

impl Default for KeyWords {
    fn default() -> Self {
        Self { bits: Vec::new(), tags: Tags::Each, each: Vec::new() }
    }
}

impl KeyWords {
    /// The word of row `k`.
    #[inline(always)]
    pub(super) fn get(&self, k: usize) -> (u8, u64) {
        let tag = match self.tags {
            Tags::All(tag) => tag,
            Tags::Each => self.each[k],
        };
        (tag, self.bits[k])
    }

    pub(super) fn clear(&mut self) {
        self.bits.clear();
        self.each.clear();
        self.tags = Tags::Each;
    }

    /// Has one tag for all where each has this one.
    fn unite(&mut self, tag: u8) {
        if self.each.iter().all(|each| *each == tag) {
            self.tags = Tags::All(tag);
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, (tag, bits): (u8, u64)) {
        self.each.push(tag);
        self.bits.push(bits);
    }
}

/// What the values of one key column that have no fixed size are numbered by.
#[derive(Clone, Debug, Default)]
pub(super) struct Words<'s> {
    /// How its numbers are words, once there are any.
    form: Option<NumberForm>,
    texts: TextTable<'s>,
    iris: TextTable<'s>,
    general: FxHashMap<Box<[u8]>, u32>,
    general_bytes: usize,
    last_list: Option<LastList<'s>>,
}

/// A list that all rows of the last chunk had, and its word: one that is carried beside other rows comes with
/// each chunk, and may be long.
#[derive(Clone, Debug)]
struct LastList<'s> {
    child: Arc<Vector<'s>>,
    elements: Range<u32>,
    word: (u8, u64),
}

/// The elements of the list that all positions have, if they have one.
fn one_list<'v, 's>(vector: &'v Vector<'s>, positions: &[u32]) -> Option<(&'v Lists<'s>, Range<u32>)> {
    let Values::List(lists) = &vector.values else { return None };
    let (first, others) = positions.split_first()?;
    let elements = lists.elements(*first as usize);
    let is_same = |p: &u32| lists.elements(*p as usize) == elements;
    (vector.nulls.is_none() && others.iter().all(is_same)).then_some((lists, elements))
}

/// The texts and values that a table knows, or comes to know.
trait Numbers<'s> {
    fn texts(
        &mut self,
        vector: &trimorph_vector::Texts<'s>,
        positions: &[u32],
        give: impl FnMut(Option<u32>),
    );
    fn text(&mut self, text: &str) -> Option<u32>;
    fn iris(&mut self, vector: &trimorph_vector::Texts<'s>, positions: &[u32], give: impl FnMut(Option<u32>));
    fn iri(&mut self, iri: &str) -> Option<u32>;
    fn other(&mut self, bytes: &[u8]) -> Option<u32>;
}

/// Whether all that is asked for is null.
fn are_null(vector: &Vector<'_>, positions: &[u32]) -> bool {
    match &vector.values {
        Values::Any(values) => positions.iter().all(|p| values.get(*p as usize).is_some_and(Value::is_null)),
        _ => !vector.nulls.is_none() && positions.iter().all(|p| vector.nulls.get(*p as usize)),
    }
}

/// What is new gets the next number.
struct Interning<'a, 's>(&'a mut Words<'s>);

impl<'s> Numbers<'s> for Interning<'_, 's> {
    fn texts(
        &mut self,
        texts: &trimorph_vector::Texts<'s>,
        positions: &[u32],
        mut give: impl FnMut(Option<u32>),
    ) {
        self.0.texts.number_all(texts, positions, |number| give(Some(number)));
    }

    fn text(&mut self, text: &str) -> Option<u32> {
        Some(self.0.texts.number_one(text))
    }

    fn iris(
        &mut self,
        iris: &trimorph_vector::Texts<'s>,
        positions: &[u32],
        mut give: impl FnMut(Option<u32>),
    ) {
        self.0.iris.number_all(iris, positions, |number| give(Some(number)));
    }

    fn iri(&mut self, iri: &str) -> Option<u32> {
        Some(self.0.iris.number_one(iri))
    }

    fn other(&mut self, bytes: &[u8]) -> Option<u32> {
        Some(self.number(bytes))
    }
}

impl Interning<'_, '_> {
    /// The number of an encoded value.
    fn number(&mut self, bytes: &[u8]) -> u32 {
        let words = &mut *self.0;
        if let Some(number) = words.general.get(bytes) {
            return *number;
        }
        let number = words.general.len() as u32;
        words.general_bytes += bytes.len() + 16;
        words.general.insert(bytes.into(), number);
        number
    }
}

/// What is new has none.
struct Finding<'a, 's>(&'a Words<'s>, &'a mut FoundEntries<'s>);

impl<'s> Numbers<'s> for Finding<'_, 's> {
    fn texts(
        &mut self,
        texts: &trimorph_vector::Texts<'s>,
        positions: &[u32],
        give: impl FnMut(Option<u32>),
    ) {
        self.0.texts.find_all(texts, positions, self.1, give);
    }

    fn text(&mut self, text: &str) -> Option<u32> {
        self.0.texts.find_one(text)
    }

    fn iris(&mut self, iris: &trimorph_vector::Texts<'s>, positions: &[u32], give: impl FnMut(Option<u32>)) {
        self.0.iris.find_all(iris, positions, self.1, give);
    }

    fn iri(&mut self, iri: &str) -> Option<u32> {
        self.0.iris.find_one(iri)
    }

    fn other(&mut self, bytes: &[u8]) -> Option<u32> {
        self.0.general.get(bytes).copied()
    }
}

/// A number as a word; what has none has one that nothing else has, of the same tag: then most columns have
/// one tag.
#[inline(always)]
fn word(tag: u8, number: Option<u32>) -> (u8, u64) {
    (tag, number.unwrap_or(NO_NUMBER).into())
}

/// The words of the values at `positions`.
fn fill<'s>(vector: &Vector<'s>, positions: &[u32], out: &mut KeyWords, mut numbers: impl Numbers<'s>) {
    out.clear();
    if let Some(tag) = fixed_bits(vector, positions, &mut out.bits) {
        out.tags = Tags::All(tag);
        return;
    }
    match &vector.values {
        Values::String(texts) if vector.nulls.is_none() => {
            numbers.texts(texts, positions, |number| out.bits.push(word(TAG_TEXT, number).1));
            out.tags = Tags::All(TAG_TEXT);
        }
        Values::String(texts) => {
            // A null's text is arbitrary: those that are there are numbered together.
            let present: Vec<u32> =
                positions.iter().copied().filter(|p| !vector.nulls.get(*p as usize)).collect();
            let mut found = Vec::with_capacity(present.len());
            numbers.texts(texts, &present, |number| found.push(word(TAG_TEXT, number)));

            let mut found = found.into_iter();
            for p in positions {
                let null = vector.nulls.get(*p as usize);
                out.push(if null { (TAG_NULL, 0) } else { found.next().unwrap_or((TAG_MISSING, 0)) });
            }
            out.unite(TAG_TEXT);
        }
        Values::Iri(iris) => {
            let present: Vec<u32> =
                positions.iter().copied().filter(|p| !vector.nulls.get(*p as usize)).collect();
            let mut found = Vec::with_capacity(present.len());
            numbers.iris(iris, &present, |number| found.push(word(TAG_IRI, number)));
            let mut found = found.into_iter();
            for p in positions {
                let null = vector.nulls.get(*p as usize);
                out.push(if null { (TAG_NULL, 0) } else { found.next().unwrap_or((TAG_MISSING, 0)) });
            }
        }
        Values::Any(values) => {
            let mut bytes = Vec::new();
            for p in positions {
                let value = &values[*p as usize];
                out.push(match (fixed_value_key(value), value) {
                    (Some(fixed), _) => fixed,
                    (None, Value::String(text)) => word(TAG_TEXT, numbers.text(text)),
                    (None, Value::Iri(iri)) => word(TAG_IRI, numbers.iri(iri)),
                    (None, _) => {
                        bytes.clear();
                        encode(vector, *p as usize, &mut bytes);
                        word(TAG_OTHER, numbers.other(&bytes))
                    }
                });
            }
        }
        Values::List(lists) => {
            let (mut bytes, mut last) = (Vec::new(), None);
            for p in positions.iter().map(|p| *p as usize) {
                let elements = (!vector.nulls.get(p)).then(|| lists.elements(p));
                let key = match (&last, &elements) {
                    // The same elements are the same list.
                    (Some((of, key)), _) if *of == elements => *key,
                    (_, None) => (TAG_NULL, 0),
                    _ => {
                        bytes.clear();
                        encode(vector, p, &mut bytes);
                        word(TAG_OTHER, numbers.other(&bytes))
                    }
                };
                out.push(key);
                last = Some((elements, key));
            }
        }
        Values::Map(_)
        | Values::Tuple(_)
        | Values::Duration(_)
        | Values::Zoned(_)
        | Values::Time(_)
        | Values::Decimal(_)
        | Values::Literal(_) => {
            let mut bytes = Vec::new();
            for p in positions.iter().map(|p| *p as usize) {
                // Some of these are of fixed size.
                out.push(fixed_key(vector, p).unwrap_or_else(|| {
                    bytes.clear();
                    encode(vector, p, &mut bytes);
                    word(TAG_OTHER, numbers.other(&bytes))
                }));
            }
        }
        // Of fixed size, with nulls among them or tags of their own.
        values => {
            if let Some(tag) = value_bits(values, positions, &mut out.bits) {
                out.each.extend(
                    positions.iter().map(|p| if vector.nulls.get(*p as usize) { TAG_NULL } else { tag }),
                );
                out.bits.iter_mut().zip(&out.each).for_each(|(bits, of)| *bits *= u64::from(*of == tag));
                return;
            }
            out.clear();
            for p in positions {
                out.push(fixed_key(vector, *p as usize).unwrap_or((TAG_MISSING, 0)));
            }
        }
    }
}

impl<'s> Words<'s> {
    /// The texts, in the order of their numbers.
    pub(super) fn texts(&self) -> &trimorph_vector::Texts<'s> {
        self.texts.texts()
    }

    /// The word of one text, which is numbered if it is new.
    pub(super) fn text(&mut self, text: &str) -> (u8, u64) {
        (TAG_TEXT, self.texts.number_one(text).into())
    }

    /// The words of the values at `positions`, numbering what is new.
    pub(super) fn intern(&mut self, vector: &Vector<'s>, positions: &[u32], out: &mut KeyWords) {
        if are_null(vector, positions) {
            // A property that a table has not got.
            out.clear();
            out.bits.resize(positions.len(), 0);
            out.tags = Tags::All(TAG_NULL);
            return;
        }
        if self.form.is_none() && !positions.is_empty() {
            self.form = Some(NumberForm::for_values(vector, positions));
        }
        let one = one_list(vector, positions);
        if let (Some(last), Some((lists, elements))) = (&self.last_list, &one)
            && Arc::ptr_eq(&last.child, lists.child())
            && last.elements == *elements
        {
            out.clear();
            out.bits.resize(positions.len(), last.word.1);
            out.tags = Tags::All(last.word.0);
            return;
        }
        if !self.fill_floats(vector, positions, out) {
            fill(vector, positions, out, Interning(self));
            self.turn(out);
        }
        if let Some((lists, elements)) = one {
            self.last_list = Some(LastList { child: Arc::clone(lists.child()), elements, word: out.get(0) });
        }
    }

    /// A word of the common form as one of this key, which has had none of numbers or has its form by now.
    pub(super) fn word(&mut self, word: (u8, u64)) -> (u8, u64) {
        self.form.get_or_insert(NumberForm::Common).of(word)
    }

    /// The words of floats, where all numbers are such; `false`, and nothing done, for others.
    fn fill_floats(&self, vector: &Vector<'s>, positions: &[u32], out: &mut KeyWords) -> bool {
        let Some(tag) = self.form.and_then(|form| form.float_bits(vector, positions, &mut out.bits)) else {
            return false;
        };
        out.each.clear();
        out.tags = Tags::All(tag);
        if !vector.nulls.is_none() {
            out.tags = Tags::Each;
            for (bits, p) in out.bits.iter_mut().zip(positions) {
                let null = vector.nulls.get(*p as usize);
                out.each.push(if null { TAG_NULL } else { tag });
                *bits = if null { 0 } else { *bits };
            }
            out.unite(tag);
        }
        true
    }

    /// Turns words of the common form into those of this key.
    fn turn(&self, out: &mut KeyWords) {
        let Some(form) = self.form.filter(|form| *form == NumberForm::Floats) else { return };
        match out.tags {
            Tags::All(TAG_INT) => {
                out.each.clear();
                out.each.resize(out.bits.len(), TAG_INT);
                out.tags = Tags::Each;
            }
            Tags::All(_) => return,
            Tags::Each => {}
        }
        for (tag, bits) in out.each.iter_mut().zip(&mut out.bits) {
            (*tag, *bits) = form.of((*tag, *bits));
        }
        out.unite(TAG_FLOAT);
    }

    /// The number of an encoded value, which is numbered if it is new.
    pub(super) fn encoded(&mut self, bytes: &[u8]) -> u32 {
        Interning(self).number(bytes)
    }

    /// The words of the values at `positions`; what is new is missing.
    pub(super) fn find(
        &self,
        vector: &Vector<'s>,
        positions: &[u32],
        found: &mut FoundEntries<'s>,
        out: &mut KeyWords,
    ) {
        if !self.fill_floats(vector, positions, out) {
            fill(vector, positions, out, Finding(self, found));
            self.turn(out);
        }
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        self.texts.bytes()
            + self.iris.bytes()
            + table_bytes::<(Box<[u8]>, u32)>(self.general.capacity())
            + self.general_bytes
    }

    /// Bytes that may be allocated before `more` values have come, texts left out.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        self.texts.growth_bytes(more)
            + if self.iris.texts().is_empty() { 0 } else { self.iris.growth_bytes(more) }
            + table_growth_bytes::<(Box<[u8]>, u32)>(self.general.len(), self.general.capacity(), more)
    }
}
