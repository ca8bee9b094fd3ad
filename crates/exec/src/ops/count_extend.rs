//! Counting extend: multiplies each position by the number of matches that hang at its node, without making
//! them.
//!
//! What hangs is a tree of steps. The count of a node is the sum, over its edges that pass the step's
//! predicate, of the product of the counts that hang at the node reached; counts below the first step are
//! computed once for all nodes of the tables reached (dense arrays) and then gathered: the message passing
//! that sums an acyclic count in one pass over each edge table.
//!
//! Hot loops: degrees are differences of offsets; a predicate on forward edges is evaluated over the
//! contiguous slots of many lists at once.
//!
//! Source: GF-CL §6.2 (aggregation over factorised tuples); Yannakakis 1981 for the passing of counts.

use std::sync::{Arc, OnceLock};

use trimorph_base::{NodeId, Reservation, TableId};
use trimorph_store::access::{AdjacencyRef, EdgeAccess};
use trimorph_store::{AdjacencyView, Condition, CsrView, List, Test};
use trimorph_types::Value;
use trimorph_vector::{Chunk, Edges, Nodes, PageStarts, Selection, Values, Vector};

use crate::expr::{Ex, PropertyTest, filter};
use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::rows::{MANY, overflow};
use crate::{Context, ExecError};

/// Counts of all nodes of a table, as narrow as the largest allows: they are gathered at random, and stay in
/// a cache half the size.
pub(crate) enum Counts {
    Bits16(Vec<u16>),
    Bits32(Vec<u32>),
    Bits64(Vec<u64>),
}

impl Counts {
    #[expect(clippy::cast_possible_truncation, reason = "the largest fits")]
    fn new(counts: Vec<u64>) -> Self {
        match counts.iter().copied().max().unwrap_or(0) {
            0..=0xffff => Self::Bits16(counts.iter().map(|count| *count as u16).collect()),
            0x1_0000..=0xffff_ffff => Self::Bits32(counts.iter().map(|count| *count as u32).collect()),
            _ => Self::Bits64(counts),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Bits16(counts) => counts.len() * 2,
            Self::Bits32(counts) => counts.len() * 4,
            Self::Bits64(counts) => counts.len() * 8,
        }
    }

    /// The count of row `row`.
    #[inline]
    fn get(&self, row: u64) -> u64 {
        match self {
            Self::Bits16(counts) => counts[row as usize].into(),
            Self::Bits32(counts) => counts[row as usize].into(),
            Self::Bits64(counts) => counts[row as usize],
        }
    }

    /// The sum of the counts of a list's neighbours; `None` past 64 bits.
    #[inline]
    fn sum(&self, csr: &CsrView<'_>, list: List) -> Option<u64> {
        match self {
            Self::Bits16(counts) => csr.sum_weights(list, counts),
            Self::Bits32(counts) => csr.sum_weights(list, counts),
            Self::Bits64(counts) => csr.sum_weights(list, counts),
        }
    }
}

/// One step that is counted. Its predicate is compiled for a group with the edge in slot 0 and the node
/// reached in slot 1.
pub(crate) struct CountTarget {
    pub(crate) step: EdgeAccess,
    pub(crate) predicate: Option<Ex>,
    /// Whether the predicate reads nothing but properties of the edge.
    pub(crate) edge_only: bool,
    /// The predicate as a range of one property, if it is one.
    pub(crate) range: Option<PropertyTest>,
    pub(crate) next: Vec<CountTarget>,
    /// By node table: the product of what `next` gives for each node.
    pub(crate) weights: Vec<OnceLock<Result<(Counts, Reservation), ExecError>>>,
}

