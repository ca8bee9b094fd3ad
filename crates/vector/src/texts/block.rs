//! Blocks of text that a query makes: bytes that never move, written once, shared by all vectors that show
//! them.
//!
//! Invariants, which is why this file may say `unsafe`:
//!
//! 1. A block's bytes stay where they are until the last `Arc` of it goes.
//! 2. The bytes of a block before `used` are written and never change. Only one [`Blocks`], that which made
//!    the block, writes behind them; a clone of it makes blocks of its own.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// A byte that its one writer may write while others read those before it.
#[repr(transparent)]
struct Cell(UnsafeCell<MaybeUninit<u8>>);

// SAFETY: by invariant 2 no byte is read before it is written, nor written again after.
unsafe impl Sync for Cell {}

/// Bytes of the first block that a vector makes, and of the largest unless one text is longer.
const BLOCK_BYTES_MIN: usize = 1 << 10;
const BLOCK_BYTES_MAX: usize = 1 << 20;

/// The blocks that the texts of one vector may lie in. **Cost** of a clone: that of one `Arc`, however many
/// there are.
#[derive(Default)]
pub(super) struct Blocks {
    /// None where there is no block.
    list: Option<Arc<Vec<Arc<[Cell]>>>>,
    /// Bytes of the last block that are written.
    used: usize,
    /// Bytes of all blocks.
    bytes: usize,
    /// Whether the last block is this one's to write.
    writes: bool,
}

impl Clone for Blocks {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), used: self.used, bytes: self.bytes, writes: false }
    }
}

impl Blocks {
    #[inline]
    fn all(&self) -> &[Arc<[Cell]>] {
        self.list.as_deref().map_or(&[], Vec::as_slice)
    }

    /// The list, this one's own from now on.
    fn all_mut(&mut self) -> &mut Vec<Arc<[Cell]>> {
        Arc::make_mut(self.list.get_or_insert_default())
    }

    /// Lets `write` fill a room of at least `most` bytes; gives what it wrote.
    #[inline]
    pub(super) fn write(&mut self, most: usize, write: impl FnOnce(&mut Room<'_>)) -> &[u8] {
        self.reserve(most);
        let Some(block) = self.all().last() else { return &[] };
        let start: *mut MaybeUninit<u8> = UnsafeCell::raw_get(block.as_ptr().cast());
        // SAFETY: the room lies within the block, which only this one writes; no text lies there yet.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start.add(self.used), block.len() - self.used) };
        let mut room = Room { bytes, len: 0 };
        write(&mut room);
        let Room { bytes, len } = room;
        self.used += len;
        // SAFETY: a room's bytes before its length are written.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), len) }
    }

    /// Makes the last block one that this one writes, with `bytes` of room.
    #[inline]
    fn reserve(&mut self, bytes: usize) {
        let last = self.all().last().map_or(0, |block| block.len());
        if !self.writes || last - self.used < bytes {
            self.add_block(bytes);
        }
    }

    #[cold]
    fn add_block(&mut self, bytes: usize) {
        let next = match self.all().last().filter(|_| self.writes) {
            Some(last) => (last.len() * 2).min(BLOCK_BYTES_MAX),
            None => BLOCK_BYTES_MIN,
        };
        let block: Arc<[MaybeUninit<Cell>]> = Arc::new_uninit_slice(bytes.max(next));
        // SAFETY: a `Cell` is a byte that need not be initialised.
        let block = unsafe { block.assume_init() };
        self.bytes += block.len();
        self.all_mut().push(block);
        (self.used, self.writes) = (0, true);
    }

    /// Keeps the blocks of another alive too.
    pub(super) fn share(&mut self, other: &Self) {
        if self.list.is_none() {
            // The last is the other's to write.
            *self = other.clone();
            return;
        }
        for block in other.all() {
            if !self.all().iter().any(|own| Arc::ptr_eq(own, block)) {
                self.bytes += block.len();
                // In front: the last stays the one to write.
                self.all_mut().insert(0, Arc::clone(block));
            }
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_none()
    }

    /// Bytes of all blocks.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// What each byte stands for: up to eight bytes.
///
/// Invariant: no length is above 8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbols {
    symbols: [u64; 256],
    lengths: [u8; 256],
}

impl Symbols {
    /// Bytes that stand for nothing.
    pub fn empty() -> Self {
        Self { symbols: [0; 256], lengths: [0; 256] }
    }

    /// By byte, the first byte of a symbol lowest. `None` where one is longer than eight bytes.
    pub fn new(symbols: [u64; 256], lengths: [u8; 256]) -> Option<Self> {
        lengths.iter().all(|len| *len <= 8).then_some(Self { symbols, lengths })
    }

    /// The symbol of a byte, and how many of its bytes count.
    #[inline]
    pub fn get(&self, code: u8) -> (u64, usize) {
        (self.symbols[usize::from(code)], usize::from(self.lengths[usize::from(code)]))
    }
}

/// Where a text is written, from its first byte on. What has no room is left out.
///
/// Invariant: the bytes before `len` are written.
pub struct Room<'b> {
    bytes: &'b mut [MaybeUninit<u8>],
    len: usize,
}

impl Room<'_> {
    /// Bytes that are written.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none are.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that can still be written.
    #[inline]
    pub fn left(&self) -> usize {
        self.bytes.len() - self.len
    }

