//! Counting extend: multiplies each position by the number of matches that hang at its node, without making
//! them.
//!
//! What hangs is a tree of steps. The count of a node is the sum, over its edges that pass the step's
//! predicate, of the product of the counts that hang at the node reached; counts below the first step are
//! computed once for all nodes of the tables reached (dense arrays) and then gathered: the message passing
//! that sums an acyclic count in one pass over each edge table.
//!
//! Hot loops: degrees are differences of offsets; a predicate on forward edges is evaluated over the
//! contiguous slots of many lists at once, one on backward edges too once many were asked for
//! (`target_counts`).
//!
//! Source: GF-CL §6.2 (aggregation over factorised tuples); Yannakakis 1981 for the passing of counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use trimorph_base::{NodeId, Reservation, TableId};
use trimorph_store::Condition;
use trimorph_store::access::EdgeAccess;
use trimorph_store::neighbours::{InPlace, Neighbours};
use trimorph_vector::{Chunk, Edges, Nodes, PageStarts, Selection, VECTOR_SIZE, Values};

use super::node_counts::Counts;
use super::passing_edges::{each_passing, select};
use super::resolved::Resolved;
use super::target_counts::{are_countable, counts_by_target};
use crate::expr::{Ex, PropertyFilter};
use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::rows::MANY;
use crate::{Context, ExecError};

/// Counts that are kept, and their memory.
type Kept = OnceLock<Result<Option<(Counts, Reservation)>, ExecError>>;

/// Once one of so many nodes was asked for what hangs at it, that of all nodes is counted, in their order.
/// Edges that are asked for their properties from their targets take a twentieth of the time from end to end,
/// 4 ns an edge against 90, and at their sources a tenth (`bench/payments`, conditions on amounts).
const ASKED_BACKWARD_PART: u64 = 32;
const ASKED_PART: u64 = 8;
/// The same where no edge is asked for anything: what is saved is what is asked of a node again.
const COUNTED_PART: u64 = 2;

/// Edges from which on a list is asked by itself: of fewer, making vectors costs more than asking.
const LONG_LIST: usize = 64;

/// One step that is counted. Its predicate is compiled for a group with the edge in slot 0 and the node
/// reached in slot 1.
#[derive(Debug)]
pub(crate) struct CountStepSpec {
    pub(crate) step: Arc<EdgeAccess>,
    pub(crate) predicate: Option<Ex>,
    /// Whether the predicate reads nothing but properties of the edge.
    pub(crate) edge_only: bool,
    pub(crate) next: Vec<CountStepSpec>,
}

/// A step being counted, by all twins together.
pub(crate) struct CountTarget {
    step: Arc<EdgeAccess>,
    predicate: Option<Ex>,
    edge_only: bool,
    /// The predicate as a range of one property, if it is one.
    range: Option<PropertyFilter>,
    next: Vec<CountTarget>,
    /// By node table: the product of what `next` gives for each node.
    weights: Vec<OnceLock<Result<(Counts, Reservation), ExecError>>>,
    /// By node table: how many nodes were asked for, and the counts of all of them.
    asked: Vec<AtomicU64>,
    of_all: Vec<Kept>,
}

