//! Terms to numbers: texts in groups, without the beginning that many have in common, and an index of their
//! hashes.
//!
//! 1. A text is cut behind its last `/`, `#` or `:`. What stands before is kept once and has a number, as
//!    long as there are few such beginnings: of the IRIs of a file they are namespaces.
//! 2. Texts lie end to end, 256 terms together; of each the number of its beginning and the rest.
//! 3. The index has numbers only. When it grows it is made anew of the texts: two are never there at once.
//! 4. The last subject and the last other term are remembered: files are often in the order of their
//!    subjects, or of their predicates and objects.

use std::cmp::Ordering;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use trimorph_store::bulk::BulkError;

use super::names::Names;
use super::text_blocks::{Place, TextBlocks};

/// Terms whose texts lie together.
const GROUP: usize = 1 << 8;
/// Terms whose ends lie together: what there are more are not copied.
const PART: usize = 1 << 16;
/// Most beginnings that are kept once: their texts and index stay in the caches.
const BEGINNINGS_MAX: usize = 1 << 12;
/// Longest beginning that is kept once.
const BEGINNING_BYTES_MAX: usize = 1 << 8;
/// Most terms: one more number stands for none.
const TERMS_MAX: usize = u32::MAX as usize - 1;

/// Texts of terms in their groups.
#[derive(Default)]
struct Texts {
    /// The group that is not full.
    open: Vec<u8>,
    /// Where each text ends in its group, in parts of [`PART`].
    ends: Vec<Vec<u32>>,
    /// The groups that are full, and where they are.
    full: TextBlocks,
    places: Vec<Place>,
    len: usize,
}

impl Texts {
    /// The bytes of a text.
    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let bytes = self.places.get(number / GROUP).map_or(&self.open[..], |place| self.full.from(*place));
        let (ends, at) = (&self.ends[number / PART], number % PART);
        let start = if at.is_multiple_of(GROUP) { 0 } else { ends[at - 1] as usize };
        &bytes[start..ends[at] as usize]
    }

    /// Ends the text that was put behind the others. Whether there was room.
    fn end(&mut self) -> bool {
        let Ok(end) = u32::try_from(self.open.len()) else { return false };
        if self.len.is_multiple_of(PART) {
            self.ends.push(Vec::new());
        }
        if let Some(ends) = self.ends.last_mut() {
            ends.push(end);
        }
        self.len += 1;
        if self.len.is_multiple_of(GROUP) {
            self.places.push(self.full.put(&self.open));
            self.open.clear();
        }
        true
    }

    fn bytes(&self) -> usize {
        self.full.bytes() + self.len * 4 + self.open.capacity()
    }
}

/// A text that was asked for last, and its number.
#[derive(Default)]
struct Remembered {
    text: String,
    number: Option<u32>,
}

impl Remembered {
    fn get(&self, text: &str) -> Option<u32> {
        self.number.filter(|_| self.text == text)
    }

    fn set(&mut self, text: &str, number: u32) {
        self.text.clear();
        self.text.push_str(text);
        self.number = Some(number);
    }
}

/// Terms, numbered in the order in which they came.
#[derive(Default)]
pub(super) struct Dictionary {
    texts: Texts,
    beginnings: Vec<Box<[u8]>>,
    numbers_of_beginnings: Names,
    /// The beginning that was found last.
    last_beginning: usize,
    index: HashTable<u32>,
    hasher: RandomState,
    last_subject: Remembered,
    last_other: Remembered,
}

/// Where a text is cut: 0 where it is kept whole. Triple terms begin with a subject, as a rule each with
/// another one.
fn cut(text: &str) -> usize {
    if text.starts_with("<<(") {
        return 0;
    }
    let at = memchr::memrchr3(b'/', b'#', b':', text.as_bytes()).map_or(0, |at| at + 1);
    if at > BEGINNING_BYTES_MAX { 0 } else { at }
}

impl Dictionary {
    /// The number of a subject; it gets one if it has none.
    ///
    /// **Errors**: more terms than numbers; texts that are too long together.
    pub(super) fn subject(&mut self, text: &str) -> Result<u32, BulkError> {
        if let Some(number) = self.last_subject.get(text) {
            return Ok(number);
        }
        let number = self.find_or_add(text)?;
        self.last_subject.set(text, number);
        Ok(number)
    }

    /// The number of any other term; it gets one if it has none.
    ///
    /// **Errors**: as [`Self::subject`].
    pub(super) fn number(&mut self, text: &str) -> Result<u32, BulkError> {
        if let Some(number) = self.last_other.get(text) {
            return Ok(number);
        }
        let number = self.find_or_add(text)?;
        self.last_other.set(text, number);
        Ok(number)
    }

    fn find_or_add(&mut self, text: &str) -> Result<u32, BulkError> {
        let hash = self.hasher.hash_one(text);
        if let Some(number) = self.index.find(hash, |number| self.is_text(*number, text.as_bytes())) {
            return Ok(*number);
        }
        if self.len() >= TERMS_MAX {
            return Err(BulkError::TooLarge(format!("more than {TERMS_MAX} terms")));
        }
        if self.index.len() == self.index.capacity() {
            self.grow();
        }
        let number = self.len() as u32;
        self.put(text)?;
        // There is room: nothing is hashed again.
        self.index.insert_unique(hash, number, |_| 0);
        Ok(number)
    }

    /// Makes the index twice as large, of the texts.
    #[cold]
    fn grow(&mut self) {
        self.index = HashTable::new();
        let mut index = HashTable::with_capacity((self.len() * 2).max(GROUP));
        let mut text = String::new();
        for number in 0..self.len() as u32 {
            self.read(number, &mut text);
            index.insert_unique(self.hasher.hash_one(&*text), number, |_| 0);
        }
        self.index = index;
    }

