//! Sort and top-k: keeps rows with their keys, orders them by openCypher's orderability; equal keys stay in
//! the order in which one thread finds them. Runs its child on all cores when it can have twins: each worker
//! keeps its own rows, which are sorted together at the end.
//!
//! Where rows may come in another order (several workers, a scan that is led), each keeps the part it is of:
//! the morsel or share, which one worker finds in order. What is found by value indexes has no parts.
//!
//! With a limit of k, rows are cut to the best k whenever somewhat more than 2k have gathered, or somewhat
//! more than k where they lead a scan. From then on rows whose first key comes after the k-th best's are left
//! out as they come, as are those of the same first key whose second comes after it, and so on to those of
//! the same keys that come later; a scan that the top-k leads leaves out what has only such rows: zones, or,
//! by value indexes, all that are left.
//!
//! Where only the first rows of each group are looked at, most others are left out as they come
//! (`group_limit`); where no others may come, the rest is left out of the sorted rows (`group_first`).
//!
//! Where memory is short, a worker writes what it has as a sorted run, and goes on; runs are merged as rows
//! are asked for (`runs`).

mod group_first;
mod group_limit;
mod order;
mod prefix;
mod runs;
mod texts;

use std::cmp::Ordering;
use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::order::typed;
use trimorph_vector::{Chunk, Selection, Values, Vector};

use super::scan::{ScanRows, TopBound};
use crate::expr::{Count, Ex, evaluate};
use crate::operator::{BoxOperator, Operator, Pipeline};
use crate::parallel::on_threads;
use crate::rows::Rows;
use crate::spill::spare_bytes;
use crate::{Context, ExecError};
use group_first::GroupFirst;
use group_limit::GroupLimit;
pub(crate) use group_limit::GroupLimitSpec;
use order::best;
pub(super) use order::{ordered, ordered_from};
use prefix::Prefixed;
use runs::{Keys, Merge, Runs};

/// Rows beyond twice the limit that are kept before the best of them are looked for, where they lead no scan.
const ROWS_UNCUT: usize = 128;
/// Where fewer than one row in so many has the first keys of the bound, further keys are not compared with
/// its.
const TIED_PART: usize = 8;
/// Limits up to which a top-k that leads a scan is cut often: above, cutting takes what it saves.
const ROWS_CUT_OFTEN: usize = 4_096;

/// What is sorted by, and the slots that are kept.
#[derive(Debug)]
pub(crate) struct SortSpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    /// Keys over the input's one group, and whether larger comes first.
    pub(crate) keys: Vec<(Ex, bool)>,
    /// Only the first rows are wanted: so many, once bound.
    pub(crate) limit: Option<Count>,
    /// The number of the scan whose nodes have the first key as a property, and that property: such a top-k
    /// says which rows are worth scanning.
    pub(crate) leads: Option<(usize, Arc<str>)>,
    /// Only the first rows of each group are looked at.
    pub(crate) of_group: Option<GroupLimitSpec>,
}

impl SortSpec {
    fn limit(&self) -> Option<u64> {
        self.limit.as_ref().map(Count::rows)
    }

    /// The same as a number of rows in memory, where all fit that.
    fn most_rows(&self) -> usize {
        self.limit().map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
    }
}

/// Bytes that sorting takes for a row: its place with the prefix of its key, the place it is merged in, and
/// whether its text is another one than the text before.
const ORDER_BYTES: usize = 2 * size_of::<Prefixed>() + size_of::<bool>();

/// Sort over rows of one group.
pub(crate) struct Sort<'s> {
    child: Pipeline<'s>,
    spec: Arc<SortSpec>,
    /// The scan that it leads, and how far it is.
    scan: Option<Arc<ScanRows>>,
    bound: Option<Arc<TopBound>>,
    /// All rows, when they have been gathered.
    part: Option<Part<'s>>,
    order: Vec<u32>,
    /// All rows, where they are in files.
    merge: Option<Merge<'s>>,
    /// What leaves out sorted rows behind the first of their group.
    only: Option<GroupFirst<'s>>,
    cursor: Option<usize>,
}

