//! Node scan: a morsel at a time from the shared dispenser, a vector at a time from the morsel. The group's
//! node vector is a range: nothing is read.

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_store::access::{Morsels, Prune};
use trimorph_vector::{Chunk, Nodes, Values, Vector};

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Scan of node tables.
pub(crate) struct NodeScan {
    pub(crate) group: usize,
    pub(crate) slot: usize,
    pub(crate) morsels: Arc<Morsels>,
    pub(crate) prune: Arc<[Prune]>,
    current: Option<(NodeId, usize)>,
}

impl NodeScan {
    pub(crate) fn new(group: usize, slot: usize, morsels: Morsels, prune: Vec<Prune>) -> Self {
        Self { group, slot, morsels: Arc::new(morsels), prune: prune.into(), current: None }
    }
}

impl<'s> Operator<'s> for NodeScan {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        cx.check()?;
        let Some((first, left)) = self.current.take().or_else(|| self.morsels.next(&cx.reader, &self.prune))
        else {
            return Ok(false);
        };
        let len = left.min(cx.settings.vector_size);
        if len < left {
            self.current = Some((NodeId(first.0 + len as u64), left - len));
        }
        let group = &mut chunk.groups[self.group];
        group.reset(len);
        group.vectors[self.slot] = Vector::new(Values::Node(Nodes::Range(first)));
        Ok(true)
    }

    fn reset(&mut self) {
        self.morsels.reset();
        self.current = None;
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self {
            group: self.group,
            slot: self.slot,
            morsels: Arc::clone(&self.morsels),
            prune: Arc::clone(&self.prune),
            current: None,
        })
    }
}
