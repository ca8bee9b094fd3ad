//! Slots: takes a piece and what its directory says of it, gives what is in it, once somebody touches it.
//!
//! A column, a direction or an index is a list of slots, shared by all main versions that have the piece. A
//! slot's content is read, checked and resolved into slices at the first touch and kept for good: it is a few
//! words, and bits that were made of the few rows that have a value, which are charged to the memory limit.
//! The bytes that it points to may be dropped and read again, to the same place; so whoever looks at them
//! pins the piece.
//!
//! ```text
//! Slot       one piece, for all threads and versions
//! Resolved   a list of slots as one thread sees it: what it has pinned is one load away
//! ```
//!
//! Source: design `live.md` §1, "A view is a slot per piece".

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, OnceLock};

use trimorph_base::Reservation;
use trimorph_vfs::{CodecError, Piece, Pins, ReadError};

/// What a piece holds.
pub(crate) trait Content: Sized + Send + Sync {
    /// What is known of it without reading.
    type Given: fmt::Debug + Send + Sync;
    /// The same, resolved into slices.
    type View<'v>
    where
        Self: 'v;

    /// Reads a piece that is pinned.
    ///
    /// **Errors**: metadata or values that do not fit each other or what is given.
    fn read(piece: &Arc<Piece>, given: &Self::Given) -> Result<Self, CodecError>;

    /// The slices.
    fn view(&self) -> &Self::View<'_>;

    /// Bytes that were made of what the piece has, and are kept beside it.
    fn made_bytes(&self) -> usize {
        0
    }
}

/// A piece that can be brought into memory and checked, whatever is in it.
pub trait Load: Send + Sync {
    /// Reads and checks it. It may be dropped again if memory is short.
    ///
    /// **Errors**: why it cannot be had.
    fn load(&self) -> Result<(), ReadError>;
}

/// A piece, and what is in it once it was touched.
pub(crate) struct Slot<C: Content> {
    piece: Arc<Piece>,
    given: C::Given,
    content: OnceLock<Kept<C>>,
}

/// What was read of a piece.
struct Kept<C> {
    content: C,
    /// For what was made beside a piece of a file.
    _held: Option<Reservation>,
}

impl<C: Content> fmt::Debug for Slot<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").field("piece", &self.piece.id()).field("given", &self.given).finish()
    }
}

impl<C: Content> Slot<C> {
    /// A piece of which nothing is read yet.
    pub(crate) fn new(piece: Arc<Piece>, given: C::Given) -> Arc<Self> {
        Arc::new(Self { piece, given, content: OnceLock::new() })
    }

    /// A piece in memory, read at once.
    ///
    /// **Errors**: as [`Content::read`].
    pub(crate) fn read(piece: Arc<Piece>, given: C::Given) -> Result<Arc<Self>, CodecError> {
        let content = C::read(&piece, &given)?;
        Ok(Self::known(piece, given, content))
    }

    fn known(piece: Arc<Piece>, given: C::Given, content: C) -> Arc<Self> {
        Arc::new(Self { piece, given, content: OnceLock::from(Kept { content, _held: None }) })
    }

    /// A piece in memory of which the content tells what is given.
    ///
    /// **Errors**: as [`Content::read`], with what is given `before`.
    pub(crate) fn read_with(
        piece: Arc<Piece>,
        before: &C::Given,
        given: impl FnOnce(&C) -> C::Given,
    ) -> Result<Arc<Self>, CodecError> {
        let content = C::read(&piece, before)?;
        Ok(Self::known(piece, given(&content), content))
    }

    /// The piece.
    pub(crate) fn piece(&self) -> &Arc<Piece> {
        &self.piece
    }

    /// What is known without reading.
    pub(crate) fn given(&self) -> &C::Given {
        &self.given
    }

    /// The content, if somebody has touched it; its bytes may have been dropped since.
    pub(crate) fn touched(&self) -> Option<&C> {
        self.content.get().map(|kept| &kept.content)
    }

    /// The content, pinned; `None`, and told to `pins`, if the piece cannot be had.
    pub(crate) fn get<'s>(&'s self, pins: &Pins<'s>) -> Option<&'s C> {
        if !pins.pin(&self.piece) {
            return None;
        }
        if self.content.get().is_none() {
            match self.read_content() {
                // Another thread may have been faster: the same.
                Ok(kept) => drop(self.content.set(kept)),
                Err(error) => {
                    pins.fail(error);
                    return None;
                }
            }
        }
        self.touched()
    }

    fn read_content(&self) -> Result<Kept<C>, ReadError> {
        let content = C::read(&self.piece, &self.given).map_err(|error| self.piece.damaged(error))?;
        let held = match (self.piece.budget(), content.made_bytes()) {
            (Some(budget), made @ 1..) => {
                let mut held = budget.reservation();
                held.grow(made).map_err(ReadError::OverBudget)?;
                Some(held)
            }
            _ => None,
        };
        Ok(Kept { content, _held: held })
    }
}

