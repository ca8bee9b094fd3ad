//! A piece: metadata and blobs in one run of bytes, the same on disk and in memory, so that loading is
//! reading.
//!
//! Layout (little-endian), offsets tested in `tests`:
//!
//! ```text
//!   0  metadata length           4
//!   4  blob count                4
//!   8  blobs                     blob count × (offset 8, length 8)
//!      metadata
//!      blobs: at a multiple of 64, or of 8 if shorter than 64 bytes; each followed by at least 8 zero bytes
//!      zero bytes up to a multiple of 64
//! ```
//!
//! Whoever names a piece keeps its checksum: XXH3-64 of all its bytes. The zero bytes let a 64-bit load begin
//! at a blob's last byte.
//!
//! Invariant: a `Piece` that was read has had its checksum verified and its blobs lie within it; readers of
//! its blobs need not fear damage, but must still check what a forged one may claim. Nothing in a piece
//! changes.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use trimorph_base::MemoryBudget;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::pool::{Pool, Resident};
use crate::{Bytes, CodecError, Decoder, Encoder, PieceFile, ReadError, Region, RegionOptions};

/// Pieces begin and end at multiples of this: a cache line.
pub const PIECE_ALIGN: usize = 64;
const HEADER_BYTES: usize = 8;
const ENTRY_BYTES: usize = 16;
const PAD_BYTES: usize = 8;
/// Regions are filled up to this; a larger piece has one to itself.
const REGION_BYTES: usize = 64 << 20;

/// XXH3-64 of some bytes, one part after the other.
pub fn checksum(parts: &[&[u8]]) -> u64 {
    let mut sum = Xxh3::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.digest()
}

/// A blob of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlobId(pub u32);

/// A piece being made.
#[derive(Debug, Default)]
pub struct PieceWriter {
    /// The metadata so far.
    pub meta: Encoder,
    blobs: Vec<Vec<u8>>,
}

fn blob_align(len: usize) -> usize {
    if len < PIECE_ALIGN { 8 } else { PIECE_ALIGN }
}

impl PieceWriter {
    /// A piece without metadata and blobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// A piece of these metadata, without blobs.
    pub fn of(meta: Encoder) -> Self {
        Self { meta, blobs: Vec::new() }
    }

    /// Adds a blob.
    pub fn put(&mut self, bytes: Vec<u8>) -> BlobId {
        self.blobs.push(bytes);
        BlobId(u32::try_from(self.blobs.len() - 1).unwrap_or(u32::MAX))
    }

    /// The piece's bytes.
    pub fn finish(self) -> Vec<u8> {
        let meta = self.meta.finish();
        let meta_at = HEADER_BYTES + self.blobs.len() * ENTRY_BYTES;
        let mut end = meta_at + meta.len();
        let places: Vec<usize> = (self.blobs.iter())
            .map(|blob| {
                let at = end.next_multiple_of(blob_align(blob.len()));
                end = at + blob.len() + PAD_BYTES;
                at
            })
            .collect();
        let mut out = vec![0; end.next_multiple_of(PIECE_ALIGN)];
        out[..4].copy_from_slice(&u32::try_from(meta.len()).unwrap_or(u32::MAX).to_le_bytes());
        out[4..8].copy_from_slice(&u32::try_from(self.blobs.len()).unwrap_or(u32::MAX).to_le_bytes());
        for (i, (blob, at)) in self.blobs.into_iter().zip(places).enumerate() {
            let entry = HEADER_BYTES + i * ENTRY_BYTES;
            out[entry..entry + 8].copy_from_slice(&(at as u64).to_le_bytes());
            out[entry + 8..entry + 16].copy_from_slice(&(blob.len() as u64).to_le_bytes());
            out[at..at + blob.len()].copy_from_slice(&blob);
        }
        out[meta_at..meta_at + meta.len()].copy_from_slice(&meta);
        out
    }
}

/// A piece, shared by all main versions that it did not change in: in memory for good, or in a file, from
/// which it comes when it is pinned.
#[derive(Debug)]
pub struct Piece {
    id: u64,
    checksum: u64,
    bytes: Bytes,
    /// The file it is in; none for one that lives in memory.
    file: Option<Arc<PieceFile>>,
    /// Of one in a file: see `pool`.
    state: AtomicU32,
    /// Since the clock's hand came by.
    used: AtomicBool,
    /// Whether the clock's hand comes by.
    watched: AtomicBool,
}

const ABSENT: u32 = 0;
const BUSY: u32 = 1;
const DAMAGED: u32 = 2;
/// And above, by the number of pins.
const RESIDENT: u32 = 4;

