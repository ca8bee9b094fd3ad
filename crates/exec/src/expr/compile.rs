//! From algebra expressions to compiled ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_algebra::{Expr, LabelExpr, Op, VarId};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind, Phase, Span};
use trimorph_catalog::CatalogView;
use trimorph_functions::{Clock, Context, NoGraph};
use trimorph_store::access::PropertyAccess;
use trimorph_types::Value;

use super::Ex;
use super::made::is_large_call;
use crate::layout::Layout;

/// What names are resolved against.
pub(crate) struct Compiler<'c> {
    pub(crate) catalog: &'c CatalogView<'c>,
    pub(crate) parameters: &'c BTreeMap<Arc<str>, Value>,
    /// The statement's clock, which stands still: calls on constants are evaluated now.
    pub(crate) clock: Clock,
    /// Stops what is evaluated now.
    pub(crate) cancel: &'c CancelToken,
}

/// Compiles `expr` for tuples laid out as `layout` says.
///
/// **Errors**: a parameter without a value; a variable that the plan does not have here (a bug of the binder
/// or the optimizer, reported and not a panic).
pub(crate) fn compile(expr: &Expr, layout: &Layout, compiler: &Compiler<'_>) -> Result<Ex, Diagnostic> {
    Scope { layout, compiler, locals: Vec::new() }.compile(expr)
}

struct Scope<'a, 'c> {
    layout: &'a Layout,
    compiler: &'a Compiler<'c>,
    locals: Vec<VarId>,
}

impl Scope<'_, '_> {
    fn boxed(&mut self, expr: &Expr) -> Result<Box<Ex>, Diagnostic> {
        Ok(Box::new(self.compile(expr)?))
    }

    fn all(&mut self, exprs: &[Expr]) -> Result<Vec<Ex>, Diagnostic> {
        exprs.iter().map(|e| self.compile(e)).collect()
    }

    fn entries(&mut self, entries: &[(Arc<str>, Expr)]) -> Result<Vec<(Arc<str>, Ex)>, Diagnostic> {
        entries.iter().map(|(k, e)| Ok((Arc::clone(k), self.compile(e)?))).collect()
    }

    /// Runs `inner` with local variables in scope; their places are stack positions from `locals.len()` on.
    fn with_locals<T>(
        &mut self,
        vars: &[VarId],
        inner: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let depth = self.locals.len();
        self.locals.extend_from_slice(vars);
        let result = inner(self);
        self.locals.truncate(depth);
        result
    }

    fn compile(&mut self, expr: &Expr) -> Result<Ex, Diagnostic> {
        Ok(match expr {
            Expr::Const(v) => Ex::Const(v.clone()),
            Expr::Param(name) => match self.compiler.parameters.get(name) {
                Some(v) => Ex::Const(v.clone()),
                None => {
                    let text = format!("parameter \"${name}\" has no value");
                    return Err(Diagnostic::compile(ErrorKind::ParameterMissing, "MissingParameter", text)
                        .hint(format!("pass a value for \"{name}\" with the query")));
                }
            },
            Expr::Var(v) => self.variable(*v)?,
            Expr::Property(base, key, span) => {
                let base = self.boxed(base)?;
                Ex::Property {
                    base,
                    key: Arc::clone(key),
                    columns: Arc::new(PropertyAccess::new(self.compiler.catalog, key)),
                    span: *span,
                }
            }
            Expr::Op(op, args, span) => fold(Ex::Op(*op, self.all(args)?, *span), self.compiler.cancel),
            Expr::Chain(first, rest) => self.chain(first, rest)?,
            Expr::Call(name, args, span) => {
                let Some(function) = trimorph_functions::lookup(name) else {
                    let text = format!("there is no function \"{name}\"");
                    return Err(
                        Diagnostic::compile(ErrorKind::SyntaxError, "UnknownFunction", text).at(*span)
                    );
                };
                {
                    let args = self.all(args)?;
                    self.call(function, args, *span)
                }
            }
            Expr::HasLabel(base, labels) => self.has_label(base, labels)?,
            Expr::List(items) => {
                let items = self.all(items)?;
                if items.iter().all(|e| matches!(e, Ex::Const(_))) {
                    let values =
                        items.into_iter().filter_map(|e| if let Ex::Const(v) = e { Some(v) } else { None });
                    Ex::Const(Value::list(values.collect()))
                } else {
                    Ex::List(items)
                }
            }
            Expr::Map(entries) => {
                let entries = self.entries(entries)?;
                if entries.iter().all(|(_, e)| matches!(e, Ex::Const(_))) {
                    let map = entries
                        .into_iter()
                        .filter_map(|(k, e)| if let Ex::Const(v) = e { Some((k, v)) } else { None });
                    Ex::Const(Value::map(map.collect()))
                } else {
                    Ex::Map(entries)
                }
            }
            Expr::MapProjection { base, all, entries } => {
                Ex::MapProjection { base: self.boxed(base)?, all: *all, entries: self.entries(entries)? }
            }
            Expr::Case { branches, otherwise } => Ex::Case {
                branches: branches
                    .iter()
                    .map(|(w, t)| Ok((self.compile(w)?, self.compile(t)?)))
                    .collect::<Result<_, Diagnostic>>()?,
                otherwise: self.boxed(otherwise)?,
            },
            Expr::ListComprehension { var, list, filter, map } => {
                let list = self.boxed(list)?;
                let local = self.locals.len();
                self.with_locals(&[*var], |s| {
                    let filter = filter.as_ref().map(|f| s.boxed(f)).transpose()?;
                    let map = map.as_ref().map(|m| s.boxed(m)).transpose()?;
                    Ok(Ex::ListComprehension { local, list, filter, map })
                })?
            }
            Expr::Quantifier { kind, var, list, predicate } => {
                let list = self.boxed(list)?;
                let local = self.locals.len();
                let predicate = self.with_locals(&[*var], |s| s.boxed(predicate))?;
                Ex::Quantifier { kind: *kind, local, list, predicate }
            }
            Expr::Reduce { acc, init, var, list, body } => {
                let (init, list) = (self.boxed(init)?, self.boxed(list)?);
                let first = self.locals.len();
                let body = self.with_locals(&[*acc, *var], |s| s.boxed(body))?;
                Ex::Reduce { acc: first, init, local: first + 1, list, body }
            }
            Expr::Path(parts) => Ex::Path(self.all(parts)?),
        })
    }

