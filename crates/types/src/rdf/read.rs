//! N-Triples: the text of one term in, its value out.
//!
//! By hand, one pass, recursion for triple terms within triple terms only, bounded.

use std::borrow::Cow;

use super::literal::{literal, tagged};
use super::names::xsd;
use crate::Value;

/// Most triple terms around the innermost term.
pub const TERM_DEPTH_MAX: usize = 100;

/// The value of a term; `None` if the text is none, or nested deeper than [`TERM_DEPTH_MAX`].
pub fn parse_nt(text: &str) -> Option<Value> {
    let mut reader = Reader(text);
    reader.space();
    let part = reader.term(TERM_DEPTH_MAX)?;
    reader.space();
    if reader.0.is_empty() { part.value() } else { None }
}

/// Subject, predicate and object of a triple term's text.
pub fn triple_parts(text: &str) -> Option<[Value; 3]> {
    let [subject, predicate, object] = split_triple(text)?.map(|part| part.value());
    Some([subject?, predicate?, object?])
}

/// The same as parts of the text.
///
/// **Cost**: one look at each byte; nothing is copied but texts with escapes.
pub fn split_triple(text: &str) -> Option<[Part<'_>; 3]> {
    let mut reader = Reader(text);
    reader.space();
    let parts = reader.triple(TERM_DEPTH_MAX)?;
    reader.space();
    reader.0.is_empty().then_some(parts)
}

/// A term that was read, in the text that it was read of.
#[derive(Clone, Debug)]
pub enum Part<'a> {
    /// An IRI, or a blank node as `_:label`.
    Resource(Cow<'a, str>),
    /// A triple term.
    Triple(Box<[Part<'a>; 3]>),
    /// A literal and its datatype.
    Typed(Cow<'a, str>, Cow<'a, str>),
    /// A literal and its tag.
    Tagged(Cow<'a, str>, &'a str),
}

impl Part<'_> {
    /// The value of the term.
    pub fn value(&self) -> Option<Value> {
        Some(match self {
            Self::Resource(name) => Value::iri(&**name),
            Self::Typed(text, datatype) => literal(text, datatype),
            Self::Tagged(text, tag) => tagged(text, tag),
            Self::Triple(parts) => {
                let [subject, predicate, object] = parts.each_ref().map(Part::value);
                // The whole in the one form that terms have.
                let mut nowhere = |_: &Value| Ok::<_, std::convert::Infallible>(Value::Null);
                let Ok(whole) = super::triple([&subject?, &predicate?, &object?], &mut nowhere);
                whole?
            }
        })
    }
}

struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn space(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn eat(&mut self, token: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(token)?;
        Some(())
    }

    /// What stands before `end`, of which `end` is left over.
    fn until(&mut self, end: impl Fn(char) -> bool) -> &'a str {
        let (token, rest) = self.0.split_at(self.0.find(end).unwrap_or(self.0.len()));
        self.0 = rest;
        token
    }

    fn term(&mut self, depth: usize) -> Option<Part<'a>> {
        if self.0.starts_with("<<(") {
            return Some(Part::Triple(Box::new(self.triple(depth)?)));
        }
        if self.0.starts_with('<') {
            return self.iri().map(Part::Resource);
        }
        if self.0.starts_with("_:") {
            let label = self.until(|c| c.is_ascii_whitespace() || matches!(c, '<' | '"' | ')'));
            return (label.len() > 2).then_some(Part::Resource(Cow::Borrowed(label)));
        }
        self.literal()
    }

    /// Three terms that make a triple.
    fn triple(&mut self, depth: usize) -> Option<[Part<'a>; 3]> {
        let depth = depth.checked_sub(1)?;
        self.eat("<<(")?;
        let mut next = || {
            self.space();
            self.term(depth)
        };
        let parts = [next()?, next()?, next()?];
        self.space();
        self.eat(")>>")?;
        // Names may have escapes, so that they are looked at as they are.
        let is_right = match &parts {
            [Part::Resource(subject), Part::Resource(predicate), _] => {
                let is_triple = |name: &str| name.starts_with("<<(");
                !is_triple(subject) && !is_triple(predicate) && !predicate.starts_with("_:")
            }
            _ => false,
        };
        is_right.then_some(parts)
    }

    fn iri(&mut self) -> Option<Cow<'a, str>> {
        self.eat("<")?;
        let iri = self.until(|c| matches!(c, '>' | '<' | '"' | '\0'..=' '));
        self.eat(">")?;
        unescaped(iri)
    }

    fn literal(&mut self) -> Option<Part<'a>> {
        self.eat("\"")?;
        let mut escaped = false;
        let end = self.0.bytes().position(|byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        })?;
        let text = unescaped(&self.0[..end])?;
        self.0 = &self.0[end + 1..];
        if self.eat("^^").is_some() {
            return Some(Part::Typed(text, self.iri()?));
        }
        if self.eat("@").is_some() {
            let tag = self.until(|c| !c.is_ascii_alphanumeric() && c != '-');
            return (!tag.is_empty()).then_some(Part::Tagged(text, tag));
        }
        Some(Part::Typed(text, Cow::Borrowed(xsd::STRING)))
    }
}

/// A text without its escapes, those of N-Triples; `None` if one of them is none.
pub fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let kind = escape.chars().next()?;
        let digits = match kind {
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let after = escape.get(kind.len_utf8()..)?;
        let code = after.get(..digits)?;
        rest = after.get(digits..)?;
        out.push(match kind {
            't' => '\t',
            'b' => '\u{8}',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            '"' | '\'' | '\\' => kind,
            'u' | 'U' if code.bytes().all(|b| b.is_ascii_hexdigit()) => {
                char::from_u32(u32::from_str_radix(code, 16).ok()?)?
            }
            _ => return None,
        });
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}
