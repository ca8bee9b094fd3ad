//! The body of `WITH` and `RETURN`.

use super::{Parsed, Parser};
use crate::ast::{Projection, ProjectionItem, SortItem};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// `RETURN|WITH [DISTINCT] items [ORDER BY …] [SKIP …] [LIMIT …]`, the keyword being the current token.
    pub(super) fn projection(&mut self) -> Parsed<Projection> {
        let start = self.bump().start;
        let distinct = self.eat_keyword(Keyword::Distinct);
        let star = self.eat(TokenKind::Star).map(|token| token.span());
        let mut items = Vec::new();
        if star.is_none() {
            items.push(self.projection_item()?);
        }
        while self.eat(TokenKind::Comma).is_some() {
            items.push(self.projection_item()?);
        }
        let order_by = if self.at_keyword(Keyword::Order) { self.order_by()? } else { Vec::new() };
        let skip = if self.eat_keyword(Keyword::Skip) || self.eat_keyword(Keyword::Offset) {
            Some(self.value()?)
        } else {
            None
        };
        let limit = if self.eat_keyword(Keyword::Limit) { Some(self.value()?) } else { None };
        Ok(Projection { distinct, star, items, order_by, skip, limit, span: self.span_from(start) })
    }

    fn projection_item(&mut self) -> Parsed<ProjectionItem> {
        let start = self.start();
        let expr = self.value()?;
        let source = self.span_from(start);
        let alias = if self.eat_keyword(Keyword::As) { Some(self.ident("an alias")?) } else { None };
        match (&alias, self.alias_without_as()) {
            (None, Some(error)) => Err(error),
            _ => Ok(ProjectionItem { expr, alias, source }),
        }
    }

    fn order_by(&mut self) -> Parsed<Vec<SortItem>> {
        self.bump();
        self.expect_keyword(Keyword::By, " after ORDER")?;
        let mut items = vec![self.sort_item()?];
        while self.eat(TokenKind::Comma).is_some() {
            items.push(self.sort_item()?);
        }
        Ok(items)
    }

    fn sort_item(&mut self) -> Parsed<SortItem> {
        let expr = self.value()?;
        let descending = self.eat_keyword(Keyword::Desc) || self.eat_keyword(Keyword::Descending);
        if !descending && !self.eat_keyword(Keyword::Asc) {
            self.eat_keyword(Keyword::Ascending);
        }
        Ok(SortItem { expr, descending })
    }
}