impl<C: Content> Load for Slot<C> {
    fn load(&self) -> Result<(), ReadError> {
        let pins = Pins::default();
        let found = self.get(&pins).is_some();
        match pins.failure() {
            Some(error) if !found => Err(error),
            _ => Ok(()),
        }
    }
}

/// The slots, whatever is in them.
pub(crate) fn loads<C: Content>(slots: &[Arc<Slot<C>>]) -> impl Iterator<Item = &dyn Load> {
    slots.iter().map(|slot| &**slot as &dyn Load)
}

/// A list of slots as one thread sees it.
pub(crate) struct Resolved<'s, C: Content + 's> {
    slots: &'s [Arc<Slot<C>>],
    /// What the thread has pinned.
    ready: Box<[Cell<Option<&'s C::View<'s>>>]>,
    missing: Cell<usize>,
    pins: Arc<Pins<'s>>,
    /// While slots are read one after the other: the last one that was pinned for it.
    passing: Cell<Option<Passing>>,
}

/// The slot that goes when the next one comes, if there is one.
type Passing = Option<usize>;

impl<'s, C: Content> Resolved<'s, C> {
    /// Nothing is pinned yet. **Cost**: a word each.
    pub(crate) fn new(slots: &'s [Arc<Slot<C>>], pins: &Arc<Pins<'s>>) -> Self {
        let ready = slots.iter().map(|_| Cell::new(None)).collect();
        Self {
            slots,
            ready,
            missing: Cell::new(slots.len()),
            pins: Arc::clone(pins),
            passing: Cell::default(),
        }
    }

    /// Calls `read`, which takes copies of what it reads before it goes on to another slot. Once much is
    /// pinned, each slot that it pins goes when the next one comes: so it may read more than fits.
    pub(crate) fn one_after_the_other<T>(&self, read: impl FnOnce() -> T) -> T {
        self.passing.set(Some(None));
        let made = read();
        self.passing.set(None);
        made
    }

    /// What the thread has pinned.
    pub(crate) fn pins(&self) -> &Pins<'s> {
        &self.pins
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// How many are not pinned.
    #[inline]
    pub(crate) fn missing(&self) -> usize {
        self.missing.get()
    }

    /// What is known of a slot without reading.
    #[inline]
    pub(crate) fn given(&self, i: usize) -> Option<&'s C::Given> {
        self.slots.get(i).map(|slot| slot.given())
    }

    /// The slices of a slot; `None` past the last, and where the piece cannot be had, which the pins tell.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> Option<&'s C::View<'s>> {
        match self.ready.get(i)?.get() {
            Some(view) => Some(view),
            None => self.touch(i),
        }
    }

    /// The same, if that takes no pinning.
    #[inline]
    pub(crate) fn pinned(&self, i: usize) -> Option<&'s C::View<'s>> {
        self.ready.get(i)?.get()
    }

    #[cold]
    #[inline(never)]
    fn touch(&self, i: usize) -> Option<&'s C::View<'s>> {
        // What failed once would fail for each row.
        if self.pins.failure().is_some() {
            return None;
        }
        let passing = self.passing.get();
        if let Some(Some(last)) = passing
            && self.pins.are_many()
        {
            self.let_go(last);
        }
        let view = self.slots.get(i)?.get(&self.pins)?.view();
        self.ready.get(i)?.set(Some(view));
        self.missing.set(self.missing.get() - 1);
        self.passing.set(passing.map(|_| Some(i)));
        Some(view)
    }

    #[cold]
    fn let_go(&self, i: usize) {
        if let (Some(slot), Some(ready)) = (self.slots.get(i), self.ready.get(i))
            && ready.take().is_some()
        {
            self.missing.set(self.missing.get() + 1);
            self.pins.release_one(slot.piece());
        }
    }

    /// Pins whatever is in memory; gives whether that is all. Where pins go now and then, all or none: what
    /// one thread pins, another cannot have dropped.
    pub(crate) fn take_resident(&self) -> bool {
        let is_resident = |(slot, ready): (&Arc<Slot<C>>, &Cell<Option<_>>)| {
            ready.get().is_some() || slot.touched().is_some() && slot.piece().is_resident()
        };
        if !self.pins.are_kept() && !self.slots.iter().zip(&self.ready).all(is_resident) {
            return false;
        }
        for (slot, ready) in self.slots.iter().zip(&self.ready) {
            if ready.get().is_none()
                && let Some(content) = slot.touched()
                && self.pins.pin_resident(slot.piece())
            {
                ready.set(Some(content.view()));
                self.missing.set(self.missing.get() - 1);
            }
        }
        self.missing.get() == 0
    }

    /// Forgets what is pinned; the pins are released by who holds them.
    pub(crate) fn forget(&self) {
        self.ready.iter().for_each(|ready| ready.set(None));
        self.missing.set(self.slots.len());
    }
}
