//! Operators: the rows of a plan, for one row of the enclosing `Apply`.

use std::cmp::Ordering;

use trimorph_algebra::{ApplyKind, Expr, Plan, ProcedureCall, SortKey, VarId};
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_functions::operators::truth;
use trimorph_types::{Value, order};

use super::aggregate::Key;
use super::walk::relationships;
use super::{Interpreter, Row, Rows, value_of};

impl Interpreter<'_> {
    /// The rows of `plan`; `outer` is the row that `Argument` stands for.
    pub(super) fn rows(&self, plan: &Plan, outer: &Row) -> Rows {
        match plan {
            Plan::Unit => Ok(vec![Row::new()]),
            Plan::Empty(_) => Ok(Vec::new()),
            Plan::Argument(vars) => Ok(vec![restricted(outer, vars)?]),
            Plan::Match { input, graph } => {
                let mut out = Vec::new();
                for row in self.rows(input, outer)? {
                    out.append(&mut self.matches(graph, row)?);
                }
                Ok(out)
            }
            Plan::Apply { input, subplan, kind } => self.apply(input, subplan, kind, outer),
            Plan::Filter { input, predicate } => {
                let mut out = Vec::new();
                for row in self.rows(input, outer)? {
                    if self.is_true(predicate, &row)? {
                        out.push(row);
                    }
                }
                Ok(out)
            }
            Plan::Extra { input, items } => {
                self.rows(input, outer)?.into_iter().map(|row| self.extended(row, items)).collect()
            }
            Plan::Project { input, items } => {
                let project =
                    |row: Row| items.iter().map(|(var, expr)| Ok((*var, self.value(expr, &row)?))).collect();
                self.rows(input, outer)?.into_iter().map(project).collect()
            }
            Plan::Aggregate { input, keys, aggregates } => {
                self.aggregate(self.rows(input, outer)?, keys, aggregates)
            }
            Plan::Distinct { input, vars } => distinct(self.rows(input, outer)?, vars),
            Plan::Sort { input, keys, limit, .. } => {
                self.sorted(self.rows(input, outer)?, keys, limit.as_ref())
            }
            Plan::Skip { input, count } => {
                let count = self.count(count, "SKIP")?;
                Ok(self.rows(input, outer)?.into_iter().skip(count).collect())
            }
            Plan::Limit { input, count } => {
                let count = self.count(count, "LIMIT")?;
                Ok(self.rows(input, outer)?.into_iter().take(count).collect())
            }
            Plan::Shortest { input, edges, all } => {
                let mut rows = self.rows(input, outer)?;
                let length = |row: &Row| row.get(edges).and_then(relationships).map(|list| list.len());
                let shortest = rows.first().map(length);
                rows.retain(|row| Some(length(row)) == shortest);
                rows.truncate(if *all { usize::MAX } else { 1 });
                Ok(rows)
            }
            Plan::Unwind { input, list, var } => self.unwind(self.rows(input, outer)?, list, *var),
            Plan::Statements { .. } | Plan::PropertyPath { .. } => {
                let primary = "the naive interpreter's graph has no statements";
                Err(Diagnostic::runtime(ErrorKind::Unsupported, "NoStatements", primary))
            }
            Plan::ProcedureCall { input, call } => self.call(self.rows(input, outer)?, call),
            Plan::Union { inputs, vars } => {
                let mut out = Vec::new();
                for input in inputs {
                    for row in self.rows(input, outer)? {
                        out.push(restricted(&row, vars)?);
                    }
                }
                Ok(out)
            }
            Plan::Update { .. } | Plan::Merge { .. } => {
                let primary = "the naive interpreter does not write";
                Err(Diagnostic::runtime(ErrorKind::Unsupported, "Updates", primary))
            }
            Plan::NodeScan(_)
            | Plan::KeyLookup { .. }
            | Plan::EdgeLookup { .. }
            | Plan::IdLookup { .. }
            | Plan::Extend { .. }
            | Plan::ExtendInto { .. }
            | Plan::ExtendCount { .. }
            | Plan::VarExtend { .. }
            | Plan::Intersect { .. }
            | Plan::SemiJoin { .. }
            | Plan::HashJoin { .. }
            | Plan::RangeJoin { .. }
            | Plan::Spool { .. }
            | Plan::SpoolRead { .. } => Err(physical()),
        }
    }

    fn apply(&self, input: &Plan, subplan: &Plan, kind: &ApplyKind, outer: &Row) -> Rows {
        let mut out = Vec::new();
        for mut row in self.rows(input, outer)? {
            self.step()?;
            let inner = self.rows(subplan, &row)?;
            match kind {
                ApplyKind::Inner => out.extend(inner.into_iter().map(|inner| joined(&row, inner))),
                ApplyKind::Optional if inner.is_empty() => {
                    for var in subplan.vars() {
                        row.entry(var).or_default();
                    }
                    out.push(row);
                }
                ApplyKind::Optional => out.extend(inner.into_iter().map(|inner| joined(&row, inner))),
                ApplyKind::Semi if inner.is_empty() => {}
                ApplyKind::Semi => out.push(row),
                ApplyKind::Anti if inner.is_empty() => out.push(row),
                ApplyKind::Anti => {}
                ApplyKind::Paired { .. } => return Err(physical()),
                ApplyKind::Effects { .. } => out.push(row),
                ApplyKind::Mark(var) => {
                    row.insert(*var, Value::Bool(!inner.is_empty()));
                    out.push(row);
                }
                ApplyKind::Count(var) => {
                    row.insert(*var, Value::Int(i64::try_from(inner.len()).unwrap_or(i64::MAX)));
                    out.push(row);
                }
                ApplyKind::Collect(var, expr) => {
                    let collected: Result<_, _> =
                        inner.into_iter().map(|inner| self.value(expr, &joined(&row, inner))).collect();
                    row.insert(*var, Value::list(collected?));
                    out.push(row);
                }
            }
        }
        Ok(out)
    }

    fn extended(&self, mut row: Row, items: &[(VarId, Expr)]) -> Result<Row, Diagnostic> {
        let values: Result<Vec<_>, _> =
            items.iter().map(|(var, expr)| Ok((*var, self.value(expr, &row)?))).collect();
        row.extend(values?);
        Ok(row)
    }

    fn sorted(&self, rows: Vec<Row>, keys: &[SortKey], limit: Option<&Expr>) -> Rows {
        let mut keyed = Vec::new();
        for row in rows {
            let values: Result<Vec<Value>, _> = keys.iter().map(|key| self.value(&key.expr, &row)).collect();
            keyed.push((values?, row));
        }
        keyed.sort_by(|(a, _), (b, _)| {
            let places = keys
                .iter()
                .zip(a.iter().zip(b))
                .map(|(key, (a, b))| if key.descending { order(b, a) } else { order(a, b) });
            places.fold(Ordering::Equal, Ordering::then)
        });
        let wanted = limit.map_or(Ok(usize::MAX), |limit| self.count(limit, "LIMIT"))?;
        Ok(keyed.into_iter().take(wanted).map(|(_, row)| row).collect())
    }

    fn unwind(&self, rows: Vec<Row>, list: &Expr, var: VarId) -> Rows {
        let mut out = Vec::new();
        for row in rows {
            let items = match self.value(list, &row)? {
                Value::Null => Vec::new(),
                Value::List(items) => items.to_vec(),
                other => vec![other],
            };
            for item in items {
                self.step()?;
                let mut row = row.clone();
                row.insert(var, item);
                out.push(row);
            }
        }
        Ok(out)
    }

    fn call(&self, rows: Vec<Row>, call: &ProcedureCall) -> Rows {
        let signature = call.procedure.signature();
        let mut out = Vec::new();
        for row in rows {
            let mut arguments = Vec::new();
            for (argument, input) in call.arguments.iter().zip(&signature.inputs) {
                let assigned = input.ty.assign(&self.value(argument, &row)?);
                let wrong =
                    || Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", "a wrong argument");
                arguments.push(assigned.ok_or_else(wrong)?);
            }
            let given = call.procedure.call(&arguments)?;
            if signature.is_void() {
                out.push(row);
                continue;
            }
            for values in given {
                self.step()?;
                let outputs = call.outputs.iter().map(|(column, var)| (*var, values[*column].clone()));
                out.push(row.iter().map(|(var, value)| (*var, value.clone())).chain(outputs).collect());
            }
        }
        Ok(out)
    }

    /// Whether `predicate` is true: neither false nor unknown.
    pub(super) fn is_true(&self, predicate: &Expr, row: &Row) -> Result<bool, Diagnostic> {
        Ok(truth(&self.value(predicate, row)?)? == Some(true))
    }

    /// A number of rows.
    fn count(&self, expr: &Expr, what: &str) -> Result<usize, Diagnostic> {
        match self.value(expr, &Row::new())? {
            Value::Int(count) => usize::try_from(count).map_err(|_| {
                let primary = format!("{what} expects a non-negative number, not {count}");
                Diagnostic::runtime(ErrorKind::ArgumentError, "NegativeIntegerArgument", primary)
            }),
            other => {
                let primary = format!("{what} expects an INTEGER, not {}", other.logical_type());
                Err(Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", primary))
            }
        }
    }
}

/// The inner row added to the outer one.
fn joined(outer: &Row, inner: Row) -> Row {
    let mut row = outer.clone();
    row.extend(inner);
    row
}

/// Only these variables.
fn restricted(row: &Row, vars: &[VarId]) -> Result<Row, Diagnostic> {
    vars.iter().map(|var| Ok((*var, value_of(row, *var)?))).collect()
}

/// The first of each set of equivalent rows.
fn distinct(rows: Vec<Row>, vars: &[VarId]) -> Rows {
    let mut seen = std::collections::BTreeSet::new();
    let mut out = Vec::new();
    for row in rows {
        let row = restricted(&row, vars)?;
        if seen.insert(Key(row.values().cloned().collect())) {
            out.push(row);
        }
    }
    Ok(out)
}

fn physical() -> Diagnostic {
    let primary = "the naive interpreter does not run physical operators";
    Diagnostic::runtime(ErrorKind::Unsupported, "PhysicalOperator", primary)
}
