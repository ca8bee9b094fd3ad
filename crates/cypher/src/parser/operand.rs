//! Operands: `NOT`, signs, an atom, and what is attached to it (`.key`, `[index]`, `:Label`).

use super::expression::Level;
use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, Literal, UnaryOp};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// An operand of an operator that binds as tightly as `level`.
    pub(super) fn operand(&mut self, level: Level) -> Parsed<Expr> {
        match self.kind() {
            TokenKind::Word(Some(Keyword::Not)) if level <= Level::Not => self.negation(),
            TokenKind::Minus if self.negative_number_ahead() => self.negative_number(),
            TokenKind::Minus => self.sign(UnaryOp::Minus),
            TokenKind::Plus => self.sign(UnaryOp::Plus),
            _ => {
                let atom = self.atom()?;
                self.attached(atom)
            }
        }
    }

    /// `NOT operand`.
    #[inline(never)]
    fn negation(&mut self) -> Parsed<Expr> {
        let start = self.bump().start;
        let operand = self.expression_at(Level::Not)?;
        self.grow()?;
        Ok(Expr { kind: ExprKind::Not(Box::new(operand)), span: self.span_from(start) })
    }

    /// `-operand` and `+operand`.
    #[inline(never)]
    fn sign(&mut self, op: UnaryOp) -> Parsed<Expr> {
        let start = self.bump().start;
        let operand = self.expression_at(Level::Sign)?;
        self.refuse_path(&operand)?;
        self.grow()?;
        Ok(Expr { kind: ExprKind::Unary { op, operand: Box::new(operand) }, span: self.span_from(start) })
    }

    /// Whether `-` and a number without anything attached follow: only as one literal is the least integer in
    /// range.
    fn negative_number_ahead(&self) -> bool {
        matches!(
            self.next_kind(),
            TokenKind::Integer | TokenKind::HexInteger | TokenKind::OctalInteger | TokenKind::Float
        ) && !matches!(self.kind_at(self.at + 2), TokenKind::Dot | TokenKind::LeftBracket | TokenKind::Colon)
    }

    #[inline(never)]
    fn negative_number(&mut self) -> Parsed<Expr> {
        let start = self.bump().start;
        let number = self.bump();
        self.grow()?;
        let literal = match number.kind {
            TokenKind::Float => Literal::Float(-self.float(number)?),
            _ => Literal::Integer(self.integer(number, true)?),
        };
        Ok(Expr { kind: ExprKind::Literal(literal), span: self.span_from(start) })
    }

    /// What follows an atom without an operator.
    fn attached(&mut self, mut base: Expr) -> Parsed<Expr> {
        loop {
            match self.kind() {
                TokenKind::Dot => base = self.property(base)?,
                TokenKind::LeftBracket => base = self.subscript(base)?,
                TokenKind::Colon => return self.label_predicate(base),
                _ => return Ok(base),
            }
        }
    }

    /// An atom with what is attached to it, labels excepted: the target of `SET` and `REMOVE`.
    pub(super) fn target(&mut self) -> Parsed<Expr> {
        let outer = self.enter(1)?;
        let mut base = self.atom()?;
        loop {
            match self.kind() {
                TokenKind::Dot => base = self.property(base)?,
                TokenKind::LeftBracket => base = self.subscript(base)?,
                _ => break,
            }
        }
        self.leave(outer);
        Ok(base)
    }

    #[inline(never)]
    fn property(&mut self, base: Expr) -> Parsed<Expr> {
        self.refuse_path(&base)?;
        self.grow()?;
        self.bump();
        let key = self.name("a property key")?;
        let span = self.span_from(base.span.start);
        Ok(Expr { kind: ExprKind::Property { base: Box::new(base), key }, span })
    }

    /// `base[index]` and `base[from..to]`.
    #[inline(never)]
    fn subscript(&mut self, base: Expr) -> Parsed<Expr> {
        self.refuse_path(&base)?;
        self.bump();
        let from = match self.kind() {
            TokenKind::DotDot => None,
            _ => Some(Box::new(self.value()?)),
        };
        let kind = match (from, self.eat(TokenKind::DotDot)) {
            (Some(index), None) => ExprKind::Index { base: Box::new(base), index },
            (from, _) => {
                let to = match self.kind() {
                    TokenKind::RightBracket => None,
                    _ => Some(Box::new(self.value()?)),
                };
                ExprKind::Slice { base: Box::new(base), from, to }
            }
        };
        self.expect(TokenKind::RightBracket, "\"]\" to close the index")?;
        self.grow()?;
        let start = match &kind {
            ExprKind::Index { base, .. } | ExprKind::Slice { base, .. } => base.span.start,
            _ => self.start(),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    #[inline(never)]
    fn label_predicate(&mut self, base: Expr) -> Parsed<Expr> {
        self.refuse_path(&base)?;
        self.grow()?;
        self.bump();
        let labels = Box::new(self.labels("a label", !self.bar_ends)?);
        let span = self.span_from(base.span.start);
        Ok(Expr { kind: ExprKind::HasLabels { base: Box::new(base), labels }, span })
    }
}
