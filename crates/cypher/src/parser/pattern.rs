//! Paths, nodes and relationships.

use super::error::{syntax, with_hint};
use super::lookahead::{is_dash, is_left_arrowhead, is_right_arrowhead};
use super::{PATH_LEVELS, Parsed, Parser};
use crate::ast::{
    Direction, Expr, NodePattern, PathLength, PathPattern, PathSearch, PathStep, Pattern, Properties,
    RelationshipPattern,
};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// Paths separated by commas.
    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        let mut paths = vec![self.path()?];
        while self.eat(TokenKind::Comma).is_some() {
            paths.push(self.path()?);
        }
        Ok(paths)
    }

    /// `[p =] path`.
    pub(super) fn path(&mut self) -> Parsed<PathPattern> {
        let start = self.start();
        let variable = if self.is_word(self.at) && self.next_kind() == TokenKind::Equal {
            let variable = self.ident("the variable of a path")?;
            self.bump();
            Some(variable)
        } else {
            None
        };
        let mut path = self.anonymous_path()?;
        path.variable = variable;
        path.span = self.span_from(start);
        Ok(path)
    }

    /// A path without a variable: plain, in parentheses, or one of the shortest.
    pub(super) fn anonymous_path(&mut self) -> Parsed<PathPattern> {
        match (self.kind(), self.next_kind()) {
            (TokenKind::Word(Some(Keyword::ShortestPath)), TokenKind::LeftParen) => {
                self.shortest_path(PathSearch::Shortest)
            }
            (TokenKind::Word(Some(Keyword::AllShortestPaths)), TokenKind::LeftParen) => {
                self.shortest_path(PathSearch::AllShortest)
            }
            (TokenKind::LeftParen, TokenKind::LeftParen) => {
                let outer = self.enter(1)?;
                let start = self.start();
                self.bump();
                let mut path = self.anonymous_path()?;
                self.expect(TokenKind::RightParen, "\")\" to close the path")?;
                if matches!(self.kind(), TokenKind::LeftBrace) {
                    return Err(self.expected("the end of the path"));
                }
                path.span = self.span_from(start);
                self.leave(outer);
                Ok(path)
            }
            _ => self.plain_path(),
        }
    }

    fn shortest_path(&mut self, search: PathSearch) -> Parsed<PathPattern> {
        let start = self.start();
        self.bump();
        self.bump();
        let mut path = self.plain_path()?;
        self.expect(TokenKind::RightParen, "\")\" to close the shortest path")?;
        path.search = search;
        path.span = self.span_from(start);
        Ok(path)
    }

    fn plain_path(&mut self) -> Parsed<PathPattern> {
        let start = self.start();
        let outer = self.enter(PATH_LEVELS)?;
        let first = self.node()?;
        let mut steps = Vec::new();
        while self.relationship_ahead() {
            let relationship = self.relationship()?;
            let node = self.node()?;
            steps.push(PathStep { relationship, node });
        }
        self.leave(outer);
        if (self.kind(), self.next_kind()) == (TokenKind::LeftParen, TokenKind::LeftParen) {
            return Err(self.part_in_parentheses());
        }
        let span = self.span_from(start);
        Ok(PathPattern { variable: None, search: PathSearch::All, start: first, steps, span })
    }

    fn relationship_ahead(&self) -> bool {
        is_dash(self.kind()) || is_left_arrowhead(self.kind()) && is_dash(self.next_kind())
    }

    fn node(&mut self) -> Parsed<NodePattern> {
        let open = self.expect(TokenKind::LeftParen, "a node pattern, which begins with \"(\"")?;
        let variable = self.optional_variable()?;
        let labels = self.optional_labels("a label")?;
        let properties = self.properties()?;
        let predicate = self.inline_predicate()?;
        self.expect(TokenKind::RightParen, "\")\" to close the node pattern")?;
        let span = self.span_from(open.start);
        Ok(NodePattern { variable, labels, properties, predicate, span })
    }

    fn relationship(&mut self) -> Parsed<RelationshipPattern> {
        let start = self.start();
        let left = is_left_arrowhead(self.kind());
        if left {
            self.bump();
        }
        self.dash()?;
        let mut relationship = RelationshipPattern {
            direction: Direction::Either,
            variable: None,
            types: None,
            length: None,
            properties: None,
            predicate: None,
            span: self.span_from(start),
        };
        if self.eat(TokenKind::LeftBracket).is_some() {
            self.relationship_detail(&mut relationship)?;
        }
        self.dash()?;
        let right = is_right_arrowhead(self.kind());
        if right {
            self.bump();
        }
        relationship.direction = match (left, right) {
            (false, true) => Direction::Right,
            (true, false) => Direction::Left,
            (false, false) => Direction::Either,
            (true, true) => Direction::Both,
        };
        if matches!(self.kind(), TokenKind::LeftBrace | TokenKind::Plus | TokenKind::Star) {
            relationship.length = Some(self.quantifier_of_hops(relationship.length)?);
        }
        relationship.span = self.span_from(start);
        Ok(relationship)
    }

    fn dash(&mut self) -> Parsed<()> {
        if !is_dash(self.kind()) {
            return Err(self.expected("\"-\" of a relationship"));
        }
        self.bump();
        Ok(())
    }

    /// What stands between `[` and `]`, and the `]`.
    fn relationship_detail(&mut self, relationship: &mut RelationshipPattern) -> Parsed<()> {
        relationship.variable = self.optional_variable()?;
        relationship.types = self.optional_labels("a relationship type")?;
        if self.kind() == TokenKind::Star {
            relationship.length = Some(self.path_length()?);
        }
        relationship.properties = self.properties()?;
        relationship.predicate = self.inline_predicate()?;
        if self.eat(TokenKind::RightBracket).is_some() {
            return Ok(());
        }
        let what = match self.kind() {
            TokenKind::DotDot => "\"*\" before the number of hops",
            _ => "\"]\" to close the relationship pattern",
        };
        Err(self.expected_as("InvalidRelationshipPattern", what))
    }

    fn path_length(&mut self) -> Parsed<PathLength> {
        let star = self.bump();
        let min = self.hops()?;
        let max = if self.eat(TokenKind::DotDot).is_some() { self.hops()? } else { min };
        Ok(PathLength { min, max, span: self.span_from(star.start) })
    }

    /// GQL's way to write how many hops, behind the relationship: `{n}`, `{n,m}`, `+`, `*`.
    fn quantifier_of_hops(&mut self, star: Option<PathLength>) -> Parsed<PathLength> {
        if let Some(star) = star {
            let primary = "the number of hops stands twice: within the brackets and behind them";
            return Err(with_hint(syntax("UnexpectedSyntax", primary, star.span), "leave one of them out"));
        }
        let open = self.bump();
        let (min, max) = match open.kind {
            TokenKind::Plus => (1, None),
            TokenKind::Star => (0, None),
            _ => {
                let min = self.hops()?;
                let max = if self.eat(TokenKind::Comma).is_some() { self.hops()? } else { min };
                if min.is_none() && max.is_none() {
                    return Err(self.expected("a number of hops, as in {1,3}"));
                }
                self.expect(TokenKind::RightBrace, "\"}\" to close the number of hops")?;
                (min.unwrap_or(0), max)
            }
        };
        Ok(PathLength { min: Some(min), max, span: self.span_from(open.start) })
    }

    fn hops(&mut self) -> Parsed<Option<u64>> {
        if self.kind() != TokenKind::Integer {
            return Ok(None);
        }
        let token = self.bump();
        self.integer(token, false).map(|n| Some(n.unsigned_abs()))
    }

    fn properties(&mut self) -> Parsed<Option<Properties>> {
        match self.kind() {
            TokenKind::LeftBrace => {
                let start = self.start();
                let entries = self.map_entries()?;
                Ok(Some(Properties::Map { entries, span: self.span_from(start) }))
            }
            TokenKind::Parameter => {
                let parameter = self.take_parameter();
                Ok(Some(Properties::Parameter { name: parameter.text, span: parameter.span }))
            }
            _ => Ok(None),
        }
    }

    fn inline_predicate(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.eat_keyword(Keyword::Where) {
            return Ok(None);
        }
        self.predicate().map(|predicate| Some(Box::new(predicate)))
    }
}
