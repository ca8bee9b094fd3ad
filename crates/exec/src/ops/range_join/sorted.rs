//! Rows in the order of one key, and what is found between bounds.
//!
//! A block of rows is filled while there is room for it and for putting it in order, and then sorted.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use trimorph_algebra::BandKind;
use trimorph_types::{Value, compare};
use trimorph_vector::{Values, Vector};

use super::spec::RangeJoinSpec;
use crate::keys::POSITIONS_UNCHECKED;
use crate::ops::sort::ordered;
use crate::rows::{MANY, Rows};
use crate::spill::{UNCHARGED_BYTES_MAX, spare_bytes};
use crate::{Context, ExecError};

/// Bytes a row of the order with its prefixes and of the place it is merged in.
const ORDER_BYTES: usize = 2 * size_of::<(u64, u32)>();

/// Rows that come, their key last.
pub(super) struct Block<'s> {
    rows: Rows<'s>,
    held: trimorph_base::Reservation,
}

impl<'s> Block<'s> {
    pub(super) fn new(spec: &RangeJoinSpec, cx: &Context<'s>) -> Self {
        Self { rows: Rows::new(spec.build_keep.len() + 1), held: cx.settings.budget.reservation() }
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
        let bytes = 2 * of_rows + (self.rows.len() + positions.len()) * ORDER_BYTES;
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
        let Self { mut rows, mut held } = self;
        let Some(key) = rows.columns.last() else { return Err(no_key()) };
        let order = ordered(&[(key, false)], rows.len(), usize::MAX, cx)?;
        rows.keep(&order);
        let Some(keys) = rows.columns.pop() else { return Err(no_key()) };
        let mut before = Vec::with_capacity(rows.len() + 1);
        let mut sum = 0u64;
        before.push(0);
        for multiplicity in &rows.multiplicity {
            sum = sum.saturating_add(*multiplicity);
            before.push(sum);
        }
        let bytes = rows.bytes() + crate::rows::cell_bytes(&keys) + before.capacity() * size_of::<u64>();
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
        Ok(Sorted { len: rows.len(), rows, keys, lengths, before, _held: held })
    }
}

/// The finished build side: rows in the order of their keys.
pub(super) struct Sorted<'s> {
    pub(super) rows: Rows<'s>,
    keys: Vector<'s>,
    pub(super) len: usize,
    /// The lengths in bytes that keys have, ascending, where keys are beginnings of bounds.
    lengths: Vec<usize>,
    /// What the rows before each stand for, and all of them; past 64 bits, [`MANY`].
    before: Vec<u64>,
    _held: trimorph_base::Reservation,
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
    /// The build rows whose keys are within the bounds at position `p`.
    pub(super) fn matches(
        &self,
        spec: &RangeJoinSpec,
        slots: &[Vector<'s>],
        p: usize,
        cx: &Context<'s>,
    ) -> Result<Matches, ExecError> {
        let bounds = [spec.low, spec.high].map(|bound| bound.map(|(slot, equal)| (&slots[slot], equal)));
        if bounds.iter().flatten().any(|(bound, _)| !is_comparable(bound, p)) {
            return Ok(Matches::Range(0, 0));
        }
        let [low, high] = bounds;
        if let (BandKind::BeginsWith | BandKind::BeginningOf, Some((text, _))) = (spec.kind, low) {
            return self.of_text(spec.kind, text, p, cx);
        }
        if matches!(self.keys.values, Values::Any(_) | Values::List(_) | Values::Map(_)) {
            return self.looked_through(low, high, p, cx);
        }
        let start = match low {
            Some((bound, equal)) => {
                self.first(bound, p, |order| if equal { order.is_lt() } else { order.is_le() })
            }
            None => Some(0),
        };
        let end = match high {
            Some((bound, equal)) => {
                self.first(bound, p, |order| if equal { order.is_le() } else { order.is_lt() })
            }
            None => Some(self.len),
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
        cx: &Context<'s>,
    ) -> Result<Matches, ExecError> {
        let Value::String(text) = bound.value(p, &|_| Value::Null) else { return Ok(Matches::Range(0, 0)) };
        let passes = |key: &str| match kind {
            BandKind::BeginsWith => key.starts_with(&*text),
            _ => text.starts_with(key),
        };
        match &self.keys.values {
            Values::String(keys) if kind == BandKind::BeginsWith => {
                let start = self.partition_point(|i| keys.get(i) < &*text);
                let end = self.partition_point(|i| keys.get(i) < &*text || passes(keys.get(i)));
                Ok(Matches::Range(start, end))
            }
            Values::String(keys) => {
                let mut found = Vec::new();
                // A key that begins another comes before it.
                for beginning in self.lengths.iter().map_while(|length| text.as_bytes().get(..*length)) {
                    let start = self.partition_point(|i| keys.get(i).as_bytes() < beginning);
                    let equal = |i: &usize| keys.get(*i).as_bytes() == beginning;
                    found.extend((start..self.len).take_while(equal).map(|i| i as u32));
                }
                Ok(Matches::Listed(found, 0))
            }
            Values::Any(keys) => {
                let mut found = Vec::new();
                for (i, key) in keys.iter().enumerate().take(self.len) {
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

    /// The first key that is not `before` the bound; `None` where they do not compare.
    fn first(&self, bound: &Vector<'_>, p: usize, before: impl Fn(Ordering) -> bool) -> Option<usize> {
        Some(match (&self.keys.values, &bound.values) {
            (Values::Int(k), Values::Int(b))
            | (Values::LocalTime(k), Values::LocalTime(b))
            | (Values::LocalDateTime(k), Values::LocalDateTime(b))
            | (Values::DateTime(k), Values::DateTime(b)) => k.partition_point(|k| before(k.cmp(&b[p]))),
            (Values::Date(k), Values::Date(b)) => k.partition_point(|k| before(k.cmp(&b[p]))),
            (Values::String(k), Values::String(b)) => {
                let b = b.get(p);
                self.partition_point(|i| before(k.get(i).cmp(b)))
            }
            _ => {
                let none = |_| Value::Null;
                let bound = bound.value(p, &none);
                compare(&self.keys.value(0, &none), &bound)?;
                self.partition_point(|i| compare(&self.keys.value(i, &none), &bound).is_some_and(&before))
            }
        })
    }

    /// The first row for which `before` does not hold; it holds for no row after that.
    fn partition_point(&self, before: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len);
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

    /// Asks each key.
    fn looked_through(
        &self,
        low: Option<(&Vector<'_>, bool)>,
        high: Option<(&Vector<'_>, bool)>,
        p: usize,
        cx: &Context<'s>,
    ) -> Result<Matches, ExecError> {
        let none = |_| Value::Null;
        let value = |bound: Option<(&Vector<'_>, bool)>| bound.map(|(v, equal)| (v.value(p, &none), equal));
        let (low, high) = (value(low), value(high));
        let mut found = Vec::new();
        for i in 0..self.len {
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
