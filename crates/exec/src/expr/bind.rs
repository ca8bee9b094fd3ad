//! Takes a compiled expression and what one execution is run with, gives the expression that is evaluated:
//! parameters are values, and what is constant is evaluated, so that kernels see one constant.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_algebra::{Op, QuantifierKind};
use trimorph_base::{CancelToken, Diagnostic, MemoryBudget, Span};
use trimorph_functions::{Clock, Context, Function, NoGraph};
use trimorph_types::Value;

use super::bodies::with_constant;
use super::contains_any::put_together;
use super::items::Items;
use super::made::is_large_call;
use super::{Ex, Members};
use crate::missing_parameter;

/// Constants whose predicates are put side by side at most.
const SIDE_BY_SIDE_MAX: usize = 16;
/// Integers of a range up to which what is `IN` it is looked up in a set: some megabytes. A longer one is
/// asked row by row, by arithmetic.
const RANGE_MAX: usize = 1 << 20;

/// What one execution is run with.
#[derive(Clone, Copy)]
pub(crate) struct Binder<'b> {
    pub(crate) parameters: &'b BTreeMap<Arc<str>, Value>,
    /// The statement's clock, which stands still: calls on constants are evaluated now.
    pub(crate) clock: Clock,
    /// Holds what is kept for the execution besides its parameters.
    pub(crate) budget: &'b MemoryBudget,
    /// Stops what is evaluated now.
    pub(crate) cancel: &'b CancelToken,
}

fn constants(all: &[Ex]) -> Option<Vec<Value>> {
    all.iter().map(|e| if let Ex::Const(v) = e { Some(v.clone()) } else { None }).collect()
}

impl Ex {
    /// Whether it is known to be the same in every execution. Where it is not known, it is bound each time.
    pub(crate) fn is_bound(&self) -> bool {
        match self {
            Ex::Const(_) | Ex::Slot(_) | Ex::Local(_) => true,
            Ex::Property { base, .. } | Ex::HasLabel { base, .. } => base.is_bound(),
            // Alternatives and elements become sets, constants are calculated with.
            Ex::Op(Op::In | Op::Or | Op::And, ..) => false,
            Ex::Op(_, args, _) | Ex::List(args) => {
                args.iter().all(Self::is_bound) && !args.iter().all(|arg| matches!(arg, Ex::Const(_)))
            }
            _ => false,
        }
    }
}

