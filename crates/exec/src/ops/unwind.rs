//! Unwind: each row is repeated for the elements of a list. Null gives no row; a value that is no list gives one.

use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::{Chunk, Values, Vector};

use crate::expr::{Ex, Row};
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Unwind. Input slots `keep` become output slots `0..`; the element follows.
pub(crate) struct Unwind<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    slots: usize,
    keep: Arc<[usize]>,
    list: Arc<Ex>,
    rest: Vec<u32>,
    cursor: usize,
    items: Option<Arc<Vec<Value>>>,
    offset: usize,
}

impl<'s> Unwind<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, slots: usize, keep: Arc<[usize]>, list: Arc<Ex>) -> Self {
        let inner = Chunk::with_slots(&[slots]);
        Self { child, inner, slots, keep, list, rest: Vec::new(), cursor: 0, items: None, offset: 0 }
    }

    /// The list of the current row.
    fn items(&mut self, position: u32, cx: &Context<'s>) -> Result<Arc<Vec<Value>>, ExecError> {
        if let Some(items) = &self.items {
            return Ok(Arc::clone(items));
        }
        let value = Row::new(&self.inner, 0, position as usize).eval(&self.list, cx)?;
        let items = match value {
            Value::Null => Arc::default(),
            Value::List(items) => items,
            other => Arc::new(vec![other]),
        };
        self.items = Some(Arc::clone(&items));
        Ok(items)
    }
}

/// A typed vector of `values`, where all are integers; else a general one.
fn vector_of<'s>(values: Vec<Value>) -> Vector<'s> {
    if values.iter().all(|v| matches!(v, Value::Int(_))) {
        return Vector::new(Values::Int(
            values.iter().map(|v| if let Value::Int(i) = v { *i } else { 0 }).collect(),
        ));
    }
    Vector::new(Values::Any(values))
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
                values.extend_from_slice(&items[self.offset..end]);
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
            out.multiplicity =
                group.multiplicity.as_ref().map(|m| parents.iter().map(|p| m[*p as usize]).collect());
            for (slot, from) in self.keep.iter().enumerate() {
                out.vectors[slot] = group.vectors[*from].gather(&parents);
            }
            out.vectors[self.keep.len()] = vector_of(values);
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        (self.cursor, self.offset, self.items) = (0, 0, None);
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(self.child.fork(), self.slots, Arc::clone(&self.keep), Arc::clone(&self.list)))
    }
}
