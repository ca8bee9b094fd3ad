//! The text of an object in, its keys and values out, as slices of the text: nothing is copied that is not
//! kept.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Value as Json;
use trimorph_types::{LogicalType, Value};

use super::chunk::string_end;

/// Deepest object within objects whose keys are columns.
pub(crate) const DEPTH_MAX: usize = 16;

/// A value as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    Null,
    Bool(bool),
    Number(&'a [u8]),
    /// What is between the quotes, and whether it has escapes.
    Text(&'a [u8], bool),
    Object(&'a [u8]),
    List(&'a [u8]),
}

impl Token<'_> {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(..) => "a string",
            Self::Object(_) => "an object",
            Self::List(_) => "a list",
        }
    }
}

/// The text that a value is where a text is wanted: that of a string, and JSON of anything else but null.
pub(crate) fn text_of<'a>(token: &Token<'a>) -> Option<Cow<'a, [u8]>> {
    Some(match token {
        Token::Null => return None,
        Token::Bool(is) => Cow::Borrowed(if *is { b"true" } else { b"false" }),
        Token::Number(raw) | Token::Object(raw) | Token::List(raw) | Token::Text(raw, false) => {
            Cow::Borrowed(raw)
        }
        Token::Text(raw, true) => Cow::Owned(unescaped(raw)?.into_bytes()),
    })
}

/// A string with its escapes resolved.
fn unescaped(raw: &[u8]) -> Option<String> {
    let mut quoted = Vec::with_capacity(raw.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(raw);
    quoted.push(b'"');
    serde_json::from_slice(&quoted).ok()
}

/// What is called on a key and its value.
pub(crate) type Visit<'v, 'a> = dyn FnMut(&[u8], Token<'a>) -> Result<(), String> + 'v;

/// Calls `visit` on the keys and values of an object.
///
/// **Errors**: what is no JSON, or no object; what `visit` says.
pub(crate) fn object<'a>(text: &'a [u8], visit: &mut Visit<'_, 'a>) -> Result<(), String> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.space();
    if text.get(scanner.at) != Some(&b'{') {
        return Err(match scanner.value() {
            Ok(token) => format!("expected an object, found {}", token.kind()),
            Err(error) => error,
        });
    }
    scanner.at += 1;
    if scanner.takes(b'}') {
        return scanner.end();
    }
    loop {
        scanner.space();
        let Ok(Token::Text(key, has_escapes)) = scanner.value() else {
            return Err(scanner.wrong("a key in quotes"));
        };
        if !scanner.takes(b':') {
            return Err(scanner.wrong("\":\""));
        }
        scanner.space();
        let value = scanner.value()?;
        if has_escapes {
            let key = unescaped(key).ok_or("a key has a broken escape")?;
            visit(key.as_bytes(), value)?;
        } else {
            visit(key, value)?;
        }
        if scanner.takes(b'}') {
            return scanner.end();
        }
        if !scanner.takes(b',') {
            return Err(scanner.wrong("\",\" or \"}\""));
        }
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    #[inline]
    fn space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    #[inline]
    fn takes(&mut self, byte: u8) -> bool {
        self.space();
        let is = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is);
        is
    }

    fn end(&mut self) -> Result<(), String> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.wrong("the end of the object")) }
    }

    #[cold]
    fn wrong(&self, wanted: &str) -> String {
        let rest = String::from_utf8_lossy(self.text.get(self.at..).unwrap_or_default());
        let found: String = rest.chars().take(20).collect();
        let found = if found.is_empty() { "the end".to_owned() } else { format!("\"{found}\"") };
        format!("it is no JSON: expected {wanted}, found {found} at byte {}", self.at + 1)
    }

    fn value(&mut self) -> Result<Token<'a>, String> {
        let start = self.at;
        let (token, end) = match self.text.get(start) {
            Some(b'"') => {
                let end = string_end(self.text, start).ok_or_else(|| self.wrong("a string that ends"))?;
                let raw = &self.text[start + 1..end - 1];
                (Token::Text(raw, memchr::memchr(b'\\', raw).is_some()), end)
            }
            Some(b'n') if self.text[start..].starts_with(b"null") => (Token::Null, start + 4),
            Some(b't') if self.text[start..].starts_with(b"true") => (Token::Bool(true), start + 4),
            Some(b'f') if self.text[start..].starts_with(b"false") => (Token::Bool(false), start + 5),
            Some(b'-' | b'0'..=b'9') => {
                let length = number_length(&self.text[start..]).ok_or_else(|| self.wrong("a number"))?;
                (Token::Number(&self.text[start..start + length]), start + length)
            }
            Some(open @ (b'{' | b'[')) => {
                // Checked as a whole by the library, which bounds how deep it is.
                let mut values =
                    serde_json::Deserializer::from_slice(&self.text[start..]).into_iter::<IgnoredAny>();
                match values.next() {
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(format!("it is no JSON: {error}")),
                    None => return Err(self.wrong("a value")),
                }
                let end = start + values.byte_offset();
                let raw = &self.text[start..end];
                (if *open == b'{' { Token::Object(raw) } else { Token::List(raw) }, end)
            }
            _ => return Err(self.wrong("a value")),
        };
        self.at = end;
        Ok(token)
    }
}

/// The length of the number that a text begins with, as JSON writes numbers.
fn number_length(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = usize::from(text.first() == Some(&b'-'));
    match digits(at) {
        0 => return None,
        many if many > 1 && text[at] == b'0' => return None,
        many => at += many,
    }
    if text.get(at) == Some(&b'.') {
        match digits(at + 1) {
            0 => return None,
            many => at += 1 + many,
        }
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        match digits(at + 1 + sign) {
            0 => return None,
            many => at += 1 + sign + many,
        }
    }
    Some(at)
}

/// Whether a list holds an object at any depth, which no property can.
pub(crate) fn holds_objects(raw: &[u8]) -> bool {
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'"', b'{', raw.get(at..).unwrap_or_default()) {
        at += next;
        if raw[at] == b'{' {
            return true;
        }
        match string_end(raw, at) {
            Some(end) => at = end,
            None => return false,
        }
    }
    false
}

/// The value of a list whose elements are of a type, or of any.
///
/// **Errors**: an element that is not of the type, or that no property holds.
pub(crate) fn list(raw: &[u8], of: LogicalType) -> Result<Value, String> {
    match serde_json::from_slice::<Json>(raw) {
        Ok(value) => element(value, of),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}

fn element(value: Json, of: LogicalType) -> Result<Value, String> {
    let text = match value {
        Json::Null => return Ok(Value::Null),
        Json::Array(items) => {
            let items = items.into_iter().map(|item| element(item, of));
            return Ok(Value::list(items.collect::<Result<_, _>>()?));
        }
        Json::Object(_) => return Err("a list holds an object, which no property can".to_owned()),
        Json::Bool(is) if of == LogicalType::Any => return Ok(Value::Bool(is)),
        Json::String(text) if of == LogicalType::Any => return Ok(Value::string(text.as_str())),
        Json::Number(number) if of == LogicalType::Any => {
            return match (number.as_i64(), number.as_f64()) {
                (Some(int), _) => Ok(Value::Int(int)),
                (None, Some(float)) => Ok(Value::Float(float)),
                (None, None) => Err(format!("a list holds {number}, which is no number here")),
            };
        }
        Json::String(text) => text,
        other => other.to_string(),
    };
    crate::column::parse_one(of, text.as_bytes())
        .ok_or_else(|| format!("a list holds \"{text}\", which is no valid {of}"))
}