impl CountTarget {
    pub(crate) fn new(spec: &CountStepSpec) -> Self {
        let CountStepSpec { step, predicate, edge_only, next } = spec;
        Self {
            step: Arc::clone(step),
            predicate: predicate.clone(),
            edge_only: *edge_only,
            range: predicate.as_ref().filter(|_| *edge_only).and_then(PropertyFilter::of),
            next: next.iter().map(Self::new).collect(),
            weights: step.by_table.iter().map(|_| OnceLock::new()).collect(),
            asked: step.by_table.iter().map(|_| AtomicU64::new(0)).collect(),
            of_all: step.by_table.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Whether the edges of nodes of `table` that pass are counted from their sources, these being at the
    /// other ends.
    fn is_from_sources(&self, table: TableId) -> bool {
        let along = self.step.by_table.get(usize::from(table.0));
        self.edge_only && self.predicate.is_some() && along.is_some_and(|along| are_countable(along))
    }

    /// Where one of so many rows of `table` that follow each other is asked for, all of them are: in order,
    /// that takes no longer.
    fn part(&self, table: TableId) -> u64 {
        let along = self.step.by_table.get(usize::from(table.0));
        let is_forward = along.is_some_and(|along| along.iter().all(|a| a.forward));
        if self.edge_only && self.predicate.is_some() && is_forward { ASKED_PART } else { COUNTED_PART }
    }

    /// The counts of all nodes of `table`, `more` of which are asked for now; none where each is to be asked.
    fn of_all<'a>(
        &'a self,
        table: TableId,
        more: usize,
        cx: &Context<'_>,
    ) -> Result<Option<&'a Counts>, ExecError> {
        let is_from_sources = self.is_from_sources(table);
        let part = match (&self.predicate, &self.next[..]) {
            (None, []) => return Ok(None),
            _ if is_from_sources => ASKED_BACKWARD_PART,
            _ => self.part(table),
        };
        let (at, rows) = (usize::from(table.0), cx.reader.rows(table));
        let Some(asked) = self.asked.get(at) else { return Ok(None) };
        let before = asked.fetch_add(more as u64, Ordering::Relaxed);
        if before.saturating_add(more as u64).saturating_mul(part) < rows {
            return Ok(None);
        }
        let counts = self.of_all[at].get_or_init(|| {
            let mut held = cx.settings.budget.reservation();
            // Without room for them, each node is asked.
            if held.grow(usize::try_from(rows).unwrap_or(usize::MAX).saturating_mul(16)).is_err() {
                return Ok(None);
            }
            let counts = match self.predicate.as_ref().filter(|_| is_from_sources) {
                Some(predicate) => {
                    let weights = |source: TableId| self.weights(source, cx);
                    counts_by_target(&self.step.by_table[at], predicate, table, &weights, cx)?
                }
                None => in_order(table, cx, |first, counts| self.multiply_rows(table, first, counts, cx))?,
            };
            let counts = Counts::new(counts);
            held.resize(counts.bytes())?;
            Ok(Some((counts, held)))
        });
        match counts {
            Ok(counts) => Ok(counts.as_ref().map(|(counts, _)| counts)),
            Err(error) => Err(error.clone()),
        }
    }

    /// The weight of each node of `table`; none if every node weighs 1.
    fn weights<'a>(&'a self, table: TableId, cx: &Context<'_>) -> Result<Option<&'a Counts>, ExecError> {
        if self.next.is_empty() {
            return Ok(None);
        }
        let counts = self.weights[table.0 as usize].get_or_init(|| {
            let rows = usize::try_from(cx.reader.rows(table)).unwrap_or(0);
            let mut held = cx.settings.budget.reservation();
            held.grow(rows.saturating_mul(8))?;
            let next = |first: u64, counts: &mut [u64]| {
                self.next.iter().try_for_each(|next| next.multiply_range(table, first, counts, cx))
            };
            let counts = Counts::new(in_order(table, cx, next)?);
            held.resize(counts.bytes())?;
            Ok((counts, held))
        });
        match counts {
            Ok((counts, _)) => Ok(Some(counts)),
            Err(e) => Err(e.clone()),
        }
    }

    /// The sum of the counts of rows `first..first + len` of `table`, where edges need not be told apart by
    /// row; `None` elsewhere.
    fn total(&self, table: TableId, first: u64, len: u64, cx: &Context<'_>) -> Option<u64> {
        let neighbours = self.step.one(table, &cx.reader)?;
        if !neighbours.is_plain() || !self.next.is_empty() {
            return None;
        }
        match (&self.predicate, &self.range) {
            (None, _) => Some(neighbours.degrees(first, len)),
            (Some(_), Some(range)) => {
                let (column, low, high) = range.edge_range(neighbours.edge_table(), cx)?;
                neighbours.count_passing(column, &Condition::Range(low, high), first, len)
            }
            (Some(_), None) => None,
        }
    }

