//! Pins: what one thread has in use of the pieces of files, and whether one of them could not be had.
//!
//! A thread pins a piece when it first touches it, which reads it if it is not in memory; until the pins are
//! released nobody drops it. A piece that cannot be had is remembered here, whoever asked goes on with
//! nothing in its place, and the query looks at [`Pins::failure`] before it gives anything away: so only the
//! step that pins may fail, and no loop behind it need look.
//!
//! Where the database fits the memory it may use, pins are *kept*: values that were read may point into
//! pieces until the query ends, and a worker leaves its pins to the thread it works for. Where it does not,
//! values that are read are copies, and pins go now and then.
//!
//! Source: design `live.md` §1.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trimorph_base::{MemoryBudget, Reservation};

use crate::{Piece, ReadError};

/// What could not be had, told by all who read for one piece of work.
#[derive(Debug, Default)]
pub struct Failures {
    any: AtomicBool,
    first: Mutex<Option<ReadError>>,
}

impl Failures {
    /// Remembers what could not be had; the first is told.
    fn note(&self, error: ReadError) {
        lock(&self.first).get_or_insert(error);
        self.any.store(true, Ordering::Release);
    }

    /// The first that could not be had, if anything. **Cost**: one load where all is well.
    #[inline(always)]
    pub fn first(&self) -> Option<ReadError> {
        if self.any.load(Ordering::Acquire) { lock(&self.first).clone() } else { None }
    }

    /// Forgets what was told.
    pub fn clear(&self) {
        *lock(&self.first) = None;
        self.any.store(false, Ordering::Release);
    }
}

/// The pins of one thread.
#[derive(Debug, Default)]
pub struct Pins<'s> {
    held: Mutex<Vec<&'s Arc<Piece>>>,
    held_bytes: AtomicUsize,
    /// The pieces that may be held before pins should go, in bytes; none where they are kept. With 0 they
    /// leave memory as soon as nobody has them pinned.
    bytes_max: Option<usize>,
    /// What is made beside pieces, to find things faster, is charged to this; none where nobody counts.
    room: Option<MemoryBudget>,
    /// Whose work this thread does.
    leader: Option<Arc<Pins<'s>>>,
    failures: Failures,
    /// Who else is told what cannot be had.
    told: Option<Arc<Failures>>,
    read: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'s> Pins<'s> {
    /// Pins that are kept, or of so many bytes at most before they should go.
    pub fn new(bytes_max: Option<usize>) -> Self {
        let mut pins = Self::default();
        pins.bytes_max = bytes_max;
        pins
    }

    /// Pins for a thread that does part of the work of `leader`'s.
    pub fn following(leader: &Arc<Self>) -> Self {
        let mut pins = Self::new(leader.bytes_max);
        pins.room.clone_from(&leader.room);
        pins.leader = Some(Arc::clone(leader));
        pins
    }

    /// The same, with room for what is made beside pieces to find things faster.
    pub fn with_room(mut self, room: &MemoryBudget) -> Self {
        self.room = Some(room.clone());
        self
    }

    /// The same, which tells somebody else, too, what cannot be had.
    pub fn telling(mut self, told: &Arc<Failures>) -> Self {
        self.told = Some(Arc::clone(told));
        self
    }

    /// Holds nothing yet of the room for what is made beside pieces.
    pub fn room(&self) -> Reservation {
        self.room.as_ref().map_or_else(|| MemoryBudget::unlimited().reservation(), MemoryBudget::reservation)
    }

    /// Whether values that are read may point into pieces.
    #[inline]
    pub fn are_kept(&self) -> bool {
        self.bytes_max.is_none()
    }

    /// Whether so much is pinned that what is not in use should go.
    #[inline]
    pub fn are_many(&self) -> bool {
        self.bytes_max.is_some_and(|most| self.held_bytes.load(Ordering::Relaxed) > most)
    }

    fn hold(&self, piece: &'s Arc<Piece>) {
        self.held_bytes.fetch_add(piece.size(), Ordering::Relaxed);
        lock(&self.held).push(piece);
    }

    /// Pins `piece`; `false`, and remembered, if it cannot be had. Pieces that live in memory need no pin.
    pub fn pin(&self, piece: &'s Arc<Piece>) -> bool {
        if !piece.is_stored() {
            return true;
        }
        match piece.pin() {
            Ok(read) => {
                self.read.fetch_add(u64::from(read), Ordering::Relaxed);
                self.hold(piece);
                true
            }
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    /// Pins `piece` if that takes no reading.
    pub fn pin_resident(&self, piece: &'s Arc<Piece>) -> bool {
        let pinned = !piece.is_stored() || piece.pin_resident();
        if pinned && piece.is_stored() {
            self.hold(piece);
        }
        pinned
    }

    /// Remembers what could not be had; the first is told.
    pub fn fail(&self, error: ReadError) {
        if let Some(told) = &self.told {
            told.note(error.clone());
        }
        self.failures.note(error);
    }

    /// Whether something could not be had.
    #[inline(always)]
    pub fn has_failed(&self) -> bool {
        self.failures.any.load(Ordering::Acquire)
    }

    /// What could not be had, if anything. **Cost**: one load where all is well.
    #[inline(always)]
    pub fn failure(&self) -> Option<ReadError> {
        self.failures.first()
    }

    /// Pieces that were read because of this thread.
    pub fn pieces_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Lets all pieces go: nothing may point into them any more.
    pub fn release(&self) {
        for piece in lock(&self.held).drain(..) {
            self.unpin(piece);
        }
        self.held_bytes.store(0, Ordering::Relaxed);
    }

    /// Lets one piece go that was pinned here: nothing may point into it any more. **Cost**: a look at each
    /// that was pinned after it.
    pub fn release_one(&self, piece: &'s Arc<Piece>) {
        let mut held = lock(&self.held);
        if let Some(at) = held.iter().rposition(|held| Arc::ptr_eq(held, piece)) {
            held.swap_remove(at);
            self.held_bytes.fetch_sub(piece.size(), Ordering::Relaxed);
            self.unpin(piece);
        }
    }

    fn unpin(&self, piece: &Piece) {
        piece.unpin();
        if self.bytes_max == Some(0) {
            piece.try_drop();
        }
    }
}

impl Drop for Pins<'_> {
    fn drop(&mut self) {
        let Some(leader) = self.leader.take() else { return self.release() };
        if let Some(error) = self.failure() {
            leader.fail(error);
        }
        leader.read.fetch_add(self.pieces_read(), Ordering::Relaxed);
        if self.are_kept() {
            leader.held_bytes.fetch_add(*self.held_bytes.get_mut(), Ordering::Relaxed);
            lock(&leader.held).append(&mut lock(&self.held));
        } else {
            self.release();
        }
    }
}
