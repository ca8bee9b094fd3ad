//! Expand into: edges between two bound nodes, found by binary search in the sorted list of one end. Where
//! rows that follow each other share the other end, that end's list is walked along with them instead; where
//! very many do, its neighbours become a set, and only those in it are searched.
//!
//! Source: GF-CL §7 (intersecting sorted lists for cyclic patterns).

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_store::access::{EdgeAccess, NodeSet};
use trimorph_store::neighbours::Walk;
use trimorph_vector::{Chunk, Edges, Selection, Values, Vector};

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// What is asked for. Without an edge variable each row's multiplicity is multiplied by the number of edges;
/// with one, rows repeat.
#[derive(Debug)]
pub(crate) struct ExpandIntoSpec {
    pub(crate) slots: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) keep: Vec<usize>,
    pub(crate) want_edge: bool,
    pub(crate) step: EdgeAccess,
    /// The same step seen from the other end.
    pub(crate) reversed: EdgeAccess,
}

/// Expand into.
pub(crate) struct ExpandInto<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<ExpandIntoSpec>,
    hub: Hub,
}

impl<'s> ExpandInto<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<ExpandIntoSpec>) -> Self {
        Self { child, inner: Chunk::with_slots(&[spec.slots]), spec, hub: Hub::default() }
    }
}

/// The node of the row before, and the walk along its list that begins with the second row.
#[derive(Default)]
struct Before<'r, 's> {
    node: Option<NodeId>,
    walk: Option<Walk<'r, 's>>,
}

impl<'r, 's> Before<'r, 's> {
    /// The number of edges from `node` to `target`, if `node` is the one of the row before and has one list.
    fn count(
        &mut self,
        cx: &'r Context<'s>,
        step: &'r EdgeAccess,
        node: NodeId,
        target: NodeId,
    ) -> Option<u64> {
        if self.node != Some(node) {
            *self = Self { node: Some(node), walk: None };
            return None;
        }
        if self.walk.is_none() {
            self.walk = Some(step.one(node.table(), &cx.reader)?.list(node).walk());
        }
        Some(self.walk.as_mut()?.count(target))
    }
}

/// A node that many rows on end ask about, and its neighbours.
#[derive(Default)]
struct Hub {
    node: Option<NodeId>,
    rows: usize,
    set: Option<NodeSet>,
}

/// Rows on end from which a set is thought of, and searches that pay for one word or one entry of it.
const HUB_ROWS_MIN: usize = 64;
const HUB_ROWS_PER_WORD: usize = 16;

impl Hub {
    /// Whether there may be an edge between `node`, seen by `step`, and `other`.
    #[inline]
    fn may_join(&mut self, cx: &Context<'_>, step: &EdgeAccess, node: NodeId, other: NodeId) -> bool {
        if self.node != Some(node) {
            *self = Self { node: Some(node), rows: 0, set: None };
        }
        self.rows += 1;
        if self.set.is_none() && self.rows >= HUB_ROWS_MIN && self.rows.is_power_of_two() {
            self.collect(cx, step, node);
        }
        self.set.as_ref().is_none_or(|set| set.contains(other))
    }

    fn collect(&mut self, cx: &Context<'_>, step: &EdgeAccess, node: NodeId) {
        let mut nodes = Vec::new();
        let mut price = 0;
        for list in step.lists(node, &cx.reader) {
            let target = list.target().map_or(u64::MAX, |t| cx.reader.rows(t));
            // One neighbour is cheap in any set.
            price += if list.len() > 1 { (target / 64).min(1 << 32) as usize + list.len() } else { 0 };
            if price > self.rows * HUB_ROWS_PER_WORD {
                return;
            }
            list.append(&mut nodes, None);
        }
        self.set = Some(nodes.into_iter().collect());
    }
}

impl<'s> Operator<'s> for ExpandInto<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let spec = &self.spec;
        while self.child.next(&mut self.inner, cx)? {
            cx.check()?;
            let group = &self.inner.groups[0];
            let (mut parents, mut edges, mut counts) = (Vec::new(), Vec::new(), Vec::new());
            let mut before = Before::default();
            for p in group.positions() {
                let i = p as usize;
                let (Some(from), Some(to)) =
                    (group.vectors[spec.from].node(i), group.vectors[spec.to].node(i))
                else {
                    continue;
                };
                if !spec.want_edge
                    && let Some(count) = before.count(cx, &spec.reversed, to, from)
                {
                    if count > 0 {
                        parents.push(p);
                        counts.push(count);
                    }
                    continue;
                }
                if !self.hub.may_join(cx, &spec.reversed, to, from) {
                    continue;
                }
                let mut count = 0u64;
                for neighbours in spec.step.neighbours(from.table(), &cx.reader) {
                    neighbours.between(from, to, spec.want_edge, |edge| {
                        count += 1;
                        if spec.want_edge {
                            edges.push(edge);
                            parents.push(p);
                        }
                    });
                }
                if !spec.want_edge && count > 0 {
                    parents.push(p);
                    counts.push(count);
                }
            }
            if parents.is_empty() {
                continue;
            }
            let out = &mut chunk.groups[0];
            out.reset(parents.len());
            out.selection = Selection::All;
            let weight = |k: usize| {
                let own = group.multiplicity_at(parents[k] as usize);
                own.saturating_mul(counts.get(k).copied().unwrap_or(1))
            };
            let multiplicity = (0..parents.len()).map(weight).collect::<Vec<_>>();
            out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
            for (slot, from) in spec.keep.iter().enumerate() {
                out.vectors[slot] = group.vectors[*from].gather(&parents);
            }
            if spec.want_edge {
                out.vectors[spec.keep.len()] = Vector::new(Values::Edge(Edges::Ids(edges)));
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}
