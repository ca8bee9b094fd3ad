//! Telling apart what begins alike, by a look at a few tokens.
//!
//! `(a)` may begin a path or be an operand: it is a path if it is shaped like a node and a relationship
//! follows that leads to another node. `[` may begin a list, a list comprehension or a pattern comprehension:
//! commas and bars directly within it decide. Each bracket's own tokens are looked at a fixed number of
//! times, and inner brackets are stepped over by their partners, so all looks together take linear time.

use super::Parser;
use crate::token::{Keyword, TokenKind};

/// What a `[` in an expression begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bracket {
    /// `[a, b]`.
    List,
    /// `[x IN list …]`.
    ListComprehension,
    /// `[(a)-->(b) … | …]`.
    PatternComprehension,
}

impl Parser<'_> {
    /// Whether a path of at least one relationship begins at the `(` at an index.
    pub(super) fn path_at(&self, index: usize) -> bool {
        let token = self.token_at(index);
        token.kind == TokenKind::LeftParen
            && token.partner != 0
            && self.node_at(index)
            && self.relationship_at(token.partner as usize + 1)
    }

    /// Whether what follows the `(` at an index looks like the inside of a node.
    fn node_at(&self, index: usize) -> bool {
        let filler = |kind| {
            matches!(
                kind,
                TokenKind::RightParen
                    | TokenKind::Colon
                    | TokenKind::LeftBrace
                    | TokenKind::Word(Some(Keyword::Is | Keyword::Where))
            )
        };
        let after_variable = self.kind_at(index + 2);
        filler(self.kind_at(index + 1))
            || self.is_ident(index + 1) && (filler(after_variable) || after_variable == TokenKind::Parameter)
    }

    /// Whether a relationship and the `(` of a node begin at an index.
    fn relationship_at(&self, index: usize) -> bool {
        let mut at = index + usize::from(is_left_arrowhead(self.kind_at(index)));
        if !is_dash(self.kind_at(at)) {
            return false;
        }
        at += 1;
        let bracket = self.token_at(at);
        if bracket.kind == TokenKind::LeftBracket {
            if self.kind_at(at + 1) == TokenKind::Colon {
                return true;
            }
            if bracket.partner == 0 {
                return false;
            }
            at = bracket.partner as usize + 1;
        }
        if !is_dash(self.kind_at(at)) {
            return false;
        }
        at += 1;
        at += usize::from(is_right_arrowhead(self.kind_at(at)));
        self.kind_at(at) == TokenKind::LeftParen && self.node_at(at)
    }

    /// What the `[` at the current place begins.
    pub(super) fn bracket_ahead(&self) -> Bracket {
        let first = self.at + 1;
        if self.is_ident(first) && self.kind_at(first + 1) == TokenKind::Word(Some(Keyword::In)) {
            // `[x IN xs, y]` is a list of a truth value and `y`.
            return match self.within(self.at, TokenKind::Comma) {
                true => Bracket::List,
                false => Bracket::ListComprehension,
            };
        }
        let named = self.is_ident(first) && self.kind_at(first + 1) == TokenKind::Equal;
        let path = if named { first + 2 } else { first };
        if self.path_at(path) && self.within(self.at, TokenKind::Bar) {
            return Bracket::PatternComprehension;
        }
        Bracket::List
    }

    /// Whether a token of this kind stands directly within the bracket at an index.
    fn within(&self, index: usize, kind: TokenKind) -> bool {
        let close = self.token_at(index).partner as usize;
        let mut at = index + 1;
        while at < close {
            let token = self.token_at(at);
            if token.kind == kind {
                return true;
            }
            at = at.max(token.partner as usize) + 1;
        }
        false
    }

    /// Whether the current word and `{` begin a subquery rather than a map projection of a variable of that
    /// name.
    pub(super) fn subquery_ahead(&self) -> bool {
        if self.next_kind() != TokenKind::LeftBrace {
            return false;
        }
        match self.kind_at(self.at + 2) {
            TokenKind::Dot | TokenKind::RightBrace => false,
            TokenKind::Word(_) | TokenKind::QuotedName => !matches!(
                self.kind_at(self.at + 3),
                TokenKind::Colon | TokenKind::DoubleColon | TokenKind::Comma | TokenKind::RightBrace
            ),
            _ => true,
        }
    }

    /// Whether `name(`, `namespace.name(` begins at the current place.
    pub(super) fn function_ahead(&self) -> bool {
        let mut at = self.at + 1;
        while self.kind_at(at) == TokenKind::Dot && self.is_word(at + 1) {
            at += 2;
        }
        self.kind_at(at) == TokenKind::LeftParen
    }
}

/// Whether a token is a dash of a relationship.
pub(super) fn is_dash(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Minus | TokenKind::OtherDash)
}

/// Whether a token is the head of an arrow to the left.
pub(super) fn is_left_arrowhead(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Less | TokenKind::OtherLess)
}

/// Whether a token is the head of an arrow to the right.
pub(super) fn is_right_arrowhead(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Greater | TokenKind::OtherGreater)
}