/// Ids of pieces are given once in the life of a process.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// What a piece must be for its checksum.
const EXPECTED_SUM: CodecError = CodecError { offset: 0, expected: "bytes of the checksum that was written" };

impl Piece {
    fn new(bytes: Bytes, checksum: u64, file: Option<Arc<PieceFile>>) -> Arc<Self> {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let [used, watched] = [false, false].map(AtomicBool::new);
        Arc::new(Self { id, checksum, bytes, file, state: AtomicU32::new(ABSENT), used, watched })
    }

    /// The piece of these bytes of a file, which is read when it is pinned; `None` if they are not within.
    pub fn stored(file: &Arc<PieceFile>, offset: usize, len: usize, checksum: u64) -> Option<Arc<Self>> {
        let bytes = file.bytes(offset, len)?;
        Some(Self::new(bytes, checksum, Some(Arc::clone(file))))
    }

    /// A piece as it was read; `checksum` is what it should have.
    ///
    /// **Errors**: another checksum, or blobs that are not within. **Cost**: one pass over the bytes.
    pub fn read(bytes: Bytes, checksum: u64) -> Result<Arc<Self>, CodecError> {
        let piece = Self::new(bytes, checksum, None);
        piece.check(true)?;
        Ok(piece)
    }

    /// Verifies the checksum if that is wanted (not in tests that forge pieces), and the layout.
    fn check(&self, verify: bool) -> Result<(), CodecError> {
        if verify && xxh3_64(self.bytes.as_slice()) != self.checksum {
            return Err(EXPECTED_SUM);
        }
        self.check_layout()
    }

    /// What it is charged to while it is resident; none for one that lives in memory.
    pub fn budget(&self) -> Option<&MemoryBudget> {
        self.file.as_ref().map(|file| file.budget())
    }

    /// Whether it is in a file, so that it must be pinned before it is read.
    pub fn is_stored(&self) -> bool {
        self.file.is_some()
    }

    /// Whether it is in memory now; it may be dropped at any time, unless it is pinned.
    pub fn is_resident(&self) -> bool {
        !self.is_stored() || self.state.load(Ordering::Relaxed) >= RESIDENT
    }

    /// Pins it, if it is resident.
    pub(crate) fn pin_resident(&self) -> bool {
        let more = |state| (state >= RESIDENT).then(|| state + 1);
        let pinned = self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_ok();
        if pinned {
            self.used.store(true, Ordering::Relaxed);
        }
        pinned
    }

    /// Pins it, and reads and verifies it if it is not in memory; gives whether it did. Every pin must be
    /// followed by an [`Self::unpin`]. One that lives in memory must not be pinned.
    ///
    /// **Errors**: what reading or verifying fails with, or a budget that all that is in use fills.
    pub(crate) fn pin(self: &Arc<Self>) -> Result<bool, ReadError> {
        let Some(file) = &self.file else { return Ok(false) };
        loop {
            if self.pin_resident() {
                return Ok(false);
            }
            match self.state.compare_exchange(ABSENT, BUSY, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => break,
                Err(BUSY) => {
                    file.pool().wait_while(|| self.state.load(Ordering::Acquire) == BUSY);
                }
                Err(DAMAGED) => return Err(self.damaged(EXPECTED_SUM)),
                Err(_) => {}
            }
        }
        let (start, len) = (self.bytes.start(), self.bytes.len());
        let read = file.fill(start, len).and_then(|()| {
            self.check(file.verifies()).map_err(|error| {
                file.leave(start, len);
                self.damaged(error)
            })
        });
        let next = match &read {
            Ok(()) => RESIDENT + 1,
            Err(ReadError::Damaged { .. }) => DAMAGED,
            Err(_) => ABSENT,
        };
        self.used.store(true, Ordering::Relaxed);
        self.state.store(next, Ordering::Release);
        file.pool().wake();
        read?;
        file.pool().came(self.size());
        self.watch(file.pool());
        file.grow_pages(start, len);
        Ok(true)
    }

    /// Takes a pin away.
    pub(crate) fn unpin(&self) {
        if self.file.is_some() {
            self.state.fetch_sub(1, Ordering::Release);
        }
    }

    /// Calls `look` with its bytes, which are read if they are not in memory.
    ///
    /// **Errors**: as they come from reading.
    pub fn with_bytes<T>(self: &Arc<Self>, look: impl FnOnce(&[u8]) -> T) -> Result<T, ReadError> {
        self.pin()?;
        let found = look(self.bytes.as_slice());
        self.unpin();
        Ok(found)
    }