    /// As [`Self::multiply_range`] for a range of one edge property and nothing below; `false`, and nothing
    /// done, elsewhere.
    fn range_multiplies(&self, table: TableId, first: u64, out: &mut [u64], cx: &Context<'_>) -> bool {
        let Some(range) = self.range.as_ref().filter(|_| self.next.is_empty()) else { return false };
        let mut counts = vec![0; out.len()];
        for neighbours in self.step.neighbours(table, &cx.reader) {
            let added = range.edge_range(neighbours.edge_table(), cx).and_then(|(column, low, high)| {
                neighbours.add_passing(column, &Condition::Range(low, high), first, &mut counts)
            });
            if added.is_none() {
                return false;
            }
        }
        for (o, count) in out.iter_mut().zip(counts) {
            *o = o.saturating_mul(count);
        }
        true
    }

    /// As [`Self::multiply_range`] where lists are counted whole: no predicate, every edge counts, and the
    /// table it leads to is known if nodes weigh; `false`, and nothing done, elsewhere.
    fn multiply_lists(
        &self,
        table: TableId,
        first: u64,
        out: &mut [u64],
        cx: &Context<'_>,
    ) -> Result<bool, ExecError> {
        let all = || self.step.neighbours(table, &cx.reader);
        let is_whole =
            |n: &Neighbours<'_, '_>| n.is_plain() && (self.next.is_empty() || n.target().is_some());
        if self.predicate.is_some() || !all().all(|neighbours| is_whole(&neighbours)) {
            return Ok(false);
        }
        let multiply = |neighbours: &Neighbours<'_, '_>, out: &mut [u64]| {
            let weights = neighbours.target().map(|target| self.weights(target, cx)).transpose()?.flatten();
            match weights {
                None => neighbours.multiply_degrees(first, out),
                Some(weights) => weights.multiply_sums(neighbours, first, out),
            }
            Ok::<_, ExecError>(())
        };
        if let Some(neighbours) = self.step.one(table, &cx.reader) {
            multiply(&neighbours, out)?;
            return Ok(true);
        }
        let mut sums = vec![0u64; out.len()];
        for neighbours in all() {
            let mut counts = vec![1; out.len()];
            multiply(&neighbours, &mut counts)?;
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = sum.saturating_add(count));
        }
        out.iter_mut().zip(sums).for_each(|(o, sum)| *o = o.saturating_mul(sum));
        Ok(true)
    }

    /// Multiplies `out[i]` by the count of row `first + i` of `table`.
    fn multiply_range(
        &self,
        table: TableId,
        first: u64,
        out: &mut [u64],
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        if self.is_from_sources(table)
            && let Some(counts) = self.of_all(table, out.len(), cx)?
        {
            for (row, o) in (first..).zip(out) {
                *o = o.saturating_mul(counts.get(row));
            }
            return Ok(());
        }
        self.multiply_rows(table, first, out, cx)
    }

    /// The same, each node being asked.
    fn multiply_rows(
        &self,
        table: TableId,
        first: u64,
        out: &mut [u64],
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        if self.range_multiplies(table, first, out, cx) {
            return Ok(());
        }
        if self.multiply_lists(table, first, out, cx)? {
            return Ok(());
        }
        if let Some(neighbours) = self.step.one(table, &cx.reader).filter(Neighbours::is_plain)
            && let Some(predicate) = &self.predicate
            && self.edge_only
            && self.next.is_empty()
            && count_slots(&neighbours, predicate, first, out, cx)?
        {
            return Ok(());
        }
        let along: Vec<_> = self.step.neighbours(table, &cx.reader).collect();
        if let Some(predicate) = self.predicate.as_ref().filter(|_| self.edge_only)
            && self.step.by_table[usize::from(table.0)].iter().all(|a| a.forward)
            && along.iter().all(|neighbours| neighbours.is_plain() && neighbours.target().is_some())
        {
            return self.multiply_in_order(&along, predicate, NodeId::new(table, first), out, cx);
        }
        if let Some(predicate) = &self.predicate {
            return self.multiply_passing(&along, predicate, (table, first), out, cx);
        }
        for (i, o) in out.iter_mut().enumerate() {
            if *o != 0 {
                let count = self.count(&along, NodeId::new(table, first + i as u64), cx)?;
                *o = o.saturating_mul(count);
            }
        }
        Ok(())
    }

    /// The same where edges must pass a predicate that looks at nothing else, and all are at their sources:
    /// their properties are read in order.
    fn multiply_in_order<'s>(
        &self,
        along: &[Neighbours<'_, 's>],
        predicate: &Ex,
        first: NodeId,
        out: &mut [u64],
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let mut sums = vec![0u64; out.len()];
        for neighbours in along {
            let weights = neighbours.target().map(|target| self.weights(target, cx)).transpose()?.flatten();
            each_passing(neighbours, (first, out.len()), predicate, cx, &mut |place, node| {
                let weight = weights.map_or(1, |weights| weights.get(node.row()));
                sums[place] = sums[place].saturating_add(weight);
            })?;
        }
        out.iter_mut().zip(sums).for_each(|(o, sum)| *o = o.saturating_mul(sum));
        Ok(())
    }

    /// The same where edges must pass a predicate: it is asked of a vector of edges of many rows at once.
    /// Long lists are counted by themselves, in place.
    fn multiply_passing<'s>(
        &self,
        along: &[Neighbours<'_, 's>],
        predicate: &Ex,
        (table, first): (TableId, u64),
        out: &mut [u64],
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let mut sums = vec![0u64; out.len()];
        // The row of each edge that waits.
        let (mut nodes, mut edges, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let ask = |nodes: &mut Vec<NodeId>, edges: &mut Vec<_>, rows: &mut Vec<u32>, sums: &mut [u64]| {
            let ids = Nodes::Ids { table: None, ids: nodes.clone() };
            let asked = Edges::Ids(std::mem::take(edges));
            for i in select(predicate, asked, ids, rows.len(), Selection::All, cx)?.to_vec(rows.len()) {
                let (node, row) = (nodes[i as usize], rows[i as usize] as usize);
                let weight = self.weights(node.table(), cx)?.map_or(1, |w| w.get(node.row()));
                sums[row] = sums[row].saturating_add(weight);
            }
            nodes.clear();
            rows.clear();
            Ok::<_, ExecError>(())
        };
        for i in (0..out.len()).filter(|i| out[*i] != 0) {
            let node = NodeId::new(table, first + i as u64);
            for neighbours in along {
                let list = neighbours.list(node);
                if list.len() >= LONG_LIST || self.range.is_some() && list.len() > 1 {
                    sums[i] = sums[i].saturating_add(self.count_list(neighbours, node, cx)?);
                    continue;
                }
                list.append(&mut nodes, Some(&mut edges));
                // A vector has far fewer rows than 2^32.
                rows.resize(edges.len(), i as u32);
                if edges.len() >= VECTOR_SIZE {
                    ask(&mut nodes, &mut edges, &mut rows, &mut sums)?;
                }
            }
        }
        if !edges.is_empty() {
            ask(&mut nodes, &mut edges, &mut rows, &mut sums)?;
        }
        out.iter_mut().zip(sums).for_each(|(o, sum)| *o = o.saturating_mul(sum));
        Ok(())
    }

    /// The count of one node, along the adjacencies of its table.
    #[inline]
    fn count<'s>(
        &self,
        along: &[Neighbours<'_, 's>],
        node: NodeId,
        cx: &Context<'s>,
    ) -> Result<u64, ExecError> {
        let mut total = 0u64;
        for neighbours in along {
            total = total.saturating_add(self.count_list(neighbours, node, cx)?);
        }
        Ok(total)
    }

    fn count_list<'s>(
        &self,
        neighbours: &Neighbours<'_, 's>,
        node: NodeId,
        cx: &Context<'s>,
    ) -> Result<u64, ExecError> {
        if self.predicate.is_none() && self.next.is_empty() && neighbours.is_plain() {
            return Ok(neighbours.degree(node.row()));
        }
        let list = neighbours.list(node);
        if list.len() == 0 {
            return Ok(0);
        }
        if self.predicate.is_none() && self.next.is_empty() {
            return Ok(list.count() as u64);
        }
        if self.next.is_empty()
            && let Some(range) = &self.range
            && let Some((column, low, high)) = range.edge_range(neighbours.edge_table(), cx)
            && let Some(count) = list.count_passing(column, &Condition::Range(low, high))
        {
            return Ok(count);
        }
        if neighbours.is_plain()
            && self.predicate.is_none()
            && let Some(table) = list.target()
        {
            let Some(weights) = self.weights(table, cx)? else { return Ok(list.len() as u64) };
            return Ok(weights.sum(&list).unwrap_or(MANY));
        }
        let InPlace { len, nodes, edges, mut selection } = list.in_place(self.predicate.is_some());
        if let (Some(predicate), Some(edges)) = (&self.predicate, edges) {
            selection = select(predicate, edges, copied(&nodes, len), len, selection, cx)?;
        }
        let mut sum = 0u64;
        for i in selection.to_vec(len) {
            let n = nodes.id(i as usize);
            let weight = self.weights(n.table(), cx)?.map_or(1, |w| w.get(n.row()));
            sum = sum.saturating_add(weight);
        }
        Ok(sum)
    }
}

