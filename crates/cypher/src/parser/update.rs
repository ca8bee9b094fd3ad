//! The updating clauses.

use super::error::{syntax, with_hint};
use super::{PATH_LEVELS, Parsed, Parser};
use crate::ast::{
    Create, Delete, Expr, ExprKind, Foreach, Ident, LabelExpr, Merge, MergeAction, MergeEvent, Remove,
    RemoveItem, Set, SetItem,
};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// `CREATE pattern`.
    pub(super) fn create(&mut self) -> Parsed<Create> {
        let start = self.bump().start;
        let pattern = self.pattern()?;
        for path in &pattern {
            self.check_created(path, true)?;
        }
        Ok(Create { pattern, span: self.span_from(start) })
    }

    /// `MERGE path [ON CREATE SET …] [ON MATCH SET …]`.
    pub(super) fn merge(&mut self) -> Parsed<Merge> {
        let start = self.bump().start;
        let path = self.path()?;
        self.refuse_parameter_map(&path)?;
        self.check_created(&path, false)?;
        let mut actions = Vec::new();
        while self.at_keyword(Keyword::On) {
            actions.push(self.merge_action()?);
        }
        Ok(Merge { path, actions, span: self.span_from(start) })
    }

    fn merge_action(&mut self) -> Parsed<MergeAction> {
        let start = self.bump().start;
        let on = if self.eat_keyword(Keyword::Create) {
            MergeEvent::Create
        } else {
            self.expect_keyword(Keyword::Match, " or CREATE after ON")?;
            MergeEvent::Match
        };
        self.expect_keyword(Keyword::Set, " and what to change")?;
        let items = self.set_items()?;
        Ok(MergeAction { on, items, span: self.span_from(start) })
    }

    /// `SET item, …`.
    pub(super) fn set(&mut self) -> Parsed<Set> {
        let start = self.bump().start;
        let items = self.set_items()?;
        Ok(Set { items, span: self.span_from(start) })
    }

    fn set_items(&mut self) -> Parsed<Vec<SetItem>> {
        let mut items = vec![self.set_item()?];
        while self.eat(TokenKind::Comma).is_some() {
            items.push(self.set_item()?);
        }
        Ok(items)
    }

    fn set_item(&mut self) -> Parsed<SetItem> {
        let start = self.start();
        if let Some((variable, labels)) = self.variable_with_labels()? {
            return Ok(SetItem::Labels { variable, labels, span: self.span_from(start) });
        }
        if self.is_word(self.at) && matches!(self.next_kind(), TokenKind::Equal | TokenKind::PlusEqual) {
            let variable = self.ident("a variable")?;
            let adds = self.bump().kind == TokenKind::PlusEqual;
            let value = self.value()?;
            let span = self.span_from(start);
            return Ok(match adds {
                true => SetItem::Merge { variable, value, span },
                false => SetItem::Replace { variable, value, span },
            });
        }
        let target = self.property_target()?;
        self.expect(TokenKind::Equal, "\"=\" and the new value")?;
        let value = self.value()?;
        Ok(SetItem::Property { target, value, span: self.span_from(start) })
    }

    /// `n:A:B` or `n IS A`, if that is what comes.
    fn variable_with_labels(&mut self) -> Parsed<Option<(Ident, LabelExpr)>> {
        let labels_follow = matches!(self.next_kind(), TokenKind::Colon | TokenKind::Word(Some(Keyword::Is)));
        if !self.is_ident(self.at) || !labels_follow {
            return Ok(None);
        }
        let variable = self.take_ident();
        self.bump();
        let labels = self.labels("a label", true)?;
        self.check_plain_labels(&labels)?;
        Ok(Some((variable, labels)))
    }

    /// `n.key` or `n[key]`.
    fn property_target(&mut self) -> Parsed<Expr> {
        let at = self.at;
        let target = self.target()?;
        if matches!(target.kind, ExprKind::Property { .. } | ExprKind::Index { .. }) {
            return Ok(target);
        }
        // `SET TRANSACTION …` is no name and a mistake behind it.
        if let Some(error) = self.known_elsewhere(at) {
            return Err(error);
        }
        let error = syntax("UnexpectedSyntax", "expected a property or labels to change", target.span);
        Err(with_hint(error, "write n.key = value, n = map, n += map or n:Label"))
    }

    /// `REMOVE item, …`.
    pub(super) fn remove(&mut self) -> Parsed<Remove> {
        let start = self.bump().start;
        let mut items = vec![self.remove_item()?];
        while self.eat(TokenKind::Comma).is_some() {
            items.push(self.remove_item()?);
        }
        Ok(Remove { items, span: self.span_from(start) })
    }

    fn remove_item(&mut self) -> Parsed<RemoveItem> {
        let start = self.start();
        if let Some((variable, labels)) = self.variable_with_labels()? {
            return Ok(RemoveItem::Labels { variable, labels, span: self.span_from(start) });
        }
        self.property_target().map(RemoveItem::Property)
    }

    /// `[DETACH] DELETE expression, …`.
    pub(super) fn delete(&mut self) -> Parsed<Delete> {
        let start = self.start();
        let detach = self.eat_keyword(Keyword::Detach);
        self.expect_keyword(Keyword::Delete, " after DETACH")?;
        let mut targets = vec![self.delete_target()?];
        while self.eat(TokenKind::Comma).is_some() {
            targets.push(self.delete_target()?);
        }
        Ok(Delete { detach, targets, span: self.span_from(start) })
    }

    fn delete_target(&mut self) -> Parsed<Expr> {
        let target = self.value()?;
        if !matches!(target.kind, ExprKind::HasLabels { .. }) {
            return Ok(target);
        }
        let error = syntax("InvalidDelete", "DELETE cannot take away a label or type", target.span);
        Err(with_hint(error, "use REMOVE to take a label off a node"))
    }

    /// `FOREACH (variable IN list | updating clauses)`.
    pub(super) fn foreach(&mut self) -> Parsed<Foreach> {
        let outer = self.enter(PATH_LEVELS)?;
        let start = self.bump().start;
        self.expect(TokenKind::LeftParen, "\"(\" after FOREACH")?;
        let variable = self.ident("a variable")?;
        self.expect_keyword(Keyword::In, " after the variable")?;
        let list = self.value_before_bar()?;
        self.expect(TokenKind::Bar, "\"|\" after the list")?;
        let mut body = Vec::new();
        loop {
            let clause = self.clause()?;
            if !clause.is_updating() {
                let primary =
                    format!("{} cannot stand in FOREACH, only updating clauses can", clause.keyword());
                let error = syntax("InvalidClauseComposition", primary, clause.span());
                return Err(with_hint(error, "write UNWIND list AS x, then the clauses"));
            }
            body.push(clause);
            if self.eat(TokenKind::RightParen).is_some() {
                break;
            }
            if !self.clause_ahead() {
                return Err(self.expected("an updating clause or \")\" to close FOREACH"));
            }
        }
        self.grow()?;
        self.leave(outer);
        Ok(Foreach { variable, list, body, span: self.span_from(start) })
    }
}
