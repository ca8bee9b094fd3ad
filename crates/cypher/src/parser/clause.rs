//! Which clause begins, and the reading clauses.

use super::{Parsed, Parser};
use crate::ast::{Clause, Match, Unwind, With};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// Whether the current token begins a clause.
    pub(super) fn clause_ahead(&self) -> bool {
        use Keyword as K;
        matches!(
            self.kind(),
            TokenKind::Word(Some(
                K::Match
                    | K::Optional
                    | K::Unwind
                    | K::With
                    | K::Return
                    | K::Create
                    | K::Merge
                    | K::Set
                    | K::Remove
                    | K::Delete
                    | K::Detach
                    | K::Foreach
                    | K::Call
            ))
        )
    }

    /// Any clause.
    pub(super) fn clause(&mut self) -> Parsed<Clause> {
        use Keyword as K;
        let TokenKind::Word(Some(keyword)) = self.kind() else { return Err(self.no_clause()) };
        match keyword {
            K::Match | K::Optional => self.match_clause().map(Clause::Match),
            K::Unwind => self.unwind().map(Clause::Unwind),
            K::With => self.with().map(Clause::With),
            K::Return => self.return_clause().map(Clause::Return),
            K::Create => self.create().map(Clause::Create),
            K::Merge => self.merge().map(Clause::Merge),
            K::Set => self.set().map(Clause::Set),
            K::Remove => self.remove().map(Clause::Remove),
            K::Delete | K::Detach => self.delete().map(Clause::Delete),
            K::Foreach => self.foreach().map(Clause::Foreach),
            K::Call => self.call(),
            _ => Err(self.no_clause()),
        }
    }

    fn no_clause(&self) -> Box<trimorph_base::Diagnostic> {
        self.expected("a clause such as MATCH, CREATE or RETURN")
    }

    /// `[OPTIONAL] MATCH pattern [WHERE predicate]`.
    fn match_clause(&mut self) -> Parsed<Match> {
        let start = self.start();
        let optional = self.eat_keyword(Keyword::Optional);
        self.expect_keyword(Keyword::Match, " after OPTIONAL")?;
        let pattern = self.pattern()?;
        for path in &pattern {
            self.refuse_parameter_map(path)?;
        }
        let predicate = if self.eat_keyword(Keyword::Where) { Some(self.predicate()?) } else { None };
        Ok(Match { optional, pattern, predicate, span: self.span_from(start) })
    }

    /// `UNWIND list AS variable`.
    fn unwind(&mut self) -> Parsed<Unwind> {
        let start = self.bump().start;
        let list = self.value()?;
        self.expect_keyword(Keyword::As, " and a variable after the list of UNWIND")?;
        let variable = self.ident("a variable")?;
        Ok(Unwind { list, variable, span: self.span_from(start) })
    }

    /// `WITH projection [WHERE predicate]`.
    fn with(&mut self) -> Parsed<With> {
        let start = self.start();
        let projection = self.projection()?;
        let predicate = if self.eat_keyword(Keyword::Where) { Some(self.predicate()?) } else { None };
        Ok(With { projection, predicate, span: self.span_from(start) })
    }

    /// `RETURN projection`.
    fn return_clause(&mut self) -> Parsed<crate::ast::Projection> {
        self.projection()
    }
}
