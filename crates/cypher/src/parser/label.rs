//! Label expressions: `A:B`, `A|B`, and GQL's `A&B`, `!A`, `%`, parentheses.
//!
//! Precedence, tightest first: `!`, `&` and `:`, `|`.

use super::{Parsed, Parser};
use crate::ast::{LabelExpr, LabelExprKind};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// `:labels` or `IS labels`, if there is one.
    pub(super) fn optional_labels(&mut self, what: &str) -> Parsed<Option<LabelExpr>> {
        if self.eat(TokenKind::Colon).is_some() || self.eat_keyword(Keyword::Is) {
            return self.labels(what, true).map(Some);
        }
        Ok(None)
    }

    /// A label expression; `|` belongs to it only if `bars`.
    pub(super) fn labels(&mut self, what: &str, bars: bool) -> Parsed<LabelExpr> {
        let start = self.start();
        let first = self.label_conjunction(what)?;
        if !bars || self.kind() != TokenKind::Bar {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(TokenKind::Bar).is_some() {
            // `|:` is the older way to write `|`.
            self.eat(TokenKind::Colon);
            parts.push(self.label_conjunction(what)?);
        }
        Ok(LabelExpr { kind: LabelExprKind::Or(parts), span: self.span_from(start) })
    }

    fn label_conjunction(&mut self, what: &str) -> Parsed<LabelExpr> {
        let start = self.start();
        let first = self.label_factor(what)?;
        if !matches!(self.kind(), TokenKind::Ampersand | TokenKind::Colon) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while matches!(self.kind(), TokenKind::Ampersand | TokenKind::Colon) {
            self.bump();
            parts.push(self.label_factor(what)?);
        }
        Ok(LabelExpr { kind: LabelExprKind::And(parts), span: self.span_from(start) })
    }

    fn label_factor(&mut self, what: &str) -> Parsed<LabelExpr> {
        let token = self.token();
        match token.kind {
            TokenKind::Bang => {
                let outer = self.enter(1)?;
                self.bump();
                let operand = self.label_factor(what)?;
                self.grow()?;
                self.leave(outer);
                let span = token.span().join(operand.span);
                Ok(LabelExpr { kind: LabelExprKind::Not(Box::new(operand)), span })
            }
            TokenKind::LeftParen => {
                let outer = self.enter(1)?;
                self.bump();
                let inner = self.labels(what, true)?;
                self.expect(TokenKind::RightParen, "\")\" to close the label expression")?;
                self.grow()?;
                self.leave(outer);
                Ok(LabelExpr { kind: inner.kind, span: self.span_from(token.start) })
            }
            TokenKind::Percent => {
                self.bump();
                Ok(LabelExpr { kind: LabelExprKind::Any, span: token.span() })
            }
            _ => {
                let name = self.name(what)?;
                let span = name.span;
                Ok(LabelExpr { kind: LabelExprKind::Name(name), span })
            }
        }
    }
}
