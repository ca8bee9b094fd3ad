//! Rows in the order of one key, and what is found between bounds.
//!
//! A block of rows is filled while there is room for it and for putting it in order, and then sorted.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use trimorph_algebra::{BandKind, Wanted};
use trimorph_types::{Value, compare};
use trimorph_vector::{Values, Vector};

use super::ranges::narrow;
use super::spec::RangeJoinSpec;
use crate::keys::{KeyTable, NO_NUMBER, POSITIONS_UNCHECKED};
use crate::ops::sort::ordered;
use crate::rows::{MANY, Rows};
use crate::spill::{UNCHARGED_BYTES_MAX, spare_bytes};
use crate::{Context, ExecError};

/// Bytes a row of the order with its prefixes and of the place it is merged in.
const ORDER_BYTES: usize = 2 * size_of::<(u64, u32)>();

/// Bytes a row of what must be equal: its number, its place, and where rows of it begin.
const EQUAL_BYTES: usize = 3 * size_of::<u32>();

/// Rows that come, their key last, what must be equal before it.
pub(super) struct Block<'s> {
    rows: Rows<'s>,
    /// How many values must be equal.
    keys: usize,
    held: trimorph_base::Reservation,
}

impl<'s> Block<'s> {
    pub(super) fn new(spec: &RangeJoinSpec, cx: &Context<'s>) -> Self {
        let columns = spec.build_keep.len() + spec.build_on.len() + 1;
        let keys = spec.build_on.len();
        Self { rows: Rows::new(columns), keys, held: cx.settings.budget.reservation() }
    }

    /// Takes rows in; `false`, and nothing done, where there is no room for them beside those that are there,
    /// and files to put them into.
    pub(super) fn take(
        &mut self,
        columns: &[&Vector<'s>],
        positions: &[u32],
        multiplicity: impl Iterator<Item = u64>,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        // The rows, and the same in their new places with their order.
        let of_rows = self.rows.bytes() + self.rows.growth_bytes(positions.len());
        let rows = self.rows.len() + positions.len();
        let of_equal =
            if self.keys == 0 { 0 } else { rows * EQUAL_BYTES + KeyTable::default().growth_bytes(rows) };
        let bytes = 2 * of_rows + rows * ORDER_BYTES + of_equal;
        let spills = cx.settings.spill.is_some();
        let spare = if spills { spare_bytes(bytes, cx) } else { 0 };
        if let Err(over) = self.held.resize_leaving(bytes, spare) {
            if spills && self.rows.len() > 0 {
                return Ok(false);
            }
            // Of one chunk there are rows in memory in any case.
            if !spills || bytes > UNCHARGED_BYTES_MAX {
                return Err(over.into());
            }
        }
        self.rows.extend(columns, positions, multiplicity, cx);
        Ok(true)
    }

    /// Whether there are no rows.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// The rows in the order of their keys.
    pub(super) fn sorted(self, spec: &RangeJoinSpec, cx: &Context<'s>) -> Result<Sorted<'s>, ExecError> {
        let Self { mut rows, keys: equal, mut held } = self;
        let Some(key) = rows.columns.last() else { return Err(no_key()) };
        let mut order = ordered(&[(key, false)], rows.len(), usize::MAX, cx)?;
        let first = spec.build_keep.len();
        let equal = match equal {
            0 => None,
            _ => Some(Equal::of(&rows.columns[first..first + equal], &mut order, cx)?),
        };
        rows.keep(&order);
        drop(order);
        let Some(keys) = rows.columns.pop() else { return Err(no_key()) };
        rows.columns.truncate(first);
        let mut before = Vec::new();
        if rows.multiplicity.iter().any(|multiplicity| *multiplicity != 1) {
            before.reserve_exact(rows.len() + 1);
            let mut sum = 0u64;
            before.push(0);
            for multiplicity in &rows.multiplicity {
                sum = sum.saturating_add(*multiplicity);
                before.push(sum);
            }
        }
        let bytes = rows.bytes() + crate::rows::cell_bytes(&keys) + before.capacity() * size_of::<u64>();
        let bytes = bytes + equal.as_ref().map_or(0, Equal::bytes);
        if let Err(over) = held.resize(bytes)
            && (cx.settings.spill.is_none() || bytes > UNCHARGED_BYTES_MAX)
        {
            return Err(over.into());
        }
        let lengths = match (&keys.values, spec.kind) {
            (Values::String(texts), BandKind::BeginningOf) => {
                let lengths: BTreeSet<usize> = (0..rows.len()).map(|i| texts.get(i).len()).collect();
                lengths.into_iter().collect()
            }
            _ => Vec::new(),
        };
        Ok(Sorted { len: rows.len(), rows, keys, equal, lengths, before, _held: held })
    }
}

/// The finished build side: rows in the order of their keys.
pub(super) struct Sorted<'s> {
    pub(super) rows: Rows<'s>,
    keys: Vector<'s>,
    /// Where rows lie whose other values are equal; none where none have to be.
    equal: Option<Equal<'s>>,
    pub(super) len: usize,
    /// The lengths in bytes that keys have, ascending, where keys are beginnings of bounds.
    lengths: Vec<usize>,
    /// What the rows before each stand for, and all of them; past 64 bits, [`MANY`]. Empty where each stands
    /// for one.
    before: Vec<u64>,
    _held: trimorph_base::Reservation,
}

/// Rows whose values are equal, which lie together.
struct Equal<'s> {
    table: KeyTable<'s>,
    /// Rows of the values numbered `k`: `starts[k]..starts[k + 1]`.
    starts: Vec<u32>,
}

