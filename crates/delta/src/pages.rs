//! Label pages: versions of rows, those that write the same columns of a table side by side (TAG §3.3).
//!
//! ```text
//! shape      what versions of a page say: a row came with these columns, got values in them, or went
//! page       up to 1,024 versions of one shape: rows, stamps, statement numbers, the version before, columns
//! version    page number and place in it, from 1: 0 is none
//! ```
//!
//! 1. A batch goes to the open page of its shape, column by column, and to a new page where that is full.
//! 2. The versions of a row are a chain, the newest first. Who reads a column takes the first that he sees
//!    and that says something of it; behind the last one is main.
//! 3. A page whose versions are all undone, or merged and out of everybody's sight, goes as a whole.
//!
//! A page has a lock: who reads holds it while he copies values out, a writer while he appends. Stamps change
//! under the lock of a reader. Who holds it locks no page, and nothing that is held while pages are locked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use trimorph_mvcc::{AtomicStamp, Handle, Reading, Stamp};
use trimorph_types::Value;
use trimorph_vector::Vector;

use crate::cells::Cells;
use crate::directory::Directory;
use crate::gathered::Gathered;

/// Versions of a page: numbers of versions have as many bits below the page's.
const PAGE_VERSIONS: u32 = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 10;
/// Bytes of texts after which a page is full.
const PAGE_BYTES: usize = 1 << 20;
/// Bytes of a version besides its values: row, stamp, statement number, the version before; and the one that
/// a change skips to.
const CELL_BYTES: usize = 24;
const SKIP_BYTES: usize = 4;

/// What no version writes: one less than the column of labels.
pub(crate) const NO_COLUMN: u32 = u32::MAX - 1;

/// A version, by page and place; none is 0.
pub type Version = u32;

/// What happens to a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Event {
    /// It came: columns that are not named have no value.
    Came,
    /// It got values.
    Changed,
    /// It went.
    Went,
}

/// What the versions of a page say.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    pub(crate) event: Event,
    /// Columns, ascending.
    pub(crate) columns: Box<[u32]>,
}

/// Versions of one shape.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) shape: Shape,
    body: RwLock<Body>,
    /// How many of its versions are in no chain any more, or never were.
    loose: AtomicUsize,
}

#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) rows: Vec<u64>,
    pub(crate) stamps: Vec<AtomicStamp>,
    pub(crate) statements: Vec<u32>,
    previous: Vec<AtomicU32>,
    /// Of versions that change rows: the nearest version before them that may be of another shape. A row that
    /// gets values of one column again and again has a long chain, and who asks for another column passes
    /// over it.
    skips: Vec<AtomicU32>,
    pub(crate) columns: Vec<Cells>,
    bytes: usize,
    /// Nothing is appended any more: it is about to go.
    closed: bool,
}

/// What a chain says of a row's column.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    /// Nothing that is seen: main knows.
    Nothing,
    /// This.
    Value(Value),
    /// The row is not there.
    Gone,
}

/// What the first version of a chain tells.
enum Told<T> {
    /// All there is to be told.
    Here(T),
    /// The version before it is to be asked; 0 if there is none.
    Older(Version),
}

impl Said {
    /// What one version says of a column, which has this place among those of its page; none where older ones
    /// are to be asked.
    #[inline]
    fn by(page: &Page, body: &Body, at: usize, place: Option<usize>, reading: &Reading<'_>) -> Option<Self> {
        if body.is_merged(at, reading) {
            // Versions of other columns below it may have come later.
            let tells = page.shape.event != Event::Changed || place.is_some();
            return tells.then_some(Self::Nothing);
        }
        if !body.sees(at, reading) {
            return None;
        }
        match (page.shape.event, place) {
            (Event::Went, _) => Some(Self::Gone),
            (_, Some(place)) => {
                Some(Self::Value(body.columns.get(place).map_or(Value::Null, |cells| cells.value(at))))
            }
            (Event::Came, None) => Some(Self::Value(Value::Null)),
            (Event::Changed, None) => None,
        }
    }
}

