//! Expressions: one function for each kind of syntax node.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_base::{Diagnostic, Span};
use trimorph_types::{LogicalType, Value};

use super::Binder;
use super::check_types::{Type, expect_properties};
use super::context::{Context, Mode};
use super::report::{Bound, semantic, suggest, too_complex, with_hint, with_suggestion};
use super::walk_expression::is_aggregate;
use crate::absent;
use crate::ast::{self, ExprKind, Literal};

/// A bound expression and what is known of its values.
pub(super) struct Typed {
    pub(super) expr: Expr,
    pub(super) ty: Type,
}

impl Typed {
    pub(super) fn new(expr: Expr, ty: Type) -> Self {
        Self { expr, ty }
    }

    /// Whether this is the literal `null`, which is of every type.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.expr, Expr::Const(Value::Null))
    }
}

impl<'q> Binder<'q> {
    /// Any expression.
    pub(super) fn expression(&mut self, expr: &'q ast::Expr, cx: &mut Context<'q>) -> Bound<Typed> {
        if self.cancel.is_cancelled() {
            return Err(Diagnostic::cancelled());
        }
        if let Mode::Groups(_) = cx.mode
            && let Some(found) = self.grouped(expr, cx)?
        {
            return Ok(found);
        }
        if is_aggregate(expr) {
            return self.aggregate(expr, cx);
        }
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(constant(literal)),
            ExprKind::Variable(name) => self.variable(name, expr.span, cx),
            ExprKind::Parameter(name) => Ok(Typed::new(Expr::Param(self.parameter(name)), Type::ANY)),
            ExprKind::List(items) => self.list(items, cx),
            ExprKind::Map(entries) => self.map(entries, cx),
            ExprKind::Property { base, key } => self.property(base, key, cx),
            ExprKind::Index { base, index } => self.index(base, index, expr.span, cx),
            ExprKind::Slice { base, from, to } => {
                self.slice_of(base, from.as_deref(), to.as_deref(), expr.span, cx)
            }
            ExprKind::HasLabels { base, labels } => self.label_predicate(base, labels, cx),
            ExprKind::Unary { op, operand } => self.sign(*op, operand, expr.span, cx),
            ExprKind::Binary { op, op_span, left, right } => self.binary(*op, *op_span, left, right, cx),
            ExprKind::Chain { first, rest } => self.chain(first, rest, cx),
            ExprKind::Comparison { first, rest } => self.comparison(first, rest, cx),
            ExprKind::Not(operand) => self.negation(operand, expr.span, cx),
            ExprKind::And(operands) => self.connective(Op::And, operands, cx),
            ExprKind::Or(operands) => self.connective(Op::Or, operands, cx),
            ExprKind::Xor(operands) => self.connective(Op::Xor, operands, cx),
            ExprKind::IsNull { operand, negated } => self.null_predicate(operand, *negated, expr.span, cx),
            ExprKind::Case(case) => self.case(case, cx),
            ExprKind::Function(call) => self.function(call, expr.span, cx),
            ExprKind::CountStar => self.aggregate(expr, cx),
            ExprKind::ListComprehension(c) => self.list_comprehension(c, cx),
            ExprKind::PatternComprehension(c) => self.pattern_comprehension(c, false, cx),
            ExprKind::Quantifier(q) => self.quantifier(q, cx),
            ExprKind::Reduce(r) => self.reduce(r, cx),
            ExprKind::MapProjection(p) => self.map_projection(p, cx),
            ExprKind::Pattern(path) => self.pattern_predicate(path, cx),
            ExprKind::ShortestPath(path) => self.shortest_path_value(path, cx),
            ExprKind::Subquery(subquery) => self.subquery(subquery, false, expr.span, cx),
        }
    }

    /// An expression over rows without aggregates, and the subqueries it needs below.
    pub(super) fn row_expression(
        &mut self,
        expr: &'q ast::Expr,
        scope: &super::scope::Scope,
    ) -> Bound<(Typed, Vec<super::context::Hoist>)> {
        let mut cx = Context::rows(scope.clone());
        let typed = self.expression(expr, &mut cx)?;
        Ok((typed, cx.hoists))
    }

    /// A parameter, noted for the result.
    pub(super) fn parameter(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.known_parameters.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.parameters.push(Arc::clone(&name));
        self.known_parameters.insert(Arc::clone(&name));
        name
    }

    #[inline(never)]
    pub(super) fn variable(&mut self, name: &str, span: Span, cx: &Context<'q>) -> Bound<Typed> {
        if let Some(var) = cx.local(name) {
            return Ok(self.var(var));
        }
        match cx.scope.get(name) {
            Some(entry) if entry.local => Err(local_in_subquery(name, span)),
            Some(entry) => Ok(self.var(entry.var)),
            None => Err(self.unknown_variable(name, span, cx)),
        }
    }

    /// A variable as an expression.
    pub(super) fn var(&self, var: VarId) -> Typed {
        Typed::new(Expr::Var(var), self.type_of(var))
    }

    #[cold]
    fn unknown_variable(&self, name: &str, span: Span, cx: &Context<'q>) -> Box<trimorph_base::Diagnostic> {
        if let Mode::Groups(grouping) = &cx.mode
            && grouping.rows.get(name).is_some()
        {
            if !grouping.after {
                let primary = format!("variable \"{name}\" is used with an aggregate but is not grouped by");
                let error = semantic("AmbiguousAggregationExpression", primary, span);
                return with_hint(error, "project it by itself in a WITH first, or as a column of its own");
            }
            let primary = format!("variable \"{name}\" is not visible after the projection");
            let error = semantic("UndefinedVariable", primary, span);
            return with_hint(error, "add it to the projection");
        }
        let mut known = cx.scope.names().chain(cx.locals.iter().map(|(local, _)| *local)).peekable();
        let nothing = known.peek().is_none();
        let error = undefined(name, span, known);
        if error.hint.is_some() {
            return error;
        }
        if self.not_yielded.iter().any(|column| **column == *name) {
            return with_hint(error, &format!("write YIELD {name} behind the call"));
        }
        match nothing {
            // It is a name of the program around the query, or a text without quotes.
            true => with_hint(error, &format!("write ${name} for a parameter, '{name}' for a text")),
            false => error,
        }
    }

    #[inline(never)]
    fn property(&mut self, base: &'q ast::Expr, key: &'q ast::Name, cx: &mut Context<'q>) -> Bound<Typed> {
        let subject = self.expression(base, cx)?;
        let name = self.full_name(key)?;
        expect_properties(subject.ty, &name, key.span)?;
        self.note_property(subject.ty, &name, key.span);
        // One property needs no map of all.
        let of = match subject.expr {
            Expr::Call(function, mut args, _)
                if *function == *"properties"
                    && matches!(args[..], [Expr::Var(var)] if self.is_entity(var)) =>
            {
                args.swap_remove(0)
            }
            other => other,
        };
        Ok(Typed::new(Expr::Property(Box::new(of), name, key.span), Type::ANY))
    }

    fn is_entity(&self, var: VarId) -> bool {
        matches!(self.vars.get(var).ty, LogicalType::Node | LogicalType::Relationship)
    }

    /// A copy of an expression that the algebra needs twice. Copies of copies grow fast, so there is a limit.
    pub(super) fn copy(&mut self, expr: &Expr) -> Bound<Expr> {
        self.copies += size(expr);
        if self.copies > super::COPIES_MAX {
            let primary = "CASE, comparison chains or label expressions are nested too deeply";
            return Err(too_complex(primary, "compute the inner ones in a WITH first"));
        }
        Ok(expr.clone())
    }
}

