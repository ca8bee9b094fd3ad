//! `nodes(path)` of the parts of a path that nobody made: the nodes between two steps are known, those within
//! a walk are the other ends of its relationships.
//!
//! Hot loop: an id a node, and the ends of a relationship for each node within a walk.

use trimorph_base::{EdgeId, NodeId};
use trimorph_types::{Relationship, Value};
use trimorph_vector::{Edges, Lists, Nodes, Nulls, Values, Vector};

use super::evaluated::{Evaluated, Over};
use crate::Context;

/// Nodes that are made for a chunk at most: what would make more is left to the evaluator of rows, which
/// charges them.
const NODES_MAX: usize = 1 << 18;

/// One part of a path.
enum Part<'a, 's> {
    Nodes(&'a Nodes<'s>, &'a Nulls),
    Node(NodeId),
    /// A single step.
    Step(&'a Nulls),
    SameStep,
    Walks(&'a Lists<'s>, &'a Edges<'s>, &'a Nulls),
}

impl<'a, 's> Part<'a, 's> {
    fn of(part: &'a Evaluated<'_, 's>) -> Option<Self> {
        let vector = match part {
            Evaluated::Const(Value::Node(node)) => return Some(Self::Node(*node)),
            Evaluated::Const(Value::Relationship(_)) => return Some(Self::SameStep),
            part => part.vector()?,
        };
        match &vector.values {
            Values::Node(nodes) => Some(Self::Nodes(nodes, &vector.nulls)),
            Values::Edge(_) => Some(Self::Step(&vector.nulls)),
            Values::List(lists) => match &lists.child().values {
                Values::Edge(edges) => Some(Self::Walks(lists, edges, &vector.nulls)),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_null(&self, i: usize) -> bool {
        match self {
            Self::Nodes(_, nulls) | Self::Step(nulls) | Self::Walks(_, _, nulls) => nulls.get(i),
            Self::Node(_) | Self::SameStep => false,
        }
    }
}

/// The other end of a relationship; `None` where there was never such a one.
fn other_end(edge: EdgeId, node: NodeId, cx: &Context<'_>) -> Option<NodeId> {
    match cx.edge_value(edge) {
        Value::Relationship(Relationship { start, end, .. }) => Some(if start == node { end } else { start }),
        _ => None,
    }
}

/// The nodes of each path of these parts: a node, then a step or a walk and the node that it leads to, as
/// often as there are. `None` where they are made row by row.
pub(super) fn path_nodes<'s>(
    parts: &[Evaluated<'_, 's>],
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    let parts: Vec<Part<'_, 's>> = parts.iter().map(Part::of).collect::<Option<_>>()?;
    let (mut out, mut nulls) = (Vec::new(), Nulls::NONE);
    let mut runs = vec![(0u32, 0u32); over.at.len];
    let mut is_known = true;
    over.at.for_each(|i| {
        if !is_known {
            return;
        }
        if parts.iter().any(|part| part.is_null(i)) {
            nulls.set(i, over.at.len);
            return;
        }
        let first = out.len();
        // Whether the next node is that of the last walk, which has no steps.
        let mut is_there = false;
        for part in &parts {
            match part {
                Part::Nodes(..) | Part::Node(_) if is_there => is_there = false,
                Part::Nodes(nodes, _) => out.push(nodes.id(i)),
                Part::Node(node) => out.push(*node),
                Part::Step(_) | Part::SameStep => {}
                Part::Walks(lists, edges, _) => {
                    let run = lists.elements(i);
                    is_there = run.is_empty();
                    for e in run.start..run.end.saturating_sub(1).max(run.start) {
                        let here = out.last().copied().unwrap_or(NodeId(0));
                        match other_end(edges.id(e as usize), here, cx) {
                            Some(node) => out.push(node),
                            None => is_known = false,
                        }
                    }
                }
            }
        }
        is_known &= out.len() <= NODES_MAX;
        // Fewer than NODES_MAX.
        runs[i] = (first as u32, (out.len() - first) as u32);
    });
    if !is_known {
        return None;
    }
    let table = out.first().map(|node| node.table());
    let table = table.filter(|table| out.iter().all(|node| node.table() == *table));
    let lists = Lists::new(runs.into_iter(), Vector::new(Values::Node(Nodes::Ids { table, ids: out })))?;
    Some(Vector { values: Values::List(lists), nulls })
}