/// Whether a row is there, as far as one version says, or main where it says that; none where older ones are
/// to be asked.
#[inline]
fn is_there(page: &Page, body: &Body, at: usize, reading: &Reading<'_>) -> Option<Option<bool>> {
    match page.shape.event {
        Event::Came | Event::Went if body.is_merged(at, reading) => Some(None),
        Event::Came if body.sees(at, reading) => Some(Some(true)),
        Event::Went if body.sees(at, reading) => Some(Some(false)),
        _ => None,
    }
}

impl Page {
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Body> {
        self.body.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a column among those of the shape.
    pub(crate) fn place_of(&self, column: u32) -> Option<usize> {
        self.shape.columns.binary_search(&column).ok()
    }
}

impl Body {
    /// Whether a version is there for a reader.
    #[inline]
    pub(crate) fn sees(&self, at: usize, reading: &Reading<'_>) -> bool {
        match (self.stamps.get(at), self.statements.get(at)) {
            (Some(stamp), Some(statement)) => reading.sees(stamp, *statement),
            _ => false,
        }
    }

    /// Whether what a version says is in the main version that is read.
    #[inline]
    pub(crate) fn is_merged(&self, at: usize, reading: &Reading<'_>) -> bool {
        self.stamps.get(at).is_some_and(|stamp| reading.is_merged(stamp))
    }

    /// Where who asks for nothing that versions of this page say goes on behind one.
    #[inline]
    fn skip(&self, at: usize) -> Version {
        self.skips.get(at).map_or_else(|| self.previous(at), |v| v.load(Ordering::Acquire))
    }

    fn bytes_of(&self, versions: usize) -> usize {
        versions * if self.skips.is_empty() { CELL_BYTES } else { CELL_BYTES + SKIP_BYTES }
    }

    /// The version before one in its row's chain.
    #[inline]
    pub(crate) fn previous(&self, at: usize) -> Version {
        self.previous.get(at).map_or(0, |v| v.load(Ordering::Acquire))
    }
}

/// Page and place of a version.
#[inline]
pub(crate) fn place(version: Version) -> Option<(u64, usize)> {
    let number = version.checked_sub(1)?;
    Some((u64::from(number >> PLACE_BITS), (number & (PAGE_VERSIONS - 1)) as usize))
}

/// The pages of one table.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: Directory<Page>,
    state: Mutex<State>,
    bytes: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    /// The page that is filled, for each shape.
    open: HashMap<Shape, u64>,
    /// Numbers of pages that are gone.
    free: Vec<u64>,
    end: u64,
}

/// Who writes: the first stamp of his versions, and his statement's number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Author {
    pub(crate) stamp: Stamp,
    pub(crate) statement: u32,
}

/// No version can be numbered any more: the delta of this table has four billion.
#[derive(Debug)]
pub(crate) struct Full;

impl Pages {
    /// A page by its number.
    #[inline]
    pub(crate) fn page(&self, number: u64) -> Option<Arc<Page>> {
        self.pages.get(number)
    }

