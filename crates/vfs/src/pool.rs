//! The pool: takes pieces of files that somebody wants to read, brings them into memory, verified, within a
//! budget; drops pieces that nobody uses when the budget is short.
//!
//! A piece is in one of four states, in one word:
//!
//! ```text
//! 0      absent        its bytes are not in memory
//! 1      busy          one thread reads or drops it; others wait
//! 2      damaged       its bytes on disk are not what was written: remembered
//! 4 + n  resident      with n pins
//! ```
//!
//! 1. Who pins an absent piece makes it busy, reads it into its place in the file's region, verifies it, and
//!    makes it resident. What cannot be read is absent again, and the next one tries again.
//! 2. Pages of 4 KB are charged to the budget when the first piece that lies in them comes, and given back
//!    when the last one goes: neighbouring pieces share pages, and what is charged is what is resident.
//! 3. Two megabytes that are all resident become a huge page.
//! 4. Over the budget, the clock's hand goes over resident pieces: pinned ones stay, those used since it came
//!    by get another round, others are dropped.
//!
//! Invariant: bytes of a region are written, or given back, only by the one thread that made their piece
//! busy, and pages only when no piece of theirs is resident or busy being read.
//!
//! Source: design `live.md` §1. The clock: Corbató 1968.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use trimorph_base::{MemoryBudget, OverBudget, Reclaim};

use crate::region::{HUGE_PAGE_BYTES, PAGE_BYTES};
use crate::{Bytes, CodecError, FileSystem, ReadAt, Region, RegionOptions};

/// Pages of a huge page.
const HUGE_PAGES: usize = HUGE_PAGE_BYTES / PAGE_BYTES;

/// Why a piece cannot be had.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The system's answer; the next one who wants the piece tries again.
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        error: Arc<io::Error>,
    },
    /// The bytes are not what was written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The byte at which the piece begins.
        offset: u64,
        /// What is wrong in it.
        error: CodecError,
    },
    /// All that is in memory is in use.
    OverBudget(OverBudget),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Damaged { path, offset, error } => {
                let (path, expected) = (path.display(), error.expected);
                write!(f, "{path}: damaged: expected {expected}, in what begins at byte {offset}")
            }
            Self::OverBudget(over) => write!(f, "{over}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// What a pool did and holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolCounts {
    /// Bytes of pages that pieces of files are resident in.
    pub resident_bytes: usize,
    /// Pieces read, those read again included.
    pub pieces_read: u64,
    /// Their bytes.
    pub bytes_read: u64,
    /// Pieces dropped because the budget was short.
    pub pieces_dropped: u64,
}

/// Brings pieces of files into memory, within a budget.
#[derive(Debug)]
pub struct Pool {
    budget: MemoryBudget,
    options: RegionOptions,
    clock: Mutex<Clock>,
    /// Woken when a piece is no longer busy.
    idle: (Mutex<()>, Condvar),
    resident_bytes: AtomicUsize,
    pieces_read: AtomicU64,
    bytes_read: AtomicU64,
    pieces_dropped: AtomicU64,
}

/// What the clock's hand comes by: a piece.
pub(crate) trait Resident: Send + Sync + fmt::Debug {
    /// Whether nobody has it pinned, or has used it since this was asked last.
    fn is_idle(&self) -> bool;
    /// Leaves the clock, and memory unless it is pinned; gives the bytes that the system got back.
    fn leave(self: Arc<Self>) -> Option<usize>;
}

/// Resident pieces in the order they came, and the hand.
#[derive(Debug, Default)]
struct Clock {
    pieces: Vec<Weak<dyn Resident>>,
    hand: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// A pool that charges `budget`, and drops what nobody uses when that is short.
    pub fn new(budget: &MemoryBudget, options: RegionOptions) -> Arc<Self> {
        let pool = Arc::new(Self {
            budget: budget.clone(),
            options,
            clock: Mutex::default(),
            idle: Default::default(),
            resident_bytes: AtomicUsize::new(0),
            pieces_read: AtomicU64::new(0),
            bytes_read: AtomicU64::new(0),
            pieces_dropped: AtomicU64::new(0),
        });
        let weak: Weak<Self> = Arc::downgrade(&pool);
        let weak: Weak<dyn Reclaim> = weak;
        budget.reclaim_from(&weak);
        pool
    }

