//! A statement that was read: terms as texts that live until the next one.

use trimorph_types::Value;
use trimorph_types::rdf::{literal, tagged};

/// A statement: subject, predicate, object, and the graph it is in.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Statement<'a> {
    /// An IRI or a blank node.
    pub subject: TermRef<'a>,
    /// An IRI.
    pub predicate: TermRef<'a>,
    /// Any term.
    pub object: TermRef<'a>,
    /// An IRI or a blank node; none is the default graph.
    pub graph: Option<TermRef<'a>>,
}

/// A term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TermRef<'a> {
    /// What `Value::Iri` holds: an IRI, a blank node (`_:label`), or a triple term's N-Triples text.
    Resource(&'a str),
    /// A literal.
    Literal(LiteralRef<'a>),
}

/// A literal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LiteralRef<'a> {
    /// The text.
    pub lexical: &'a str,
    /// The IRI of the datatype.
    pub datatype: &'a str,
    /// The language.
    pub language: Option<&'a str>,
    /// The base direction, `ltr` or `rtl`.
    pub direction: Option<&'static str>,
}

impl TermRef<'_> {
    /// The value that is this term; not in normal form, see `trimorph_types::rdf::normalise`.
    pub fn value(self) -> Value {
        match self {
            Self::Resource(text) => Value::iri(text),
            Self::Literal(literal) => literal.value(),
        }
    }
}

impl LiteralRef<'_> {
    /// The value that is this term.
    pub fn value(self) -> Value {
        match (self.language, self.direction) {
            (Some(language), None) => tagged(self.lexical, language),
            (Some(language), Some(direction)) => tagged(self.lexical, &format!("{language}--{direction}")),
            (None, _) => literal(self.lexical, self.datatype),
        }
    }
}
