//! The dictionary of a column as it is stored: takes a code, gives its text. Pieces of the same number of
//! entries each, so that an entry is found by its code's upper bits; codes never change, new entries go
//! behind the last.
//!
//! Invariant: all pieces but the last hold `1 << shift` entries; a piece is at most [`PIECE_BYTES_MAX`]
//! unless a single text is longer.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use self_cell::self_cell;
use trimorph_encoding::{PackedView, pack};
use trimorph_vector::{Dictionary as SideBySide, Entries as EntryTexts};
use trimorph_vfs::{CodecError, Decoder, Piece, PieceWriter, Pins, TextBytes};

use super::blobs::{Ints, put_blob, read_text};
use super::segment_view::text_at;
use crate::slot::{Content, Resolved, Slot};

/// What a piece of a dictionary takes at most, so that a new entry is a small write.
const PIECE_BYTES_MAX: usize = 256 << 10;
/// Entries of a piece at most, as a power of two: their ends take a quarter of the bytes.
const SHIFT_MAX: u8 = 14;

/// The longest text that fits a piece with others.
pub(crate) fn entry_bytes_max(shift: u8) -> usize {
    (PIECE_BYTES_MAX >> shift).saturating_sub(4)
}

/// What is in a piece: consecutive entries.
#[derive(Debug)]
pub(crate) struct Texts {
    ends: Ints,
    text: TextBytes,
}

type TextsView<'v> = (PackedView<'v>, &'v str);

self_cell! {
    /// One piece of a dictionary.
    pub(crate) struct Entries {
        owner: Texts,
        #[covariant]
        dependent: TextsView,
    }
}

impl Content for Entries {
    /// How many there are.
    type Given = usize;
    type View<'v> = TextsView<'v>;

    fn read(piece: &Arc<Piece>, len: &usize) -> Result<Self, CodecError> {
        let mut meta = Decoder::new(piece.metadata());
        let (ends, text) = read_text(piece, &mut meta, *len)?;
        Ok(Self::new(Texts { ends, text }, |texts| (texts.ends.view(), texts.text.as_str())))
    }

    fn view(&self) -> &TextsView<'_> {
        self.borrow_dependent()
    }
}

/// Distinct strings of a column. One without entries is none.
#[derive(Clone, Default, Debug)]
pub(crate) struct Dictionary {
    pub(crate) shift: u8,
    pub(crate) pieces: Vec<Arc<Slot<Entries>>>,
}

impl Dictionary {
    /// Entries.
    pub(crate) fn len(&self) -> usize {
        self.pieces.iter().map(|p| p.given()).sum()
    }

    /// The dictionary of some pieces; `None` if they do not hold the invariant.
    pub(crate) fn of(shift: u8, pieces: Vec<Arc<Slot<Entries>>>) -> Option<Self> {
        let whole = 1usize.checked_shl(shift.into())?;
        let fits = |(i, p): (usize, &Arc<Slot<Entries>>)| {
            *p.given() == whole || (i + 1 == pieces.len() && *p.given() < whole)
        };
        (shift <= SHIFT_MAX && pieces.iter().enumerate().all(fits)).then_some(Self { shift, pieces })
    }

    /// The finished pieces of texts that lie end to end, with the entries of each; and the shift.
    pub(crate) fn write(text: &[u8], ends: &[i64]) -> (u8, Vec<(Vec<u8>, usize)>) {
        let end = |i: usize| i.checked_sub(1).map_or(0, |i| usize::try_from(ends[i]).unwrap_or(0));
        // The most entries with which every piece is small enough.
        let fits = |shift: u8| {
            let bytes = |from: usize| end(ends.len().min(from + (1 << shift))) - end(from) + (4 << shift);
            (0..ends.len()).step_by(1 << shift).all(|from| bytes(from) <= PIECE_BYTES_MAX)
        };
        let shift = (0..=SHIFT_MAX).rev().find(|s| fits(*s)).unwrap_or(0);
        (shift, Self::write_from(0, shift, text, ends))
    }