impl<'s> Sort<'s> {
    pub(crate) fn new(child: Pipeline<'s>, spec: Arc<SortSpec>, scan: Option<Arc<ScanRows>>) -> Self {
        let (bound, part, order, merge, only) = (None, None, Vec::new(), None, None);
        Self { child, spec, scan, bound, part, order, merge, only, cursor: None }
    }

    fn gather(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let spec = &self.spec;
        if spec.limit() == Some(0) {
            return Ok(());
        }
        self.only = spec.of_group.as_ref().and_then(GroupFirst::new);
        if let (Some(scan), Some((_, property)), Some((_, descending)), None) =
            (&self.scan, &spec.leads, spec.keys.first(), &self.bound)
        {
            let wanted = spec.limit().unwrap_or(u64::MAX);
            self.bound = scan.lead(property, *descending, wanted, cx.snapshot, &cx.reader);
        }
        let is_shared = self.child.twin.is_some() && cx.settings.threads > 1;
        let source = self.child.source.filter(|_| is_shared || self.bound.is_some());
        let layout = Layout::new(spec, source.is_some());
        let bound = &self.bound;
        let parts = on_threads(&mut self.child, cx.settings.threads, cx, |child, cx| {
            let mut part = Part::new(layout, bound.clone(), spec, cx);
            let before = cx.keep_order(source);
            let gathered = part.gather(child, spec, cx);
            cx.restore_order(before);
            match gathered {
                Ok(()) => Ok(part),
                Err(error) => {
                    cx.leave(part);
                    Err(error)
                }
            }
        })?;
        if parts.iter().any(|part| !part.runs.runs.is_empty()) {
            return self.merge(parts, cx);
        }
        let mut parts = parts.into_iter();
        let Some(mut first) = parts.next() else { return Ok(()) };
        while let Some(other) = parts.next() {
            if let Err(over) = first.held.grow(first.growth_bytes(other.rows.len(), cx)) {
                cx.settings.spill.as_ref().ok_or(over)?;
                return self.merge([first, other].into_iter().chain(parts).collect(), cx);
            }
            let columns: Vec<&Vector<'s>> = other.rows.columns.iter().collect();
            let positions: Vec<u32> = (0..u32::try_from(other.rows.len()).unwrap_or(u32::MAX)).collect();
            first.rows.extend(&columns, &positions, other.rows.multiplicity.iter().copied(), cx);
            first.held.resize(first.bytes(cx))?;
        }
        let mut order = first.sorted(spec, cx)?;
        if let Some(mut only) = self.only.take() {
            let (rows, kept) = (&mut first.rows, first.layout.kept);
            order = only.of(&rows.columns[kept..], &order, &mut rows.multiplicity, cx)?;
        }
        (self.part, self.order) = (Some(first), order);
        Ok(())
    }

    /// Writes what workers still have in memory, and merges all their runs.
    fn merge(&mut self, mut parts: Vec<Part<'s>>, cx: &Context<'s>) -> Result<(), ExecError> {
        for part in &mut parts {
            part.spill(&self.spec, cx)?;
        }
        let with_parts = parts.first().is_some_and(|part| part.layout.has_parts);
        let runs = parts.into_iter().flat_map(|part| part.runs.runs).collect();
        let descending = self.spec.keys.iter().map(|(_, d)| *d).chain(with_parts.then_some(false));
        let keys = Keys { first: self.spec.keep.len(), descending: descending.collect() };
        self.merge = Some(Merge::new(runs, keys, self.spec.most_rows(), cx)?);
        Ok(())
    }
}

/// The columns of rows: what is kept, the keys, and the part that a row is of, where rows have parts.
#[derive(Clone, Copy)]
struct Layout {
    kept: usize,
    keys: usize,
    has_parts: bool,
}

impl Layout {
    fn new(spec: &SortSpec, has_parts: bool) -> Self {
        Self { kept: spec.keep.len(), keys: spec.keys.len(), has_parts }
    }
}

/// What one worker keeps.
struct Part<'s> {
    layout: Layout,
    rows: Rows<'s>,
    held: trimorph_base::Reservation,
    /// The row that rows must not come after: the last of the best k, when they were last cut.
    bound: Option<usize>,
    /// What the scan that is led by all workers goes by.
    top: Option<Arc<TopBound>>,
    /// Rows that memory had no room for.
    runs: Runs,
    /// What leaves out rows behind the first of their group, while it pays.
    of_group: Option<GroupLimit<'s>>,
}

