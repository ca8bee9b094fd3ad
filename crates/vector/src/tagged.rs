//! Values with something to each that few of them differ in: instants with the zone they are shown in, texts
//! with a language or datatype.
//!
//! Invariants:
//!
//! 1. A value has the number of its tag; there are at most 256 tags, each once. What has more is general.
//! 2. At positions that are arbitrary the number may be one that no tag has.

use std::sync::Arc;

use trimorph_types::{LiteralKind, Zone};

use crate::Texts;

/// Most tags of a vector: a number is a byte.
const TAGS_MAX: usize = 256;

/// What values have to them.
pub trait Tag: Clone {
    /// Whether both are written alike: equal ones may be shown differently.
    fn is(&self, other: &Self) -> bool;
}

impl Tag for Zone {
    fn is(&self, other: &Self) -> bool {
        self == other
    }
}

impl Tag for LiteralKind {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Language(a), Self::Language(b)) | (Self::Datatype(a), Self::Datatype(b)) => a == b,
            _ => false,
        }
    }
}

/// The values without their tags.
pub trait Column: Default + Clone {
    /// How many there are.
    fn len(&self) -> usize;
    /// Makes them `len`, those that are new being arbitrary.
    fn resize(&mut self, len: usize);
    /// Those at the given positions, in that order.
    fn gather(&self, positions: &[u32]) -> Self;
    /// Appends `positions` of others.
    fn extend(&mut self, other: &Self, positions: &[u32]);
    /// Copies `positions` of as many others over those of these.
    fn assign(&mut self, other: &Self, positions: &[u32]);
}

impl Column for Vec<i64> {
    fn len(&self) -> usize {
        self.len()
    }

    fn resize(&mut self, len: usize) {
        self.resize(len, 0);
    }

    fn gather(&self, positions: &[u32]) -> Self {
        positions.iter().map(|p| self[*p as usize]).collect()
    }

    fn extend(&mut self, other: &Self, positions: &[u32]) {
        Extend::extend(self, positions.iter().map(|p| other[*p as usize]));
    }

    fn assign(&mut self, other: &Self, positions: &[u32]) {
        positions.iter().for_each(|p| self[*p as usize] = other[*p as usize]);
    }
}

impl Column for Texts<'_> {
    fn len(&self) -> usize {
        self.len()
    }

    fn resize(&mut self, len: usize) {
        self.resize(len);
    }

    fn gather(&self, positions: &[u32]) -> Self {
        self.gather(positions)
    }

    fn extend(&mut self, other: &Self, positions: &[u32]) {
        self.extend(other, positions);
    }

    fn assign(&mut self, other: &Self, positions: &[u32]) {
        self.assign(other, positions);
    }
}

/// Values and their tags.
#[derive(Clone, Debug)]
pub struct Tagged<V, T> {
    values: V,
    codes: Vec<u8>,
    tags: Arc<Vec<T>>,
}

/// Nanoseconds since 1970-01-01T00:00:00Z, and the zones they are shown in.
pub type Zoned = Tagged<Vec<i64>, Zone>;

/// Lexical forms, and their languages or datatypes.
pub type Literals<'s> = Tagged<Texts<'s>, LiteralKind>;

impl<V: Default, T> Default for Tagged<V, T> {
    fn default() -> Self {
        Self { values: V::default(), codes: Vec::new(), tags: Arc::default() }
    }
}

impl<V: Column, T: Tag> Tagged<V, T> {
    /// Values and the numbers of their tags. `None` where there are more tags than numbers, or not as many
    /// numbers as values.
    pub fn new(values: V, codes: Vec<u8>, tags: Vec<T>) -> Option<Self> {
        let fits = values.len() == codes.len() && tags.len() <= TAGS_MAX;
        fits.then(|| Self { values, codes, tags: Arc::new(tags) })
    }

    /// Values that all have the same tag.
    pub fn all(values: V, tag: T) -> Self {
        let codes = vec![0; values.len()];
        Self { values, codes, tags: Arc::new(vec![tag]) }
    }

