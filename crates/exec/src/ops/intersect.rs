//! Intersect: nodes reached from several bound nodes at once. The sorted lists are merged, the shortest
//! leading; where a list is much longer than the shortest it is searched, not walked. Where rows that follow
//! each other share one of the nodes, its neighbours are marked once, and the other lists are asked of the
//! marks. Parallel edges multiply.
//!
//! Source: GF-CL §7 (multiway intersection for cyclic patterns); worst-case optimal joins, Ngo et al. 2012.

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_store::access::EdgeAccess;
use trimorph_vector::{Chunk, Nodes, Values, Vector};

use super::marks::Marks;
use super::resolved::Resolved;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// What is intersected. Input slots `keep` become output slots `0..`; the node follows if it is wanted, else
/// each row is multiplied by the number of matches.
#[derive(Debug)]
pub(crate) struct IntersectSpec {
    pub(crate) slots: usize,
    pub(crate) lists: Vec<(usize, EdgeAccess)>,
    pub(crate) keep: Vec<usize>,
    pub(crate) want_node: bool,
}

/// Intersect over rows of one group.
pub(crate) struct Intersect<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<IntersectSpec>,
    rest: Vec<u32>,
    cursor: usize,
    /// Of each list, the node of each row of `rest`: read once, and asked for several times.
    nodes: Vec<Vec<Option<NodeId>>>,
    /// The list whose node most rows share with the row before.
    shared: usize,
    marks: Marks,
    buffers: Vec<Vec<NodeId>>,
}

/// Neighbours gathered between two looks at the flag that cancels.
const NODES_UNCHECKED: usize = 1 << 18;

impl<'s> Intersect<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<IntersectSpec>) -> Self {
        let buffers = vec![Vec::new(); spec.lists.len()];
        let inner = Chunk::with_slots(&[spec.slots]);
        let nodes = vec![Vec::new(); spec.lists.len()];
        let (rest, marks) = (Vec::new(), Marks::default());
        Self { child, inner, spec, rest, cursor: 0, nodes, shared: 0, marks, buffers }
    }

    /// The node that a list is of at a place among the rows.
    fn node(&self, list: usize, place: usize) -> Option<NodeId> {
        self.nodes[list][place]
    }

    /// Reads the nodes of the rows.
    fn read_nodes(&mut self) {
        let vectors = &self.inner.groups[0].vectors;
        for ((slot, _), nodes) in self.spec.lists.iter().zip(&mut self.nodes) {
            nodes.clear();
            nodes.extend(self.rest.iter().map(|row| vectors[*slot].node(*row as usize)));
        }
    }

    /// The list whose node changes least from row to row.
    fn most_shared(&self) -> usize {
        let shared = |list: usize| self.nodes[list].windows(2).filter(|pair| pair[0] == pair[1]).count();
        (0..self.spec.lists.len()).max_by_key(|list| shared(*list)).unwrap_or(0)
    }

    /// Fills the buffers of all lists but `without` with the sorted neighbours of the nodes of the row at the
    /// cursor; `false` if one is empty.
    fn fill<'c>(
        &mut self,
        without: Option<usize>,
        steps: &mut [Resolved<'c, 's>],
        cx: &'c Context<'s>,
    ) -> bool {
        // Two lists need no order where one of them is marked.
        let is_alone = without.is_some() && steps.len() == 2;
        for (list, step) in steps.iter_mut().enumerate() {
            if Some(list) == without {
                continue;
            }
            let Some(node) = self.node(list, self.cursor) else { return false };
            let out = &mut self.buffers[list];
            out.clear();
            let adjacencies = step.of(node.table(), cx);
            for neighbours in adjacencies {
                neighbours.append(node, out, None);
            }
            if adjacencies.len() > 1 && !is_alone {
                out.sort_unstable();
            }
            if out.is_empty() {
                return false;
            }
        }
        true
    }

    /// Marks the neighbours of the node that row `self.cursor` shares with the next rows; `false` if it
    /// shares none, or these are too few for it.
    fn mark(&mut self, spec: &IntersectSpec, cx: &Context<'s>) -> Result<bool, ExecError> {
        let Some(node) = self.node(self.shared, self.cursor) else { return Ok(false) };
        if self.marks.are_of(node) {
            return Ok(true);
        }
        if self.nodes[self.shared].get(self.cursor + 1) != Some(&Some(node)) {
            return Ok(false);
        }
        self.marks.set(node, &spec.lists[self.shared].1, cx)
    }

    /// Calls `visit` with each common node of row `self.cursor`, and how often it stands in all lists.
    fn row<'c>(
        &mut self,
        spec: &IntersectSpec,
        steps: &mut [Resolved<'c, 's>],
        cx: &'c Context<'s>,
        mut visit: impl FnMut(NodeId, u64),
    ) -> Result<(), ExecError> {
        if !self.mark(spec, cx)? {
            if self.fill(None, steps, cx) {
                // Most have two: nothing is allocated for them.
                if let [a, b] = &self.buffers[..] {
                    common(&if a.len() <= b.len() { [a, b] } else { [b, a] }, visit);
                } else {
                    let mut lists: Vec<&Vec<NodeId>> = self.buffers.iter().collect();
                    lists.sort_by_key(|list| list.len());
                    common(&lists, visit);
                }
            }
            return Ok(());
        }
        if !self.fill(Some(self.shared), steps, cx) {
            return Ok(());
        }
        let marks = &self.marks;
        let mut asked = |node: NodeId, count: u64| {
            let marked = marks.count(node);
            if marked > 0 {
                visit(node, count.saturating_mul(marked));
            }
        };
        if let [a, b] = &self.buffers[..] {
            let only = if self.shared == 0 { b } else { a };
            only.iter().for_each(|node| asked(*node, 1));
        } else {
            let mut lists: Vec<&Vec<NodeId>> = self.buffers.iter().collect();
            lists.remove(self.shared);
            lists.sort_by_key(|list| list.len());
            common(&lists, asked);
        }
        Ok(())
    }
}

