//! Sort and top-k: keeps rows with their keys, orders them by openCypher's orderability; equal keys stay in the order they came.
//! With a limit of k, rows are cut to the best k whenever 2k + a vector have gathered.

use std::cmp::Ordering;
use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::{Chunk, Values, Vector};

use crate::expr::{Ex, evaluate};
use crate::operator::{BoxOperator, Operator};
use crate::rows::Rows;
use crate::{Context, ExecError};

/// What is sorted by.
pub(crate) struct SortSpec {
    /// Keys over the input's one group, and whether larger comes first.
    pub(crate) keys: Vec<(Ex, bool)>,
    /// Only the first rows are wanted.
    pub(crate) limit: Option<u64>,
}

/// Sort over rows of one group.
pub(crate) struct Sort<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    slots: usize,
    keep: Arc<[usize]>,
    spec: Arc<SortSpec>,
    rows: Rows<'s>,
    order: Vec<u32>,
    cursor: Option<usize>,
    held: Option<trimorph_base::Reservation>,
}

impl<'s> Sort<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, slots: usize, keep: Arc<[usize]>, spec: Arc<SortSpec>) -> Self {
        let rows = Rows::new(keep.len() + spec.keys.len());
        let inner = Chunk::with_slots(&[slots]);
        Self { child, inner, slots, keep, spec, rows, order: Vec::new(), cursor: None, held: None }
    }

    fn gather(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let limit = self.spec.limit.map(|l| usize::try_from(l).unwrap_or(usize::MAX));
        while limit != Some(0) && self.child.next(&mut self.inner, cx)? {
            cx.check()?;
            let group = &self.inner.groups[0];
            let keys = (self.spec.keys.iter())
                .map(|(ex, _)| Ok(evaluate(ex, &self.inner, 0, cx)?.into_vector(group.len)))
                .collect::<Result<Vec<Vector<'s>>, ExecError>>()?;
            let columns: Vec<&Vector<'s>> =
                self.keep.iter().map(|k| &group.vectors[*k]).chain(&keys).collect();
            let positions = group.positions();
            let multiplicity = positions.iter().map(|p| group.multiplicity_at(*p as usize));
            self.rows.extend(&columns, &positions, multiplicity, cx);
            self.held.get_or_insert_with(|| cx.settings.budget.reservation()).resize(self.rows.bytes())?;
            if let Some(limit) = limit
                && self.rows.len() > limit.saturating_mul(2).saturating_add(cx.settings.vector_size)
            {
                self.cut(limit);
            }
        }
        self.order = self.sorted();
        if let Some(limit) = limit {
            self.order.truncate(limit);
        }
        Ok(())
    }

    fn sorted(&self) -> Vec<u32> {
        let keys = &self.rows.columns[self.keep.len()..];
        let mut order: Vec<u32> = (0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX)).collect();
        order.sort_by(|a, b| {
            for (vector, (_, descending)) in keys.iter().zip(&self.spec.keys) {
                let by_key = order_in(vector, *a as usize, *b as usize);
                let by_key = if *descending { by_key.reverse() } else { by_key };
                if by_key.is_ne() {
                    return by_key;
                }
            }
            Ordering::Equal
        });
        order
    }

    /// Keeps the best rows, in the order they came, so that the final order stays stable.
    fn cut(&mut self, limit: usize) {
        let mut best = self.sorted();
        best.truncate(limit);
        best.sort_unstable();
        let columns = self.rows.columns.iter().map(|c| c.gather(&best)).collect();
        let multiplicity = best.iter().map(|p| self.rows.multiplicity[*p as usize]).collect();
        self.rows = Rows { columns, multiplicity };
    }
}

/// Orders two values of one vector: nulls last.
fn order_in(vector: &Vector<'_>, a: usize, b: usize) -> Ordering {
    match (vector.is_null(a), vector.is_null(b)) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    match &vector.values {
        Values::Bool(v) => v[a].cmp(&v[b]),
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
            v[a].cmp(&v[b])
        }
        Values::Date(v) => v[a].cmp(&v[b]),
        Values::String(v) => v[a].as_str().cmp(v[b].as_str()),
        Values::Node(v) => v.id(a).cmp(&v.id(b)),
        Values::Edge(v) => v.id(a).cmp(&v.id(b)),
        Values::Float(v) => trimorph_types::order(&Value::Float(v[a]), &Value::Float(v[b])),
        Values::Any(v) => trimorph_types::order(&v[a], &v[b]),
    }
}

impl<'s> Operator<'s> for Sort<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.cursor.is_none() {
            self.gather(cx)?;
            self.cursor = Some(0);
        }
        cx.check()?;
        let start = self.cursor.unwrap_or(0);
        let end = self.order.len().min(start + cx.settings.vector_size);
        if start == end {
            return Ok(false);
        }
        self.cursor = Some(end);
        let positions = &self.order[start..end];
        let out = &mut chunk.groups[0];
        out.reset(positions.len());
        for slot in 0..self.keep.len() {
            out.vectors[slot] = self.rows.columns[slot].gather(positions);
        }
        let multiplicity: Vec<u64> = positions.iter().map(|p| self.rows.multiplicity[*p as usize]).collect();
        out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rows = Rows::new(self.keep.len() + self.spec.keys.len());
        self.order.clear();
        self.cursor = None;
        self.held = None;
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(self.child.fork(), self.slots, Arc::clone(&self.keep), Arc::clone(&self.spec)))
    }
}
