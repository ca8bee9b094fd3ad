//! Union: the rows of its inputs, one input after the other, columns put in the same order.

use std::sync::Arc;

use trimorph_vector::Chunk;

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// One input: its operator, its chunk, and which of its slots becomes which column.
struct Input<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    slots: usize,
    columns: Arc<[usize]>,
}

/// Union.
pub(crate) struct Union<'s> {
    inputs: Vec<Input<'s>>,
    current: usize,
}

impl<'s> Union<'s> {
    /// `inputs`: operator, slots of its one group, slot of each column.
    pub(crate) fn new(inputs: Vec<(BoxOperator<'s>, usize, Arc<[usize]>)>) -> Self {
        let inputs = inputs
            .into_iter()
            .map(|(child, slots, columns)| Input {
                child,
                inner: Chunk::with_slots(&[slots]),
                slots,
                columns,
            })
            .collect();
        Self { inputs, current: 0 }
    }
}

impl<'s> Operator<'s> for Union<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while let Some(input) = self.inputs.get_mut(self.current) {
            if !input.child.next(&mut input.inner, cx)? {
                self.current += 1;
                continue;
            }
            let from = &input.inner.groups[0];
            let out = &mut chunk.groups[0];
            out.reset(from.len);
            out.selection = from.selection.clone();
            out.flat = from.flat;
            out.multiplicity = from.multiplicity.clone();
            for (slot, column) in input.columns.iter().enumerate() {
                out.vectors[slot] = from.vectors[*column].clone();
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.inputs.iter_mut().for_each(|i| i.child.reset());
        self.current = 0;
    }

    fn fork(&self) -> BoxOperator<'s> {
        let inputs = self.inputs.iter().map(|i| (i.child.fork(), i.slots, Arc::clone(&i.columns))).collect();
        Box::new(Self::new(inputs))
    }
}
