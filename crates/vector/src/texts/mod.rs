//! The texts of a vector: a view of 16 bytes each, into the store or into blocks that the query made; or the
//! codes of a dictionary. No text is an object of its own.
//!
//! Invariant, which is why this file may say `unsafe`: the bytes of a view are UTF-8, and live as long as
//! `'s` or lie in one of the blocks that the vector, or the dictionary, holds.

mod block;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::{Nulls, Positions};
use block::Blocks;
pub use block::{Room, Symbols};

/// Where a text lies.
#[derive(Clone, Copy)]
pub struct View {
    start: *const u8,
    len: usize,
}

// SAFETY: a view is a shared reference to bytes that never change.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

/// Where empty texts lie. The standard library's have an address at which there is no memory, and comparing
/// no bytes there takes 150 ns on processors with masked loads, which first see to the fault that then does
/// not happen.
const READABLE: &str = "a word to stand on";

impl View {
    const EMPTY: Self = Self::of("");

    #[inline]
    const fn of(text: &str) -> Self {
        Self::at(text.as_bytes())
    }

    /// Of bytes that are UTF-8.
    #[inline]
    const fn at(bytes: &[u8]) -> Self {
        let start = if bytes.is_empty() { READABLE.as_ptr() } else { bytes.as_ptr() };
        Self { start, len: bytes.len() }
    }
}

/// Whether two texts are the same. Short ones are compared as two words, which may have bytes in common: a
/// call for each pair takes several times as long.
#[inline(always)]
fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        0 => true,
        1..4 => {
            a[0] == b[0]
                && a.last_chunk::<2>() == b.last_chunk::<2>()
                && a.first_chunk::<2>() == b.first_chunk::<2>()
        }
        4..8 => a.first_chunk::<4>() == b.first_chunk::<4>() && a.last_chunk::<4>() == b.last_chunk::<4>(),
        8..=16 => a.first_chunk::<8>() == b.first_chunk::<8>() && a.last_chunk::<8>() == b.last_chunk::<8>(),
        17..=32 => {
            a.last_chunk::<16>() == b.last_chunk::<16>() && a.first_chunk::<16>() == b.first_chunk::<16>()
        }
        // The same bytes of the store, or texts that differ early or late, as most do.
        _ => {
            std::ptr::eq(a, b)
                || (a.first_chunk::<8>() == b.first_chunk::<8>()
                    && a.last_chunk::<8>() == b.last_chunk::<8>()
                    && a == b)
        }
    }
}

/// The texts of a dictionary, by code: shared, and the same dictionary where they are the same object.
pub type Entries<'s> = Arc<Dictionary<'s>>;

/// Texts that codes stand for: of the store, or made by a query.
#[derive(Default)]
pub struct Dictionary<'s> {
    views: Box<[View]>,
    blocks: Blocks,
    store: PhantomData<&'s str>,
}

impl fmt::Debug for Dictionary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'s> Dictionary<'s> {
    /// Of the texts of a vector.
    pub fn new(mut texts: Texts<'s>) -> Self {
        texts.views_mut();
        let Texts { views, blocks, store, .. } = texts;
        Self { views: views.into(), blocks, store }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The text of a code, which must be below the length.
    #[inline]
    pub fn get(&self, code: usize) -> &str {
        let View { start, len } = self.views[code];
        // SAFETY: by the invariant of this file these bytes are UTF-8, and live at least as long as `self`.
        unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, len)) }
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|code| self.get(code))
    }

    /// Whether the same codes stand for the same texts in another, as far as `most` entries say: each thread
    /// has dictionaries of its own of the columns that it reads.
    fn is_like(&self, other: &Self, most: usize) -> bool {
        let mut pairs = self.views.iter().zip(&other.views).zip(0..);
        std::ptr::eq(self, other)
            || self.len() == other.len()
                && self.len() <= most
                && pairs.all(|((a, b), code)| {
                    std::ptr::eq(a.start, b.start) && a.len == b.len || self.get(code) == other.get(code)
                })
    }
}

impl<'s> FromIterator<&'s str> for Dictionary<'s> {
    /// Of texts of the store.
    fn from_iter<I: IntoIterator<Item = &'s str>>(texts: I) -> Self {
        Self::new(texts.into_iter().collect())
    }
}

/// Where texts are written one after the other, each of them whole.
pub struct JoinedTexts<'r, 'b>(&'r mut Room<'b>);