    /// Appends the first `len` of eight bytes: all eight are stored, so that the length costs no branch.
    #[inline(always)]
    pub fn push_symbol(&mut self, symbol: u64, len: usize) {
        if let Some(chunk) = self.bytes.get_mut(self.len..self.len + 8) {
            chunk.write_copy_of_slice(&symbol.to_le_bytes());
            self.len += len.min(8);
        }
    }

    /// Appends the symbols of the first `count` of eight codes. `false`, and nothing is appended, where there
    /// might be no room: all eight are stored, eight bytes each.
    #[inline(always)]
    pub fn push_coded(&mut self, symbols: &Symbols, codes: [u8; 8], count: usize) -> bool {
        if self.left() < 64 {
            return false;
        }
        let (mut ends, mut end) = ([0usize; 9], 0);
        for (k, code) in codes.into_iter().map(usize::from).enumerate() {
            // SAFETY: no symbol is longer than eight bytes, so this one starts at 7 × 8 or before; 64 bytes
            // are in the room behind what is written.
            unsafe {
                let to = self.bytes.as_mut_ptr().add(self.len + end);
                to.cast::<[u8; 8]>().write_unaligned(symbols.symbols[code].to_le_bytes());
            }
            end += usize::from(symbols.lengths[code]);
            ends[k + 1] = end;
        }
        self.len += ends[count.min(8)];
        true
    }

    /// Appends what `of` makes of each byte; `false`, and nothing is appended, where not all of that is
    /// ASCII.
    #[inline(always)]
    pub fn extend_mapped(&mut self, bytes: &[u8], of: impl Fn(u8) -> u8) -> bool {
        self.extend_sixteens(bytes, false, |sixteen| sixteen.map(&of), &of)
    }

    /// Appends bytes backwards; `false`, and nothing is appended, where not all of them are ASCII.
    #[inline(always)]
    pub fn extend_reversed(&mut self, bytes: &[u8]) -> bool {
        let reversed = |mut sixteen: [u8; 16]| {
            sixteen.reverse();
            sixteen
        };
        self.extend_sixteens(bytes, true, reversed, |byte| byte)
    }

    /// Appends bytes, sixteen at a time changed by `of`, each of fewer by `one`; the last sixteen, which may
    /// have been written before, make up for what is left. `backwards`, each chunk goes to the other end.
    /// `false`, and nothing is appended, where not all are ASCII.
    #[inline(always)]
    fn extend_sixteens(
        &mut self,
        bytes: &[u8],
        backwards: bool,
        of: impl Fn([u8; 16]) -> [u8; 16],
        one: impl Fn(u8) -> u8,
    ) -> bool {
        let len = bytes.len();
        let Some(room) = self.bytes.get_mut(self.len..self.len + len) else { return len == 0 };
        let mut all = 0;
        match bytes.last_chunk::<16>() {
            None => {
                for (i, byte) in bytes.iter().enumerate() {
                    let byte = one(*byte);
                    room[if backwards { len - 1 - i } else { i }].write(byte);
                    all |= byte;
                }
            }
            Some(last) => {
                let mut seen = [0u8; 16];
                let mut put = |room: &mut [MaybeUninit<u8>], sixteen: &[u8; 16]| {
                    let changed = of(*sixteen);
                    room.write_copy_of_slice(&changed);
                    seen.iter_mut().zip(changed).for_each(|(seen, byte)| *seen |= byte);
                };
                let (sixteens, rest) = bytes.as_chunks::<16>();
                if backwards {
                    let places = room.rchunks_exact_mut(16);
                    places.zip(sixteens).for_each(|(place, sixteen)| put(place, sixteen));
                    if !rest.is_empty() {
                        put(&mut room[..16], last);
                    }
                } else {
                    let places = room.chunks_exact_mut(16);
                    places.zip(sixteens).for_each(|(place, sixteen)| put(place, sixteen));
                    if !rest.is_empty() {
                        put(&mut room[len - 16..], last);
                    }
                }
                all = seen.into_iter().fold(0, |all, byte| all | byte);
            }
        }
        let is_ascii = all < 0x80;
        self.len += if is_ascii { len } else { 0 };
        is_ascii
    }

    /// Appends bytes.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        if let Some(chunk) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
            chunk.write_copy_of_slice(bytes);
            self.len += bytes.len();
        }
    }
}
