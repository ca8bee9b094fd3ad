//! Expand into: edges between two bound nodes, found by binary search in the sorted list of one end. An end
//! that has one edge at most is asked for it, of all rows at once where it can be. Where rows that follow
//! each other share an end, its neighbours are marked, and only what is marked is searched, or, where nobody
//! looks at the edge, just counted.
//!
//! Source: GF-CL §7 (intersecting sorted lists for cyclic patterns).

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};
use trimorph_store::access::EdgeAccess;
use trimorph_store::neighbours::Neighbours;
use trimorph_vector::{Chunk, Edges, Group, Selection, Values, Vector};

use super::marks::Marks;
use super::resolved::Resolved;
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
    /// Of the end that rows share, by which end that is.
    marks: [Marks; 2],
}

/// A row, the node whose edges are asked, and the other.
type Asked = (u32, NodeId, NodeId);

/// What is there: rows, with the edge, or with the number of edges.
#[derive(Default)]
struct Found {
    rows: Vec<u32>,
    edges: Vec<EdgeId>,
    counts: Vec<u64>,
}

/// Rows that share a node from which on its neighbours may be marked, and neighbours that pay for one row: a
/// search takes as long as marking some twenty.
const SHARED_MIN: usize = 4;
const MARKED_PER_ROW: usize = 16;
/// Rows of a chunk whose lists are looked at, and how much shorter lists must be for their end to be asked:
/// as those of messages, which have a like each, are beside those of persons, who gave two hundred.
const SAMPLES: usize = 32;
const SHORTER: usize = 4;