impl JoinedTexts<'_, '_> {
    /// Appends a text.
    #[inline]
    pub fn push(&mut self, text: &str) {
        self.0.extend(text.as_bytes());
    }
}

/// Texts, one for each position.
#[derive(Clone, Default)]
pub struct Texts<'s> {
    /// None where there are codes.
    views: Vec<View>,
    /// Each code is below the number of entries.
    codes: Option<(Vec<u32>, Entries<'s>)>,
    blocks: Blocks,
    /// Whether something was put here that is not known to be ASCII.
    beyond_ascii: bool,
    store: PhantomData<&'s str>,
}

impl fmt::Debug for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'s> Texts<'s> {
    fn viewed(views: Vec<View>, blocks: Blocks) -> Self {
        Self { views, blocks, ..Self::default() }
    }

    /// None yet.
    pub fn with_capacity(texts: usize) -> Self {
        Self::viewed(Vec::with_capacity(texts), Blocks::default())
    }

    /// Empty texts, and room for so many bytes of others.
    pub fn blank_with_room(len: usize, bytes: usize) -> Self {
        let mut texts = Self::blank(len);
        texts.blocks.write(bytes, |_| ());
        texts
    }

    /// Empty texts.
    pub fn blank(len: usize) -> Self {
        Self::viewed(vec![View::EMPTY; len], Blocks::default())
    }

    /// The same text everywhere, kept once.
    pub fn repeat(text: &str, len: usize) -> Self {
        let mut texts = Self::default();
        let view = texts.copy(text);
        texts.views = vec![view; len];
        texts
    }

    /// Texts of a dictionary. A code without an entry stands for the empty text.
    pub fn coded(codes: Vec<u32>, entries: &Entries<'s>) -> Self {
        if codes.iter().all(|code| (*code as usize) < entries.len()) {
            return Self { codes: Some((codes, Arc::clone(entries))), ..Self::default() };
        }
        let view = |code: &u32| entries.views.get(*code as usize).copied().unwrap_or(View::EMPTY);
        let views = codes.iter().map(view).collect();
        Self { views, blocks: entries.blocks.clone(), beyond_ascii: true, ..Self::default() }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.codes.as_ref().map_or(self.views.len(), |(codes, _)| codes.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text at position `i`, which must be below the length.
    #[inline]
    pub fn get(&self, i: usize) -> &str {
        match &self.codes {
            None => self.text(self.views[i]),
            Some((codes, entries)) => entries.get(codes[i] as usize),
        }
    }

    /// The text of one of the vector's views.
    #[inline]
    fn text(&self, view: View) -> &str {
        // SAFETY: by the invariant these bytes are UTF-8, and live at least as long as `self`.
        unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(view.start, view.len)) }
    }

    /// Whether the text at position `i` is that at position `j` of another vector.
    #[inline]
    pub fn is_same(&self, i: usize, other: &Texts<'_>, j: usize) -> bool {
        same_bytes(self.get(i).as_bytes(), other.get(j).as_bytes())
    }

