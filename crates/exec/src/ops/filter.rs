//! Filter: narrows the selection of the one unflat group its predicate reads, or lets a tuple of flat groups through.

use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::Chunk;

use crate::expr::{Ex, Row, filter};
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Filter. `group` is the unflat group the predicate reads, none if all are flat.
pub(crate) struct Filter<'s> {
    pub(crate) child: BoxOperator<'s>,
    pub(crate) predicate: Arc<Ex>,
    pub(crate) group: Option<usize>,
}

impl<'s> Operator<'s> for Filter<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.child.next(chunk, cx)? {
            cx.check()?;
            match self.group {
                Some(group) => {
                    filter(&self.predicate, chunk, group, cx)?;
                    let g = &chunk.groups[group];
                    if g.selection.count(g.len) > 0 {
                        return Ok(true);
                    }
                }
                None => {
                    let value = Row::new(chunk, usize::MAX, 0).eval(&self.predicate, cx)?;
                    crate::expr::check_boolean(&value)?;
                    if matches!(value, Value::Bool(true)) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self { child: self.child.fork(), predicate: Arc::clone(&self.predicate), group: self.group })
    }
}