/// A list that is this many times as long as another is searched for it, not walked.
const SEARCHED: usize = 16;

/// Calls `visit` with each common node and the product of how often it stands in each list. Lists are sorted,
/// shortest first.
fn common(lists: &[&Vec<NodeId>], visit: impl FnMut(NodeId, u64)) {
    match lists {
        [a, b] if b.len() <= a.len().saturating_mul(SEARCHED) => common_of_two(a, b, visit),
        lists => common_of_many(lists, visit),
    }
}

/// The same for two lists of about one length: no branch on which is behind.
fn common_of_two(a: &[NodeId], b: &[NodeId], mut visit: impl FnMut(NodeId, u64)) {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x == y {
            let times = |list: &[NodeId], at: usize| {
                let mut end = at + 1;
                while list.get(end) == Some(x) {
                    end += 1;
                }
                end - at
            };
            let (m, n) = (times(a, i), times(b, j));
            // Lists have fewer than 2^32 edges.
            visit(*x, m as u64 * n as u64);
            (i, j) = (i + m, j + n);
        } else {
            i += usize::from(x < y);
            j += usize::from(y < x);
        }
    }
}

fn common_of_many(lists: &[&Vec<NodeId>], mut visit: impl FnMut(NodeId, u64)) {
    let [first, rest @ ..] = lists else { return };
    let mut at = vec![0usize; rest.len()];
    let mut i = 0;
    while i < first.len() {
        let node = first[i];
        let mut end = i + 1;
        while end < first.len() && first[end] == node {
            end += 1;
        }
        let mut count = (end - i) as u64;
        i = end;
        for (list, at) in rest.iter().zip(&mut at) {
            if list.len() > first.len().saturating_mul(SEARCHED) {
                *at += list[*at..].partition_point(|n| *n < node);
            } else {
                while *at < list.len() && list[*at] < node {
                    *at += 1;
                }
            }
            let start = *at;
            while *at < list.len() && list[*at] == node {
                *at += 1;
            }
            count = count.saturating_mul((*at - start) as u64);
            if count == 0 {
                break;
            }
        }
        if count > 0 {
            visit(node, count);
        }
    }
}

impl<'s> Operator<'s> for Intersect<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (room, spec) = (cx.settings.vector_size, Arc::clone(&self.spec));
        let mut steps: Vec<Resolved<'_, 's>> =
            spec.lists.iter().map(|(_, step)| Resolved::new(step)).collect();
        loop {
            if self.cursor >= self.rest.len() {
                cx.check()?;
                if !self.child.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                self.read_nodes();
                self.shared = self.most_shared();
                self.cursor = 0;
            }
            let (mut parents, mut nodes, mut counts) = (Vec::new(), Vec::new(), Vec::new());
            let (want_node, mut looked) = (spec.want_node, 0);
            while self.cursor < self.rest.len() && counts.len() < room {
                let (row, mut total) = (self.rest[self.cursor], 0u64);
                self.row(&spec, &mut steps, cx, |node, count| match want_node {
                    true => {
                        parents.push(row);
                        nodes.push(node);
                        counts.push(count);
                    }
                    false => total = total.saturating_add(count),
                })?;
                if total > 0 {
                    parents.push(row);
                    counts.push(total);
                }
                self.cursor += 1;
                looked += self.buffers.iter().map(Vec::len).sum::<usize>();
                if looked > NODES_UNCHECKED {
                    cx.check()?;
                    looked = 0;
                }
            }
            if parents.is_empty() {
                continue;
            }
            let group = &self.inner.groups[0];
            let out = &mut chunk.groups[0];
            out.reset(parents.len());
            let multiplicity = (parents.iter().zip(&counts))
                .map(|(p, c)| group.multiplicity_at(*p as usize).saturating_mul(*c))
                .collect::<Vec<_>>();
            out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
            for (slot, from) in spec.keep.iter().enumerate() {
                out.vectors[slot] = group.vectors[*from].gather(&parents);
            }
            if spec.want_node {
                let table = spec.lists.iter().find_map(|(_, step)| step.target());
                out.vectors[spec.keep.len()] = Vector::new(Values::Node(Nodes::Ids { table, ids: nodes }));
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        self.cursor = 0;
    }
}