    /// Whether all of them are known to be ASCII, so that a character is a byte. Known of what was decoded or
    /// copied, and of parts of it.
    #[inline]
    pub fn is_ascii(&self) -> bool {
        self.codes.is_none() && !self.beyond_ascii
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The first `len` in order, where these are no texts of a dictionary: which of both they are is asked
    /// once.
    #[inline]
    pub fn viewed_texts(&self, len: usize) -> Option<impl ExactSizeIterator<Item = &str>> {
        let views = self.views.get(..len).unwrap_or(&self.views);
        self.codes.is_none().then(|| views.iter().map(|view| self.text(*view)))
    }

    /// The codes and what they stand for, where these are texts of a dictionary.
    #[inline]
    pub fn codes(&self) -> Option<(&[u32], &Entries<'s>)> {
        self.codes.as_ref().map(|(codes, entries)| (&codes[..], entries))
    }

    /// Bytes of the texts at some positions; none of a dictionary's, which are others'.
    pub(crate) fn letters(&self, positions: std::ops::Range<u32>) -> u64 {
        let views = self.views.get(positions.start as usize..positions.end as usize).unwrap_or_default();
        views.iter().map(|view| view.len as u64).sum()
    }

    /// A copy of a text, in a block.
    #[inline]
    fn copy(&mut self, text: &str) -> View {
        if text.is_empty() {
            return View::EMPTY;
        }
        self.beyond_ascii |= !text.is_ascii();
        let copy = self.blocks.write(text.len(), |room| room.extend(text.as_bytes()));
        View { start: copy.as_ptr(), len: copy.len() }
    }

    /// Where the texts lie, by position; nothing where these are texts of a dictionary.
    #[inline]
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// The views, made of codes where there are codes.
    #[inline]
    fn views_mut(&mut self) -> &mut Vec<View> {
        if self.codes.is_some() {
            self.decode();
        }
        &mut self.views
    }

    #[cold]
    fn decode(&mut self) {
        if let Some((codes, entries)) = self.codes.take() {
            self.beyond_ascii = true;
            self.views = codes.iter().map(|code| entries.views[*code as usize]).collect();
            self.blocks.share(&entries.blocks);
        }
    }

    /// Appends a copy of a text.
    #[inline]
    pub fn push(&mut self, text: &str) {
        let view = self.copy(text);
        self.views_mut().push(view);
    }

    /// Appends a text of the store.
    #[inline]
    pub fn push_stored(&mut self, text: &'s str) {
        self.beyond_ascii = true;
        self.views_mut().push(View::of(text));
    }

    /// Puts a copy of a text at position `i`.
    #[inline]
    pub fn set(&mut self, i: usize, text: &str) {
        let view = self.copy(text);
        self.views_mut()[i] = view;
    }

    /// Puts a text of the store at position `i`.
    #[inline]
    pub fn set_stored(&mut self, i: usize, text: &'s str) {
        self.beyond_ascii = true;
        self.views_mut()[i] = View::of(text);
    }

    /// Puts at position `i` what `write` puts into a room of at least `most` bytes; what is not UTF-8 is
    /// replaced as [`String::from_utf8_lossy`] does.
    ///
    /// **Cost**: one look at each byte besides writing it.
    #[inline]
    pub fn set_with(&mut self, i: usize, most: usize, write: impl FnOnce(&mut Room<'_>)) {
        let bytes = self.blocks.write(most, write);
        let view = if bytes.is_ascii() {
            View::at(bytes)
        } else {
            self.beyond_ascii = true;
            match std::str::from_utf8(bytes) {
                Ok(text) => View::of(text),
                Err(_) => {
                    let mended = String::from_utf8_lossy(bytes).into_owned();
                    self.copy(&mended)
                }
            }
        };
        self.views_mut()[i] = view;
    }

    /// Puts at position `i` what `of` makes of each byte of a text; `false`, and nothing is put, where not
    /// all of that is ASCII.
    ///
    /// **Cost**: each byte is looked at and written once.
    #[inline]
    pub fn set_mapped(&mut self, i: usize, text: &str, of: impl Fn(u8) -> u8) -> bool {
        self.set_if_ascii(i, text.len(), |room| room.extend_mapped(text.as_bytes(), of))
    }

    /// Puts a text backwards at position `i`; `false`, and nothing is put, where not all of it is ASCII.
    #[inline]
    pub fn set_reversed(&mut self, i: usize, text: &str) -> bool {
        self.set_if_ascii(i, text.len(), |room| room.extend_reversed(text.as_bytes()))
    }

    /// Puts at position `i` what `write`, which tells whether that is ASCII, puts into a room.
    #[inline(always)]
    fn set_if_ascii(&mut self, i: usize, most: usize, write: impl FnOnce(&mut Room<'_>) -> bool) -> bool {
        let mut is_ascii = false;
        let written = self.blocks.write(most, |room| is_ascii = write(room));
        if is_ascii {
            let view = View::at(written);
            self.views_mut()[i] = view;
        }
        is_ascii
    }

    /// As [`Self::set_with`] for many positions: `texts` gives each with the room that it needs at most and
    /// what `write` is told of it. They lie end to end and are checked together.
    pub fn set_many<T>(
        &mut self,
        texts: impl Iterator<Item = (usize, usize, T)>,
        mut write: impl FnMut(T, &mut Room<'_>),
    ) {
        let mut texts = texts.peekable();
        self.views_mut();
        let mut ends: Vec<(usize, usize)> = Vec::with_capacity(texts.size_hint().0);
        while let Some((_, most, _)) = texts.peek() {
            ends.clear();
            let bytes = self.blocks.write(*most, |room| {
                while let Some((i, _, text)) = texts.next_if(|(_, most, _)| *most <= room.left()) {
                    write(text, room);
                    ends.push((i, room.len()));
                }
            });
            let is_ascii = bytes.is_ascii();
            // Of a text, each part between characters is a text.
            let whole = if is_ascii { None } else { std::str::from_utf8(bytes).ok() };
            let mut start = 0;
            let mut broken = Vec::new();
            for &(i, end) in &ends {
                let part = &bytes[start..end];
                let is_text = is_ascii
                    || match whole {
                        Some(whole) => whole.is_char_boundary(start) && whole.is_char_boundary(end),
                        None => std::str::from_utf8(part).is_ok(),
                    };
                if is_text {
                    self.views[i] = View::at(part);
                } else {
                    broken.push((i, String::from_utf8_lossy(part).into_owned()));
                }
                start = end;
            }
            self.beyond_ascii |= !is_ascii;
            broken.iter().for_each(|(i, mended)| self.set(*i, mended));
        }
    }

    /// Puts at each of some positions the texts that `write` gives for it, one after the other; all of them
    /// together have at most `bytes`. They lie end to end, and what is text already is not checked again.
    pub fn set_joined(
        &mut self,
        positions: &[u32],
        bytes: usize,
        mut write: impl FnMut(usize, &mut JoinedTexts<'_, '_>),
    ) {
        self.views_mut();
        let mut ends = Vec::with_capacity(positions.len());
        let written = self.blocks.write(bytes, |room| {
            let mut joined = JoinedTexts(room);
            for i in positions {
                write(*i as usize, &mut joined);
                ends.push(joined.0.len());
            }
        });
        self.beyond_ascii |= !written.is_ascii();
        let mut start = 0;
        for (i, end) in positions.iter().zip(ends) {
            self.views[*i as usize] = View::at(&written[start..end]);
            start = end;
        }
    }

    /// The texts at the given positions, in that order. **Cost**: no text is copied.
    pub fn gather(&self, positions: &[u32]) -> Self {
        if let Some((codes, entries)) = &self.codes {
            let codes = positions.iter().map(|p| codes[*p as usize]).collect();
            return Self { codes: Some((codes, Arc::clone(entries))), ..Self::default() };
        }
        let views = positions.iter().map(|p| self.views[*p as usize]).collect();
        let (blocks, beyond_ascii) = (self.blocks.clone(), self.beyond_ascii);
        Self { views, blocks, beyond_ascii, ..Self::default() }
    }

    /// Parts of the texts at the positions that are meant and not null: `part` gives one of a text. Nothing
    /// is copied.
    ///
    /// What `part` gives lies in the text that it got, or is a constant of ASCII: it is asked for any life a
    /// text may have.
    pub fn parts(
        &self,
        at: Positions<'_>,
        nulls: &Nulls,
        mut part: impl for<'t> FnMut(usize, &'t str) -> &'t str,
    ) -> Self {
        let mut views: Vec<View> = match self.viewed_texts(at.len) {
            Some(texts) if at.is_all() && nulls.is_none() => {
                texts.enumerate().map(|(i, text)| View::of(part(i, text))).collect()
            }
            _ => {
                let mut views = vec![View::EMPTY; at.len];
                at.for_each(|i| {
                    if !nulls.get(i) {
                        views[i] = View::of(part(i, self.get(i)));
                    }
                });
                views
            }
        };
        views.resize(at.len, View::EMPTY);
        let beyond_ascii = !self.is_ascii();
        Self { views, blocks: self.all_blocks().clone(), beyond_ascii, ..Self::default() }
    }

    /// Parts of texts that are known to be ASCII: `part` gives the first byte and the end of one, of so many
    /// bytes at a position; what is outside is left out. `None` of others. No text is looked at.
    pub fn ascii_parts(
        &self,
        at: Positions<'_>,
        nulls: &Nulls,
        part: impl Fn(usize, usize) -> (usize, usize),
    ) -> Option<Self> {
        if !self.is_ascii() {
            return None;
        }
        let cut = |i: usize, view: View| {
            let (start, end) = part(i, view.len);
            let end = end.min(view.len);
            let start = start.min(end);
            // Within the text, and so between its characters.
            let within = View { start: view.start.wrapping_add(start), len: end - start };
            if start == end { View::EMPTY } else { within }
        };
        let views = if at.is_all() && nulls.is_none() && self.views.len() == at.len {
            self.views.iter().enumerate().map(|(i, view)| cut(i, *view)).collect()
        } else {
            let mut views = vec![View::EMPTY; at.len];
            at.for_each(|i| {
                if !nulls.get(i) {
                    views[i] = cut(i, self.views[i]);
                }
            });
            views
        };
        Some(Self { views, blocks: self.blocks.clone(), ..Self::default() })
    }

    /// Several parts of each text at the positions that are meant and not null, one after the other, and how
    /// many of each: `cut` hands them to what it is given, which says whether it takes more. `None` where
    /// they are more than `most`. Nothing is copied.
    ///
    /// What `cut` gives lies in the text that it got, or is a constant, as in [`Self::parts`].
    pub fn cuts(
        &self,
        at: Positions<'_>,
        nulls: &Nulls,
        most: usize,
        mut cut: impl for<'t> FnMut(&'t str, &mut dyn FnMut(&'t str) -> bool),
    ) -> Option<(Self, Vec<u32>)> {
        let (mut views, mut counts) = (Vec::with_capacity(at.count()), vec![0; at.len]);
        let mut fits = true;
        at.for_each(|i| {
            if fits && !nulls.get(i) {
                let before = views.len();
                cut(self.get(i), &mut |part| {
                    fits = views.len() < most;
                    if fits {
                        views.push(View::of(part));
                    }
                    fits
                });
                counts[i] = u32::try_from(views.len() - before).unwrap_or(0);
            }
        });
        let (blocks, beyond_ascii) = (self.all_blocks().clone(), !self.is_ascii());
        fits.then(|| (Self { views, blocks, beyond_ascii, ..Self::default() }, counts))
    }

    /// Appends `positions` of `other`: codes of a dictionary of the same texts as codes, texts of the store
    /// in place, and copies of texts that a query made, so that no more is kept than what is here.
    pub fn extend(&mut self, other: &Self, positions: &[u32]) {
        if let Some((codes, entries)) = &other.codes {
            let more = positions.iter().map(|p| codes[*p as usize]);
            match &mut self.codes {
                Some((own, known)) if known.is_like(entries, positions.len()) => return own.extend(more),
                None if self.views.is_empty() => {
                    self.codes = Some((more.collect(), Arc::clone(entries)));
                    return;
                }
                _ => {}
            }
            self.beyond_ascii = true;
            if entries.blocks.is_empty() {
                self.views_mut().extend(more.map(|code| entries.views[code as usize]));
            } else {
                more.for_each(|code| self.push(entries.get(code as usize)));
            }
            return;
        }
        if other.blocks.is_empty() {
            self.beyond_ascii |= other.beyond_ascii;
            self.views_mut().extend(positions.iter().map(|p| other.views[*p as usize]));
            return;
        }
        self.views_mut().reserve(positions.len());
        positions.iter().for_each(|p| self.push(other.get(*p as usize)));
    }

    /// Copies `positions` of `other` over those of `self`; no text is copied.
    pub fn assign(&mut self, other: &Self, positions: &[u32]) {
        self.blocks.share(other.all_blocks());
        self.beyond_ascii |= !other.is_ascii();
        let views = self.views_mut();
        for p in positions {
            let text = View::of(other.get(*p as usize));
            views[*p as usize] = text;
        }
    }

    /// The blocks that its texts lie in.
    fn all_blocks(&self) -> &Blocks {
        self.codes.as_ref().map_or(&self.blocks, |(_, entries)| &entries.blocks)
    }

    /// Makes it `len` long, with empty texts at the end.
    pub fn resize(&mut self, len: usize) {
        self.views_mut().resize(len, View::EMPTY);
    }

    /// Texts that there is room for, and bytes of a cell.
    pub fn cells(&self) -> (usize, usize) {
        match &self.codes {
            None => (self.views.capacity(), size_of::<View>()),
            Some((codes, _)) => (codes.capacity(), size_of::<u32>()),
        }
    }

    /// Bytes of texts that a query made.
    pub fn block_bytes(&self) -> usize {
        self.all_blocks().bytes()
    }
}

impl<'s> FromIterator<&'s str> for Texts<'s> {
    /// Of texts of the store.
    fn from_iter<I: IntoIterator<Item = &'s str>>(texts: I) -> Self {
        Self { views: texts.into_iter().map(View::of).collect(), beyond_ascii: true, ..Self::default() }
    }
}
