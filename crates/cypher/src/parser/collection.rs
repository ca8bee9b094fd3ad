//! Lists, maps, comprehensions and map projections.

use super::error::with_hint;
use super::{Parsed, Parser};
use crate::ast::{
    ExprKind, ListComprehension, MapEntry, MapProjection, MapProjectionItem, PatternComprehension,
};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// `[a, b]`.
    #[inline(never)]
    pub(super) fn list(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let mut elements = Vec::new();
        if self.kind() != TokenKind::RightBracket {
            loop {
                elements.push(self.value()?);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        self.expect(TokenKind::RightBracket, "\",\" or \"]\" to close the list")?;
        Ok(ExprKind::List(elements))
    }

    /// `{key: value, …}`.
    #[inline(never)]
    pub(super) fn map_entries(&mut self) -> Parsed<Vec<MapEntry>> {
        self.bump();
        let mut entries = Vec::new();
        if self.kind() != TokenKind::RightBrace {
            loop {
                entries.push(self.map_entry()?);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        self.expect(TokenKind::RightBrace, "\",\" or \"}\" to close the map")?;
        Ok(entries)
    }

    fn map_entry(&mut self) -> Parsed<MapEntry> {
        if self.kind() == TokenKind::String {
            return Err(with_hint(self.expected("a key"), "write the key without quotes, or in backticks"));
        }
        let key = self.name("a key")?;
        if self.eat(TokenKind::Colon).is_none() {
            let error = self.expected("\":\" after the key");
            return Err(match self.kind() {
                TokenKind::Equal => with_hint(error, "write : between key and value"),
                TokenKind::RightBrace => with_hint(error, "write $name for a parameter"),
                _ => error,
            });
        }
        let value = self.value()?;
        Ok(MapEntry { key, value })
    }

    /// `[x IN list WHERE predicate | value]`.
    #[inline(never)]
    pub(super) fn list_comprehension(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let variable = self.ident("a variable")?;
        self.expect_keyword(Keyword::In, " after the variable")?;
        let list = self.value_before_bar()?;
        let predicate = match self.eat_keyword(Keyword::Where) {
            true => Some(self.predicate_before_bar()?),
            false => None,
        };
        let value = match self.eat(TokenKind::Bar) {
            Some(_) => Some(self.value()?),
            None => None,
        };
        self.expect(TokenKind::RightBracket, "\"]\" to close the list comprehension")?;
        Ok(ExprKind::ListComprehension(Box::new(ListComprehension { variable, list, predicate, value })))
    }

    /// `[p = (a)-->(b) WHERE predicate | value]`.
    #[inline(never)]
    pub(super) fn pattern_comprehension(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let path = self.path()?;
        self.refuse_parameter_map(&path)?;
        let predicate = match self.eat_keyword(Keyword::Where) {
            true => Some(self.predicate_before_bar()?),
            false => None,
        };
        self.expect(TokenKind::Bar, "\"|\" and the value to collect")?;
        let value = self.value()?;
        self.expect(TokenKind::RightBracket, "\"]\" to close the pattern comprehension")?;
        Ok(ExprKind::PatternComprehension(Box::new(PatternComprehension { path, predicate, value })))
    }

    /// `variable {.key, .*, other, key: value}`.
    #[inline(never)]
    pub(super) fn map_projection(&mut self) -> Parsed<ExprKind> {
        let subject = self.take_ident();
        self.bump();
        let mut items = Vec::new();
        if self.kind() != TokenKind::RightBrace {
            loop {
                items.push(self.map_projection_item()?);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        self.expect(TokenKind::RightBrace, "\",\" or \"}\" to close the map projection")?;
        Ok(ExprKind::MapProjection(Box::new(MapProjection { subject, items })))
    }

    fn map_projection_item(&mut self) -> Parsed<MapProjectionItem> {
        if let Some(dot) = self.eat(TokenKind::Dot) {
            return match self.eat(TokenKind::Star) {
                Some(_) => Ok(MapProjectionItem::All(self.span_from(dot.start))),
                None => self.name("a property key or \"*\"").map(MapProjectionItem::Property),
            };
        }
        if self.is_word(self.at) && matches!(self.next_kind(), TokenKind::Colon | TokenKind::DoubleColon) {
            return self.map_entry().map(MapProjectionItem::Entry);
        }
        self.ident("\".key\", \".*\", a variable or \"key: value\"").map(MapProjectionItem::Variable)
    }
}
