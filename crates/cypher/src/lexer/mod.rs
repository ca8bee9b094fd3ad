//! Takes the text of a query, gives its tokens.
//!
//! 1. Skip whitespace and comments.
//! 2. Cut one token at the first character; numbers and characters outside ASCII have files of their own.
//! 3. Pair the brackets, so that the parser can look past a bracket without reading what is in it.
//!
//! A lexer never fails: what is no token becomes a token that says so, and the parser reports it if it gets
//! there.
//! **Cost**: one pass, 16 bytes per token.
//!
//! Source: openCypher 9 grammar, lexer rules.

mod number;
mod unicode;

use trimorph_base::CancelToken;

use crate::token::{Keyword, Token, TokenKind};

pub(crate) use unicode::{is_identifier_part, is_whitespace};

/// Tokens that are cut between two looks at the flag that cancels.
const TOKENS_UNCHECKED: usize = 1 << 14;

/// The tokens of `text`, the last of which is [`TokenKind::End`]; `None` if `cancel` said stop. `text` must
/// be shorter than 4 GiB.
pub(crate) fn tokenize(text: &str, cancel: &CancelToken) -> Option<Vec<Token>> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::with_capacity(text.len() / 4 + 4),
        open: Vec::new(),
    };
    while lexer.step() {
        if lexer.tokens.len().is_multiple_of(TOKENS_UNCHECKED) && cancel.is_cancelled() {
            return None;
        }
    }
    Some(lexer.tokens)
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    /// Indices of the brackets not closed yet.
    open: Vec<usize>,
}

