//! N-Triples: a value in, its term's text out.
//!
//! Source: RDF 1.2 N-Triples, §2 and §5 (the canonical form, but for the letters of language tags).

use std::fmt::Write as _;

use super::term::{LiteralTerm, Term};
use crate::Value;
use crate::rdf::names::xsd;

/// Writes the N-Triples text of a value; `false`, and nothing written, if it is no term. `resource` gives
/// the term of a node or relationship.
///
/// **Errors**: those of `resource`.
pub fn write_nt<E>(
    out: &mut String,
    value: &Value,
    resource: &mut dyn FnMut(&Value) -> Result<Value, E>,
) -> Result<bool, E> {
    let named;
    let term = match Term::of(value) {
        Term::Node(_) | Term::Relationship(_) => {
            named = resource(value)?;
            Term::of(&named)
        }
        term => term,
    };
    Ok(write_term(out, &term, false))
}

/// The triple term of three terms: subject an IRI or a blank node, predicate an IRI, object any. `None` if
/// one of them is of another kind.
///
/// Language tags are written in small letters, so that the same term has the same text.
///
/// **Errors**: those of `resource`.
pub fn triple<E>(
    [subject, predicate, object]: [&Value; 3],
    resource: &mut dyn FnMut(&Value) -> Result<Value, E>,
) -> Result<Option<Value>, E> {
    let mut named = [Value::Null, Value::Null, Value::Null];
    let mut parts = [Term::Other, Term::Other, Term::Other];
    for (part, (value, named)) in
        parts.iter_mut().zip([subject, predicate, object].into_iter().zip(&mut named))
    {
        *part = match Term::of(value) {
            Term::Node(_) | Term::Relationship(_) => {
                *named = resource(value)?;
                Term::of(named)
            }
            term => term,
        };
    }
    let mut text = String::new();
    Ok(write_triple(&mut text, &parts).then(|| Value::iri(text)))
}

/// Writes the text of the triple term of three terms, as [`triple`] makes it; `false`, and something of it
/// may be written, where they make none.
pub fn write_triple(out: &mut String, parts: &[Term<'_>; 3]) -> bool {
    if !matches!(parts, [Term::Iri(_) | Term::Blank(_), Term::Iri(_), _]) {
        return false;
    }
    out.push_str("<<( ");
    for part in parts {
        if !write_term(out, part, true) {
            return false;
        }
        out.push(' ');
    }
    out.push_str(")>>");
    true
}

/// `false`, and nothing written, of what is no term by itself.
fn write_term(out: &mut String, term: &Term<'_>, small_tags: bool) -> bool {
    match term {
        Term::Iri(iri) => write_iri(out, iri),
        Term::Blank(label) => {
            out.push_str("_:");
            out.push_str(label);
        }
        // It is in this form already.
        Term::Triple(text) => out.push_str(text),
        Term::Literal(literal) => write_literal(out, literal, small_tags),
        Term::Node(_) | Term::Relationship(_) | Term::Other => return false,
    }
    true
}

fn write_literal(out: &mut String, literal: &LiteralTerm<'_>, small_tags: bool) {
    out.push('"');
    write_text(out, &literal.lexical);
    out.push('"');
    if let Some(language) = literal.language {
        out.push('@');
        if small_tags {
            out.push_str(&language.to_ascii_lowercase());
        } else {
            out.push_str(language);
        }
        if let Some(direction) = literal.direction {
            out.push_str("--");
            out.push_str(direction);
        }
    } else if literal.datatype != xsd::STRING {
        out.push_str("^^");
        write_iri(out, literal.datatype);
    }
}

/// An IRI in its angle brackets; what may not stand between them is escaped.
pub fn write_iri(out: &mut String, iri: &str) {
    // All that is escaped is ASCII, and as a rule nothing is.
    let is_escaped = |byte: u8| {
        matches!(byte, b'\0'..=b' ' | b'<' | b'>' | b'"' | b'{' | b'}' | b'|' | b'^' | b'`' | b'\\')
    };
    out.push('<');
    let mut rest = iri;
    while let Some(at) = rest.bytes().position(is_escaped) {
        out.push_str(&rest[..at]);
        _ = write!(out, "\\u{:04X}", rest.as_bytes()[at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('>');
}

/// The text of a literal with escapes, without quotes.
pub fn write_text(out: &mut String, text: &str) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        // What is escaped is ASCII, but for the two that are no characters and begin with 0xEF.
        let (escape, len) = match byte {
            b'"' => ("\\\"", 1),
            b'\\' => ("\\\\", 1),
            b'\n' => ("\\n", 1),
            b'\r' => ("\\r", 1),
            b'\t' => ("\\t", 1),
            8 => ("\\b", 1),
            12 => ("\\f", 1),
            0..32 | 127 => ("", 1),
            0xEF if text[at..].starts_with('\u{FFFE}') => ("\\uFFFE", 3),
            0xEF if text[at..].starts_with('\u{FFFF}') => ("\\uFFFF", 3),
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        plain = at + len;
        if escape.is_empty() {
            _ = write!(out, "\\u{byte:04X}");
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(&text[plain..]);
}