fn copied(nodes: &Nodes<'_>, len: usize) -> Nodes<'static> {
    let mut ids = Vec::with_capacity(len);
    nodes.for_each(0..len, |_, id| ids.push(id));
    Nodes::Ids { table: nodes.table(), ids }
}

/// What `multiply` makes of all rows of a table, each being 1, some at a time.
fn in_order(
    table: TableId,
    cx: &Context<'_>,
    multiply: impl Fn(u64, &mut [u64]) -> Result<(), ExecError>,
) -> Result<Vec<u64>, ExecError> {
    let mut counts = vec![1u64; usize::try_from(cx.reader.rows(table)).unwrap_or(0)];
    for (some, first) in counts.chunks_mut(VECTOR_SIZE).zip((0u64..).step_by(VECTOR_SIZE)) {
        cx.check()?;
        multiply(first, some)?;
    }
    Ok(counts)
}

/// Counts the edges of consecutive rows that pass a predicate on edge properties: forward lists that are in
/// order follow each other, so the property pages are read from end to end. `false`, and nothing done, where
/// they do not.
fn count_slots(
    neighbours: &Neighbours<'_, '_>,
    predicate: &Ex,
    first: u64,
    out: &mut [u64],
    cx: &Context<'_>,
) -> Result<bool, ExecError> {
    let mut slots = vec![0; out.len() + 1];
    if neighbours.slots(first, &mut slots).is_none() {
        return Ok(false);
    }
    let mut at = 0;
    while at < out.len() {
        // As many whole lists as fill a vector.
        let start = slots[at];
        let mut end = at + 1;
        while end < out.len() && slots[end + 1] - start <= VECTOR_SIZE as u64 {
            end += 1;
        }
        let len = usize::try_from(slots[end] - start).unwrap_or(0);
        let edges = Edges::Slots { table: neighbours.edge_table(), first: start, pages: PageStarts::NONE };
        let nodes = Nodes::Range(NodeId(0));
        let passed =
            if len == 0 { Selection::All } else { select(predicate, edges, nodes, len, Selection::All, cx)? };
        match passed {
            Selection::All => {
                for (i, o) in out[at..end].iter_mut().enumerate() {
                    *o = o.saturating_mul(neighbours.degree(first + (at + i) as u64));
                }
            }
            Selection::List(list) => {
                let mut k = 0;
                for (i, o) in out[at..end].iter_mut().enumerate() {
                    let stop = slots[at + i + 1] - start;
                    let before = k;
                    while k < list.len() && u64::from(list[k]) < stop {
                        k += 1;
                    }
                    *o = o.saturating_mul((k - before) as u64);
                }
            }
        }
        at = end;
    }
    Ok(true)
}

/// What is counted. For a node in a flat group the count becomes the multiplicity of `fresh`, a flat group of
/// its own: the node's group may stand still while others move.
#[derive(Debug)]
pub(crate) struct CountExtendSpec {
    pub(crate) from: Place,
    pub(crate) fresh: Option<usize>,
    pub(crate) step: CountStepSpec,
    /// Whether nobody above looks at the positions of the node's group, so that one may stand for all.
    pub(crate) whole: bool,
}

/// Counting extend.
pub(crate) struct CountExtend<'s> {
    child: BoxOperator<'s>,
    spec: Arc<CountExtendSpec>,
    target: Arc<CountTarget>,
}