    /// Has the clock's hand come by, if it does not yet.
    fn watch(self: &Arc<Self>, pool: &Pool) {
        if !self.watched.swap(true, Ordering::Relaxed) {
            let weak: Weak<Self> = Arc::downgrade(self);
            pool.watch(weak);
        }
    }

    /// Drops its bytes, unless it is pinned; gives how many the system got back.
    pub(crate) fn try_drop(&self) -> Option<usize> {
        let file = self.file.as_ref()?;
        self.state.compare_exchange(RESIDENT, BUSY, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let freed = file.leave(self.bytes.start(), self.bytes.len());
        self.state.store(ABSENT, Ordering::Release);
        file.pool().wake();
        Some(freed)
    }

    /// What is wrong in it, with its place.
    pub fn damaged(&self, error: CodecError) -> ReadError {
        match &self.file {
            Some(file) => {
                ReadError::Damaged { path: file.path().to_owned(), offset: self.bytes.start() as u64, error }
            }
            None => ReadError::Damaged { path: "memory".into(), offset: 0, error },
        }
    }

    fn check_layout(&self) -> Result<(), CodecError> {
        let wrong = |offset, expected| CodecError { offset, expected };
        let bytes = self.bytes.as_slice();
        let (meta, count) = self.counts().ok_or(wrong(0, "the header of a piece"))?;
        let meta_at = count.checked_mul(ENTRY_BYTES).and_then(|n| n.checked_add(HEADER_BYTES));
        let end = meta_at.and_then(|at| at.checked_add(meta)).filter(|end| *end <= bytes.len());
        let end = end.ok_or(wrong(0, "metadata within the piece"))?;
        for i in 0..count {
            let at = HEADER_BYTES + i * ENTRY_BYTES;
            let fits = self.place(i).is_some_and(|(from, len)| {
                let last = from.checked_add(len).and_then(|n| n.checked_add(PAD_BYTES));
                from >= end && from % blob_align(len) == 0 && last.is_some_and(|last| last <= bytes.len())
            });
            if !fits {
                return Err(wrong(at, "a blob within the piece"));
            }
        }
        Ok(())
    }

    /// Metadata length and blob count.
    fn counts(&self) -> Option<(usize, usize)> {
        let bytes = self.bytes.as_slice();
        let number =
            |at: usize| bytes.get(at..at + 4)?.first_chunk().map(|raw| u32::from_le_bytes(*raw) as usize);
        Some((number(0)?, number(4)?))
    }

    /// Where a blob lies.
    fn place(&self, i: usize) -> Option<(usize, usize)> {
        let bytes = self.bytes.as_slice();
        let number = |at: usize| {
            let raw = bytes.get(at..at + 8)?.first_chunk()?;
            usize::try_from(u64::from_le_bytes(*raw)).ok()
        };
        let entry = HEADER_BYTES + i * ENTRY_BYTES;
        Some((number(entry)?, number(entry + 8)?))
    }

    /// A number that no other piece of this process has.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// XXH3-64 of its bytes.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// How many bytes it has: a multiple of [`PIECE_ALIGN`].
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// All its bytes. As for its metadata and blobs, one in a file must be pinned.
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Its metadata.
    pub fn metadata(&self) -> &[u8] {
        let Some((meta, count)) = self.counts() else { return &[] };
        let at = HEADER_BYTES + count * ENTRY_BYTES;
        self.bytes.as_slice().get(at..at + meta).unwrap_or_default()
    }

    /// How many blobs it has.
    pub fn blob_count(&self) -> usize {
        self.counts().map_or(0, |(_, count)| count)
    }

    /// A blob.
    pub fn blob(&self, id: BlobId) -> Option<Bytes> {
        if id.0 as usize >= self.blob_count() {
            return None;
        }
        let (at, len) = self.place(id.0 as usize)?;
        self.bytes.part(at, len)
    }

    /// The next blob that metadata names: its number, 4 bytes.
    pub fn read_blob(&self, meta: &mut Decoder<'_>) -> Result<Bytes, CodecError> {
        let id = BlobId(meta.u32()?);
        self.blob(id).ok_or(meta.error("the number of a blob"))
    }
}

impl Resident for Piece {
    fn is_idle(&self) -> bool {
        !self.used.swap(false, Ordering::Relaxed) && self.state.load(Ordering::Relaxed) == RESIDENT
    }