impl<'s> Part<'s> {
    fn new(layout: Layout, top: Option<Arc<TopBound>>, spec: &SortSpec, cx: &Context<'s>) -> Self {
        let held = cx.settings.budget.reservation();
        let columns = layout.kept + layout.keys + usize::from(layout.has_parts);
        let of_group = spec.of_group.as_ref().map(|limit| GroupLimit::new(limit, cx));
        Self { layout, rows: Rows::new(columns), held, bound: None, top, runs: Runs::new(), of_group }
    }

    /// Bytes held: where rows may have to be written, also what sorting them will take.
    fn bytes(&self, cx: &Context<'s>) -> usize {
        let order = if cx.settings.spill.is_some() { self.rows.len() * ORDER_BYTES } else { 0 };
        self.rows.bytes() + order
    }

    /// Bytes that more rows take before they can come.
    fn growth_bytes(&self, more: usize, cx: &Context<'s>) -> usize {
        let order = if cx.settings.spill.is_some() { more * ORDER_BYTES } else { 0 };
        self.rows.growth_bytes(more) + order
    }

    /// Makes room for more rows: where there is none, those that are there go to a file.
    fn make_room(&mut self, more: usize, spec: &SortSpec, cx: &Context<'s>) -> Result<(), ExecError> {
        let growth = self.growth_bytes(more, cx);
        if cx.settings.spill.is_none() {
            return Ok(self.held.grow(growth)?);
        }
        let spare = spare_bytes(self.held.bytes() + growth, cx);
        if self.held.grow_leaving(growth, spare).is_err() && self.rows.len() > 0 {
            self.spill(spec, cx)?;
            // Of one chunk there are rows in memory in any case.
            let _ = self.held.grow(self.growth_bytes(more, cx));
        }
        Ok(())
    }

    /// Rows beyond the limit that are kept before the best are looked for. Where they lead a scan, a bound
    /// that is found early, and comes closer often, saves what is asked of rows there.
    fn rows_uncut(&self, limit: usize) -> usize {
        match (&self.top, self.bound) {
            (Some(_), None) if limit <= ROWS_CUT_OFTEN => 0,
            (Some(_), Some(_)) if limit <= ROWS_CUT_OFTEN => limit / 4,
            _ => limit.saturating_add(ROWS_UNCUT),
        }
    }

    /// Writes all rows as a run.
    fn spill(&mut self, spec: &SortSpec, cx: &Context<'s>) -> Result<(), ExecError> {
        if self.rows.len() > 0 {
            let order = self.ordered(spec, cx)?;
            let columns: Vec<&Vector<'s>> = self.rows.columns.iter().collect();
            self.runs.write(&columns, &order, &|i| self.rows.multiplicity[i], cx)?;
        }
        self.rows = Rows::new(self.rows.columns.len());
        self.bound = None;
        if let Some(of_group) = &mut self.of_group {
            of_group.forget_rows();
        }
        Ok(self.held.resize(0)?)
    }

