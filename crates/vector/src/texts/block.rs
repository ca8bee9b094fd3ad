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
    /// Whether the last block is this one's to write.
    writes: bool,
}

impl Clone for Blocks {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), used: self.used, writes: false }
    }
}

impl Blocks {
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
    pub(super) fn bytes(&self) -> usize {
        self.all().iter().map(|block| block.len()).sum()
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

    /// Appends bytes; whether all of them are ASCII.
    #[inline(always)]
    pub fn extend_mapped(&mut self, bytes: impl ExactSizeIterator<Item = u8>) -> bool {
        let (len, mut all) = (bytes.len(), 0);
        let Some(chunk) = self.bytes.get_mut(self.len..self.len + len) else { return len == 0 };
        let mut written = 0;
        for (to, byte) in chunk.iter_mut().zip(bytes) {
            to.write(byte);
            all |= byte;
            written += 1;
        }
        self.len += written;
        all < 0x80
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
