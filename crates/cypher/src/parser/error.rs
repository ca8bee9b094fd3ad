//! Saying what is wrong with the current token.

use trimorph_base::{Diagnostic, ErrorKind, Span, nearest};

use super::foreign::instead;
use super::{NESTING_MAX, Parser};
use crate::absent::{self, Absent};
use crate::token::TokenKind;

/// Characters of a token that a message quotes.
const QUOTED_CHARS_MAX: usize = 30;

/// Keywords that a name out of place may be a misspelling of: those that stand between other things.
const STRUCTURAL: &[&str] = &[
    "AND",
    "AS",
    "ASC",
    "ASCENDING",
    "BY",
    "CALL",
    "CASE",
    "CONTAINS",
    "CREATE",
    "DELETE",
    "DESC",
    "DESCENDING",
    "DETACH",
    "DISTINCT",
    "ELSE",
    "END",
    "ENDS",
    "EXPLAIN",
    "FOREACH",
    "IN",
    "IS",
    "LIMIT",
    "MATCH",
    "MERGE",
    "NOT",
    "NULL",
    "OFFSET",
    "ON",
    "OPTIONAL",
    "OR",
    "ORDER",
    "PREFIX",
    "PROFILE",
    "REMOVE",
    "RETURN",
    "SET",
    "SKIP",
    "STARTS",
    "THEN",
    "UNION",
    "UNWIND",
    "WHEN",
    "WHERE",
    "WITH",
    "XOR",
    "YIELD",
];

/// What a statement may begin with that is no query.
const COMMANDS: &[&str] = &["BEGIN", "CHECKPOINT", "COMMIT", "REORGANIZE", "ROLLBACK", "SHOW", "TERMINATE"];

/// A syntax error with a place.
pub(super) fn syntax(detail: &'static str, primary: impl Into<String>, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::compile(ErrorKind::SyntaxError, detail, primary).at(span))
}

/// The same error with an action to take.
pub(super) fn with_hint(mut error: Box<Diagnostic>, hint: &str) -> Box<Diagnostic> {
    error.hint = Some(hint.to_owned());
    error
}

