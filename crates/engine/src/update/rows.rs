//! Rows between two parts of a statement that writes: values by variable.

use std::sync::Arc;

use trimorph_algebra::VarId;
use trimorph_exec::{Context, GivenRows};
use trimorph_types::Value;
use trimorph_vector::Vector;

/// Rows by column.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    given: GivenRows,
}

impl Rows {
    /// One row without columns: what a statement starts from.
    pub(super) fn unit() -> Self {
        Self { given: GivenRows { len: 1, ..GivenRows::default() } }
    }

    /// No row, of these variables.
    pub(super) fn of(vars: Vec<VarId>) -> Self {
        let columns = vec![Vec::new(); vars.len()];
        Self { given: GivenRows { vars, columns, len: 0 } }
    }

    pub(super) fn len(&self) -> usize {
        self.given.len
    }

    pub(super) fn vars(&self) -> &[VarId] {
        &self.given.vars
    }

    /// The values of a variable; none where rows do not have it.
    pub(super) fn column(&self, var: VarId) -> Option<&[Value]> {
        let at = self.given.vars.iter().position(|own| *own == var)?;
        self.given.columns.get(at).map(Vec::as_slice)
    }

    /// The value of a variable in a row; null where rows do not have it.
    pub(super) fn value(&self, var: VarId, row: usize) -> &Value {
        self.column(var).and_then(|column| column.get(row)).unwrap_or(&Value::Null)
    }

    /// Gives a variable a value in each row.
    pub(super) fn set(&mut self, var: VarId, values: Vec<Value>) {
        match self.given.vars.iter().position(|own| *own == var) {
            Some(at) => self.given.columns[at] = values,
            None => {
                self.given.vars.push(var);
                self.given.columns.push(values);
            }
        }
    }

    /// Room for so many more rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.given.columns.iter_mut().for_each(|column| column.reserve_exact(rows));
    }

    /// Appends a row: a value for each variable.
    pub(super) fn push(&mut self, row: impl Iterator<Item = Value>) {
        for (column, value) in self.given.columns.iter_mut().zip(row) {
            column.push(value);
        }
        self.given.len += 1;
    }

    /// Appends what an execution gives: the values of each column at some positions. Gives their bytes.
    pub(super) fn take(&mut self, columns: &[&Vector<'_>], positions: &[u32], cx: &Context<'_>) -> usize {
        let mut bytes = 0;
        for (own, vector) in self.given.columns.iter_mut().zip(columns) {
            let from = own.len();
            own.extend(positions.iter().map(|p| vector.value(*p as usize, &|id| cx.edge_value(id))));
            bytes += own[from..].iter().map(|v| size_of::<Value>() + v.owned_bytes() as usize).sum::<usize>();
        }
        self.given.len += positions.len();
        bytes
    }

    /// Appends rows of other rows, whose variables may stand in another order.
    pub(super) fn extend(&mut self, other: &Self) {
        for (var, column) in self.given.vars.iter().zip(&mut self.given.columns) {
            match other.column(*var) {
                Some(values) => column.extend_from_slice(values),
                None => column.resize(column.len() + other.len(), Value::Null),
            }
        }
        self.given.len += other.len();
    }

    /// Appends other rows, which have the same variables in the same order.
    pub(super) fn append(&mut self, other: Self) {
        for (column, more) in self.given.columns.iter_mut().zip(other.given.columns) {
            column.extend(more);
        }
        self.given.len += other.given.len;
    }

    /// These rows.
    pub(super) fn pick(&self, rows: &[usize]) -> Self {
        let columns = self.given.columns.iter();
        let columns = columns.map(|column| rows.iter().map(|row| column[*row].clone()).collect()).collect();
        Self { given: GivenRows { vars: self.given.vars.clone(), columns, len: rows.len() } }
    }

    /// These variables only.
    pub(super) fn restricted(mut self, vars: &[VarId]) -> Self {
        if *vars == *self.given.vars {
            return self;
        }
        let columns = vars.iter().map(|var| match self.given.vars.iter().position(|own| own == var) {
            Some(at) => std::mem::take(&mut self.given.columns[at]),
            None => vec![Value::Null; self.given.len],
        });
        let columns = columns.collect();
        Self { given: GivenRows { vars: vars.to_vec(), columns, len: self.given.len } }
    }

    /// Rows of these variables, as they came one by one.
    pub(super) fn of_each(vars: Vec<VarId>, rows: Vec<Vec<Value>>) -> Self {
        let mut all = Self::of(vars);
        all.reserve(rows.len());
        rows.into_iter().for_each(|row| all.push(row.into_iter()));
        all
    }

    /// As an execution starts from them.
    pub(super) fn given(&self) -> &GivenRows {
        &self.given
    }

    /// For an execution that starts from them.
    pub(super) fn into_given(self) -> Arc<GivenRows> {
        Arc::new(self.given)
    }
}
