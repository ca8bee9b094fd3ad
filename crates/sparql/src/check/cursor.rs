//! The text and a place in it: spaces, keywords, brackets.

use trimorph_base::Span;

use super::problem::Want;
use super::{Checked, Checker};

impl<'a> Checker<'a> {
    /// What is left of the text.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte; 0 at the end.
    pub(super) fn byte(&self) -> u8 {
        self.byte_at(self.at)
    }

    pub(super) fn byte_at(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// From a place to another one.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let narrow = |at: usize| u32::try_from(at.min(self.text.len())).unwrap_or(u32::MAX);
        Span::new(narrow(start), narrow(end))
    }

    /// From a place to here.
    pub(super) fn since(&self, start: usize) -> Span {
        self.span(start, self.at)
    }

    /// Passes spaces and comments.
    pub(super) fn space(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'#' => {
                    let rest = &bytes[self.at..];
                    let line = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                    self.at += line.unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Passes spaces, not comments.
    pub(super) fn white(&self, mut at: usize) -> usize {
        while matches!(self.byte_at(at), b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        at
    }

    /// Whether this sign stands here.
    pub(super) fn sees(&self, sign: &str) -> bool {
        self.rest().starts_with(sign)
    }

    /// Takes this sign, and the spaces behind it.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let is_here = self.sees(sign);
        if is_here {
            self.at += sign.len();
            self.space();
        }
        is_here
    }

    /// Takes this sign, or says what was expected.
    pub(super) fn require(&mut self, sign: &str, what: Want<'_>) -> Checked {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Whether this keyword stands here; the parser asks for no end of the word.
    pub(super) fn sees_word(&self, word: &str) -> bool {
        self.rest().get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
    }

    /// Takes this keyword, and the spaces behind it.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is_here = self.sees_word(word);
        if is_here {
            self.at += word.len();
            self.space();
        }
        is_here
    }

    /// Takes two keywords, or neither.
    pub(super) fn eat_words(&mut self, first: &str, second: &str) -> bool {
        let start = self.at;
        if self.eat_word(first) && self.eat_word(second) {
            return true;
        }
        self.at = start;
        false
    }

    /// Takes this keyword, or says what was expected.
    pub(super) fn require_word(&mut self, word: &str, what: Want<'_>) -> Checked {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// The letters, digits and underscores from here on.
    pub(super) fn word(&self) -> &'a str {
        self.word_from(self.at)
    }

    pub(super) fn word_from(&self, at: usize) -> &'a str {
        let rest = self.text.get(at..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    }
}
