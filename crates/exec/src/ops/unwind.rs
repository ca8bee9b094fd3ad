//! Unwind: each row is repeated for the elements of a list. Null gives no row; a value that is no list gives
//! one. The integers of `range()` are counted, not listed: a range of any length takes no memory.

use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::Chunk;

use crate::expr::{Ex, Items, Row};
use crate::operator::{BoxOperator, Operator};
use crate::rows::{repeat, vector_of};
use crate::{Context, ExecError};

/// What is unwound. Input slots `keep` become output slots `0..`; the element follows.
#[derive(Debug)]
pub(crate) struct UnwindSpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    pub(crate) list: Ex,
}

/// Unwind.
pub(crate) struct Unwind<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<UnwindSpec>,
    rest: Vec<u32>,
    cursor: usize,
    items: Option<Items>,
    offset: usize,
}

impl<'s> Unwind<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<UnwindSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        Self { child, inner, spec, rest: Vec::new(), cursor: 0, items: None, offset: 0 }
    }

    /// The elements of the current row.
    fn items(&mut self, position: u32, cx: &Context<'s>) -> Result<Items, ExecError> {
        if let Some(items) = &self.items {
            return Ok(items.clone());
        }
        let items = match Row::new(&self.inner, 0, position as usize).items(&self.spec.list, cx)? {
            Ok(items) => items,
            Err(Value::Null) => Items::List(Arc::new(Vec::new().into())),
            Err(other) => Items::List(Arc::new(vec![other].into())),
        };
        self.items = Some(items.clone());
        Ok(items)
    }
}

impl<'s> Operator<'s> for Unwind<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let room = cx.settings.vector_size;
        cx.check()?;
        loop {
            if self.cursor >= self.rest.len() {
                cx.check()?;
                if !self.child.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                (self.cursor, self.offset, self.items) = (0, 0, None);
            }
            let (mut parents, mut values) = (Vec::new(), Vec::new());
            while self.cursor < self.rest.len() && values.len() < room {
                let p = self.rest[self.cursor];
                let items = self.items(p, cx)?;
                let end = items.len().min(self.offset + room - values.len());
                items.extend(self.offset, end, &mut values);
                parents.resize(values.len(), p);
                if end == items.len() {
                    self.cursor += 1;
                    (self.offset, self.items) = (0, None);
                } else {
                    self.offset = end;
                }
            }
            if values.is_empty() {
                continue;
            }
            let group = &self.inner.groups[0];
            let out = &mut chunk.groups[0];
            out.reset(values.len());
            repeat(group, &self.spec.keep, &parents, out);
            out.vectors[self.spec.keep.len()] = vector_of(values);
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        (self.cursor, self.offset, self.items) = (0, 0, None);
    }
}