    /// The same values at the same tags, such as `values` made of these.
    pub fn with_values(&self, values: V) -> Option<Self> {
        let fits = values.len() == self.codes.len();
        fits.then(|| Self { values, codes: self.codes.clone(), tags: Arc::clone(&self.tags) })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The values without their tags.
    pub fn values(&self) -> &V {
        &self.values
    }

    /// The number of each value's tag.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// The tags by their numbers.
    pub fn tags(&self) -> &[T] {
        &self.tags
    }

    /// The tag of the value at `i`; of one that is arbitrary there may be none.
    #[inline]
    pub fn tag(&self, i: usize) -> Option<&T> {
        self.tags.get(usize::from(self.codes[i]))
    }

    /// What `of` gives for the tag of each number, and `none` for numbers that no tag has.
    pub fn table<R: Copy>(&self, none: R, of: impl Fn(&T) -> R) -> [R; TAGS_MAX] {
        let mut table = [none; TAGS_MAX];
        table.iter_mut().zip(&*self.tags).for_each(|(slot, tag)| *slot = of(tag));
        table
    }

    /// The number of a tag, which is added if it is new; `None` where there is no number left.
    pub(crate) fn code_of(&mut self, tag: &T) -> Option<u8> {
        if let Some(code) = self.tags.iter().position(|own| own.is(tag)) {
            return u8::try_from(code).ok();
        }
        let code = u8::try_from(self.tags.len()).ok()?;
        Arc::make_mut(&mut self.tags).push(tag.clone());
        Some(code)
    }

    /// The number here of each number there; `None` where there are no numbers left for the tags of others.
    pub fn numbers_for(&mut self, other: &Self) -> Option<[u8; TAGS_MAX]> {
        self.has_room_for(other).then(|| self.numbers_of(other))
    }

    /// Gives the value at `i` a tag, by its number, and what `set` makes of it.
    pub fn set(&mut self, i: usize, code: u8, set: impl FnOnce(&mut V)) {
        self.codes[i] = code;
        set(&mut self.values);
    }

    /// Whether there are numbers left for the tags of others.
    pub(crate) fn has_room_for(&self, other: &Self) -> bool {
        let is_own = |tag: &T| self.tags.iter().any(|own| own.is(tag));
        Arc::ptr_eq(&self.tags, &other.tags)
            || self.tags.len() + other.tags.iter().filter(|tag| !is_own(tag)).count() <= TAGS_MAX
    }

    /// The number here of each number there; [`Self::has_room_for`] them was asked.
    fn numbers_of(&mut self, other: &Self) -> [u8; TAGS_MAX] {
        let mut numbers = [0; TAGS_MAX];
        if self.tags.is_empty() {
            self.tags = Arc::clone(&other.tags);
        }
        if Arc::ptr_eq(&self.tags, &other.tags) {
            (0..=u8::MAX).zip(&mut numbers).for_each(|(code, number)| *number = code);
            return numbers;
        }
        for (tag, number) in other.tags.iter().zip(&mut numbers) {
            *number = self.code_of(tag).unwrap_or(0);
        }
        numbers
    }

    /// Those at the given positions, in that order.
    pub(crate) fn gather(&self, positions: &[u32]) -> Self {
        Self {
            values: self.values.gather(positions),
            codes: positions.iter().map(|p| self.codes[*p as usize]).collect(),
            tags: Arc::clone(&self.tags),
        }
    }

    /// None, of the same tags.
    pub(crate) fn like(&self) -> Self {
        Self { values: V::default(), codes: Vec::new(), tags: Arc::clone(&self.tags) }
    }

    /// Makes them `len`, those that are new being arbitrary.
    pub(crate) fn resize(&mut self, len: usize) {
        self.values.resize(len);
        self.codes.resize(len, 0);
    }

    /// Appends `positions` of others that [have room](Self::has_room_for) here.
    pub(crate) fn extend(&mut self, other: &Self, positions: &[u32]) {
        let numbers = self.numbers_of(other);
        self.values.extend(&other.values, positions);
        self.codes.extend(positions.iter().map(|p| numbers[usize::from(other.codes[*p as usize])]));
    }

    /// Copies `positions` of as many others, that [have room](Self::has_room_for) here, over those of these.
    pub(crate) fn assign(&mut self, other: &Self, positions: &[u32]) {
        let numbers = self.numbers_of(other);
        self.values.assign(&other.values, positions);
        for p in positions.iter().map(|p| *p as usize) {
            self.codes[p] = numbers[usize::from(other.codes[p])];
        }
    }
}