    fn keys<'a>(&'a self, spec: &SortSpec) -> Vec<(&'a Vector<'s>, bool)> {
        let columns = self.rows.columns[self.layout.kept..].iter();
        columns.zip(&spec.keys).map(|(column, (_, descending))| (column, *descending)).collect()
    }

    /// The best rows, as many as are wanted, in order; equal ones by their parts.
    fn ordered(&self, spec: &SortSpec, cx: &Context<'s>) -> Result<Vec<u32>, ExecError> {
        let by_parts = self.by_parts();
        ordered_from(by_parts.as_deref(), &self.keys(spec), self.rows.len(), spec.most_rows(), cx)
    }

    /// The rows by their parts, where that is not how they came.
    fn by_parts(&self) -> Option<Vec<u32>> {
        let parts = self.rows.columns.get(self.layout.kept + self.layout.keys);
        match parts.map(|parts| &parts.values) {
            Some(Values::Int(parts)) if !parts.is_sorted() => {
                let mut rows: Vec<u32> = (0..u32::try_from(parts.len()).unwrap_or(u32::MAX)).collect();
                rows.sort_by_key(|row| parts[*row as usize]);
                Some(rows)
            }
            _ => None,
        }
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
            let mut keys = Vec::with_capacity(spec.keys.len());
            let mut positions = inner.groups[0].positions();
            // Those whose keys so far are the bound's.
            let mut tied = Vec::new();
            for (k, (ex, descending)) in spec.keys.iter().enumerate() {
                let key = evaluate(ex, &inner, 0, cx)?.into_vector(inner.groups[0].len);
                if let Some(bound) = self.bound
                    && (k == 0 || !tied.is_empty())
                {
                    if k == 0 {
                        self.leave_out(&mut positions, (&key, k), bound, *descending);
                        tied.clone_from(&positions);
                    } else {
                        let mut left = tied.clone();
                        self.leave_out(&mut left, (&key, k), bound, *descending);
                        remove_between(&mut positions, &tied, &left);
                        tied = left;
                    }
                    tied.retain(|p| self.is_bounds(*p, (&key, k), bound));
                    if k + 1 == spec.keys.len() && self.comes_after(bound, cx) {
                        remove_between(&mut positions, &tied, &[]);
                    } else if tied.len() * TIED_PART < positions.len() {
                        tied.clear();
                    }
                    // Others are computed for what is left.
                    if inner.groups[0].flat.is_none() {
                        inner.groups[0].selection = Selection::List(positions.clone());
                    }
                }
                if let (Some(limit), Some(of_group)) = (&spec.of_group, &mut self.of_group)
                    && k == limit.key
                    && let by = (&key, *descending, k + 1 == spec.keys.len())
                    && !of_group.leave_out(&mut positions, &mut inner, by, limit, cx)?
                {
                    self.of_group = None;
                }
                keys.push(key);
            }
            if positions.is_empty() {
                continue;
            }
            let group = &inner.groups[0];
            if self.layout.has_parts {
                keys.push(Vector::new(Values::Int(vec![cx.part().cast_signed(); group.len])));
            }
            let columns: Vec<&Vector<'s>> = keep.iter().map(|k| &group.vectors[*k]).chain(&keys).collect();
            let multiplicity = positions.iter().map(|p| group.multiplicity_at(*p as usize));
            self.make_room(positions.len(), spec, cx)?;
            self.rows.extend(&columns, &positions, multiplicity, cx);
            if let Some(of_group) = &mut self.of_group {
                of_group.keep_coming();
            }
            if let Err(over) = self.held.resize(self.bytes(cx)) {
                cx.settings.spill.as_ref().ok_or(over)?;
                self.spill(spec, cx)?;
            }
            if self.of_group.as_ref().is_some_and(GroupLimit::wants_cut) {
                self.cut_groups(cx)?;
            }
            if let Some(limit) = limit
                && self.rows.len() > limit.saturating_add(self.rows_uncut(limit))
            {
                self.cut(spec, cx)?;
            }
        }
        self.cut_groups(cx)
    }

    /// Leaves out rows behind the first of their groups.
    fn cut_groups(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let Some(of_group) = &mut self.of_group else { return Ok(()) };
        let (rows, pays) = of_group.cut();
        if rows.len() < self.rows.len() {
            self.rows.keep(&rows);
            self.held.resize(self.bytes(cx))?;
        }
        if !pays {
            self.of_group = None;
        }
        Ok(())
    }

    /// Whether the value of the `k`th key is that of row `bound`.
    fn is_bounds(&self, p: u32, (key, k): (&Vector<'s>, usize), bound: usize) -> bool {
        let (p, kept) = (p as usize, &self.rows.columns[self.layout.kept + k]);
        match (key.is_null(p), kept.is_null(bound)) {
            (false, false) => typed(key, p, kept, bound) == Some(Ordering::Equal),
            (null, of_bound) => null && of_bound,
        }
    }

    /// Whether the rows that come now come after row `bound` where their keys are equal.
    fn comes_after(&self, bound: usize, cx: &Context<'s>) -> bool {
        match self.rows.columns.get(self.layout.kept + self.layout.keys).map(|parts| &parts.values) {
            None => true,
            Some(Values::Int(parts)) => parts[bound] <= cx.part().cast_signed(),
            Some(_) => false,
        }
    }

    /// Leaves out positions whose `k`th key comes after that of row `bound`. Keys of different types are told
    /// apart by sorting.
    fn leave_out(
        &self,
        positions: &mut Vec<u32>,
        (key, k): (&Vector<'s>, usize),
        bound: usize,
        descending: bool,
    ) {
        let kept = &self.rows.columns[self.layout.kept + k];
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
            // What compares by values is left to the next cut.
            _ => compare!(|p: usize| typed(key, p, kept, bound).unwrap_or(Ordering::Equal)),
        }
    }

    /// The best rows, as many as are wanted, in order.
    fn sorted(&mut self, spec: &SortSpec, cx: &Context<'s>) -> Result<Vec<u32>, ExecError> {
        if cx.settings.spill.is_none() {
            self.held.grow(self.rows.len() * ORDER_BYTES)?;
        }
        self.ordered(spec, cx)
    }

    /// Keeps the best rows, in the order they came, so that the final order stays stable.
    fn cut(&mut self, spec: &SortSpec, cx: &Context<'s>) -> Result<(), ExecError> {
        let kept = self.layout.kept;
        if cx.settings.spill.is_none() {
            self.held.grow(self.rows.len() * ORDER_BYTES)?;
        }
        let by_parts = self.by_parts();
        let keys = self.keys(spec);
        let mut best = best(by_parts.as_deref(), &keys, self.rows.len(), spec.most_rows(), cx)?;
        let last = best.last().copied();
        best.sort_unstable();
        self.bound = last.and_then(|row| best.binary_search(&row).ok());
        self.rows.keep(&best);
        if let (Some(top), Some(bound)) = (&self.top, self.bound)
            && top.is_of_any_type()
            && let Some(key) = self.rows.columns.get(kept)
        {
            top.tighten_to(key.value(bound, &|id| cx.edge_value(id)));
        } else if let (Some(top), Some(bound)) = (&self.top, self.bound)
            && let Some(key) = self.rows.columns.get(kept).filter(|key| !key.is_null(bound))
        {
            match &key.values {
                Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
                    top.tighten(v[bound]);
                }
                Values::Date(v) => top.tighten(v[bound].into()),
                _ => {}
            }
        }
        self.held.resize(self.bytes(cx))?;
        Ok(())
    }
}

