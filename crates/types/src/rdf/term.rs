//! A view of a value as an RDF term.

use std::borrow::Cow;

use trimorph_base::NodeId;

use super::canonical::write_canonical;
use super::literal::datatype;
use super::tag::split_tag;
use crate::value::Relationship;
use crate::{LiteralKind, Value};

/// What a value is in RDF.
#[derive(Clone, PartialEq, Debug)]
pub enum Term<'a> {
    /// An IRI.
    Iri(&'a str),
    /// A blank node: its label, without `_:`.
    Blank(&'a str),
    /// A triple term: its N-Triples text, see [`super::triple_parts`].
    Triple(&'a str),
    /// A literal.
    Literal(LiteralTerm<'a>),
    /// A node of the graph, which knows its term.
    Node(NodeId),
    /// A relationship of the graph, which knows its term.
    Relationship(Relationship),
    /// No term by itself: null, a list, a map or a path.
    Other,
}

/// A literal's parts.
#[derive(Clone, PartialEq, Debug)]
pub struct LiteralTerm<'a> {
    /// The text.
    pub lexical: Cow<'a, str>,
    /// The IRI of the datatype.
    pub datatype: &'a str,
    /// The language tag, as it was written, if it has one.
    pub language: Option<&'a str>,
    /// The base direction, `ltr` or `rtl`, if it has one.
    pub direction: Option<&'a str>,
}

impl<'a> Term<'a> {
    /// What `value` is.
    pub fn of(value: &'a Value) -> Self {
        match value {
            Value::Iri(name) => Self::of_name(name),
            Value::Node(node) => Self::Node(*node),
            Value::Relationship(relationship) => Self::Relationship(*relationship),
            _ => match datatype(value) {
                Some(datatype) => Self::Literal(LiteralTerm::new(value, datatype)),
                None => Self::Other,
            },
        }
    }

    /// What a name is: that of a node, or of what is none.
    pub fn of_name(name: &'a str) -> Self {
        match name.strip_prefix("_:") {
            Some(label) => Self::Blank(label),
            None if name.starts_with("<<(") => Self::Triple(name),
            None => Self::Iri(name),
        }
    }
}

impl<'a> LiteralTerm<'a> {
    fn new(value: &'a Value, datatype: &'a str) -> Self {
        let (language, direction) = match value {
            Value::Literal(literal) => match &literal.kind {
                LiteralKind::Language(tag) => {
                    let (language, direction) = split_tag(tag);
                    (Some(language), direction)
                }
                LiteralKind::Datatype(_) => (None, None),
            },
            _ => (None, None),
        };
        let lexical = match value {
            Value::String(text) => Cow::Borrowed(&**text),
            Value::Literal(literal) => Cow::Borrowed(&*literal.lexical),
            Value::Bool(x) => Cow::Borrowed(if *x { "true" } else { "false" }),
            _ => {
                let mut text = String::new();
                // A string takes all that is written.
                _ = write_canonical(&mut text, value);
                Cow::Owned(text)
            }
        };
        Self { lexical, datatype, language, direction }
    }
}
