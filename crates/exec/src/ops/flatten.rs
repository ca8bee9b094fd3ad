//! Flatten: gives the positions of one unflat group one at a time.
//!
//! Source: GF-CL §6.1.

use std::sync::Arc;

use trimorph_vector::{Chunk, Selection};

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Which group a cursor goes through.
#[derive(Clone, Debug)]
pub(crate) struct CursorSpec {
    pub(crate) group: usize,
    /// The other groups that are unflat at this point of the plan.
    pub(crate) others: Arc<[usize]>,
}

/// Goes through the positions of a group.
///
/// Invariant: what operators above narrow or multiply for one position must not be seen at the next. So the
/// selections and multiplicities of the other groups that are unflat here are kept when the first position is
/// taken and put back at each following one.
pub(crate) struct Cursor {
    spec: CursorSpec,
    next: Option<usize>,
    saved: Vec<(Selection, Option<Vec<u64>>)>,
}

impl Cursor {
    /// Before its first position.
    pub(crate) fn new(spec: CursorSpec) -> Self {
        Self { spec, next: None, saved: Vec::new() }
    }

    /// Makes the next selected position flat; `false` when there is none left.
    #[inline]
    pub(crate) fn advance(&mut self, chunk: &mut Chunk<'_>) -> bool {
        let Some(k) = self.next else { return false };
        let g = &mut chunk.groups[self.spec.group];
        if k >= g.selection.count(g.len) {
            self.next = None;
            return false;
        }
        g.flat = Some(g.selection.position(k));
        if k > 0 {
            self.put_back(chunk);
        }
        self.next = Some(k + 1);
        true
    }

    /// Starts anew with the same position.
    pub(crate) fn again(&self, chunk: &mut Chunk<'_>) {
        self.put_back(chunk);
    }

    fn put_back(&self, chunk: &mut Chunk<'_>) {
        for (other, (selection, multiplicity)) in self.spec.others.iter().zip(&self.saved) {
            chunk.groups[*other].selection = selection.clone();
            chunk.groups[*other].multiplicity = multiplicity.clone();
        }
    }

    /// Makes the group unflat again, for the operators below to fill.
    pub(crate) fn release(&self, chunk: &mut Chunk<'_>) {
        chunk.groups[self.spec.group].flat = None;
    }

    /// Starts with a freshly filled group.
    pub(crate) fn start(&mut self, chunk: &Chunk<'_>) {
        self.next = Some(0);
        self.saved = (self.spec.others.iter())
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
    pub(crate) fn new(child: BoxOperator<'s>, spec: CursorSpec) -> Self {
        Self { child, cursor: Cursor::new(spec) }
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
}