    /// The finished pieces that differ from those of the first `len` texts: none if there are no others.
    pub(crate) fn write_from(len: usize, shift: u8, text: &[u8], ends: &[i64]) -> Vec<(Vec<u8>, usize)> {
        if len == ends.len() {
            return Vec::new();
        }
        let end = |i: usize| i.checked_sub(1).map_or(0, |i| usize::try_from(ends[i]).unwrap_or(0));
        let pieces = (len >> shift << shift..ends.len()).step_by(1 << shift).map(|from| {
            let to = ends.len().min(from + (1 << shift));
            let (first, last) = (end(from), end(to));
            let local: Vec<i64> = ends[from..to].iter().map(|e| e - first as i64).collect();
            let mut piece = PieceWriter::new();
            Ints::write(pack(&local), &mut piece);
            put_blob(text[first..last].to_vec(), &mut piece);
            (piece.finish(), to - from)
        });
        pieces.collect()
    }

    /// The dictionary with other pieces from that of its last incomplete entries on; `None` if they do not
    /// fit.
    pub(crate) fn with_tail(&self, shift: u8, tail: Vec<Arc<Slot<Entries>>>) -> Option<Self> {
        if tail.is_empty() {
            return Some(self.clone());
        }
        let kept = if self.pieces.is_empty() { 0 } else { self.len() >> shift };
        Self::of(shift, self.pieces.iter().take(kept).cloned().chain(tail).collect())
    }
}

/// A dictionary as one thread sees it.
pub(crate) struct DictionaryView<'s> {
    shift: u8,
    mask: usize,
    len: usize,
    pieces: Resolved<'s, Entries>,
    /// All entries side by side, once as many were asked for as there are.
    side_by_side: RefCell<Option<EntryTexts<'s>>>,
    asked: Cell<usize>,
}

impl<'s> DictionaryView<'s> {
    /// Nothing is read yet.
    pub(crate) fn new(dictionary: &'s Dictionary, pins: &Arc<Pins<'s>>) -> Self {
        let pieces = Resolved::new(&dictionary.pieces, pins);
        let (shift, len) = (dictionary.shift, dictionary.len());
        Self {
            shift,
            mask: (1 << shift) - 1,
            len,
            pieces,
            side_by_side: RefCell::default(),
            asked: Cell::new(0),
        }
    }

    /// Forgets what is pinned.
    pub(crate) fn forget(&self) {
        self.pieces.forget();
        self.side_by_side.take();
        self.asked.set(0);
    }

    /// All entries by code, where `more` that are asked for now pay for it.
    ///
    /// **Cost**: 16 bytes an entry, once a thread.
    pub(crate) fn entries(&self, more: usize) -> Option<EntryTexts<'s>> {
        let mut kept = self.side_by_side.borrow_mut();
        if kept.is_none() {
            let asked = self.asked.get().saturating_add(more);
            self.asked.set(asked);
            if self.len == 0 || asked < self.len {
                return None;
            }
            let entries: SideBySide<'s> = (0..self.len as i64).map(|code| self.entry(code)).collect();
            *kept = Some(Arc::new(entries));
        }
        kept.clone()
    }

    /// Entries.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many pieces are not pinned.
    #[inline]
    pub(crate) fn missing(&self) -> usize {
        self.pieces.missing()
    }

    /// Calls `read`, which copies each entry before it asks for the next one.
    pub(crate) fn one_after_the_other<T>(&self, read: impl FnOnce() -> T) -> T {
        self.pieces.one_after_the_other(read)
    }

    /// The text of a code; the empty one past the last.
    #[inline]
    pub(crate) fn entry(&self, code: i64) -> &'s str {
        match usize::try_from(code) {
            Ok(code) if code < self.len => match self.pieces.get(code >> self.shift) {
                Some((ends, text)) => text_at(ends, text, code & self.mask),
                None => "",
            },
            _ => "",
        }
    }
}
