//! The nodes of all trees, by number: taken, given back and taken again, never returned to the system while
//! the arena lives.
//!
//! So a reader that is late reads a node that has become another one, and its check of the version fails; it
//! never reads freed memory.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::node::Node;

/// Nodes in the first chunk; each chunk has twice as many as the one before.
const FIRST: u32 = 16;
/// Chunks for as many nodes as a 32-bit number names.
const CHUNKS: usize = 29;

/// The nodes of all trees.
#[derive(Debug)]
pub(crate) struct Arena<const F: usize> {
    chunks: [OnceLock<Box<[Node<F>]>>; CHUNKS],
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    /// Given back.
    nodes: Vec<u32>,
    /// The first that was never taken.
    fresh: u32,
}

/// Chunk and place of a node.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let shifted = u64::from(number) + u64::from(FIRST);
    let chunk = shifted.ilog2() - FIRST.ilog2();
    (chunk as usize, (shifted - (u64::from(FIRST) << chunk)) as usize)
}

impl<const F: usize> Default for Arena<F> {
    fn default() -> Self {
        let arena = Self { chunks: std::array::from_fn(|_| OnceLock::new()), free: Mutex::default() };
        // The model checker knows nothing of a chunk that is made meanwhile.
        #[cfg(loom)]
        arena.chunk(0);
        arena
    }
}

impl<const F: usize> Arena<F> {
    /// Bytes of a node.
    pub(crate) const NODE_BYTES: usize = size_of::<Node<F>>();

    #[inline]
    fn chunk(&self, chunk: usize) -> &[Node<F>] {
        self.chunks[chunk].get_or_init(|| (0..FIRST << chunk).map(|_| Node::default()).collect())
    }

    /// A node by its number. Numbers of 32 bits have a chunk each.
    #[inline]
    pub(super) fn node(&self, number: u32) -> &Node<F> {
        let (chunk, at) = place(number);
        &self.chunk(chunk)[at]
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

    /// Nodes that are in trees.
    pub(crate) fn in_use(&self) -> usize {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.fresh as usize - free.nodes.len()
    }
}
