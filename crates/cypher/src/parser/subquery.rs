//! `EXISTS { … }`, `COUNT { … }`, `COLLECT { … }`.

use super::query::QueryUse;
use super::{Parsed, Parser};
use crate::ast::{ExprKind, Subquery, SubqueryBody, SubqueryKind};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// A subquery as an expression.
    #[inline(never)]
    pub(super) fn subquery(&mut self, kind: SubqueryKind) -> Parsed<ExprKind> {
        self.bump();
        self.bump();
        let body = if self.clause_ahead() && self.next_kind() != TokenKind::Equal {
            let used_as = match kind {
                SubqueryKind::Collect => QueryUse::Collect,
                SubqueryKind::Exists | SubqueryKind::Count => QueryUse::Count,
            };
            SubqueryBody::Query(self.query(used_as)?)
        } else {
            let pattern = self.pattern()?;
            for path in &pattern {
                self.refuse_parameter_map(path)?;
            }
            let predicate = if self.eat_keyword(Keyword::Where) { Some(self.predicate()?) } else { None };
            SubqueryBody::Pattern { pattern, predicate }
        };
        self.expect(TokenKind::RightBrace, "\"}\" to close the subquery")?;
        Ok(ExprKind::Subquery(Box::new(Subquery { kind, body })))
    }
}
