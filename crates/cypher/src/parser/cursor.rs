//! Reading tokens: look, take, demand.

use trimorph_base::Span;

use super::{Parsed, Parser};
use crate::token::{Keyword, Token, TokenKind};

impl Parser<'_> {
    /// The token at an index; the end of the text past the last.
    pub(super) fn token_at(&self, index: usize) -> Token {
        let end = Token { kind: TokenKind::End, start: 0, end: 0, partner: 0 };
        self.tokens.get(index).or(self.tokens.last()).copied().unwrap_or(end)
    }

    /// The kind of the token at an index.
    pub(super) fn kind_at(&self, index: usize) -> TokenKind {
        self.tokens.get(index).map_or(TokenKind::End, |token| token.kind)
    }

    /// The current token.
    pub(super) fn token(&self) -> Token {
        self.token_at(self.at)
    }

    /// The kind of the current token.
    pub(super) fn kind(&self) -> TokenKind {
        self.kind_at(self.at)
    }

    /// The kind of the token after the current one.
    pub(super) fn next_kind(&self) -> TokenKind {
        self.kind_at(self.at + 1)
    }

    /// Where the current token begins.
    pub(super) fn start(&self) -> u32 {
        self.token().start
    }

    /// From `start` to the end of the last token taken.
    pub(super) fn span_from(&self, start: u32) -> Span {
        let end = self.at.checked_sub(1).map_or(start, |last| self.token_at(last).end);
        Span::new(start, end.max(start))
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Takes the current token; the end is never passed.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Takes the current token if it is of this kind.
    pub(super) fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        (self.kind() == kind).then(|| self.bump())
    }

    /// Takes the current token or says that `what` is missing.
    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Token> {
        match self.eat(kind) {
            Some(token) => Ok(token),
            None => Err(self.expected(what)),
        }
    }

    /// Whether the current token spells this keyword.
    pub(super) fn at_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Word(Some(keyword))
    }

    /// Takes the current token if it spells this keyword.
    pub(super) fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(TokenKind::Word(Some(keyword))).is_some()
    }

    /// Takes this keyword or says that it is missing; `why` goes on from its name, such as ` after the list`.
    pub(super) fn expect_keyword(&mut self, keyword: Keyword, why: &str) -> Parsed<Token> {
        match self.eat(TokenKind::Word(Some(keyword))) {
            Some(token) => Ok(token),
            None => Err(self.expected(&format!("{}{why}", keyword.text()))),
        }
    }
}
