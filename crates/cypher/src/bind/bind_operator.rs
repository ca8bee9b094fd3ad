//! Operators: arithmetic, comparison, truth values, `IN` and strings.

use trimorph_algebra::{Expr, Op};
use trimorph_base::Span;
use trimorph_types::LogicalType;

use super::Binder;
use super::bind_expression::Typed;
use super::check_types::{Type, addition, arithmetic, expect, expect_number, expect_predicate};
use super::context::Context;
use super::notices::instead_of_null;
use super::report::{Bound, semantic};
use crate::ast::{self, BinaryOp, ChainPart, ComparisonOp, ComparisonPart, UnaryOp};

impl<'q> Binder<'q> {
    #[inline(never)]
    pub(super) fn sign(
        &mut self,
        op: UnaryOp,
        operand: &'q ast::Expr,
        span: Span,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let value = self.expression(operand, cx)?;
        let symbol = if op == UnaryOp::Minus { "-" } else { "+" };
        expect_number(value.ty, symbol, operand.span)?;
        match op {
            UnaryOp::Plus => Ok(value),
            UnaryOp::Minus => Ok(Typed::new(Expr::Op(Op::Neg, vec![value.expr], span), value.ty)),
        }
    }

    #[inline(never)]
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        span: Span,
        left: &'q ast::Expr,
        right: &'q ast::Expr,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let l = self.expression(left, cx)?;
        let r = self.expression(right, cx)?;
        let (op, ty) = binary_type(op, (l.ty, left.span), (r.ty, right.span), span)?;
        Ok(Typed::new(Expr::Op(op, vec![l.expr, r.expr], span), ty))
    }

    /// Arithmetic from left to right.
    #[inline(never)]
    pub(super) fn chain(
        &mut self,
        first: &'q ast::Expr,
        rest: &'q [ChainPart],
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let Typed { expr, mut ty } = self.expression(first, cx)?;
        let mut span = first.span;
        let mut bound = Vec::with_capacity(rest.len());
        for part in rest {
            let right = self.expression(&part.right, cx)?;
            let (op, made) = binary_type(part.op, (ty, span), (right.ty, part.right.span), part.op_span)?;
            (ty, span) = (made, span.join(part.right.span));
            bound.push((op, right.expr, part.op_span));
        }
        Ok(Typed::new(Expr::Chain(Box::new(expr), bound), ty))
    }

    /// `a < b <= c` is `a < b AND b <= c`.
    #[inline(never)]
    pub(super) fn comparison(
        &mut self,
        first: &'q ast::Expr,
        rest: &'q [ComparisonPart],
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let left = self.expression(first, cx)?;
        let (mut is_null, mut ty) = (left.is_null(), left.ty);
        let mut left = left.expr;
        let mut pairs = Vec::with_capacity(rest.len());
        for (index, part) in rest.iter().enumerate() {
            let right = self.expression(&part.right, cx)?;
            if std::mem::replace(&mut is_null, right.is_null()) || is_null {
                self.odd.add_null(part.op_span, instead_of_null(part.op));
            }
            let is_duration = |ty: Type| ty.is == LogicalType::Duration;
            if is_duration(std::mem::replace(&mut ty, right.ty)) && is_duration(ty) && is_order(part.op) {
                self.odd.add_durations(part.op_span);
            }
            let right = right.expr;
            let next = if index + 1 < rest.len() { self.copy(&right)? } else { Expr::truth() };
            let left = std::mem::replace(&mut left, next);
            pairs.push(Expr::Op(comparison_op(part.op), vec![left, right], part.op_span));
        }
        Ok(Typed::new(balanced(Op::And, pairs), Type::BOOL))
    }

    #[inline(never)]
    pub(super) fn negation(
        &mut self,
        operand: &'q ast::Expr,
        span: Span,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let value = self.expression(operand, cx)?;
        expect_predicate(value.ty, "the operand of NOT", operand.span)?;
        Ok(Typed::new(Expr::Op(Op::Not, vec![value.expr], span), Type::BOOL))
    }

    #[inline(never)]
    pub(super) fn connective(
        &mut self,
        op: Op,
        operands: &'q [ast::Expr],
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let what = match op {
            Op::And => "an operand of AND",
            Op::Or => "an operand of OR",
            _ => "an operand of XOR",
        };
        let mut parts = Vec::with_capacity(operands.len());
        for operand in operands {
            let value = self.expression(operand, cx)?;
            expect_predicate(value.ty, what, operand.span)?;
            parts.push(value.expr);
        }
        Ok(Typed::new(balanced(op, parts), Type::BOOL))
    }

    #[inline(never)]
    pub(super) fn null_predicate(
        &mut self,
        operand: &'q ast::Expr,
        negated: bool,
        span: Span,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let value = self.expression(operand, cx)?;
        let op = if negated { Op::IsNotNull } else { Op::IsNull };
        Ok(Typed::new(Expr::Op(op, vec![value.expr], span), Type::BOOL))
    }
}

