//! Sort and top-k: keeps rows with their keys, orders them by openCypher's orderability; on one thread equal
//! keys stay in the order they came. Runs its child on all cores when it can have twins: each worker keeps
//! its own rows, which are sorted together at the end.
//!
//! With a limit of k, rows are cut to the best k whenever 2k + a vector have gathered. From then on rows
//! whose first key comes after the k-th best's are left out as they come.

mod order;

use std::cmp::Ordering;
use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::{Chunk, Values, Vector};

use crate::expr::{Count, Ex, evaluate};
use crate::operator::{BoxOperator, Operator, Pipeline};
use crate::parallel::on_threads;
use crate::rows::Rows;
use crate::{Context, ExecError};
pub(super) use order::ordered;

/// What is sorted by, and the slots that are kept.
#[derive(Debug)]
pub(crate) struct SortSpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    /// Keys over the input's one group, and whether larger comes first.
    pub(crate) keys: Vec<(Ex, bool)>,
    /// Only the first rows are wanted: so many, once bound.
    pub(crate) limit: Option<Count>,
}

impl SortSpec {
    fn limit(&self) -> Option<u64> {
        self.limit.as_ref().map(Count::rows)
    }
}

/// Sort over rows of one group.
pub(crate) struct Sort<'s> {
    child: Pipeline<'s>,
    spec: Arc<SortSpec>,
    /// All rows, when they have been gathered.
    part: Option<Part<'s>>,
    order: Vec<u32>,
    cursor: Option<usize>,
}

impl<'s> Sort<'s> {
    pub(crate) fn new(child: Pipeline<'s>, spec: Arc<SortSpec>) -> Self {
        Self { child, spec, part: None, order: Vec::new(), cursor: None }
    }

    fn gather(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let (spec, keep) = (&self.spec, &self.spec.keep);
        if spec.limit() == Some(0) {
            return Ok(());
        }
        let parts = on_threads(&mut self.child, cx.settings.threads, cx, |child, cx| {
            let mut part = Part::new(keep.len() + spec.keys.len(), cx);
            match part.gather(child, spec, cx) {
                Ok(()) => Ok(part),
                Err(error) => {
                    cx.leave(part);
                    Err(error)
                }
            }
        })?;
        let mut parts = parts.into_iter();
        let Some(mut first) = parts.next() else { return Ok(()) };
        for other in parts {
            let columns: Vec<&Vector<'s>> = other.rows.columns.iter().collect();
            let positions: Vec<u32> = (0..u32::try_from(other.rows.len()).unwrap_or(u32::MAX)).collect();
            first.held.grow(first.rows.growth_bytes(positions.len()))?;
            first.rows.extend(&columns, &positions, other.rows.multiplicity.iter().copied(), cx);
            first.held.resize(first.rows.bytes())?;
        }
        let order = first.sorted(keep.len(), spec, cx);
        self.part = Some(first);
        self.order = order?;
        Ok(())
    }
}

/// What one worker keeps.
struct Part<'s> {
    rows: Rows<'s>,
    held: trimorph_base::Reservation,
    /// The row that rows must not come after: the last of the best k, when they were last cut.
    bound: Option<usize>,
}

impl<'s> Part<'s> {
    fn new(columns: usize, cx: &Context<'s>) -> Self {
        Self { rows: Rows::new(columns), held: cx.settings.budget.reservation(), bound: None }
    }

    fn gather(
        &mut self,
        child: &mut BoxOperator<'s>,
        spec: &SortSpec,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let (mut inner, keep) = (Chunk::with_slots(&[spec.slots]), &spec.keep);
        let limit = spec.limit().map(|l| usize::try_from(l).unwrap_or(usize::MAX));
        while child.next(&mut inner, cx)? {
            cx.check()?;
            let group = &inner.groups[0];
            let keys = (spec.keys.iter())
                .map(|(ex, _)| Ok(evaluate(ex, &inner, 0, cx)?.into_vector(group.len)))
                .collect::<Result<Vec<Vector<'s>>, ExecError>>()?;
            let columns: Vec<&Vector<'s>> = keep.iter().map(|k| &group.vectors[*k]).chain(&keys).collect();
            let mut positions = group.positions();
            if let (Some(bound), Some(key), Some((_, descending))) =
                (self.bound, keys.first(), spec.keys.first())
            {
                self.leave_out(&mut positions, key, keep.len(), bound, *descending);
            }
            let multiplicity = positions.iter().map(|p| group.multiplicity_at(*p as usize));
            self.held.grow(self.rows.growth_bytes(positions.len()))?;
            self.rows.extend(&columns, &positions, multiplicity, cx);
            self.held.resize(self.rows.bytes())?;
            if let Some(limit) = limit
                && self.rows.len() > limit.saturating_mul(2).saturating_add(cx.settings.vector_size)
            {
                self.cut(keep.len(), spec, cx)?;
            }
        }
        Ok(())
    }

