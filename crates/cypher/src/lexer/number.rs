//! Cuts numbers: `1`, `0x1F`, `0o17`, `1.5`, `.5`, `6.02E-23`, and what only looks like one.
//!
//! `1..3` is `1`, `..`, `3`: a point belongs to a number only if a digit follows it.

use super::{Lexer, is_identifier_part};
use crate::token::TokenKind;

impl Lexer<'_> {
    /// Cuts the number at the current place, which begins with a digit or a point.
    pub(super) fn number(&mut self) -> TokenKind {
        let kind = match (self.byte(0), self.byte(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => self.radix(TokenKind::HexInteger, |b| b.is_ascii_hexdigit()),
            (Some(b'0'), Some(b'o')) => self.radix(TokenKind::OctalInteger, |b| matches!(b, b'0'..=b'7')),
            _ => self.decimal(),
        };
        let end = self.at;
        if self.char().is_some_and(is_identifier_part) {
            self.skip_identifier();
        }
        if self.at > end { TokenKind::BadNumber } else { kind }
    }

    /// `0x` or `0o` and at least one digit.
    fn radix(&mut self, kind: TokenKind, is_digit: impl Fn(u8) -> bool) -> TokenKind {
        self.at += 2;
        let start = self.at;
        while self.byte(0).is_some_and(&is_digit) {
            self.at += 1;
        }
        if self.at > start { kind } else { TokenKind::BadNumber }
    }

    fn decimal(&mut self) -> TokenKind {
        let mut kind = TokenKind::Integer;
        self.skip_digits();
        if self.byte(0) == Some(b'.') && self.byte(1).is_some_and(|b| b.is_ascii_digit()) {
            kind = TokenKind::Float;
            self.at += 1;
            self.skip_digits();
        }
        if matches!(self.byte(0), Some(b'e' | b'E')) {
            let signed = usize::from(matches!(self.byte(1), Some(b'+' | b'-')));
            if self.byte(1 + signed).is_some_and(|b| b.is_ascii_digit()) {
                kind = TokenKind::Float;
                self.at += 1 + signed;
                self.skip_digits();
            }
        }
        kind
    }

    fn skip_digits(&mut self) {
        while self.byte(0).is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
    }
}
