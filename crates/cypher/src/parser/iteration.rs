//! `CASE`, quantifiers and `reduce`.

use super::{Parsed, Parser};
use crate::ast::{Case, CaseArm, ExprKind, Quantifier, QuantifierKind, Reduce};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// `CASE [subject] WHEN … THEN … [ELSE …] END`.
    #[inline(never)]
    pub(super) fn case(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let subject = if self.at_keyword(Keyword::When) { None } else { Some(self.value()?) };
        let mut arms = Vec::new();
        loop {
            self.expect_keyword(Keyword::When, " of the CASE")?;
            let mut when = vec![if subject.is_some() { self.value()? } else { self.predicate()? }];
            while subject.is_some() && self.eat(TokenKind::Comma).is_some() {
                when.push(self.value()?);
            }
            self.expect_keyword(Keyword::Then, " after the condition of WHEN")?;
            arms.push(CaseArm { when, then: self.value()? });
            if !self.at_keyword(Keyword::When) {
                break;
            }
        }
        let default = if self.eat_keyword(Keyword::Else) { Some(self.value()?) } else { None };
        self.expect_keyword(Keyword::End, " to close the CASE")?;
        Ok(ExprKind::Case(Box::new(Case { subject, arms, default })))
    }

    /// Whether `name(variable IN` begins at the current place, `name(` being known.
    pub(super) fn quantifier_ahead(&self) -> bool {
        self.is_ident(self.at + 2) && self.kind_at(self.at + 3) == TokenKind::Word(Some(Keyword::In))
    }

    /// `all(x IN list WHERE predicate)`.
    #[inline(never)]
    pub(super) fn quantifier(&mut self, keyword: Keyword) -> Parsed<ExprKind> {
        let kind = match keyword {
            Keyword::All => QuantifierKind::All,
            Keyword::Any => QuantifierKind::Any,
            Keyword::None => QuantifierKind::None,
            _ => QuantifierKind::Single,
        };
        self.bump();
        self.bump();
        let variable = self.ident("a variable")?;
        self.expect_keyword(Keyword::In, " after the variable")?;
        let list = self.value()?;
        let predicate = if self.eat_keyword(Keyword::Where) { Some(self.predicate()?) } else { None };
        self.expect(TokenKind::RightParen, "WHERE or \")\" to close the quantifier")?;
        Ok(ExprKind::Quantifier(Box::new(Quantifier { kind, variable, list, predicate })))
    }

    /// `reduce(accumulator = init, x IN list | body)`.
    #[inline(never)]
    pub(super) fn reduce(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.bump();
        let accumulator = self.ident("a variable for the result so far")?;
        self.expect(TokenKind::Equal, "\"=\" after the variable")?;
        let init = self.value()?;
        self.expect(TokenKind::Comma, "\",\" after the first value")?;
        let variable = self.ident("a variable for the element")?;
        self.expect_keyword(Keyword::In, " after the variable")?;
        let list = self.value_before_bar()?;
        self.expect(TokenKind::Bar, "\"|\" after the list")?;
        let body = self.value()?;
        self.expect(TokenKind::RightParen, "\")\" to close reduce(…)")?;
        Ok(ExprKind::Reduce(Box::new(Reduce { accumulator, init, variable, list, body })))
    }
}