impl Parser<'_> {
    /// `what` should stand where the current token stands. A token that is broken in itself is reported as
    /// such.
    pub(super) fn expected(&self, what: &str) -> Box<Diagnostic> {
        let token = self.token();
        let word = self.slice(token.span());
        match token.kind {
            TokenKind::BadNumber => {
                let primary = format!("\"{}\" is not a number", shorten(word));
                let error = syntax("InvalidNumberLiteral", primary, token.span());
                let grouped =
                    word.contains('_') && word.bytes().all(|b| b.is_ascii_digit() || b"_.".contains(&b));
                if grouped { with_hint(error, "write the digits without _") } else { error }
            }
            TokenKind::Unclosed => self.unclosed(),
            TokenKind::OtherDash | TokenKind::OtherLess | TokenKind::OtherGreater => self.odd_character(word),
            TokenKind::BadCharacter if !word.is_ascii() => self.odd_character(word),
            _ => self.expected_as("UnexpectedSyntax", what),
        }
    }

    /// `what` should stand where the current token stands, whatever that is.
    pub(super) fn expected_as(&self, detail: &'static str, what: &str) -> Box<Diagnostic> {
        let token = self.token();
        if let Some(absent) = self.absent() {
            return self.not_available(&absent);
        }
        let error = syntax(detail, format!("expected {what}, found {}", self.found()), token.span());
        if let Some(hint) = self.foreign() {
            return with_hint(error, hint);
        }
        match self.misspelt() {
            Some(keyword) => with_hint(error, &format!("did you mean {keyword}?")),
            None => error,
        }
    }

    /// A name stands behind an expression, where SQL takes it for the column's; none if it is meant as
    /// something else.
    pub(super) fn alias_without_as(&self) -> Option<Box<Diagnostic>> {
        let ends = matches!(
            self.next_kind(),
            TokenKind::Comma | TokenKind::Semicolon | TokenKind::End | TokenKind::Word(Some(_))
        );
        if self.kind() != TokenKind::Word(None) || !ends {
            return None;
        }
        let error = self.expected("a clause or the end of the query");
        let hint = format!("write AS {}", shorten(self.slice(self.token().span())));
        error.hint.is_none().then(|| with_hint(error, &hint))
    }

    /// A part of a path stands in parentheses where the current token stands.
    pub(super) fn part_in_parentheses(&self) -> Box<Diagnostic> {
        match absent::syntax(")", "{", "") {
            Some(quantified) => self.not_available(&quantified),
            None => self.expected("the end of the path"),
        }
    }

    /// What a token that was passed is known as elsewhere.
    pub(super) fn known_elsewhere(&self, at: usize) -> Option<Box<Diagnostic>> {
        let [before, word, after] = self.neighbours(at);
        let absent = absent::syntax(before, word, after)?;
        Some(Self::not_available_at(&absent, self.token_at(at).span()))
    }

    fn not_available(&self, absent: &Absent) -> Box<Diagnostic> {
        Self::not_available_at(absent, self.token().span())
    }

    fn not_available_at(absent: &Absent, span: Span) -> Box<Diagnostic> {
        let primary = format!("{} is not available", absent.name);
        with_hint(syntax("NotAvailable", primary, span), absent.instead)
    }

    /// The current token in a message.
    fn found(&self) -> String {
        let token = self.token();
        match token.kind {
            TokenKind::End => "the end of the query".to_owned(),
            _ => format!("\"{}\"", shorten(self.slice(token.span()))),
        }
    }

    /// What to write instead of the current token, if another language would have it here.
    fn foreign(&self) -> Option<&'static str> {
        let [before, word, after] = self.neighbours(self.at);
        instead(before, word, after)
    }

    /// What the current token is known as elsewhere, and is not there.
    fn absent(&self) -> Option<Absent> {
        let [before, word, after] = self.neighbours(self.at);
        absent::syntax(before, word, after)
    }

    /// The texts of the token before one, of itself and of the next.
    fn neighbours(&self, at: usize) -> [&str; 3] {
        let text = |index: Option<usize>| index.map_or("", |index| self.slice(self.token_at(index).span()));
        [text(at.checked_sub(1)), text(Some(at)), text(Some(at + 1))]
    }

    /// The keyword that the current token seems to be meant as.
    fn misspelt(&self) -> Option<&'static str> {
        if self.kind() != TokenKind::Word(None) {
            return None;
        }
        let word = self.slice(self.token().span());
        // One or two letters are near to everything. Longer than any keyword by more than `nearest` bridges:
        // not worth a look.
        if !(3..=16).contains(&word.len()) {
            return None;
        }
        let commands = if self.at == 0 { COMMANDS } else { &[] };
        nearest(word, STRUCTURAL.iter().chain(commands).copied())
    }

    fn unclosed(&self) -> Box<Diagnostic> {
        let token = self.token();
        let (what, close) = match self.slice(token.span()).as_bytes().first() {
            Some(b'/') => ("comment", "*/"),
            Some(b'\'') => ("string", "'"),
            Some(b'"') => ("string", "\""),
            _ => ("quoted name", "`"),
        };
        let place = Span::new(token.start, (token.start + 1).min(token.end));
        let error = syntax("UnexpectedSyntax", format!("the {what} that begins here is not closed"), place);
        with_hint(error, &format!("add {close} at its end"))
    }

    fn odd_character(&self, text: &str) -> Box<Diagnostic> {
        let token = self.token();
        let code = text.chars().next().map_or(0, u32::from);
        let primary = format!("the character \"{text}\" (U+{code:04X}) cannot stand here");
        let error = syntax("InvalidUnicodeCharacter", primary, token.span());
        let ascii = match token.kind {
            TokenKind::OtherDash => "-",
            TokenKind::OtherLess => "<",
            TokenKind::OtherGreater => ">",
            _ => return if let Some(hint) = self.foreign() { with_hint(error, hint) } else { error },
        };
        with_hint(error, &format!("write {ascii} instead"))
    }

    pub(super) fn too_deep(&self) -> Box<Diagnostic> {
        let primary = format!("the query is nested more than {NESTING_MAX} levels deep");
        let error = syntax("NestingTooDeep", primary, self.token().span());
        with_hint(error, "split the expression, or put its operands into a list or parameter")
    }
}

/// The beginning of a token, on one line.
fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(QUOTED_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}