/// Adds to `counts` how many edges consecutive rows have with a property in a range, without taking values
/// out: forward lists lie end to end in the property pages, backward ones are found by their positions, a run
/// of lists at once. `None` where the column or the adjacency does not allow that; `counts` is of no use
/// then.
fn add_in_range(
    range: &PropertyTest,
    adjacency: &AdjacencyRef,
    first: u64,
    counts: &mut [u64],
    cx: &Context<'_>,
) -> Option<()> {
    let Some(AdjacencyView::Csr(csr)) = view(cx, adjacency) else { return None };
    let (column, low, high) = range.edge_range(adjacency.edge_table, cx)?;
    let (within, mut test) = (Condition::Range(low, high), Test::default());
    let list = csr.run(first, counts.len())?;
    let mut slots = vec![0; counts.len() + 1];
    csr.slots(first, &mut slots)?;
    let (start, ends) = slots.split_first()?;
    if adjacency.forward {
        return csr.is_in_order(list).then(|| test.count_runs(column, &within, *start, ends, counts))?;
    }
    let mut slots = Vec::with_capacity(list.len);
    if !adjacency.table(&cx.reader).append_backward_slots(csr, list, &mut slots) {
        return None;
    }
    let mut passing = Vec::new();
    let places = slots.iter().enumerate().map(|(i, slot)| (i as u32, *slot));
    test.select_at(column, &within, places, &mut passing)?;
    let mut at = 0;
    for (row, end) in counts.iter_mut().zip(ends) {
        let before = at;
        while passing.get(at).is_some_and(|p| start + u64::from(*p) < *end) {
            at += 1;
        }
        *row += (at - before) as u64;
    }
    Some(())
}

/// Counts the edges of one list with a property in a range: forward slots follow each other, backward ones
/// are found by their position. `None` where the column or the adjacency does not allow that.
fn count_in_range(
    range: &PropertyTest,
    adjacency: &AdjacencyRef,
    csr: &CsrView<'_>,
    list: List,
    cx: &Context<'_>,
) -> Option<u64> {
    let table = adjacency.edge_table;
    let (column, low, high) = range.edge_range(table, cx)?;
    let (within, mut test) = (Condition::Range(low, high), Test::default());
    if adjacency.forward {
        let count = || test.count(column, &within, csr.slot(list), list.len).map(|n| n as u64);
        return csr.is_in_order(list).then(count)?;
    }
    let view = cx.reader.edge_table(table);
    let mut total = 0;
    for i in 0..list.len {
        let edge = view.id_at(csr.node(list, i).row(), csr.position(list, i)?);
        total += test.count(column, &within, view.slot(edge), 1)? as u64;
    }
    Some(total)
}

const EDGE_SLOT: usize = 0;
const NODE_SLOT: usize = 1;

