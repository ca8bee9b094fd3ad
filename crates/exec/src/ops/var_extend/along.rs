//! Walks along a list of relationships that is there: from the row's node over each of them in turn, if they
//! connect, fit the pattern and are different. There is one such walk at most.

use rustc_hash::FxHashSet;
use trimorph_base::{Diagnostic, ErrorKind, NodeId};
use trimorph_store::access::AdjacencyRef;
use trimorph_types::{Relationship, Value};

use super::answers::Answers;
use super::steps::{Candidates, Steps};
use crate::{Context, ExecError};

/// The relationships of a list; none where one is null.
fn relationships(list: &Value) -> Result<Option<Vec<Relationship>>, Diagnostic> {
    let wrong = |value: &Value| {
        let found = value.logical_type().name();
        let text = format!("a bound variable-length relationship is a list of relationships, not of {found}");
        Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text)
    };
    let Value::List(items) = list else {
        return if list.is_null() { Ok(None) } else { Err(wrong(list)) };
    };
    let mut out = Vec::with_capacity(items.len());
    for item in items.iter() {
        match item {
            Value::Relationship(r) => out.push(*r),
            Value::Null => return Ok(None),
            other => return Err(wrong(other)),
        }
    }
    Ok(Some(out))
}

/// Where a relationship leads from `node`, walked as the pattern allows.
fn over(r: &Relationship, node: NodeId, adjacencies: &[AdjacencyRef]) -> Option<NodeId> {
    let is_walked = |forward: bool| {
        adjacencies.iter().any(|a| a.edge_table == r.id.table().0 as usize && a.forward == forward)
    };
    if r.start == node && is_walked(true) {
        return Some(r.end);
    }
    (r.end == node && is_walked(false)).then_some(r.start)
}

/// Gives the walk from `node` along `list`.
pub(super) fn walk_along<'s>(
    list: &Value,
    (row, node): (u32, NodeId),
    target: Option<NodeId>,
    steps: &mut Steps<'s>,
    answers: &mut Answers,
    cx: &Context<'s>,
) -> Result<(), ExecError> {
    let Some(mut list) = relationships(list)? else { return Ok(()) };
    let (min, max) = (steps.spec.min as usize, steps.spec.max as usize);
    if list.len() < min || list.len() > max {
        return Ok(());
    }
    if steps.spec.reversed {
        list.reverse();
    }
    let mut here = node;
    let (mut taken, mut walked) = (FxHashSet::default(), Candidates::default());
    for r in &list {
        steps.look(1, cx)?;
        let next = over(r, here, &steps.spec.step.by_table[here.table().0 as usize]);
        match next.filter(|_| taken.insert(r.id)) {
            Some(next) => here = next,
            None => return Ok(()),
        }
        walked.nodes.push(here);
        walked.edges.push(r.id);
    }
    steps.keep_passing(0, row, cx, &mut walked)?;
    if walked.edges.len() == list.len() && target.is_none_or(|t| t == here) && steps.spec.ends_well(here) {
        answers.push(here, list.iter().map(|r| r.id), steps, cx)?;
    }
    Ok(())
}