    /// Leaves out positions whose first key comes after that of row `bound`. Keys of different types are
    /// told apart by sorting.
    fn leave_out(
        &self,
        positions: &mut Vec<u32>,
        key: &Vector<'s>,
        column: usize,
        bound: usize,
        descending: bool,
    ) {
        let kept = &self.rows.columns[column];
        let keeps = |order: Ordering| if descending { order.is_ge() } else { order.is_le() };
        if kept.is_null(bound) {
            // Nulls come first where the order descends, and else last.
            if descending {
                positions.retain(|p| key.is_null(*p as usize));
            }
            return;
        }
        macro_rules! compare {
            ($of:expr) => {
                positions.retain(|p| {
                    let p = *p as usize;
                    if key.nulls.get(p) { descending } else { keeps($of(p)) }
                })
            };
        }
        match (&key.values, &kept.values) {
            (Values::Int(v), Values::Int(k))
            | (Values::LocalTime(v), Values::LocalTime(k))
            | (Values::LocalDateTime(v), Values::LocalDateTime(k))
            | (Values::DateTime(v), Values::DateTime(k)) => {
                let k = k[bound];
                compare!(|p: usize| v[p].cmp(&k));
            }
            (Values::Date(v), Values::Date(k)) => {
                let k = k[bound];
                compare!(|p: usize| v[p].cmp(&k));
            }
            (Values::Float(v), Values::Float(k)) => {
                let k = Value::Float(k[bound]);
                compare!(|p: usize| trimorph_types::order(&Value::Float(v[p]), &k));
            }
            (Values::String(v), Values::String(k)) => {
                let k = k.get(bound);
                compare!(|p: usize| v.get(p).cmp(k));
            }
            _ => {}
        }
    }

    /// The best rows, as many as are wanted, in order.
    fn sorted(&mut self, kept: usize, spec: &SortSpec, cx: &Context<'s>) -> Result<Vec<u32>, ExecError> {
        let columns = self.rows.columns[kept..].iter();
        let keys: Vec<_> =
            columns.zip(&spec.keys).map(|(column, (_, descending))| (column, *descending)).collect();
        // The order with prefixes, and the place it is merged in.
        self.held.grow(self.rows.len() * 2 * size_of::<(u64, u32)>())?;
        let limit = spec.limit().map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        ordered(&keys, self.rows.len(), limit, || cx.check())
    }

    /// Keeps the best rows, in the order they came, so that the final order stays stable.
    fn cut(&mut self, kept: usize, spec: &SortSpec, cx: &Context<'s>) -> Result<(), ExecError> {
        let mut best = self.sorted(kept, spec, cx)?;
        let last = best.last().copied();
        best.sort_unstable();
        self.bound = last.and_then(|row| best.binary_search(&row).ok());
        self.rows.keep(&best);
        self.held.resize(self.rows.bytes())?;
        Ok(())
    }
}

impl<'s> Operator<'s> for Sort<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.cursor.is_none() {
            self.gather(cx)?;
            self.cursor = Some(0);
        }
        cx.check()?;
        let Some(Part { rows, .. }) = &self.part else { return Ok(false) };
        let start = self.cursor.unwrap_or(0);
        let end = self.order.len().min(start + cx.settings.vector_size);
        if start == end {
            return Ok(false);
        }
        self.cursor = Some(end);
        let positions = &self.order[start..end];
        let out = &mut chunk.groups[0];
        out.reset(positions.len());
        for slot in 0..self.spec.keep.len() {
            out.vectors[slot] = rows.columns[slot].gather(positions);
        }
        let multiplicity: Vec<u64> = positions.iter().map(|p| rows.multiplicity[*p as usize]).collect();
        out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.part = None;
        self.order.clear();
        self.cursor = None;
    }
}
