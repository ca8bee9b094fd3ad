//! Terms of the libraries into ours, and back.

use std::convert::Infallible;

use oxrdf::{
    BaseDirection, BlankNode, Literal, NamedNode, NamedOrBlankNode, NamedOrBlankNodeRef, Term, Triple,
};
use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_literal};
use trimorph_types::rdf::{TERM_DEPTH_MAX, Term as View, triple, triple_parts};

use crate::error::WriteError;
use crate::statement::LiteralRef;

/// A literal's parts.
pub(crate) fn literal_ref(literal: &Literal) -> LiteralRef<'_> {
    LiteralRef {
        lexical: literal.value(),
        datatype: literal.datatype().as_str(),
        language: literal.language(),
        direction: literal.direction().map(direction_name),
    }
}

const fn direction_name(direction: BaseDirection) -> &'static str {
    match direction {
        BaseDirection::Ltr => "ltr",
        BaseDirection::Rtl => "rtl",
    }
}

/// The value of a term. Blank nodes get `prefix` before their label. `None` if triple terms are nested deeper
/// than [`TERM_DEPTH_MAX`].
pub(crate) fn value(term: &Term, prefix: &str) -> Option<Value> {
    value_within(term, prefix, TERM_DEPTH_MAX)
}

fn value_within(term: &Term, prefix: &str, depth: usize) -> Option<Value> {
    Some(match term {
        Term::NamedNode(node) => Value::iri(node.as_str()),
        Term::BlankNode(node) => Value::iri(format!("_:{prefix}{}", node.as_str())),
        Term::Literal(literal) => literal_ref(literal).value(),
        Term::Triple(inner) => triple_value(inner, prefix, depth)?,
    })
}

/// The value of a triple term.
pub(crate) fn triple_value(inner: &Triple, prefix: &str, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let subject = match inner.subject.as_ref() {
        NamedOrBlankNodeRef::NamedNode(node) => Value::iri(node.as_str()),
        NamedOrBlankNodeRef::BlankNode(node) => Value::iri(format!("_:{prefix}{}", node.as_str())),
    };
    let predicate = Value::iri(inner.predicate.as_str());
    let object = value_within(&inner.object, prefix, depth)?;
    let mut itself = |value: &Value| Ok::<_, Infallible>(value.clone());
    let Ok(made) = triple([&subject, &predicate, &object], &mut itself);
    made
}

/// The library's term of a value.
pub(crate) fn term(value: &Value) -> Result<Term, WriteError> {
    Ok(match View::of(value) {
        View::Iri(iri) => named(iri, value, "an IRI")?.into(),
        View::Blank(label) => blank(label, value)?.into(),
        View::Literal(literal) => {
            let lexical = literal.lexical.into_owned();
            match (literal.language, literal.direction) {
                (None, _) => {
                    // It is written as it is, so it must be one.
                    Literal::new_typed_literal(lexical, named(literal.datatype, value, "a literal")?)
                }
                (Some(language), direction) => {
                    let bad = || refused(value, "a literal");
                    // The tag is kept as it was written; the library would make its letters small.
                    if !is_tag(language) {
                        return Err(bad());
                    }
                    match direction {
                        None => Literal::new_language_tagged_literal_unchecked(lexical, language),
                        Some(direction) => {
                            let direction = match direction {
                                "ltr" => BaseDirection::Ltr,
                                "rtl" => BaseDirection::Rtl,
                                _ => return Err(bad()),
                            };
                            Literal::new_directional_language_tagged_literal_unchecked(
                                lexical, language, direction,
                            )
                        }
                    }
                }
            }
            .into()
        }
        View::Triple(text) => {
            let [subject, predicate, object] =
                triple_parts(text).ok_or_else(|| refused(value, "a triple term"))?;
            let [subject, predicate] = [resource(&subject)?, resource(&predicate)?];
            let NamedOrBlankNode::NamedNode(predicate) = predicate else {
                return Err(refused(value, "a triple term"));
            };
            Triple::new(subject, predicate, term(&object)?).into()
        }
        View::Node(_) | View::Relationship(_) | View::Other => return Err(refused(value, "an RDF term")),
    })
}

/// Letters and digits between hyphens, up to eight, the first only letters.
fn is_tag(tag: &str) -> bool {
    tag.split('-').enumerate().all(|(i, part)| {
        (1..=8).contains(&part.len())
            && part.bytes().all(|b| if i == 0 { b.is_ascii_alphabetic() } else { b.is_ascii_alphanumeric() })
    })
}

/// An IRI or a blank node.
pub(crate) fn resource(value: &Value) -> Result<NamedOrBlankNode, WriteError> {
    match View::of(value) {
        View::Iri(iri) => Ok(named(iri, value, "an IRI")?.into()),
        View::Blank(label) => Ok(blank(label, value)?.into()),
        _ => Err(refused(value, "the subject or graph of a statement")),
    }
}

/// An IRI. What has letters that no format can have between angle brackets is refused; a relative one is not.
pub(crate) fn named(iri: &str, value: &Value, place: &'static str) -> Result<NamedNode, WriteError> {
    let is_bad =
        |c: char| matches!(c, '\0'..=' ' | '\u{7f}' | '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' | '\\');
    if iri.contains(is_bad) { Err(refused(value, place)) } else { Ok(NamedNode::new_unchecked(iri)) }
}

fn blank(label: &str, value: &Value) -> Result<BlankNode, WriteError> {
    BlankNode::new(label).map_err(|_| refused(value, "a blank node"))
}

/// That a value cannot stand there.
pub(crate) fn refused(value: &Value, place: &'static str) -> WriteError {
    const LETTERS_MAX: usize = 80;
    let mut value = format_literal(value, &IdsOnly);
    if let Some((end, _)) = value.char_indices().nth(LETTERS_MAX) {
        value.truncate(end);
        value.push('…');
    }
    WriteError::Term { value, place }
}
