//! Hash index from a key property's value to its row: open addressing over 32-bit rows, keys compared in the
//! column.
//!
//! The table is cut in pieces by the hash's upper bits, so that a new key rewrites one piece. In a piece an
//! entry is `row + 1`, 0 for empty, and beside it stands a tag, the last byte of the key's hash: keys of
//! other tags are not looked at in the column. A piece is 3/4 full, so an index costs 6.7 bytes a key and no
//! key is stored twice.
//!
//! Source: tags as in Bruce and Shi, "F14", 2019: a key that is not there would be compared with eight others
//! on the average, and each of these is a cache miss.

use std::sync::Arc;

use self_cell::self_cell;
use trimorph_types::Value;
use trimorph_types::number::exact_int;
use trimorph_vfs::{Bytes, CodecError, Decoder, Piece, PieceWriter, Pins, prefetch_item};

use crate::column::{ColumnView, put_blob};
use crate::slot::{Content, Resolved, Slot};

/// Keys of a piece when it is made, at most twice as many: 170 KB of entries on average, far below 256 KB for
/// every one.
const PIECE_KEYS: usize = 1 << 15;
/// Pieces are told by at most so many bits of the hash.
const BITS_MAX: u8 = 20;

/// What is in a piece: the rows of the keys whose hashes begin with its number, and their tags.
#[derive(Debug)]
pub(crate) struct Entries(Bytes, Option<Bytes>);

self_cell! {
    /// One piece.
    pub(crate) struct KeyEntries {
        owner: Entries,
        #[covariant]
        dependent: EntriesView,
    }
}

/// The entries of a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EntriesView<'v> {
    rows: &'v [u32],
    /// As many; none in pieces of format versions up to 12.
    tags: &'v [u8],
}

/// The tag of a hash.
#[inline(always)]
fn tag_of(hash: u64) -> u8 {
    hash as u8
}

impl EntriesView<'_> {
    /// The first entry from a place on whose key may have a hash: its place and row. `None` if an empty one
    /// comes before: one of each four is, and one at least.
    #[inline(always)]
    pub(crate) fn next(&self, hash: u64, mut at: usize) -> Option<(usize, u32)> {
        loop {
            let row = self.rows.get(at)?.checked_sub(1)?;
            if self.tags.get(at).is_none_or(|tag| *tag == tag_of(hash)) {
                return Some((at, row));
            }
            at = self.after(at);
        }
    }

    /// The place behind another.
    #[inline(always)]
    pub(crate) fn after(&self, at: usize) -> usize {
        if at + 1 == self.rows.len() { 0 } else { at + 1 }
    }

    /// Asks for what is at a place.
    #[inline(always)]
    pub(crate) fn prefetch(&self, at: usize) {
        prefetch_item(self.rows, at);
        prefetch_item(self.tags, at);
    }
}

impl Content for KeyEntries {
    /// Rows of the table.
    type Given = u64;
    type View<'v> = EntriesView<'v>;

    fn read(piece: &Arc<Piece>, rows: &u64) -> Result<Self, CodecError> {
        let mut meta = Decoder::new(piece.metadata());
        let entries = piece.read_blob(&mut meta)?;
        let tags = if meta.remaining() > 0 { Some(piece.read_blob(&mut meta)?) } else { None };
        match bytemuck::try_cast_slice::<u8, u32>(entries.as_slice()) {
            // One free entry at least, or a probe for a missing key would not end.
            Ok(e)
                if e.iter().all(|e| u64::from(*e) <= *rows)
                    && e.contains(&0)
                    && tags.as_ref().is_none_or(|tags| tags.as_slice().len() == e.len()) => {}
            _ => return Err(meta.error("a key index of rows of the table")),
        }
        Ok(Self::new(Entries(entries, tags), |Entries(rows, tags)| EntriesView {
            rows: bytemuck::try_cast_slice(rows.as_slice()).unwrap_or_default(),
            tags: tags.as_ref().map_or(&[], |tags| tags.as_slice()),
        }))
    }

