//! Values of number and string tokens.

use trimorph_base::Span;

use super::error::{syntax, with_hint};
use super::{Parsed, Parser};
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// The value of an integer token, with a minus sign before it or not.
    pub(super) fn integer(&self, token: Token, negative: bool) -> Parsed<i64> {
        let text = self.slice(token.span());
        let (digits, radix) = match token.kind {
            TokenKind::HexInteger => (text.get(2..).unwrap_or_default(), 16),
            TokenKind::OctalInteger => (text.get(2..).unwrap_or_default(), 8),
            _ => (text, 10),
        };
        let value = match u64::from_str_radix(digits, radix) {
            Ok(magnitude) if negative => 0i64.checked_sub_unsigned(magnitude),
            Ok(magnitude) => i64::try_from(magnitude).ok(),
            Err(_) => None,
        };
        value.ok_or_else(|| {
            let sign = if negative { "-" } else { "" };
            let primary = format!("the integer {sign}{text} does not fit 64 bits");
            with_hint(
                syntax("IntegerOverflow", primary, token.span()),
                "write it with a point to make it a float",
            )
        })
    }

    /// The value of a float token.
    pub(super) fn float(&self, token: Token) -> Parsed<f64> {
        let text = self.slice(token.span());
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => {
                let primary = format!("the float {text} is larger than any 64-bit float");
                Err(syntax("FloatingPointOverflow", primary, token.span()))
            }
            Err(_) => {
                Err(syntax("InvalidNumberLiteral", format!("\"{text}\" is not a number"), token.span()))
            }
        }
    }

    /// The value of a string token, escapes resolved.
    pub(super) fn string(&self, token: Token) -> Parsed<String> {
        let text = self.slice(token.span());
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        if !inner.contains('\\') {
            return Ok(inner.to_owned());
        }
        Unescape { rest: inner, at: token.start + 1 }.run()
    }
}

/// Resolves the escapes of a string.
struct Unescape<'a> {
    rest: &'a str,
    /// Where `rest` begins in the query.
    at: u32,
}

impl<'a> Unescape<'a> {
    fn run(mut self) -> Parsed<String> {
        let mut value = String::with_capacity(self.rest.len());
        while let Some(plain) = self.rest.find('\\') {
            value.push_str(self.take(plain));
            value.push(self.escape()?);
        }
        value.push_str(self.rest);
        Ok(value)
    }

    /// Takes `length` bytes, or all there are.
    fn take(&mut self, length: usize) -> &'a str {
        let (head, tail) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = tail;
        self.at += u32::try_from(head.len()).unwrap_or(u32::MAX);
        head
    }

    /// The character that the escape at the front stands for.
    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        self.take(1);
        let Some(letter) = self.rest.chars().next() else {
            return Err(syntax(
                "UnexpectedSyntax",
                "nothing follows the backslash",
                Span::new(start, self.at),
            ));
        };
        self.take(letter.len_utf8());
        match letter {
            '\\' | '\'' | '"' | '`' => Ok(letter),
            'b' => Ok('\u{8}'),
            'f' => Ok('\u{c}'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'u' => self.utf16(start),
            'U' => {
                let code = self.hex(8).ok_or_else(|| self.bad_unicode(start, "8"))?;
                char::from_u32(code).ok_or_else(|| self.no_character(start))
            }
            _ => {
                let primary = format!("\"\\{letter}\" is not an escape");
                let error = syntax("UnexpectedSyntax", primary, Span::new(start, self.at));
                Err(with_hint(error, "write \\\\ for a backslash"))
            }
        }
    }

    /// `XXXX`, or `XXXX\uXXXX` if it is the first half of a surrogate pair.
    fn utf16(&mut self, start: u32) -> Parsed<char> {
        let first = self.hex(4).ok_or_else(|| self.bad_unicode(start, "4"))?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        if first < 0xdc00 && self.rest.starts_with("\\u") {
            self.take(2);
            let second = self.hex(4).ok_or_else(|| self.bad_unicode(start, "4"))?;
            if let 0xdc00..=0xdfff = second
                && let Some(c) = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            {
                return Ok(c);
            }
        }
        Err(self.no_character(start))
    }

    /// Takes `count` hexadecimal digits.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest.get(..count).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.take(count);
        u32::from_str_radix(digits, 16).ok()
    }

    fn bad_unicode(&self, start: u32, count: &str) -> Box<trimorph_base::Diagnostic> {
        let primary = format!("a Unicode escape needs {count} hexadecimal digits");
        syntax("InvalidUnicodeLiteral", primary, Span::new(start, self.at))
    }

    fn no_character(&self, start: u32) -> Box<trimorph_base::Diagnostic> {
        syntax("InvalidUnicodeLiteral", "the Unicode escape names no character", Span::new(start, self.at))
    }
}
