//! Union: the rows of its inputs, one input after the other, columns put in the same order. Twins take turns
//! at the rows of the same inputs, where these are scans or are dealt: below an aggregation.

use std::sync::Arc;

use trimorph_vector::Chunk;

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// One input: its operator, its chunk, and which of its slots becomes which column.
struct Input<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: UnionInput,
}

/// What is taken of one input.
#[derive(Clone, Debug)]
pub(crate) struct UnionInput {
    /// Slots of its one group.
    pub(crate) slots: usize,
    /// The slot of each column.
    pub(crate) columns: Arc<[usize]>,
}

/// Union.
pub(crate) struct Union<'s> {
    inputs: Vec<Input<'s>>,
    current: usize,
}

impl<'s> Union<'s> {
    pub(crate) fn new(inputs: impl IntoIterator<Item = (BoxOperator<'s>, UnionInput)>) -> Self {
        let input = |(child, spec): (_, UnionInput)| {
            let inner = Chunk::with_slots(&[spec.slots]);
            Input { child, inner, spec }
        };
        Self { inputs: inputs.into_iter().map(input).collect(), current: 0 }
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
            for (slot, column) in input.spec.columns.iter().enumerate() {
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
}