impl<'s> CountExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<CountExtendSpec>, target: Arc<CountTarget>) -> Self {
        Self { child, spec, target }
    }

    /// Multiplies; gives whether anything is left.
    fn multiply(&self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if let Some(fresh) = self.spec.fresh {
            let group = &chunk.groups[self.spec.from.group];
            let vector = &group.vectors[self.spec.from.slot];
            let count = match vector.node(group.flat.unwrap_or(0)) {
                Some(node) => {
                    self.target.count(Resolved::new(&self.target.step).of(node.table(), cx), node, cx)?
                }
                None => 0,
            };
            let group = &mut chunk.groups[fresh];
            group.reset(1);
            group.flat = Some(0);
            group.multiplicity = Some(vec![count]);
            return Ok(count > 0);
        }
        let group = &mut chunk.groups[self.spec.from.group];
        let len = group.len;
        if self.spec.whole
            && group.selection == Selection::All
            && group.multiplicity.is_none()
            && let Values::Node(Nodes::Range(first)) = group.vectors[self.spec.from.slot].values
            && let Some(total) = self.target.total(first.table(), first.row(), len as u64, cx)
        {
            group.stand_for(total);
            return Ok(total > 0);
        }
        let mut counts = group.multiplicity.take().unwrap_or_else(|| vec![1; len]);
        let from = &group.vectors[self.spec.from.slot];
        match &from.values {
            // Rows left out before have a count of 0 and keep it.
            Values::Node(Nodes::Range(first))
                if group.selection.count(len) as u64 * self.target.part(first.table()) > len as u64 =>
            {
                self.target.multiply_range(first.table(), first.row(), &mut counts, cx)?;
            }
            Values::Node(nodes)
                if let Some(table) = nodes.table()
                    && let Some(known) = self.target.of_all(table, group.selection.count(len), cx)? =>
            {
                for k in 0..group.selection.count(len) {
                    let i = group.selection.position(k);
                    counts[i] = match from.node(i) {
                        Some(node) => counts[i].saturating_mul(known.get(node.row())),
                        None => 0,
                    };
                }
            }
            _ => {
                let mut resolved = Resolved::new(&self.target.step);
                // Rows of a node often follow each other.
                let mut last = None;
                for k in 0..group.selection.count(len) {
                    let i = group.selection.position(k);
                    let count = match (from.node(i), last) {
                        (Some(node), Some((same, count))) if same == node => count,
                        (Some(node), _) => self.target.count(resolved.of(node.table(), cx), node, cx)?,
                        (None, _) => 0,
                    };
                    last = from.node(i).map(|node| (node, count));
                    counts[i] = counts[i].saturating_mul(count);
                }
            }
        }
        group.selection.retain(len, |i| counts[i] != 0);
        group.multiplicity = Some(counts);
        Ok(group.selection.count(len) > 0)
    }
}

impl<'s> Operator<'s> for CountExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.child.next(chunk, cx)? {
            cx.check()?;
            if self.multiply(chunk, cx)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}