    /// Arithmetic from left to right; what it begins with is evaluated now as far as it is constant.
    fn chain(&mut self, first: &Expr, rest: &[(Op, Expr, Span)]) -> Result<Ex, Diagnostic> {
        let mut start = self.compile(first)?;
        let mut left = Vec::new();
        for (op, right, span) in rest {
            let right = self.compile(right)?;
            start = match (start, right) {
                (Ex::Const(a), Ex::Const(b)) if left.is_empty() => {
                    let folded =
                        fold(Ex::Op(*op, vec![Ex::Const(a), Ex::Const(b)], *span), self.compiler.cancel);
                    match folded {
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
    fn call(
        &self,
        function: &'static trimorph_functions::Function,
        args: Vec<Ex>,
        span: trimorph_base::Span,
    ) -> Ex {
        let context = Context::new(&NoGraph, self.compiler.clock, 0);
        let constants: Option<Vec<Value>> =
            args.iter().map(|a| if let Ex::Const(v) = a { Some(v.clone()) } else { None }).collect();
        // What is large is charged to the query when it is made, not here; a range may never be made.
        if function.deterministic
            && function.name != "range"
            && let Some(values) = constants
            && !is_large_call(function.name, &values)
            && !values.iter().any(|v| matches!(v, Value::Node(_) | Value::Relationship(_) | Value::Path(_)))
            && let Ok(value) = function.invoke(&context.until(self.compiler.cancel), &values)
        {
            return Ex::Const(value);
        }
        Ex::Call(function, args, span)
    }

    fn variable(&self, var: VarId) -> Result<Ex, Diagnostic> {
        if let Some(local) = self.locals.iter().rposition(|l| *l == var) {
            return Ok(Ex::Local(local));
        }
        match self.layout.place(var) {
            Some(place) => Ok(Ex::Slot(place)),
            None => {
                let text = format!("variable {} is not bound at this operator", var.0);
                Err(Diagnostic { phase: Phase::Compile, ..Diagnostic::internal(text) })
            }
        }
    }

    fn has_label(&mut self, base: &Expr, labels: &LabelExpr) -> Result<Ex, Diagnostic> {
        let catalog = self.compiler.catalog;
        let tables = catalog.node_table_ids().map(|t| labels.matches(&|l| catalog.has_label(t, l))).collect();
        let edge_tables =
            catalog.edge_table_ids().map(|t| labels.matches(&|l| *catalog.type_name(t) == *l)).collect();
        Ok(Ex::HasLabel { base: self.boxed(base)?, tables, edge_tables })
    }
}

/// Evaluates an operator on constants now, so that kernels see one constant. What fails stays: it fails only
/// if it is reached.
fn fold(ex: Ex, cancel: &CancelToken) -> Ex {
    if let Ex::Op(op, args, _) = &ex
        && args.iter().all(|a| matches!(a, Ex::Const(_)))
    {
        let values: Vec<Value> =
            args.iter().filter_map(|a| if let Ex::Const(v) = a { Some(v.clone()) } else { None }).collect();
        if let Some(Ok(value)) = super::scalar::apply_pure(*op, &values, cancel) {
            return Ex::Const(value);
        }
    }
    ex
}