/// The number of nodes.
fn size(expr: &Expr) -> usize {
    let mut nodes = 1;
    expr.for_each_child(&mut |child| nodes += size(child));
    nodes
}

/// A name that nothing is bound to.
pub(super) fn undefined<'a>(
    name: &str,
    span: Span,
    candidates: impl Iterator<Item = &'a str>,
) -> Box<trimorph_base::Diagnostic> {
    let error = semantic("UndefinedVariable", format!("variable \"{name}\" is not defined"), span);
    // SQL's clocks are words without brackets.
    let clock = name.get(..8).filter(|head| head.eq_ignore_ascii_case("current_"));
    if let Some(instead) = clock.and_then(|_| absent::function(name)) {
        return with_hint(error, instead);
    }
    with_suggestion(error, suggest(name, candidates))
}

/// A subquery looks at a variable that rows do not have.
pub(super) fn local_in_subquery(name: &str, span: Span) -> Box<trimorph_base::Diagnostic> {
    let kind = trimorph_base::ErrorKind::Unsupported;
    let primary = format!("a pattern or subquery within reduce(…) cannot use its variable \"{name}\"");
    let error = super::report::of_kind(kind, "LocalVariableInSubquery", primary, span);
    with_hint(error, "UNWIND the list instead")
}

fn constant(literal: &Literal) -> Typed {
    let value = match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(b) => Value::Bool(*b),
        Literal::Integer(i) => Value::Int(*i),
        Literal::Float(f) => Value::Float(*f),
        Literal::String(s) => Value::string(s.as_str()),
    };
    let ty = Type::of(value.logical_type());
    Typed::new(Expr::Const(value), ty)
}