    fn view(&self) -> &EntriesView<'_> {
        self.borrow_dependent()
    }
}

/// From key to row, for one node table.
#[derive(Clone, Debug)]
pub struct KeyIndex {
    /// Bits of the hash that tell the piece.
    pub(crate) bits: u8,
    pub(crate) pieces: Vec<Arc<Slot<KeyEntries>>>,
}

/// A key index as one thread sees it.
pub struct KeyIndexView<'s> {
    bits: u8,
    pieces: Resolved<'s, KeyEntries>,
}

/// Spreads the bits of an integer key (the finalizer of MurmurHash3).
#[inline]
pub(crate) fn hash_int(key: i64) -> u64 {
    let mut h = key.cast_unsigned();
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

/// FNV-1a, then the finalizer: the same on every platform, since it is stored.
pub(crate) fn hash_text(key: &[u8]) -> u64 {
    let hash =
        key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    hash_int(hash.cast_signed())
}

/// The piece a hash belongs to.
#[inline]
fn piece_of(hash: u64, bits: u8) -> usize {
    hash.unbounded_shr(u64::BITS - u32::from(bits)) as usize
}

/// Where the search for a hash begins among the entries of its piece.
#[inline]
fn first_place(hash: u64, bits: u8, capacity: usize) -> usize {
    ((u128::from(hash << bits) * capacity as u128) >> 64) as usize
}

/// The hash of a key; `None` if no node can have it.
pub(crate) fn hash_of(key: &Value) -> Option<u64> {
    match key {
        Value::Int(i) => Some(hash_int(*i)),
        Value::String(s) => Some(hash_text(s.as_bytes())),
        _ => None,
    }
}

/// Takes some hashes of keys and their rows.
pub(crate) type TakeHashes<'a> = dyn FnMut(&[(u64, u32)]) + 'a;

impl KeyIndex {
    /// The finished pieces of an index of `count` rows, whose key hashes `hashes` gives with their rows, a
    /// block at a time, each time it is called; and the bits that tell them.
    pub(crate) fn write(count: usize, hashes: impl Fn(&mut TakeHashes<'_>)) -> (u8, Vec<Vec<u8>>, usize) {
        let wanted = count.div_ceil(PIECE_KEYS).next_power_of_two();
        let bits = u8::try_from(wanted.trailing_zeros()).unwrap_or(BITS_MAX).min(BITS_MAX);
        let mut counts = vec![0usize; 1 << bits];
        hashes(&mut |block| block.iter().for_each(|(hash, _)| counts[piece_of(*hash, bits)] += 1));
        let mut pieces: Vec<Table> = counts.iter().map(|n| Table::with_room(*n)).collect();
        hashes(&mut |block| {
            for (hash, _) in block {
                let table = &pieces[piece_of(*hash, bits)];
                table.view().prefetch(first_place(*hash, bits, table.rows.len()));
            }
            for (hash, row) in block {
                pieces[piece_of(*hash, bits)].insert(*hash, bits, *row);
            }
        });
        let size = pieces.iter().map(|table| table.rows.len() * ENTRY_BYTES).sum();
        (bits, pieces.into_iter().map(Table::finish).collect(), size)
    }

    /// The number of the piece a hash belongs to.
    pub(crate) fn piece(&self, hash: u64) -> usize {
        piece_of(hash, self.bits)
    }

    /// Whether an index of `rows` rows has too few pieces: keys that come write much.
    pub(crate) fn is_too_small(&self, rows: usize) -> bool {
        self.bits < BITS_MAX && rows > (4 * PIECE_KEYS) << self.bits
    }

    /// Piece `number`, finished, with more rows; `hash_at` gives the hash of a row that is there already, or
    /// none if it goes. What cannot be read is told to `pins`.
    pub(crate) fn write_piece<'s>(
        &'s self,
        number: usize,
        rows: &[(u64, u32)],
        hash_at: impl Fn(u32) -> Option<u64>,
        pins: &Pins<'s>,
    ) -> Vec<u8> {
        let old = self.pieces.get(number).and_then(|p| p.get(pins)).map_or(&[][..], |p| p.view().rows);
        let old = old.iter().filter_map(|entry| {
            let row = entry.checked_sub(1)?;
            Some((hash_at(row)?, row))
        });
        let old: Vec<(u64, u32)> = old.collect();
        let mut table = Table::with_room(old.len() + rows.len());
        old.iter().chain(rows).for_each(|(hash, row)| table.insert(*hash, self.bits, *row));
        table.finish()
    }

    /// The index of its pieces; `None` if they are not as many as the bits tell.
    pub(crate) fn of(bits: u8, pieces: Vec<Arc<Slot<KeyEntries>>>) -> Option<Self> {
        (bits <= BITS_MAX && pieces.len() == 1 << bits).then_some(Self { bits, pieces })
    }

    /// As one thread sees it.
    pub fn view<'s>(&'s self, pins: &Arc<Pins<'s>>) -> KeyIndexView<'s> {
        KeyIndexView { bits: self.bits, pieces: Resolved::new(&self.pieces, pins) }
    }
}

impl<'s> KeyIndexView<'s> {
    /// The entries where a hash is looked for, and the place among them where that begins.
    #[inline(always)]
    pub(crate) fn start(&self, hash: u64) -> Option<(&'s EntriesView<'s>, usize)> {
        let entries = self.pieces.get(piece_of(hash, self.bits))?;
        Some((entries, first_place(hash, self.bits, entries.rows.len())))
    }

    /// Forgets what is pinned.
    pub fn forget(&self) {
        self.pieces.forget();
    }

    /// The row whose key is `key`, read from `column`, if there is one.
    ///
    /// **Cost**: constant; two cache misses as a rule.
    pub fn find(&self, key: &Value, column: &ColumnView<'_>) -> Option<u64> {
        let hash = match key {
            Value::Float(f) => return self.find(&Value::Int(exact_int(*f)?), column),
            Value::Decimal(d) => return self.find(&Value::Int(d.exact_int()?), column),
            key => hash_of(key)?,
        };
        let (entries, mut at) = self.start(hash)?;
        loop {
            let (found, row) = entries.next(hash, at)?;
            let row = u64::from(row);
            let equal = match (key, column.value(row)) {
                (Value::Int(a), Value::Int(b)) => *a == b,
                (Value::String(a), Value::String(b)) => *a == b,
                _ => false,
            };
            if equal {
                return Some(row);
            }
            at = entries.after(found);
        }
    }
}

/// Bytes of a row and a tag.
const ENTRY_BYTES: usize = size_of::<u32>() + 1;

/// The entries of a piece that is made.
struct Table {
    rows: Vec<u32>,
    tags: Vec<u8>,
}

impl Table {
    /// For so many keys.
    fn with_room(keys: usize) -> Self {
        let places = keys + keys / 3 + 1;
        Self { rows: vec![0; places], tags: vec![0; places] }
    }

    fn view(&self) -> EntriesView<'_> {
        EntriesView { rows: &self.rows, tags: &self.tags }
    }

    /// Puts a row in the first free place from its hash's on.
    fn insert(&mut self, hash: u64, bits: u8, row: u32) {
        let mut at = first_place(hash, bits, self.rows.len());
        // One place is left free for each three, so the search ends.
        while self.rows[at] != 0 {
            at = self.view().after(at);
        }
        (self.rows[at], self.tags[at]) = (row + 1, tag_of(hash));
    }

    fn finish(self) -> Vec<u8> {
        let mut piece = PieceWriter::new();
        put_blob(self.rows.iter().flat_map(|row| row.to_le_bytes()).collect(), &mut piece);
        put_blob(self.tags, &mut piece);
        piece.finish()
    }
}