    /// Appends versions of `rows`, whose values are at `positions` of `values`, a vector for each column of
    /// the shape. Nobody finds them yet. Gives runs of versions that follow each other: the first, and how
    /// many.
    ///
    /// **Cost**: a lock for each page, values copied by columns.
    pub(crate) fn append(
        &self,
        shape: &Shape,
        author: Author,
        rows: &[u64],
        values: &[&Vector<'_>],
        positions: &[u32],
    ) -> Result<Vec<(Version, usize)>, Full> {
        let mut runs = Vec::with_capacity(rows.len() / PAGE_VERSIONS as usize + 1);
        let mut from = 0;
        while from < rows.len() {
            let (number, page) = self.open_page(shape)?;
            let mut body = page.body.write().unwrap_or_else(PoisonError::into_inner);
            let first = body.rows.len();
            let room = (PAGE_VERSIONS as usize).saturating_sub(first);
            if room == 0 || body.bytes >= PAGE_BYTES || body.closed {
                self.close(shape, number);
                continue;
            }
            let len = room.min(rows.len() - from);
            let part = from..from + len;
            let before = body.bytes;
            body.rows.extend_from_slice(&rows[part.clone()]);
            body.stamps.extend((0..len).map(|_| AtomicStamp::new(author.stamp)));
            body.statements.extend(std::iter::repeat_n(author.statement, len));
            body.previous.extend((0..len).map(|_| AtomicU32::new(0)));
            if shape.event == Event::Changed {
                body.skips.extend((0..len).map(|_| AtomicU32::new(0)));
            }
            for (cells, vector) in body.columns.iter_mut().zip(values) {
                cells.extend(vector, &positions[part.clone()]);
            }
            body.bytes = body.columns.iter().map(Cells::bytes).sum();
            self.bytes.fetch_add(body.bytes.saturating_sub(before) + body.bytes_of(len), Ordering::Relaxed);
            // A page has 1,024 versions at most, and a table below 2^22 pages.
            runs.push((((number as u32) << PLACE_BITS | first as u32) + 1, len));
            from += len;
        }
        Ok(runs)
    }

    /// Says which version of its row is before one.
    pub(crate) fn set_previous(&self, version: Version, previous: Version) {
        let Some((number, at)) = place(version) else { return };
        let Some(page) = self.pages.get(number) else { return };
        // One page is locked at a time.
        let skip = match page.shape.event {
            Event::Changed => self.behind(previous, &page.shape),
            Event::Came | Event::Went => previous,
        };
        let body = page.read();
        if let Some(own) = body.previous.get(at) {
            own.store(previous, Ordering::Release);
        }
        if let Some(own) = body.skips.get(at) {
            own.store(skip, Ordering::Release);
        }
    }

    /// Where a version of `shape` skips to whose previous one is `version`.
    fn behind(&self, version: Version, shape: &Shape) -> Version {
        let of_shape = place(version).and_then(|(number, at)| Some((self.pages.get(number)?, at)));
        match of_shape.filter(|(page, _)| page.shape == *shape) {
            Some((page, at)) => page.read().skip(at),
            None => version,
        }
    }

    /// Where a version skips to.
    #[cfg(test)]
    pub(crate) fn skipped(&self, version: Version) -> Version {
        let at = place(version).and_then(|(number, at)| Some((self.pages.get(number)?, at)));
        at.map_or(0, |(page, at)| page.read().skip(at))
    }

    /// Says anew where versions of one chain skip to: these, oldest first, are all it has.
    pub(crate) fn set_skips(&self, oldest_first: impl Iterator<Item = Version>) {
        let mut previous = 0;
        for version in oldest_first {
            self.set_previous(version, previous);
            previous = version;
        }
    }

    fn open_page(&self, shape: &Shape) -> Result<(u64, Arc<Page>), Full> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = state.open.get(shape)
            && let Some(page) = self.pages.get(*number)
        {
            return Ok((*number, page));
        }
        let number = state.free.pop().unwrap_or(state.end);
        if number >= 1 << (u32::BITS - PLACE_BITS) {
            return Err(Full);
        }
        state.end = state.end.max(number + 1);
        let columns = shape.columns.iter().map(|_| Cells::default()).collect();
        let body = RwLock::new(Body { columns, ..Body::default() });
        let page = Arc::new(Page { shape: shape.clone(), body, loose: AtomicUsize::new(0) });
        self.pages.set(number, Some(Arc::clone(&page)));
        state.open.insert(shape.clone(), number);
        Ok((number, page))
    }

    /// The page is full: the next versions of its shape go elsewhere.
    fn close(&self, shape: &Shape, number: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.open.get(shape) == Some(&number) {
            state.open.remove(shape);
        }
    }

    /// What the chain from `version` on says of a column to a reader.
    ///
    /// **Cost**: a look-up and a lock for each version on the way.
    pub(crate) fn value(&self, version: Version, column: u32, reading: &Reading<'_>) -> Said {
        let said =
            self.walk_of(version, column, |page, place, body, at| Said::by(page, body, at, place, reading));
        said.unwrap_or(Said::Nothing)
    }

    /// As [`Self::walk`] for who asks for a column: changes of others are passed over, runs of them at a
    /// step.
    pub(crate) fn walk_of<T>(
        &self,
        version: Version,
        column: u32,
        each: impl FnMut(&Page, Option<usize>, &Body, usize) -> Option<T>,
    ) -> Option<T> {
        self.walk_where(version, |page| page.place_of(column), each)
    }