impl Lexer<'_> {
    /// Adds one token; false after the last.
    fn step(&mut self) -> bool {
        let blank = self.skip_blank();
        let start = self.at;
        let kind = match blank {
            Blank::UnclosedComment(begin) => {
                self.push(TokenKind::Unclosed, begin, self.bytes.len());
                self.at = self.bytes.len();
                return true;
            }
            Blank::Skipped => match self.bytes.get(start) {
                None => TokenKind::End,
                Some(&byte) => self.token(byte),
            },
        };
        self.push(kind, start, self.at);
        kind != TokenKind::End
    }

    #[expect(clippy::cast_possible_truncation, reason = "the text is shorter than 4 GiB")]
    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        let index = self.tokens.len();
        match kind {
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => self.open.push(index),
            TokenKind::RightParen => self.pair(TokenKind::LeftParen, index),
            TokenKind::RightBracket => self.pair(TokenKind::LeftBracket, index),
            TokenKind::RightBrace => self.pair(TokenKind::LeftBrace, index),
            _ => {}
        }
        self.tokens.push(Token { kind, start: start as u32, end: end as u32, partner: 0 });
    }

    /// Joins the closing bracket at `close` to the innermost open one, if that is of kind `left`.
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer tokens than bytes")]
    fn pair(&mut self, left: TokenKind, close: usize) {
        let Some(&open) = self.open.last() else { return };
        if let Some(token) = self.tokens.get_mut(open)
            && token.kind == left
        {
            token.partner = close as u32;
            self.open.pop();
        }
    }

    fn skip_blank(&mut self) -> Blank {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t'..=b'\r' | 0x1c..=0x1f => self.at += 1,
                b'/' if self.byte(1) == Some(b'/') => self.skip_until(b'\n'),
                b'/' if self.byte(1) == Some(b'*') => {
                    let begin = self.at;
                    match self.text.get(begin + 2..).and_then(|rest| rest.find("*/")) {
                        Some(length) => self.at = begin + length + 4,
                        None => return Blank::UnclosedComment(begin),
                    }
                }
                0x80.. => match self.char() {
                    Some(c) if is_whitespace(c) => self.at += c.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        Blank::Skipped
    }

    fn skip_until(&mut self, stop: u8) {
        while self.bytes.get(self.at).is_some_and(|&b| b != stop) {
            self.at += 1;
        }
    }

    /// The byte `offset` past the current one.
    fn byte(&self, offset: usize) -> Option<u8> {
        self.bytes.get(self.at + offset).copied()
    }

    /// The character at the current place.
    fn char(&self) -> Option<char> {
        self.text.get(self.at..).and_then(|rest| rest.chars().next())
    }

    /// Cuts the token that begins with `byte` at the current place.
    fn token(&mut self, byte: u8) -> TokenKind {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'\'' | b'"' => self.string(byte),
            b'`' => self.quoted_name(TokenKind::QuotedName),
            b'$' => self.parameter(),
            0x80.. => self.beyond_ascii(),
            _ => self.punctuation(byte),
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_identifier();
        TokenKind::Word(self.text.get(start..self.at).and_then(Keyword::of))
    }

    fn skip_identifier(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                self.at += 1;
            } else if byte >= 0x80 {
                match self.char() {
                    Some(c) if is_identifier_part(c) => self.at += c.len_utf8(),
                    _ => break,
                }
            } else {
                break;
            }
        }
    }

    fn string(&mut self, quote: u8) -> TokenKind {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                _ if byte == quote => {
                    self.at += 1;
                    return TokenKind::String;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
        TokenKind::Unclosed
    }

    /// A name in backticks; two backticks within stand for one.
    fn quoted_name(&mut self, kind: TokenKind) -> TokenKind {
        self.at += 1;
        loop {
            self.skip_until(b'`');
            match (self.byte(0), self.byte(1)) {
                (None, _) => return TokenKind::Unclosed,
                (_, Some(b'`')) => self.at += 2,
                _ => {
                    self.at += 1;
                    return kind;
                }
            }
        }
    }

    fn parameter(&mut self) -> TokenKind {
        self.at += 1;
        if self.byte(0) == Some(b'`') {
            return self.quoted_name(TokenKind::Parameter);
        }
        let start = self.at;
        self.skip_identifier();
        if self.at > start { TokenKind::Parameter } else { TokenKind::BadCharacter }
    }

    fn beyond_ascii(&mut self) -> TokenKind {
        let Some(c) = self.char() else {
            self.at += 1;
            return TokenKind::BadCharacter;
        };
        let kind = unicode::token_kind(c);
        if matches!(kind, TokenKind::Word(_)) {
            return self.word();
        }
        self.at += c.len_utf8();
        kind
    }

    fn punctuation(&mut self, byte: u8) -> TokenKind {
        use TokenKind as T;
        if byte == b'<'
            && matches!(self.tokens.last(), Some(Token { kind: T::Colon, .. }))
            && let Some(kind) = self.iri()
        {
            return kind;
        }
        let (kind, length) = match (byte, self.byte(1)) {
            (b'.', Some(b'.')) => (T::DotDot, 2),
            (b':', Some(b':')) => (T::DoubleColon, 2),
            (b'+', Some(b'=')) => (T::PlusEqual, 2),
            (b'=', Some(b'~')) => (T::EqualTilde, 2),
            (b'<', Some(b'>')) => (T::NotEqual, 2),
            (b'<', Some(b'=')) => (T::LessEqual, 2),
            (b'>', Some(b'=')) => (T::GreaterEqual, 2),
            (b'(', _) => (T::LeftParen, 1),
            (b')', _) => (T::RightParen, 1),
            (b'[', _) => (T::LeftBracket, 1),
            (b']', _) => (T::RightBracket, 1),
            (b'{', _) => (T::LeftBrace, 1),
            (b'}', _) => (T::RightBrace, 1),
            (b',', _) => (T::Comma, 1),
            (b'.', _) => (T::Dot, 1),
            (b':', _) => (T::Colon, 1),
            (b';', _) => (T::Semicolon, 1),
            (b'|', _) => (T::Bar, 1),
            (b'&', _) => (T::Ampersand, 1),
            (b'!', _) => (T::Bang, 1),
            (b'+', _) => (T::Plus, 1),
            (b'-', _) => (T::Minus, 1),
            (b'*', _) => (T::Star, 1),
            (b'/', _) => (T::Slash, 1),
            (b'%', _) => (T::Percent, 1),
            (b'^', _) => (T::Caret, 1),
            (b'=', _) => (T::Equal, 1),
            (b'<', _) => (T::Less, 1),
            (b'>', _) => (T::Greater, 1),
            _ => (T::BadCharacter, 1),
        };
        self.at += length;
        kind
    }

    /// `<…>` right after a colon: elsewhere no `<` can follow a colon, so this takes nothing from the
    /// language.
    fn iri(&mut self) -> Option<TokenKind> {
        let rest = self.bytes.get(self.at + 1..)?;
        let length = rest.iter().position(|b| matches!(b, b'>' | b'<' | b' ' | b'\n' | b'"'))?;
        if rest.get(length) != Some(&b'>') {
            return None;
        }
        self.at += length + 2;
        Some(TokenKind::Iri)
    }
}

/// What was skipped before a token.
enum Blank {
    /// Whitespace and comments, maybe none.
    Skipped,
    /// A `/*` at this place has no `*/`.
    UnclosedComment(usize),
}
