//! Semi-join filter: tuples whose node is in a set, or is not. The set is what another plan gives, found
//! once, by whichever twin asks first; asking it is one load a tuple, whatever finding it took.
//!
//! Source: design §7 (semi-join filters); Poseidon §6.1 (frontiers as bit vectors).

use std::sync::{Arc, OnceLock};

use trimorph_base::{NodeId, Reservation};
use trimorph_store::access::NodeSet;
use trimorph_vector::{Chunk, Selection, Values};

use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// The set, found by whichever twin asks first.
#[derive(Clone, Default)]
pub(crate) struct SharedSet(Arc<OnceLock<Result<(NodeSet, Reservation), ExecError>>>);

/// What is asked, and where the set's nodes are: chunks of one group, the node in `slot`.
#[derive(Debug)]
pub(crate) struct SemiJoinSpec {
    pub(crate) place: Place,
    pub(crate) slots: usize,
    pub(crate) slot: usize,
    /// Whether tuples are kept whose node is not in the set, or null.
    pub(crate) anti: bool,
}

/// Semi-join filter.
pub(crate) struct SemiJoin<'s> {
    child: BoxOperator<'s>,
    /// Gives the set.
    build: BoxOperator<'s>,
    spec: Arc<SemiJoinSpec>,
    set: SharedSet,
}

impl<'s> SemiJoin<'s> {
    pub(crate) fn new(
        child: BoxOperator<'s>,
        build: BoxOperator<'s>,
        spec: Arc<SemiJoinSpec>,
        set: SharedSet,
    ) -> Self {
        Self { child, build, spec, set }
    }

    fn build(
        build: &mut BoxOperator<'s>,
        slots: usize,
        slot: usize,
        cx: &Context<'s>,
    ) -> Result<(NodeSet, Reservation), ExecError> {
        let mut chunk = Chunk::with_slots(&[slots]);
        let mut set = NodeSet::default();
        let mut held = cx.settings.budget.reservation();
        while build.next(&mut chunk, cx)? {
            cx.check()?;
            let group = &chunk.groups[0];
            let vector = &group.vectors[slot];
            for p in group.positions() {
                if let Some(node) = vector.node(p as usize) {
                    set.insert(node);
                }
            }
            held.resize(set.bytes())?;
        }
        Ok((set, held))
    }
}

impl<'s> Operator<'s> for SemiJoin<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (shared, build) = (&self.set, &mut self.build);
        let set = match cx
            .settings
            .workers
            .once(&shared.0, || Self::build(build, self.spec.slots, self.spec.slot, cx))
        {
            Ok((set, _)) => set,
            Err(e) => return Err(e.clone()),
        };
        let anti = self.spec.anti;
        if set.is_empty() && !anti {
            return Ok(false);
        }
        while self.child.next(chunk, cx)? {
            cx.check()?;
            let group = &mut chunk.groups[self.spec.place.group];
            let vector = &group.vectors[self.spec.place.slot];
            if let Some(position) = group.flat {
                if vector.node(position).is_some_and(|n| set.contains(n)) != anti {
                    return Ok(true);
                }
                continue;
            }
            let mut kept = Vec::new();
            match &vector.values {
                Values::Node(nodes) if vector.nulls.is_none() => {
                    let words = nodes.table().map(|t| set.words(t));
                    let mut visit = |i: usize, n: NodeId| {
                        let inside = match words {
                            Some(words) => {
                                words.get(n.row() as usize / 64).is_some_and(|w| w >> (n.row() % 64) & 1 == 1)
                            }
                            None => set.contains(n),
                        };
                        if inside != anti {
                            kept.push(u32::try_from(i).unwrap_or(u32::MAX));
                        }
                    };
                    match &group.selection {
                        Selection::All => nodes.for_each(0..group.len, &mut visit),
                        Selection::List(list) => nodes.for_each(list.iter().map(|i| *i as usize), &mut visit),
                    }
                }
                _ => group.selection.for_each(group.len, |i| {
                    if vector.node(i).is_some_and(|n| set.contains(n)) != anti {
                        kept.push(u32::try_from(i).unwrap_or(u32::MAX));
                    }
                }),
            }
            if kept.is_empty() {
                continue;
            }
            if kept.len() < group.selection.count(group.len) {
                group.selection = Selection::List(kept);
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        // The set depends on nothing that changes between the arguments of a subplan.
        self.child.reset();
    }
}
