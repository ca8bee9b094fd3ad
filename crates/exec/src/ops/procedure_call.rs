//! Procedure call: each row is repeated for the rows that a procedure gives for it. A procedure without
//! columns is called once a row, and the row stays.

use std::sync::Arc;

use trimorph_algebra::{Procedure, ProcedureRows};
use trimorph_base::{Diagnostic, ErrorKind, Span};
use trimorph_types::Value;
use trimorph_vector::Chunk;

use crate::expr::{Ex, Row};
use crate::operator::{BoxOperator, Operator};
use crate::parameters::check_given;
use crate::rows::{repeat, vector_of};
use crate::{Context, ExecError};

/// What is called, over which arguments, and which of its columns are wanted. Input slots `keep` become
/// output slots `0..`; the columns follow.
#[derive(Debug)]
pub(crate) struct CallSpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    pub(crate) procedure: Arc<dyn Procedure>,
    pub(crate) arguments: Vec<Ex>,
    pub(crate) columns: Vec<usize>,
    pub(crate) span: Span,
}

impl CallSpec {
    /// The rows for the arguments that `row` gives.
    fn call<'s>(&self, mut row: Row<'_, 's>, cx: &Context<'s>) -> Result<ProcedureRows, ExecError> {
        let signature = self.procedure.signature();
        let mut arguments = Vec::with_capacity(self.arguments.len());
        let mut held = cx.settings.budget.reservation();
        for (argument, input) in self.arguments.iter().zip(&signature.inputs) {
            let value = row.eval(argument, cx)?;
            if let Value::List(_) = value {
                // Its elements may have to be made again, and be looked up by.
                held.grow(usize::try_from(value.extent().bytes).unwrap_or(usize::MAX))?;
            }
            let Some(assigned) = input.ty.assign(&value) else {
                let given = if value.is_null() { "null" } else { value.logical_type().name() };
                let primary =
                    format!("input \"{}\" of the procedure is {}, not {given}", input.name, input.ty);
                let error = Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", primary);
                return Err(error.at(self.span).into());
            };
            arguments.push(assigned);
        }
        let rows = self.procedure.call_within(&arguments, &cx.settings.cancel, cx.snapshot);
        let rows = rows.map_err(|error| error.at(self.span))?;
        Ok(if signature.is_void() { Box::new(std::iter::once(Arc::from([]))) } else { rows })
    }
}

/// Procedure call.
pub(crate) struct ProcedureCall<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<CallSpec>,
    rest: Vec<u32>,
    cursor: usize,
    /// What is left of the rows for the current input row, once it is called for.
    rows: Option<ProcedureRows>,
}

impl<'s> ProcedureCall<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<CallSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        Self { child, inner, spec, rest: Vec::new(), cursor: 0, rows: None }
    }
}

impl<'s> Operator<'s> for ProcedureCall<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let room = cx.settings.vector_size;
        loop {
            cx.check()?;
            if self.cursor >= self.rest.len() {
                if !self.child.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                (self.cursor, self.rows) = (0, None);
            }
            let mut parents = Vec::new();
            let mut columns: Vec<Vec<Value>> = vec![Vec::new(); self.spec.columns.len()];
            while self.cursor < self.rest.len() && parents.len() < room {
                let parent = self.rest[self.cursor];
                let rows = match &mut self.rows {
                    Some(rows) => rows,
                    None => {
                        let row = Row::new(&self.inner, 0, parent as usize);
                        self.rows.insert(self.spec.call(row, cx)?)
                    }
                };
                for row in rows.take(room - parents.len()) {
                    parents.push(parent);
                    for (values, column) in columns.iter_mut().zip(&self.spec.columns) {
                        let value = row.get(*column).cloned().unwrap_or(Value::Null);
                        check_given(&value, &cx.reader)?;
                        values.push(value);
                    }
                }
                if parents.len() < room {
                    self.cursor += 1;
                    self.rows = None;
                }
            }
            if parents.is_empty() {
                continue;
            }
            let out = &mut chunk.groups[0];
            out.reset(parents.len());
            repeat(&self.inner.groups[0], &self.spec.keep, &parents, out);
            for (place, values) in columns.into_iter().enumerate() {
                out.vectors[self.spec.keep.len() + place] = vector_of(values);
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        (self.cursor, self.rows) = (0, None);
    }
}