impl<'s> ExpandInto<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<ExpandIntoSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        Self { child, inner, spec, marks: Default::default() }
    }

    /// The rows as they are asked, and whether from the other end: where that has one edge at most and this
    /// end has not, or else where more rows share it with the row before, or, where few share any, where its
    /// lists are far shorter.
    fn asked(&self, cx: &Context<'s>) -> (Vec<Asked>, bool) {
        let (spec, group) = (&self.spec, &self.inner.groups[0]);
        let ends = [spec.from, spec.to].map(|slot| &group.vectors[slot]);
        let positions = group.positions().into_iter().map(|p| (p, p as usize));
        let mut asked: Vec<Asked> = match ends.map(|end| (&end.values, end.nulls.is_none())) {
            [(Values::Node(from), true), (Values::Node(to), true)] => {
                positions.map(|(p, i)| (p, from.id(i), to.id(i))).collect()
            }
            _ => positions.filter_map(|(p, i)| Some((p, ends[0].node(i)?, ends[1].node(i)?))).collect(),
        };
        let Some((_, from, to)) = asked.first().copied() else { return (asked, false) };
        let is_single = |step: &EdgeAccess, node: NodeId| {
            step.neighbours(node.table(), &cx.reader).all(|along| along.is_single())
        };
        let turned = if is_single(&spec.step, from) {
            false
        } else if is_single(&spec.reversed, to) {
            true
        } else {
            let shared = asked.windows(2).fold((0, 0), |(a, b), rows| {
                (a + usize::from(rows[0].1 == rows[1].1), b + usize::from(rows[0].2 == rows[1].2))
            });
            let is_shared = shared.0.max(shared.1) * MARKED_PER_ROW > asked.len();
            shared.1 > shared.0 && is_shared || !is_shared && self.is_shorter(&asked, cx)
        };
        if turned {
            asked.iter_mut().for_each(|(_, from, to)| std::mem::swap(from, to));
        }
        (asked, turned)
    }

    /// Whether the lists of the other end are far shorter, by those of a few rows: to be searched, they are
    /// read as a whole.
    fn is_shorter(&self, asked: &[Asked], cx: &Context<'s>) -> bool {
        let (mut here, mut there) = (Resolved::new(&self.spec.step), Resolved::new(&self.spec.reversed));
        let mut lens = (0, 0);
        for (_, from, to) in asked.iter().step_by((asked.len() / SAMPLES).max(1)) {
            let len = |along: &[Neighbours<'_, '_>], node| {
                along.iter().map(|along| along.list(node).len()).sum::<usize>()
            };
            lens.0 += len(here.of(from.table(), cx), *from);
            lens.1 += len(there.of(to.table(), cx), *to);
        }
        lens.1 * SHORTER < lens.0
    }

    /// What is there where one end has one edge at most, nobody wants the edge, and nodes are of one table:
    /// the neighbours of all are read at once and compared.
    fn find_single(&self, cx: &Context<'s>) -> Option<Found> {
        let (spec, group) = (&self.spec, &self.inner.groups[0]);
        let one_way = |from: usize, to: usize, step: &EdgeAccess| {
            let (from, to) = (&group.vectors[from], &group.vectors[to]);
            let (Values::Node(nodes), Values::Node(others)) = (&from.values, &to.values) else { return None };
            let along = step.one(nodes.table()?, &cx.reader).filter(|along| along.is_single())?;
            if !from.nulls.is_none() || !to.nulls.is_none() {
                return None;
            }
            let mut neighbours = vec![NodeId(0); group.len];
            let mut rows = along.singles(nodes, &group.positions(), &mut neighbours);
            rows.retain(|row| neighbours[*row as usize] == others.id(*row as usize));
            Some(Found { rows, ..Found::default() })
        };
        if spec.want_edge {
            return None;
        }
        one_way(spec.from, spec.to, &spec.step).or_else(|| one_way(spec.to, spec.from, &spec.reversed))
    }

    fn find(&mut self, asked: &[Asked], turned: bool, cx: &Context<'s>) -> Result<Found, ExecError> {
        let spec = &self.spec;
        let step = if turned { &spec.reversed } else { &spec.step };
        let (mut found, mut resolved) = (Found::default(), Resolved::new(step));
        let marks = &mut self.marks[usize::from(turned)];
        for shared in asked.chunk_by(|a, b| a.1 == b.1) {
            let node = shared[0].1;
            let along = resolved.of(node.table(), cx);
            if !marks.are_of(node) && shared.len() >= SHARED_MIN {
                cx.check()?;
                let edges: usize = along.iter().map(|along| along.list(node).len()).sum();
                if edges > 1 && edges <= shared.len().saturating_mul(MARKED_PER_ROW) {
                    marks.set(node, step, cx)?;
                }
            }
            if !marks.are_of(node) {
                shared.iter().for_each(|row| found.search(row, along, spec.want_edge));
                continue;
            }
            for row in shared {
                let count = marks.count(row.2);
                match spec.want_edge {
                    _ if count == 0 => {}
                    true => found.search(row, along, true),
                    false => {
                        found.rows.push(row.0);
                        found.counts.push(count);
                    }
                }
            }
        }
        Ok(found)
    }

    fn put(&self, found: Found, out: &mut Group<'s>) {
        let (group, spec, rows) = (&self.inner.groups[0], &self.spec, &found.rows);
        out.reset(rows.len());
        out.selection = Selection::All;
        let weight = |k: usize| {
            let own = group.multiplicity_at(rows[k] as usize);
            own.saturating_mul(found.counts.get(k).copied().unwrap_or(1))
        };
        let multiplicity = (0..rows.len()).map(weight).collect::<Vec<_>>();
        out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
        for (slot, from) in spec.keep.iter().enumerate() {
            out.vectors[slot] = group.vectors[*from].gather(rows);
        }
        if spec.want_edge {
            out.vectors[spec.keep.len()] = Vector::new(Values::Edge(Edges::Ids(found.edges)));
        }
    }
}

impl Found {
    /// Looks for the edges of one row.
    #[inline]
    fn search(&mut self, (row, node, other): &Asked, along: &[Neighbours<'_, '_>], want_edge: bool) {
        let mut count = 0u64;
        for along in along {
            along.between(*node, *other, want_edge, |edge| {
                count += 1;
                if want_edge {
                    self.edges.push(edge);
                    self.rows.push(*row);
                }
            });
        }
        if !want_edge && count > 0 {
            self.rows.push(*row);
            self.counts.push(count);
        }
    }
}

impl<'s> Operator<'s> for ExpandInto<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.child.next(&mut self.inner, cx)? {
            cx.check()?;
            let found = match self.find_single(cx) {
                Some(found) => found,
                None => {
                    let (asked, turned) = self.asked(cx);
                    self.find(&asked, turned, cx)?
                }
            };
            if !found.rows.is_empty() {
                self.put(found, &mut chunk.groups[0]);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}