/// Joins operands by an associative operator into a tree of logarithmic height.
pub(super) fn balanced(op: Op, mut operands: Vec<Expr>) -> Expr {
    if operands.len() > 1 {
        let right = operands.split_off(operands.len() / 2);
        let (left, right) = (balanced(op, operands), balanced(op, right));
        return Expr::op(op, vec![left, right]);
    }
    operands.pop().unwrap_or_else(Expr::truth)
}

fn comparison_op(op: ComparisonOp) -> Op {
    match op {
        ComparisonOp::Equal => Op::Eq,
        ComparisonOp::NotEqual => Op::Ne,
        ComparisonOp::Less => Op::Lt,
        ComparisonOp::LessOrEqual => Op::Le,
        ComparisonOp::Greater => Op::Gt,
        ComparisonOp::GreaterOrEqual => Op::Ge,
    }
}

/// Checks the operands, gives the operator and its result's type.
fn binary_type(op: BinaryOp, left: (Type, Span), right: (Type, Span), span: Span) -> Bound<(Op, Type)> {
    let numbers = |op: Op, symbol: &str| {
        expect_number(left.0, symbol, left.1)?;
        expect_number(right.0, symbol, right.1)?;
        Ok((op, arithmetic(left.0, right.0, symbol)))
    };
    match op {
        BinaryOp::Add => {
            expect_addable(left.0, right.0, span)?;
            Ok((Op::Add, addition(left.0, right.0)))
        }
        BinaryOp::Subtract => numbers(Op::Sub, "-"),
        BinaryOp::Multiply => numbers(Op::Mul, "*"),
        BinaryOp::Divide => numbers(Op::Div, "/"),
        BinaryOp::Modulo => numbers(Op::Mod, "%"),
        BinaryOp::Power => numbers(Op::Pow, "^"),
        BinaryOp::In => {
            expect(right.0, &[LogicalType::List], "the right side of IN", right.1)?;
            Ok((Op::In, Type::BOOL))
        }
        // Operands that are no strings give null.
        BinaryOp::StartsWith => Ok((Op::StartsWith, Type::BOOL)),
        BinaryOp::EndsWith => Ok((Op::EndsWith, Type::BOOL)),
        BinaryOp::Contains => Ok((Op::Contains, Type::BOOL)),
        BinaryOp::Regex => Ok((Op::Regex, Type::BOOL)),
    }
}

/// Anything can be added to a list; other than that graph elements, maps and truth values cannot be added.
fn expect_addable(left: Type, right: Type, span: Span) -> Bound<()> {
    use LogicalType as L;
    if left.is == L::List || right.is == L::List {
        return Ok(());
    }
    let never = |ty: Type| matches!(ty.is, L::Bool | L::Map | L::Node | L::Relationship | L::Path);
    let may_be_list = left.is == L::Any || right.is == L::Any;
    if may_be_list || !never(left) && !never(right) {
        return Ok(());
    }
    let primary = format!("values of types {} and {} cannot be added", left.is, right.is);
    Err(semantic("InvalidArgumentType", primary, span))
}

/// Whether an operator asks for an order.
fn is_order(op: ComparisonOp) -> bool {
    !matches!(op, ComparisonOp::Equal | ComparisonOp::NotEqual)
}
