//! Statements and queries: prefixes, `EXPLAIN`, `UNION`, the list of clauses.

use super::error::with_hint;
use super::{Parsed, Parser, QUERY_LEVELS};
use crate::ast::{Mode, PrefixDeclaration, Query, SingleQuery, Statement, UnionKind};
use crate::token::{Keyword, TokenKind};

/// What a query is used as, which decides what it may end with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QueryUse {
    /// By itself.
    Statement,
    /// In `CALL { … }`.
    Call,
    /// In `EXISTS { … }` or `COUNT { … }`: reads only, needs no `RETURN`.
    Count,
    /// In `COLLECT { … }`: reads only.
    Collect,
}

impl Parser<'_> {
    /// `[EXPLAIN | PROFILE] [PREFIX …] query [;]`.
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let mut mode = Mode::Normal;
        let mut prefixes = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Word(Some(Keyword::Explain)) if mode == Mode::Normal => mode = Mode::Explain,
                TokenKind::Word(Some(Keyword::Profile)) if mode == Mode::Normal => mode = Mode::Profile,
                TokenKind::Word(Some(Keyword::Prefix)) => {
                    prefixes.push(self.prefix_declaration()?);
                    continue;
                }
                _ => break,
            }
            self.bump();
        }
        let query = self.query(QueryUse::Statement)?;
        self.eat(TokenKind::Semicolon);
        if self.kind() != TokenKind::End {
            let error = self.expected("the end of the query after \";\"");
            return Err(if error.hint.is_none() {
                with_hint(error, "give one statement at a time")
            } else {
                error
            });
        }
        Ok(Statement { text: self.text.into(), mode, prefixes, query })
    }

    fn prefix_declaration(&mut self) -> Parsed<PrefixDeclaration> {
        self.bump();
        let name = self.ident("a prefix")?;
        self.expect(TokenKind::Colon, "\":\" after the prefix")?;
        let iri = self.expect(TokenKind::Iri, "an IRI such as <http://example.org/>")?;
        let text = self.slice(iri.span());
        let text = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')).unwrap_or_default().to_owned();
        Ok(PrefixDeclaration { name, iri: text, iri_span: iri.span() })
    }

    /// `single UNION single …`.
    pub(super) fn query(&mut self, used_as: QueryUse) -> Parsed<Query> {
        let outer = self.enter(QUERY_LEVELS)?;
        let start = self.start();
        let first = self.single_query()?;
        let mut unions: Vec<(UnionKind, SingleQuery)> = Vec::new();
        while self.at_keyword(Keyword::Union) {
            let union = self.bump();
            let kind = match self.kind() {
                TokenKind::Word(Some(Keyword::All)) => UnionKind::All,
                _ => UnionKind::Distinct,
            };
            if kind == UnionKind::All || self.at_keyword(Keyword::Distinct) {
                self.bump();
            }
            self.check_same_union(unions.first().map(|(first, _)| *first), kind, union.span())?;
            unions.push((kind, self.single_query()?));
        }
        self.check_all_read(used_as)?;
        let query = Query { first, unions, span: self.span_from(start) };
        self.check_query(&query, used_as)?;
        self.leave(outer);
        Ok(query)
    }

    /// Whether what follows the clauses ends the query: a word out of place is a worse mistake than a clause
    /// that must not be the last.
    fn check_all_read(&self, used_as: QueryUse) -> Parsed<()> {
        match (self.kind(), used_as) {
            (TokenKind::End | TokenKind::Semicolon, QueryUse::Statement) => Ok(()),
            (_, QueryUse::Statement) => Err(self.expected("a clause or the end of the query")),
            (TokenKind::RightBrace, _) => Ok(()),
            _ => Err(self.expected("a clause or \"}\" to close the subquery")),
        }
    }

    fn single_query(&mut self) -> Parsed<SingleQuery> {
        let start = self.start();
        let mut clauses = vec![self.clause()?];
        while self.clause_ahead() {
            let clause = self.clause()?;
            self.check_order(clauses.last(), &clause)?;
            clauses.push(clause);
        }
        Ok(SingleQuery { clauses, span: self.span_from(start) })
    }
}