impl CountTarget {
    pub(crate) fn new(step: EdgeAccess, predicate: Option<Ex>, edge_only: bool, next: Vec<Self>) -> Self {
        let weights = step.by_table.iter().map(|_| OnceLock::new()).collect();
        let range = if edge_only { predicate.as_ref().and_then(PropertyTest::of) } else { None };
        Self { step, predicate, edge_only, range, next, weights }
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
            let mut counts = vec![1u64; rows];
            for next in &self.next {
                for first in (0..counts.len()).step_by(trimorph_vector::VECTOR_SIZE) {
                    cx.check()?;
                    let end = counts.len().min(first + trimorph_vector::VECTOR_SIZE);
                    next.multiply_range(table, first as u64, &mut counts[first..end], cx)?;
                }
            }
            let counts = Counts::new(counts);
            held.resize(counts.bytes())?;
            Ok((counts, held))
        });
        match counts {
            Ok((counts, _)) => Ok(Some(counts)),
            Err(e) => Err(e.clone()),
        }
    }

    /// The sum of the counts of rows `first..first + len` of `table`, where edges lie one after the other and
    /// need not be told apart by row; `None` elsewhere.
    fn total(&self, table: TableId, first: u64, len: u64, cx: &Context<'_>) -> Option<u64> {
        let [adjacency] = &self.step.by_table[table.0 as usize][..] else { return None };
        let Some(AdjacencyView::Csr(csr)) = view(cx, adjacency) else { return None };
        if adjacency.skip_loops || adjacency.check_table || !self.next.is_empty() {
            return None;
        }
        match (&self.predicate, &self.range) {
            (None, _) => Some(csr.runs(first, len).map(|run| run.len as u64).sum()),
            (Some(_), Some(range)) if adjacency.forward => {
                let (column, low, high) = range.edge_range(adjacency.edge_table, cx)?;
                let (within, mut test) = (Condition::Range(low, high), Test::default());
                let count = |run: List| {
                    let count = || test.count(column, &within, csr.slot(run), run.len).map(|n| n as u64);
                    csr.is_in_order(run).then(count)?
                };
                csr.runs(first, len).map(count).sum()
            }
            _ => None,
        }
    }

    /// As [`Self::multiply_range`] for a range of one edge property and nothing below; `false`, and nothing
    /// done, elsewhere.
    fn range_multiplies(
        &self,
        table: TableId,
        first: u64,
        out: &mut [u64],
        cx: &Context<'_>,
    ) -> Result<bool, ExecError> {
        let Some(range) = self.range.as_ref().filter(|_| self.next.is_empty()) else { return Ok(false) };
        let mut counts = vec![0; out.len()];
        for adjacency in &self.step.by_table[table.0 as usize] {
            if adjacency.skip_loops
                || adjacency.check_table
                || add_in_range(range, adjacency, first, &mut counts, cx).is_none()
            {
                return Ok(false);
            }
        }
        for (o, count) in out.iter_mut().zip(counts) {
            *o = o.saturating_mul(count);
        }
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
        if self.range_multiplies(table, first, out, cx)? {
            return Ok(());
        }
        if let [adjacency] = &self.step.by_table[table.0 as usize][..]
            && let Some(AdjacencyView::Csr(csr)) = view(cx, adjacency)
            && !adjacency.skip_loops
            && !adjacency.check_table
            && self.next.is_empty()
        {
            match &self.predicate {
                // Degrees are below 2^32: the loop without a branch cannot overflow.
                None if out.iter().all(|o| *o <= u64::from(u32::MAX)) => {
                    return csr.multiply_degrees(first, out).ok_or_else(overflow);
                }
                None => {
                    for (row, o) in (first..).zip(out) {
                        *o = o.saturating_mul(csr.degree(row));
                    }
                    return Ok(());
                }
                Some(predicate) if self.edge_only && adjacency.forward => {
                    if count_slots(adjacency, csr, predicate, first, out, cx)? {
                        return Ok(());
                    }
                }
                Some(_) => {}
            }
        }
        if let [adjacency] = &self.step.by_table[table.0 as usize][..]
            && let Some(AdjacencyView::Csr(csr)) = view(cx, adjacency)
            && !adjacency.skip_loops
            && !adjacency.check_table
            && self.predicate.is_none()
            && let Some(target) = adjacency.target
            && let Some(weights) = self.weights(target, cx)?
        {
            for (i, o) in out.iter_mut().enumerate().filter(|(_, o)| **o != 0) {
                *o = o.saturating_mul(weights.sum(csr, csr.list(first + i as u64)).unwrap_or(MANY));
            }
            return Ok(());
        }
        for (i, o) in out.iter_mut().enumerate() {
            if *o != 0 {
                let count = self.count(NodeId::new(table, first + i as u64), cx)?;
                *o = o.saturating_mul(count);
            }
        }
        Ok(())
    }

    /// The count of one node.
    fn count(&self, node: NodeId, cx: &Context<'_>) -> Result<u64, ExecError> {
        let mut total = 0u64;
        for adjacency in &self.step.by_table[node.table().0 as usize] {
            let count = match view(cx, adjacency) {
                Some(AdjacencyView::Csr(csr)) => self.count_list(node, adjacency, csr, cx)?,
                Some(AdjacencyView::Column(_)) => self.count_single(node, adjacency, cx)?,
                None => 0,
            };
            total = total.saturating_add(count);
        }
        Ok(total)
    }

    fn count_single(
        &self,
        node: NodeId,
        adjacency: &AdjacencyRef,
        cx: &Context<'_>,
    ) -> Result<u64, ExecError> {
        let Some((neighbour, edge)) = adjacency.follow(&cx.reader, node, self.predicate.is_some()) else {
            return Ok(0);
        };
        if (adjacency.check_table && !self.step.wants(neighbour.table()))
            || (adjacency.skip_loops && neighbour == node)
        {
            return Ok(0);
        }
        if let Some(predicate) = &self.predicate {
            let nodes = Nodes::Ids { table: Some(neighbour.table()), ids: vec![neighbour] };
            if select(predicate, Edges::Ids(vec![edge]), nodes, 1, Selection::All, cx)?.count(1) == 0 {
                return Ok(0);
            }
        }
        Ok(self.weights(neighbour.table(), cx)?.map_or(1, |w| w.get(neighbour.row())))
    }

    fn count_list(
        &self,
        node: NodeId,
        adjacency: &AdjacencyRef,
        csr: &CsrView<'_>,
        cx: &Context<'_>,
    ) -> Result<u64, ExecError> {
        let list = csr.list(node.row());
        if list.len == 0 {
            return Ok(0);
        }
        let plain = !adjacency.check_table && !adjacency.skip_loops;
        if plain
            && self.next.is_empty()
            && let Some(range) = &self.range
            && let Some(count) = count_in_range(range, adjacency, csr, list, cx)
        {
            return Ok(count);
        }
        if plain && self.predicate.is_none() {
            if self.next.is_empty() {
                return Ok(list.len as u64);
            }
            if let Some(table) = csr.nodes(list).table() {
                let Some(weights) = self.weights(table, cx)? else { return Ok(list.len as u64) };
                return Ok(weights.sum(csr, list).unwrap_or(MANY));
            }
        }
        let nodes = csr.nodes(list);
        let mut selection = Selection::All;
        if !plain {
            selection.retain(list.len, |i| {
                let n = nodes.id(i);
                (!adjacency.check_table || self.step.wants(n.table())) && !(adjacency.skip_loops && n == node)
            });
        }
        if let Some(predicate) = &self.predicate {
            let mut edges = Vec::with_capacity(list.len);
            adjacency.list_ids(&cx.reader, csr, node, list, &mut edges);
            selection =
                select(predicate, Edges::Ids(edges), copied(&nodes, list.len), list.len, selection, cx)?;
        }
        let mut sum = 0u64;
        for i in selection.to_vec(list.len) {
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

fn view<'a, 's>(cx: &'a Context<'s>, adjacency: &AdjacencyRef) -> Option<&'a AdjacencyView<'s>> {
    adjacency.view(&cx.reader)
}

/// Counts the edges of consecutive rows that pass a predicate on edge properties: the lists of a forward CSR
/// follow each other, so the property pages are read from end to end. `false`, and nothing done, where they
/// do not.
fn count_slots(
    adjacency: &AdjacencyRef,
    csr: &CsrView<'_>,
    predicate: &Ex,
    first: u64,
    out: &mut [u64],
    cx: &Context<'_>,
) -> Result<bool, ExecError> {
    let mut slots = vec![0; out.len() + 1];
    let in_order = csr.run(first, out.len()).is_some_and(|run| csr.is_in_order(run));
    if !in_order || csr.slots(first, &mut slots).is_none() {
        return Ok(false);
    }
    let mut at = 0;
    while at < out.len() {
        // As many whole lists as fill a vector.
        let start = slots[at];
        let mut end = at + 1;
        while end < out.len() && slots[end + 1] - start <= trimorph_vector::VECTOR_SIZE as u64 {
            end += 1;
        }
        let len = usize::try_from(slots[end] - start).unwrap_or(0);
        let edges = Edges::Slots { table: adjacency.edge_table, first: start, pages: PageStarts::NONE };
        let nodes = Nodes::Range(NodeId(0));
        let passed =
            if len == 0 { Selection::All } else { select(predicate, edges, nodes, len, Selection::All, cx)? };
        match passed {
            Selection::All => {
                for (i, o) in out[at..end].iter_mut().enumerate() {
                    *o = o.saturating_mul(csr.degree(first + (at + i) as u64));
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

/// The positions of a list that pass a predicate.
fn select<'s>(
    predicate: &Ex,
    edges: Edges<'s>,
    nodes: Nodes<'static>,
    len: usize,
    selection: Selection,
    cx: &Context<'s>,
) -> Result<Selection, ExecError> {
    let mut chunk = Chunk::with_slots(&[2]);
    let group = &mut chunk.groups[0];
    group.reset(len);
    group.selection = selection;
    group.vectors[EDGE_SLOT] = Vector::new(Values::Edge(edges));
    group.vectors[NODE_SLOT] = Vector::new(Values::Node(nodes));
    filter(predicate, &mut chunk, 0, cx)?;
    Ok(std::mem::take(&mut chunk.groups[0].selection))
}

/// Counting extend. For a node in a flat group the count becomes the multiplicity of `fresh`, a flat group of
/// its own: the node's group may stand still while others move.
pub(crate) struct CountExtend<'s> {
    pub(crate) child: BoxOperator<'s>,
    pub(crate) from: Place,
    pub(crate) fresh: Option<usize>,
    pub(crate) target: Arc<CountTarget>,
    /// Whether nobody above looks at the positions of the node's group, so that one may stand for all.
    pub(crate) whole: bool,
}

/// The count of the node at position `i` of a vector; 0 for null.
fn count_at(target: &CountTarget, from: &Vector<'_>, i: usize, cx: &Context<'_>) -> Result<u64, ExecError> {
    match &from.values {
        _ if from.is_null(i) => Ok(0),
        Values::Node(nodes) => target.count(nodes.id(i), cx),
        _ => match from.value(i, &|_| Value::Null) {
            Value::Node(n) => target.count(n, cx),
            _ => Ok(0),
        },
    }
}

impl<'s> CountExtend<'s> {
    /// Multiplies; gives whether anything is left.
    fn multiply(&self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if let Some(fresh) = self.fresh {
            let group = &chunk.groups[self.from.group];
            let vector = &group.vectors[self.from.slot];
            let count = count_at(&self.target, vector, group.flat.unwrap_or(0), cx)?;
            let group = &mut chunk.groups[fresh];
            group.reset(1);
            group.flat = Some(0);
            group.multiplicity = Some(vec![count]);
            return Ok(count > 0);
        }
        let group = &mut chunk.groups[self.from.group];
        let len = group.len;
        if self.whole
            && group.selection == Selection::All
            && group.multiplicity.is_none()
            && let Values::Node(Nodes::Range(first)) = group.vectors[self.from.slot].values
            && let Some(total) = self.target.total(first.table(), first.row(), len as u64, cx)
        {
            group.stand_for(total);
            return Ok(total > 0);
        }
        let mut counts = group.multiplicity.take().unwrap_or_else(|| vec![1; len]);
        let from = &group.vectors[self.from.slot];
        match &from.values {
            // Rows left out before have a count of 0 and keep it.
            Values::Node(Nodes::Range(first)) if group.selection.count(len) * 2 > len => {
                self.target.multiply_range(first.table(), first.row(), &mut counts, cx)?;
            }
            _ => {
                for k in 0..group.selection.count(len) {
                    let i = group.selection.position(k);
                    let count = count_at(&self.target, from, i, cx)?;
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

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self {
            child: self.child.fork(),
            from: self.from,
            fresh: self.fresh,
            target: Arc::clone(&self.target),
            whole: self.whole,
        })
    }
}