    fn put(&mut self, text: &str) -> Result<(), BulkError> {
        let at = cut(text);
        let beginning = self.beginning(&text[..at]);
        let rest = if beginning == 0 { text } else { &text[at..] };
        // In 7 bits each, the lowest ones first; the last has the eighth bit clear. Two bytes do.
        let open = &mut self.texts.open;
        let mut left = beginning;
        while left >= 1 << 7 {
            open.push(left as u8 | 1 << 7);
            left >>= 7;
        }
        open.push(left as u8);
        open.extend_from_slice(rest.as_bytes());
        if !self.texts.end() {
            let text = format!("{GROUP} terms in sequence whose texts are longer than 4 GiB together");
            return Err(BulkError::TooLarge(text));
        }
        Ok(())
    }

    /// One more than the number of a beginning; 0 where it is not kept.
    fn beginning(&mut self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        if self.beginnings.get(self.last_beginning).is_some_and(|last| **last == *text.as_bytes()) {
            return self.last_beginning + 1;
        }
        if self.beginnings.len() >= BEGINNINGS_MAX {
            return self.numbers_of_beginnings.get(text).map_or(0, |number| number as usize + 1);
        }
        let (number, is_new) = self.numbers_of_beginnings.number(text);
        if is_new {
            self.beginnings.push(text.as_bytes().into());
        }
        self.last_beginning = number as usize;
        self.last_beginning + 1
    }

    fn is_text(&self, number: u32, text: &[u8]) -> bool {
        let (beginning, rest) = self.parts(number);
        // What differs is as a rule the end.
        text.len() == beginning.len() + rest.len() && text.ends_with(rest) && text.starts_with(beginning)
    }

    /// The beginning and the rest of a text.
    #[inline]
    fn parts(&self, number: u32) -> (&[u8], &[u8]) {
        let text = self.texts.get(number);
        let (beginning, rest) = match text {
            [low, rest @ ..] if *low < 1 << 7 => (usize::from(*low), rest),
            [low, high, rest @ ..] => (usize::from(*low & 0x7f) | usize::from(*high) << 7, rest),
            _ => (0, text),
        };
        (beginning.checked_sub(1).map_or(&[], |at| &*self.beginnings[at]), rest)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.texts.len
    }

    /// Puts the text of a number in the place of another one.
    pub(super) fn read(&self, number: u32, text: &mut String) {
        text.clear();
        let (beginning, rest) = self.parts(number);
        // Both were texts, cut at a character.
        for part in [beginning, rest] {
            text.push_str(std::str::from_utf8(part).unwrap_or_default());
        }
    }

    /// Whether the text of a number begins with another.
    pub(super) fn starts_with(&self, number: u32, start: &str) -> bool {
        let (beginning, rest) = self.parts(number);
        beginning.iter().chain(rest).take(start.len()).eq(start.as_bytes())
    }

    /// The order of two terms' texts.
    pub(super) fn order(&self, a: u32, b: u32) -> Ordering {
        let ((begins, rest), (other_begins, other_rest)) = (self.parts(a), self.parts(b));
        match begins == other_begins {
            true => rest.cmp(other_rest),
            false => begins.iter().chain(rest).cmp(other_begins.iter().chain(other_rest)),
        }
    }

    /// Gives back what only finds numbers: no more terms come.
    pub(super) fn close(&mut self) {
        self.index = HashTable::new();
        self.last_subject = Remembered::default();
        self.last_other = Remembered::default();
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.texts.bytes() + self.index.capacity() * 6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[String]) {
        let mut terms = Dictionary::default();
        for _ in 0..2 {
            for (i, text) in texts.iter().enumerate() {
                assert_eq!(terms.number(text).unwrap() as usize, i);
                assert_eq!(terms.subject(text).unwrap() as usize, i);
                assert_eq!(terms.subject(text).unwrap() as usize, i);
            }
        }
        terms.close();
        assert_eq!(terms.len(), texts.len());
        let mut read = String::new();
        for (i, text) in (0..).zip(texts) {
            terms.read(i, &mut read);
            assert_eq!(read, *text);
            assert!(terms.starts_with(i, &text[..text.len().min(9)]) && !terms.starts_with(i, "http://f/"));
            let other = (i * 7) % texts.len() as u32;
            assert_eq!(terms.order(i, other), text.cmp(&texts[other as usize]));
        }
    }

    #[test]
    fn terms_keep_their_numbers() {
        let long = "x".repeat(3 << 20);
        let more = [
            long.clone(),
            String::new(),
            format!("http://{long}/1"),
            "<<( <http://e/1> <p:p> \"o\" )>>".into(),
        ];
        check(&(0..50_000).map(|i| format!("http://e/{i}")).chain(more).collect::<Vec<_>>());
    }

    #[test]
    fn there_may_be_any_number_of_beginnings() {
        let texts =
            (0..3 * BEGINNINGS_MAX).flat_map(|i| [format!("http://e/{i}/a#"), format!("http://e/{i}/ß")]);
        check(&texts.collect::<Vec<_>>());
        check(&["_:a", "_:b", "urn:a", "urn:b", "a", "b", "ß", "/", "//", "#"].map(str::to_owned));
    }

    #[test]
    fn a_namespace_is_kept_once() {
        let mut terms = Dictionary::default();
        for i in 0..100_000 {
            terms.number(&format!("http://example.org/of/quite/some/length/{i}")).unwrap();
        }
        assert!(terms.bytes() < 100_000 * 26, "{}", terms.bytes());
    }
}
