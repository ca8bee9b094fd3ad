//! From algebra expressions to compiled ones.

use std::sync::Arc;

use trimorph_algebra::{Expr, LabelExpr, VarId};
use trimorph_base::{Diagnostic, ErrorKind, Phase};
use trimorph_catalog::CatalogView;
use trimorph_store::access::PropertyAccess;

use super::Ex;
use super::labels::LabelTest;
use crate::layout::Layout;

/// Compiles `expr` for tuples laid out as `layout` says. Parameters stay names, and nothing is evaluated:
/// `bind` does that for each execution.
///
/// **Errors**: a variable that the plan does not have here (a bug of the binder or the optimizer, reported
/// and not a panic).
pub(crate) fn compile(expr: &Expr, layout: &Layout, catalog: &CatalogView<'_>) -> Result<Ex, Diagnostic> {
    Scope { layout, catalog, locals: Vec::new() }.compile(expr)
}

struct Scope<'a> {
    layout: &'a Layout,
    catalog: &'a CatalogView<'a>,
    locals: Vec<VarId>,
}

impl Scope<'_> {
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
            Expr::Param(name) => Ex::Param(Arc::clone(name)),
            Expr::Var(v) => self.variable(*v)?,
            Expr::Property(base, key, span) => {
                let base = self.boxed(base)?;
                Ex::Property {
                    base,
                    key: Arc::clone(key),
                    columns: Arc::new(PropertyAccess::new(self.catalog, key)),
                    span: *span,
                }
            }
            Expr::Op(op, args, span) => Ex::Op(*op, self.all(args)?, *span),
            Expr::Chain(first, rest) => {
                let first = self.boxed(first)?;
                let rest = rest.iter().map(|(op, right, span)| Ok((*op, self.compile(right)?, *span)));
                Ex::Chain(first, rest.collect::<Result<_, Diagnostic>>()?)
            }
            Expr::Call(name, args, span) => {
                let Some(function) = trimorph_functions::lookup(name) else {
                    let text = format!("there is no function \"{name}\"");
                    return Err(
                        Diagnostic::compile(ErrorKind::SyntaxError, "UnknownFunction", text).at(*span)
                    );
                };
                Ex::Call(function, self.all(args)?, *span)
            }
            Expr::UserCall(function, args, span) => Ex::User(Arc::clone(function), self.all(args)?, *span),
            Expr::HasLabel(base, labels) => self.has_label(base, labels)?,
            Expr::List(items) => Ex::List(self.all(items)?),
            Expr::Map(entries) => Ex::Map(self.entries(entries)?),
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
        let catalog = self.catalog;
        let nodes = LabelTest::new(labels, catalog);
        let edge_tables =
            catalog.edge_table_ids().map(|t| labels.matches(&|l| *catalog.type_name(t) == *l)).collect();
        Ok(Ex::HasLabel { base: self.boxed(base)?, nodes, edge_tables })
    }
}
