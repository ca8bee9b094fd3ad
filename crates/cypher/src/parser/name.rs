//! Variables, labels, keys, names of functions and procedures.

use super::error::{syntax, with_hint};
use super::{Parsed, Parser};
use crate::ast::{Ident, Name, QualifiedName};
use crate::token::{Keyword, Token, TokenKind};

impl Parser<'_> {
    /// A variable or alias: any name but a reserved word.
    pub(super) fn ident(&mut self, what: &str) -> Parsed<Ident> {
        match self.kind() {
            TokenKind::Word(Some(keyword)) if keyword.is_reserved() => {
                let token = self.token();
                let word = self.slice(token.span());
                let primary = format!("expected {what}, found the reserved word \"{word}\"");
                let hint = format!("to use it as a name, write `{word}`");
                Err(with_hint(syntax("UnexpectedSyntax", primary, token.span()), &hint))
            }
            TokenKind::Word(_) | TokenKind::QuotedName => Ok(self.take_ident()),
            _ => Err(self.expected(what)),
        }
    }

    /// The variable of a node or relationship, if there is one. No other word can stand there but `IS` and
    /// `WHERE`.
    pub(super) fn optional_variable(&mut self) -> Parsed<Option<Ident>> {
        match self.kind() {
            TokenKind::Word(Some(Keyword::Is | Keyword::Where)) => Ok(None),
            TokenKind::Word(_) | TokenKind::QuotedName => self.ident("a variable").map(Some),
            _ => Ok(None),
        }
    }

    /// Whether the token at an index can be a variable.
    pub(super) fn is_ident(&self, index: usize) -> bool {
        match self.kind_at(index) {
            TokenKind::Word(keyword) => keyword.is_none_or(|k| !k.is_reserved()),
            TokenKind::QuotedName => true,
            _ => false,
        }
    }

    /// Whether the token at an index can be a label, type or key: any word.
    pub(super) fn is_word(&self, index: usize) -> bool {
        matches!(self.kind_at(index), TokenKind::Word(_) | TokenKind::QuotedName)
    }

    /// The current token, known to be a word, as a name.
    pub(super) fn take_ident(&mut self) -> Ident {
        let token = self.bump();
        Ident { text: self.unquote(token), span: token.span() }
    }

    fn unquote(&self, token: Token) -> String {
        let text = self.slice(token.span());
        match text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
            Some(quoted) if quoted.contains('`') => quoted.replace("``", "`"),
            Some(quoted) => quoted.to_owned(),
            None => text.to_owned(),
        }
    }

    /// A label, type or key, with or without a prefix. Any word will do, reserved or not.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let first = self.word(what)?;
        if self.eat(TokenKind::DoubleColon).is_none() {
            return Ok(Name { prefix: None, text: first.text, span: first.span });
        }
        let local = self.word(&format!("{what} after the prefix \"{}\"", first.text))?;
        let span = first.span.join(local.span);
        Ok(Name { prefix: Some(Box::new(first)), text: local.text, span })
    }

    fn word(&mut self, what: &str) -> Parsed<Ident> {
        if self.is_word(self.at) {
            return Ok(self.take_ident());
        }
        // A broken number is no number here but simply not a name.
        Err(match self.kind() {
            TokenKind::BadNumber => self.expected_as("UnexpectedSyntax", what),
            _ => self.expected(what),
        })
    }

    /// `namespace.name`.
    pub(super) fn qualified_name(&mut self, what: &str) -> Parsed<QualifiedName> {
        let start = self.start();
        let mut parts = vec![self.word(what)?.text];
        while self.eat(TokenKind::Dot).is_some() {
            parts.push(self.word(what)?.text);
        }
        Ok(QualifiedName { parts, span: self.span_from(start) })
    }

    /// The name of the current token, known to be a parameter.
    pub(super) fn take_parameter(&mut self) -> Ident {
        let token = self.bump();
        let name = Token { start: token.start + 1, ..token };
        Ident { text: self.unquote(name), span: token.span() }
    }
}
