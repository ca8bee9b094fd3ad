//! Breadth first from one node: each node reachable once, or the shortest paths.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use trimorph_algebra::ShortestKind;
use trimorph_base::{EdgeId, NodeId};

use super::Steps;
use crate::{Context, ExecError};

/// Nodes found, with the edges that lead there.
pub(super) type Found = VecDeque<(NodeId, Vec<EdgeId>)>;

/// For each node seen, its distance and the edges by which shortest paths reach it.
type Seen = FxHashMap<NodeId, (u32, Vec<(EdgeId, NodeId)>)>;

/// Each node reached by at least `min` (0 or 1) and at most `max` edges, once.
pub(super) fn reach<'s>(
    start: NodeId,
    row: u32,
    target: Option<NodeId>,
    steps: &mut Steps<'s>,
    cx: &Context<'s>,
) -> Result<Found, ExecError> {
    let mut found = Found::new();
    let mut seen = FxHashSet::default();
    let mut frontier = vec![start];
    if steps.spec.min == 0 {
        seen.insert(start);
        if steps.spec.ends_well(start, target) {
            found.push_back((start, Vec::new()));
        }
    }
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let mut depth = 0;
    while !frontier.is_empty() && depth < steps.spec.max {
        cx.check()?;
        depth += 1;
        let mut next = Vec::new();
        for node in frontier {
            nodes.clear();
            edges.clear();
            steps.candidates(node, row, cx, &mut nodes, &mut edges)?;
            for neighbour in nodes.iter().copied() {
                if seen.insert(neighbour) {
                    next.push(neighbour);
                    if steps.spec.ends_well(neighbour, target) {
                        found.push_back((neighbour, Vec::new()));
                    }
                }
            }
        }
        frontier = next;
    }
    Ok(found)
}

/// Shortest paths from `start` to `target`, or to every node where there is no target.
pub(super) fn shortest<'s>(
    start: NodeId,
    row: u32,
    target: Option<NodeId>,
    kind: ShortestKind,
    steps: &mut Steps<'s>,
    cx: &Context<'s>,
) -> Result<Found, ExecError> {
    let mut found = Found::new();
    let mut seen = Seen::default();
    seen.insert(start, (0, Vec::new()));
    if steps.spec.min == 0 && steps.spec.ends_well(start, target) {
        found.push_back((start, Vec::new()));
        if target.is_some() {
            return Ok(found);
        }
    }
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let mut frontier = vec![start];
    let mut depth = 0;
    while !frontier.is_empty() && depth < steps.spec.max {
        cx.check()?;
        depth += 1;
        let mut next = Vec::new();
        for node in frontier {
            nodes.clear();
            edges.clear();
            steps.candidates(node, row, cx, &mut nodes, &mut edges)?;
            for (edge, neighbour) in edges.iter().copied().zip(nodes.iter().copied()) {
                match seen.get_mut(&neighbour) {
                    None => {
                        seen.insert(neighbour, (depth, vec![(edge, node)]));
                        next.push(neighbour);
                    }
                    Some((at, parents)) if *at == depth && kind == ShortestKind::All => {
                        parents.push((edge, node))
                    }
                    Some(_) => {}
                }
            }
        }
        for node in &next {
            if steps.spec.ends_well(*node, target) && depth >= steps.spec.min {
                trace(&seen, *node, start, &mut Vec::new(), &mut |path| found.push_back((*node, path)));
            }
        }
        if target.is_some_and(|t| seen.contains_key(&t)) {
            break;
        }
        frontier = next;
    }
    Ok(found)
}

/// All ways back from `node` to `start`, as edges from the start on.
fn trace(
    seen: &Seen,
    node: NodeId,
    start: NodeId,
    tail: &mut Vec<EdgeId>,
    give: &mut dyn FnMut(Vec<EdgeId>),
) {
    if node == start {
        give(tail.iter().rev().copied().collect());
        return;
    }
    for (edge, parent) in seen.get(&node).map_or(&[][..], |(_, parents)| parents) {
        tail.push(*edge);
        trace(seen, *parent, start, tail, give);
        tail.pop();
    }
}
