//! Flatten: gives the positions of one unflat group one at a time.
//!
//! Source: GF-CL §6.1.

use std::sync::Arc;

use trimorph_vector::{Chunk, Selection};

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Goes through the positions of a group.
///
/// Invariant: what operators above narrow or multiply for one position must not be seen at the next. So the
/// selections and multiplicities of the other groups that are unflat here are kept when the first position is
/// taken and put back at each following one.
pub(crate) struct Cursor {
    group: usize,
    others: Arc<[usize]>,
    next: Option<usize>,
    saved: Vec<(Selection, Option<Vec<u64>>)>,
}

impl Cursor {
    /// A cursor over `group`; `others` are the other groups that are unflat at this point of the plan.
    pub(crate) fn new(group: usize, others: Arc<[usize]>) -> Self {
        Self { group, others, next: None, saved: Vec::new() }
    }

    /// The same, before its first position.
    pub(crate) fn fork(&self) -> Self {
        Self::new(self.group, Arc::clone(&self.others))
    }

    /// Makes the next selected position flat; `false` when there is none left.
    #[inline]
    pub(crate) fn advance(&mut self, chunk: &mut Chunk<'_>) -> bool {
        let Some(k) = &mut self.next else { return false };
        let g = &mut chunk.groups[self.group];
        if *k >= g.selection.count(g.len) {
            self.next = None;
            return false;
        }
        g.flat = Some(g.selection.position(*k));
        if *k > 0 {
            for (other, (selection, multiplicity)) in self.others.iter().zip(&self.saved) {
                chunk.groups[*other].selection = selection.clone();
                chunk.groups[*other].multiplicity = multiplicity.clone();
            }
        }
        *k += 1;
        true
    }

    /// Makes the group unflat again, for the operators below to fill.
    pub(crate) fn release(&self, chunk: &mut Chunk<'_>) {
        chunk.groups[self.group].flat = None;
    }

    /// Starts with a freshly filled group.
    pub(crate) fn start(&mut self, chunk: &Chunk<'_>) {
        self.next = Some(0);
        self.saved = (self.others.iter())
            .map(|o| (chunk.groups[*o].selection.clone(), chunk.groups[*o].multiplicity.clone()))
            .collect();
    }

    /// Forgets the group.
    pub(crate) fn reset(&mut self) {
        self.next = None;
    }
}

/// Flatten.
pub(crate) struct Flatten<'s> {
    child: BoxOperator<'s>,
    cursor: Cursor,
}

impl<'s> Flatten<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, cursor: Cursor) -> Self {
        Self { child, cursor }
    }
}

impl<'s> Operator<'s> for Flatten<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        loop {
            if self.cursor.advance(chunk) {
                return Ok(true);
            }
            cx.check()?;
            self.cursor.release(chunk);
            if !self.child.next(chunk, cx)? {
                return Ok(false);
            }
            self.cursor.start(chunk);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.cursor.reset();
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(self.child.fork(), self.cursor.fork()))
    }
}
