//! Compute: new vectors beside the old ones, in the group their expression reads.

use std::sync::Arc;

use trimorph_vector::{Chunk, Group};

use crate::expr::{Ex, evaluate};
use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Compute. `fresh` is a flat group that exists only for expressions over flat groups.
pub(crate) struct Compute<'s> {
    pub(crate) child: BoxOperator<'s>,
    pub(crate) items: Arc<[(Place, Ex)]>,
    pub(crate) fresh: Option<usize>,
}

impl<'s> Operator<'s> for Compute<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if !self.child.next(chunk, cx)? {
            return Ok(false);
        }
        if let Some(fresh) = self.fresh {
            let group: &mut Group<'s> = &mut chunk.groups[fresh];
            group.reset(1);
            group.flat = Some(0);
        }
        for (place, ex) in self.items.iter() {
            let len = chunk.groups[place.group].len;
            let vector = evaluate(ex, chunk, place.group, cx)?.into_vector(len);
            chunk.groups[place.group].vectors[place.slot] = vector;
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self { child: self.child.fork(), items: Arc::clone(&self.items), fresh: self.fresh })
    }
}