    /// A pool without a limit: what is read stays.
    pub fn unlimited(options: RegionOptions) -> Arc<Self> {
        Self::new(&MemoryBudget::unlimited(), options)
    }

    /// Opens a file of pieces. Nothing of it is read.
    ///
    /// **Errors**: the system's, when there is no such file, or no address space for it.
    pub fn open(
        self: &Arc<Self>,
        fs: &dyn FileSystem,
        path: &Path,
        verify: bool,
    ) -> io::Result<Arc<PieceFile>> {
        let file = fs.open(path)?;
        let len = usize::try_from(file.size()?).map_err(io::Error::other)?;
        let pages = len.div_ceil(PAGE_BYTES);
        let region = Arc::new(Region::reserved(pages * PAGE_BYTES)?);
        Ok(Arc::new(PieceFile {
            path: path.to_owned(),
            file,
            len,
            verify,
            region,
            pages: Mutex::new(Pages { counts: vec![0; pages], huge: vec![false; pages / HUGE_PAGES] }),
            pool: Arc::clone(self),
        }))
    }

    /// What it did and holds.
    pub fn counts(&self) -> PoolCounts {
        PoolCounts {
            resident_bytes: self.resident_bytes.load(Ordering::Relaxed),
            pieces_read: self.pieces_read.load(Ordering::Relaxed),
            bytes_read: self.bytes_read.load(Ordering::Relaxed),
            pieces_dropped: self.pieces_dropped.load(Ordering::Relaxed),
        }
    }

    /// Whether what is charged comes near the limit, so that pins that are not needed should go.
    pub fn is_short(&self) -> bool {
        let limit = self.budget.limit_bytes();
        self.budget.used_bytes() > limit - limit / 8
    }