impl<'s> Equal<'s> {
    /// Puts rows of equal values together; those stay in their order.
    fn of(columns: &[Vector<'s>], order: &mut Vec<u32>, cx: &Context<'s>) -> Result<Self, ExecError> {
        let columns: Vec<&Vector<'s>> = columns.iter().collect();
        let (mut table, mut numbers) = (KeyTable::default(), Vec::with_capacity(order.len()));
        let rows = u32::try_from(order.len()).unwrap_or(u32::MAX);
        let positions: Vec<u32> = (0..rows).collect();
        for positions in positions.chunks(POSITIONS_UNCHECKED) {
            cx.check()?;
            table.number_all(&columns, positions, &mut numbers, &mut Vec::new());
        }
        let mut starts = vec![0u32; table.len() + 2];
        for number in &numbers {
            starts[*number as usize + 2] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut together = positions;
        for row in &*order {
            let next = &mut starts[numbers[*row as usize] as usize + 1];
            together[*next as usize] = *row;
            *next += 1;
        }
        starts.pop();
        *order = together;
        Ok(Self { table, starts })
    }

    /// The rows of the values with a number.
    fn rows(&self, number: u32) -> (u32, u32) {
        match number {
            NO_NUMBER => (0, 0),
            number => (self.starts[number as usize], self.starts[number as usize + 1]),
        }
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + self.starts.capacity() * size_of::<u32>()
    }
}

/// Build rows that match a probe row.
pub(super) enum Matches {
    Range(usize, usize),
    Listed(Vec<u32>, usize),
}

impl Matches {
    /// Takes up to `most` rows, appends them.
    pub(super) fn take(&mut self, most: usize, out: &mut Vec<u32>) {
        match self {
            Self::Range(start, end) => {
                let to = (*end).min(*start + most);
                // Rows are numbered by 32 bits.
                out.extend((*start..to).map(|row| row as u32));
                *start = to;
            }
            Self::Listed(rows, at) => {
                let to = rows.len().min(*at + most);
                out.extend_from_slice(&rows[*at..to]);
                *at = to;
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Range(start, end) => start >= end,
            Self::Listed(rows, at) => *at == rows.len(),
        }
    }
}

impl<'s> Sorted<'s> {
    /// Of each probe row the build rows whose other values are equal, all of them where none have to be; and
    /// of one type, those within the bounds: whether that was asked.
    pub(super) fn among(
        &self,
        spec: &RangeJoinSpec,
        slots: &[Vector<'s>],
        positions: &[u32],
        among: &mut Vec<(u32, u32)>,
    ) -> bool {
        among.clear();
        match &self.equal {
            Some(equal) => {
                let keys: Vec<&Vector<'s>> = spec.probe_on.iter().map(|slot| &slots[*slot]).collect();
                let mut numbers = Vec::with_capacity(positions.len());
                equal.table.find_all(&keys, positions, &mut numbers);
                among.extend(numbers.into_iter().map(|number| equal.rows(number)));
            }
            None => among.resize(positions.len(), (0, u32::try_from(self.len).unwrap_or(u32::MAX))),
        }
        let bounds = [spec.low, spec.high].map(|bound| bound.map(|(slot, equal)| (&slots[slot], equal)));
        spec.kind == BandKind::Between && narrow(&self.keys.values, bounds, positions, among)
    }

    /// The rows that are wanted of those within bounds, and those that are equal to the last of them.
    pub(super) fn wanted(&self, wanted: Wanted, found: Matches) -> Matches {
        let Matches::Range(start, end) = found else { return found };
        match wanted {
            Wanted::First(rows) if (rows as usize) < end - start && rows > 0 => {
                let mut to = start + rows as usize;
                while to < end && self.is_same(to - 1, to) {
                    to += 1;
                }
                Matches::Range(start, to)
            }
            Wanted::Last(rows) if (rows as usize) < end - start && rows > 0 => {
                let mut from = end - rows as usize;
                while from > start && self.is_same(from - 1, from) {
                    from -= 1;
                }
                Matches::Range(from, end)
            }
            _ => found,
        }
    }

    /// Whether two rows have the same key.
    fn is_same(&self, a: usize, b: usize) -> bool {
        match &self.keys.values {
            Values::Int(k) | Values::LocalTime(k) | Values::LocalDateTime(k) | Values::DateTime(k) => {
                k[a] == k[b]
            }
            Values::Date(k) => k[a] == k[b],
            Values::String(k) => k.get(a) == k.get(b),
            _ => {
                let value = |i| self.keys.value(i, &|_| Value::Null);
                compare(&value(a), &value(b)).is_none_or(Ordering::is_eq)
            }
        }
    }

    /// The build rows `among` some whose keys are within the bounds at position `p`.
    pub(super) fn matches(
        &self,
        spec: &RangeJoinSpec,
        slots: &[Vector<'s>],
        p: usize,
        among: (usize, usize),
        cx: &Context<'s>,
    ) -> Result<Matches, ExecError> {
        if among.0 == among.1 {
            return Ok(Matches::Range(0, 0));
        }
        let bounds = [spec.low, spec.high].map(|bound| bound.map(|(slot, equal)| (&slots[slot], equal)));
        if bounds.iter().flatten().any(|(bound, _)| !is_comparable(bound, p)) {
            return Ok(Matches::Range(0, 0));
        }
        let [low, high] = bounds;
        if let (BandKind::BeginsWith | BandKind::BeginningOf, Some((text, _))) = (spec.kind, low) {
            return self.of_text(spec.kind, text, p, among, cx);
        }
        if matches!(self.keys.values, Values::Any(_) | Values::List(_) | Values::Map(_) | Values::Tuple(_)) {
            return self.looked_through(low, high, p, among, cx);
        }
        let start = match low {
            Some((bound, equal)) => {
                self.first(bound, p, among, |order| if equal { order.is_lt() } else { order.is_le() })
            }
            None => Some(among.0),
        };
        let end = match high {
            Some((bound, equal)) => {
                self.first(bound, p, among, |order| if equal { order.is_le() } else { order.is_lt() })
            }
            None => Some(among.1),
        };
        Ok(match (start, end) {
            (Some(start), Some(end)) if start < end => Matches::Range(start, end),
            _ => Matches::Range(0, 0),
        })
    }

    /// The build rows whose keys are texts that begin with the one at `p`, which follow each other; or those
    /// that it begins with: of each length that keys have, those that equal its beginning.
    fn of_text(
        &self,
        kind: BandKind,
        bound: &Vector<'_>,
        p: usize,
        among: (usize, usize),
        cx: &Context<'s>,
    ) -> Result<Matches, ExecError> {
        let Value::String(text) = bound.value(p, &|_| Value::Null) else { return Ok(Matches::Range(0, 0)) };
        let passes = |key: &str| match kind {
            BandKind::BeginsWith => key.starts_with(&*text),
            _ => text.starts_with(key),
        };
        match &self.keys.values {
            Values::String(keys) if kind == BandKind::BeginsWith => {
                let start = partition_point(among, |i| keys.get(i) < &*text);
                let end = partition_point(among, |i| keys.get(i) < &*text || passes(keys.get(i)));
                Ok(Matches::Range(start, end))
            }
            Values::String(keys) => {
                let mut found = Vec::new();
                // A key that begins another comes before it.
                for beginning in self.lengths.iter().map_while(|length| text.as_bytes().get(..*length)) {
                    let start = partition_point(among, |i| keys.get(i).as_bytes() < beginning);
                    let equal = |i: &usize| keys.get(*i).as_bytes() == beginning;
                    found.extend((start..among.1).take_while(equal).map(|i| i as u32));
                }
                Ok(Matches::Listed(found, 0))
            }
            Values::Any(keys) => {
                let mut found = Vec::new();
                for (i, key) in keys.iter().enumerate().take(among.1).skip(among.0) {
                    if i % POSITIONS_UNCHECKED == 0 {
                        cx.check()?;
                    }
                    if matches!(key, Value::String(key) if passes(key)) {
                        found.push(i as u32);
                    }
                }
                Ok(Matches::Listed(found, 0))
            }
            _ => Ok(Matches::Range(0, 0)),
        }
    }

    /// The first key among some that is not `before` the bound; `None` where they do not compare.
    fn first(
        &self,
        bound: &Vector<'_>,
        p: usize,
        among: (usize, usize),
        before: impl Fn(Ordering) -> bool,
    ) -> Option<usize> {
        let own = among.0..among.1;
        Some(match (&self.keys.values, &bound.values) {
            (Values::Int(k), Values::Int(b))
            | (Values::LocalTime(k), Values::LocalTime(b))
            | (Values::LocalDateTime(k), Values::LocalDateTime(b))
            | (Values::DateTime(k), Values::DateTime(b)) => {
                among.0 + k[own].partition_point(|k| before(k.cmp(&b[p])))
            }
            (Values::Date(k), Values::Date(b)) => among.0 + k[own].partition_point(|k| before(k.cmp(&b[p]))),
            (Values::String(k), Values::String(b)) => {
                let b = b.get(p);
                partition_point(among, |i| before(k.get(i).cmp(b)))
            }
            _ => {
                let none = |_| Value::Null;
                let bound = bound.value(p, &none);
                compare(&self.keys.value(among.0, &none), &bound)?;
                partition_point(among, |i| compare(&self.keys.value(i, &none), &bound).is_some_and(&before))
            }
        })
    }

    /// Asks each key.
    fn looked_through(
        &self,
        low: Option<(&Vector<'_>, bool)>,
        high: Option<(&Vector<'_>, bool)>,
        p: usize,
        among: (usize, usize),
        cx: &Context<'s>,
    ) -> Result<Matches, ExecError> {
        let none = |_| Value::Null;
        let value = |bound: Option<(&Vector<'_>, bool)>| bound.map(|(v, equal)| (v.value(p, &none), equal));
        let (low, high) = (value(low), value(high));
        let mut found = Vec::new();
        for i in among.0..among.1 {
            if i % POSITIONS_UNCHECKED == 0 {
                cx.check()?;
            }
            let key = self.keys.value(i, &none);
            let above = low.as_ref().is_none_or(|(low, equal)| {
                compare(&key, low).is_some_and(|order| order.is_gt() || *equal && order.is_eq())
            });
            let below = high.as_ref().is_none_or(|(high, equal)| {
                compare(&key, high).is_some_and(|order| order.is_lt() || *equal && order.is_eq())
            });
            if above && below {
                found.push(i as u32);
            }
        }
        Ok(Matches::Listed(found, 0))
    }

    /// What the rows of some matches stand for.
    pub(super) fn tuples(&self, matches: &Matches) -> u64 {
        match matches {
            Matches::Range(start, end) if self.before.is_empty() => (end - start) as u64,
            Matches::Range(start, end) => match self.before[*end] {
                MANY => self.rows.multiplicity[*start..*end].iter().fold(0, |sum, m| sum.saturating_add(*m)),
                all => all - self.before[*start],
            },
            Matches::Listed(rows, _) => {
                rows.iter().fold(0, |sum, row| sum.saturating_add(self.rows.multiplicity[*row as usize]))
            }
        }
    }
}

/// The first of the rows `low..high` for which `before` does not hold; it holds for no row after that.
fn partition_point((mut low, mut high): (usize, usize), before: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low.midpoint(high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn no_key() -> ExecError {
    trimorph_base::Diagnostic::internal("a range join without a key").into()
}

/// Whether a value may be less or greater than another: not null, and not NaN.
pub(super) fn is_comparable(vector: &Vector<'_>, i: usize) -> bool {
    if vector.is_null(i) {
        return false;
    }
    match &vector.values {
        Values::Float(v) => !v[i].is_nan(),
        Values::Number(v) => !v.get(i).float().is_nan(),
        Values::Any(v) => !matches!(v[i], Value::Float(f) if f.is_nan()),
        _ => true,
    }
}
