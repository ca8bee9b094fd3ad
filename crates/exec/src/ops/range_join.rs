//! Range join: the build side's rows are kept in the order of one key; for each probe row a binary search for
//! each bound gives the rows between them. The build side is built once, by whichever twin asks first.
//!
//! Where nothing of the build side is wanted, a range is a difference of two sums: it is counted, not
//! enumerated. Where keys are of several types, which do not compare, each row is looked at.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use trimorph_types::{Value, compare};
use trimorph_vector::{Chunk, Values, Vector};

use super::sort::ordered;
use crate::keys::POSITIONS_UNCHECKED;
use crate::operator::{BoxOperator, Operator};
use crate::rows::{MANY, Rows};
use crate::{Context, ExecError};

/// Slots of both sides. Output slots: `probe_keep`, then `build_keep`.
#[derive(Debug)]
pub(crate) struct RangeJoinSpec {
    pub(crate) probe_slots: usize,
    pub(crate) build_slots: usize,
    /// Of the build side.
    pub(crate) key: usize,
    /// Of the probe side: what the key must not be below, and whether it may be equal.
    pub(crate) low: Option<(usize, bool)>,
    pub(crate) high: Option<(usize, bool)>,
    pub(crate) probe_keep: Vec<usize>,
    pub(crate) build_keep: Vec<usize>,
    /// The build side does not depend on the rows of an apply around.
    pub(crate) constant: bool,
}

/// The finished build side: rows in the order of their keys.
struct Sorted<'s> {
    rows: Rows<'s>,
    keys: Vector<'s>,
    len: usize,
    /// What the rows before each stand for, and all of them; past 64 bits, [`MANY`].
    before: Vec<u64>,
    _held: trimorph_base::Reservation,
}

/// The build side, built by whichever twin asks first.
#[derive(Clone, Default)]
pub(crate) struct SortedSide<'s>(Arc<OnceLock<Result<Sorted<'s>, ExecError>>>);

/// Range join over rows of one group on both sides.
pub(crate) struct RangeJoin<'s> {
    probe: BoxOperator<'s>,
    build: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<RangeJoinSpec>,
    sorted: SortedSide<'s>,
    rest: Vec<u32>,
    cursor: usize,
    /// What is left of the matches of the row at the cursor.
    left: Option<Matches>,
}

/// Build rows that match a probe row.
enum Matches {
    Range(usize, usize),
    Listed(Vec<u32>, usize),
}

impl Matches {
    /// Takes up to `most` rows, appends them.
    fn take(&mut self, most: usize, out: &mut Vec<u32>) {
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

    fn is_empty(&self) -> bool {
        match self {
            Self::Range(start, end) => start >= end,
            Self::Listed(rows, at) => *at == rows.len(),
        }
    }
}

impl<'s> Sorted<'s> {
    fn build(build: &mut BoxOperator<'s>, spec: &RangeJoinSpec, cx: &Context<'s>) -> Result<Self, ExecError> {
        let mut chunk = Chunk::with_slots(&[spec.build_slots]);
        let mut rows = Rows::new(spec.build_keep.len() + 1);
        let mut held = cx.settings.budget.reservation();
        while build.next(&mut chunk, cx)? {
            cx.check()?;
            let group = &chunk.groups[0];
            let key = &group.vectors[spec.key];
            let mut positions = group.positions();
            positions.retain(|p| is_comparable(key, *p as usize));
            let kept = spec.build_keep.iter().map(|slot| &group.vectors[*slot]);
            let columns: Vec<&Vector<'s>> = kept.chain([key]).collect();
            held.grow(rows.growth_bytes(positions.len()))?;
            let multiplicity = positions.iter().map(|p| group.multiplicity_at(*p as usize));
            rows.extend(&columns, &positions, multiplicity, cx);
            held.resize(rows.bytes())?;
        }
        let Some(key) = rows.columns.last() else { return Err(no_key()) };
        // The order with prefixes, the place it is merged in, and the rows in their new places.
        held.grow(rows.len() * 2 * size_of::<(u64, u32)>() + rows.bytes())?;
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
        held.resize(rows.bytes() + crate::rows::cell_bytes(&keys) + before.capacity() * size_of::<u64>())?;
        Ok(Self { len: rows.len(), rows, keys, before, _held: held })
    }

    /// The build rows whose keys are within the bounds at position `p`.
    fn matches(
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
    fn tuples(&self, matches: &Matches) -> u64 {
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
fn is_comparable(vector: &Vector<'_>, i: usize) -> bool {
    if vector.is_null(i) {
        return false;
    }
    match &vector.values {
        Values::Float(v) => !v[i].is_nan(),
        Values::Any(v) => !matches!(v[i], Value::Float(f) if f.is_nan()),
        _ => true,
    }
}

impl<'s> RangeJoin<'s> {
    pub(crate) fn new(
        probe: BoxOperator<'s>,
        build: BoxOperator<'s>,
        spec: Arc<RangeJoinSpec>,
        sorted: SortedSide<'s>,
    ) -> Self {
        let inner = Chunk::with_slots(&[spec.probe_slots]);
        Self { probe, build, inner, spec, sorted, rest: Vec::new(), cursor: 0, left: None }
    }
}

impl<'s> Operator<'s> for RangeJoin<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (sorted, build, spec) = (&self.sorted, &mut self.build, &self.spec);
        let sorted = match cx.settings.workers.once(&sorted.0, || Sorted::build(build, spec, cx)) {
            Ok(sorted) => sorted,
            Err(e) => return Err(e.clone()),
        };
        if sorted.len == 0 {
            return Ok(false);
        }
        let room = cx.settings.vector_size;
        loop {
            cx.check()?;
            if self.cursor >= self.rest.len() {
                if !self.probe.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                (self.cursor, self.left) = (0, None);
            }
            let group = &self.inner.groups[0];
            let (mut parents, mut matches) = (Vec::new(), Vec::new());
            let mut multiplicity: Vec<u64> = Vec::new();
            while let Some(p) = self.rest.get(self.cursor).copied().filter(|_| parents.len() < room) {
                let own = group.multiplicity_at(p as usize);
                let mut found = match self.left.take() {
                    Some(left) => left,
                    None => sorted.matches(spec, &group.vectors, p as usize, cx)?,
                };
                if spec.build_keep.is_empty() {
                    let tuples = sorted.tuples(&found);
                    if tuples > 0 {
                        parents.push(p);
                        multiplicity.push(own.saturating_mul(tuples));
                    }
                    self.cursor += 1;
                    continue;
                }
                let first = matches.len();
                found.take(room - first, &mut matches);
                parents.resize(matches.len(), p);
                let rows = matches[first..].iter();
                multiplicity
                    .extend(rows.map(|row| own.saturating_mul(sorted.rows.multiplicity[*row as usize])));
                if found.is_empty() {
                    self.cursor += 1;
                } else {
                    self.left = Some(found);
                }
            }
            if parents.is_empty() {
                continue;
            }
            let out = &mut chunk.groups[0];
            out.reset(parents.len());
            out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
            for (slot, from) in spec.probe_keep.iter().enumerate() {
                out.vectors[slot] = group.vectors[*from].gather(&parents);
            }
            for (slot, column) in sorted.rows.columns.iter().enumerate() {
                out.vectors[spec.probe_keep.len() + slot] = column.gather(&matches);
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.probe.reset();
        if !self.spec.constant {
            self.build.reset();
            self.sorted = SortedSide::default();
        }
        self.rest.clear();
        (self.cursor, self.left) = (0, None);
    }
}