    /// Waits as long as `busy` says so.
    pub(crate) fn wait_while(&self, busy: impl Fn() -> bool) {
        let (mutex, condvar) = &self.idle;
        let mut guard = lock(mutex);
        while busy() {
            guard = condvar.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes who waits for a piece to be idle.
    pub(crate) fn wake(&self) {
        drop(lock(&self.idle.0));
        self.idle.1.notify_all();
    }

    /// A piece of so many bytes has come.
    pub(crate) fn came(&self, bytes: usize) {
        self.pieces_read.fetch_add(1, Ordering::Relaxed);
        self.bytes_read.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Has the clock's hand come by a piece.
    pub(crate) fn watch(&self, piece: Weak<dyn Resident>) {
        let mut clock = lock(&self.clock);
        if clock.pieces.len() == clock.pieces.capacity() {
            // Pieces of main versions that nobody reads any more.
            clock.pieces.retain(|piece| piece.strong_count() > 0);
        }
        clock.pieces.push(piece);
    }
}

impl Reclaim for Pool {
    fn reclaim(&self, bytes: usize) -> usize {
        let mut freed = 0;
        // Twice around: what was used gets one more round.
        let mut steps = lock(&self.clock).pieces.len() * 2;
        while freed < bytes && steps > 0 {
            steps -= 1;
            let piece = {
                let mut clock = lock(&self.clock);
                let hand = if clock.hand < clock.pieces.len() { clock.hand } else { 0 };
                let Some(piece) = clock.pieces.get(hand).map(Weak::upgrade) else { break };
                match piece {
                    Some(piece) if !piece.is_idle() => {
                        clock.hand = hand + 1;
                        continue;
                    }
                    // The last one takes its place and is looked at next.
                    other => {
                        clock.hand = hand;
                        clock.pieces.swap_remove(hand);
                        other
                    }
                }
            };
            if let Some(bytes) = piece.and_then(Resident::leave) {
                freed += bytes;
                self.pieces_dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
        freed
    }
}

/// How many pieces that are resident, or are being read, lie in each page; and which 2 MiB are huge pages.
#[derive(Debug)]
struct Pages {
    counts: Vec<u8>,
    huge: Vec<bool>,
}

/// A file of pieces, open for reading.
#[derive(Debug)]
pub struct PieceFile {
    path: PathBuf,
    file: Arc<dyn ReadAt>,
    len: usize,
    /// Off in tests that forge pieces.
    verify: bool,
    region: Arc<Region>,
    pages: Mutex<Pages>,
    pool: Arc<Pool>,
}

impl PieceFile {
    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length in bytes.
    pub fn size(&self) -> usize {
        self.len
    }

    /// Whether checksums are compared.
    pub(crate) fn verifies(&self) -> bool {
        self.verify
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Reads some bytes past the pool.
    ///
    /// **Errors**: the system's.
    pub fn read_at(&self, offset: usize, len: usize) -> Result<Vec<u8>, ReadError> {
        let mut out = vec![0; len];
        match self.file.read_exact_at(&mut out, offset as u64) {
            Ok(()) => Ok(out),
            Err(error) => Err(self.io(error)),
        }
    }

    pub(crate) fn io(&self, error: io::Error) -> ReadError {
        ReadError::Io { path: self.path.clone(), error: Arc::new(error) }
    }

    /// Where some of its bytes are once they are read; `None` if they are not within the file.
    pub(crate) fn bytes(&self, offset: usize, len: usize) -> Option<Bytes> {
        if offset.checked_add(len)? > self.len {
            return None;
        }
        Bytes::new(Arc::clone(&self.region), offset, len)
    }

    fn range(&self, start: usize, len: usize) -> std::ops::Range<usize> {
        start / PAGE_BYTES..(start + len).div_ceil(PAGE_BYTES)
    }

    /// What resident pieces are charged to.
    pub(crate) fn budget(&self) -> &MemoryBudget {
        &self.pool.budget
    }

    /// Charges the pages of the bytes, and reads them to where they belong.
    ///
    /// The caller has made the piece that they are busy, so that nobody else reads or writes them.
    #[expect(unsafe_code, reason = "bytes that nobody else looks at are written in a shared region")]
    pub(crate) fn fill(&self, start: usize, len: usize) -> Result<(), ReadError> {
        let range = self.range(start, len);
        let all = range.len() * PAGE_BYTES;
        self.pool.budget.charge(all).map_err(ReadError::OverBudget)?;
        let mut new = 0;
        for count in &mut lock(&self.pages).counts[range] {
            new += usize::from(*count == 0) * PAGE_BYTES;
            *count += 1;
        }
        self.pool.budget.release(all - new);
        self.pool.resident_bytes.fetch_add(new, Ordering::Relaxed);
        // SAFETY: the piece is busy, by the caller's word: its bytes are nobody else's.
        let bytes = unsafe { self.region.slice_mut(start, len) };
        if let Err(error) = self.file.read_exact_at(bytes, start as u64) {
            self.leave(start, len);
            return Err(self.io(error));
        }
        Ok(())
    }

    /// Takes the bytes out of what is resident: pages that no other piece is in are given back. Gives their
    /// bytes.
    ///
    /// The caller has made the piece that they are busy, or is the last to hold it.
    #[expect(unsafe_code, reason = "pages that nobody looks at are given back")]
    pub(crate) fn leave(&self, start: usize, len: usize) -> usize {
        let range = self.range(start, len);
        if cfg!(debug_assertions) {
            // Whoever still looks gets something wrong and not, by chance, what was there.
            // SAFETY: the bytes are nobody else's, by the caller's word.
            unsafe { self.region.slice_mut(start, len) }.fill(b'Z');
        }
        let mut pages = lock(&self.pages);
        let (mut freed, mut run) = (0, range.start);
        for page in range.clone() {
            pages.counts[page] -= 1;
            let empty = pages.counts[page] == 0;
            if let Some(huge) = pages.huge.get_mut(page / HUGE_PAGES) {
                *huge &= !empty;
            }
        }
        for page in range.clone().chain([range.end]) {
            if page < range.end && pages.counts[page] == 0 {
                continue;
            }
            if page > run {
                // SAFETY: no piece in these pages is resident or busy being read: such a piece is counted
                // before it is read, under the lock that is held here.
                unsafe { self.region.give_back(run * PAGE_BYTES, (page - run) * PAGE_BYTES) };
                freed += (page - run) * PAGE_BYTES;
            }
            run = page + 1;
        }
        drop(pages);
        self.pool.budget.release(freed);
        self.pool.resident_bytes.fetch_sub(freed, Ordering::Relaxed);
        freed
    }

    /// Makes huge pages of the 2 MiB around the bytes that are all resident.
    ///
    /// Not while the budget is short: what will be dropped again is cheaper in small pages.
    pub(crate) fn grow_pages(&self, start: usize, len: usize) {
        if !self.pool.options.huge_pages || self.pool.is_short() {
            return;
        }
        let range = self.range(start, len);
        let mut pages = lock(&self.pages);
        for huge in range.start / HUGE_PAGES..range.end.div_ceil(HUGE_PAGES).min(pages.huge.len()) {
            let own = huge * HUGE_PAGES..(huge + 1) * HUGE_PAGES;
            if !pages.huge[huge] && pages.counts[own].iter().all(|count| *count > 0) {
                pages.huge[huge] = true;
                self.region.collapse(huge * HUGE_PAGE_BYTES);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use trimorph_base::Random;

    use super::*;
    use crate::{Fault, FaultyFileSystem, MemoryFileSystem, Piece, PieceWriter, Pins, checksum};

    /// A file of `count` pieces of `bytes` bytes and more, and where each is.
    fn file(count: usize, bytes: usize) -> (MemoryFileSystem, Vec<(usize, usize, u64)>) {
        let (mut content, mut places) = (vec![0; 64], Vec::new());
        for i in 0..count {
            let mut piece = PieceWriter::new();
            piece.put(vec![i as u8 + 1; bytes + i * 64]);
            let piece = piece.finish();
            places.push((content.len(), piece.len(), checksum(&[&piece])));
            content.extend(piece);
        }
        let fs = MemoryFileSystem::default();
        fs.write_synced(Path::new("f"), &[&content]).unwrap();
        (fs, places)
    }

    fn pieces(pool: &Arc<Pool>, fs: &dyn FileSystem, places: &[(usize, usize, u64)]) -> Vec<Arc<Piece>> {
        let file = pool.open(fs, Path::new("f"), true).unwrap();
        places.iter().map(|(at, len, sum)| Piece::stored(&file, *at, *len, *sum).unwrap()).collect()
    }

    fn is_piece(piece: &Piece, i: usize) -> bool {
        piece.blob(crate::BlobId(0)).unwrap().as_slice().iter().all(|b| *b == i as u8 + 1)
    }

    #[test]
    fn nothing_is_read_before_it_is_touched_and_nothing_twice() {
        let (fs, places) = file(10, 10_000);
        let pool = Pool::unlimited(RegionOptions::default());
        let pieces = pieces(&pool, &fs, &places);
        assert_eq!(pool.counts(), PoolCounts::default());
        let pins = Pins::default();
        for _ in 0..3 {
            assert!(pins.pin(&pieces[3]) && is_piece(&pieces[3], 3));
        }
        assert!(!pins.pin_resident(&pieces[4]) && pins.pin_resident(&pieces[3]));
        let counts = pool.counts();
        assert!(counts.pieces_read == 1 && counts.bytes_read == pieces[3].size() as u64);
        assert!(counts.resident_bytes < pieces[3].size() + 2 * PAGE_BYTES);
        drop(pins);
        drop(pieces);
        assert_eq!(pool.counts().resident_bytes, 0);
        assert_eq!(pool.budget.used_bytes(), 0);
    }

    #[test]
    fn what_is_pinned_stays_and_the_rest_makes_room() {
        let (fs, places) = file(40, 20_000);
        let budget = MemoryBudget::new(200_000, None);
        let pool = Pool::new(&budget, RegionOptions::default());
        let pieces = pieces(&pool, &fs, &places);
        let pins = Pins::default();
        assert!(pins.pin(&pieces[0]) && pins.pin(&pieces[1]));
        let mut random = Random::new(7);
        for _ in 0..500 {
            let (i, passing) = (random.below(40), Pins::default());
            assert!(passing.pin(&pieces[i]) && is_piece(&pieces[i], i), "piece {i}");
            assert!(is_piece(&pieces[0], 0) && is_piece(&pieces[1], 1));
            assert!(budget.used_bytes() <= 200_000 && pool.counts().resident_bytes == budget.used_bytes());
        }
        assert!(pool.counts().pieces_dropped > 100);
        // All that is in use is more than the budget: the one too many is refused, and told.
        let all = Pins::default();
        let refused = pieces.iter().position(|piece| !all.pin(piece)).unwrap();
        assert!((5..12).contains(&refused), "{refused}");
        assert!(matches!(all.failure(), Some(ReadError::OverBudget(_))));
        drop((all, pins));
        // Whoever charges the budget gets what pieces hold.
        budget.charge(190_000).unwrap();
        budget.release(190_000);
        drop(pieces);
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn threads_that_want_the_same_pieces_read_each_once() {
        let (fs, places) = file(30, 5_000);
        let pool = Pool::unlimited(RegionOptions::default());
        let pieces = pieces(&pool, &fs, &places);
        std::thread::scope(|scope| {
            for t in 0..4 {
                let pieces = &pieces;
                scope.spawn(move || {
                    let pins = Pins::default();
                    for i in 0..30 {
                        let i = (i * 7 + t) % 30;
                        assert!(pins.pin(&pieces[i]) && is_piece(&pieces[i], i));
                    }
                });
            }
        });
        assert_eq!(pool.counts().pieces_read, 30);
    }

    #[test]
    fn threads_under_a_short_budget_read_what_was_written() {
        let (fs, places) = file(30, 5_000);
        let pool = Pool::new(&MemoryBudget::new(80_000, None), RegionOptions::default());
        let pieces = pieces(&pool, &fs, &places);
        std::thread::scope(|scope| {
            for t in 0..3 {
                let pieces = &pieces;
                scope.spawn(move || {
                    let mut random = Random::new(t);
                    for _ in 0..300 {
                        let (i, pins) = (random.below(30), Pins::default());
                        assert!(pins.pin(&pieces[i]) && is_piece(&pieces[i], i), "{:?}", pins.failure());
                    }
                });
            }
        });
        assert!(pool.counts().pieces_read > 30);
    }

    #[test]
    fn damage_is_remembered_and_a_failed_read_is_tried_again() {
        let (fs, places) = file(3, 1_000);
        let mut bytes = fs.all()[0].1.clone();
        bytes[places[1].0 + 500] ^= 1;
        fs.write_synced(Path::new("f"), &[&bytes]).unwrap();
        let disk = FaultyFileSystem::with_files(&fs).unwrap();
        let pool = Pool::unlimited(RegionOptions::default());
        let pieces = pieces(&pool, &disk, &places);
        disk.fail_at(0, Fault::Error);
        let pins = Pins::default();
        assert!(!pins.pin(&pieces[0]));
        assert!(matches!(pins.failure(), Some(ReadError::Io { .. })));
        assert!(pins.pin(&pieces[0]) && is_piece(&pieces[0], 0));
        for _ in 0..2 {
            let pins = Pins::default();
            assert!(!pins.pin(&pieces[1]));
            let text = pins.failure().unwrap().to_string();
            assert!(text.contains("f: damaged") && text.contains(&places[1].0.to_string()), "{text}");
        }
        assert!(pins.pin(&pieces[2]) && is_piece(&pieces[2], 2));
    }

    #[test]
    fn huge_pages_come_when_all_is_there_and_bytes_stay() {
        let (fs, places) = file(60, 150_000);
        let budget = MemoryBudget::new(30 << 20, None);
        let pool = Pool::new(&budget, RegionOptions { huge_pages: true });
        let pieces = pieces(&pool, &fs, &places);
        let pins = Pins::default();
        assert!(pieces.iter().all(|piece| pins.pin(piece)));
        assert!((0..60).all(|i| is_piece(&pieces[i], i)));
        drop(pins);
        // Dropped from within huge pages, and read again.
        budget.charge(27 << 20).unwrap();
        budget.release(27 << 20);
        assert!(pool.counts().pieces_dropped > 30);
        let pins = Pins::default();
        assert!((0..60).all(|i| pins.pin(&pieces[i]) && is_piece(&pieces[i], i)));
    }
}