    /// As [`Self::walk`], but for changes of which `concerns` says nothing: runs of them are passed at a
    /// step.
    pub(crate) fn walk_where<C: Copy, T>(
        &self,
        mut version: Version,
        concerns: impl Fn(&Page) -> Option<C>,
        mut each: impl FnMut(&Page, Option<C>, &Body, usize) -> Option<T>,
    ) -> Option<T> {
        while let Some((number, at)) = place(version) {
            let page = self.pages.get(number)?;
            let concern = concerns(&page);
            let body = page.read();
            if concern.is_none() && page.shape.event == Event::Changed {
                version = body.skip(at);
                continue;
            }
            if let Some(found) = each(&page, concern, &body, at) {
                return Some(found);
            }
            version = body.previous(at);
        }
        None
    }

    /// The same of many chains.
    ///
    /// **Cost**: a look-up and a lock for as many as lie side by side in a page.
    pub(crate) fn values(&self, versions: &[Version], column: u32, reading: &Reading<'_>) -> Vec<Said> {
        let of_page = |page: &Page| page.place_of(column);
        let told = self
            .of_each(versions, of_page, |page, place, body, at| Said::by(page, body, at, *place, reading));
        let told = told.into_iter().map(|told| match told {
            Told::Here(said) => said,
            Told::Older(previous) => self.value(previous, column, reading),
        });
        told.collect()
    }

    /// Whether a row is there for a reader, as far as the chain from `version` on says.
    pub(crate) fn is_there(&self, version: Version, reading: &Reading<'_>) -> Option<bool> {
        // No change has this column: all that is left is what came and went.
        let told = self.walk_of(version, NO_COLUMN, |page, _, body, at| is_there(page, body, at, reading));
        told.flatten()
    }

    /// The same of many chains. **Cost**: as of [`Self::values`].
    pub(crate) fn are_there(&self, versions: &[Version], reading: &Reading<'_>) -> Vec<Option<bool>> {
        let told =
            self.of_each(versions, |_: &Page| (), |page, (), body, at| is_there(page, body, at, reading));
        let told = told.into_iter().map(|told| match told {
            Told::Here(said) => said,
            Told::Older(previous) => self.is_there(previous, reading),
        });
        told.collect()
    }