impl Binder<'_> {
    /// The expression of this execution.
    ///
    /// **Errors**: a parameter without a value.
    pub(crate) fn bind(&self, ex: &Ex) -> Result<Ex, Diagnostic> {
        Ok(match ex {
            Ex::Const(_) | Ex::Slot(_) | Ex::Local(_) => ex.clone(),
            Ex::Param(name) => Ex::Const(self.value(name)?),
            Ex::Property { base, key, columns, span } => Ex::Property {
                base: self.boxed(base)?,
                key: Arc::clone(key),
                columns: Arc::clone(columns),
                span: *span,
            },
            Ex::Op(op, args, span) => self.fold(*op, self.all(args)?, *span),
            Ex::In(value, members, span) => Ex::In(self.boxed(value)?, Arc::clone(members), *span),
            Ex::ContainsAny { asked, .. } => self.bind(asked)?,
            Ex::Chain(first, rest) => self.chain(first, rest)?,
            Ex::Call(function, args, span) => self.call(function, self.all(args)?, *span),
            // Not ahead of time: what a program's function does is its own affair.
            Ex::User(function, args, span) => Ex::User(Arc::clone(function), self.all(args)?, *span),
            Ex::HasLabel { base, nodes, edge_tables } => Ex::HasLabel {
                base: self.boxed(base)?,
                nodes: nodes.clone(),
                edge_tables: Arc::clone(edge_tables),
            },
            Ex::List(items) => {
                let items = self.all(items)?;
                constants(&items).map_or(Ex::List(items), |values| Ex::Const(Value::list(values)))
            }
            Ex::Map(entries) => {
                let entries = self.entries(entries)?;
                let value = |(k, e): &(Arc<str>, Ex)| match e {
                    Ex::Const(v) => Some((Arc::clone(k), v.clone())),
                    _ => None,
                };
                let map = entries.iter().map(value).collect::<Option<_>>();
                map.map_or(Ex::Map(entries), |map| Ex::Const(Value::map(map)))
            }
            Ex::MapProjection { base, all, entries } => {
                Ex::MapProjection { base: self.boxed(base)?, all: *all, entries: self.entries(entries)? }
            }
            Ex::Case { branches, otherwise } => Ex::Case {
                branches: branches
                    .iter()
                    .map(|(when, then)| Ok((self.bind(when)?, self.bind(then)?)))
                    .collect::<Result<_, Diagnostic>>()?,
                otherwise: self.boxed(otherwise)?,
            },
            Ex::ListComprehension { local, list, filter, map } => Ex::ListComprehension {
                local: *local,
                list: self.boxed(list)?,
                filter: filter.as_ref().map(|f| self.boxed(f)).transpose()?,
                map: map.as_ref().map(|m| self.boxed(m)).transpose()?,
            },
            Ex::Quantifier { kind, local, list, predicate } => {
                self.quantifier((*kind, *local), self.bind(list)?, predicate)?
            }
            Ex::Reduce { acc, init, local, list, body } => Ex::Reduce {
                acc: *acc,
                init: self.boxed(init)?,
                local: *local,
                list: self.boxed(list)?,
                body: self.boxed(body)?,
            },
            Ex::Path(parts) => Ex::Path(self.all(parts)?),
        })
    }

    /// `any`, `all` and `none` of a few constants are the predicates of these, side by side.
    fn quantifier(
        &self,
        (kind, local): (QuantifierKind, usize),
        list: Ex,
        predicate: &Ex,
    ) -> Result<Ex, Diagnostic> {
        let op = match kind {
            QuantifierKind::Any | QuantifierKind::None => Op::Or,
            _ => Op::And,
        };
        match &list {
            Ex::Const(Value::List(items))
                if kind != QuantifierKind::Single && (2..=SIDE_BY_SIDE_MAX).contains(&items.len()) =>
            {
                let each = items.iter().map(|item| self.bind(&with_constant(predicate, local, item)));
                let all = self.fold(op, each.collect::<Result<_, _>>()?, Span::default());
                Ok(match kind {
                    QuantifierKind::None => self.fold(Op::Not, vec![all], Span::default()),
                    _ => all,
                })
            }
            _ => Ok(Ex::Quantifier { kind, local, list: Box::new(list), predicate: self.boxed(predicate)? }),
        }
    }

    /// The same for what may be missing.
    pub(crate) fn option(&self, ex: Option<&Ex>) -> Result<Option<Ex>, Diagnostic> {
        ex.map(|ex| self.bind(ex)).transpose()
    }

    /// The same for several.
    pub(crate) fn all(&self, all: &[Ex]) -> Result<Vec<Ex>, Diagnostic> {
        all.iter().map(|ex| self.bind(ex)).collect()
    }

    fn boxed(&self, ex: &Ex) -> Result<Box<Ex>, Diagnostic> {
        Ok(Box::new(self.bind(ex)?))
    }

    fn entries(&self, entries: &[(Arc<str>, Ex)]) -> Result<Vec<(Arc<str>, Ex)>, Diagnostic> {
        entries.iter().map(|(k, e)| Ok((Arc::clone(k), self.bind(e)?))).collect()
    }

    fn value(&self, name: &str) -> Result<Value, Diagnostic> {
        self.parameters.get(name).cloned().ok_or_else(|| missing_parameter(name))
    }

    /// Arithmetic from left to right; what it begins with is evaluated now as far as it is constant.
    fn chain(&self, first: &Ex, rest: &[(Op, Ex, Span)]) -> Result<Ex, Diagnostic> {
        let mut start = self.bind(first)?;
        let mut left = Vec::new();
        for (op, right, span) in rest {
            let right = self.bind(right)?;
            start = match (start, right) {
                (Ex::Const(a), Ex::Const(b)) if left.is_empty() => {
                    match self.fold(*op, vec![Ex::Const(a), Ex::Const(b)], *span) {
                        Ex::Op(op, args, span) => {
                            let mut args = args.into_iter();
                            let a = args.next().unwrap_or(Ex::Const(Value::Null));
                            left.extend(args.map(|b| (op, b, span)));
                            a
                        }
                        value => value,
                    }
                }
                (start, right) => {
                    left.push((*op, right, *span));
                    start
                }
            };
        }
        Ok(if left.is_empty() { start } else { Ex::Chain(Box::new(start), left) })
    }

    /// A call, evaluated now if it can be: the same arguments give the same result throughout the statement.
    /// What fails stays.
    fn call(&self, function: &'static Function, args: Vec<Ex>, span: Span) -> Ex {
        // What is large is charged to the query when it is made, not here; a range may never be made.
        if function.deterministic
            && !function.reads_graph
            && function.name != "range"
            && let Some(values) = constants(&args)
            && !is_large_call(function.name, &values)
            && !values.iter().any(|v| matches!(v, Value::Node(_) | Value::Relationship(_) | Value::Path(_)))
            && let Ok(value) =
                function.invoke(&Context::new(&NoGraph, self.clock, 0).until(self.cancel), &values)
        {
            return Ex::Const(value);
        }
        Ex::Call(function, args, span)
    }

    /// An operator, evaluated now if its operands are constant. What fails stays: it fails only if it is
    /// reached.
    fn fold(&self, op: Op, args: Vec<Ex>, span: Span) -> Ex {
        match constants(&args).and_then(|values| super::operands::apply_pure(op, &values, self.cancel)) {
            Some(Ok(value)) => return Ex::Const(value),
            Some(Err(_)) => return Ex::Op(op, args, span),
            None => {}
        }
        let args = match op {
            Op::Or | Op::And => match put_together(op, &args, span) {
                Some(mut made) if made.len() == 1 => return made.remove(0),
                Some(made) => made,
                None => args,
            },
            _ => args,
        };
        match (op, <[Ex; 2]>::try_from(args)) {
            (Op::In, Ok([value, Ex::Const(list)])) => match Members::of(&list, self.budget, self.cancel) {
                Some(members) => Ex::In(Box::new(value), Arc::new(members), span),
                None => Ex::Op(op, vec![value, Ex::Const(list)], span),
            },
            (Op::In, Ok([value, Ex::Call(function, args, at)])) if function.name == "range" => {
                let range = constants(&args).and_then(|args| Items::range(&args)?.integers(RANGE_MAX));
                match range.and_then(|integers| Members::of_integers(integers, self.budget)) {
                    Some(members) => Ex::In(Box::new(value), Arc::new(members), span),
                    None => Ex::Op(op, vec![value, Ex::Call(function, args, at)], span),
                }
            }
            (_, Ok(args)) => Ex::Op(op, args.into(), span),
            (_, Err(args)) => Ex::Op(op, args, span),
        }
    }
}