/// Leaves out of ascending positions those of `some` that are not of `left`, both of which are parts of them
/// in the same order.
fn remove_between(positions: &mut Vec<u32>, some: &[u32], left: &[u32]) {
    if some.len() == left.len() {
        return;
    }
    let (mut some, mut left) = (some.iter().peekable(), left.iter().peekable());
    positions.retain(|p| some.next_if_eq(&p).is_none() || left.next_if_eq(&p).is_some());
}

impl<'s> Operator<'s> for Sort<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.cursor.is_none() {
            self.gather(cx)?;
            self.cursor = Some(0);
        }
        cx.check()?;
        while let Some(merge) = &mut self.merge {
            let Some(mut batch) = merge.next(cx.settings.vector_size, cx)? else { return Ok(false) };
            if let Some(only) = &mut self.only {
                let all: Vec<u32> = (0..u32::try_from(batch.len()).unwrap_or(u32::MAX)).collect();
                let keys = &batch.columns[self.spec.keep.len()..];
                let first = only.of(keys, &all, &mut batch.multiplicity, cx)?;
                if first.is_empty() {
                    continue;
                }
                batch = batch.gather(&first);
            }
            let out = &mut chunk.groups[0];
            out.reset(batch.len());
            let kept = batch.columns.into_iter().take(self.spec.keep.len());
            out.vectors.iter_mut().zip(kept).for_each(|(slot, column)| *slot = column);
            let multiplicity = batch.multiplicity;
            out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
            return Ok(true);
        }
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
        if let Some(bound) = &self.bound {
            bound.reset();
        }
        (self.part, self.merge, self.only) = (None, None, None);
        self.order.clear();
        self.cursor = None;
    }

    fn fills_anew(&self) -> bool {
        true
    }
}
