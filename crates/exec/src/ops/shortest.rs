//! The first of walks that come in order of length, or all that are as long. Between the search and this
//! stands what is asked of each path. As soon as one has come through, the search need not begin with
//! longer ones, and is told so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use trimorph_vector::{Chunk, Selection, Values};

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// What is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortestSpec {
    /// The slot of the list of edges.
    pub(crate) edges: usize,
    pub(crate) all: bool,
}

/// Whether a walk was taken. Shared with the search below, by operators of one thread.
#[derive(Clone, Default)]
pub(crate) struct Settled(Arc<AtomicBool>);

impl Settled {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, settled: bool) {
        self.0.store(settled, Ordering::Relaxed);
    }
}

/// The shortest walks of one search, over rows of one group.
pub(crate) struct Shortest<'s> {
    child: BoxOperator<'s>,
    spec: ShortestSpec,
    settled: Settled,
    /// The length of the walks that are taken.
    length: Option<usize>,
    is_done: bool,
}

impl<'s> Shortest<'s> {
    /// `settled` is what the search below looks at.
    pub(crate) fn new(child: BoxOperator<'s>, spec: ShortestSpec, settled: Settled) -> Self {
        Self { child, spec, settled, length: None, is_done: false }
    }
}

impl<'s> Operator<'s> for Shortest<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while !self.is_done {
            cx.check()?;
            if !self.child.next(chunk, cx)? {
                break;
            }
            let group = &mut chunk.groups[0];
            let mut kept = Vec::new();
            for i in group.positions() {
                let walks = &group.vectors[self.spec.edges];
                let Values::List(lists) = &walks.values else { continue };
                if walks.nulls.get(i as usize) {
                    continue;
                }
                let length = lists.count(i as usize);
                // Longer ones come later.
                self.is_done = *self.length.get_or_insert(length) != length;
                if self.is_done {
                    break;
                }
                kept.push(i);
                self.is_done = !self.spec.all;
                if self.is_done {
                    break;
                }
            }
            if kept.is_empty() {
                continue;
            }
            self.settled.set(true);
            group.flat = None;
            group.selection = Selection::List(kept);
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.settled.set(false);
        (self.length, self.is_done) = (None, false);
    }
}
