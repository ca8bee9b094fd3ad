//! The nodes of all trees, by number: taken, given back and taken again, never returned to the system while
//! the arena lives.
//!
//! So a reader that is late reads a node that has become another one, and its check of the version fails; it
//! never reads freed memory.

use std::sync::{Mutex, PoisonError};

use super::node::Node;
use crate::chunks::Chunks;

/// Nodes in the first chunks.
const FIRST: u32 = 16;

/// The nodes of all trees.
#[derive(Debug)]
pub(crate) struct Arena<const F: usize> {
    nodes: Chunks<Node<F>, FIRST>,
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    /// Given back.
    nodes: Vec<u32>,
    /// The first that was never taken.
    fresh: u32,
}

impl<const F: usize> Default for Arena<F> {
    fn default() -> Self {
        let arena = Self { nodes: Chunks::default(), free: Mutex::default() };
        // The model checker knows nothing of a chunk that is made meanwhile.
        #[cfg(loom)]
        (0..FIRST).for_each(|number| drop(arena.node(number).header()));
        arena
    }
}

impl<const F: usize> Arena<F> {
    /// Bytes of a node.
    pub(crate) const NODE_BYTES: usize = size_of::<Node<F>>();

    /// A node by its number.
    #[inline]
    pub(super) fn node(&self, number: u32) -> &Node<F> {
        self.nodes.get(number)
    }

    /// A node that is in no tree.
    pub(super) fn take(&self) -> u32 {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.nodes.pop().unwrap_or_else(|| {
            free.fresh += 1;
            free.fresh - 1
        })
    }

    /// Gives back a node that is in no tree any more.
    pub(super) fn give_back(&self, number: u32) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).nodes.push(number);
    }

    /// Nodes that were in trees.
    pub(crate) fn spare(&self) -> usize {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).nodes.len()
    }

    /// Nodes that are in trees.
    pub(crate) fn in_use(&self) -> usize {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.fresh as usize - free.nodes.len()
    }
}