    /// The values of a column of the rows whose newest versions these are, where a reader sees all of them,
    /// main has none, each says what the column is, and all values are of one type; none where rows must be
    /// asked one by one.
    ///
    /// **Cost**: a look-up and a lock for as many as lie side by side in a page, and copies of values.
    pub(crate) fn vector(
        &self,
        versions: &[Version],
        column: u32,
        reading: &Reading<'_>,
    ) -> Option<Vector<'static>> {
        let mut gathered = Gathered::default();
        let is_whole = self.each_seen(versions, reading, |page, body, places| {
            match (page.shape.event, page.place_of(column)) {
                (Event::Went, _) | (Event::Changed, None) => false,
                (Event::Came, None) => {
                    gathered.nothing(places.len());
                    true
                }
                (_, Some(at)) => body.columns.get(at).is_some_and(|cells| gathered.cells(cells, places)),
            }
        });
        is_whole.then(|| gathered.into_vector())
    }

    /// Whether all rows whose newest versions these are have come, for a reader; false where that is not
    /// known without asking them one by one.
    pub(crate) fn have_all_come(&self, versions: &[Version], reading: &Reading<'_>) -> bool {
        self.each_seen(versions, reading, |page, _, _| page.shape.event == Event::Came)
    }

    /// Gives versions that lie side by side in a page to `each`, with their places, as long as a reader sees
    /// them, main does not have them and `each` says so. Whether all were given.
    fn each_seen(
        &self,
        versions: &[Version],
        reading: &Reading<'_>,
        mut each: impl FnMut(&Page, &Body, &[usize]) -> bool,
    ) -> bool {
        let number_of = |version: &Version| place(*version).map(|(number, _)| number);
        let mut places = Vec::with_capacity(versions.len().min(PAGE_VERSIONS as usize));
        versions.chunk_by(|a, b| number_of(a) == number_of(b)).all(|of_one| {
            let number = of_one.first().and_then(number_of);
            let Some(page) = number.and_then(|number| self.pages.get(number)) else { return false };
            places.clear();
            places.extend(of_one.iter().filter_map(|version| place(*version)).map(|(_, at)| at));
            let body = page.read();
            // Those of one statement have one stamp.
            let mut last = None;
            let are_seen = places.iter().all(|at| {
                let (Some(stamp), Some(statement)) = (body.stamps.get(*at), body.statements.get(*at)) else {
                    return false;
                };
                let now = Some((stamp.load(), *statement));
                let is_same = now == last;
                last = now;
                is_same || (!reading.is_merged(stamp) && reading.sees(stamp, *statement))
            });
            are_seen && each(&page, &body, &places)
        })
    }

    /// Asks the first version of each chain: what it says, or the one before it.
    fn of_each<P, T>(
        &self,
        versions: &[Version],
        of_page: impl Fn(&Page) -> P,
        ask: impl Fn(&Page, &P, &Body, usize) -> Option<T>,
    ) -> Vec<Told<T>> {
        let number_of = |version: &Version| place(*version).map(|(number, _)| number);
        let mut told = Vec::with_capacity(versions.len());
        for of_one in versions.chunk_by(|a, b| number_of(a) == number_of(b)) {
            let page = of_one.first().and_then(number_of).and_then(|number| self.pages.get(number));
            let Some(page) = page else {
                told.extend(of_one.iter().map(|_| Told::Older(0)));
                continue;
            };
            let known = of_page(&page);
            // Nothing else is looked at while the page is locked.
            let body = page.read();
            told.extend(of_one.iter().filter_map(|version| place(*version)).map(|(_, at)| {
                let said = ask(&page, &known, &body, at);
                said.map_or_else(|| Told::Older(body.previous(at)), Told::Here)
            }));
        }
        told
    }

    /// Gives all values that the chain from `version` on has of a column, whoever sees them. `put` may lock
    /// what it likes: no page is locked meanwhile.
    pub(crate) fn all_values(&self, version: Version, column: u32, put: impl FnMut(Value)) {
        let mut values = Vec::new();
        let _: Option<()> = self.walk_of(version, column, |_, of_column, body, at| {
            values.push(body.columns.get(of_column?)?.value(at));
            None
        });
        values.into_iter().for_each(put);
    }

    /// Goes along the chain from `version` on, newest first, until `each` is done. It gets the page, its
    /// body and the place; the page is locked meanwhile, so it locks nothing but the table of transactions.
    pub(crate) fn walk<T>(
        &self,
        mut version: Version,
        mut each: impl FnMut(&Page, &Body, usize) -> Option<T>,
    ) -> Option<T> {
        while let Some((number, at)) = place(version) {
            let page = self.pages.get(number)?;
            let body = page.read();
            if let Some(found) = each(&page, &body, at) {
                return Some(found);
            }
            version = body.previous(at);
        }
        None
    }

    /// Writes the stamp of a version that `handle` made; one that somebody else has is left alone.
    pub(crate) fn stamp(&self, version: Version, handle: Handle, stamp: Stamp) {
        if let Some((number, at)) = place(version)
            && let Some(page) = self.pages.get(number)
            && let Some(own) = page.read().stamps.get(at)
        {
            own.replace(handle.into(), stamp);
        }
    }

    /// A version is in no chain any more, or never was.
    pub(crate) fn loosen(&self, version: Version) {
        if let Some((number, _)) = place(version)
            && let Some(page) = self.pages.get(number)
        {
            page.loose.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Closes the pages of which no version is in a chain: who found one before may still read it.
    pub(crate) fn close_loose(&self) -> Vec<u64> {
        let end = self.state.lock().unwrap_or_else(PoisonError::into_inner).end;
        let is_loose = |number: &u64| {
            let Some(page) = self.pages.get(*number) else { return false };
            if page.loose.load(Ordering::Acquire) == 0 {
                return false;
            }
            let mut body = page.body.write().unwrap_or_else(PoisonError::into_inner);
            // Nothing is linked that was not appended before.
            let loose = !body.closed && page.loose.load(Ordering::Acquire) == body.rows.len();
            body.closed |= loose;
            loose
        };
        (0..end).filter(is_loose).collect()
    }

    /// Takes a page out that nobody reads any more. Its number is used again.
    pub(crate) fn remove(&self, number: u64) {
        let Some(page) = self.pages.get(number) else { return };
        self.close(&page.shape, number);
        let body = page.read();
        self.bytes.fetch_sub(body.bytes + body.bytes_of(body.rows.len()), Ordering::Relaxed);
        drop(body);
        self.pages.set(number, None);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).free.push(number);
    }

    /// Bytes of all pages.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}
