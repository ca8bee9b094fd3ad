//! `CALL`: procedures and subqueries.

use super::query::QueryUse;
use super::{Parsed, Parser};
use crate::ast::{CallProcedure, CallSubquery, Clause, Ident, Imports, Yield, YieldItem};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// `CALL name …`, `CALL { … }` or `CALL (variables) { … }`.
    pub(super) fn call(&mut self) -> Parsed<Clause> {
        let start = self.bump().start;
        match self.kind() {
            TokenKind::LeftBrace | TokenKind::LeftParen => {
                self.call_subquery(start).map(Clause::CallSubquery)
            }
            _ => self.call_procedure(start).map(Clause::CallProcedure),
        }
    }

    fn call_subquery(&mut self, start: u32) -> Parsed<CallSubquery> {
        let imports = self.imports()?;
        self.expect(TokenKind::LeftBrace, "\"{\" before the subquery")?;
        let query = Box::new(self.query(QueryUse::Call)?);
        self.expect(TokenKind::RightBrace, "\"}\" to close the subquery")?;
        Ok(CallSubquery { imports, query, span: self.span_from(start) })
    }

    fn imports(&mut self) -> Parsed<Imports> {
        if self.eat(TokenKind::LeftParen).is_none() {
            return Ok(Imports::ByWith);
        }
        let imports = if self.eat(TokenKind::Star).is_some() {
            Imports::All
        } else if self.kind() == TokenKind::RightParen {
            Imports::Listed(Vec::new())
        } else {
            Imports::Listed(self.variables()?)
        };
        self.expect(TokenKind::RightParen, "\")\" after the variables of the subquery")?;
        Ok(imports)
    }

    fn variables(&mut self) -> Parsed<Vec<Ident>> {
        let mut variables = vec![self.ident("a variable")?];
        while self.eat(TokenKind::Comma).is_some() {
            variables.push(self.ident("a variable")?);
        }
        Ok(variables)
    }

    fn call_procedure(&mut self, start: u32) -> Parsed<CallProcedure> {
        let name = self.qualified_name("a procedure name")?;
        let arguments = match self.eat(TokenKind::LeftParen) {
            Some(_) => Some(self.arguments(&name, false)?),
            None => None,
        };
        let yields = self.yields()?;
        let predicate = match yields {
            Yield::Items(_) if self.eat_keyword(Keyword::Where) => Some(self.predicate()?),
            _ => None,
        };
        Ok(CallProcedure { name, arguments, yields, predicate, span: self.span_from(start) })
    }

    fn yields(&mut self) -> Parsed<Yield> {
        if !self.eat_keyword(Keyword::Yield) {
            return Ok(Yield::Unsaid);
        }
        if let Some(star) = self.eat(TokenKind::Star) {
            return Ok(Yield::Star(star.span()));
        }
        let mut items = vec![self.yield_item()?];
        while self.eat(TokenKind::Comma).is_some() {
            items.push(self.yield_item()?);
        }
        Ok(Yield::Items(items))
    }

    fn yield_item(&mut self) -> Parsed<YieldItem> {
        let field = self.ident("a column of the procedure")?;
        let alias = if self.eat_keyword(Keyword::As) { Some(self.ident("a variable")?) } else { None };
        Ok(YieldItem { field, alias })
    }
}