    fn leave(self: Arc<Self>) -> Option<usize> {
        self.watched.store(false, Ordering::Relaxed);
        let freed = self.try_drop();
        if let (None, Some(file)) = (freed, &self.file) {
            // Somebody has just pinned it.
            self.watch(file.pool());
        }
        freed
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if let Some(file) = &self.file
            && *self.state.get_mut() >= RESIDENT
        {
            file.leave(self.bytes.start(), self.bytes.len());
        }
    }
}

/// Lays finished pieces out in regions, giving each one's own memory back as it is copied. Without huge pages
/// there is nothing to gain, and each stays where it was made.
///
/// **Errors**: the system's, when it has no memory to give.
pub fn lay_out(pieces: Vec<Vec<u8>>, options: RegionOptions) -> std::io::Result<Vec<Arc<Piece>>> {
    let mut out = Vec::with_capacity(pieces.len());
    if !options.huge_pages {
        for bytes in pieces {
            let sum = xxh3_64(&bytes);
            let region = Region::of(bytes).or_else(|bytes| {
                let mut region = Region::zeroed(bytes.len(), options)?;
                region.as_mut_slice().copy_from_slice(&bytes);
                Ok::<_, std::io::Error>(region)
            })?;
            let len = region.len();
            out.extend(Bytes::new(Arc::new(region), 0, len).map(|bytes| Piece::new(bytes, sum, None)));
        }
        return Ok(out);
    }
    let mut rest = pieces.into_iter().peekable();
    while rest.peek().is_some() {
        let (mut group, mut len) = (Vec::new(), 0);
        while let Some(piece) = rest.next_if(|p| group.is_empty() || len + p.len() <= REGION_BYTES) {
            len += piece.len();
            group.push(piece);
        }
        let mut region = Region::zeroed(len, options)?;
        let (mut at, mut places) = (0, Vec::with_capacity(group.len()));
        for piece in group {
            region.as_mut_slice()[at..at + piece.len()].copy_from_slice(&piece);
            places.push((at, piece.len(), xxh3_64(&piece)));
            at += piece.len();
        }
        let region = Arc::new(region);
        let within = |(at, len, sum)| Some(Piece::new(Bytes::new(Arc::clone(&region), at, len)?, sum, None));
        out.extend(places.into_iter().filter_map(within));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut writer = PieceWriter::new();
        writer.put(vec![1, 2, 3]);
        writer.put((0..200).collect());
        writer.meta.u32(1);
        writer.finish()
    }

    fn bytes(of: &[u8]) -> Bytes {
        let mut region = Region::zeroed(of.len(), RegionOptions::default()).unwrap();
        region.as_mut_slice().copy_from_slice(of);
        Bytes::new(Arc::new(region), 0, of.len()).unwrap()
    }

    #[test]
    fn reads_back_what_was_written_at_the_documented_offsets() {
        let raw = sample();
        assert_eq!(raw.len() % PIECE_ALIGN, 0);
        assert_eq!(raw[..8], [4, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(raw[40..44], [1, 0, 0, 0]);
        assert_eq!(raw[48..51], [1, 2, 3]);
        assert_eq!(raw[64 + 199], 199);
        let piece = Piece::read(bytes(&raw), xxh3_64(&raw)).unwrap();
        assert_eq!(piece.blob(BlobId(1)).unwrap().as_slice()[199], 199);
        assert_eq!(piece.read_blob(&mut Decoder::new(piece.metadata())).unwrap().len(), 200);
        assert!(piece.blob(BlobId(2)).is_none());
        for huge_pages in [true, false] {
            let pieces = vec![raw.clone(), Vec::new(), raw.clone()];
            let laid = lay_out(pieces, RegionOptions { huge_pages }).unwrap();
            assert!(laid.len() == 3 && laid[2].checksum() == piece.checksum());
            assert!(laid[2].with_bytes(|bytes| bytes == raw).unwrap());
            assert!(laid[0].id() != laid[2].id());
        }
    }

    #[test]
    fn every_flipped_bit_is_found_and_no_forged_header_reaches_out() {
        let good = sample();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(Piece::read(bytes(&bad), xxh3_64(&good)).is_err(), "byte {at}");
                if let Ok(piece) = Piece::read(bytes(&bad), xxh3_64(&bad)) {
                    assert!(piece.metadata().len() <= bad.len());
                    (0..3).for_each(|i| drop(piece.blob(BlobId(i))));
                }
            }
        }
        for len in 0..good.len() {
            assert!(Piece::read(bytes(&good[..len]), xxh3_64(&good)).is_err());
            let _ = Piece::new(bytes(&good[..len]), 0, None).check(false);
        }
    }
}
